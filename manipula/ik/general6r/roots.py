"""Roots polished, distinguished and counted.

A collection is four arrays: `count` (real ones, pairs, distant ones), the angles of the real ones, two numbers about
each (its residual, how far its twin is), and the angles of one of each complex pair.
"""

from __future__ import annotations

from manipula.algebra.program.linear_algebra import factorised, largest, solved, solved_transposed
from manipula.algebra.program.primitives import (
    Complexes,
    Ints,
    Numbers,
    Reals,
    complexes,
    imag,
    integers,
    number,
    real,
    reals,
    sqrt,
)
from manipula.ik.general6r.arm import ArmTable, forward, jacobian, newton, newton_step
from manipula.ik.numeric.tolerances import Beyond, RootTolerance

# Real roots made exact: residuals, polish, and the twin of a root.

POLISH = 3
STIFF_POLISH = 8
TURNS = 4  # of the iteration for the direction in which the tool hardly moves


def residual(arm: Reals, target: Reals, angles: Reals) -> float:
    """The largest entry of |FK − pose|, world units."""
    axes = reals(18)
    points = reals(18)
    end = reals(12)
    half = reals(12)
    forward(arm, angles, axes, points, end)
    for i in range(3):
        for j in range(4):
            end[i * 4 + j] -= target[i * 4 + j]
        # lengths were scaled to the arm; a residual is compared in metres, whatever the size of the arm
        end[i * 4 + 3] *= arm[ArmTable.UNIT]
    for i in range(3):
        for j in range(4):
            # FIRST · off · LAST: back to base and tool as the caller gave them, where he compares
            half[i * 4 + j] = 0.0
            for k in range(3):
                half[i * 4 + j] += arm[ArmTable.FIRST + i * 4 + k] * end[k * 4 + j]
    worst = 0.0
    for i in range(3):
        for j in range(4):
            off = half[i * 4 + 3] if j == 3 else 0.0
            for k in range(3):
                off += half[i * 4 + k] * arm[ArmTable.LAST + k * 4 + j]
            worst = max(worst, abs(off))
    return worst


def polished(arm: Reals, target: Reals, angles: Reals, stiff: bool) -> float:
    """Newton steps where they help; the residual. A stiff root may be off though its residual is rounding."""
    step = reals(6)
    there = reals(6)
    J = reals(36)
    order = integers(6)
    fine = RootTolerance.FINE * max(1.0, arm[ArmTable.UNIT])
    worst = residual(arm, target, angles)
    for _ in range(STIFF_POLISH if stiff else POLISH):
        # a stiff root is stepped on: its residual is rounding long before its angles are right
        if worst <= fine and not stiff:
            break
        size = newton_step(arm, target, angles, step, J, order)
        for i in range(6):
            there[i] = angles[i] + step[i]
        found = residual(arm, target, there)
        # a residual of rounding cannot fall any more, though the step may still improve a stiff root
        if not (found < worst or found <= fine) or not size < RootTolerance.CONVERGED:
            break
        worst = found
        for i in range(6):
            angles[i] = there[i]
        if size < RootTolerance.SETTLED:
            break
    return worst


def passed(arm: Reals, target: Reals, angles: Reals, steps: int) -> float:
    """The best place that Newton's method passes, and its residual."""
    step = reals(6)
    here = reals(6)
    J = reals(36)
    order = integers(6)
    for i in range(6):
        here[i] = angles[i]
    worst = residual(arm, target, angles)
    for _ in range(steps):
        size = newton_step(arm, target, here, step, J, order)
        # written so that NaN, of a Jacobian that lost its rank, ends the walk as well
        if not size < RootTolerance.REACH:
            break
        for i in range(6):
            here[i] += step[i]
        found = residual(arm, target, here)
        if found < worst:
            worst = found
            for i in range(6):
                angles[i] = here[i]
    return worst


def unit_length(x: Reals) -> float:
    """Scale six numbers to length 1; the length they had."""
    total = 0.0
    for i in range(6):
        total += x[i] * x[i]
    length = sqrt(total) + Beyond.NOTHING
    for i in range(6):
        x[i] /= length
    return length


