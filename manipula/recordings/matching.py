"""Which column is which joint's: by the joints' names, else by their numbers, else refused with what was found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from manipula.errors import InputError, UnknownNameError, caution
from manipula.messages import Message
from manipula.recordings.columns import (
    NAMES,
    NEEDED,
    Entry,
    Group,
    Joints,
    Place,
    bare,
    by_unit,
    choose_group,
    entries_of,
    found_in,
    heads_of,
    how_to_say,
    meaning_by_unit,
)
from manipula.recordings.sources import Source
from manipula.recordings.words import (
    COMMON,
    CURRENTS,
    FINE_TIMES,
    MEASURED_NAMES,
    ROUGH_TIMES,
    WANTED_NAMES,
    Meaning,
    head_of,
    meaning_of,
    words_of,
)


@dataclass(frozen=True)
class Matched:
    """Which columns hold what; `time` may be none, or two: seconds and nanoseconds."""

    time: tuple[Place, ...]
    time_units: tuple[str, ...]
    groups: Mapping[str, Group]
    joints: tuple[str, ...]
    notes: tuple[str, ...]
    commanded: str = ""  # how torques that were commanded are said, where those measured are currents


def match_columns(source: Source, joints: Joints, said: Mapping[str, object]) -> Matched:
    """`said` names columns by head or number, for the quantities one wants to say oneself; None leaves one out."""
    _refuse_odd(source, said)
    entries = [entry for k in range(len(source.columns)) for entry in entries_of(source, k, joints)]
    groups: dict[str, Group] = {}
    notes: list[str] = []
    for quantity in (*MEASURED_NAMES, *WANTED_NAMES):
        if quantity in said:
            if said[quantity] is not None:
                groups[quantity] = _group_from_option(source, quantity, said[quantity], joints, groups.get("q"))
            continue
        like = [entry for entry in entries if entry.quantity == quantity]
        if not like and quantity == "tau" and (like := [entry for entry in entries if entry.quantity == "tau_ref"]):
            heads = heads_of(source, [entry.place for entry in like])
            notes.append(Message("torques are those commanded, {heads}: none is measured", heads))
        found, left = choose_group(source, quantity, like, joints)
        if found is not None and _of_others(found, joints) and not _as_positions(quantity, found, groups):
            found = None
        if found is None and quantity in NEEDED and not like and (found := by_unit(source, quantity, joints)):
            heads = heads_of(source, found.places)
            notes.append(Message("{heads} are taken as {name}s, by their unit", heads, NAMES[quantity]))
            caution("{path}: {text}", source.path, notes[-1])
        if found is None and quantity == "q" and (found := bare(source, joints)):
            notes.append(Message("columns headed by joints alone are taken as positions"))
            left = ""
        if found is None and like and quantity in NEEDED:
            raise InputError(incomplete_sentence(source, quantity, like, joints))
        if found is not None:
            groups[quantity] = found
        notes += [Message("{names}s: left out {left}", NAMES[quantity], left)] if left and quantity in NAMES else []
    if "q" not in groups:
        raise InputError(
            "{path}: no column of positions; {found_in}; {how_to_say}",
            source.path,
            found_in(source),
            how_to_say(source, "q"),
        )
    groups = _in_joint_order(source, groups)
    if _of_others(groups["q"], joints):
        listed, own = ", ".join(groups["q"].joints), ", ".join(joints.names)
        notes.append(Message("joints {listed} are taken as {own}, in this order", listed, own))
        caution("{path}: {text}", source.path, notes[-1])
    names = joints.names or groups["q"].joints
    time, units = _time(source, said, groups["q"])
    used = {place.column for places in (time, *(group.places for group in groups.values())) for place in places}
    said_nothing = [k for k, head in enumerate(source.heads) if meaning_of(*head_of(head)[1:]) is None]
    rest = [Place(k) for k in said_nothing if k not in used]
    if "tau" not in groups and "tau" not in said and rest:
        notes.append(Message("no column of torques was recognised; left out {heads}", heads_of(source, rest)))
    return Matched(time, units, groups, names, tuple(notes), _commanded(source, entries, groups, joints))


def _of_others(group: Group, joints: Joints) -> bool:
    """Has it names of joints, and not the robot's?"""
    return bool(joints.names and group.joints) and set(group.joints) != set(joints.names)


def _as_positions(quantity: str, found: Group, groups: Mapping[str, Group]) -> bool:
    """Names that are not the robot's are joints' where positions have them."""
    return quantity == "q" or ("q" in groups and set(groups["q"].joints) == set(found.joints))


def _commanded(source: Source, entries: Sequence[Entry], groups: Mapping[str, Group], joints: Joints) -> str:
    """Torques beside currents, as controllers that know their model write them."""
    torques = [entry for entry in entries if entry.quantity == "tau_ref" and entry.word not in CURRENTS]
    if "tau" not in groups or groups["tau"].word not in CURRENTS:
        return ""
    found, _ = choose_group(source, "tau_ref", torques, joints)
    return "" if found is None else how_to_say(source, "tau", found.places)


