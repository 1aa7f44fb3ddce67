"""The thin call: the same answers as the general way, nothing leaked, and no thin call where the layout is unknown."""

from __future__ import annotations

import gc
import os
import pickle
import sys
import tracemalloc
import weakref
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Thread
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.algebra.expr.function import Function, Input, Output
from manipula.algebra.expr.node import Graph
from manipula.algebra.run import python_call_layout as layouts
from manipula.algebra.run.compiled_function import Compiled, compile_tape
from manipula.algebra.tape import Tape, tape_from_function
from manipula.errors import InputError, UnknownNameError
from tests.units.test_simd import wide_tape

pytestmark = pytest.mark.skipif(layouts.layout() is None, reason="the thin call knows CPython on 64 bits only")


def sum_tape() -> Tape:
    graph = Graph()
    x = [graph.symbol(f"x{i}", online=True) for i in range(3)]
    y = [graph.symbol(f"y{i}", online=True) for i in range(3)]
    entries = tuple(a + b for a, b in zip(x, y))
    return tape_from_function(
        Function("total", graph, (Input("x", tuple(x)), Input("y", tuple(y))), (Output("z", (3,), entries),))
    )


@pytest.fixture(scope="module")
def total() -> Compiled:
    return compile_tape(sum_tape(), "llvm")


@pytest.fixture(scope="module")
def arm() -> mp.Arm:
    return mp.Arm(mp.load("puma560"))


X, Y = np.array([1.0, 2.0, 3.0]), np.array([10.0, 20.0, 30.0])


# the same answers


def test_the_call_is_a_builtin_function(total: Compiled) -> None:
    assert type(total.thin).__name__ == "builtin_function_or_method"
    assert total.thin.__self__ is total  # type: ignore[attr-defined]
    assert type(total).__call__ is total.thin
    assert isinstance(total, Compiled)


class Sub(np.ndarray):
    pass


@pytest.mark.parametrize(
    "x",
    [
        X, X.tolist(), tuple(X), X.astype(np.float32), X.astype(">f8"), X.astype(int), np.arange(6.0)[::2], X[::-1],
        np.broadcast_to(X, (4, 3)), X.reshape(1, 3), X.view(Sub), np.ma.masked_array(X), np.array(X, dtype=object),
        np.frombuffer(b"\0" + X.tobytes(), dtype=np.uint8)[1:].view("f8"), np.zeros((0, 3)),
        X.astype(np.dtype("f8", metadata={"unit": "m"})), np.full(3, np.nan), np.array([np.inf, -0.0, 5e-324]),
    ],
)  # fmt: skip
def test_whatever_is_given(total: Compiled, x: Any) -> None:
    want = np.asarray(x, dtype=float) + Y
    for got in (total(x, Y), total.thin(x, Y), total.general(x, Y), total(Y, x)):
        assert type(got) is np.ndarray and got.dtype == np.float64 and got.shape == want.shape
        np.testing.assert_array_equal(got, want)


def test_arrays_from_a_pickle_are_as_good(total: Compiled) -> None:
    """Their dtype is equal to the usual one without being the same object."""
    x = pickle.loads(pickle.dumps(X))
    assert x.dtype is not X.dtype
    f = compile_tape(sum_tape(), "llvm")
    f.__class__.general = None  # type: ignore[assignment]
    np.testing.assert_array_equal(f(x, Y), X + Y)
    assert f(x, x).dtype is X.dtype


def test_keywords_go_the_general_way(total: Compiled) -> None:
    out = np.empty(3)
    assert total(X, Y, out=out) is out
    np.testing.assert_array_equal(out, X + Y)
    np.testing.assert_array_equal(total(X, Y, p=None, threads=2), X + Y)
    with pytest.raises(UnknownNameError, match="no input of total is called 'colour'"):
        total(X, Y, colour=3)


def test_mistakes_are_told_as_ever(total: Compiled) -> None:
    with pytest.raises(InputError, match=r"total: x: expected shape \(..., 3\), found \(4,\)"):
        total(np.zeros(4), Y)
    with pytest.raises(InputError, match="expected 2 inputs"):
        total(X)
    with pytest.raises(InputError, match="expected 2 inputs"):
        total()
    with pytest.raises(InputError, match=r"total: y: expected shape \(..., 3\), found a single number"):
        total(X, 1.0)


