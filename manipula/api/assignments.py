"""`a2=0.43 alpha3=90 m3=m_hand`: assignments as a person types them, turned into SI text.

The rule is that of the robot file: a number alone has the unit of its column, as a number and in a sum, and names have
SI values. A unit may be written: `a2=430mm`, `alpha3=90deg`, `l1="40 cm"`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from manipula.errors import InputError, RobotFileError
from manipula.support.text import is_decimal, quote_toml, spell_greek

if TYPE_CHECKING:
    from manipula.mechanics.robot.values.parameter import Parameter
    from manipula.mechanics.robot.values.terms import Quantity, Units
    from manipula.robot import Robot


@dataclass(frozen=True)
class Assignment:
    """One change: the parameter, its new value as SI text, how it was said, and as entries of a TOML robot file."""

    name: str
    value: str  # SI
    said: str  # with its unit
    entry: str  # in a cell, whose numbers are in the file's units
    si_entry: str  # under [values], in SI


def assignments(texts: Sequence[str], robot: Robot) -> list[Assignment]:
    """The changes, checked for form; whether the names exist is the robot's to say."""
    quantities = dict(_quantities(robot))
    return [_assignment(text, quantities, _units(robot)) for text in texts]


def places_of(texts: Sequence[str], robot: Robot) -> dict[str, str]:
    """Where joints are to stand, `elbow=30deg`, by the same rule; a joint by its name or number, which is the robot's
    to know. SI text."""
    quantities: dict[str, Quantity] = {}
    for i, (name, turns) in enumerate(zip(robot.joint_names, robot.coordinates.turns), 1):
        quantity: Quantity = "angle" if turns else "length"
        quantities |= {f"q{i}": quantity, f"joint{i}": quantity, name: quantity}
    found: dict[str, str] = {}
    for text in texts:
        joint, equals, value = text.rpartition("=")
        if not (joint.strip() and equals and value.strip()):
            raise InputError("{text!r} does not say where a joint stands; write it as elbow=30deg (no spaces)", text)
        natural = quantities.get(joint.strip(), "any")
        found[joint.strip()] = _read(joint.strip(), value.strip(), natural, _units(robot)).value
    return found


def _assignment(text: str, quantities: dict[str, Quantity], units: Units) -> Assignment:
    name, equals, value = (part.strip() for part in text.partition("="))
    name = spell_greek(name)
    if not (name and equals and value):
        raise InputError("{text!r} is not a change; write it as a2=0.43 (no spaces)", text)
    return _read(name, value, quantities.get(name, "any"), units)


def _read(name: str, value: str, quantity: Quantity, units: Units) -> Assignment:
    from manipula.mechanics.robot.formats.units import ParsedText, entry_from_raw, parameter_from_entry
    from manipula.mechanics.robot.values.parameter import Num, text_of

    try:
        entry = entry_from_raw(value)
        parameter = parameter_from_entry(entry, quantity, units)
    except RobotFileError as error:
        raise RobotFileError(error.problem, field=name, hint=error.hint) from None
    bare = entry.tree if isinstance(entry, ParsedText) and isinstance(entry.tree, Num) else None
    unit = "" if bare is None or quantity == "any" else units.of(quantity)
    said = value if bare is None else f"{text_of(bare)} {unit}".strip()
    in_cell, in_si = _entry(parameter, quantity, units), _entry(parameter, "any", units)
    return Assignment(name, text_of(parameter), said, in_cell, in_si)


def _entry(parameter: Parameter, quantity: Quantity, units: Units) -> str:
    """In TOML."""
    from manipula.mechanics.robot.formats.units import bare_from_parameter, text_in_units
    from manipula.mechanics.robot.values.parameter import Num, text_of

    bare = bare_from_parameter(parameter, quantity, units)
    exact = bare is not None and is_decimal(bare)
    return text_of(Num(bare)) if exact and bare is not None else quote_toml(text_in_units(parameter, quantity, units))


def _units(robot: Robot) -> Units:
    from manipula.mechanics.robot.values.terms import Units

    return Units(robot.origin.angle, robot.origin.length)


def _quantities(robot: Robot) -> Iterator[tuple[str, Quantity]]:
    """Of every cell; a name that stands in none is free to have any unit."""
    placed = [robot.base, robot.tool, *(frame.at for frame in robot.frames)]
    bodies = [*robot.payload, *(mounted.body for mounted in robot.ground)]
    for joint in robot.joints:
        yield from ((item.value.name, "si") for item in joint.actuator.items())
        yield joint.offset.name, "angle" if joint.turns else "length"
        yield from ((cell.name, entry.quantity) for entry, cell in joint.kind_items())
        placed += [joint.before, joint.after, *(mounted.at for mounted in joint.carries)]
        bodies += [*([joint.body] if joint.body else []), *(mounted.body for mounted in joint.carries)]
    for steps in placed:
        yield from ((step.amount.name, "angle" if step.kind[0] == "r" else "length") for step in steps)
    for body in bodies:
        yield body.mass.name, "mass"
        yield from ((cell.name, "length" if body.centre_is == "com" else "si") for cell in body.centre)
        yield from ((cell.name, "si") for cell in body.inertia)
