"""Files of columns: cases come from them. npz and csv always, Parquet where pyarrow is."""

from __future__ import annotations

import csv
from importlib.util import find_spec
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError
from manipula.messages import in_front
from manipula.studies.cases.values import as_kept, column_from, refuse_names
from manipula.support.archives import open_archive

ENDINGS = (".npz", ".csv", ".parquet")


def refuse_ending(path: Path) -> None:
    if path.suffix.lower() not in ENDINGS:
        raise InputError("{path}: expected a file that ends in {endings}", path, ", ".join(ENDINGS))
    if path.suffix.lower() == ".parquet" and find_spec("pyarrow") is None:
        raise InputError("{path}: Parquet needs pyarrow: pip install pyarrow", path)


def columns_read(path: Path) -> tuple[dict[str, NDArray[Any]], int]:
    """Columns of one length."""
    refuse_ending(path)
    try:
        found = {".npz": _npz_read, ".csv": _csv_read, ".parquet": _parquet_read}[path.suffix.lower()](path)
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
    columns = {name: _checked(path, name, values) for name, values in found.items()}
    if not (count := next(iter(lengths.values()), 0)):
        raise InputError("{path}: has no row; a study needs at least one case", path)
    return columns, count


def _checked(path: Path, name: str, values: NDArray[Any]) -> NDArray[Any]:
    if values.dtype.kind == "U" or values.dtype == bool:
        return values
    if values.dtype.kind not in "uif" or values.dtype.itemsize > 8:
        raise InputError("{path}: {name}: expected numbers or words, found {dtype}", path, name, values.dtype)
    if values.dtype.kind == "f" and np.isnan(values).any():
        raise InputError(
            "{path}: {name}: row {argmax} is NaN",
            path,
            name,
            int(np.isnan(values).reshape(len(values), -1).any(-1).argmax()),
        )
    return as_kept(f"{path}: {name}", values)


def _npz_read(path: Path) -> dict[str, NDArray[Any]]:
    with open_archive(path) as found:
        columns = dict(found)
    if odd := [name for name, values in columns.items() if not isinstance(values, np.ndarray)]:
        raise InputError("{path}: {odd!r} is not an array", path, odd[0])
    return columns


def _csv_read(path: Path) -> dict[str, NDArray[Any]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        lines = [line for line in csv.reader(file) if line]
    if not lines:
        raise InputError("{path}: is empty; expected a line of names and a line a case", path)
    if len(lines[0]) == 1 and (other := next((x for x in ";\t|" if x in lines[0][0]), "")):
        raise InputError("{path}: the cells are apart by {other!r}; expected commas", path, other)
    heads, rows = [x.strip() for x in lines[0]], lines[1:]
    for number, row in enumerate(rows, 2):
        if len(row) != len(heads):
            raise InputError(
                "{path}: line {number} has {count} cells, the names are {count2}", path, number, len(row), len(heads)
            )
    if len(set(heads)) < len(heads):
        raise InputError("{path}: two columns have the same name", path)
    columns = zip(*rows) if rows else [[] for _ in heads]
    return {name: _typed(name, list(cells)) for name, cells in zip(heads, columns)}


def _typed(name: str, cells: list[str]) -> NDArray[Any]:
    """Whole numbers where all are, else numbers where all are, else words."""
    for kind in (int, float):
        try:
            return column_from(name, [_number(kind, x) for x in cells]) if cells else np.empty(0)
        except ValueError as error:
            if isinstance(error, InputError):
                raise
    return column_from(name, cells)


def _number(kind: type[Any], text: str) -> Any:
    """1_2 is a word, though Python reads 12."""
    if "_" in text:
        raise ValueError(text)
    found = kind(text)
    if found in (inf, -inf) and "inf" not in text.lower():
        raise InputError("{text} is too large a number", text)
    return found


def _parquet_read(path: Path) -> dict[str, NDArray[Any]]:
    import pyarrow.parquet as pq
    from pyarrow.lib import ArrowException

    try:
        table = pq.read_table(path)
    except ArrowException as error:
        raise InputError("{path}: is no file of columns: {error}", path, error) from None
    return {name: _from_arrow(name, table.column(name)) for name in table.column_names}


def _from_arrow(name: str, column: Any) -> NDArray[Any]:
    values = column.to_pylist()
    return column_from(name, values) if values else np.empty(0)
