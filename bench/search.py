"""Operation count against time: the greedy pass, descent, and annealing with growing budgets, on several arms.

    python bench/search.py [millions of moves of the longest run, 8 by default]

Every result is proved against the plain model before it is printed.
"""

from __future__ import annotations

import sys
import warnings
from time import perf_counter

from manipula.algebra.expr.function import Function
from manipula.algebra.optimise.passes import factor_sums
from manipula.algebra.optimise.prove import prove
from manipula.algebra.optimise.search.engine import DESCENT, Rounds, search_ways
from manipula.errors import ManipulaWarning
from manipula.generation.build import build_function, reference
from manipula.generation.prepare import Formulation, Prepared, Request, prepare
from manipula.mechanics.robot.formats.toml.read import robot_from_toml
from manipula.mechanics.robot.library import text_of
from manipula.support.progress import Effort

CASES = (
    ("planar2r", "inverse_dynamics", "newton-euler"),
    ("stanford", "inverse_dynamics", "newton-euler"),
    ("puma560_symbolic", "inverse_dynamics", "newton-euler"),
    ("puma560_symbolic", "inertia_matrix", "composite"),
    ("puma560_symbolic", "lagrange_terms", "lagrange-efficient"),
    ("iiwa14", "inverse_dynamics", "newton-euler"),
    ("rx90", "forward_dynamics", "inertia-matrix"),
)


def request(robot: str, model: str, method: str) -> Prepared:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ManipulaWarning)  # some published inertias are not physical
        return prepare(Request(robot_from_toml(text_of(robot)), model, method, "all"))


def timed(case: Prepared, function: Function, moves: int, rounds: Rounds | None = None) -> str:
    start = perf_counter()
    best = search_ways(function, Effort(moves), rounds=rounds)
    taken = perf_counter() - start
    prove(best, reference(case))
    return f"{best.cost.total:6d} in {taken:5.1f} s ({moves / taken / 1e6:.2f} M/s)"


def row(case: Prepared, longest: int) -> str:
    plain = build_function(case, Formulation(case.request.method))
    start = perf_counter()
    greedy = factor_sums(plain)
    cells = [f"{plain.cost.total:6d}", f"{greedy.cost.total:6d} in {perf_counter() - start:5.2f} s"]
    cells.append(timed(case, plain, longest // 8, DESCENT))
    cells += [timed(case, plain, moves) for moves in (longest // 64, longest // 8, longest)]
    return " | ".join([f"{case.robot.name + ' ' + case.request.model:34s}", *cells])


def main() -> None:
    longest = int(float(sys.argv[1]) * 1e6) if len(sys.argv) > 1 else 8_000_000
    search_ways(build_function(request(*CASES[0]), Formulation(CASES[0][2])), Effort(1000))  # compiles the kernel
    runs = [f"annealing, {moves:,} moves" for moves in (longest // 64, longest // 8, longest)]
    print(" | ".join(["arm and model", "as built", "greedy", f"descent, {longest // 8:,} moves", *runs]))
    for case in CASES:
        print(row(request(*case), longest), flush=True)


if __name__ == "__main__":
    main()
