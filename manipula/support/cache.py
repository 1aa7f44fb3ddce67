"""Files that save work from one run to the next: generated functions and machine code, in a private directory.

A file is named by a digest of all that its content depends on, the package's own source among it, and begins with a
digest of its name and content: one that was cut off, altered or moved is deleted and made again. So is one that another
user owns or may write. Files appear whole (written under another name, then renamed), so any number of processes may
share the directory. `MANIPULA_CACHE` names another directory, or is `off`.

What is kept here is bytes; nothing is unpickled. Functions are text that is proved again. Machine code cannot be
proved: it is trusted because only its user can have written it.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path

from manipula.errors import caution
from manipula.messages import Message
from manipula.support.files import user_folder, write_bytes
from manipula.version import __version__

LIMIT = 256 * 2**20  # bytes; beyond it the files unused for longest go
_DIGEST = 32
_SOURCES = (".py", ".toml", ".json")


def key_of(*parts: object) -> str:
    """A name for what depends on these parts, this release and this very source."""
    return blake2b(repr((__version__, fingerprint(), *parts)).encode(), digest_size=20).hexdigest()


@lru_cache(maxsize=1)
def fingerprint() -> str:
    """Of the package's own files, by what is in them: an edited source never meets what an older one left."""
    root, digest = Path(__file__).parent.parent, blake2b(digest_size=16)
    for path in sorted(path for path in root.rglob("*") if path.suffix in _SOURCES):
        content = path.read_bytes()
        digest.update(os.fsencode(path.relative_to(root)) + f" {len(content)}\n".encode() + content)
    return digest.hexdigest()


def fetch(key: str) -> bytes | None:
    """The content kept under a key, if there is any, it is whole and only its user can have written it."""
    place = directory()
    data = None if place is None else _own_bytes(place / key)
    if place is None or data is None:
        return None
    digest, content = data[:_DIGEST], data[_DIGEST:]
    if _digest(key, content) != digest:
        discard(key)
        return None
    with suppress(OSError):
        os.utime(place / key)  # used just now
    return content


def _own_bytes(path: Path) -> bytes | None:
    """Of a plain file that is the user's own; any other is deleted, so that it can be made again."""
    try:
        with open(path, "rb", opener=_no_link) as file:
            if not _not_private(os.fstat(file.fileno()), stat.S_ISREG):
                return file.read()
    except OSError as error:
        if error.errno not in (errno.ELOOP, errno.EISDIR):  # a link, or a folder in its place
            return None
    with suppress(OSError):
        path.unlink()
    return None


def _no_link(path: str, flags: int) -> int:
    """Opened without following a link, and without waiting for a pipe."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))


def keep(key: str, content: bytes) -> None:
    """Best effort: a full disk or a lost directory costs time later, nothing else."""
    place = directory()
    if place is None:
        return
    with suppress(OSError):
        write_bytes(place / key, _digest(key, content) + content, mode=0o600)
        _prune(place)


def _digest(key: str, content: bytes) -> bytes:
    """Of the key too: a whole file in the place of another is as wrong as a damaged one."""
    return blake2b(f"{key}\n".encode() + content, digest_size=_DIGEST).digest()


def discard(key: str) -> None:
    """Forget what turned out to be unusable."""
    place = directory()
    if place is not None:
        with suppress(OSError):
            (place / key).unlink()


def directory() -> Path | None:
    """The directory, made if need be; None if there is to be no cache, or if it is not ours alone to write."""
    wish = os.environ.get("MANIPULA_CACHE", "")
    if wish.lower() in ("off", "0", "no"):
        return None
    place = Path(wish) if wish else user_folder("cache")
    if place is None:
        return None
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        problem = _not_private(place.stat(), stat.S_ISDIR)
    except OSError:
        return None
    if problem:
        _warn_once(Message("the cache {path} is not used: {not_private}", place, problem))
        return None
    return place


def _not_private(found: os.stat_result, is_kind: Callable[[int], bool]) -> str:
    """Why it cannot be trusted; code is loaded from there."""
    if not is_kind(found.st_mode):
        return Message("it is something else")
    if sys.platform == "win32":
        return ""
    if found.st_uid != os.getuid():
        return Message("it belongs to another user")
    return Message("others may write to it") if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH) else ""


@lru_cache(maxsize=8)
def _warn_once(text: str) -> None:
    caution(text)


def _prune(place: Path) -> None:
    """Down to the limit, the files unused for longest first."""
    files = [(path, path.stat()) for path in place.iterdir() if path.is_file()]
    excess = sum(found.st_size for _, found in files) - LIMIT
    for path, found in sorted(files, key=lambda item: item[1].st_mtime):
        if excess <= 0:
            return
        with suppress(OSError):
            path.unlink()
        excess -= found.st_size
