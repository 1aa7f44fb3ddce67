"""Make the results that ship in `manipula/records`: search, prove, keep what is cheaper than before.

python bench/records.py                          all of the list below (minutes)
python bench/records.py --only panda --seed 3    another road for one robot
python bench/records.py --seconds 60             a limit for each search
"""

from __future__ import annotations

import argparse
import sys
import time

import manipula as mp
from manipula.generation.levels import Past, level_max
from manipula.generation.prepare import prepare
from manipula.generation.request import Request
from manipula.generation.shipped import record, stored
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
    return 0


if __name__ == "__main__":
    sys.exit(main())
