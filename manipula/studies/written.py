"""A ready study written down: the study file that, run anywhere, is this study of this robot."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from manipula.robot import Robot
from manipula.studies.work.job import text_from
from manipula.support.toml_text import block_text, key_text, value_text


def study_text(name: str, robot: Robot, settings: Mapping[str, Any], seed: int = 0) -> str:
    """The file; the robot's own text is inside, so that nothing else is needed."""
    lines = [
        "# manipula study THIS_FILE.toml --results results.npz --report report.html",
        "format = 1",
        f"study = {value_text(name)}",
        f"seed = {value_text(seed)}",
        *(f"settings.{key_text(key)} = {value_text(value)}" for key, value in settings.items()),
        f"robot = {block_text(text_from(robot))}",
    ]
    return "\n".join(lines) + "\n"
