"""Tape → callable: both back ends mean what the tape means, and the door says what is wrong."""

from __future__ import annotations

import ctypes
import itertools
import math
import pickle
import re
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from manipula.algebra.expr.condition import Lengths
from manipula.algebra.expr.evaluate import ARRAYS
from manipula.algebra.expr.function import Function, Input, Output
from manipula.algebra.expr.maths import ExprMaths
from manipula.algebra.expr.node import Expr, Graph
from manipula.algebra.run.compiled_function import Compiled, compile_tape
from manipula.algebra.tape import Tape, tape_from_function
from manipula.errors import ConditionError, InputError, UnknownNameError
from manipula.mechanics.models.dynamics.newton_euler import newton_euler
from manipula.mechanics.robot.bind import bind
from manipula.mechanics.robot.reduce import merge_fixed
from manipula.mechanics.spatial.floats import FLOATS
from manipula.scalar import OPS
from tests.random_expressions import function_of, graph_symbols
from tests.random_robots import random_robot, random_state

BACKENDS = ("llvm", "numpy")


def small_tape(*factors: Callable[[Expr, Expr], Expr]) -> Tape:
    """u = sin(x)·a/b + y, v = z − a·b; the factors, functions of a and b, may not vanish"""
    graph = Graph()
    s, m = graph_symbols(graph), ExprMaths(graph)
    first, second = m.sin(s["x"]) * (s["a"] / s["b"]) + s["y"], s["z"] - s["a"] * s["b"]
    conditions = tuple(Lengths().condition(factor(s["a"], s["b"])) for factor in factors)
    return tape_from_function(function_of(graph, first, second, name="small", conditions=conditions))


def matrix_tape() -> Tape:
    """Two variables of sizes 2 and 1, one 2×2 output, no parameters."""
    graph = Graph()
    q1, q2, w = (graph.symbol(name, online=True) for name in ("q1", "q2", "w"))
    m = ExprMaths(graph)
    entries = (m.cos(q1) * w, -m.sin(q1), q2 / 3, graph.one)
    inputs = (Input("q", (q1, q2)), Input("w", (w,)))
    return tape_from_function(Function("matrix", graph, inputs, (Output("R", (2, 2), entries),)))


@pytest.fixture(params=BACKENDS)
def small(request: Any) -> Compiled:
    return compile_tape(small_tape(), request.param)


@pytest.fixture(params=BACKENDS)
def matrix(request: Any) -> Compiled:
    return compile_tape(matrix_tape(), request.param)


def by_hand(q: Any, w: Any) -> Any:
    """The matrix function in plain numpy."""
    q, w = np.broadcast_arrays(np.asarray(q, dtype=float), np.asarray(w, dtype=float)[..., [0, 0]])
    rows = [np.cos(q[..., 0]) * w[..., 0], -np.sin(q[..., 0]), q[..., 1] / 3, np.ones(q.shape[:-1])]
    return np.stack(rows, axis=-1).reshape(*q.shape[:-1], 2, 2)


# meaning


@pytest.mark.parametrize("backend", BACKENDS)
def test_robot_dynamics_as_the_model_computes_it(backend: str) -> None:
    robot = random_robot(11, joints="RRPR")
    graph = Graph()
    chain = merge_fixed(bind(robot, ExprMaths(graph), {}))
    names = [tuple(graph.symbol(f"{kind}{i + 1}", online=True) for i in range(4)) for kind in ("q", "qd", "qdd")]
    tau = tuple(map(graph.expr, newton_euler(chain, *names).tau))
    inputs = tuple(Input(name, symbols) for name, symbols in zip(("q", "qd", "qdd"), names))
    f = compile_tape(tape_from_function(Function("tau", graph, inputs, (Output("tau", (4,), tau),))), backend)
    states = [random_state(robot, seed)[:3] for seed in range(5)]
    chain = merge_fixed(bind(robot, FLOATS, {}))
    expected = [newton_euler(chain, *state).tau for state in states]
    got = f(*(np.array([state[i] for state in states]) for i in range(3)))
    np.testing.assert_allclose(got, expected, rtol=1e-11, atol=1e-11)


