"""A way across several joints that stand still, as the shift and the turn that a file has room for."""

from __future__ import annotations

from manipula.mechanics.robot.description import StepKind, Steps
from manipula.mechanics.robot.exact import gathered
from manipula.mechanics.robot.formats.rows import PLACEMENT, placement_from_steps
from manipula.mechanics.robot.precise import placement, steps_from_placement
from manipula.mechanics.robot.values.parameter import names_of


def in_order(steps: Steps) -> Steps:
    """A shift, then roll, pitch and yaw. Exact where steps that undo each other leave such a way; else a way of numbers
    alone is so to twenty decimals; one with letters stays as it is."""
    tidy = gathered(steps)
    lettered = any(True for step in steps for _ in names_of(step.amount.parameter))
    if lettered or placement_from_steps(tidy) is not None:
        return tidy
    names: dict[StepKind, str] = {kind: name for name, kind in PLACEMENT}
    return steps_from_placement(placement(steps, {}), names)
