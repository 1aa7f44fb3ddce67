"""What a study goes through: cases, each a dict of numbers or words, known by their place. None of them is laid out
before it is asked for, so that a thousand million of them weigh nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError, SizeError
from manipula.studies.cases.files import columns_read
from manipula.studies.cases.values import column_from, levels_from, refuse_names

Columns = dict[str, NDArray[Any]]
MOST = 10**10  # cases; at a microsecond each they would take three hours, at a millisecond four months


class Cases:
    """`names` are the columns, `len` the number of cases; `columns(start, stop)` lays some of them out."""

    names: tuple[str, ...]
    count: int

    def columns(self, start: int, stop: int) -> Columns:
        raise NotImplementedError

    @property
    def digest(self) -> str:
        """Of all that decides the cases: by it a folder knows its study again."""
        raise NotImplementedError

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> dict[str, Any]:
        place = index + self.count if index < 0 else index
        if not 0 <= place < self.count:
            raise IndexError(f"there are {self.count} cases")
        return rows_from(self.columns(place, place + 1), 1)[0]

    def __repr__(self) -> str:
        return f"<{self.count} cases of {', '.join(self.names)[:200]}>"


def rows_from(columns: Columns, count: int) -> list[dict[str, Any]]:
    """Case by case, in Python's own numbers; what is an array in a case stays one."""
    listed = {name: values.tolist() if values.ndim == 1 else list(values) for name, values in columns.items()}
    return [{name: values[k] for name, values in listed.items()} for k in range(count)]


class Product(Cases):
    """Every combination of the levels of each name; the last name varies fastest."""

    def __init__(self, levels: Mapping[str, Any]) -> None:
        refuse_names(levels)
        self.levels = {name: levels_from(name, values) for name, values in levels.items()}
        self.names, self.count = tuple(levels), prod(map(len, self.levels.values())) if levels else 0
        refuse_many(self.count)

    def columns(self, start: int, stop: int) -> Columns:
        places, found = np.arange(start, stop), Columns()
        for name, values in reversed(self.levels.items()):
            places, digit = np.divmod(places, len(values))
            found[name] = values[digit]
        return {name: found[name] for name in self.names}

    @property
    def digest(self) -> str:
        return digest_of({name: digest_of_array(values) for name, values in self.levels.items()})


class Listed(Cases):
    """Cases one by one, held as columns."""

    def __init__(self, held: Columns, count: int) -> None:
        self._held, self.names, self.count = held, tuple(held), count
        refuse_many(count)

    def columns(self, start: int, stop: int) -> Columns:
        return {name: values[start:stop] for name, values in self._held.items()}

    @property
    def digest(self) -> str:
        return digest_of({name: digest_of_array(values) for name, values in self._held.items()})


def listed(rows: Sequence[Mapping[str, Any]]) -> Listed:
    """Dicts that all have the same keys."""
    if not rows:
        raise InputError("cases: found none; a study needs at least one")
    for number, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise InputError("cases: case {number}: expected a dict, found {row!r:.60}", number, row)
        if row.keys() != rows[0].keys():
            raise InputError(
                "cases: case {number} has the names {few} where case 0 has {few2}; all have the same",
                number,
                _few(row),
                _few(rows[0]),
            )
    refuse_names(rows[0])
    return Listed({name: column_from(name, [row[name] for row in rows]) for name in rows[0]}, len(rows))


def _few(row: Mapping[str, Any]) -> str:
    return ", ".join(map(str, row))[:100] or "none"


def cases_from(given: Any) -> Cases:
    """What `study` takes: cases, levels by name (their product), dicts one by one, or a file of columns."""
    if isinstance(given, Cases):
        found: Cases = given
    elif isinstance(given, Mapping):
        found = Product(given)
    elif isinstance(given, str | Path):
        found = Listed(*columns_read(Path(given)))
    elif isinstance(given, Sequence):
        found = listed(given)
    else:
        raise InputError(
            "cases: expected levels by name, a list of dicts, a sample of mp.studies or a file, found {given!r:.60}",
            given,
        )
    if not found.count:
        raise InputError("cases: found none; a study needs at least one")
    return found


def refuse_many(count: int) -> None:
    if count > MOST:
        raise SizeError(
            "cases: {count:.3g} are more than a study can go through ({most:.0e}); take fewer levels, or a "
            "sample of them: mp.studies.sobol(10_000, …)",
            count,
            MOST,
        )


def digest_of(data: Any) -> str:
    return blake2b(json.dumps(data, sort_keys=False).encode(), digest_size=16).hexdigest()


def digest_of_array(values: NDArray[Any]) -> str:
    head = f"{values.dtype.str} {values.shape} ".encode()
    return blake2b(head + np.ascontiguousarray(values).tobytes(), digest_size=16).hexdigest()
