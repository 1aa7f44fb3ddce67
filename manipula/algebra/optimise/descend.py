"""Coordinate descent over named options: `space` is opaque here, `build` makes the function of a choice."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from manipula.algebra.expr.function import Function

Answers = Mapping[str, str]


def descend(
    build: Callable[[Answers], Function],
    space: Mapping[str, tuple[str, ...]],
    start: Answers,
    price: Callable[[Function], float],
    stop: Callable[[], bool] = lambda: False,
    tell: Callable[[str], None] = lambda text: None,
) -> dict[str, str]:
    """Change one answer at a time while it pays; Ctrl-C and `stop` keep the best so far."""
    seen: dict[tuple[tuple[str, str], ...], float] = {}

    def worth(answers: Answers) -> float:
        key = tuple(sorted(answers.items()))
        if key not in seen:
            seen[key] = _price(build, answers, price)
        return seen[key]

    best = {name: start.get(name, answers[0]) for name, answers in space.items()}
    cost, improving = worth(best), True
    try:
        while improving:
            improving = False
            for name, answers in space.items():
                for answer in answers:
                    if stop():
                        return best
                    trial = {**best, name: answer}
                    if worth(trial) < cost:
                        best, cost, improving = trial, worth(trial), True
                        tell(f"{cost:g} with {name}: {answer}")
    except KeyboardInterrupt:
        tell("interrupted: keeping the best so far")
    return best


def _price(build: Callable[[Answers], Function], answers: Answers, price: Callable[[Function], float]) -> float:
    """A choice that divides by zero on this robot is no choice."""
    try:
        return price(build(answers))
    except ZeroDivisionError:
        return float("inf")
