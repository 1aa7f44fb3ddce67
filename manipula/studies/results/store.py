"""A study's folder: what the study is (`study.json`), the results so far (`parts/`), and all of them when it is whole
(`results.npz`).

A part is a file that appears whole, with the results of some thousand cases; which cases, it says itself. So whatever
ends a study, what is there is right, and the next run computes what is not.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from time import monotonic
from typing import Any, BinaryIO
from zipfile import ZipFile, ZipInfo

import numpy as np
from numpy.typing import DTypeLike, NDArray

from manipula.errors import InputError, caution, some_of
from manipula.messages import Message
from manipula.studies.cases.cases import Cases
from manipula.studies.cases.values import Column
from manipula.studies.work.worker import CaseBlock, Spec, join_blocks
from manipula.support.files import open_archive, write_bytes, write_text

ENOUGH, SOON = 4 * 2**20, 5.0  # bytes, seconds: then what has come is written
FORMAT = 1
WHOLE = "results.npz"
Identity = dict[str, object]
TOLD = {
    "function": Message("function differs"),
    "uses": Message("function differs"),
    "cases": Message("cases differ"),
    "count": Message("number of cases differs"),
    "seed": Message("seed differs"),
    "shared": Message("shared values differ"),
    "versions": Message("versions differ"),
}


class Remaining:
    """The cases that are not done, as ranges in ascending order."""

    def __init__(self, count: int, done: list[tuple[int, int]]) -> None:
        self._ranges, at = list[tuple[int, int]](), 0
        for start, stop in sorted(done):
            if start > at:
                self._ranges.append((at, start))
            at = max(at, stop)
        if at < count:
            self._ranges.append((at, count))
        self._ranges.reverse()  # the next is the last
        self.left = sum(stop - start for start, stop in self._ranges)

    def take(self, most: int) -> tuple[int, int]:
        """The next cases, neighbours, at most so many; there must be some."""
        start, stop = self._ranges.pop()
        end = min(stop, start + most)
        if end < stop:
            self._ranges.append((end, stop))
        self.left -= end - start
        return start, end


class Store:
    """The folder of one study. `identity` is what must be the same for a study to be gone on with."""

    def __init__(self, folder: Path, identity: Identity) -> None:
        self.folder, self.parts, self.whole = folder, folder / "parts", folder / WHOLE
        self._buffer, self._size, self._written, self._since = list[CaseBlock](), 0, 0, monotonic()
        self.stored, self.failed = 0, 0
        self.spec: Spec | None = None
        with errors_of_writing(folder):
            self._meet(identity)

    def _meet(self, identity: Identity) -> None:
        file = self.folder / "study.json"
        if file.exists():
            found = _read(file)
            if odd := next((key for key, value in identity.items() if found.get(key) != value), None):
                difference = _difference(odd, found.get(odd), identity[odd])
                raise InputError("{folder}: holds another study: its {difference}", self.folder, difference)
        elif self.folder.is_dir() and any(self.folder.iterdir()):
            raise InputError(
                "{folder}: is not empty and holds no study; name a new folder, or that of the study", self.folder
            )
        else:
            self.folder.mkdir(parents=True, exist_ok=True)
            write_text(file, json.dumps({"format": FORMAT, **identity}, indent=1) + "\n")
        if not self.whole.exists():  # one that is whole may lie where nothing can be written
            self.parts.mkdir(exist_ok=True)

    def finished_ranges(self, there: Callable[[CaseBlock], None]) -> list[tuple[int, int]]:
        """The ranges of cases whose results are there; who listens hears of them part by part."""
        found = list[tuple[int, int]]()
        for path in sorted(self.parts.glob("*.npz")):
            part = _part(path)
            if part is None:
                caution("{path}: cannot be read and is left out; its cases are computed again", path)
                path.unlink()
                continue
            found += ranges_of(part.all_cases)
            self._count(part)
            there(part)
        self.stored = sum(stop - start for start, stop in found)
        return found

    def _count(self, block: CaseBlock) -> None:
        self.spec = self.spec or block.spec
        self.stored += block.count
        self.failed += len(block.failed)

    def take(self, block: CaseBlock) -> None:
        """Results that came; they are written before long. An interruption before the first case leaves none."""
        if not block.count:
            return
        self._buffer.append(block)
        self._size += block.size
        self._count(block)
        if self._size > ENOUGH or monotonic() - self._since > SOON:
            self.flush()

    def flush(self) -> None:
        """What has come is on the disk after this."""
        if self._buffer:
            with errors_of_writing(self.folder):
                whole = join_blocks(self._buffer)
                name = f"{whole.all_cases.min():012d}-{os.getpid()}-{self._written}.npz"
                write_bytes(self.parts / name, _pack_block(whole))
        self._buffer, self._size, self._written, self._since = [], 0, self._written + 1, monotonic()

    def pieces(self, *members: str) -> Iterator[Any]:
        """These members of every part that has them, part by part."""
        for path in sorted(self.parts.glob("*.npz")):
            with open_archive(path) as found:
                if all(member in found for member in members):
                    kept = [found[member] for member in members]
                    yield kept[0] if len(kept) == 1 else kept


def _difference(key: str, found: object, wanted: object) -> str:
    """In words, and which where that helps."""
    if key in ("function", "count", "seed"):
        return Message("{told}: {found!r:.60}, not {wanted!r:.60}", TOLD[key], found, wanted)
    if key in ("shared", "uses") and isinstance(found, dict) and isinstance(wanted, dict):
        odd = [name for name in {**found, **wanted} if found.get(name) != wanted.get(name)]
        return Message("{place}: {text}", TOLD[key], some_of(odd))
    return TOLD[key]


def ranges_of(cases: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Neighbours as ranges."""
    if not len(cases):
        return []
    found = np.unique(cases)
    breaks = np.flatnonzero(np.diff(found) > 1)
    starts, stops = found[np.r_[0, breaks + 1]], found[np.r_[breaks, len(found) - 1]] + 1
    return list(zip(starts.tolist(), stops.tolist()))


