"""A ready study written down: the study file that, run anywhere, is this study of this robot."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from manipula.errors import InputError
from manipula.robot import Robot
from manipula.studies.work.job import text_from

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_ODD = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]|'''")


def study_text(name: str, robot: Robot, settings: Mapping[str, Any], seed: int = 0) -> str:
    """The file; the robot's own text is inside, so that nothing else is needed."""
    lines = [
        "# manipula study THIS_FILE.toml --results results.npz --report report.html",
        "format = 1",
        f"study = {_value(name)}",
        f"seed = {_value(seed)}",
        *(f"settings.{key_text(key)} = {_value(value)}" for key, value in settings.items()),
        f"robot = {_block(text_from(robot))}",
    ]
    return "\n".join(lines) + "\n"


def _value(value: Any) -> str:
    """TOML of plain data."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key_text(str(key))} = {_value(x)}" for key, x in value.items()) + " }"
    raise InputError(f"a study file cannot hold {value!r:.60}")


def key_text(text: str) -> str:
    """A key, in quotes where it needs them."""
    return text if _BARE.fullmatch(text) else _quoted(text)


def _quoted(text: str) -> str:
    """JSON's quotes are TOML's, but for one letter that only TOML forbids."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _block(text: str) -> str:
    """As it is read, line by line; in one line of escapes where that cannot be."""
    return _quoted(text) if _ODD.search(text) or text.endswith("'") else f"'''\n{text}'''"
