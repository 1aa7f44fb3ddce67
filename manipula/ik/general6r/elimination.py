"""All complex solutions of a 6R loop by elimination: fourteen equations, one eigenvalue problem.

    J₁G₁ J₂G₂ J₃G₃ J₄G₄ J₅G₅ J₆G₆ = 1        J a turn about z, G a gap between two axes

Axis 6, seen from before joint 3, is the same line by either way round: J₃G₃J₄G₄J₅G₅ holds angles 3, 4, 5 and the way
back holds 1, 2; angle 6 is in neither. With p a point and l the direction of that line, the fourteen quantities p, l,
p·p, p·l, p×l, (p·p)l − 2(p·l)p are of first degree in the sine and cosine of each angle (Raghavan and Roth 1993), and
under a rigid motion they change *linearly*: `lifted` is that 15×15 matrix (a 1 goes in front). So the tensors below are
plain products, computed once for an arm; only the gap with the pose in it is put in afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manipula.ik.general6r.closing import backwards, turning_steps
from manipula.ik.numeric.arrays import Floats

Complex = NDArray[np.complex128]

HALF = np.array([[1.0, 1, 0], [0, 0, 2], [1, -1, 0]])  # (1, c, s)(1 + x²) in powers of x = tan(angle / 2)
CROSS = np.array([[0, 0, 0, 0, 0, -1, 0, 1, 0], [0, 0, 1, 0, 0, 0, -1, 0, 0], [0, -1, 0, 1, 0, 0, 0, 0, 0.0]])  # t ↦ t×
PLAIN = [0, 1, 2, 5]  # c1, s1, c2, s2 among c1 s1 c2 c2c1 c2s1 s2 s2c1 s2s1
KERNEL = 1e-9  # singular values below this, of the largest, count as zero


def lifted(T: Floats) -> Floats:
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
    at0, at90, at180 = map(lifted, turn)
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
    found = []
    for sense in (1, -1):
        round_ = list(range(6))[::sense]
        for gap, shift in ((6, 0), (1, 5), (2, 4)):
            joints = tuple(round_[(k + shift) % 6] for k in range(6))
            found += [Reading(joints, sense, gap, order) for order in orders]
    return found


class Elimination:
    """The pose-independent part of one reading, ready to solve poses (in unit lengths).

    `gaps` (6, 4, 4) are G₁…G₆ as the reading counts them, the one with the pose ignored. `origin` are the three angles
    from which 3, 4, 5 are counted, so that no root of interest has an infinite half-angle tangent.
    """

    def __init__(self, reading: Reading, gaps: Floats, origin: tuple[float, float, float]) -> None:
        self.reading, self.origin = reading, np.array(origin)
        self.gaps = gaps
        D, back = lifted(gaps), lifted(backwards(gaps))
        self.left = _joined(AHEAD, D[2], AHEAD, D[3], AHEAD, D[4] @ AXIS)[1:].reshape(14, 27)
        self.before, self.after = self._right_factors(back)
        self.half = self._half_angles()
        self.hidden, self.seen = self._split()
        known, above = self.hidden[:12], self.hidden[12:]
        self.square = known.T @ above - above.T @ known  # v ↦ xv on the known vectors: its square is −1
        self.start = np.exp(1j * self.origin)
        still = gaps[:5].copy()
        if reading.pose_gap < 6:
            still[reading.pose_gap - 1] = np.eye(4)
        self.steps = turning_steps(still).reshape(5, 3, 4, 4)[..., :3, :3].reshape(5, 3, 9)

    def _right_factors(self, back: Floats) -> tuple[Floats, Floats]:
        """X, Y of the way back X · lifted(pose gap⁻¹) · Y; their angles together are (2, 1)."""
        match self.reading.pose_gap:
            case 6:
                return _joined(back[1], BEHIND, back[0], BEHIND).reshape(15, 9, 15), AXIS.reshape(15, 1)
            case 1:
                return _joined(back[1], BEHIND), _joined(BEHIND, back[5] @ AXIS).reshape(15, 3)
            case _:
                return np.eye(15).reshape(15, 1, 15), _joined(BEHIND, back[0], BEHIND, back[5] @ AXIS).reshape(15, 9)

    def _half_angles(self) -> Floats:
        """`left` in powers of the half-angle tangents, (14, eigenvalue 3, multiplied 3, other 3)."""
        tensor = self.left.reshape(14, 3, 3, 3)
        for axis, angle in enumerate(self.origin):
            c, s = np.cos(angle), np.sin(angle)
            counted = HALF @ np.array([[1, 0, 0], [0, c, s], [0, -s, c]])
            tensor = np.moveaxis(np.tensordot(counted, tensor, (1, axis + 1)), 0, axis + 1)
        return np.ascontiguousarray(tensor.transpose(0, *(1 + axis for axis in self.reading.order)))

    def _split(self) -> tuple[Floats, Floats]:
        """Orthonormal bases of the known eigenvectors at ±i and of what is left.

        At x = ±i the matrix loses rank whatever the pose is: those roots belong to the tangent, not to the arm.
        """
        at_i = self.half[:, 0] - self.half[:, 2] + 1j * self.half[:, 1]
        _, values, V = np.linalg.svd(_bordered(at_i))
        kernel = V[(values > KERNEL * values[0]).sum() :].conj().T
        pairs = np.concatenate([kernel, 1j * kernel])
        U, values, _ = np.linalg.svd(np.concatenate([pairs.real, pairs.imag], axis=1))
        known = int((values > 1e-6).sum())
        return U[:, :known], U[:, known:]

    def solve(self, back: Floats) -> tuple[Complex, Complex]:
        """Inverses of the gap with the pose (B, 4, 4) → complex angles of each root (B, r, 6), eigenvalues (B, r)."""
        right = (self.before.reshape(-1, 15) @ lifted(back)) @ self.after
        right = right.reshape(len(back), 15, 9)[:, 1:]
        basis, R = np.linalg.qr(right[:, :, 1:], mode="complete")
        basis = basis.swapaxes(1, 2)
        shift = basis @ right[:, :, :1]
        E = (basis[:, 8:] @ self.half.reshape(14, 27)).reshape(-1, 6, 3, 3, 3)
        E[:, :, ::2, ::2, ::2] -= shift[:, 8:, :, None, None]
        with np.errstate(all="ignore"):  # of the roots at infinity
            x, vectors = self._eigen(E)
            z = self._turns(x, vectors)
            return self._completed(z, basis[:, :8], R[:, :8], shift[:, :8], back), x

    def _eigen(self, E: Floats) -> tuple[Complex, Complex]:
        """Tangents (B, r) and null vectors (B, 12, r) of M₀ + M₁x + M₂x²."""
        M = _bordered(E.transpose(2, 0, 1, 3, 4))
        top = self.seen[12:]
        low = np.linalg.solve(-M[2], M[0] @ self.seen[:12] + M[1] @ top)
        whole = self.seen[:12].T @ top + self.seen[12:].T @ low
        x, y = np.linalg.eig(whole)
        x = x.astype(complex)
        known = (self.hidden[:12].T @ top + self.hidden[12:].T @ low) @ y
        missing = (x[:, None] * known + self.square @ known) / (x[:, None] ** 2 + 1)
        return x, self.seen[:12] @ y + self.hidden[:12] @ missing

    def _turns(self, x: Complex, vectors: Complex) -> Complex:
        """exp(i angle) of joints 3, 4, 5: (B, r, 3)."""
        v = vectors.swapaxes(1, 2).reshape(*x.shape, 4, 3)
        tangents = np.empty((*x.shape, 3), dtype=complex)
        _, by_hand, other = self.reading.order
        tangents[..., 0] = x
        tangents[..., by_hand] = _ratio(v[..., 1:, :], v[..., :-1, :])
        tangents[..., other] = _ratio(v[..., 1:], v[..., :-1])
        tangents *= 1j
        turns: Complex = (self.start + tangents * self.start) / (1 - tangents)
        return turns

    def _completed(self, z: Complex, basis: Floats, R: Floats, shift: Floats, back: Floats) -> Complex:
        """From angles 3, 4, 5: 1 and 2 from the fourteen equations, 6 from the closed loop."""
        waves = np.ones((*z.shape[:2], 5, 3), dtype=complex)
        inverse = 1 / z
        waves[..., 2:, 1], waves[..., 2:, 2] = (z + inverse) / 2, (z - inverse) / 2j
        powers = waves[..., 2, :, None, None] * waves[..., 3, None, :, None] * waves[..., 4, None, None, :]
        back_to = np.linalg.inv(R)[:, PLAIN]
        plain = powers.reshape(*z.shape[:2], 27) @ (back_to @ (basis @ self.left)).swapaxes(1, 2)
        waves[..., :2, 1:] = (plain - (back_to @ shift).swapaxes(1, 2)).reshape(*z.shape[:2], 2, 2)
        turns = np.empty((*z.shape[:2], 6), dtype=complex)
        turns[..., :5] = waves[..., 1] + 1j * waves[..., 2]
        row = self._first_row(waves, back)
        turns[..., 5] = row[..., 0, 0] + 1j * row[..., 0, 1]
        angles: Complex = -1j * np.log(turns)
        return angles

    def _first_row(self, waves: Complex, back: Floats) -> Complex:
        """The first row of G₆ J₁G₁ … J₅G₅ = J₆⁻¹: the cosine and sine of angle 6."""
        steps = (waves[..., None, :] @ self.steps).reshape(*waves.shape[:-1], 3, 3)
        pose = back[:, None, :3, :3].swapaxes(-1, -2)
        gap = self.reading.pose_gap
        row: Any = pose[..., :1, :] if gap == 6 else self.gaps[5, :1, :3]
        for k in range(5):
            row = row @ steps[..., k, :, :]
            if gap == k + 1:
                row = row @ pose
        return row  # type: ignore[no-any-return]


def _ratio(up: Complex, down: Complex) -> Complex:
    """The number nearest to up / down."""
    against = down.conj()
    ratio: Complex = (up * against).sum((-1, -2)) / (down * against).sum((-1, -2))
    return ratio


def _bordered(E: Any) -> Any:
    """(…, m, 3, 3) and its product with the second variable: (…, 2m, 12)."""
    *lead, m, _, _ = E.shape
    M = np.zeros((*lead, 2 * m, 4, 3), dtype=E.dtype)
    M[..., :m, :3, :] = E
    M[..., m:, 1:, :] = E
    return M.reshape(*lead, 2 * m, 12)


def _joined(*factors: Floats) -> Floats:
    """The product of tensors (i, angles…, j), angles kept apart in order."""
    return reduce(lambda a, b: np.tensordot(a, b, (a.ndim - 1, 0)), factors)
