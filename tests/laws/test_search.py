"""The search keeps every value, never raises the price, repeats itself, and finds what a single pass cannot."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from manipula.algebra.emit.c.program import program_text
from manipula.algebra.expr.evaluate import ARRAYS
from manipula.algebra.expr.function import Function, Input, Output
from manipula.algebra.expr.maths import ExprMaths
from manipula.algebra.expr.node import Expr, Graph
from manipula.algebra.optimise.passes import factor_sums
from manipula.algebra.optimise.price import CLASSICAL, FUSED, MULTIPLICATIONS, Aim, Price
from manipula.algebra.optimise.prove import prove
from manipula.algebra.optimise.search import kernel
from manipula.algebra.optimise.search.engine import DESCENT, Rounds
from manipula.algebra.optimise.search.engine import search_ways as found
from manipula.algebra.optimise.search.kernel import rebuild_table
from manipula.algebra.optimise.search.run import anneal, compile_kernel, interpret_kernel
from manipula.algebra.optimise.search.table import ARRAYS as STATE_ARRAYS
from manipula.algebra.optimise.search.table import ONE, STEEPEST, Kind, Now, State, find_node
from manipula.algebra.optimise.search.ways import (
    function_from_text,
    function_from_ways,
    reference_from_function,
    text_from_function,
    ways_from_function,
)
from manipula.algebra.program.reader import program
from manipula.algebra.run.routines import Mirror
from manipula.errors import ProofError, UnknownNameError
from manipula.generation.build import build_function
from manipula.generation.labels import label_function
from manipula.generation.prepare import Formulation, Request, prepare
from manipula.mechanics.robot.formats.toml.read import robot_from_toml
from manipula.mechanics.robot.library import text_of
from manipula.support.progress import Effort
from tests.emitted import needs_cc, shared

MOVES = 60_000  # enough for the arms here to cool


def searched(
    function: Function, *, price: Price = CLASSICAL, rounds: Rounds | None = None, chains: int = 1, **effort: Any
) -> Function:
    return found(function, Effort(**effort), Aim(price), rounds=rounds, chains=chains)


def function_of(formula: Callable[..., list[Expr]], variables: str, parameters: str = "") -> Function:
    graph = Graph()
    x = [graph.symbol(name, online=True) for name in variables.split()]
    p = [graph.symbol(name) for name in parameters.split()]
    ports = (Input("x", tuple(x)), *([Input("p", tuple(p), role="parameter")] if p else []))
    outputs = formula(*x, *p)
    return Function("f", graph, ports, (Output("y", (len(outputs),), tuple(outputs)),))


def model(robot: str, name: str, method: str) -> Function:
    request = prepare(Request(robot_from_toml(text_of(robot)), name, method, "all"))
    return label_function(build_function(request, Formulation(method)), request)


def arms() -> dict[str, Function]:
    return {
        "planar": model("planar2r", "inverse_dynamics", "newton-euler"),
        "stanford3": model("stanford3", "inverse_dynamics", "newton-euler"),
        "branches": model("scara", "forward_dynamics", "inertia-matrix"),
        "pose": model("puma560_symbolic", "pose", "forward"),
        "inertia": model("puma560_symbolic", "inertia_matrix", "composite"),
    }


ARMS = arms()


def floats(function: Function, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    symbols = {name: rng.uniform(0.5, 1.5, 50) for port in function.inputs for name in port.names}
    found = function(symbols, ARRAYS)
    return np.array([np.broadcast_to(x, 50) for values in found.values() for x in values])


@pytest.mark.parametrize("name", ARMS)
def test_same_values_lower_price(name: str) -> None:
    plain = ARMS[name]
    best = searched(plain, moves=MOVES)
    prove(best, reference_from_function(plain))
    scale = np.abs(floats(plain)).max()
    assert np.abs(floats(best) - floats(plain)).max() < 1e-12 * scale
    assert best.cost.total < factor_sums(plain).cost.total
    assert [port.names for port in best.inputs] == [port.names for port in plain.inputs]


@pytest.mark.parametrize("price", [CLASSICAL, MULTIPLICATIONS, FUSED], ids=lambda price: price.name)
def test_the_counted_price_is_the_true_one(price: Price) -> None:
    """The kernel's running sum, after thousands of changes and undone changes, against a count from nothing."""
    ways = ways_from_function(ARMS["inertia"], price, 1 << 12)  # small: it is swept
    state = ways.state
    assert state.now[Now.COST] == price.total(ARMS["inertia"])
    state.now[Now.RANDOM] = 12345
    state.chances[:] = [int(2.0**61 * np.exp(-rise / (0.3 * price.unit))) for rise in range(STEEPEST)]
    anneal(state, 100_000)
    assert state.now[Now.SWEEPS] > 0
    assert price.total(function_from_ways(ways, best=False)) == state.now[Now.COST]
    assert price.total(function_from_ways(ways, best=True)) == state.now[Now.BEST] < price.total(ARMS["inertia"])


