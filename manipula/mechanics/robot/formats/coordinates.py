"""A joint that follows others, as text: "2*elbow - shoulder + 0.1", linear in their coordinates, exact.

A number alone has the unit of the joint that follows, `pi` is in radians, and a unit may be written: "j7 - j2 + pi/2",
"j7 - j2 + 90 deg". A name that is no word of arithmetic stands in quotes: "2*'joint 1' + 0.1".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from manipula.errors import ManipulaError, RobotFileError
from manipula.mechanics.robot.coordinates import Coordinate, own_coordinate
from manipula.mechanics.robot.default_values import outside
from manipula.mechanics.robot.description import NamedPose, RobotDescription
from manipula.mechanics.robot.formats.units import describe, text_in_units
from manipula.mechanics.robot.values.parameter import (
    Deg,
    Name,
    Num,
    Parameter,
    ParameterOp,
    float_of,
    floats_of,
    names_of,
    parameter_from_text,
    text_of,
)
from manipula.mechanics.robot.values.terms import Quantity, Units, in_si, plain_text
from manipula.messages import Message
from manipula.support.text import spell_greek

_QUOTED = re.compile(r"'([^']+)'")
_WORD = re.compile(r"[^\W\d]\w*")


def coordinate_from_text(text: str, quantity: Quantity, units: Units) -> Coordinate:
    """`quantity` is that of the joint that follows."""
    held = dict.fromkeys(_QUOTED.findall(text))
    words = {name: f"held{number}in{len(text)}" for number, name in enumerate(held)}
    plain = _QUOTED.sub(lambda quoted: words[quoted[1]], text)
    names = {spell_greek(word): word for word in _WORD.findall(plain)} | {word: name for name, word in words.items()}
    tree = in_si(parameter_from_text(plain_text(plain)), quantity, units, describe(text))
    found = _linear(tree, text)
    moving = tuple(term for term in found.terms if term[1]) or found.terms  # 0*elbow stands still
    return replace(found, terms=tuple((names.get(name, name), factor) for name, factor in moving))


def text_from_coordinate(coordinate: Coordinate, quantity: Quantity, units: Units) -> str:
    named = [(_quote_name(name), k) for name, k in coordinate.terms]
    terms = [(f"{_number(abs(k))}*{name}" if abs(k) != 1 else name, k < 0) for name, k in named]
    parts: tuple[Num | Deg, ...] = (Num(coordinate.constant), Deg(coordinate.degrees))
    for part in parts:
        if part.value:
            terms.append((text_in_units(type(part)(abs(part.value)), quantity, units), part.value < 0))
    text = " ".join(f"{'-' if minus else '+'} {term}" for term, minus in terms)
    return text.removeprefix("+ ")


def _quote_name(name: str) -> str:
    """The name as the text has it."""
    try:
        return name if parameter_from_text(plain_text(name)) == Name(name) else f"'{name}'"
    except ManipulaError:
        return f"'{name}'"


def _number(x: Fraction) -> str:
    text = text_of(Num(x))
    return text if text.replace(".", "").isdigit() else f"({text})"


def _linear(x: Parameter, text: str) -> Coordinate:
    match x:
        case Num(value):
            return Coordinate((), value)
        case Deg(value):
            return Coordinate((), degrees=value)
        case Name(name):
            return own_coordinate(name)
        case ParameterOp("neg", (a,)):
            return -1 * _linear(a, text)
        case ParameterOp("+" | "-" as op, (a, b)):
            return _linear(a, text) + (1 if op == "+" else -1) * _linear(b, text)
        case ParameterOp("*", (a, Num(k))) | ParameterOp("*", (Num(k), a)):
            return k * _linear(a, text)
        case ParameterOp("/", (a, Num(k))) if k:
            return 1 / k * _linear(a, text)
    raise RobotFileError("found {text!r}, which is not linear in the coordinates of joints", text)


# Poses by name, `home` or `ready`: a coordinate for every joint that moves by itself, kept by the joint's name, so
# that an arm with fewer joints has what is left of them.


def named_pose(robot: RobotDescription, name: str, entries: Sequence[Parameter]) -> NamedPose:
    """A pose of this robot; one that it cannot take is refused."""
    if len(entries) != robot.dof:
        told, joints = Message("found {count} coordinates", len(entries)), ", ".join(robot.joint_names)
        raise _wrong(robot, name, told, Message("expected {dof}, of {joints}", robot.dof, joints))
    values, rows = floats_of(dict(robot.values)), {joint.name: joint for joint in robot.joints}
    for joint, entry in zip(robot.joint_names, entries):
        if unknown := [letter for letter in names_of(entry) if letter not in values]:
            raise _wrong(
                robot,
                name,
                Message("{unknown!r} of joint {joint!r} has no value", unknown[0], joint),
                Message("expected numbers"),
            )
        if there := outside(rows[joint], entry, values):
            raise _wrong(robot, name, Message("joint {joint!r} would stand at {outside}", joint, there), "")
    return name, tuple(zip(robot.joint_names, entries))


def _wrong(robot: RobotDescription, name: str, problem: str, hint: str) -> RobotFileError:
    return RobotFileError(problem, file=robot.origin.path, field=f"poses.{name}", hint=hint)


def poses_of(robot: RobotDescription) -> dict[str, tuple[float, ...]]:
    """In numbers, joint by joint."""
    values = floats_of(dict(robot.values))
    kept = ((name, dict(entries)) for name, entries in robot.named_poses)
    return {name: tuple(float_of(at[joint], values) for joint in robot.joint_names) for name, at in kept}
