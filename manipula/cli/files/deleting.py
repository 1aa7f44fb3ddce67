"""`delete`: out of the way, never lost."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from manipula import api
from manipula.cli.terminal import options, places
from manipula.cli.terminal.screen import guarded, say, say_json
from manipula.errors import InputError
from manipula.messages import Message


@guarded
def delete(
    robot: options.OwnName,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: options.Json = False,
) -> None:
    """Delete one of your robots: its file moves to a trash folder beside it.

    \b
    Examples:
      manipula delete my_arm
      manipula delete arms/old.toml --yes
    """
    path = _deletable(robot)
    if not yes and not _confirmed(path):
        say("nothing deleted")
        return
    trash = to_trash(path)
    back = f'{"move" if sys.platform == "win32" else "mv"} "{trash}" "{path}"'
    if as_json:
        say_json({"deleted": str(path), "trash": str(trash), "restore": back})
        return
    say(Message("{path} is now {trash}. To have it back: {back}", path, trash, back))


def _confirmed(path: Path) -> bool:
    try:
        return typer.confirm(f"Move {path} to the trash?", err=True)
    except typer.Abort:
        raise InputError("{path} was not deleted: nobody answered; --yes does not ask", path) from None


def _deletable(robot: str) -> Path:
    if places.in_library(robot):
        raise InputError("{robot!r} belongs to the library and cannot be deleted; only your own robots can", robot)
    path = places.file_of(robot)
    if path.suffix.lower() not in api.formats():
        raise InputError("{file_of} is not a robot file; those end in {formats}", path, ", ".join(api.formats()))
    if not path.is_file():
        raise InputError("{file_of}: there is no such file", path)
    return path


def to_trash(path: Path) -> Path:
    """Moves the file into the trash folder beside it, under a name that is free."""
    folder = path.parent / places.TRASH
    folder.mkdir(exist_ok=True)
    trash = places.free_name(folder, path.name)
    os.replace(path, trash)
    return trash
