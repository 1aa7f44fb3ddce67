"""Robots in and out: texts and files read into documents, documents drawn, converted, written."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from manipula import api
from manipula.api.shown_frames import seen, shown_frame
from manipula.errors import InputError, RobotFileError
from manipula.robot import Robot
from manipula.studio.tasks.faults import faults, heard
from manipula.studio.tasks.given import Given, robot_in, text_in, values_in
from manipula.studio.tasks.saving import unkept

Tell = Callable[[str], None]
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
    with heard() as warned:
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
    with heard() as warned:
        try:
            robot = api.from_document(given.get("document"))
        except RobotFileError as error:
            return {"errors": faults(error)}
    values = values_in(given, robot)
    with heard():
        drawing = api.drawing(seen(robot), values or None)
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
    with heard() as warned:
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
    with heard() as warned:
        text = api.to_text(robot, _FORMATS[form])
        lost = api.formats()[_ENDINGS[form]].lost(robot)
    told = [{"message": f"{form} cannot hold the {what}", "row": None, "column": ""} for what in lost]
    return {"name": file_name(robot.name) + _ENDINGS[form], "text": text, "warnings": warned + told}


def file_name(name: str) -> str:
    """A robot's name as that of a file."""
    return re.sub(r"[^\w-]+", "_", name).strip("_")[:60] or "robot"
