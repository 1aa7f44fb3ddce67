"""Every speed benchmark in one run, then what was requested beside what was found: python bench/all.py [--quick]

Ratios of one run mean something on a busy machine, times do not. The exit code is 0 whatever was measured: this is a
measurement, not a test.
"""

from __future__ import annotations

import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path

import callgrind
import chains
import from_python
import generation
import native
import plot
from peers import MODELS
from tables import OUT, machine, verdict

QUICK = "--quick" in sys.argv


def one_call() -> None:
    for name in native.ROBOTS:
        with tempfile.TemporaryDirectory() as folder:
            native.one_call(native.Contest(name, Path(folder)), 500 if QUICK else 10_000)


def python() -> None:
    sys.argv[1:] = []
    from_python.main()


PARTS: dict[str, Callable[[], None]] = {
    "one call of native code, and its errors": one_call,
    "calls from Python": python,
    "random chains": chains.main,
    "instructions": lambda: callgrind.main() if not QUICK else print("\nnot counted in a quick run"),
    "generation": generation.main,
}


def main() -> None:
    start = time.perf_counter()
    print(f"{machine()}\n{len(MODELS)} models of {' and '.join(native.ROBOTS)}; results are kept in {OUT}")
    for number, (name, part) in enumerate(PARTS.items(), 1):
        print(f"\n── {number} of {len(PARTS)}: {name} ({time.perf_counter() - start:.0f} s)", flush=True)
        try:
            part()
        except Exception:  # the other parts are worth having all the same
            traceback.print_exc()
    print()
    plot.draw(OUT / "bench.png")
    verdict()
    print(f"{time.perf_counter() - start:.0f} s in all")


if __name__ == "__main__":
    main()
