"""Values that a study keeps: numbers, words and small arrays of numbers, side by side in columns of one type."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from math import inf
from numbers import Integral, Real
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError
from manipula.messages import in_front
from manipula.support.files import open_archive

Column = NDArray[Any]  # the values of one name, a row a case
Bits = NDArray[np.bool_]
Case = dict[str, Any]  # values by name: numbers, words, small arrays, and whatever all cases share
NAME = re.compile(r"[^\W\d][\w.\- ]{0,79}")
RESERVED = ("failed", "why")  # what a table of results says of the cases that failed
ENTRIES = 10_000  # of an array; what is larger belongs into a file of its own
LETTERS = 20_000  # as much as the largest array holds
LEVELS = 10**8  # of one name


def refuse_names(names: Iterable[object]) -> None:
    for name in names:
        if not isinstance(name, str) or not NAME.fullmatch(name):
            raise InputError("cases: {name!r:.90} is no name; expected letters, digits and _ . - after a letter", name)
        if name in RESERVED:
            raise InputError("cases: {name!r} is what a study calls its failures; take another name", name)


def is_whole(value: object) -> TypeGuard[int]:
    """A whole number of Python's or numpy's; a truth value is not one."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, Real) and not isinstance(value, bool)


def array_from(value: object) -> Column | None:
    """Numbers, or a word, as an array that files hold: bool, int64, float64, text. None for anything else."""
    if isinstance(value, str):
        return np.array(value) if len(value) <= LETTERS and "\0" not in value else None
    try:
        found = np.asarray(value)
    except (ValueError, TypeError, OverflowError):
        return None
    if found.dtype.kind not in "buif" or found.size > ENTRIES or isinstance(value, np.ma.MaskedArray):
        return None
    if found.dtype.kind == "b":
        return found
    if found.dtype.kind in "ui":
        return found.astype(np.int64) if not found.size or int(found.max()) < 2**63 else None
    return found.astype(np.float64) if found.dtype.itemsize <= 8 else None


def as_kept(where: str, found: Column) -> Column:
    """Numbers as bool, int64 or float64; those that int64 cannot hold are refused."""
    if found.dtype.kind == "u" and found.size and int(found.max()) >= 2**63:
        raise InputError(
            "{where}: {found} is too large for a whole number, 2⁶³ − 1 is the largest", where, int(found.max())
        )
    return found.astype({"b": bool, "u": np.int64, "i": np.int64, "f": np.float64}[found.dtype.kind])


def column_from(name: str, values: Sequence[object]) -> Column:
    """The values of one name in every case: all numbers, all words, or all arrays of one shape."""
    arrays = [array_from(value) for value in values]
    for number, found in enumerate(arrays):
        if found is None:
            raise InputError(
                "cases: {name}: found {values!r:.60} in case {number}; expected a number, a word or an array",
                name,
                values[number],
                number,
            )
        _refuse_nan(name, found)
    kept = [x for x in arrays if x is not None]
    odd = next((k for k, x in enumerate(kept) if kind_of(x) != kind_of(kept[0])), None)
    if odd is not None:
        raise InputError(
            "cases: {name}: found {values!r:.40} in case {odd} beside {values2!r:.40}; a column is of one kind",
            name,
            values[odd],
            odd,
            values[0],
        )
    return np.stack(kept)


def kind_of(found: Column) -> tuple[str, tuple[int, ...]]:
    """What must be alike in a column: words or numbers, and the shape."""
    return ("word" if found.dtype.kind == "U" else "number"), found.shape


