"""Slips planted in emitted text: a sign, an index or a digit changed, in a line that decides a result."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass

_ASSIGNED = {
    "cpp": re.compile(r"    const Real (?P<name>\w+) = (?P<text>.*);"),
    "python": re.compile(r"    (?P<name>\w+) = (?P<text>.*)"),
}
_RESULT = {
    "cpp": re.compile(r"    (?:result\S* = |return \{)(?P<text>.*?)\}?;"),
    "python": re.compile(r"    (?:\w+\[\.\.\., \d+\] = (?P<text>.*)|    (?P<kept>[^:\"]*),)"),
}
_WORD = re.compile(r"[A-Za-z_]\w*")
_SIGN = re.compile(r"(?<= )[+-](?= )")
_INDEX = re.compile(r"\b(?P<array>q|qd|qdd|tau|p|k|wrench)\[(?:\.\.\., )?(?P<index>\d+)\]")
_NUMBER = re.compile(r"(?<![\w.])\d+\.\d+(?:e-?\d+)?")
_SWAPPED = {"+": "-", "-": "+"}


@dataclass(frozen=True)
class Mutant:
    """The changed text, and what was changed."""

    text: str
    kind: str
    line: str


def mutant_of(text: str, language: str, dice: random.Random) -> Mutant:
    """One random slip: first what kind, then where."""
    found: dict[str, list[tuple[int, int, str]]] = {}
    for kind, start, end, new in _slips(text, language, dice):
        found.setdefault(kind, []).append((start, end, new))
    kind = dice.choice(sorted(found))
    start, end, new = dice.choice(found[kind])
    changed = text[:start] + new + text[end:]
    return Mutant(changed, kind, changed[changed.rfind("\n", 0, start) + 1 :].partition("\n")[0].strip())


def _slips(text: str, language: str, dice: random.Random) -> Iterator[tuple[str, int, int, str]]:
    indices: dict[str, set[str]] = {}
    for match in _INDEX.finditer(_body(text, language)):
        indices.setdefault(match["array"], set()).add(match["index"])
    for at, line in _live(text, language):
        for match in _SIGN.finditer(line):
            yield "sign", at + match.start(), at + match.end(), _SWAPPED[match[0]]
        for match in _INDEX.finditer(line):
            others = sorted(indices[match["array"]] - {match["index"]})
            if others:
                yield "index", at + match.start("index"), at + match.end("index"), dice.choice(others)
        for match in _NUMBER.finditer(line):
            yield "constant", at + match.start(), at + match.end(), _other(match[0], dice)


def _other(number: str, dice: random.Random) -> str:
    """The number with one digit changed, so that it is another double."""
    while True:
        places = [i for i, letter in enumerate(number) if letter.isdecimal()]
        at = dice.choice(places)
        changed = number[:at] + dice.choice("0123456789") + number[at + 1 :]
        if float(changed) != float(number):
            return changed


def _body(text: str, language: str) -> str:
    """Without what is before the functions and the self-test behind them."""
    start = text.index("template <class Real>\nstd::array" if language == "cpp" else "\ndef ")
    end = text.index("}  // namespace manipula" if language == "cpp" else "\ndef _self_test")
    return text[start:end]


def _live(text: str, language: str) -> Iterator[tuple[int, str]]:
    """(position, expression) of every line that a result depends on; what conditions alone read is left out."""
    body = _body(text, language)
    offset = text.index(body)
    lines = list(re.finditer(r".*\n", body))
    read: set[str] = set()
    for line in reversed(lines):
        assigned, result = _ASSIGNED[language].match(line[0]), _RESULT[language].match(line[0])
        if assigned and assigned["name"] not in read:
            continue
        match = assigned or result
        if match:
            group = next(key for key in ("text", "kept") if match.groupdict().get(key) is not None)
            read |= set(_WORD.findall(match[group]))
            yield offset + line.start() + match.start(group), match[group]
