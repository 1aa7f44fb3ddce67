"""The catalogue held against the sentences of the source."""

from __future__ import annotations

from manipula.cli.terminal import tongue
from manipula.cli.terminal.sentences import PLACE
from tests.sentences.collected import sentences

# the file of single words in places and of what the system and libraries say; that of what is no error, but an answer
ELSEWHERE = ("words", "derivation")
# names, units and options, which are the same in every language
SAME = {
    "{} rpy", "{} xyz", "<{} name={}>", "<geom type={}>", "0 < gain < 2", "rad, deg, m, mm", "rad/s, deg/s",
    "rad/s², deg/s²", "s, ms", "--scale {}", "--gain {}", "{} ns", "{} rad", "column {}",
    "{name = \"A\", torque = 1.5, speed = 300}", "{places = [[0.4, 0, 0.2]]}",
    "{}s: left out ",  # nothing is, and nothing is said
}  # fmt: skip


def form(text: str) -> str:
    """Without the names of its places."""
    return PLACE.sub("{}", text)


def entries() -> dict[str, str]:
    found = {english: other for file in tongue.files("pt") for english, other in of_file(file).items()}
    return found | tongue.sections("pt")["laws"]


def of_file(file: str) -> dict[str, str]:
    return {english: other for section in tongue.sections("pt", file).values() for english, other in section.items()}


def missing() -> dict[str, list[str]]:
    """Sentences that no entry has, with where they are said."""
    known = set(map(form, entries())) | SAME
    return {text: places for text, places in sentences().items() if form(text) not in known}


def unsaid() -> list[str]:
    """Entries that no sentence of the source has."""
    said = set(map(form, sentences()))
    every = [english for file in tongue.files("pt") if file not in ELSEWHERE for english in of_file(file)]
    return [english for english in every if form(english) not in said]
