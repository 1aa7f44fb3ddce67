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
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np

from manipula.errors import InputError, caution, some_of
from manipula.messages import Message
from manipula.studies.work.blocks import CaseBlock, Spec, joined
from manipula.support.archives import open_archive
from manipula.support.files import write_bytes, write_text

ENOUGH, SOON = 4 * 2**20, 5.0  # bytes, seconds: then what has come is written
FORMAT = 1
WHOLE = "results.npz"
TOLD = {
    "function": Message("function differs"),
    "uses": Message("function differs"),
    "cases": Message("cases differ"),
    "count": Message("number of cases differs"),
    "seed": Message("seed differs"),
    "shared": Message("shared values differ"),
    "versions": Message("versions differ"),
}


class Store:
    """The folder of one study. `identity` is what must be the same for a study to be gone on with."""

    def __init__(self, folder: Path, identity: dict[str, Any]) -> None:
        self.folder, self.parts, self.whole = folder, folder / "parts", folder / WHOLE
        self._buffer, self._size, self._written, self._since = list[CaseBlock](), 0, 0, monotonic()
        self.stored, self.failed = 0, 0
        self.spec: Spec | None = None
        with told_if_not_written(folder):
            self._meet(identity)

    def _meet(self, identity: dict[str, Any]) -> None:
        file = self.folder / "study.json"
        if self.folder.is_dir() and any(self.folder.iterdir()) and not file.exists():
            raise InputError(
                "{folder}: is not empty and holds no study; name a new folder, or that of the study", self.folder
            )
        if file.exists():
            self._refuse_another(_read(file), identity)
        else:
            self.folder.mkdir(parents=True, exist_ok=True)
            write_text(file, json.dumps({"format": FORMAT, **identity}, indent=1) + "\n")
        if not self.whole.exists():  # one that is whole may lie where nothing can be written
            self.parts.mkdir(exist_ok=True)

    def _refuse_another(self, found: dict[str, Any], identity: dict[str, Any]) -> None:
        for key, value in identity.items():
            if found.get(key) != value:
                raise InputError(
                    "{folder}: holds another study: its {difference}",
                    self.folder,
                    _difference(key, found.get(key), value),
                )

    def done(self, there: Callable[[CaseBlock], None]) -> list[tuple[int, int]]:
        """The ranges of cases whose results are there; who listens hears of them part by part."""
        found = list[tuple[int, int]]()
        for path in sorted(self.parts.glob("*.npz")):
            part = _part(path)
            if part is None:
                caution("{path}: cannot be read and is left out; its cases are computed again", path)
                path.unlink()
                continue
            found += ranges_of(np.concatenate([part.cases, np.array([k for k, _ in part.failed], dtype=np.int64)]))
            self.stored += part.count
            self.failed += len(part.failed)
            self.spec = self.spec or part.spec
            there(part)
        self.stored = sum(stop - start for start, stop in found)
        return found

    def take(self, block: CaseBlock) -> None:
        """Results that came; they are written before long."""
        self._buffer.append(block)
        self._size += block.size
        self.spec = self.spec or block.spec
        self.stored += block.count
        self.failed += len(block.failed)
        if self._size > ENOUGH or monotonic() - self._since > SOON:
            self.flush()

    def flush(self) -> None:
        """What has come is on the disk after this."""
        if self._buffer:
            with told_if_not_written(self.folder):
                whole = joined(self._buffer)
                name = f"{min(x[0] for x in ranges_or_failed(whole)):012d}-{os.getpid()}-{self._written}.npz"
                write_bytes(self.parts / name, _packed(whole))
        self._buffer, self._size, self._written, self._since = [], 0, self._written + 1, monotonic()

    def pieces(self, *members: str) -> Iterator[Any]:
        """These members of every part that has them, part by part."""
        for path in sorted(self.parts.glob("*.npz")):
            with open_archive(path) as found:
                if all(member in found for member in members):
                    kept = [found[member] for member in members]
                    yield kept[0] if len(kept) == 1 else kept

    def drop_parts(self) -> None:
        shutil.rmtree(self.parts, ignore_errors=True)


def _difference(key: str, found: Any, wanted: Any) -> str:
    """In words, and which where that helps."""
    if key in ("function", "count", "seed"):
        return Message("{told}: {found!r:.60}, not {wanted!r:.60}", TOLD[key], found, wanted)
    if key in ("shared", "uses") and isinstance(found, dict):
        odd = [name for name in {**found, **wanted} if found.get(name) != wanted.get(name)]
        return Message("{place}: {text}", TOLD[key], some_of(odd))
    return TOLD[key]


def ranges_or_failed(block: CaseBlock) -> list[tuple[int, int]]:
    return ranges_of(np.concatenate([block.cases, np.array([k for k, _ in block.failed], dtype=np.int64)]))


def ranges_of(cases: Any) -> list[tuple[int, int]]:
    """Neighbours as ranges."""
    if not len(cases):
        return []
    found = np.unique(cases)
    breaks = np.flatnonzero(np.diff(found) > 1)
    starts, stops = found[np.r_[0, breaks + 1]], found[np.r_[breaks, len(found) - 1]] + 1
    return list(zip(starts.tolist(), stops.tolist()))


def _packed(block: CaseBlock) -> bytes:
    named = {f"result.{name}": values for name, values in block.columns.items()}
    failed, why = np.array([k for k, _ in block.failed], dtype=np.int64), np.array([x for _, x in block.failed], "U")
    with BytesIO() as file:
        np.savez(file, case=block.cases, failed=failed, why=why, **named)  # type: ignore[arg-type]
        return file.getvalue()


def _part(path: Path) -> CaseBlock | None:
    try:
        with open_archive(path) as found:
            columns = {name.removeprefix("result."): found[name] for name in found if name.startswith("result.")}
            failed = list(zip(found["failed"].tolist(), found["why"].tolist()))
            return CaseBlock(found["case"], columns, failed)
    except (OSError, ValueError):
        return None


def _read(file: Path) -> dict[str, Any]:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, UnicodeDecodeError):
        found = None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise InputError("{file}: is no study's; take another folder", file)
    return found


@contextmanager
def told_if_not_written(folder: Path) -> Iterator[None]:
    """A folder that cannot be written, a disk that is full: one sentence, and how to go on."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise InputError(
                "{folder}: the disk is full; make room and go on with resume={folder2!r}", folder, str(folder)
            ) from error
        raise InputError("{path}: cannot be written: {strerror}", folder, error.strerror or error) from error
