"""A 6R arm as numbers, its frames and their derivatives: what is studied once.

`Arm6R` measures lengths in the arm's own size and places each frame along its axis where the gaps become shortest, so
that nothing depends on how the arm was described.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from manipula.errors import InputError
from manipula.ik.numeric.arrays import Floats
from manipula.ik.numeric.tolerances import ReadingTolerance
from manipula.mechanics.robot.reduce.chains import frames_on_joints
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.spatial.placement import Placement
from manipula.messages import Message

SIZE = 3.0  # the sum of all gaps in the arm's own unit
AFTER, OTHER = [1, 2, 0], [2, 0, 1]


class Arm6R:
    """first · J₁G₁ J₂G₂ … G₅J₆ · last = pose; `angles` below are the J's, counted as the description has the axes."""

    def __init__(self, chain: Tree) -> None:
        kinds = [link.kind.name for link in chain.links]
        if kinds != ["revolute"] * 6:
            raise InputError(
                "the general 6R solver needs six revolute joints, found: {kinds}", ", ".join(kinds) or Message("none")
            )
        arm = frames_on_joints(chain)
        rows = [matrix(arm.base @ arm.links[0].before), *(matrix(link.before) for link in arm.links[1:])]
        self.offset = np.array([float(link.offset) for link in arm.links])
        self.direction = np.array([link.direction for link in arm.links])
        frames = _slid(np.array([*rows, matrix(arm.tool)]))
        lengths = np.linalg.norm(frames[1:6, :3, 3], axis=1).sum()
        self.unit = float(lengths) / SIZE if lengths > 0 else 1.0
        frames[1:6, :3, 3] /= self.unit
        self.first, self.last, self.gaps = frames[0], frames[6], frames[1:6]
        self.first_back, self.last_back = backwards(self.first), backwards(self.last)
        self.steps = turning_steps(np.concatenate([self.gaps, np.eye(4)[None]]))

    def positions(self, angles: Floats) -> Floats:
        """Joint positions in (−π, π]."""
        return wrapped((angles - self.offset) * self.direction)

    def angles(self, q: Floats) -> Floats:
        turned: Floats = q * self.direction + self.offset
        return turned

    def poses(self, angles: Floats) -> Floats:
        """Forward kinematics, (…, 6) → (…, 4, 4), world units."""
        at = self.frames(angles)[5]
        at[..., :3, 3] *= self.unit
        world: Floats = self.first @ at @ self.last
        return world

    def frames(self, angles: Any) -> list[Any]:
        """The frame before each joint but the first, and the last: J₁G₁, J₁G₁J₂G₂, …, J₁G₁ … J₆."""
        waves = np.ones((*angles.shape, 1, 3), dtype=angles.dtype)
        np.cos(angles, out=waves[..., 0, 1])
        np.sin(angles, out=waves[..., 0, 2])
        steps = (waves @ self.steps).reshape(*angles.shape, 4, 4)
        at = [steps[..., 0, :, :]]
        for k in range(1, 6):
            at.append(at[-1] @ steps[..., k, :, :])
        return at

    def derivative(self, angles: Any) -> Any:
        """The Jacobian in the frame of joint 1, (…, 6, 6)."""
        return self._jacobian(self.frames(angles))

    def _jacobian(self, frames: list[Any]) -> Any:
        end = frames[5][..., :3, 3]
        J = np.empty((*end.shape[:-1], 6, 6), dtype=end.dtype)
        before = np.stack(frames[:5], axis=-1)
        axis, arm = before[..., :3, 2, :], end[..., None] - before[..., :3, 3, :]
        J[..., :3, 1:] = axis[..., AFTER, :] * arm[..., OTHER, :] - axis[..., OTHER, :] * arm[..., AFTER, :]
        J[..., 3:, 1:] = axis
        J[..., 0, 0], J[..., 1, 0], J[..., 2, 0] = -end[..., 1], end[..., 0], 0
        J[..., 3:, 0] = (0, 0, 1)
        return J


def wrapped(angles: Floats) -> Floats:
    """The same angles in (−π, π]."""
    return np.pi - np.mod(np.pi - angles, 2 * np.pi)


def matrix(at: Placement) -> Floats:
    return np.array(at.rows(), dtype=float)


def backwards(T: Floats) -> Floats:
    """The inverse of motions (…, 4, 4)."""
    back = np.zeros_like(T)
    R = T[..., :3, :3].swapaxes(-1, -2)
    back[..., :3, :3], back[..., :3, 3], back[..., 3, 3] = R, -(R @ T[..., :3, 3:])[..., 0], 1
    return back


def _slid(frames: Floats) -> Floats:
    """Each joint's frame moved along its axis so that the sum of the squared gaps is least."""
    moves = np.zeros((5, 3, 6))
    for k in range(5):
        moves[k, 2, k] = -1
        moves[k, :, k + 1] = frames[k + 1, :3, 2]
    slides = np.linalg.lstsq(moves.reshape(15, 6), -frames[1:6, :3, 3].reshape(15), rcond=ReadingTolerance.SLIDES)[0]
    up = np.tile(np.eye(4), (6, 1, 1))
    up[:, 2, 3] = slides
    frames[:6] = frames[:6] @ up
    up[:, 2, 3] = -slides
    frames[1:] = up @ frames[1:]
    return frames


def turning_steps(gaps: Floats) -> Floats:
    """(turn by angle) · gap by the factors 1, cos, sin: (n, 3, 16)."""
    flat, side = np.diag([1.0, 1, 0, 0]), np.zeros((4, 4))
    side[0, 1], side[1, 0] = -1, 1
    parts = np.stack([np.diag([0.0, 0, 1, 1]), flat, side])
    return (parts @ gaps[:, None]).reshape(-1, 3, 16)
