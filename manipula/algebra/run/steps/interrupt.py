"""Ctrl-C while machine code runs in slices: noted, and acted on between two of them, where what there is is whole."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from typing import Any


class Asked:
    """Was the end asked for?"""

    def __init__(self) -> None:
        self.now = False

    def note(self, number: int, frame: Any) -> None:
        self.now = True


@contextmanager
def interruption() -> Iterator[Asked]:
    """Python's own answer to Ctrl-C is replaced meanwhile; any other that somebody has set stays."""
    asked = Asked()
    ours = current_thread() is main_thread() and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if not ours:
        yield asked
        return
    signal.signal(signal.SIGINT, asked.note)
    try:
        yield asked
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
