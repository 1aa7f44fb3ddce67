"""Models of robots whose chains close: positions of all joints in, rates and torques of the motors.

At a closed position q the rates of the motors determine all others. With J = (J_a, J_p), the columns of the driven and
of the passive coordinates, and J̇ q̇ = γ (`constraint`),

    q̇_p = −J_p⁻¹ J_a q̇_a                q̇ = G q̇_a
    q̈_p = −J_p⁻¹ (J_a q̈_a + γ)          q̈ = G q̈_a + g
    τ = Gᵀ τ_tree = τ_a − J_aᵀ λ,        J_pᵀ λ = τ_p        M = Gᵀ M_tree G

τ_tree are the torques that the cut tree would need in every joint, friction of passive joints included. Where joints
follow others, these texts run on coordinates (`derivatives.couplings`).

`pivot` is the smallest divisor that changes with the position: where it is small, the motors do not determine the
mechanism, and no other output means anything.

Source: Featherstone, "Rigid Body Dynamics Algorithms" (2008), sections 8.5 and 8.11; Khalil, Dombre, "Modeling,
Identification and Control of Robots" (2002), section 10.4.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from manipula.errors import InputError
from manipula.mechanics.models.closure.assembly import ClosurePlan
from manipula.mechanics.models.closure.bearing_loads import bearing_loads
from manipula.mechanics.models.closure.constraint import (
    LoopText,
    closure_bias,
    closure_error,
    closure_rows,
    seen_from_first,
    seen_from_world,
)
from manipula.mechanics.models.closure.elimination import Elimination
from manipula.mechanics.models.dynamics import acceleration_field, composite_runs
from manipula.mechanics.models.dynamics.acceleration_field import LinkOptions
from manipula.mechanics.models.dynamics.composite import inertia_matrix
from manipula.mechanics.models.dynamics.elements import element_torques
from manipula.mechanics.models.dynamics.friction import NO_FORWARD, refuse_loaded
from manipula.mechanics.models.dynamics.inertia_inverse import InertiaSolver, invert_inertia
from manipula.mechanics.models.dynamics.newton_euler import newton_euler
from manipula.mechanics.models.dynamics.torque import by_field, by_newton_euler
from manipula.mechanics.models.entry import FIELD, FRAMES, Given, ModelEntry, Outputs
from manipula.mechanics.models.ports import POSITION
from manipula.mechanics.robot.topology import INSTEAD, MADE_FOR_LOOPS
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.spatial.vector import NULL, is_structural_zero, sum_of
from manipula.scalar import Scalar

Rows = list[list[Scalar]]
Text = Callable[..., Outputs]


@dataclass(frozen=True)
class Closure:
    """The closure of a tree at one position."""

    tree: Tree
    plan: ClosurePlan
    q: Sequence[Scalar]  # of the coordinates
    text: LoopText

    @cached_property
    def joints(self) -> list[Scalar]:
        return self.tree.coordinates.spread(self.q)

    @cached_property
    def J(self) -> Rows:
        """The rows that count, a column a coordinate."""
        rows = closure_rows(self.tree, self.joints, self.text)
        return self.tree.coordinates.gather_columns([rows[r] for r in self.plan.rows])

    @cached_property
    def J_a(self) -> Rows:
        return [[row[c] for c in self.plan.driven] for row in self.J]

    @cached_property
    def solver(self) -> Elimination:
        return Elimination(self.plan.blocks, [[row[c] for c in self.plan.passive] for row in self.J])

    @cached_property
    def G(self) -> Rows:
        """n × motors"""
        columns = [
            self.spread([int(k == c) for k in range(len(self.plan.driven))]) for c in range(len(self.plan.driven))
        ]
        return [list(row) for row in zip(*columns, strict=True)]

    def spread(self, values: Sequence[Scalar], rest: Sequence[Scalar] | None = None) -> list[Scalar]:
        """All coordinates' rates from those of the motors; accelerations too, with `rest` = γ."""
        moved = [_dot(row, values) for row in self.J_a]
        if rest is not None:
            moved = [x + y for x, y in zip(moved, rest, strict=True)]
        passive = self.solver.solve([-x for x in moved])
        found = dict(zip(self.plan.driven, values)) | dict(zip(self.plan.passive, passive))
        return [found[c] for c in range(len(self.q))]

    def bias(self, rates: Sequence[Scalar]) -> list[Scalar]:
        """γ of the rows that count, at rates of all coordinates."""
        found = closure_bias(self.tree, self.joints, self.tree.coordinates.spread(rates), self.text)
        return [found[r] for r in self.plan.rows]

    def gather(self, efforts: Sequence[Scalar]) -> list[Scalar]:
        """Gᵀ y: what the motors feel of efforts of all coordinates."""
        held = self.solver.solve_transposed([efforts[c] for c in self.plan.passive])
        columns = zip(*self.J_a, strict=True)
        return [efforts[c] - _dot(column, held) for c, column in zip(self.plan.driven, columns, strict=True)]

    def gather_by_columns(self, efforts: Sequence[Scalar]) -> list[Scalar]:
        """The same with G itself, which is cheap where it is known already."""
        return [_dot(column, efforts) for column in zip(*self.G, strict=True)]

    def pivot(self) -> dict[str, Scalar]:
        """The smallest of the divisors that change with the position, where there are any."""
        smallest, maths = None, self.tree.maths
        for x in self.solver.divisors():
            smallest = maths.abs(x) if smallest is None else maths.minimum(smallest, maths.abs(x))
        return {} if smallest is None else {"pivot": smallest}


