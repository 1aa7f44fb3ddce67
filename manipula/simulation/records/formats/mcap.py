"""MCAP: joint states as ROS 2 writes them, or as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from manipula.errors import InputError
from manipula.simulation.records.formats.joint_states import (
    TYPES,
    State,
    chosen_topic,
    source_from_states,
    state_from_json,
    state_of,
)
from manipula.simulation.records.formats.sources import Ask, Source


def read(path: Path, ask: Ask) -> Source:
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
