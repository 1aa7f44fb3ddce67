"""The walk of a search, step by step: the same seed finds the same function in every version, until a change is meant.
`pytest -n 0 tests/golden/test_searches.py --update` accepts the walks as they are now.

A way that is not equal fails a proof; a move that is no longer tried, or another chance to take it, only costs
operations somewhere, some day. Here every move, draw, count and sweep has its place in the numbers that are left."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path

import numpy as np
import pytest

from manipula.algebra.expr.function import Function, Input, Output
from manipula.algebra.expr.maths import ExprMaths
from manipula.algebra.expr.node import Expr, Graph
from manipula.algebra.optimise.price import CLASSICAL, FUSED, LATENCY, MULTIPLICATIONS, Aim, Price
from manipula.algebra.optimise.search import engine, kernel
from manipula.algebra.optimise.search.engine import CYCLE, FAST, Round, Rounds, relaxed_price, search_ways, winner
from manipula.algebra.optimise.search.run import anneal, interpret_kernel
from manipula.algebra.optimise.search.table import ARRAYS, Now
from manipula.algebra.optimise.search.ways import ways_from_function
from manipula.support.progress import Effort

GOLDEN = Path(__file__).with_name("searches.txt")


def polynomials(seed: int, divided: bool) -> Function:
    """Sums of products of variables and parameters that share factors, below and above other operations."""
    graph, dice = Graph(), random.Random(seed)
    x = [graph.symbol(name, online=True) for name in ("x", "y", "z", "u")]
    p = [graph.symbol(name) for name in ("k", "m", "n")]
    maths = ExprMaths(graph)
    c, s = maths.cos(x[0] + x[1]), maths.sin(x[0] + x[1])
    turned = [c * x[2] + s * x[3], c * x[3] - s * x[2]]
    atoms = [*x, *turned, c, s, maths.sqrt(x[2] * x[2] + p[0] * x[3] + 1)]
    atoms += [x[3] / p[1], p[2] / p[0]] if divided else []

    def term() -> Expr:
        factors = dice.choices(atoms, k=dice.randint(1, 3)) + dice.choices(p, k=dice.randint(0, 2))
        dice.shuffle(factors)
        whole = factors[0]
        for factor in factors[1:]:
            whole = whole * factor if dice.random() < 0.8 else whole * (factor + dice.choice(atoms))
        return whole

    roots = []
    for _ in range(5):
        whole = term()
        for _ in range(dice.randint(1, 5)):
            whole = whole + term() if dice.random() < 0.6 else whole - term()
        roots.append(whole)
    roots += [x[2] * x[2] + x[3] * x[3], 2 * roots[0] - p[0] * x[1]]
    ports = Input("x", tuple(x)), Input("p", tuple(p), role="parameter")
    return Function("f", graph, ports, (Output("y", (len(roots),), tuple(roots)),))


def walked(seed: int, price: Price, chance: int, divisors: tuple[str, ...] = ()) -> str:
    """Some thousand moves at one temperature: the counts, and the digest of all that is held."""
    ways = ways_from_function(polynomials(seed, bool(divisors)), price, 1 << 10, divisors)
    state = ways.state
    state.now[Now.RANDOM] = 1 + seed
    state.chances[:] = [(2**61 - 1) // chance**rise for rise in range(len(state.chances))]
    anneal(state, 60_000)
    now = state.now
    held = blake2b(b"".join(getattr(state, name).tobytes() for name in ARRAYS), digest_size=8)
    counts = (now[Now.COST], now[Now.BEST], now[Now.LIVE], now[Now.COUNT], now[Now.SWEEPS], now[Now.MOVE])
    return f"{' '.join(map(str, counts))} {held.hexdigest()}"


def interpreted() -> str:
    """The first moves of a walk by Python itself: every price, pass and share of the menu is met, some moves often."""
    ways = ways_from_function(polynomials(1, True), FUSED, 1 << 10, ("k", "m"))
    ways.state.now[Now.RANDOM] = 11
    ways.state.chances[:] = [(2**61 - 1) // 2**rise for rise in range(len(ways.state.chances))]
    interpret_kernel(ways.state, 6_000)
    held = blake2b(b"".join(getattr(ways.state, name).tobytes() for name in ARRAYS), digest_size=8)
    return f"{ways.state.now[Now.COST]} {ways.state.now[Now.BEST]} {held.hexdigest()}"


def searched(price: Price, rounds: Rounds | None, moves: int, chains: int = 1, divisors: tuple[str, ...] = ()) -> str:
    found = search_ways(
        polynomials(4, bool(divisors)), Effort(moves=moves, seed=3), Aim(price, divisors), rounds=rounds, chains=chains
    )
    return f"{price.total(found)} {found.digest()[:16]}"


def contest() -> str:
    """Four formulations of two basins."""
    tables = [polynomials(seed, False) for seed in (7, 8, 9, 10, 11, 12, 13)]
    found = winner(tables, [0, 0, 0, 0, 1, 1, 2], Effort(moves=60_000, seed=5), Aim(CLASSICAL), 1)
    return f"{CLASSICAL.total(found)} {found.digest()[:16]}"


def short_contest() -> str:
    """More formulations than a short search can do anything for, each begun twice."""
    tables = [polynomials(seed, False) for seed in (7, 8, 9, 10, 11, 12, 13)]
    found = winner(tables, [0, 1, 0, 2, 1, 1, 2], Effort(moves=9_000, seed=5), Aim(CLASSICAL), 4)
    return f"{CLASSICAL.total(found)} {found.digest()[:16]}"


WALKS: dict[str, Callable[[], str]] = {
    "classical": lambda: walked(1, CLASSICAL, 4),
    "warm": lambda: walked(2, CLASSICAL, 2),
    "fused": lambda: walked(1, FUSED, 4),
    "multiplications": lambda: walked(3, MULTIPLICATIONS, 2),
    "with divisors": lambda: walked(2, CLASSICAL, 3, ("k", "m")),
    "fused with divisors": lambda: walked(4, FUSED, 3, ("m", "n")),
    "short contest": short_contest,
    "cycle": lambda: searched(CLASSICAL, CYCLE, 45_000),
    "by moves": lambda: searched(CLASSICAL, None, 70_000),
    "fast, fused": lambda: searched(FUSED, FAST, 30_000),
    "latency": lambda: searched(LATENCY, None, 20_000),
    "two chains": lambda: searched(MULTIPLICATIONS, FAST, 20_000, chains=2),
    "divided": lambda: searched(CLASSICAL, FAST, 30_000, divisors=("k", "m")),
    "interpreted": interpreted,
    "downhill": lambda: str(relaxed_price(polynomials(5, False), 15_000)),
    "contest": contest,
}


@pytest.mark.parametrize("name", list(WALKS))
def test_a_search_goes_its_way(name: str, update: bool) -> None:
    said = WALKS[name]()
    kept = dict(line.split(": ") for line in GOLDEN.read_text(encoding="utf-8").splitlines()) if GOLDEN.exists() else {}
    if update:
        kept = {each: said if each == name else kept[each] for each in WALKS if each == name or each in kept}
        GOLDEN.write_text("".join(f"{each}: {text}\n" for each, text in kept.items()), encoding="utf-8", newline="\n")
    assert kept[name] == said, "if the change is meant: --update"


def test_a_search_says_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """The best price, the present one, the temperature of the round, the moves so far."""
    monkeypatch.setattr(engine, "TELL_EVERY", -1.0)
    told: list[str] = []
    plain, rounds = polynomials(6, False), (Round(0.6, 0.4, 0.1), Round(0.4, 0.3, 0.3))
    best = search_ways(plain, Effort(moves=50_000, tell=told.append), rounds=rounds)
    form = r"(\d+) \(at (\d+), temperature (\d\.\d\d)\), ([\d,]+) moves, [\d,]+/s"
    lines = [match.groups() for text in told if (match := re.fullmatch(form, text))]
    assert [line[3] for line in lines] == ["10,000", "20,000", "30,000", "40,000", "50,000"] and len(told) == 5
    assert [line[2] for line in lines] == ["0.40", "0.25", "0.16", "0.30", "0.30"]
    prices = [int(line[0]) for line in lines]
    assert prices == sorted(prices, reverse=True) and prices[-1] == best.cost.total < plain.cost.total
    assert all(int(line[0]) <= int(line[1]) for line in lines)


def test_every_move_is_on_the_menu_as_often_as_it_says() -> None:
    state = ways_from_function(polynomials(1, False), CLASSICAL).state
    assert {move: int(np.sum(state.menu == move)) for move in kernel.SHARES} == kernel.SHARES
