"""Poses, Jacobians and velocities of a robot whose base moves: those of the robot on its base, seen from the world.

With the base at R₀, p₀, and p what leads from its origin to the tool, the base's columns of the Jacobian are, for v₀
and ω₀ in base axes,

    linear   R₀,  −[p]× R₀        angular   0,  R₀

The acceleration of the tool at constant v₀, ω₀, q̇ is that of the recursion of `newton_euler`, with a base that
accelerates by ω₀×v₀.

Source: Siciliano, Sciavicco, Villani, Oriolo, "Robotics: Modelling, Planning and Control" (2009), section 3.1, with the
velocity of a moving frame, eq. (3.14), for the base.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from manipula.mechanics.models.dynamics.energy import centre_of_mass, centre_of_mass_jacobian
from manipula.mechanics.models.dynamics.newton_euler import Moving, newton_euler
from manipula.mechanics.models.entry import ENERGY, TOOL, Given, Method, ModelEntry, Outputs
from manipula.mechanics.models.floating.dynamics import at_constant_rates, matrix_from, placement_from
from manipula.mechanics.models.kinematics import jacobian as fixed
from manipula.mechanics.models.kinematics.pose import ENTRIES as POSES
from manipula.mechanics.models.kinematics.pose import pose
from manipula.mechanics.models.kinematics.pose_ways import ENTRIES as WAYS
from manipula.mechanics.robot.tree import BASE, Mark, Tree
from manipula.mechanics.spatial.placement import HERE, Placement
from manipula.mechanics.spatial.vector import NULL, Matrix, Vec3, Vector, cross, dot, matmul, rotate, skew, transpose
from manipula.scalar import Scalar

Rows = list[list[Scalar]]
UNIT: Matrix = ((1, 0, 0), (0, 1, 0), (0, 0, 1))


def turned_to(chain: Tree, R: Matrix) -> Tree:
    """The robot with its base turned so, its origin at the world's."""
    return replace(chain, base=Placement(R, NULL))


def at_frame(chain: Tree, mark: Mark) -> Tree:
    """The robot with a frame by name as its tool."""
    return replace(chain, tool=mark.at, tip=mark.on)


def base_columns(R: Matrix, p: Vector) -> Rows:
    """6×6 of v₀, ω₀: R, −[p]×R; 0, R"""
    swung = matmul(skew((-p[0], -p[1], -p[2])), R)
    return [[*row, *lever] for row, lever in zip(R, swung)] + [[0, 0, 0, *row] for row in R]


def jacobian(chain: Tree, q: Sequence[Scalar], R: Matrix) -> Rows:
    """6×(6+n), world axes"""
    there = turned_to(chain, R)
    base = base_columns(R, pose(there, q).p)
    return [[*left, *right] for left, right in zip(base, fixed.jacobian(there, q))]


def jacobian_tool(chain: Tree, q: Sequence[Scalar]) -> Rows:
    """6×(6+n), tool axes: Rᵀ, −Rᵀ[p]×; 0, Rᵀ"""
    here = replace(chain, base=HERE)
    at = pose(here, q)
    back = transpose(at.R)
    swung = matmul(back, skew((-at.p[0], -at.p[1], -at.p[2])))
    base = [[*row, *lever] for row, lever in zip(back, swung)] + [[0, 0, 0, *row] for row in back]
    return [[*left, *right] for left, right in zip(base, fixed.jacobian_tool(here, q))]


def bias(chain: Tree, q: Sequence[Scalar], qd: Sequence[Scalar], R: Matrix, base: Moving) -> list[Scalar]:
    """J̇ v: the tool's acceleration at constant rates, world axes"""
    links = newton_euler(chain, q, qd, [0] * chain.dof, base=base).motion
    at = (base if chain.holder == BASE else links[chain.holder]).in_frame(chain.tool)
    turn = pose(turned_to(chain, R), q).R
    return [*rotate(turn, at.vd), *rotate(turn, at.wd)]


def bias_summed(chain: Tree, q: Sequence[Scalar], qd: Sequence[Scalar], R: Matrix, x: Given) -> list[Scalar]:
    """The same from the fixed base's, v and ω the velocity of the tool on its base, all in base axes but the result:

    ω₀×(v₀ + ω₀×p + 2v) + J̇q̇        ω₀×ω + J̇q̇
    """
    here = replace(chain, base=HERE)
    own = fixed.tool_bias(here, q, qd)
    v = [dot(row, qd) for row in fixed.jacobian(here, q)]
    w = Vec3(x["w0"])
    swung = cross(w, Vec3(x["v0"]) + cross(w, pose(here, q).p) + Vec3(v[:3]) * 2)
    return [*rotate(R, swung + Vec3(own[:3])), *rotate(R, cross(w, Vec3(v[3:])) + Vec3(own[3:]))]


