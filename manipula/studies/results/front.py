"""The front of a study: the rows that no other beats in all of some objectives, as a table and as pictures."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from manipula.api import save
from manipula.errors import InputError, UnknownNameError
from manipula.messages import Message
from manipula.pages.charts import HEIGHT, WIDTH, Chart, ChartLine
from manipula.robot import Robot
from manipula.studies.cases.values import Bits, Case
from manipula.studies.results.table import StudyTable, is_numeric
from manipula.support.files import write_text
from manipula.support.text import html_table, text_table

# Which of many rows no other beats: the Pareto front.
#
# One row dominates another if it is nowhere worse and somewhere better. V. Pareto's set is what nothing dominates;
# equal rows do not dominate each other, and stand in it together.

Array = NDArray[np.float64]


def non_dominated(values: Array) -> Bits:
    """(rows, objectives), each the better the less → which rows nothing dominates. A row with a NaN is dominated."""
    found = np.zeros(len(values), dtype=bool)
    known = np.flatnonzero(~np.isnan(values).any(-1))
    if not len(known):
        return found
    distinct, places = np.unique(values[known] + 0.0, axis=0, return_inverse=True)  # no −0
    best = _BY_COUNT.get(distinct.shape[1], _by_pruning)(distinct)
    found[known] = best[places.reshape(-1)]
    return found


# of distinct rows in the order of a dictionary: what dominates a row stands before it


def _by_least(rows: Array) -> Bits:
    """Two objectives: the second is less than in all rows before."""
    before = np.concatenate([[np.inf], np.minimum.accumulate(rows[:-1, 1])])
    return np.asarray((rows[:, 1] < before) | (np.arange(len(rows)) == 0))


def _by_staircase(rows: Array) -> Bits:
    """Three: of the rows before, the front in the last two, kept in order. H. T. Kung, F. Luccio and F. P. Preparata,
    "On finding the maxima of a set of vectors", Journal of the ACM 22 (1975)."""
    ys, zs, found = list[float](), list[float](), np.zeros(len(rows), dtype=bool)
    for row, (_, y, z) in enumerate(rows.tolist()):
        at = bisect_right(ys, y)  # those before it have no larger y, and the last of them the least z
        if at and zs[at - 1] <= z:
            continue
        found[row] = True
        first = bisect_left(ys, y)
        last = first
        while last < len(zs) and zs[last] >= z:
            last += 1
        ys[first:last], zs[first:last] = [y], [z]
    return found


def _by_pruning(rows: Array) -> Bits:
    """Any number: the first of those left is one of the front, and what it dominates goes."""
    left, found = np.arange(len(rows)), np.zeros(len(rows), dtype=bool)
    while len(left):
        found[left[0]] = True
        left = left[(rows[left] < rows[left[0]]).any(-1)]
    return found


_BY_COUNT: dict[int, Callable[[Array], Bits]] = {
    1: lambda rows: np.arange(len(rows)) == 0, 2: _by_least, 3: _by_staircase
}  # fmt: skip


SENSES = {"least": 1.0, "most": -1.0}
FEASIBLE, REASON = "feasible", "reason"  # columns that say which rows count, and why others do not
SHOWN = 20
DOT = 6.0  # pixels of a row of the front
SOME = 3000  # dots of a cloud: more cannot be distinguished
NAN = float("nan")


@dataclass(frozen=True, repr=False)
class Front:
    """`cases` are the numbers of the rows, the best in the first objective before the others; `rows` the rows."""

    study: StudyTable
    objectives: Mapping[str, str]
    cases: tuple[int, ...]
    feasible: int
    reasons: tuple[tuple[str, int], ...]

    def __len__(self) -> int:
        return len(self.cases)

    @property
    def rows(self) -> list[Case]:
        return [self.study.rows[case] for case in self.cases]

    def robot(self, k: int) -> Robot:
        """The robot of the k-th row, from 0 on."""
        if not isinstance(k, int | np.integer) or not -len(self) <= k < len(self):
            raise InputError("the front has {count} rows, from 0 on; found {k!r:.40}", len(self), k)
        return self.study.robot(self.cases[k])

    def save(self, folder: str | Path, most: int = SHOWN) -> list[Path]:
        """The robots as files, at most so many of them: `folder/NAME_CASE.toml`."""
        robots = [self.robot(k) for k in range(min(len(self), most))]
        return [save(robot, Path(folder) / f"{robot.name}.toml") for robot in robots]

    # pictures

    def charts(self) -> list[Chart]:
        """Every pair of objectives: all rows that count, and the front over them; two alone have a line of steps."""
        return [self._chart(x, y) for x, y in combinations(self.objectives, 2)] if self.cases else []

    def _chart(self, x: str, y: str) -> Chart:
        across, up = (np.asarray(self.study.table[name], dtype=float) for name in (x, y))
        cloud = np.flatnonzero(_feasible_rows(self.study) & np.isfinite(across) & np.isfinite(up))
        cloud = cloud[:: max(1, len(cloud) // SOME)]
        best = list(self.cases)
        steps = self._steps(x, y) if len(self.objectives) == 2 else []
        xs = [*across[cloud].tolist(), *across[best].tolist(), *(a for a, _ in steps)]
        blank = [NAN] * len(cloud), [NAN] * len(best), [NAN] * len(steps)
        whole = "feasible" if FEASIBLE in self.study.table else "cases"
        lines = [ChartLine(whole, [*up[cloud].tolist(), *blank[1], *blank[2]], dots=True, colour=7)]
        lines += [ChartLine("", [*blank[0], *blank[1], *(b for _, b in steps)], colour=1)] if steps else []
        lines += [ChartLine("front", [*blank[0], *up[best].tolist(), *blank[2]], dots=True, colour=1, dot=DOT)]
        return Chart(f"{y} over {x}", self.label(x), self.label(y), xs, lines)

    def _steps(self, x: str, y: str) -> list[tuple[float, float]]:
        """Between two neighbours the corner that both beat: what is on its far side, the front dominates."""
        table = self.study.table
        points = sorted({(float(table[x][case]), float(table[y][case])) for case in self.cases})
        sense = SENSES[self.objectives[x]]
        found = points[:1]
        for a, b in pairwise(points):
            found += [(b[0], a[1]) if sense > 0 else (a[0], b[1]), b]
        return found

    def label(self, name: str) -> str:
        return f"{name}, {unit}" if (unit := self.study.units.get(name)) else name

    def picture(self, path: str | Path | None = None) -> str:
        """The charts, two side by side, as SVG; written where a path is given."""
        charts = self.charts()
        if not charts:
            raise InputError(
                "picture: {empty}", (self._empty() if not self.cases else Message("two objectives make one, found one"))
            )
        text = side_by_side([chart.svg() for chart in charts])
        if path is not None:
            write_text(Path(path), text + "\n")
        return text

    # words

    def cells(self, most: int = SHOWN) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Heads and rows of text: number, case, what was given, objectives, words."""
        table = self.study.table
        words = [name for name in table if table[name].dtype.kind == "U" and name != REASON]
        names = list(dict.fromkeys([*self.study.given, *self.objectives, *words]))
        heads = ("", "case", *(self.label(name) for name in names))
        rows = [
            (str(k), str(case), *(_cell(table[name][case]) for name in names))
            for k, case in enumerate(self.cases[:most])
        ]
        return heads, rows

    def as_dict(self) -> Case:
        return {
            "objectives": dict(self.objectives),
            "feasible": self.feasible,
            "reasons": [{"reason": reason, "cases": count} for reason, count in self.reasons],
            "front": [{"case": case, **_plain(row)} for case, row in zip(self.cases, self.rows)],
        }

    @property
    def headline(self) -> str:
        """What came of it, in a line."""
        if not self.cases:
            return self._empty()
        told = ", ".join(f"{sense} {name}" for name, sense in self.objectives.items())
        return f"front of {len(self.cases)} among {self.feasible} feasible of {self.study.count} cases: {told}"

    def _empty(self) -> str:
        if not self.reasons:
            return Message(
                "none of {count} cases has all of {objectives}", self.study.count, ", ".join(self.objectives)
            )
        reason, count = self.reasons[0]
        return Message(
            "none of {count} cases is feasible; most often ({count2}): {reason}", self.study.count, count, reason
        )

    def __repr__(self) -> str:
        return f"<{self.headline}>"

    def __str__(self) -> str:
        heads, rows = self.cells()
        if not rows:
            return self.headline
        more = f"\n… {len(self.cases)} in all" if len(self.cases) > len(rows) else ""
        return f"{self.headline}\n{text_table(heads, rows)}{more}"

    def _repr_html_(self) -> str:
        return html_table(*self.cells(), self.headline)


