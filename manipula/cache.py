"""Files that save work from one run to the next: generated functions and machine code, in a private directory.

A file is named by a digest of all that its content depends on, and begins with a digest of the content: one that was
cut off or altered is deleted and made again. Files appear whole (written under another name, then renamed), so any
number of processes may share the directory. `MANIPULA_CACHE` names another directory, or is `off`.
"""

from __future__ import annotations

import os
import pickle
import stat
import sys
import tempfile
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeVar

from manipula.errors import ManipulaWarning
from manipula.version import __version__

LIMIT = 256 * 2**20  # bytes; beyond it the files unused for longest go
_DIGEST = 32
Kept = TypeVar("Kept")


def key_of(*parts: object) -> str:
    """A name for what depends on these parts, this release and this very source."""
    return blake2b(repr((__version__, fingerprint(), *parts)).encode(), digest_size=20).hexdigest()


@lru_cache(maxsize=1)
def fingerprint() -> str:
    """Of the package's own files: an edited source never meets what an older one left."""
    root = Path(__file__).parent
    files = [path for kind in ("*.py", "*.toml", "*.json") for path in sorted(root.rglob(kind))]
    seen = [(str(path.relative_to(root)), path.stat().st_size, path.stat().st_mtime_ns) for path in files]
    return blake2b(repr(seen).encode(), digest_size=16).hexdigest()


def fetch(key: str) -> bytes | None:
    """The content kept under a key, if there is any and it is whole."""
    place = directory()
    if place is None:
        return None
    path = place / key
    try:
        data = path.read_bytes()
    except OSError:
        return None
    digest, content = data[:_DIGEST], data[_DIGEST:]
    if blake2b(content, digest_size=_DIGEST).digest() != digest:
        discard(key)
        return None
    with suppress(OSError):
        os.utime(path)  # used just now
    return content


def keep(key: str, content: bytes) -> None:
    """Best effort: a full disk or a lost directory costs time later, nothing else."""
    place = directory()
    if place is None:
        return
    with suppress(OSError):
        handle, name = tempfile.mkstemp(dir=place, prefix=".new-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(blake2b(content, digest_size=_DIGEST).digest() + content)
            os.replace(name, place / key)
        except OSError:
            os.unlink(name)
            raise
        _prune(place)


def remembered(key: str, make: Callable[[], Kept]) -> Kept:
    """An object kept under a key, or made now and kept."""
    found: Kept | None = recalled(key)
    return remember(key, make()) if found is None else found


def recalled(key: str) -> Any:
    """The object kept under a key; None where there is none that can be read."""
    content = fetch(key)
    if content is None:
        return None
    try:
        return pickle.loads(content)
    except Exception:  # whatever is wrong with it, it can be made again
        discard(key)
        return None


def remember(key: str, made: Kept) -> Kept:
    keep(key, pickle.dumps(made))
    return made


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
    place = Path(wish) if wish else _usual()
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        problem = _not_private(place)
    except OSError:
        return None
    if problem:
        _warn_once(f"the cache {place} is not used: {problem}")
        return None
    return place


def _usual() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", str(Path.home()))) / "manipula" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "manipula"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "manipula"


def _not_private(place: Path) -> str:
    """Why files there cannot be trusted; code is loaded from them."""
    if sys.platform == "win32":
        return ""
    found = place.stat()
    if found.st_uid != os.getuid():
        return "it belongs to another user"
    return "others may write to it" if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH) else ""


@lru_cache(maxsize=8)
def _warn_once(text: str) -> None:
    warnings.warn(text, ManipulaWarning, stacklevel=4)


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
