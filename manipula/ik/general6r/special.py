"""Special poses: multiple roots and members of families, found from the solutions of a pose beside."""

from __future__ import annotations

from manipula.algebra.program.linear_algebra import largest
from manipula.algebra.program.primitives import Complexes, Ints, Reals, complexes, integers, real, reals, sqrt
from manipula.ik.general6r.arm import ArmTable, composed, jacobian, missing
from manipula.ik.general6r.roots import (
    DISTANT,
    MOST,
    PAIRS,
    REAL,
    emptied,
    known,
    leaning,
    merge,
    principal,
    residual,
    settle,
    settle_real,
    total,
    twin,
)
from manipula.ik.numeric.tolerances import Beyond, RootTolerance

# to the pose beside: a turn and a shift of some 1e-5, in no special direction
BESIDE = (
    0.99999999995451, -4.700025314735267e-06, -8.299985664455977e-06, -3.9e-06,
    4.699974684591078e-06, 0.9999999999703499, -6.1000195045264315e-06, 7.1e-06,
    8.300014334499352e-06, 6.099980494521602e-06, 0.9999999999469501, 5.3e-06,
)  # fmt: skip
STEPS = 20  # of least length
SWEEPS = 12  # of Jacobi's method; six columns are square after six


def least_step(J: Reals, twist: Reals, step: Reals) -> None:
    """The shortest step with J step = twist, what hardly moves the tool left out; J is destroyed.

    One-sided Jacobi (Hestenes 1958): columns of J are turned in pairs until all are square to each other; then
    J V = U S, and the step is the sum of V's columns, each by (column of J V) . twist / s^2.
    """
    V = reals(36)
    for i in range(36):
        V[i] = 1.0 if i % 7 == 0 else 0.0
    for _ in range(SWEEPS):
        turned = 0
        for p in range(5):
            for q in range(p + 1, 6):
                turned += square_up(J, V, p, q)
        if turned == 0:
            break
    most = 0.0
    for k in range(6):
        step[k] = 0.0
        most = max(most, column_square(J, k))
    for k in range(6):
        size = column_square(J, k)
        # squares are compared with the square of the tolerance
        if size > RootTolerance.RANK * RootTolerance.RANK * most:
            share = 0.0
            for i in range(6):
                share += J[i * 6 + k] * twist[i]
            share /= size
            for i in range(6):
                step[i] += V[i * 6 + k] * share


def column_square(A: Reals, k: int) -> float:
    """The square of a column's length."""
    total = 0.0
    for i in range(6):
        total += A[i * 6 + k] * A[i * 6 + k]
    return total


def square_up(A: Reals, V: Reals, p: int, q: int) -> int:
    """Turn columns p and q until they are square to each other; 0 where they are."""
    a = column_square(A, p)
    b = column_square(A, q)
    dot = 0.0
    for i in range(6):
        dot += A[i * 6 + p] * A[i * 6 + q]
    if abs(dot) <= RootTolerance.SQUARE * sqrt(a * b):
        return 0
    # the smaller of the two angles that make them square (Rutishauser 1966): with the larger it need not converge
    half = (b - a) / (2 * dot)
    t = 1 / (abs(half) + sqrt(1 + half * half))
    t = -t if half < 0 else t
    c = 1 / sqrt(1 + t * t)
    turn(A, p, q, c, c * t)
    turn(V, p, q, c, c * t)
    return 1


def turn(A: Reals, p: int, q: int, c: float, s: float) -> None:
    """Two columns by an angle."""
    for i in range(6):
        x = A[i * 6 + p]
        y = A[i * 6 + q]
        A[i * 6 + p] = c * x - s * y
        A[i * 6 + q] = s * x + c * y


def ease_to_target(arm: Reals, target: Reals, angles: Reals) -> float:
    """Where steps of least length lead, in place, and the residual there: a solution that need not be isolated."""
    J = reals(36)
    end = reals(12)
    twist = reals(6)
    step = reals(6)
    for _ in range(STEPS):
        jacobian(arm, angles, J, end)
        missing(end, target, twist)
        least_step(J, twist, step)
        if not largest(6, step) < Beyond.FINITE:
            return Beyond.NEVER
        for i in range(6):
            angles[i] += step[i]
    return residual(arm, target, angles)


def keep_eased(arm: Reals, target: Reals, start: Complexes, count: Ints, rows: Reals, about: Reals) -> None:
    """Keep the solution that least steps find from a start that is almost real."""
    x = reals(6)
    there = reals(6)
    for i in range(6):
        x[i] = real(start[i])
    worst = ease_to_target(arm, target, x)
    k = count[REAL]
    if worst < RootTolerance.EASED * max(1.0, arm[ArmTable.UNIT]) and k < MOST and not known(k, rows, x):
        for i in range(6):
            rows[6 * k + i] = principal(x[i])
        about[2 * k] = worst
        about[2 * k + 1] = twin(arm, x, there)
        count[REAL] = k + 1


def keep_near(
    arm: Reals, target: Reals, begin: Complexes, count: Ints, rows: Reals, about: Reals, pairs: Complexes
) -> None:
    """Keep what Newton's method finds from a root of the pose beside."""
    x = reals(6)
    for i in range(6):
        x[i] = real(begin[i])
    if leaning(begin) == 0:
        settle_real(arm, target, x, False, count, rows, about)
    else:
        settle(arm, target, begin, count, rows, about, pairs)


def count_isolated(count: Ints, about: Reals) -> int:
    """The number of roots that are certainly alone."""
    found: int = 2 * (count[PAIRS] + count[DISTANT])
    for k in range(count[REAL]):
        if about[2 * k + 1] >= RootTolerance.SAME:
            found += 1
    return found


def beside(
    arm: Reals, bound: int, target: Reals, other: Ints, rows2: Reals, about2: Reals, pairs2: Complexes, count: Ints,
    rows: Reals, about: Reals, pairs: Complexes,
) -> int:  # fmt: skip
    """Add what is near the roots (`other`, `rows2` …) of the pose beside; how many of all are certainly alone."""
    near = integers(3)
    rows3 = reals(6 * MOST)
    about3 = reals(2 * MOST)
    pairs3 = complexes(6 * MOST)
    begin = complexes(6)
    emptied(near)
    # isolated roots first: a least step may end on a family beside one of them
    for eased_too in range(2):
        for k in range(other[REAL] + other[PAIRS]):
            for i in range(6):
                at = 6 * k + i
                begin[i] = rows2[at] if k < other[REAL] else pairs2[at - 6 * other[REAL]]
            if eased_too == 0:
                keep_near(arm, target, begin, near, rows3, about3, pairs3)
            elif leaning(begin) < RootTolerance.ALMOST:
                keep_eased(arm, target, begin, near, rows3, about3)
    merge(count, rows, about, pairs, near, rows3, about3, pairs3)
    # the account of the pose beside is only trusted when it is full
    count[DISTANT] = other[DISTANT] if total(other, about2) >= bound else 0
    return count_isolated(count, about)


def pose_beside(target: Reals, other: Reals) -> None:
    """The target moved a little."""
    motion = reals(12)
    for i in range(12):
        motion[i] = BESIDE[i]
    composed(target, motion, other)
