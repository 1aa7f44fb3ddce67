"""Which branches of a closed form are answers, on which turn, in which order: texts (see `algebra.program`).

The same text serves the thin call of one pose and the general call of many, in machine code and in plain Python. A
closed form gives for a pose T (16 entries) `branches` rows q of joint positions, the discriminant of each (negative:
out of reach), the least of their amounts (`margin`: where it is small, branches meet) and how far T is from being a
pose (`pose_error`); `there` is the pose of every branch (16 entries each).

A branch counts when its pose is T to within `Table.GOOD`. Where the margin is small branches may meet: equal ones count
once. Turning joints take the turn inside their limits that is nearest to the seed (without one: to the angle as it
comes); a branch with a joint outside is no answer. Unsettled is a target that is no pose, or has a branch that nearly
reaches it and could be polished; of those with a small margin, also one with two branches that may be one; of those
below `Table.SINGULAR` one that no branch reaches (axes in line may leave a joint to the position, of which a closed
form for few joints says nothing); and of those below `Table.FAMILY`, one with a seed or with a joint outside. Where the
margin is below `Table.BLURRED`, what `Table.GOOD` allows can move a joint far: a seed that is at the pose itself then
takes the place of the answer nearest to it.
"""

from __future__ import annotations

from manipula.algebra.program.primitives import Ints, Reals, rint, select

SETTLED, UNSETTLED, ASK_SEED = 0, 1, 2  # what `choose` returns: done, wants a closer look, wants the seed's own pose
WIDTH = 4  # of a pose


class Table:
    """Where the numbers of an arm stand: its tolerances (see `numeric.tolerances`), then the rows of its joints."""

    CLEAN, MARGIN, ALMOST, GOOD, SAME, MAYBE, FAMILY, BESIDE, BLURRED, SINGULAR, TOLD, LOOSE = range(12)
    ROWS = 12


class Row:
    """Rows of one number a joint. A slide has a period and a frequency of 0."""

    PERIOD = 0
    FREQUENCY = 1  # 1 / period
    FIRST = 2  # half a turn inside the limits: of an angle between these the nearest turn is inside;
    LAST = 3  # both are the middle of limits that are less than a turn apart
    LOW = 4  # the limits, a little wider
    HIGH = 5
    COUNT = 6


def meets_column(width: int, T: Reals, there: Reals, allowed: float) -> float:
    """1 where one of the upper three entries of a column of two poses differs by more than is allowed, or is no number.

    Else 0. Entries are `width` apart. As in `wind_joint` nothing jumps: columns are compared side by side.
    """
    first = abs(there[0] - T[0]) <= allowed
    second = abs(there[width] - T[width]) <= allowed
    third = abs(there[2 * width] - T[2 * width]) <= allowed
    # compared by ≤, so that NaN counts as a difference
    off: float = select(first and second and third, 0.0, 1.0)
    return off


def meets(width: int, T: Reals, there: Reals, allowed: float) -> bool:
    """Whether the upper 12 entries of two poses, `width` to a row, differ by no more than is allowed."""
    off = 0.0
    for i in range(width):
        off += meets_column(width, T[i:], there[i:], allowed)
    return off == 0


def apart(dof: int, a: Reals, b: Reals, rows: Reals) -> float:
    """The largest difference of a joint, whole turns left out."""
    most = 0.0
    for j in range(dof):
        gap = a[j] - b[j]
        gap -= rint(gap * rows[Row.FREQUENCY * dof + j]) * rows[Row.PERIOD * dof + j]
        most = max(most, abs(gap))
    return most


def away(dof: int, a: Reals, b: Reals) -> float:
    """The square of the distance of two configurations."""
    total = 0.0
    for j in range(dof):
        gap = a[j] - b[j]
        total += gap * gap
    return total


