"""What takes long says so, to somebody who waits: one line on stderr, when a second has passed.

Nothing is said where nobody watches: in a pipe, a test, a notebook's kernel; nor inside something that tells of its own
progress, as the command line does.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

SOON = 1.0  # seconds that nobody minds
_told = ContextVar("told", default=False)  # is somebody telling already?


@contextmanager
def told_when_slow(what: str) -> Iterator[None]:
    """`what` is being done; it is said if that takes longer than a second."""
    if _told.get() or not _watched():
        yield
        return
    timer = threading.Timer(SOON, _say, [what])
    timer.daemon = True
    timer.start()
    with told_by_others():
        try:
            yield
        finally:
            timer.cancel()


@contextmanager
def told_by_others() -> Iterator[None]:
    """Whoever does this tells of it by other means."""
    token = _told.set(True)
    try:
        yield
    finally:
        _told.reset(token)


def _watched() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


def _say(what: str) -> None:
    print(f"manipula: {what} …", file=sys.stderr, flush=True)
