"""The road from a request to a proved function: what is known already, or what a level finds; always proved."""

from __future__ import annotations

from dataclasses import dataclass, replace

from manipula.algebra.expr.function import Function
from manipula.algebra.optimise.prove import Reference, prove
from manipula.errors import ProofError, UnknownNameError
from manipula.generation.accuracy import is_worse, loses_digits
from manipula.generation.build import check_request, guarded, reference, used_parameters
from manipula.generation.kept import forget, keep, recalled
from manipula.generation.labels import labelled
from manipula.generation.levels import LEVELS, Past, is_finished, marked
from manipula.generation.prepare import Prepared
from manipula.generation.shipped import has_ports_of, stored
from manipula.generation.units.joint_units import with_joint_units
from manipula.generation.weightless import singular, warn_massless
from manipula.support.collecting import seldom_collecting
from manipula.support.progress import DEFAULT_EFFORT, Effort, Tell, silent


@dataclass(frozen=True)
class Answer:
    """A function as a level found it, all parameters among its inputs, and as it leaves: proved, named, guarded."""

    found: Function
    proved: Function


@seldom_collecting()
def generate_function(asked: Prepared, tell: Tell = silent) -> Function:
    """The cheapest choice found, optimised and proved; what was once made for the same robot is remembered."""
    if asked.request.optimise not in LEVELS:
        raise UnknownNameError("optimisation level", asked.request.optimise, LEVELS)
    made = _answered(asked, Effort(tell=tell), Past())
    warn_massless(asked.robot, asked.request.model)
    return made


@seldom_collecting()
def optimise_function(asked: Prepared, effort: Effort = DEFAULT_EFFORT, known: bool = True) -> Function:
    """What level "max" can find with this effort; remembered for that level, unless it knows something cheaper.

    `known`: a result that was found before is taken.
    """
    return _answered(asked.asking(optimise="max"), effort, Past(known))


@seldom_collecting()
def searched_function(asked: Prepared, effort: Effort) -> Answer:
    """What level "max" finds from nothing, whatever is known; proved, and not remembered."""
    asked = asked.asking(optimise="max")
    check_request(asked)
    found = _found(asked, effort, Past(known=False))
    return Answer(found, _finished(asked, found))


def remember_function(asked: Prepared, found: Function) -> Function:
    """A function that was found elsewhere: proved here, then remembered as if it had been found here."""
    asked = asked.asking(optimise="max")
    if not has_ports_of(found, asked):
        raise ProofError(
            "{model} of {name}: what was found has other inputs than the model", asked.request.model, asked.robot.name
        )
    made = Answer(found, _finished(asked, found))
    _remember(asked, made, _known(asked))
    return made.proved


def known_function(asked: Prepared) -> Function | None:
    """The best that is known for level "max" without a search: remembered, or shipped with the library."""
    known = _known(asked.asking(optimise="max"))
    return None if known is None else known.proved


def _answered(asked: Prepared, effort: Effort, past: Past) -> Function:
    """What is known, if it is all that a level would find; else what the level finds, from there on."""
    check_request(asked)
    known = _known(asked)
    if past.known and known is not None:
        if is_finished(known.found):
            return known.proved
        past = replace(past, start=known.found)
    found = _found(asked, effort, past)
    effort.tell(f"{asked.request.model}: proof")
    made = _accurate(asked, Answer(found, _finished(asked, found)), effort)
    _remember(asked, made, known)
    return made.proved


def _accurate(asked: Prepared, made: Answer, effort: Effort) -> Answer:
    """What was found, unless it loses digits that the plain function keeps."""
    draws = [] if asked.request.optimise == "none" else loses_digits(asked, made.proved)
    if not draws:
        return made
    plain = LEVELS["none"](asked, effort, Past())
    if not is_worse(made.found, plain, draws):
        return made
    effort.tell(f"{asked.request.model}: the plain form, which keeps more digits")
    return Answer(plain, _finished(asked, plain))


def _found(asked: Prepared, effort: Effort, past: Past) -> Function:
    """What the level finds; what it went on from, if it found nothing cheaper."""
    try:
        found = LEVELS[asked.request.optimise](asked, effort, past)
    except ZeroDivisionError as error:
        raise singular(asked.structure, asked.request.model) from error
    total = asked.aim.price.total
    if past.start is None or total(found) < total(past.start):
        return found
    return marked(past.start, found.provenance.search)


def _known(asked: Prepared) -> Answer | None:
    """The cheapest answer there is already, read and proved again; a result that ships counts for level "max" alone.

    Beside a result that ships no search is unfinished.
    """
    kept, shipped = _kept(asked), _shipped(asked) if asked.request.optimise == "max" else None
    if kept is None or shipped is None:
        return kept or shipped
    total = asked.aim.price.total
    best = min(shipped, kept, key=lambda answer: total(answer.found))
    return replace(best, found=marked(best.found, ""))


def _shipped(asked: Prepared) -> Answer | None:
    found = stored(asked)
    return None if found is None else Answer(found, _finished(asked, found))


def _kept(asked: Prepared) -> Answer | None:
    """What the cache has; whatever is wrong with it, it can be made again."""
    found = recalled(asked)
    if found is None:
        return None
    try:
        return Answer(found, _finished(asked, found))
    except Exception:
        forget(asked.request)
        return None


def _remember(asked: Prepared, made: Answer, known: Answer | None) -> None:
    """Never something dearer in place of something cheaper; and of a search cut short only what gains something."""
    total = asked.aim.price.total
    if known is not None and total(known.found) <= total(made.found):
        if is_finished(made.found) and not is_finished(known.found):
            keep(asked.request, marked(known.found, ""))
    elif is_finished(made.found) or (known is not None and is_finished(known.found)):
        keep(asked.request, marked(made.found, ""))
    elif total(made.found) < total(generate_function(asked.asking(optimise="fast"))):
        keep(asked.request, made.found)


def _finished(asked: Prepared, found: Function) -> Function:
    """With the parameters it reads as its inputs, its intermediates named, its conditions; and proved so."""
    named = with_joint_units(labelled(used_parameters(found), asked), asked.robot)
    return with_proof(guarded(named, asked.structure), reference(asked))


def with_proof(function: Function, plain: Reference) -> Function:
    """The function, once it is proved; its provenance says how."""
    proof = prove(function, plain)
    return replace(function, provenance=replace(function.provenance, proof=str(proof)))
