"""One formula, every scalar: floats, arrays, mpmath, intervals and the prime field mean the same."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manipula.algebra.expr.evaluate import ARRAYS, INTERVALS, MPMATH, evaluate
from manipula.algebra.expr.field import FieldMaths, P, value_of
from manipula.algebra.expr.maths import ExprMaths
from manipula.algebra.expr.node import Graph
from manipula.mechanics.spatial.floats import FLOATS
from manipula.scalar import OPS
from tests.random_expressions import SYMBOLS, Text, branchy, built, nested, numbers, play, smooth, symbols, whole

many = settings(max_examples=60, deadline=None)


def scalars(values: Mapping[str, Fraction], maths: Any) -> dict[str, Any]:
    return {name: maths.number(value) for name, value in values.items()}


@many
@given(smooth, whole)
def test_floats_arrays_and_mpmath_agree(text: Text, values: Mapping[str, Fraction]) -> None:
    root = built(text)
    with mpmath.workdps(40):
        true = float(evaluate([root], scalars(values, MPMATH), MPMATH)[0])
    got = evaluate([root], scalars(values, FLOATS), FLOATS)[0]
    batch = {name: np.array([float(value)] * 3) for name, value in values.items()}
    arrays = np.broadcast_to(evaluate([root], batch, ARRAYS)[0], 3)
    scale = 1 + _size(text, values)
    assert got == pytest.approx(true, abs=1e-14 * scale)
    assert arrays == pytest.approx([true] * 3, abs=1e-14 * scale)


def _size(text: Text, values: Mapping[str, Fraction]) -> float:
    """How large the terms get on the way: the scale of rounding errors."""
    match text:
        case ("symbol" | "number" | "degrees" | "sin" | "cos", *_):
            return 4.0
        case ("mul", left, right):
            return _size(left, values) * _size(right, values)
    return sum(_size(part, values) for part in text[1:])


@many
@given(branchy, whole)
def test_branches_agree_exactly(text: Text, values: Mapping[str, Fraction]) -> None:
    root = built(text)
    with mpmath.workdps(60):
        true = evaluate([root], scalars(values, MPMATH), MPMATH)[0]
        assert play(text, MPMATH, scalars(values, MPMATH)) == true
        exact = Fraction(mpmath.nstr(true, 50)) if true else Fraction(0)
    if abs(exact.numerator) < 1 << 50:  # floats hold it exactly, and so every step before it
        assert evaluate([root], scalars(values, FLOATS), FLOATS)[0] == exact
        assert evaluate([root], scalars(values, ARRAYS), ARRAYS)[0] == exact


anything = nested(st.one_of(symbols, numbers), tuple(OPS))


@many
@given(anything, whole)
def test_intervals_enclose(text: Text, values: Mapping[str, Fraction]) -> None:
    """Around the inputs, and around what the function makes of them."""
    try:
        root = built(text)
    except ZeroDivisionError:
        return
    with mpmath.workdps(50):
        try:
            true = evaluate([root], scalars(values, MPMATH), MPMATH)[0]
        except ZeroDivisionError:
            return
        if mpmath.isnan(true):
            return
        box = INTERVALS.iv.mpf(evaluate([root], scalars(values, INTERVALS), INTERVALS)[0])
        noise = mpmath.mpf(10) ** -30  # of the fifty-digit value itself
        assert mpmath.mpf(box.a) - noise <= true <= mpmath.mpf(box.b) + noise


@many
@given(anything, whole, whole, st.integers(0, 8))
def test_wide_intervals_enclose_every_point(
    text: Text, low: Mapping[str, Fraction], high: Mapping[str, Fraction], part: int
) -> None:
    try:
        root = built(text)
        boxes = {name: INTERVALS.iv.mpf(sorted([float(low[name]), float(high[name])])) for name in SYMBOLS}
        box = INTERVALS.iv.mpf(evaluate([root], boxes, INTERVALS)[0])
        inside = {name: low[name] + (high[name] - low[name]) * part / 8 for name in SYMBOLS}
        true = evaluate([root], scalars(inside, MPMATH), MPMATH)[0]
    except ZeroDivisionError:
        return
    assert mpmath.isnan(true) or box.a - 1e-12 <= true <= box.b + 1e-12


@many
@given(st.one_of(smooth, branchy), st.text("0123456789abcdef", min_size=4, max_size=4))
def test_the_prime_field_agrees_with_the_text(text: Text, seed: str) -> None:
    """With a draw that the graph's own table never used."""
    root, maths = built(text), FieldMaths(f"test {seed}")
    drawn = {name: maths.symbol(name) for name in SYMBOLS}
    assert evaluate([root], drawn, maths)[0].value == play(text, maths, drawn).value


def angle_of(x: Any) -> tuple[int, int]:
    return FIELD.cos(x).value, FIELD.sin(x).value


