"""The cycle of every control law: operations, and nanoseconds of one step in machine code, beside inverse dynamics.

python bench/cycles.py [--only LAW]      PUMA 560 and Panda; best and median of rounds in one process
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))
import manipula as mp
from bench.clock import STATES, Loop
from manipula import api
from manipula.algebra.run.compiled_function import Compiled
from manipula.generation.results.model import Model

ONLY = sys.argv[sys.argv.index("--only") + 1 :] if "--only" in sys.argv else list(api.laws())
ROUNDS, REPETITIONS = 60, 4096


def machine_code(model: Model) -> Callable[[int], None]:
    """One step after the other on `STATES` random states, called as from a C program."""
    code, rng = model.compile(), np.random.default_rng(1)
    inputs = [rng.uniform(-1, 1, (STATES, len(port.symbols))) for port in model.function.inputs if port.online]
    offline = [name for port in model.function.inputs if not port.online for name in port.names]
    k = code.kept(dict.fromkeys(offline, 0.5) or None)
    outputs = [np.empty(port.shape) for port in model.function.outputs]
    rows = [
        [*(x[i].ctypes.data for x in inputs), k.ctypes.data, *(x.ctypes.data for x in outputs)] for i in range(STATES)
    ]
    return Loop(len(rows[0])).of(_address(code), rows, inputs, outputs, k, code)


def _address(code: Compiled) -> int:
    assert code.address_of_one is not None, "no compiler on this machine"
    return code.address_of_one


def nanoseconds(run: Callable[[int], None]) -> tuple[float, float]:
    """Best and median of a step, in processor time of the thread."""
    run(REPETITIONS)
    found = []
    for _ in range(ROUNDS):
        start = time.thread_time_ns()
        run(REPETITIONS)
        found.append((time.thread_time_ns() - start) / REPETITIONS)
    return min(found), median(found)


def line(name: str, model: Any, base: float) -> float:
    best, middle = nanoseconds(machine_code(model))
    print(f"{name:24s} {best:8.1f} {middle:8.1f} {best / (base or best):8.2f}   {model.cost}", flush=True)
    return best


def main() -> None:
    for robot in ("puma560", "panda"):
        print(f"\n{robot:24s} {'best ns':>8s} {'median':>8s} {'over ID':>8s}   operations")
        base = line("inverse_dynamics", mp.generate(robot, "inverse_dynamics"), 0.0)
        for law in ONLY:
            line(law, api.law_model(robot, law), base)


if __name__ == "__main__":
    main()
