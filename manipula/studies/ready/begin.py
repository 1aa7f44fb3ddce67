"""What forms begin with, so that a study of any arm can be run as it stands: a motion, a box, so many voxels."""

from __future__ import annotations

from typing import Any

import numpy as np

from manipula.api import drawing
from manipula.mechanics.drawing.posing import poses_of
from manipula.mechanics.robot.limits import Limits
from manipula.robot import Robot

TURN, SLIDE = np.pi / 3, 0.2  # rad, m: how far a joint goes
FLAT = 1e-9  # m: a side without extent
EFFORT = 100.0  # N·m or N: of a motor nobody has said anything of


def start_of(robot: Robot) -> list[float]:
    """All zero, or as near to it as the limits allow."""
    known = Limits(robot)
    return [float(x) for x in np.clip(np.zeros(robot.dof), known.lower, known.upper)]


def goal_of(robot: Robot) -> list[float]:
    """A step on from there; back where the limits leave no room ahead."""
    known, start = Limits(robot), np.array(start_of(robot))
    far = np.where(robot.coordinates.turns, TURN, SLIDE)
    ahead, back = np.minimum(start + far, known.upper), np.maximum(start - far, known.lower)
    return [float(x) for x in np.where(ahead - start >= start - back, ahead, back)]


def motion_of(robot: Robot) -> str:
    """From where motions begin to where they end, with something in the hand."""
    stops = [[float(f"{x:.4g}") for x in stop] for stop in (start_of(robot), goal_of(robot))]
    return f"[[tasks]]\njoints = {stops}\nduration = 1  # s\npayload = 1  # kg"


def efforts_of(robot: Robot) -> list[float] | None:
    """Where the robot says what its motors give it is not asked for."""
    known = Limits(robot).effort
    return [float(x) for x in np.where(np.isinf(known), EFFORT, known)] if np.isinf(known).any() else None


def box_of(robot: Robot) -> Any:
    """Where the reach has an end it is not asked for; where a joint slides without one, what the picture shows."""
    known = Limits(robot)
    endless = np.isinf(known.lower) | np.isinf(known.upper)
    if not (endless & ~np.array(robot.coordinates.turns)).any():
        return None
    seen, tool = drawing(robot)["reach"], _places(robot)
    spans = [[round(at - seen["radius"], 3), round(at + seen["radius"], 3)] for at in seen["centre"]]
    return [[low, low] if far < FLAT else span for span, low, far in zip(spans, tool[0].tolist(), np.ptp(tool, axis=0))]


def voxels_of(robot: Robot) -> int:
    """So many that a map is there within seconds: in a plane they are few, and without a formula an answer takes ms."""
    flat = np.ptp(_places(robot), axis=0).min() < FLAT
    return 40 if flat else 16 if robot.dof == 6 else 12


def _places(robot: Robot) -> Any:
    """(8, 3): of the tool, somewhere."""
    drawn = np.random.default_rng(0).uniform(-1, 1, (8, robot.dof))
    return poses_of(drawing(robot), drawn)[-1][:, :3, 3]
