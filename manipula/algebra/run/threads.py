"""Many configurations shared out among threads. They are made for the call: a pool would not outlive a fork."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

from manipula.errors import InputError

LEAST = 2048  # configurations that are worth a thread


def shared_out(run: Callable[[range], None], count: int, threads: int, lanes: int) -> None:
    """Call `run` on ranges that cover 0 … count, whole blocks of lanes each, in as many threads."""
    workers = min(_workers(threads), count // LEAST)
    if workers <= 1:
        run(range(count))
        return
    blocks = -(-count // lanes)
    ends = [min(count, lanes * (blocks * i // workers)) for i in range(workers + 1)]
    with ThreadPoolExecutor(workers) as pool:
        for done in [pool.submit(run, range(a, b)) for a, b in pairwise(ends)]:
            done.result()


def _workers(threads: int) -> int:
    if not isinstance(threads, int) or threads < 0:
        raise InputError(f"threads: expected a number of threads (0 for all processors), found {threads!r}")
    if threads:
        return threads
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
