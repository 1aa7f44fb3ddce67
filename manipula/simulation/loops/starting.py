"""What a law knows of its robot before it has moved: the states it starts from where nobody says others, and the bounds
that these lie in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from manipula.errors import InputError
from manipula.generation.settings import Settings
from manipula.mechanics.models.ports import PortKind
from manipula.mechanics.robot.description import RobotDescription
from manipula.parameters.base import base_parameters_of

Start = Mapping[str, tuple[float, ...]]  # state → its entries


def first_states(kinds: Sequence[PortKind], robot: RobotDescription) -> Start:
    """Estimates of the base parameters begin with those of the robot, where each has a value; all else begins at 0."""
    estimates = [kind.name for kind in kinds if kind.role == "state" and kind.size == "base"]
    values = list(base_parameters_of(robot).by_name.values()) if estimates else []
    known = tuple(float(x) for x in values if x is not None)
    return dict.fromkeys(estimates, known) if len(known) == len(values) else {}


def refuse_bounds(name: str, settings: Settings, initial: Start) -> None:
    """Estimates begin within their bounds, and a lower one is not above its upper one."""
    for low in [x for x in settings if x.startswith("lower")]:
        state = low.removeprefix("lower").removeprefix("_") or "theta"
        rows = zip(settings[low], settings[low.replace("lower", "upper")], strict=True)
        begun = initial.get(state, (0.0,) * len(settings[low]))
        for i, ((lower, upper), value) in enumerate(zip(rows, begun, strict=True), start=1):
            if not lower <= upper:
                raise InputError(
                    "{name}: {low}: entry {i} is {lower:g}, above its upper bound {upper:g}", name, low, i, lower, upper
                )
            if not lower <= value <= upper:
                raise InputError(
                    "{name}: entry {i} of {removeprefix} begins at {value:g}, outside its bounds {lower:g} … {upper:g}",
                    name,
                    i,
                    state,
                    value,
                    lower,
                    upper,
                )
