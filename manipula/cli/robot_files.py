"""`robots`, `show`, `convert` and `delete`: which robots there are, one of them as tables, in another format, away."""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from manipula import api
from manipula.cli.terminal import options
from manipula.cli.terminal.command import command
from manipula.cli.terminal.options import Wishes
from manipula.cli.terminal.screen import Data, progress, say, say_json, say_prose, say_table
from manipula.errors import InputError, ManipulaError, ManipulaWarning
from manipula.messages import Message
from manipula.support.progress import Tell

if TYPE_CHECKING:
    from manipula.robot import Robot


# `robots` and `show`: which robots there are, and one of them as tables.

_COLUMNS = ("name", "dof", "kind", "convention", "symbolic", "source")


@command()
def robots(*, kind: str = "", as_json: bool = False) -> None:
    """List the library's robots and your own.

    Your own are the robot files of this folder and of your catalogue (MANIPULA_HOME/robots).

    \b
    Examples:
      manipula robots
      manipula robots --kind RRP
      manipula robots --json

    Args:
        kind (RRP): Only robots whose joints begin so.
    """
    with progress("reading the robots") as tell:
        library = [_entry(name, "library", tell) for name in api.robots()]
        own = [_entry(str(path), _folder(path), tell) for path in options.own_files()]
    groups = {"library": _of_kind(library, kind), "own": _of_kind(own, kind)}
    if as_json:
        say_json(groups)
        return
    for title, entries in zip(("Library", "Your robots"), groups.values()):
        if entries:
            _say_group(title, entries)
    if kind and not groups["own"] + groups["library"]:
        kinds = dict.fromkeys(entry["kind"] for entry in _of_kind(library + own, "") if entry["kind"])
        say_prose(Message("No robot's joints begin with {kind}; there are {kinds}.", kind.upper(), ", ".join(kinds)))
    if not own:
        here = Message("No robots of your own here; manipula new NAME --joints RRR makes one.")
        if folder := options.catalogue():
            here = Message(
                "No robots of your own here or in {folder}; manipula new NAME --joints RRR makes one.", folder
            )
        say_prose(here, "dim")


def _of_kind(entries: list[Data], kind: str) -> list[Data]:
    chosen = [entry for entry in entries if entry["kind"].startswith(kind.upper())]
    return sorted(chosen, key=lambda entry: (entry["dof"], entry["kind"], entry["name"]))


def _folder(path: Path) -> str:
    return "this folder" if path.parent == Path() else str(path.parent)


def _entry(name: str, where: str, tell: Tell) -> Data:
    """One robot in one line; a file that cannot be read says why instead of stopping the list."""
    tell(name)
    shown = Path(name).stem if where != "library" else name
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ManipulaWarning)
            robot = api.load(name)
    except ManipulaError as error:
        return {"name": shown, "dof": 0, "kind": "", "convention": "", "symbolic": [], "where": where, "source": "",
                "problem": str(error)}  # fmt: skip
    return {
        "name": shown, "dof": robot.dof, "kind": robot.kind, "convention": robot.origin.convention,
        "symbolic": options.symbols_of(robot), "where": where, "source": " ".join(robot.origin.source.split()),
    }  # fmt: skip


def _say_group(title: str, entries: list[Data]) -> None:
    rows = [
        (e["name"], str(e["dof"]), e["kind"], e["convention"], _short_names(e["symbolic"]), _short_source(e))
        for e in entries
    ]
    say_table(title, _COLUMNS, rows, right=(1,), prose="cut")
    say()


def _short_names(names: list[str]) -> str:
    if not names:
        return "-"
    return ", ".join(names) if len(names) <= 3 else f"{names[0]} … {names[-1]} ({len(names)})"


def _short_source(entry: Data) -> str:
    if "problem" in entry:
        return f"cannot be read: {entry['problem']}"
    text = entry["source"] if entry["where"] == "library" else entry["where"]
    return text if len(text) <= 60 else f"{text[:57].rsplit(' ', 1)[0]} …"