def levels_from(name: str, values: object) -> Column:
    """The levels of a name: a list, an array, a range; {from, to, count} is evenly spaced, {from, to, step} too."""
    if isinstance(values, Mapping):
        return levels_from_table(name, values)
    if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray | range):
        raise InputError(
            "cases: {name}: expected a list of levels, found {values!r:.60}; one level is written [x]", name, values
        )
    if isinstance(values, range) and not values:
        raise InputError("cases: {name}: has no level (a range that ends before it begins)", name)
    if not len(values):
        raise InputError("cases: {name}: has no level", name)
    if len(values) > LEVELS:
        raise InputError("cases: {name}: has {count:.3g} levels; a sample of them would do", name, len(values))
    if isinstance(values, range):
        return np.arange(values.start, values.stop, values.step, dtype=np.int64)
    found = np.asarray(values) if isinstance(values, np.ndarray) else None
    if found is not None and found.dtype.kind in "buif" and found.dtype.itemsize <= 8:
        _refuse_nan(name, found)
        return as_kept(f"cases: {name}", found)
    return column_from(name, list(values))


def levels_from_table(name: str, table: Mapping[str, object]) -> Column:
    """{from, to, count}: `count` levels, both ends among them; {from, to, step}: from one end on."""
    low, high = ends_from(name, table, ("count", "step"))
    given = [key for key in ("count", "step") if key in table]
    if len(given) != 1:
        raise InputError("cases: {name}: a range needs count or step, one of them", name)
    if given == ["step"]:
        step = _number(name, "step", table["step"])
        if step <= 0 or (high - low) / step > LEVELS:
            raise InputError(
                "cases: {name}: expected a step above zero, of at most {levels:.0e}, found {step:g}", name, LEVELS, step
            )
        return low + step * np.arange(int((high - low) / step * (1 + 1e-12)) + 1)
    count = table["count"]
    if not is_whole(count) or not 2 <= count <= LEVELS:
        raise InputError("cases: {name}: expected a count of 2 or more levels, found {count!r:.40}", name, count)
    return np.linspace(low, high, int(count))


def ends_from(name: str, table: Mapping[str, object], more: Sequence[str] = ()) -> tuple[float, float]:
    """The two ends of a range, in their order."""
    odd = [key for key in table if key not in ("from", "to", *more)]
    names = ", ".join(("from", "to", *more))
    if odd:
        raise InputError("cases: {name}: a range has no {odd!r}; expected {names}", name, odd[0], names)
    if not {"from", "to"} <= table.keys():
        raise InputError("cases: {name}: a range needs from and to; expected {names}", name, names)
    low, high = (_number(name, key, table[key]) for key in ("from", "to"))
    if not low < high:
        raise InputError("cases: {name}: the range is reversed or empty: from {low:g} to {high:g}", name, low, high)
    return low, high


def _number(name: str, key: str, value: object) -> float:
    try:
        number = float("nan") if isinstance(value, bool | str) else float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        number = float("nan")
    if not np.isfinite(number):
        raise InputError("cases: {name}: {key}: expected a finite number, found {value!r:.40}", name, key, value)
    return number


def _refuse_nan(name: str, found: Column) -> None:
    if found.dtype.kind == "f" and np.isnan(found).any():
        raise InputError("cases: {name}: found NaN, which is no number", name)


# Files of columns: cases come from them. npz and csv always, Parquet where pyarrow is.

ENDINGS = (".npz", ".csv", ".parquet")


def refuse_ending(path: Path) -> None:
    if path.suffix.lower() not in ENDINGS:
        raise InputError("{path}: expected a file that ends in {endings}", path, ", ".join(ENDINGS))
    if path.suffix.lower() == ".parquet" and find_spec("pyarrow") is None:
        raise InputError("{path}: Parquet needs pyarrow: pip install pyarrow", path)


