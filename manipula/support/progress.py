"""How long a search may go on, from which random numbers, and who hears of it: one value from the caller inward."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace

Tell = Callable[[str], None]
Stop = Callable[[], bool]


def silent(text: str) -> None:
    """Nobody listens."""


def never() -> bool:
    """Nobody asks a search to end."""
    return False


@dataclass(frozen=True)
class Effort:
    """Limits of a search: `moves` of one worker, `seconds` by the clock; without either the searcher's own apply.

    The same seed and number of moves give the same result. `tell` hears of progress; `stop` is asked whether to end.
    """

    moves: int | None = None
    seconds: float | None = None
    seed: int = 0
    tell: Tell = silent
    stop: Stop = never

    def part(self, share: float, seed: int) -> Effort:
        """That share of the limits, from another seed; nobody hears of it."""
        moves = self.moves and max(int(self.moves * share), 1)
        return replace(self, moves=moves, seconds=self.seconds and self.seconds * share, seed=seed, tell=silent)


DEFAULT_EFFORT = Effort()  # the searcher's own limits, and silence


# What takes long says so, to somebody who waits: one line on stderr, when a second has passed.
#
# Nothing is said where nobody watches: in a pipe, a test, a notebook's kernel; nor inside something that reports its
# own progress, as the command line does.

SOON = 1.0  # seconds that nobody minds
_told = ContextVar("told", default=False)  # is somebody telling already?


@contextmanager
def told_when_slow(what: str) -> Iterator[None]:
    """`what` is being done; it is said if that takes longer than a second."""
    if _told.get() or not _is_watched():
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
    """The caller reports progress by other means."""
    token = _told.set(True)
    try:
        yield
    finally:
        _told.reset(token)


def _is_watched() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


def _say(what: str) -> None:
    print(f"manipula: {what} …", file=sys.stderr, flush=True)


# Fewer rounds of the garbage collector while large graphs of expressions grow.
#
# A generation makes millions of small objects, nearly all of which stay: the collector, which looks through all of them
# every few hundred allocations, would take a fifth of the time and find nothing. Its first threshold is raised while a
# generation runs and put back after it; rounds still happen, so a long search does not fill the memory.

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
