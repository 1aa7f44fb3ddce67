"""Many configurations shared out among threads: the caller's own, and others started for the call.

They are not kept: a thread that slept is woken where it slept, often on the very processor the caller is busy on, and
stays there for milliseconds; a new one is started where there is room. Nor would a pool outlive a fork. Started
without the comforts of an executor, a thread costs some fifty microseconds.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import pairwise
from threading import Thread

from manipula.errors import InputError

LEAST = 8192  # configurations that are worth a thread


def shared_out(run: Callable[[range], None], count: int, threads: int, lanes: int, least: int = LEAST) -> None:
    """Call `run` on ranges that cover 0 … count, whole blocks of lanes each, in as many threads."""
    workers = min(_workers(threads), count // least)
    if workers <= 1:
        run(range(count))
        return
    blocks = -(-count // lanes)
    ends = [min(count, lanes * (blocks * i // workers)) for i in range(workers + 1)]
    own, *rest = (range(a, b) for a, b in pairwise(ends))
    others = [_Share(run, part) for part in rest]
    for other in others:
        other.start()
    run(own)
    for other in others:
        other.result()


class _Share(Thread):
    """A part of the work; what went wrong in it is raised where the result is asked for."""

    def __init__(self, run: Callable[[range], None], part: range) -> None:
        super().__init__(daemon=True)
        self._work, self._part = run, part
        self._problem: BaseException | None = None

    def run(self) -> None:
        try:
            self._work(self._part)
        except BaseException as problem:
            self._problem = problem

    def result(self) -> None:
        self.join()
        if self._problem is not None:
            raise self._problem


def _workers(threads: int) -> int:
    if not isinstance(threads, int) or threads < 0:
        raise InputError("threads: expected a number of threads (0 for all processors), found {threads!r}", threads)
    if threads:
        return threads
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
