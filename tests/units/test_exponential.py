"""The lanes' own exp, log, tanh and pow: within a unit in the last place, every end of the range, equal bits."""

from __future__ import annotations

from itertools import product
from typing import Any

import mpmath
import numpy as np
import pytest
from numpy.typing import NDArray

from manipula.algebra.expr.evaluate import ARRAYS, MPMATH
from manipula.algebra.expr.function import Function, Input, Output
from manipula.algebra.expr.maths import ExprMaths
from manipula.algebra.expr.node import Graph
from manipula.algebra.llvm.code import host
from manipula.algebra.run.compiled_function import compile_tape
from manipula.algebra.tape import Tape, tape_from_function
from manipula.scalar import OPS
from tests.units.test_simd import HOSTS, compiled_for, ulps

FUSED = pytest.mark.skipif(not host().fused, reason="this machine leaves exponentials to its library")
LONG = pytest.mark.skipif(np.finfo(np.longdouble).nmant < 63, reason="no longer floats here to compare with")
Floats = NDArray[np.float64]
TINY, LARGE = np.finfo(np.float64).smallest_subnormal, np.finfo(np.float64).max
SPECIAL = (
    0.0, -0.0, 1.0, -1.0, 0.5, -2.0, 3.0, np.inf, -np.inf, np.nan, TINY, -TINY, 1e-310, 2.3e-308, LARGE, -LARGE, 1e300,
    709.78271289338397, 709.8, -708.4, -745.1332191019411, -745.2, -744.44, 22.0, -22.1, np.nextafter(1, 0), 1e-300,
    np.nextafter(1, 2), 0.34657359027997264, np.sqrt(0.5), np.sqrt(2.0), 1e5, 1e-17,
)  # fmt: skip


def tape_of(name: str, count: int = 1) -> Tape:
    graph, op = Graph(), OPS[name]
    maths = ExprMaths(graph)
    inputs = [[graph.symbol(f"{letter}{i}", online=True) for i in range(count)] for letter in "xy"[: op.arity]]
    found = tuple(op.value(maths, *args) for args in zip(*inputs))
    ports = tuple(Input(letter, tuple(own)) for letter, own in zip("xy", inputs))
    return tape_from_function(Function(f"{name}s", graph, ports, (Output("u", (count,), found),)))


def draws(seed: int, size: int) -> dict[str, list[Floats]]:
    """Arguments over the whole range, near the places where digits may be lost, and where results are denormal."""
    dice = np.random.default_rng(seed)

    def sized(low: float, high: float) -> Floats:
        return np.exp(dice.uniform(low, high, size)) * dice.choice([-1, 1], size)  # type: ignore[no-any-return]

    base, near = np.abs(sized(-700, 700)), 1 + sized(-33, -2)
    powers = [(base, dice.uniform(-744, 709, size)), (near, dice.uniform(-744, 709, size)),
              (dice.uniform(1.5, 3, size), dice.uniform(-744, -708, size))]  # fmt: skip
    return {
        "exp": [*(dice.uniform(*ends, size) for ends in ((-1, 1), (-745, 709.7), (-745, -708))), sized(-700, 6)],
        "log": [dice.uniform(0.5, 2, size), np.abs(sized(-744, 709)), near, np.abs(sized(-744, -708))],
        "tanh": [dice.uniform(-0.5, 0.5, size), dice.uniform(-25, 25, size), sized(-740, 3)],
        "pow": [np.stack([x, y / np.log(x)]) for x, y in powers]
        + [np.stack([dice.uniform(0, 3, size), dice.uniform(-5, 5, size)])],
    }  # fmt: skip


def arguments(name: str, draw: Floats) -> list[Floats]:
    return [x[:, None] for x in (draw if OPS[name].arity == 2 else [draw])]


BOUND = {"exp": 0.8, "log": 0.51, "tanh": 0.95, "pow": 0.8}  # units in the last place, as the texts say


@FUSED
@LONG
@pytest.mark.parametrize("name", BOUND)
def test_a_hundred_thousand_within_one_ulp(name: str) -> None:
    f = compile_tape(tape_of(name), "llvm")
    for draw in draws(1, 30_000)[name]:
        args = arguments(name, draw)
        truth = getattr(np, OPS[name].word("numpy"))(*(x[:, 0].astype(np.longdouble) for x in args))
        assert ulps(f(*args)[:, 0], truth, np.float64).max() < BOUND[name]


@FUSED
@pytest.mark.parametrize("name", BOUND)
def test_some_hundreds_against_fifty_digits(name: str) -> None:
    f = compile_tape(tape_of(name), "llvm")
    for draw in draws(2, 150)[name]:
        args = arguments(name, draw)
        with mpmath.workdps(50):
            rows = [[mpmath.mpf(float(x)) for x in row] for row in np.concatenate(args, axis=1)]
            true = [OPS[name].value(MPMATH, *row) for row in rows]
            units = [mpmath.mpf(float(np.spacing(abs(float(x))))) for x in true]
            found = zip(f(*args)[:, 0], true, units, strict=True)
            assert max(abs(mpmath.mpf(float(x)) - y) / unit for x, y, unit in found) < BOUND[name]


@pytest.mark.parametrize("machine", HOSTS)
@pytest.mark.parametrize("name", [*BOUND, "floor"])
def test_the_ends_of_the_range_leave_their_neighbours_alone(name: str, machine: Any) -> None:
    """Zeros, infinities, NaN, denormal numbers, the borders of overflow: as the reference has them, in their lanes."""
    f, arity = compiled_for(tape_of(name), machine), OPS[name].arity
    odd = np.array(list(product(SPECIAL, repeat=arity)))
    plain = np.random.default_rng(6).uniform(0.1, 2, size=odd.shape)
    mixed = np.stack([plain, odd], axis=1).reshape(-1, arity)
    got, quiet = (f(*(rows[:, [i]] for i in range(arity)))[:, 0] for rows in (mixed, plain))
    with np.errstate(all="ignore"):
        want = np.asarray(OPS[name].value(ARRAYS, *odd.T))
    np.testing.assert_allclose(got[1::2], want, rtol=4.5e-16, atol=1e-323)
    np.testing.assert_array_equal(np.signbit(got[1::2])[want == 0], np.signbit(want)[want == 0])
    np.testing.assert_array_equal(got[0::2], quiet)


@pytest.mark.turn
@pytest.mark.drawn("name", few=2)
@pytest.mark.parametrize("name", [*BOUND, "floor"])
def test_one_and_many_and_every_width_give_the_same_bits(name: str) -> None:
    dice = np.random.default_rng(3)
    args = [dice.uniform(0.01, 30, size=(11, 7)) for _ in range(OPS[name].arity)]
    for fused in {machine.fused for machine in HOSTS}:
        functions = [compiled_for(tape_of(name, 7), machine) for machine in HOSTS if machine.fused == fused]
        rows = [f(*args) for f in functions] + [np.array([functions[0](*row) for row in zip(*args)])]
        for other in rows[1:]:
            np.testing.assert_array_equal(rows[0], other)


@FUSED
@pytest.mark.parametrize("name", BOUND)
def test_short_numbers_are_rounded_once(name: str) -> None:
    dice = np.random.default_rng(7)
    args = [dice.uniform(0.01, 9, size=(5000, 1)).astype(np.float32) for _ in range(OPS[name].arity)]
    got = compile_tape(tape_of(name), "llvm", "float32")(*args)[:, 0]
    truth = OPS[name].value(ARRAYS, *(x[:, 0].astype(np.float64) for x in args))
    assert got.dtype == np.float32 and ulps(got, truth, np.float32).max() < 0.51
