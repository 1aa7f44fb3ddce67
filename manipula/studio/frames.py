"""Messages between the server and its workers: JSON behind its length. Data only; nothing is unpickled.
Sentences are data, too: the server tells them in the language of the page."""

from __future__ import annotations

import json
import struct
from asyncio import StreamReader
from collections.abc import Mapping
from typing import Any, BinaryIO

from manipula.messages import as_data, with_messages

_LENGTH = struct.Struct(">I")


def packed(message: object, called: Mapping[str, str] | None = None) -> bytes:
    """`called`: paths that are the server's own, and what its user calls the files; no sentence names such a path."""
    text = json.dumps(as_data(message), ensure_ascii=False, allow_nan=False)
    for path, name in (called or {}).items():
        text = text.replace(_inner(path), _inner(name))
    body = text.encode("utf-8", "surrogatepass")
    return _LENGTH.pack(len(body)) + body


def _inner(text: str) -> str:
    """As it stands inside a string of JSON."""
    return json.dumps(text, ensure_ascii=False)[1:-1]


def read(stream: BinaryIO) -> Any:
    """The next message; None at the end."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    return _unpacked(stream.read(_LENGTH.unpack(head)[0]))


async def received(stream: StreamReader) -> Any:
    """The next message; raises `IncompleteReadError` when the other side has ended."""
    (length,) = _LENGTH.unpack(await stream.readexactly(_LENGTH.size))
    return _unpacked(await stream.readexactly(length))


def _unpacked(body: bytes) -> Any:
    return with_messages(json.loads(body.decode("utf-8", "surrogatepass")))