SPECIAL = (0.0, -0.0, 1.0, -2.5, 0.5, 1e300, math.inf, -math.inf, math.nan)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", OPS)
def test_every_operation_on_special_values(backend: str, name: str) -> None:
    op, graph = OPS[name], Graph()
    symbols = [graph.symbol(letter, online=True) for letter in "xyz"[: op.arity]]
    function = Function(name, graph, (Input("x", tuple(symbols)),), (Output("u", (), (graph.apply(name, *symbols),)),))
    f = compile_tape(tape_from_function(function), backend)
    rows = np.array(list(itertools.product(SPECIAL, repeat=op.arity)))
    with np.errstate(all="ignore"):
        reference = op.value(ARRAYS, *rows.T)
    own = name in ("sin", "cos", "exp", "log", "tanh", "pow")
    one_ulp = 2.3e-16 if own else 0  # each within one unit of the last place of the truth
    np.testing.assert_allclose(f(rows), reference, rtol=one_ulp, atol=0)
    if name != "div":  # Python's own division by zero is an exception
        floats = [op.value(FLOATS, *map(float, row)) for row in rows]
        np.testing.assert_allclose(f(rows), floats, rtol=one_ulp, atol=0)


@pytest.mark.parametrize("backend", BACKENDS)
def test_nan_in_gives_nan_out(backend: str) -> None:
    """Also through branches: a comparison with NaN is neither true nor false."""
    graph = Graph()
    s, m = graph_symbols(graph), ExprMaths(graph)
    x, y, z = s["x"], s["y"], s["z"]
    inside = m.select(m.less(x, y), 1, 0)
    function = function_of(graph, inside, m.minimum(x, y), m.sign(x) + m.maximum(y, x), m.select(x, z, y))
    f = compile_tape(tape_from_function(function), backend)
    for row in ([math.nan, 1, 2], [1, math.nan, 2]):
        u, v, w, k = f(row, p=[1, 1])
        assert np.isnan([u, v, w]).all()
        assert np.isnan(k) == math.isnan(row[0])  # select(1, z, NaN): the arm not taken stays out


def test_dead_arm_does_not_leak() -> None:
    graph = Graph()
    s, m = graph_symbols(graph), ExprMaths(graph)
    root = m.select(m.less(0, s["x"]), m.sqrt(s["x"]), 1 / s["y"])
    f = compile_tape(tape_from_function(function_of(graph, root)), "llvm")
    assert f([-4.0, 0.0, 0.0], p=[1, 1]) == math.inf
    assert f([4.0, 0.0, 0.0], p=[1, 1]) == 2.0


def test_long_tapes_use_the_plain_generator(monkeypatch: pytest.MonkeyPatch) -> None:
    from manipula.algebra.run import llvm

    monkeypatch.setattr(llvm, "LONG", 0)
    quick, careful = compile_tape(matrix_tape(), "llvm"), compile_tape(matrix_tape(), "numpy")
    np.testing.assert_array_equal(quick([1.0, 2.0], 3.0), careful([1.0, 2.0], 3.0))


# shapes


