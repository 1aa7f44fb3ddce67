"""A parameter that a robot file may give of a joint: what it is called there, in names and in which unit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Bound = Literal["any", "not negative", "positive"]


@dataclass(frozen=True)
class Entry:
    """One parameter of a joint: its key in a robot file ("" for the only one of a law), its letters, its unit."""

    key: str
    letters: str
    unit: str
    linear: bool = True  # is the torque linear in it?
    bound: Bound = "not negative"  # what makes sense; a negative coefficient would push the joint along
    quantity: Literal["si", "length"] = "si"  # a bare number is in SI, or in the file's unit of length
