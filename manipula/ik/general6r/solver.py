"""All solutions of a 6R arm without a closed form: eliminate, take eigenvalues, polish, and count.

The arm is studied once: every reading of the loop (`elimination.readings`) is tried on sample poses, the most accurate
ones are kept in order, and the number of complex solutions an arm of this kind has (at most 16) is learnt from them.
A pose is solved with the first; when fewer complex solutions come out than the arm has, the twins of near-double
roots are looked for, then the next readings are asked, then the solutions of a pose beside, and the answers joined.
`info.complete` says whether the count was reached: then no real solution can be missing.

All of a pose's work is done by texts (`text`), in machine code; what is learnt once for an arm is prepared here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manipula.algebra.run.texts import machine_codes
from manipula.errors import InputError
from manipula.ik.general6r.arm import ArmTable, ReadingTable, Shape
from manipula.ik.general6r.elimination import Arm6R, Elimination, Reading, backwards, readings
from manipula.ik.general6r.roots import MOST
from manipula.ik.general6r.solutions import MOST_ROOTS, REPORT, solve_poses, study
from manipula.ik.numeric.arrays import Bits, Floats
from manipula.ik.numeric.poses import checked_poses, poses_from_value
from manipula.ik.numeric.tolerances import ReadingTolerance, RootTolerance
from manipula.mechanics.robot.tree import Tree
from manipula.support.text import plain

# The numbers of an arm on which the texts work.


class Tables(NamedTuple):
    """`arm` its geometry; `sizes`, `shapes` and `tables` its readings, best first."""

    arm: Floats
    sizes: NDArray[np.int64]
    shapes: NDArray[np.int64]
    tables: Floats


def tables_of(arm: Arm6R, eliminations: Sequence[Elimination], bound: int, exact: float, horizon: float) -> Tables:
    readings = [reading_table(elimination) for elimination in eliminations]
    sizes = np.array([bound, len(readings), *(len(table) for table in readings)], dtype=np.int64)
    shapes = np.concatenate([reading_shape(elimination) for elimination in eliminations])
    return Tables(arm_table(arm, exact, horizon), sizes, shapes, np.concatenate(readings))


def arm_table(arm: Arm6R, exact: float, horizon: float) -> Floats:
    """The numbers of `ArmTable`."""
    table = np.empty(ArmTable.COUNT)
    places = {
        ArmTable.GAPS: arm.gaps, ArmTable.FIRST_BACK: arm.first_back, ArmTable.LAST_BACK: arm.last_back,
        ArmTable.FIRST: arm.first, ArmTable.LAST: arm.last,
    }  # fmt: skip
    for place, motion in places.items():
        rows = motion[..., :3, :].ravel()
        table[place : place + rows.size] = rows
    table[ArmTable.OFFSET : ArmTable.OFFSET + 6] = arm.offset
    table[ArmTable.DIRECTION : ArmTable.DIRECTION + 6] = arm.direction
    table[ArmTable.UNIT], table[ArmTable.EXACT] = arm.unit, exact
    table[ArmTable.HORIZON] = min(horizon, ReadingTolerance.NOWHERE)
    return table


def reading_table(elimination: Elimination) -> Floats:
    """The numbers of `ReadingTable`; behind `BEFORE` the factors of the way back and the basis of the eigenvectors."""
    e = elimination
    first = [e.origin, e.gaps[:, :3, :3], e.left]
    sizes = np.cumsum([np.size(x) for x in first]).tolist()
    assert sizes == [ReadingTable.GAPS, ReadingTable.LEFT, ReadingTable.BEFORE]
    return np.concatenate([np.ravel(x) for x in (*first, e.before, e.after, e.seen)])


def reading_shape(elimination: Elimination) -> NDArray[np.int64]:
    """The numbers of `Shape`."""
    e, reading = elimination, elimination.reading
    shape = np.empty(Shape.COUNT, dtype=np.int64)
    shape[Shape.PARTS], shape[Shape.PARTS_AFTER], shape[Shape.ROOTS] = (x.shape[1] for x in (e.before, e.after, e.seen))
    shape[Shape.SWAPPED] = reading.order[1] == 2
    shape[Shape.GAP], shape[Shape.SENSE] = reading.pose_gap, reading.sense
    shape[Shape.JOINTS :] = reading.joints
    return shape


# The texts at work: poses in arrays, answers in arrays.

TEXTS = (solve_poses, study)


class Solved(NamedTuple):
    """Rows of answers for each pose: q (B, most, 6); residual and distance of the twin (B, most, 2); and
    (B, 4): how many answers (−1: not a pose), roots counted, whether those are all, readings asked.
    """

    q: Floats
    about: Floats
    report: NDArray[np.int64]


class Studied(NamedTuple):
    """What one reading finds of sample targets: roots of each (B), and the sizes of all first Newton steps."""

    counts: NDArray[np.int64]
    steps: Floats


def solve_poses_dense(tables: Tables, poses: Floats) -> Solved:
    """Every solution of `poses` (B, 4, 4), dense."""
    n = len(poses)
    solved = Solved(np.empty((n, MOST, 6)), np.empty((n, MOST, 2)), np.empty((n, REPORT), dtype=np.int64))
    flat = [x.reshape(-1) for x in solved]
    machine_codes(*TEXTS)[0](n, *tables, poses.reshape(-1), *flat)
    return solved


def study_targets(arm: Floats, shape: NDArray[np.int64], table: Floats, targets: Floats) -> Studied:
    """`targets` (B, 4, 4) in the arm's own unit; `arm`, `shape`, `table`: see `tables`."""
    n = len(targets)
    counts, steps = np.empty(n, dtype=np.int64), np.empty((n, MOST_ROOTS))
    rows = np.ascontiguousarray(targets[:, :3]).reshape(-1)
    machine_codes(*TEXTS)[1](n, arm, shape, table, rows, counts, steps.reshape(-1))
    return Studied(counts, steps)


