"""The models a user can ask for, as data: what an entry says is told in `entry`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from manipula.errors import InputError
from manipula.mechanics.models.derivatives import analytic as derivatives_analytic
from manipula.mechanics.models.derivatives.dual import InertiaMatrix
from manipula.mechanics.models.dynamics import (
    acceleration_field,
    articulated_bodies,
    composite,
    composite_runs,
    energy,
    friction,
    inertia_inverse,
    newton_euler,
    torque,
)
from manipula.mechanics.models.dynamics import inertia_inverse as operational
from manipula.mechanics.models.dynamics.acceleration_field import LinkOptions
from manipula.mechanics.models.entries import (
    ANALYTIC,
    DERIVATIVES,
    FOR_CONTROL,
    OF_FRAMES,
    REGRESSOR_SLOPES,
    TWO_VELOCITIES,
)
from manipula.mechanics.models.entry import (
    AUTOMATIC,
    ENERGY,
    FIELD,
    FRAMES,
    TOOL,
    TORQUES,
    Given,
    Method,
    ModelEntry,
)
from manipula.mechanics.models.inverse.classify import classify
from manipula.mechanics.models.inverse.loop import defect
from manipula.mechanics.models.inverse.plan import Plan, branches
from manipula.mechanics.models.kinematics import jacobian, orientation, pose, pose_ways
from manipula.mechanics.models.lagrange import christoffel, christoffel_carried, jacobian_dynamics
from manipula.mechanics.models.lagrange import terms as lagrange
from manipula.mechanics.models.linear import (
    base_parameters,
    base_regressor,
    energy_regressor,
    regressor,
    regressor_carried,
)
from manipula.mechanics.models.ports import EFFORT
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.spatial.placement import Placement
from manipula.mechanics.spatial.vector import NULL

RUNS, APART = "composite-runs", "merged-apart"
MOVING = "moving-bodies"
BODIES = (MOVING, ANALYTIC)  # methods of `moving_bodies`
ON_JOINTS = (FIELD, RUNS, AUTOMATIC, APART, *BODIES)  # methods that want every link frame on its joint

Rows = list[list[Any]]
_ALL_WAYS = pose_ways.WAYS | pose_ways.FURTHER_WAYS


def _rows(at: Placement) -> tuple[tuple[Any, ...], ...]:
    return at.rows()


def _pose(way: pose_ways.Way) -> Method:
    return lambda chain, x: {"T": _rows(way(chain.road(), chain.along_road(x["q"])))}


def _lagrange_torque(name: str) -> Method:
    terms = lagrange.METHODS[name]
    return lambda chain, x: {
        "tau": lagrange.inverse_dynamics_lagrange(chain, x["q"], x["qd"], x["qdd"], x.get("wrench"), terms)
    }


def _lagrange_terms(name: str) -> Method:
    def method(chain: Tree, x: Given) -> dict[str, Any]:
        found = lagrange.lagrange_terms(chain, x["q"], x["qd"], x["qdd"], x["P"], name)._asdict()
        return {key: value for key, value in found.items() if key not in ("P", "TIN")}

    return method


def _recursion(chain: Tree, x: Given) -> dict[str, Any]:
    found = newton_euler.newton_euler(chain, x["q"], x["qd"], x["qdd"], x.get("wrench"))
    return {
        "w": [m.w for m in found.motion],
        "wd": [m.wd for m in found.motion],
        "vd": [m.vd for m in found.motion],
        "F": found.F,
        "N": found.N,
        "f": [load.own.f for load in found.loads],
        "n": [load.own.n for load in found.loads],
        "tau": found.tau,
    }


def _orientation(chain: Tree, x: Given) -> dict[str, Any]:
    at, maths = pose.pose(chain, x["q"]), chain.maths
    return {
        "quaternion": orientation.quaternion_from_matrix(at.R, maths),
        "bryant": orientation.bryant_from_matrix(at.R, maths),
        "rpy": orientation.rpy_from_matrix(at.R, maths),
        "cylindrical": orientation.cylindrical_from_cartesian(at.p, maths),
        "spherical": orientation.spherical_from_cartesian(at.p, maths),
    }


def _field_gravity(chain: Tree, x: Given, choices: Sequence[LinkOptions]) -> dict[str, Any]:
    still = [0] * chain.dof
    return {"g": acceleration_field.torques(chain, x["q"], still, still, choices)}


def _field_coriolis(chain: Tree, x: Given, choices: Sequence[LinkOptions]) -> dict[str, Any]:
    free = replace(chain, gravity=NULL)
    return {"c": acceleration_field.torques(free, x["q"], x["qd"], [0] * chain.dof, choices)}


def _field_acceleration(chain: Tree, x: Given, choices: Sequence[LinkOptions]) -> dict[str, Any]:
    still = [0] * chain.dof
    bias = torque.by_field(chain, {**x, "qdd": still}, choices)["tau"]
    M = composite_runs.inertia_matrix(chain, x["q"])
    return {"qdd": inertia_inverse.InertiaSolver(M)([push - b for push, b in zip(x["tau"], bias)])}


def _operational(output: str, made: Callable[[Rows, Rows], Rows], mass: InertiaMatrix) -> Method:
    def method(chain: Tree, x: Given) -> dict[str, Any]:
        M = mass(chain, x["q"])
        return {output: made(jacobian.jacobian(chain, x["q"]), M)}

    return method


def _energy(chain: Tree, x: Given) -> dict[str, Any]:
    kinetic, potential = energy.kinetic_energy(chain, x["q"], x["qd"]), energy.potential_energy(chain, x["q"])
    return {"kinetic": kinetic, "potential": potential}


def _closed_form(plan: Plan, chain: Tree, x: Given) -> dict[str, Any]:
    found = branches(plan, chain, x["T"], x["parameter"][0] if plan.parameter else None)
    checks = {"calm": found.calm(chain.maths), "defect": defect(x["T"], chain.maths)}
    return {"q": found.q, "valid": found.valid, "fit": found.fit, **checks}


def _inverse(model: ModelEntry, plan: Plan) -> ModelEntry:
    """Inverse kinematics in the closed form of the arm's class."""
    if not plan.has_closed_form:
        raise InputError("inverse_kinematics has no closed form here: {sentence}", plan.sentence)
    inputs = ("T", "parameter") if plan.parameter else ("T",)
    order = "; ".join(f"{i}: {name}" for i, name in enumerate(plan.branch_names, 1))
    outputs = {**model.outputs, "q": (model.outputs["q"][0], f"one row a branch, always in this order ({order})")}
    return replace(model, inputs=inputs, outputs=outputs, methods={"closed-form": partial(_closed_form, plan)})


