"""`search_ways`: the same function computed in a cheaper way, found by annealing over the ways to compute its values.

A run is a list of rounds; each begins with the best ways so far, or others as cheap, warm, and ends cold. The random
numbers follow from the seed, so the same seed and number of moves give the same function. A limit in seconds only cuts
short a run that is given in moves; given alone, it sets the pace of the cooling.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from math import ceil, exp, log
from threading import Event
from time import perf_counter
from typing import Any

from manipula.algebra.expr.field import P, hash_to_field
from manipula.algebra.expr.function import Function
from manipula.algebra.optimise.descend import Brake, brake_from
from manipula.algebra.optimise.price import CLASSICAL_AIM, Aim, Price
from manipula.algebra.optimise.prove import compare_once
from manipula.algebra.optimise.search.run import anneal
from manipula.algebra.optimise.search.table import STEEPEST, Now
from manipula.algebra.optimise.search.ways import Ways, function_from_ways, reference_from_function, ways_from_function
from manipula.support.progress import Effort, Stop, Tell, never

MOVES = 2_000_000  # moves, when no limit is given
CHUNK = 10_000  # moves at one temperature
TELL_EVERY = 2.0  # s


@dataclass(frozen=True)
class Round:
    """A part of a run: its share of the moves, and the temperatures between which it cools."""

    share: float
    warm: float
    cold: float

    def temperature(self, progress: float) -> float:
        """At a progress of 0 … 1 in this round."""
        return self.warm * exp(progress * log(self.cold / self.warm))


Rounds = tuple[Round, ...]
CYCLE: Rounds = (Round(0.2, 0.35, 0.1), Round(0.2, 0.45, 0.1), Round(0.2, 0.4, 0.1), Round(0.4, 0.5, 0.2))
DESCENT: Rounds = (Round(1.0, 0.01, 0.01),)  # only moves that do not raise the price
FAST: Rounds = (Round(0.4, 0.01, 0.01), Round(0.2, 0.3, 0.05), Round(0.2, 0.3, 0.05), Round(0.2, 0.3, 0.05))
MOVES_PER_OPERATION = 2_000  # in a cycle: many short kicks from the best find more than a few long ones
SHORT = 200  # moves for each operation
MOVES_PER_SECOND = 2_000_000  # a guess, for plans only


def rounds_for(moves: float, operations: int) -> Rounds:
    """As many cycles as are worth while; a run too short for one only descends."""
    if moves < SHORT * operations:
        return DESCENT
    cycles = max(1, int(moves / (MOVES_PER_OPERATION * operations)))
    return tuple(replace(part, share=part.share / cycles) for _ in range(cycles) for part in CYCLE)


def search_ways(
    function: Function, effort: Effort, aim: Aim = CLASSICAL_AIM, *, rounds: Rounds | None = None, chains: int = 1
) -> Function:
    """The function in the cheapest way found; never dearer than it came. An interrupt keeps the best so far.

    `chains` independent searches run side by side, one thread each; the best wins.
    """
    start_price = aim.price.total(function)
    if start_price == 0:
        return function  # there is nothing to move
    limits = SearchLimits(effort.moves if effort.moves or effort.seconds else MOVES, effort.seconds, effort.stop)
    # a limit in seconds is a guess in moves: it only chooses the number of cycles
    plan = rounds or rounds_for(limits.expected_moves, start_price)
    seeds = [hash_to_field("search", effort.seed, chain) for chain in range(chains)]
    runs = [Search(function, aim, seed, limits, plan) for seed in seeds]
    _run_all(runs, limits, effort.tell)
    best = min(runs, key=lambda run: run.best_price)
    if best.best_price >= start_price:
        return function
    # the kernel trusts the table of values: a clash in it is found here, before a proof is paid for
    compare_once(best.best, reference_from_function(function), "the search checks its own result")
    return best.best


def relaxed_price(function: Function, moves: int, aim: Aim = CLASSICAL_AIM) -> int:
    """The price after so many moves that only go down: how good a start this is. The function itself is not made."""
    if aim.price.total(function) == 0:
        return 0  # there is nothing to move
    return int(_descend(function, moves, aim).ways.state.now[Now.BEST])


def relaxed_function(function: Function, moves: int, aim: Aim = CLASSICAL_AIM) -> Function:
    """The function behind that price."""
    if aim.price.total(function) == 0:
        return function
    run = _descend(function, moves, aim)
    run.keep()
    return run.best


def _descend(function: Function, moves: int, aim: Aim) -> Search:
    run = Search(function, aim, 0, SearchLimits(moves, None, never), DESCENT)
    while run.done < moves:
        run.chunk(DESCENT[0].cold)
    return run


@dataclass
class SearchLimits:
    """How long a run may take."""

    moves: int | None
    seconds: float | None
    stop: Stop
    start: float = field(default_factory=perf_counter)
    over: Event = field(default_factory=Event)

    @property
    def elapsed_time(self) -> float:
        return perf_counter() - self.start

    @property
    def expected_moves(self) -> float:
        return self.moves or MOVES_PER_SECOND * (self.seconds or 0.0)

    def progress(self, done: int) -> float:
        """0 … 1, by moves where they are limited, else by time."""
        if not self.over.is_set() and (self.stop() or (self.seconds is not None and self.elapsed_time >= self.seconds)):
            self.over.set()
        if self.over.is_set():
            return 1.0
        return done / self.moves if self.moves else self.elapsed_time / (self.seconds or 1.0)

    def chunk(self, done: int) -> int:
        return min(CHUNK, self.moves - done) if self.moves else CHUNK


class Search:
    """One chain: the ways at hand, and the best function so far."""

    def __init__(self, function: Function, aim: Aim, seed: int, limits: SearchLimits, rounds: Rounds) -> None:
        self.price, self.limits, self.rounds, self.divisors = aim.price, limits, rounds, aim.divisors
        self.best, self.best_price = function, self.price.total(function)
        # a multiplicative generator that begins with 0 stays there
        self.random, self.done = 1 + seed % (P - 1), 0
        self.ways = self.begin(function)

    def begin(self, function: Function) -> Ways:
        ways = ways_from_function(function, self.price, divisors=self.divisors)
        ways.state.now[Now.RANDOM] = self.random
        return ways

    def run(self) -> Iterator[float]:
        """All rounds; yields the temperature after every chunk."""
        begin = 0.0
        for part in self.rounds:
            if self.limits.over.is_set():
                return
            now = self.ways.state.now
            if (
                now[Now.COST] > now[Now.BEST]
            ):  # where it ended as cheap as the best, a search goes on along the level stretch
                self.ways = self.begin(self.best)
            end = begin + part.share
            # shares are added up: their rounding must not give a round one chunk more
            while (progress := self.limits.progress(self.done)) < end - 1e-12:
                temperature = part.temperature((progress - begin) / part.share)
                self.chunk(temperature)
                yield temperature
            self.keep()
            begin = end

    def chunk(self, temperature: float) -> None:
        state = self.ways.state
        scale = temperature * self.price.unit
        state.chances[:] = [int((P - 1) * exp(-rise / scale)) for rise in range(STEEPEST)]
        wanted = self.limits.chunk(self.done)
        anneal(state, wanted)
        self.done += wanted
        self.random = state.now[Now.RANDOM]

    def keep(self) -> None:
        """Take the best ways as the best function."""
        if self.ways.state.now[Now.BEST] < self.best_price:
            function = self.price.arrange(function_from_ways(self.ways, best=True))
            if self.price.total(function) < self.best_price:
                self.best, self.best_price = function, self.price.total(function)

    def line(self, temperature: float) -> str:
        """Progress, for people."""
        now = self.ways.state.now
        speed = self.done / max(self.limits.elapsed_time, 1e-9)
        best = min(self.best_price, now[Now.BEST])
        return f"{best} (at {now[Now.COST]}, temperature {temperature:.2f}), {self.done:,} moves, {speed:,.0f}/s"


def _run_all(runs: list[Search], limits: SearchLimits, tell: Tell) -> None:
    """Side by side; the first chain runs here and reports."""
    # threads are enough: the kernel runs without the interpreter's lock
    with ThreadPoolExecutor(max(len(runs) - 1, 1)) as pool:
        others = [pool.submit(_exhaust, run) for run in runs[1:]]
        try:
            last_report = 0.0
            for temperature in runs[0].run():
                if limits.elapsed_time - last_report > TELL_EVERY:
                    last_report = limits.elapsed_time
                    tell(runs[0].line(temperature))
            for other in others:
                other.result()
        except KeyboardInterrupt:
            # the others keep theirs when they see `over`; this chain was cut inside its generator
            runs[0].keep()
            tell("interrupted; the best so far is kept")
        finally:
            limits.over.set()


def _exhaust(run: Search) -> None:
    for _ in run.run():
        pass


# Many starts, one winner: every function is searched for a while, the best third goes on, for three times as long.
#
# How cheap a function can become shows only in the search: of two formulations the dearer often ends below the other.
# Those of one basin are much alike, and some basins bloom late; so at first each sends on a third of its own, and only
# the best of the basins meet. Each round takes the same number of moves; what a round has found is where the next
# begins.
# The last two functions run to the end. With limits in moves the result does not depend on how many run side by side.

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
        return search_ways(function, effort.part(share, seed), aim)

    for turn in range(rounds):
        roads = max(1, workers // len(entrants))  # several from the same start, if there are too few
        entrants, basins = entrants * roads, [*basins] * roads
        share = workers / (rounds * len(entrants))
        runs = [(function, share, effort.seed + turn + rounds * i) for i, function in enumerate(entrants)]
        results = _all(run, runs, workers, brake)
        totals = [price.total(function) for function in results]
        ranked = sorted(range(len(results)), key=totals.__getitem__)
        effort.tell(f"round {turn + 1} of {rounds}: {min(totals)}, the best of {len(results)}")
        if brake():
            break
        # a third of each basin: the best of a slow basin may be behind everything in a quick one
        kept = [ranked[place] for place in _going_on([basins[i] for i in ranked])]
        entrants, basins = [results[i] for i in kept], [basins[i] for i in kept]
    return results[ranked[0]]


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
