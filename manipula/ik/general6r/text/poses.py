"""Many poses, special ones among them, and what is learnt of an arm from samples: what Python calls."""

from __future__ import annotations

from manipula.algebra.program.primitives import Complexes, Ints, Reals, complexes, integers, reals
from manipula.ik.general6r.text.arm import newton_step, wanted
from manipula.ik.general6r.text.collect import DISTANT, MOST, REAL, emptied, leaning, settle, total
from manipula.ik.general6r.text.given import taken
from manipula.ik.general6r.text.layout import ArmTable, Shape, Sizes
from manipula.ik.general6r.text.pencil import pencil
from manipula.ik.general6r.text.solve import ASKED, answer, gather, inverse_motion, read, solve_pose
from manipula.ik.general6r.text.special import beside, pose_beside
from manipula.ik.general6r.text.starts import start
from manipula.ik.numeric.tolerances import Beyond

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
