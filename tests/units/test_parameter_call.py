"""The thin call of functions with parameters: the general way's answers and conditions; threads do not mix them up."""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from manipula.algebra.expr.condition import Lengths
from manipula.algebra.expr.function import Function, Input, Output
from manipula.algebra.expr.node import Expr, Graph
from manipula.algebra.run import python_call_layout as layouts
from manipula.algebra.run.compiled_function import Compiled, compile_tape
from manipula.algebra.tape import tape_from_function
from manipula.errors import ConditionError, InputError

pytestmark = pytest.mark.skipif(layouts.layout() is None, reason="the thin call knows CPython on 64 bits only")
X, Y = np.array([1.0, 2.0]), np.array([3.0, -4.0])
P = np.array([2.0, 5.0, 7.0])


def made(factor: Callable[[Expr, Expr, Expr], Expr] | None = None, dtype: str = "float64") -> Compiled:
    """z = (a/b) x + c y, w = x·y + c²; the factor, a function of a, b, c, may not vanish"""
    graph = Graph()
    a, b, c = (graph.symbol(name) for name in "abc")
    x = [graph.symbol(f"x{i}", online=True) for i in range(2)]
    y = [graph.symbol(f"y{i}", online=True) for i in range(2)]
    z = tuple(a / b * u + c * v for u, v in zip(x, y))
    ports = (Input("x", tuple(x)), Input("y", tuple(y)), Input("p", (a, b, c), role="parameter"))
    outputs = (Output("z", (2,), z), Output("w", (), (x[0] * y[0] + x[1] * y[1] + c * c,)))
    conditions = (Lengths().condition(factor(a, b, c)),) if factor else ()
    tape = tape_from_function(Function("bent", graph, ports, outputs, conditions=conditions))
    return compile_tape(tape, "llvm", dtype)


@pytest.fixture(scope="module")
def bent() -> Compiled:
    return made()


def right(p: Any, x: Any = X, y: Any = Y) -> tuple[Any, Any]:
    a, b, c = p
    return a / b * x + c * y, np.sum(x * y, -1) + c * c


def same(found: Any, p: Any, x: Any = X, y: Any = Y) -> None:
    for mine, true in zip(found, right(p, x, y), strict=True):
        np.testing.assert_allclose(mine, true, rtol=1e-6 if x.dtype == np.float32 else 1e-15)


class Passed(Exception):
    """Raised by a general way that should not have been taken."""


@pytest.fixture
def thin_only(bent: Compiled, monkeypatch: pytest.MonkeyPatch) -> Compiled:
    def refuse(*args: Any, **options: Any) -> Any:
        raise Passed

    bent(np.zeros((2, 2)), np.zeros((2, 2)), P)  # the code for tables is loaded when first needed
    monkeypatch.setattr(bent, "general", refuse, raising=False)
    return bent


def test_arrays_never_leave_the_thin_way(thin_only: Compiled) -> None:
    rows = np.arange(14.0).reshape(7, 2)
    for p in (P, 2 * P, P, -P, np.array([np.nan, 1.0, 1.0])):
        same(thin_only(X, Y, p), p)
        same(thin_only(X, Y, p=p), p)
        a, b, c = p
        z, w = thin_only(rows, rows + 1, p)
        np.testing.assert_allclose(z, a / b * rows + c * (rows + 1), rtol=1e-15)
        np.testing.assert_allclose(w, np.sum(rows * (rows + 1), -1) + c * c, rtol=1e-15)


@pytest.mark.parametrize(
    "given",
    [
        ((X, Y, P.tolist()), {}),
        ((X, Y), {"p": {"a": 2.0, "b": 5.0, "c": 7.0}}),
        ((X, Y, P.astype(np.float32)), {}),
        ((X, Y), {"p": np.stack([P, P], 1)[:, 0]}),
        ((X.tolist(), Y, P), {}),
        ((X, Y, P), {"threads": 1}),
        ((X, Y), {"p": P, "out": (np.empty(2), np.empty(()))}),
    ],
)
def test_all_else_goes_the_general_way(bent: Compiled, given: Any) -> None:
    arguments, options = given
    same(bent(*arguments, **options), P)