def test_results_are_fresh_and_owned(total: Compiled) -> None:
    a, b = total(X, Y), total(X, Y)
    assert a is not b and not np.shares_memory(a, b)
    assert a.flags.owndata and a.flags.carray and a.base is None
    a[:] = 0
    np.testing.assert_array_equal(b, X + Y)


def test_several_outputs_are_a_named_tuple() -> None:
    f = compile_tape(wide_tape(), "llvm")
    x, y = np.linspace(0, 1, 5), np.array([0.5, 2.0])
    fast, slow = f(x, y), f.general(x, y)
    assert type(fast) is type(slow) and fast._fields == ("u", "v") and fast.v.shape == (2, 2)
    assert all(np.array_equal(a, b) for a, b in zip(fast, slow))
    gc.collect()
    assert gc.is_tracked(fast)
    assert sys.getrefcount(fast.u) == slow_count(slow.u)


def slow_count(array: Any) -> int:
    """References to the first array of a tuple the general way made, counted as the caller counts."""
    return sys.getrefcount(array) - 1


@pytest.mark.parametrize("count", [0, 1, 2, 7, 64, 65, 1000])
def test_tables_have_a_thin_call_too(count: int) -> None:
    """Once their code is loaded: the first table goes the general way and loads it."""
    f, g = compile_tape(wide_tape(), "llvm"), compile_tape(wide_tape(), "llvm")
    random = np.random.default_rng(4)
    f(random.normal(size=(2, 5)), random.normal(size=(2, 2)))
    f.__class__.general = None  # type: ignore[assignment]
    x, y = random.normal(size=(count, 5)), random.normal(size=(count, 2))
    for a, b in zip(f(x, y), g.general(x, y)):
        assert a.shape == b.shape and a.flags.carray and a.flags.owndata
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("seed", range(4))
def test_a_table_of_one_row_needs_no_code_of_tables(seed: int) -> None:
    """It has the bits of the row, and of the row in a table; more rows go the general way, which loads that code."""
    f, g = compile_tape(wide_tape(), "llvm"), compile_tape(wide_tape(), "llvm")
    random = np.random.default_rng(seed)
    x, y = random.normal(size=(3, 5)), random.normal(size=(3, 2))
    table = g.general(x, y)
    f.__class__.general = None  # type: ignore[assignment]
    for i in range(3):
        lone, row = f(x[i : i + 1], y[i : i + 1]), f(x[i], y[i])
        into = tuple(np.full_like(z, np.nan) for z in lone)
        f(x[i : i + 1], y[i : i + 1], out=into)
        for a, b, c, d in zip(lone, row, table, into, strict=True):
            assert a.shape == (1, *b.shape) and a.flags.carray and a.flags.owndata
            np.testing.assert_array_equal(a[0], b)
            np.testing.assert_array_equal(a[0], c[i])
            np.testing.assert_array_equal(a, d)
    with pytest.raises(TypeError):
        f(x, y)


def test_tables_of_other_sorts(total: Compiled) -> None:
    x, y = np.arange(24.0).reshape(8, 3), np.ones((8, 3))
    total(x, y)
    np.testing.assert_array_equal(total(x, np.ones((1, 3))), x + 1)
    np.testing.assert_array_equal(total(x, y[0]), x + 1)
    np.testing.assert_array_equal(total(np.asfortranarray(x), y), x + 1)
    np.testing.assert_array_equal(total(x[::-1], y), x[::-1] + 1)
    np.testing.assert_array_equal(total(x.reshape(2, 4, 3), y.reshape(2, 4, 3)), x.reshape(2, 4, 3) + 1)
    with pytest.raises(InputError, match=r"do not broadcast: x \(8, 3\), y \(7, 3\)"):
        total(x, y[:7])
    with pytest.raises(InputError, match=r"y: expected shape \(..., 3\), found \(8, 2\)"):
        total(x, np.ones((8, 2)))


