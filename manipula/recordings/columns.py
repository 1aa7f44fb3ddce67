"""Which columns belong together: of all readings, the one group with a column for every joint.

All columns of a quantity are matched in one way, so that `joint0 … joint5` are not taken for six of seven names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

from manipula.errors import InputError
from manipula.messages import Message
from manipula.recordings.sources import Source
from manipula.recordings.words import (
    AMPERES,
    COMMON,
    CURRENTS,
    EXAMPLES,
    MEASURED,
    QUANTITY_OF,
    STRANGE,
    WANTED,
    Meaning,
    head_of,
    joints_in,
    label,
    meaning_of,
    robots_name,
    unit_of,
    words_of,
)

# What heads may say: every reading of a column, by the joints' names and by its numbers.


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


Understand = Callable[[Sequence[str], str], Meaning | None]  # the words and the unit of a head


def entries_of(source: Source, k: int, joints: Joints, understand: Understand = meaning_of) -> Iterator[Entry]:
    """All readings of a column's head."""
    column = source.columns[k]
    if source.own and column.head.startswith("state."):
        return
    head = head_of(column.head)
    unit = column.unit or head.unit
    if column.width > 1:
        meaning = understand(head.words, unit)
        for inner in range(column.width if meaning else 0):
            assert meaning is not None
            name = robots_name(column.joints[inner], joints.names) if column.joints else ""
            yield Entry(Place(k, inner), *meaning, name, inner)
        return
    whose = [
        Entry(Place(k), *meaning, joint)
        for joint, rest in joints_in(head.words, joints.names)
        if (meaning := understand(rest, unit)) is not None
    ]
    yield from whose
    meaning = understand(head.words, unit)
    if meaning is not None:
        name = robots_name(column.joints[0], joints.names) if column.joints else ""
        yield from _entries_by_number(Place(k), meaning, name, bool(whose))


def _entries_by_number(place: Place, meaning: Meaning, name: str, known: bool) -> Iterator[Entry]:
    """A reading for every number of a head; without one, what is left is a joint's name, unless that is `known`."""
    digits = [i for i, word in enumerate(meaning.rest) if word.isdigit()]
    for i in digits:
        rest = (*meaning.rest[:i], "#", *meaning.rest[i + 1 :])
        yield Entry(place, *meaning[:3], rest, name, int(meaning.rest[i]))
    if not digits and not known:
        family = tuple(word for word in meaning.rest if word in MEASURED)
        yield Entry(place, *meaning[:3], family, name or label(meaning.rest))


Key = TypeVar("Key", str, int)
NEEDED = ("q", "tau")
LETTERS = 1  # of a name that may stand in the order of the alphabet: A, B, C
NAMES = {"q": "position", "qd": "speed", "qdd": "acceleration", "tau": "torque"}


class Group(NamedTuple):
    """Columns of one quantity, one a joint, in order; `joints` are their names where they have some."""

    places: tuple[Place, ...]
    units: tuple[str, ...]
    word: str
    family: tuple[str, ...]
    joints: tuple[str, ...]


def choose_group(source: Source, quantity: str, entries: Sequence[Entry], joints: Joints) -> tuple[Group | None, str]:
    """The one group of columns that has every joint (None where none has), and the heads that were left out.

    Positions and torques that may be several are refused; of the rest nothing is taken.
    """
    families: dict[tuple[Any, ...], list[Entry]] = {}
    for entry in entries:
        array = entry.place.column if _wide(source, entry) else -1
        families.setdefault((entry.word, entry.family, entry.number >= 0, array), []).append(entry)
    whole = [group for found in families.values() if (group := _group(source, quantity, found, entries, joints))]
    whole = whole or [group for group in [_mixed_group(entries, joints)] if group is not None]
    whole = whole or [
        group for found in [*families.values(), entries] if (group := _by_other_names(source, found, entries, joints))
    ]
    distinct: dict[frozenset[Place], Group] = {}
    for group in whole:
        distinct.setdefault(frozenset(group.places), group)  # by name before by number
    if not distinct:
        return None, heads_of(source, [entry.place for entry in entries]) if entries else ""
    ranked = sorted(distinct.values(), key=_rank)
    best = [group for group in ranked if _rank(group) == _rank(ranked[0])]
    if len(best) > 1 and quantity not in NEEDED:
        return None, "; ".join(heads_of(source, group.places) for group in ranked)
    if len(best) > 1:
        listed = " or ".join(heads_of(source, group.places) for group in best[:4])
        raise InputError(
            "{path}: {names}s may be {listed}; {how_to_say}",
            source.path,
            NAMES[quantity],
            listed,
            how_to_say(source, quantity, best[0].places),
        )
    return best[0], "; ".join(heads_of(source, group.places) for group in ranked[1:])


