"""Error growth: optimised code beside the plain recursion, both in double precision, against fifty digits.

    python bench/accuracy.py                 optimise="fast"
    python bench/accuracy.py --max           the result of the search (minutes)
    python bench/accuracy.py --sets 50       more random arms

The arm is the generic PUMA 560: random lengths, masses, centres of mass and inertias, random states. The error of a
state is the largest error of a torque over the largest torque. Exit code 1 if the optimised code's worst error is more
than ten times that of the plain recursion.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Mapping

import arms

import manipula as mp
from manipula.mechanics.robot.precise import MP, PreciseMaths
from manipula.mechanics.spatial.floats import FLOATS

ALLOWED = 10.0
# by the first letters of a name: centres of mass, products of inertia, moments of inertia, masses, gravity, lengths
RANGES = {
    "r": (-0.2, 0.2), "Ixy": (-0.02, 0.02), "Ixz": (-0.02, 0.02), "Iyz": (-0.02, 0.02), "I": (0.05, 0.5),
    "m": (0.5, 15.0), "g": (9.81, 9.81), "a": (-0.5, 0.5), "d": (-0.5, 0.5), "q": (-3.0, 3.0),
}  # fmt: skip


def drawn(names: list[str], draw: random.Random) -> dict[str, float]:
    ranges = {name: next(span for start, span in RANGES.items() if name.startswith(start)) for name in names}
    return {name: draw.uniform(*span) for name, span in ranges.items()}


def error(model: mp.Model, values: Mapping[str, float], exact: list[object]) -> float:
    """Of one state, relative to the largest torque."""
    own = model.function(values, FLOATS)["tau"]
    return float(max(abs(MP.mpf(x) - y) for x, y in zip(own, exact, strict=True)) / max(map(abs, exact)))  # type: ignore[arg-type,type-var]


def errors(models: Mapping[str, mp.Model], sets: int, states: int) -> dict[str, list[float]]:
    plain, draw = models["plain"], random.Random(1)
    fixed, moving = list(plain.inputs["p"]), [name for port in ("q", "qd", "qdd") for name in plain.inputs[port]]
    found: dict[str, list[float]] = {name: [] for name in models}
    for _ in range(sets):
        arm = drawn(fixed, draw)
        for _ in range(states):
            values = arm | drawn(moving, draw)
            precise = {name: MP.mpf(value) for name, value in values.items()}
            exact = plain.function(precise, PreciseMaths())["tau"]
            for name, model in models.items():
                found[name].append(error(model, values, exact))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--max", action="store_true", help="the result of the search")
    parser.add_argument("--sets", type=int, default=10, help="random arms")
    parser.add_argument("--states", type=int, default=20, help="states of each")
    options = parser.parse_args()
    robot, level = arms.generic("puma"), "max" if options.max else "fast"
    plain = mp.generate(robot, "inverse_dynamics", method="newton-euler", optimise="none", parameters="full")
    models = {"plain": plain, level: mp.generate(robot, "inverse_dynamics", optimise=level)}
    found = errors(models, options.sets, options.states)
    print(f"relative errors of {len(found['plain'])} states")
    print(f"{'code':8} {'operations':>10} {'worst':>10} {'median':>10}")
    for name, values in found.items():
        print(f"{name:8} {models[name].cost.total:>10} {max(values):>10.2e} {sorted(values)[len(values) // 2]:>10.2e}")
    ratio = max(found[level]) / max(found["plain"])
    print(f"optimised code is {ratio:.1f} times as far off as the plain recursion; allowed: {ALLOWED:g}")
    return 0 if ratio <= ALLOWED else 1


if __name__ == "__main__":
    sys.exit(main())
