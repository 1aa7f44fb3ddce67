"""General 6R inverse kinematics on random poses: solved, original found, complete, residuals, times; Python and C.

Run it with `python -m bench.general6r [poses]`. Times of calls are the thread's: others on the machine
matter little.
"""

from __future__ import annotations

import ctypes
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import manipula as mp
from manipula.algebra.run.routines import compiled_together
from manipula.ik.general6r.elimination import wrap_angles
from manipula.ik.general6r.roots import MOST
from manipula.ik.general6r.solver import TEXTS, GeneralAnswer
from manipula.ik.numeric.arrays import Floats

E = 0.0741 / np.sqrt(3)  # what a bend of 60° takes from each side, Kinova's tables for the bent wrist

# theta, d, a, alpha in degrees, standard
ARMS: dict[str, Sequence[tuple[float, float, float, float]]] = {
    "random, all non-zero": [
        (10, 0.31, 0.22, 67), (-35, 0.17, 0.45, -38), (80, 0.24, 0.33, 104),
        (55, 0.38, 0.12, -73), (-20, 0.15, 0.27, 51), (30, 0.21, 0.09, -29),
    ],
    "bent wrist (JACO 2)": [
        (0, 0.2755, 0, 90), (0, 0, 0.41, 180), (0, -0.0098, 0, 90),
        (0, -(0.2073 + E), 0, 60), (0, -2 * E, 0, 60), (0, -(0.16 + E), 0, 180),
    ],
    "twists of 1°": [
        (0, 0.2, 0.3, 1), (0, 0.1, 0.5, 1), (0, 0.3, 0.4, 1), (0, 0.15, 0.35, 1), (0, 0.2, 0.25, 1), (0, 0.1, 0.1, 1),
    ],
    "twists of 90° and 1°": [
        (0, 0, 0.3, 90), (0, 0, 1, 1), (0, 0.2, 0, 90), (0, 0, 1.5, 1), (0, 0, 0, 90), (0, 0.4, 0.8, 1),
    ],
    "spherical wrist, general arm": [
        (0, 0.3, 0.1, 70), (0, 0.2, 0.4, 25), (0, 0.1, 0.2, -80), (0, 0.4, 0, 90), (0, 0, 0, -90), (0, 0.1, 0, 0),
    ],
    "three parallel, general rest": [
        (0, 0.1, 0.4, 0), (0, 0.2, 0.35, 0), (0, 0.15, 0.1, 75),
        (0, 0.2, 0.25, -60), (0, 0.3, 0.15, 85), (0, 0.1, 0.05, 0),
    ],
}  # fmt: skip
NEAR = ("random, all non-zero", "bent wrist (JACO 2)", "twists of 1°")  # also beside singularities
FOUND = 1e-5  # rad; rounding of the pose moves a near-double root by so much at most
AWAY = 10.0 ** -np.arange(2, 8)  # rad; how far beside
HEADS = (
    "solved%", "original%", "complete%", "residual", "real", "ms/call", "least", "ms/batch", "set-up s", "C µs",
    "C same%",
)  # fmt: skip


def robots() -> dict[str, mp.Robot]:
    return {name: mp.Robot.from_dh(rows, convention="standard", angle="deg", name="arm") for name, rows in ARMS.items()}


def random_q(count: int) -> Floats:
    return np.random.default_rng(7).uniform(-np.pi, np.pi, (count, 6))


def beside_singularities(arm: mp.Arm, count: int) -> Floats:
    """Configurations at distances `AWAY` from one with det J = 0, in the direction in which the tool stands still."""
    rng, found = np.random.default_rng(3), []
    t = np.linspace(0, 1, 30)
    while len(found) < count:
        a, b = rng.uniform(-np.pi, np.pi, (2, 6))
        d = np.linalg.det(arm.jacobian(a + (b - a) * t[:, None]))
        for i in np.flatnonzero(d[:-1] * d[1:] < 0)[:1]:
            low, high = t[i], t[i + 1]
            for _ in range(60):
                middle = (low + high) / 2
                same = np.linalg.det(arm.jacobian(a + (b - a) * middle)) * d[i] > 0
                low, high = (middle, high) if same else (low, middle)
            at = a + (b - a) * low
            found.append(at + AWAY[len(found) % len(AWAY)] * np.linalg.svd(arm.jacobian(at))[2][5])
    return np.array(found)


