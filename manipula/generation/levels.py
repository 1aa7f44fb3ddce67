"""How hard to try: the levels `optimise="none"`, `"fast"`, `"max"`. What they find is proved by `generation`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf
from time import monotonic

from manipula.algebra.expr.function import Function
from manipula.algebra.expr.provenance import Cut
from manipula.algebra.expr.walk import topological
from manipula.algebra.optimise.balance import balanced
from manipula.algebra.optimise.brake import Brake
from manipula.algebra.optimise.passes import optimised
from manipula.algebra.optimise.price import CLASSICAL, Price, price_named
from manipula.algebra.optimise.search.engine import BRISK, searched
from manipula.algebra.optimise.search.tournament import winner
from manipula.generation.build import built
from manipula.generation.formulations import favourites, formulations, quick, relaxed_draft
from manipula.generation.prepare import Prepared
from manipula.generation.request import Tell
from manipula.generation.shipped import stored

# Measured, not derived: the runs behind the tournament and its sizes are in bench/notes. All but the share of seconds
# are in moves and operations, so that the result does not depend on the machine or on what else it does.
FORMULATION_SHARE = 0.5  # of a limit in seconds, at most
WORK = 67_000_000_000  # moves of each worker times operations, at most: a move takes longer among many
MOVES_EACH = 1_500_000  # for each operation: a small function has no more to find
FULL_WALK = 160_000_000  # moves that are worth the whole walk through the formulations
CHAINS = 2
POOL = 48  # formulations that enter the tournament
QUICK_MOVES = 300_000  # a tenth of a second
WAITS_FOR_PATHS = 600  # operations; measured: PUMA and Panda gain 0 to 8 %, chains of general twists lose 20 %


@dataclass(frozen=True)
class Effort:
    """How long level "max" may search; without limits, as much as `WORK` allows after the formulations."""

    moves: int | None = None
    seconds: float | None = None
    seed: int = 0
    known: bool = True  # take a result that was found before
    stop: Callable[[], bool] = lambda: False
    start: Function | None = None  # of a search that did not come to its end: this one goes on from there

    @property
    def formulation_seconds(self) -> float:
        return inf if self.seconds is None else FORMULATION_SHARE * self.seconds

    @property
    def walk(self) -> float:
        """Of the usual walk through the formulations: fewer moves, fewer steps."""
        return 1.0 if self.moves is None else min(self.moves / FULL_WALK, 1.0)


DEFAULT_EFFORT = Effort()


def plainly(asked: Prepared, tell: Tell, effort: Effort) -> Function:
    """The methods as they stand; equal values are one node, and that is all."""
    plain = [built(asked, asked.plain(method)) for method in asked.methods]
    return min(plain, key=price_named(asked.request.price).total)


def fast(asked: Prepared, tell: Tell, effort: Effort) -> Function:
    """The result that ships for this very robot; where there is none, a good formulation and a short search."""
    return _shipped(asked, effort) or _brisk(asked, effort)


def hard(asked: Prepared, tell: Tell, effort: Effort) -> Function:
    """The result that ships for this very robot; where there is none, a long search."""
    return _shipped(asked, effort) or _sought(asked, tell, effort)


def _shipped(asked: Prepared, effort: Effort) -> Function | None:
    return stored(asked) if effort.known else None


def _brisk(asked: Prepared, effort: Effort) -> Function:
    """A good formulation, the quick passes, and a short search; for another price also what the usual one finds."""
    price = price_named(asked.request.price)
    return min((_briskly(asked, each, effort) for each in dict.fromkeys((price, CLASSICAL))), key=price.total)


def _briskly(asked: Prepared, price: Price, effort: Effort) -> Function:
    start = optimised(built(asked, quick(asked.asking(price=price.name))))
    if _decides(start):
        return start
    # a branch is a function almost of its own: it is given the moves that it would have alone
    moves, divisors = QUICK_MOVES * max(len(asked.structure.on_joints.leaves), 1), asked.structure.lengths
    return _arranged(searched(start, moves=moves, rounds=BRISK, seed=effort.seed, price=price, divisors=divisors))


def _decides(function: Function) -> bool:
    """Does it compare? Then sums stay as written: (a − b)² multiplied out loses the digits that a limit looks at."""
    return any(node.op == "less" for node in topological(function.roots))


def _sought(asked: Prepared, tell: Tell, effort: Effort) -> Function:
    """A search over the formulations, then a tournament of the best, beside what the quick level finds."""
    price, begun, brisk = price_named(asked.request.price), monotonic(), _brisk(asked, effort)
    if _decides(brisk):
        return brisk
    brake, known = Brake(effort.stop), [brisk, *([effort.start] if effort.start else [])]
    least = min(map(price.total, known))
    tried = formulations(asked, effort.formulation_seconds, effort.walk, effort.seed, brake, tell, least)
    liked = favourites(tried, POOL)
    entrants, basins = [optimised(built(asked, choice)) for choice in liked], list(liked.values())
    known += [relaxed_draft(asked, next(iter(liked)))] if liked else []
    enough = _enough(price.total(brisk))
    seconds = None if effort.seconds is None else max(effort.seconds - (monotonic() - begun), 0.01)
    best = winner(
        [min(known, key=price.total), *entrants], [*basins[:1], *basins],
        moves=effort.moves if effort.moves or effort.seconds else enough, seconds=seconds, seed=effort.seed,
        price=price, workers=CHAINS, divisors=asked.structure.lengths, tell=tell, stop=brake,
    )  # fmt: skip
    return marked(_arranged(best), _cut(effort, brake, enough))


def _enough(total: int) -> int:
    """Moves of each worker that are worth while for a function of so many operations."""
    size = max(total, 1)
    return min(WORK // size, MOVES_EACH * size)


def _cut(effort: Effort, brake: Brake, enough: int) -> Cut:
    """Why the search did not come to its end; nothing if it did."""
    limited = effort.seconds is not None or (effort.moves is not None and effort.moves < enough)
    return "interrupted" if brake.pressed else "limited" if limited else ""


def marked(function: Function, cut: Cut) -> Function:
    """With a note where its search was cut short: a later one goes on from there. Without one, it came to its end."""
    return replace(function, provenance=replace(function.provenance, search=cut))


def is_finished(function: Function) -> bool:
    return not function.provenance.search


def _arranged(function: Function) -> Function:
    """Short paths, where the processor waits for them: long code waits for itself and for registers."""
    return balanced(function) if function.cost.total <= WAITS_FOR_PATHS else function


Level = Callable[[Prepared, Tell, Effort], Function]
LEVELS: dict[str, Level] = {"none": plainly, "fast": fast, "max": hard}
