"""Timing on a machine that others use too: the best of many short samples, contenders in turn; and a driver in IR.

What runs in one thread is measured in processor time of that thread, which does not count the turns of others.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from manipula.algebra.llvm.code import LoadedCode, object_from_text

SAMPLES, SAMPLE_SECONDS = 100, 0.001
STATES = 64  # a function is called on these in turn


def best_seconds(
    contenders: Mapping[str, Callable[[int], Any]], clock: Callable[[], float] = time.thread_time
) -> dict[str, float]:
    """Seconds per repetition of each; a contender takes the number of repetitions. Rounds are interleaved."""
    counts = {name: _enough(run, clock) for name, run in contenders.items()}
    best = dict.fromkeys(contenders, float("inf"))
    for _ in range(SAMPLES):
        for name, run in contenders.items():
            start = clock()
            run(counts[name])
            best[name] = min(best[name], (clock() - start) / counts[name])
    return best


def _enough(run: Callable[[int], Any], clock: Callable[[], float]) -> int:
    """Repetitions that fill a sample."""
    run(1)
    count = 1
    while True:
        start = clock()
        run(count)
        spent = clock() - start
        if spent > SAMPLE_SECONDS or count > 10**7:
            return max(1, int(count * SAMPLE_SECONDS / spent))
        count *= 4


def repeated(call: Callable[[], Any]) -> Callable[[int], Any]:
    """A Python call, repeated."""

    def run(count: int) -> None:
        for _ in range(count):
            call()

    return run


class Loop:
    """`void loop(void *f, void **table, int64 n)`: f on one row of pointers after the other, n times in all.

    Called through a pointer, as from a C program; the table has a row for each of `STATES` states.
    """

    def __init__(self, arguments: int) -> None:
        self.arguments = arguments
        places = [f"  %p{i} = getelementptr inbounds ptr, ptr %row, i64 {i}" for i in range(arguments)]
        values = [f"  %a{i} = load ptr, ptr %p{i}, align 8" for i in range(arguments)]
        given = ", ".join(f"ptr %a{i}" for i in range(arguments))
        text = [
            "define void @loop(ptr %f, ptr %table, i64 %n) nounwind {",
            "entry:\n  br label %again\nagain:\n  %i = phi i64 [ 0, %entry ], [ %next, %again ]",
            f"  %k = and i64 %i, {STATES - 1}\n  %at = mul nsw i64 %k, {arguments}",
            "  %row = getelementptr inbounds ptr, ptr %table, i64 %at",
            *places,
            *values,
            f"  call void %f({given})",
            "  %next = add nsw i64 %i, 1\n  %more = icmp slt i64 %next, %n",
            "  br i1 %more, label %again, label %done\ndone:\n  ret void\n}",
        ]
        self._code = LoadedCode(object_from_text("\n".join(text), 2), 2)
        words = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64]
        self._loop = ctypes.CFUNCTYPE(None, *words)(self._code.address("loop"))

    def of(self, function: int, rows: Sequence[Sequence[int]], *alive: Any) -> Callable[[int], None]:
        """`rows`: the pointers of each state; `alive` is what they point to."""
        table = np.array(rows, dtype=np.uint64)
        assert table.shape == (STATES, self.arguments), "a row of pointers for every state"
        address = table.ctypes.data

        def run(count: int, alive: Any = (table, alive)) -> None:
            self._loop(function, address, count)

        return run


def states(dof: int) -> Any:
    """(3, STATES, dof): positions, rates and accelerations (or torques)."""
    return np.random.default_rng(1).uniform(-3, 3, size=(3, STATES, dof))
