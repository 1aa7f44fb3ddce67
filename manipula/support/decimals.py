"""Exact numbers as people write them."""

from __future__ import annotations

from fractions import Fraction


def is_decimal(value: Fraction) -> bool:
    """Has it an end, written in tens? Only 2 and 5 divide its denominator."""
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    return rest == 1


def decimal(value: Fraction) -> str:
    """0.25 for 1/4, nothing for 1/3: only what a decimal writes exactly."""
    if not is_decimal(value):
        return ""
    places = 0
    while (value * 10**places).denominator != 1:
        places += 1
    digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    text = digits if not places else f"{digits[:-places]}.{digits[-places:]}"
    return ("-" if value < 0 else "") + text


def exact_text(value: Fraction) -> str:
    """A decimal where it is exact, else a fraction."""
    return decimal(value) or f"{value.numerator}/{value.denominator}"


def tiny_power(value: Fraction) -> int:
    """k of 10⁻ᵏ, where so many zeros would be no help to the eye; else 0."""
    k = len(str(value.denominator)) - 1
    return k if k > 9 and value == Fraction(1, 10**k) else 0
