"""What a file holds before anything is understood: columns under the heads the file gives them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError, ManipulaError, UnknownNameError
from manipula.messages import Message
from manipula.recordings.words import head_of, meaning_of

Array = NDArray[Any]


class Ask(NamedTuple):
    """What is wanted of a file that holds more than one recording: a topic, joints."""

    topic: str | None = None
    joints: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Column:
    """One array of the file. `values` gives (time,) or (time, k) numbers, and refuses text with its place."""

    head: str
    values: Callable[[], Array]
    width: int = 1
    unit: str = ""
    joints: tuple[str, ...] = ()  # whose its columns are, where the file says so


@dataclass(frozen=True, eq=False)
class Source:
    """A file as columns. `own`: written by `save`, so that names and units are as there."""

    path: str
    columns: tuple[Column, ...]
    notes: tuple[str, ...] = ()
    repairs: tuple[str, ...] = ()
    own: bool = False
    batch: dict[str, Array] = field(default_factory=dict)  # a batch of arms, as `save` wrote it
    lines: Array | None = None  # the line of every row, in a file of lines

    @property
    def heads(self) -> list[str]:
        return [column.head for column in self.columns]


def column_from(head: str, values: object, unit: str = "", joints: tuple[str, ...] = ()) -> Column:
    """A column of an array at hand."""
    array = np.asarray(values)
    return Column(head, lambda: array, 1 if array.ndim < 2 else array.shape[1], unit, joints)


NAMES = ("joints", "joint_names", "jointnames", "names", "name")  # of texts in an archive: whose its columns are


@dataclass(frozen=True, eq=False)
class Archive:
    """Arrays under their names, and what is beside them: texts, units, and why others are no numbers."""

    arrays: dict[str, Array]
    texts: dict[str, list[str]] = field(default_factory=dict)
    units: dict[str, str] = field(default_factory=dict)
    odd: dict[str, str] = field(default_factory=dict)

    @property
    def joints(self) -> tuple[str, ...]:
        """The joints' names, where the archive has them."""
        listed = (text for name, text in self.texts.items() if name.rpartition(".")[2].lower() in NAMES)
        return next((tuple(text) for text in listed if len(text) > 1), ())


def sources_from_arrays(path: str, archive: Archive, ask: Ask, **more: Any) -> Source:
    """Arrays under their names, time on the first axis: turned where it is the last, left out where it is not there."""
    flat = {name: squeeze_axes(value) for name, value in archive.arrays.items() if numeric(value)}
    odd = {name: _of_shape(value) for name, value in flat.items() if value.ndim > 2} | archive.odd
    flat = {name: value for name, value in flat.items() if value.ndim in (1, 2)}
    said = {name: meaning_of(*head_of(name)[1:]) for name in (*flat, *odd)}
    kinds = {name: "" if meaning is None else meaning.quantity for name, meaning in said.items()}
    times = [len(x) for name, x in flat.items() if kinds[name] == "t" and x.ndim == 1 and len(x) > 1]
    count = max(times or [max(x.shape) for name, x in flat.items() if kinds[name] == "q"] or [0])
    tables = [x for x in flat.values() if x.ndim == 2]
    if not count and len(tables) == 1:
        return source_of_table(path, tables[0])
    count = count or max((max(x.shape) for x in tables), default=0)  # whose names say nothing
    if not count:
        named = ", ".join(f"{name} {value.shape}" for name, value in list(archive.arrays.items())[:12])
        raise InputError(
            "{path}: no array of times and none of positions; found {named}", path, named or Message("nothing")
        )
    whole = {name: x if x.shape[0] == count else x.T for name, x in flat.items() if count in x.shape}
    odd |= {name: _of_length(x, count) for name, x in flat.items() if name not in whole}
    joints, there = archive.joints, {"", "t", *(kinds[name] for name in whole)}
    columns = [
        column_from(name, x, archive.units.get(name, ""), joints if x.ndim == 2 and x.shape[1] == len(joints) else ())
        for name, x in whole.items()
    ]
    width = len(ask.joints) or max(column.width for column in columns)
    more_columns = [_refusing(path, name, reason, width) for name, reason in odd.items() if kinds[name] not in there]
    return Source(path, (*columns, *more_columns), **more)


