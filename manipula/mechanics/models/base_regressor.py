"""The regressor of the base parameters on the acceleration field: few operations, no column left to combine on line.

A unit of a second or first moment needs the wrench (F, N) that is a column of U = [ω̇]× + [ω]×[ω]× or two of its
entries; joint i feels of it  ω_i·N + v_i·F,  (ω_i, v_i) being the unit motion of joint i at the link's frame.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from manipula.mechanics.models.acceleration_field import STRAIGHT, Choice, Row, Spin, hang, own_lever, unturned
from manipula.mechanics.models.base_parameters import Slot, actuator_column, candidate_slots
from manipula.mechanics.models.bodies import Twist, link_twists
from manipula.mechanics.models.regressor import MOTOR_NAMES
from manipula.mechanics.robot.chain import Chain, Link, outward
from manipula.mechanics.robot.reduce import frames_on_joints, massless
from manipula.mechanics.spatial.vector import NULL, Matrix, Vector, dot, neg, unrotate

Felt = Callable[[Matrix, Vector, Twist], Any]  # (U, V, unit motion of a joint) → its torque


def _moment_felt(N: Callable[[Matrix], Vector]) -> Felt:
    return lambda U, V, twist: dot(twist.w, N(U))


def _first_x(U: Matrix, V: Vector, twist: Twist) -> Any:
    """v·U x + ω·(x×V)"""
    (_, wy, wz), v = twist.w, twist.v
    return dot(v, (U[0][0], U[1][0], U[2][0])) + (wz * V[1] - wy * V[2])


def _first_y(U: Matrix, V: Vector, twist: Twist) -> Any:
    """v·U y + ω·(y×V)"""
    (wx, _, wz), v = twist.w, twist.v
    return dot(v, (U[0][1], U[1][1], U[2][1])) + (wx * V[2] - wz * V[0])


def _first_z(U: Matrix, V: Vector, twist: Twist) -> Any:
    """v·U z + ω·(z×V)"""
    (wx, wy, _), v = twist.w, twist.v
    return dot(v, (U[0][2], U[1][2], U[2][2])) + (wy * V[0] - wx * V[1])


def _mass(U: Matrix, V: Vector, twist: Twist) -> Any:
    return dot(twist.v, V)


# N = vee(UK − (UK)ᵀ) for each unit second moment
FELT: dict[str, Felt] = {
    "Kxx": _moment_felt(lambda U: (0, -U[2][0], U[1][0])),
    "Kyy": _moment_felt(lambda U: (U[2][1], 0, -U[0][1])),
    "Kxy": _moment_felt(lambda U: (U[2][0], -U[2][1], U[1][1] - U[0][0])),
    "Kxz": _moment_felt(lambda U: (-U[1][0], U[0][0] - U[2][2], U[1][2])),
    "Kyz": _moment_felt(lambda U: (U[2][2] - U[1][1], U[0][1], -U[0][2])),
    "mx": _first_x,
    "my": _first_y,
    "mz": _first_z,
    "m": _mass,
}


def base_regressor(chain: Chain, q: Sequence[Any], qd: Sequence[Any], qdd: Sequence[Any]) -> list[list[Any]]:
    """Y (dof, candidates): the same entries as `base_parameters.reduced_regressor`."""
    moved = frames_on_joints(chain)
    fields = [_own(row) for row in motion_rows(moved, q, qd, qdd)]
    twists = link_twists(moved, q)

    def entry(i: int, slot: Slot) -> Any:
        if slot.kind in MOTOR_NAMES:
            return actuator_column(chain, slot, qd, qdd) if slot.link == i else 0
        if slot.link < i:
            return 0
        return chain.links[i].signed(FELT[slot.kind](*fields[slot.link], twists[slot.link][i]))

    slots = candidate_slots(chain)
    return [[entry(i, slot) for slot in slots] for i in range(chain.dof)]


def motion_rows(chain: Chain, q: Sequence[Any], qd: Sequence[Any], qdd: Sequence[Any]) -> list[Row]:
    """How every link of a chain moves; its bodies do not matter."""
    empty = massless(chain)
    rates = (map(Link.signed, empty.links, rates) for rates in (q, qd, qdd))
    start = Row(None, 0, STRAIGHT, 0, Spin(), unrotate(chain.base.R, neg(chain.gravity)), (NULL, NULL), own_lever, 0)

    def step(parent: Row, item: tuple[Link, Any, Any, Any]) -> Row:
        return hang(parent, *item, Choice(), 0, chain.maths)

    return outward(step, list(zip(empty.links, *rates, strict=True)), start)


def _own(row: Row) -> tuple[Matrix, Vector]:
    """U, and the acceleration V of the frame's origin, in the link's own axes."""
    return row.own_spin().field(), unturned(row.turn, row.V)
