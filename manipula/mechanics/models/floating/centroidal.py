"""The momentum of a robot whose base moves, about its centre of mass: h, its matrix A, and its rate at constant rates.

The base's six rows of the inertia matrix are the momentum about the base's origin per unit of every velocity. Taken to
the centre of mass c, as seen from that origin,

    h = A v        A = (P, L − c×P)        P, L: rows of linear and of angular momentum,    v = (v₀, ω₀, q̇)

and ḣ = A v̇ + Ȧv is the wrench that moves the base, without the weight, taken to c. All is in base axes, turned with the
base: ḣ is the rate that an observer at rest sees.

Source: Orin, Goswami, Lee, "Centroidal dynamics of a humanoid robot", Autonomous Robots 35 (2013), eqs. (1)–(3), there
in world axes. That the rows of M have it is their section 5; the rate by the recursion is derived here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from manipula.mechanics.models.dynamics.acceleration_field import LinkOptions
from manipula.mechanics.models.entry import ENERGY, FIELD, TORQUES, Given, ModelEntry, Outputs
from manipula.mechanics.models.floating.dynamics import (
    Forces,
    Rows,
    at_constant_rates,
    field_forces,
    inertia_composite,
    inertia_runs,
    plain_forces,
)
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.spatial.inertia import quotient
from manipula.mechanics.spatial.vector import Vec3, cross, dot, rotate, sub
from manipula.scalar import Scalar


def centroidal(
    chain: Tree, x: Given, forces: Forces = plain_forces, inertia: Callable[..., Rows] = inertia_composite
) -> Outputs:
    """h, A, Ȧv"""
    rows = inertia(chain, x["q"])[:6]
    # the columns of v₀ are m 1 over [s]×: the mass, the first moments
    s = (rows[5][1], rows[3][2], rows[4][0])
    c = Vec3(quotient(part, rows[0][0]) for part in s)
    columns = [_about_com(column, c) for column in zip(*rows)]
    A = [list(row) for row in zip(*columns)]
    v = [*x["v0"], *x["w0"], *x["qd"]]
    _, wrench = forces(chain, x["q"], x["qd"], [0] * chain.dof, at_constant_rates(x))
    return {"h": [dot(row, v) for row in A], "A": A, "bias": _about_com(wrench, c)}


def _about_com(column: Sequence[Scalar], c: Vec3) -> list[Scalar]:
    """(P, L − c×P)"""
    P = Vec3(column[:3])
    return [*P, *sub(Vec3(column[3:]), cross(c, P))]


def _on_field(chain: Tree, x: Given, choices: Sequence[LinkOptions]) -> Outputs:
    return centroidal(chain, x, field_forces(choices), inertia_runs)


def on_fixed_base(chain: Tree, x: Given) -> Outputs:
    """The same where the base stands still: columns of the joints alone, in world axes."""
    found: Mapping[str, Any] = centroidal(chain, {**x, "v0": [0, 0, 0], "w0": [0, 0, 0]})

    def turned(column: Sequence[Scalar]) -> list[Scalar]:
        return [*rotate(chain.base.R, Vec3(column[:3])), *rotate(chain.base.R, Vec3(column[3:]))]

    columns = [turned(column) for column in list(zip(*found["A"]))[6:]]
    return {"h": turned(found["h"]), "A": [list(row) for row in zip(*columns)], "bias": turned(found["bias"])}


OUTPUTS = {
    "h": ("kg·m/s, kg·m²/s", "linear, then angular"),
    "A": ("kg, kg·m, kg·m²", "h = A·rates: on a base that moves 6×(6+n), of v0, w0, qd"),
    "bias": ("N, N·m", "rate of h, seen by an observer at rest, at constant rates"),
}
ENTRIES = (
    ModelEntry(
        "centroidal_momentum", "momentum of the whole robot about its centre of mass, its matrix and its rate, world "
        "axes", ("q", "qd"), OUTPUTS, {"composite": on_fixed_base}, ENERGY, trees=("composite",),
        wants="a link with a mass", floating="centroidal",
    ),
)  # fmt: skip
FORMS = {
    "centroidal_momentum": ModelEntry(
        "centroidal_momentum", "momentum of the whole robot about its centre of mass, base axes",
        ("q", "qd", "v0", "w0"),
        OUTPUTS,
        {"composite": centroidal}, TORQUES, field=_on_field, candidates=("composite", FIELD),
        trees=("composite", FIELD), wants="a link with a mass",
    ),
}  # fmt: skip
