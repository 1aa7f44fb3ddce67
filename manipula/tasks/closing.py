"""A 6R arm as numbers: its frames, their derivatives and Newton's method, over real or complex angles, row by row.

Complex angles matter because a polynomial loses no roots there: a solution is known to be missing when the count of
complex ones falls short. `Arm6R` measures lengths in the arm's own size and places each frame along its axis where
the gaps become shortest, so that nothing depends on how the arm was described.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from manipula.errors import InputError
from manipula.mechanics.robot.chain import Chain
from manipula.mechanics.robot.reduce import frames_on_joints
from manipula.mechanics.spatial.placement import Placement
from manipula.tasks.arrays import Floats

SIZE = 3.0  # the sum of all gaps in the arm's own unit


class Arm6R:
    """first · J₁G₁ J₂G₂ … G₅J₆ · last = pose; `angles` below are the J's, counted as the description has the axes."""

    def __init__(self, chain: Chain) -> None:
        kinds = [link.kind.name for link in chain.links]
        if kinds != ["revolute"] * 6:
            raise InputError(f"the general 6R solver needs six revolute joints, found: {', '.join(kinds) or 'none'}")
        arm = frames_on_joints(chain)
        rows = [matrix(arm.base @ arm.links[0].before), *(matrix(link.before) for link in arm.links[1:])]
        self.offset = np.array([float(link.offset) for link in arm.links])
        self.direction = np.array([link.direction for link in arm.links])
        frames = _slid(np.array([*rows, matrix(arm.tool)]))
        lengths = np.linalg.norm(frames[1:6, :3, 3], axis=1).sum()
        self.unit = float(lengths) / SIZE if lengths > 0 else 1.0
        frames[1:6, :3, 3] /= self.unit
        self.first, self.last, self.gaps = frames[0], frames[6], frames[1:6]
        self.first_back, self.last_back = np.linalg.inv(self.first), np.linalg.inv(self.last)
        self.steps = _steps(np.concatenate([self.gaps, np.eye(4)[None]]))

    def wanted(self, poses: Floats) -> Floats:
        """What J₁G₁ … J₆ must be, (…, 4, 4)."""
        target: Floats = self.first_back @ poses @ self.last_back
        target[..., :3, 3] /= self.unit
        return target

    def positions(self, angles: Floats) -> Floats:
        """Joint positions in (−π, π]."""
        return wrapped((angles - self.offset) * self.direction)

    def angles(self, q: Floats) -> Floats:
        return q * self.direction + self.offset

    def poses(self, angles: Floats) -> Floats:
        """Forward kinematics, (…, 6) → (…, 4, 4), world units."""
        at = self.frames(angles)[5]
        at[..., :3, 3] *= self.unit
        world: Floats = self.first @ at @ self.last
        return world

    def frames(self, angles: Any) -> list[Any]:
        """The frame before each joint but the first, and the last: J₁G₁, J₁G₁J₂G₂, …, J₁G₁ … J₆."""
        waves = np.stack([np.ones_like(angles), np.cos(angles), np.sin(angles)], axis=-1)
        steps = (waves[..., None, :] @ self.steps)[..., 0, :].reshape(*angles.shape, 4, 4)
        at = [steps[..., 0, :, :]]
        for k in range(1, 6):
            at.append(at[-1] @ steps[..., k, :, :])
        return at

    def missing(self, angles: Any, target: Floats) -> tuple[Any, Any]:
        """The twist that is missing (…, 6), and its derivative by the angles (…, 6, 6)."""
        frames = self.frames(angles)
        end = frames[5]
        turn = 0.5 * _cross(end[..., :3, :3], target[..., :3, :3]).sum(-1)
        twist = np.concatenate([target[..., :3, 3] - end[..., :3, 3], turn], axis=-1)
        return twist, self._jacobian(frames)

    def derivative(self, angles: Any) -> Any:
        """The Jacobian in the frame of joint 1, (…, 6, 6)."""
        return self._jacobian(self.frames(angles))

    def _jacobian(self, frames: list[Any]) -> Any:
        end = frames[5][..., :3, 3]
        J = np.empty((*end.shape[:-1], 6, 6), dtype=end.dtype)
        both = np.stack([x[..., :3, 2:] for x in frames[:5]], axis=-1)  # (…, 3, z and p, 5)
        axis, arm = both[..., 0, :], end[..., None] - both[..., 1, :]
        J[..., :3, 1:], J[..., 3:, 1:] = _cross(axis, arm), axis
        J[..., 0, 0], J[..., 1, 0], J[..., 2, 0] = -end[..., 1], end[..., 0], 0
        J[..., 3:, 0] = (0, 0, 1)
        return J

    def newton(self, angles: Any, target: Floats, steps: int, reach: float) -> tuple[Any, Any]:
        """Newton steps no longer than `reach`; (angles, the size of the last full step)."""
        size = np.zeros(angles.shape[:-1])
        for _ in range(steps):
            twist, J = self.missing(angles, target)
            step = solved(J, twist)
            size = np.abs(step).max(-1)
            angles = angles + step * (reach / np.maximum(size, reach))[..., None]
        return angles, size


def solved(J: Any, twist: Any) -> Any:
    """J⁻¹ · twist, row by row; a singular J gives the step of least length."""
    try:
        return np.linalg.solve(J, twist[..., None])[..., 0]
    except np.linalg.LinAlgError:
        return (np.linalg.pinv(J) @ twist[..., None])[..., 0]


def wrapped(angles: Floats) -> Floats:
    """The same angles in (−π, π]."""
    return np.pi - np.mod(np.pi - angles, 2 * np.pi)


def matrix(at: Placement) -> Floats:
    return np.array(at.rows(), dtype=float)


def _slid(frames: Floats) -> Floats:
    """Each joint's frame moved along its axis so that the sum of the squared gaps is least."""
    moves = np.zeros((5, 3, 6))
    for k in range(5):
        moves[k, 2, k] = -1
        moves[k, :, k + 1] = frames[k + 1, :3, 2]
    slides = np.linalg.lstsq(moves.reshape(15, 6), -frames[1:6, :3, 3].reshape(15), rcond=1e-6)[0]
    up = np.tile(np.eye(4), (6, 1, 1))
    up[:, 2, 3] = slides
    frames[:6] = frames[:6] @ up
    up[:, 2, 3] = -slides
    frames[1:] = up @ frames[1:]
    return frames


def _steps(gaps: Floats) -> Floats:
    """(turn by angle) · gap by the factors 1, cos, sin: (6, 3, 16)."""
    flat, side = np.diag([1.0, 1, 0, 0]), np.zeros((4, 4))
    side[0, 1], side[1, 0] = -1, 1
    parts = np.stack([np.diag([0.0, 0, 1, 1]), flat, side])
    return (parts @ gaps[:, None]).reshape(6, 3, 16)


def _cross(a: Any, b: Any) -> Any:
    """Column by column, (…, 3, n)."""
    ax, ay, az = a[..., 0, :], a[..., 1, :], a[..., 2, :]
    bx, by, bz = b[..., 0, :], b[..., 1, :], b[..., 2, :]
    return np.stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], axis=-2)
