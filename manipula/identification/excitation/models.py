"""The models that a motion is designed with, compiled; each says which values it lacks."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

from manipula.algebra.run.compiled import Compiled, compile_tape
from manipula.algebra.tape import tape_from_function
from manipula.errors import UnsetError, some_of
from manipula.generation.prepare import prepare
from manipula.generation.proved import generate_function
from manipula.generation.request import Request
from manipula.mechanics.robot.description import RobotDescription, known
from manipula.messages import Message


@lru_cache(maxsize=24)  # another box, another limit is tried on the same arm again and again
def compiled(robot: RobotDescription, model: str) -> Compiled:
    """Proved and in machine code; some ten thousand values are read, which is no reason to search long."""
    return compile_tape(tape_from_function(generate_function(prepare(Request(robot, model, optimise="none")))))


def numeric(robot: RobotDescription, model: str, why: str) -> Any:
    """A model of a robot all of whose values that it reads are numbers."""
    code = compiled(robot, model)
    if code.parameters:
        raise UnsetError(
            Message("{name}: {why} needs a value for {some_of}", robot.name, why, some_of(code.parameters)),
            code.parameters,
        )
    return code


def rigid(robot: RobotDescription) -> RobotDescription:
    """Without friction and motor inertia: of those the columns are known."""

    def bare(joint: Any) -> Any:
        actuator = joint.actuator.without_friction(lambda cell: known(cell.name))
        return replace(joint, actuator=replace(actuator, motor_inertia=known(actuator.motor_inertia.name)))

    return replace(robot, joints=tuple(map(bare, robot.joints)))
