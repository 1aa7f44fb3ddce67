"""The search over formulations: a model's free choices, tried by drafting and a short descent of the algebra.

What a formulation is worth shows only when the algebra has relaxed: of two drafts the dearer often ends below. So each
is priced after a few moves that only go down. The answers differ by much more than the drafts do, so formulations are
known by the values their drafts compute.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice, product, zip_longest
from math import inf
from time import monotonic

from manipula.algebra.expr.function import Function
from manipula.algebra.expr.maths import topological
from manipula.algebra.optimise.descend import Answers, Space, brake_from, descend, wander
from manipula.algebra.optimise.price import Aim
from manipula.algebra.optimise.search.engine import relaxed_function, relaxed_price
from manipula.generation.build import Ground, build_function
from manipula.generation.prepare import Formulation, Prepared
from manipula.mechanics.models.dynamics.choices import FRAMES, Question
from manipula.support.progress import Effort, Stop, Tell, never

# Measured (bench/notes/relaxed-formulations.md): 40 moves a node tell most of where a draft ends, in the time of the
# draft itself; further bounds only keep hopeless drafts from costing that time.
WORK = 300_000  # operations built in the descents, and as many in the walk: a quarter of a minute each
TRIALS = 1_500  # and no more formulations than that: a small arm soon has no others
MOVES = 40  # of the algebra for each node of a draft
FAST = 0.02  # of that work, for an answer within a second
FULL_WALK = 160_000_000  # moves of a search that are worth the whole walk through the formulations
NEAR = 1.2  # of the best: methods whose changes are tried
BASINS = 6
LARGE = 3_000  # nodes: a draft like this is taken as it comes
HOPELESS = 1.3  # of the best: a draft this dear is not relaxed
DEEP = 1.1  # of the best: a basin that begins higher is not searched


@dataclass(frozen=True, order=True)
class Tried:
    """A formulation and its price once relaxed."""

    relaxed: int
    choice: Formulation = field(compare=False)


@dataclass
class Formulations:
    """All formulations of one method that were tried, by what they compute."""

    asked: Prepared
    method: str
    questions: Sequence[Question]
    aim: Aim
    known: dict[frozenset[int], Tried] = field(default_factory=dict)
    worths: dict[Formulation, float] = field(default_factory=dict)
    least: float = inf  # relaxed
    work: int = 0  # operations built
    trials: int = 0

    @cached_property
    def ground(self) -> Ground:
        """Drafts are priced one after another and dropped: they share it."""
        return Ground(self.asked)

    @cached_property
    def space(self) -> Space:
        return {question.topic: question.answers for question in self.questions}

    @cached_property
    def fine(self) -> Space:
        """The questions that stay in a basin.

        A descent over all of `space` would step out of its basin at the first answer that is cheaper at once, and
        never learn how deep it is; so `space` is for the walk and for what a formulation is, `fine` for descents.
        """
        return {
            question.topic: question.answers
            for question in self.questions
            if not (question.disruptive or question.basin)
        }

    def worth(self, answers: Answers) -> float:
        """The price once relaxed; a choice that divides by zero on this robot does not count."""
        self.trials += 1
        choice = formulation_from_answers(
            self.method, {name: answers.get(name, x[0]) for name, x in self.space.items()}, self.space
        )
        if choice not in self.worths:
            try:
                self.worths[choice] = self._relax(build_function(self.asked, choice, self.ground.clear()), choice)
            except ZeroDivisionError:
                self.worths[choice] = inf
        return self.worths[choice]

    def _relax(self, draft: Function, choice: Formulation) -> float:
        """The price of a draft once relaxed; drafts that compute the same values have one."""
        price = self.aim.price
        draft = price.arrange(draft)
        nodes = topological(draft.roots)
        values = frozenset(node.value for node in nodes)
        self.work += len(nodes)
        if values not in self.known:
            relaxed = price.total(draft)
            if relaxed < HOPELESS * self.least and len(nodes) < LARGE:
                waits = relaxed - replace(price, path=0).total(draft)  # a search shortens no paths
                relaxed = waits + relaxed_price(draft, MOVES * len(nodes), self.aim)
            self.known[values] = Tried(relaxed, choice)
            self.least = min(self.least, relaxed)
        return self.known[values].relaxed

    def best_answers(self) -> Answers:
        if not self.known:
            raise ZeroDivisionError(f"every formulation of {self.asked.request.model} divides by zero on this robot")
        return dict(min(self.known.values()).choice.answers)

    def basin(self, choice: Formulation) -> Formulation:
        """Where a formulation lies: its method and its answers to the questions that make basins."""
        wide = {question.topic for question in self.questions if question.basin}
        return Formulation(choice.method, tuple(item for item in choice.answers if item[0] in wide))


def favourites(tried: Iterable[Formulations], count: int) -> dict[Formulation, Formulation]:
    """The best of every basin, then the second of each …, with its basin: how deep it is only a long search shows."""
    basins: dict[Formulation, list[Tried]] = {}
    for found in tried:
        for one in found.known.values():
            basins.setdefault(found.basin(one.choice), []).append(one)
    least = min(map(min, basins.values()))
    names = sorted(basins, key=lambda name: sorted(basins[name]))[:BASINS]
    near = [name for name in names if min(basins[name]).relaxed < DEEP * least.relaxed]
    ranks = zip_longest(*(sorted(basins[name]) for name in near))
    in_turn = ((one.choice, name) for rank in ranks for one, name in zip(rank, near) if one is not None)
    return dict(islice(in_turn, count))


def formulation_from_answers(method: str, answers: Answers, space: Space) -> Formulation:
    """The answers that differ from the first ones."""
    return Formulation(method, tuple((name, x) for name, x in answers.items() if x != space[name][0] or name == FRAMES))


def fast_formulation(asked: Prepared) -> Formulation:
    """The best of the plain and the default formulations, after the changes to try, and then any, that pay at once."""
    tried = [_begin(asked, method) for method in asked.methods]
    budgets = {found.method: _Budget(found, FAST, inf, never) for found in tried}
    for found in tried:
        found.worth(dict(asked.plain(found.method).answers))
        found.worth(dict(asked.default(found.method).answers))
    least = min(found.least for found in tried)
    for found in (one for one in tried if one.least < NEAR * least):
        for change in asked.changes_to_try(found.method):
            if budgets[found.method].share_spent() < 1:
                found.worth({**found.best_answers(), **change})
    best = min(tried, key=lambda one: one.least)
    descend(best.worth, best.space, best.best_answers(), best.fine, lambda: budgets[best.method].share_spent() >= 1)
    return min(best.known.values()).choice


def formulations(asked: Prepared, effort: Effort, least: float = inf) -> list[Formulations]:
    """Every method descended through, then the best of them walked through: fewer moves, a shorter walk.

    An interrupt keeps what is known. Reported is the best price so far; `least` is one known before.
    """
    tried: list[Formulations] = []
    methods, brake, seconds = asked.methods, brake_from(effort.stop), inf if effort.seconds is None else effort.seconds
    walk = 1.0 if effort.moves is None else min(effort.moves / FULL_WALK, 1.0)

    def report(text: str) -> None:
        effort.tell(f"{min(least, *(one.least for one in tried)):g} after {text}")

    try:
        for method in methods:
            tried.append(_begin(asked, method))
            _descend(tried[-1], _Budget(tried[-1], 1 / len(methods), seconds / 2 / len(methods), brake), report)
        best = min(tried, key=lambda one: one.least)
        budget = _Budget(best, walk, seconds / 2, brake)
        wander(best.worth, best.space, best.best_answers(), budget.share_spent, effort.seed, report)
    except KeyboardInterrupt:
        brake.press()
        effort.tell("interrupted: keeping the best so far")
    return [one for one in tried if one.known]


def relaxed_draft(asked: Prepared, choice: Formulation) -> Function:
    """The function behind the price of a formulation that was tried."""
    draft = asked.aim.price.arrange(build_function(asked, choice))
    size = len(topological(draft.roots))
    if size >= LARGE:
        return draft
    return relaxed_function(draft, MOVES * size, asked.aim)


def _begin(asked: Prepared, method: str) -> Formulations:
    return Formulations(asked, method, asked.questions(method), asked.aim)


def _descend(found: Formulations, budget: _Budget, tell: Tell) -> None:
    """Into the most promising basins, then on from the best with the disruptive questions."""
    start = dict(found.asked.default(found.method).answers)
    for basin in sorted(_basins(found, start), key=found.worth)[:BASINS]:
        descend(found.worth, found.space, basin, found.fine, lambda: budget.share_spent() >= 1, tell)
    if any(question.disruptive for question in found.questions):
        descend(found.worth, found.space, found.best_answers(), found.space, lambda: budget.share_spent() >= 1, tell)


def _basins(found: Formulations, start: Answers) -> list[Answers]:
    """All answers to the questions that make basins."""
    wide = [question for question in found.questions if question.basin]
    answers = product(*(question.answers for question in wide))
    return [{**start, **{question.topic: x for question, x in zip(wide, picked)}} for picked in answers]


class _Budget:
    """Some part of the whole work, and time by the clock, from now on."""

    def __init__(self, found: Formulations, part: float, seconds: float, stop: Stop) -> None:
        self.found, self.part, self.seconds, self.stop = found, part, seconds, stop
        self.work, self.trials, self.start = found.work, found.trials, monotonic()

    def share_spent(self) -> float:
        """0 … 1"""
        if self.stop() or not self.part:
            return 1.0
        work = max((self.found.work - self.work) / WORK, (self.found.trials - self.trials) / TRIALS)
        return max(work / self.part, (monotonic() - self.start) / self.seconds)
