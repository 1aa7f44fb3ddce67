"""Many starts, one winner: every function is searched for a while, the best third goes on, for three times as long.

How cheap a function can become shows only in the search: of two formulations the dearer often ends below the other.
Each round takes the same number of moves; what a round has found is where the next begins. The last two functions run
to the end. With limits in moves the result does not depend on how many run side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from math import ceil, log
from threading import Event
from typing import Any

from manipula.algebra.expr.function import Function
from manipula.algebra.optimise.price import Price
from manipula.algebra.optimise.search.engine import MOVES_PER_SECOND, SHORT, searched

FINAL = 2  # functions in the last round
FEW_ROUNDS = 4
THINNING = 3  # of so many functions one goes on


def winner(
    functions: Sequence[Function],
    *,
    moves: int | None,
    seconds: float | None,
    seed: int,
    price: Price,
    workers: int,
    divisors: Sequence[str] = (),
    tell: Callable[[str], None] = lambda text: None,
    stop: Callable[[], bool] = lambda: False,
) -> Function:
    """The cheapest function found from any of these. `moves` are those of one worker; `seconds` are by the clock."""
    entrants, over = _affordable(functions, moves or MOVES_PER_SECOND * (seconds or 0.0), workers, price), Event()
    rounds = 1 + ceil(log(max(len(entrants) / FINAL, 1), THINNING))

    def run(function: Function, share: float, seed: int) -> Function:
        return searched(
            function, moves=moves and max(int(moves * share), 1), seconds=seconds and seconds * share, seed=seed,
            price=price, divisors=divisors, stop=lambda: over.is_set() or stop(),
        )  # fmt: skip

    for turn in range(rounds):
        entrants = entrants if len(entrants) >= workers else entrants * workers  # two roads from the same start
        share = workers / (rounds * len(entrants))
        runs = [(function, share, seed + turn + rounds * i) for i, function in enumerate(entrants)]
        entrants = sorted(_all(run, runs, workers, over), key=price.total)
        tell(f"round {turn + 1} of {rounds}: {price.total(entrants[0])}, the best of {len(entrants)}")
        if over.is_set() or stop():
            break
        entrants = entrants[: max(FINAL, ceil(len(entrants) / THINNING))]
    return entrants[0]


def _affordable(functions: Sequence[Function], moves: float, workers: int, price: Price) -> list[Function]:
    """As many of the first functions as a search can do something for in the first of a few rounds."""
    short = SHORT * max(price.total(functions[0]), 1)
    return list(functions[: max(FINAL, int(moves * workers / (FEW_ROUNDS * short)))])


def _all(run: Callable[..., Function], runs: Sequence[tuple[Any, ...]], workers: int, over: Event) -> list[Function]:
    """All runs, some side by side; an interrupt ends every one and keeps what they have."""
    with ThreadPoolExecutor(workers) as pool:
        futures = [pool.submit(run, *arguments) for arguments in runs]
        try:
            return [future.result() for future in futures]
        except KeyboardInterrupt:
            over.set()
            return [future.result() for future in futures]
