"""Whether anything in a robot has mass: many files describe shapes only, and their dynamics is zero."""

from __future__ import annotations

from collections.abc import Iterator

from manipula.mechanics.robot.description import Body, Cell, Robot
from manipula.mechanics.robot.exact import is_zero

NOTE = "no link has a mass: inertia, gravity and the torques of motion are zero"


def is_massless(robot: Robot) -> bool:
    """No link, load or motor has any inertia; an unknown one is not zero."""
    return all(is_zero(cell.value) for cell in _inertial_cells(robot))


def _inertial_cells(robot: Robot) -> Iterator[Cell]:
    for joint in robot.joints:
        yield joint.motor_inertia
        yield from _cells_of(joint.body)
        for mounted in joint.carries:
            yield from _cells_of(mounted.body)
    for body in robot.payload:
        yield from _cells_of(body)


def _cells_of(body: Body | None) -> Iterator[Cell]:
    """A centre without a mass weighs nothing."""
    if body is not None:
        yield from (body.mass, *body.inertia, *(body.centre if body.centre_is == "first_moment" else ()))
