"""How hard to try: the levels `optimise="none"`, `"fast"`, `"max"`. What they find is proved by `pipeline`.

A level takes what an earlier search that was cut short has found, to go on from there; "max" alone does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from time import monotonic

from manipula.algebra.expr.function import Function
from manipula.algebra.expr.maths import topological
from manipula.algebra.expr.provenance import Cut
from manipula.algebra.optimise.descend import Brake
from manipula.algebra.optimise.passes import run_passes
from manipula.algebra.optimise.price import CLASSICAL, balance_function
from manipula.algebra.optimise.search.engine import FAST, search_ways, winner
from manipula.generation.branches import branches_of, join_branches
from manipula.generation.build import build_function
from manipula.generation.cache import mark_cut
from manipula.generation.formulations import fast_formulation, favourites, formulations, relaxed_draft
from manipula.generation.prepare import Formulation, Prepared
from manipula.support.progress import Effort

# Measured, not derived: the runs behind the tournament and its sizes are in bench/notes. All but the share of seconds
# are in moves and operations, so that the result does not depend on the machine or on what else it does.
FORMULATION_SHARE = 0.5  # of a limit in seconds, at most
WORK = 67_000_000_000  # moves of one worker × operations, at most: a move takes longer among many
MOVES_EACH = 1_500_000  # moves for each operation, at most: a small function has no more to find
CHAINS = 2  # workers side by side, one thread each
POOL = 48  # formulations that enter the tournament
FAST_MOVES = 300_000  # moves of level "fast": a tenth of a second
WAITS_FOR_PATHS = 600  # operations; measured: PUMA and Panda gain 0 to 8 %, chains of general twists lose 20 %


def level_none(asked: Prepared, effort: Effort, start: Function | None = None) -> Function:
    """The methods as they stand; equal values are one node, and that is all."""
    plain = [build_function(asked, asked.plain(method)) for method in asked.methods]
    return min(plain, key=asked.aim.price.total)


def level_fast(asked: Prepared, effort: Effort, start: Function | None = None) -> Function:
    """A good formulation, the quick passes, and a short search; for another price also what the usual one finds."""
    if branches := branches_of(asked):
        return join_branches(asked, branches, lambda alone: level_fast(alone, effort))
    ways = []
    for price in dict.fromkeys((asked.request.price, CLASSICAL.name)):
        priced = asked.with_request(price=price)
        ways.append(_search_briefly(priced, fast_formulation(priced), effort))
    return min(ways, key=asked.aim.price.total)


def _search_briefly(asked: Prepared, choice: Formulation, effort: Effort) -> Function:
    start = run_passes(build_function(asked, choice))
    if _decides(start):
        return start
    # a branch is a function almost of its own: it is given the moves that it would have alone
    moves = FAST_MOVES * max(len(asked.structure.on_joints.leaves), 1)
    return _arrange_for_latency(search_ways(start, Effort(moves, seed=effort.seed), asked.aim, rounds=FAST))


def _decides(function: Function) -> bool:
    """Does it compare? Then sums stay as written: (a − b)² multiplied out loses the digits that a limit looks at."""
    return any(node.op == "less" for node in topological(function.roots))


def level_max(asked: Prepared, effort: Effort, start: Function | None = None) -> Function:
    """A search over the formulations, then a tournament of the best, beside what level "fast" finds."""
    if branches := branches_of(asked):
        each = replace(effort, seconds=effort.seconds and effort.seconds / len(branches))
        return join_branches(asked, branches, lambda alone: level_max(alone, each))
    begun, total, fast = monotonic(), asked.aim.price.total, level_fast(asked, effort)
    if _decides(fast):
        return fast
    brake, known = Brake(effort.stop), [fast, *([start] if start else [])]
    effort = replace(effort, stop=brake)
    half = replace(effort, seconds=effort.seconds and FORMULATION_SHARE * effort.seconds)
    liked = favourites(formulations(asked, half, min(map(total, known))), POOL)
    entrants, basins = [run_passes(build_function(asked, choice)) for choice in liked], list(liked.values())
    known += [relaxed_draft(asked, next(iter(liked)))] if liked else []
    enough = enough_for(total(fast))
    left = replace(effort, moves=effort.moves if effort.moves or effort.seconds else enough)
    if effort.seconds is not None:
        left = replace(left, seconds=max(effort.seconds - (monotonic() - begun), 0.01))
    best = winner([min(known, key=total), *entrants], [*basins[:1], *basins], left, asked.aim, CHAINS)
    return mark_cut(_arrange_for_latency(best), _cut(effort, brake, enough))


def enough_for(total: int) -> int:
    """Moves of each worker that are worth while for a function of so many operations."""
    size = max(total, 1)
    return min(WORK // size, MOVES_EACH * size)


def _cut(effort: Effort, brake: Brake, enough: int) -> Cut:
    """Why the search did not come to its end; nothing if it did."""
    limited = effort.seconds is not None or (effort.moves is not None and effort.moves < enough)
    return "interrupted" if brake.was_seen else "limited" if limited else ""


def _arrange_for_latency(function: Function) -> Function:
    """Short paths, where the processor waits for them: long code waits for itself and for registers."""
    return balance_function(function) if function.cost.total <= WAITS_FOR_PATHS else function


Level = Callable[[Prepared, Effort, Function | None], Function]
LEVELS: dict[str, Level] = {"none": level_none, "fast": level_fast, "max": level_max}
