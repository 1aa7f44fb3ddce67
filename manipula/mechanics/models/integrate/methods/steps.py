"""One step of an integrator: x(t + h) from x(t) and a function that gives the rate of a state, over any scalar.

A state is a set of named vectors. What drives the system is held over the step. Integrators add up steps h k; where a
step takes a state is for its `Advance` to say: positions of a robot move as its coordinates do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

State = Mapping[str, Sequence[Any]]
Rates = Callable[[State], State]
Advance = Callable[[State, State], State]  # a state and a step from there → the state where it ends
Step = Callable[[Rates, State, Any, Advance], State]


def over(h: Any, k: State) -> State:
    """The step h k."""
    return {name: [h * b for b in rates] for name, rates in k.items()}


def add(x: State, step: State) -> dict[str, list[Any]]:
    """x + step, entry by entry: how states advance that are numbers."""
    return {name: [a + b for a, b in zip(x[name], step[name], strict=True)] for name in x}