def _dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    """Structural zeros cost nothing and leave no trace."""
    return sum_of(x * y for x, y in zip(a, b, strict=True) if not is_structural_zero(x) and not is_structural_zero(y))


# what a model runs on

Run = Callable[[Closure, Given, Any], Outputs]


def joint_motion(at: Closure, x: Given) -> dict[str, Sequence[Scalar]]:
    """The inputs of a model of the tree: of all joints."""
    of, inputs = at.tree.coordinates, {**x, "q": at.joints}
    if "qd" in x:
        rates = at.spread(x["qd"])
        inputs["qd"] = of.spread(rates)
        if "qdd" in x:
            inputs["qdd"] = of.spread(at.spread(x["qdd"], at.bias(rates)))
    return inputs


def _vector(at: Closure, value: Any) -> Any:
    return at.gather(at.tree.coordinates.gather(value))


def _columns(at: Closure, value: Any) -> Any:
    return [at.gather(row) for row in at.tree.coordinates.gather_columns(value)]


def _rows(at: Closure, value: Any) -> Any:
    felt = [at.gather(column) for column in zip(*at.tree.coordinates.gather_rows(value), strict=True)]
    return [list(row) for row in zip(*felt, strict=True)]


def _both(at: Closure, value: Any) -> Any:
    M = at.tree.coordinates.gather_both(value)
    half = [[_dot(row, column) for column in zip(*at.G, strict=True)] for row in M]
    # symmetric: one half is worked out
    n = len(at.plan.driven)
    lower = {(i, j): _dot([row[i] for row in at.G], [row[j] for row in half]) for i in range(n) for j in range(i + 1)}
    return [[lower[max(i, j), min(i, j)] for j in range(n)] for i in range(n)]


Contraction = Callable[[Closure, Any], Any]
# by model: its outputs along which there is one entry a motor; the others are of joints, links or none
AXES: dict[str, Mapping[str, Contraction]] = {
    "pose": {}, "frames": {}, "transforms": {}, "axes": {}, "orientation": {}, "centre_of_mass": {}, "energy": {},
    "tool_velocity": {}, "tool_acceleration": {}, "jacobian": {"J": _columns}, "jacobian_tool": {"J": _columns},
    "centre_of_mass_jacobian": {"J": _columns}, "inverse_dynamics": {"tau": _vector}, "gravity": {"g": _vector},
    "inertia_matrix": {"M": _both}, "regressor": {"Y": _rows}, "base_regressor": {"Y": _rows},
}  # fmt: skip
AROUND = "around"  # the plain method with the loops seen from their first frames
PIVOT = ("m or 1", "smallest divisor of the closure; near 0 the motors do not determine the mechanism")


