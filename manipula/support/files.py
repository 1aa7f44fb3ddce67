"""Writing files so that nothing is ever lost: a temporary name in the same folder, then one rename; users' folders."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from manipula.errors import ManipulaError, UnwritableError

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FRESH = 60.0  # seconds for which an empty temporary file may be of a program that has not locked it yet

_USER_FOLDERS = {  # the variable that names it, and where it is in the home folder otherwise
    ("win32", "cache"): ("LOCALAPPDATA", "AppData/Local"),
    ("win32", "data"): ("APPDATA", "AppData/Roaming"),
    ("darwin", "cache"): ("", "Library/Caches"),
    ("darwin", "data"): ("", "Library/Application Support"),
    ("xdg", "cache"): ("XDG_CACHE_HOME", ".cache"),
    ("xdg", "data"): ("XDG_DATA_HOME", ".local/share"),
}


def write_text(path: Path, text: str) -> Path:
    """Replace the file as a whole, or leave it as it was; behind a symbolic link, the file it points to."""
    return write_bytes(path, text.encode())


def write_bytes(path: Path, content: bytes, mode: int = 0o644) -> Path:
    """The same for bytes. `mode` is for a new file; one that exists keeps its own."""
    with replace_file(path, mode) as part:
        part.write_bytes(content)
    return path


@contextmanager
def replace_file(path: Path, mode: int = 0o644) -> Iterator[Path]:
    """A temporary file to be filled, which then takes the place of `path`; whatever fails, it is removed.

    `UnwritableError` names the file that was wanted, not the temporary one. Temporary files of killed programs are
    removed first: each is locked while its program lives.
    """
    try:
        target = Path(os.path.realpath(path)) if path.is_symlink() else path
        target.parent.mkdir(parents=True, exist_ok=True)
        _remove_abandoned(target)
        with _temporary(target) as part:
            yield part
            os.chmod(part, target.stat().st_mode if target.exists() else mode)
            os.replace(part, target)
    except UnwritableError:
        raise
    except OSError as error:
        raise UnwritableError(path, error) from error


@contextmanager
def _temporary(path: Path) -> Iterator[Path]:
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=_prefix(path), suffix=".part")
    try:
        if sys.platform == "win32":
            os.close(handle)  # an open file cannot be renamed there
        else:
            _try_lock(handle)
        yield Path(temporary)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    finally:
        if sys.platform != "win32":
            os.close(handle)


def _remove_abandoned(path: Path) -> None:
    for part in path.parent.glob(f"{_literal(_prefix(path))}????????.part"):
        with suppress(OSError):
            if sys.platform == "win32" or _is_abandoned(part):  # there a file in use cannot be removed
                part.unlink()


def _prefix(path: Path) -> str:
    """Of its temporary files: short, since the name of a file may be as long as the system allows."""
    return f".{path.name[:40]}."


def _literal(name: str) -> str:
    """A name in which no letter is a wildcard."""
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in name)


def _is_abandoned(part: Path) -> bool:
    """No program holds it. A program locks its file just after it has made it: an empty one may not be locked yet."""
    handle = os.open(part, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        found = os.fstat(handle)
        return (found.st_size > 0 or time.time() - found.st_mtime > _FRESH) and _try_lock(handle)
    finally:
        os.close(handle)


def _try_lock(handle: int) -> bool:
    """Whether the file could be locked; the lock ends with the handle, so with the process at the latest."""
    if sys.platform == "win32":
        return False
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # another program has it, or the file system has no locks
        return False
    return True


def write_files(folder: Path, files: Mapping[str, str]) -> list[Path]:
    """Several files, each whole or not at all."""
    return [write_text(folder / name, text) for name, text in files.items()]


def user_folder(kind: Literal["cache", "data"]) -> Path | None:
    """Our folder among those that the system has for a user's cached files or data.

    None where neither the environment nor the system's list of users names a home: a container under a bare number.
    """
    system = sys.platform if sys.platform in ("win32", "darwin") else "xdg"
    variable, usual = _USER_FOLDERS[system, kind]
    named = os.environ.get(variable)
    if named:
        return Path(named, "manipula")
    try:
        return Path.home() / usual / "manipula"
    except RuntimeError:
        return None


def expand_user(path: Path) -> Path:
    """The path with ~ replaced by the home folder, where there is one."""
    try:
        return path.expanduser()
    except RuntimeError:
        return path


# Archives of numpy's arrays, read so that no bytes do harm: nothing is unpickled, and what is broken is one error.


@contextmanager
def open_archive(path: Path) -> Iterator[Mapping[str, NDArray[Any]]]:
    """Its arrays by name, each read when it is taken. A `ValueError` says in which way the file is broken.

    Damaged bytes lead zip, zlib and numpy to a dozen kinds of error, which are not worth a list.
    """
    import numpy as np  # a screen that writes a file need not load it

    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as found:
            yield found
    except (OSError, ManipulaError):
        raise
    except Exception as error:
        what = f"{type(error).__name__} {error}".splitlines()[0]
        raise ValueError(f"{what:.160}") from error
