"""A study that is whole: its table of columns, its rows, its failures; read from the disk as they are asked for."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple
from weakref import finalize

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError, UnknownNameError
from manipula.messages import Message
from manipula.pages.charts import HeatMap
from manipula.robot import Robot
from manipula.studies.cases.values import RESERVED, kind_of, refuse_ending
from manipula.studies.results.front import Front, front_of
from manipula.studies.results.report import map_of, report_of
from manipula.support.files import open_archive, replace_file, write_text
from manipula.support.text import html_table, text_table

# Files of results: npz and csv always, Parquet where pyarrow is.

STRIDE = 2**16  # rows of a group: its size does not depend on how the study was run


@dataclass(frozen=True)
class Written:
    """What a file gets: columns, and the sentences of the cases that failed."""

    path: Path
    table: Mapping[str, NDArray[Any]]
    why: Mapping[int, str]
    count: int


def columns_written(found: Written, path: Path) -> Path:
    """The whole table; what failed has a column `failure` where the file has rows."""
    refuse_ending(path)
    with replace_file(path) as part:
        {".npz": _npz_written, ".csv": _csv_written, ".parquet": _parquet_written}[path.suffix.lower()](found, part)
    return path


def _npz_written(found: Written, path: Path) -> None:
    shutil.copyfile(found.path, path)


def _csv_written(found: Written, path: Path) -> None:
    names = [(name, place) for name in found.table for place in _places(found.table[name])]
    with path.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow([*(_head(name, place) for name, place in names), *(["failure"] if found.why else [])])
        for start, stop in _strides(found.count):
            parts = [_at(found.table[name][start:stop], place) for name, place in names]
            why = [[found.why.get(k, "") for k in range(start, stop)]] if found.why else []
            out.writerows(zip(*parts, *why))


def _places(values: NDArray[Any]) -> Iterator[tuple[int, ...]]:
    return np.ndindex(values.shape[1:])


def _at(values: NDArray[Any], place: tuple[int, ...]) -> list[Any]:
    for k in place:
        values = values[:, k]
    return list(values.tolist())


def _head(name: str, place: tuple[int, ...]) -> str:
    return name + "".join(f"_{k + 1}" for k in place)


def _strides(count: int) -> Iterator[tuple[int, int]]:
    return ((start, min(start + STRIDE, count)) for start in range(0, count, STRIDE))


def _parquet_written(found: Written, path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    writer = None
    for start, stop in _strides(found.count):
        columns = {name: _arrow(pa, found.table[name][start:stop]) for name in found.table}
        if found.why:
            columns["failure"] = pa.array([found.why.get(k) for k in range(start, stop)], pa.string())
        table = pa.table(columns)
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()


def _arrow(pa: Any, values: NDArray[Any]) -> Any:
    flat = pa.array(np.ascontiguousarray(values).ravel() if values.dtype.kind != "U" else values.ravel().tolist())
    for size in reversed(kind_of(values)[1][1:]):
        flat = pa.FixedSizeListArray.from_arrays(flat, size)
    return flat


FIGURES = ("lowest", "5 %", "median", "mean", "95 %", "highest")
REASONS = 3  # to fail, that a print tells


class Failure(NamedTuple):
    """A case that failed, and why."""

    case: int
    why: str
    given: dict[str, Any]


class Place:
    """The file of the results. A study without a folder has a temporary one, which goes when nobody holds this."""

    def __init__(self, path: Path, temporary: bool = False) -> None:
        self.path, self.temporary = path, temporary
        if temporary:
            finalize(self, shutil.rmtree, path.parent, ignore_errors=True)


class Table(Mapping[str, NDArray[Any]]):
    """Columns by name, in the order of the cases: first those of the cases, then results. NaN where it failed."""

    def __init__(self, place: Place, count: int, given: Sequence[str]) -> None:
        self._place, self._count, self._held = place, count, dict[str, NDArray[Any]]()
        with _results_in(place.path) as found:
            self._names = [name for name in found if name not in RESERVED]
            if lost := [name for name in (*given, *RESERVED) if name not in found]:
                raise _damage_error(place.path, Message("no column {lost}", lost[0]))

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self._names:
            raise UnknownNameError("column of the study", name, self._names)
        return self.member(name)

    def member(self, name: str) -> NDArray[Any]:
        if name not in self._held:
            with _results_in(self._place.path) as found:
                values = found[name]
                if name not in RESERVED and values.shape[:1] != (self._count,):
                    why = Message(
                        "{name} has shape {shape}, and there are {count} cases", name, values.shape, self._count
                    )
                    raise _damage_error(self._place.path, why)
                self._held[name] = values
        return self._held[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"<columns {', '.join(self._names)[:200]}>"


@contextmanager
def _results_in(path: Path) -> Iterator[Mapping[str, NDArray[Any]]]:
    """The arrays of a file of results; one that is not as a study wrote it is refused."""
    try:
        with open_archive(path) as found:
            yield found
    except OSError as error:
        raise InputError("{name}: cannot be read: {strerror}", path, error.strerror or error) from error
    except InputError:
        raise
    except ValueError as error:
        raise _damage_error(path, str(error)) from error


def _damage_error(path: Path, why: str) -> InputError:
    return InputError("{path}: is damaged: {error}; delete it, and the same call computes the study again", path, why)


class Rows(Sequence[dict[str, Any]]):
    """Case by case; a row that failed has what was given, and its `failure`."""

    def __init__(self, study: Study) -> None:
        self._study = study

    def __len__(self) -> int:
        return self._study.count

    def __getitem__(self, k: Any) -> Any:
        if isinstance(k, slice):
            return [self[i] for i in range(*k.indices(len(self)))]
        place = k + len(self) if k < 0 else k
        if not 0 <= place < len(self):
            raise IndexError(f"the study has {len(self)} rows")
        why = self._study.why.get(place)
        names = self._study.table if why is None else self._study.given
        found = {name: _plain(self._study.table[name][place]) for name in names}
        return found if why is None else {**found, "failure": why}

    def __repr__(self) -> str:
        return f"<{len(self)} rows>"


def _plain(value: Any) -> Any:
    return value if isinstance(value, np.ndarray) else value.item()


def _nothing(study: Study) -> Sequence[str]:
    return ()


def _no_answer(study: Study) -> Mapping[str, Any]:
    return {}


def no_robot(study: Study, case: int) -> Robot:
    raise InputError("the study {title} has no robot of its own in every case; that of designs has", study.title)


@dataclass(frozen=True)
class Study:
    """`table`: columns; `rows`: dicts; `failures`: the cases that failed. `path` is the file of all of it."""

    title: str
    place: Place
    count: int
    given: tuple[str, ...]
    seconds: float = 0.0
    computed: int = 0
    shared: Mapping[str, Any] = field(default_factory=dict, repr=False)  # what all cases had besides
    show: Callable[[Study], Sequence[str]] = _nothing  # what a ready study has to show on its page
    told: Callable[[Study], Mapping[str, Any]] = _no_answer  # its answer in short
    units: Mapping[str, str] = field(default_factory=dict, repr=False)  # of columns, where they are known
    build: Callable[[Study, int], Robot] = no_robot  # the robot of a case, where each has its own

    @property
    def path(self) -> Path:
        return self.place.path

    @property
    def kept(self) -> Path | None:
        """The file of the whole table in the study's folder; None where there is no folder."""
        return None if self.place.temporary else self.path

    @cached_property
    def table(self) -> Table:
        return Table(self.place, self.count, self.given)

    @property
    def results(self) -> tuple[str, ...]:
        """The names of what the function gave."""
        return tuple(name for name in self.table if name not in self.given)

    @cached_property
    def why(self) -> dict[int, str]:
        """Case → sentence, of those that failed."""
        return dict(zip(self.table.member("failed").tolist(), self.table.member("why").tolist()))

    @property
    def rows(self) -> Rows:
        return Rows(self)

    @property
    def failures(self) -> list[Failure]:
        return [
            Failure(case, why, {name: _plain(self.table[name][case]) for name in self.given})
            for case, why in self.why.items()
        ]

    def summary(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Of every result that is a number: least, median, mean, most."""
        figures = self.figures()
        return ("result", *FIGURES), [
            (name, *("" if x is None else f"{x:.5g}" for x in found.values())) for name, found in figures.items()
        ]

    def figures(self) -> dict[str, dict[str, float | None]]:
        """The numbers of the summary, by result; None where no case gave one."""
        return {name: _figures(self.table[name]) for name in self.results if self._is_number(name)}

    def _is_number(self, name: str) -> bool:
        return self.table[name].ndim == 1 and self.table[name].dtype.kind != "U"

    def map(self, name: str, x: str, y: str, path: str | Path | None = None, **at: Any) -> HeatMap:
        """A result by colour over two columns of the cases, the others held `at` a value (default: their middle level);
        written as SVG where a path is given."""
        found = map_of(self.table, self.given, name, x, y, at, self.units)
        if path is not None:
            write_text(Path(path), found.svg() + "\n")
        return found

    def front(self, **objectives: str) -> Front:
        """The rows that no other beats in all of these: `found.front(mass="least", energy="least")`, "most" where more
        is better; a study of designs knows its own. Where a column `feasible` is, rows that are not do not count."""
        if not self.results:
            raise InputError("front: every case failed; the first says: {why}", self.failures[0].why)
        return front_of(self, objectives or self.shared.get("objectives", {}), self.units)

    @property
    def has_front(self) -> bool:
        """Whether it knows its objectives, and some case did not fail."""
        return bool(self.shared.get("objectives") and self.results)

    def robot(self, case: int) -> Robot:
        """The robot of a case, in a study where each has its own."""
        if isinstance(case, bool) or not isinstance(case, int | np.integer) or not 0 <= case < self.count:
            raise InputError("case: expected a number from 0 to {count}, found {case!r:.40}", self.count - 1, case)
        return self.build(self, int(case))

    def save(self, path: str | Path) -> Path:
        """The table as a file: .npz, .csv or .parquet."""
        return columns_written(Written(self.path, self.table, self.why, self.count), Path(path))

    def report(self, path: str | Path) -> Path:
        """A page that stands alone: what a ready study shows of its own, summary, pictures, failures."""
        refuse_page(path)
        return write_text(Path(path), report_of(self, *self.show(self)))

    @property
    def answer(self) -> Mapping[str, Any]:
        """What a ready study has found, by name; nothing where every case failed."""
        return self.told(self) if self.results else {}

    def as_dict(self) -> dict[str, Any]:
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


def _figures(values: NDArray[Any]) -> dict[str, float | None]:
    known = np.asarray(values, dtype=float)
    known = known[~np.isnan(known)]
    if not known.size:
        return dict.fromkeys(FIGURES)
    between: Literal["linear", "lower"] = (
        "linear" if np.isfinite(known).all() else "lower"
    )  # nothing lies between a number and infinity
    low, median, high = np.quantile(known, [0.05, 0.5, 0.95], method=between)
    with np.errstate(invalid="ignore"):  # of both infinities there is no mean
        found = (known.min(), low, median, known.mean(), high, known.max())
    return {name: None if np.isnan(x) else float(x) for name, x in zip(FIGURES, found, strict=True)}


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