def _refuse_odd(source: Source, said: Mapping[str, object]) -> None:
    for name in said:
        if name not in ("t", *MEASURED_NAMES, *WANTED_NAMES):
            raise UnknownNameError("quantity of a log", name, ("t", *MEASURED_NAMES, *WANTED_NAMES))


def _in_joint_order(source: Source, groups: dict[str, Group]) -> dict[str, Group]:
    """All quantities have the joints of the positions; named ones are put in their order."""
    q = groups["q"]
    found = {}
    for name, group in groups.items():
        if len(group.places) != len(q.places):
            heads = heads_of(source, group.places)
            raise InputError(
                "{path}: {count} joints have positions, {count2} {name} ({heads_of})",
                source.path,
                len(q.places),
                len(group.places),
                name,
                heads,
            )
        if group.joints and q.joints and set(group.joints) != set(q.joints):
            odd = ", ".join(sorted(set(group.joints) ^ set(q.joints)))
            raise InputError("{path}: joint {odd}: has {name} or positions, not both", source.path, odd, name)
        order = [group.joints.index(joint) for joint in q.joints] if group.joints and q.joints else range(len(q.places))
        places, units = tuple(group.places[k] for k in order), tuple(group.units[k] for k in order)
        found[name] = group._replace(places=places, units=units, joints=q.joints)
    return found


def _group_from_option(source: Source, quantity: str, given: Any, joints: Joints, q: Group | None) -> Group:
    """Columns by head or number, in the joints' order; one name may stand for an array with a column for each."""
    listed = [given] if isinstance(given, str | int | np.integer) else list(given)
    places = [place for item in listed for place in _places_of_item(source, quantity, item)]
    count = len(joints.names) or (len(q.places) if q is not None else len(places))
    if len(places) != count:
        raise InputError(
            "{path}: columns: {quantity}: expected {count} columns, found {count2}",
            source.path,
            quantity,
            count,
            len(places),
        )
    return Group(tuple(places), tuple(_unit_at(source, place, quantity) for place in places), "", (), joints.names)


def _places_of_item(source: Source, quantity: str, item: object) -> list[Place]:
    if isinstance(item, int | np.integer) and not isinstance(item, bool):
        if not 0 <= item < len(source.columns):
            last = len(source.columns) - 1
            raise InputError(
                "{path}: columns: {quantity}: no column {item}; they are counted from 0 to {last}",
                source.path,
                quantity,
                item,
                last,
            )
        k = int(item)
    else:
        same = [k for k, head in enumerate(source.heads) if head == item]
        same = same or [k for k, head in enumerate(source.heads) if head_of(head).words == words_of(str(item))]
        if len(same) != 1:
            raise UnknownNameError(Message("column of {path}", source.path), str(item), source.heads)
        k = same[0]
    return [Place(k, inner) for inner in range(source.columns[k].width)]


def _unit_at(source: Source, place: Place, quantity: str) -> str:
    column = source.columns[place.column]
    head = head_of(column.head)
    meaning = meaning_of(head.words, column.unit or head.unit)
    same = meaning is not None and meaning.quantity.removesuffix("_ref") == quantity.removesuffix("_ref")
    return meaning.unit if meaning is not None and same else column.unit or head.unit


def _time(source: Source, said: Mapping[str, Any], q: Group) -> tuple[tuple[Place, ...], tuple[str, ...]]:
    if "t" in said:
        if said["t"] is None:
            return (), ()
        listed = [said["t"]] if isinstance(said["t"], str | int | np.integer) else list(said["t"])
        places = [place for item in listed for place in _places_of_item(source, "t", item)]
        if len(places) != 1:
            raise InputError("{path}: columns: t: expected one column, found {count}", source.path, len(places))
        return tuple(places), (_unit_at(source, places[0], "t"),)
    found: list[Any] = []
    for understand in (meaning_of, meaning_by_unit):
        for k, column in enumerate(source.columns if not found else ()):
            head = head_of(column.head)
            meaning = understand(head.words, column.unit or head.unit) or _of_field(column.head)
            if column.width == 1 and meaning is not None and meaning.quantity == "t":
                rest = tuple(word for word in meaning.rest if word not in COMMON)
                found.append((Place(k), meaning.unit, rest, head.words))
    return _best_time(source, found, source.heads[q.places[0].column])


def _of_field(head: str) -> Meaning | None:
    """What the last field of a path says: `out.q.Time` are the times of `out.q.Data`."""
    path, _, field = head.rpartition(".")
    return meaning_of(words_of(field), "") if path else None


def _all_same(columns: Sequence[Any]) -> bool:
    """Times that a recorder wrote in front of every channel are one."""
    return all(np.array_equal(columns[0], column, equal_nan=True) for column in columns[1:])


