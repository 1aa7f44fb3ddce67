"""How many cases make a task: so many that it costs well above 50 ms, so few that the workers end together.

A scheduler passes some hundred tasks a second, however many workers wait for it: the more there are, the longer tasks
become, so that fewer than a hundred a second are asked of it (docs/explanation/scale.md). Only the work is divided by
this; results never depend on it.
"""

from __future__ import annotations

from math import ceil

AIM, LEAST = 0.25, 0.05  # seconds of a task: wished, and not to be gone below but by a single case
MOST = 8192  # cases of a task, so that it fits in a message
MANY, MORE = 64, 8  # so many workers get so many times larger messages
SHARE = 0.01  # seconds of a task for every worker: a hundred tasks a second
GROWTH = 8  # a first case is often slower than the others: it compiles


class Pace:
    """Learns from the tasks done how long a case takes."""

    def __init__(self) -> None:
        self._seconds: float | None = None
        self._last = 1

    def saw(self, count: int, seconds: float) -> None:
        each = seconds / max(count, 1)
        self._seconds = each if self._seconds is None else 0.7 * self._seconds + 0.3 * each

    def size(self, left: int, workers: int) -> int:
        """Of the next task."""
        if self._seconds is None:
            return 1
        most = min(MOST if workers < MANY else MORE * MOST, GROWTH * self._last)
        wished = _many(max(AIM, SHARE * workers), self._seconds)
        fair = max(ceil(left / (3 * workers)), _many(LEAST, self._seconds))
        self._last = max(1, min(wished, fair, most, left))
        return self._last


def _many(seconds: float, each: float) -> int:
    return max(1, ceil(seconds / max(each, 1e-9)))


class Remaining:
    """The cases that are not done, as ranges in ascending order."""

    def __init__(self, count: int, done: list[tuple[int, int]]) -> None:
        self._ranges, at = list[tuple[int, int]](), 0
        for start, stop in sorted(done):
            if start > at:
                self._ranges.append((at, start))
            at = max(at, stop)
        if at < count:
            self._ranges.append((at, count))
        self._ranges.reverse()  # the next is the last
        self.left = sum(stop - start for start, stop in self._ranges)

    def taken(self, most: int) -> tuple[int, int]:
        """The next cases, neighbours, at most so many; there must be some."""
        start, stop = self._ranges.pop()
        end = min(stop, start + most)
        if end < stop:
            self._ranges.append((end, stop))
        self.left -= end - start
        return start, end
