"""Loops beside a URDF, which cannot say them: a small YAML file as public collections of parallel robots have it.

    closed_loop: [[frame_a, frame_b], …]      two links or frames of the URDF each
    type: [6d, 3d]                            6d: welded (default), 3d: points that meet; one for all, or one a loop
    name_mot: [motor1, motor2]                joints that have a motor; a word alone is a part of their names

Read is the subset of YAML that such files are made of: keys at the margin, lists in brackets or by dashes, words with
or without quotes, comments. Nothing in them is run.

Source of the format: "Extended URDF: Accounting for parallel mechanism in robot description" (arXiv 2504.04767).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from manipula.errors import RobotFileError, caution
from manipula.mechanics.robot.description import BASE, AnyRobot, RobotDescription
from manipula.mechanics.robot.formats.source import checked_text, errors_of, text_from_bytes
from manipula.mechanics.robot.loops import ClosedLoop
from manipula.messages import Message

FREE = {"6d": "", "3d": "ball"}
KNOWN = ("closed_loop", "type", "name_mot")
_KEY = re.compile(r"([A-Za-z_][\w-]*)\s*:(.*)", re.S)
_TOKEN = re.compile(r"\s*([\[\],]|\"[^\"]*\"|'[^']*'|[^\[\],\"']+)")


def with_loops_from_file(
    robot: AnyRobot, path: str | Path, read: LoopReader | None = None, motors: Sequence[str] = ()
) -> AnyRobot:
    """The robot with the loops and motors that a file beside it names; `read` is of another format than YAML. `motors`
    replaces those of the file."""
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise RobotFileError("cannot be read: {what}", error.strerror or str(error), file=str(path)) from None
    with errors_of(str(path)):
        return (read or with_loops_from_text)(robot, text_from_bytes(content), str(path), motors)


class LoopReader(Protocol):
    """What reads loops from the text of a file, and whose `motors` replace those of the file."""

    def __call__(self, robot: AnyRobot, text: str, file: str = ..., motors: Sequence[str] = ..., /) -> AnyRobot: ...


def with_loops_from_text(robot: AnyRobot, text: str, file: str = "", motors: Sequence[str] = ()) -> AnyRobot:
    found = _tables(checked_text(text))
    odd = next((key for key in found if key not in KNOWN), None)
    if odd is not None:
        raise RobotFileError("unknown key", field=odd, hint=Message("known here: {known}", ", ".join(KNOWN)))
    pairs = found.get("closed_loop")
    if not isinstance(pairs, list) or not pairs:
        raise RobotFileError("is missing", field="closed_loop", hint=Message("a list of pairs of frames"))
    pairs = [pairs] if all(isinstance(x, str) for x in pairs) else pairs
    kinds = _kinds(found.get("type", "6d"), len(pairs))
    loops = tuple(_loop(robot, k, pair, kind) for k, (pair, kind) in enumerate(zip(pairs, kinds, strict=True), 1))
    robot = without_fitted_mimics(robot, loops)
    return replace(robot, loops=loops, motors=_motors(robot, motors or found.get("name_mot")))


def without_fitted_mimics(robot: AnyRobot, loops: Sequence[ClosedLoop]) -> AnyRobot:
    """Joints of a loop that also follow others: exporters fit a straight line to what the loop does, so the loop counts
    and the line goes, with a warning."""
    on = {frame.name: frame.on for frame in robot.frames} | {joint.name: joint.name for joint in robot.joints}
    fitted: dict[str, str] = {}
    for loop in loops:
        ways = [_way(robot, on.get(name, BASE)) for name in loop.joins]
        for joint in set(ways[0]) ^ set(ways[1]):
            fitted.setdefault(joint, loop.name)
    rows = [x for x in robot.joints if x.coordinate is not None and x.name in fitted]
    for row in rows:
        caution(
            "{robot}: joint {joint!r} follows others by a factor and is part of {loop}: the factor is taken for an "
            "approximation, and the loop for what holds", robot.name, row.name, fitted[row.name],
        )  # fmt: skip
    free = {row.name for row in rows}
    joints = tuple(replace(x, coordinate=None) if x.name in free else x for x in robot.joints)
    return replace(robot, joints=joints) if free else robot


def _way(robot: RobotDescription, row: str) -> list[str]:
    """The rows from the base to this one."""
    names, found = [joint.name for joint in robot.joints], list[str]()
    at = names.index(row) if row in names else -1
    while at >= 0:
        found.append(names[at])
        at = robot.parents[at]
    return found


def _kinds(given: Any, count: int) -> list[str]:
    words = [given] * count if isinstance(given, str) else list(given)
    words = words * count if len(words) == 1 else words
    if len(words) != count or any(word not in FREE for word in words):
        raise RobotFileError(
            "found {text}", ", ".join(map(str, words)), field="type",
            hint=Message("expected 6d or 3d, one for all loops or one for each"),
        )  # fmt: skip
    return words


def _loop(robot: RobotDescription, number: int, pair: object, kind: str) -> ClosedLoop:
    if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(x, str) for x in pair):
        raise RobotFileError(
            "found {text}", str(pair), field=f"closed_loop[{number}]", hint=Message("expected two frames")
        )
    first, second = (_frame(robot, name) for name in pair)
    return ClosedLoop(f"loop{number}", (first, second), FREE[kind])


def _frame(robot: RobotDescription, name: str) -> str:
    """A frame by name, or a link by its own: the frame of its joint."""
    if any(frame.name == name for frame in robot.frames) or any(joint.name == name for joint in robot.joints):
        return name
    if name == robot.origin.base_link:
        return "base"
    return next((joint.name for joint in robot.joints if joint.link == name), name)


def _motors(robot: RobotDescription, given: object) -> tuple[str, ...]:
    """In the robot's order; a word alone is a part of the motors' names."""
    if isinstance(given, list | tuple):
        return in_file_order(robot, given)
    if not isinstance(given, str):
        raise RobotFileError("is missing", field="name_mot", hint=Message("a list of joints, or a part of their names"))
    return tuple(name for name in robot.joint_names if given in name)


def in_file_order(robot: RobotDescription, motors: Sequence[str]) -> tuple[str, ...]:
    """Those that are no joints of the robot, which its description refuses, come last."""
    order = {name: row for row, name in enumerate(robot.joint_names)}
    return tuple(sorted(motors, key=lambda name: order.get(name, len(order))))


# the subset of YAML


def _tables(text: str) -> dict[str, Any]:
    """Key → text or nested lists."""
    found: dict[str, Any] = {}
    for chunk in _chunks(text):
        key = _KEY.fullmatch(chunk)
        if key is None or key[1] in found:
            raise RobotFileError(
                "found {text!r}", chunk.strip()[:60], hint=Message("expected lines such as key: [a, b]")
            )
        found[key[1]] = _value(key[2])
    return found


def _chunks(text: str) -> list[str]:
    """A key at the margin and the lines that belong to it."""
    chunks: list[str] = []
    for raw in text.splitlines():
        line = re.sub(r"(^|\s)#.*", "", raw).rstrip()
        if not line or line in ("---", "..."):
            continue
        if chunks and (line[0].isspace() or line[0] in "-[]"):
            chunks[-1] += "\n" + line
        else:
            chunks.append(line)
    return chunks


def _value(text: str) -> Any:
    rows = [line.strip() for line in text.strip().splitlines()]
    if rows and all(row.startswith("-") for row in rows):
        return [_value(row[1:].replace("- ", "", 1) if row.startswith("- - ") else row[1:]) for row in rows]
    return _flow(" ".join(rows))


def _flow(text: str) -> Any:
    """Lists in brackets, or one word."""
    stack: list[list[Any]] = [[]]
    for token in _TOKEN.findall(text):
        word = token.strip()
        if word == "[":
            stack.append([])
        elif word == "]":
            if len(stack) < 2:
                raise RobotFileError("found {text!r}", text[:60], hint=Message("a bracket is not opened"))
            done = stack.pop()
            stack[-1].append(done)
        elif word and word != ",":
            stack[-1].append(word.strip("\"'"))
    if len(stack) != 1 or len(stack[0]) > 1:
        raise RobotFileError("found {text!r}", text[:60], hint=Message("a list in brackets, or one word"))
    return stack[0][0] if stack[0] else ""
