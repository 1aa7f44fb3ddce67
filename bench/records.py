"""Make the results that ship in `manipula/records`: search, prove, keep what is cheaper than before.

python bench/records.py                          all of the list below (minutes)
python bench/records.py --only panda --seed 3    another road for one robot
python bench/records.py --seconds 60             a limit for each search
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import replace

import manipula as mp
from manipula.algebra.expr.function import Function, moved_to
from manipula.algebra.expr.maths import ExprMaths
from manipula.algebra.expr.node import Graph
from manipula.algebra.expr.walk import rebuilt, topological
from manipula.generation.levels import Past, level_max
from manipula.generation.prepare import prepare
from manipula.generation.request import Request
from manipula.generation.shipped import record, stored
from manipula.mechanics.models.dynamics.friction import sat
from manipula.mechanics.models.ports import PORTS
from manipula.support.progress import Effort

# robot, model, symbolic
LIST = [
    ("puma560_symbolic", "pose", "auto"),
    ("puma560_symbolic", "inverse_dynamics", "auto"),
    ("puma560_symbolic", "inertia_matrix", "auto"),
    ("puma560_symbolic", "lagrange_terms", "auto"),
    ("puma560", "inverse_dynamics", "auto"),
    ("panda", "inverse_dynamics", "auto"),
]


def made(robot: str, model: str, symbolic: str, effort: Effort) -> str:
    """Search once; a line that says what came of it."""
    request = prepare(Request(mp.load(robot), model, symbolic=symbolic, optimise="max"))
    before, start = stored(request), time.perf_counter()
    found = level_max(request, effort, Past(known=False))
    spent = time.perf_counter() - start
    if before is None or found.cost.total < before.cost.total:
        record(request.request, symbolic, found)
    known = before.cost.total if before else "none"
    return f"{robot:18} {model:18} {symbolic:5} before {known}, found {found.cost.total} in {spent:.0f} s"


def smoothed(robot: str) -> str:
    """The torques that control laws ask for, from the best known: every sign(q̇) becomes sat(slip). Proved anew."""
    asked = prepare(Request(mp.load(robot), "inverse_dynamics_smooth", optimise="max"))
    known = stored(prepare(Request(mp.load(robot), "inverse_dynamics", optimise="max")))
    if known is None:
        return f"{robot:18} inverse_dynamics has no record"
    record(asked.request, "auto", _with_slip(moved_to(known, Graph()), asked.name))
    found = stored(asked)
    return f"{robot:18} inverse_dynamics_smooth {found.cost.total if found else 'not proved'}"


def _with_slip(known: Function, name: str) -> Function:
    q, rates, *others = known.inputs
    slip = [known.graph.symbol(f"slip{i + 1}", online=True) for i in range(len(rates.symbols))]
    signs = {
        x: i for x in topological(known.roots) if x.op == "sign" for i, v in enumerate(rates.symbols) if x.args == (v,)
    }
    maths = ExprMaths(known.graph)
    smooth = {node: sat(maths, slip[i]) for node, i in signs.items()}
    port = replace(q, name="slip", symbols=tuple(slip), unit="1", doc=PORTS["slip"].doc)
    origin = replace(known.provenance, model="inverse_dynamics_smooth", proof="")
    inputs = (q, rates, others[0], port, *others[1:])
    made = replace(known, name=name, inputs=inputs, labels={}, provenance=origin)
    return made.with_roots(rebuilt(known.roots, known.graph, smooth))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="one robot")
    parser.add_argument("--model", default="", help="one model")
    parser.add_argument("--seconds", type=float, help="limit of each search")
    parser.add_argument("--moves", type=int, help="moves of each search")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    for robot, model, symbolic in LIST:
        if options.only in ("", robot) and options.model in ("", model):
            print(made(robot, model, symbolic, Effort(options.moves, options.seconds, options.seed)), flush=True)
    for robot in ("puma560", "panda"):
        if options.only in ("", robot) and options.model in ("", "inverse_dynamics_smooth"):
            print(smoothed(robot), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