def twin(arm: Reals, angles: Reals, there: Reals) -> float:
    """Where the second root beside a root should be, to second order, and how far away; 0 if the root is not alone.

    Along the direction n that moves the tool least, t s + t^2/2 h = 0 with s how much it does and h the change of J n
    along n. Where both vanish the arm moves and the tool does not.
    """
    J = reals(36)
    ahead = reals(36)
    behind = reals(36)
    end = reals(12)
    n = reals(6)
    u = reals(6)
    order = integers(6)
    jacobian(arm, angles, J, end)
    factorised(6, J, order)
    for i in range(6):
        # any start that is not across the direction sought; unequal entries, since arms are often symmetric
        n[i] = 1.0 / (1 + i)
    least = 0.0
    for _ in range(TURNS):
        for i in range(6):
            u[i] = n[i]
        # inverse iteration on J Jᵀ: u and n become the singular vectors of the smallest singular value
        solved_transposed(6, J, order, u)
        unit_length(u)
        for i in range(6):
            n[i] = u[i]
        solved(6, 1, J, order, n)
        least = 1 / unit_length(n)
    for i in range(6):
        there[i] = angles[i] + RootTolerance.SMALL * n[i]
    # central differences: their error is of second order in SMALL
    jacobian(arm, there, ahead, end)
    for i in range(6):
        there[i] = angles[i] - RootTolerance.SMALL * n[i]
    jacobian(arm, there, behind, end)
    h = 0.0
    for i in range(6):
        for j in range(6):
            h += u[i] * (ahead[i * 6 + j] - behind[i * 6 + j]) * n[j]
    h /= 2 * RootTolerance.SMALL
    t = 0.0
    if not (least < RootTolerance.MOVES and abs(h) < RootTolerance.BENDS):
        t = RootTolerance.TWIN if h == 0 else -2 * least / h
        # second order holds nearby only: beyond TWIN the guess means nothing but "far"
        t = min(max(t, -RootTolerance.TWIN), RootTolerance.TWIN)
    for i in range(6):
        there[i] = angles[i] + t * n[i]
    return abs(t) * largest(6, n)


MOST = 32  # roots of a kind
REAL = 0  # places in `count`
PAIRS = 1
DISTANT = 2
LONG = 24  # Newton steps; towards a double root they only halve the way
PI = 3.141592653589793


def emptied(count: Ints) -> None:
    """A collection with nothing in it."""
    count[REAL] = 0
    count[PAIRS] = 0
    count[DISTANT] = 0


def principal(angle: float) -> float:
    """The same angle in (-pi, pi]."""
    while angle > PI:
        angle -= 2 * PI
    while angle <= -PI:
        angle += 2 * PI
    return angle


def leaning(angles: Complexes) -> float:
    """The largest imaginary part."""
    most = 0.0
    for i in range(6):
        most = max(most, abs(imag(angles[i])))
    return most


def distance(a: Numbers, b: Numbers) -> float:
    """The largest difference of two roots, whole turns apart."""
    far = 0.0
    for i in range(6):
        gap = a[i] - b[i]
        far = max(far, abs(principal(real(gap))) + abs(imag(gap)))
    return far


def known(count: int, rows: Numbers, angles: Numbers) -> bool:
    """Is one of the rows the same root?"""
    found = False
    for k in range(count):
        found = found or distance(rows[6 * k :], angles) < RootTolerance.SAME
    return found


def add_real(arm: Reals, target: Reals, angles: Reals, stiff: bool, count: Ints, rows: Reals, about: Reals) -> None:
    """Polish a real root and keep it, unless it is there already."""
    there = reals(6)
    worst = polished(arm, target, angles, stiff)
    k = count[REAL]
    # polished first: rough copies of one root lie farther apart than different roots may
    if k < MOST and not known(k, rows, angles):
        for i in range(6):
            rows[k * 6 + i] = principal(angles[i])
        about[2 * k] = worst
        about[2 * k + 1] = twin(arm, angles, there) if stiff else Beyond.NEVER
        count[REAL] = k + 1


def add_double(angles: Reals, worst: float, apart: float, count: Ints, rows: Reals, about: Reals) -> None:
    """Keep two roots that rounding does not tell apart as one that counts twice; or a member of a family."""
    n = count[REAL]
    near = 0
    at = 0
    for k in range(n):
        if distance(rows[6 * k :], angles) < RootTolerance.BLUR:
            near += 1
            at = k
    # beside one root it is that root, counted twice; of two both are there already
    if near == 1:
        about[2 * at + 1] = min(about[2 * at + 1], apart)
    if near == 0 and n < MOST:
        for i in range(6):
            rows[n * 6 + i] = principal(angles[i])
        about[2 * n] = worst
        about[2 * n + 1] = apart
        count[REAL] = n + 1


