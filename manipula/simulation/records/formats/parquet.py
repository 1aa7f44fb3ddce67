"""Parquet: columns of numbers, of times, or of lists with an entry for every joint."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from manipula.errors import InputError
from manipula.simulation.records.formats.sources import Array, Ask, Column, Source, column_from
from manipula.simulation.records.words.names import own_heads


def read(path: Path, ask: Ask) -> Source:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise InputError("{path}: reading Parquet needs pyarrow: pip install 'manipula[identify]'", path) from None
    try:
        table = parquet.read_table(path)
    except (pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError) as error:
        raise InputError("{path}: is no Parquet file: {splitlines}", path, str(error).splitlines()[0]) from None
    for _ in range(8):  # structs within structs
        table = table.flatten()
    columns = [_column(path, name, table.column(place)) for place, name in enumerate(table.column_names)]
    return Source(str(path), tuple(columns), own=own_heads(table.column_names))


def _column(path: Path, name: str, found: Any) -> Column:
    from pyarrow import types

    kind = found.type
    if types.is_timestamp(kind) or types.is_duration(kind):
        stamps = found.to_numpy()
        return column_from(name, stamps.astype(f"{stamps.dtype.kind}8[ns]").astype(np.int64), unit="ns")
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        rows = found.to_pylist()
        width = max((len(row) for row in rows if row is not None), default=0)
        return Column(name, lambda: _matrix(path, name, rows, width), width)
    return Column(name, lambda: _vector(path, name, found))


def _vector(path: Path, name: str, found: Any) -> Array:
    from pyarrow import types

    if not (types.is_floating(found.type) or types.is_integer(found.type) or types.is_decimal(found.type)):
        raise InputError("{path}: column {name!r}: found {type}, expected numbers", path, name, found.type)
    whole = types.is_integer(found.type) and found.null_count == 0
    return np.asarray(found.to_numpy() if whole else found.cast("double").to_numpy())


def _matrix(path: Path, name: str, rows: list[Any], width: int) -> Array:
    """Rows of equal length; a row that is missing has no numbers."""
    whole = [[np.nan] * width if row is None else [np.nan if x is None else x for x in row] for row in rows]
    odd = next((k for k, row in enumerate(whole) if len(row) != width), None)
    if odd is not None:
        raise InputError(
            "{path}: column {name!r}, row {odd}: expected {width} numbers, found {count}",
            path,
            name,
            odd + 1,
            width,
            len(whole[odd]),
        )
    try:
        return np.array(whole, float)
    except (TypeError, ValueError):
        raise InputError("{path}: column {name!r}: found text, expected numbers", path, name) from None
