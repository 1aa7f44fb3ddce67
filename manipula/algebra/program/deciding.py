"""The operations of a tape that decide, as texts: where a language's own would lose a NaN (see `scalar.Maths`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def sign_of(x: float) -> float:
    """-1, 0 or 1; NaN of NaN"""
    return 1.0 if x > 0 else (-1.0 if x < 0 else (0.0 if x == 0 else x))


def min_of(x: float, y: float) -> float:
    """The smaller; NaN if one is NaN."""
    return x if x < y else (y if y <= x else x + y)


def max_of(x: float, y: float) -> float:
    """The larger; NaN if one is NaN."""
    return x if x > y else (y if y >= x else x + y)


def less_of(x: float, y: float) -> float:
    """1 if x < y, else 0; NaN if one is NaN"""
    return 1.0 if x < y else (0.0 if x >= y else x + y)


def select_of(condition: float, yes: float, no: float) -> float:
    """yes where the condition is not 0, else no; NaN if the condition is NaN"""
    unknown = not condition <= 0 and not condition > 0
    return condition if unknown else (yes if condition != 0 else no)


DECIDING: dict[str, Callable[..., Any]] = {
    "sign": sign_of, "min": min_of, "max": max_of, "less": less_of, "select": select_of,
}  # fmt: skip
