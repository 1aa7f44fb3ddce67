"""The page of a study: a summary, how every result is distributed and how it goes with the cases, what failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError, UnknownNameError
from manipula.messages import Message
from manipula.pages.charts import Chart, ChartLine, HeatMap
from manipula.pages.page import charts, page, paragraph, section, table

# A result over two of the columns, the others held: a slice of a product of cases as a picture.

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
    return HeatMap(
        title, label_with_unit(x, units), label_with_unit(y, units), *places, values.tolist(), _unit(name, units)
    )


def label_with_unit(name: str, units: Mapping[str, str]) -> str:
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


CHARTS = 12  # of a kind
POINTS = 1500  # dots of a chart: more than can be told apart
REASONS = 20


class Shown(Protocol):
    """A study, as far as its page goes."""

    @property
    def title(self) -> str: ...
    @property
    def count(self) -> int: ...
    @property
    def kept(self) -> Path | None: ...
    @property
    def given(self) -> tuple[str, ...]: ...
    @property
    def results(self) -> tuple[str, ...]: ...
    @property
    def table(self) -> Mapping[str, NDArray[Any]]: ...
    @property
    def units(self) -> Mapping[str, str]: ...
    @property
    def why(self) -> dict[int, str]: ...
    def summary(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]: ...


def report_of(study: Shown, *parts: str) -> str:
    """The whole page; `parts` are what a ready study has to show of its own, before the rest."""
    heads, rows = study.summary()
    results = [name for name in study.results if _plots(study.table[name])]
    given = [name for name in study.given if _plots(study.table[name]) and len(np.unique(study.table[name])) > 1]
    pairs = [(x, y) for y in results for x in given][:CHARTS]
    failed = f", {len(study.why)} of them failed" if study.why else ""
    place = "" if study.kept is None else f" All of them: {study.kept}"
    return page(
        f"Study {study.title}",
        [
            paragraph(f"{study.count} case{'s' * (study.count > 1)}{failed}.{place}"),
            *parts,
            section("Results", table("over all cases that did not fail", heads, rows)),
            *(
                [section("Distributions", charts([distribution(study, x) for x in results[:CHARTS]]))]
                if results
                else []
            ),
            *([section("By case", charts([_dots(study, x, y) for x, y in pairs]))] if pairs else []),
            *([section("Failures", _reasons(study))] if study.why else []),
        ],
    )


def _plots(values: NDArray[Any]) -> bool:
    return values.ndim == 1 and values.dtype.kind in "bif" and bool(np.isfinite(values.astype(float)).any())


def distribution(study: Shown, name: str) -> Chart:
    """The share of cases at or below a value: at each that a case has, a step."""
    values = np.sort(study.table[name].astype(float))
    values = values[np.isfinite(values)]
    some = np.unique(values[np.linspace(0, len(values) - 1, min(len(values), 600)).astype(int)])
    below, upto = np.searchsorted(values, some, "left"), np.searchsorted(values, some, "right")
    share = np.stack([below, upto], axis=-1).ravel() / len(values)
    across = label_with_unit(name, study.units)
    return Chart(name, across, "share of cases", np.repeat(some, 2).tolist(), [ChartLine("", share.tolist())])


def _dots(study: Shown, x: str, y: str) -> Chart:
    across, up = (study.table[name].astype(float) for name in (x, y))
    some = np.flatnonzero(np.isfinite(across) & np.isfinite(up))
    some = some[:: max(1, len(some) // POINTS)]
    labels = label_with_unit(x, study.units), label_with_unit(y, study.units)
    return Chart(f"{y} over {x}", *labels, across[some].tolist(), [ChartLine("", up[some].tolist(), dots=True)])


def _reasons(study: Shown) -> str:
    found = Counter(study.why.values()).most_common(REASONS)
    first = {why: case for case, why in reversed(study.why.items())}
    rows = [(why, str(count), str(first[why])) for why, count in found]
    return table("by what they say", ("why", "cases", "the first"), rows)
