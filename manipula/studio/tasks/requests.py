"""What a request holds, read and bounded: the page is ours, but what comes over a wire is anybody's."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol, cast

from manipula import api
from manipula.api.robot_verbs import robot_with_shown_tool
from manipula.errors import InputError, ManipulaError, ManipulaWarning, RobotFileError
from manipula.messages import Message
from manipula.robot import Robot
from manipula.studio.tasks.replies import Failure, Fault, Figures, Notice, Reply, UnitFix

# Errors and warnings as the page gets them: the sentence, and the cell it is about.

FOR_PYTHON = "{told} (exact=True, --exact in a shell, keeps what is written)"


class FieldError(InputError):
    """What cannot be in one field of a form."""

    def __init__(self, told: str, field: str) -> None:
        super().__init__(told)
        self.field = field


def faults(error: RobotFileError) -> list[Fault]:
    """Every mistake at its cell; rows count from 0 here."""
    return [
        {"message": str(x), "problem": x.problem, "hint": x.hint, "row": _row(x.row), "column": x.column}
        for x in (error, *error.others)
    ]


def _row(number: int | None) -> int | None:
    return None if number is None else number - 1


def error_of(error: BaseException) -> Failure:
    """The sentence of an error made for people; of others, that this is our mistake."""
    if isinstance(error, RobotFileError):
        return cast("Failure", faults(error)[0])
    if isinstance(error, FieldError):
        return {"message": str(error), "row": None, "column": error.field}
    if isinstance(error, ManipulaError):
        return {"message": getattr(error, "in_page", str(error))}
    if isinstance(error, RecursionError | MemoryError):
        return {"message": Message("this is too large to be computed here")}
    told = f"{type(error).__name__}: {str(error)[:200]}".rstrip(": ")
    return {"message": Message("this should not happen and is a mistake of manipula: {told}", told), "internal": True}


@contextmanager
def collect_warnings() -> Iterator[list[Notice]]:
    """The warnings given inside, as the page shows them."""
    found: list[Notice] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ManipulaWarning)
        yield found
    said = {Message(str(x.message)): x.message for x in caught if isinstance(x.message, ManipulaWarning)}
    for text, x in said.items():
        told = _in_page(text)
        notice: Notice = {"message": told, "problem": _problem(told, x.row), "row": _row(x.row), "column": x.column}
        if fix := api.unit_fix(text):
            notice["fix"] = cast("UnitFix", fix)
            notice["problem"] = _without_hint(notice["problem"])
        found.append(notice)


def _in_page(text: Message) -> str:
    """Without what one would write in Python: that stands last, around the sentence itself."""
    return text.fields["told"] if text.template.endswith(FOR_PYTHON) else text


PLACED, HINTED = "{place}: {text}", "{problem} ({hint})"


def _problem(told: str, row: int | None) -> str:
    """What is wrong alone, where the page shows the cell beside it."""
    while row is not None and isinstance(told, Message) and told.template == PLACED:
        told = told.fields["text"]
    return told


def _without_hint(told: str) -> str:
    """What is wrong alone, where the page has a button for what to do."""
    return told.fields["problem"] if isinstance(told, Message) and told.template == HINTED else told


Given = Mapping[str, object]


class Tell(Protocol):
    """A line of progress, and its figures where it has some; or a first reply, shown until the last one is there."""

    def __call__(self, text: str, figures: Figures | None = None, first: Reply | None = None, /) -> None: ...


def path_in(given: Given, key: str) -> Path:
    """A place that the server has added."""
    return Path(str(given[key]))


def paths_in(given: Given, key: str) -> list[str]:
    """Files that the server has added."""
    found = given.get(key)
    return [str(path) for path in found] if isinstance(found, list) else []


def robot_in(given: Given) -> Robot:
    """The robot of the document, with the values that were sent beside it; oddities were reported when it was drawn."""
    with collect_warnings():
        robot = api.from_document(given.get("document"))
        values = values_in(given, robot)
        return robot.with_parameters(**values) if values else robot


def seen_in(given: Given) -> Robot:
    """The same, about the frame that the picture has for a tool where the robot has several."""
    return robot_with_shown_tool(robot_in(given))


def numeric_robot(given: Given) -> tuple[Robot, dict[str, float]]:
    """The same with a number for every letter, and those that were made up."""
    with collect_warnings():
        return api.with_stand_ins(seen_in(given))


def values_in(given: Given, robot: Robot) -> dict[str, float]:
    """Values of letters, for now; what the robot does not know is left out: a slider may outlive its letter."""
    values = given.get("values") or {}
    if not isinstance(values, Mapping):
        raise InputError("values: expected numbers by name, found {shown}", _value_text(values))
    return {str(name): _number(str(name), value) for name, value in values.items() if name in robot.parameters}


def text_in(given: Given, key: str, usual: str = "", among: Sequence[str] = ()) -> str:
    """A word; `among` are those it may be."""
    value = given.get(key)
    value = usual if value is None else value
    if not isinstance(value, str):
        raise InputError("{key}: expected text, found {shown}", key, _value_text(value))
    if among and value not in among:
        raise InputError("{key}: expected one of {among}, found {shown}", key, ", ".join(among), _value_text(value))
    return value


def names_in(given: Given, key: str, usual: Sequence[str] = ()) -> list[str]:
    value = given.get(key)
    value = list(usual) if value is None else value
    if not isinstance(value, list) or not all(isinstance(x, str) for x in value) or len(value) > 200:
        raise InputError("{key}: expected a list of names, found {shown}", key, _value_text(value))
    return list(dict.fromkeys(value))


def number_in(given: Given, key: str, usual: float, low: float = -math.inf, high: float = math.inf) -> float:
    value = _number(key, usual if given.get(key) is None else given[key])
    if not low <= value <= high:
        raise InputError("{key}: expected {low:g} to {high:g}, found {value:g}", key, low, high, value)
    return value


def numbers_in(given: Given, key: str, size: int, usual: float = 0.0) -> list[float]:
    """So many numbers; all the usual one where there are none."""
    value = given.get(key)
    if value is None:
        return [usual] * size
    if not isinstance(value, list) or len(value) != size:
        raise InputError("{key}: expected {size} numbers, found {shown}", key, size, _value_text(value))
    return [_number(key, x) for x in value]


def flag_in(given: Given, key: str, usual: bool) -> bool:
    value = given.get(key)
    if not isinstance(value, bool | None):
        raise InputError("{key}: expected true or false, found {shown}", key, _value_text(value))
    return usual if value is None else value


def part_in(given: Given, key: str) -> Given:
    """A table inside."""
    value = given.get(key)
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InputError("{key}: expected a table, found {shown}", key, _value_text(value))
    return value


def _number(key: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise InputError("{key}: expected a number, found {shown}", key, _value_text(value))
    return float(value)


def _value_text(value: object) -> str:
    return Message("a list of {count}", len(value)) if isinstance(value, list) else f"{value!r:.60}"
