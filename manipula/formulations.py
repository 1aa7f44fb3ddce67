"""The search over formulations: a model's free choices, tried by drafting and a short descent of the algebra.

What a formulation is worth shows only when the algebra has settled: of two drafts the dearer often ends below. So each
is priced after a few moves that only go down. The answers differ by much more than the drafts do, so formulations are
known by the values their drafts compute.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import inf
from time import monotonic

from manipula.algebra.expr.walk import topological
from manipula.algebra.optimise.descend import Answers, Stop, descend, wander
from manipula.algebra.optimise.price import Price, price_named
from manipula.algebra.optimise.search.engine import settled
from manipula.bridge import Choice, Request, Tell, drafted, lengths_of, methods_of, questions_of, usual_choice
from manipula.mechanics.models.choices import Question

WORK = 300_000  # operations drafted in the descents, and as many in the walk: a quarter of a minute each
TRIALS = 1_500  # and no more formulations than that: a small arm soon has no others
MOVES = 60  # of the algebra for each operation of a draft
HOPELESS = 1.3  # of the best: a draft this dear is not settled

Space = Mapping[str, tuple[str, ...]]


@dataclass
class Formulations:
    """All formulations of one method that were tried, by what they compute."""

    request: Request
    method: str
    questions: Sequence[Question]
    price: Price
    divisors: Sequence[str]
    known: dict[frozenset[int], tuple[float, Choice]] = field(default_factory=dict)
    asked: dict[Choice, float] = field(default_factory=dict)
    least: float = inf
    work: int = 0  # operations drafted
    trials: int = 0

    @cached_property
    def space(self) -> Space:
        return {question.name: question.answers for question in self.questions}

    def worth(self, answers: Answers) -> float:
        """The price once settled; a choice that divides by zero on this robot is none."""
        self.trials += 1
        choice = chosen(self.method, answers, self.space)
        if choice not in self.asked:
            try:
                self.asked[choice] = self._tried(choice)
            except ZeroDivisionError:
                self.asked[choice] = inf
        return self.asked[choice]

    def _tried(self, choice: Choice) -> float:
        draft = drafted(self.request, choice)
        nodes = topological(draft.roots)
        values = frozenset(node.value for node in nodes)
        self.work += len(nodes)
        if values not in self.known:
            cost: float = self.price.total(draft)
            if cost < HOPELESS * self.least:
                cost = settled(draft, MOVES * len(nodes), price=self.price, divisors=self.divisors)
            self.known[values] = (cost, choice)
            self.least = min(self.least, cost)
        return self.known[values][0]

    def best(self) -> list[tuple[float, Choice]]:
        """Cheapest first."""
        return sorted(self.known.values(), key=lambda item: item[0])

    def best_answers(self) -> Answers:
        return dict(self.best()[0][1].answers)


def chosen(method: str, answers: Answers, space: Space) -> Choice:
    """The answers that differ from the first ones."""
    return Choice(method, tuple((name, x) for name, x in answers.items() if x != space[name][0] or name == "frames"))


def formulations(
    request: Request, seconds: float, walk: float, seed: int, stop: Stop, tell: Tell
) -> list[Formulations]:
    """Every method descended through, then the best of them walked through, for a part `walk` of the usual work.

    An interrupt keeps what is known.
    """
    tried: list[Formulations] = []
    methods = methods_of(request)
    try:
        for method in methods:
            tried.append(_begun(request, method))
            _descended(tried[-1], _Budget(tried[-1], 1 / len(methods), seconds / 2 / len(methods), stop), tell)
        best = min(tried, key=lambda one: one.least)
        wander(best.worth, best.space, best.best_answers(), _Budget(best, walk, seconds / 2, stop).used, seed, tell)
    except KeyboardInterrupt:
        tell("interrupted: keeping the best so far")
    return [one for one in tried if one.known]


def _begun(request: Request, method: str) -> Formulations:
    questions = questions_of(request, method)
    return Formulations(request, method, questions, price_named(request.price), lengths_of(request))


def _descended(found: Formulations, budget: _Budget, tell: Tell) -> None:
    """Without the bold questions, then with them."""
    start: Answers = dict(usual_choice(found.request, found.method).answers)
    for bold in sorted({question.bold for question in found.questions} | {False}):
        part = {question.name: question.answers for question in found.questions if bold or not question.bold}
        start = descend(found.worth, part, start, lambda: budget.used() >= 1, tell)


class _Budget:
    """Some part of the usual work, and time by the clock, from now on."""

    def __init__(self, found: Formulations, part: float, seconds: float, stop: Stop) -> None:
        self.found, self.part, self.seconds, self.stop = found, part, seconds, stop
        self.work, self.trials, self.start = found.work, found.trials, monotonic()

    def used(self) -> float:
        """0 … 1"""
        if self.stop() or not self.part:
            return 1.0
        work = max((self.found.work - self.work) / WORK, (self.found.trials - self.trials) / TRIALS)
        return max(work / self.part, (monotonic() - self.start) / self.seconds)
