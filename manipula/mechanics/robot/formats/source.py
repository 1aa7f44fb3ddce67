"""From the bytes of a file to text, and from a mistake anywhere in it to one sentence that names the file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from manipula.errors import RobotFileError, RowLabel
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.joints import KINDS
from manipula.messages import Message

_ENCODINGS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16", b"\xef\xbb\xbf": "utf-8-sig"}
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x19\x1b-\x1f]")  # those no text file has
_LONGEST = 10_000_000  # characters: whole humanoids with their sensors have a tenth of it
MOST_JOINTS = 1000  # of one file: more are a mistake, or an attack


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
    if len(text) > _LONGEST:
        raise RobotFileError(
            "the file has {told:.2f} million characters",
            len(text) / 1000000.0,
            file=file,
            hint=Message("a robot description has at most {longest} million", _LONGEST // 10**6),
        )
    if _CONTROL.search(text):
        raise _not_text(file)
    if not text.strip("\ufeff \t\r\n"):
        raise RobotFileError("the file is empty", file=file, hint="a robot needs a name and at least one joint")
    return text.removeprefix("\ufeff")


def _not_text(file: str) -> RobotFileError:
    return RobotFileError(
        "this is a binary file, not a robot description",
        file=file,
        hint="give a .toml, .csv, .urdf, .xml or .par file",
    )


@contextmanager
def errors_of(file: str) -> Iterator[None]:
    """Puts the file's name into every robot error raised inside that does not carry one."""
    try:
        yield
    except RobotFileError as error:
        if error.file or not file:
            raise
        raise error.in_file(file) from error.__cause__


def joint_label(row: int, name: str | None) -> RowLabel:
    """How messages call a joint; rows count from 1."""
    return RowLabel(Message("joint {row} {name!r}", row, name) if name else Message("joint {name}", row), row)


def refuse_kinds(robot: RobotDescription, format: str, title: str) -> None:
    """Raises on a joint of a kind that the format has no word for."""
    for row, joint in enumerate(robot.joints, 1):
        if format not in KINDS[joint.kind].formats:
            raise RobotFileError(
                "is {kind}, which {title} has no word for",
                joint.kind,
                title,
                where=joint_label(row, joint.name),
                hint="save it as TOML",
            )


def refuse_too_many(joints: int) -> None:
    """Before anything is made of them."""
    if joints > MOST_JOINTS:
        raise RobotFileError(
            "found {joints} joints",
            joints,
            field="joint",
            hint=Message("a robot has at most {most_joints}", MOST_JOINTS),
        )
