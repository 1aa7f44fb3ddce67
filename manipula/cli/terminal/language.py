"""Messages in another language than English, at the edge: what a screen or a page says is looked up in a catalogue.

English is what the source says, where it says it; Python's exceptions stay English. A catalogue is a folder of
`words`, and a language is there as soon as its folder is: `screen.toml` has what commands print, `finished.toml` what
the system and libraries say, the other files the templates of errors and warnings, by the part of the package that
says them. What a catalogue does not have stays English: half a help is better than none. JSON, files and equations are
the same in every language.
"""

from __future__ import annotations

import os
import re
import shlex
import tomllib
from functools import cache
from importlib import resources

from manipula.errors import UnknownNameError
from manipula.messages import Catalogue

VARIABLE = "MANIPULA_LANG"
SCREEN, FINISHED = "screen", "finished"
_WORDS = resources.files(f"{__package__}.words")
TONGUES = ("en", *sorted(folder.name for folder in _WORDS.iterdir() if folder.is_dir() and folder.name.isalpha()))
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
    """The language that was requested, as far as there are words of it."""
    name = _short(_chosen[0] or os.environ.get(VARIABLE, ""))
    return name if name in TONGUES else TONGUES[0]


def translate(text: str) -> str:
    """What a screen says, in the language that was requested."""
    return told_in(text, language())


def told_error(error: Exception) -> str:
    """The sentence of an error or a warning, in the chosen language, with hints for a shell."""
    return in_shell_words(translate(getattr(error, "in_shell", str(error))))


def told_in(text: str, name: str) -> str:
    """A message in this language; one there are no words of is English."""
    return catalogue(name).translate(text) if name in TONGUES[1:] else text


def told_in_parts(text: str) -> str:
    """Help: every paragraph alone, and the word above examples; the commands stay."""
    return "\n\n".join(map(_told_part, text.split("\n\n")))


def _told_part(text: str) -> str:
    if text.lstrip().startswith("\b"):
        return re.sub(r"\w[^\n]*\S", lambda line: translate(line[0]), text)
    whole = " ".join(text.split())
    found = translate(whole)
    return text if found == whole else found


def sections(name: str, file: str = SCREEN) -> dict[str, dict[str, str]]:
    """A file of a catalogue as it is written."""
    text = _WORDS.joinpath(name, f"{file}.toml").read_text(encoding="utf-8")
    return {title: dict(found) for title, found in tomllib.loads(text).items()}


def files(name: str) -> list[str]:
    """The files of a catalogue."""
    return sorted(x.name.removesuffix(".toml") for x in _WORDS.joinpath(name).iterdir())


def entries(name: str, file: str) -> dict[str, str]:
    """What a file of a catalogue has."""
    return {english: other for section in sections(name, file).values() for english, other in section.items()}


@cache
def catalogue(name: str) -> Catalogue:
    """All of a language."""
    finished = entries(name, FINISHED)
    return Catalogue(
        {k: v for file in files(name) if file != FINISHED for k, v in entries(name, file).items()}, finished
    )


# Hints in the words of a shell. Sentences are written once, for Python: what they say to write is a keyword of a call,
# `units={'q': 'deg'}`, and a command has an option of the same meaning, `--unit q=deg`.

OPTIONS = {"columns": "--column", "units": "--unit", "scale": "--scale", "locked": "--lock"}
STRING = r"""'[^']*'|"[^"]*\""""
PAIRS = re.compile(rf"\b(columns|units|scale)=\{{((?:{STRING}|[^{{}}'\"])*)\}}")
PAIR = re.compile(rf"'(\w+)': (\[(?:{STRING}|[^\]'\"])*\]|{STRING}|[^,}}]+)")
ITEM = re.compile(r"""'([^']*)'|"([^"]*)"|([^,\s\[\]'"]+)""")
QUOTED = re.compile(r"[\s\[\](){}<>;&|*?$#~!\"'`\\]")  # what a shell would read otherwise
ALONE = re.compile(r"\b(columns|units|scale|locked)=(?![\w{'\"\[(])")
RATE = re.compile(r"\brate=(…|[\d.]*\d)?")
CHAIN = re.compile(rf"\b(base|tip)=({STRING})?")


def in_shell_words(text: str) -> str:
    """The sentence with every keyword of a call as the option that says the same."""
    text = PAIRS.sub(lambda found: _options(OPTIONS[found[1]], found[2]), text)
    text = ALONE.sub(lambda found: OPTIONS[found[1]], text)
    text = RATE.sub(lambda found: f"--rate {found[1]}" if (found[1] or "…") != "…" else "--rate HZ", text)
    return CHAIN.sub(lambda found: f"--{found[1]}" + (f" {_quoted(found[2][1:-1])}" if found[2] else ""), text)


def _options(option: str, pairs: str) -> str:
    said = (f"{name}={_value(value)}" for name, value in PAIR.findall(pairs))
    return " ".join(f"{option} {_quoted(word)}" for word in said)


def _quoted(word: str) -> str:
    return shlex.quote(word) if QUOTED.search(word) else word


def _value(text: str) -> str:
    if text == "[...]":
        return "…"
    return "none" if text == "None" else ",".join(map("".join, ITEM.findall(text)))