def read_columns(path: Path) -> tuple[dict[str, Column], int]:
    """Columns of one length."""
    refuse_ending(path)
    try:
        found = {".npz": _read_npz, ".csv": _read_csv, ".parquet": _read_parquet}[path.suffix.lower()](path)
        refuse_names(found)
    except OSError as error:
        raise InputError("{name}: cannot be read: {strerror}", path, error.strerror or error) from None
    except InputError as error:
        raise InputError(in_front(str(path), error.message)) from None
    except UnicodeDecodeError:
        raise InputError("{path}: is no text in UTF-8", path) from None
    except ValueError as error:
        raise InputError("{path}: is no file of columns: {error}", path, error) from None
    lengths = {name: len(values) if values.ndim else -1 for name, values in found.items()}
    if len(set(lengths.values())) > 1 or -1 in lengths.values():
        told = ", ".join(f"{name} {length}" for name, length in lengths.items())
        raise InputError("{path}: the columns are of different lengths: {told}", path, told[:150])
    columns = {name: _check_column(path, name, values) for name, values in found.items()}
    if not (count := next(iter(lengths.values()), 0)):
        raise InputError("{path}: has no row; a study needs at least one case", path)
    return columns, count


def _check_column(path: Path, name: str, values: Column) -> Column:
    if values.dtype.kind == "U" or values.dtype == bool:
        return values
    if values.dtype.kind not in "uif" or values.dtype.itemsize > 8:
        raise InputError("{path}: {name}: expected numbers or words, found {dtype}", path, name, values.dtype)
    if values.dtype.kind == "f" and (lost := np.isnan(values).any(tuple(range(1, values.ndim)))).any():
        raise InputError("{path}: {name}: row {argmax} is NaN", path, name, int(lost.argmax()))
    return as_kept(f"{path}: {name}", values)


def _read_npz(path: Path) -> dict[str, Column]:
    with open_archive(path) as found:
        columns = dict(found)
    if odd := [name for name, values in columns.items() if not isinstance(values, np.ndarray)]:
        raise InputError("{path}: {odd!r} is not an array", path, odd[0])
    return columns


def _read_csv(path: Path) -> dict[str, Column]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        head = file.readline()
        # in the head: a decimal comma may be in every row below it
        mark = "," if "," in head else next((x for x in ";\t|" if x in head), ",")
        file.seek(0)
        lines = [line for line in csv.reader(file, delimiter=mark) if line]
    if not lines:
        raise InputError("{path}: is empty; expected a line of names and a line a case", path)
    heads, rows = [x.strip() for x in lines[0]], lines[1:]
    for number, row in enumerate(rows, 2):
        if len(row) != len(heads):
            raise InputError(
                "{path}: line {number} has {count} cells, the names are {count2}", path, number, len(row), len(heads)
            )
    if len(set(heads)) < len(heads):
        raise InputError("{path}: two columns have the same name", path)
    columns = zip(*rows) if rows else [[] for _ in heads]
    return {name: _column_from_cells(name, list(cells), mark) for name, cells in zip(heads, columns)}


def _column_from_cells(name: str, cells: list[str], mark: str) -> Column:
    """Whole numbers where all are, else numbers where all are, else words."""
    # where the comma separates no columns it is a decimal one in what is a number with it
    texts = cells if mark == "," else [x.replace(",", ".") for x in cells]
    for kind in (int, float):
        try:
            return column_from(name, [_number_from_file(kind, x) for x in texts]) if cells else np.empty(0)
        except ValueError as error:
            if isinstance(error, InputError):
                raise
    return column_from(name, cells)


def _number_from_file(kind: type[int | float], text: str) -> float:
    """1_2 is a word, though Python reads 12."""
    if "_" in text:
        raise ValueError(text)
    found = kind(text)
    if found in (inf, -inf) and "inf" not in text.lower():
        raise InputError("{text} is too large a number", text)
    return found


def _read_parquet(path: Path) -> dict[str, Column]:
    import pyarrow.parquet as pq
    from pyarrow.lib import ArrowException

    try:
        table = pq.read_table(path)
    except ArrowException as error:
        raise InputError("{path}: is no file of columns: {error}", path, error) from None
    return {name: _from_arrow(name, table.column(name)) for name in table.column_names}


def _from_arrow(name: str, column: Any) -> Column:
    values = column.to_pylist()
    return column_from(name, values) if values else np.empty(0)
