"""Many configurations at once: the lanes' sine and cosine, remainders, layouts, threads, float32, other machines."""

from __future__ import annotations

import ctypes
from typing import Any

import mpmath
import numpy as np
import pytest

from manipula.algebra.expr.evaluate import ARRAYS
from manipula.algebra.expr.function import Function, Input, Output
from manipula.algebra.expr.maths import ExprMaths
from manipula.algebra.expr.node import Graph
from manipula.algebra.llvm.code import host
from manipula.algebra.llvm.writer import Host
from manipula.algebra.run.compiled_function import Compiled, compile_tape
from manipula.algebra.run.llvm import LlvmKernel
from manipula.algebra.tape import Tape, kept_slots, tape_from_function
from manipula.errors import InputError, UnknownNameError
from tests.random_expressions import function_of, graph_symbols

HOSTS = [Host(size, fused) for size in (16, 32, 64) for fused in (False, True) if size <= host().vector_bytes]
FUSED = pytest.mark.skipif(not host().fused, reason="this machine leaves sines to its library")


def sines_tape() -> Tape:
    graph = Graph()
    m, x = ExprMaths(graph), graph.symbol("x", online=True)
    outputs = (Output("s", (), (m.sin(x),)), Output("c", (), (m.cos(x),)))
    return tape_from_function(Function("sines", graph, (Input("x", (x,)),), outputs))


def wide_tape(size: int = 5) -> Tape:
    """Rows of an odd and an even length, nested sines, a branch, an arc tangent, a constant, a copied input."""
    graph = Graph()
    m = ExprMaths(graph)
    x = [graph.symbol(f"x{i}", online=True) for i in range(size)]
    y = [graph.symbol(f"y{i}", online=True) for i in range(2)]
    inner = m.sin(x[0] * y[0] + x[1])
    entries = (
        m.cos(inner + x[2]) * x[3] - y[1] * x[-1], m.atan2(x[0], y[1]), m.select(m.less(x[1], x[2]), inner, x[3] / 3),
        graph.expr(m.sqrt(x[0] * x[0] + 1)), graph.one, x[-1], -(x[0] * y[1]),
    )  # fmt: skip
    inputs = (Input("x", tuple(x)), Input("y", tuple(y)))
    outputs = (Output("u", (7,), entries), Output("v", (2, 2), (y[1], x[0] * x[1] + y[0] * y[1], x[2], inner)))
    return tape_from_function(Function("wide", graph, inputs, outputs))


def compiled_for(tape: Tape, machine: Host, dtype: str = "float64") -> Compiled:
    return Compiled(tape, LlvmKernel(tape, np.dtype(dtype), machine))


def expected(tape: Tape, *rows: Any) -> list[Any]:
    """The tape line by line in numpy."""
    names = [port.name for port in tape.inputs]
    with np.errstate(all="ignore"):
        found = tape.evaluate({name: list(np.moveaxis(x, -1, 0)) for name, x in zip(names, rows)}, ARRAYS)
    count = len(rows[0])
    stacked = [np.stack([np.broadcast_to(z, count) for z in found[port.name]], -1) for port in tape.outputs]
    return [x.reshape(count, *port.shape) for x, port in zip(stacked, tape.outputs)]


# sine and cosine


def ulps(got: Any, truth: Any, kind: Any) -> Any:
    """Distance in units of the last place of the truth's binade."""
    size = np.spacing(np.abs(truth.astype(kind)))
    return np.abs(got.astype(np.longdouble) - truth) / size


@FUSED
@pytest.mark.skipif(np.finfo(np.longdouble).nmant < 63, reason="no longer floats here to compare with")
def test_a_million_sines_within_one_ulp() -> None:
    """Against the extended precision of the system's library, whose own error is a thousandth of a unit."""
    f, state = compile_tape(sines_tape(), "llvm"), np.random.default_rng(5)
    near, far = state.uniform(-4, 4, 600_000), state.uniform(-1e5, 1e5, 300_000)
    small = state.normal(size=100_000) * 10.0 ** state.uniform(-20, 0, 100_000)
    x = np.concatenate([near, far, small])
    s, c = f(x[:, None])
    assert ulps(s, np.sin(x.astype(np.longdouble)), np.float64).max() < 0.8
    assert ulps(c, np.cos(x.astype(np.longdouble)), np.float64).max() < 0.8


