"""Inputs, states and settings of a law of one's own, as its author declares them: sizes, and values of settings.

"n"      one for each joint                 1, 3      a number, three numbers
"n×n"    a matrix, row by row               2.5       a number that is 2.5 unless given; of settings alone
"base"   one for each base parameter        "pairs"   one half of a symmetric matrix of these, by rows

Derived here: a notation, no algorithm.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from manipula.errors import InputError
from manipula.messages import Message


class Counts(NamedTuple):
    """What of a robot decides sizes: its joints, and its base parameters."""

    n: int
    base: int = 0

    def of(self, word: int | str) -> int:
        if isinstance(word, int):
            return word
        return {"n": self.n, "base": self.base, "pairs": self.base * (self.base + 1) // 2}[word]


WORDS = ("n", "base", "pairs")


@dataclass(frozen=True)
class Entry:
    """An input, state or setting as declared: its shape in words, and the value it has unless given."""

    shape: tuple[int | str, ...]
    default: tuple[float, ...] | None = None

    def size(self, counts: Counts) -> tuple[int, ...]:
        return tuple(map(counts.of, self.shape))


def sized_entry(what: str, name: str, value: Any) -> Entry:
    """A state, or an input."""
    shape = _shape(value) if isinstance(value, str | int) and not isinstance(value, bool) else None
    if shape is None:
        raise InputError(
            '{what}: {name}: expected "n", "n×n" or a number of entries, found {value!r:.60}', what, name, value
        )
    return Entry(shape)


def setting_entry(name: str, value: object) -> Entry:
    size, default = (
        value if isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str) else (value, None)
    )
    if isinstance(size, str) and (shape := _shape(size)) is not None:
        return Entry(shape, None if default is None else _floats(name, default))
    if isinstance(value, Real) and not isinstance(value, bool):
        return Entry((), _floats(name, value))
    if isinstance(value, Sequence | np.ndarray) and not isinstance(value, str):
        found = _floats(name, value)
        return Entry((len(found),), found)
    raise InputError(
        'settings: {name}: expected "n", "n×n" or the value it has unless given, found {value!r:.60}',
        name, value,
    )  # fmt: skip


def _shape(size: str | int) -> tuple[int | str, ...] | None:
    """ "n" → (n), "n×n" → (n, n), 3 → (3), 1 or "1" → a number."""
    if isinstance(size, int):
        return None if size < 1 else () if size == 1 else (size,)
    parts = size.replace("x", "×").replace("*", "×").replace(" ", "").split("×")
    if not 1 <= len(parts) <= 2 or not all(x in WORDS or (x.isascii() and x.isdigit() and int(x)) for x in parts):
        return None
    # one entry is a number, "1" like 1
    return () if parts == ["1"] else tuple(x if x in WORDS else int(x) for x in parts)


def _floats(name: str, value: object) -> tuple[float, ...]:
    try:
        found = np.atleast_1d(np.asarray(value, dtype=float))
    except (TypeError, ValueError):
        found = np.array([np.nan])
    if found.ndim != 1 or not np.isfinite(found).all():
        raise InputError("settings: {name}: expected numbers, found {value!r:.60}", name, value)
    return tuple(found.tolist())


def matrix_values(what: Message, value: object, shape: tuple[int, ...]) -> list[float]:
    try:
        found = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        found = np.full(0, np.nan)
    square = shape[0] == shape[1]
    if found.ndim == 0 and square:
        found = found * np.eye(shape[0])
    elif found.shape == shape[:1] and square:
        found = np.diag(found)
    if found.shape != shape:
        raise InputError(
            "{what}: expected {rows}×{columns} numbers, or a number or one row for its diagonal, found {value!r:.60}",
            what, shape[0], shape[1], value,
        )  # fmt: skip
    return [float(x) for x in found.ravel()]


def entry_names(name: str, shape: tuple[int, ...]) -> tuple[str, ...]:
    if not shape:
        return (name,)
    gap = "_" if name[-1].isdigit() else ""
    return tuple(f"{name}{gap}" + "_".join(str(i + 1) for i in place) for place in np.ndindex(*shape))
