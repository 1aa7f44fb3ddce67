"""The lanes' own arc tangent: within a unit in the last place, every special case as the library has it."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from manipula.algebra.expr.function import Function, Input, Output
from manipula.algebra.expr.maths import ExprMaths
from manipula.algebra.expr.node import Graph
from manipula.algebra.llvm.code import host
from manipula.algebra.run.compiled_function import compile_tape
from manipula.algebra.tape import Tape, tape_from_function
from tests.units.test_simd import HOSTS, compiled_for, ulps

FUSED = pytest.mark.skipif(not host().fused, reason="this machine leaves arc tangents to its library")
SPECIAL = (0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-300, -1e-300, 5e-324, 1e300, -1e300, 1e-160)


def angles_tape(count: int = 1) -> Tape:
    graph = Graph()
    m = ExprMaths(graph)
    y, x = ([graph.symbol(f"{letter}{i}", online=True) for i in range(count)] for letter in "yx")
    angles = tuple(m.atan2(a, b) for a, b in zip(y, x, strict=True))
    inputs = (Input("y", tuple(y)), Input("x", tuple(x)))
    return tape_from_function(Function("angles", graph, inputs, (Output("angle", (count,), angles),)))


@FUSED
@pytest.mark.skipif(np.finfo(np.longdouble).nmant < 63, reason="no longer floats here to compare with")
def test_a_million_angles_within_one_ulp() -> None:
    state = np.random.default_rng(5)
    round_the_circle = state.uniform(-np.pi, np.pi, 600_000)
    small = state.normal(size=(2, 400_000)) * 10.0 ** state.uniform(-150, 150, (2, 400_000))
    y = np.concatenate([np.sin(round_the_circle), small[0]])
    x = np.concatenate([np.cos(round_the_circle), small[1]])
    got = compile_tape(angles_tape(), "llvm")(y[:, None], x[:, None])[:, 0]
    truth = np.arctan2(y.astype(np.longdouble), x.astype(np.longdouble))
    assert ulps(got, truth, np.float64).max() < 0.8


@FUSED
def test_angles_beside_the_borders_of_the_octants() -> None:
    """Where one polynomial hands over to the next, and where the quotient is 0 or 1."""
    borders = np.arange(-8, 9) * np.pi / 8
    angle = (borders[:, None] + np.concatenate([-np.geomspace(1e-17, 1e-3, 40), np.geomspace(1e-17, 1e-3, 40)])).ravel()
    y, x = np.sin(angle), np.cos(angle)
    got = compile_tape(angles_tape(), "llvm")(y[:, None], x[:, None])[:, 0]
    np.testing.assert_allclose(got, np.arctan2(y, x), rtol=3e-16, atol=0)


@pytest.mark.parametrize("machine", HOSTS)
def test_zeros_infinities_and_nan_leave_their_neighbours_alone(machine: Any) -> None:
    f = compiled_for(angles_tape(), machine)
    odd = np.array(list(product(SPECIAL, SPECIAL)))
    plain = np.random.default_rng(6).normal(size=odd.shape)
    mixed = np.stack([plain, odd], axis=1).reshape(-1, 2)
    got, quiet = (f(rows[:, :1].copy(), rows[:, 1:].copy())[:, 0] for rows in (mixed, plain))
    want = np.arctan2(odd[:, 0], odd[:, 1])
    np.testing.assert_array_equal(got[1::2], want)
    np.testing.assert_array_equal(np.signbit(got[1::2]), np.signbit(want))
    np.testing.assert_array_equal(got[0::2], quiet)


@pytest.mark.drawn("count")
@pytest.mark.parametrize("machine", HOSTS)
@pytest.mark.parametrize("count", [1, 2, 3, 7, 9, 20])
def test_one_configuration_and_many_give_the_same_bits(machine: Any, count: int) -> None:
    """Alone, the angles of one configuration are packed into lanes."""
    f, state = compiled_for(angles_tape(count), machine), np.random.default_rng(count)
    y, x = state.normal(size=(2, 11, count))
    np.testing.assert_array_equal(f(y, x), [f(a, b) for a, b in zip(y, x, strict=True)])


@FUSED
def test_short_angles_are_rounded_once() -> None:
    state = np.random.default_rng(7)
    y, x = state.normal(size=(2, 100_000)).astype(np.float32)
    got = compile_tape(angles_tape(), "llvm", "float32")(y[:, None], x[:, None])[:, 0]
    assert got.dtype == np.float32
    assert ulps(got, np.arctan2(y.astype(np.float64), x.astype(np.float64)), np.float32).max() < 0.51
