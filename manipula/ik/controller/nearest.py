"""The answer nearest to where an arm is, inside its limits: a text for controllers, around a closed form and a pose.

It chooses as `choose` does for Python. What that leaves unsettled Python would polish; here a branch is an answer that
meets the pose to `Table.LOOSE`, or is the arm's own place. A target that is a little off from being a pose, by no more
than `Table.TOLD`, is met to within what it is off.
"""

from __future__ import annotations

from collections.abc import Callable

from manipula.algebra.program.primitives import Ints, Reals, integers, reals
from manipula.algebra.program.tapes import Straight
from manipula.ik.choice.text import (
    ASK_SEED,
    UNSETTLED,
    WIDTH,
    Table,
    choose,
    gather,
    meets,
    rank,
    seat,
    wind,
    within,
)  # fmt: skip

OK, UNREACHABLE, LIMITS, NO_POSE = 0, 1, 2, 3  # what the text returns: of these the last three leave q alone
SINGULAR = -1  # an answer, where joints may trade: of a whole family one may be nearer
OFF = 4.0  # entries of a pose that is off by so much may each be off by as much, and so may those of a branch
STATES = {
    SINGULAR: "singular pose: q is an answer, but of its family another may be nearer",
    OK: "q is the answer nearest to q_now",
    UNREACHABLE: "no configuration reaches the pose",
    LIMITS: "the pose is reached outside the limits only",
    NO_POSE: "T is no pose, or a number of T or q_now is none",
}


def loosely(
    branches: int, dof: int, T: Reals, rows: Reals, there: Reals, now: Reals, allowed: float, table: Reals, mark: Ints
) -> int:  # fmt: skip
    """Marks of the branches that meet the pose to within what is allowed, each wound; how many do, inside or not."""
    met = 0
    for b in range(branches):
        mark[b] = 0
        if meets(WIDTH, T, there[16 * b :], allowed):
            met += 1
            if wind(dof, rows[b * dof :], True, now, table[Table.ROWS :]):
                mark[b] = 1
    return met


def known(dof: int, now: Reals) -> bool:
    """Whether every position is a number, and finite."""
    off = 0.0
    for j in range(dof):
        off += abs(now[j] - now[j])  # NaN of NaN, and of infinity
    return off == 0


def settle(
    branches: int, dof: int, T: Reals, rows: Reals, fit: Reals, calm: float, defect: float, there: Reals, now: Reals,
    now_there: Reals, table: Reals, mark: Ints, order: Ints, gaps: Reals, q: Reals,
) -> int:  # fmt: skip
    """The answer nearest to `now`, in q; one of STATES."""
    if not (defect <= table[Table.TOLD] and calm >= 0 and known(dof, now)):  # NaN is neither
        return NO_POSE
    allowed = table[Table.LOOSE] + OFF * defect
    state = choose(branches, dof, T, rows, fit, calm, defect, there, True, now, table, mark)
    if state == ASK_SEED:
        state = seat(branches, dof, T, now_there, rows, now, table, mark)
    if state == UNSETTLED:
        if meets(WIDTH, T, now_there, allowed) and within(dof, now, table[Table.ROWS :]):
            for j in range(dof):
                q[j] = now[j]
            return OK
        loosely(branches, dof, T, rows, there, now, allowed, table, mark)
    if rank(branches, dof, rows, mark, True, now, order, gaps) > 0:
        gather(1, dof, rows, order, q)
        return SINGULAR if state == UNSETTLED and calm <= table[Table.FAMILY] else OK
    return LIMITS if loosely(branches, dof, T, rows, there, now, allowed, table, mark) > 0 else UNREACHABLE


def nearest_text(closed: Straight, pose: Straight) -> Callable[..., int]:
    """The text of one arm; of a redundant one it takes the parameter, too."""
    branches, dof = closed.outputs[0].shape
    numbers, poses, room = branches * dof, 16 * branches, branches + 1  # one branch is compared with the next, too

    def nearest(T: Reals, now: Reals, table: Reals, q: Reals) -> int:
        """The answer nearest to now."""
        rows = reals(numbers)
        valid = reals(branches)
        fit = reals(branches)
        calm = reals(1)
        defect = reals(1)
        there = reals(poses)
        now_there = reals(16)
        mark = integers(branches)
        order = integers(room)
        gaps = reals(room)
        closed(T, rows, valid, fit, calm, defect)
        for b in range(branches):
            pose(rows[b * dof :], there[16 * b :])
        pose(now, now_there)
        return settle(
            branches, dof, T, rows, fit, calm[0], defect[0], there, now, now_there, table, mark, order, gaps, q
        )  # fmt: skip

    def nearest_with(T: Reals, parameter: Reals, now: Reals, table: Reals, q: Reals) -> int:
        """The answer nearest to now, of those with this value of the parameter."""
        rows = reals(numbers)
        valid = reals(branches)
        fit = reals(branches)
        calm = reals(1)
        defect = reals(1)
        there = reals(poses)
        now_there = reals(16)
        mark = integers(branches)
        order = integers(room)
        gaps = reals(room)
        closed(T, parameter, rows, valid, fit, calm, defect)
        for b in range(branches):
            pose(rows[b * dof :], there[16 * b :])
        pose(now, now_there)
        return settle(
            branches, dof, T, rows, fit, calm[0], defect[0], there, now, now_there, table, mark, order, gaps, q
        )  # fmt: skip

    return nearest if len(closed.variables) == 1 else nearest_with
