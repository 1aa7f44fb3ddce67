"""Files of results: npz and csv always, Parquet where pyarrow is."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manipula.studies.cases.files import refuse_ending
from manipula.studies.cases.values import kind_of
from manipula.support.files import replacing

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
    with replacing(path) as part:
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
