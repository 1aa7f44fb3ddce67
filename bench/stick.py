"""Arms that stick, in figures: python bench/stick.py [--quick]

Held loads, ramps against the formula, falls that end, reversing torques with many changes, energy of every library arm,
where arms are after a second against 80-bit floats, fixed steps beside the event-driven motion and their operations
beside the plain loop. Best and median over seeds.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))
import manipula as mp
from manipula.errors import ManipulaError
from manipula.generation.results.system import System
from manipula.simulation.event_driven import integrate
from manipula.simulation.exact.mechanism import Mechanism
from manipula.simulation.plant import Plant, arm_function
from tests.extended import falling
from tests.laws.test_extended import ended, random_arm

QUICK = "--quick" in sys.argv
SEEDS = range(2 if QUICK else 6)
PUMA = Plant(mp.load("puma560"), effort=None, stops=False)
START = np.array([0.2, -0.3, 0.5, 0.3, 0.4, 0.1])
warnings.simplefilter("ignore", mp.ManipulaWarning)


def told(what: str, values: Sequence[float]) -> None:
    print(f"{what:64s} best {min(values):9.3g}   median {median(values):9.3g}   worst {max(values):9.3g}")


def held() -> None:
    """Torques anywhere within what friction holds, a minute: the bits that moved."""
    arm, moved = Mechanism(PUMA.robot, True, None), []
    low, high = arm.rubbing.bounds(np.zeros(6))
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        q, still = rng.uniform(-1, 1, 6), np.zeros(6)
        tau = arm.bias(q, still) + arm.rubbing.smooth(still, still) + low + rng.uniform(0.02, 0.98, 6) * (high - low)
        course = integrate(PUMA, lambda t, q, v, tau=tau: tau, q, 60.0, at=[60.0], longest=5.0)
        moved.append(float((course.q[-1] != q).sum() + course.qd[-1].any()))
    told("held load, 60 s, entries that changed", moved)


def ramps() -> None:
    """Breakaway against t = f/k, each joint in turn."""
    arm, late = Mechanism(PUMA.robot, True, None), []
    high = arm.rubbing.bounds(np.zeros(6))[1]
    for i in range(6):
        base = arm.bias(START, np.zeros(6)) + arm.rubbing.smooth(np.zeros(6), np.zeros(6))
        ramp = np.eye(6)[i] * high[i]
        course = integrate(PUMA, lambda t, q, v, b=base, r=ramp: b + r * t, START, 1.2)
        late.append(abs(next(x.t for x in course.changes if x.joint == i) - 1.0))
    told("ramped load, breakaway time − formula, s", late)


def falls() -> None:
    course = integrate(PUMA, None, START, 10.0)
    print(f"PUMA falls: rests at {course.changes[-1].t:.6f} s, q̇ = {np.abs(course.qd[-1]).max():g}, "
          f"{len(course.changes)} changes, {course.evaluations} evaluations, balance {course.balance:.1e}")  # fmt: skip


def reversing() -> None:
    found = []
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        A = np.array([40, 60, 25, 6, 5, 4]) * rng.uniform(0.8, 1.2, 6)
        f = np.array([1.3, 1.7, 2.1, 3.1, 3.7, 4.3]) * rng.uniform(0.9, 1.1, 6)

        def torque(t: float, q: Any, v: Any, A: Any = A, f: Any = f) -> Any:
            return A * np.sin(2 * np.pi * f * t)

        found.append(integrate(PUMA, torque, START, 2.4, rtol=1e-11, atol=1e-13))
    print(f"reversing torques, six joints: changes {[len(x.changes) for x in found]}")
    told("  evaluations", [x.evaluations for x in found])
    told("  evaluations for 80 changes", [x.evaluations * 80 / len(x.changes) for x in found])
    told("  power balance, relative", [x.balance for x in found])


def energy() -> None:
    """Every library arm with masses, no friction, 10 s."""
    drift: dict[str, float] = {}
    for name in mp.robots():
        robot = mp.load(name)
        if any(value is None for value in robot.parameters.values()) or (QUICK and name not in ("puma560", "rp")):
            continue
        try:
            plant = Plant(robot, friction="none", effort=None, stops=False)
            q = np.linspace(0.3, 0.8, robot.dof)
            drift[name] = integrate(plant, None, q, 10.0, rtol=2.3e-14, atol=1e-15, at=np.linspace(0, 10, 21)).balance
        except ManipulaError as error:
            print(f"  {name}: {error}")
    print("energy drift in 10 s: " + ", ".join(f"{name} {x:.1e}" for name, x in drift.items()))
    told("  all arms", list(drift.values()))


def wide() -> None:
    """After a second, against 80-bit floats: the default, steps of order 8, the reference."""
    for robot, count in ((random_arm(52, "RPR"), 12), (mp.load("puma560").without("friction"), 20)):
        q = np.linspace(0.2, 0.7, robot.dof)
        true = falling(robot, q, 1.0, count)
        for method, step in (("rk4", 1e-3), ("rk8", 5e-3), ("dop853", 0.0)):
            far = float(np.abs(ended(robot, q, method, step) - true).max())
            print(f"{robot.name} after 1 s, {method}{f' at {step * 1e3:g} ms' if step else ''}: {far:.1e} from 80 bits")


def steps() -> None:
    """Fixed steps beside the event-driven motion, 1 s of the fall."""
    true = integrate(PUMA, None, START, 1.0, at=[1.0]).q[0]
    for method in ("rk4", "semi-implicit"):
        function = arm_function(PUMA, method)
        far = []
        for h in (4e-3, 2e-3, 1e-3):
            system = System(function, None, settings={"sample": (h,)}, sample=h)
            state = system.start(q=START)
            for _ in range(round(1 / h)):
                state, _ = system.step(state, np.zeros(6))
            far.append(float(np.abs(state.q - true).max()))
        plain = arm_function(PUMA.robot, method).cost
        print(f"{method}: error after 1 s at 4, 2, 1 ms {', '.join(f'{x:.1e}' for x in far)} rad; "
              f"operations {function.cost.total} + {function.cost.other} selects, "
              f"the arm without sticking {plain.total}: {function.cost.total / plain.total:.2f}")  # fmt: skip


if __name__ == "__main__":
    for part in (held, ramps, falls, reversing, steps, wide, energy):
        part()