class Answer(ctypes.Structure):
    """As the emitted header has it."""

    _fields_ = [
        *((name, ctypes.c_int) for name in ("count", "roots", "complete", "readings")),
        ("q", ctypes.c_double * 6 * MOST), ("residual", ctypes.c_double * MOST), ("apart", ctypes.c_double * MOST),
    ]  # fmt: skip


def emitted(robot: mp.Robot) -> Callable[[int, Answer], None] | None:
    """The arm's C through the compiler of this machine: (address of a pose, answer)."""
    cc = which("cc") or which("gcc") or which("clang")
    if cc is None:
        return None
    with TemporaryDirectory() as folder:
        paths = mp.generate(robot, "inverse_kinematics").emit("c", folder)
        source = next(path for path in paths if path.suffix == ".c" and not path.stem.endswith("_test"))
        library = Path(folder) / "solver.so"
        subprocess.run([cc, "-std=c99", "-O2", "-shared", "-fPIC", source, "-lm", "-o", library], check=True)
        function = getattr(ctypes.CDLL(str(library)), source.stem)
    function.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    return lambda pose, answer: function(pose, ctypes.addressof(answer))


def timed(run: Callable[[Any], Any], rows: Sequence[Any]) -> tuple[list[Any], Floats]:
    """What each row gives, and the thread's seconds for it."""
    found, spent = [], []
    for row in rows:
        start = time.thread_time()
        found.append(run(row))
        spent.append(time.thread_time() - start)
    return found, np.array(spent)


def cells(arm: mp.Arm, q: Floats, ready: float, code: Callable[[int, Answer], None] | None) -> Iterator[str]:
    """One row of the table."""
    T = np.ascontiguousarray(arm.pose(q))
    found, spent = timed(lambda pose: arm.inverse_kinematics(pose).q, T)
    start = time.thread_time()
    arm.inverse_kinematics(T)
    batch = time.thread_time() - start
    general = arm.inverse_solver.general
    assert general is not None
    answers: list[GeneralAnswer] = general.solve_many(T)
    yield f"{100 * np.mean([len(x) > 0 for x in found]):.1f}"
    yield f"{100 * np.mean([original(x, own) for x, own in zip(found, q, strict=True)]):.1f}"
    yield f"{100 * np.mean([answer.info.complete for answer in answers]):.1f}"
    yield f"{max(answer.residual.max(initial=0) for answer in answers):.1e}"
    yield f"{np.mean([len(x) for x in found]):.2f}"
    yield from (f"{1e3 * x:.3f}" for x in (spent.mean(), spent.min(), batch / len(T)))
    yield f"{ready:.2f}"
    if code is None:
        yield from ("-", "-")
        return
    answer = Answer()
    _, spent = timed(lambda pose: code(pose.ctypes.data, answer), T)
    yield f"{1e6 * np.median(spent):.0f}"
    yield f"{100 * np.mean([same(x, solved(code, pose, answer)) for x, pose in zip(found, T, strict=True)]):.1f}"


def solved(code: Callable[[int, Answer], None], pose: Floats, answer: Answer) -> Floats:
    code(pose.ctypes.data, answer)
    return np.array(answer.q)[: answer.count]


def same(a: Floats, b: Floats) -> bool:
    """Has each solution of one its like in the other?"""
    return all(original(b, q) for q in a) and all(original(a, q) for q in b)


def original(found: Floats, q: Floats) -> bool:
    return bool(len(found)) and float(np.abs(wrap_angles(found - q)).max(-1).min()) < FOUND


def line(name: str, texts: Sequence[str]) -> str:
    return f"{name:36s}" + "".join(f"{text:>{max(len(head) + 2, 9)}s}" for head, text in zip(HEADS, texts, strict=True))


def main() -> None:
    poses = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    start = time.process_time()
    compiled_together(*TEXTS)
    print(f"{poses} poses of each arm; machine code for all of them: {time.process_time() - start:.1f} s (then cached)")
    print(line("arm", HEADS))
    for name, robot in robots().items():
        start = time.process_time()
        arm = mp.Arm(robot)
        _ = arm.inverse_solver.general
        ready = time.process_time() - start
        code = emitted(robot)
        print(line(name, list(cells(arm, random_q(poses), ready, code))), flush=True)
        if name in NEAR:
            q = beside_singularities(arm, poses)
            print(line(f"{name}, near-double roots", list(cells(arm, q, ready, code))), flush=True)


if __name__ == "__main__":
    main()
