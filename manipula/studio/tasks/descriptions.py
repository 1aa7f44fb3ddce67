"""Robots in and out: texts and files read into documents, documents drawn, converted, written."""

from __future__ import annotations

import re
from collections.abc import Callable, MutableMapping, Sequence
from copy import deepcopy
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from manipula import api
from manipula.api.shown_frames import robot_with_shown_tool, shown_frame
from manipula.errors import InputError, ManipulaError, RobotFileError
from manipula.robot import Robot
from manipula.studio.tasks.requests import Given, collect_warnings, faults, robot_in, text_in, values_in

# A robot file written anew by changing what has changed: comments, order and numbers as typed stay where they are.
#
# Three texts: the file as it lies there, and the robot in our own writing before and after the edit. What differs
# between
# the latter two is changed in the first. Whoever calls this reads the result again, and takes it only if it is the
# robot.

Table = MutableMapping[str, Any]
_QUOTED = re.compile(r"\"(?:\\.|[^\"\\])*\"|'[^']*'")


def has_comments(text: str) -> bool:
    return any("#" in _QUOTED.sub("", line) for line in text.splitlines())


def edit_file(file: str, before: str, after: str) -> str:
    """The file with the changes from `before` to `after`."""
    import tomlkit

    made = tomlkit.parse(file)
    _change(made, tomlkit.parse(before), tomlkit.parse(after))
    return tomlkit.dumps(made)


def _is_table(item: object) -> bool:
    from tomlkit.items import AbstractTable

    return isinstance(item, AbstractTable)


def _tables(item: object) -> bool:
    """[[joint]], one after the other."""
    from tomlkit.items import AoT

    return isinstance(item, AoT)


def _change(made: Table, before: Table, after: Table) -> None:
    for key in [key for key in before if key not in after]:
        made.pop(key, None)
    for key, item in after.items():
        known: Any = before.get(key)
        here: Any = made.get(key)
        if known is not None and _plain_value(known) == _plain_value(item):
            continue
        if _is_table(item) and _is_table(here):
            _change(here, known if _is_table(known) else {}, item)
        elif _tables(item) and _tables(here) and _tables(known) and len(here) == len(known):
            _change_list(made, key, known, item)
        else:
            made[key] = deepcopy(item)


def _change_list(made: Table, key: str, before: Sequence[Table], after: Sequence[Table]) -> None:
    """Tables that are still there keep their place in the text; they are known by their names, else by their number."""
    here = list(made[key])
    kept = _partners(before, after)
    if kept == list(range(len(before))):
        for table, known, item in zip(here, before, after, strict=True):
            _change(table, known, item)
        return
    for i in reversed(range(len(here))):
        del made[key][i]
    for k, item in enumerate(after):
        place = kept[k]
        if place is not None:
            _change(here[place], before[place], item)
        made[key].append(here[place] if place is not None else deepcopy(item))


def _partners(before: Sequence[Table], after: Sequence[Table]) -> list[int | None]:
    names = [table.get("name") for table in before]
    found = [
        names.index(name) if (name := table.get("name")) in names and name is not None else None for table in after
    ]
    alike = len(before) == len(after) and len(set(names)) == len(names)
    free = [k for k in range(len(before)) if k not in found] if alike else []
    return [k if k is not None else (i if i in free else None) for i, k in enumerate(found)]


def _plain_value(item: Any) -> Any:
    return item.unwrap() if _is_table(item) or _tables(item) else item.as_string()


# What is written over a file: the robot, in the file's own words where it has them.

Tell = Callable[[str], None]


def toml(given: Given, tell: Tell) -> dict[str, Any]:
    """What is saved; a document with mistakes is not. `path` is the file that is written over, where there is one."""
    after = api.to_text(robot_in(given))
    return {"text": (_edit_in_place(api.file_text(Path(given["path"])), after) if given.get("path") else None) or after}


def unkept(path: Path) -> list[dict[str, Any]]:
    """A file whose comments would be lost is told of before it is written anew."""
    if path.suffix.lower() != ".toml":
        return []
    text = api.file_text(path)
    robot = _robot(text)
    if not has_comments(text) or robot is None or _edit_in_place(text, api.to_text(robot)) is not None:
        return []
    said = f"{path.name}: comments are not kept where the file is saved here; save it under another name to have both"
    return [{"message": said, "row": None, "column": ""}]


def _edit_in_place(file: str, after: str) -> str | None:
    """The file with what has changed; None where that would not be this robot."""
    robot = _robot(file)  # None: of a file with mistakes what differs from it is changed
    for before in dict.fromkeys((file if robot is None else api.to_text(robot), file)):
        try:
            found = edit_file(file, before, after)
        except Exception:  # of another package, on a text of anybody's: then the file is written as we write files
            continue
        again = _robot(found)
        if again is not None and api.to_text(again) == after:
            return found
    return None


