"""A sentence in another language, by its form: what is always said is looked up, what differs stays as it is.

An entry of a catalogue is an English text and its translation. A name in braces is a place, of whatever was said there:
{name} stays letter by letter, {NAME} in capitals is words and is told in turn. Of the ways to read a sentence the one
that knows most of its letters counts; an error's place in front (`arm.toml: joint 2: …`) and the hint in brackets at
its end are read by themselves. What no entry knows stays English.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

PLACE = re.compile(r"\{(\w+)\}")
_PARTS = re.compile(r"(\{\w+\})")
_LONGEST = 4000  # letters of a sentence that somebody reads; of a longer one only its whole form is looked for


class Entry(NamedTuple):
    """What stands between the places of a text, their names, and the translation."""

    pieces: tuple[str, ...]
    places: tuple[str, ...]
    other: str

    @property
    def letters(self) -> int:
        return sum(map(_letters, self.pieces))

    @property
    def longest(self) -> str:
        return max(self.pieces, key=len)

    def found(self, text: str, torn: bool = False) -> list[str] | None:
        """What stands in the places, if this is the form of the text; quotes are torn apart only where it says so."""
        first, *rest = self.pieces
        if not rest:
            return [] if text == first else None
        if not text.startswith(first):
            return None
        found, at, last = list[str](), len(first), rest.pop()
        for piece in rest:
            end = text.find(piece, at) if torn else _end(text, at, piece)
            if end < 0:
                return None
            found.append(text[at:end])
            at = end + len(piece)
        end = len(text) - len(last)
        if end < at or not text.endswith(last) or not (torn or _whole(text[at:end])):
            return None
        return [*found, text[at:end]]


def _end(text: str, at: int, piece: str) -> int:
    """Where the piece stands first, behind something whole; -1 where it does not."""
    end = text.find(piece, at)
    while end >= 0 and not _whole(text[at:end]):
        end = text.find(piece, end + 1)
    return end


def _whole(text: str) -> bool:
    """Every quote that opens is closed; ' inside a word is none."""
    text = re.sub(r"\\.|(?<=\w)'(?=\w)", "", text)
    return not re.search(r"[\"']", re.sub(r"'[^']*'|\"[^\"]*\"", "", text))


def _letters(text: str) -> int:
    """Signs count too: `a: is missing` is not `{name} is missing`."""
    return len("".join(text.split()))


def entry(english: str, other: str) -> Entry:
    parts = PLACE.split(english)
    return Entry(tuple(parts[::2]), tuple(parts[1::2]), other)


class Catalogue:
    """Entries of one language, those that say most first. `parted`: its sentences have places in front, and hints."""

    def __init__(self, written: Mapping[str, str], parted: bool) -> None:
        self.parted = parted
        self.whole = {english: other for english, other in written.items() if not PLACE.search(english)}
        formed = [entry(english, other) for english, other in written.items() if english not in self.whole]
        self.formed = sorted(formed, key=lambda one: -one.letters)

    def told(self, text: str) -> str:
        """The sentence in the language of the catalogue, as far as it is known."""
        if text in self.whole:
            return self.whole[text]
        found = _Telling(text, self).best(text)
        return found.text if found.letters else _Telling(text, self, torn=True).best(text).text


class _Read(NamedTuple):
    """A way to read a text: its translation, and how many letters of it were known."""

    text: str
    letters: int


class _Telling:
    """The reading of one sentence; `torn`: of one whose quotes do not close, being cut off."""

    def __init__(self, sentence: str, known: Catalogue, torn: bool = False) -> None:
        self.torn = torn
        self.known, self.parted = known, known.parted and len(sentence) <= _LONGEST
        self.near = [one for one in known.formed if one.longest in sentence]
        self._read: dict[str, _Read] = {}

    def best(self, text: str) -> _Read:
        if text not in self._read:
            self._read[text] = _Read(text, 0)  # while it is being read
            self._read[text] = max(self._ways(text), key=lambda way: way.letters)
        return self._read[text]

    def _ways(self, text: str) -> Iterator[_Read]:
        yield _Read(text, 0)
        if text in self.known.whole:
            yield _Read(self.known.whole[text], _letters(text))
        yield from self._formed(text)
        if self.parted:
            yield from self._placed(text)
            yield from self._hinted(text)

    def _formed(self, text: str) -> Iterator[_Read]:
        for one in self.near:
            found = one.found(text, self.torn)
            if found is None:
                continue
            told = [self._place(one, at, x) for at, x in enumerate(found)]
            names = {"{" + name + "}": x.text for name, x in zip(one.places, told)}
            other = "".join(names.get(part, part) for part in _PARTS.split(one.other))
            yield _Read(other, one.letters + sum(x.letters for x in told))

    def _place(self, one: Entry, at: int, text: str) -> _Read:
        """What stands in a place: a name stays, words are told, `joint 2` in front of a colon is a label."""
        if not one.places[at].isupper():
            return _Read(text, 0)
        before, behind = one.pieces[at : at + 2]
        label = behind.startswith(":") and (before.endswith(": ") or not before)
        return self._label(text) if label else self.best(text)

    def _label(self, text: str) -> _Read:
        """`arm.toml: joint 2`: every part by itself; without a blank it is a name."""
        first, *rest = text.split(": ")
        found = self.best(first) if " " in first else _Read(first, 0)
        return _joined("{}: {}", found, self._label(": ".join(rest))) if rest else found

    def _placed(self, text: str) -> Iterator[_Read]:
        """`joint 2: …`: a label and the rest."""
        end = _end(text, 0, ": ")
        if end > 0:
            yield _joined("{}: {}", self._label(text[:end]), self.best(text[end + 2 :]))

    def _hinted(self, text: str) -> Iterator[_Read]:
        """`… (write 0)`: a sentence and a hint."""
        for start in re.finditer(r" \(", text) if text.endswith(")") else ():
            problem, hint = text[: start.start()], text[start.end() : -1]
            if _whole(problem) and _whole(hint):
                yield _joined("{} ({})", self.best(problem), self.best(hint))


def _joined(form: str, *parts: _Read) -> _Read:
    """Both as one; its signs are known only where a part is."""
    letters = sum(x.letters for x in parts)
    return _Read(form.format(*(x.text for x in parts)), letters and letters + _letters(form.replace("{}", "")))
