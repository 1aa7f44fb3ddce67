"""Many starts, one winner: every function is searched for a while, the best third goes on, for three times as long.

How cheap a function can become shows only in the search: of two formulations the dearer often ends below the other.
Those of one basin are much alike, and some basins bloom late; so at first each sends on a third of its own, and only
the best of the basins meet. Each round takes the same number of moves; what a round has found is where the next begins.
The last two functions run to the end. With limits in moves the result does not depend on how many run side by side.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from math import ceil
from typing import Any

from manipula.algebra.expr.function import Function
from manipula.algebra.optimise.brake import Brake, brake_from
from manipula.algebra.optimise.price import Aim, Price
from manipula.algebra.optimise.search.engine import MOVES_PER_SECOND, SHORT, searched
from manipula.support.progress import Effort

FINAL = 2  # functions in the last round
FEW_ROUNDS = 4
THINNING = 3  # of so many functions one goes on


def winner(
    functions: Sequence[Function], basins: Sequence[Hashable], effort: Effort, aim: Aim, workers: int
) -> Function:
    """The cheapest function found from any of these, by so many workers side by side."""
    price, brake = aim.price, brake_from(effort.stop)
    moves = effort.moves or MOVES_PER_SECOND * (effort.seconds or 0.0)
    entrants, effort = _affordable(functions, moves, workers, price), replace(effort, stop=brake)
    basins = basins[: len(entrants)]
    rounds = _rounds(basins)

    def run(function: Function, share: float, seed: int) -> Function:
        return searched(function, effort.part(share, seed), aim)

    for turn in range(rounds):
        roads = max(1, workers // len(entrants))  # several from the same start, if there are too few
        entrants, basins = entrants * roads, [*basins] * roads
        share = workers / (rounds * len(entrants))
        runs = [(function, share, effort.seed + turn + rounds * i) for i, function in enumerate(entrants)]
        found = _all(run, runs, workers, brake)
        totals = [price.total(function) for function in found]
        ranked = sorted(range(len(found)), key=totals.__getitem__)
        effort.tell(f"round {turn + 1} of {rounds}: {min(totals)}, the best of {len(found)}")
        if brake():
            break
        kept = [ranked[place] for place in _going_on([basins[i] for i in ranked])]
        entrants, basins = [found[i] for i in kept], [basins[i] for i in kept]
    return found[ranked[0]]


def _going_on(basins: Sequence[Hashable]) -> list[int]:
    """Which places of a ranking go on: the first third of each basin; of all, once each basin has only one."""
    size, seen = Counter(basins), Counter[Hashable]()
    if max(size.values()) == 1 or len(size) == 1:
        return list(range(min(len(basins), max(FINAL, ceil(len(basins) / THINNING)))))
    kept = []
    for place, basin in enumerate(basins):
        seen[basin] += 1
        if seen[basin] <= ceil(size[basin] / THINNING):
            kept.append(place)
    return kept


def _rounds(basins: Sequence[Hashable]) -> int:
    """How many it takes until two are left, and theirs."""
    rounds = 1
    while len(basins) > FINAL:
        rounds, basins = rounds + 1, [basins[place] for place in _going_on(basins)]
    return rounds


def _affordable(functions: Sequence[Function], moves: float, workers: int, price: Price) -> list[Function]:
    """As many of the first functions as a search can do something for in the first of a few rounds."""
    short = SHORT * max(price.total(functions[0]), 1)
    return list(functions[: max(FINAL, int(moves * workers / (FEW_ROUNDS * short)))])


def _all(run: Callable[..., Function], runs: Sequence[tuple[Any, ...]], workers: int, brake: Brake) -> list[Function]:
    """All runs, some side by side; an interrupt ends every one and keeps what they have."""
    with ThreadPoolExecutor(workers) as pool:
        futures = [pool.submit(run, *arguments) for arguments in runs]
        try:
            return [future.result() for future in futures]
        except KeyboardInterrupt:
            brake.press()
            return [future.result() for future in futures]
