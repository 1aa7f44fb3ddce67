"""Every branch of a closed form with its verdict, for pages: a text (see `algebra.program`).

It decides as `choose` does for Python; what Python would polish is taken where it meets the pose to `Table.LOOSE`.
Other than that it says of each branch what became of it.
"""

from __future__ import annotations

from manipula.algebra.program.primitives import Ints, Reals
from manipula.ik.choice.text import SETTLED, WIDTH, Table, apart, away, meets, prefer, reach, wind, within
from manipula.ik.controller.nearest import NO_POSE, OK

OFF = 4.0  # entries of a pose that is off by so much may each be off by as much, and so may those of a branch
LOST, OWN = -2, -1  # of `twin`: does not reach the pose; does, as none before it


def meet_loosely(
    branches: int, dof: int, T: Reals, q: Reals, there: Reals, allowed: float, table: Reals, twin: Ints
) -> None:
    """Which branches meet the pose to within what is allowed, and which of them repeat an earlier one."""
    for b in range(branches):
        twin[b] = LOST
        if not meets(WIDTH, T, there[16 * b :], allowed):
            continue
        twin[b] = OWN
        for k in range(b):
            if twin[k] == OWN and apart(dof, q[b * dof :], q[k * dof :], table[Table.ROWS :]) < table[Table.SAME]:
                twin[b] = k
                break


def seat_own(branches: int, dof: int, q: Reals, seed: Reals, table: Reals, twin: Ints) -> None:
    """A seed that stands at the pose takes the place of the answer nearest to it, whole turns left out."""
    place = -1
    least = 0.0
    for b in range(branches):
        if twin[b] == OWN:
            gap = apart(dof, q[b * dof :], seed, table[Table.ROWS :])
            if place < 0 or gap < least:
                least = gap
                place = b
    for j in range(dof if place >= 0 else 0):
        q[place * dof + j] = seed[j]


def judge(
    branches: int, dof: int, T: Reals, q: Reals, fit: Reals, calm: float, defect: float, there: Reals, seeded: bool,
    seed: Reals, seed_there: Reals, table: Reals, twin: Ints, inside: Ints,
) -> int:  # fmt: skip
    """OK or NO_POSE; `twin` and `inside` of every branch, each wound in place."""
    if not (defect <= table[Table.TOLD] and calm >= 0):  # NaN is neither
        return NO_POSE
    settled = False
    if defect <= table[Table.CLEAN]:
        settled = reach(branches, dof, T, q, fit, calm, there, table, twin) == SETTLED
    allowed = table[Table.LOOSE] + OFF * defect
    if settled:
        for b in range(branches):
            twin[b] = twin[b] - 2  # marks of `reach`: 0 lost, 1 its own, 2 + k the same as k
    else:
        meet_loosely(branches, dof, T, q, there, allowed, table, twin)
    asked = seeded and (not settled or calm < table[Table.BLURRED]) and within(dof, seed, table[Table.ROWS :])
    if asked and meets(WIDTH, T, seed_there, table[Table.GOOD] if settled else allowed):
        seat_own(branches, dof, q, seed, table, twin)
    for b in range(branches):
        inside[b] = 1 if wind(dof, q[b * dof :], seeded, seed, table[Table.ROWS :]) else 0
    prefer(branches, dof, q, inside, seeded, seed, twin)
    return OK


def nearest_of(branches: int, dof: int, q: Reals, twin: Ints, inside: Ints, seeded: bool, seed: Reals) -> int:
    """The answer nearest to the seed, the first without one; −1 where there is none."""
    place = -1
    least = 0.0
    for b in range(branches):
        if twin[b] == OWN and inside[b] == 1:
            gap = away(dof, q[b * dof :], seed) if seeded else 0.0
            if place < 0 or gap < least:
                least = gap
                place = b
    return place