def front_of(study: StudyTable, objectives: Mapping[str, str]) -> Front:
    """`objectives`: column → "least" or "most"."""
    columns = [_column(study, name, sense) for name, sense in objectives.items()]
    if not columns:
        raise InputError('front: expected objectives, such as mass="least", energy="least"')
    counted = _feasible_rows(study)
    found = np.flatnonzero(non_dominated(np.where(counted[:, None], np.stack(columns, axis=-1), np.nan)))
    order = np.lexsort([column[found] for column in reversed(columns)])
    return Front(study, dict(objectives), tuple(found[order].tolist()), int(counted.sum()), _reasons(study))


def _column(study: StudyTable, name: str, sense: str) -> Array:
    if name not in study.table:
        raise UnknownNameError("column of the study", name, list(study.table))
    if sense not in SENSES:
        raise InputError("front: {name}: expected least or most, found {sense!r:.40}", name, sense)
    values = study.table[name]
    if not is_numeric(values):
        raise InputError("front: column {name} is not numeric", name)
    return SENSES[sense] * np.asarray(values, dtype=float)


def _feasible_rows(study: StudyTable) -> Bits:
    """The rows that are feasible, where a column says so."""
    if FEASIBLE not in study.table:
        return np.ones(study.count, dtype=bool)
    return np.asarray(study.table[FEASIBLE] == 1)


def _reasons(study: StudyTable) -> tuple[tuple[str, int], ...]:
    """Why rows are not feasible, the most frequent first."""
    if REASON not in study.table:
        return ()
    return tuple(Counter(x for x in study.table[REASON].tolist() if x).most_common())


def _cell(value: object) -> str:
    return f"{value:.5g}" if isinstance(value, np.floating) else str(value)


def _plain(row: Case) -> Case:
    return {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in row.items()}


def side_by_side(pictures: Sequence[str]) -> str:
    """Charts two by two in one picture."""
    wide = min(len(pictures), 2)
    rows = (len(pictures) + 1) // 2
    placed = [
        picture.replace(
            "<svg ", f'<svg x="{k % 2 * WIDTH}" y="{k // 2 * HEIGHT}" width="{WIDTH}" height="{HEIGHT}" ', 1
        )
        for k, picture in enumerate(pictures)
    ]
    head = f'<svg viewBox="0 0 {wide * WIDTH} {rows * HEIGHT}" xmlns="http://www.w3.org/2000/svg" color="#222">'
    return "\n".join([head, '<rect width="100%" height="100%" fill="white"/>', *placed, "</svg>"])
