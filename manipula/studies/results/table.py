"""The table of a study that is whole: columns, rows, failures, read from the disk as they are wanted; files of it."""

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

from manipula.errors import InputError, UnknownNameError
from manipula.messages import Message
from manipula.robot import Robot
from manipula.studies.cases.values import RESERVED, Case, Column, refuse_ending
from manipula.support.files import open_archive, replace_file

NUMBER = "number"  # the unit of what names a joint, a draw, a search: it has no mean
FIGURES = ("lowest", "5 %", "median", "mean", "95 %", "highest")
STRIDE = 2**16  # rows of a group: its size does not depend on how the study was run


class Failure(NamedTuple):
    """A case that failed, and why."""

    case: int
    why: str
    given: Case


class Place:
    """The file of the results. A study without a folder has a temporary one, which goes when nobody holds this."""

    def __init__(self, path: Path, temporary: bool = False) -> None:
        self.path, self.temporary = path, temporary
        if temporary:
            finalize(self, shutil.rmtree, path.parent, ignore_errors=True)


class Table(Mapping[str, Column]):
    """Columns by name, in the order of the cases: first those of the cases, then results. NaN where it failed."""

    def __init__(self, place: Place, count: int, given: Sequence[str]) -> None:
        self._place, self._count, self._held = place, count, dict[str, Column]()
        with _results_in(place.path) as found:
            self._names = [name for name in found if name not in RESERVED]
            if lost := [name for name in (*given, *RESERVED) if name not in found]:
                raise _damage_error(place.path, Message("no column {lost}", lost[0]))

    def __getitem__(self, name: str) -> Column:
        if name not in self._names:
            raise UnknownNameError("column of the study", name, self._names)
        return self.member(name)

    def member(self, name: str) -> Column:
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
def _results_in(path: Path) -> Iterator[Mapping[str, Column]]:
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


class Rows(Sequence[Case]):
    """Case by case; a row that failed has what was given, and its `failure`."""

    def __init__(self, study: StudyTable) -> None:
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


def _plain(value: Column | np.generic) -> object:
    return value if isinstance(value, np.ndarray) else value.item()


def no_robot(study: StudyTable, case: int) -> Robot:
    raise InputError("the study {title} has no robot of its own in every case; that of designs has", study.title)


@dataclass(frozen=True, repr=False)
class StudyTable:
    """`table`: columns; `rows`: dicts; `failures`: the cases that failed. `path` is the file of all of it."""

    title: str
    place: Place
    count: int
    given: tuple[str, ...]
    seconds: float = 0.0
    computed: int = 0
    shared: Mapping[str, Any] = field(default_factory=dict)  # what all cases had besides
    units: Mapping[str, str] = field(default_factory=dict)  # of columns, where they are known
    build: Callable[[StudyTable, int], Robot] = no_robot  # the robot of a case, where each has its own

    @property
    def path(self) -> Path:
        return self.place.path

    @property
    def kept_file(self) -> Path | None:
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
        """Of every result that is a quantity: least, median, mean, most."""
        figures = self.figures()
        return ("result", *FIGURES), [
            (name, *("" if x is None else f"{x:.5g}" for x in found.values())) for name, found in figures.items()
        ]

    def figures(self) -> dict[str, dict[str, float | None]]:
        """The numbers of the summary, by result; None where no case gave one."""
        counted = (name for name in self.results if is_numeric(self.table[name]) and self.units.get(name) != NUMBER)
        return {name: _figures(self.table[name]) for name in counted}

    def robot(self, case: int) -> Robot:
        """The robot of a case, in a study where each has its own."""
        if isinstance(case, bool) or not isinstance(case, int | np.integer) or not 0 <= case < self.count:
            raise InputError("case: expected a number from 0 to {count}, found {case!r:.40}", self.count - 1, case)
        return self.build(self, int(case))

    def label(self, name: str) -> str:
        """The column with its unit, where it has one."""
        return f"{name}, {unit}" if (unit := self.unit(name)) else name

    def unit(self, name: str) -> str:
        """As it is written; nothing of a share, nor of the number of a joint."""
        return "" if (unit := self.units.get(name, "")) in ("1", NUMBER) else unit

    def save(self, path: str | Path) -> Path:
        """The table as a file: .npz, .csv or .parquet; cases that failed have a column `failure` where it has rows."""
        path = Path(path)
        refuse_ending(path)
        with replace_file(path) as part:
            WRITERS[path.suffix.lower()](self, part)
        return path


def is_numeric(values: Column) -> bool:
    return values.ndim == 1 and values.dtype.kind != "U"


# Files of results: npz and csv always, Parquet where pyarrow is.


def _write_csv(study: StudyTable, path: Path) -> None:
    """Every entry of an array is a column of its own: name_1_2."""
    places = [(name, place) for name, values in study.table.items() for place in np.ndindex(values.shape[1:])]
    heads = [name + "".join(f"_{k + 1}" for k in place) for name, place in places]
    with path.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow([*heads, *(["failure"] if study.why else [])])
        for start, stop in _strides(study.count):
            parts = [study.table[name][(slice(start, stop), *place)].tolist() for name, place in places]
            why = [[study.why.get(k, "") for k in range(start, stop)]] if study.why else []
            out.writerows(zip(*parts, *why))


def _strides(count: int) -> Iterator[tuple[int, int]]:
    return ((start, min(start + STRIDE, count)) for start in range(0, count, STRIDE))


def _write_parquet(study: StudyTable, path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    def arrow(values: Column) -> object:
        flat = pa.array(np.ascontiguousarray(values).ravel() if values.dtype.kind != "U" else values.ravel().tolist())
        for size in reversed(values.shape[1:]):
            flat = pa.FixedSizeListArray.from_arrays(flat, size)
        return flat

    writer = None
    for start, stop in _strides(study.count):
        columns = {name: arrow(values[start:stop]) for name, values in study.table.items()}
        if study.why:
            columns["failure"] = pa.array([study.why.get(k) for k in range(start, stop)], pa.string())
        table = pa.table(columns)
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()


WRITERS: dict[str, Callable[[StudyTable, Path], object]] = {
    ".npz": lambda study, path: shutil.copyfile(study.path, path), ".csv": _write_csv, ".parquet": _write_parquet
}  # fmt: skip


def _figures(values: Column) -> dict[str, float | None]:
    known = np.asarray(values, dtype=float)
    known = known[~np.isnan(known)]
    if not known.size:
        return dict.fromkeys(FIGURES)
    # nothing lies between a number and infinity
    between: Literal["linear", "lower"] = "linear" if np.isfinite(known).all() else "lower"
    low, median, high = np.quantile(known, [0.05, 0.5, 0.95], method=between)
    with np.errstate(invalid="ignore"):  # of both infinities there is no mean
        found = (known.min(), low, median, known.mean(), high, known.max())
    return {name: None if np.isnan(x) else float(x) for name, x in zip(FIGURES, found, strict=True)}
