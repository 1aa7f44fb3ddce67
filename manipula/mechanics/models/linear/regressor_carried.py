"""The regressor with the columns that two neighbours share written once.

A rod and a pair of opposite masses on the axis of a revolute joint belong to the link behind it as much as to the link
before: no joint before them feels the difference. In the ten numbers π of such a body, in the frames of both links,

    Y_l · π_l = Y_p · π_p        p the link before l, in the row of every joint that moves p,

so that two columns of a link follow from the others and from those of the link before: the second of the two moments of
inertia across the axis, and the first moment along it.

A body that rides on a link has its ten columns from the link's: moving a body's frame is a linear map of its numbers.

Derived here from the moments that two neighbours share (`base_parameters`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from manipula.mechanics.models.derivatives import products
from manipula.mechanics.models.dynamics.bodies import link_twists
from manipula.mechanics.models.dynamics.energy import advance
from manipula.mechanics.models.dynamics.newton_euler import newton_euler
from manipula.mechanics.models.entry import FRAMES, ModelEntry
from manipula.mechanics.models.kinematics.pose import frames
from manipula.mechanics.models.linear import regressor as plain
from manipula.mechanics.models.linear.regressor import (
    UNIT_BODIES,
    body_numbers,
    columns,
    parts_of,
    unit_force,
    with_motors,
)
from manipula.mechanics.robot.reduce import massless
from manipula.mechanics.robot.tree import BASE, FileBody, Link, Tree
from manipula.mechanics.spatial.inertia import RigidBody, Twist, Wrench, half, power, rod
from manipula.mechanics.spatial.placement import Placement
from manipula.mechanics.spatial.vector import (
    NULL,
    Vector,
    Z,
    column,
    cross,
    dot,
    is_structural_zero,
    neg,
    scale,
    sub,
    unrotate,
)
from manipula.scalar import Scalar

Block = dict[int, list[Scalar]]  # of a link: what every joint that moves it feels of its ten unit bodies
ROD = RigidBody(second=rod(1))  # ∫z² = 1 on the axis
PAIR = RigidBody(s=Z)  # ∫z = 1 there, without mass
ACROSS = ((3, 5), (0, 5), (0, 3))  # where Lxx Lyy Lzz stand of the axes that are not x, not y, not z
FIRST = 6  # where mx stands


@dataclass(frozen=True)
class Shared:
    """A column of a link that follows: Σ own·Y_l = Σ before·Y_p, `own` being ±1 at this column."""

    column: int
    own: list[Scalar]
    before: list[Scalar]

    def entry(self, row: Sequence[Scalar | None], row_before: Sequence[Scalar]) -> Scalar:
        others = [(k, x) for k, x in zip(self.own, row, strict=True) if x is not None]
        return self.own[self.column] * (
            _weighted_sum(zip(self.before, row_before, strict=True)) - _weighted_sum(others)
        )


def _weighted_sum(terms: Iterable[tuple[Scalar, Scalar]]) -> Scalar:
    """Σ k·x over the k that are there."""
    total: Scalar = 0
    for k, x in terms:
        total = total if is_structural_zero(k) else total + k * x
    return total


def shared_columns(link: Link) -> list[Shared]:
    """The columns a link shares with the one before, where the joint's axis lies along an axis of the link's frame."""
    at = link.after.inverse()
    e = column(at.R, 2)
    along = [k for k in range(3) if all(is_structural_zero(e[j]) for j in range(3) if j != k)]
    if not link.kind.pivots or not along:
        return []
    # the axis as either frame has it, at the point nearest to the origin of the link's own
    height = dot(e, at.p)
    own = Placement(at.R, sub(at.p, scale(height, e)))
    before = Placement(link.before.R, sub(link.before.p, scale(height, column(link.before.R, 2))))
    places = {ACROSS[along[0]][1]: ROD, FIRST + along[0]: PAIR}
    return [
        Shared(place, body_numbers(body.seen_from(own)), body_numbers(body.seen_from(before)))
        for place, body in places.items()
    ]


def regressor_carried(
    chain: Tree, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> list[list[Scalar]]:
    """Y (dof, 14·dof and 10 for every rider)"""
    motion = newton_euler(massless(chain), q, qd, qdd).motion
    blocks: list[Block] = []
    for l, (state, twists) in enumerate(zip(motion, link_twists(chain, q), strict=True)):
        forces = [unit_force(body, state) for body in UNIT_BODIES]
        link, follow = chain.links[l], shared_columns(chain.links[l])
        ahead = {} if link.parent == BASE else blocks[link.parent]
        block = {i: _row(chain.links[i], twists[i], forces, follow, before) for i, before in ahead.items()}
        blocks.append(block | {l: _row(link, twists[l], forces, (), ())})
    whole = [
        {i: with_riders(row, parts) for i, row in block.items()}
        for block, parts in zip(blocks, parts_of(chain), strict=True)
    ]
    return with_motors(chain, whole, qd, qdd)


def with_riders(row: Sequence[Scalar], parts: Sequence[FileBody]) -> list[Scalar]:
    """A link's ten entries, then those of what rides on it: Y_rider = Y_link · (the rider's unit bodies in the link)"""
    units = [body_numbers(body.seen_from(part.at)) for part in parts[1:] for body in UNIT_BODIES]
    return [*row, *(_weighted_sum(zip(unit, row, strict=True)) for unit in units)]


def _row(
    joint: Link, twist: Twist, forces: Sequence[Wrench], follow: Sequence[Shared], before: Sequence[Scalar]
) -> list[Scalar]:
    """What a joint feels of a link's unit bodies; `before` is what it feels of those of the link before."""
    left = {x.column for x in follow}
    known = [None if k in left else joint.along_z(power(twist, force)) for k, force in enumerate(forces)]
    for x in follow:
        known[x.column] = x.entry(known, before)
    return [entry for entry in known if entry is not None]