def close_model(model: ModelEntry, robot: str, plan: ClosurePlan) -> ModelEntry:
    """The model of a robot with loops."""
    own = SOLVED.get(model.name)
    if own is None and model.name not in AXES:
        raise InputError(
            "{robot}: {name} is not made for robots with loops; {instead}", robot, model.name,
            INSTEAD.get(model.name, MADE_FOR_LOOPS),
        )  # fmt: skip
    outputs = {**model.outputs, **({"cuts": CUTS} if model.name == "joint_wrenches" else {}), "pivot": PIVOT}
    if own is not None:
        methods = {name: _bound(text, plan, number == 0) for number, (name, text) in enumerate(own.items())}
        field = methods.pop(FIELD, None)
        tried = tuple(name for name in own if name != next(iter(own))) or tuple(own)
        return replace(
            model, outputs=outputs, methods=methods, field=field, differentiates="", candidates=tried, further=(),
            trees=tuple(own),
        )  # fmt: skip
    axes, (first, *others) = AXES[model.name], [name for name in model.methods if name in model.trees]
    if not axes and "qd" not in model.inputs:
        return model if not model.planned else replace(model, planned=None)
    methods = {first: _closed(model.methods[first], axes, plan, True)}
    methods |= {
        name: _closed(model.methods[first if name == AROUND else name], axes, plan) for name in (AROUND, *others)
    }
    field = None if model.field is None else _closed(model.field, axes, plan)
    tried = (AROUND, *(name for name in model.candidates if name != first))
    return replace(
        model, outputs=outputs, methods=methods, field=field, planned=None, candidates=tried, further=(),
        trees=(*model.trees, AROUND),
    )  # fmt: skip


def _closed(method: Text, axes: Mapping[str, Contraction], plan: ClosurePlan, plain: bool = False) -> Any:
    """A model of the tree on the rates of all joints, its outputs felt by the motors."""

    def run(at: Closure, x: Given, *choices: Sequence[LinkOptions]) -> Outputs:
        found = method(at.tree, joint_motion(at, x), *choices)
        return {name: axes[name](at, value) if name in axes else value for name, value in found.items()}

    return _bound(run, plan, plain)


def _bound(run: Text, plan: ClosurePlan, plain: bool) -> Any:
    """On a tree: the plain method looks at the loops from the world, the others from their first frame."""

    def made(tree: Tree, x: Given, *choices: Sequence[LinkOptions]) -> Outputs:
        at = Closure(tree, plan, x["q"], seen_from_world if plain else seen_from_first)
        return {**run(at, x, *choices), **at.pivot()}

    return made


# what is solved for, in the motors


def _bias_motion(at: Closure, x: Given) -> dict[str, Sequence[Scalar]]:
    """The motion at motors that do not accelerate."""
    return joint_motion(at, {**x, "qdd": [0] * len(at.plan.driven)})


def _accelerations(at: Closure, x: Given, torques: Sequence[Scalar], M: Rows) -> list[Scalar]:
    bias = at.gather_by_columns(at.tree.coordinates.gather(torques))
    return InertiaSolver(_both(at, M))([push - b for push, b in zip(x["tau"], bias, strict=True)])


def _with_elements(tree: Tree, motion: Given, torques: Sequence[Scalar]) -> Sequence[Scalar]:
    """What springs and dampers between two frames take besides."""
    if not tree.elements:
        return torques
    return [t + f for t, f in zip(torques, element_torques(tree, motion["q"], motion["qd"]), strict=True)]


def _forward(at: Closure, x: Given) -> Outputs:
    refuse_loaded(at.tree, NO_FORWARD)
    motion = _bias_motion(at, x)
    torques = _with_elements(at.tree, motion, by_newton_euler(at.tree, motion)["tau"])
    return {"qdd": _accelerations(at, x, torques, inertia_matrix(at.tree, at.joints))}


def _forward_field(at: Closure, x: Given, choices: Sequence[LinkOptions]) -> Outputs:
    refuse_loaded(at.tree, NO_FORWARD)
    motion = _bias_motion(at, x)
    torques = _with_elements(at.tree, motion, by_field(at.tree, motion, choices)["tau"])
    return {"qdd": _accelerations(at, x, torques, composite_runs.inertia_matrix(at.tree, at.joints))}


