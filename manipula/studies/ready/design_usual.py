"""What the study of designs looks at where nothing is said: every length of the table somewhat shorter and longer, and
a motion between two places that the arm as it is stands at.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from manipula.errors import InputError
from manipula.mechanics.robot.branching import serial_fault
from manipula.mechanics.robot.limits import Limits
from manipula.mechanics.robot.values.parameter import Name, Num, floats_of
from manipula.robot import Robot
from manipula.studies.work.job import arm
from manipula.support.toml_text import key_text

SHORTER, LONGER = 0.8, 1.2
BENT = (0.6, 1.2)  # rad, of every joint at both places: an arm that is stretched has no shorter one beside it
SLID = (0.1, 0.2)  # m
SECONDS = 1.0


def usual_ranges(robot: Robot) -> dict[str, list[float]]:
    """Of every length that has a value and stands alone in its cell."""
    found = _ranges(robot)
    if not found:
        raise InputError(
            "vary: no length of {name} has a value; expected ranges by name, such as l1 = [0.3, 0.6]", robot.name
        )
    return found


def usual_lines(robot: Robot) -> str | None:
    """The ranges as a study file would say them; None where there are none."""
    rows = [f"{key_text(name)} = [{low:.4g}, {high:.4g}]" for name, (low, high) in _ranges(robot).items()]
    return "\n".join(["[vary]", *rows]) if rows else None


def _ranges(robot: Robot) -> dict[str, list[float]]:
    return {name: sorted([SHORTER * value, LONGER * value]) for name, value in _lengths(robot).items() if value}


def _lengths(robot: Robot) -> dict[str, float]:
    values, found = floats_of(dict(robot.values)), dict[str, float]()
    for step in (step for joint in robot.joints for step in (*joint.before, *joint.after) if step.kind[0] == "t"):
        match step.amount.value:
            case Num(value):
                found[step.amount.name] = float(value)
            case Name(name) if name in values:
                found[name] = values[name]
    return found


def usual_tasks(robot: Robot) -> dict[str, Any]:
    """Places, of the whole pose where six joints or more give one; on arms that are not searched, joints."""
    limits, turning = Limits(robot), robot.coordinates.turns
    stops = [np.clip(np.where(turning, bent, slid), limits.lower, limits.upper) for bent, slid in zip(BENT, SLID)]
    screws = any(joint.kind == "helical" for joint in robot.joints)
    if serial_fault(robot) or robot.coordinates.coupled or screws:
        return {"joints": [stop.tolist() for stop in stops], "duration": SECONDS}
    poses = arm(robot).pose(np.array(stops))
    places = poses.tolist() if robot.dof >= 6 else poses[:, :3, 3].tolist()
    return {"places": places, "duration": SECONDS}