# Energies as rows times the parameters of `regressor`: kinetic = Y_T(q, q̇) π, potential = Y_U(q) π.
#
# For a link whose frame turns at ω and moves at v, both in its own axes, R and p being the frame's pose in the world,
#
#     T = ½ ω·I ω + v·(ω×s) + ½ m v·v + ½ Ia q̇²        U = −g·(R s + m p)
#
# Source: Gautier, Khalil, "On the identification of the inertial parameters of robots", IEEE Conference on Decision
# and Control (1988).


def kinetic_row(chain: Tree, q: Sequence[Scalar], qd: Sequence[Scalar]) -> list[Scalar]:
    """Y_T, by the columns of `regressor`."""

    def step(parent: Twist, item: tuple[Link, Placement, Scalar]) -> Twist:
        return advance(parent, item).in_frame(item[0].after)

    items = list(zip(chain.links, chain.motions(q), qd, strict=True))
    row: list[Scalar] = []
    moving = chain.outward(step, items, Twist(NULL, NULL))
    for link, twist, parts, rate in zip(chain.links, moving, parts_of(chain), qd):
        motor = [half(rate * rate), *[0] * (len(link.actuator.linear()) - 1)]
        row += [*with_riders(_kinetic(twist), parts), *motor]
    return row


def potential_row(chain: Tree, q: Sequence[Scalar]) -> list[Scalar]:
    """Y_U, by the columns of `regressor`."""
    row: list[Scalar] = []
    for link, at, parts in zip(chain.links, frames(chain, q), parts_of(chain)):
        row += [*with_riders(_potential(at, chain.gravity), parts), *[0] * len(link.actuator.linear())]
    return row


def _kinetic(x: Twist) -> list[Scalar]:
    """By Lxx Lxy Lxz Lyy Lyz Lzz, s and m:  v·(ω×s) = s·(v×ω)"""
    wx, wy, wz = x.w
    tensor = [half(wx * wx), wx * wy, wx * wz, half(wy * wy), wy * wz, half(wz * wz)]
    return [*tensor, *cross(x.v, x.w), half(dot(x.v, x.v))]


def _potential(at: Placement, gravity: Vector) -> list[Scalar]:
    up = neg(gravity)
    return [*([0] * 6), *unrotate(at.R, up), dot(up, at.p)]


ENTRIES = (
    ModelEntry(
        "regressor",
        "torques per inertial parameter",
        ("q", "qd", "qdd"),
        {"Y": ("various", "tau = Y · parameters")},
        {
            "newton-euler": lambda c, x: {"Y": plain.regressor(c, x["q"], x["qd"], x["qdd"])},
            "carried": lambda c, x: {"Y": regressor_carried(c, x["q"], x["qd"], x["qdd"])},
        },
        FRAMES,
        candidates=("newton-euler", "carried"),
        columns=plain.columns,
        trees=("newton-euler", "carried"),
        floating="regressor",
    ),
    ModelEntry(
        "regressor_vjp",
        "the gradient of the regressor's weighted entries by the motion",
        ("q", "qd", "qdd", "cotangent"),
        products.BY_MOTION,
        {
            "dual": products.weighted_slopes(plain.regressor),
            "newton-euler": products.pulled_back(plain.regressor),
            "carried": products.pulled_back(regressor_carried),
        },
        FRAMES,
        candidates=("newton-euler", "carried"),
        columns=plain.columns,
        trees=("dual", "newton-euler", "carried"),
    ),
    ModelEntry(
        "energy_regressor",
        "energies per inertial parameter",
        ("q", "qd"),
        {"kinetic": ("various", "kinetic = Y · parameters"), "potential": ("various", "potential = Y · parameters")},
        {
            "frames": lambda c, x: {
                "kinetic": kinetic_row(c, x["q"], x["qd"]),
                "potential": potential_row(c, x["q"]),
            }
        },
        FRAMES,
        columns=columns,
        trees=("frames",),
    ),
)
