"""The fewest operations, searched from many seeds: the study of `manipula optimise --seeds` over the arms of
`bench/operations.py`, and the results that ship with the package.

    python bench/records.py FOLDER                 all lines, eight seeds each, on all cores; after Ctrl-C it goes on
    python bench/records.py FOLDER --only RX90 --seeds 3
    python bench/records.py FOLDER --seconds 60    a limit for each search; without it the searcher's own apply
    python bench/records.py FOLDER --ship          what is cheaper than what ships takes its place
    python bench/records.py FOLDER --found --ship  of what is in FOLDER already, whatever version found it; no search
    python bench/records.py FOLDER --found --further 4    what the seeds found goes on together, four times

Prints best, median and worst of the seeds and the seconds of a search. Each function found is written to
FOLDER/functions. They ship in manipula/generation/records, and are proved whenever they are loaded.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from operations import ID, RECORDS, Record, request_of

import manipula as mp
from manipula.algebra.expr.function import Function, moved_to
from manipula.algebra.expr.maths import ExprMaths, rebuilt, topological
from manipula.algebra.expr.node import Graph
from manipula.algebra.optimise.search.engine import winner
from manipula.algebra.optimise.search.ways import function_from_text, text_from_function
from manipula.generation.cache import called_as, record
from manipula.generation.levels import CHAINS, enough_for
from manipula.generation.pipeline import shipped_answer
from manipula.generation.prepare import Prepared, Request, prepare
from manipula.mechanics.models.dynamics.friction import saturate
from manipula.mechanics.models.ports import PORTS
from manipula.studies.operation_search import HEADS, Board, SearchLine, SearchOutcome, searches, unpack_function
from manipula.support.progress import Effort
from manipula.support.text import text_table

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


def line_of(name: str) -> SearchLine:
    """As the study takes it."""
    asked = TITLES[name]
    return SearchLine(name, asked.robot(), asked.model, asked.method, asked.symbolic)


TOGETHER = "together"  # in the place of a seed


def place(folder: str, line: str, seed: int | str) -> Path:
    return Path(folder) / "functions" / f"{''.join(c if c.isalnum() else '_' for c in line)}-{seed}.json"


class Written(Board):
    """A board that writes every function it hears of into the folder."""

    def __init__(self, lines: list[SearchLine], folder: str) -> None:
        super().__init__(lines, 0)
        self._folder = folder

    def add(self, title: str, found: SearchOutcome) -> None:
        super().add(title, found)
        path = place(self._folder, title, found.seed)
        if found.function and not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(unpack_function(found.function), encoding="utf-8")


def found_in(folder: str, name: str) -> Iterator[tuple[int, Function]]:
    """Seed and function of every search of a line that is written there."""
    stem = place(folder, name, 0).name.removesuffix("-0.json")
    for path in place(folder, name, 0).parent.glob(f"{stem}-*.json"):
        seed = path.stem.removeprefix(f"{stem}-")
        if seed.isdecimal():
            yield int(seed), read_function(path)


def searched(options: argparse.Namespace, lines: list[str]) -> Board:
    """The study, told as it goes on."""
    board = Written([line_of(name) for name in lines], options.folder)

    def told(progress: Any) -> None:
        board.hear(progress)
        print(f"\r{progress} ", end="", file=sys.stderr, flush=True)

    how = {"engine": options.engine, "resume": Path(options.folder) / "searches", "tell": told}
    study = searches(list(board.lines.values()), options.seeds, seconds=options.seconds, **how)
    board.read(study)
    print(file=sys.stderr)
    for failure in study.failures:
        print(failure)
    return board


def read(folder: str, lines: list[str]) -> Board:
    """What is in the folder, without a search."""
    board = Board([line_of(name) for name in lines], 0)
    for name in lines:
        for seed, function in found_in(folder, name):
            board.add(name, SearchOutcome(function.cost.total, seed, ""))
    return board


def further(folder: str, name: str, times: int) -> str:
    """Tournaments whose entrants are what the seeds and earlier tournaments found. The best is written beside them."""
    asked, kept = prepare(request_of(TITLES[name], "max")), place(folder, name, TOGETHER)
    known = [function for _, function in found_in(folder, name)]
    begun = min(map(total_of, known))
    known += [read_function(kept)] if kept.exists() else []
    for turn in range(times):
        known.sort(key=total_of)
        effort = Effort(moves=enough_for(total_of(known[0])), seed=1000 * len(known) + turn)
        won = winner(known, range(len(known)), effort, asked.aim, CHAINS)
        if total_of(won) < total_of(known[0]):
            kept.write_text(text_from_function(won), encoding="utf-8")
        known.append(won)
    return f"{name}: {begun} by a seed alone, {min(map(total_of, known))} together"


def total_of(function: Function) -> int:
    return function.cost.total


def read_function(path: Path) -> Function:
    return function_from_text(path.read_text(encoding="utf-8"))


def best_of(folder: str, name: str, seed: int) -> Function:
    """Of the best seed, or of all together."""
    paths = [place(folder, name, seed), place(folder, name, TOGETHER)]
    return min((read_function(path) for path in paths if path.exists()), key=total_of)


def ship(name: str, seed: int, folder: str) -> str:
    """What was found takes the place of what ships, if it is cheaper."""
    line = TITLES[name]
    if line.method != "best":
        return f"{name}: by a method that was named, nothing ships"
    asked = prepare(request_of(line, "max"))
    found = called_as(best_of(folder, name, seed), asked)
    before = shipped_record(asked)
    if before is not None and before.cost.total <= found.cost.total:
        return f"{name}: {before.cost.total} ships, {found.cost.total} was found"
    record(asked.request, line.symbolic, found)
    return f"{name}: {before.cost.total if before else 'nothing'} shipped, now {found.cost.total}"


def shipped_record(asked: Prepared) -> Function | None:
    known = shipped_answer(asked)
    return None if known is None else known.found


def smoothed(robot: str) -> str:
    """The torques that control laws ask for, from the best known: every sign(q̇) becomes sat(slip). Proved anew."""
    asked = prepare(Request(mp.load(robot), "inverse_dynamics_smooth", optimise="max"))
    known = shipped_record(prepare(Request(mp.load(robot), "inverse_dynamics", optimise="max")))
    if known is None:
        return f"{robot:18} inverse_dynamics has no record"
    record(asked.request, "auto", _with_slip(moved_to(known, Graph()), asked.name))
    found = shipped_record(asked)
    return f"{robot:18} inverse_dynamics_smooth {found.cost.total if found else 'not proved'}"


def _with_slip(known: Function, name: str) -> Function:
    q, rates, *others = known.inputs
    slip = [known.graph.symbol(f"slip{i + 1}", online=True) for i in range(len(rates.symbols))]
    signs = {
        x: i for x in topological(known.roots) if x.op == "sign" for i, v in enumerate(rates.symbols) if x.args == (v,)
    }
    maths = ExprMaths(known.graph)
    smooth = {node: saturate(maths, slip[i]) for node, i in signs.items()}
    port = replace(q, name="slip", symbols=tuple(slip), unit="1", doc=PORTS["slip"].doc)
    origin = replace(known.provenance, model="inverse_dynamics_smooth", proof="")
    inputs = (q, rates, others[0], port, *others[1:])
    made = replace(known, name=name, inputs=inputs, labels={}, provenance=origin)
    return made.with_roots(rebuilt(known.roots, known.graph, smooth))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", help="where results are kept; the same command goes on from them")
    parser.add_argument("--only", default="", metavar="WORD", help="lines with this word in arm, model or method")
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=None, help="limit of each search")
    parser.add_argument("--engine", default="local")
    parser.add_argument("--found", action="store_true", help="take what is in the folder, search for nothing")
    parser.add_argument("--further", type=int, default=0, metavar="TIMES", help="what the seeds found goes on together")
    parser.add_argument("--ship", action="store_true")
    options = parser.parse_args()
    lines = [name for name in TITLES if options.only.lower() in name.lower()]
    if not lines:
        print(f"no line has {options.only!r} in it: {'; '.join(TITLES)}")
        return 2
    board = read(options.folder, lines) if options.found else searched(options, lines)
    print(text_table(HEADS, board.rows(), right=range(1, len(HEADS))))
    for name in board.best if options.further else ():
        print(further(options.folder, name, options.further), flush=True)
    if options.ship:
        for name, found in board.best.items():
            print(ship(name, found.seed, options.folder))
        for robot in ("puma560", "panda"):
            print(smoothed(robot))
    return 0


if __name__ == "__main__":
    sys.exit(main())