@pytest.mark.parametrize(
    ("q", "w"),
    [
        ([0.5, 2], 3),
        ((1, 2), [3]),
        (np.ones(2, dtype=np.float32), True),
        (np.arange(12.0).reshape(6, 2), np.arange(6.0).reshape(6, 1)),
        (np.arange(12.0).reshape(6, 2), 2.0),
        ([0.5, 2], np.arange(6.0).reshape(2, 3, 1)),
        (np.arange(6.0).reshape(3, 1, 2), np.arange(4.0).reshape(4, 1)),
        (np.arange(24.0).reshape(2, 3, 4)[..., ::2], np.arange(3.0).reshape(3, 1)),
        (np.arange(12.0).reshape(6, 2)[::-2], 1.0),
        (np.arange(12.0).reshape(2, 6).T, 1.0),
        (np.arange(24.0).reshape(2, 6, 2)[:, 1:4], np.ones(1)),
        (np.zeros((0, 2)), 1.0),
        (np.zeros((3, 0, 2)), np.ones((1, 1, 1))),
        (np.array([1, 2], dtype=object), 1),
        (np.arange(12, dtype=">f8").reshape(6, 2), 1.0),
        (np.frombuffer(b"\0" + np.arange(4.0).tobytes(), dtype=np.uint8)[1:].view("f8").reshape(2, 2), 1.0),
        (np.zeros(5, dtype=[("q", "f8", 2), ("odd", "i4")])["q"] + 0.0, 1.0),
        (np.array([((1.0, 2.0), 3)] * 4, dtype=[("q", "f8", 2), ("odd", "i4")])["q"], 1.0),
    ],
)
def test_broadcasting_strides_and_types(matrix: Compiled, q: Any, w: Any) -> None:
    wide = np.reshape(w, (1,)) if np.ndim(w) == 0 else w
    expected = by_hand(q, wide)
    got = matrix(q, w)
    assert got.shape == expected.shape
    np.testing.assert_allclose(got, expected, rtol=1e-14, atol=1e-15)


def test_inputs_are_not_changed(matrix: Compiled) -> None:
    q = np.arange(8.0).reshape(4, 2)
    q.flags.writeable = False
    matrix(q, 1.0)
    assert (q == np.arange(8.0).reshape(4, 2)).all()


def test_out_receives_the_result(matrix: Compiled, small: Compiled) -> None:
    out = np.empty((3, 2, 2))
    q = np.arange(6.0).reshape(3, 2)
    assert matrix(q, 1.0, out=out) is out
    np.testing.assert_array_equal(out, matrix(q, 1.0))
    u, v = np.empty(4), np.empty(4)
    x = np.arange(12.0).reshape(4, 3)
    result = small(x, p=[1, 2], out=(u, v))
    assert result.u is u and result.v is v
    np.testing.assert_array_equal(u, small(x, p=[1, 2]).u)


