"""Files of the folder that the user chose, and nothing outside it; drafts of what is not saved yet.

A file is replaced as a whole, and only where it is still what the page has read: two pages on one robot do not
overwrite each other silently.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from manipula import api
from manipula.errors import InputError, ManipulaError
from manipula.messages import Message
from manipula.studio.tasks.replies import Draft, DraftContent, FileEntry
from manipula.support.files import write_text

LARGEST = 10 * 2**20  # bytes of a robot file
LISTED = 500  # files; a folder with more is a whole disk
DEEP = 3  # folders inside one another
LOOKED_AT = 20_000  # entries, whatever they are
DRAFTS = 40
SAVED = (".toml",)
_PART = re.compile(r"[^\x00-\x1f\x7f<>:\"|?*\\/\ud800-\udfff]{1,120}")  # no halves of letters: names that are no text
_DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.I)  # of Windows, in any folder
_DRAFT = re.compile(r"[A-Za-z0-9_-]{1,64}")


class Conflict(ManipulaError):
    """The file is not what the page has read. `theirs` is its text now, None where it is gone."""

    def __init__(self, name: str, theirs: str | None, digest: str | None, base: str | None) -> None:
        changed = (
            Message("is there already")
            if base is None
            else Message("was changed by something else since it was read here")
        )
        super().__init__(
            Message(
                "{name} {changed}; nothing was written", name, (changed if theirs is not None else Message("is gone"))
            )
        )
        self.theirs = theirs
        self.digest = digest


def digest_of(data: bytes) -> str:
    return sha256(data).hexdigest()[:32]


@dataclass
class Folder:
    """The user's folder. Names are relative to it, with / between their parts."""

    root: Path
    _digests: dict[tuple[str, int, int], str] = field(default_factory=dict)

    def path(self, name: object, endings: Collection[str] = ()) -> Path:
        """Where the file is; a name that leads elsewhere, by any way, is refused. Without endings: those of robots."""
        if not isinstance(name, str) or not name:
            raise InputError("name: expected the name of a file in the folder")
        parts = name.split("/")
        if not all(_PART.fullmatch(part) and not part.startswith(".") and part == part.strip() for part in parts):
            raise InputError("{name!r:.80}: expected a file inside the folder, such as arm.toml", name)
        if any(_DEVICES.fullmatch(part) or part.endswith(".") for part in parts):
            raise InputError("{name!r:.80}: no file can have this name on every system", name)
        if Path(name).suffix.lower() not in (endings := endings or api.formats()):
            raise InputError("{name!r:.80}: expected one of the endings {endings}", name, " ".join(endings))
        root = self.root.resolve()
        path = root.joinpath(*parts)
        found = path.resolve()  # follows links, also of folders on the way
        if not found.is_relative_to(root):
            raise InputError("{name!r:.80} leads out of the folder", name)
        return found

    def files(self) -> list[FileEntry]:
        """The robot files, and tables that may be such."""
        found: list[FileEntry] = []
        for name, entry in sorted(self._walk()):
            stat = entry.stat()
            if stat.st_size <= LARGEST:
                digest = self._digest(entry.path, stat)
                found.append({"name": name, "size": stat.st_size, "changed": stat.st_mtime, "digest": digest})
        return found[:LISTED]

    def _digest(self, path: str, stat: os.stat_result) -> str:
        """Of what can be saved here; read once for every change: pages ask often."""
        if not path.lower().endswith(SAVED):
            return ""
        key = (path, stat.st_mtime_ns, stat.st_size)
        if key not in self._digests:
            if len(self._digests) > 4 * LISTED:
                self._digests.clear()
            self._digests[key] = digest_of(Path(path).read_bytes())
        return self._digests[key]

    def _walk(self) -> Iterator[tuple[str, os.DirEntry[str]]]:
        left, places, endings = LOOKED_AT, [(self.root, "")], api.formats()
        while places and left > 0:
            place, prefix = places.pop(0)
            try:
                entries = list(os.scandir(place))
            except OSError:
                continue
            for entry in sorted(entries, key=lambda entry: entry.name):
                left -= 1
                name = f"{prefix}{entry.name}"
                if entry.name.startswith(".") or entry.is_symlink() or left < 0 or not _PART.fullmatch(entry.name):
                    continue
                if entry.is_dir() and name.count("/") < DEEP - 1:
                    places.append((Path(entry.path), f"{name}/"))
                elif entry.is_file() and Path(name).suffix.lower() in endings:
                    yield name, entry

    def read(self, name: object) -> tuple[Path, str]:
        """Where it is, and the digest of what it is now."""
        path = self.path(name)
        try:
            if path.stat().st_size > LARGEST:
                raise InputError("{name}: the file is too large: at most {largest} MB", name, LARGEST // 2**20)
            return path, digest_of(path.read_bytes())
        except OSError as error:
            raise InputError("{name}: cannot be read: {strerror}", name, error.strerror) from None

    def save(self, name: object, text: str, base: str | None) -> tuple[str, float]:
        """Writes it, whole or not at all; returns its new digest and time. `Conflict` where it is not `base` any more.

        A new file has no base: one that is there already is somebody's.
        """
        path = self.path(name, SAVED)
        theirs = path.read_bytes() if path.is_file() else None
        found = None if theirs is None else digest_of(theirs)
        if found != base:
            raise Conflict(str(name), None if theirs is None else theirs.decode("utf-8", "replace"), found, base)
        try:
            write_text(path, text)
        except OSError as error:
            raise InputError("{path}: cannot be written: {strerror}", name, error.strerror) from None
        return digest_of(text.encode()), path.stat().st_mtime


@dataclass
class Drafts:
    """What is on the pages, saved at every edit, right or wrong: a file each, outside the user's folder."""

    place: Path

    def save(self, name: object, kept: DraftContent | None) -> None:
        """None forgets it."""
        path = self._path(name)
        if kept is None:
            path.unlink(missing_ok=True)
            return
        try:
            self.place.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_text(path, json.dumps(kept))
        except OSError as error:
            raise InputError("the draft cannot be kept in {place}: {strerror}", self.place, error.strerror) from None
        for old in self._newest()[DRAFTS:]:
            old.unlink(missing_ok=True)

    def all(self) -> list[Draft]:
        """The newest first; one that is no draft is passed over."""
        found: list[Draft] = []
        for path in self._newest():
            try:
                kept: DraftContent = json.loads(path.read_text(encoding="utf-8"))
                found.append({**kept, "name": path.stem, "saved": path.stat().st_mtime})
            except (OSError, ValueError, TypeError):
                continue
        return found

    def _newest(self) -> list[Path]:
        paths = [path for path in self.place.glob("*.json") if path.is_file()] if self.place.is_dir() else []
        return sorted(paths, key=lambda path: path.stat().st_mtime, reverse=True)

    def _path(self, name: object) -> Path:
        if not isinstance(name, str) or not _DRAFT.fullmatch(name):
            raise InputError("name: expected letters, digits, - and _ for a draft, found {name!r:.60}", name)
        return self.place / f"{name}.json"