def meaning_by_unit(words: Sequence[str], unit: str) -> Meaning | None:
    """What the unit alone says, of words in a language that is not known: `Nyomaték 1 [Nm]`, `Idő [s]`."""
    fits = [quantity for quantity in EXAMPLES if unit not in ("", "%") and unit_of(quantity, unit) is not None]
    if len(fits) != 1 or any(word in STRANGE or word in QUANTITY_OF for word in words):
        return None
    quantity = f"{fits[0]}_ref" if WANTED & {*words} and fits[0] != "t" else fits[0]
    return Meaning(quantity, unit, "current" if unit in AMPERES else quantity, tuple(words))


def by_unit(source: Source, quantity: str, joints: Joints) -> Group | None:
    """Columns whose words say nothing, and whose unit is the quantity's: a number or a joint's name in each."""
    every = [x for k in range(len(source.columns)) for x in entries_of(source, k, joints, meaning_by_unit)]
    like = [x for x in every if x.quantity == quantity and (x.number >= 0 or x.joint in joints.names)]
    return choose_group(source, quantity, like, joints)[0]


def bare(source: Source, joints: Joints) -> Group | None:
    """Columns headed by the robot's joints and nothing else."""
    heads = [head_of(column.head) for column in source.columns]
    places = {joint: [k for k, head in enumerate(heads) if head.words == words_of(joint)] for joint in joints.names}
    if not joints.names or not all(places.values()):
        return None
    if more := next((found for found in places.values() if len(found) > 1), None):
        raise InputError(
            "{path}: {head!r} stands above {count} columns; say by number, counted from 0, which are positions and "
            "which torques: columns={{'q': [{first}, …], 'tau': [{second}, …]}}",
            source.path,
            source.heads[more[0]],
            len(more),
            more[0],
            more[1],
        )
    alone = [places[joint][0] for joint in joints.names]
    return Group(tuple(map(Place, alone)), tuple(heads[k].unit for k in alone), "", (), joints.names)


def _wide(source: Source, entry: Entry) -> bool:
    return source.columns[entry.place.column].width > 1


def _rank(group: Group) -> tuple[int, ...]:
    """Many joints before few, torques before currents, the measured before the rest, then the shortest heads."""
    words = [word for word in group.family if word not in COMMON | {"#"}]
    return (-len(group.places), group.word in CURRENTS, -len(MEASURED & set(words)), len(words))


def _group(source: Source, quantity: str, found: list[Entry], all_: Sequence[Entry], joints: Joints) -> Group | None:
    """The columns in the joints' order, or None where they are not whole."""
    if all(entry.joint for entry in found) and len({entry.joint for entry in found}) == len(found):
        if not joints.names:
            return _group_in_order(found, [entry.joint for entry in found])
        if set(joints.names) <= {entry.joint for entry in found} and not _more(found, all_):
            return _group_in_order(found, joints.names)
        if found[0].number < 0 or _wide(source, found[0]):
            return None
    if found[0].number < 0:
        alone = len(found) == 1 and len(joints.names) in (0, 1) and not found[0].joint
        return _ordered_by(found, ()) if alone else None
    numbers = sorted(entry.number for entry in found)
    if numbers not in (list(range(len(found))), list(range(1, len(found) + 1))):
        return None
    if joints.names and len(found) != len(joints.names):
        return None
    return _ordered_by(sorted(found, key=lambda entry: entry.number), ())


def _mixed_group(entries: Sequence[Entry], joints: Joints) -> Group | None:
    """One column for every joint under several words, as of an arm with a slide: `lift_force`, `wrist_torque`."""
    own = [entry for entry in entries if entry.word not in CURRENTS]
    if len({entry.word for entry in own}) < 2 or not joints.names:
        return None
    named = _alone((entry.joint, entry) for entry in own if entry.joint)
    if set(joints.names) <= set(named) and not _more([named[name] for name in joints.names], own):
        return _group_in_order(list(named.values()), joints.names)
    numbered, count = _alone((entry.number, entry) for entry in own if entry.number >= 0), len(joints.names)
    if sorted(numbered) in (list(range(count)), list(range(1, count + 1))):
        return _ordered_by([numbered[k] for k in sorted(numbered)], ())
    return None