def test_each_price_lowers_its_own_figure() -> None:
    plain = ARMS["inertia"]
    for price in (CLASSICAL, MULTIPLICATIONS, FUSED):
        best = searched(plain, moves=4 * MOVES, price=price)
        prove(best, reference_from_function(plain))
        assert price.total(best) < price.total(plain)
    assert searched(plain, moves=4 * MOVES, price=MULTIPLICATIONS).cost.mul < plain.cost.mul


def test_fused_price_by_hand() -> None:
    """a·b + c is one operation; a·b that serves twice is not swallowed; a sum swallows one product only."""
    one = function_of(lambda a, b, c: [a * b + c], "a b c")
    twice = function_of(lambda a, b, c: [a * b + c, a * b - c], "a b c")
    both = function_of(lambda a, b, c: [a * b - b * c * c], "a b c")
    assert [FUSED.total(f) for f in (one, twice, both)] == [1, 3, 3]
    for f in (one, twice, both):
        assert ways_from_function(f, FUSED, 1 << 10).state.now[Now.COST] == FUSED.total(f)


def annealed_in_c(folder: Path) -> Callable[[State, int], None]:
    routines = program(kernel.anneal)
    (folder / "kernel.c").write_text(f"{program_text(routines, ['anneal'], wide=True)}\n")
    library, mirror = shared(folder / "kernel.c"), Mirror(routines[-1].structs["State"])

    def run(state: State, moves: int) -> None:
        library.anneal(ctypes.byref(mirror.image(state)), ctypes.c_int64(moves))

    return run


@needs_cc
def test_compiled_interpreted_and_c_agree(tmp_path: Path) -> None:
    """One text, compiled in two ways, interpreted, or written as C: every array the same, bit by bit."""
    states = []
    hurried, thorough = (partial(compile_kernel(well).call, "anneal") for well in (False, True))
    for run in (hurried, thorough, interpret_kernel, annealed_in_c(tmp_path)):
        state = ways_from_function(ARMS["planar"], FUSED, 1 << 10).state  # small: it is swept
        state.now[Now.RANDOM] = 99
        state.chances[:] = [int(2.0**61 * np.exp(-rise / 0.6)) for rise in range(STEEPEST)]
        run(state, 20_000)
        assert state.now[Now.SWEEPS] > 0
        states.append(state)
    for name in STATE_ARRAYS:
        first, *others = (getattr(state, name) for state in states)
        assert all(np.array_equal(first, other) for other in others), name


@pytest.mark.parametrize("name", ["planar", "stanford3"])
def test_every_node_is_found_in_a_table_that_is_nearly_full(name: str) -> None:
    """Where most have to stand beside the place that their value gives them."""
    state = ways_from_function(ARMS[name], FUSED, 1 << 10).state
    count = int(state.now[Now.COUNT])
    state.now[Now.MASK] = (1 << count.bit_length()) - 1
    rebuild_table(state)
    nodes = range(ONE, count)
    assert [find_node(state, int(state.value[i])) for i in nodes] == list(nodes)
    absent = next(x for x in range(2, 10**6) if x not in set(state.value[:count].tolist()))
    assert find_node(state, absent) == 0


def test_seed_and_moves_decide() -> None:
    plain = ARMS["stanford3"]
    first, again = (searched(plain, moves=MOVES, seed=3).content() for _ in range(2))
    assert first == again
    assert len({searched(plain, moves=MOVES, seed=seed).digest() for seed in range(3)}) > 1


def test_chains_take_the_best() -> None:
    plain = ARMS["inertia"]
    alone = searched(plain, moves=MOVES, seed=5)
    assert searched(plain, moves=MOVES, seed=5, chains=3).cost.total <= alone.cost.total


