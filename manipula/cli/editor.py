"""`edit`: change a robot by assignments or in an editor. The file is replaced only by one that loads."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from manipula import api
from manipula.api.assignments import Assignment, assignments
from manipula.cli.terminal import options
from manipula.cli.terminal.command import command
from manipula.cli.terminal.screen import Data, note, say, say_json
from manipula.errors import InputError, ManipulaError, ManipulaWarning
from manipula.messages import Message
from manipula.support.files import write_text

if TYPE_CHECKING:
    from manipula.robot import Robot


# Changing a robot file in place, comments and layout kept.
#
# Each change is tried where it may stand, in the joint's row or under [values], and taken only if the text then reads
# as exactly the robot that was requested; else the caller writes the file anew.

_CELL = re.compile(r"(theta|d|alpha|a|m)(?:[0-9]+|_\w+)")
_KEYS = {"m": "mass"}
_VALUE = r"""("[^"]*"|'[^']*'|[^#"'\s]+)"""
Read = Callable[[str], "Robot"]


def patch_text(text: str, robot: Robot, changes: Sequence[Assignment], read: Read) -> str | None:
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
        yield _join_lines([*lines[:head], "[values]", f"{change.name} = {change.si_entry}", "", *lines[head:]])


def _with_entry(lines: list[str], head: int, key: str, entry: str) -> str:
    """The table under `head` with the key's value replaced, or the key added behind the last one there."""
    end = next((i for i in range(head + 1, len(lines)) if re.match(r"\s*\[", lines[i])), len(lines))
    last = head
    for index in range(head + 1, end):
        found = re.match(rf"(\s*{re.escape(key)}\s*=\s*){_VALUE}(.*)", lines[index])
        if found:
            return _join_lines([*lines[:index], f"{found[1]}{entry}{found[3]}", *lines[index + 1 :]])
        last = index if re.match(r"\s*[\w\"'-]+\s*=", lines[index]) else last
    return _join_lines([*lines[: last + 1], f"{key} = {entry}", *lines[last + 1 :]])


def _join_lines(lines: Sequence[str]) -> str:
    return "\n".join(lines) + "\n"


@command()
def edit(
    robot: str, changes: list[str] | None = None, *, output: Path | None = None, force: bool = False,
    as_json: bool = False,
) -> None:  # fmt: skip
    """Change a robot: by assignments, or in your editor ($VISUAL or $EDITOR) when there are none.

    A number is in the file's units (degrees, metres, …), names have SI values, units may be written: a2="40 cm". The
    file is replaced only when the new one is complete and loads. A library robot stays: you get a copy.

    \b
    Examples:
      manipula edit my_arm a2=0.43 alpha3=90 m3=5
      manipula edit my_arm a2=430mm gz=-1.62 d4=L/2
      manipula edit puma560 m6=0.5 -o heavy.toml
      manipula edit my_arm

    Args:
        changes ([NAME=VALUE]...): Cells to change.
    """
    original = _file_to_edit(robot)
    target = _target(robot, original, output, force)
    told = _assign(robot, target, changes) if changes else _by_hand(robot, original, target)
    if as_json:
        say_json({"file": str(target), **told})
        return
    for name, value in told["changed"].items():
        say(Message("{name} = {value}", name, value))
    say(Message("{file}: written", target) if told["written"] else Message("{target}: nothing changed", target))


def _file_to_edit(robot: str) -> Path | None:
    """The file, or None for a library robot."""
    return None if options.in_library(robot) else options.file_of(robot)


def _target(robot: str, original: Path | None, output: Path | None, force: bool) -> Path:
    if output is not None and output != original:
        options.refuse_existing(output, force)
        return output
    if original is not None:
        return original
    copy = Path(f"my_{robot}.toml")
    options.refuse_existing(copy, force)
    note(Message("{robot} is a library robot and stays as it is; the edited copy is {copy}", robot, copy))
    return copy


