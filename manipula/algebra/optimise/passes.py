"""Passes: named rewrites of a whole function, each leaving its value unchanged.

A graph holds one way to compute each value, so a pass builds the better ways in a new graph. Every result is proved by
the caller (`prove`); a pass that does not lower the cost is dropped.
"""

from __future__ import annotations

from collections.abc import Callable

from manipula.algebra.expr.function import Function
from manipula.algebra.optimise.factor import factored

Pass = Callable[[Function], Function]

PASSES: dict[str, Pass] = {
    "factor": factored,  # a·b ± a·c → a·(b ± c)
}


def optimised(function: Function) -> Function:
    """The function after all passes, repeated while they pay."""
    improving = True
    while improving:
        improving = False
        for rewrite in PASSES.values():
            better = rewrite(function)
            if better.cost.total < function.cost.total:
                function, improving = better, True
    return function
