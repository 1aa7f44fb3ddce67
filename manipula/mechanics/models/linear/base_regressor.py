"""The regressor of the base parameters on the acceleration field: few operations, no column left to combine on line.

A unit of a second moment needs a moment N of entries of U = [ω̇]× + [ω]×[ω]×, a unit of a first moment besides a force F
that is a column of U; joint i feels of it  ω_i·N + v_i·F,  (ω_i, v_i) being its unit motion at the link's frame. The
last link has more joints before it than forces: there F may be turned back instead of turning every v_i forward.

Derived here from `acceleration_field`, whose F and N are linear in S and K.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from manipula.mechanics.models.derivatives import products
from manipula.mechanics.models.dynamics.acceleration_field import LinkOptions, Row, ground, hang, moving_ground
from manipula.mechanics.models.dynamics.bodies import BASE_TWISTS, Twists, link_twists
from manipula.mechanics.models.dynamics.newton_euler import Moving
from manipula.mechanics.models.entry import FRAMES, ModelEntry
from manipula.mechanics.models.linear.base_parameters import (
    Slot,
    base_frames,
    candidate_slots,
    columns,
    reduced_regressor,
)
from manipula.mechanics.models.linear.regressor import actuator_columns
from manipula.mechanics.robot.tree import BASE, Link, Tree
from manipula.mechanics.spatial.vector import NULL, Matrix, Vector, column, dot, matmul, rotate_z_back
from manipula.scalar import Scalar


@dataclass(frozen=True)
class JointReach:
    """A link's motion, and how the joints before it reach the link: ω of each in the link's axes, v in those of F."""

    U: Matrix
    V: Vector
    F: Matrix  # U, its columns in axes in which the v are known
    w: dict[int, Vector]
    v: dict[int, Vector]

    def moment(self, i: int, N: Vector) -> Scalar:
        """ω·N"""
        return dot(self.w[i], N)

    def first(self, i: int, axis: int) -> Scalar:
        """v·U e + ω·(e×V), e an axis of the link"""
        ahead, behind = (axis + 1) % 3, (axis + 2) % 3
        w, V = self.w[i], self.V
        return dot(self.v[i], column(self.F, axis)) + (w[behind] * V[ahead] - w[ahead] * V[behind])


Felt = Callable[[JointReach, int], Scalar]  # by joint i


def _moment(N: Callable[[Matrix], Vector]) -> Felt:
    return lambda reach, i: reach.moment(i, N(reach.U))


# N = vee(UK − (UK)ᵀ) for each unit second moment
FELT: dict[str, Felt] = {
    "Kxx": _moment(lambda U: (0, -U[2][0], U[1][0])),
    "Kyy": _moment(lambda U: (U[2][1], 0, -U[0][1])),
    "Kzz": _moment(lambda U: (-U[1][2], U[0][2], 0)),
    "Kxy": _moment(lambda U: (U[2][0], -U[2][1], U[1][1] - U[0][0])),
    "Kxz": _moment(lambda U: (-U[1][0], U[0][0] - U[2][2], U[1][2])),
    "Kyz": _moment(lambda U: (U[2][2] - U[1][1], U[0][1], -U[0][2])),
    "mx": lambda reach, i: reach.first(i, 0),
    "my": lambda reach, i: reach.first(i, 1),
    "mz": lambda reach, i: reach.first(i, 2),
    "m": lambda reach, i: dot(reach.v[i], reach.V),
}


def base_regressor(
    chain: Tree, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar], base: Moving | None = None
) -> list[list[Scalar]]:
    """Y (dof, candidates): the same entries as `base_parameters.reduced_regressor`."""
    moved = base_frames(chain).chain
    motors = actuator_columns(chain, qd, qdd)
    if base is None:
        return regressor_from(chain, reaches(moved, q, fields(moved, q, qd, qdd)), motors)
    stood = moving_ground(moved, base.w, base.wd, base.vd)
    found = dict(enumerate(reaches(moved, q, fields(moved, q, qd, qdd, stood), BASE_TWISTS)))
    found[BASE] = reach_of((stood.own_spin().field(), base.vd), BASE_TWISTS)
    return regressor_from(chain, found, motors)


def base_regressor_turned(
    chain: Tree, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> list[list[Scalar]]:
    """The same with the forces on the last link turned back."""
    moved = base_frames(chain).chain
    found = turned_back(moved, q, reaches(moved, q, fields(moved, q, qd, qdd)))
    return regressor_from(chain, found, actuator_columns(chain, qd, qdd))


def turned_back(moved: Tree, q: Sequence[Scalar], found: Sequence[JointReach]) -> list[JointReach]:
    """The forces on the last link in the axes of the one before, where it turns about a foot that stands still."""
    last = moved.leaves[-1]
    link = moved.links[last]
    if link.parent == BASE or link.kind.slide(1) != 0:
        return list(found)
    before = link_twists(moved, q)[link.parent]
    foot = {i: twist.in_frame(link.before).v for i, twist in before.items()}
    turn = moved.motions(q)[last].R
    there = replace(found[last], F=matmul(turn, found[last].U), v=foot | {last: NULL})
    return [there if k == last else reach for k, reach in enumerate(found)]


def regressor_from(
    chain: Tree, found: Sequence[JointReach] | Mapping[int, JointReach], motors: Sequence[Mapping[str, Scalar]]
) -> list[list[Scalar]]:
    """Y of how every link moves and is reached, and of what its actuator's parameters ask of a joint."""

    def entry(i: int, slot: Slot) -> Scalar:
        if slot.of_actuator:
            return motors[i][slot.kind] if slot.link == i else 0
        if i not in found[slot.link].w:
            return 0
        felt = FELT[slot.kind](found[slot.link], i)
        return felt if i < 0 else chain.links[i].along_z(felt)

    slots = candidate_slots(chain)
    return [[entry(i, slot) for slot in slots] for i in range(-6 if chain.moving else 0, chain.dof)]


