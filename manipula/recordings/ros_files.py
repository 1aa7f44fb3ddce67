"""Messages `sensor_msgs/JointState` as columns. Every message names its joints, in whatever order."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from manipula.errors import InputError
from manipula.messages import Message
from manipula.recordings.sources import Array, Ask, Column, Source, column_from
from manipula.recordings.words import robots_name

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
    """The topic of joint states: the one there is, or the one requested."""
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


# Bags of ROS 1 (`.bag`) and ROS 2 (a folder, or the `.db3` in it).


def read_bag(path: Path, ask: Ask) -> Source:
    try:
        from rosbags.highlevel import AnyReader
        from rosbags.typesys import Stores, get_typestore
    except ImportError:
        raise InputError("{path}: reading bags needs rosbags: pip install 'manipula[identify]'", path) from None
    place = path.parent if path.suffix == ".db3" and (path.parent / "metadata.yaml").exists() else path
    with AnyReader([place], default_typestore=get_typestore(Stores.ROS2_HUMBLE)) as reader:
        kinds = {connection.topic: connection.msgtype for connection in reader.connections}
        name = chosen_topic(str(path), [x for x, kind in kinds.items() if kind in TYPES], kinds, ask.topic)
        wanted = [connection for connection in reader.connections if connection.topic == name]
        read_one = reader.deserialize
        states = (state_of(read_one(raw, c.msgtype), at) for c, at, raw in reader.messages(connections=wanted))
        return source_from_states(str(path), name, states, ask.joints)


# MCAP: joint states as ROS 2 writes them, or as JSON.


def read_mcap(path: Path, ask: Ask) -> Source:
    try:
        from mcap.reader import make_reader
        from mcap_ros2.decoder import DecoderFactory
    except ImportError:
        raise InputError(
            "{path}: reading MCAP needs mcap and mcap-ros2-support: pip install 'manipula[identify]'", path
        ) from None
    with path.open("rb") as file:
        reader = make_reader(file, validate_crcs=True)
        summary = reader.get_summary()
        channels = {} if summary is None else summary.channels
        schemas = {} if summary is None else summary.schemas
        kinds = {c.topic: schemas[c.schema_id].name if c.schema_id in schemas else "" for c in channels.values()}
        states = [name for name, kind in kinds.items() if kind in TYPES]
        name = chosen_topic(str(path), states, kinds, ask.topic)
        return source_from_states(str(path), name, _states(path, reader, name, DecoderFactory()), ask.joints)


def _states(path: Path, reader: Any, topic: str, factory: Any) -> Iterator[State]:
    decoder: Any = None
    for schema, channel, message in reader.iter_messages(topics=[topic]):
        if channel.message_encoding == "json":
            yield state_from_json(json.loads(message.data), message.log_time)
            continue
        if decoder is None:
            decoder = factory.decoder_for(channel.message_encoding, schema)
        if decoder is None:
            raise InputError(
                "{path}: topic {topic!r} is written as {message_encoding}; expected cdr or json",
                path,
                topic,
                channel.message_encoding,
            )
        yield state_of(decoder(message.data), message.log_time)