def within(dof: int, q: Reals, rows: Reals) -> bool:
    """Whether every joint is inside its limits."""
    for j in range(dof):
        if not (q[j] >= rows[Row.LOW * dof + j] and q[j] <= rows[Row.HIGH * dof + j]):
            return False
    return True


def wind_joint(dof: int, q: Reals, seeded: bool, seed: Reals, rows: Reals) -> float:
    """An angle onto the turn inside its limits nearest to the seed, in place; without one it stays.

    Returns 0 where the joint is inside, else 1. The joint is the first of q, its rows are `dof` entries apart. Nothing
    jumps by its data: machine code winds all joints of an arm side by side (see `run.inverse_text`).
    """
    x = q[0]
    aim = max(min(select(seeded, seed[0], x), rows[Row.LAST * dof]), rows[Row.FIRST * dof])
    # a product with 1/period, no division; a slide has 0 and stays
    wound = x + rint((aim - x) * rows[Row.FREQUENCY * dof]) * rows[Row.PERIOD * dof]
    inside = wound >= rows[Row.LOW * dof] and wound <= rows[Row.HIGH * dof]
    q[0] = select(inside, wound, x)
    outside: float = select(inside, 0.0, 1.0)
    return outside


def wind(dof: int, q: Reals, seeded: bool, seed: Reals, rows: Reals) -> bool:
    """The same for all joints; whether all are inside."""
    outside = 0.0
    for j in range(dof):
        outside += wind_joint(dof, q[j:], seeded, seed[j:], rows[j:])
    return outside == 0


def wind_each(n: int, dof: int, q: Reals, seeded: bool, seed: Reals, rows: Reals) -> None:
    """The same for n configurations."""
    for i in range(n):
        wind(dof, q[i * dof :], seeded, seed, rows)


def reach(
    branches: int, dof: int, T: Reals, q: Reals, discriminant: Reals, margin: float, there: Reals, table: Reals,
    mark: Ints,
) -> int:  # fmt: skip
    """Marks of the branches: 0 where one does not reach the pose, 1 where it does, 2 + k where it is branch k again."""
    plain = margin > table[Table.MARGIN]
    met = 0
    for b in range(branches):
        mark[b] = 0
        if not meets(WIDTH, T, there[16 * b :], table[Table.GOOD]):
            # where branches meet, rounding of the pose can cost one of them more than GOOD allows
            lost = not plain and meets(WIDTH, T, there[16 * b :], table[Table.BESIDE])
            if lost or discriminant[b] > table[Table.ALMOST]:
                return UNSETTLED
            continue
        mark[b] = 1
        met += 1
        # with a large margin no two branches can be one: nothing to compare
        for k in range(0 if plain else b):
            if mark[k] == 0:
                continue
            gap = apart(dof, q[b * dof :], q[k * dof :], table[Table.ROWS :])
            if gap < table[Table.MAYBE]:
                if gap >= table[Table.SAME]:
                    return UNSETTLED
                mark[b] = 2 + k
                break
    return UNSETTLED if met == 0 and margin <= table[Table.SINGULAR] else SETTLED


def choose(
    branches: int, dof: int, T: Reals, q: Reals, discriminant: Reals, margin: float, pose_error: float, there: Reals,
    seeded: bool, seed: Reals, table: Reals, mark: Ints,
) -> int:  # fmt: skip
    """Which branches are answers (marked 1, all others 0), each wound in place; SETTLED, UNSETTLED or ASK_SEED."""
    alone = margin > table[Table.FAMILY]
    clean = pose_error <= table[Table.CLEAN] and margin >= 0  # NaN is neither
    if not clean or (seeded and not alone):
        return UNSETTLED
    if reach(branches, dof, T, q, discriminant, margin, there, table, mark) != SETTLED:
        return UNSETTLED
    for b in range(branches):
        if mark[b] == 0:
            continue
        inside = wind(dof, q[b * dof :], seeded, seed, table[Table.ROWS :])
        if mark[b] > 1:
            first = mark[b] - 2
            better = mark[first] == 0 or (seeded and away(dof, q[b * dof :], seed) < away(dof, q[first * dof :], seed))
            mark[b] = 0
            if inside and better:  # of two that differ by whole turns alone: limits may part them
                mark[b] = 1
                mark[first] = 0
            continue
        mark[b] = inside
        if not alone and not inside:
            return UNSETTLED
    if seeded and margin < table[Table.BLURRED] and within(dof, seed, table[Table.ROWS :]):
        return ASK_SEED
    return SETTLED