@command()
def show(robot: str, *, wishes: Wishes, picture: Path | None = None, as_json: bool = False) -> None:
    """Show a robot: geometric table, inertial table, motors, surroundings, names, every column with its unit.

    \b
    Examples:
      manipula show puma560
      manipula show my_arm.toml --picture my_arm.svg
      manipula show panda --json

    Args:
        picture (ARM.svg): Write a picture of the arm, by its ending: .svg .pdf .png
    """
    found = options.find(robot, wishes)
    if picture is not None:
        api.picture(found, path=picture)
    if as_json:
        say_json(found.as_dict())
        return
    built = found.origin.description or Message("a serial arm" if _in_rows(found) else "a tree")
    say_prose(Message("{robot}: {built}; {freedoms}", found.name, built, found.freedoms), "bold")
    say()
    say_robot(found)
    for note in found.origin.notes:
        say_prose(Message("Note: {note}", note))
    if found.origin.source:
        say_prose(Message("Source: {text}", " ".join(found.origin.source.split())), "dim")
    if picture is not None:
        say_prose(Message("Picture: {path}", picture))


def _in_rows(robot: Robot) -> bool:
    """Does every joint stand on the one before?"""
    return list(robot.parents) == list(range(-1, len(robot.joints) - 1))


def say_robot(robot: Robot) -> None:
    """The robot's tables; names without a value share a line."""
    symbols = options.symbols_of(robot)
    for table in api.tables(robot):
        rows = [row for row in table.rows if row != (row[0], "symbolic")]
        if rows:
            say_table(table.title, table.columns, rows)
            say()
    if symbols:
        say_prose(Message("Symbols, without a value: {names}", ", ".join(symbols)))
        say()


# `convert`: one robot file into another, by their endings.


@command()
def convert(source: str, target: Path, *, to: str = "", wishes: Wishes, as_json: bool = False) -> None:
    """Convert a robot between formats and conventions. The target stays as it was unless all goes well.

    \b
    Examples:
      manipula convert puma560 puma.urdf
      manipula convert puma560 puma_modified.toml --to modified
      manipula convert robot.urdf arm.toml --base base_link --tip tool0

    Args:
        source (ROBOT): A library name, one of your robots, or a file.
        target (FILE): The file to write: .toml .urdf .par .csv
        to (standard|modified): The convention to write.
    """
    robot = options.find(source, wishes)
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
        raise InputError("a {suffix} file always holds the {conventions} convention; drop --to",
                         target.suffix, file.conventions[0])  # fmt: skip
    if len(file.conventions) == 1:
        return robot  # its writer brings any arm into it
    if not to and robot.origin.convention == "urdf":
        to = "standard"
    return api.convert(robot, to) if to else robot


# `delete`: out of the way, never lost.


@command()
def delete(robot: str, *, yes: bool = False, as_json: bool = False) -> None:
    """Delete one of your robots: its file moves to a trash folder beside it.

    \b
    Examples:
      manipula delete my_arm
      manipula delete arms/old.toml --yes

    Args:
        robot (ROBOT): One of your robots, or a file.
        yes (-y): Do not ask.
    """
    path = _deletable(robot)
    if not yes and not _confirm(path):
        say("nothing deleted")
        return
    trash = to_trash(path)
    back = f'{"move" if sys.platform == "win32" else "mv"} "{trash}" "{path}"'
    if as_json:
        say_json({"deleted": str(path), "trash": str(trash), "restore": back})
        return
    say(Message("{path} is now {trash}. To have it back: {back}", path, trash, back))


def _confirm(path: Path) -> bool:
    try:
        return typer.confirm(f"Move {path} to the trash?", err=True)
    except typer.Abort:
        raise InputError("{path} was not deleted: no answer to the question; --yes skips it", path) from None


def _deletable(robot: str) -> Path:
    if options.in_library(robot):
        raise InputError("{robot!r} belongs to the library and cannot be deleted; only your own robots can", robot)
    path = options.file_of(robot)
    if path.suffix.lower() not in api.formats():
        raise InputError("{file_of} is not a robot file; those end in {formats}", path, ", ".join(api.formats()))
    if not path.is_file():
        raise InputError("{file_of}: there is no such file", path)
    return path


def to_trash(path: Path) -> Path:
    """Moves the file into the trash folder beside it, under a name that is free."""
    folder = path.parent / options.TRASH
    folder.mkdir(exist_ok=True)
    trash = options.free_name(folder, path.name)
    os.replace(path, trash)
    return trash
