"""What a small error costs, beside MuJoCo's RK4: python bench/work_precision.py [--quick] [robot]

An arm falls free for a second from several starts. For each, the fewest steps that end within 1e-8 rad of the truth, of
MuJoCo's RK4 (its loop in C) and of our methods, one arm and a row of a batch; the time is that number of steps times
the time of a step, measured in turn in one run. The truth is our method of order 8 at a quarter of a millisecond;
beside it stands how far that is from an integration over 80-bit floats, for the first start.
PUMA is left out: MuJoCo turns its inertias, which no body can have, into others.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from simulation import RK4, ROWS, SHARE, STEPS, Mujoco, Timed, bare, measured, on_this_machine
from tables import claim, ratio, save, table, verdict

sys.path.insert(0, str(Path(__file__).parent.parent))
import manipula as mp
from manipula.algebra.run.repeated import NEVER, Frames, Noise
from manipula.algebra.run.stepping import aligned_array, to_lanes
from manipula.generation.results.system import System
from manipula.simulation.plant import arm_function
from tests.extended import falling

CLOSE, TRUTH, GROWTH, MOST = 1e-8, 4000, 1.04, 60_000
METHODS = ("rk4", "rk8")
MUST = 1 / 60
Steps = Callable[[Any, int], Any]  # (start, steps) → positions after a second


def system_of(robot: mp.Robot, method: str) -> System:
    return System(arm_function(robot, method), None, settings={"sample": (1e-3,)}, sample=1e-3)


def ours(system: System, n: int) -> Steps:
    def run(q: Any, steps: int) -> Any:
        return system.run(system.start(q=q), steps, np.zeros(n), p={"sample": 1 / steps}, every=0).state.q

    return run


def theirs(mujoco: Mujoco, robot: mp.Robot) -> Steps:
    def run(q: Any, steps: int) -> Any:
        return mujoco.on(robot, RK4, 0, q, np.zeros_like(q), 1 / steps)(steps)

    return run


def fewest(run: Steps, q: Any, true: Any, from_: int) -> int:
    """Steps that are enough, and from which on more are enough, too."""
    count, good = from_, 0
    while count < MOST:
        good = good + 1 if np.abs(run(q, count) - true).max() <= CLOSE else 0
        if good == 3:
            return round(count / GROWTH**2)
        count = max(count + 1, round(count * GROWTH))
    return MOST


def stepping(system: System, q: Any, rows: int) -> Callable[[int], Any]:
    """The machine code on its frames, a hundred steps a call."""
    f = system.compile()
    lanes = f._kernel.lanes if rows > 1 else 1
    starts = np.broadcast_to(q, (rows, len(q)))
    kept = f._kernel.prepare_rows(to_lanes(np.full((rows, 1), 1e-4), lanes, f.dtype))
    first = to_lanes(np.concatenate(system.start(q=starts), axis=-1), lanes, f.dtype)
    states = aligned_array((2, *first.shape), f.dtype)
    width = sum(int(np.prod(port.shape)) for port in f.outputs)
    still = to_lanes(np.zeros((rows, len(q))), lanes, f.dtype)[:, None]
    noise = Noise(0, np.zeros((rows, 8), np.int64))
    frames = Frames(states, still, kept, aligned_array((len(first), 0, width, lanes), f.dtype), noise)
    code = f._kernel.repeater(lanes)

    def run(count: int) -> None:
        for _ in range(count):
            states[0] = first
            code(frames, range(len(first)), STEPS, 0, NEVER, 0)

    return run


def step_times(systems: dict[str, System], mujoco: Mujoco, robot: mp.Robot, q: Any, samples: int) -> dict[Any, Timed]:
    """Seconds a step of one arm."""
    cases = {(method, rows): stepping(x, q, rows) for method, x in systems.items() for rows in (1, SHARE)}
    raw = measured({**cases, "MuJoCo": mujoco.on(robot, RK4, 0, q, np.zeros_like(q), 1e-4)}, samples)
    each = {key: STEPS * key[1] if key in cases else 1 for key in raw}
    return {key: Timed(x.best / each[key], x.middle / each[key]) for key, x in raw.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("robot", nargs="?", default="panda")
    parser.add_argument("--quick", action="store_true")
    asked = parser.parse_args()
    mujoco = on_this_machine()
    if mujoco is None:
        return 0
    robot = bare(asked.robot)
    systems = {method: system_of(robot, method) for method in METHODS}
    starts = [np.random.default_rng(seed).uniform(-1, 1, robot.dof) for seed in range(3 if asked.quick else 8)]
    runs = {"MuJoCo": theirs(mujoco, robot), **{method: ours(x, robot.dof) for method, x in systems.items()}}
    truths = [runs["rk8"](q, TRUTH) for q in starts]
    times = step_times(systems, mujoco, robot, starts[0], 25 if asked.quick else 100)
    if not asked.quick:
        wide = falling(robot, starts[0], 1.0, 240)[: robot.dof]
        print(f"the truth of the first start is {np.abs(wide - truths[0]).max():.1e} rad from 80-bit floats")
    counts = {name: [fewest(run, q, x, 50 if name == "rk8" else 500) for q, x in zip(starts, truths)]
              for name, run in runs.items()}  # fmt: skip
    report(asked.robot, counts, times, systems)
    return verdict()


def report(name: str, counts: dict[str, list[int]], times: dict[Any, Timed], systems: dict[str, System]) -> None:
    others = [times["MuJoCo"].best * x for x in counts["MuJoCo"]]
    rows = [["MuJoCo RK4, C loop", "", f"{times['MuJoCo'].best * 1e9:.0f}", _listed(counts["MuJoCo"]),
             f"{median(others) * 1e6:.0f}", "", ""]]  # fmt: skip
    for method, system in systems.items():
        for count, told in ((1, "one arm"), (SHARE, f"batch of {ROWS}")):
            each = times[method, count].best
            found = [each * x / y for x, y in zip(counts[method], others)]
            rows.append([f"{method}, {told}", str(system.cost), f"{each * 1e9:.0f}", _listed(counts[method]),
                         f"{median(each * x for x in counts[method]) * 1e6:.0f}", ratio(median(found), 1.0),
                         f"{ratio(min(found), 1.0)} … {ratio(max(found), 1.0)}"])  # fmt: skip
            if (method, count) == ("rk8", 1):
                what = f"{name}: {CLOSE:g} rad after 1 s, one arm, over MuJoCo RK4, median of the starts"
                claim(what, median(found), MUST)
    head = ["", "operations a step", "ns a step", "steps", "µs, median", "over MuJoCo", "range"]
    table(f"{name}: a second of falling to {CLOSE:g} rad", head, rows)
    save("work_precision", counts)


def _listed(counts: list[int]) -> str:
    return " ".join(map(str, counts))


if __name__ == "__main__":
    raise SystemExit(main())
