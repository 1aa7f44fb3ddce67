"""Rows that are placements, as a URDF has them: xyz and rpy of the frame at rest, the axis in it.

    before = Txyz Rrpy · T(anchor) toward        after = (T(anchor) toward)⁻¹ · link

`toward` are the turns that bring z onto the axis; the link's frame is the one at rest, moved with the joint, unless
`link` places it further. `anchor` is a point of the axis, of which only other formats make use.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from manipula.mechanics.robot.description import AXES, Cell, Joint, Step, StepKind, Steps
from manipula.mechanics.robot.exact import Along, inverse_of, quarter_steps
from manipula.mechanics.robot.formats.rows import PLACEMENT, placement_from_steps
from manipula.mechanics.robot.precise import MP, PRECISE, angle, placement, steps_from_placement
from manipula.mechanics.robot.values.parameter import names_of

TURNS: dict[str, StepKind] = {"lean": "rz", "tilt": "ry", "roll": "rx"}  # in a file: about z, then y; or about x
NAMED = {"lean": "lean", "tilt": "tilt", "roll": "tilt"}  # the letters of their cells


def toward_axis(axis: tuple[Fraction, Fraction, Fraction], row: str) -> Steps:
    """Turns that bring z onto the axis, exact along x, y and z: an axis that points backwards is turned onto, too, so
    that offset and coordinate are counted about the axis as the file has it."""
    x, y, z = axis
    along: list[Along] = [(name, 1 if part > 0 else -1) for name, part in zip(AXES, axis) if part]
    if len(along) == 1:
        return quarter_steps(along[0], f"tilt{row}")
    px, py, pz = (PRECISE.number(part) for part in (x, y, z))
    if x == 0:
        return (Step("rx", Cell(f"tilt{row}", angle(MP.atan2(-py, pz)))),)
    tilt = Step("ry", Cell(f"tilt{row}", angle(MP.atan2(MP.sqrt(px**2 + py**2) if y else px, pz))))
    return (Step("rz", Cell(f"lean{row}", angle(MP.atan2(py, px)))), tilt) if y else (tilt,)


@dataclass(frozen=True)
class Placed:
    """A row as placements: cells x y z roll pitch yaw of the frame and of the link in it, and the way to the axis."""

    at: dict[str, Cell]
    anchor: dict[str, Cell]
    toward: Steps
    link: dict[str, Cell]


def with_placement(joint: Joint, end: str, values: Mapping[str, Any]) -> Joint:
    """A row that stands still, of steps in any order, as one shift and one turn to twenty decimals; a row with a name
    that has no value stays."""
    way = joint.before + joint.after
    if joint.kind != "fixed" or placed_from_joint(joint) or any(name not in values for name in names_in(way)):
        return joint
    names: dict[StepKind, str] = {kind: f"{name}{end}" for name, kind in PLACEMENT}
    return replace(joint, before=steps_from_placement(placement(way, values), names), after=())


def names_in(steps: Steps) -> list[str]:
    """The names that a way depends on, each once."""
    return list(dict.fromkeys(name for step in steps for name in names_of(step.amount.parameter)))


def placed_from_joint(joint: Joint) -> Placed | None:
    """The row as placements; None when it is not of that form."""
    for count in range(min(len(joint.before), len(joint.after)), -1, -1):
        split = len(joint.before) - count
        way = joint.before[split:]
        if joint.after[:count] == inverse_of(way):
            found = _placed(joint.before[:split], way, joint.after[count:])
            if found is not None:
                return found
    return None


def _placed(before: Steps, way: Steps, link: Steps) -> Placed | None:
    shifts = tuple(step for step in way if step.kind[0] == "t")
    toward = way[len(shifts) :]
    turns = tuple(step.kind for step in toward)
    if way[: len(shifts)] != shifts or turns not in ((), ("rx",), ("ry",), ("rz", "ry")):
        return None
    parts = [placement_from_steps(steps) for steps in (before, shifts, link)]
    if parts[0] is None or parts[1] is None or parts[2] is None:
        return None
    return Placed(parts[0], parts[1], toward, parts[2])