ORIGINS = ((0.3, -0.7, 1.1), (1.9, 2.3, -1.4))  # angles from which half-angle tangents are counted
BENT = (0.0, 1e-4, 1e-2)  # an arm too regular for every reading is solved as one that is a little off
BOUND = 16
SAMPLES = 12
KEPT = 4  # readings that may be asked, best first


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

    def as_dict(self) -> dict[str, object]:
        said = {"roots": self.roots, "bound": self.bound, "complete": self.complete, "double": self.double}
        return {name: plain(value) for name, value in {**said, "family": self.family}.items()}

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

    def __init__(self, chain: Tree) -> None:
        self.arm = Arm6R(chain)
        self.exact = RootTolerance.EXACT * max(1.0, self.arm.unit)
        self.eliminations, self.bound = self._study()
        # where there are fewer than sixteen some far roots are false: each is then proved
        horizon = ReadingTolerance.HORIZON if self.bound == BOUND else np.inf
        self.tables = tables_of(self.arm, self.eliminations, self.bound, self.exact, horizon)
        self._asked = [tuple(e.reading for e in self.eliminations[:n]) for n in range(KEPT + 1)]

    def solve(self, pose: ArrayLike) -> GeneralAnswer:
        """All solutions of a pose (4, 4)."""
        T = poses_from_value(pose)
        if T.ndim != 2:
            raise InputError("pose: expected one 4×4 matrix, found an array of shape {shape}; see solve_many", T.shape)
        return self.solve_many(T[None])[0]

    def solve_many(self, poses: ArrayLike) -> list[GeneralAnswer]:
        """The same for poses (B, 4, 4)."""
        T = poses_from_value(poses)
        solved = solve_poses_dense(self.tables, T)
        if (solved.report[:, 0] < 0).any():
            solved = solve_poses_dense(self.tables, checked_poses(T))  # made exact, or said what is wrong
        return [self._answer(*row) for row in zip(solved.q, solved.about, solved.report.tolist(), strict=True)]

    def _answer(self, q: Floats, about: Floats, report: list[int]) -> GeneralAnswer:
        n, roots, _, count = report
        residual, apart = about[:n, 0], about[:n, 1]
        double, family = apart < RootTolerance.DOUBLE, apart == 0
        return GeneralAnswer(q[:n], residual, Info(roots, self.bound, double, family, self._asked[count]))

    # the study of an arm

    def _study(self) -> tuple[list[Elimination], int]:
        """The readings worth asking, best first, and how many complex solutions poses of this arm have."""
        rng = np.random.default_rng(61)
        angles = rng.uniform(-np.pi, np.pi, (SAMPLES, 6))
        if np.linalg.svd(self.arm.derivative(angles), compute_uv=False)[:, -1].max() < ReadingTolerance.MOVING:
            raise InputError("the arm is singular everywhere: its six axes give less than six freedoms of the tool")
        target = self.arm.frames(angles)[5]
        best: list[tuple[float, float, Elimination]] = []
        for bend in BENT:
            best += [self._score(elimination, target) for elimination in self._eliminations(bend, rng)]
            best.sort(key=lambda score: score[:2])
            # some reading has all sixteen: no need to bend the arm
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
        arm = arm_table(self.arm, self.exact, np.inf)
        counts, steps = study_targets(arm, reading_shape(elimination), reading_table(elimination), target)
        near = steps[steps < ReadingTolerance.ROUGH]
        # not the worst: one sample near a singularity says nothing of the reading
        rough = np.quantile(near, 0.9) if near.size else 1.0
        # the upper quartile: a sample beside a double root may count less, none can count more
        usual = float(np.sort(counts)[-SAMPLES // 4])
        return -min(usual, BOUND), float(np.log10(rough + 1e-16)), elimination


def _small_motions(twists: Floats) -> Floats:
    """Turns by the first three entries, to first order made exact, and shifts by the last three."""
    T = np.tile(np.eye(4), (len(twists), 1, 1))
    T[:, [0, 1, 2], [1, 2, 0]] -= twists[:, [2, 0, 1]]
    T[:, [1, 2, 0], [0, 1, 2]] += twists[:, [2, 0, 1]]
    U, _, V = np.linalg.svd(T[:, :3, :3])
    T[:, :3, :3], T[:, :3, 3] = U @ V, twists[:, 3:]
    return T
