"""Adams' methods of orders 2 to 13, order and step chosen on the way, as a text that becomes machine code.

Of the times x_n, x_{n−1}, … that were passed, with ẏ = f there, the text keeps the differences

    Φ_j(n) = (x_n − x_{n−1}) … (x_n − x_{n−j}) f[x_n, …, x_{n−j}]

A step of h to x = x_n + h predicts with the polynomial through k of them, and corrects with one point more:

    Φ*_j = β_j Φ_j(n),                 β_j = Π_{i<j} (x − x_{n−i}) / (x_n − x_{n−i−1})
    p  = y_n + h Σ_{j<k} g_j Φ*_j,     g_j = 1/h ∫ Π_{i<j} (s − x_{n−i}) / (x − x_{n−i}) ds
    Φ_k = f(p) − Σ_{j<k} Φ*_j,         y = p + h g_k Φ_k,        Φ_{j+1}(n+1) = Φ_j(n+1) − Φ*_j,  Φ_0(n+1) = f(y)

so a step takes two evaluations whatever its order. |h (g_k − g_{k−1}) Φ_k| is the error of the corrector of order k,
kept below the tolerance; y has one order more. Between two times the polynomial through the newest k + 1 stands.

Source: Hairer, Nørsett, Wanner, "Solving Ordinary Differential Equations I", 2nd ed., section III.5 (these formulas),
section III.7 (order and step size); Shampine, Gordon, "Computer Solution of Ordinary Differential Equations" (1975),
chapters 5 and 7: predict, evaluate, correct, evaluate; the start with order 1; orders compared as if steps were equal.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from manipula.algebra.program.primitives import Reals, exp, log, reals, sqrt
from manipula.algebra.program.tapes import Straight
from manipula.simulation.smooth.differences import (
    MOST,
    ROWS,
    SPANS,
    WIDTH,
    between,
    lower,
    pass_on,
    predict,
    square,
    weigh,
    wide,
)

DONE, MORE, STUCK, LOST, MET = range(5)  # how a call ends
SAFE = 0.35  # of the tolerance: what the next step aims at
EASY = 1.1  # a step that could be longer by less than this stays
UP, DOWN, FAILED = 2.0, 0.5, 0.9  # a step grows and shrinks by at most this; one that failed shrinks by at least this
HALF = 0.5  # of the error: below order 2 another order has to gain so much
FEW = 3  # failures in a row, after which the past is not trusted
SHORT = 1e-13  # of a step: what is left of a motion that ends
LEAST = 1e-15  # of the time so far, or 1 s: a step that is none any more


def _equal_steps(count: int) -> tuple[float, ...]:
    """|γ*_j|, the g_j − g_{j−1} of equal steps: Σ_{i≤j} γ*_i / (j + 1 − i) = 0."""
    found = [1.0]
    for j in range(1, count):
        found.append(-sum(found[i] / (j + 1 - i) for i in range(j)))
    return tuple(map(abs, found))


GAMMA = _equal_steps(ROWS + 1)
LEAVE = tuple(EASY ** (-2 * (order + 1)) for order in range(ROWS))  # of the square of the aim


class Flow:
    """A motion under way: what a call leaves for the next. Arrays have an entry a state, or a row of them a difference.

    `spans[j]` is x_n − x_{n−j}, `known` how many times were passed, as far as they matter; while `starting`, order and
    step grow with every step. `row` is the next of the times to be told, `who` the watched number that came too close
    to its bound.
    """

    time: float
    step: float
    order: int
    known: int
    starting: int
    failed: int
    row: int
    evaluations: int
    steps: int
    who: int
    spans: Annotated[Reals, SPANS]
    y: Reals
    p: Reals
    f: Reals
    total: Reals
    spare: Reals
    scales: Reals
    phi: Reals  # ROWS of them
    star: Reals  # ROWS of them
    seen: Reals
    before: Reals
    moved: Reals


def crossing(m: int, seen: Reals, before: Reals, moved: Reals, bounds: Reals) -> int:
    """The number of the first watched one that may have been beyond its bound since the last time, or −1.

    Between two times it goes no further beyond both than it changed in this step and the one before.
    """
    found = -1
    for i in range(m):
        change = abs(seen[i] - before[i])
        reach = change + moved[i]
        if found < 0 and not (seen[i] - reach > bounds[i] and seen[i] + reach < bounds[m + i]):
            found = i
        moved[i] = change
        before[i] = seen[i]
    return found


def squared(x: float) -> float:
    return x * x


def grown(aim: float, error: float, order: int) -> float:
    """By what the next step may be longer: error ∝ h^(order + 1); both are squares."""
    return exp(0.5 * log(aim / max(error, 1e-60 * aim)) / (order + 1.0))


def adams_text(line: Straight, size: int, watched: int) -> tuple[Callable[..., int], Callable[..., int]]:
    """How a motion begins and goes on, of one function: `line(y, u, [prepared,] ẏ, seen)`, where u[0] is the time."""
    width = wide(size)

    def rate_prepared(y: Reals, u: Reals, kept: Reals, f: Reals, seen: Reals) -> None:
        line(y, u, kept, f, seen)

    def rate_alone(y: Reals, u: Reals, kept: Reals, f: Reals, seen: Reals) -> None:
        line(y, u, f, seen)

    rate = rate_prepared if line.kept else rate_alone

    def begin(s: Flow, u: Reals, kept: Reals, since: float, longest: float, tolerance: float) -> int:
        """At the state s.y."""
        u[0] = since
        rate(s.y, u, kept, s.phi, s.before)
        weigh(width, s.y, s.scales)
        steep = sqrt(square(width, s.phi, s.scales))
        s.time = since
        # Euler's step errs by h² |ÿ| / 2, and ÿ is not known yet: ẏ stands for it
        s.step = min(longest, 0.25 * sqrt(0.5 * tolerance / max(steep, tolerance)))
        s.order = 1
        s.known = 1
        s.starting = 1
        s.failed = 0
        s.row = 0
        s.evaluations = 1
        s.steps = 0
        s.who = -1
        for j in range(1, SPANS):
            s.spans[j] = 1.0  # as long as nothing is known: there Φ is 0
        s.spans[0] = 0.0
        for i in range(watched):
            s.moved[i] = 0.0
        return DONE if steep - steep == 0.0 else LOST

    def attempt(s: Flow, u: Reals, kept: Reals, way: float, there: float, sizes: Reals) -> None:
        """A step by `way` to `there`. Squares of errors: in sizes 0 its own, in 1 the same as if steps were equal; in 4
        h g_k."""
        g = reals(WIDTH)
        k = s.order
        predict(width, k, way, s.spans, g, s.phi, s.star, s.y, s.p, s.total)
        u[0] = there
        rate(s.p, u, kept, s.f, s.seen)
        for i in range(width):
            s.total[i] = s.f[i] - s.total[i]
        beyond = square(width, s.total, s.scales)
        sizes[0] = squared(way * (g[k] - g[k - 1])) * beyond
        sizes[1] = squared(way * GAMMA[k]) * beyond
        sizes[4] = way * g[k]

    def compare(s: Flow, way: float, sizes: Reals) -> bool:
        """Would one order less err no more? Squares of the errors of order k − 1 and k − 2 in sizes 2 and 3."""
        k = s.order
        lower(width, k, s.scales, s.total, s.star, s.spare, sizes)
        for below in range(1, min(k, 3)):
            sizes[1 + below] *= squared(way * GAMMA[k - below])
        if k > 2:
            return max(sizes[2], sizes[3]) <= sizes[1]  # type: ignore[no-any-return]
        return k == 2 and sizes[2] <= squared(HALF) * sizes[1]

    def arrive(s: Flow, u: Reals, kept: Reals, way: float, there: float, share: float) -> None:
        """y = p + h g_k Φ_k, and what is known there."""
        for i in range(width):
            s.y[i] = s.p[i] + share * s.total[i]
        rate(s.y, u, kept, s.f, s.seen)
        pass_on(width, s.order, way, s.spans, s.f, s.phi, s.star)
        s.known = min(s.known + 1, ROWS)
        s.time = there
        s.steps += 1
        weigh(width, s.y, s.scales)

    def tell(s: Flow, times: Reals, count: int, out: Reals) -> None:
        """The states at the times passed so far."""
        while s.row < count and times[s.row] <= s.time:
            if times[s.row] == s.time:
                for i in range(size):
                    out[s.row * size + i] = s.y[i]
            else:
                between(size, width, s.order, times[s.row] - s.time, s.spans, s.phi, s.y, out[s.row * size :])
            s.row += 1

    def retry(s: Flow, way: float, tolerance: float, sizes: Reals) -> None:
        """Order and step after a failure."""
        s.failed += 1
        s.starting = 0
        shorter = DOWN
        if s.failed >= FEW:
            s.order = 1
        else:
            less = compare(s, way, sizes)
            s.order -= 1 if less else 0
            if sizes[0] > 0.0:  # a number
                shorter = min(FAILED, max(DOWN, grown(squared(SAFE * tolerance), sizes[0], s.order)))
        s.step = way * shorter

    def choose(s: Flow, way: float, longest: float, tolerance: float, sizes: Reals) -> None:
        """Order and step after a success: the order that errs least. At the highest, a step that fits stays."""
        k = s.order
        aim = squared(SAFE * tolerance)
        error = sizes[1]
        change = 1.0
        if k < MOST or s.starting == 1 or error > aim or error < aim * LEAVE[k]:
            less = compare(s, way, sizes)
            if s.starting == 1 and not less and k < MOST:
                s.order += 1
                change = UP
            else:
                s.starting = 0
                error = other_order(s, way, less, sizes)
                if error > aim or error < aim * LEAVE[s.order]:
                    change = grown(aim, error, s.order)
        s.failed = 0
        s.step = min(longest, way * min(UP, max(DOWN, change)))

    def other_order(s: Flow, way: float, less: bool, sizes: Reals) -> float:
        """The order that errs least of three; the square of its error."""
        k = s.order
        error = sizes[1]
        higher = 2.0 * error
        if k < MOST and s.known > k + 1:
            higher = squared(way * GAMMA[k + 1]) * square(width, s.phi[(k + 1) * width :], s.scales)
        if less or (k > 1 and sizes[2] <= min(error, higher)):
            s.order -= 1
            error = sizes[2]
        elif higher < (error if k > 1 else squared(HALF) * error):
            s.order += 1
            error = higher
        return error  # type: ignore[no-any-return]

    def go_on(
        s: Flow, u: Reals, kept: Reals, times: Reals, count: int, out: Reals, bounds: Reals, tolerance: float,
        longest: float, budget: int,
    ) -> int:  # fmt: skip
        """To the last of the times, the state at each of them into a row of `out`; or as far as the budget of
        evaluations goes, to be called again."""
        sizes = reals(5)
        end = times[count - 1]
        stop = s.evaluations + budget
        tell(s, times, count, out)
        while s.row < count:
            if s.evaluations >= stop:
                return MORE
            last = s.time + s.step * (1.0 + SHORT) >= end
            way = end - s.time if last else s.step
            there = end if last else s.time + way
            attempt(s, u, kept, way, there, sizes)
            s.evaluations += 1
            if sizes[0] <= squared(tolerance):  # NaN is not
                arrive(s, u, kept, way, there, sizes[4])
                s.evaluations += 1
                tell(s, times, count, out)
                s.who = crossing(watched, s.seen, s.before, s.moved, bounds)
                if s.who >= 0:
                    return MET
                choose(s, way, longest, tolerance, sizes)
            else:
                retry(s, way, tolerance, sizes)
                if s.step <= LEAST * max(1.0, abs(s.time)):
                    return STUCK if sizes[0] > 0.0 else LOST
        return DONE

    return begin, go_on
