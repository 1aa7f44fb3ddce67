"""`a2=0.43 alpha3=90 m3=m_hand`: assignments as a person types them, turned into SI text.

The rule is that of the robot file: a bare number is in the file's units, anything else is an expression in SI. A unit
may be written out: `a2=430mm`, `alpha3=90deg`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from manipula.errors import InputError
from manipula.support.letters import spelled

if TYPE_CHECKING:
    from manipula.robot import Robot

_BARE = re.compile(r"([+-]?(?:\d+[.,]?\d*|[.,]\d+)(?:[eE][+-]?\d+)?)\s*(deg|°|rad|mm|m)?")
_ALIKE = {"deg": "rad", "mm": "m"}


@dataclass(frozen=True)
class Assignment:
    """One change: the parameter, its new value as SI text, how it was said, and as entries of a TOML robot file."""

    name: str
    value: str  # SI
    said: str  # with its unit
    entry: str  # where a bare number is in the file's units
    si_entry: str  # where it is SI


def assignments(texts: Sequence[str], robot: Robot) -> list[Assignment]:
    """The changes, checked for form; whether the names exist is the robot's to say."""
    units = dict(_units(robot))
    return [_assignment(text, units) for text in texts]


def places_of(texts: Sequence[str], robot: Robot) -> dict[str, str]:
    """Where joints are to stand, `elbow=30deg`, by the same rule; a joint by its name or number, which is the robot's
    to know. SI text."""
    turns = {joint.name: joint.turns for joint in robot.joints}
    units: dict[str, str] = {}
    for i, name in enumerate(robot.joint_names, 1):
        unit = robot.origin.angle if turns[name] else robot.origin.length
        units |= dict.fromkeys((f"q{i}", f"joint{i}"), unit) | {name: unit}
    found: dict[str, str] = {}
    for text in texts:
        joint, equals, value = text.rpartition("=")
        if not (joint.strip() and equals and value.strip()):
            raise InputError(f"{text!r} does not say where a joint stands; write it as elbow=30deg (no spaces)")
        natural = units.get(joint.strip(), "")
        found[joint.strip()] = _assignment(f"place={value}", {"place": natural}).value
    return found


def _assignment(text: str, units: dict[str, str]) -> Assignment:
    name, equals, value = (part.strip() for part in text.partition("="))
    name = spelled(name)
    if not (name and equals and value):
        raise InputError(f"{text!r} is not a change; write it as a2=0.43 (no spaces)")
    bare = _BARE.fullmatch(value)
    if bare is None:
        return Assignment(name, value, value, f'"{value}"', f'"{value}"')
    number, unit = bare[1].replace(",", "."), (bare[2] or "").replace("°", "deg")
    natural = units.get(name, "")
    if unit and _ALIKE.get(unit, unit) != _ALIKE.get(natural, natural):
        raise InputError(
            f"{text!r}: {name} is not in {unit}; give it {f'in {natural}' if natural else 'as a number, SI'}"
        )
    value = _si(number, unit or natural)
    given_bare = unit in ("", natural)
    entry = number if given_bare else value if natural == "m" else f'"{value}"'
    return Assignment(name, value, f"{number} {unit or natural}".strip(), entry, _entry(value))


def _si(number: str, unit: str) -> str:
    """Exact SI text."""
    if unit == "deg":
        return f"{number}*pi/180"
    return f"{Decimal(number).scaleb(-3):f}" if unit == "mm" else number


def _entry(value: str) -> str:
    return value if _BARE.fullmatch(value) else f'"{value}"'


def _units(robot: Robot) -> Iterator[tuple[str, str]]:
    """Cell → the unit of a bare number there; cells that are always SI are left out."""
    angle, length = robot.origin.angle, robot.origin.length
    placed = [robot.base, robot.tool, *(mounted.at for mounted in robot.ground)]
    bodies = [*robot.payload, *(mounted.body for mounted in robot.ground)]
    for joint in robot.joints:
        yield joint.offset.name, angle if joint.turns else length
        yield from ((cell.name, length) for entry, cell in joint.kind_items() if entry.quantity == "length")
        placed += [joint.before, joint.after, *(mounted.at for mounted in joint.carries)]
        bodies += [*([joint.body] if joint.body else []), *(mounted.body for mounted in joint.carries)]
    for steps in placed:
        yield from ((step.amount.name, angle if step.kind[0] == "r" else length) for step in steps)
    for body in bodies:
        yield from ((cell.name, length) for cell in body.centre if body.centre_is == "com")
