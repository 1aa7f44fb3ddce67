"""Energies as rows times the parameters of `regressor`: kinetic = Y_T(q, q̇) π, potential = Y_U(q) π.

For a link whose frame turns at ω and moves at v, both in its own axes, R and p being the frame's pose in the world,

    T = ½ ω·I ω + v·(ω×s) + ½ m v·v + ½ Ia q̇²        U = −g·(R s + m p)

Source: Gautier, Khalil, "On the identification of the inertial parameters of robots", IEEE Conference on Decision and
Control (1988).
"""

from __future__ import annotations

from collections.abc import Sequence

from manipula.mechanics.models.dynamics.energy import advance
from manipula.mechanics.models.entry import FRAMES, ModelEntry
from manipula.mechanics.models.kinematics.pose import frames
from manipula.mechanics.models.linear.regressor import columns, parts_of
from manipula.mechanics.models.linear.regressor_carried import with_riders
from manipula.mechanics.robot.tree import Link, Tree
from manipula.mechanics.spatial.inertia import Twist, half
from manipula.mechanics.spatial.placement import Placement
from manipula.mechanics.spatial.vector import NULL, Vector, cross, dot, neg, unrotate
from manipula.scalar import Scalar


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
        "energy_regressor", "energies per inertial parameter", ("q", "qd"),
        {"kinetic": ("various", "kinetic = Y · parameters"), "potential": ("various", "potential = Y · parameters")},
        {
            "frames": lambda c, x: {
                "kinetic": kinetic_row(c, x["q"], x["qd"]),
                "potential": potential_row(c, x["q"]),
            }
        },
        FRAMES, columns=columns, trees=("frames",),
    ),
)  # fmt: skip
