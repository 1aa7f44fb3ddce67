"""All solutions of a pose: one reading after another until the count of complex solutions is full."""

from __future__ import annotations

from manipula.algebra.program.primitives import Complexes, Ints, Reals, complexes, integers, reals
from manipula.ik.general6r.arm import ArmTable, Shape, Sizes, newton_step, wanted
from manipula.ik.general6r.pencil import pencil, start
from manipula.ik.general6r.roots import (
    DISTANT,
    MOST,
    REAL,
    emptied,
    leaning,
    merge,
    principal,
    settle,
    settle_real,
    total,
    twin,
)
from manipula.ik.general6r.special import beside, pose_beside
from manipula.ik.numeric.tolerances import Beyond, PoseTolerance, ReadingTolerance, RootTolerance

# The door: is it a pose, and rounding in its rotation taken away.

ROUNDS = 2


def off_square(R: Reals, G: Reals) -> float:
    """G = R'R, and the largest entry of its difference from 1; R has rows of four."""
    worst = 0.0
    for i in range(3):
        for j in range(3):
            G[i * 3 + j] = R[i] * R[j] + R[4 + i] * R[4 + j] + R[8 + i] * R[8 + j]
            off = abs(G[i * 3 + j] - (1.0 if i == j else 0.0))
            # this way round NaN stays: what is no number must not pass for a pose
            worst = worst if off <= worst else off
    return worst


def defect(T: Reals, G: Reals) -> float:
    """How far 4 by 4 numbers are from a pose; a reflection is far."""
    worst = off_square(T, G)
    blank = 0.0
    for j in range(4):
        off = abs(T[12 + j] - (1.0 if j == 3 else 0.0))
        worst = worst if off <= worst else off
        # 0·x is NaN where a number is infinite or NaN; a sum stays so, and no comparison with it holds
        blank += 0 * T[12 + j] + 0 * T[j % 3 * 4 + 3]
    x = T[5] * T[10] - T[6] * T[9]
    y = T[6] * T[8] - T[4] * T[10]
    z = T[4] * T[9] - T[5] * T[8]
    return worst + blank if T[0] * x + T[1] * y + T[2] * z > 0 else 2.0


def taken(T: Reals, pose: Reals) -> bool:
    """The pose (three rows of four) with its rotation made exact; false if it is not one."""
    G = reals(9)
    row = reals(3)
    off = defect(T, G)
    for i in range(12):
        pose[i] = T[i]
    if not off <= RootTolerance.SLACK:
        return False
    for _ in range(ROUNDS if off > PoseTolerance.CLEAN else 0):  # R(3 - R'R)/2 is nearer to square
        for i in range(3):
            for j in range(3):
                row[j] = 1.5 * pose[i * 4 + j]
                for k in range(3):
                    row[j] -= 0.5 * pose[i * 4 + k] * G[k * 3 + j]
            for j in range(3):
                pose[i * 4 + j] = row[j]
        off_square(pose, G)
    return True


ASKED = 3  # place in `count`: readings asked


def inverse_motion(T: Reals, back: Reals) -> None:
    """The inverse of a motion."""
    for i in range(3):
        for j in range(3):
            back[i * 4 + j] = T[j * 4 + i]
        back[i * 4 + 3] = -(T[i] * T[3] + T[4 + i] * T[7] + T[8 + i] * T[11])


def read(
    arm: Reals, table: Reals, shape: Ints, target: Reals, count: Ints, rows: Reals, about: Reals, pairs: Complexes
) -> None:
    """The roots that one reading finds."""
    W = reals(504)
    E = reals(162)
    re = reals(24)
    im = reals(24)
    back = reals(12)
    angles = complexes(6)
    for i in range(12):
        back[i] = target[i]
    # a reading from the tool to the base has the same equations, of the inverse motion
    if shape[Shape.SENSE] < 0:
        inverse_motion(target, back)
    shift = pencil(table, shape, back, W, E, re, im)
    for k in range(shape[Shape.ROOTS] if shift < 100 else 0):
        # of a complex pair one is enough: the other is its conjugate
        if im[k] < 0:
            continue
        start(table, shape, shift, back, W, E, re[k], im[k], angles)
        off = leaning(angles)
        if off > arm[ArmTable.HORIZON]:
            # so far from the real axis no solution is lost: it is only counted, if it surely is one
            if lonely(shape[Shape.ROOTS], k, re, im) or steady(arm, target, angles):
                count[DISTANT] += 1
        elif off < Beyond.FINITE:
            settle(arm, target, angles, count, rows, about, pairs)


