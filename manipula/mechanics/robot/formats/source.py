"""From the bytes of a file to text, and from a mistake anywhere in it to one sentence that names the file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from manipula.errors import RobotFileError

_ENCODINGS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16", b"\xef\xbb\xbf": "utf-8-sig"}
_PLAIN_CONTROLS = "\t\n\r\f\v\x1a"


def text_from_bytes(data: bytes, file: str = "") -> str:
    """UTF-8, what spreadsheets save (UTF-16 with a mark, Windows-1252), or an error that says it is not text."""
    for encoding in (_ENCODINGS.get(data[:2]) or _ENCODINGS.get(data[:3]) or "utf-8", "cp1252"):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        return checked_text(text, file)
    raise _not_text(file)


def checked_text(text: str, file: str = "") -> str:
    """The text itself, or an error if it is empty or holds the control characters of a binary file."""
    if any(char < " " and char not in _PLAIN_CONTROLS for char in text):
        raise _not_text(file)
    if not text.strip("\ufeff \t\r\n"):
        raise RobotFileError("the file is empty", file=file, hint="a robot needs a name and at least one joint")
    return text.removeprefix("\ufeff")


def _not_text(file: str) -> RobotFileError:
    return RobotFileError(
        "this is a binary file, not a robot description", file=file, hint="give a .toml, .csv, .urdf or .par text file"
    )


@contextmanager
def errors_of(file: str) -> Iterator[None]:
    """Puts the file's name into every robot error raised inside that does not carry one."""
    try:
        yield
    except RobotFileError as error:
        if error.file or not file:
            raise
        raise RobotFileError(
            error.problem, file=file, where=error.where, field=error.field, hint=error.hint
        ) from error.__cause__


def joint_label(row: int, name: str | None) -> str:
    """How messages call a joint; rows count from 1."""
    return f"joint {row} {name!r}" if name else f"joint {row}"