def _assign(robot: str, target: Path, changes: Sequence[str]) -> Data:
    subject = options.find(robot)
    wanted = assignments(changes, subject)
    changed = _rename_copy(_with_assignments(subject, wanted), robot, target)
    kept = _in_place(subject, wanted, target)
    text = kept or _text_of(changed, target)
    loaded_from(text, target)
    if kept is None:
        _keep_comments(target)
    write_text(target, text)
    return {"written": True, "changed": {change.name: change.said for change in wanted}}


def _in_place(subject: Robot, wanted: Sequence[Assignment], target: Path) -> str | None:
    """The file's own text with the changes, where it is TOML and each of them fits a line."""
    if target.suffix.lower() != ".toml" or Path(subject.origin.path) != target:
        return None
    with warnings.catch_warnings():  # said once, when the result is read
        warnings.simplefilter("ignore", ManipulaWarning)
        return patch_text(target.read_text(encoding="utf-8"), subject, wanted, lambda text: loaded_from(text, target))


def _with_assignments(robot: Robot, wanted: Sequence[Assignment]) -> Robot:
    return robot.with_parameters(**{change.name: change.value for change in wanted})


def _rename_copy(robot: Robot, name: str, target: Path) -> Robot:
    """A copy of a library robot has a name of its own."""
    return replace(robot, name=target.stem) if options.in_library(name) else robot


def _text_of(robot: Robot, target: Path) -> str:
    with tempfile.TemporaryDirectory(prefix="manipula-") as folder:
        return api.save(robot, Path(folder) / target.name).read_text(encoding="utf-8")


def loaded_from(text: str, target: Path) -> Robot:
    """The robot the text describes; its errors name the target."""
    return api.from_text(text, target)


def _keep_comments(target: Path) -> None:
    """A file is written anew from the robot; one with remarks of its own is kept beside."""
    if not target.is_file() or "#" not in target.read_text(encoding="utf-8", errors="replace"):
        return
    folder = target.parent / options.TRASH
    folder.mkdir(exist_ok=True)
    kept = options.free_name(folder, target.name)
    shutil.copy2(target, kept)
    note(Message("{target} is written anew without its comments; the former file is {kept}", target, kept))


def _by_hand(robot: str, original: Path | None, target: Path) -> Data:
    if original:
        before = original.read_text(encoding="utf-8")
    else:
        before = _text_of(_rename_copy(options.find(robot), robot, target), target)
    draft = Path(tempfile.mkdtemp(prefix="manipula-")) / target.name
    draft.write_text(before, encoding="utf-8")
    _run_editor(draft)
    after = draft.read_text(encoding="utf-8")
    if after == before and original == target:
        shutil.rmtree(draft.parent)
        return {"written": False, "changed": {}}
    try:
        loaded_from(after, target)
    except ManipulaError as error:
        raise InputError("{error}\nNothing was replaced; your draft is {draft}", error, draft) from None
    write_text(target, after)
    shutil.rmtree(draft.parent)
    return {"written": True, "changed": {}}


def _run_editor(draft: Path) -> None:
    words = _editor()
    try:
        code = subprocess.run([*words, str(draft)], check=False).returncode
    except OSError as error:
        raise InputError("the editor {command!r} cannot be started: {strerror}; set EDITOR",
                         words[0], error.strerror) from None  # fmt: skip
    if code:
        raise InputError(
            "the editor {command!r} ended with code {returncode}. Nothing was replaced; your draft is {draft}",
            words[0], code, draft,
        )  # fmt: skip


def _editor() -> list[str]:
    named = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if named:
        return [part.strip('"') for part in shlex.split(named, posix=os.name != "nt")]
    if not sys.stdin.isatty():
        raise InputError("nothing to change: give assignments such as a2=0.43, or set EDITOR")
    usual = ("notepad",) if sys.platform == "win32" else ("nano", "vim", "vi")
    found = next((name for name in usual if shutil.which(name)), None)
    if found is None:
        raise InputError("no editor found; set EDITOR, or give assignments such as a2=0.43")
    return [found]
