"""Messages in another language than English, at the edge: what a screen or a page says is looked up in a catalogue.

English is what the source says, where it says it; Python's exceptions stay English. A catalogue is a folder of
`words`: `screen.toml` has what commands print, the other files the sentences of errors and warnings, by the part of
the package that says them. What a catalogue does not have stays English: half a help is better than none. JSON, files
and equations are the same in every language.
"""

from __future__ import annotations

import os
import re
import tomllib
from functools import cache
from importlib import resources

from manipula.cli.terminal.sentences import Catalogue
from manipula.errors import RobotFileError, UnknownNameError

TONGUES = ("en", "pt")
VARIABLE = "MANIPULA_LANG"
SCREEN = "screen"
_chosen = [""]  # by --lang, for this call of the program


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
    """What a screen says, in the language that was asked for."""
    return screen_words(language()).told(text) if language() in TONGUES[1:] else text


def told_error(error: Exception) -> str:
    """The sentence of an error or a warning, in the language that was asked for; the name of its file stays."""
    text = str(getattr(error, "in_shell", error))
    file = f"{error.file}: " if isinstance(error, RobotFileError) and error.file else ""
    return file + told_in(text.removeprefix(file), language())


def told_in(sentence: str, name: str) -> str:
    """A sentence of an error or a warning in this language; one there are no words of is English."""
    return sentences(name).told(sentence) if name in TONGUES[1:] else sentence


def told_in_parts(text: str) -> str:
    """Help: every paragraph by itself, and the word above examples; the commands stay."""
    return "\n\n".join(map(_told_part, text.split("\n\n")))


def _told_part(text: str) -> str:
    if text.lstrip().startswith("\b"):
        return re.sub(r"\w[^\n]*\S", lambda line: told(line[0]), text)
    whole = " ".join(text.split())
    found = told(whole)
    return text if found == whole else found


def sections(name: str, file: str = SCREEN) -> dict[str, dict[str, str]]:
    """A file of a catalogue as it is written."""
    text = resources.files(f"{__package__}.words").joinpath(name, f"{file}.toml").read_text(encoding="utf-8")
    return {title: dict(found) for title, found in tomllib.loads(text).items()}


def files(name: str) -> list[str]:
    """The files of a catalogue that hold sentences."""
    folder = resources.files(f"{__package__}.words").joinpath(name)
    return sorted(x.name.removesuffix(".toml") for x in folder.iterdir() if not x.name.startswith(SCREEN))


@cache
def screen_words(name: str) -> Catalogue:
    """What the screen says."""
    return Catalogue(_written(sections(name)), parted=False)


@cache
def sentences(name: str) -> Catalogue:
    """What errors and warnings say; among it the laws of mechanics, which a screen says too."""
    found = sections(name)["laws"]
    for file in files(name):
        found |= _written(sections(name, file))
    return Catalogue(found, parted=True)


def _written(every: dict[str, dict[str, str]]) -> dict[str, str]:
    return {english: other for section in every.values() for english, other in section.items()}