@FUSED
def test_sines_close_to_multiples_of_a_quarter_turn() -> None:
    """Where reduction loses everything unless it is careful; the truth by mpmath."""
    n = np.unique(np.round(np.geomspace(1, 63661, 700)))
    base = n * (np.pi / 2)
    x = np.concatenate([base, np.nextafter(base, 0), np.nextafter(base, 2e5), -base])
    s, c = compile_tape(sines_tape(), "llvm")(x[:, None])
    with mpmath.workdps(60):
        for value, sine, cosine in zip(x.tolist(), s.tolist(), c.tolist()):
            for got, truth in ((sine, mpmath.sin(value)), (cosine, mpmath.cos(value))):
                assert abs(got - truth) <= 0.8 * np.spacing(abs(float(truth))), value


@pytest.mark.parametrize("machine", HOSTS)
def test_large_angles_infinities_and_nan_leave_their_neighbours_alone(machine: Host) -> None:
    f = compiled_for(sines_tape(), machine)
    plain = np.linspace(-3, 3, 37)
    odd = np.array([1e5, -1e5, 99999.99, 1e8, -1e22, 1e300, np.inf, -np.inf, np.nan, 0.0, -0.0, 5e-324])
    mixed = np.stack([plain[: len(odd)], odd], axis=1).ravel()
    both, alone = f(mixed[:, None]), f(plain[: len(odd), None])
    for got, quiet, function in zip(both, alone, (np.sin, np.cos)):
        with np.errstate(invalid="ignore"):
            np.testing.assert_allclose(got[1::2], function(odd), rtol=2.3e-16, atol=0)
        np.testing.assert_array_equal(got[0::2], quiet)


@FUSED
def test_short_sines_within_one_ulp() -> None:
    f, state = compile_tape(sines_tape(), "llvm", "float32"), np.random.default_rng(6)
    x = np.concatenate([state.uniform(-4, 4, 200_000), state.uniform(-1e5, 1e5, 100_000)]).astype(np.float32)
    s, c = f(x[:, None])
    assert s.dtype == np.float32
    assert ulps(s, np.sin(x.astype(np.float64)), np.float32).max() < 0.51
    assert ulps(c, np.cos(x.astype(np.float64)), np.float32).max() < 0.51


# lanes and rows


@pytest.mark.parametrize("machine", HOSTS)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_every_remainder(machine: Host, dtype: str) -> None:
    tape, state = wide_tape(), np.random.default_rng(7)
    f = compiled_for(tape, machine, dtype)
    tolerance = 1e-14 if dtype == "float64" else 1e-5
    for count in (*range(20), 33, 64, 67):
        x, y = (state.normal(size=(count, n)).astype(dtype) for n in (5, 2))
        for got, want in zip(f(x, y), expected(tape, x, y)):
            np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance)


def test_one_and_many_and_every_width_give_the_same_bits() -> None:
    tape, state = wide_tape(), np.random.default_rng(8)
    x, y = state.normal(size=(50, 5)), state.normal(size=(50, 2))
    functions = [compiled_for(tape, machine) for machine in HOSTS if machine.fused == host().fused]
    first = functions[0](x, y)
    for f in functions:
        whole, single = f(x, y), [f(a, b) for a, b in zip(x, y)]
        for k in range(2):
            np.testing.assert_array_equal(whole[k], first[k])
            np.testing.assert_array_equal(whole[k], [result[k] for result in single])


def test_rows_apart_reversed_and_repeated() -> None:
    tape = wide_tape()
    f, state = compile_tape(tape, "llvm"), np.random.default_rng(9)
    big = state.normal(size=(60, 9))
    y = state.normal(size=2)
    for x in (big[:, 2:7], big[::-1, :5], big[::3, 4:9], np.broadcast_to(big[0, :5], (11, 5)), big[:, :9:2]):
        want = expected(tape, x, np.broadcast_to(y, (len(x), 2)))
        for got, right in zip(f(x, y), want):
            np.testing.assert_allclose(got, right, rtol=1e-14, atol=1e-14)


