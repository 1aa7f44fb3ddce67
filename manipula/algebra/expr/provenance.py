"""Where a function comes from, as data. What people read of it is written last, by `texts`; nothing reads that back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, NamedTuple, TypeVar

T = TypeVar("T")
Cut = Literal["", "limited", "interrupted"]  # why a search did not come to its end; "": it did


class Answered(NamedTuple):
    """An answer to a question of formulation: `slide 4: forth`. Link 0 is the arm as a whole: `unit: 3x`."""

    question: str
    link: int
    answer: str

    def __str__(self) -> str:
        return f"{self.question}{f' {self.link}' if self.link else ''}: {self.answer}"


class Share(NamedTuple):
    """So many base parameters of how many."""

    kept: int
    of: int

    def __str__(self) -> str:
        return f"{self.kept} base parameters of {self.of}"


@dataclass(frozen=True)
class Provenance:
    """What a function is a model of, by which method and answers it was made, how it was proved."""

    robot: str = ""
    model: str = ""
    method: str = ""
    answers: tuple[Answered, ...] = ()
    joints: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()  # of a regressor
    parameters: tuple[str, ...] | None = None  # of the robot, all of them; the function may read fewer
    proof: str = ""
    search: Cut = ""
    approximate: Share | None = None
    values: tuple[tuple[str, float], ...] = ()  # put in for parameters
    parts: tuple[Provenance, ...] = ()  # of several models in one function
    subject: tuple[tuple[str, str], ...] = field(default=(), compare=False)  # what the robot is: key, text

    @property
    def formulation(self) -> str:
        """The method and its answers, in one line."""
        if self.parts:
            return "; ".join(f"{part.model} by {part.formulation}" for part in self.parts)
        return "; ".join([self.method, *map(str, self.answers)])

    def texts(self) -> dict[str, str]:
        """Everything known of it, in words: key → text."""
        said = {
            "robot": self.robot,
            **dict(self.subject),
            "model": self.model or "; ".join(dict.fromkeys(part.model for part in self.parts)),
            "method": self.formulation,
            "joints": ", ".join(self.joints),
            "columns": " ".join(self.columns),
            "proof": self.proof,
            "search": self.search,
        }
        known = {key: text for key, text in said.items() if text}
        if self.parameters is not None:
            known["parameters"] = " ".join(self.parameters)
        if self.approximate is not None:
            known["approximate"] = str(self.approximate)
            known["values"] = " ".join(f"{name}={value!r}" for name, value in self.values)
        return known

    def as_dict(self) -> dict[str, object]:
        """Plain data, without what was left unsaid."""
        every = ((item, getattr(self, item.name)) for item in fields(self))
        # defaults are left out: files written before a field existed read the same
        return {item.name: _plain(value) for item, value in every if value != item.default}


def _plain(value: object) -> Any:
    if isinstance(value, Provenance):
        return value.as_dict()
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


NOWHERE = Provenance()  # nothing is said


def provenance_from_dict(said: object) -> Provenance:
    """The inverse of `Provenance.as_dict`; a ValueError where the data is of another kind."""
    readers: dict[str, Callable[[Any], Any]] = {
        **dict.fromkeys(("robot", "model", "method", "proof"), _text),
        **dict.fromkeys(("joints", "columns", "parameters"), _texts),
        "answers": lambda rows: tuple(Answered(_text(q), _whole(k), _text(a)) for q, k, a in rows),
        "search": _cut,
        "approximate": lambda pair: Share(*map(_whole, pair)),
        "values": lambda rows: tuple((_text(name), _float(value)) for name, value in rows),
        "parts": lambda rows: tuple(map(provenance_from_dict, rows)),
        "subject": lambda rows: tuple((_text(key), _text(text)) for key, text in rows),
    }
    # a key that is not known comes from a newer version: refused, not dropped
    if not isinstance(said, Mapping) or not said.keys() <= readers.keys():
        raise ValueError(f"no provenance: {said!r:.60}")
    return Provenance(**{name: readers[name](value) for name, value in said.items()})


def _of_kind(value: object, kind: type[T], what: str) -> T:
    # True is an int to Python, and never a number in these files
    if not isinstance(value, kind) or isinstance(value, bool):
        raise ValueError(f"found {value!r:.60}, expected {what}")
    return value


def _text(value: object) -> str:
    return _of_kind(value, str, "a text")


def _whole(value: object) -> int:
    return _of_kind(value, int, "a whole number")


def _float(value: object) -> float:
    return _of_kind(value, float, "a number")


def _texts(values: object) -> tuple[str, ...]:
    return tuple(map(_text, _of_kind(values, list, "a list of texts")))


def _cut(value: object) -> Cut:
    if value not in ("", "limited", "interrupted"):
        raise ValueError(f"found {value!r:.60}, expected why a search was cut short")
    return value
