"""The fewest operations, searched from many seeds: a study, and the results that ship with the package.

    python bench/records.py FOLDER                 all lines, eight seeds each, on all cores; after Ctrl-C it goes on
    python bench/records.py FOLDER --only RX90 --seeds 3
    python bench/records.py FOLDER --seconds 60    a limit for each search; without it the searcher's own apply
    python bench/records.py FOLDER --ship          what is cheaper than what ships takes its place

Prints best, median and worst of the seeds and the processor time of a search. Each function found is written to
FOLDER/functions. They ship in manipula/generation/records, and are proved whenever they are loaded.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

from operations import ID, RECORDS, Record, request_of

import manipula as mp
from manipula.algebra.expr.function import Function, moved_to
from manipula.algebra.expr.maths import ExprMaths
from manipula.algebra.expr.node import Graph
from manipula.algebra.expr.walk import rebuilt, topological
from manipula.algebra.optimise.search.stored import function_from_text, text_from_function
from manipula.generation.levels import Past, level_max
from manipula.generation.prepare import prepare
from manipula.generation.request import Request
from manipula.generation.shipped import called_as, record, stored
from manipula.mechanics.models.dynamics.friction import sat
from manipula.mechanics.models.ports import PORTS
from manipula.support.progress import Effort

LIBRARY = [
    Record("puma560_symbolic", lambda: mp.load("puma560_symbolic"), ID, "–"),
    Record("puma560_symbolic", lambda: mp.load("puma560_symbolic"), "inertia_matrix", "–"),
    Record("puma560", lambda: mp.load("puma560"), ID, "–"),
    Record("panda", lambda: mp.load("panda"), ID, "–"),
]
LINES = [*RECORDS, *LIBRARY]


def title(line: Record) -> str:
    """What a case is called: the arm, the model and the method."""
    same = [x for x in LINES[: LINES.index(line)] if (x.arm, x.model, x.method) == (line.arm, line.model, line.method)]
    return f"{line.arm} / {line.model} / {line.method}{' ' * bool(same)}{len(same) + 1 if same else ''}"


TITLES = {title(line): line for line in LINES}


def searched(case: dict[str, Any], rng: Any) -> dict[str, Any]:
    """One search. The seed is the case's own number, so that a line can be repeated alone."""
    began = time.process_time()
    effort = Effort(seconds=case["seconds"] or None, seed=case["seed"])
    found = level_max(prepare(request_of(TITLES[case["line"]], "max")), effort, Past(known=False))
    cost, spent = found.cost, time.process_time() - began
    kept = place(case["folder"], case["line"], case["seed"])
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(text_from_function(found), encoding="utf-8")
    return {"total": cost.total, "mul": cost.mul, "add": cost.add + cost.div, "trig": cost.trig, "seconds": spent}


def place(folder: str, line: str, seed: int) -> Path:
    return Path(folder) / "functions" / f"{''.join(c if c.isalnum() else '_' for c in line)}-{seed}.json"


def shown(study: mp.Study, lines: list[str]) -> dict[str, int]:
    """The table; and the best seed of every line."""
    rows = [row for row in study.rows if "total" in row]
    best = {}
    print(f"{'line':56} {'best':>5} {'median':>7} {'worst':>6} {'seeds':>6} {'s of processor, median':>23}")
    for name in lines:
        found = sorted((row["total"], row["seed"], row["seconds"]) for row in rows if row["line"] == name)
        if found:
            totals = [total for total, _, _ in found]
            spent = median(seconds for _, _, seconds in found)
            print(f"{name:56} {totals[0]:5} {median(totals):7g} {totals[-1]:6} {len(found):6} {spent:23.0f}")
            best[name] = int(found[0][1])
    for failure in study.failures:
        print(failure)
    return best


def ship(name: str, seed: int, folder: str) -> str:
    """What was found takes the place of what ships, if it is cheaper."""
    line = TITLES[name]
    if line.method != "best":
        return f"{name}: by a method that was named, nothing ships"
    asked = prepare(request_of(line, "max"))
    found = called_as(function_from_text(place(folder, name, seed).read_text(encoding="utf-8")), asked)
    before = stored(asked)
    if before is not None and before.cost.total <= found.cost.total:
        return f"{name}: {before.cost.total} ships, {found.cost.total} was found"
    record(asked.request, line.symbolic, found)
    return f"{name}: {before.cost.total if before else 'nothing'} shipped, now {found.cost.total}"


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


def told(progress: Any) -> None:
    print(f"\r{progress} ", end="", file=sys.stderr, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", help="where results are kept; the same command goes on from them")
    parser.add_argument("--only", default="", metavar="WORD", help="lines with this word in arm, model or method")
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=0.0, help="limit of each search")
    parser.add_argument("--engine", default="local")
    parser.add_argument("--ship", action="store_true")
    options = parser.parse_args()
    lines = [name for name in TITLES if options.only.lower() in name.lower()]
    if not lines:
        print(f"no line has {options.only!r} in it: {'; '.join(TITLES)}")
        return 2
    os.environ["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    cases = {"seed": list(range(options.seeds)), "line": lines}
    shared = {"seconds": options.seconds, "folder": str(Path(options.folder).resolve())}
    kept = Path(options.folder) / "study"
    study = mp.study("records:searched", cases, engine=options.engine, shared=shared, resume=kept, tell=told)
    print(file=sys.stderr)
    best = shown(study, lines)
    if options.ship:
        for name, seed in best.items():
            print(ship(name, seed, options.folder))
        for robot in ("puma560", "panda"):
            print(smoothed(robot))
    return 0


if __name__ == "__main__":
    sys.exit(main())
