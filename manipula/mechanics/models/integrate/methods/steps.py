"""One step of an integrator: x(t + h) from x(t) and a function that gives the rate of a state, over any scalar.

A state is a set of named vectors. What drives the system is held over the step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

State = Mapping[str, Sequence[Any]]
Rates = Callable[[State], State]
Step = Callable[[Rates, State, Any], State]


def along(x: State, h: Any, k: State) -> dict[str, list[Any]]:
    """x + h k"""
    return {name: [a + h * b for a, b in zip(x[name], k[name], strict=True)] for name in x}