def test_out_may_overlap_the_inputs(matrix: Compiled) -> None:
    store = np.arange(40.0)
    q, out = store[: 2 * 5].reshape(5, 2), store[: 4 * 5].reshape(5, 2, 2)
    expected = matrix(q.copy(), store[:1].copy())
    np.testing.assert_array_equal(matrix(q, store[:1], out=out), expected)
    strided = store[:20].reshape(5, 4)[:, :2]
    expected = matrix(strided.copy(), 1.0)
    np.testing.assert_array_equal(matrix(strided, 1.0, out=out), expected)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda f: f([1, 2, 3], 1), r"matrix: q: expected shape \(..., 2\), found \(3,\)"),
        (lambda f: f(1.0, 1), r"q: expected shape \(..., 2\), found a single number"),
        (lambda f: f([1, 2], np.ones(4)), r"w: expected shape \(..., 1\), found \(4,\)"),
        (lambda f: f([1, 2]), r"expected 2 inputs \(q, w\), found 1"),
        (lambda f: f([1, 2], 1, 1), "found 3"),
        (lambda f: f(["a", "b"], 1), r"q: expected real numbers, found \['a', 'b'\]"),
        (lambda f: f([1j, 2], 1), "q: expected real numbers"),
        (lambda f: f([[1, 2], [3]], 1), "q: expected numbers"),
        (lambda f: f([None, 2], 1), r"q: expected real numbers, found \[None, 2\]"),
        (lambda f: f(np.ones((2, 2)), np.ones((3, 1))), r"do not broadcast: q \(2, 2\), w \(3, 1\)"),
        (lambda f: f([1, 2], 1, p=[1]), "p: the function has no parameters"),
        (lambda f: f([1, 2], 1, out=np.ones((2, 3))), r"out for R: expected shape \(2, 2\), found \(2, 3\)"),
        (lambda f: f([1, 2], 1, out=np.ones((2, 2), dtype=np.float32)), "C-contiguous float64"),
        (lambda f: f([1, 2], 1, out=np.ones((2, 2)).T[::-1]), "C-contiguous float64"),
        (lambda f: f([1, 2], 1, out=[[1, 2], [3, 4]]), "out for R: expected a numpy array"),
        (lambda f: f([1, 2], 1, out=np.broadcast_to(np.ones(1), (1, 1))), "out for R"),
    ],
)
def test_wrong_calls_are_told(matrix: Compiled, call: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        call(matrix)


def test_read_only_out_is_refused(matrix: Compiled) -> None:
    out = np.empty((2, 2))
    out.flags.writeable = False
    with pytest.raises(InputError, match="read-only"):
        matrix([1, 2], 1, out=out)


def test_several_outs_must_be_as_many(small: Compiled) -> None:
    with pytest.raises(InputError, match=r"out: expected 2 arrays \(u, v\), found 1"):
        small([1, 2, 3], p=[1, 2], out=np.empty(()))


# parameters


def test_parameters_by_order_and_by_name(small: Compiled) -> None:
    assert small.parameters == ("a", "b")
    by_order, by_name = small([1, 2, 3], p=[4, 5]), small([1, 2, 3], p={"b": 5, "a": 4})
    assert by_order == by_name
    assert by_order.u == pytest.approx(math.sin(1) * 0.8 + 2, rel=1e-15)
    assert by_order.v == 3 - 20


def test_offline_part_runs_once_per_parameter_set(small: Compiled, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[list[float]] = []
    prepare = small._kernel.prepare
    monkeypatch.setattr(small._kernel, "prepare", lambda p: seen.append(p.tolist()) or prepare(p))
    p = np.array([4.0, 5.0])
    small([1, 2, 3], p=p), small([3, 2, 1], p=p), small([3, 2, 1], p={"a": 4, "b": 5})
    assert seen == [[4, 5]]
    p[0] = 6  # the same array with another value is another set
    assert small([1, 2, 3], p=p).v == 3 - 30
    assert seen == [[4, 5], [6, 5]]


def test_parameter_mistakes_are_told(small: Compiled) -> None:
    with pytest.raises(InputError, match="small: p: 2 parameters need values: a, b"):
        small([1, 2, 3])
    with pytest.raises(InputError, match="no value for b"):
        small([1, 2, 3], p={"a": 1})
    with pytest.raises(UnknownNameError, match=r"no parameter of small is called 'c'.*Known: a, b"):
        small([1, 2, 3], p={"a": 1, "b": 1, "c": 1})
    with pytest.raises(InputError, match=r"expected 2 values \(a, b\), found shape \(3,\)"):
        small([1, 2, 3], p=[1, 2, 3])


@pytest.mark.parametrize("backend", BACKENDS)
def test_conditions_name_the_parameter(backend: str) -> None:
    f = compile_tape(small_tape(lambda a, b: b, lambda a, b: a * b - 6), backend)
    with pytest.raises(ConditionError, match="small: holds only for b ≠ 0, found b = 0"):
        f([1, 2, 3], p=[1, 0])
    claim = re.escape("|a·b - 6| > 1e-6·(|a|·|b| + 6), found a = 2, b = 3")
    with pytest.raises(ConditionError, match=claim):
        f([1, 2, 3], p=[2, 3])
    with pytest.raises(ConditionError):
        f([1, 2, 3], p=[2, 3 + 1e-6])
    assert f([1, 2, 3], p=[2, 3 + 1e-5]).v
    assert f([1, 2, 3], p=[1, 1]).v == 2
    with pytest.raises(ConditionError):
        f([1, 2, 3], p=[1, 0])
    assert np.isnan(f([1, 2, 3], p=[1, math.nan]).u)


def test_a_divisor_is_guarded_though_nobody_said_so() -> None:
    with pytest.raises(ConditionError, match="b ≠ 0, found b = 0"):
        compile_tape(small_tape())([1, 2, 3], p=[1, 0])


def test_a_function_of_parameters_alone() -> None:
    graph = Graph()
    a = graph.symbol("a")
    outputs = (Output("u", (2,), (a * a, graph.const(Fraction(1, 3)))),)
    f = compile_tape(tape_from_function(Function("off", graph, (Input("p", (a,), role="parameter"),), outputs)), "llvm")
    assert f(p=[3]).tolist() == [9, 1 / 3]


# the object


def test_ports_are_described(matrix: Compiled) -> None:
    assert [port.name for port in matrix.inputs] == ["q", "w"]
    assert [(port.name, port.shape) for port in matrix.outputs] == [("R", (2, 2))]
    assert repr(matrix) == f"<matrix: q(2), w(1) → R(2, 2), {matrix.backend}>"


def test_results_and_functions_pickle(small: Compiled) -> None:
    result = small([1, 2, 3], p=[4, 5])
    copy = pickle.loads(pickle.dumps(result))
    assert type(copy) is type(result) and copy == result and copy._fields == ("u", "v")
    again = pickle.loads(pickle.dumps(small))
    assert again.backend == small.backend and again([1, 2, 3], p=[4, 5]) == result


def test_many_threads_share_one_function(small: Compiled) -> None:
    """Each with its own parameters: no call may see another's off-line part."""
    x = np.random.default_rng(1).normal(size=(200, 3))

    def call(a: int) -> bool:
        return all((small(x, p=[a, 2]).v == x[:, 2] - 2 * a).all() for _ in range(20))

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(call, range(16)))


def test_the_address_is_a_c_function() -> None:
    f = compile_tape(matrix_tape(), "llvm")
    assert f.address is not None
    pointer, whole = ctypes.POINTER(ctypes.c_double), ctypes.c_int64
    kernel = ctypes.CFUNCTYPE(None, pointer, whole, pointer, whole, pointer, pointer, whole)(f.address)
    q, w, k = (ctypes.c_double * 4)(1, 2, 3, 4), (ctypes.c_double * 1)(5), (ctypes.c_double * 1)()
    out = (ctypes.c_double * 8)()
    kernel(q, 2, w, 0, k, out, 2)
    np.testing.assert_array_equal(np.reshape(out, (2, 2, 2)), f([[1, 2], [3, 4]], 5))
    assert "define void @run" in f.source_ir
    assert compile_tape(matrix_tape(), "numpy").address is None


def test_the_address_with_parameters() -> None:
    f = compile_tape(small_tape(), "llvm")
    k, x, u, v = f.kept([4, 5]), np.array([[1.0, 2, 3], [4, 5, 6]]), np.empty(2), np.empty(2)
    word, whole = ctypes.c_void_p, ctypes.c_int64
    run = ctypes.CFUNCTYPE(None, word, whole, word, word, word, whole)(f.address)
    run(x.ctypes.data, 3, k.ctypes.data, u.ctypes.data, v.ctypes.data, 2)
    np.testing.assert_array_equal(u, f(x, p=[4, 5]).u)
    np.testing.assert_array_equal(v, f(x, p=[4, 5]).v)


def test_backend_names() -> None:
    assert compile_tape(matrix_tape()).backend == "llvm"
    with pytest.raises(UnknownNameError, match="no backend is called 'lvm'; did you mean 'llvm'"):
        compile_tape(matrix_tape(), "lvm")


def test_auto_does_without_a_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "manipula.algebra.run.llvm", None)
    f = compile_tape(matrix_tape())
    assert f.backend == "numpy" and f.source_ir == ""
    with pytest.raises(ImportError):
        compile_tape(matrix_tape(), "llvm")
