"""The whole result from its parts: one file, in the order of the cases, column by column, so that no more than a
column is in memory; the same bytes whatever the parts were.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO
from zipfile import ZipFile, ZipInfo

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError
from manipula.studies.cases.cases import Cases
from manipula.studies.results.store import Store, ranges_of, told_if_not_written
from manipula.studies.work.pace import Remaining

STRIDE = 2**16  # cases laid out at a time
Array = NDArray[Any]


def merged(store: Store, cases: Cases) -> Path:
    """Writes `results.npz`, then the parts go."""
    with told_if_not_written(store.folder), tempfile.TemporaryDirectory(dir=store.folder, prefix=".merge-") as scratch:
        place = Path(scratch)
        failed, why = _failures(store)
        _refuse_missing(store, cases.count)
        with ZipFile(place / "whole.npz", "w") as file:
            for name, column in _case_columns(place, cases).items():
                _added(file, name, column)
            for name in store.spec or ():
                _added(file, name, _result_column(place, store, name, cases.count, bool(len(failed))))
            _added(file, "failed", _saved(place, failed))
            _added(file, "why", _saved(place, why))
        (place / "whole.npz").replace(store.whole)
    store.drop_parts()
    return store.whole


def _refuse_missing(store: Store, count: int) -> None:
    """By ranges: a bit for each of a thousand million cases would be more than they are worth."""
    found = [x for member in ("case", "failed") for cases in store.pieces(member) for x in ranges_of(cases)]
    missing = Remaining(count, found).left
    if missing:
        raise InputError(
            "{folder}: the results of {left} cases are not there; run the study again", store.folder, missing
        )


def _added(file: ZipFile, name: str, column: Path) -> None:
    """As numpy writes it, with no time in it."""
    with column.open("rb") as source, file.open(ZipInfo(f"{name}.npy"), "w", force_zip64=True) as target:
        shutil.copyfileobj(source, target, 2**20)
    column.unlink()


def _saved(place: Path, values: Array) -> Path:
    np.save(place / "column.npy", values)
    return place / "column.npy"


def _case_columns(place: Path, cases: Cases) -> dict[str, Path]:
    """All of them in one pass, laid out some at a time."""
    paths = {name: place / f"case-{k}.npy" for k, name in enumerate(cases.names)}
    first = cases.columns(0, 1)
    targets = {name: _opened(paths[name], x.dtype, (cases.count, *x.shape[1:])) for name, x in first.items()}
    for start in range(0, cases.count, STRIDE):
        stop = min(start + STRIDE, cases.count)
        for name, values in cases.columns(start, stop).items():
            targets[name][start:stop] = values
    for target in targets.values():
        target.flush()
    return paths


def _result_column(place: Path, store: Store, name: str, count: int, failures: bool) -> Path:
    """Where a case failed: NaN, and so numbers with a point; no word."""
    seen = {(values.dtype, values.shape[1:]) for values in store.pieces(f"result.{name}")}
    kind = np.result_type(*(dtype for dtype, _ in seen))
    kind = np.dtype(np.float64) if failures and kind.kind != "U" else kind
    target = _opened(place / "column.npy", kind, (count, *next(iter(seen))[1]))
    if failures and kind.kind == "f":
        target[:] = np.nan
    for cases, values in store.pieces("case", f"result.{name}"):
        target[cases] = values
    target.flush()
    return place / "column.npy"


def _opened(path: Path, kind: np.dtype[Any], shape: Sequence[int]) -> Any:
    """Its room is taken at once: writing through memory to a disk that is full would end the process without a word."""
    found = np.lib.format.open_memmap(path, mode="w+", dtype=kind, shape=tuple(shape))
    with path.open("r+b") as file:
        take_room(file, found.offset, path.stat().st_size)
    return found


def take_room(file: BinaryIO, start: int, stop: int) -> None:
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file.fileno(), 0, stop)
        return
    file.seek(start)
    for left in range(stop - start, 0, -(2**20)):
        file.write(bytes(min(left, 2**20)))


def _failures(store: Store) -> tuple[Array, Array]:
    """By case; a case that came twice counts once."""
    found: dict[int, str] = {}
    for cases, why in store.pieces("failed", "why"):
        found |= dict(zip(cases.tolist(), why.tolist()))
    ordered = dict(sorted(found.items()))
    return np.array(list(ordered), dtype=np.int64), np.array(list(ordered.values()), dtype="U" if ordered else "U1")
