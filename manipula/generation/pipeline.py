"""The road from a request to a proved function: what is known already, or what a level finds; always proved."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import mpmath
import numpy as np

from manipula.algebra.expr.evaluate import ARRAYS, MPMATH, evaluate
from manipula.algebra.expr.function import Function
from manipula.algebra.expr.maths import topological
from manipula.algebra.optimise.prove import Proof, Reference, prove
from manipula.errors import ManipulaError, ProofError, UnknownNameError
from manipula.generation import cache
from manipula.generation.build import add_conditions, check_request, reference, used_parameters
from manipula.generation.labels import label_function, with_joint_units
from manipula.generation.massless_joints import singular, warn_massless
from manipula.generation.prepare import LEVEL_NAMES, Prepared
from manipula.mechanics.robot.default_values import parameter_facts
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.values.parameter import Name, Parameter, ParameterOp, names_of
from manipula.support.progress import DEFAULT_EFFORT, Effort, Tell, seldom_collecting, silent

if TYPE_CHECKING:
    from manipula.generation.levels import Level

# Digits: what is optimised must not lose more of them than the plain function does.
#
# A proof says that two functions are one; it does not say how each rounds. An expression of a file may cancel, as
# ((x + y)² − x² − 2xy)/y, which is y. Where x is 1e8 the plain function, which knows that it is y, is exact; another
# arrangement may compute the squares and be off by half its value. So the double result is held against 60 digits, at
# drawn states and parameter values:
#
#     lost(f) = max |f in double − f in 60 digits| / max |f in 60 digits|, of every output
#
# A function that keeps CLEAR digits is taken as it is; the plain one is made and measured only where that fails.

BITS = 200  # 60 digits
CLEAR = 1e-11  # of the largest entry: nobody knows a robot better
LOSS = 100.0  # times what the plain function loses
LEAST = 1e-15  # what any function loses
NEAR, FAR = 2, 12  # draws: about the robot's own values, and of names that could cancel anything
SPREAD = (-6.0, 8.0)  # powers of ten of such a name

Draw = Mapping[str, float]


def loses_digits(asked: Prepared, found: Function) -> list[Draw]:
    """The draws at which fewer than CLEAR digits are left. What compares is passed over: its sums stay as written, and
    beside a jump a rounding error measures nothing."""
    if any(node.op == "less" for node in topological(found.roots)):
        return []
    return [draw for draw in _draws(asked, found) if lost_digits(found, draw) > CLEAR]


def is_worse(found: Function, plain: Function, draws: Sequence[Draw]) -> bool:
    """Does it lose more than LOSS times what the plain function loses, at one of the draws?"""
    return any(lost_digits(found, draw) > LOSS * max(lost_digits(plain, draw), LEAST) for draw in draws)


def lost_digits(function: Function, draw: Draw) -> float:
    """The largest error of an output in double, beside its largest entry; 0 where a value is out of range."""
    doubles = evaluate(function.roots, {name: np.float64(x) for name, x in draw.items()}, ARRAYS)
    with mpmath.workprec(BITS):
        true = evaluate(function.roots, {name: mpmath.mpf(x) for name, x in draw.items()}, MPMATH)
        worst, at = 0.0, 0
        for output in function.outputs:
            rows = range(at, at + len(output.exprs))
            at += len(output.exprs)
            size = max((abs(true[i]) for i in rows), default=0)
            error = max((abs(mpmath.mpf(float(doubles[i])) - true[i]) for i in rows), default=0)
            if size and mpmath.isfinite(error):
                worst = max(worst, float(error / size))
    return worst


def _draws(asked: Prepared, function: Function) -> Iterator[Draw]:
    """States, and parameter values at which the conditions hold; the same ones every time."""
    facts = parameter_facts(asked.robot, asked.request.symbolic)
    variables = [name for port in function.inputs if port.online for name in port.names]
    own = {name for port in function.inputs if not port.online for name in port.names} & facts.keys()
    wild = own & composed_names(asked.robot)
    dice = Random(0)
    for number in range(NEAR + (FAR if wild else 0)):
        draw = {name: dice.uniform(-2.0, 2.0) for name in variables}
        for name in sorted(own):
            fact, factor = facts[name], 2 ** dice.uniform(-1.0, 1.0) if number else 1.0
            draw[name] = (fact.stand_in if fact.value is None else fact.value) * factor
            if number >= NEAR and name in wild:
                draw[name] = 10 ** dice.uniform(*SPREAD)
        if draw.keys() >= set(variables) | own and holds(function, draw):
            yield draw


def holds(function: Function, draw: Draw) -> bool:
    sides = [x for condition in function.conditions for x in (condition.divisor, condition.bound)]
    with np.errstate(all="ignore"):
        values: list[Any] = evaluate(sides, {name: np.float64(x) for name, x in draw.items()}, ARRAYS)
    return all(abs(values[i]) > values[i + 1] for i in range(0, len(values), 2))


def composed_names(robot: RobotDescription) -> set[str]:
    """The names that stand in sums of names: any of them may cancel against another."""
    entries = [*(cell.parameter for cell in robot.cells()), *(value for _, value in robot.values)]
    return {name for entry in entries if _is_sum(entry) for name in names_of(entry)}


def _is_sum(entry: Parameter) -> bool:
    if not isinstance(entry, ParameterOp):
        return False
    named = [x for x in entry.args if list(names_of(x))]
    return (entry.op in ("+", "-") and len(named) > 1) or any(_is_sum(x) for x in entry.args if not isinstance(x, Name))


@dataclass(frozen=True)
class Answer:
    """A function as a level found it, all parameters among its inputs, and as it leaves: proved, named, guarded."""

    found: Function
    proved: Function


@seldom_collecting()
def generate_function(asked: Prepared, tell: Tell = silent) -> Function:
    """The cheapest choice found, optimised and proved; what was once made for the same robot is remembered."""
    if asked.request.optimise not in LEVEL_NAMES:
        raise UnknownNameError("optimisation level", asked.request.optimise, LEVEL_NAMES)
    made = _answer(asked, Effort(tell=tell))
    warn_massless(asked.robot, asked.request.model)
    return made


@seldom_collecting()
def optimise_function(asked: Prepared, effort: Effort = DEFAULT_EFFORT, known: bool = True) -> Function:
    """What level "max" can find with this effort; remembered for that level, unless it knows something cheaper.

    `known`: a result that was found before is taken.
    """
    return _answer(asked.with_request(optimise="max"), effort, known)


@seldom_collecting()
def searched_function(asked: Prepared, effort: Effort) -> Answer:
    """What level "max" finds from nothing, whatever is known; proved, and not remembered."""
    asked = asked.with_request(optimise="max")
    check_request(asked)
    with _explained(asked):
        found = _levels()["max"](asked, effort, None)
    return _finish(asked, found)


def remember_function(asked: Prepared, found: Function) -> Function:
    """A function that was found elsewhere: proved here, then remembered as if it had been found here."""
    asked = asked.with_request(optimise="max")
    if not cache.has_ports_of(found, asked):
        raise ProofError(
            "{model} of {name}: what was found has other inputs than the model", asked.request.model, asked.robot.name
        )
    made = _finish(asked, found)
    _remember(asked, made, _known_answer(asked))
    return made.proved


def known_function(asked: Prepared) -> Function | None:
    """The best that is known for level "max" without a search: remembered, or shipped with the library."""
    known = _known_answer(asked.with_request(optimise="max"))
    return None if known is None else known.proved


def _answer(asked: Prepared, effort: Effort, take_known: bool = True) -> Function:
    """What is known, if it is all that a level would find; else what the level finds, from there on."""
    check_request(asked)
    known, start = _known_answer(asked), None
    if take_known and known is not None:
        if cache.is_finished(known.found):
            return known.proved
        start = known.found
    made = shipped_answer(asked) if take_known and asked.request.optimise == "fast" else None
    if made is None:
        with _explained(asked):
            found = _levels()[asked.request.optimise](asked, effort, start)
        effort.tell(f"{asked.request.model}: proof")
        made = _finish(asked, _cheaper(asked, found, start))
    made = _accurate(asked, made, effort)
    _remember(asked, made, known)
    return made.proved


def _levels() -> Mapping[str, Level]:
    """The search behind them is loaded for what is not known."""
    from manipula.generation.levels import LEVELS

    return LEVELS


@contextmanager
def _explained(asked: Prepared) -> Iterator[None]:
    """A model that divides by zero on this robot says why."""
    try:
        yield
    except ZeroDivisionError as error:
        raise singular(asked.structure, asked.request.model) from error


def _cheaper(asked: Prepared, found: Function, start: Function | None) -> Function:
    """What the level found; what it went on from, if it found nothing cheaper."""
    total = asked.aim.price.total
    if start is None or total(found) < total(start):
        return found
    return cache.mark_cut(start, found.provenance.search)


def _accurate(asked: Prepared, made: Answer, effort: Effort) -> Answer:
    """What was found, unless it loses digits that the plain function keeps."""
    draws = [] if asked.request.optimise == "none" else loses_digits(asked, made.proved)
    if not draws:
        return made
    plain = _levels()["none"](asked, effort, None)
    if not is_worse(made.found, plain, draws):
        return made
    effort.tell(f"{asked.request.model}: the plain form, which keeps more digits")
    return _finish(asked, plain)


def _known_answer(asked: Prepared) -> Answer | None:
    """The cheapest answer there is already, read and proved again; a result that ships counts for level "max" alone.

    Beside a result that ships no search is unfinished.
    """
    kept, shipped = _cached_answer(asked), shipped_answer(asked) if asked.request.optimise == "max" else None
    if kept is None or shipped is None:
        return kept or shipped
    total = asked.aim.price.total
    best = min(shipped, kept, key=lambda answer: total(answer.found))
    return replace(best, found=cache.mark_cut(best.found, ""))


def shipped_answer(asked: Prepared, folder: Path = cache.FOLDER) -> Answer | None:
    """The cheapest record that is proved to be of this robot; a wrong one, or one of another arm, is passed over."""
    for record in cache.stored_records(asked, folder):
        with suppress(ManipulaError, ValueError, KeyError, ZeroDivisionError):
            return _finish(asked, record)
    return None


def _cached_answer(asked: Prepared) -> Answer | None:
    """What the cache has; whatever is wrong with it, it can be made again."""
    found = cache.recall_function(asked)
    if found is None:
        return None
    try:
        return _finish(asked, found)
    except Exception:
        cache.forget(asked.request)
        return None


def _remember(asked: Prepared, made: Answer, known: Answer | None) -> None:
    """Never something dearer in place of something cheaper; and of a search cut short only what gains something."""
    total = asked.aim.price.total
    if known is not None and total(known.found) <= total(made.found):
        if cache.is_finished(made.found) and not cache.is_finished(known.found):
            cache.keep(asked.request, cache.mark_cut(known.found, ""))
    elif cache.is_finished(made.found) or (known is not None and cache.is_finished(known.found)):
        cache.keep(asked.request, cache.mark_cut(made.found, ""))
    elif total(made.found) < total(generate_function(asked.with_request(optimise="fast"))):
        cache.keep(asked.request, made.found)


def _finish(asked: Prepared, found: Function) -> Answer:
    """With the parameters it reads as its inputs, its intermediates named, its conditions; and proved so."""
    named = with_joint_units(label_function(used_parameters(found), asked), asked.robot)
    guarded = add_conditions(named, asked.structure)
    return Answer(found, _with_words(guarded, prove(guarded, reference(asked))))


def with_proof(
    function: Function, plain: Reference, prover: Callable[[Function, Reference], Proof] = prove
) -> Function:
    """The function, once it is proved; its provenance says how."""
    return _with_words(function, prover(function, plain))


def _with_words(function: Function, proof: Proof) -> Function:
    return replace(function, provenance=replace(function.provenance, proof=str(proof)))
