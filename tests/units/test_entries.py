"""Cells of a robot file: what one may hold, on both sides of every limit, and how a refusal quotes it."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from manipula.errors import RobotFileError
from manipula.mechanics.robot.formats.units import describe, entry_from_raw, parameter_from_raw
from manipula.mechanics.robot.formats.urdf.text import is_unexpanded
from manipula.mechanics.robot.values.parameter import float_of
from manipula.mechanics.robot.values.terms import Units

KINDS = 'expected a number, a name, or an expression such as "pi/2" or "2*L1"'

# what is just allowed, what is just refused, and the words of the refusal
LIMITS: dict[str, tuple[Any, Any, str]] = {
    "letters": ("x" * 500, "x" * 501, f"the expression is too long ({KINDS})"),
    "operations": ("x" + "*x" * 60, "x" + "*x" * 61, "nested too deeply (at most 60 operations deep)"),
    "digits": (
        Decimal("1." + "3" * 499),
        Decimal("1." + "3" * 500),
        "found a number of 501 digits (write fewer digits)",
    ),
    "large": (Decimal("9e300"), Decimal("1e301"), "(a number may not pass 1e300)"),
    "largely negative": (Decimal("-9e300"), Decimal("-1e301"), "(a number may not pass 1e300)"),
    "small": (Decimal("1e-300"), Decimal("9e-301"), "(write 0 for what is so small)"),
    "whole": (10**300, 10**302, "found a number without bounds (a number may not pass 1e300)"),
    "a small part": (Fraction(1, 10**300), Fraction(1, 10**302), "a number without bounds"),
    "bits": (Fraction(2**1999 + 1, 2**1999), Fraction(2**2000 + 1, 2**2000 - 1), "a fraction of very many digits"),
}

REFUSED: dict[str, tuple[Any, str]] = {
    "truth": (True, f"found true ({KINDS})"),
    "falsehood": (False, f"found false ({KINDS})"),
    "nothing": (None, f"found nothing ({KINDS})"),
    "list": ([1, 2, 3], f"found a list of 3 ({KINDS})"),
    "table": ({"a": 1}, f"found a table ({KINDS})"),
    "set": ({1}, f"found a set ({KINDS})"),
    "empty": (" ", f"found an empty string ({KINDS})"),
    "nan": (float("nan"), "found nan (expected a finite number)"),
    "infinity": (Decimal("-inf"), "found -Infinity (expected a finite number)"),
    "word for nan": ("NaN", "found 'NaN' (expected a finite number)"),
    "point": ("2·45", "found '2·45': the point is a decimal one or a product (write 2.45 or 2*45)"),
    "mile": (
        "3 mile",
        "'3 mile' is not a name or an arithmetic expression (expected deg, rad, m, cm, mm or kg behind a number, "
        "not 'mile'; a product is written '3*mile')",
    ),
    "percent": ("4.5 %", "expected deg, rad, m, cm, mm or kg behind a number, not '%')"),
    "exponent alone": ("3 e", f"'3 e' is not a name or an arithmetic expression ({KINDS})"),
    "variable": (
        "q12",
        "found 'q12': 'q12' is reserved "
        "(q1, q2, … are the joint variables: give only the constant offset, or another name)",
    ),
    "function": ("sin", "found 'sin': 'sin' is reserved (write pi/2, sin(pi/6), or another name)"),
    "spreadsheet": (
        "#N/A",
        "'#N/A' is not a name or an arithmetic expression "
        "(a spreadsheet shows this where its formula fails; write the number)",
    ),
    "accent": (
        "ação",
        "found 'ação': 'ação' cannot be a name "
        "(a name is a letter, then letters, digits and underscores, without accents, as in 'acao')",
    ),
    "other letters": (
        "длина",
        "found 'длина': 'длина' cannot be a name "
        "(a name is a letter, then letters, digits and underscores, without accents)",
    ),
}


@pytest.mark.parametrize("seed", range(14))
def test_a_slip_is_told_with_what_to_write(seed: int) -> None:
    """Blanks inside names, two decimal points, open parentheses, what ends in a sign: what the hint shows is read."""
    draw = np.random.default_rng(seed)
    name, index = draw.choice(["L", "l_a", "Link", "x0"]), int(draw.integers(0, 99))
    first, last = int(draw.integers(1, 999)), int(draw.integers(1, 999))
    sign, gap = draw.choice([*"+-*/"]), " " * int(draw.integers(1, 4))
    slips = {
        f"{name}{gap}{index}": f"a name has no blank, as in '{name}{index}'; a product is written '{name}*{index}'",
        f"{first}.{index}.{last}": "a number has one decimal point",
        f"{first},{last:03},{last:03}": "a number has one decimal point",
        f"{first}{sign}({name}": "expected as many closing parentheses as opening ones",
        f"{name}{sign}": f"something is missing behind '{sign}'",
    }
    for text, hint in slips.items():
        with pytest.raises(RobotFileError) as found:
            entry_from_raw(text)
        assert hint in str(found.value), text
    for right in (f"{name}{index}", f"{name}*{index}", f"{first}.{index}", f"{first}{sign}({name})", f"{name}{sign}2"):
        entry_from_raw(right)


@pytest.mark.parametrize("slash", "/⁄∕÷")
def test_every_slash_divides(slash: str) -> None:
    assert parameter_from_raw(f"π{slash}2", "angle", Units()) == parameter_from_raw("pi/2", "angle", Units())


@pytest.mark.parametrize("name", LIMITS)
def test_a_limit_has_two_sides(name: str) -> None:
    allowed, refused, said = LIMITS[name]
    entry_from_raw(allowed)
    with pytest.raises(RobotFileError) as caught:
        entry_from_raw(refused)
    assert said in str(caught.value)


@pytest.mark.parametrize("name", REFUSED)
def test_a_refusal_quotes_what_it_found(name: str) -> None:
    value, said = REFUSED[name]
    with pytest.raises(RobotFileError) as caught:
        entry_from_raw(value)
    assert str(caught.value).endswith(said) if said.startswith("expected") else str(caught.value) == said


@pytest.mark.parametrize("size", [1, 57, 58, 59, 200])
def test_what_is_quoted_is_whole_or_marked_as_cut(size: int) -> None:
    """Sixty characters at most; a number that is cut would be another number."""
    for value in ("a" * size, 10 ** (size + 1) - 1, Decimal("1." + "3" * size)):
        whole, shown = repr(value) if isinstance(value, str) else str(value), str(describe(value))
        assert len(shown) <= 60 and (shown == whole if len(whole) <= 60 else "…" in shown)
        assert whole.startswith(shown.partition("…")[0]) and len(shown) >= min(len(whole), 58)


def test_numbers_of_every_library_are_numbers() -> None:
    import mpmath
    import sympy

    half = [0.5, "0.5", "1/2", Decimal("0.5"), Fraction(1, 2), np.float32(0.5), np.array(0.5), np.longdouble(0.5)]
    half += [mpmath.mpf("0.5"), sympy.Rational(1, 2), sympy.Float("0.5")]
    for value in half:
        assert float_of(parameter_from_raw(value, "length", Units(length="m")), {}) == 0.5, type(value)
        assert float_of(parameter_from_raw(value, "length", Units(length="mm")), {}) == 0.0005, type(value)
    for value in (np.int64(3), np.uint8(3), sympy.Integer(3), 3):
        assert float_of(parameter_from_raw(value, "length", Units(length="m")), {}) == 3
    for value in (sympy.oo, sympy.nan, sympy.I, np.array([0.5]), np.bool_(True), 1j):
        with pytest.raises(RobotFileError):
            entry_from_raw(value)


@pytest.mark.parametrize(("text", "open_ones"), [("${m}", True), ("$(arg m)", True), ("$m", False), ("{m} (m)", False)])
def test_either_bracket_is_for_xacro(text: str, open_ones: bool) -> None:
    assert is_unexpanded(f"2*{text}") == open_ones