def seat(branches: int, dof: int, T: Reals, there: Reals, q: Reals, seed: Reals, table: Reals, mark: Ints) -> int:
    """A seed whose pose `there` is T takes the place of the answer nearest to it; without one, UNSETTLED."""
    if not meets(WIDTH, T, there, table[Table.GOOD]):
        return SETTLED
    place = -1
    least = 0.0
    for b in range(branches):
        if mark[b] == 1:
            gap = away(dof, q[b * dof :], seed)
            if place < 0 or gap < least:
                least = gap
                place = b
    if place < 0:
        return UNSETTLED
    for j in range(dof):
        q[place * dof + j] = seed[j]
    return SETTLED


def choose_each(
    poses: int, branches: int, dof: int, T: Reals, step: int, q: Reals, discriminant: Reals, margin: Reals,
    pose_error: Reals, there: Reals, seeded: bool, seed: Reals, seed_there: Reals, table: Reals, mark: Ints,
    unsettled: Ints,
) -> None:  # fmt: skip
    """The same for many poses, `step` numbers apart; `seed_there` is the seed's own pose."""
    for i in range(poses):
        row = i * branches
        state = choose(
            branches, dof, T[i * step :], q[row * dof :], discriminant[row:], margin[i], pose_error[i],
            there[16 * row :], seeded, seed, table, mark[row:],
        )  # fmt: skip
        if state == ASK_SEED:
            state = seat(branches, dof, T[i * step :], seed_there, q[row * dof :], seed, table, mark[row:])
        unsettled[i] = state
        for b in range(branches if state == UNSETTLED else 0):
            mark[row + b] = 0


def rank(
    branches: int, dof: int, q: Reals, mark: Ints, seeded: bool, seed: Reals, order: Ints, gaps: Reals
) -> int:  # fmt: skip
    """The answers' places among the branches, nearest to the seed first, as they come without one; how many there are.

    `gaps` is room for a number of each.
    """
    n = 0
    for b in range(branches):
        order[n] = b
        n += mark[b]
    if not seeded:
        return n
    for k in range(n):
        gaps[k] = away(dof, q[order[k] * dof :], seed)
    # insertion sort: stable, no recursion, and n is 16 at most
    for k in range(1, n):
        gap = gaps[k]
        own = order[k]
        i = k
        while i > 0 and gaps[i - 1] > gap:
            gaps[i] = gaps[i - 1]
            order[i] = order[i - 1]
            i -= 1
        gaps[i] = gap
        order[i] = own
    return n


def prefer(branches: int, dof: int, q: Reals, inside: Ints, seeded: bool, seed: Reals, twin: Ints) -> None:
    """Of branches that are one (`twin`: the earlier, or -1) the one inside, or nearer to the seed, comes first."""
    for b in range(branches):
        if twin[b] < 0:
            continue
        first = twin[b]
        # the first may have been replaced by a better twin above
        while twin[first] >= 0:
            first = twin[first]
        twin[b] = first
        better = inside[first] == 0 or (seeded and away(dof, q[b * dof :], seed) < away(dof, q[first * dof :], seed))
        if inside[b] != 0 and better:
            twin[first] = b
            twin[b] = -1


def gather(n: int, dof: int, q: Reals, order: Ints, answers: Reals) -> None:
    """The answers in their order."""
    for k in range(n):
        for j in range(dof):
            answers[k * dof + j] = q[order[k] * dof + j]