def lonely(n: int, k: int, re: Reals, im: Reals) -> bool:
    """Is an eigenvalue alone? If not, its vector may be a mixture that means nothing."""
    least = ReadingTolerance.ONE * (1 + re[k] * re[k] + im[k] * im[k])
    alone = True
    for j in range(n):
        alone = alone and (j == k or abs(re[j] - re[k]) + abs(im[j] - im[k]) >= least)
    return alone


def steady(arm: Reals, target: Reals, angles: Complexes) -> bool:
    """Is a rough root one, so that Newton's step is short?"""
    step = complexes(6)
    J = complexes(36)
    order = integers(6)
    return newton_step(arm, target, angles, step, J, order) < ReadingTolerance.STEADY


def gather(
    arm: Reals, sizes: Ints, shapes: Ints, tables: Reals, target: Reals, count: Ints, rows: Reals, about: Reals,
    pairs: Complexes,
) -> int:  # fmt: skip
    """Ask the readings in turn; how many solutions are accounted for. Distant ones count only within one."""
    more = integers(3)
    rows2 = reals(6 * MOST)
    about2 = reals(2 * MOST)
    pairs2 = complexes(6 * MOST)
    there = reals(6)
    place = 0
    best = 0
    for k in range(sizes[Sizes.READINGS]):
        # all are found: another reading could only repeat them
        if best >= sizes[Sizes.BOUND]:
            break
        emptied(more)
        read(arm, tables[place:], shapes[k * Shape.COUNT :], target, more, rows2, about2, pairs2)
        merge(count, rows, about, pairs, more, rows2, about2, pairs2)
        best = max(best, total(more, about2))
        if k == 0 and best < sizes[Sizes.BOUND]:
            for i in range(more[REAL]):
                # near-double roots come out as one: its twin, to second order, is a start for the other
                twin(arm, rows2[6 * i :], there)
                settle_real(arm, target, there, True, count, rows, about)
            count[DISTANT] = more[DISTANT]
        best = max(best, total(count, about))
        count[DISTANT] = 0
        # readings have tables of different lengths, one behind the other
        place += sizes[Sizes.NUMBERS + k]
        count[ASKED] = k + 1
    return best


def before(a: Reals, b: Reals) -> bool:
    """Does a come before b, by the first entry that differs?"""
    for i in range(6):
        if a[i] != b[i]:
            less: bool = a[i] < b[i]
            return less
    return False


def answer(arm: Reals, angles: Reals, worst: float, apart: float, n: int, q: Reals, about: Reals) -> None:
    """Put a solution in its place among n others, in order."""
    x = reals(6)
    for i in range(6):
        x[i] = principal((angles[i] - arm[ArmTable.OFFSET + i]) * arm[ArmTable.DIRECTION + i])
    k = n
    # by insertion: there are sixteen at most
    while k > 0 and before(x, q[6 * (k - 1) :]):
        for i in range(6):
            q[6 * k + i] = q[6 * (k - 1) + i]
        about[2 * k] = about[2 * (k - 1)]
        about[2 * k + 1] = about[2 * (k - 1) + 1]
        k -= 1
    for i in range(6):
        q[6 * k + i] = x[i]
    about[2 * k] = worst
    about[2 * k + 1] = apart


def solve_pose(
    arm: Reals, sizes: Ints, shapes: Ints, tables: Reals, pose: Reals, q: Reals, about: Reals, report: Ints
) -> int:
    """Every solution q of a pose (4 by 4), in order, and how many there are; -1 for what is no pose.

    `about` has of each its residual and how far its twin is; `report` the solutions accounted for, whether that is
    all there are, and the readings asked.
    """
    exact = reals(12)
    target = reals(12)
    count = integers(4)
    rows = reals(6 * MOST)
    own = reals(2 * MOST)
    pairs = complexes(6 * MOST)
    report[0] = 0
    report[1] = 0
    report[2] = 0
    if not taken(pose, exact):
        return -1
    wanted(arm, exact, target)
    emptied(count)
    best = gather(arm, sizes, shapes, tables, target, count, rows, own, pairs)
    n = 0
    alone = True
    for k in range(count[REAL]):
        if own[2 * k] <= arm[ArmTable.EXACT]:
            answer(arm, rows[6 * k :], own[2 * k], own[2 * k + 1], n, q, about)
            alone = alone and own[2 * k + 1] > 0
            n += 1
    report[0] = min(best, 16)
    # a twin at distance 0 is a family: infinitely many solutions were not all counted
    report[1] = 1 if alone and best >= sizes[Sizes.BOUND] else 0
    report[2] = count[ASKED]
    return n