def _best_time(source: Source, found: list[Any], beside: str) -> tuple[tuple[Place, ...], tuple[str, ...]]:
    """In the positions' own struct first, then the shortest head; seconds and nanoseconds of one stamp are one time."""
    struct = beside.rpartition(".")[0]
    near = [x for x in found if struct and source.heads[x[0].column].rpartition(".")[0] == struct] or found
    plain = [x for x in near if not x[2]] or near
    if len(plain) == 2:
        fine = [x for x in plain if FINE_TIMES & set(x[3])]
        rough = [x for x in plain if ROUGH_TIMES & set(x[3])]
        if len(fine) == len(rough) == 1 and fine != rough:
            return (rough[0][0], fine[0][0]), ("s", "ns")
    if len(plain) > 1 and not _all_same([source.columns[x[0].column].values() for x in plain]):
        heads = [source.heads[x[0].column] for x in plain]
        alike = len({*heads}) < len(heads)  # by number then, counted from 0
        listed = " or ".join(f"{x[0].column}: {head!r}" if alike else repr(head) for x, head in zip(plain, heads))
        raise InputError(
            "{path}: times may be {listed}; say which: columns={{'t': {heads!r}}}",
            source.path,
            listed,
            plain[0][0].column if alike else heads[0],
        )
    return ((plain[0][0],), (plain[0][1],)) if plain else ((), ())


# why columns are not taken


def _twice(entries: Sequence[Entry]) -> tuple[Entry, Entry] | None:
    """Two like columns of one joint; two columns of one joint at all, where no two are alike."""
    for like in (True, False):
        seen: dict[tuple[Any, ...], Entry] = {}
        for entry in entries:
            key = (*((entry.word, entry.family) if like else ()), entry.joint, entry.number)
            before = seen.setdefault(key, entry)
            if before.place != entry.place and (entry.joint or (like and entry.number >= 0)):
                return before, entry
    return None


def incomplete_sentence(source: Source, quantity: str, entries: Sequence[Entry], joints: Joints) -> str:
    """The sentence for columns that are not whole."""
    name = NAMES[quantity]
    by_number: dict[tuple[str, ...], set[int]] = {}
    for entry in entries:
        if entry.number >= 0:
            by_number.setdefault(entry.family, set()).add(entry.number)
    numbers = max(by_number.values(), key=len, default=set())
    named = [entry.joint for entry in entries if entry.joint]
    absent = [joint for joint in joints.names if joint not in named]
    twice = _twice(entries)
    if twice is not None:
        one, other = (source.heads[entry.place.column] for entry in twice)
        whose = twice[0].joint or Message("joint {name}", twice[0].number)
        both = Message("{one!r} and {other!r} may both be the {name} of {whose}", one, other, name, whose)
        return Message("{path}: {both}; {how_to_say}", source.path, both, how_to_say(source, quantity))
    if joints.names and len(absent) < len(joints.names) and len(numbers) <= len(named):
        return Message(
            "{path}: no {names} of joint {absent} of {robot}; {found_in}",
            source.path,
            name,
            ", ".join(map(repr, absent)),
            joints.robot,
            found_in(source),
        )
    first = min(numbers, default=0)
    gap = next((k for k in range(min(first, 1), max(numbers, default=0)) if k not in numbers), None)
    if gap is not None:
        return Message(
            "{path}: no {names} of joint {gap}: found those of {numbers}",
            source.path,
            name,
            gap,
            ", ".join(map(str, sorted(numbers))),
        )
    if numbers and len(numbers) < len(joints.names):
        return Message(
            (
                "{path}: has {count} joint; {robot} has {count2}; lock those that were held still: "
                "robot.locked(NAME=…), --lock NAME=…"
                if len(numbers) == 1
                else "{path}: has {count} joints; {robot} has {count2}; lock those that were held still: "
                "robot.locked(NAME=…), --lock NAME=…"
            ),
            source.path,
            len(numbers),
            joints.robot,
            len(joints.names),
        )
    if numbers and joints.names and len(numbers) != len(joints.names):
        return Message(
            (
                "{path}: has {count} joint; {robot} has {count2}"
                if len(numbers) == 1
                else "{path}: has {count} joints; {robot} has {count2}"
            ),
            source.path,
            len(numbers),
            joints.robot,
            len(joints.names),
        )
    if len(entries) == 1 and len(joints.names) > 1 and not numbers and not named:
        return Message(
            "{path}: has the {names} of one joint, and {robot} has {count}; the files of one recording are read "
            'together: mp.read_log([…]), or "A + B" on the command line',
            source.path,
            name,
            joints.robot,
            len(joints.names),
        )
    theirs = list(dict.fromkeys(named))
    if theirs and joints.names:
        return Message(
            "{path}: {names}s are of joints {theirs}; {robot} has {names2}; {how_to_say}",
            source.path,
            name,
            ", ".join(theirs[:16]),
            joints.robot,
            ", ".join(joints.names),
            how_to_say(source, quantity, [entry.place for entry in entries]),
        )
    whose = (
        Message("of {robot}'s joints {names}", joints.robot, ", ".join(joints.names))
        if joints.names
        else Message("of all joints")
    )
    return Message(
        "{path}: no {names} {joint}; {found_in}; {how_to_say}",
        source.path,
        name,
        whose,
        found_in(source),
        how_to_say(source, quantity),
    )