def _robot(text: str) -> Robot | None:
    try:
        with collect_warnings():
            return api.from_document(api.document_from_file(text))
    except ManipulaError:
        return None


_FORMATS = {"toml": "toml", "urdf": "urdf", "mjcf": "mjcf", "par": "par", "csv": "dh", "table": "dh"}
_SIGNS = (  # of texts that do not say what they are
    (r"<\s*mujoco[\s>]", "mjcf"),
    (r"<\s*robot[\s>]", "urdf"),
    (r"^\s*\[\[\s*joint\s*\]\]|^\s*format\s*=\s*1\s*$", "toml"),
    (r"^\s*(NF|NL|NJ)\s*=", "par"),
)
_ENDINGS = {"toml": ".toml", "urdf": ".urdf", "par": ".par", "csv": ".csv"}


def read(given: Given, tell: Tell) -> dict[str, Any]:
    """A robot of the library, a file that the server has looked at, or a text, as a document."""
    with collect_warnings() as warned:
        if "library" in given:
            document = api.document(api.load(text_in(given, "library", among=api.robots())))
        elif "path" in given:
            document = _from_file(Path(given["path"]))
        else:
            document = _from_text(text_in(given, "text"), text_in(given, "format"), given)
    return {"document": document, "warnings": warned + (unkept(Path(given["path"])) if "path" in given else [])}


def _from_file(path: Path) -> dict[str, Any]:
    text = api.file_text(path)
    if path.suffix.lower() == ".toml":
        return api.document_from_file(text)
    return api.document(api.from_text(text, Path(path.name)))


def _from_text(text: str, form: str, given: Given) -> dict[str, Any]:
    if form and form not in _FORMATS:
        raise InputError("format: expected one of {formats}, found {form!r:.40}", ", ".join(_FORMATS), form)
    name = _FORMATS[form] if form else _format_of(text)
    if name == "toml":
        return api.document_from_file(text)
    known = api.formats()
    reader = next(x for x in known.values() if x.name == name) if name != "mjcf" else None
    wanted = {key: text_in(given, key) for key in ("name", "angle", "length", "convention", "columns", "tip")}
    options = {key: value for key, value in wanted.items() if value and (reader is None or reader.takes(key))}
    options = {key: value for key, value in options.items() if reader is not None or key == "tip"}
    return api.document(Robot.from_text(text, name, **options))


def _format_of(text: str) -> str:
    return next((name for sign, name in _SIGNS if re.search(sign, text, re.MULTILINE)), "dh")


def draw(given: Given, tell: Tell) -> dict[str, Any]:
    """The document as the arm it is, or its mistakes, each at its cell."""
    with collect_warnings() as warned:
        try:
            robot = api.from_document(given.get("document"))
        except RobotFileError as error:
            return {"errors": faults(error)}
    values = values_in(given, robot)
    with collect_warnings():
        drawing = api.drawing(robot_with_shown_tool(robot), values or None)
    toml = api.to_text(robot)
    return {
        "document": api.document(robot),
        "drawing": drawing,
        "parameters": [_parameter(fact) for fact in api.parameter_facts(robot).values()],
        "dof": robot.dof,
        "joint_names": list(robot.joint_names),
        "frame": shown_frame(robot),
        "warnings": warned,
        "toml": toml,
        "digest": digest_of(toml),
        "errors": [],
    }


def digest_of(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _parameter(fact: Any) -> dict[str, Any]:
    stand_in = fact.stand_in if fact.value is None else None
    return {"name": fact.name, "value": fact.value, "unit": fact.unit, "about": fact.about, "stand_in": stand_in}


def convert(given: Given, tell: Tell) -> dict[str, Any]:
    """The same arm in another convention, in other units."""
    with collect_warnings() as warned:
        robot = robot_in({"document": given.get("document")})
        convention = text_in(given, "convention", among=("", "standard", "modified", "urdf"))
        robot = api.convert(robot, convention) if convention else robot
        for unit, among in (("angle", ("", "deg", "rad")), ("length", ("", "m", "cm", "mm"))):
            chosen: Any = text_in(given, unit, among=among)
            robot = replace(robot, origin=replace(robot.origin, **{unit: chosen})) if chosen else robot
        return {"document": api.document(robot), "warnings": warned}


def export(given: Given, tell: Tell) -> dict[str, Any]:
    """The robot as the text of a file."""
    form = text_in(given, "format", "toml", tuple(_ENDINGS))
    robot = robot_in(given)
    with collect_warnings() as warned:
        text = api.to_text(robot, _FORMATS[form])
        lost = api.formats()[_ENDINGS[form]].losses(robot)
    told = [{"message": f"{form} cannot hold the {what}", "row": None, "column": ""} for what in lost]
    return {"name": file_name(robot.name) + _ENDINGS[form], "text": text, "warnings": warned + told}


def file_name(name: str) -> str:
    """A robot's name as that of a file."""
    return re.sub(r"[^\w-]+", "_", name).strip("_")[:60] or "robot"