def _pack_block(block: CaseBlock) -> bytes:
    named = {f"result.{name}": values for name, values in block.columns.items()}
    why = np.array([x for _, x in block.failed], "U")
    with BytesIO() as file:
        np.savez(file, case=block.cases, failed=block.failed_cases, why=why, **named)  # type: ignore[arg-type]
        return file.getvalue()


def _part(path: Path) -> CaseBlock | None:
    try:
        with open_archive(path) as found:
            columns = {name.removeprefix("result."): found[name] for name in found if name.startswith("result.")}
            failed = list(zip(found["failed"].tolist(), found["why"].tolist()))
            return CaseBlock(found["case"], columns, failed)
    except (OSError, ValueError):
        return None


def _read(file: Path) -> Identity:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, UnicodeDecodeError):
        found = None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise InputError("{file}: is no study's; take another folder", file)
    return found


@contextmanager
def errors_of_writing(folder: Path) -> Iterator[None]:
    """A folder that cannot be written, a disk that is full: one sentence, and how to go on."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise InputError(
                "{folder}: the disk is full; make room and go on with resume={folder2!r}", folder, str(folder)
            ) from error
        raise InputError("{path}: cannot be written: {strerror}", folder, error.strerror or error) from error


# One program at a time in a study's folder: two would compute every case twice and take each other's parts away.

LEFT = (".merge-*", ".*.part", "parts/.*.part")  # what a program that was killed leaves behind


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """The folder is held, which ends with the process however it ends; where folders cannot be held it is not. What an
    earlier one left half written is cleared away."""
    handle = _lock_folder(folder)
    try:
        for pattern in LEFT:
            for path in folder.glob(pattern):
                shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
        yield
    finally:
        if handle is not None:
            os.close(handle)


def _lock_folder(folder: Path) -> int | None:
    try:
        import fcntl
    except ImportError:  # Windows
        return None
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        raise InputError(
            "{folder}: another program is at this study; when it is done the same call has its results", folder
        ) from None
    except OSError:  # a file system that has no locks
        os.close(handle)
        return None
    return handle


# The whole result from its parts: one file, in the order of the cases, column by column, so that no more than a
# column is in memory; the same bytes whatever the parts were.

STRIDE = 2**16  # cases laid out at a time


def merge_parts(store: Store, cases: Cases) -> Path:
    """Writes `results.npz`, then the parts go."""
    with errors_of_writing(store.folder), tempfile.TemporaryDirectory(dir=store.folder, prefix=".merge-") as scratch:
        place = Path(scratch)
        failed, why = _failures(store)
        _refuse_missing(store, cases.count)
        with ZipFile(place / "whole.npz", "w") as file:
            for name, column in _case_columns(place, cases).items():
                _add_column(file, name, column)
            for name in store.spec or ():
                _add_column(file, name, _result_column(place, store, name, cases.count, bool(len(failed))))
            _add_column(file, "failed", _save_column(place, failed))
            _add_column(file, "why", _save_column(place, why))
        (place / "whole.npz").replace(store.whole)
    shutil.rmtree(store.parts, ignore_errors=True)
    return store.whole


def _refuse_missing(store: Store, count: int) -> None:
    """By ranges: a bit for each of a thousand million cases would be more than they are worth."""
    found = [x for member in ("case", "failed") for cases in store.pieces(member) for x in ranges_of(cases)]
    missing = Remaining(count, found).left
    if missing:
        raise InputError(
            "{folder}: the results of {left} cases are not there; run the study again", store.folder, missing
        )


def _add_column(file: ZipFile, name: str, column: Path) -> None:
    """As numpy writes it, with no time in it."""
    with column.open("rb") as source, file.open(ZipInfo(f"{name}.npy"), "w", force_zip64=True) as target:
        shutil.copyfileobj(source, target, 2**20)
    column.unlink()


def _save_column(place: Path, values: Column) -> Path:
    np.save(place / "column.npy", values)
    return place / "column.npy"


def _case_columns(place: Path, cases: Cases) -> dict[str, Path]:
    """All of them in one pass, laid out some at a time."""
    paths = {name: place / f"case-{k}.npy" for k, name in enumerate(cases.names)}
    first = cases.columns(0, 1)
    targets = {name: _open_memmap(paths[name], x.dtype, (cases.count, *x.shape[1:])) for name, x in first.items()}
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
    target = _open_memmap(place / "column.npy", kind, (count, *next(iter(seen))[1]))
    if failures and kind.kind == "f":
        target[:] = np.nan
    for cases, values in store.pieces("case", f"result.{name}"):
        target[cases] = values
    target.flush()
    return place / "column.npy"


def _open_memmap(path: Path, kind: DTypeLike, shape: Sequence[int]) -> np.memmap[Any, Any]:
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


def _failures(store: Store) -> tuple[Column, Column]:
    """By case; a case that came twice counts once."""
    found: dict[int, str] = {}
    for cases, why in store.pieces("failed", "why"):
        found |= dict(zip(cases.tolist(), why.tolist()))
    ordered = dict(sorted(found.items()))
    return np.array(list(ordered), dtype=np.int64), np.array(list(ordered.values()), dtype="U" if ordered else "U1")
