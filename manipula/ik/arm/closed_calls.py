"""Models of a robot with loops at positions that a caller gives: closed ones, it is to be hoped.

What the models say holds where the loops close, and the divisors of the closure are not zero. At other positions they
say something, too: a warning names positions that leave loops open, and answers at singular ones are NaN.
"""

from __future__ import annotations

from collections import namedtuple
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from manipula.algebra.run.compiled_function import Compiled, compile_tape
from manipula.algebra.tape import tape_from_function
from manipula.errors import caution
from manipula.generation.arm_structure import ArmStructure
from manipula.ik.numeric.tolerances import ClosureTolerance
from manipula.mechanics.robot.bind import free_parameters

if TYPE_CHECKING:
    from manipula.robot import Robot

PIVOT = "pivot"  # of robots with loops: the smallest divisor of the closure


class ClosedCalls:
    """What an arm does about the positions of a robot with loops."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot

    @cached_property
    def _closure(self) -> Compiled | None:
        """How far loops are from closed, where all lengths have values."""
        from manipula.generation.closed_positions import closure_function

        return None if free_parameters(self.robot) else compile_tape(tape_from_function(closure_function(self.robot)))

    @cached_property
    def _least(self) -> float:
        return ClosureTolerance.PIVOT * min(ArmStructure(self.robot).closure.usual)

    def outputs(self, code: Compiled, found: Any, q: ArrayLike, out: object) -> Any:
        """The outputs of a model beside the pivot; NaN where that is too small."""
        singular = np.asarray(found.pivot) < self._least
        self._tell_open(q, singular)
        values = [np.asarray(x) for port, x in zip(code.outputs, found, strict=True) if port.name != PIVOT]
        if singular.any():
            for x in values:
                x[singular] = np.nan
            caution(
                "{robot}: the closure is singular at {count} of {total} positions: the answers there are NaN",
                self.robot.name, int(singular.sum()), singular.size,
            )  # fmt: skip
        if out is not None:
            for own, x in zip(out if isinstance(out, tuple) else (out,), values, strict=True):
                own[...] = x
            return out
        names = [port.name for port in code.outputs if port.name != PIVOT]
        return values[0] if len(values) == 1 else namedtuple(f"{code.name}_result", names)(*values)

    def _tell_open(self, q: ArrayLike, singular: Any) -> None:
        """One warning for all positions of a call but those whose answers are NaN anyway."""
        if self._closure is None:
            return
        gap = np.asarray(self._closure(q).gap)
        apart = (gap > ClosureTolerance.OPEN) & ~singular  # of one position beside many motions, as often as it stands
        if apart.any():
            caution(
                "{robot}: its loops are open at {count} of {total} positions, by up to {gap:.2g} of its size, and the "
                "answers there mean nothing; robot.close(motors) gives the positions of all joints",
                self.robot.name, int(apart.sum()), apart.size, float(gap.max()),
            )  # fmt: skip
