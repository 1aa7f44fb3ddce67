"""Digits: what is optimised must not lose more of them than the plain function does.

A proof says that two functions are one; it does not say how each rounds. An expression of a file may cancel, as
((x + y)² − x² − 2xy)/y, which is y. Where x is 1e8 the plain function, which knows that it is y, is exact; another
arrangement may compute the squares and be off by half its value. So the double result is held against 60 digits, at
drawn states and parameter values:

    lost(f) = max |f in double − f in 60 digits| / max |f in 60 digits|, of every output

A function that keeps CLEAR digits is taken as it is; the plain one is made and measured only where that fails.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

import mpmath
import numpy as np

from manipula.algebra.expr.evaluate import ARRAYS, MPMATH, evaluate
from manipula.algebra.expr.function import Function
from manipula.algebra.expr.walk import topological
from manipula.generation.prepare import Prepared
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.stand_ins import parameter_facts
from manipula.mechanics.robot.values.parameter import Name, Parameter, ParameterOp, names_of

BITS = 200  # 60 digits
CLEAR = 1e-11  # of the largest entry: nobody knows a robot better
LOSS = 100.0  # times what the plain function loses
LEAST = 1e-15  # what any function loses
NEAR, FAR = 2, 12  # draws: about the robot's own values, and of names that could cancel anything
SPREAD = (-6.0, 8.0)  # powers of ten of such a name

Draw = Mapping[str, float]


def loses_digits(asked: Prepared, found: Function) -> list[Draw]:
    """The draws at which fewer than CLEAR digits are left. What compares is passed over: its sums stay as written, and
    beside a jump a rounding error measures nothing."""
    if any(node.op == "less" for node in topological(found.roots)):
        return []
    return [draw for draw in _draws(asked, found) if lost(found, draw) > CLEAR]


def is_worse(found: Function, plain: Function, draws: Sequence[Draw]) -> bool:
    """Does it lose more than LOSS times what the plain function loses, at one of the draws?"""
    return any(lost(found, draw) > LOSS * max(lost(plain, draw), LEAST) for draw in draws)


def lost(function: Function, draw: Draw) -> float:
    """The largest error of an output in double, beside its largest entry; 0 where a value is out of range."""
    doubles = evaluate(function.roots, {name: np.float64(x) for name, x in draw.items()}, ARRAYS)
    with mpmath.workprec(BITS):
        true = evaluate(function.roots, {name: mpmath.mpf(x) for name, x in draw.items()}, MPMATH)
        worst, at = 0.0, 0
        for output in function.outputs:
            rows = range(at, at + len(output.exprs))
            at += len(output.exprs)
            size = max((abs(true[i]) for i in rows), default=0)
            error = max((abs(mpmath.mpf(float(doubles[i])) - true[i]) for i in rows), default=0)
            if size and mpmath.isfinite(error):
                worst = max(worst, float(error / size))
    return worst


def _draws(asked: Prepared, function: Function) -> Iterator[Draw]:
    """States, and parameter values at which the conditions hold; the same ones every time."""
    facts = parameter_facts(asked.robot, asked.request.symbolic)
    variables = [name for port in function.inputs if port.online for name in port.names]
    own = {name for port in function.inputs if not port.online for name in port.names} & facts.keys()
    wild = own & composed_names(asked.robot)
    dice = Random(0)
    for number in range(NEAR + (FAR if wild else 0)):
        draw = {name: dice.uniform(-2.0, 2.0) for name in variables}
        for name in sorted(own):
            fact, factor = facts[name], 2 ** dice.uniform(-1.0, 1.0) if number else 1.0
            draw[name] = (fact.stand_in if fact.value is None else fact.value) * factor
            if number >= NEAR and name in wild:
                draw[name] = 10 ** dice.uniform(*SPREAD)
        if draw.keys() >= set(variables) | own and holds(function, draw):
            yield draw


def holds(function: Function, draw: Draw) -> bool:
    sides = [x for condition in function.conditions for x in (condition.divisor, condition.bound)]
    with np.errstate(all="ignore"):
        values: list[Any] = evaluate(sides, {name: np.float64(x) for name, x in draw.items()}, ARRAYS)
    return all(abs(values[i]) > values[i + 1] for i in range(0, len(values), 2))


def composed_names(robot: RobotDescription) -> set[str]:
    """The names that stand in sums of names: any of them may cancel against another."""
    entries = [*(cell.parameter for cell in robot.cells()), *(value for _, value in robot.values)]
    return {name for entry in entries if _is_sum(entry) for name in names_of(entry)}


def _is_sum(entry: Parameter) -> bool:
    if not isinstance(entry, ParameterOp):
        return False
    named = [x for x in entry.args if list(names_of(x))]
    return (entry.op in ("+", "-") and len(named) > 1) or any(_is_sum(x) for x in entry.args if not isinstance(x, Name))
