"""What a form shows of a study: every setting with its meaning, its unit and how it is typed; the columns of its table.

A setting is typed into cells. `cells_of` says which, for a robot; `settings_from` makes of what stands in them what the
study takes: an empty setting is left out, and what cannot be is the study's own to refuse, in its own words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from manipula.errors import InputError, UnknownNameError
from manipula.robot import Robot
from manipula.support.toml_text import toml_tables

Kind = Literal[
    "count", "number", "flag", "choice", "joints", "efforts", "vector", "box", "levels", "ranges", "lines", "logs",
    "written"
]  # fmt: skip
AXES = ("x", "y", "z")
LETTERS = 20_000  # of a text


class StudyColumn(NamedTuple):
    """A column of a study's table: its unit, and what it is."""

    unit: str
    about: str


class FormCell(NamedTuple):
    """One field of a form."""

    label: str
    unit: str


class Range(NamedTuple):
    """A value that is drawn between two ends, or held where there is no other end."""

    name: str
    unit: str
    low: float
    high: float | None = None


def _nothing(robot: Robot) -> Any:
    return None


@dataclass(frozen=True)
class StudySetting:
    """`begin`: what a form begins with for a robot; None leaves it empty, and the study takes its own.

    "count" and "number" are one cell, "flag" is yes or no, "choice" a word; "joints" (rad or m) and "efforts" (N·m or
    N) one a joint; "vector" x, y and z; "box" two ends of each; "levels" from, to and how many; "ranges" a table for
    each word of the setting `by`; "lines" are those of a study file that say it; "logs" are recordings; "written" is
    said in a study file alone.
    """

    name: str
    about: str
    kind: Kind
    unit: str = ""
    begin: Callable[[Robot], Any] = _nothing
    choices: Callable[[], Sequence[str]] = tuple
    by: str = ""
    ranges: Callable[[], Mapping[str, Sequence[Range]]] = dict
    column: str = ""  # the column of the cases that it makes, where that is called otherwise


def cells_of(setting: StudySetting, robot: Robot) -> list[FormCell]:
    """The fields of a setting."""
    kind, unit = setting.kind, setting.unit
    if kind in ("joints", "efforts"):
        told = {"joints": ("m", "rad"), "efforts": ("N", "N·m")}[kind]
        return [FormCell(f"q{k + 1}", told[turns]) for k, turns in enumerate(robot.coordinates.turns)]
    if kind == "vector":
        return [FormCell(axis, unit) for axis in AXES]
    if kind == "box":
        return [FormCell(f"{axis} {end}", unit) for axis in AXES for end in ("from", "to")]
    if kind == "levels":
        return [FormCell("from", unit), FormCell("to", unit), FormCell("how many", "")]
    return [FormCell("", unit)] if kind in ("count", "number") else []


def begun(setting: StudySetting, robot: Robot) -> Any:
    """What stands in the cells at first: a value each, None where it is empty."""
    value = setting.begin(robot)
    if setting.kind in ("flag", "choice", "ranges", "lines", "logs", "written"):
        return value
    if value is None:
        return [None] * len(cells_of(setting, robot))
    if setting.kind == "levels":
        return [value["from"], value["to"], value["count"]]
    if setting.kind == "box":
        return [float(end) for span in value for end in span]
    return [value] if setting.kind in ("count", "number") else list(value)


def settings_from(form: Sequence[StudySetting], typed: Mapping[str, Any]) -> dict[str, Any]:
    """What a study takes, of what was typed by name. A setting that is left empty is left out."""
    known = {setting.name: setting for setting in form if setting.kind not in ("written", "logs")}  # no files are named
    for name in typed:
        if name not in known:
            raise UnknownNameError("setting of the form", str(name)[:60], known)
    made = {name: _made(known[name], value) for name, value in typed.items()}
    return {name: value for name, value in made.items() if value is not None}


def _made(setting: StudySetting, value: Any) -> Any:
    if setting.kind in ("flag", "choice"):
        return value
    if setting.kind == "ranges":
        return _ranges_made(setting.name, value)
    if setting.kind == "lines":
        return _lines_read(setting.name, value)
    if not isinstance(value, list) or len(value) > 1000 or any(isinstance(x, list | dict) for x in value):
        raise InputError("{name}: expected what stands in its fields, found {value!r:.60}", setting.name, value)
    if all(x is None for x in value):
        return None
    _refuse_gaps(setting.name, value)
    if setting.kind in ("count", "number"):
        return value[0]
    if setting.kind == "levels":
        return dict(zip(("from", "to", "count"), value))
    return [value[k : k + 2] for k in range(0, len(value), 2)] if setting.kind == "box" else value


def _ranges_made(name: str, value: Any) -> dict[str, Any]:
    """Two ends are a range; where the second is left empty the first is held."""
    if not isinstance(value, Mapping) or any(not isinstance(x, list) or len(x) != 2 for x in value.values()):
        raise InputError("{name}: expected two ends by name, found {value!r:.60}", name, value)
    given = {str(key): ends for key, ends in value.items() if ends != [None, None]}
    _refuse_gaps(name, [low for low, _ in given.values()])
    return {key: low if high is None else [low, high] for key, (low, high) in given.items()}


def _lines_read(name: str, text: Any) -> Any:
    """The value that lines of a study file give the setting: `[vary]` and `l1 = [0.2, 0.4]`, or `vary.l1 = …`."""
    if text is None:
        return None
    if not isinstance(text, str) or len(text) > LETTERS:
        raise InputError(
            "{name}: expected lines of a study file, {letters} letters at most, found {text!r:.60}", name, LETTERS, text
        )
    try:
        found = toml_tables(text)
    except ValueError as error:
        raise InputError("{name}: this is no TOML: {error}", name, error) from None
    if odd := [key for key in found if key != name]:
        raise InputError("{name}: expected its own lines, such as {name} = …, found those of {odd!r:.40}", name, odd[0])
    return found.get(name)


def _refuse_gaps(name: str, value: Sequence[Any]) -> None:
    if any(x is None for x in value):
        raise InputError("{name}: one of its fields is empty; fill in all of them, or none", name)


def setting_meant(form: Sequence[StudySetting], sentence: str) -> str:
    """The setting that a study's sentence is about: the last of the words before its colons, or one it asks for."""
    names = {setting.name: setting.name for setting in form}
    columns = {setting.column: setting.name for setting in form if setting.column}
    heads = [word.strip() for word in sentence.split(": ")[:-1]]
    found = [(columns | names)[word] for word in heads if word in columns | names]
    asked = [name for name in names if re.search(rf"\b{re.escape(name)}=", sentence)]
    return (found[-1:] or asked or [""])[0]
