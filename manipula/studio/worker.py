"""A process that does one task after another for the server, and ends with it.

It reads `{task, given}`, writes `{tell, figures}` and `{first}` while it works, then `{result}` or `{error}`. What it
prints goes to stderr. When the server is gone, however it went, the process ends at once, in the middle of a task, too.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import struct
import sys
import threading
import traceback
import warnings
from asyncio import StreamReader
from collections.abc import Mapping
from typing import BinaryIO, cast

from manipula.errors import ManipulaError
from manipula.messages import as_data, with_messages
from manipula.studio.tasks import task_named
from manipula.studio.tasks.replies import Figures, Reply
from manipula.studio.tasks.requests import Given, error_of
from manipula.support.progress import told_by_others

# Messages between the server and its workers: JSON behind its length. Data only; nothing is unpickled.
# Sentences are data, too: the server translates them for the page.

_LENGTH = struct.Struct(">I")


def pack_message(message: object, called: Mapping[str, str] | None = None) -> bytes:
    """`called`: paths that are the server's own, and what its user calls the files; no sentence names such a path."""
    text = json.dumps(as_data(message), ensure_ascii=False, allow_nan=False)
    for path, name in (called or {}).items():
        text = text.replace(_inner(path), _inner(name))
    body = text.encode("utf-8", "surrogatepass")
    return _LENGTH.pack(len(body)) + body


def _inner(text: str) -> str:
    """As it stands inside a string of JSON."""
    return json.dumps(text, ensure_ascii=False)[1:-1]


def read(stream: BinaryIO) -> Given | None:
    """The next message; None at the end."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    return _unpacked(stream.read(_LENGTH.unpack(head)[0]))


async def receive_message(stream: StreamReader) -> Given:
    """The next message; raises `IncompleteReadError` when the other side has ended."""
    (length,) = _LENGTH.unpack(await stream.readexactly(_LENGTH.size))
    return _unpacked(await stream.readexactly(length))


def _unpacked(body: bytes) -> Given:
    found: Given = with_messages(json.loads(body.decode("utf-8", "surrogatepass")))
    return found


JOBS = "jobs"  # the argument of a worker that is for them


def main() -> None:
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends its workers
    requests: queue.SimpleQueue[Given] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(requests,), daemon=True).start()
    for_jobs = sys.argv[1:] == [JOBS]
    if for_jobs and hasattr(os, "nice"):
        os.nice(5)  # a job leaves the processor to the page
    _warm()
    if for_jobs:
        _load(requests)
    while True:
        _work(requests.get(), answers)


def _listen(requests: queue.SimpleQueue[Given]) -> None:
    try:
        while (request := read(sys.stdin.buffer)) is not None:
            requests.put(request)
    finally:
        os._exit(0)


def _warm() -> None:
    """What every task needs is loaded before one is there."""
    from manipula import api, arm  # noqa: F401

    robot = api.load("planar2r")
    api.drawing(robot)
    api.from_document(api.document(robot))


def _load(requests: queue.SimpleQueue[Given]) -> None:
    """What only jobs need, while none is there, by a small answer."""
    from manipula import api

    for name in ("module", "motion", "equations"):
        if requests.empty():
            task = task_named(name)
    if requests.empty():
        task({"document": api.document("planar2r"), "model": "pose"}, lambda *_: None)


def _work(request: Given, answers: BinaryIO) -> None:
    task, given = str(request["task"]), cast("Given", request["given"])
    called = cast("Mapping[str, str] | None", given.get("called"))

    def send(message: object) -> None:
        data = pack_message(message, called)  # raises before a byte of it is sent
        answers.write(data)
        answers.flush()

    def tell(text: str, figures: Figures | None = None, first: Reply | None = None, /) -> None:
        send({"tell": text, "figures": figures} if first is None else {"first": first})

    try:
        with warnings.catch_warnings(), told_by_others():
            warnings.simplefilter("ignore")
            send({"result": task_named(task)(given, tell)})
    except (ManipulaError, RecursionError, MemoryError) as error:
        send({"error": error_of(error)})
    except Exception as error:
        traceback.print_exc()
        send({"error": error_of(error)})


if __name__ == "__main__":
    main()