_LIST = (
    ModelEntry(
        "pose", "pose of the tool in the world", ("q",), {"T": ("1, m", "4×4 homogeneous matrix, world → tool")},
        {name: _pose(way) for name, way in _ALL_WAYS.items()}, TOOL,
        candidates=tuple(name for name in _ALL_WAYS if name != APART), further=(APART,), trees=tuple(_ALL_WAYS),
    ),
    ModelEntry(
        "frames", "pose of every link frame, then of the tool", ("q",), {"T": ("1, m", "links 1…n, then tool")},
        {"forward": lambda c, x: {"T": [_rows(at) for at in pose.frames(c, x["q"])]}}, FRAMES, trees=("forward",),
    ),
    ModelEntry(
        "transforms", "elementary transform of every link, T(i−1, i)", ("q",), {"T": ("1, m", "links 1…n")},
        {"elementary": lambda c, x: {"T": [_rows(at) for at in pose.elementary(c, x["q"])]}}, FRAMES,
        trees=("elementary",),
    ),
    ModelEntry(
        "orientation", "the tool's orientation and position in other coordinates", ("q",),
        {
            "quaternion": ("1", "Euler parameters e0 e1 e2 e3, e0 ≥ 0"), "bryant": ("rad", "Bryant angles x-y′-z″"),
            "rpy": ("rad", "roll, pitch, yaw about fixed axes"),
            "cylindrical": ("m, rad, m", "radius, azimuth, height"),
            "spherical": ("m, rad, rad", "radius, polar angle, azimuth"),
        },
        {"forward": _orientation}, TOOL, trees=("forward",),
    ),
    ModelEntry(
        "jacobian", "tool velocity per joint velocity, world axes", ("q",),
        {"J": ("m/rad or 1", "linear rows, then angular")},
        {"columns": lambda c, x: {"J": jacobian.jacobian(c, x["q"])}}, TOOL, trees=("columns",),
    ),
    ModelEntry(
        "jacobian_tool", "the Jacobian in tool axes", ("q",), {"J": ("m/rad or 1", "linear rows, then angular")},
        {"columns": lambda c, x: {"J": jacobian.jacobian_tool(c, x["q"])}}, TOOL, trees=("columns",),
    ),
    ModelEntry(
        "jacobian_dot", "time derivative of the Jacobian, world axes", ("q", "qd"),
        {"Jd": ("m/(rad·s) or 1/s", "linear rows, then angular")},
        {"columns": lambda c, x: {"Jd": jacobian.jacobian_dot(c, x["q"], x["qd"])}}, TOOL, trees=("columns",),
    ),
    *OF_FRAMES,
    ModelEntry(
        "inverse_dynamics", "joint torques of a motion", ("q", "qd", "qdd"), {"tau": (EFFORT, "joint torques")},
        {
            "newton-euler": torque.by_newton_euler,
            **{name: _lagrange_torque(name) for name in lagrange.METHODS},
            "jacobian": lambda c, x: {
                "tau": jacobian_dynamics.inverse_dynamics_jacobian(c, x["q"], x["qd"], x["qdd"], x.get("wrench"))
            },
        },
        TORQUES, takes_wrench=True, field=torque.by_field, candidates=("newton-euler", FIELD),
        trees=("newton-euler", *lagrange.METHODS, "jacobian", FIELD),
    ),
    ModelEntry(
        "newton_euler", "the recursion with every intermediate, each link in its own frame", ("q", "qd", "qdd"),
        {
            "w": ("rad/s", "angular velocity"), "wd": ("rad/s²", "angular acceleration"),
            "vd": ("m/s²", "acceleration of the frame's origin, gravity included"),
            "F": ("N", "force on the body"), "N": ("N·m", "moment on the body about the frame's origin"),
            "f": ("N", "force through the joint"), "n": ("N·m", "moment through the joint, about the frame's origin"),
            "tau": (EFFORT, "torques without motor inertia and friction"),
        },
        {"newton-euler": _recursion}, FRAMES, takes_wrench=True, trees=("newton-euler",),
    ),
    ModelEntry(
        "lagrange_terms", "the complete Lagrangian model, effect by effect", ("q", "qd", "qdd", "P"),
        {
            "A": ("kg·m²", "inertia"), "COR": ("kg·m²", "Coriolis, on q̇j·q̇k, j<k"),
            "CEN": ("kg·m²", "centrifugal, on q̇j²"),
            "GRA": (EFFORT, "gravity"), "FIN": (EFFORT, "inertial force"), "FCOR": (EFFORT, "Coriolis force"),
            "FCEN": (EFFORT, "centrifugal force"), "FGRA": (EFFORT, "gravity force"),
            "FPER": (EFFORT, "perturbations"), "FGEN": (EFFORT, "torque = FIN + FCOR + FCEN − FGRA + FPER"),
        },
        {name: _lagrange_terms(name) for name in lagrange.METHODS}, TORQUES,
        candidates=("lagrange-megahed", "lagrange-efficient"), trees=tuple(lagrange.METHODS),
    ),
    ModelEntry(
        "inertia_matrix", "M(q), motor inertia on the diagonal", ("q",), {"M": ("kg·m²", "symmetric")},
        {
            "composite": lambda c, x: {"M": composite.inertia_matrix(c, x["q"])},
            RUNS: lambda c, x: {"M": composite_runs.inertia_matrix(c, x["q"])},
            "jacobian": lambda c, x: {"M": jacobian_dynamics.inertia_matrix_jacobian(c, x["q"])},
        },
        TORQUES, candidates=("composite", RUNS), trees=("composite", RUNS, "jacobian"),
    ),
    ModelEntry(
        "inertia_matrix_inverse", "M(q)⁻¹", ("q",), {"Minv": ("1/(kg·m²)", "symmetric")},
        {
            "composite": lambda c, x: {"Minv": inertia_inverse.invert_inertia(composite.inertia_matrix(c, x["q"]))},
            RUNS: lambda c, x: {"Minv": inertia_inverse.invert_inertia(composite_runs.inertia_matrix(c, x["q"]))},
        },
        TORQUES, candidates=("composite", RUNS), trees=("composite", RUNS),
    ),
    ModelEntry(
        "coriolis", "C(q, q̇)·q̇", ("q", "qd"), {"c": (EFFORT, "torques of the velocities")},
        {"newton-euler": lambda c, x: {"c": torque.coriolis(c, x["q"], x["qd"])}}, TORQUES, field=_field_coriolis,
        candidates=("newton-euler", FIELD), trees=("newton-euler", FIELD),
    ),
    ModelEntry(
        "coriolis_matrix", "C(q, q̇), with Ṁ − 2C skew", ("q", "qd"), {"C": ("kg·m²/s", "Christoffel form")},
        {
            "christoffel": lambda c, x: {"C": christoffel.coriolis_matrix(c, x["q"], x["qd"])},
            "carried": lambda c, x: {"C": christoffel_carried.coriolis_matrix(c, x["q"], x["qd"])},
            MOVING: lambda c, x: {"C": derivatives_analytic.coriolis_matrix(c, x["q"], x["qd"])},
        },
        TORQUES, candidates=("christoffel", MOVING), trees=("christoffel", "carried"),
    ),
    ModelEntry(
        "gravity", "the torques that hold the arm still", ("q",), {"g": (EFFORT, "joint torques")},
        {
            "newton-euler": lambda c, x: {"g": torque.gravity(c, x["q"])},
            "composite": lambda c, x: {"g": composite.gravity_composite(c, x["q"])},
        },
        TORQUES, field=_field_gravity, candidates=("newton-euler", "composite", FIELD),
        trees=("newton-euler", "composite", FIELD),
    ),
    ModelEntry(
        "forward_dynamics", "joint accelerations under given torques", ("q", "qd", "tau"),
        {"qdd": ("rad/s² or m/s²", "joint accelerations")},
        {
            "articulated": lambda c, x: {
                "qdd": articulated_bodies.forward_dynamics(c, x["q"], x["qd"], x["tau"], x.get("wrench"))
            },
            "inertia-matrix": lambda c, x: {
                "qdd": inertia_inverse.forward_dynamics(c, x["q"], x["qd"], x["tau"], x.get("wrench"))
            },
        },
        TORQUES, takes_wrench=True, field=_field_acceleration,
        candidates=("inertia-matrix", FIELD), trees=("articulated", "inertia-matrix", FIELD),
    ),
    *FOR_CONTROL,
    ModelEntry(
        "friction_parts", "friction apart: what is smooth, and what can hold a joint", ("q", "qd", "qdd", "way"),
        {"smooth": (EFFORT, "viscous, offset"), "dry": (EFFORT, "of a joint that moves that way, none of one at rest")},
        {"laws": friction.friction_apart}, TORQUES, trees=("laws",),
    ),
    *DERIVATIVES,
    ModelEntry(
        "operational_mobility", "acceleration of the tool per force on it, Λ⁻¹ = J·M⁻¹·Jᵀ, world axes", ("q",),
        {"Linv": ("SI", "6×6, symmetric; linear, then angular")},
        {
            "composite": _operational("Linv", operational.mobility, composite.inertia_matrix),
            RUNS: _operational("Linv", operational.mobility, composite_runs.inertia_matrix),
        },
        TORQUES | TOOL, candidates=("composite", RUNS), trees=("composite", RUNS),
    ),
    ModelEntry(
        "operational_inertia", "the inertia the tool feels, Λ = (J·M⁻¹·Jᵀ)⁻¹, world axes", ("q",),
        {"L": ("SI", "6×6, symmetric; linear, then angular")},
        {
            "composite": _operational("L", operational.inertia, composite.inertia_matrix),
            RUNS: _operational("L", operational.inertia, composite_runs.inertia_matrix),
        },
        TORQUES | TOOL, candidates=("composite", RUNS), trees=("composite", RUNS),
        wants="six independent freedoms of the tool",
    ),
    ModelEntry(
        "energy", "kinetic and potential energy", ("q", "qd"),
        {"kinetic": ("J", "motor inertia included"), "potential": ("J", "zero at the world origin")},
        {"newton-euler": _energy}, ENERGY, trees=("newton-euler",),
    ),
    ModelEntry(
        "energy_regressor", "energies per inertial parameter", ("q", "qd"),
        {"kinetic": ("various", "kinetic = Y · parameters"), "potential": ("various", "potential = Y · parameters")},
        {
            "frames": lambda c, x: {
                "kinetic": energy_regressor.kinetic_row(c, x["q"], x["qd"]),
                "potential": energy_regressor.potential_row(c, x["q"]),
            }
        },
        FRAMES, columns=regressor.columns, trees=("frames",),
    ),
    ModelEntry(
        "joint_wrenches", "what each joint carries", ("q", "qd", "qdd"),
        {"wrenches": ("N, N·m", "force, then moment, of link i−1 on link i, at joint i, in link i's axes")},
        {
            "newton-euler": lambda c, x: {
                "wrenches": torque.joint_wrenches(c, x["q"], x["qd"], x["qdd"], x.get("wrench"))
            }
        },
        FRAMES, takes_wrench=True, trees=("newton-euler",),
    ),
    ModelEntry(
        "regressor", "torques per inertial parameter", ("q", "qd", "qdd"),
        {"Y": ("various", "tau = Y · parameters")},
        {
            "newton-euler": lambda c, x: {"Y": regressor.regressor(c, x["q"], x["qd"], x["qdd"])},
            "carried": lambda c, x: {"Y": regressor_carried.regressor_carried(c, x["q"], x["qd"], x["qdd"])},
        },
        FRAMES, candidates=("newton-euler", "carried"), columns=regressor.columns, trees=("newton-euler", "carried"),
    ),
    ModelEntry(
        "base_regressor", "torques per base parameter", ("q", "qd", "qdd"),
        {"Y": ("various", "tau = Y · base parameters")},
        {
            "newton-euler": lambda c, x: {"Y": base_parameters.reduced_regressor(c, x["q"], x["qd"], x["qdd"])},
            "field": lambda c, x: {"Y": base_regressor.base_regressor(c, x["q"], x["qd"], x["qdd"])},
            "field-turned": lambda c, x: {"Y": base_regressor.base_regressor_turned(c, x["q"], x["qd"], x["qdd"])},
        },
        FRAMES, candidates=("newton-euler", "field", "field-turned"), columns=base_parameters.columns,
        ranked=("Y",),
        trees=("newton-euler", "field", "field-turned"),
    ),
    *REGRESSOR_SLOPES,
    *TWO_VELOCITIES,
    ModelEntry(
        "inverse_kinematics", "every joint vector that reaches a pose, in closed form", ("T",),
        {
            "q": ("rad or m", "one row a branch, always in the same order"),
            "valid": ("1", "1 where the branch reaches the pose, else 0"),
            "fit": ("1", "how far a branch is from being lost: 0 where two meet, negative out of reach"),
            "calm": ("1", "the smallest |fit|: near 0 some branches want a closer look"),
            "defect": ("1", "how far the input is from a pose"),
        },
        {"closed-form": lambda c, x: _closed_form(classify(c), c, x)}, FRAMES, inverts=_inverse,
    ),
)  # fmt: skip

MODELS: dict[str, ModelEntry] = {model.name: model for model in _LIST}
