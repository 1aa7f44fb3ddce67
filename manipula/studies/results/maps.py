"""A result over two of the columns, the others held: a slice of a product of cases as a picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError, UnknownNameError
from manipula.messages import Message
from manipula.pages.heat import HeatMap

Columns = Mapping[str, NDArray[Any]]


def map_of(
    table: Columns,
    given: tuple[str, ...],
    name: str,
    x: str,
    y: str,
    at: Mapping[str, float],
    units: Mapping[str, str],
) -> HeatMap:
    """`at` says where the other columns are cut: at the level nearest to it; left out, at the middle one. Where several
    cases fall on one cell, as words differ among them, the first counts."""
    for word in (x, y, *at):
        if word not in given:
            raise UnknownNameError("column of the cases", word, given)
    if x == y or x in at or y in at:
        raise InputError("map: {x} and {y} are the axes; expected two that differ, held at no value", x, y)
    for word in (name, x, y):
        if table[word].ndim > 1 or table[word].dtype.kind == "U":
            raise InputError("map: {word} is no column of numbers", word)
    held = {word: _level(word, table[word], at.get(word)) for word in given if word not in (x, y)}
    kept = np.flatnonzero(
        np.logical_and.reduce([_alike(table[word], v) for word, v in held.items()] or [np.ones(len(table[name]), bool)])
    )
    across, columns = np.unique(table[x][kept], return_inverse=True)
    up, rows = np.unique(table[y][kept], return_inverse=True)
    values = np.full((len(up), len(across)), np.nan)
    values[rows[::-1], columns[::-1]] = table[name][kept][::-1]
    cut = ", ".join(f"{word} = {v:.4g}" if isinstance(v, float) else f"{word} = {v}" for word, v in held.items())
    title = f"{name} at {cut}" if cut else name
    places = across.astype(float).tolist(), up.astype(float).tolist()
    return HeatMap(title, labelled(x, units), labelled(y, units), *places, values.tolist(), _unit(name, units))


def labelled(name: str, units: Mapping[str, str]) -> str:
    """The column with its unit, where it has one."""
    return f"{name}, {unit}" if (unit := _unit(name, units)) else name


def _unit(name: str, units: Mapping[str, str]) -> str:
    """A share has none."""
    return "" if (unit := units.get(name, "")) == "1" else unit


def _level(name: str, values: NDArray[Any], wanted: float | None) -> Any:
    levels = np.unique(values, axis=0)
    if levels.dtype.kind == "U" or levels.ndim > 1:
        if wanted is not None and wanted not in levels.tolist():
            raise UnknownNameError(Message("level of {name}", name), str(wanted), list(map(str, levels.tolist())))
        return levels[0] if wanted is None else wanted
    place = len(levels) // 2 if wanted is None else int(np.argmin(np.abs(levels.astype(float) - float(wanted))))
    return levels[place].item()


def _alike(values: NDArray[Any], level: Any) -> NDArray[Any]:
    found: NDArray[Any] = values == level
    return np.asarray(found.reshape(len(values), -1).all(-1))
