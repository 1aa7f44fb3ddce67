"""The models of a robot with numbers, as functions over time: each is made when it is first asked for.

Parameters that have no value in the robot are given here, one number each, or one for each row of a batch.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manipula.algebra.run.compiled import Compiled, compile_tape
from manipula.algebra.tape import tape_from_function
from manipula.errors import InputError, UnsetError, some_of
from manipula.generation.prepare import prepare
from manipula.generation.proved import generate_function
from manipula.generation.request import Request
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.limits import Limits
from manipula.messages import Message
from manipula.simulation.exact.mechanism import frictionless

__all__ = ["Array", "Functions", "Limits", "refuse_unknown"]

Array = NDArray[np.float64]


class Functions:
    """`functions("energy", q, qd)`: arrays (…, time, n), whose leading axes are the batch."""

    def __init__(self, robot: RobotDescription, parameters: Mapping[str, Any] | None = None) -> None:
        self.robot = robot
        self.parameters = {name: _numbers(name, value) for name, value in (parameters or {}).items()}

    def __call__(self, model: str, *given: Any, wrench: Any = None) -> Any:
        code = self.code(model, wrench is not None)
        arrays = [*given, *([] if wrench is None else [wrench])]
        values = [self.parameters[name] for name in code.parameters]
        if not any(value.ndim for value in values):
            return code(*arrays, p=dict(zip(code.parameters, map(float, values))) or None)
        return self._rows(code, arrays, values)

    def code(self, model: str, wrench: bool = False) -> Compiled:
        """The compiled model; parameters without a value are met here."""
        code = _compiled(self.robot, model, wrench)
        refuse_unknown(self.robot, [name for name in code.parameters if name not in self.parameters])
        return code

    def _rows(self, code: Compiled, arrays: list[Any], values: list[Array]) -> Any:
        """Parameters differ from row to row: a call for each."""
        lead = np.broadcast_shapes(*(value.shape for value in values))
        tables = np.stack([np.broadcast_to(value, lead) for value in values], axis=-1)
        whole = [np.broadcast_to(x, (*lead, *np.shape(x)[-2:])) for x in map(np.asarray, arrays)]
        found = [code(*(x[row] for x in whole), p=tables[row]) for row in np.ndindex(lead)]
        if not isinstance(found[0], tuple):
            return np.stack(found).reshape(*lead, *found[0].shape)
        parts = (np.stack(part).reshape(*lead, *part[0].shape) for part in zip(*found))
        return type(found[0])(*parts)

    @cached_property
    def without_friction(self) -> Functions:
        """The same robot, no joint of which rubs."""
        return Functions(frictionless(self.robot), self.parameters)


def _numbers(name: str, value: Any) -> Array:
    try:
        return np.asarray(value, float)
    except (TypeError, ValueError):
        raise InputError("parameters: {name}: expected numbers, found {value!r:.60}", name, value) from None


@lru_cache(maxsize=64)
def _compiled(robot: RobotDescription, model: str, wrench: bool) -> Compiled:
    """Made once for runs and motions of one arm, however many; a robot is its content.

    Some thousand values are read each time: a search for fewer operations would take longer than they do.
    """
    return compile_tape(
        tape_from_function(generate_function(prepare(Request(robot, model, wrench=wrench, optimise="none"))))
    )


def refuse_unknown(robot: RobotDescription, missing: list[str]) -> None:
    """A simulation takes numbers."""
    if missing:
        raise UnsetError(
            Message("{name}: a simulation needs a value for {some_of}", robot.name, some_of(missing)),
            missing,
            Message("parameters=… or "),
        )
