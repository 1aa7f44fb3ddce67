"""Where joints may go, how fast, and what their motors can give, as numbers."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from manipula.errors import caution
from manipula.mechanics.robot.description import Joint, RobotDescription
from manipula.mechanics.robot.values.parameter import Parameter, float_of, floats_of, names_of
from manipula.messages import Message


class Limits:
    """What the file says of every joint that has a coordinate of its own, or of those named; infinite where it says
    nothing."""

    def __init__(self, robot: RobotDescription, names: Collection[str] = ()) -> None:
        rows = [joint for joint in robot.joints if joint.name in (names or robot.joint_names)]
        values = floats_of(dict(robot.values))

        def number(entry: Parameter | None, otherwise: float) -> float:
            unknown = entry is None or any(name not in values for name in names_of(entry))
            return otherwise if unknown or entry is None else float_of(entry, values)

        ends = [joint.limits or (None, None) for joint in rows]
        self.lower = np.array([number(low, -np.inf) for low, _ in ends])
        self.upper = np.array([number(high, np.inf) for _, high in ends])
        self.velocity = np.array([number(joint.velocity_limit, np.inf) for joint in rows])
        self.effort = np.array([number(joint.effort_limit, np.inf) for joint in rows])


SLACK = 1e-9  # rad or m: what a float of a limit is off


def outside(joint: Joint, at: Parameter, values: Mapping[str, float]) -> str:
    """`4 rad, outside its limits -2 … 2`; "" where the joint may stand there, or letters leave it open."""
    entries = (at, *joint.limits) if joint.limits else ()
    if not entries or any(name not in values for entry in entries for name in names_of(entry)):
        return ""
    here, low, high = (float_of(entry, values) for entry in entries)
    if low - SLACK <= here <= high + SLACK:
        return ""
    return Message(
        (
            "{here:g} rad, outside its limits {low:g} … {high:g}"
            if joint.turns
            else "{here:g} m, outside its limits {low:g} … {high:g}"
        ),
        here,
        low,
        high,
    )


TURNS = 4 * np.pi  # rad: nobody means a joint to stand two turns away, where 45 and 90 are degrees


def doubt_degrees(robot: RobotDescription, name: str, at: Parameter, where: str) -> None:
    """A warning where the angle given to a joint looks like degrees."""
    joint, values = next(row for row in robot.joints if row.name == name), floats_of(dict(robot.values))
    if not joint.turns or any(letter not in values for letter in names_of(at)):
        return
    here = float_of(at, values)
    if abs(here) > TURNS:
        caution(
            "{name}: {where}: joint {name2!r}: {here:g} rad is {told:.1f} turns; if degrees are meant, "
            "numpy.radians({here:g})",
            robot.name,
            where,
            name,
            here,
            here / (2 * np.pi),
        )
