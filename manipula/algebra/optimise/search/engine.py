"""The search: rounds of annealing, each twice as long as the one before, from the best so far.

A round starts warm and ends cold. Rounds follow from the seed alone, so the same seed and number of moves give the
same function; a time limit only cuts the sequence short.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import exp
from time import perf_counter

from manipula.algebra.expr.field import P, hashed
from manipula.algebra.expr.function import Function
from manipula.algebra.optimise.price import CLASSICAL, Price
from manipula.algebra.optimise.search import kernel
from manipula.algebra.optimise.search.native import native
from manipula.algebra.optimise.search.state import ARRAYS, BEST, COST, MENU, RANDOM, STEEPEST, State
from manipula.algebra.optimise.search.translate import module_ir
from manipula.algebra.optimise.search.ways import Ways, function_from_ways, ways_from_function

CAPACITY = 1 << 15
FIRST_ROUND = 100_000
CHUNK = 10_000
WARM, COLD = 0.2, 0.07
MENU_SHARES = {
    kernel.REGROUP: 10, kernel.PAIR_UP: 4, kernel.DISTRIBUTE: 4, kernel.FACTOR: 8, kernel.SUM_OF: 10,
    kernel.PRODUCT_OF: 6, kernel.REBUILD: 8, kernel.SPREAD: 4, kernel.COLLECT: 8, kernel.SPREAD_COLLECT: 2,
}  # fmt: skip


def runner():
    text = module_ir(kernel.FUNCTIONS, ARRAYS, ("anneal",))
    return native(text, "anneal", 1)


def prepare(ways: Ways, seed: int) -> None:
    s = ways.state
    s.now[RANDOM] = 1 + seed % (P - 1)
    s.menu[:] = [move for move, share in MENU_SHARES.items() for _ in range(share)]


def searched(function: Function, *, moves: int = 1_000_000, seed: int = 0, price: Price = CLASSICAL, tell=print, warm=WARM, cold=COLD) -> Function:
    run = runner()
    best = function
    bestcost = price.total(function)
    current = function
    ways = ways_from_function(current, price, CAPACITY)
    prepare(ways, hashed("seed", seed))
    assert ways.state.now[COST] == bestcost, (ways.state.now[COST], bestcost)
    done, start = 0, perf_counter()
    while done < moves:
        t = warm * (cold / warm) ** (done / moves)
        s = ways.state
        s.chances[:] = [int((P - 1) * exp(-d / (t * price.unit))) for d in range(STEEPEST)]
        n = run(s, min(CHUNK, moves - done))
        done += n
        if s.now[BEST] < bestcost:
            bestcost = int(s.now[BEST])
            best = function_from_ways(ways, True)
            assert price.total(best) <= bestcost, (price.total(best), bestcost)
        if n < CHUNK and done < moves:
            seed2 = int(s.now[RANDOM])
            cost = int(s.now[COST])
            ways = ways_from_function(function_from_ways(ways, False), price, CAPACITY)
            assert ways.state.now[COST] <= cost
            prepare(ways, seed2)
            ways.state.now[BEST] = min(bestcost, ways.state.now[BEST])
        if done % (moves // 20) < CHUNK:
            tell(f"{done} T={t:.3f} cost {s.now[COST]} best {bestcost} {done/(perf_counter()-start):.0f} moves/s")
    return best
