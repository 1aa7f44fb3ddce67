"""What a law knows of its robot before it has moved: the states it starts from where nobody says others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from manipula.mechanics.models.ports import PortKind
from manipula.mechanics.robot.description import Robot
from manipula.parameters.base import base_parameters_of

Start = Mapping[str, tuple[float, ...]]  # state → its entries


def first_states(kinds: Sequence[PortKind], robot: Robot) -> Start:
    """Estimates of the base parameters begin with those of the robot, where each has a value; all else begins at 0."""
    estimates = [kind.name for kind in kinds if kind.role == "state" and kind.size == "base"]
    values = list(base_parameters_of(robot).by_name.values()) if estimates else []
    known = tuple(float(x) for x in values if x is not None)
    return dict.fromkeys(estimates, known) if len(known) == len(values) else {}
