"""This tree beside an earlier commit: python bench/before.py COMMIT [rounds] [part of a job's name]

The commit is checked out in a temporary folder. Each tree has a process of its own that loads its package, with the
cache off, and waits; a round asks one and then the other for a short sample of the same job, in turn which is first.
What is counted is processor time, which does not count the turns of others. Ratios are this tree's time over the
other's: of the best samples, and the median of the rounds' own. A measurement, not a test.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from tables import machine, ratio, table

ROOT = Path(__file__).resolve().parent.parent
ARMS = ("puma560", "ur5", "cobra600")
POSES = (3, 100, 1_000, 20_000)
MODELS = (
    ("puma560_symbolic", "inverse_dynamics"), ("puma560_symbolic", "lagrange_terms"), ("rx90", "forward_dynamics"),
    ("panda", "inverse_dynamics"), ("panda", "jacobian"), ("ur5", "inverse_kinematics"),
)  # fmt: skip
SEARCHED, MOVES = "stanford", 400_000
SAMPLE_SECONDS = 0.01

Job = Callable[[], Any]


# in each tree


def jobs() -> Iterator[tuple[str, Callable[[], Job]]]:
    """What is measured; a job is made ready when it is first requested."""
    import manipula as mp

    def arm_and_pose(name: str) -> tuple[Any, Any, Any]:
        arm = mp.Arm(name)
        q = np.random.default_rng(1).uniform(-1.2, 1.2, (max(POSES), arm.dof))
        return arm, q, arm.pose(q)

    def one(name: str, seeded: bool) -> Job:
        arm, q, poses = arm_and_pose(name)
        solve, pose, seed = arm.inverse_kinematics, poses[0].copy(), q[1].copy()
        return (lambda: solve(pose, seed)) if seeded else (lambda: solve(pose))

    def many(name: str, count: int) -> Job:
        arm, _, poses = arm_and_pose(name)
        solve, some = arm.inverse_kinematics, poses[:count].copy()
        return lambda: solve(some)

    for robot, model in MODELS:
        yield f"generate {robot} {model}", lambda x=robot, y=model: lambda: mp.generate(x, y)
    for name in ARMS:
        yield f"one pose, {name}", lambda x=name: one(x, False)
        yield f"one pose and a seed, {name}", lambda x=name: one(x, True)
    for name in ARMS:
        for count in POSES:
            yield f"{count} poses, {name}", lambda x=name, n=count: many(x, n)
    yield f"{MOVES} moves of the search", searching


def searching() -> Job:
    """The search alone; its parts have stood elsewhere and its moves been given otherwise."""
    from manipula.algebra.optimise.search.engine import search_ways
    from manipula.mechanics.robot.library import text_of

    wanted = ("inverse_dynamics", "newton-euler", "all")
    try:
        from manipula.generation.build import build_function
        from manipula.generation.prepare import Request, prepare
        from manipula.mechanics.robot.formats.toml.read import robot_from_toml
        from manipula.support.progress import Effort
    except ImportError:
        earlier, toml = import_module("manipula.bridge"), import_module("manipula.mechanics.robot.formats.toml")
        asked = earlier.Request(toml.robot_from_toml(text_of(SEARCHED)), *wanted)
        plain = earlier.built(asked, earlier.Choice("newton-euler"))
        return lambda: search_ways(plain, moves=MOVES)  # type: ignore[call-arg]
    named = vars(import_module("manipula.generation.prepare"))
    formulation = named.get("Formulation") or named["Choice"]
    made = build_function(prepare(Request(robot_from_toml(text_of(SEARCHED)), *wanted)), formulation("newton-euler"))
    return lambda: search_ways(made, Effort(MOVES))


def work() -> None:
    """Lines "name, tab, repetitions" in, seconds of one repetition out, until there are no more."""
    warnings.simplefilter("ignore")  # some published inertias are not physical
    known, ready = dict(jobs()), dict[str, Job]()
    for line in sys.stdin:
        name, count = line.rstrip("\n").split("\t")
        run = ready.setdefault(name, ready.get(name) or known[name]())
        start = time.process_time()
        for _ in range(int(count)):
            run()
        print((time.process_time() - start) / int(count), flush=True)


# around both


class Tree:
    """A tree's own process."""

    def __init__(self, folder: Path) -> None:
        setting = os.environ | {"PYTHONPATH": str(folder), "MANIPULA_CACHE": "off", "OMP_NUM_THREADS": "1"}
        command = [sys.executable, __file__, "--work"]
        self._process = subprocess.Popen(
            command, env=setting, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )

    def seconds(self, job: str, count: int) -> float:
        asked, answers = self._process.stdin, self._process.stdout
        assert asked is not None and answers is not None
        asked.write(f"{job}\t{count}\n")
        return float(answers.readline())

    def end(self) -> None:
        self._process.communicate()


def compared(now: Tree, before: Tree, job: str, rounds: int) -> list[str]:
    """A line of the table."""
    for tree in (now, before):
        tree.seconds(job, 1)  # what is made once
    slowest = max(tree.seconds(job, 1) for tree in (now, before))
    count = max(1, int(SAMPLE_SECONDS / max(slowest, 1e-7)))
    samples = max(3, min(rounds, int(20 / slowest)))  # at most some 40 s a job
    taken: dict[Tree, list[float]] = {now: [], before: []}
    for number in range(samples):
        for tree in (now, before) if number % 2 else (before, now):
            taken[tree].append(tree.seconds(job, count))
    best, than = min(taken[now]), min(taken[before])
    each = median(a / b for a, b in zip(taken[now], taken[before], strict=True))
    return [job, told(best), told(than), ratio(best, than), f"{each:.2f}", str(samples)]


def told(seconds: float) -> str:
    return f"{seconds * 1e6:.2f} µs" if seconds < 1e-3 else f"{seconds * 1e3:.1f} ms"


def main(commit: str, rounds: int, part: str) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "before"
        subprocess.run(["git", "-C", ROOT, "worktree", "add", "-q", "--detach", folder, commit], check=True)
        try:
            now, before = Tree(ROOT), Tree(folder)
            rows = [compared(now, before, job, rounds) for job, _ in jobs() if part in job]
            now.end()
            before.end()
        finally:
            subprocess.run(["git", "-C", ROOT, "worktree", "remove", "--force", folder], check=True)
    print(machine())
    table(f"processor time beside {commit}", ["", "now", "before", "of best", "median", "rounds"], rows)


if __name__ == "__main__":
    if sys.argv[1:] == ["--work"]:
        work()
    elif len(sys.argv) > 1:
        main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 40, sys.argv[3] if len(sys.argv) > 3 else "")
    else:
        raise SystemExit(__doc__)
