"""Closed loops beside MuJoCo's C loop, all in one run: python bench/simulation.py [--quick] [robot …]

Computed torque along a quintic, 1 ms, the same integrator on both sides. Our plant holds a load whose mass and distance
along the tool's axis are run-time parameters that the law does not know, so the law's inverse dynamics and the plant's
forward dynamics are computed apart. Further rows: a load at any place, and a law that knows the plant, where the whole
loop folds. Times are processor time of the thread for one step of one arm: best and median of many short samples,
contenders in turn. On a busy machine compare the ratios.
"""

from __future__ import annotations

import argparse
import ctypes
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy as np
from joints import joints_of, mjcf
from libraries import COMPILER, Missing, _mujoco, built
from tables import claim, machine, ratio, save, table, verdict

import manipula as mp
from manipula.algebra.run.repeated import NEVER, Frames, Noise
from manipula.algebra.run.stepping import aligned_array, to_lanes

ROBOTS = ("puma560", "panda")
ROWS, STEP, DURATION, KP, KD = 4096, 1e-3, 1.0, 400.0, 40.0
LOAD = {"mL": 1.5, "rLx": 0.0, "rLy": 0.0, "rLz": 0.1}
ALONG, ANYWHERE = (0, 0, "rLz"), ("rLx", "rLy", "rLz")
CLAIMED = ("", "a load anywhere, ")
PLACES = {"": ALONG, "a load anywhere, ": ANYWHERE, "the law knows the plant, ": None}
SAMPLES, SECONDS, STEPS, SHARE = 200, 1e-3, 100, 64
NOISE = Noise(0, np.zeros((ROWS, 8), np.int64))
MUJOCO = ("MuJoCo", 0)
EULER, RK4 = 0, 1  # MuJoCo's numbers of its integrators
MUST = {  # of MuJoCo's time for the same integrator, PUMA and Panda
    (1, "semi-implicit"): (1 / 12, 1 / 8), (ROWS, "semi-implicit"): (1 / 50, 1 / 30), (ROWS, "rk4"): (1 / 50, 1 / 30),
}  # fmt: skip


class Timed(NamedTuple):
    best: float
    middle: float


def bare(name: str) -> mp.Robot:
    """As MuJoCo has it."""
    return mp.load(name).without("friction", "motor_inertia")


def measured(contenders: dict[Any, Callable[[int], Any]], samples: int) -> dict[Any, Timed]:
    """Seconds a repetition, of samples that take a millisecond, in turn."""
    counts = {name: _count(run) for name, run in contenders.items()}
    taken: dict[Any, list[float]] = {name: [] for name in contenders}
    for _ in range(samples):
        for name, run in contenders.items():
            begun = time.thread_time()
            run(counts[name])
            taken[name].append((time.thread_time() - begun) / counts[name])
    return {name: Timed(min(x), median(x)) for name, x in taken.items()}


def _count(run: Callable[[int], Any]) -> int:
    run(1)
    count = 1
    while True:
        begun = time.thread_time()
        run(count)
        spent = time.thread_time() - begun
        if spent > SECONDS / 2:
            return max(1, round(count * SECONDS / spent))
        count *= 2


class Mujoco:
    """Its loop in C, compiled against the headers and the library of its wheel."""

    def __init__(self) -> None:
        source = Path(__file__).parent / "drivers" / "mujoco_loop.c"
        self._code = ctypes.CDLL(str(built(COMPILER, [source], ["-O2", *_mujoco()])))

    def on(
        self, robot: mp.Robot, integrator: int, driven: int, q: Any, way: Any, step: float = STEP
    ) -> Callable[[int], Any]:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "arm.xml")
            file.write_text(mjcf(joints_of(robot)))
            assert self._code.open_arm(str(file).encode(), integrator, ctypes.c_double(step)) == 0
        numbers = [ctypes.c_double(x) for x in (DURATION, KP, KD)]

        def run(steps: int) -> Any:
            x, v = q.copy(), np.zeros_like(q)
            places = [ctypes.c_void_p(y.ctypes.data) for y in (q, way, x, v)]
            self._code.go(driven, ctypes.c_long(steps), *numbers, *places)
            return x

        return run


def loop_of(name: str, method: str, told: str = "") -> mp.System:
    """Euler: the torque held over a step. Runge–Kutta: the law in every stage."""
    robot, place = bare(name), PLACES[told]
    held = method != "rk4"
    law = mp.controller(robot, "computed_torque", kp=KP, kd=KD, sample=STEP if held else None)
    plant = robot if place is None else robot.with_payload("mL", place)
    zero = np.zeros(robot.dof)
    ref = mp.trajectory.quintic(zero, zero + 1, DURATION)
    return mp.closed_loop(plant, law, ref, method=method, step=None if held else STEP)


def dressed(name: str) -> mp.System:
    """The same with friction that sticks, torques that saturate and noise in what the law sees: Euler."""
    robot = mp.load(name).without("motor_inertia")
    most = [100.0] * robot.dof
    law = mp.controller(robot.without("friction"), "computed_torque", kp=KP, kd=KD, sample=STEP, limit=most)
    plant = mp.Plant(robot.with_payload("mL", ALONG), friction="stick", effort=most, stops=False)
    zero = np.zeros(robot.dof)
    ref = mp.trajectory.quintic(zero, zero + 1, DURATION)
    sensors = mp.Sensors(noise={"q": 1e-5, "qd": 1e-3})
    return mp.closed_loop(plant, law, ref, method="semi-implicit", sensors=sensors)


