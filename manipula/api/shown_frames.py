"""Which frame pages are about where a robot has several ends and nobody has named one: the picture's tool."""

from __future__ import annotations

from manipula.mechanics.robot import topology
from manipula.robot import Robot


def shown_frame(robot: Robot) -> str:
    """Its name; "" of a robot with a tool."""
    return topology.shown_frame(robot)


def robot_with_shown_tool(robot: Robot) -> Robot:
    """The robot with that frame for its tool."""
    frame = shown_frame(robot)
    return robot.at(frame) if frame else robot