def add_pair(angles: Complexes, count: Ints, pairs: Complexes) -> None:
    """Keep a complex root, of a pair always the same one."""
    side = 0.0
    for i in range(6):
        # unequal weights: imaginary parts of two joints often cancel exactly
        side += imag(angles[i]) * (1.0 - 0.17 * i)
    if side < 0:
        for i in range(6):
            angles[i] = number(real(angles[i]), -imag(angles[i]))
    k = count[PAIRS]
    if k < MOST and not known(k, pairs, angles):
        for i in range(6):
            pairs[k * 6 + i] = angles[i]
        count[PAIRS] = k + 1


def settle_real(arm: Reals, target: Reals, angles: Reals, stiff: bool, count: Ints, rows: Reals, about: Reals) -> None:
    """Keep what Newton's method finds from real angles. Beside a double root it may not come to rest: rounding."""
    there = reals(6)
    pull = newton(arm, target, angles, LONG)
    if pull >= 0:
        add_real(arm, target, angles, stiff or not pull < RootTolerance.STIFF, count, rows, about)
        return
    # steps towards a double root go astray by rounding: the best place on the way has to do
    worst = passed(arm, target, angles, LONG)
    if worst <= RootTolerance.ROUNDING * max(1.0, arm[ArmTable.UNIT]):
        apart = twin(arm, angles, there)
        if apart < RootTolerance.BLUR:
            add_double(angles, worst, min(apart, RootTolerance.SAME / 2), count, rows, about)
        else:
            add_real(arm, target, angles, True, count, rows, about)


def settle(
    arm: Reals, target: Reals, begin: Complexes, count: Ints, rows: Reals, about: Reals, pairs: Complexes
) -> None:
    """Keep what Newton's method finds from a rough root; not if it strays beyond the horizon, what is there is counted.

    Two close real roots may come as a complex pair: its imaginary part points from their middle to each.
    """
    z = complexes(6)
    x = reals(6)
    off = leaning(begin)
    for i in range(6):
        z[i] = begin[i]
        x[i] = real(begin[i])
    if off == 0:
        settle_real(arm, target, x, False, count, rows, about)
        return
    pull = newton(arm, target, z, LONG)
    lean = leaning(z)
    # converged and clearly complex: a pair, which only counts
    if pull >= 0 and pull < RootTolerance.LOOSE and lean > RootTolerance.REAL and lean < RootTolerance.INFINITY:
        if lean <= arm[ArmTable.HORIZON] or lean - off < RootTolerance.STRAYED:
            add_pair(z, count, pairs)
        return
    if pull >= 0 and lean <= RootTolerance.REAL:
        for i in range(6):
            x[i] = real(z[i])
        add_real(arm, target, x, True, count, rows, about)
    # both ends are tried: rounding may have made two real roots a complex pair
    if off < RootTolerance.PAIR:
        for side in range(2):
            for i in range(6):
                x[i] = real(begin[i]) + (imag(begin[i]) if side == 0 else -imag(begin[i]))
            settle_real(arm, target, x, True, count, rows, about)


def total(count: Ints, about: Reals) -> int:
    """Roots counted, double ones twice."""
    found: int = count[REAL] + 2 * (count[PAIRS] + count[DISTANT])
    for k in range(count[REAL]):
        # its twin is closer than two roots can be distinguished: both are this row
        if about[2 * k + 1] < RootTolerance.SAME:
            found += 1
    return found


def merge(
    count: Ints, rows: Reals, about: Reals, pairs: Complexes, more: Ints, rows2: Reals, about2: Reals, pairs2: Complexes
) -> None:
    """Put the roots of a second collection into the first."""
    for k in range(more[REAL]):
        at = count[REAL]
        if at < MOST and not known(at, rows, rows2[6 * k :]):
            for i in range(6):
                rows[at * 6 + i] = rows2[6 * k + i]
            about[2 * at] = about2[2 * k]
            about[2 * at + 1] = about2[2 * k + 1]
            count[REAL] = at + 1
    for k in range(more[PAIRS]):
        at = count[PAIRS]
        if at < MOST and not known(at, pairs, pairs2[6 * k :]):
            for i in range(6):
                pairs[at * 6 + i] = pairs2[6 * k + i]
            count[PAIRS] = at + 1
