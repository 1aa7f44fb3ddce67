"""Searching over options: what is chosen and its answers are opaque here, `price` says what a choice costs.

Coordinate descent finds the next basin; a walk that now and then takes a dearer choice leaves it again. Both end when
`stop` says so and see each choice once; who calls `price` keeps what it has seen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import exp
from random import Random
from threading import Event
from typing import Any

from manipula.support.progress import Stop, Tell, never, silent

Answers = Mapping[Any, Any]
Space = Mapping[Any, tuple[Any, ...]]
Worth = Callable[[Answers], float]
WARM, COLD = 2.0, 0.5  # rises of the price that a walk takes easily, at its start and at its end
STRIDES = (1, 1, 1, 2)  # answers changed in one step


def descend(
    price: Worth, space: Space, start: Answers, part: Space, stop: Stop = never, tell: Tell = silent
) -> dict[Any, Any]:
    """Change one answer at a time, of a part of the space, while it pays."""
    best = {name: start.get(name, answers[0]) for name, answers in space.items()}
    cost, improving = price(best), True
    # one answer may open the way for another that was tried before
    while improving:
        improving = False
        for name, answer in ((name, answer) for name, answers in part.items() for answer in answers):
            if stop():
                return best
            trial = {**best, name: answer}
            trial_cost = cost if trial == best else price(trial)
            if trial_cost < cost:
                best, cost, improving = trial, trial_cost, True
                tell(f"{name}: {answer}")
    return best


def wander(
    price: Worth, space: Space, start: Answers, progress: Callable[[], float], seed: int = 0, tell: Tell = silent
) -> dict[Any, Any]:
    """Anneal from `start` until the progress reaches 1; the best that was met."""
    random, open_names = Random(seed), [name for name, answers in space.items() if len(answers) > 1]
    now = best = {name: start.get(name, answers[0]) for name, answers in space.items()}
    cost = least = price(now)
    while open_names and (share := progress()) < 1:
        trial = dict(now)
        # now and then two at once: some answers pay only together
        for name in random.sample(open_names, min(random.choice(STRIDES), len(open_names))):
            trial[name] = random.choice([answer for answer in space[name] if answer != now[name]])
        trial_cost = price(trial)
        # geometric cooling: as many steps near each temperature
        if trial_cost <= cost or random.random() < exp((cost - trial_cost) / (WARM * (COLD / WARM) ** share)):
            now, cost = trial, trial_cost
        if trial_cost < least:
            best, least = trial, trial_cost
            tell("a walk")
    return best


# Whether a search is to end: because someone asks for it, or because of an interrupt; and whether that happened.


class Brake:
    """Once pressed it stays so. Who is called with a `stop` may get one."""

    def __init__(self, asked: Stop = never) -> None:
        self._asked, self._pressed = asked, Event()

    def __call__(self) -> bool:
        if not self._pressed.is_set() and self._asked():
            self._pressed.set()
        return self._pressed.is_set()

    def press(self) -> None:
        self._pressed.set()

    @property
    def was_seen(self) -> bool:
        """Did a search see it? What is requested after the end was not in time."""
        return self._pressed.is_set()


def brake_from(stop: Stop) -> Brake:
    return stop if isinstance(stop, Brake) else Brake(stop)
