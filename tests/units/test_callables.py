"""The functions of an arm as users meet them: bad input, odd arrays, a thousand threads, a fork; their layout."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from threading import Barrier
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.algebra.expr.function import Function, Input, Output
from manipula.algebra.expr.maths import ExprMaths
from manipula.algebra.expr.node import Graph
from manipula.algebra.llvm.ir import single_module
from manipula.algebra.llvm.order import arrange_lines
from manipula.algebra.llvm.writer import Host, Kind, Writer
from manipula.algebra.run.batch import RowsView
from manipula.algebra.run.compiled_function import compile_tape
from manipula.algebra.tape import Tape, tape_from_function
from manipula.errors import InputError

pytestmark = pytest.mark.usefixtures("without_search")

MODELS = ("inverse_dynamics", "frames", "jacobian", "gravity", "inertia_matrix", "forward_dynamics")


def small_arm() -> mp.Robot:
    body = {
        "mass": 1.5,
        "com": [0.1, 0.02, -0.03],
        "inertia": {"xx": 0.2, "yy": 0.3, "zz": 0.25, "xy": 0.01, "xz": 0, "yz": 0},
    }
    rows = [{"theta": 0, "d": 0.1, "a": 0.3, "alpha": turn, **body} for turn in (90, 0, -60)]
    return mp.Robot.from_dh(rows, convention="standard", angle="deg", name="small")


@pytest.fixture(scope="module")
def arm() -> mp.Arm:
    return mp.Arm(small_arm())


def given(arm: mp.Arm, model: str, rows: int | None = None) -> list[Any]:
    lead = () if rows is None else (rows,)
    draw = np.random.default_rng(5)
    return [draw.uniform(-3, 3, size=(*lead, *port.shape)) for port in arm.model(model).inputs]


# what is wrong is told


@pytest.mark.parametrize("model", MODELS)
def test_wrong_shapes_are_told(arm: mp.Arm, model: str) -> None:
    call, state = getattr(arm, model), given(arm, model)
    with pytest.raises(InputError, match=rf"{model}: q: expected shape \(..., 3\), found \(4,\)"):
        call(np.zeros(4), *state[1:])
    with pytest.raises(InputError, match=r"q: expected shape \(..., 3\), found a single number"):
        call(1.0, *state[1:])
    with pytest.raises(InputError, match=rf"{model}: expected {len(state)} inputs"):
        arm.model(model)()


def test_too_many_inputs_are_told(arm: mp.Arm) -> None:
    with pytest.raises(InputError, match=r"gravity: expected 1 inputs \(q\), found 2"):
        arm.model("gravity")(np.zeros(3), np.zeros(3))


def test_rows_that_do_not_match_are_told(arm: mp.Arm) -> None:
    with pytest.raises(InputError, match=r"do not broadcast: q \(5, 3\), qd \(4, 3\), qdd \(5, 3\)"):
        arm.inverse_dynamics(np.zeros((5, 3)), np.zeros((4, 3)), np.zeros((5, 3)))


@pytest.mark.parametrize(
    "bad", [["a", "b", "c"], [1j, 0, 0], [None] * 3, [[1, 2, 3], [1]], {"q": 1}, np.zeros(3, "M8[s]")]
)
def test_what_is_not_a_number_is_told(arm: mp.Arm, bad: Any) -> None:
    with pytest.raises(InputError, match="gravity: q: expected"):
        arm.gravity(bad)


@pytest.mark.parametrize(
    "out", [np.zeros((4, 2)), np.zeros((4, 3), np.float32), np.zeros((3, 4)).T, np.zeros((8, 3))[::2], []]
)
def test_a_bad_out_is_told_and_left_alone(arm: mp.Arm, out: Any) -> None:
    with pytest.raises(InputError, match="gravity: out"):
        arm.gravity(np.ones((4, 3)), out=out)
    assert not np.any(out)


# what is odd is computed


@pytest.mark.parametrize("model", MODELS)
def test_a_nan_spoils_its_own_row_alone(arm: mp.Arm, model: str) -> None:
    call, state = getattr(arm, model), given(arm, model, 33)
    clean = call(*state)
    state[0][20, 1] = np.nan
    spoilt = call(*state)
    rows = np.arange(33) != 20
    np.testing.assert_array_equal(spoilt[rows], clean[rows])
    assert np.isnan(spoilt[20]).any()
    one = call(*(x[20] for x in state))
    np.testing.assert_array_equal(one, spoilt[20])


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    "other",
    [
        np.asfortranarray,
        lambda x: np.repeat(x, 2, axis=1)[:, ::2],
        lambda x: x[::-1].copy()[::-1],
        lambda x: np.concatenate([x, x], 1)[:, :3],
        lambda x: x.astype(">f8"),
        lambda x: x.tolist(),
        lambda x: x.astype(object),
        np.ma.masked_array,
    ],
)
def test_the_same_numbers_laid_out_otherwise(arm: mp.Arm, model: str, other: Any) -> None:
    call, state = getattr(arm, model), given(arm, model, 11)
    np.testing.assert_array_equal(call(*map(other, state)), call(*state))


@pytest.mark.parametrize("dtype", [np.int8, np.uint64, np.float16, np.float32, np.longdouble, bool])
def test_other_numbers_are_converted(arm: mp.Arm, dtype: Any) -> None:
    q = np.array([1, 0, 1], dtype=dtype)
    np.testing.assert_array_equal(arm.gravity(q), arm.gravity(np.array([1.0, 0.0, 1.0])))


@pytest.mark.parametrize("model", MODELS)
def test_no_rows(arm: mp.Arm, model: str) -> None:
    call, one = getattr(arm, model), getattr(arm, model)(*given(arm, model))
    assert call(*given(arm, model, 0)).shape == (0, *one.shape)
    wide = [np.zeros((4, 0, 2, 3)) for _ in given(arm, model)]
    assert call(*wide).shape == (4, 0, 2, *one.shape)
    assert call(*given(arm, model, 0), threads=0).size == 0


def test_a_hundred_million_rows_end_where_they_should() -> None:
    """Past the reach of 32-bit distances. Only the last rows are computed: what is not written takes no memory."""
    count, f = 100_000_000, mp.generate(small_arm(), "inertia_matrix").compile(dtype="float32")
    q = np.array([0.1, 0.2, 0.3], dtype=np.float32)
    try:
        out = np.empty((count, 3, 3), dtype=np.float32)
    except MemoryError:
        pytest.skip("no room for 3.6 GB, even unused")
    f._kernel.run([RowsView(q, 0)], f.kept(), [out], range(count - 37, count))
    np.testing.assert_array_equal(out[-37:], np.broadcast_to(f(q), (37, 3, 3)))


# many callers


def test_a_thousand_threads_meet_a_new_function() -> None:
    """All at once, before its code for many rows exists; singles, tables and tables of their own, mixed."""
    arm, start = mp.Arm(small_arm()), Barrier(1000)
    state = given(arm, "inverse_dynamics", 70)
    alone = [np.asarray(arm.inverse_dynamics(*(x[i] for x in state))) for i in range(70)]

    def call(number: int) -> bool:
        start.wait()
        if number % 3 == 0:
            found = [arm.inverse_dynamics(*(x[number % 70] for x in state))]
            return bool((found[0] == alone[number % 70]).all())
        out = np.empty((70, 3)) if number % 3 == 1 else None
        return bool((arm.inverse_dynamics(*state, out=out) == alone).all())

    with ThreadPoolExecutor(1000) as pool:
        assert all(pool.map(call, range(1000)))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
@pytest.mark.filterwarnings("ignore:.*JAX is multithreaded.*:RuntimeWarning")  # where another test has loaded it
def test_a_fork_in_the_middle_of_a_table() -> None:
    """The child computes, in threads of its own, while the parent's are at work."""
    arm = mp.Arm(small_arm())
    state = given(arm, "forward_dynamics", 20_000)
    alone = np.asarray(arm.forward_dynamics(*state))
    with ThreadPoolExecutor(3) as pool:
        busy = [pool.submit(arm.forward_dynamics, *state, threads=2) for _ in range(6)]
        child = os.fork()
        if child == 0:
            same = (arm.forward_dynamics(*state, threads=2) == alone).all()
            fresh = mp.Arm(small_arm()).gravity(state[0][:9]).shape == (9, 3)
            os._exit(0 if same and fresh else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert all((np.asarray(done.result()) == alone).all() for done in busy)


# the order of the code and its table of numbers


def polynomial_tape(terms: int) -> Tape:
    """Many numbers, each read twice, far apart: Σ cᵢ x sin(y)ⁱ, Σ cᵢ y + z"""
    graph = Graph()
    x, y = graph.symbol("x", online=True), graph.symbol("y", online=True)
    s = ExprMaths(graph).sin(y)
    first, second, power = graph.zero, graph.zero, graph.one
    for i in range(terms):
        c = graph.const(Fraction(1000 + 7 * i, 3000 + i))
        power = power * s
        first, second = first + c * power * x, second + c * (y + first)
    outputs = (Output("u", (2,), (first, second)),)
    return tape_from_function(Function("polynomial", graph, (Input("x", (x, y)),), outputs))


@pytest.mark.parametrize("model", ["inverse_dynamics", "regressor"])
def test_the_arrangement_is_a_legal_order_of_all_lines(model: str) -> None:
    tape = mp.generate(small_arm(), model).tape
    inner = Writer(tape, Kind("double"), Host(16, fused=True)).inner
    ordered = arrange_lines(tape.online, [slot for port in tape.outputs for slot in port.slots], inner)
    assert sorted(line.slot for line in ordered) == sorted(line.slot for line in tape.online)
    own, seen = {line.slot for line in tape.online}, set[int]()
    for line in ordered:
        assert seen.issuperset(own.intersection(line.args))
        seen.add(line.slot)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_table_of_several_parts(dtype: str) -> None:
    tape = polynomial_tape(150)
    text = single_module(tape, "double" if dtype == "float64" else "float", Host())
    assert text.count("getelementptr (") > 2 and "@parts.at" in text
    f, plain = compile_tape(tape, "llvm", dtype), compile_tape(tape, "numpy", dtype)
    x = np.random.default_rng(3).uniform(-0.9, 0.9, size=(9, 2)).astype(dtype)
    tolerance = 1e-12 if dtype == "float64" else 1e-3
    np.testing.assert_allclose(f(x), plain(x), rtol=tolerance)
    np.testing.assert_array_equal([f(row) for row in x], f(x))