def test_nothing_is_read_or_written_outside() -> None:
    """The rows end where a page ends that nobody may touch."""
    mmap = pytest.importorskip("mmap")
    if not hasattr(mmap, "PROT_READ"):
        pytest.skip("no page protection here")
    page, tape = mmap.PAGESIZE, wide_tape()
    f = compile_tape(tape, "llvm")
    area = mmap.mmap(-1, 2 * page)
    start = ctypes.addressof(ctypes.c_char.from_buffer(area))
    guard = ctypes.CDLL(None).mprotect
    guard.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    assert guard(start + page, page, 0) == 0
    try:
        for count in (1, 3, 8, 13):
            x = np.frombuffer(area, dtype=np.float64, count=5 * count, offset=page - 40 * count).reshape(count, 5)
            x[:] = 0.25
            got = f(x, [1.0, 2.0])
            np.testing.assert_array_equal(got[0], f(x.copy(), [1.0, 2.0])[0])
    finally:
        assert guard(start + page, page, 3) == 0


@pytest.mark.parametrize("machine", HOSTS)
def test_parameters_reach_every_lane(machine: Host) -> None:
    graph = Graph()
    s, m = graph_symbols(graph), ExprMaths(graph)
    tape = tape_from_function(function_of(graph, m.sin(s["x"]) * (s["a"] / s["b"]) + s["y"] * s["a"]))
    f, x = compiled_for(tape, machine), np.random.default_rng(1).normal(size=(21, 3))
    assert len(kept_slots(tape)) == 2
    want = np.sin(x[:, 0]) * (4 / 5) + x[:, 1] * 4
    np.testing.assert_allclose(f(x, p=[4, 5]), want, rtol=1e-14, atol=1e-15)


def test_a_nan_stays_in_its_lane() -> None:
    f = compile_tape(wide_tape(), "llvm")
    x, y = np.full((40, 5), 0.3), np.ones((40, 2))
    x[17, 0] = np.nan
    u, v = f(x, y)
    rows = np.isnan(u).any(axis=1) | np.isnan(v).any(axis=(1, 2))
    assert rows.tolist() == [i == 17 for i in range(40)]


@pytest.mark.slow
def test_a_hundred_million_rows() -> None:
    """Also past the reach of 32-bit counters in bytes; one row repeated, so that the input is small."""
    f, count = compile_tape(sines_tape(), "llvm", "float32"), 100_000_000
    s, c = f(np.broadcast_to(np.float32(0.5), (count, 1)), threads=2)
    assert s.shape == c.shape == (count,)
    assert (s[:: count // 1000] == s[0]).all() and s[-1] == s[0] and c[-1] == c[0] and s.max() == s.min()


# threads


def test_threads_give_the_same_bits() -> None:
    f, state = compile_tape(wide_tape(), "llvm"), np.random.default_rng(10)
    x, y = state.normal(size=(30_011, 5)), state.normal(size=(30_011, 2))
    alone = f(x, y)
    for threads in (0, 2, 3, 7):
        for a, b in zip(f(x, y, threads=threads), alone):
            np.testing.assert_array_equal(a, b)
    plain = compile_tape(wide_tape(), "numpy")
    for a, b in zip(plain(x, y, threads=3), plain(x, y)):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("threads", [-1, 1.5, "all"])
def test_threads_must_be_a_number(threads: Any) -> None:
    with pytest.raises(InputError, match="threads: expected a number of threads"):
        compile_tape(wide_tape(), "llvm")(np.zeros((2, 5)), np.zeros((2, 2)), threads=threads)


# dtype


@pytest.mark.parametrize("backend", ["llvm", "numpy"])
def test_float32(backend: str) -> None:
    tape = wide_tape()
    f, g = compile_tape(tape, backend, "float32"), compile_tape(tape, backend)
    x, y = np.random.default_rng(2).normal(size=(9, 5)), np.random.default_rng(3).normal(size=(9, 2))
    for short, long in zip(f(x, y), g(x, y)):
        assert short.dtype == np.float32 and long.dtype == np.float64
        np.testing.assert_allclose(short, long, rtol=2e-5, atol=2e-5)
    with pytest.raises(InputError, match="C-contiguous float32 array"):
        f(x, y, out=g(x, y))


def test_other_dtypes_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="no dtype is called 'float16'"):
        compile_tape(wide_tape(), "llvm", "float16")