FIELD = FieldMaths("zeros and ones")
ELEMENTS = {
    "angle": FIELD.symbol("x"),
    "product": FIELD.symbol("x") * FIELD.symbol("y"),
    "number": FIELD.number(Fraction(7)),
    "fraction": FIELD.number(Fraction(2, 3)),
    "quarter": FIELD.degrees(Fraction(90)),
    "direction": FIELD.atan2(FIELD.symbol("y"), FIELD.symbol("x")),
    "nothing": FIELD.symbol("x") - FIELD.symbol("x"),
    # no angle: its point is off the circle where the directions' roots are opaque
    "no turn": FIELD.atan2(FIELD.symbol("y"), FIELD.symbol("x")) - FIELD.atan2(FIELD.symbol("y"), FIELD.symbol("x")),
}


@pytest.mark.parametrize("name", ELEMENTS)
def test_zeros_and_ones_change_nothing_in_the_field(name: str) -> None:
    """Neither a value nor the angle it is, whichever side they stand on and however they are written."""
    x = ELEMENTS[name]
    for nothing in (
        0,
        Fraction(0),
        FIELD.number(Fraction(0)),
        FIELD.symbol("z") * 0,
        FIELD.symbol("z") - FIELD.symbol("z"),
    ):
        for same in (x + nothing, nothing + x, x - nothing, -(nothing - x)):
            assert (same.value, angle_of(same)) == (x.value, angle_of(x))
        assert value_of(x * nothing) == value_of(nothing * x) == 0
    for one in (1, Fraction(1), FIELD.number(Fraction(1))):
        assert (x * one).value == (one * x).value == (x / one).value == x.value
    assert angle_of(x * 1) == angle_of(1 * x) == angle_of(x)


@pytest.mark.parametrize("other", ELEMENTS)
@pytest.mark.parametrize("name", ELEMENTS)
def test_angles_add_in_the_field(name: str, other: str) -> None:
    (c, s), (d, t) = angle_of(ELEMENTS[name]), angle_of(ELEMENTS[other])
    total, rest = ELEMENTS[name] + ELEMENTS[other], ELEMENTS[name] - ELEMENTS[other]
    assert total.value == (ELEMENTS[name].value + ELEMENTS[other].value) % P
    assert rest.value == (ELEMENTS[name].value - ELEMENTS[other].value) % P
    if total.point is not None:  # else it is no sum of angles, but an angle of its own
        assert angle_of(total) == ((c * d - s * t) % P, (s * d + c * t) % P)
        assert angle_of(rest) == ((c * d + s * t) % P, (s * d - c * t) % P)


def test_negative_angles_in_the_field() -> None:
    maths, graph = FieldMaths("seed"), Graph()
    for value in (Fraction(-30), Fraction(30), Fraction(-135), Fraction(0), Fraction(450)):
        node = graph.degrees(value)
        assert evaluate([node], {}, maths)[0].value == maths.degrees(value).value
        cosine = ExprMaths(graph).cos(node)
        assert evaluate([cosine], {}, maths)[0].value == maths.cos(maths.degrees(value)).value


@pytest.mark.parametrize("maths", [FLOATS, ARRAYS, MPMATH])
def test_nan_in_gives_nan_out(maths: Any) -> None:
    nan, one, two = maths.number(Fraction(1)) * math.nan, maths.number(Fraction(1)), maths.number(Fraction(2))
    results = [
        *(f(nan) for f in (maths.sin, maths.cos, maths.sqrt, maths.sign, maths.abs)),
        *(f(nan, one) for f in (maths.minimum, maths.maximum, maths.less, maths.atan2)),
        *(f(one, nan) for f in (maths.minimum, maths.maximum, maths.less, maths.atan2)),
        maths.select(nan, one, two),
        maths.select(maths.less(nan, one), one, two),
        maths.select(one, nan, two),
    ]
    assert all(math.isnan(result) for result in results)
    assert maths.select(one, two, nan) == 2 and maths.select(one - one, nan, two) == 2


@pytest.mark.parametrize("maths", [FLOATS, ARRAYS, MPMATH])
def test_square_root_of_a_negative_number_is_nan(maths: Any) -> None:
    assert math.isnan(maths.sqrt(maths.number(Fraction(-1))))


def test_interval_square_root_keeps_to_its_domain() -> None:
    iv = INTERVALS.iv
    root = INTERVALS.sqrt(iv.mpf([-1, 4]))
    assert root.a == 0 and root.b == 2
    nothing = INTERVALS.sqrt(iv.mpf([-4, -1]))
    assert nothing.a == -mpmath.inf and nothing.b == mpmath.inf


@pytest.mark.parametrize(
    ("y", "x"), [((1, 2), (1, 2)), ((-1, 1), (1, 2)), ((-1, 1), (-2, -1)), ((1, 2), (-1, 1)), ((-2, -1), (-3, 3))]
)
def test_interval_atan2(y: tuple[int, int], x: tuple[int, int]) -> None:
    iv = INTERVALS.iv
    box = INTERVALS.atan2(iv.mpf(y), iv.mpf(x))
    corners = [(b, a) for b in np.linspace(*y, 9) for a in np.linspace(*x, 9) if a or b]
    assert all(float(box.a) <= math.atan2(b, a) <= float(box.b) for b, a in corners)
    if not y[0] <= 0 <= y[1] or x[0] >= 0:
        assert float(box.b) - float(box.a) < math.pi
