"""Operation counts: the table of records, and twenty other arms beside SymPy's `cse`.

    python bench/operations.py              the records: found now by a quick search, and the best that ships
    python bench/operations.py --max        the same by a long search (minutes); bench/records.py: from many seeds
    python bench/operations.py --others     twenty random arms, both conventions, with sliding joints

Totals are multiplications + additions + divisions on line; sin and cos are listed apart; what depends on parameters
alone is off line. No friction, no motor inertia, no wrench. Every count is of a proved function.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import arms
import sympy

import manipula as mp
from manipula.algebra.optimise.prove import prove
from manipula.generation.build import reference
from manipula.generation.levels import LEVELS
from manipula.generation.pipeline import shipped_answer
from manipula.generation.prepare import Request, prepare
from manipula.support.progress import DEFAULT_EFFORT


@dataclass(frozen=True)
class Record:
    """One line: an arm, a model, what existing tools reach with the same counter."""

    arm: str
    robot: Callable[[], mp.Robot]
    model: str
    existing: str
    method: str = "best"
    symbolic: str = "auto"


ID, M, G = "inverse_dynamics", "inertia_matrix", "gravity"
RECORDS = [
    Record("PUMA 560, generic", lambda: arms.generic("puma"), ID, "541 OpenSYMORO"),
    Record("PUMA 560, Armstrong", arms.armstrong, ID, "353 OpenSYMORO", symbolic="all"),
    Record("PUMA 560, uneven flange", arms.armstrong_uneven, ID, "353 OpenSYMORO", symbolic="all"),
    Record("Stanford 6, generic", lambda: arms.generic("stanford"), ID, "473 OpenSYMORO"),
    Record("Stanford 6, symmetric", lambda: arms.symmetric("stanford"), ID, "247 OpenSYMORO"),
    Record("– round flange", lambda: arms.symmetric("stanford", "Ixx6"), ID, "–"),
    Record("RX90, generic", lambda: arms.generic("rx90"), ID, "513 OpenSYMORO"),
    Record("RX90, symmetric", lambda: arms.symmetric("rx90"), ID, "262 OpenSYMORO"),
    Record("– round flange", lambda: arms.symmetric("rx90", "Ixx6"), ID, "–"),
    Record("iiwa 7R, generic", lambda: arms.generic("iiwa"), ID, "614 OpenSYMORO"),
    Record("planar 2R, generic", arms.planar, ID, "38 OpenSYMORO"),
    Record("PUMA 560 with d6", lambda: mp.load("puma560_symbolic"), "pose", "81 Lopes da Silva 1990"),
    Record("PUMA 560, generic", lambda: arms.generic("puma"), "lagrange_terms", "–"),
    Record("PUMA 560, 1990 set", lambda: mp.load("puma560_symbolic"), "lagrange_terms", "1693 Lopes da Silva 1990"),
    Record("PUMA 560, generic", lambda: arms.generic("puma"), ID, "–", method="lagrange-efficient"),
    Record("PUMA 560, Armstrong", arms.armstrong, ID, "–", method="lagrange-efficient", symbolic="all"),
    Record("PUMA 560, generic", lambda: arms.generic("puma"), M, "410 OpenSYMORO"),
    Record("PUMA 560, Armstrong", arms.armstrong, M, "279 OpenSYMORO", symbolic="all"),
    Record("PUMA 560, generic", lambda: arms.generic("puma"), G, "78 OpenSYMORO"),
    Record("PUMA 560, Armstrong", arms.armstrong, G, "40 OpenSYMORO", symbolic="all"),
    Record("PUMA 560, generic", lambda: arms.generic("puma"), "forward_dynamics", "–"),
    Record("PUMA 560, Armstrong", arms.armstrong, "forward_dynamics", "–", symbolic="all"),
    Record("PUMA 560, generic", lambda: arms.generic("puma"), "base_regressor", "1021 SymPyBotics"),
]


def row(cells: list[Any]) -> str:
    widths = (23, 17, 19, 26, 16, 8, 9, 5)
    return "  ".join(str(cell).ljust(width) for cell, width in zip(cells, widths)).rstrip()


def records(level: str) -> None:
    print(row(["arm", "model", "method", "existing", f"searched ({level})", "sin/cos", "seconds", "ships"]))
    for record in RECORDS:
        start = time.perf_counter()
        asked = prepare(request_of(record, level))
        found = LEVELS[level](asked, DEFAULT_EFFORT, None)
        prove(found, reference(asked))
        cost, spent, known = found.cost, time.perf_counter() - start, shipped_answer(asked)
        counts = f"{cost.mul}+{cost.add + cost.div} = {cost.total}"
        told = [record.arm, record.model, record.method, record.existing, counts, cost.trig, f"{spent:.1f}"]
        print(row([*told, known.found.cost.total if known else "–"]), flush=True)


def request_of(record: Record, level: str) -> Request:
    return Request(record.robot(), record.model, method=record.method, symbolic=record.symbolic, optimise=level)


def other_arm(seed: int) -> mp.Robot:
    """A symbolic arm of 3–7 joints with quarter-turn twists."""
    draw = random.Random(seed)
    rows: list[Any] = []
    for i in range(1, draw.randint(3, 7) + 1):
        slides = draw.random() < 0.2
        d = f"q{i}" if slides else draw.choice([0, f"d{i}"])
        rows.append(
            (0 if slides else f"q{i}", d, draw.choice([0, f"a{i}"]), draw.choice([0, 90, -90]), "P" if slides else "R")
        )
    convention: Any = draw.choice(["standard", "modified"])
    robot = mp.Robot.from_dh(rows, convention=convention, angle="deg", name=f"arm{seed}")
    return robot.with_gravity(0, 0, "-g")


def sympy_cse(model: mp.Model) -> int:
    """Multiplications and additions on line after `sympy.cse`; what depends on parameters alone is free."""
    online = {name for port in ("q", "qd", "qdd") for name in model.inputs[port]}
    replacements, reduced = sympy.cse([entry for matrix in model.to_sympy().values() for entry in matrix])
    live: set[Any] = set()
    total = 0
    for symbol, expression in [*replacements, *((None, expression) for expression in reduced)]:
        if any(str(s) in online or s in live for s in expression.free_symbols):
            live.add(symbol)
            total += sum(_operations(part, online, live) for part in sympy.preorder_traversal(expression))
    return total


def _operations(part: Any, online: set[str], live: set[Any]) -> int:
    if not (part.is_Add or part.is_Mul or part.is_Pow):
        return 0
    if part.is_Pow:
        return abs(int(part.exp)) - 1 if part.exp.is_Integer else 1
    moving = [arg for arg in part.args if any(str(s) in online or s in live for s in arg.free_symbols)]
    fixed = any(arg not in moving and arg not in (1, -1) for arg in part.args)
    return max(len(moving) - 1 + fixed, 0)


def others(count: int) -> None:
    print(row(["arm", "convention", "joints", "sympy.cse, same recursion", "here (fast)", "sin/cos", "seconds"]))
    for seed in range(count):
        robot = other_arm(seed)
        kinds = "".join("P" if joint.kind == "prismatic" else "R" for joint in robot.joints)
        plain = mp.generate(robot, ID, method="newton-euler", optimise="none", parameters="full")
        start = time.perf_counter()
        cost = mp.generate(robot, ID).cost
        spent = time.perf_counter() - start
        peer = sympy_cse(plain)
        print(
            row([robot.name, robot.origin.convention, kinds, peer, cost.total, cost.trig, f"{spent:.1f}"]), flush=True
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--max", action="store_true", help="search (minutes)")
    parser.add_argument("--others", action="store_true", help="twenty random arms beside sympy.cse")
    options = parser.parse_args()
    if options.others:
        others(20)
    else:
        records("max" if options.max else "fast")
    return 0


if __name__ == "__main__":
    sys.exit(main())