def test_the_values_count_not_the_array(bent: Compiled) -> None:
    p = P.copy()
    same(bent(X, Y, p), p)
    p[0] = -3.0
    same(bent(X, Y, p), p)
    bent.general(X, Y, p=5 * P)
    same(bent(X, Y, p), p)
    assert np.signbit(bent(np.zeros(2), np.zeros(2), np.array([-0.0, 1.0, 1.0])).z).tolist() == [False, False]


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        ((X, Y), {}, "p: 3 parameters need values: a, b, c"),
        ((X, Y, P[:2]), {}, "expected 3 values"),
        ((X, Y, P.reshape(1, 3)), {}, "expected 3 values"),
        ((X, P, Y), {}, "y"),
        ((X, Y, P, P), {}, "4"),
        ((X,), {"p": P}, "1"),
    ],
)
def test_mistakes_are_told(bent: Compiled, arguments: Any, options: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        bent(*arguments, **options)


def test_short_numbers() -> None:
    bent = made(dtype="float32")
    x, y, p = (v.astype(np.float32) for v in (X, Y, P))
    for values in (p, 3 * p, p):
        same(bent(x, y, values), values, x, y)
        assert bent(x, y, values).z.dtype == np.float32


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(
    ("factor", "good", "bad"),
    [
        (lambda a, b, c: b, [1, -2, 3], [1, 0, 3]),
        (lambda a, b, c: a * b - c, [2, 3, 5], [2, 3, 6]),
        (lambda a, b, c: a * b - c, [2, 3, -6], [2, 3, 6.000001]),
        (lambda a, b, c: a / c + 1, [1, 1, -2], [1, 1, -1]),
        (lambda a, b, c: a + b * (c - 1) * b, [0, 1, 3], [4, 2, 0]),
    ],
)
def test_conditions_are_checked_on_the_thin_way_too(dtype: str, factor: Any, good: Any, bad: Any) -> None:
    bent, x, y = made(factor, dtype), X.astype(dtype), Y.astype(dtype)
    good, bad = np.array(good, dtype=dtype), np.array(bad, dtype=dtype)
    for _ in range(2):
        same(bent(x, y, good), good, x, y)
        with pytest.raises(ConditionError, match="bent: holds only for"):
            bent(x, y, bad)
    unknown = np.array([np.nan] * 3, dtype=dtype)
    assert np.isnan(bent(x, y, unknown).z).all()


def test_new_values_need_no_general_way_where_conditions_allow_them(monkeypatch: pytest.MonkeyPatch) -> None:
    bent = made(lambda a, b, c: b)

    def refuse(*args: Any, **options: Any) -> Any:
        raise Passed

    monkeypatch.setattr(bent, "general", refuse, raising=False)
    for factor in range(1, 5):
        same(bent(X, Y, factor * P), factor * P)
    with pytest.raises(Passed):
        bent(X, Y, np.array([1.0, 0.0, 1.0]))


def test_threads_with_parameters_of_their_own(bent: Compiled) -> None:
    rows = np.random.default_rng(0).uniform(-1, 1, size=(500, 2))

    def work(seed: int) -> None:
        p = np.random.default_rng(seed).uniform(1, 2, size=3)
        for _ in range(60):
            same(bent(X, Y, p), p)
            found, (z, w) = bent(rows, rows, p=p), right(p, rows, rows)
            np.testing.assert_allclose(found.z, z, rtol=1e-12)
            np.testing.assert_allclose(found.w, w, rtol=1e-12)

    bent(rows, rows, P)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))


def test_nothing_is_leaked(bent: Compiled) -> None:
    p, x = P.copy(), X.copy()
    bent(x, Y, p=p)
    before = sys.getrefcount(p), sys.getrefcount(x), sys.getrefcount(np.dtype(float))
    for _ in range(1000):
        bent(x, Y, p=p)
        bent(x, Y, p)
    after = sys.getrefcount(p), sys.getrefcount(x), sys.getrefcount(np.dtype(float))
    assert before[:2] == after[:2] and abs(after[2] - before[2]) < 100
