"""States of a robot whose base moves, in the order and the axes of other engines, as `mp.states`.

| engine    | position                          | velocity                                   |
|-----------|-----------------------------------|--------------------------------------------|
| here      | p0, quaternion (scalar first), q  | v0, w0 in base axes, qd                    |
| Pinocchio | p0, quaternion (scalar last), q   | linear, angular in base axes, joints       |
| MuJoCo    | p0, quaternion (scalar first), q  | linear in world axes, angular in base axes |
| Drake     | quaternion (scalar first), p0, q  | angular, linear in world axes, joints      |
| RBDL      | p0, x y z of the quaternion, q, its scalar last | linear in world axes, angular in base axes |

Joints keep their order unless `joints` names them as the engine orders them and `robot` is given: Pinocchio sorts the
branches of a URDF by name. Leading axes broadcast.

>>> import manipula as mp
>>> state = mp.states.from_pinocchio([0, 0, 1, 0, 0, 0, 1, 0.3], [1, 0, 0, 0, 0, 2, 0.5])
>>> state.quaternion, state.w0, state.q
(array([1., 0., 0., 0.]), array([0., 0., 2.]), array([0.3]))
>>> mp.states.to_mujoco(state)[0]
array([0. , 0. , 1. , 1. , 0. , 0. , 0. , 0.3])
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manipula.errors import InputError, UnknownNameError
from manipula.mechanics.models.integrate.flight import rotation_rows
from manipula.robot import RobotLike, as_robot

Array = NDArray[np.float64]
NEAR = 1e-6  # of the length of a quaternion: what is further off is not a rotation
__all__ = [
    "BaseState", "from_drake", "from_mujoco", "from_pinocchio", "from_rbdl", "quaternion", "rotation", "to_drake",
    "to_mujoco", "to_pinocchio", "to_rbdl",
]  # fmt: skip


class BaseState(NamedTuple):
    """The states of `mp.closed_loop(robot, None)`: `loop.start(**state._asdict())`."""

    p0: Array
    quaternion: Array
    v0: Array
    w0: Array
    q: Array
    qd: Array

    @property
    def R0(self) -> Array:
        """(…, 3, 3)"""
        return rotation(self.quaternion)

    @property
    def T0(self) -> Array:
        """(…, 4, 4)"""
        T = np.zeros((*self.p0.shape[:-1], 4, 4))
        T[..., :3, :3], T[..., :3, 3], T[..., 3, 3] = self.R0, self.p0, 1.0
        return T


def rotation(quaternion: ArrayLike) -> Array:
    """The matrix (…, 3, 3) of a quaternion, its scalar first."""
    e = _unit(np.asarray(quaternion, dtype=np.float64))
    rows: Any = rotation_rows(list(np.moveaxis(e, -1, 0)))
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def quaternion(R: ArrayLike) -> Array:
    """The quaternion of a rotation matrix, its scalar first and not negative; the largest entry is computed first."""
    M = np.asarray(R, dtype=np.float64)
    if M.shape[-2:] != (3, 3):
        raise InputError("quaternion: expected a matrix (…, 3, 3), found shape {shape}", str(M.shape))
    xx, yy, zz = M[..., 0, 0], M[..., 1, 1], M[..., 2, 2]
    square = [1 + xx + yy + zz, 1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz]  # 4 e_i²
    wx, wy, wz = (M[..., i, j] - M[..., j, i] for i, j in ((2, 1), (0, 2), (1, 0)))  # 4 e_0 e_i
    xy, xz, yz = (M[..., i, j] + M[..., j, i] for i, j in ((0, 1), (0, 2), (1, 2)))  # 4 e_i e_j
    table = [[square[0], wx, wy, wz], [wx, square[1], xy, xz], [wy, xy, square[2], yz], [wz, xz, yz, square[3]]]
    rows = np.stack([np.stack(row, -1) for row in table], -2)  # row i is 4 e_i e
    best = np.argmax(np.stack(square, -1), -1)
    e = np.take_along_axis(rows, best[..., None, None], -2)[..., 0, :]
    e = e / np.linalg.norm(e, axis=-1, keepdims=True)
    return np.asarray(np.where(e[..., :1] < 0, -e, e))


def from_pinocchio(q: ArrayLike, v: ArrayLike, *, joints: object = None, robot: RobotLike | None = None) -> BaseState:
    """Of a free-flyer."""
    x, u = _arrays("from_pinocchio", q, v)
    e = x[..., [6, 3, 4, 5]]
    return _state(x[..., :3], e, u[..., :3], u[..., 3:6], x[..., 7:], u[..., 6:], joints, robot)


def to_pinocchio(state: BaseState, *, joints: object = None, robot: RobotLike | None = None) -> tuple[Array, Array]:
    q, qd = _sorted(state, joints, robot)
    return _join(state.p0, state.quaternion[..., [1, 2, 3, 0]], q), _join(state.v0, state.w0, qd)


def from_mujoco(
    qpos: ArrayLike, qvel: ArrayLike, *, joints: object = None, robot: RobotLike | None = None
) -> BaseState:
    """Of a free joint."""
    x, u = _arrays("from_mujoco", qpos, qvel)
    e = _unit(x[..., 3:7])
    return _state(x[..., :3], e, _back(e, u[..., :3]), u[..., 3:6], x[..., 7:], u[..., 6:], joints, robot)


def to_mujoco(state: BaseState, *, joints: object = None, robot: RobotLike | None = None) -> tuple[Array, Array]:
    q, qd = _sorted(state, joints, robot)
    return _join(state.p0, state.quaternion, q), _join(_out(state.quaternion, state.v0), state.w0, qd)


def from_drake(q: ArrayLike, v: ArrayLike, *, joints: object = None, robot: RobotLike | None = None) -> BaseState:
    """Of a floating base with a quaternion."""
    x, u = _arrays("from_drake", q, v)
    e = _unit(x[..., :4])
    moved = _back(e, u[..., 3:6]), _back(e, u[..., :3])
    return _state(x[..., 4:7], e, *moved, x[..., 7:], u[..., 6:], joints, robot)


def to_drake(state: BaseState, *, joints: object = None, robot: RobotLike | None = None) -> tuple[Array, Array]:
    q, qd = _sorted(state, joints, robot)
    e = state.quaternion
    return _join(e, state.p0, q), _join(_out(e, state.w0), _out(e, state.v0), qd)


def from_rbdl(q: ArrayLike, qd: ArrayLike, *, joints: object = None, robot: RobotLike | None = None) -> BaseState:
    """Of a floating base with a spherical joint."""
    x, u = _arrays("from_rbdl", q, qd)
    e = _unit(np.concatenate([x[..., -1:], x[..., 3:6]], -1))
    return _state(x[..., :3], e, _back(e, u[..., :3]), u[..., 3:6], x[..., 6:-1], u[..., 6:], joints, robot)


def to_rbdl(state: BaseState, *, joints: object = None, robot: RobotLike | None = None) -> tuple[Array, Array]:
    q, qd = _sorted(state, joints, robot)
    e = state.quaternion
    return _join(state.p0, e[..., 1:], q, e[..., :1]), _join(_out(e, state.v0), state.w0, qd)


def _arrays(what: str, q: ArrayLike, v: ArrayLike) -> tuple[Array, Array]:
    x, u = np.asarray(q, dtype=np.float64), np.asarray(v, dtype=np.float64)
    if x.ndim == 0 or u.ndim == 0 or x.shape[-1] < 7 or x.shape[-1] != u.shape[-1] + 1:
        raise InputError(
            "{what}: expected positions (…, 7 + n) and velocities (…, 6 + n), found shapes {shape} and {shape2}",
            what,
            str(x.shape),
            str(u.shape),
        )
    return x, u


def _unit(e: Array) -> Array:
    """Of length 1; what is too far from that is no quaternion of an orientation."""
    if e.shape[-1:] != (4,):
        raise InputError("quaternion: expected four entries, found shape {shape}", str(e.shape))
    length = np.linalg.norm(e, axis=-1, keepdims=True)
    if not np.all(np.abs(length - 1) <= NEAR):
        worst = length.ravel()[np.argmax(np.abs(length.ravel() - 1))] if length.size else 0.0
        raise InputError("quaternion: its length is {length:.6g}, expected 1", float(worst))
    return np.asarray(e / length)


def _back(e: Array, v: Array) -> Array:
    """From world axes to the base's."""
    return np.asarray(np.einsum("...ji,...j->...i", rotation(e), v))


