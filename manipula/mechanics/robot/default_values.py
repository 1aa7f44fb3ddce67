"""What the parameters of a robot are: unit, meaning, value; and a stand-in for one without a value, so that an arm of
letters can still be drawn and moved.

A name takes its meaning from the cell in which it stands alone, or with a number (`-g`, `2*l1`); where it stands only
in longer expressions, from the first of these.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from manipula.errors import caution
from manipula.mechanics.robot.bind import Symbolic, free_parameters
from manipula.mechanics.robot.description import (
    AXES,
    SIX,
    AnyRobot,
    Body,
    Cell,
    Joint,
    Mounted,
    RobotDescription,
    Steps,
)
from manipula.mechanics.robot.elements import ENTRIES
from manipula.mechanics.robot.values.parameter import (
    Name,
    Parameter,
    ParameterOp,
    float_of,
    floats_of,
    names_of,
    number,
)
from manipula.messages import Message

LENGTH, ANGLE, MASS, PITCH = 0.3, 0.5, 1.0, 0.02  # m, rad, kg, m/rad
INERTIA, OTHER, WEIGHT = 0.02, 0.1, 9.81  # kg·m² on the diagonal; of drives, SI; m/s²


@dataclass(frozen=True)
class Fact:
    """A parameter; `value` is None where the file gives none, and `stand_in` is what may be taken then."""

    name: str
    value: float | None
    unit: str
    about: str
    stand_in: float


@dataclass(frozen=True)
class Meaning:
    """What a cell holds; of unknown cells that are symbols themselves `own` may be another number than of letters."""

    cell: Cell
    unit: str
    about: str
    stand_in: float
    own: float | None = None


def parameter_facts(robot: RobotDescription, symbolic: Symbolic = "all") -> dict[str, Fact]:
    """Every parameter that may stay a letter, in the file's order."""
    known = meanings(robot)
    values = floats_of(dict(robot.values))
    found = {}
    for name, parameter in free_parameters(robot, symbolic).items():
        open_names = parameter is None or any(inner not in values for inner in names_of(parameter))
        value = None if parameter is None or open_names else float_of(parameter, values)
        told = known.get(name, Meaning(Cell(name), "", "", OTHER))
        itself = told.own if told.own is not None and told.cell.name == name else told.stand_in
        found[name] = Fact(name, value, told.unit, told.about, itself)
    return found


def with_stand_ins(robot: AnyRobot) -> tuple[AnyRobot, dict[str, float]]:
    """The robot with a value for every name, and those that were made up."""
    facts = parameter_facts(robot, "auto")
    made = {name: fact.stand_in for name, fact in facts.items() if fact.value is None}
    values = (*robot.values, *((name, number(value)) for name, value in made.items()))
    return (replace(robot, values=values) if made else robot), made


def meanings(robot: RobotDescription) -> dict[str, Meaning]:
    """Name → what it means: names of cells, and names in them."""
    told = list(_cells(robot))
    found: dict[str, Meaning] = {}
    for meaning in told:
        found.setdefault(meaning.cell.name, meaning)
    alone = [(_alone(meaning.cell), meaning) for meaning in told]
    for name, meaning in alone:
        if name and not (name in found and found[name].cell.name != name):
            found[name] = meaning
    values = dict(robot.values)
    for meaning in told:
        for name in names_of(meaning.cell.parameter):
            found.setdefault(name, meaning)
            for inner in names_of(values[name]) if name in values else ():
                found.setdefault(inner, meaning)
    return found


def _alone(cell: Cell) -> str:
    """The one name of a cell that holds it, or a multiple of it, and nothing else."""
    parameter = cell.parameter
    while isinstance(parameter, ParameterOp) and parameter.op in ("neg", "*", "/"):
        named = [x for x in parameter.args if list(names_of(x))]
        if len(named) != 1 or (parameter.op == "/" and named[0] is not parameter.args[0]):
            return ""
        parameter = named[0]
    return parameter.name if isinstance(parameter, Name) else ""


def _cells(robot: RobotDescription) -> Iterator[Meaning]:
    yield from _steps(robot.base, Message("base"))
    for joint in robot.joints:
        yield from _joint(joint)
    yield from _steps(robot.tool, Message("tool"))
    for body in robot.payload:
        yield from _body(body, Message("payload"))
    for cell, axis, own in zip(robot.gravity, AXES, (0.0, 0.0, -WEIGHT), strict=True):
        yield Meaning(cell, "m/s²", Message("gravity along {axis}", axis), WEIGHT, own)
    for frame in robot.frames:
        yield from _steps(frame.at, Message("frame {name}", frame.name))
    for mounted in robot.ground:
        yield from _meanings_of_mounted(mounted, Message("base"))
    for element in robot.elements:
        for cell, entry in zip(element.values, ENTRIES.values(), strict=True):
            yield Meaning(cell, entry.unit, _of(Message(entry.about), Message("element {name}", element.name)), OTHER)


def _joint(joint: Joint) -> Iterator[Meaning]:
    own = Message("joint {name}", joint.name)
    yield from _steps(joint.before, own)
    unit, size = ("rad", 0.0) if joint.turns else ("m", 0.0)
    yield Meaning(joint.offset, unit, _of(Message("offset"), own), size)
    yield from _steps(joint.after, own)
    for entry, cell in joint.kind_items():
        yield Meaning(cell, "m/rad" if entry.quantity == "length" else entry.unit, _of(entry.key, own), PITCH)
    if joint.body is not None:
        yield from _body(joint.body, Message("link {name}", joint.link or joint.name))
    for item in joint.actuator.items():
        yield Meaning(item.value, item.entry.units[0 if joint.turns else 1], _of(Message(item.name), own), OTHER)
    for mounted in joint.carries:
        yield from _meanings_of_mounted(mounted, own)


def _meanings_of_mounted(mounted: Mounted, on: str) -> Iterator[Meaning]:
    yield from _steps(mounted.at, mounted.name or on)
    yield from _body(mounted.body, mounted.name or Message("body on {part}", on))


def _steps(steps: Steps, of: str) -> Iterator[Meaning]:
    for step in steps:
        kind, axis = step.kind
        if kind == "t":
            yield Meaning(step.amount, "m", Message("shift along {axis}, {part}", axis, of), LENGTH)
        else:
            yield Meaning(step.amount, "rad", Message("turn about {axis}, {part}", axis, of), ANGLE)


def _body(body: Body, of: str) -> Iterator[Meaning]:
    yield Meaning(body.mass, "kg", _of(Message("mass"), of), MASS)
    com = body.centre_is == "com"
    unit, what = ("m", Message("centre of mass")) if com else ("kg·m", Message("first moment"))
    for axis, cell in zip(AXES, body.centre, strict=True):
        yield Meaning(cell, unit, _of(what, of, axis), 0.0)
    what = Message("second moment" if body.inertia_is == "second_moment" else "inertia")
    for pair, cell in zip(SIX, body.inertia, strict=True):
        yield Meaning(cell, "kg·m²", _of(what, of, pair), INERTIA if pair[0] == pair[1] else 0.0)


def _of(what: str, part: str, place: str = "") -> Message:
    of = Message("{what} of {part}", what, part)
    return Message("{of}, {place}", of, place) if place else of


# Where joints may go, how fast, and what their motors can give, as numbers.


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
