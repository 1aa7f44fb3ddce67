"""Fewer rounds of the garbage collector while large graphs of expressions grow.

A generation makes millions of small objects, nearly all of which stay: the collector, which looks through all of them
every few hundred allocations, would take a fifth of the time and find nothing. Its first threshold is raised while a
generation runs and put back after it; rounds still happen, so a long search does not fill the memory.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

SELDOM = 100_000  # allocations between two rounds
_lock = threading.Lock()
_usual: list[tuple[int, int, int]] = []  # what was in force before the first of those under way, once for each


@contextmanager
def seldom_collecting() -> Iterator[None]:
    """Within it the collector runs seldom; the last one to leave, in any thread, puts things back as they were."""
    with _lock:
        usual = _usual[0] if _usual else gc.get_threshold()
        _usual.append(usual)
        if 0 < usual[0] < SELDOM:  # 0: switched off by the caller
            gc.set_threshold(SELDOM, *usual[1:])
    try:
        yield
    finally:
        with _lock:
            _usual.pop()
            if not _usual:
                gc.set_threshold(*usual)