def _out(e: Array, v: Array) -> Array:
    """From the base's axes to the world's."""
    return np.asarray(np.einsum("...ij,...j->...i", rotation(e), v))


def _state(
    p0: Array, e: Array, v0: Array, w0: Array, q: Array, qd: Array, joints: Any, robot: RobotLike | None
) -> BaseState:
    order = _order(joints, robot, q.shape[-1])
    return BaseState(p0, _unit(e), v0, w0, q[..., order], qd[..., order])


def _sorted(state: BaseState, joints: Any, robot: RobotLike | None) -> tuple[Array, Array]:
    back = np.argsort(_order(joints, robot, state.q.shape[-1]))
    return state.q[..., back], state.qd[..., back]


def _order(joints: Sequence[str] | None, robot: RobotLike | None, count: int) -> list[int]:
    """Of every joint of the robot its place in the engine's list."""
    if joints is None or robot is None:
        if joints is not None or robot is not None:
            raise InputError("joints and robot are given together: the engine's order, and whose joints they are")
        return list(range(count))
    listed, own = list(joints), as_robot(robot).joint_names
    for name in own:
        if name not in listed:
            raise UnknownNameError("joint of the engine", name, listed)
    if len(listed) != count:
        raise InputError("joints: {count} names for {count2} positions", len(listed), count)
    return [listed.index(name) for name in own]


def _join(*parts: Array) -> Array:
    lead = np.broadcast_shapes(*(part.shape[:-1] for part in parts))
    return np.concatenate([np.broadcast_to(part, (*lead, part.shape[-1])) for part in parts], -1)
