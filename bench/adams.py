"""An arm that falls, by Adams' methods in machine code: how little is enough, and how long it takes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))
import manipula as mp
from manipula.algebra.program.primitives import Reals
from manipula.algebra.run.texts import vector_codes
from manipula.simulation.loops.loop import rates_function
from manipula.simulation.smooth.adams import Flow, adams_text
from manipula.simulation.smooth.equation import Equation, _Flow

FIRST, TIGHTER, LEAST = 1e-6, 10**-0.25, 1e-15


class Fall(NamedTuple):
    start: Any
    tolerance: float  # that is enough, and from which on smaller ones are, too
    evaluations: int


class Adams:
    """A second from each of the starts."""

    def __init__(self, robot: mp.Robot, starts: Sequence[Any], truths: Sequence[Any], close: float) -> None:
        self.dof = robot.dof
        function, _ = rates_function(mp.Plant(robot, effort=None, stops=False), None, None)
        self.cost = function.cost
        self.equation = Equation(function, ("q",))
        self.bounds = np.full(self.dof, -np.inf), np.full(self.dof, np.inf)
        self.times = np.array([0.0, 1.0])
        self._repeated = _repeated(self.equation)
        self.falls = [self._enough(q, true, close) for q, true in zip(starts, truths, strict=True)]

    def _enough(self, q: Any, true: Any, close: float) -> Fall:
        tolerance, good = FIRST, list[Fall]()
        while tolerance > LEAST:
            y = np.concatenate([q, np.zeros(self.dof)])
            found = self.equation.solve(y, np.zeros(self.dof), np.zeros(1), self.times, self.bounds, tolerance)
            near = np.abs(found.rows[-1, : self.dof] - true).max() <= close
            good = [*good, Fall(q, tolerance, found.evaluations)] if near else []
            if len(good) == 3:
                return good[0]
            tolerance *= TIGHTER
        return Fall(q, LEAST, found.evaluations)

    def repeated(self, which: int) -> Callable[[int], Any]:
        """The whole second, so many times."""
        q, tolerance, _ = self.falls[which]
        y = np.concatenate([q, np.zeros(self.dof)])
        flow, out = _Flow(y, self.dof), np.zeros(2 * len(y))
        u, bounds = np.zeros(1 + self.dof), np.concatenate(self.bounds)

        def run(count: int) -> None:
            self._repeated(flow, y, u, np.zeros(1), self.times, out, bounds, tolerance, count)

        return run


def _repeated(equation: Equation) -> Callable[..., Any]:
    size = equation.size
    begin, go_on = adams_text(equation._line, size, equation._watched)

    def repeated(
        s: Flow, y: Reals, u: Reals, kept: Reals, times: Reals, out: Reals, bounds: Reals, tolerance: float, count: int
    ) -> None:
        for _ in range(count):
            for i in range(size):
                s.y[i] = y[i]
            begin(s, u, kept, 0.0, 1.0, tolerance)
            go_on(s, u, kept, times, 2, out, bounds, tolerance, 1.0, 1000000)

    return vector_codes(repeated)[0]
