"""Messages `sensor_msgs/JointState` as columns. Every message names its joints, in whatever order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from manipula.errors import InputError
from manipula.messages import Message
from manipula.simulation.records.formats.sources import Array, Column, Source, column_from
from manipula.simulation.records.words.joints import robots_name

TYPES = ("sensor_msgs/msg/JointState", "sensor_msgs/JointState")
FIELDS = ("position", "velocity", "effort")


class State(NamedTuple):
    """One message: when it says it was, when it was written (both in ns), its joints and their numbers."""

    stamp: int
    written: int
    names: tuple[str, ...]
    position: Sequence[float]
    velocity: Sequence[float]
    effort: Sequence[float]


def state_of(message: Any, written: int) -> State:
    stamp = message.header.stamp
    seconds = int(getattr(stamp, "sec", getattr(stamp, "secs", 0)))
    rest = int(getattr(stamp, "nanosec", getattr(stamp, "nsec", getattr(stamp, "nsecs", 0))))
    numbers: list[Any] = [np.asarray(getattr(message, name), float) for name in FIELDS]
    return State(seconds * 10**9 + rest, int(written), tuple(map(str, message.name)), *numbers)


def state_from_json(message: Mapping[str, Any], written: int) -> State:
    """As programs without ROS write it."""
    stamp = message.get("header", {}).get("stamp", {})
    seconds = int(stamp.get("sec", stamp.get("secs", 0)))
    rest = int(stamp.get("nanosec", stamp.get("nsec", stamp.get("nsecs", 0))))
    numbers: list[Any] = [np.asarray(message.get(name) or (), float) for name in FIELDS]
    return State(seconds * 10**9 + rest, int(written), tuple(map(str, message.get("name") or ())), *numbers)


def chosen_topic(path: str, topics: Sequence[str], others: Iterable[str], wanted: str | None) -> str:
    """The topic of joint states: the one there is, or the one asked for."""
    if wanted is not None and wanted not in topics:
        raise InputError(
            "{path}: no joint states on topic {wanted!r}; they are on {topics}",
            path,
            wanted,
            ", ".join(topics) or Message("no topic"),
        )
    if wanted is not None or len(topics) == 1:
        return wanted or topics[0]
    if topics:
        raise InputError(
            "{path}: joint states are on topics {topics}: say which, topic={topics2!r}",
            path,
            ", ".join(sorted(topics)),
            topics[0],
        )
    listed = ", ".join(sorted(others)[:8]) or Message("nothing")
    raise InputError("{path}: no topic has messages sensor_msgs/JointState; found {listed}", path, listed)


def source_from_states(path: str, topic: str, states: Iterator[State], joints: tuple[str, ...]) -> Source:
    """Columns by joint, of the messages that name these joints, or those that most of them name.

    A quantity that a message lacks is missing there.
    """
    found = list(states)
    if not found:
        raise InputError("{path}: no message on topic {topic!r}", path, topic)
    sets = Counter(tuple(sorted(_names(state))) for state in found)
    usual = next((names for names in sets if joints and _has(names, joints)), sets.most_common(1)[0][0])
    kept = [state for state in found if set(usual) <= set(_names(state))]
    notes: list[str] = [Message("joint states of topic {topic}", topic)]
    if len(kept) < len(found):
        notes.append(
            Message(
                "{count} messages of other joints than {usual} are left out", len(found) - len(kept), ", ".join(usual)
            )
        )
    stamps = np.array([state.stamp for state in kept], np.int64)
    if not stamps.any():
        stamps = np.array([state.written for state in kept], np.int64)
        notes.append(Message("messages have no times of their own: those of writing are taken"))
    order = _names(kept[0])
    columns = [column_from("time", stamps, unit="ns")]
    columns += [column for name in FIELDS for column in _columns(path, name, order, kept)]
    return Source(path, tuple(columns), tuple(notes))


def _has(names: Sequence[str], joints: Sequence[str]) -> bool:
    """Are all the robot's joints among them, as the robot or as the file writes them?"""
    return set(joints) <= {robots_name(name, joints) for name in names}


def _names(state: State) -> tuple[str, ...]:
    return state.names or tuple(f"joint {k + 1}" for k in range(len(state.position)))


def _columns(path: str, name: str, order: tuple[str, ...], states: list[State]) -> list[Column]:
    """One array for all joints; nothing where no message has the quantity."""
    rows = [_row(path, name, order, state) for state in states]
    values = np.array(rows, float)
    if not np.isfinite(values).any():
        return []
    named = order if states[0].names else ()
    return [column_from(name, values, joints=named)]


def _row(path: str, name: str, order: tuple[str, ...], state: State) -> list[float] | Array:
    values, names = getattr(state, name), _names(state)
    if len(values) == 0:
        return [np.nan] * len(order)
    if len(values) != len(names):
        raise InputError(
            "{path}: a message names {count} joints and has {count2} numbers of {name}",
            path,
            len(names),
            len(values),
            name,
        )
    if names == order:
        return np.asarray(values, float)
    place = {joint: k for k, joint in enumerate(names)}
    return [float(values[place[joint]]) if joint in place else np.nan for joint in order]
