"""Time to generate, prove and compile: `python bench/generation.py`. The cache is off, but for the last table.

Each line runs in a process of its own, so nothing is warm; the time to import the package is told apart.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

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


def job(name: str) -> None:
    """One line, in this process."""
    make, model, options = JOBS[name]
    robot = make()
    start = time.perf_counter()
    made = mp.generate(robot, model, **options)  # type: ignore[arg-type]
    generated = time.perf_counter()
    made.compile()
    done = time.perf_counter()
    print(f"{name:44} {generated - start:8.2f} {done - generated:8.2f} {made.cost.total:8}")


def first_answer() -> None:
    """From a loaded package to the first torque of a 7-joint arm."""
    start = time.perf_counter()
    arm = mp.Arm("panda")
    arm.inverse_dynamics([0.1] * 7, [0.2] * 7, [0.3] * 7)
    print(f"first answer of a 7-joint arm: {time.perf_counter() - start:.3f} s")


def main() -> None:
    print(f"{'':44} {'generate':>8} {'compile':>8} {'ops':>8}", flush=True)
    for name in JOBS:
        subprocess.run([sys.executable, __file__, name], env={**os.environ, "MANIPULA_CACHE": "off"}, check=False)
    with tempfile.TemporaryDirectory() as place:
        for kind in ("nothing cached", "from the cache", "from the cache"):
            print(f"{kind}: ", end="", flush=True)
            setting = {**os.environ, "MANIPULA_CACHE": place}
            subprocess.run([sys.executable, __file__, "--first"], env=setting, check=True)


if __name__ == "__main__":
    if sys.argv[1:] == ["--first"]:
        first_answer()
    elif sys.argv[1:]:
        job(sys.argv[1])
    else:
        main()