def over_plain(name: str, samples: int) -> None:
    """What friction, saturation and noise cost in a batch."""
    loops = {"plain": loop_of(name, "semi-implicit"), "stick, saturation, noise": dressed(name)}
    n, rng = bare(name).dof, np.random.default_rng(1)
    starts, ways = rng.uniform(-1, 1, (ROWS, n)), rng.uniform(-0.7, 0.7, (ROWS, n))
    times = measured({told: repeated(loop, starts, ways, ROWS) for told, loop in loops.items()}, samples)
    each = STEPS * SHARE
    rows = [
        [
            told,
            str(loops[told].cost),
            *_times(Timed(x.best / each, x.middle / each)),
            f"{x.best / times['plain'].best:.2f}",
        ]
        for told, x in times.items()
    ]
    table(f"{name}, Euler, batch of {ROWS}: ns a step", ["", "operations a step", "best", "median", "over plain"], rows)
    claim(f"{name}: batch with stick, saturation, noise over the plain one", float(rows[1][-1]), 3)


def repeated(loop: mp.System, starts: Any, ways: Any, rows: int) -> Callable[[int], Any]:
    """The machine code on its frames: what `loop.run` repeats, without what it does before and after."""
    f = loop.compile()
    entries = {**loop.settings, "ref_start": starts[:rows], "ref_goal": starts[:rows] + ways[:rows]}
    masses = np.random.default_rng(3).uniform(0.5, 2.5, rows)
    given = {name: x for port in loop.function.inputs if port.role == "setting" for name, x in _entries(port, entries)}
    load = {name: masses if name == "mL" else x for name, x in LOAD.items() if name in f.parameters}
    p = np.stack(np.broadcast_arrays(*({**given, **load}[name] for name in f.parameters), np.empty(rows))[:-1], axis=-1)
    lanes = f._kernel.lanes if rows > 1 else 1
    kept = f._kernel.prepare_rows(to_lanes(p, lanes, f.dtype))
    code = f._kernel.repeater(lanes)
    state = np.concatenate(loop.start(q=starts[:rows]), axis=-1)
    width = sum(int(np.prod(port.shape)) for port in f.outputs)
    first = to_lanes(state, lanes, f.dtype)
    states, nothing = aligned_array((2, *first.shape), f.dtype), aligned_array((len(first), 1, 0, lanes), f.dtype)
    frames = Frames(states, nothing, kept, aligned_array((len(first), 0, width, lanes), f.dtype), NOISE)

    blocks, at = -(-SHARE // lanes), [0]

    def run(count: int) -> None:
        """A share of the rows, a hundred steps each; the next call takes the next share. One arm goes on and on."""
        states[0] = first if rows == 1 else states[0]
        for _ in range(count if rows > 1 else 0):
            part = range(at[0], min(at[0] + blocks, len(first)))
            states[0, part.start : part.stop] = first[part.start : part.stop]
            code(frames, part, STEPS, 0, NEVER, 0)
            at[0] = part.stop % len(first)
        if rows == 1:
            code(frames, range(1), count * STEPS, 0, NEVER, 0)

    return run


def _entries(port: Any, values: Any) -> Any:
    table = np.asarray(values[port.name])
    return [(name, table[..., i]) for i, name in enumerate(port.names)]


def compared(name: str, mujoco: Mujoco, samples: int) -> list[list[str]]:
    robot, rng = bare(name).with_payload(1.5, (0, 0, 0.1)), np.random.default_rng(1)
    n = robot.dof
    starts, ways = rng.uniform(-1, 1, (ROWS, n)), rng.uniform(-0.7, 0.7, (ROWS, n))
    rows, place = [], ROBOTS.index(name) if name in ROBOTS else 1
    for method, integrator, driven in (("semi-implicit", EULER, 1), ("rk4", RK4, 2)):
        loops = {told: loop_of(name, method, told) for told in PLACES}
        cases = {(told, rows): repeated(loops[told], starts, ways, rows) for told in loops for rows in (1, ROWS)}
        times = measured({**cases, MUJOCO: mujoco.on(robot, integrator, driven, starts[0], ways[0])}, samples)
        theirs = times[MUJOCO]
        title = "Euler, torque held" if driven == 1 else "RK4, law in every stage"
        rows.append([f"{title}: MuJoCo, C loop", "", *_times(theirs), ""])
        for told, count in cases:
            each = STEPS * min(count, SHARE)
            mine = Timed(times[told, count].best / each, times[told, count].middle / each)
            what = f"{title}: {told}{'one arm' if count == 1 else f'batch of {count}'}"
            rows.append([what, str(loops[told].cost), *_times(mine), ratio(mine.best, theirs.best)])
            if (count, method) in MUST and told in CLAIMED:
                claim(f"{name}: {what}, over MuJoCo", mine.best / theirs.best, MUST[count, method][place])
    return rows


def _times(x: Timed) -> list[str]:
    return [f"{x.best * 1e9:.1f}", f"{x.middle * 1e9:.1f}"]


def on_this_machine() -> Mujoco | None:
    """MuJoCo's loop; without it nothing can be compared, and that is said."""
    print(machine())
    try:
        return Mujoco()
    except Missing as reason:
        print(f"left out: {reason}")
        return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("robots", nargs="*", default=ROBOTS)
    parser.add_argument("--quick", action="store_true")
    asked = parser.parse_args()
    mujoco = on_this_machine()
    if mujoco is None:
        return 0
    found = {name: compared(name, mujoco, SAMPLES // 8 if asked.quick else SAMPLES) for name in asked.robots}
    for name, rows in found.items():
        table(f"{name}: ns a step", ["", "operations a step", "best", "median", "over MuJoCo"], rows)
    for name in asked.robots:
        if any(joint.actuator.laws for joint in mp.load(name).joints):
            over_plain(name, SAMPLES // 8 if asked.quick else SAMPLES)
    save("simulation", found)
    return verdict()


if __name__ == "__main__":
    raise SystemExit(main())
