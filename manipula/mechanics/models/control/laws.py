"""The control laws by name: each in continuous time and sampled; one without memory is the same in both."""

from __future__ import annotations

from typing import NamedTuple

from manipula.errors import UnknownNameError
from manipula.mechanics.models.block import Block
from manipula.mechanics.models.control.computed_torque import COMPUTED_TORQUE
from manipula.mechanics.models.control.pd_gravity import PD_GRAVITY
from manipula.mechanics.models.control.pid import PID, SAMPLED_PID


class LawEntry(NamedTuple):
    """A law: what gives rates, and what gives the next states."""

    continuous: Block
    sampled: Block


LAWS: dict[str, LawEntry] = {
    "pid": LawEntry(PID, SAMPLED_PID),
    "computed_torque": LawEntry(COMPUTED_TORQUE, COMPUTED_TORQUE),
    "pd_gravity": LawEntry(PD_GRAVITY, PD_GRAVITY),
}


def law_named(name: str) -> LawEntry:
    if name not in LAWS:
        raise UnknownNameError("control law", name, LAWS)
    return LAWS[name]
