"""Time to generate, prove and compile: `python bench/generation.py`. The cache is off, but for the last table.

Each line runs in a process of its own, so nothing is warm; the time to import the package is not counted.
Seconds are processor time, which does not count the turns of others on a busy machine.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

from tables import claim, table

import manipula as mp


def chain(joints: int) -> mp.Robot:
    """A generic arm of revolute joints with numbers for everything, no two alike."""
    rows = [
        {
            "theta": 0, "d": 0.1 + 0.013 * i, "a": 0.2 + 0.007 * i, "alpha": (90, -90, 0, 60)[i % 4],
            "mass": 1 + 0.1 * i, "com": [0.01 * (i + 1), 0.02, -0.03],
            "inertia": {"xx": 0.2 + 0.001 * i, "yy": 0.3, "zz": 0.25, "xy": 0.01, "xz": -0.02, "yz": 0.015},
        }
        for i in range(joints)
    ]  # fmt: skip
    return mp.Robot.from_dh(rows, convention="standard", angle="deg", name=f"chain{joints}")


def symbolic_chain(joints: int) -> mp.Robot:
    rows = [(f"q{i + 1}", f"d{i + 1}", f"a{i + 1}", (90, -90, 0, 90)[i % 4]) for i in range(joints)]
    return mp.Robot.from_dh(rows, convention="standard", angle="deg", name=f"symbolic{joints}")


JOBS: dict[str, tuple[Callable[[], mp.Robot], str, dict[str, str]]] = {
    "PUMA 560, inverse dynamics, all symbolic": (lambda: mp.load("puma560_symbolic"), "inverse_dynamics", {}),
    "PUMA 560, complete Lagrange": (lambda: mp.load("puma560_symbolic"), "lagrange_terms", {}),
    "8 joints, complete Lagrange": (lambda: symbolic_chain(8), "lagrange_terms", {}),
    "24 joints, inverse dynamics": (lambda: symbolic_chain(24), "inverse_dynamics", {}),
    "100 joints, inverse dynamics": (lambda: chain(100), "inverse_dynamics", {}),
    "7 joints (Panda), inverse dynamics": (lambda: mp.load("panda"), "inverse_dynamics", {}),
    "7 joints (Panda), derivatives": (lambda: mp.load("panda"), "inverse_dynamics_derivatives", {}),
}


COMPILED = "7 joints (Panda), inverse dynamics"
MOST = {"compile": 0.3, "nothing cached": 1.5, "from the cache": 0.1}  # seconds


def job(name: str) -> None:
    """One line, in this process; the best of three compilations, for others may use the machine."""
    make, model, options = JOBS[name]
    robot = make()
    start = time.process_time()
    made = mp.generate(robot, model, **options)  # type: ignore[arg-type]
    generated = time.process_time() - start
    compiled = min(_seconds(made.compile) for _ in range(3))
    print(f"{generated:.3f} {compiled:.3f} {made.cost.total}")


def _seconds(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def unseen() -> mp.Robot:
    """An arm like the Panda that nobody has: its lengths and masses are drawn anew each time."""
    draw = random.Random(int(os.environ["MANIPULA_BENCH_ARM"]))
    rows = [(0, draw.uniform(0.1, 0.4), draw.uniform(-0.1, 0.1), (90, -90, 90, -90, 90, -90, 0)[i]) for i in range(7)]
    bodies = [
        {"mass": draw.uniform(1, 4), "com": [draw.uniform(-0.1, 0.1) for _ in range(3)],
         "inertia": {key: draw.uniform(0.02, 0.03) if key[0] == key[1] else draw.uniform(-0.002, 0.002)
                     for key in ("xx", "yy", "zz", "xy", "xz", "yz")}}
        for _ in rows
    ]  # fmt: skip
    table = [dict(zip(("theta", "d", "a", "alpha"), row)) | body for row, body in zip(rows, bodies)]
    return mp.Robot.from_dh(table, convention="standard", angle="deg", name="unseen")


def first_answer() -> None:
    """From a loaded package to the first torque of a 7-joint arm: generated, proved, compiled, or found again."""
    robot = unseen()
    print(f"{_seconds(lambda: mp.Arm(robot).inverse_dynamics([0.1] * 7, [0.2] * 7, [0.3] * 7)):.3f}")


def _told(*words: str, **setting: str) -> list[float]:
    """What a fresh process measures."""
    done = subprocess.run(
        [sys.executable, __file__, *words], env=os.environ | setting, capture_output=True, text=True, check=False
    )
    if done.returncode:
        print(done.stderr.strip().splitlines()[-1])
        return []
    return [float(word) for word in done.stdout.split()]


def generated() -> None:
    rows = []
    for name in JOBS:
        found = _told(name, MANIPULA_CACHE="off")
        if found:
            rows.append([name, f"{found[0]:.2f}", f"{found[1]:.3f}", f"{found[2]:.0f}"])
        if found and name == COMPILED:
            claim("7 joints: inverse dynamics compiled by LLVM", found[1], MOST["compile"], " s")
    table("time to generate and prove, and to compile", ["", "generate s", "compile s", "ops"], rows)


def answered() -> None:
    rows = []
    with tempfile.TemporaryDirectory() as place:
        best = {"nothing cached": float("inf"), "from the cache": float("inf")}
        for number in range(3):
            for kind, so_far in best.items():
                found = _told("--first", MANIPULA_CACHE=place, MANIPULA_BENCH_ARM=str(number + os.getpid()))
                best[kind] = min(so_far, *found)
    for kind, seconds in best.items():
        rows.append([kind, f"{seconds:.3f}"])
        claim(f"first answer of a 7-joint arm, {kind}", seconds, MOST[kind], " s")
    table("first answer of a 7-joint arm nobody has seen, proof included, best of three arms", ["", "s"], rows)


def main() -> None:
    generated()
    answered()


if __name__ == "__main__":
    if sys.argv[1:] == ["--first"]:
        first_answer()
    elif sys.argv[1:]:
        job(sys.argv[1])
    else:
        main()
