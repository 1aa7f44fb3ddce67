"""All complex solutions of a 6R loop by elimination: fourteen equations, one eigenvalue problem.

    J₁G₁ J₂G₂ J₃G₃ J₄G₄ J₅G₅ J₆G₆ = 1        J a turn about z, G a gap between two axes

Axis 6, seen from before joint 3, is the same line by either way round: J₃G₃J₄G₄J₅G₅ holds angles 3, 4, 5 and the way
back holds 1, 2; angle 6 is in neither. With p a point and l the direction of that line, the fourteen quantities p, l,
p·p, p·l, p×l, (p·p)l − 2(p·l)p are of first degree in the sine and cosine of each angle (Raghavan and Roth 1993), and
under a rigid motion they change *linearly*: `lift_motion` is that 15×15 matrix (a 1 goes in front). So the tensors
below are plain products, computed once for an arm; only the gap with the pose in it is put in afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError
from manipula.ik.numeric.arrays import Floats
from manipula.ik.numeric.tolerances import ReadingTolerance
from manipula.mechanics.robot.reduce import frames_on_joints
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.spatial.placement import Placement
from manipula.messages import Message

# A 6R arm as numbers, its frames and their derivatives: what is studied once.
#
# `Arm6R` measures lengths in the arm's own size and places each frame along its axis where the gaps become shortest, so
# that nothing depends on how the arm was described.

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
        # a frame may stand anywhere on its axis: far out, the equations would cancel digits
        frames = _slide_frames(np.array([*rows, matrix(arm.tool)]))
        lengths = np.linalg.norm(frames[1:6, :3, 3], axis=1).sum()
        self.unit = float(lengths) / SIZE if lengths > 0 else 1.0
        frames[1:6, :3, 3] /= self.unit
        self.first, self.last, self.gaps = frames[0], frames[6], frames[1:6]
        self.first_back, self.last_back = backwards(self.first), backwards(self.last)
        self.steps = turning_steps(np.concatenate([self.gaps, np.eye(4)[None]]))

    def positions(self, angles: Floats) -> Floats:
        """Joint positions in (−π, π]."""
        return wrap_angles((angles - self.offset) * self.direction)

    def angles(self, q: Floats) -> Floats:
        turned: Floats = q * self.direction + self.offset
        return turned

    def poses(self, angles: Floats) -> Floats:
        """Forward kinematics, (…, 6) → (…, 4, 4), world units."""
        at = self.frames(angles)[5]
        at[..., :3, 3] *= self.unit
        world: Floats = self.first @ at @ self.last
        return world

    def frames(self, angles: Floats) -> list[Floats]:
        """The frame before each joint but the first, and the last: J₁G₁, J₁G₁J₂G₂, …, J₁G₁ … J₆."""
        waves = np.ones((*angles.shape, 1, 3), dtype=angles.dtype)
        np.cos(angles, out=waves[..., 0, 1])
        np.sin(angles, out=waves[..., 0, 2])
        steps = (waves @ self.steps).reshape(*angles.shape, 4, 4)
        at = [steps[..., 0, :, :]]
        for k in range(1, 6):
            at.append(at[-1] @ steps[..., k, :, :])
        return at

    def derivative(self, angles: Floats) -> Floats:
        """The Jacobian in the frame of joint 1, (…, 6, 6)."""
        return self._jacobian(self.frames(angles))

    def _jacobian(self, frames: list[Floats]) -> Floats:
        end = frames[5][..., :3, 3]
        J = np.empty((*end.shape[:-1], 6, 6), dtype=end.dtype)
        before = np.stack(frames[:5], axis=-1)
        axis, arm = before[..., :3, 2, :], end[..., None] - before[..., :3, 3, :]
        J[..., :3, 1:] = axis[..., AFTER, :] * arm[..., OTHER, :] - axis[..., OTHER, :] * arm[..., AFTER, :]
        J[..., 3:, 1:] = axis
        J[..., 0, 0], J[..., 1, 0], J[..., 2, 0] = -end[..., 1], end[..., 0], 0
        J[..., 3:, 0] = (0, 0, 1)
        return J


def wrap_angles(angles: Floats) -> Floats:
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


def _slide_frames(frames: Floats) -> Floats:
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


HALF = np.array([[1.0, 1, 0], [0, 0, 2], [1, -1, 0]])  # (1, c, s)(1 + x²) in powers of x = tan(angle / 2)
CROSS = np.array([[0, 0, 0, 0, 0, -1, 0, 1, 0], [0, 0, 1, 0, 0, 0, -1, 0, 0], [0, -1, 0, 1, 0, 0, 0, 0, 0.0]])  # t ↦ t×


def lift_motion(T: Floats) -> Floats:
    """What the motion T (…, 4, 4) does to (1, l, p, p·p, p·l, p×l, (p·p)l − 2(p·l)p): (…, 15, 15)."""
    R, t = T[..., :3, :3], T[..., :3, 3]
    crossed = (t @ CROSS).reshape(R.shape) @ R
    square = (t * t).sum(-1)
    back = t[..., None, :] @ R
    D = np.zeros((*T.shape[:-2], 15, 15))
    D[..., 0, 0] = D[..., 7, 7] = D[..., 8, 8] = 1
    D[..., 1:4, 1:4] = D[..., 4:7, 4:7] = D[..., 9:12, 9:12] = D[..., 12:15, 12:15] = R
    D[..., 4:7, 0] = t
    D[..., 7, 0], D[..., 7:8, 4:7] = square, 2 * back
    D[..., 8:9, 1:4] = back
    D[..., 9:12, 1:4] = crossed
    D[..., 12:15, 1:4] = square[..., None, None] * R - 2 * t[..., :, None] * back
    D[..., 12:15, 8] = -2 * t
    D[..., 12:15, 9:12] = -2 * crossed
    return D


def _turn_tensor(sense: int) -> Floats:
    """lifted(turn about z by sense · angle) by the factors 1, cos, sin: (15, 3, 15)."""
    turn = [np.eye(4) for _ in range(3)]
    for T, angle in zip(turn, (0, np.pi / 2, np.pi), strict=True):
        c, s = np.cos(angle), np.sin(angle) * sense
        T[:2, :2] = [[c, -s], [s, c]]
    # of first degree in cosine and sine: three angles determine all coefficients
    at0, at90, at180 = map(lift_motion, turn)
    # cos 0 = −cos 180°: their mean is the part that does not turn
    still = (at0 + at180) / 2
    return np.stack([still, at0 - still, at90 - still], axis=1)


AHEAD, BEHIND = _turn_tensor(1), _turn_tensor(-1)
AXIS = np.zeros(15)
AXIS[[0, 3]] = 1  # the z axis itself: p = 0, l = z


@dataclass(frozen=True)
class Reading:
    """One way to read the loop: from which joint, which way round, and whose angle becomes the eigenvalue.

    `joints[k]` is the arm's joint that is called k + 1 above; `pose_gap` says which gap (6, 1 or 2) holds the pose.
    Angle 3 becomes the eigenvalue; `order` says whether 4 or 5 (as 1, 2) is the one by which equations are multiplied.
    """

    joints: tuple[int, ...]
    sense: int
    pose_gap: int
    order: tuple[int, int, int]

    @property
    def eigenvalue_joint(self) -> int:
        return self.joints[2]


def readings() -> list[Reading]:
    """All readings with the pose on the way back; each joint is the eigenvalue in two of them."""
    orders = ((0, 1, 2), (0, 2, 1))
    every = []
    for sense in (1, -1):
        round_ = list(range(6))[::sense]
        # with the pose among the gaps of the way ahead its tensor would depend on the pose
        for gap, shift in ((6, 0), (1, 5), (2, 4)):
            joints = tuple(round_[(k + shift) % 6] for k in range(6))
            every += [Reading(joints, sense, gap, order) for order in orders]
    return every


class Elimination:
    """The pose-independent part of one reading (in unit lengths); the texts put poses in.

    `gaps` (6, 4, 4) are G₁…G₆ as the reading counts them, the one with the pose ignored. `origin` are the three angles
    from which 3, 4, 5 are counted, so that no root of interest has an infinite half-angle tangent.
    """

    def __init__(self, reading: Reading, gaps: Floats, origin: tuple[float, float, float]) -> None:
        self.reading, self.origin = reading, np.array(origin)
        self.gaps = gaps
        D, back = lift_motion(gaps), lift_motion(backwards(gaps))
        self.left = _tensor_product(AHEAD, D[2], AHEAD, D[3], AHEAD, D[4] @ AXIS)[1:].reshape(14, 27)
        self.before, self.after = self._right_factors(back)
        self.half = self._half_angles()
        self.seen = self._split()

    def _right_factors(self, back: Floats) -> tuple[Floats, Floats]:
        """X, Y of the way back X · lifted(pose gap⁻¹) · Y; their angles together are (2, 1)."""
        match self.reading.pose_gap:
            case 6:
                return _tensor_product(back[1], BEHIND, back[0], BEHIND).reshape(15, 9, 15), AXIS.reshape(15, 1)
            case 1:
                return _tensor_product(back[1], BEHIND), _tensor_product(BEHIND, back[5] @ AXIS).reshape(15, 3)
            case _:
                return np.eye(15).reshape(15, 1, 15), _tensor_product(BEHIND, back[0], BEHIND, back[5] @ AXIS).reshape(
                    15, 9
                )

    def _half_angles(self) -> Floats:
        """`left` in powers of the half-angle tangents, (14, eigenvalue 3, multiplied 3, other 3)."""
        tensor = self.left.reshape(14, 3, 3, 3)
        for axis, angle in enumerate(self.origin):
            c, s = np.cos(angle), np.sin(angle)
            counted = HALF @ np.array([[1, 0, 0], [0, c, s], [0, -s, c]])
            tensor = np.moveaxis(np.tensordot(counted, tensor, (1, axis + 1)), 0, axis + 1)
        return np.ascontiguousarray(tensor.transpose(0, *(1 + axis for axis in self.reading.order)))

    def _split(self) -> Floats:
        """An orthonormal basis of what is left beside the known eigenvectors at ±i.

        At x = ±i the matrix loses rank whatever the pose is: those roots belong to the tangent, not to the arm.
        """
        # powers 1, x, x² at x = i
        at_i = self.half[:, 0] - self.half[:, 2] + 1j * self.half[:, 1]
        _, values, V = np.linalg.svd(_border(at_i))
        # v with M(i) v = 0; (v, i v) is then an eigenvector of the linearised problem
        kernel = V[(values > ReadingTolerance.KERNEL * values[0]).sum() :].conj().T
        pairs = np.concatenate([kernel, 1j * kernel])
        # real and imaginary part: the pair ±i spans a real space, and all stays real
        U, values, _ = np.linalg.svd(np.concatenate([pairs.real, pairs.imag], axis=1))
        known = int((values > ReadingTolerance.SPAN).sum())
        left: Floats = U[:, known:]
        return left


def _border(E: NDArray[np.complex128]) -> NDArray[np.complex128]:
    """(…, m, 3, 3) and its product with the second variable: (…, 2m, 12)."""
    *lead, m, _, _ = E.shape
    M = np.zeros((*lead, 2 * m, 4, 3), dtype=E.dtype)
    M[..., :m, :3, :] = E
    M[..., m:, 1:, :] = E
    return M.reshape(*lead, 2 * m, 12)


def _tensor_product(*factors: Floats) -> Floats:
    """The product of tensors (i, angles…, j), angles kept apart in order."""
    return reduce(lambda a, b: np.tensordot(a, b, (a.ndim - 1, 0)), factors)
