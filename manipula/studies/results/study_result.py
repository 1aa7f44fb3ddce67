"""A study that is whole: its table, what a ready study makes of it, and its page: a summary, how every result is
distributed and how it goes with the cases, what failed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from manipula.errors import InputError, UnknownNameError
from manipula.messages import Message
from manipula.pages.charts import Chart, ChartLine, HeatMap
from manipula.pages.page import charts, page, paragraph, section, table
from manipula.studies.cases.values import Bits, Case, Column, refuse_ending
from manipula.studies.results.front import Front, front_of
from manipula.studies.results.table import StudyTable, is_numeric
from manipula.support.files import write_text
from manipula.support.text import html_table, text_table

REASONS = 3  # to fail, in a print
ON_PAGE = 20  # reasons of a page
CHARTS = 12  # of a kind
POINTS = 1500  # dots of a chart: more cannot be distinguished


def no_sections(study: Study) -> Sequence[str]:
    return ()


def no_answer(study: Study) -> Mapping[str, object]:
    return {}


@dataclass(frozen=True, repr=False)
class Study(StudyTable):
    """`table`: columns; `rows`: dicts; `failures`: the cases that failed. `path` is the file of all of it."""

    show: Callable[[Study], Sequence[str]] = no_sections  # what a ready study has to show on its page
    told: Callable[[Study], Mapping[str, object]] = no_answer  # its answer in short

    def map(self, name: str, x: str, y: str, path: str | Path | None = None, **at: object) -> HeatMap:
        """A result by colour over two columns of the cases, the others held `at` a value (default: their middle level);
        written as SVG where a path is given."""
        found = map_of(self, name, x, y, at)
        if path is not None:
            write_text(Path(path), found.svg() + "\n")
        return found

    def front(self, **objectives: str) -> Front:
        """The rows that no other beats in all of these: `found.front(mass="least", energy="least")`, "most" where more
        is better; a study of designs knows its own. Where a column `feasible` is, rows that are not do not count."""
        if not self.results:
            raise InputError("front: every case failed; the first says: {why}", self.failures[0].why)
        return front_of(self, objectives or self.shared.get("objectives", {}))

    @property
    def has_front(self) -> bool:
        """Whether it knows its objectives, and some case did not fail."""
        return bool(self.shared.get("objectives") and self.results)

    def report(self, path: str | Path) -> Path:
        """A page that stands alone: what a ready study shows of its own, summary, pictures, failures."""
        refuse_page(path)
        return write_text(Path(path), report_of(self))

    @property
    def answer(self) -> Mapping[str, object]:
        """What a ready study has found, by name; nothing where every case failed."""
        return self.told(self) if self.results else {}

    def as_dict(self) -> Case:
        return {
            "study": self.title,
            "cases": self.count,
            "computed": self.computed,
            "failed": len(self.why),
            "failures": [{"case": case, "why": why} for case, why in list(self.why.items())[:100]],
            "columns": list(self.table),
            "summary": [{"result": name, **found} for name, found in self.figures().items()],
            "answer": dict(self.answer),
            "file": str(self.path),
            **({"front": self.front().as_dict()} if self.has_front else {}),
        }

    def __repr__(self) -> str:
        failed = f", {len(self.why)} failed" if self.why else ""
        return f"<study {self.title}: {self.count} cases{failed}; {', '.join(self.table)[:120]}>"

    def __str__(self) -> str:
        heads, rows = self.summary()
        told = [repr(self).strip("<>"), *([text_table(heads, rows, right=range(1, len(heads)))] if rows else [])]
        return "\n".join([*told, *self._failure_lines()])

    def _failure_lines(self) -> list[str]:
        """The first case of every reason to fail: a typing error is in all of them."""
        first = {why: case for case, why in reversed(self.why.items())}
        lines = [f"case {case} failed: {why}" for why, case in sorted(first.items(), key=lambda item: item[1])]
        more = [f"… and {len(lines) - REASONS} more reasons; failures has every case"] if len(lines) > REASONS else []
        return lines[:REASONS] + more

    def _repr_html_(self) -> str:
        heads, rows = self.summary()
        return html_table(heads, rows, repr(self).strip("<>"))


def refuse_results(path: str | Path | None) -> None:
    """The ending of a file of results is met before the study is run."""
    if path is None:
        return
    if not isinstance(path, str | Path):
        raise InputError("results: expected the name of a file, found {path!r:.60}", path)
    refuse_ending(Path(path))


def refuse_page(path: str | Path | None) -> None:
    """A page is HTML, and its name says so."""
    if path is not None and Path(path).suffix.lower() not in (".html", ".htm"):
        raise InputError("report: expected a file that ends in .html, found {path!r:.60}", str(path))


# A result over two of the columns, the others held: a slice of a product of cases as a picture.


def map_of(study: StudyTable, name: str, x: str, y: str, at: Mapping[str, object]) -> HeatMap:
    """`at` says where the other columns are cut: at the level nearest to it; left out, at the middle one. Where several
    cases fall on one cell, as words differ among them, the first counts."""
    table, given = study.table, study.given
    for word in (x, y, *at):
        if word not in given:
            raise UnknownNameError("column of the cases", word, given)
    if x == y or x in at or y in at:
        raise InputError("map: {x} and {y} are the axes; expected two that differ, held at no value", x, y)
    for word in (name, x, y):
        if not is_numeric(table[word]):
            raise InputError("map: column {word} is not numeric", word)
    held = {word: _level(word, table[word], at.get(word)) for word in given if word not in (x, y)}
    alike = [_alike(table[word], level) for word, level in held.items()] or [np.ones(study.count, bool)]
    kept = np.flatnonzero(np.logical_and.reduce(alike))
    across, columns = np.unique(table[x][kept], return_inverse=True)
    up, rows = np.unique(table[y][kept], return_inverse=True)
    values = np.full((len(up), len(across)), np.nan)
    values[rows[::-1], columns[::-1]] = table[name][kept][::-1]
    cut = ", ".join(f"{word} = {v:.4g}" if isinstance(v, float) else f"{word} = {v}" for word, v in held.items())
    places = across.astype(float).tolist(), up.astype(float).tolist()
    title = f"{name} at {cut}" if cut else name
    return HeatMap(title, study.label(x), study.label(y), *places, values.tolist(), study.unit(name))


def _level(name: str, values: Column, wanted: Any) -> object:
    levels = np.unique(values, axis=0)
    if levels.dtype.kind == "U" or levels.ndim > 1:
        if wanted is not None and wanted not in levels.tolist():
            raise UnknownNameError(Message("level of {name}", name), str(wanted), list(map(str, levels.tolist())))
        return levels[0] if wanted is None else wanted
    place = len(levels) // 2 if wanted is None else int(np.argmin(np.abs(levels.astype(float) - float(wanted))))
    return levels[place].item()


def _alike(values: Column, level: object) -> Bits:
    return np.asarray((values == level).reshape(len(values), -1).all(-1))


def report_of(study: Study) -> str:
    """The whole page; what a ready study has to show of its own comes before the rest."""
    heads, rows = study.summary()
    results = [name for name in study.results if _plots(study.table[name])]
    given = [name for name in study.given if _plots(study.table[name]) and len(np.unique(study.table[name])) > 1]
    pairs = [(x, y) for y in results for x in given][:CHARTS]
    failed = f", {len(study.why)} of them failed" if study.why else ""
    place = "" if study.kept_file is None else f" All of them: {study.kept_file}"
    text = f"{study.count} case{'s' * (study.count > 1)}{failed}.{place}"
    parts = [paragraph(text), *study.show(study)]
    parts.append(section("Results", table("over all cases that did not fail", heads, rows)))
    if results:
        parts.append(section("Distributions", charts([distribution(study, x) for x in results[:CHARTS]])))
    if pairs:
        parts.append(section("By case", charts([_dots(study, x, y) for x, y in pairs])))
    if study.why:
        parts.append(section("Failures", _reasons(study)))
    return page(f"Study {study.title}", parts)


def _plots(values: Column) -> bool:
    return values.ndim == 1 and values.dtype.kind in "bif" and bool(np.isfinite(values.astype(float)).any())


def distribution(study: StudyTable, name: str) -> Chart:
    """The share of cases at or below a value: at each that a case has, a step."""
    values = np.sort(study.table[name].astype(float))
    values = values[np.isfinite(values)]
    some = np.unique(values[np.linspace(0, len(values) - 1, min(len(values), 600)).astype(int)])
    below, upto = np.searchsorted(values, some, "left"), np.searchsorted(values, some, "right")
    share = np.stack([below, upto], axis=-1).ravel() / len(values)
    return Chart(
        name, study.label(name), "share of cases", np.repeat(some, 2).tolist(), [ChartLine("", share.tolist())]
    )


def _dots(study: StudyTable, x: str, y: str) -> Chart:
    across, up = (study.table[name].astype(float) for name in (x, y))
    some = np.flatnonzero(np.isfinite(across) & np.isfinite(up))
    some = some[:: max(1, len(some) // POINTS)]
    return Chart(
        f"{y} over {x}",
        study.label(x),
        study.label(y),
        across[some].tolist(),
        [ChartLine("", up[some].tolist(), dots=True)],
    )


def _reasons(study: StudyTable) -> str:
    found = Counter(study.why.values()).most_common(ON_PAGE)
    first = {why: case for case, why in reversed(study.why.items())}
    rows = [(why, str(count), str(first[why])) for why, count in found]
    return table("by what they say", ("why", "cases", "the first"), rows)
