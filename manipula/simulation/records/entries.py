"""What heads may say: every reading of a column, by the joints' names and by its numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from manipula.simulation.records.formats.sources import Source
from manipula.simulation.records.words.heads import MEASURED, Meaning, head_of, label, meaning_of
from manipula.simulation.records.words.joints import joints_in, robots_name


class Place(NamedTuple):
    """A column of numbers in the file: which array, and which of its columns."""

    column: int
    inner: int = 0


class Entry(NamedTuple):
    """One reading of a head: whose it is, by name or by number, and the words that tell like columns from others."""

    place: Place
    quantity: str
    unit: str
    word: str
    family: tuple[str, ...]
    joint: str = ""
    number: int = -1


class Joints(NamedTuple):
    """Those of the robot, if there is one."""

    robot: str = ""
    names: tuple[str, ...] = ()


def entries_of(source: Source, k: int, joints: Joints) -> Iterator[Entry]:
    """All readings of a column's head."""
    column = source.columns[k]
    if source.own and column.head.startswith("state."):
        return
    head = head_of(column.head)
    unit = column.unit or head.unit
    if column.width > 1:
        meaning = meaning_of(head.words, unit)
        for inner in range(column.width if meaning else 0):
            assert meaning is not None
            name = robots_name(column.joints[inner], joints.names) if column.joints else ""
            yield Entry(Place(k, inner), *meaning, name, inner)
        return
    whose = [
        Entry(Place(k), *meaning, joint)
        for joint, rest in joints_in(head.words, joints.names)
        if (meaning := meaning_of(rest, unit)) is not None
    ]
    yield from whose
    meaning = meaning_of(head.words, unit)
    if meaning is not None:
        name = robots_name(column.joints[0], joints.names) if column.joints else ""
        yield from _numbered(Place(k), meaning, name, bool(whose))


def _numbered(place: Place, meaning: Meaning, name: str, known: bool) -> Iterator[Entry]:
    """A reading for every number of a head; without one, what is left is a joint's name, unless that is `known`."""
    digits = [i for i, word in enumerate(meaning.rest) if word.isdigit()]
    for i in digits:
        rest = (*meaning.rest[:i], "#", *meaning.rest[i + 1 :])
        yield Entry(place, *meaning[:3], rest, name, int(meaning.rest[i]))
    if not digits and not known:
        family = tuple(word for word in meaning.rest if word in MEASURED)
        yield Entry(place, *meaning[:3], family, name or label(meaning.rest))
