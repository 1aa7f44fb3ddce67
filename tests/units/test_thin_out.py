"""The thin call into the caller's own arrays: given, overlapping, masked, of another shape."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.algebra.expr.function import Function, Input, Output
from manipula.algebra.expr.node import Graph
from manipula.algebra.run import python_call_layout as layouts
from manipula.algebra.run.compiled_function import Compiled, compile_tape
from manipula.algebra.tape import Tape, tape_from_function
from tests.units.test_thin import Sub, X, Y, sum_tape

pytestmark = pytest.mark.skipif(layouts.layout() is None, reason="the thin call knows CPython on 64 bits only")


@pytest.fixture(scope="module")
def total() -> Compiled:
    return compile_tape(sum_tape(), "llvm")


def _two_tape(parameters: bool) -> Tape:
    """(x + y, x·y (2, 3)), times a where there are parameters."""
    graph = Graph()
    x = [graph.symbol(f"x{i}", online=True) for i in range(3)]
    y = [graph.symbol(f"y{i}", online=True) for i in range(3)]
    a = graph.symbol("a") if parameters else graph.expr(2)
    sums = tuple(a * (u + v) for u, v in zip(x, y))
    products = tuple(a * u * v for u, v in zip(x, y)) + tuple(u - v for u, v in zip(x, y))
    inputs = (Input("x", tuple(x)), Input("y", tuple(y)))
    inputs += (Input("p", (a,), role="parameter"),) if parameters else ()
    return tape_from_function(Function("two", graph, inputs, (Output("s", (3,), sums), Output("m", (2, 3), products))))


@pytest.mark.parametrize("rows", [(), (2,), (5,), (70,)])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("way", ["no parameters", "p by place", "p by name"])
def test_results_go_into_given_arrays(rows: tuple[int, ...], dtype: str, way: str) -> None:
    f = compile_tape(_two_tape(way != "no parameters"), "llvm", dtype)
    x, y = np.random.default_rng(len(rows)).uniform(-1, 1, (2, *rows, 3)).astype(dtype)
    p = np.array([1.5], dtype=dtype)
    place, named = ((p,) if way == "p by place" else ()), ({"p": p} if way == "p by name" else {})
    want = f(x, y, *place, **named)  # and the code for tables is there
    s, m = np.full((*rows, 3), np.nan, dtype), np.full((*rows, 2, 3), np.nan, dtype)
    before = sys.getrefcount(s), sys.getrefcount(m)
    f.general = None  # type: ignore[method-assign, assignment]  # what still answers went the thin way
    got = f(x, y, *place, **named, out=(s, m))
    assert got.s is s and got.m is m
    np.testing.assert_array_equal(s, want.s)
    np.testing.assert_array_equal(m, want.m)
    del got
    assert (sys.getrefcount(s), sys.getrefcount(m)) == before


@pytest.mark.parametrize("seed", range(60))
def test_overlapping_memory_changes_no_result(seed: int) -> None:
    """Inputs and results anywhere in one block of memory: as if they were apart, or refused."""
    rng = np.random.default_rng(seed)
    rows = int(rng.choice([1, 1, 2, 9]))
    f = compile_tape(_two_tape(False), "llvm")
    lead = (rows,) if rows > 1 or rng.random() < 0.3 else ()
    block = rng.uniform(-1, 1, 40 * rows)
    spots = rng.integers(0, len(block) - 6 * rows, 4)
    shapes = [(*lead, 3), (*lead, 3), (*lead, 3), (*lead, 2, 3)]
    x, y, s, m = (block[at : at + int(np.prod(shape))].reshape(shape) for at, shape in zip(spots, shapes))
    want = f(x.copy(), y.copy())
    if np.shares_memory(s, m):
        with pytest.raises(mp.InputError, match="out: the arrays for s and m share memory"):
            f(x, y, out=(s, m))
        return
    f(x, y, out=(s, m))
    np.testing.assert_array_equal(s, want.s)
    np.testing.assert_array_equal(m, want.m)


@pytest.mark.parametrize(
    "out",
    [
        np.empty(4), np.empty((1, 3)), np.empty(3, np.float32), np.empty(6)[::2], np.empty(3, ">f8"), [0.0] * 3, None,
        np.frombuffer(bytes(24)), np.empty(3).view(Sub), (np.empty(3),),
        np.frombuffer(bytearray(32), np.uint8)[1:25].view("f8"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_said(total: Compiled, out: Any) -> None:
    try:
        want = total.general(X, Y, out=out)
    except mp.InputError as problem:
        with pytest.raises(mp.InputError) as found:
            total(X, Y, out=out)
        assert str(found.value) == str(problem)
    else:
        np.testing.assert_array_equal(total(X, Y, out=out), want)


def test_masked_entries_are_refused(total: Compiled) -> None:
    with pytest.raises(mp.InputError, match="x: 1 entries are masked"):
        total(np.ma.masked_array(X, [0, 1, 0]), Y)
