"""Whole turns of configurations on a path: which are inside the limits, and which a small step leads to.

A row is a configuration on its lowest turns; a state is a row with a number of turns for each joint.

Texts (see `algebra.program`): they run as they stand, and in machine code.
"""

from __future__ import annotations

from manipula.algebra.program.primitives import Ints, Reals, floor, rint
from manipula.ik.numeric.tolerances import LimitTolerance

PERIOD, SLOTS, ENDLESS, LOW, HIGH = range(5)  # rows of `joints`; endless: whole turns of the joint do not count


def raise_rows(rows: int, dof: int, q: Reals, joints: Reals) -> None:
    """Every joint to its lowest turn inside the limits, in place: the others follow."""
    for j in range(dof):
        period = joints[PERIOD * dof + j]
        if period > 0 and joints[ENDLESS * dof + j] == 0:
            lowest = joints[LOW * dof + j] - LimitTolerance.INSIDE
            for row in range(rows):
                q[row * dof + j] -= floor((q[row * dof + j] - lowest) / period) * period


def top_turns(rows: int, dof: int, q: Reals, joints: Reals, tops: Ints) -> None:
    """The last turn of each joint that is inside; a row with a joint outside has no turn at all, −1."""
    for j in range(dof):
        lowest = joints[LOW * dof + j] - LimitTolerance.INSIDE
        highest = joints[HIGH * dof + j] + LimitTolerance.INSIDE
        period = joints[PERIOD * dof + j]
        endless = joints[ENDLESS * dof + j] != 0
        for row in range(rows):
            x = q[row * dof + j]
            tops[row * dof + j] = 0
            if not endless:
                if not (x >= lowest and x <= highest):
                    tops[row * dof + j] = -1
                elif period > 0:
                    tops[row * dof + j] = int(min(floor((highest - x) / period), joints[SLOTS * dof + j] - 1))


def state_margin(dof: int, x: Reals, turns: Ints, own: float, joints: Reals) -> float:
    """The least of a row's `own` margin and the distances to limits."""
    least = own
    for j in range(dof):
        if joints[ENDLESS * dof + j] == 0:
            at = x[j] + turns[j] * joints[PERIOD * dof + j]
            least = min(least, at - joints[LOW * dof + j])
            least = min(least, joints[HIGH * dof + j] - at)
    return least


def state_travel(dof: int, x: Reals, turns: Ints, y: Reals, others: Ints, joints: Reals) -> float:
    """Σ|Δq| between two states; an endless joint takes the nearer turn."""
    total = 0.0
    for j in range(dof):
        period = joints[PERIOD * dof + j]
        gap = y[j] - x[j]
        if joints[ENDLESS * dof + j] == 0:
            gap += (others[j] - turns[j]) * period
        elif period > 0:
            gap -= rint(gap / period) * period
        total += abs(gap)
    return total


def row_travel(dof: int, x: Reals, y: Reals, joints: Reals) -> float:
    """Σ|Δq| between two rows, each joint on the nearer turn: no jump between their states is shorter."""
    total = 0.0
    for j in range(dof):
        period = joints[PERIOD * dof + j]
        gap = y[j] - x[j]
        # no turn is chosen yet: the nearest one bounds all of them from below
        if period > 0:
            gap -= rint(gap / period) * period
        total += abs(gap)
    return total


def smooth_step(dof: int, x: Reals, y: Reals, joints: Reals, max_step: float, shift: Ints) -> float:
    """Σ|Δq| of the step between two rows, and in `shift` how the turns follow; −1 where it is a jump on every turn.

    The last of `shift` is 1 where a turn changes at all.
    """
    total = 0.0
    shift[dof] = 0
    for j in range(dof):
        period = joints[PERIOD * dof + j]
        gap = y[j] - x[j]
        shift[j] = 0
        # max_step is below half a turn: at most one whole number of turns makes the step a smooth one
        if period > 0 and abs(gap) > max_step:
            whole = rint(gap / period)
            gap -= whole * period
            if joints[ENDLESS * dof + j] == 0 and whole != 0:
                shift[j] = int(whole)
                shift[dof] = 1
        # in this form NaN is a jump, too
        if not (abs(gap) <= max_step):
            return -1.0
        total += abs(gap)
    return total


def shifted(dof: int, w: int, turns: Ints, shift: Ints, joints: Reals) -> int:
    """The number of the turns that follow those of number w; −1 where one is not among those to choose from."""
    # most steps: no joint passes its seam, and the numbers of the turns need not be taken apart
    if shift[dof] == 0:
        return w
    number = 0
    for j in range(dof):
        slots = int(joints[SLOTS * dof + j])
        turn = turns[w * dof + j] - shift[j]
        if turn < 0 or turn >= slots:
            return -1
        # turns are numbered as digits are, with as many values a place as the joint has turns
        number = number * slots + turn
    return number
