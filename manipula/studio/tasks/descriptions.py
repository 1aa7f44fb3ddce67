"""Robots in and out: texts and files read into documents, documents drawn, converted, written."""

from __future__ import annotations

import re
from collections.abc import MutableMapping, Sequence
from copy import deepcopy
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from manipula import api
from manipula.api.robot_verbs import robot_with_shown_tool, shown_frame
from manipula.errors import ManipulaError, RobotFileError
from manipula.messages import Message
from manipula.robot import Robot
from manipula.studio.tasks import replies
from manipula.studio.tasks.requests import Given, Tell, collect_warnings, faults, path_in, robot_in, text_in, values_in

# A robot file written anew by changing what has changed: comments, order and numbers as typed stay where they are.
#
# Three texts: the file as it lies there, and the robot in our own writing before and after the edit. What differs
# between
# the latter two is changed in the first. The caller reads the result again, and takes it only if it is the
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


def toml(given: Given, tell: Tell) -> replies.FileText:
    """What is saved; a document with mistakes is not. `path` is the file that is written over, where there is one."""
    after = api.to_text(robot_in(given))
    return {
        "text": (_edit_in_place(api.file_text(path_in(given, "path")), after) if given.get("path") else None) or after
    }


def unkept(path: Path) -> list[replies.Notice]:
    """A file whose comments would be lost is named before it is written anew."""
    if path.suffix.lower() != ".toml":
        return []
    text = api.file_text(path)
    robot = _robot(text)
    if not has_comments(text) or robot is None or _edit_in_place(text, api.to_text(robot)) is not None:
        return []
    return [
        _notice(
            Message(
                "{name}: comments are not kept where the file is saved here; save it under another name to have both",
                path.name,
            )
        )
    ]


def _notice(message: Message) -> replies.Notice:
    """About the whole robot."""
    return {"message": message, "problem": message, "row": None, "column": ""}


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


def read(given: Given, tell: Tell) -> replies.ReadResult:
    """A robot of the library, a file that the server has looked at, or a text, as a document."""
    notices: list[replies.Notice] = []
    with collect_warnings() as warned:
        if "library" in given:
            form, document = "", api.document(api.load(text_in(given, "library", among=api.robots())))
        elif "path" in given:
            path = path_in(given, "path")
            form, document = _from_text(api.file_text(path), {"ending": path.suffix}, file=path.name)
            notices = unkept(path)
        else:
            form, document = _from_text(text_in(given, "text"), given)
    return {"document": document, "warnings": warned + notices, "format": form}


def _from_text(text: str, given: Given, **named: str) -> tuple[str, replies.Document]:
    """The name of its format, and the document: the format is said, or that of the ending, or what the text shows."""
    known = {form.name: form for form in api.formats().values()}
    said = text_in(given, "format", among=tuple(known)) if given.get("format") else ""
    form = known[said] if said else api.text_format(text, text_in(given, "ending"))
    if form.name == "toml":  # right or wrong: mistakes are to be mended in the page
        return form.name, api.document_from_file(text)
    wanted = {key: text_in(given, key) for key in ("name", "angle", "length", "convention", "columns", "tip")}
    options = {key: value for key, value in wanted.items() if value and form.takes(key)} | named
    return form.name, api.document(Robot.from_text(text, form.name, **options))


def draw(given: Given, tell: Tell) -> replies.DrawAnswer:
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
        "parameters": [
            {"name": x.name, "value": x.value, "unit": x.unit, "about": x.about,
             "stand_in": x.stand_in if x.value is None else None}
            for x in api.parameter_facts(robot).values()
        ],
        "dof": robot.dof,
        "joint_names": list(robot.joint_names),
        "frame": shown_frame(robot),
        "warnings": warned,
        "toml": toml,
        "digest": digest_of(toml),
        "errors": [],
    }  # fmt: skip


def digest_of(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def convert(given: Given, tell: Tell) -> replies.ConvertAnswer:
    """The same arm in another convention, in other units."""
    with collect_warnings() as warned:
        robot = robot_in({"document": given.get("document")})
        convention = text_in(given, "convention", among=("", "standard", "modified", "urdf"))
        robot = api.convert(robot, convention) if convention else robot
        for unit, among in (("angle", ("", "deg", "rad")), ("length", ("", "m", "cm", "mm"))):
            chosen: Any = text_in(given, unit, among=among)
            robot = replace(robot, origin=replace(robot.origin, **{unit: chosen})) if chosen else robot
        return {"document": api.document(robot), "warnings": warned}


def export(given: Given, tell: Tell) -> replies.ExportAnswer:
    """The robot as the text of a file."""
    known = {form.name: form for form in api.formats().values() if form.writer}
    form = known[text_in(given, "format", "toml", tuple(known))]
    robot, ending = robot_in(given), form.endings[0]
    with collect_warnings() as warned:
        text, lost = form.write(robot), form.losses(robot)
    notices = [_notice(Message("{form} cannot hold the {what}", ending.removeprefix("."), what)) for what in lost]
    return {"name": file_name(robot.name) + ending, "text": text, "warnings": warned + notices}


def file_name(name: str) -> str:
    """A robot's name as that of a file."""
    return re.sub(r"[^\w-]+", "_", name).strip("_")[:60] or "robot"
