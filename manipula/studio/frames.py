"""Messages between the server and its workers: JSON behind its length. Data only; nothing is unpickled."""

from __future__ import annotations

import json
import struct
from asyncio import StreamReader
from collections.abc import Mapping
from typing import Any, BinaryIO

_LENGTH = struct.Struct(">I")


def packed(message: object, called: Mapping[str, str] | None = None) -> bytes:
    """`called`: paths that are the server's own, and what its user calls the files; no sentence names such a path."""
    text = json.dumps(message, ensure_ascii=False, allow_nan=False)
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
    return json.loads(stream.read(_LENGTH.unpack(head)[0]).decode("utf-8", "surrogatepass"))


async def received(stream: StreamReader) -> Any:
    """The next message; raises `IncompleteReadError` when the other side has ended."""
    (length,) = _LENGTH.unpack(await stream.readexactly(_LENGTH.size))
    return json.loads((await stream.readexactly(length)).decode("utf-8", "surrogatepass"))