def test_no_room_is_a_memory_error(total: Compiled) -> None:
    """The result of a broadcast that no machine can hold."""
    total(np.ones((2, 3)), np.ones((2, 3)))
    with pytest.raises((MemoryError, ValueError)):
        total(np.broadcast_to(X, (2**56, 3)), X)


def test_float32_has_a_thin_call_too() -> None:
    f = compile_tape(sum_tape(), "llvm", "float32")
    short = X.astype(np.float32)
    assert f(short, short).dtype == np.float32
    np.testing.assert_array_equal(f(short, short), 2 * short)
    np.testing.assert_array_equal(f(X, short), 2 * short)


# references and memory


def test_no_reference_is_lost_or_kept(total: Compiled) -> None:
    wide = compile_tape(wide_tape(), "llvm")
    dtype, a, b = np.dtype(np.float64), np.linspace(0, 1, 5), np.ones(2)

    def counts() -> list[int]:
        return [sys.getrefcount(x) for x in (dtype, X, Y, a, b, np.ndarray, total, wide, type(wide.general(a, b)))]

    gc.collect()
    before = counts()
    for _ in range(1000):
        total(X, Y), wide(a, b), total([1, 2, 3], Y)
    gc.collect()
    assert all(abs(x - y) <= 2 for x, y in zip(before, counts()))


def test_memory_does_not_grow(total: Compiled) -> None:
    wide, a, b = compile_tape(wide_tape(), "llvm"), np.linspace(0, 1, 5), np.ones(2)

    def loop() -> None:
        for _ in range(2000):
            total(X, Y), wide(a, b)

    loop()
    tracemalloc.start()
    loop()
    first = tracemalloc.get_traced_memory()[0]
    loop()
    second = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert second - first < 20_000


@pytest.mark.turn
def test_the_function_outlives_its_makers() -> None:
    call = compile_tape(sum_tape(), "llvm").thin
    gc.collect()
    np.testing.assert_array_equal(call(X, Y), X + Y)
    method = mp.Arm("pucrio").gravity
    gc.collect()
    assert method(np.zeros(6)).shape == (6,)


def test_functions_are_collected() -> None:
    gone = weakref.ref(compile_tape(sum_tape(), "llvm"))
    gc.collect()
    assert gone() is None


# threads and processes


