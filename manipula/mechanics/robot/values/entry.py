"""A parameter that a robot file may give of a joint: what it is called there, in names and in which unit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Bound = Literal["any", "not negative", "positive"]
Units = tuple[str, str]  # of a joint that turns, of one that slides

TORQUE, DAMPING, INERTIA, SHARE = ("N·m", "N"), ("N·m·s/rad", "N·s/m"), ("kg·m²", "kg"), ("1", "1")
POSITION, VELOCITY, STIFFNESS = ("rad", "m"), ("rad/s", "m/s"), ("N·m/rad", "N/m")


@dataclass(frozen=True)
class ParameterEntry:
    """One parameter of a joint: its key in a robot file ("" for the only one of a law), its letters, its units."""

    key: str
    letters: str
    units: Units
    linear: bool = True  # is the torque linear in it?
    bound: Bound = "not negative"  # what makes sense; a negative coefficient would push the joint along
    quantity: Literal["si", "length"] = "si"  # a bare number is in SI, or in the file's unit of length

    @property
    def unit(self) -> str:
        """For people: "N·m or N"."""
        return " or ".join(dict.fromkeys(self.units))
