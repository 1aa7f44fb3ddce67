"""All solutions of a pose: one reading after another until the count of complex solutions is full."""

from __future__ import annotations

from manipula.algebra.program.primitives import Complexes, Ints, Reals, complexes, integers, reals
from manipula.ik.general6r.text.arm import newton_step, wanted
from manipula.ik.general6r.text.collect import (
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
)
from manipula.ik.general6r.text.given import taken
from manipula.ik.general6r.text.layout import ArmTable, Shape, Sizes
from manipula.ik.general6r.text.pencil import pencil
from manipula.ik.general6r.text.polish import twin
from manipula.ik.general6r.text.starts import start
from manipula.ik.numeric.tolerances import Beyond, ReadingTolerance

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
    if shape[Shape.SENSE] < 0:
        inverse_motion(target, back)
    shift = pencil(table, shape, back, W, E, re, im)
    for k in range(shape[Shape.ROOTS] if shift < 100 else 0):
        if im[k] < 0:
            continue
        start(table, shape, shift, back, W, E, re[k], im[k], angles)
        off = leaning(angles)
        if off > arm[ArmTable.HORIZON]:
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
    """Ask the readings in turn; how many solutions are accounted for. What lies far off counts only within one."""
    more = integers(3)
    rows2 = reals(6 * MOST)
    about2 = reals(2 * MOST)
    pairs2 = complexes(6 * MOST)
    there = reals(6)
    place = 0
    best = 0
    for k in range(sizes[Sizes.READINGS]):
        if best >= sizes[Sizes.BOUND]:
            break
        emptied(more)
        read(arm, tables[place:], shapes[k * Shape.COUNT :], target, more, rows2, about2, pairs2)
        merge(count, rows, about, pairs, more, rows2, about2, pairs2)
        best = max(best, total(more, about2))
        if k == 0 and best < sizes[Sizes.BOUND]:
            for i in range(more[REAL]):
                twin(arm, rows2[6 * i :], there)
                settle_real(arm, target, there, True, count, rows, about)
            count[DISTANT] = more[DISTANT]
        best = max(best, total(count, about))
        count[DISTANT] = 0
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

    `about` tells of each its residual and how far its twin is; `report` the solutions accounted for, whether that is
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
    report[1] = 1 if alone and best >= sizes[Sizes.BOUND] else 0
    report[2] = count[ASKED]
    return n
