"""One program at a time in a study's folder: two would compute every case twice and take each other's parts away."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from manipula.errors import InputError

LEFT = (".merge-*", ".*.part", "parts/.*.part")  # what a program that was killed leaves behind


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """The folder is held, which ends with the process however it ends; where folders cannot be held it is not. What an
    earlier one left half written is cleared away."""
    handle = _held(folder)
    try:
        for pattern in LEFT:
            for path in folder.glob(pattern):
                shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
        yield
    finally:
        if handle is not None:
            os.close(handle)


def _held(folder: Path) -> int | None:
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
