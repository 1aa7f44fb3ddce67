"""How hard to try: the levels `optimise="none"`, `"fast"`, `"max"`; the road from a request to a proved function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import inf
from time import monotonic
from typing import Any

from manipula.algebra.expr.function import Function, Input, moved_to
from manipula.algebra.expr.node import Graph
from manipula.algebra.expr.walk import topological
from manipula.algebra.optimise.balance import balanced
from manipula.algebra.optimise.passes import optimised
from manipula.algebra.optimise.price import CLASSICAL, Price, price_named
from manipula.algebra.optimise.prove import Reference, Sample, prove
from manipula.algebra.optimise.search.engine import BRISK, searched
from manipula.algebra.optimise.search.tournament import winner
from manipula.bridge import (
    Request,
    Tell,
    built,
    check_request,
    guarded,
    lengths_of,
    methods_of,
    plain_choice,
    reference,
    used_parameters,
)
from manipula.cache import key_of, recalled, remember, remembered
from manipula.errors import UnknownNameError
from manipula.formulations import favourites, formulations, quick
from manipula.labels import labelled, without_doubles
from manipula.mechanics.robot.description import Origin
from manipula.records import stored
from manipula.weightless import singular, warn_massless

FORMULATION_SHARE = 0.5  # of a limit in seconds, at most
WORK = 67_000_000_000  # moves of each worker times operations, at most: a move takes longer among many
MOVES_EACH = 1_500_000  # for each operation: a small function has no more to find
FULL_WALK = 160_000_000  # moves that are worth the whole walk through the formulations
CHAINS = 2
POOL = 48  # formulations that enter the tournament
QUICK_MOVES = 300_000  # a tenth of a second
WAITS_FOR_PATHS = 600  # operations; measured: PUMA and Panda gain 0 to 8 %, chains of general twists lose 20 %


@dataclass(frozen=True)
class Effort:
    """How long level "max" may search; without limits, as much as `WORK` allows after the formulations."""

    moves: int | None = None
    seconds: float | None = None
    seed: int = 0
    known: bool = True  # take a result that was found before
    stop: Callable[[], bool] = lambda: False

    @property
    def formulation_seconds(self) -> float:
        return inf if self.seconds is None else FORMULATION_SHARE * self.seconds

    @property
    def walk(self) -> float:
        """Of the usual walk through the formulations: fewer moves, fewer steps."""
        return 1.0 if self.moves is None else min(self.moves / FULL_WALK, 1.0)


USUAL_EFFORT = Effort()


def generate_function(request: Request, tell: Tell = lambda text: None) -> Function:
    """The cheapest choice found, optimised and proved; what was once made for the same robot is remembered."""
    if request.optimise not in LEVELS:
        raise UnknownNameError("optimisation level", request.optimise, LEVELS)
    check_request(request)
    made = remembered(_key(request), lambda: _generated(request, tell))
    warn_massless(request.robot, request.model)
    return made


def optimise_function(request: Request, effort: Effort = USUAL_EFFORT, tell: Tell = lambda text: None) -> Function:
    """What level "max" can find with this effort; remembered for that level, unless it knows something cheaper."""
    request = replace(request, optimise="max")
    check_request(request)
    known = known_function(request)
    if effort.known and known is not None:
        return known
    made = _generated(request, tell, replace(effort, known=False))
    if known is None or price_named(request.price).total(made) < price_named(request.price).total(known):
        remember(_key(request), made)
    return made


def known_function(request: Request) -> Function | None:
    """What level "max" gives without a search: remembered, or shipped with the library."""
    request = replace(request, optimise="max")
    shipped = stored(request)
    found = [recalled(_key(request)), None if shipped is None else _finished(request, shipped)]
    return min((f for f in found if f is not None), key=price_named(request.price).total, default=None)


def _key(request: Request) -> str:
    return key_of("function", _content(request))


def _content(request: Request) -> str:
    """All that a function depends on; not where the robot's file lies."""
    return repr(replace(request, robot=replace(request.robot, origin=Origin())))


def _generated(request: Request, tell: Tell, effort: Effort = USUAL_EFFORT) -> Function:
    try:
        best = LEVELS[request.optimise](request, tell, effort)
    except ZeroDivisionError as error:
        raise singular(request.robot, request.symbolic, request.model) from error
    tell(f"{request.model}: proof")
    return _finished(request, best)


def _finished(request: Request, best: Function) -> Function:
    """Proved, with the parameters it reads as its inputs, its intermediates named."""
    proof = prove(best, reference(request))
    best = labelled(used_parameters(best), request)
    return guarded(replace(best, notes={**best.notes, "proof": str(proof)}), request)


