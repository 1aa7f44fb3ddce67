"""Polynomials over polynomials, with common factors cancelled while that is cheap."""

from __future__ import annotations

from collections.abc import Callable
from math import gcd, lcm
from typing import Any, NamedTuple

Poly = Any  # flint's fmpq_mpoly, which has no type information
Times = Callable[[Poly, Poly], Poly]  # the ring's product, modulo its relations
CHEAP = 600  # terms of both together, up to which common factors are searched


class Quotient(NamedTuple):
    """top / bottom; no bottom is 1."""

    top: Poly
    bottom: Poly | None = None


def negative(x: Quotient) -> Quotient:
    return Quotient(-x.top, x.bottom)


def inverted(x: Quotient, one: Poly) -> Quotient:
    return Quotient(one if x.bottom is None else x.bottom, x.top)


def product_of(x: Quotient, y: Quotient, times: Times) -> Quotient:
    top = times(x.top, y.top)
    if x.bottom is None or y.bottom is None:
        return cancelled(top, x.bottom if y.bottom is None else y.bottom)
    return cancelled(top, times(x.bottom, y.bottom))


def sum_of(x: Quotient, y: Quotient, times: Times) -> Quotient:
    if x.bottom is None and y.bottom is None:
        return Quotient(x.top + y.top)
    if x.bottom == y.bottom:
        return cancelled(x.top + y.top, x.bottom)
    if x.bottom is None:
        return cancelled(times(x.top, y.bottom) + y.top, y.bottom)
    if y.bottom is None:
        return cancelled(x.top + times(y.top, x.bottom), x.bottom)
    shared = _common_factor(x.bottom, y.bottom)
    ours, theirs = x.bottom // shared, y.bottom // shared
    return cancelled(times(x.top, theirs) + times(y.top, ours), times(x.bottom, theirs))


def _common_factor(a: Poly, b: Poly) -> Poly:
    return a.gcd(b) if len(a) + len(b) <= CHEAP else a.context().constant(1)


def cancelled(top: Poly, bottom: Poly | None) -> Quotient:
    """Common factors out; the bottom has coprime whole coefficients and a positive lead; a number joins the top."""
    if bottom is None or not top:
        return Quotient(top)
    shared = _common_factor(top, bottom)
    top, bottom = top // shared, bottom // shared
    if bottom.is_constant():
        return Quotient(top / bottom.leading_coefficient())
    coefficients = bottom.coeffs()
    scale = _whole(coefficients) * (1 if coefficients[0] > 0 else -1)
    return Quotient(top * scale, bottom * scale)


def _whole(coefficients: list[Any]) -> Any:
    """The positive factor that makes them whole and coprime."""
    below = lcm(*(int(x.q) for x in coefficients))
    return type(coefficients[0])(below, gcd(*(int(x.p * below / x.q) for x in coefficients)))