def _placed(method: Method) -> Method:
    """A model of a fixed base that stands at T0."""
    return lambda chain, x: method(replace(chain, base=placement_from(x["T0"])), x)


def _carried(method: Method) -> Method:
    """The same, on its base first: some ways take a third axis from two, which a proof knows of the joints' turns and
    not of T0."""

    def at_base(chain: Tree, x: Given) -> Outputs:
        found: Mapping[str, Any] = method(replace(chain, base=HERE), x)
        a, b, c, _ = found["T"]
        on_base = Placement((Vec3(a[:3]), Vec3(b[:3]), Vec3(c[:3])), Vec3((a[3], b[3], c[3])))
        return {"T": (placement_from(x["T0"]) @ on_base).rows()}

    return at_base


def _on_placed_base(entry: ModelEntry) -> ModelEntry:
    place = _carried if entry.name == "pose" else _placed
    methods = {name: place(method) for name, method in entry.methods.items()}
    return replace(entry, inputs=(*entry.inputs, "T0"), methods=methods)


def _velocity(chain: Tree, x: Given) -> Outputs:
    rates = [*x["v0"], *x["w0"], *x["qd"]]
    return {"v": [dot(row, rates) for row in jacobian(chain, x["q"], matrix_from(x["R0"]))]}


def _com_jacobian(chain: Tree, x: Given) -> Outputs:
    R = matrix_from(x["R0"])
    there = turned_to(chain, R)
    base = base_columns(R, centre_of_mass(there, x["q"]))[:3]
    return {"J": [[*left, *right] for left, right in zip(base, centre_of_mass_jacobian(there, x["q"]))]}


def _bias(chain: Tree, x: Given) -> Outputs:
    return {"a": bias(chain, x["q"], x["qd"], matrix_from(x["R0"]), at_constant_rates(x))}


_PLACED = {entry.name: _on_placed_base(entry) for entry in (*WAYS, *POSES) if entry.name in ("pose", "frames", "axes")}
FORMS = {
    form.name: form
    for form in (
        *_PLACED.values(),
        *(entry for entry in POSES if entry.name == "transforms"),
        ModelEntry(
            "jacobian", "tool velocity per velocity of the base (v0, w0) and of the joints, world axes", ("q", "R0"),
            {"J": ("m/rad or 1", "linear rows, then angular; the base's columns first")},
            {"columns": lambda c, x: {"J": jacobian(c, x["q"], matrix_from(x["R0"]))}}, TOOL, trees=("columns",),
        ),
        ModelEntry(
            "jacobian_tool", "the Jacobian in tool axes", ("q",),
            {"J": ("m/rad or 1", "linear rows, then angular; the base's columns first")},
            {"columns": lambda c, x: {"J": jacobian_tool(c, x["q"])}}, TOOL, trees=("columns",),
        ),
        ModelEntry(
            "tool_velocity", "velocity of the tool, world axes", ("q", "qd", "R0", "v0", "w0"),
            {"v": ("m/s, rad/s", "linear, then angular")}, {"columns": _velocity}, TOOL, trees=("columns",),
        ),
        ModelEntry(
            "tool_bias", "acceleration of the tool at constant rates of the base (v0, w0) and the joints, world axes",
            ("q", "qd", "R0", "v0", "w0"), {"a": ("m/s², rad/s²", "linear, then angular")},
            {
                "newton-euler": _bias,
                "summed": lambda c, x: {"a": bias_summed(c, x["q"], x["qd"], matrix_from(x["R0"]), x)},
            },
            TOOL, candidates=("newton-euler", "summed"), trees=("newton-euler", "summed"),
        ),
        ModelEntry(
            "centre_of_mass", "centre of mass of the whole robot with its load, world axes", ("q", "T0"),
            {"com": ("m", "position")},
            {
                "first-moments": lambda c, x: {
                    "com": centre_of_mass(replace(c, base=placement_from(x["T0"])), x["q"])
                }
            },
            ENERGY, trees=("first-moments",), wants="a link with a mass",
        ),
        ModelEntry(
            "centre_of_mass_jacobian", "velocity of the centre of mass per velocity of the base and the joints, world "
            "axes", ("q", "R0"), {"J": ("m/rad or 1", "3×(6+n), the base's columns first")},
            {"first-moments": _com_jacobian}, ENERGY, trees=("first-moments",), wants="a link with a mass",
        ),
    )
}  # fmt: skip
