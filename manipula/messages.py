"""What is said to people, as data: a template and its fields. English at once, other languages where it is shown.

A `Message` is its English text, so it goes wherever a text goes. A field that is a message itself stays one, and every
language is made at the edge by looking templates up: a sentence that was printed is never read back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import cache
from math import radians
from string import Formatter
from typing import Any, NamedTuple, TypeVar

_T = TypeVar("_T")
_PLACE = re.compile(r"\{(\w+)\}")
_TEMPLATE, _FIELDS = "template", "fields"  # of a message as plain data


class Message(str):
    """`Message("{file}: expected {what!r}", file, what)`: a value for each place, in order; a place that is named twice
    has one. Without values the template is the text, braces and all.

    `template` is the key of a catalogue: its places have names alone, `fields` what is written there.
    """

    template: str
    fields: Mapping[str, str]

    def __new__(cls, template: str, /, *values: object) -> Message:
        if isinstance(template, Message) and not values:
            return template
        pieces = _pieces(template) if values else [_Piece(template)]
        first = {piece.place: piece for piece in reversed(pieces)}
        places = places_of(template) if values else ()
        written = {place: first[place].format_value(value) for place, value in zip(places, values, strict=True)}
        self = super().__new__(cls, "".join(piece.before + written.get(piece.place, "") for piece in pieces))
        self.template = bare(template) if values else template
        self.fields = written
        return self

    def __str__(self) -> str:
        """Itself: the text of an error is the message it was given."""
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return _remade, (self.template, self.fields)

    def as_data(self) -> dict[str, object]:
        """For JSON; `with_messages` is the way back."""
        fields = {name: x.as_data() if isinstance(x, Message) else x for name, x in self.fields.items()}
        return {_TEMPLATE: self.template, _FIELDS: fields}


def places_of(template: str) -> list[str]:
    """The names of its places, each once, in order."""
    return [place for place in dict.fromkeys(piece.place for piece in _pieces(template)) if place]


def join_messages(separator: str, parts: Iterable[str]) -> Message:
    """The parts with signs between them; those that are messages stay so."""
    every = tuple(parts)
    return Message(separator.join(f"{{part{number}}}" for number in range(1, len(every) + 1)), *every)


def in_a_row(parts: Sequence[str]) -> str:
    """One, or one and another and a third; of none nothing."""
    if not parts:
        return ""
    *most, last = parts
    return Message("{one} and {other}", in_a_row(most), last) if most else last


def capitalise(text: str) -> str:
    """With a capital in front, as a sentence of its own begins; of a text that is formatted already."""
    return text[:1].upper() + text[1:]


DEGREES = "{degrees}°"  # an angle in a sentence


def in_radians(text: str) -> str:
    """The sentence with its angles in rad, beside numbers that are."""
    if not isinstance(text, Message) or not text.fields:
        return text
    if text.template == DEGREES:
        return f"{radians(float(text.fields['degrees'])):.6g} rad"
    return Message(text.template, *map(in_radians, text.fields.values()))


def in_front(place: str, text: str) -> Message:
    """`place: text`; the text alone where there is no place, or where it begins with it."""
    return Message(text) if not place or text.startswith(f"{place}: ") else Message("{place}: {text}", place, text)


class Catalogue:
    """One language. `written`: template → translation, with the same places; {NAME} in capitals is words, which are
    looked up in turn. `finished`: what comes as a text, of the system, of other libraries, of files that keep it."""

    def __init__(self, written: Mapping[str, str], finished: Mapping[str, str] | None = None) -> None:
        self.written = written
        formed = sorted((finished or {}).items(), key=lambda item: -len(_PLACE.sub("", item[0])))  # the fullest first
        self.finished = [(_form(english), other) for english, other in formed]

    def translate(self, text: str) -> str:
        """The text in this language; what the catalogue does not have stays English."""
        if isinstance(text, Message) and text.fields:
            return self._filled(self.written.get(text.template, text.template), text.fields)
        if text in self.written:
            return self.written[text]
        found = ((other, form.fullmatch(text)) for form, other in self.finished)
        return next((self._filled(other, places.groupdict()) for other, places in found if places), text)

    def _filled(self, other: str, fields: Mapping[str, str]) -> str:
        return "".join(
            piece.before + (self._field(fields, piece.place) if piece.place else "") for piece in _pieces(other)
        )

    def _field(self, fields: Mapping[str, str], place: str) -> str:
        if place in fields:  # {J} of a template is a matrix, and no {j} in capitals
            value = fields[place]
            return self.translate(value) if isinstance(value, Message) else value
        return self.translate(fields[place.lower()])


def in_language(answer: _T, told: Callable[[str], str]) -> _T:
    """A copy of an answer with its messages told: lists, tables and plain data classes as deep as they are."""
    found: _T = _mapped(answer, told)
    return found


def as_data(answer: object) -> Any:
    """The same with its messages as data, for a pipe of JSON."""
    return _mapped(answer, Message.as_data)


def with_messages(answer: object) -> Any:
    """What `as_data` took apart."""
    if isinstance(answer, list):
        return [with_messages(one) for one in answer]
    if not isinstance(answer, dict):
        return answer
    if answer.keys() == {_TEMPLATE, _FIELDS}:
        return _remade(**answer)
    return {key: with_messages(one) for key, one in answer.items()}


def _mapped(answer: object, change: Callable[[Message], object]) -> Any:
    if isinstance(answer, Message):
        return change(answer)
    if isinstance(answer, dict):
        return {key: _mapped(one, change) for key, one in answer.items()}
    if isinstance(answer, list | tuple):
        return [_mapped(one, change) for one in answer]
    if is_dataclass(answer) and not isinstance(answer, type):
        return replace(answer, **{part.name: _mapped(getattr(answer, part.name), change) for part in fields(answer)})
    return answer


def _remade(template: str, fields: Mapping[str, object]) -> Message:
    return Message(template, *map(with_messages, fields.values()))


class _Piece(NamedTuple):
    """Letters, and the place behind them."""

    before: str
    place: str = ""
    spec: str = ""
    conversion: str = ""

    def format_value(self, value: object) -> str:
        if self.conversion:
            value = repr(value) if self.conversion == "r" else str(value)
        if not self.spec and isinstance(value, str | BaseException):
            return str(value)  # a message, or an error that says one, stays so
        return format(value, self.spec)


@cache
def _pieces(template: str) -> list[_Piece]:
    parsed = Formatter().parse(template)
    return [_Piece(before, place or "", spec or "", way or "") for before, place, spec, way in parsed]


@cache
def bare(template: str) -> str:
    """The names of its places alone."""
    escaped = ((piece.before.replace("{", "{{").replace("}", "}}"), piece.place) for piece in _pieces(template))
    return "".join(before + (f"{{{place}}}" if place else "") for before, place in escaped)


def _form(english: str) -> re.Pattern[str]:
    """Of a finished sentence: the contents of its places."""
    parts = _PLACE.split(english)
    places = (f"(?P<{name.lower()}>.+)" for name in parts[1::2])
    return re.compile("".join(re.escape(x) + next(places, "") for x in parts[::2]), re.DOTALL)