def source_of_table(path: str, table: Array) -> Source:
    """An array that nobody named, a row for every time."""
    table = table.T if table.shape[0] < table.shape[1] else table
    columns = tuple(column_from(f"column {k}", column) for k, column in enumerate(table.T))
    return Source(path, columns, (Message("the file has no names of columns"),))


def _of_shape(value: Array) -> str:
    return Message("has shape {shape}; expected a row for every time and a column for every joint", value.shape)


def _of_length(value: Array, count: int) -> str:
    """It was recorded at another rate."""
    return Message(
        "has shape {shape} and there are {count} times; bring both to one rate first, or leave it out",
        value.shape, count,
    )  # fmt: skip


def _refusing(path: str, name: str, reason: str, width: int) -> Column:
    """A quantity that cannot be used: refused when it is read."""

    def refuse() -> Array:
        raise InputError("{path}: {name} {reason}", path, name, reason)

    return Column(name, refuse, width)


def squeeze_axes(value: Array) -> Array:
    """Without axes of length one, as vectors of MATLAB have them."""
    return value.reshape(-1) if value.ndim == 2 and 1 in value.shape else value


def numeric(value: Array) -> bool:
    return value.dtype.kind in "fiub" and value.size > 0


def from_clock(value: Array) -> Array:
    """Times of a calendar as whole nanoseconds."""
    return value.astype(f"{value.dtype.kind}8[ns]").astype(np.int64)


# Formats of recordings, by the ending of the file; what reads one is imported when it is requested.

READERS = {
    **dict.fromkeys((".csv", ".tsv", ".txt", ".dat", ".log", ".asc", ".prn", ".lvm"), "text_files:read_text"),
    **dict.fromkeys((".h5", ".hdf5"), "array_files:read_hdf5"),
    **dict.fromkeys((".bag", ".db3"), "ros_files:read_bag"),
    ".mat": "array_files:read_mat",
    ".mcap": "ros_files:read_mcap",
    ".npy": "array_files:read_npy",
    ".npz": "array_files:read_npz",
    ".parquet": "array_files:read_parquet",
    **dict.fromkeys((".xlsx", ".xlsm"), "spreadsheet:read_xlsx"),
}
FOLDER = __name__.rpartition(".")[0]
SAMPLE = "sample:"  # in front of the name of a recording that comes with the package
SAMPLES = Path(__file__).parent / "samples"


def sample_named(name: str) -> Path:
    """The file of a recording that comes with the package."""
    known = sorted(path.stem for path in SAMPLES.glob("*.npz"))
    if name not in known:
        raise UnknownNameError("sample recording", name, known)
    return SAMPLES / f"{name}.npz"


def source_of(path: Path, ask: Ask) -> Source:
    """The columns of a file; a folder is a bag of ROS 2, `sample:puma560` a recording that comes with the package."""
    if (name := str(path)).startswith(SAMPLE):
        return replace(source_of(sample_named(name.removeprefix(SAMPLE)), ask), path=name)
    ending = ".db3" if path.is_dir() else path.suffix.lower()
    if ending not in READERS:
        raise UnknownNameError("ending of a log", path.suffix or str(path), READERS)
    if not path.exists():
        raise InputError("{path}: cannot be read: no such file", path)
    module, _, name = READERS[ending].partition(":")
    read: Callable[[Path, Ask], Source] = getattr(import_module(f"{FOLDER}.{module}"), name)
    try:
        return read(path, ask)
    except ManipulaError:
        raise
    except OSError as error:
        raise InputError("{name}: cannot be read: {strerror}", path, error.strerror or error) from error
    except Exception as error:  # the formats' libraries raise whatever broken bytes lead to
        kind = "" if isinstance(error, ValueError) and str(error) else f"{type(error).__name__} "
        what = f"{kind}{error}".splitlines()[0]
        raise InputError("{path}: is no whole {ending} file: {what:.200}", path, ending, what) from error
