"""`generate --whole`: the robot and its models as one module of JavaScript."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from manipula import api
from manipula.cli.terminal.screen import progress, say, say_json
from manipula.errors import InputError
from manipula.messages import Message

if TYPE_CHECKING:
    from manipula.robot import Robot

DEFAULT = "c"  # of --language: nothing was said


def refuse_others(language: str, others: Mapping[str, Any]) -> None:
    """`others` are options that a module has no use for, with what was given."""
    odd = next((name for name, given in others.items() if given), None)
    if odd:
        raise InputError("{odd} is no option of --whole, which takes -m, -o, --optimise, --symbolic and --frame", odd)
    if language != DEFAULT and api.language(language) != "javascript":
        raise InputError("--whole writes a module of JavaScript, found -l {language}", language)


def say_whole(robot: Robot, models: Sequence[str], folder: Path, chosen: Mapping[str, Any], as_json: bool) -> None:
    """Write the module into the folder and say where it is, and what is not in it."""
    path = folder / api.module_file(robot)
    with progress(f"generating {robot.name}") as tell:
        missing = api.robot_data(api.robot_module(robot, path, list(models) or None, **chosen, tell=tell))["missing"]
    files = [str(path), str(api.types_beside(path))]
    if as_json:
        say_json({"robot": robot.name, "files": files, "missing": missing})
        return
    for file in files:
        say(file)
    for left in missing:
        say(Message("without {left}: {left2}", left["model"], left["why"]))
