"""Timing on a machine that others use too: the best of many short samples, contenders in turn; and drivers in IR."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Mapping
from typing import Any

from manipula.algebra.run.host import Loaded, object_from_text

SAMPLES, SAMPLE_SECONDS = 15, 0.004


def best_seconds(contenders: Mapping[str, Callable[[int], Any]]) -> dict[str, float]:
    """Seconds per repetition of each; a contender takes the number of repetitions. Rounds are interleaved."""
    counts = {name: _enough(run) for name, run in contenders.items()}
    best = dict.fromkeys(contenders, float("inf"))
    for _ in range(SAMPLES):
        for name, run in contenders.items():
            start = time.perf_counter()
            run(counts[name])
            best[name] = min(best[name], (time.perf_counter() - start) / counts[name])
    return best


def _enough(run: Callable[[int], Any]) -> int:
    """Repetitions that fill a sample."""
    run(1)
    count = 1
    while True:
        start = time.perf_counter()
        run(count)
        spent = time.perf_counter() - start
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
    """`void loop(void *f, void *a0, …, int64 n)`: calls f(a0, …) n times through a pointer, as a C program would."""

    def __init__(self, arguments: int) -> None:
        names = [f"ptr %a{i}" for i in range(arguments)]
        text = "\n".join(
            [
                f"define void @loop(ptr %f, {', '.join(names)}, i64 %n) nounwind {{",
                "entry:\n  br label %again\nagain:\n  %i = phi i64 [ 0, %entry ], [ %next, %again ]",
                f"  call void %f({', '.join(names)})",
                "  %next = add nsw i64 %i, 1\n  %more = icmp slt i64 %next, %n",
                "  br i1 %more, label %again, label %done\ndone:\n  ret void\n}",
            ]
        )
        self._code = Loaded(object_from_text(text, 2), 2)
        words = [ctypes.c_void_p] * (arguments + 1)
        self._loop = ctypes.CFUNCTYPE(None, *words, ctypes.c_int64)(self._code.address("loop"))

    def of(self, function: int, *arguments: int) -> Callable[[int], None]:
        return lambda count: self._loop(function, *arguments, count)
