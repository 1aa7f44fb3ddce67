"""`new`: a robot file of one's own, from a template or from a table."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from manipula import api
from manipula.cli.files.template import template
from manipula.cli.terminal import options, places
from manipula.cli.terminal.screen import guarded, say, say_json
from manipula.errors import InputError
from manipula.messages import Message
from manipula.support.files import write_text

if TYPE_CHECKING:
    from manipula.robot import Robot


@guarded
def new(
    name: Annotated[str, typer.Argument(help="The robot's name.")],
    joints: Annotated[str, typer.Option("--joints", help="One letter a joint: R, P or F (fixed).")] = "",
    convention: Annotated[
        str, typer.Option("--convention", metavar="standard|modified", help="Denavit-Hartenberg convention.")
    ] = "",
    table: Annotated[
        str, typer.Option("--from", metavar="FILE", help="A table or robot file to start from; - reads a pasted table.")
    ] = "",
    angle: Annotated[str, typer.Option("--angle", metavar="deg|rad", help="Unit of a table's bare angles.")] = "",
    length: Annotated[str, typer.Option("--length", metavar="m|cm|mm", help="Unit of a table's bare lengths.")] = "",
    output: options.OutputFile = None,
    catalogue: Annotated[
        bool, typer.Option("--catalogue", help="Keep it in your catalogue, for every folder.")
    ] = False,
    force: options.Force = False,
    as_json: options.Json = False,
) -> None:
    """Make a robot file: a commented template, or a table you have.

    \b
    Examples:
      manipula new my_arm --joints RRPRRR
      manipula new my_arm --joints RRR --convention modified -o arms/my_arm.toml
      manipula new my_arm --from table.csv --angle deg
      manipula new my_arm --from -          then paste the table and end with Ctrl-D
    """
    path = _path(name, output, catalogue)
    places.refuse_existing(path, force)
    if bool(joints) == bool(table):
        raise InputError("say either --joints RRR for a template or --from FILE for a table")
    if table:
        robot = replace(_read(table, convention, angle, length), name=name)
        api.save(_tabular(robot) if path.suffix.lower() == ".toml" else robot, path)
    else:
        write_text(path, template(name, joints, convention or "standard"))
    made = api.load(path)
    if as_json:
        say_json({"name": made.name, "file": str(path), "dof": made.dof, "kind": made.kind})
        return
    say(Message("{path}: {freedoms}. Next: manipula show {path}, manipula edit {path}", path, made.freedoms))


def _path(name: str, output: Path | None, catalogue: bool) -> Path:
    if not re.fullmatch(r"[^\W_][\w.+-]*", name):
        raise InputError("{name!r} cannot name a robot; use letters, digits, _ and -", name)
    if output is not None:
        return output / f"{name}.toml" if output.is_dir() else output
    if places.in_library(name):
        raise InputError("{name!r} is a library robot; choose another name", name)
    return (places.needed_catalogue() if catalogue else Path()) / f"{name}.toml"


def _read(table: str, convention: str, angle: str, length: str) -> Robot:
    given = {"convention": convention, "angle": angle, "length": length}
    settings: dict[str, Any] = {key: value for key, value in given.items() if value}
    if table == "-":
        from manipula.robot import Robot

        return Robot.from_text(sys.stdin.read(), "dh", file="the pasted table", **settings)
    file = api.formats().get(Path(table).suffix.lower())
    if file is not None and file.takes("columns"):
        return api.load(table, **settings)
    if settings:
        raise InputError(
            "{table}: --{iter} is for tables (.csv .txt); this file says its own", table, next(iter(settings))
        )
    return places.find(table)


def _tabular(robot: Robot) -> Robot:
    """A TOML file holds a Denavit–Hartenberg table; other robots are converted to one."""
    return api.convert(robot, "standard") if robot.origin.convention == "urdf" else robot
