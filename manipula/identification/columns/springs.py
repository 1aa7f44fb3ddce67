"""A column for every counterbalance of the robot's file, the size of each being unknown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from manipula.errors import InputError
from manipula.identification.columns.column import Column
from manipula.mechanics.models.linear.joint_families import At, Formula
from manipula.mechanics.robot.actuators.spring import Spring, spring_torque
from manipula.mechanics.robot.description import Joint
from manipula.mechanics.robot.exact import with_values
from manipula.mechanics.robot.values.parameter import Parameter, float_of, names_of

FAMILY = "spring"


def spring_columns(joint: Joint, j: int, end: str, values: Mapping[str, Parameter]) -> Iterator[tuple[Column, Formula]]:
    """Named ks2, ks2_2 …"""
    for number, spring in enumerate(joint.springs, 1):
        unit = "N/m" if spring.stroke is None else "N"
        name = f"ks{end}" if number == 1 else f"ks{end}_{number}"
        yield Column(name, FAMILY, j, unit, 0.0, None, (j,)), partial(_torque, _floats(spring, values, joint.name))


def _torque(spring: Spring[float], at: At, row: int) -> Any:
    return spring_torque(spring, at.q[row], at.maths)


def _floats(spring: Spring[Parameter], values: Mapping[str, Parameter], joint: str) -> Spring[float]:
    def number(entry: Parameter) -> float:
        whole = with_values(entry, values).parameter
        if missing := list(names_of(whole)):
            raise InputError("springs of joint {joint!r}: {missing} has no value", joint, missing[0])
        return float_of(whole, {})

    first, second = map(number, spring.radii)
    stroke = None if spring.stroke is None else number(spring.stroke)
    return Spring((first, second), number(spring.angle), number(spring.length), stroke)
