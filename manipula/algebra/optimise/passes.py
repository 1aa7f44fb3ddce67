"""Passes: named rewrites of a whole function, each leaving its value unchanged.

A graph holds one way to compute each value, so a pass builds the better ways in a new graph. Every result is proved by
the caller (`prove`); a pass that does not lower the cost is dropped.
"""

from __future__ import annotations

from collections.abc import Callable

from manipula.algebra.expr.function import Function
from manipula.algebra.optimise.factor import factored
from manipula.errors import UnknownNameError

Pass = Callable[[Function], Function]

PASSES: dict[str, Pass] = {
    "factor": factored,  # a·b ± a·c → a·(b ± c)
}

LEVELS: dict[str, tuple[str, ...]] = {
    "none": (),
    "fast": ("factor",),
    "max": ("factor",),
}


def optimised(function: Function, level: str = "fast") -> Function:
    """The function after the passes of a level, repeated while they pay."""
    if level not in LEVELS:
        raise UnknownNameError("optimisation level", level, LEVELS)
    improving = bool(LEVELS[level])
    while improving:
        improving = False
        for name in LEVELS[level]:
            better = PASSES[name](function)
            if better.cost.total < function.cost.total:
                function, improving = better, True
    return function
