"""Bags of ROS 1 (`.bag`) and ROS 2 (a folder, or the `.db3` in it)."""

from __future__ import annotations

from pathlib import Path

from manipula.errors import InputError
from manipula.simulation.records.formats.joint_states import TYPES, chosen_topic, source_from_states, state_of
from manipula.simulation.records.formats.sources import Ask, Source


def read(path: Path, ask: Ask) -> Source:
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
