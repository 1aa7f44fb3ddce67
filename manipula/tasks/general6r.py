"""All solutions of a 6R arm without a closed form: eliminate, take eigenvalues, polish, and count.

The arm is studied once: every reading of the loop (`elimination.readings`) is tried on sample poses, the most accurate
ones are kept in order, and the number of complex solutions an arm of this kind has (at most 16) is learnt from them.
A pose is solved with the first; when fewer complex solutions come out than the arm has, the twins of near-double
roots are looked for, then the next readings are asked, and the answers joined. `info.complete` says whether the count
was reached: then no real solution can be missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from manipula.errors import InputError
from manipula.mechanics.robot.chain import Chain
from manipula.tasks.arrays import Bits, Floats
from manipula.tasks.closing import Arm6R
from manipula.tasks.elimination import Elimination, Reading, readings
from manipula.tasks.poses import checked_poses, poses_from_value
from manipula.tasks.roots import NONE, Complex, Index, Roots, settled, settled_one, twins

ORIGINS = ((0.3, -0.7, 1.1), (1.9, 2.3, -1.4))  # angles from which half-angle tangents are counted
BENT = (0.0, 1e-4, 1e-2)  # an arm too regular for every reading is solved as one that is a little off
BOUND = 16
SAMPLES = 12
KEPT = 4  # readings that may be asked, best first
EXACT = 1e-10  # largest |FK − pose| of an answer, for an arm of 1 m
DOUBLE = 1e-3  # rad; roots closer than this are flagged


@dataclass(frozen=True)
class Info:
    """How an answer was found: distinct complex roots (a double one counts twice) against those the arm has."""

    roots: int
    bound: int
    double: Bits
    readings: tuple[Reading, ...]

    @property
    def complete(self) -> bool:
        return self.roots == self.bound


class GeneralAnswer(NamedTuple):
    """Every real solution (k, 6) in (−π, π], the largest entry of |FK − pose| of each, and the account."""

    q: Floats
    residual: Floats
    info: Info


class General6R:
    """The solver of one arm over floats with six revolute joints, fixed ones merged."""

    def __init__(self, chain: Chain) -> None:
        self.arm = Arm6R(chain)
        self.exact = EXACT * max(1.0, self.arm.unit)
        self.eliminations, self.bound = self._study()

    def solve(self, pose: ArrayLike) -> GeneralAnswer:
        """All solutions of a pose (4, 4)."""
        T = poses_from_value(pose)
        if T.ndim != 2:
            raise InputError(f"pose: expected one 4×4 matrix, found an array of shape {T.shape}; see solve_many")
        return self.solve_many(T[None])[0]

    def solve_many(self, poses: ArrayLike) -> list[GeneralAnswer]:
        """The same for poses (B, 4, 4); cheaper by the pose."""
        T = checked_poses(poses_from_value(poses))
        target = self.arm.wanted(T)
        found = self._roots(self.eliminations[0], target)
        return [self._answer(*one) for one in zip(T, target, found, strict=True)]

    def _answer(self, pose: Floats, target: Floats, roots: Roots) -> GeneralAnswer:
        used = [self.eliminations[0].reading]
        if roots.count < self.bound:
            roots = roots.joined(self._twins(roots, target))
        for elimination in self.eliminations[1:]:
            if roots.count >= self.bound:
                break
            used.append(elimination.reading)
            roots = roots.joined(self._roots(elimination, target[None])[0])
        return self._told(pose, roots, tuple(used))

    def _twins(self, roots: Roots, target: Floats) -> Roots:
        """What lies beside the roots where the arm is nearly singular."""
        there, apart = twins(self.arm, roots.real, self.arm.derivative(roots.real))
        return settled_one(self.arm, there[np.isfinite(apart)], target)

    def _told(self, pose: Floats, roots: Roots, used: tuple[Reading, ...]) -> GeneralAnswer:
        residual = np.abs(self.arm.poses(roots.real) - pose).max((-1, -2), initial=0.0)
        good = residual <= self.exact
        q = self.arm.positions(roots.real[good])
        order = np.lexsort(q.T[::-1])
        info = Info(roots.count, self.bound, (roots.apart[good] < DOUBLE)[order], used)
        return GeneralAnswer(q[order], residual[good][order], info)

    def _roots(self, elimination: Elimination, target: Floats) -> list[Roots]:
        """The roots one reading finds for each target."""
        starts, owner = self._starts(elimination, target)
        return settled(self.arm, starts, target[owner], owner, len(target))

    def _starts(self, elimination: Elimination, target: Floats) -> tuple[Complex, Index]:
        """Rough roots, of a pair only one, and the target each belongs to."""
        reading = elimination.reading
        try:
            angles, eigenvalue = elimination.solve(np.linalg.inv(target) if reading.sense == 1 else target)
        except np.linalg.LinAlgError:
            return NONE.pairs, np.empty(0, dtype=np.intp)
        usable = np.isfinite(angles).all(-1) & (eigenvalue.imag >= 0)
        found = np.where(eigenvalue[usable, None].imag == 0, angles[usable].real, angles[usable])
        starts = np.empty_like(found)
        starts[:, reading.joints] = found * reading.sense
        return starts, np.nonzero(usable)[0]

    # the study of an arm

    def _study(self) -> tuple[list[Elimination], int]:
        """The readings worth asking, best first, and how many complex solutions poses of this arm have."""
        rng = np.random.default_rng(61)
        angles = rng.uniform(-np.pi, np.pi, (SAMPLES, 6))
        target = self.arm.frames(angles)[5]
        best: list[tuple[float, float, Elimination]] = []
        for bend in BENT:
            best += [self._score(elimination, target) for elimination in self._eliminations(bend, rng)]
            best.sort(key=lambda score: score[:2])
            if -best[0][0] >= BOUND:
                break
        return [elimination for _, _, elimination in best[:KEPT]], int(-best[0][0])

    def _eliminations(self, bend: float, rng: np.random.Generator) -> Iterator[Elimination]:
        gaps = np.concatenate([self.arm.gaps, np.eye(4)[None]])
        gaps[:5] = gaps[:5] @ _small_motions(rng.uniform(-bend, bend, (5, 6)))
        back = np.linalg.inv(gaps)
        for reading in readings():
            ahead = [gaps[joint] if reading.sense == 1 else back[joint - 1] for joint in reading.joints]
            for origin in ORIGINS:
                yield Elimination(reading, np.array(ahead), origin)

    def _score(self, elimination: Elimination, target: Floats) -> tuple[float, float, Elimination]:
        """Few roots are worse than rough ones."""
        starts, owner = self._starts(elimination, target)
        counts = [roots.count for roots in settled(self.arm, starts, target[owner], owner, len(target))]
        with np.errstate(all="ignore"):
            size = self.arm.newton(starts, target[owner], 1, 1.0)[1]
        rough = np.quantile(size[size < 1e-2], 0.9) if (size < 1e-2).any() else 1.0
        return -float(np.median(counts)), float(np.log10(rough + 1e-16)), elimination


def _small_motions(twists: Floats) -> Floats:
    """Turns by the first three entries, to first order made exact, and shifts by the last three."""
    T = np.tile(np.eye(4), (len(twists), 1, 1))
    T[:, [0, 1, 2], [1, 2, 0]] -= twists[:, [2, 0, 1]]
    T[:, [1, 2, 0], [0, 1, 2]] += twists[:, [2, 0, 1]]
    U, _, V = np.linalg.svd(T[:, :3, :3])
    T[:, :3, :3], T[:, :3, 3] = U @ V, twists[:, 3:]
    return T
