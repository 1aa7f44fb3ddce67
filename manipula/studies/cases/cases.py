"""What a study goes through: cases, each a dict of numbers or words, known by their place. None of them is laid out
before it is needed, so that a thousand million of them weigh nothing.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from inspect import signature
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError, SizeError
from manipula.studies.cases.values import (
    Case,
    Column,
    column_from,
    ends_from,
    is_whole,
    levels_from,
    read_columns,
    refuse_names,
)

Columns = dict[str, Column]
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

    def __getitem__(self, index: int) -> Case:
        place = index + self.count if index < 0 else index
        if not 0 <= place < self.count:
            raise IndexError(f"there are {self.count} cases")
        return rows_from(self.columns(place, place + 1), 1)[0]

    def __repr__(self) -> str:
        return f"<{self.count} cases of {', '.join(self.names)[:200]}>"


def rows_from(columns: Columns, count: int) -> list[Case]:
    """Case by case, in Python's own numbers; what is an array in a case stays one."""
    listed = {name: values.tolist() if values.ndim == 1 else list(values) for name, values in columns.items()}
    return [{name: values[k] for name, values in listed.items()} for k in range(count)]


class Product(Cases):
    """Every combination of the levels of each name; the last name varies fastest."""

    def __init__(self, levels: Mapping[str, object]) -> None:
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


def cases_from_rows(rows: Sequence[Mapping[str, object]]) -> Listed:
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


def _few(row: Mapping[str, object]) -> str:
    return ", ".join(map(str, row))[:100] or "none"


def cases_from(given: object) -> Cases:
    """What `study` takes: cases, levels by name (their product), dicts one by one, or a file of columns."""
    if isinstance(given, Cases):
        found: Cases = given
    elif isinstance(given, Mapping):
        found = Product(given)
    elif isinstance(given, str | Path):
        found = Listed(*read_columns(Path(given)))
    elif isinstance(given, Sequence):
        found = cases_from_rows(given)
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


def digest_of(data: object) -> str:
    return blake2b(json.dumps(data, sort_keys=False).encode(), digest_size=16).hexdigest()


def digest_of_array(values: Column) -> str:
    head = f"{values.dtype.str} {values.shape} ".encode()
    return blake2b(head + np.ascontiguousarray(values).tobytes(), digest_size=16).hexdigest()


# Cases drawn from ranges: Latin hypercubes and Sobol's sequence, by scipy.
#
# Sobol's points come in their order, some at a time; a Latin hypercube is a permutation for every name and must be held
# as a whole.

HELD = 10**7  # of a Latin hypercube


class Sample(Cases):
    """`count` points of the unit cube, stretched to the ranges."""

    kind = ""

    def __init__(self, count: int, ranges: Mapping[str, object], seed: int = 0) -> None:
        refuse_names(ranges)
        if not is_whole(count) or count < 1:
            raise InputError(
                "cases: {kind}: expected how many, a whole number above zero, found {count!r:.40}", self.kind, count
            )
        if not is_whole(seed) or seed < 0:
            raise InputError("cases: {kind}: expected a seed of zero or more, found {seed!r:.40}", self.kind, seed)
        if not ranges:
            raise InputError("cases: {kind}: expected ranges by name, such as mass=(0, 5)", self.kind)
        refuse_many(count)
        self.names, self.count, self.seed = tuple(ranges), int(count), int(seed)
        ends = [_ends(name, values) for name, values in ranges.items()]
        self._low, self._high = np.array(ends).T
        self._log = np.array([_is_log(name, values, ends[k][0]) for k, (name, values) in enumerate(ranges.items())])

    def points(self, start: int, stop: int) -> NDArray[np.float64]:
        raise NotImplementedError

    def columns(self, start: int, stop: int) -> Columns:
        unit = self.points(start, stop)
        points = self._low + (self._high - self._low) * unit
        k = self._log
        points[:, k] = self._low[k] * (self._high[k] / self._low[k]) ** unit[:, k]
        return {name: points[:, k] for k, name in enumerate(self.names)}

    def ends(self, name: str) -> tuple[float, float]:
        """Of a name's range."""
        k = self.names.index(name)
        return float(self._low[k]), float(self._high[k])

    @property
    def digest(self) -> str:
        ends = [self._low.tolist(), self._high.tolist(), self._log.tolist()]
        return digest_of([self.kind, self.count, self.seed, self.names, ends])


