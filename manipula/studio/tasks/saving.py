"""What is written over a file: the robot, in the file's own words where it has them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from manipula import api
from manipula.errors import ManipulaError
from manipula.robot import Robot
from manipula.studio.tasks.commented import edited, has_comments
from manipula.studio.tasks.faults import heard
from manipula.studio.tasks.given import Given, robot_in

Tell = Callable[[str], None]


def toml(given: Given, tell: Tell) -> dict[str, Any]:
    """What is saved; a document with mistakes is not. `path` is the file that is written over, where there is one."""
    after = api.to_text(robot_in(given))
    return {"text": (_kept(api.file_text(Path(given["path"])), after) if given.get("path") else None) or after}


def unkept(path: Path) -> list[dict[str, Any]]:
    """A file whose comments would be lost is told of before it is written anew."""
    if path.suffix.lower() != ".toml":
        return []
    text = api.file_text(path)
    robot = _robot(text)
    if not has_comments(text) or robot is None or _kept(text, api.to_text(robot)) is not None:
        return []
    said = f"{path.name}: comments are not kept where the file is saved here; save it under another name to have both"
    return [{"message": said, "row": None, "column": ""}]


def _kept(file: str, after: str) -> str | None:
    """The file with what has changed; None where that would not be this robot."""
    robot = _robot(file)  # None: of a file with mistakes what differs from it is changed
    for before in dict.fromkeys((file if robot is None else api.to_text(robot), file)):
        try:
            found = edited(file, before, after)
        except Exception:  # of another package, on a text of anybody's: then the file is written as we write files
            continue
        again = _robot(found)
        if again is not None and api.to_text(again) == after:
            return found
    return None


def _robot(text: str) -> Robot | None:
    try:
        with heard():
            return api.from_document(api.document_from_file(text))
    except ManipulaError:
        return None