# Many poses, special ones among them, and what is learnt of an arm from samples: what Python calls.

REPORT = 4  # numbers about a pose: solutions (-1: no pose), roots counted, whether these are all, readings asked
MOST_ROOTS = 24  # eigenvalues of a reading
FULL = 16  # no pose of six turning joints has more solutions


def solve_poses(
    poses: int, arm: Reals, sizes: Ints, shapes: Ints, tables: Reals, pose: Reals, q: Reals, about: Reals, report: Ints
) -> None:
    """Every solution of every pose (4 by 4), as `solve_pose` has it; where its count is not full, a closer look."""
    for k in range(poses):
        at = REPORT * k
        report[at] = solve_pose(
            arm, sizes, shapes, tables, pose[16 * k :], q[6 * MOST * k :], about[2 * MOST * k :], report[at + 1 :]
        )
        # most poses have a full count, and need no second look
        if report[at] >= 0 and report[at + 2] == 0:
            report[at] = solve_special(
                arm, sizes, shapes, tables, pose[16 * k :], q[6 * MOST * k :], about[2 * MOST * k :], report[at + 1 :]
            )


def solve_special(
    arm: Reals, sizes: Ints, shapes: Ints, tables: Reals, pose: Reals, q: Reals, about: Reals, report: Ints
) -> int:
    """The same for one pose, with what is near the solutions of a pose beside it."""
    exact = reals(12)
    target = reals(12)
    other = reals(12)
    count = integers(4)
    rows = reals(6 * MOST)
    own = reals(2 * MOST)
    pairs = complexes(6 * MOST)
    more = integers(3)
    rows2 = reals(6 * MOST)
    own2 = reals(2 * MOST)
    pairs2 = complexes(6 * MOST)
    taken(pose, exact)
    wanted(arm, exact, target)
    emptied(count)
    best = gather(arm, sizes, shapes, tables, target, count, rows, own, pairs)
    # roots that meet at the special pose are apart beside it, and show how many they were
    pose_beside(target, other)
    emptied(more)
    read(arm, tables, shapes, other, more, rows2, own2, pairs2)
    alone = beside(arm, sizes[Sizes.BOUND], target, more, rows2, own2, pairs2, count, rows, own, pairs)
    n = 0
    family = False
    for k in range(count[REAL]):
        if own[2 * k] <= arm[ArmTable.EXACT]:
            answer(arm, rows[6 * k :], own[2 * k], own[2 * k + 1], n, q, about)
            family = family or own[2 * k + 1] == 0
            n += 1
    best = max(best, alone)
    report[0] = min(best, FULL)
    report[1] = 1 if best >= sizes[Sizes.BOUND] and not family else 0
    report[2] = count[ASKED]
    return n


def study(
    poses: int, arm: Reals, shape: Ints, table: Reals, targets: Reals, counts: Ints, steps: Reals
) -> None:  # fmt: skip
    """How many roots one reading finds of each target (12 numbers), and the first Newton step from every start."""
    count = integers(3)
    rows = reals(6 * MOST)
    about = reals(2 * MOST)
    pairs = complexes(6 * MOST)
    for k in range(poses):
        emptied(count)
        for i in range(MOST_ROOTS):
            steps[MOST_ROOTS * k + i] = Beyond.NEVER
        probe(arm, table, shape, targets[12 * k :], count, rows, about, pairs, steps[MOST_ROOTS * k :])
        counts[k] = total(count, about)


def probe(
    arm: Reals, table: Reals, shape: Ints, target: Reals, count: Ints, rows: Reals, about: Reals, pairs: Complexes,
    steps: Reals,
) -> None:  # fmt: skip
    """The roots that one reading finds, however far off, and the first steps."""
    W = reals(504)
    E = reals(162)
    re = reals(MOST_ROOTS)
    im = reals(MOST_ROOTS)
    back = reals(12)
    angles = complexes(6)
    step = complexes(6)
    J = complexes(36)
    order = integers(6)
    for i in range(12):
        back[i] = target[i]
    if shape[Shape.SENSE] < 0:
        inverse_motion(target, back)
    shift = pencil(table, shape, back, W, E, re, im)
    for k in range(shape[Shape.ROOTS] if shift < 100 else 0):
        if im[k] >= 0:
            start(table, shape, shift, back, W, E, re[k], im[k], angles)
            if leaning(angles) < Beyond.FINITE:
                steps[k] = newton_step(arm, target, angles, step, J, order)
                settle(arm, target, angles, count, rows, about, pairs)
    count[DISTANT] = 0
