"""The fastest way along a path under limits that are linear in s̈ and ṡ²: two passes over a grid.

With x = ṡ² and u = s̈, constant from grid point to grid point, x' = 2u:

    low ≤ a u + b x ≤ high   at both ends of an interval of length h, where x is x and x + 2 h u

Backward: the controllable sets, the intervals K_i of x_i from which the end can be reached. Forward: the largest u that
stays in K_{i+1}. For a given x every limit leaves an interval of u, and what all leave in common, min U − max L, is
concave and piecewise linear in x: the ends of K_i are its zeros, found by Newton's method from outside in finitely many
steps.

Source: Pham, Pham, "A new approach to time-optimal path parameterization based on reachability analysis", IEEE
Transactions on Robotics 34 (2018): algorithm 1, with the first-order interpolation scheme of its section V.
These are texts (see `algebra.program`): plain Python here, machine code where they run.
"""

from __future__ import annotations

from manipula.algebra.program.primitives import Reals, reals

STEPS = 200  # of Newton's method; a handful are needed
NEAR = 1e-14


def room(
    m: int, at: int, h: float, x: float, floor: float, roof: float,
    a: Reals, b: Reals, low: Reals, high: Reals, active: Reals,
) -> float:  # fmt: skip
    """min U − max L at x; `active`: b, a and limit of the rows that decide both, then both.

    `floor` and `roof` are the ends of the set that x + 2 h u must be in.
    """
    r = 2 * h
    upper = (roof - x) / r
    lower = (floor - x) / r
    active[0] = 1.0
    active[1] = r
    active[2] = roof
    active[3] = 1.0
    active[4] = r
    active[5] = floor
    for k in range(2 * m):
        j = at * m + k
        p = b[j]
        r = a[j]
        if k >= m:
            r = r + 2 * h * p
        if r != 0.0:
            first = high[j]
            second = low[j]
            if r < 0.0:
                first = low[j]
                second = high[j]
            most = (first - p * x) / r
            least = (second - p * x) / r
            if most < upper:
                upper = most
                active[0] = p
                active[1] = r
                active[2] = first
            if least > lower:
                lower = least
                active[3] = p
                active[4] = r
                active[5] = second
    active[6] = upper
    active[7] = lower
    return upper - lower


def crossing(active: Reals) -> float:
    """Where the two rows leave one u."""
    down = active[0] * active[4] - active[3] * active[1]
    return float((active[2] * active[4] - active[5] * active[1]) / down)


def rise(active: Reals) -> float:
    """The slope of min U − max L."""
    return float(active[3] / active[4] - active[0] / active[1])


def controllable(
    n: int, m: int, h: Reals, a: Reals, b: Reals, low: Reals, high: Reals, top: Reals,
    end: float, least: Reals, most: Reals,
) -> int:  # fmt: skip
    """The sets K_i, from the last to the first; returns the number of a grid point whose set is empty, or −1."""
    active = reals(8)
    least[n] = end
    most[n] = end
    for back in range(n):
        i = n - 1 - back
        x = top[i]
        for _step in range(STEPS):
            g = room(m, i, h[i], x, least[i + 1], most[i + 1], a, b, low, high, active)
            if g >= -NEAR * (abs(active[6]) + abs(active[7])):
                break
            if rise(active) >= 0.0:
                return i
            found = crossing(active)
            if not found < x:
                break
            x = found
        if not x >= 0.0:
            return i
        most[i] = x
        x = 0.0
        for _step in range(STEPS):
            g = room(m, i, h[i], x, least[i + 1], most[i + 1], a, b, low, high, active)
            if g >= -NEAR * (abs(active[6]) + abs(active[7])):
                break
            if rise(active) <= 0.0:
                return i
            found = crossing(active)
            if not found > x:
                break
            x = found
        least[i] = min(x, most[i])
    return -1


def fastest(
    n: int, m: int, h: Reals, a: Reals, b: Reals, low: Reals, high: Reals, top: Reals,
    start: float, end: float, least: Reals, most: Reals, x: Reals, u: Reals,
) -> int:  # fmt: skip
    """x at the n + 1 grid points and u in the n intervals; returns −1, or the grid point where none is left.

    `start` and `end` are x at both ends; `least` and `most` receive the controllable sets. What starts outside the
    first set ends with −2.
    """
    failed = controllable(n, m, h, a, b, low, high, top, end, least, most)
    if failed >= 0:
        return failed
    slack = NEAR * most[0]
    if start < least[0] - slack or start > most[0] + slack:
        return -2
    active = reals(8)
    x[0] = start
    for i in range(n):
        room(m, i, h[i], x[i], least[i + 1], most[i + 1], a, b, low, high, active)
        reached = x[i] + 2 * h[i] * active[6]
        x[i + 1] = min(max(reached, least[i + 1]), most[i + 1])
        u[i] = (x[i + 1] - x[i]) / (2 * h[i])
    return -1
