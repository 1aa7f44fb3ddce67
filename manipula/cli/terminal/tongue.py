"""Messages in another language than English, at the edge: what a screen says is looked up in a catalogue.

A text is translated whole, or by its shape, where {…} stands for what differs from call to call. What the catalogue
does not have stays English: half a help is better than none. JSON, files and equations are the same in every language.
"""

from __future__ import annotations

import os
import re
import tomllib
from functools import cache
from importlib import resources
from typing import NamedTuple

from manipula.errors import UnknownNameError

TONGUES = ("en", "pt")
VARIABLE = "MANIPULA_LANG"
_PLACE = re.compile(r"\{(\w+)\}")
_chosen = [""]  # by --lang, for this call of the program


class Catalogue(NamedTuple):
    """Whole texts, texts with places, and the words that may stand in a place."""

    whole: dict[str, str]
    shapes: list[tuple[re.Pattern[str], str]]
    words: dict[str, str]


def speak(name: str) -> None:
    """Take the language of --lang; an empty name leaves the choice to MANIPULA_LANG."""
    if name and _short(name) not in TONGUES:
        raise UnknownNameError("language of messages", name, TONGUES)
    _chosen[0] = name


def _short(name: str) -> str:
    """pt of pt_BR.UTF-8"""
    return re.split(r"[-_.]", name.lower())[0]


def language() -> str:
    """The language that was asked for, as far as there are words of it."""
    name = _short(_chosen[0] or os.environ.get(VARIABLE, ""))
    return name if name in TONGUES else TONGUES[0]


def told(text: str) -> str:
    """The text in the language that was asked for."""
    return told_in(text, language())


def told_in(text: str, name: str) -> str:
    """The text in this language; one there are no words of is English."""
    return _translated(text, catalogue(name)) if name in TONGUES[1:] else text


def told_in_parts(text: str) -> str:
    """Help: every paragraph by itself, and the word above examples; the commands stay."""
    return "\n\n".join(map(_told_part, text.split("\n\n")))


def _told_part(text: str) -> str:
    if text.lstrip().startswith("\b"):
        return re.sub(r"\w[^\n]*\S", lambda line: told(line[0]), text)
    whole = " ".join(text.split())
    found = told(whole)
    return text if found == whole else found


def sections(name: str) -> dict[str, dict[str, str]]:
    """The catalogue as it is written."""
    text = resources.files(f"{__package__}.words").joinpath(f"{name}.toml").read_text(encoding="utf-8")
    return {title: dict(found) for title, found in tomllib.loads(text).items()}


@cache
def catalogue(name: str) -> Catalogue:
    every = sections(name)
    words = every.pop("words") | every.pop("phrases")
    whole = {english: other for section in every.values() for english, other in section.items()}
    shapes = [(_shape(english), other) for english, other in whole.items() if _PLACE.search(english)]
    return Catalogue(whole, shapes, words)


def _shape(english: str) -> re.Pattern[str]:
    """The pattern of a text with places."""
    parts = _PLACE.split(english)
    return re.compile("".join(f"(?P<{x}>.+?)" if odd % 2 else re.escape(x) for odd, x in enumerate(parts)), re.DOTALL)


def _translated(text: str, known: Catalogue) -> str:
    if text in known.whole:
        return known.whole[text]
    for shape, other in known.shapes:
        if found := shape.fullmatch(text):
            return _PLACE.sub(lambda place: known.words.get(found[place[1]], found[place[1]]), other)
    return text
