"""All solutions of a 6R arm without a closed form: eliminate, take eigenvalues, polish, and count.

The arm is studied once: every reading of the loop (`elimination.readings`) is tried on sample poses, the most accurate
ones are kept in order, and the number of complex solutions an arm of this kind has (at most 16) is learnt from them.
A pose is solved with the first; when fewer complex solutions come out than the arm has, the twins of near-double
roots are looked for, then the next readings are asked, and the answers joined. `info.complete` says whether the count
was reached: then no real solution can be missing.

Poses are solved by machine code made of the texts of `loops6r` where there is something to make it with (`translate`).
The same by arrays is below: it studies the arm, and takes over where the machine's count is not full.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from manipula.errors import InputError
from manipula.ik.general6r.closing import Arm6R, backwards
from manipula.ik.general6r.elimination import Elimination, Reading, readings
from manipula.ik.general6r.machine import Machine6R, Translate
from manipula.ik.general6r.roots import Complex, Index, Roots, eased, settled_each, settled_one, twins
from manipula.ik.general6r.tables import Tables, tables_of
from manipula.ik.numeric.arrays import Bits, Floats
from manipula.ik.numeric.poses import checked_poses, poses_from_value
from manipula.mechanics.robot.tree import Tree

ORIGINS = ((0.3, -0.7, 1.1), (1.9, 2.3, -1.4))  # angles from which half-angle tangents are counted
BENT = (0.0, 1e-4, 1e-2)  # an arm too regular for every reading is solved as one that is a little off
BOUND = 16
HORIZON = 3.0  # rad off the real axis; of 16 roots those beyond need no proof, where there are fewer some are false
SAMPLES = 12
KEPT = 4  # readings that may be asked, best first
EXACT = 1e-10  # largest |FK − pose| of an answer, for an arm of 1 m
CLEAN = 1e-13  # a rotation this far from square is rounding
SHAKE = 1e-5 * np.array([[0.61, -0.83, 0.47, -0.39, 0.71, 0.53]])
ALMOST = 0.1  # rad off the real axis, from where a multiple root may have been shaken
MOVING = 1e-9  # least singular value of a Jacobian, in units of the arm, that is not zero
SQUARE, LAST_ROW = np.eye(3), np.array([0.0, 0, 0, 1])
DOUBLE = 1e-3  # rad; roots closer than this are flagged


@dataclass(frozen=True)
class Info:
    """How an answer was found: distinct complex roots (a double one counts twice) against those the arm has.

    One entry for each answer: `double` has a twin close by; `family` is one of infinitely many.
    """

    roots: int
    bound: int
    double: Bits
    family: Bits
    readings: tuple[Reading, ...]

    @property
    def complete(self) -> bool:
        """Nothing can be missing: all roots are there, and each is alone."""
        return self.roots >= self.bound and not self.family.any()


class GeneralAnswer(NamedTuple):
    """Every real solution (k, 6) in (−π, π], the largest entry of |FK − pose| of each, and the account."""

    q: Floats
    residual: Floats
    info: Info


class General6R:
    """The solver of one arm over floats with six revolute joints, fixed ones merged."""

    def __init__(self, chain: Tree, translate: Translate | None = None) -> None:
        self.arm = Arm6R(chain)
        self.exact = EXACT * max(1.0, self.arm.unit)
        self.eliminations, self.bound = self._study()
        self.horizon = HORIZON if self.bound == BOUND else np.inf
        self._asked = [tuple(e.reading for e in self.eliminations[:n]) for n in range(KEPT + 1)]
        self.machine = None if translate is None else Machine6R(self.tables, translate)

    @property
    def tables(self) -> Tables:
        """The arm in numbers: all that the texts of `loops6r` need."""
        return tables_of(self.arm, self.eliminations, self.bound, self.exact, self.horizon)

    def solve(self, pose: ArrayLike) -> GeneralAnswer:
        """All solutions of a pose (4, 4)."""
        T = poses_from_value(pose)
        if T.ndim != 2:
            raise InputError(f"pose: expected one 4×4 matrix, found an array of shape {T.shape}; see solve_many")
        return self.solve_many(T[None])[0]

    def solve_many(self, poses: ArrayLike) -> list[GeneralAnswer]:
        """The same for poses (B, 4, 4)."""
        T = poses_from_value(poses)
        if self.machine is None:
            return self.solve_arrays(T)
        q, about, report = self.machine(T)
        if (report[:, 0] < 0).any():
            T = checked_poses(T)  # says what is wrong
            q, about, report = self.machine(T)
        rows = zip(q, about, report.tolist(), strict=True)
        answers = [self._machine_answer(*row) for row in rows]
        rest = [i for i, answer in enumerate(answers) if answer is None]
        if rest:  # what asks for a closer look
            for i, answer in zip(rest, self.solve_arrays(T[rest]), strict=True):
                answers[i] = answer
        return answers  # type: ignore[return-value]

    def _machine_answer(self, q: Floats, about: Floats, report: list[int]) -> GeneralAnswer | None:
        """What the machine says, if its count is full."""
        n, roots, full, asked = report
        if n < 0 or not full:
            return None
        residual, apart = about[:n, 0], about[:n, 1]
        return GeneralAnswer(q[:n], residual, Info(roots, self.bound, apart < DOUBLE, apart == 0, self._asked[asked]))

    def solve_arrays(self, T: Floats) -> list[GeneralAnswer]:
        """The same by operations on arrays, without machine code, and with all that can be done for special poses."""
        if not _exact(T):
            T = checked_poses(T)
        target = self.arm.wanted(T)
        found = self._roots(self.eliminations[0], target)
        return [self._answer(*one) for one in zip(target, found, strict=True)]

    def _answer(self, target: Floats, roots: Roots) -> GeneralAnswer:
        """Join what is found until the count is full. What lies far off counts only within one reading."""
        used, count = [self.eliminations[0].reading], roots.total
        if count < self.bound:
            roots = roots.joined(self._twins(roots, target))
            count = roots.total
        for elimination in self.eliminations[1:]:
            if count >= self.bound:
                break
            used.append(elimination.reading)
            other = self._roots(elimination, target[None])[0]
            roots = roots.joined(other)._replace(distant=0)
            count = max(count, other.total, roots.total)
        if count < self.bound or not roots.apart.all():
            roots = roots._replace(distant=0).joined(self._shaken(target))
            count = max(count, roots.isolated)
        return self._told(roots, count, tuple(used))

    def _twins(self, roots: Roots, target: Floats) -> Roots:
        """What lies beside the roots where the arm is nearly singular."""
        there, _ = twins(self.arm, roots.real, np.ones(len(roots.real), dtype=bool))
        return settled_one(self.arm, there.astype(complex), target)

    def _shaken(self, target: Floats) -> Roots:
        """Special poses: what is near the solutions of a pose beside this one. Finds members of families too."""
        found = self._roots(self.eliminations[0], target[None] @ _small_motions(SHAKE))[0]
        starts = np.concatenate([found.real, found.pairs])
        almost = starts.real[np.abs(starts.imag).max(-1, initial=0.0) < ALMOST]
        near = settled_one(self.arm, starts, target).joined(eased(self.arm, almost, target))
        return near._replace(distant=found.distant if found.total >= self.bound else 0)

    def _told(self, roots: Roots, count: int, used: tuple[Reading, ...]) -> GeneralAnswer:
        good = roots.residual <= self.exact
        q = self.arm.positions(roots.real[good])
        order = np.lexsort(q.T[::-1])
        apart = roots.apart[good][order]
        info = Info(min(count, BOUND), self.bound, apart < DOUBLE, apart == 0, used)
        return GeneralAnswer(q[order], roots.residual[good][order], info)

    def _roots(self, elimination: Elimination, target: Floats) -> list[Roots]:
        """The roots one reading finds for each target."""
        starts, owner = self._starts(elimination, target)
        distant = np.abs(starts.imag).max(-1) > self.horizon
        near, mine = starts[~distant], owner[~distant]
        if len(target) == 1:
            found = [settled_one(self.arm, near, target[0], steps=0)]
        else:
            found = settled_each(self.arm, near, target, mine, steps=0)
        beyond = np.bincount(owner[distant], minlength=len(target))
        counted = [roots._replace(distant=int(count)) for roots, count in zip(found, beyond, strict=True)]
        for i, roots in enumerate(counted):
            if roots.total < self.bound:  # look also where the first step was long
                counted[i] = roots.joined(settled_one(self.arm, near[mine == i], target[i]))
        return counted

    def _starts(self, elimination: Elimination, target: Floats) -> tuple[Complex, Index]:
        """Rough roots, of a pair only one, and the target each belongs to."""
        reading = elimination.reading
        try:
            angles, eigenvalue = elimination.solve(target if reading.sense == 1 else backwards(target))
        except np.linalg.LinAlgError:
            return np.empty((0, 6), dtype=complex), np.empty(0, dtype=np.intp)
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
        if np.linalg.svd(self.arm.derivative(angles), compute_uv=False)[:, -1].max() < MOVING:
            raise InputError("the arm is singular everywhere: its six axes give less than six freedoms of the tool")
        target = self.arm.frames(angles)[5]
        best: list[tuple[float, float, Elimination]] = []
        for bend in BENT:
            best += [self._score(elimination, target) for elimination in self._eliminations(bend, rng)]
            best.sort(key=lambda score: score[:2])
            if best[0][0] == -BOUND:
                break
        return [elimination for _, _, elimination in best[:KEPT]], int(-best[0][0])

    def _eliminations(self, bend: float, rng: np.random.Generator) -> Iterator[Elimination]:
        gaps = np.concatenate([self.arm.gaps, np.eye(4)[None]])
        gaps[:5] = gaps[:5] @ _small_motions(rng.uniform(-bend, bend, (5, 6)))
        back = backwards(gaps)
        for reading in readings():
            ahead = [gaps[joint] if reading.sense == 1 else back[joint - 1] for joint in reading.joints]
            for origin in ORIGINS if bend == 0 else ORIGINS[:1]:
                yield Elimination(reading, np.array(ahead), origin)

    def _score(self, elimination: Elimination, target: Floats) -> tuple[float, float, Elimination]:
        """Few roots are worse than rough ones."""
        starts, owner = self._starts(elimination, target)
        counts = [roots.total for roots in settled_each(self.arm, starts, target, owner)]
        with np.errstate(all="ignore"):
            size = self.arm.newton(starts, target[owner], 1)[1]
        rough = np.quantile(size[size < 1e-2], 0.9) if (size < 1e-2).any() else 1.0
        usual = float(np.sort(counts)[-SAMPLES // 4])
        return -min(usual, BOUND), float(np.log10(rough + 1e-16)), elimination


def _exact(T: Floats) -> bool:
    """Rotations to rounding; NaN is not."""
    R = T[..., :3, :3]
    square = np.abs(R.swapaxes(-1, -2) @ R - SQUARE).max(initial=0.0)
    last = np.abs(T[..., 3, :] - LAST_ROW).max(initial=0.0)
    return bool(square < CLEAN and last == 0 and np.linalg.det(R).min(initial=1.0) > 0 and np.isfinite(T.sum()))


def _small_motions(twists: Floats) -> Floats:
    """Turns by the first three entries, to first order made exact, and shifts by the last three."""
    T = np.tile(np.eye(4), (len(twists), 1, 1))
    T[:, [0, 1, 2], [1, 2, 0]] -= twists[:, [2, 0, 1]]
    T[:, [1, 2, 0], [0, 1, 2]] += twists[:, [2, 0, 1]]
    U, _, V = np.linalg.svd(T[:, :3, :3])
    T[:, :3, :3], T[:, :3, 3] = U @ V, twists[:, 3:]
    return T
