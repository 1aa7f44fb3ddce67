"""Worst relative errors over random states: python bench/precision.py [--states N] [--exact] [robot …]

The error of a state is the largest error of a result over the largest result. All states are first compared with the
function in extended precision, its constants unrounded; the worst of them, and some more, then with mpmath's 40 digits,
which decide. With --exact every state is (minutes). Beside it the plain recursion in double precision: what the same
numbers lose without any optimisation.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np

import manipula as mp
from manipula.algebra.expr.evaluate import ARRAYS, MPMATH, ArrayMaths

Array = Any
STATES, LOOKED_AT = 10_000, 20


class LongMaths(ArrayMaths):
    """Arrays of extended precision, exact numbers rounded to it."""

    def number(self, value: Fraction) -> Any:
        return np.longdouble(str(value.numerator)) / np.longdouble(str(value.denominator))

    def degrees(self, value: Fraction) -> Any:
        with mpmath.workdps(30):
            return np.longdouble(mpmath.nstr(mpmath.radians(mpmath.mpf(value.numerator) / value.denominator), 25))


def worst_errors(robot: mp.Robot, model: str, states: int = STATES, exact: bool = False) -> tuple[float, float]:
    """Of the compiled function, and of the plain model in double precision."""
    made, plain = mp.generate(robot, model), mp.generate(robot, model, optimise="none")
    draw = np.random.default_rng(1)
    given = [draw.uniform(-3, 3, size=(states, len(port.names))) for port in made.function.inputs]
    symbols = [name for port in made.function.inputs for name in port.names]
    columns = [column for x in given for column in x.T]
    truth = _columns(made.function(dict(zip(symbols, (c.astype(np.longdouble) for c in columns))), LongMaths()), states)
    results = made.compile()(*given)
    mine = np.concatenate([x.reshape(states, -1) for x in (results if isinstance(results, tuple) else (results,))], 1)
    theirs = _columns(plain.function(dict(zip(symbols, columns)), ARRAYS), states)
    own, plain_one = _decided(made, symbols, columns, (mine, theirs), truth, states if exact else LOOKED_AT)
    return own, plain_one


def _columns(found: dict[str, Sequence[Any]], states: int) -> Array:
    return np.stack([np.broadcast_to(x, states) for part in found.values() for x in part], -1)


def _decided(
    made: mp.Model, symbols: list[str], columns: list[Array], got: Sequence[Array], truth: Array, looked_at: int
) -> list[float]:
    """The worst of each by mpmath, where extended precision says that it is."""
    size = np.abs(truth).max(axis=1)
    size[size == 0] = 1
    errors = [(np.abs(x - truth) / size[:, None]).max(axis=1) for x in got]
    states = {*range(min(looked_at, len(truth)))}.union(*(np.argsort(x)[-looked_at:].tolist() for x in errors))
    worst = [0.0] * len(got)
    with mpmath.workdps(40):
        for i in states:
            values = {name: mpmath.mpf(float(column[i])) for name, column in zip(symbols, columns)}
            exact = [x for part in made.function(values, MPMATH).values() for x in part]
            scale = max(map(abs, exact)) or 1
            gaps = [max(abs(mpmath.mpf(float(a)) - b) for a, b in zip(x[i], exact)) / scale for x in got]
            worst = [max(old, float(gap)) for old, gap in zip(worst, gaps)]
    return worst


def main() -> None:
    from native import ROBOTS, bare
    from peers import MODELS
    from tables import table

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("robots", nargs="*", default=ROBOTS)
    parser.add_argument("--states", type=int, default=STATES)
    parser.add_argument("--exact", action="store_true", help="mpmath on every state")
    options = parser.parse_args()
    for name in options.robots:
        robot, rows = bare(name), []
        for model in MODELS:
            found = worst_errors(robot, model, options.states, options.exact)
            rows.append([model, *(f"{x:.1e}" for x in found)])
        head = ["model", "ours", "plain recursion"]
        table(f"{name}: worst relative error of {options.states} states against mpmath", head, rows)


if __name__ == "__main__":
    main()
