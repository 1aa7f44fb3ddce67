"""Units by the kind of joint: what the catalogue calls "rad or m" is rad on an arm that turns and m on one that slides.

A port with an entry a joint, and a unit for either kind, gets the unit its joints have; where both kinds are there it
says which have which. Inertia is kg·m² between joints that turn, and loses a metre with each that slides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from manipula.algebra.expr.function import Function, Input, Output
from manipula.mechanics.models.ports import POSITION
from manipula.mechanics.robot.branching import road_coordinates
from manipula.mechanics.robot.description import RobotDescription

Port = TypeVar("Port", Input, Output)
EITHER = " or "
OF_SLIDES = {"kg·m²": "kg", "1/(kg·m²)": "1/kg", "kg·m²/s": "kg/s"}  # unit between joints that turn → that slide


def is_position(port: Input, robot: RobotDescription) -> bool:
    """Whether it has a position of every joint: the catalogue's unit, or that of this robot's joints."""
    return port.unit in (POSITION, _unit(POSITION, robot.coordinates.turns))


def with_joint_units(function: Function, robot: RobotDescription) -> Function:
    """The same function, its ports with the units of this robot's joints."""
    turns = robot.coordinates.turns
    every = [turns, [turns[c] for c in road_coordinates(robot).moving]]

    def told(port: Port, shape: Sequence[int]) -> Port:
        if port.unit in OF_SLIDES and shape and shape[0] == len(every[0]):
            return replace(port, unit=_inertia(port.unit, every[0], len(set(shape)) == 1))
        own = [turns for turns in every if shape and shape[-1] == len(turns)]
        fits = port.unit.count(EITHER) == 1 and (len(shape) == 1 or port.unit == POSITION)
        return replace(port, unit=_unit(port.unit, own[0])) if own and fits else port

    inputs = tuple(told(port, (len(port.symbols),)) for port in function.inputs)
    outputs = tuple(told(port, port.shape) for port in function.outputs)
    return replace(function, inputs=inputs, outputs=outputs)


def _inertia(unit: str, turning: Sequence[bool], square: bool) -> str:
    """kg·m²; kg; kg·m², one m less for each joint that slides"""
    if all(turning):
        return unit
    if square and not any(turning):
        return OF_SLIDES[unit]
    return f"{unit}, one m {'more' if unit.startswith('1/') else 'less'} for each joint that slides"


def _unit(either: str, turning: Sequence[bool]) -> str:
    """rad; m; rad, joint 3: m"""
    words = dict(zip((True, False), either.split(EITHER), strict=True))
    most = 2 * sum(turning) >= len(turning)
    others = [str(joint) for joint, turns in enumerate(turning, 1) if turns != most]
    if not others:
        return words[most]
    return f"{words[most]}, joint{'s' if others[1:] else ''} {' and '.join(others)}: {words[not most]}"