def _by_other_names(source: Source, found: Sequence[Entry], entries: Sequence[Entry], joints: Joints) -> Group | None:
    """The robot's joints in the words of heads (`Base, Shoulder, Elbow`), in its order: as many, none of its own names
    in another place. Words in the order of the alphabet were sorted by a recorder, and lists of names are another
    robot's."""
    whose = {entry.place: entry._replace(joint=_name(entry)) for entry in sorted(found, key=lambda x: bool(x.joint))}
    named = [whose[place] for place in sorted(whose) if whose[place].joint]
    names = tuple(entry.joint for entry in named)
    if not names or len(names) != len(joints.names) or len(set(names)) != len(names) or _more(named, entries):
        return None
    listed = any(source.columns[entry.place.column].joints for entry in named)
    if listed or (max(map(len, names)) > LETTERS and sorted(names) == list(names)):
        return None
    alike = all(name == own or name not in joints.names for name, own in zip(names, joints.names))
    return _group_in_order(named, names) if alike else None


def _name(entry: Entry) -> str:
    """Of its joint: `wrist` and 1 are one name."""
    words = label(word for word in entry.family if word not in COMMON | {"#"})
    return entry.joint or (f"{words}{entry.number}" if words and entry.number >= 0 else "")


def _alone(entries: Iterable[tuple[Key, Entry]]) -> dict[Key, Entry]:
    """Entries by a key that one column alone has."""
    found: dict[Key, dict[Place, Entry]] = {}
    for key, entry in entries:
        found.setdefault(key, {})[entry.place] = entry
    return {key: next(iter(own.values())) for key, own in found.items() if len(own) == 1}


def _more(found: Sequence[Entry], entries: Sequence[Entry]) -> bool:
    """Are there like columns with other numbers, so that names fit by chance (`joint0 … joint6` of six joints)?"""
    mine = {entry.place for entry in found}
    patterns = {entry.family for entry in entries if entry.place in mine and entry.number >= 0 and not entry.joint}
    return any(entry.family in patterns and entry.place not in mine for entry in entries if entry.number >= 0)


def _group_in_order(found: Sequence[Entry], order: Iterable[str]) -> Group:
    by_name = {entry.joint: entry for entry in found}
    names = tuple(order)
    return _ordered_by([by_name[name] for name in names], names)


def _ordered_by(found: Sequence[Entry], names: tuple[str, ...]) -> Group:
    return Group(tuple(x.place for x in found), tuple(x.unit for x in found), found[0].word, found[0].family, names)


def heads_of(source: Source, places: Sequence[Place]) -> str:
    heads = list(dict.fromkeys(source.heads[place.column] for place in places))
    return repr(heads[0]) if len(heads) == 1 else f"{heads[0]!r} … {heads[-1]!r}"


def found_in(source: Source) -> str:
    listed = ", ".join(repr(head) for head in source.heads[:16])
    return (
        (Message("found {listed}, …", listed) if len(source.heads) > 16 else Message("found {text}", listed))
        if source.heads
        else Message("found no columns")
    )


def how_to_say(source: Source, quantity: str, places: Sequence[Place] = ()) -> str:
    """What to write, with columns of the file."""
    if source.heads and source.heads[0] == "column 0":
        return Message("say which: columns={{{quantity!r}: [1, 2, …]}}, counted from 0", quantity)
    heads = list(dict.fromkeys(source.heads[place.column] for place in places))
    heads = heads or [head for head in source.heads if not _is_of_another(head, quantity)]
    if not heads:  # every column is something else's
        return Message('the files of one recording are read together: mp.read_log([…]), or "A + B" on the command line')
    shown = repr(heads[0]) if len(places) > len(heads) else f"[{heads[0]!r}, …]"
    return Message("say which: columns={{{quantity!r}: {shown}}}", quantity, shown)


def _is_of_another(text: str, quantity: str) -> bool:
    head = head_of(text)
    meaning = meaning_of(head.words, head.unit) or meaning_by_unit(head.words, head.unit)
    return meaning is not None and meaning.quantity != quantity