def _ends(name: str, values: object) -> tuple[float, float]:
    if isinstance(values, Mapping):
        return ends_from(name, values, ("scale",))
    if not isinstance(values, list | tuple) or len(values) != 2:
        raise InputError("cases: {name}: expected the two ends of a range, found {values!r:.60}", name, values)
    return ends_from(name, {"from": values[0], "to": values[1]})


def _is_log(name: str, values: object, low: float) -> bool:
    """{from, to, scale = "log"}: even in the logarithm."""
    scale = values.get("scale", "linear") if isinstance(values, Mapping) else "linear"
    if scale not in ("linear", "log"):
        raise InputError("cases: {name}: scale: expected linear or log, found {scale!r:.40}", name, scale)
    if scale == "log" and low <= 0:
        raise InputError("cases: {name}: a logarithmic range is above zero, found from {low:g}", name, low)
    return bool(scale == "log")


class LatinHypercube(Sample):
    """Every name's range in as many slices as there are cases, each slice met once."""

    kind = "latin"

    def __init__(self, count: int, ranges: Mapping[str, object], seed: int = 0) -> None:
        super().__init__(count, ranges, seed)
        if count > HELD:
            raise InputError(
                "cases: latin: {count} are more than are held at once ({held:.0e}); take mp.studies.sobol", count, HELD
            )
        self._points: NDArray[np.float64] | None = None

    def points(self, start: int, stop: int) -> NDArray[np.float64]:
        if self._points is None:
            from scipy.stats.qmc import LatinHypercube as Engine

            self._points = np.asarray(Engine(len(self.names), **_seed_option(Engine, self.seed)).random(self.count))
        return self._points[start:stop]


class Sobol(Sample):
    """Owen's scrambling of Sobol's sequence: a power of two of them covers the ranges most evenly."""

    kind = "sobol"

    def __init__(self, count: int, ranges: Mapping[str, object], seed: int = 0) -> None:
        super().__init__(count, ranges, seed)
        self._engine: Any = None

    def points(self, start: int, stop: int) -> NDArray[np.float64]:
        if self._engine is None or self._engine.num_generated > start:
            from scipy.stats.qmc import Sobol as Engine

            bits = 30 if self.count <= 2**30 else 62
            self._engine = Engine(len(self.names), bits=bits, **_seed_option(Engine, self.seed))
        if self._engine.num_generated < start:
            self._engine.fast_forward(start - self._engine.num_generated)
        with warnings.catch_warnings():  # that the count is no power of two is the caller's choice
            warnings.simplefilter("ignore", UserWarning)
            return np.asarray(self._engine.random(stop - start))


def _seed_option(engine: Callable[..., object], seed: int) -> dict[str, np.random.Generator]:
    """scipy has called it `rng` since 1.15."""
    word = "rng" if "rng" in signature(engine).parameters else "seed"
    return {word: np.random.default_rng(seed)}


def latin(count: int, seed: int = 0, **ranges: object) -> LatinHypercube:
    """A Latin hypercube of so many cases: `latin(200, mass=(0, 5), kp=(100, 900))`."""
    return LatinHypercube(count, ranges, seed)


def sobol(count: int, seed: int = 0, **ranges: object) -> Sobol:
    """So many points of Sobol's sequence, scrambled: `sobol(1024, mass=(0, 5), kp=(100, 900))`."""
    return Sobol(count, ranges, seed)