def test_a_thousand_threads(total: Compiled) -> None:
    start, wrong = Barrier(1000), []

    def call(i: int) -> None:
        mine = np.full(3, float(i))
        start.wait()
        if not all((total(mine, Y) == mine + Y).all() for _ in range(20)):
            wrong.append(i)

    threads = [Thread(target=call, args=(i,)) for i in range(1000)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore:.*JAX is multithreaded.*:RuntimeWarning")  # where another test has loaded it
def test_a_fork_in_the_middle(total: Compiled) -> None:
    big = np.ones((30_000, 3))
    with ThreadPoolExecutor(2) as pool:
        busy = pool.submit(lambda: [total(big, big, threads=2) for _ in range(20)])
        child = os.fork()
        if child == 0:
            right = (total(X, Y) == X + Y).all() and (total(big, big, threads=2) == 2).all()
            os._exit(0 if right else 1)
        busy.result()
    assert os.waitpid(child, 0)[1] == 0


# pickling


def test_pickling(total: Compiled, arm: mp.Arm) -> None:
    for f in (total, total.thin):
        again = pickle.loads(pickle.dumps(f))
        np.testing.assert_array_equal(again(X, Y), X + Y)
    q = np.zeros(6)
    again = pickle.loads(pickle.dumps(arm.gravity))
    np.testing.assert_array_equal(again(q), arm.gravity(q))
    assert pickle.loads(pickle.dumps(arm)).robot == arm.robot


def test_a_function_named_like_an_attribute() -> None:
    graph = Graph()
    x = graph.symbol("x", online=True)
    f = compile_tape(tape_from_function(Function("inputs", graph, (Input("x", (x,)),), (Output("y", (1,), (x * x,)),))))
    assert [port.name for port in f.inputs] == ["x"]
    assert pickle.loads(pickle.dumps(f.thin))(np.array([3.0])) == 9


# the arm


def test_an_arm_installs_the_compiled_function(arm: mp.Arm) -> None:
    q, qd, qdd = np.random.default_rng(0).normal(size=(3, 6))
    tau = arm.inverse_dynamics(q, qd, qdd)
    assert type(arm.inverse_dynamics).__name__ == "builtin_function_or_method"
    assert arm.inverse_dynamics is arm.inverse_dynamics
    np.testing.assert_array_equal(tau, arm.model("inverse_dynamics")(q, qd, qdd))
    np.testing.assert_array_equal(tau, arm.inverse_dynamics(q.tolist(), qd=qd, qdd=qdd))
    assert "Joint torques" in (arm.inverse_dynamics.__doc__ or "")
    assert "Joint torques" in (mp.Arm.inverse_dynamics.__doc__ or "")


@pytest.mark.turn
def test_the_tool_wrench_goes_the_general_way(arm: mp.Arm) -> None:
    q, qd, qdd, wrench = np.random.default_rng(1).normal(size=(4, 6))
    loaded = arm.inverse_dynamics(q, qd, qdd, wrench)
    np.testing.assert_array_equal(loaded, arm.inverse_dynamics(q, qd, qdd, wrench_tool=wrench))
    free = arm.inverse_dynamics(q, qd, qdd, None)
    np.testing.assert_array_equal(free, arm.inverse_dynamics(q, qd, qdd))
    np.testing.assert_allclose(free - loaded, arm.jacobian(q).T @ wrench, atol=1e-12)


def test_options_of_an_arm(arm: mp.Arm) -> None:
    q, out = np.random.default_rng(2).normal(size=(50, 6)), np.empty((50, 6))
    assert arm.gravity(q, out=out) is out
    np.testing.assert_array_equal(out, arm.gravity(q, threads=2))
    with pytest.raises(InputError, match="no frame is called 'moon'"):
        arm.jacobian(q, frame="moon")


# no thin call


@pytest.mark.turn
def test_without_a_layout_the_general_way_serves(monkeypatch: pytest.MonkeyPatch) -> None:
    from manipula.algebra.run import llvm

    monkeypatch.setattr(llvm, "layout", lambda: None)
    f = compile_tape(sum_tape(), "llvm")
    assert f.thin == f.general
    np.testing.assert_array_equal(f(X, Y), X + Y)
    arm = mp.Arm("pucrio")
    np.testing.assert_array_equal(arm.gravity(np.zeros(6)), arm.model("gravity")(np.zeros(6)))
    assert type(arm.gravity).__name__ == "method"


@pytest.mark.parametrize("what", ["fields", "type", "table", "python", "missing"])
def test_any_surprise_means_no_layout(monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    find = layouts.layout.__wrapped__
    assert find() is not None
    found = layouts._find_layout()
    if what == "fields":
        monkeypatch.setattr(layouts, "_looks_right", lambda array, header: False)
    elif what == "type":
        monkeypatch.setattr(layouts, "_find_layout", lambda: found._replace(array_type=id(list)))
    elif what == "table":
        monkeypatch.setattr(layouts, "_table", lambda: _raise(ImportError))
    elif what == "python":
        monkeypatch.setattr(layouts.platform, "python_implementation", lambda: "PyPy")
    else:
        monkeypatch.setattr(layouts, "_find_layout", lambda: _raise(AttributeError))
    assert find() is None


def _raise(kind: type[Exception]) -> Any:
    raise kind


def test_wrong_offsets_are_noticed() -> None:
    header = layouts._find_layout().header
    assert layouts._fields_agree(header)
    assert not layouts._fields_agree(header + 1000)


def test_a_disagreeing_call_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    from manipula.algebra.run.llvm import LlvmKernel

    def wrong(self: Any, owner: Any, name: str, doc: str, result: type) -> Any:
        return lambda *args: owner.general(*args) * 2

    monkeypatch.setattr(LlvmKernel, "vectorcall", wrong)
    f = compile_tape(sum_tape(), "llvm")
    assert f.thin == f.general
    np.testing.assert_array_equal(f(X, Y), X + Y)
