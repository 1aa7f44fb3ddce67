"""What a ready study is."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from inspect import signature
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from manipula.api import drawing
from manipula.errors import InputError, UnknownNameError
from manipula.mechanics.drawing.skeleton import poses_of
from manipula.mechanics.robot.default_values import Limits
from manipula.messages import Message
from manipula.robot import Robot
from manipula.studies.cases.cases import Cases
from manipula.studies.cases.values import Case, is_number, is_whole
from manipula.studies.results.study_result import Study, no_answer, no_sections
from manipula.studies.results.table import StudyTable, no_robot
from manipula.studies.work.job import CaseFunction
from manipula.support.text import toml_tables

# What settings of ready studies must be.

Array = NDArray[np.float64]
TURN = np.pi  # of a joint without limits, to both sides; of one that slides, m
SLIDE = 0.5


def count_of(name: str, value: object, most: int = 10**9) -> int:
    if not is_whole(value) or not 1 <= value <= most:
        raise InputError("{name}: expected a whole number of 1 or more, found {value!r:.40}", name, value)
    return int(value)


def not_negative(name: str, value: object) -> float:
    if not is_number(value) or not np.isfinite(value) or value < 0:
        raise InputError("{name}: expected a number of zero or more, found {value!r:.40}", name, value)
    return float(value)


def positive(name: str, value: object) -> float:
    if not (found := not_negative(name, value)):
        raise InputError("{name}: expected a number above zero, found {value!r:.40}", name, value)
    return found


def floats_from(value: object, *shape: int) -> list[Any] | None:
    """Finite numbers of that shape, in lists; None where it is anything else."""
    try:
        found = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        return None
    return list(found.tolist()) if found.shape == shape and np.isfinite(found).all() else None


def joints(robot: Robot, name: str, value: object) -> list[float]:
    """One number a joint, rad or m."""
    if (found := floats_from(value, robot.dof)) is None:
        raise InputError(
            "{name}: expected {dof} numbers, one a joint of {name2}, found {value!r:.60}",
            name,
            robot.dof,
            robot.name,
            value,
        )
    return found


def configurations(robot: Robot, q: object, count: int) -> Array:
    """(count, dof): those given, or drawn within the limits, always the same."""
    if q is not None:
        rows = q if isinstance(q, list | tuple | np.ndarray) and len(q) and np.ndim(q[0]) else [q]
        return np.array([joints(robot, "q", row) for row in rows])
    known = Limits(robot)
    low, high = known.lower, known.upper
    far = np.where(robot.coordinates.turns, TURN, SLIDE)
    low = np.where(np.isfinite(low), low, np.where(np.isfinite(high), high - 2 * far, -far))
    high = np.where(np.isfinite(high), high, low + 2 * far)
    return np.asarray(np.random.default_rng(0).uniform(low, high, (count, robot.dof)))


# What a form shows of a study: every setting with its meaning, its unit and how it is typed; the columns of its table.
#
# A setting is typed into cells. `cells_of` says which, for a robot; `settings_from` turns their values into what
# the study takes: an empty setting is left out, and what cannot be is the study's own to refuse, in its own words.

Kind = Literal[
    "count", "number", "flag", "choice", "joints", "efforts", "vector", "box", "levels", "ranges", "lines", "logs",
    "written"
]  # fmt: skip
AXES = ("x", "y", "z")
LETTERS = 20_000  # of a text


class StudyColumn(NamedTuple):
    """A column of a study's table: its unit, and what it is. "number": it names a joint, a draw, a search."""

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


@dataclass(frozen=True)
class StudySetting:
    """`begin`: what a form begins with, or a function of the robot that gives it; None leaves the field empty.

    "count" and "number" are one cell, "flag" is yes or no, "choice" a word; "joints" (rad or m) and "efforts" (N·m or
    N) one a joint; "vector" x, y and z; "box" two ends of each; "levels" from, to and how many; "ranges" a table for
    each word of the setting `by`; "lines" are those of a study file that say it; "logs" are recordings; "written" is
    said in a study file alone.
    """

    name: str
    about: str
    kind: Kind
    unit: str = ""
    begin: Any = None
    choices: Callable[[], Sequence[str]] = tuple
    by: str = ""
    ranges: Callable[[], Mapping[str, Sequence[Range]]] = dict
    column: str = ""  # the column of the cases that it makes, where that is called otherwise
    tables: bool = False  # of "lines": a name of a file may stand in a study file in the place of the tables


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


def initial_cells(setting: StudySetting, robot: Robot) -> object:
    """The first values of the cells; None where one is empty."""
    value = setting.begin(robot) if callable(setting.begin) else setting.begin
    if setting.kind in ("flag", "choice", "ranges", "lines", "logs", "written"):
        return value
    if value is None:
        return [None] * len(cells_of(setting, robot))
    if setting.kind == "levels":
        return [value["from"], value["to"], value["count"]]
    if setting.kind == "box":
        return [float(end) for span in value for end in span]
    return [value] if setting.kind in ("count", "number") else list(value)


def settings_from(form: Sequence[StudySetting], typed: Mapping[str, object]) -> Case:
    """What a study takes, of what was typed by name. A setting that is left empty is left out."""
    known = {setting.name: setting for setting in form if setting.kind not in ("written", "logs")}  # no files are named
    for name in typed:
        if name not in known:
            raise UnknownNameError("setting of the form", str(name)[:60], known)
    made = {name: _setting_value(known[name], value) for name, value in typed.items()}
    return {name: value for name, value in made.items() if value is not None}


