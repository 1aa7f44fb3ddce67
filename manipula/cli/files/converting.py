"""`convert`: one robot file into another, by their endings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from manipula import api
from manipula.cli.terminal import options, places
from manipula.cli.terminal.screen import guarded, say, say_json
from manipula.cli.terminal.wishes import NOTHING, Wishes, about_a_robot
from manipula.errors import InputError
from manipula.messages import Message

if TYPE_CHECKING:
    from manipula.robot import Robot


@guarded
@about_a_robot
def convert(
    source: options.RobotName,
    target: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write: .toml .urdf .par .csv")],
    to: Annotated[str, typer.Option("--to", metavar="standard|modified", help="The convention to write.")] = "",
    wishes: Wishes = NOTHING,
    as_json: options.Json = False,
) -> None:
    """Convert a robot between formats and conventions. The target stays as it was unless all goes well.

    \b
    Examples:
      manipula convert puma560 puma.urdf
      manipula convert puma560 puma_modified.toml --to modified
      manipula convert robot.urdf arm.toml --base base_link --tip tool0
    """
    robot = places.find(source, wishes)
    path = api.save(_in_convention(robot, to, target), target)
    if as_json:
        written = api.load(path)
        say_json({"source": source, "file": str(path), "dof": written.dof, "convention": written.origin.convention})
        return
    say(Message("{path}: {robot}, {freedoms}", path, robot.name, robot.freedoms))


def _in_convention(robot: Robot, to: str, target: Path) -> Robot:
    file = api.formats().get(target.suffix.lower())
    if to and to not in ("standard", "modified"):
        raise InputError("--to must be standard or modified, not {to!r}", to)
    if file is None or not file.conventions:
        if to:
            raise InputError("--to {to} is for tables; {target} is not one", to, target)
        return robot  # save refuses an unknown ending
    if to and to not in file.conventions:
        raise InputError(
            "a {suffix} file always holds the {conventions} convention; drop --to", target.suffix, file.conventions[0]
        )
    if len(file.conventions) == 1:
        return robot  # its writer brings any arm into it
    if not to and robot.origin.convention == "urdf":
        to = "standard"
    return api.convert(robot, to) if to else robot