Field = tuple[Matrix, Vector]  # U and V of a link, in its own axes


def fields(
    moved: Tree, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar], stood: Row | None = None
) -> list[Field]:
    """How every link of a chain without bodies accelerates; `stood` is what the first joints stand on, if it moves."""
    return [(row.own_spin().field(), rotate_z_back(row.turn, row.V)) for row in motion_rows(moved, q, qd, qdd, stood)]


def reaches(
    moved: Tree, q: Sequence[Scalar], accelerated: Sequence[Field], base: Twists | None = None
) -> list[JointReach]:
    """Every link in its own axes."""
    return [reach_of(field, twists) for field, twists in zip(accelerated, link_twists(moved, q, base), strict=True)]


def reach_of(accelerated: Field, twists: Twists) -> JointReach:
    U, V = accelerated
    return JointReach(U, V, U, {i: twist.w for i, twist in twists.items()}, {i: twist.v for i, twist in twists.items()})


def motion_rows(
    chain: Tree, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar], stood: Row | None = None
) -> list[Row]:
    """How every link of a chain without bodies moves."""
    rates = (map(Link.along_z, chain.links, rates) for rates in (q, qd, qdd))

    def step(parent: Row, item: tuple[Link, Scalar, Scalar, Scalar]) -> Row:
        return hang(parent, *item, LinkOptions(), 0, chain.maths)

    return chain.outward(step, list(zip(chain.links, *rates, strict=True)), stood or ground(chain))


ENTRIES = (
    ModelEntry(
        "base_regressor", "torques per base parameter", ("q", "qd", "qdd"),
        {"Y": ("various", "tau = Y · base parameters")},
        {
            "newton-euler": lambda c, x: {"Y": reduced_regressor(c, x["q"], x["qd"], x["qdd"])},
            "field": lambda c, x: {"Y": base_regressor(c, x["q"], x["qd"], x["qdd"])},
            "field-turned": lambda c, x: {"Y": base_regressor_turned(c, x["q"], x["qd"], x["qdd"])},
        },
        FRAMES, candidates=("newton-euler", "field", "field-turned"), columns=columns,
        ranked=("Y",),
        trees=("newton-euler", "field", "field-turned"), floating="regressor",
    ),
    ModelEntry(
        "base_regressor_vjp", "the gradient of the base regressor's weighted entries by the motion",
        ("q", "qd", "qdd", "cotangent"), products.BY_MOTION,
        {
            "dual": products.weighted_slopes(reduced_regressor),
            "newton-euler": products.pulled_back(reduced_regressor),
            "field": products.pulled_back(base_regressor),
            "field-turned": products.pulled_back(base_regressor_turned),
        },
        FRAMES, candidates=("newton-euler", "field", "field-turned"), columns=columns,
        ranked=("cotangent",), trees=("dual", "newton-euler", "field", "field-turned"),
    ),
)  # fmt: skip
