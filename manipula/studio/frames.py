"""Messages between the server and its workers: JSON behind its length. Data only; nothing is unpickled."""

from __future__ import annotations

import json
import struct
from asyncio import StreamReader
from typing import Any, BinaryIO

_LENGTH = struct.Struct(">I")


def packed(message: object) -> bytes:
    body = json.dumps(message, ensure_ascii=False, allow_nan=False).encode("utf-8", "surrogatepass")
    return _LENGTH.pack(len(body)) + body


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
