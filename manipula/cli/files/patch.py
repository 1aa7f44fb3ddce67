"""Changing a robot file in place, comments and layout kept.

Each change is tried where it may stand, in the joint's row or under [values], and taken only if the text then reads
as exactly the robot that was asked for; else the caller writes the file anew.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from manipula.api.assignments import Assignment
from manipula.errors import ManipulaError

if TYPE_CHECKING:
    from manipula.robot import Robot

_CELL = re.compile(r"(theta|d|alpha|a|m)(?:[0-9]+|_\w+)")
_KEYS = {"m": "mass"}
_VALUE = r"""("[^"]*"|'[^']*'|[^#"'\s]+)"""
Read = Callable[[str], "Robot"]


def patched(text: str, robot: Robot, changes: Sequence[Assignment], read: Read) -> str | None:
    """The text with the changes, or None where they cannot be made line by line."""
    for change in changes:
        robot = robot.with_parameters(**{change.name: change.value})
        fitting = (candidate for candidate in _candidates(text, change, robot) if _reads_as(candidate, robot, read))
        found = next(fitting, None)
        if found is None:
            return None
        text = found
    return text


def _reads_as(text: str, robot: Robot, read: Read) -> bool:
    try:
        return read(text) == robot
    except ManipulaError:
        return False


def _candidates(text: str, change: Assignment, robot: Robot) -> Iterator[str]:
    lines = text.splitlines()
    cell = _CELL.fullmatch(change.name)
    rows = [index for index, line in enumerate(lines) if re.match(r"\s*\[\[joint\]\]", line)]
    place = next((i for i, row in enumerate(robot.joints) if change.name in {x.name for x in row.cells()}), len(rows))
    if cell and place < len(rows):
        yield _with_entry(lines, rows[place], _KEYS.get(cell[1], cell[1]), change.entry)
    named = next((index for index, line in enumerate(lines) if re.match(r"\s*\[values\]", line)), None)
    if named is not None:
        yield _with_entry(lines, named, change.name, change.si_entry)
    elif rows:
        head = min(index for index, line in enumerate(lines) if re.match(r"\s*\[", line))
        yield _joined([*lines[:head], "[values]", f"{change.name} = {change.si_entry}", "", *lines[head:]])


def _with_entry(lines: list[str], head: int, key: str, entry: str) -> str:
    """The table under `head` with the key's value replaced, or the key added behind the last one there."""
    end = next((i for i in range(head + 1, len(lines)) if re.match(r"\s*\[", lines[i])), len(lines))
    last = head
    for index in range(head + 1, end):
        found = re.match(rf"(\s*{re.escape(key)}\s*=\s*){_VALUE}(.*)", lines[index])
        if found:
            return _joined([*lines[:index], f"{found[1]}{entry}{found[3]}", *lines[index + 1 :]])
        last = index if re.match(r"\s*[\w\"'-]+\s*=", lines[index]) else last
    return _joined([*lines[: last + 1], f"{key} = {entry}", *lines[last + 1 :]])


def _joined(lines: Sequence[str]) -> str:
    return "\n".join(lines) + "\n"
