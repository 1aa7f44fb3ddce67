"""Writing files so that nothing is ever lost: a temporary name in the same folder, then one rename."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path


def write_text(path: Path, text: str) -> Path:
    """Replace the file as a whole, or leave it as it was; behind a symbolic link, the file it points to."""
    return write_bytes(path, text.encode())


def write_bytes(path: Path, content: bytes) -> Path:
    _replace(Path(os.path.realpath(path)) if path.is_symlink() else path, content)
    return path


def _replace(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        if path.exists():
            os.chmod(temporary, path.stat().st_mode)
        else:
            os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def write_files(folder: Path, files: Mapping[str, str]) -> list[Path]:
    """Several files, each whole or not at all."""
    return [write_text(folder / name, text) for name, text in files.items()]