Case = tuple[Callable[..., list[Expr]], str, str, int]
KNOWN: dict[str, Case] = {
    "factor": (lambda a, b, c: [a * b + a * c], "a b c", "", 2),
    "deep factor": (lambda a, b, c, d: [a * (b * c) - d * (b * a)], "a b c d", "", 3),
    "scattered": (lambda a, b, c, d, e: [a * b + d * e + a * c], "a b c d e", "", 4),
    "off line": (lambda x, k, m: [k * (x * m)], "x", "k m", 1),
    "off line sum": (lambda x, y, k, m: [k * x + y + m * x], "x y", "k m", 2),
    "shared sum": (lambda a, b, c, d: [a + b + c, a + (c + d)], "a b c d", "", 3),
    "look-up": (lambda a, b, c: [a * b - c, a * b + c * c, c * c + c], "a b c", "", 5),
    "square": (lambda a, b: [a * a - b * b, a + b], "a b", "", 3),
    "binomial": (lambda a, b: [a * a + 2 * (a * b) + b * b], "a b", "", 2),
}  # fmt: skip


@pytest.mark.parametrize("name", KNOWN)
def test_known_optimum(name: str) -> None:
    formula, variables, parameters, least = KNOWN[name]
    assert searched(function_of(formula, variables, parameters), moves=20_000).cost.total == least


def test_circle_identity_is_found() -> None:
    def formula(x: Expr, y: Expr) -> list[Expr]:
        c, s = ExprMaths(x.graph).cos(x), ExprMaths(x.graph).sin(x)
        return [y * c * c, y * (s * s)]

    assert searched(function_of(formula, "x y"), moves=20_000).cost.total == 3  # the second is y less the first


def test_a_turn_keeps_the_sum_of_squares() -> None:
    """u and w are x and y turned; with u² at hand, x² + y² = u² + w² takes one square, not two."""

    def turned(x: Expr, y: Expr, q: Expr, a: Expr) -> list[Expr]:
        maths = ExprMaths(x.graph)
        c, s = maths.cos(q), maths.sin(q)
        u, w = c * x + s * y, c * y - s * x
        return [u * u + a, w + a, x * x + y * y]

    plain = function_of(turned, "x y q a")
    assert plain.cost.total == 6 + 3 + 3
    best = searched(plain, moves=200_000)
    prove(best, reference_from_function(plain))
    assert best.cost.total < plain.cost.total


def test_annealing_leaves_the_basin_of_descent() -> None:
    plain = factor_sums(ARMS["inertia"])
    descent = searched(plain, moves=10 * MOVES, rounds=DESCENT)
    assert searched(plain, moves=10 * MOVES).cost.total < descent.cost.total < plain.cost.total


def test_nothing_to_gain() -> None:
    plain = function_of(lambda a, b: [a + b, a], "a b")
    assert searched(plain, moves=1000) is plain
    for formula in (lambda a, k: [a - a, a], lambda a, k: [k - k, k * k + 1]):
        trivial = function_of(formula, "a", "k")
        assert searched(trivial, moves=1000) is trivial


def test_no_new_division() -> None:
    plain = ARMS["branches"]
    best = searched(plain, moves=MOVES)
    assert best.cost.div <= plain.cost.div and best.conditions == plain.conditions


def test_interrupt_keeps_the_best() -> None:
    told: list[str] = []

    def interrupt() -> bool:
        if next(calls) > 8:
            raise KeyboardInterrupt
        return False

    calls = iter(range(10**6))
    best = searched(ARMS["inertia"], moves=10**9, stop=interrupt, tell=told.append)
    assert best.cost.total < ARMS["inertia"].cost.total
    assert told[-1] == "interrupted; the best so far is kept"  # on a slow machine its pace stands before


def test_ways_in_a_circle_are_an_error_and_no_endless_walk() -> None:
    ways = ways_from_function(ARMS["planar"], CLASSICAL)
    node = next(r >> 1 for r in ways.roots if ways.state.kind[r >> 1] in (Kind.ADD, Kind.MUL))
    ways.state.left[node] = 2 * node
    with pytest.raises(ProofError, match="use each other in a circle"):
        function_from_ways(ways, best=False)


def test_stop_and_seconds() -> None:
    calls = iter(range(10**6))
    assert searched(ARMS["planar"], moves=10**9, stop=lambda: next(calls) > 5).cost.total <= ARMS["planar"].cost.total
    assert searched(ARMS["planar"], seconds=0.05).cost.total <= ARMS["planar"].cost.total


def test_labels_stay_with_their_values() -> None:
    plain = ARMS["stanford3"]
    best = searched(plain, moves=MOVES)
    values = {text: node.value for node, text in plain.labels.items()}
    assert best.labels and all(values[text] == node.value for node, text in best.labels.items())


def test_text_and_back() -> None:
    best = searched(ARMS["branches"], moves=20_000)
    assert function_from_text(text_from_function(best)) == best
    for wrong in ("", "{}", "[]", '{"format": 0}', text_from_function(best).replace('"add"', '"frob"')):
        with pytest.raises((ValueError, UnknownNameError)):
            function_from_text(wrong)