def generate_together(requests: Sequence[Request], tell: Tell = lambda text: None) -> Function:
    """Several models of one robot in one function: what they have in common is computed once."""
    parts = [generate_function(request, tell) for request in requests]
    graph = Graph()
    moved = [moved_to(part, graph) for part in parts]
    outputs = [
        replace(output, name=f"{part.notes['model']}_{output.name}") for part in moved for output in part.outputs
    ]
    notes = {key: "; ".join(dict.fromkeys(part.notes[key] for part in parts)) for key in ("robot", "model", "joints")}
    notes["method"] = "; ".join(f"{part.notes['model']} by {part.notes['method']}" for part in parts)
    notes["parameters"] = " ".join(dict.fromkeys(name for p in parts for name in p.notes["parameters"].split()))
    labels = without_doubles({node: text for part in reversed(moved) for node, text in part.labels.items()})
    name = f"{parts[0].name.removesuffix('_' + parts[0].notes['model'])}_models"
    whole = optimised(Function(name, graph, _joined_inputs(moved), tuple(outputs), labels, notes))
    proof = prove(whole, _joined_reference(requests))
    return guarded(replace(whole, notes={**whole.notes, "proof": str(proof)}), requests[0])


def _joined_inputs(parts: Sequence[Function]) -> tuple[Input, ...]:
    """Every variable port once; the parameters merged into one port."""
    ports = {port.name: port for part in parts for port in part.inputs}
    merged = dict.fromkeys(x for part in parts for port in part.inputs if not port.online for x in port.symbols)
    variables = [port for port in ports.values() if port.online]
    return (*variables, *([replace(ports["p"], symbols=tuple(merged))] if merged else []))


def _joined_reference(requests: Sequence[Request]) -> Reference:
    references = {request.model: reference(request) for request in requests}

    def run(maths: Sample, symbol: Callable[[str], Any]) -> dict[str, Sequence[Any]]:
        found = {model: plain(maths, symbol) for model, plain in references.items()}
        return {f"{model}_{name}": values for model, outs in found.items() for name, values in outs.items()}

    return run


def plainly(request: Request, tell: Tell, effort: Effort) -> Function:
    """The methods as they stand; equal values are one node, and that is all."""
    plain = [built(request, plain_choice(request, method)) for method in methods_of(request)]
    return min(plain, key=price_named(request.price).total)


def fast(request: Request, tell: Tell, effort: Effort) -> Function:
    """The result that ships for this very robot; where there is none, a good formulation and a short search."""
    return _shipped(request, effort) or _brisk(request, effort)


def hard(request: Request, tell: Tell, effort: Effort) -> Function:
    """The result that ships for this very robot; where there is none, a long search."""
    return _shipped(request, effort) or _sought(request, tell, effort)


def _shipped(request: Request, effort: Effort) -> Function | None:
    return stored(request) if effort.known else None


def _brisk(request: Request, effort: Effort) -> Function:
    """A good formulation, the quick passes, and a short search; for another price also what the usual one finds."""
    price = price_named(request.price)
    return min((_briskly(request, each, effort) for each in dict.fromkeys((price, CLASSICAL))), key=price.total)


def _briskly(request: Request, price: Price, effort: Effort) -> Function:
    start = optimised(built(request, quick(replace(request, price=price.name))))
    if _decides(start):
        return start
    divisors = lengths_of(request)
    return _arranged(searched(start, moves=QUICK_MOVES, rounds=BRISK, seed=effort.seed, price=price, divisors=divisors))


def _decides(function: Function) -> bool:
    """Does it compare? Then sums stay as written: (a − b)² multiplied out loses the digits that a limit looks at."""
    return any(node.op == "less" for node in topological(function.roots))


def _sought(request: Request, tell: Tell, effort: Effort) -> Function:
    """A search over the formulations, then a tournament of the best, beside what the quick level finds."""
    price, start, brisk = price_named(request.price), monotonic(), _brisk(request, effort)
    if _decides(brisk):
        return brisk
    tried = formulations(request, effort.formulation_seconds, effort.walk, effort.seed, effort.stop, tell)
    liked = favourites(tried, POOL)
    entrants, valleys = [optimised(built(request, choice)) for choice in liked], list(liked.values())
    seconds = None if effort.seconds is None else max(effort.seconds - (monotonic() - start), 0.01)
    size = max(price.total(brisk), 1)
    enough = min(WORK // size, MOVES_EACH * size)
    best = winner(
        [brisk, *entrants], [*valleys[:1], *valleys],
        moves=effort.moves if effort.moves or effort.seconds else enough, seconds=seconds, seed=effort.seed,
        price=price, workers=CHAINS, divisors=lengths_of(request), tell=tell, stop=effort.stop,
    )  # fmt: skip
    return _arranged(best)


def _arranged(function: Function) -> Function:
    """Short paths, where the processor waits for them: long code waits for itself and for registers."""
    return balanced(function) if function.cost.total <= WAITS_FOR_PATHS else function


Level = Callable[[Request, Tell, Effort], Function]
LEVELS: dict[str, Level] = {"none": plainly, "fast": fast, "max": hard}
