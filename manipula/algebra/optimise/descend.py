"""Coordinate descent over named options: `space` is opaque here, `price` says what a choice costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping

Answers = Mapping[str, str]
Trail = list[tuple[float, dict[str, str]]]


def descend(
    price: Callable[[Answers], float],
    space: Mapping[str, tuple[str, ...]],
    start: Answers,
    stop: Callable[[], bool] = lambda: False,
    tell: Callable[[str], None] = lambda text: None,
) -> Trail:
    """Change one answer at a time while it pays. All that was tried, the cheapest first; `stop` and Ctrl-C end it."""
    seen: dict[tuple[tuple[str, str], ...], float] = {}

    def worth(answers: Answers) -> float:
        key = tuple(answers.items())
        if key not in seen:
            seen[key] = _price(price, answers)
        return seen[key]

    best = {name: start.get(name, answers[0]) for name, answers in space.items()}
    cost, improving = worth(best), True
    try:
        while improving and not stop():
            improving = False
            for name, answer in ((name, answer) for name, answers in space.items() for answer in answers):
                if stop():
                    break
                trial = {**best, name: answer}
                if worth(trial) < cost:
                    best, cost, improving = trial, worth(trial), True
                    tell(f"{cost:g} with {name}: {answer}")
    except KeyboardInterrupt:
        tell("interrupted: keeping the best so far")
    return sorted(((cost, dict(key)) for key, cost in seen.items()), key=lambda item: item[0])


def _price(price: Callable[[Answers], float], answers: Answers) -> float:
    """A choice that divides by zero on this robot is no choice."""
    try:
        return price(answers)
    except ZeroDivisionError:
        return float("inf")
