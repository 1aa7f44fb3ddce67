"""From the bytes of a file to text, and from a mistake anywhere in it to one sentence that names the file."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from difflib import get_close_matches

from manipula.errors import RobotFileError, RowLabel, some_of
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.joints import KINDS
from manipula.messages import Message, join_messages

_ENCODINGS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16", b"\xef\xbb\xbf": "utf-8-sig"}
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x19\x1b-\x1f]")  # those no text file has
_LONGEST = 10_000_000  # characters: whole humanoids with their sensors have a tenth of it
MOST_JOINTS = 1000  # of one file: more are a mistake, or an attack


def text_from_bytes(data: bytes, file: str = "") -> str:
    """UTF-8, what spreadsheets save (UTF-16 with a mark, Windows-1252), or an error that says it is not text."""
    for encoding in (_ENCODINGS.get(data[:2]) or _ENCODINGS.get(data[:3]) or "utf-8", "cp1252"):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        return checked_text(text, file)
    raise _not_text(file)


def checked_text(text: str, file: str = "") -> str:
    """The text itself, or an error if it is empty or holds the control characters of a binary file."""
    if len(text) > _LONGEST:
        raise RobotFileError(
            "the file has {told:.2f} million characters",
            len(text) / 1000000.0,
            file=file,
            hint=Message("a robot description has at most {longest} million", _LONGEST // 10**6),
        )
    if _CONTROL.search(text):
        raise _not_text(file)
    if not text.strip("\ufeff \t\r\n"):
        raise RobotFileError("the file is empty", file=file, hint="a robot needs a name and at least one joint")
    return text.removeprefix("\ufeff")


def _not_text(file: str) -> RobotFileError:
    return RobotFileError(
        "this is a binary file, not a robot description",
        file=file,
        hint="give a .toml, .csv, .urdf, .xml or .par file",
    )


@contextmanager
def errors_of(file: str) -> Iterator[None]:
    """Puts the file's name into every robot error raised inside that does not carry one."""
    try:
        yield
    except RobotFileError as error:
        if error.file or not file:
            raise
        raise error.in_file(file) from error.__cause__


def joint_label(row: int, name: str | None) -> RowLabel:
    """How messages call a joint; rows count from 1."""
    return RowLabel(Message("joint {row} {name!r}", row, name) if name else Message("joint {name}", row), row)


def refuse_kinds(robot: RobotDescription, format: str, title: str) -> None:
    """Raises on a joint of a kind that the format has no word for."""
    for row, joint in enumerate(robot.joints, 1):
        if format not in KINDS[joint.kind].formats:
            raise RobotFileError(
                "is {kind}, which {title} has no word for",
                joint.kind,
                title,
                where=joint_label(row, joint.name),
                hint="save it as TOML",
            )


def refuse_too_many(joints: int) -> None:
    """Before anything is made of them."""
    if joints > MOST_JOINTS:
        raise RobotFileError(
            "found {joints} joints",
            joints,
            field="joint",
            hint=Message("a robot has at most {most_joints}", MOST_JOINTS),
        )


# Every word of an XML file is accounted for: it is read, it is known to change no model, or it is not known.
#
# A vocabulary has an entry for an element, by its tag or, where a tag means several things, by `parent/tag`. What is
# inside an element that is no part of the models is not looked at.


@dataclass(frozen=True)
class Element:
    """The attributes of an element: those that are read, and those that change no model. `named`: it is, too, named in
    the note, for not all that it says is read."""

    read: str = ""
    passed: str = ""
    named: bool = False

    @property
    def attributes(self) -> dict[str, bool]:
        """Attribute → whether it is read."""
        return dict.fromkeys(self.read.split(), True) | dict.fromkeys(self.passed.split(), False)


Vocabulary = Mapping[str, Element | None]  # None: no part of the models, with all that is in it


def entry_of(words: Vocabulary, parent: str, tag: str) -> str:
    """The key of an element; "" where it is not known there."""
    return next((key for key in (f"{parent}/{tag}", tag) if key in words), "")


@dataclass
class Account:
    """What of a file is not read."""

    elements: Counter[str] = field(default_factory=Counter)
    attributes: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)
    hints: dict[str, str] = field(default_factory=dict)

    def note(self) -> list[str]:
        """One sentence on words that change no model."""
        listed = [f"{count} × <{tag}>" for tag, count in sorted(self.elements.items())]
        if self.attributes:
            listed.append(Message("attributes {attributes}", ", ".join(sorted(self.attributes))))
        return unread_words(listed)

    def warnings(self) -> list[str]:
        """One sentence on words that are not known."""
        return unknown_words(list(self.unknown), list(dict.fromkeys(self.hints.values())))


def unread_words(words: list[str]) -> list[str]:
    """One sentence on words that change no model; none where there are no such words."""
    return [Message("not read, for no model needs it: {words}", join_messages(", ", words))] if words else []


def unknown_words(words: list[str], meant: list[str]) -> list[str]:
    """One sentence on words that are not known, with those that may be meant; none where there are no such words."""
    if words and meant:
        return [
            Message(
                "unknown and not read: {some_of}; did you mean {some_of2}?",
                some_of(words),
                some_of([repr(word) for word in meant]),
            )
        ]
    return [Message("unknown and not read: {some_of}", some_of(words))] if words else []


def account(root: ET.Element, words: Vocabulary, skipped: str = "") -> Account:
    """Goes through the whole file; tags that begin with `skipped` are named elsewhere."""
    found = Account()
    for parent, element in _walk_known(root, words):
        tag = str(element.tag)
        if skipped and tag.startswith(skipped):
            continue
        key = entry_of(words, parent, tag)
        entry = words.get(key)
        if not key:
            _miss(found, f"<{tag}>", tag, {known.rpartition("/")[2] for known in words})
        elif entry is None or entry.named:
            found.elements[tag] += 1
        for name in element.attrib if entry is not None else ():
            plain = name.rpartition("}")[2]
            if plain not in entry.attributes:  # type: ignore[union-attr]
                _miss(found, f"{plain} of <{tag}>", plain, set(entry.attributes))  # type: ignore[union-attr]
            elif not entry.attributes[plain]:  # type: ignore[union-attr]
                found.attributes[plain] += 1
    return found


def _miss(found: Account, word: str, plain: str, known: set[str]) -> None:
    found.unknown[word] += 1
    for near in get_close_matches(plain, sorted(known), n=1):
        found.hints[word] = near


def _walk_known(root: ET.Element, words: Vocabulary) -> Iterator[tuple[str, ET.Element]]:
    """Every element with its parent's tag, those inside known elements that are read."""
    waiting = [("", root)]
    while waiting:
        parent, element = waiting.pop()
        yield parent, element
        if words.get(entry_of(words, parent, str(element.tag))) is not None:
            waiting.extend((str(element.tag), child) for child in reversed(element) if isinstance(child.tag, str))
