"""How hard to try: the levels `optimise="none"`, `"fast"`, `"max"`, and the road from a request to a proved function."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from time import monotonic
from typing import Any

from manipula.algebra.expr.field import Element, FieldMaths
from manipula.algebra.expr.function import Function, Input, moved_to
from manipula.algebra.expr.node import Graph
from manipula.algebra.optimise.descend import Answers, descend
from manipula.algebra.optimise.passes import optimised
from manipula.algebra.optimise.prove import Reference, prove
from manipula.algebra.optimise.search.engine import searched
from manipula.bridge import (
    Choice,
    Request,
    Tell,
    built,
    check_request,
    conditions_of,
    methods_of,
    questions_of,
    reference,
    used_parameters,
    usual_choice,
)
from manipula.cache import key_of, remembered
from manipula.errors import UnknownNameError
from manipula.mechanics.models.catalogue import ON_JOINTS
from manipula.mechanics.robot.description import Origin

DESCENT_SECONDS = 60.0  # a cap: a descent ends by itself well before
MOVES = 40_000_000
CHAINS = 2
WORTH_TRYING = 1.05  # of the best count before the annealing


def generate_function(request: Request, tell: Tell = lambda text: None) -> Function:
    """The cheapest choice found, optimised and proved; what was once made for the same robot is remembered."""
    if request.optimise not in LEVELS:
        raise UnknownNameError("optimisation level", request.optimise, LEVELS)
    check_request(request)
    return remembered(key_of("function", _content(request)), lambda: _generated(request, tell))


def _content(request: Request) -> str:
    """All that a function depends on; not where the robot's file lies."""
    return repr(replace(request, robot=replace(request.robot, origin=Origin())))


def _generated(request: Request, tell: Tell) -> Function:
    best = LEVELS[request.optimise](request, tell)
    tell(f"{request.model}: proof")
    proof = prove(best, reference(request))
    best = used_parameters(best)
    return replace(best, notes={**best.notes, "proof": str(proof)}, conditions=conditions_of(best))


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
    labels = {node: text for part in reversed(moved) for node, text in part.labels.items()}
    name = f"{parts[0].name.removesuffix('_' + parts[0].notes['model'])}_models"
    whole = optimised(Function(name, graph, _joined_inputs(moved), tuple(outputs), labels, notes))
    proof = prove(whole, _joined_reference(requests))
    return replace(whole, notes={**whole.notes, "proof": str(proof)}, conditions=conditions_of(whole))


def _joined_inputs(parts: Sequence[Function]) -> tuple[Input, ...]:
    """Every variable port once; the parameters merged into one port."""
    ports = {port.name: port for part in parts for port in part.inputs}
    merged = dict.fromkeys(x for part in parts for port in part.inputs if not port.online for x in port.symbols)
    variables = [port for port in ports.values() if port.online]
    return (*variables, *([replace(ports["p"], symbols=tuple(merged))] if merged else []))


def _joined_reference(requests: Sequence[Request]) -> Reference:
    references = {request.model: reference(request) for request in requests}

    def run(maths: FieldMaths, symbol: Callable[[str], Element]) -> dict[str, Sequence[Any]]:
        found = {model: plain(maths, symbol) for model, plain in references.items()}
        return {f"{model}_{name}": values for model, outs in found.items() for name, values in outs.items()}

    return run


def plainly(request: Request, tell: Tell) -> Function:
    """The methods as they stand; equal values are one node, and that is all."""
    return _cheapest(built(request, choice) for choice in _plain_choices(request))


def fast(request: Request, tell: Tell) -> Function:
    """The usual formulation beside the plain one, and the quick passes."""
    choices = [*_plain_choices(request), *(usual_choice(request, method) for method in methods_of(request))]
    return _cheapest(optimised(built(request, choice)) for choice in dict.fromkeys(choices))


def hard(request: Request, tell: Tell) -> Function:
    """Descent over the formulations, then annealing of the best few."""
    ends = [_descended(request, method, tell) for method in methods_of(request)]
    functions = sorted((optimised(built(request, choice)) for choice in ends), key=_total)
    near = [function for function in functions if _total(function) <= WORTH_TRYING * _total(functions[0])]
    return _cheapest(searched(f, moves=MOVES // len(near), chains=CHAINS, tell=tell) for f in near)


def _plain_choices(request: Request) -> list[Choice]:
    """Each method as the file has it; some want their frames on the joints."""
    return [usual_choice(request, m) if m in ON_JOINTS else Choice(m) for m in methods_of(request)]


def _descended(request: Request, method: str, tell: Tell) -> Choice:
    deadline = monotonic() + DESCENT_SECONDS
    space = {question.name: question.answers for question in questions_of(request, method)}

    def build(answers: Answers) -> Function:
        return built(request, Choice(method, tuple(answers.items())))

    start = dict(usual_choice(request, method).answers)
    answers = descend(
        build, space, start, lambda f: _total(optimised(f)), lambda: monotonic() > deadline, tell
    )
    return Choice(method, tuple((name, answer) for name, answer in answers.items() if answer != space[name][0] or name == "frames"))


def _cheapest(functions: Iterable[Function]) -> Function:
    return min(functions, key=_total)


def _total(function: Function) -> int:
    return function.cost.total


LEVELS: dict[str, Callable[[Request, Tell], Function]] = {"none": plainly, "fast": fast, "max": hard}