def _setting_value(setting: StudySetting, value: object) -> object:
    if setting.kind in ("flag", "choice"):
        return value
    if setting.kind == "ranges":
        return _ranges_from(setting.name, value)
    if setting.kind == "lines":
        found = _read_lines(setting.name, value)
        if setting.tables and isinstance(found, str):
            raise InputError("{name}: expected tables; a file is named in a study file alone", setting.name)
        return found
    if not isinstance(value, list) or len(value) > 1000 or any(isinstance(x, list | dict) for x in value):
        raise InputError("{name}: expected the contents of its fields, found {value!r:.60}", setting.name, value)
    if all(x is None for x in value):
        return None
    _refuse_gaps(setting.name, value)
    if setting.kind in ("count", "number"):
        return value[0]
    if setting.kind == "levels":
        return dict(zip(("from", "to", "count"), value))
    return [value[k : k + 2] for k in range(0, len(value), 2)] if setting.kind == "box" else value


def _ranges_from(name: str, value: object) -> Case:
    """Two ends are a range; where the second is left empty the first is held."""
    if not isinstance(value, Mapping) or any(not isinstance(x, list) or len(x) != 2 for x in value.values()):
        raise InputError("{name}: expected two ends by name, found {value!r:.60}", name, value)
    given = {str(key): ends for key, ends in value.items() if ends != [None, None]}
    _refuse_gaps(name, [low for low, _ in given.values()])
    return {key: low if high is None else [low, high] for key, (low, high) in given.items()}


def _read_lines(name: str, text: object) -> object:
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


def _refuse_gaps(name: str, value: Sequence[object]) -> None:
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


@dataclass(frozen=True)
class StudyPlan:
    """The cases of a study and what they share; `units` of columns that are named only now."""

    cases: Cases
    shared: Case
    units: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Ready:
    """`function` computes a case, `plan(robot, **settings)` makes the cases, `show` draws what came of them, `told` is
    the answer in short, by name; `files` are the settings that may name some. `form` describes the settings and
    `columns` the table, for screens."""

    name: str
    line: str
    function: CaseFunction
    plan: Callable[..., StudyPlan]
    show: Callable[[Study], Sequence[str]] = no_sections
    told: Callable[[Study], Mapping[str, object]] = no_answer
    files: tuple[str, ...] = ()
    form: tuple[StudySetting, ...] = ()
    columns: Mapping[str, StudyColumn] = field(default_factory=dict)
    build: Callable[[StudyTable, int], Robot] = no_robot  # the robot of a case, where each has its own

    @property
    def settings(self) -> Case:
        """Name → value unless given."""
        return {x.name: x.default for x in list(signature(self.plan).parameters.values())[1:]}

    def make_plan(self, robot: Robot, settings: Mapping[str, object]) -> StudyPlan:
        for name in settings:
            if name not in self.settings:
                raise UnknownNameError(Message("setting of the study {name}", self.name), name, self.settings)
        return self.plan(robot, **settings)


# What forms begin with, so that a study of any arm can be run as it stands: a motion, a box, so many voxels.

FIRST_TURN, FIRST_SLIDE = np.pi / 3, 0.2  # rad, m: how far a joint goes
FLAT = 1e-9  # m: a side without extent
EFFORT = 100.0  # N·m or N: of a motor nobody has said anything of


def start_of(robot: Robot) -> list[float]:
    """All zero, or as near to it as the limits allow."""
    known = Limits(robot)
    return [float(x) for x in np.clip(np.zeros(robot.dof), known.lower, known.upper)]


def goal_of(robot: Robot) -> list[float]:
    """A step on from there; back where the limits leave no room ahead."""
    known, start = Limits(robot), np.array(start_of(robot))
    far = np.where(robot.coordinates.turns, FIRST_TURN, FIRST_SLIDE)
    ahead, back = np.minimum(start + far, known.upper), np.maximum(start - far, known.lower)
    return [float(x) for x in np.where(ahead - start >= start - back, ahead, back)]


def motion_of(robot: Robot) -> str:
    """From where motions begin to where they end, with something in the hand."""
    stops = [[float(f"{x:.4g}") for x in stop] for stop in (start_of(robot), goal_of(robot))]
    return f"[[tasks]]\njoints = {stops}\nduration = 1  # s\npayload = 1  # kg"


def efforts_of(robot: Robot) -> list[float] | None:
    """Empty where the robot's file has the limits of all motors."""
    known = Limits(robot).effort
    return [float(x) for x in np.where(np.isinf(known), EFFORT, known)] if np.isinf(known).any() else None


def box_of(robot: Robot) -> list[list[float]] | None:
    """Empty where the reach has an end; where a joint slides without one, the box that the picture shows."""
    known = Limits(robot)
    endless = np.isinf(known.lower) | np.isinf(known.upper)
    if not (endless & ~np.array(robot.coordinates.turns)).any():
        return None
    seen, tool = drawing(robot)["reach"], _places(robot)
    spans = [[round(at - seen["radius"], 3), round(at + seen["radius"], 3)] for at in seen["centre"]]
    return [[low, low] if far < FLAT else span for span, low, far in zip(spans, tool[0].tolist(), np.ptp(tool, axis=0))]


def voxels_of(robot: Robot) -> int:
    """So many that a map is there within seconds: in a plane they are few, and without a formula an answer takes ms."""
    flat = np.ptp(_places(robot), axis=0).min() < FLAT
    return 40 if flat else 16 if robot.dof == 6 else 12


def _places(robot: Robot) -> Array:
    """(8, 3): of the tool, somewhere."""
    drawn = np.random.default_rng(0).uniform(-1, 1, (8, robot.dof))
    return poses_of(drawing(robot), drawn)[-1][:, :3, 3]
