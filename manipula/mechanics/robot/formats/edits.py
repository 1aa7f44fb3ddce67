"""Edits of a description by what people give: numbers and names as a call or a command has them, refused in a sentence
where they fit nothing. Whether the edited robot can be is asked by whoever hands it out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from manipula.errors import InputError, UnknownNameError
from manipula.mechanics.robot.description import (
    AXES,
    SIX,
    AnyRobot,
    Body,
    Cell,
    Joint,
    cells_in,
    rubbed,
    unknown_body,
    with_cells,
)
from manipula.mechanics.robot.formats.given import given, given_friction, given_tensor, given_three
from manipula.mechanics.robot.formats.structured import structured_values
from manipula.mechanics.robot.formats.units import describe
from manipula.mechanics.robot.standard import refuse_ambiguous, standard_parameters, with_standard
from manipula.mechanics.robot.suffixes import suffixes_of
from manipula.mechanics.robot.values.parameter import Name, float_of, names_of
from manipula.messages import Message
from manipula.support.letters import spelled


def with_values(robot: AnyRobot, values: Mapping[str, Any]) -> AnyRobot:
    """A name the file writes keeps its place there and takes a value; a number or an unknown is replaced in a cell."""
    values = {spelled(name): value for name, value in values.items()}
    cells = {cell.name for cell in robot.cells()}
    filled = [cell.value for cell in robot.cells() if cell.value is not None]
    written = {inner for value in (*filled, *dict(robot.values).values()) for inner in names_of(value)}
    written |= {name for name, _ in robot.values}
    for name in values:
        if name not in written | cells:
            raise UnknownNameError("parameter", name, sorted(written | cells))
    entries = structured_values(robot, {name: given(value, name) for name, value in values.items()})
    own = {name: value for name, value in entries.items() if name not in written}
    named = {name: entries[name] for name in entries if name in written}
    edited = with_cells(robot, lambda cell: replace(cell, value=own[cell.name]) if cell.name in own else cell)
    return replace(edited, values=tuple((dict(robot.values) | named).items()))


def with_standard_values(robot: AnyRobot, values: Any) -> AnyRobot:
    """All standard parameters in their order, or some by name; None leaves one as it is."""
    refuse_ambiguous(robot)
    known = list(standard_parameters(robot))
    named = values if isinstance(values, Mapping) else dict(zip(known, _as_many(values, known, robot.name)))
    for name in named:
        if name not in known:
            raise UnknownNameError("standard parameter", name, known)
    return with_standard(robot, {name: given(value, name) for name, value in named.items() if value is not None})


def with_load(robot: AnyRobot, mass: Any, com: Any, inertia: Any) -> AnyRobot:
    """A body held in the tool frame, its inertia about its centre of mass."""
    row = suffixes_of(replace(robot, payload=(*robot.payload, unknown_body("")))).payload[-1]
    x, y, z = (Cell(f"r{axis}{row}", value) for axis, value in zip(AXES, given_three(com, "com", "length")))
    tensor = given_tensor(inertia, "inertia")
    xx, xy, xz, yy, yz, zz = (Cell(f"I{key}{row}", tensor[key]) for key in SIX)
    body = Body(Cell(f"m{row}", given(mass, "mass", "mass")), (x, y, z), "com", (xx, xy, xz, yy, yz, zz), "com")
    for cell in cells_in(body):
        if cell.name in robot.names() and cell.parameter != Name(cell.name):
            raise InputError(
                "{name} uses the name {name2!r} already, which is that of an entry of the new payload; rename "
                "it in the file",
                robot.name,
                cell.name,
            )
    return replace(robot, payload=(*robot.payload, body))


def with_rubbing(robot: AnyRobot, given_tables: Mapping[str, Any]) -> AnyRobot:
    """Other friction of the joints named, each by a table of laws."""
    _refuse_unknown(robot, given_tables)
    tables = {name: given_friction(table, Message("friction of {name}", name)) for name, table in given_tables.items()}
    rows = (
        rubbed(joint, end, tables[joint.name]) if joint.name in tables else joint
        for joint, end in zip(robot.joints, suffixes_of(robot).rows)
    )
    return replace(robot, joints=tuple(rows))


def with_rotors(robot: AnyRobot, numbers: Mapping[str, Any]) -> AnyRobot:
    """Other motor inertia of the joints named, as the joint feels it."""
    values = {name: given(x, Message("motor inertia of {name}", name)) for name, x in numbers.items()}
    _refuse_unknown(robot, values)
    for name, value in values.items():
        if not names_of(value) and (number := float_of(value, {})) < 0:
            raise InputError("motor inertia of {name}: cannot be negative, found {number:g}", name, number)

    def driven(joint: Joint, end: str) -> Joint:
        return replace(joint, actuator=replace(joint.actuator, motor_inertia=Cell(f"Ia{end}", values[joint.name])))

    ends = suffixes_of(robot).rows
    rows = (driven(joint, end) if joint.name in values else joint for joint, end in zip(robot.joints, ends))
    return replace(robot, joints=tuple(rows))


def _refuse_unknown(robot: AnyRobot, named: Iterable[str]) -> None:
    """One that follows another rubs, and is driven, as well."""
    known = robot.coordinates.joints
    for name in named:
        if name not in known:
            raise UnknownNameError("joint", name, known)


def by_name(found: Any, what: str) -> dict[str, Any]:
    """What a dict says beside names that Python knows."""
    if found is not None and (not isinstance(found, Mapping) or not all(isinstance(x, str) and x for x in found)):
        raise InputError("{what}: found {found}, expected a dict by name", what, describe(found))
    return dict(found or {})


def _as_many(values: Any, names: Sequence[str], robot: str) -> list[Any]:
    """A vector of the standard parameters, as a list."""
    listed = values.tolist() if hasattr(values, "tolist") else list(values) if isinstance(values, Iterable) else values
    if not isinstance(listed, list) or len(listed) != len(names) or any(isinstance(x, list) for x in listed):
        found = Message("shape {tuple}", tuple(values.shape)) if hasattr(values, "shape") else describe(listed)
        raise InputError(
            "{robot} has {count} standard parameters, a vector of so many numbers; found {found}",
            robot,
            len(names),
            found,
        )
    return listed