def _coriolis(at: Closure, x: Given) -> Outputs:
    motion, free = _bias_motion(at, x), replace(at.tree, gravity=NULL)
    return {"c": _vector(at, newton_euler(free, motion["q"], motion["qd"], motion["qdd"]).tau)}


def _coriolis_field(at: Closure, x: Given, choices: Sequence[LinkOptions]) -> Outputs:
    motion, free = _bias_motion(at, x), replace(at.tree, gravity=NULL)
    return {"c": _vector(at, acceleration_field.torques(free, motion["q"], motion["qd"], motion["qdd"], choices))}


def _inverse_inertia(at: Closure, x: Given) -> Outputs:
    return {"Minv": invert_inertia(_both(at, inertia_matrix(at.tree, at.joints)))}


def _motion(at: Closure, x: Given) -> Outputs:
    found = joint_motion(at, x)
    return {"rates": list(found["qd"]), "accelerations": list(found["qdd"])}


def _correction(at: Closure, x: Given) -> Outputs:
    """−J_p⁻¹ e, and the largest error of all rows, those that follow from the others too"""
    every, maths, gap = closure_error(at.tree, at.joints), at.tree.maths, None
    for e in every:
        if not is_structural_zero(e):
            gap = maths.abs(e) if gap is None else maths.maximum(gap, maths.abs(e))
    moved = at.solver.solve([-every[r] for r in at.plan.rows])
    found = dict(zip(at.plan.passive, moved, strict=True))
    return {"correction": [found.get(c, 0) for c in range(len(at.q))], "gap": 0 if gap is None else gap}


def _bearings(at: Closure, x: Given) -> Outputs:
    """What nothing determines is NaN, the root of −1: no number is right there"""
    motion = joint_motion(at, x)
    torques = at.tree.coordinates.gather(by_newton_euler(at.tree, motion)["tau"])
    lam = at.solver.solve_transposed([torques[c] for c in at.plan.passive])
    found = bearing_loads(at.tree, motion, dict(zip(at.plan.rows, lam, strict=True)), at.text)
    maths = at.tree.maths
    for of_cut, i, k in at.plan.loose:
        (found.cuts if of_cut else found.joints)[i][k] = maths.sqrt(maths.number(Fraction(-1)))
    return {"wrenches": found.joints, "cuts": found.cuts}


# the plain method first
SOLVED: dict[str, Mapping[str, Text]] = {
    "forward_dynamics": {"inertia-matrix": _forward, FIELD: _forward_field},
    "coriolis": {"newton-euler": _coriolis, FIELD: _coriolis_field},
    "inertia_matrix_inverse": {"composite": _inverse_inertia, AROUND: _inverse_inertia},
    "joint_motion": {"columns": _motion, AROUND: _motion},
    "closure": {"columns": _correction, AROUND: _correction},
    "joint_wrenches": {"newton-euler": _bearings, AROUND: _bearings},
}
CUTS = (
    "N, N·m",
    "of every loop: force, then moment, of the first frame's link on the second's, at the second frame, in axes of the "
    "first; NaN is not determined",
)


ENTRIES = (
    ModelEntry(
        "joint_motion", "rates and accelerations of every joint that moves, from those of the motors",
        ("q", "qd", "qdd"),
        {
            "rates": ("rad/s or m/s", "of every joint that moves, in the file's order"),
            "accelerations": ("rad/s² or m/s²", "of every joint that moves"),
        },
        {"columns": lambda tree, x: {"rates": list(x["qd"]), "accelerations": list(x["qdd"])}},
        FRAMES, trees=("columns",),
    ),
    ModelEntry(
        "closure", "how far the loops are from closed, and what closes them to first order", ("q",),
        {
            "correction": (POSITION, "to be added to the positions; 0 of the motors, and of a robot without loops"),
            "gap": ("m or rad", "the largest distance or angle between the frames of a loop"),
        },
        {"columns": lambda tree, x: {"correction": [0] * len(x["q"]), "gap": 0}}, FRAMES, trees=("columns",),
    ),
)  # fmt: skip
