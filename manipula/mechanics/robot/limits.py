"""Where joints may go, how fast, and what their motors can give, as numbers."""

from __future__ import annotations

import numpy as np

from manipula.mechanics.robot.description import Robot
from manipula.mechanics.robot.values.parameter import Parameter, float_of, names_of


class Limits:
    """What the file says of every joint; infinite where it says nothing."""

    def __init__(self, robot: Robot) -> None:
        rows = [joint for joint in robot.joints if joint.name in robot.joint_names]
        values = _values(robot)

        def number(entry: Parameter | None, otherwise: float) -> float:
            unknown = entry is None or any(name not in values for name in names_of(entry))
            return otherwise if unknown or entry is None else float_of(entry, values)

        ends = [joint.limits or (None, None) for joint in rows]
        self.lower = np.array([number(low, -np.inf) for low, _ in ends])
        self.upper = np.array([number(high, np.inf) for _, high in ends])
        self.velocity = np.array([number(joint.velocity_limit, np.inf) for joint in rows])
        self.effort = np.array([number(joint.effort_limit, np.inf) for joint in rows])


def _values(robot: Robot) -> dict[str, float]:
    """The named values that are numbers."""
    found: dict[str, float] = {}
    pending = dict(robot.values)
    while ready := [name for name, value in pending.items() if all(inner in found for inner in names_of(value))]:
        found.update({name: float_of(pending.pop(name), found) for name in ready})
    return found
