"""What Python hands in: numbers of any library, text, lists and arrays → exact entries, or one sentence of refusal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from manipula.errors import InputError, RobotFileError, UnknownNameError
from manipula.mechanics.robot.bodies import refuse_ambiguous, standard_parameters, with_standard
from manipula.mechanics.robot.description import (
    AXES,
    SIX,
    AnyRobot,
    Body,
    Cell,
    Joint,
    Steps,
    cells_in,
    unknown_body,
    with_cells,
    with_friction_values,
)
from manipula.mechanics.robot.exact import without_zeros
from manipula.mechanics.robot.formats.rows import PLACEMENT
from manipula.mechanics.robot.formats.rows import steps_from_placement as steps_from_cells
from manipula.mechanics.robot.formats.snap_to_exact import structured_values
from manipula.mechanics.robot.formats.units import describe, parameter_from_raw
from manipula.mechanics.robot.friction import LAWS
from manipula.mechanics.robot.precise import PRECISE, steps_from_placement
from manipula.mechanics.robot.suffixes import suffixes_of
from manipula.mechanics.robot.values.parameter import ZERO, Name, Num, Parameter, float_of, names_of
from manipula.mechanics.robot.values.terms import Quantity, Units
from manipula.mechanics.spatial.placement import Placement
from manipula.mechanics.spatial.vector import Matrix, matmul, transpose
from manipula.messages import Message
from manipula.support.text import spell_greek

Three = tuple[Parameter, Parameter, Parameter]
_SLACK = 1e-6  # of a rotation, and of a tensor's symmetry: the rounding of people


def parameter_from_python(value: object, where: str, quantity: Quantity = "any") -> Parameter:
    """A number, SI, or text such as "2*L1" or "40 cm"."""
    try:
        return parameter_from_raw(value, quantity, Units())
    except RobotFileError as error:
        raise RobotFileError(error.problem, field=where, hint=error.hint) from None


def given_three(value: object, where: str, quantity: Quantity = "any") -> Three:
    """Three of them."""
    items = _items(value)
    if items is None or len(items) != 3:
        raise InputError("{where}: found {plain}, expected three numbers", where, describe(_plain(value)))
    x, y, z = (parameter_from_python(item, f"{where}[{k}]", quantity) for k, item in enumerate(items))
    return x, y, z


def given_list(value: object, where: str) -> list[Parameter]:
    """Any number of them."""
    items = _items(value)
    if items is None:
        raise InputError("{where}: found {plain}, expected a list of numbers", where, describe(_plain(value)))
    return [parameter_from_python(item, f"{where}[{k}]") for k, item in enumerate(items)]


def given_tensor(value: object, where: str) -> dict[str, Parameter]:
    """xx xy xz yy yz zz: from a mapping (absent entries are zero), from six numbers in this order, or from 3×3."""
    if value is None:
        return dict.fromkeys(SIX, ZERO)
    if isinstance(value, Mapping):
        for key in value:
            if key not in SIX:
                raise UnknownNameError("inertia entry", str(key), SIX)
        return {key: parameter_from_python(value.get(key, 0), f"{where}.{key}") for key in SIX}
    items = _items(value)
    if items is not None and len(items) == 3 and all(_items(row) is not None for row in items):
        return _from_rows([given_three(row, where) for row in items], where)
    if items is None or len(items) != 6:
        raise InputError(
            "{where}: found {plain}, expected a 3×3 array, six numbers xx xy xz yy yz zz, or a dict of them",
            where,
            describe(_plain(value)),
        )
    return {key: parameter_from_python(item, f"{where}.{key}") for key, item in zip(SIX, items)}


def given_friction(value: object, where: str) -> dict[str, Parameter]:
    """A table of friction as a robot file has it, {"viscous": 1.5}, by the letters of its parameters."""
    laws, found = {law.key: law for law in LAWS}, dict[str, Parameter]()
    for key, told in _table(value, where, Message("friction law"), list(laws)).items():
        entries = {entry.key: entry for entry in laws[key].entries}
        table = (
            {"": told}
            if "" in entries
            else _table(
                told, Message("{where}.{key}", where, key), Message("entry of friction.{key}", key), list(entries)
            )
        )
        for entry in entries.values():
            if entry.key not in table and entry.bound == "positive":
                raise InputError("{where}.{key}: {key2} is missing, {unit}", where, key, entry.key, entry.unit)
            found[entry.letters] = parameter_from_python(
                table.get(entry.key, 0), f"{where}.{key}.{entry.key}".rstrip(".")
            )
    return found


def _table(value: object, where: str, what: str, known: Sequence[str]) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise InputError(
            "{where}: found {plain}, expected a dict with {known}", where, describe(_plain(value)), ", ".join(known)
        )
    for key in value:
        if key not in known:
            raise UnknownNameError(what, str(key), known)
    return value


def _from_rows(rows: list[Three], where: str) -> dict[str, Parameter]:
    for i, j in ((0, 1), (0, 2), (1, 2)):
        if not _agree(rows[i][j], rows[j][i], max(_size(x) for row in rows for x in row)):
            raise InputError(
                "{where}: found an array that is not symmetric, expected entry {i}{j} to be entry {j}{i}", where, i, j
            )
    return {key: rows["xyz".index(key[0])]["xyz".index(key[1])] for key in SIX}


def _agree(x: Parameter, y: Parameter, size: float) -> bool:
    if any(True for parameter in (x, y) for _ in names_of(parameter)):
        return x == y
    return abs(float_of(x, {}) - float_of(y, {})) <= _SLACK * size


def _size(x: Parameter) -> float:
    return 0.0 if any(True for _ in names_of(x)) else abs(float_of(x, {}))


def given_steps(part: str, xyz: object, rpy: object) -> Steps:
    """A placement: xyz and rpy, or a 4×4 pose in the place of xyz. Metres and radians."""
    rows = _items(xyz)
    if rows is not None and len(rows) == 4:
        if _items(rpy) is None or any(_items(rpy) or ()):
            raise InputError("{part}: found a 4×4 pose and rpy, expected one of the two", part)
        return _from_pose(part, [_items(row) for row in rows])
    values = (*given_three(xyz, f"{part} xyz", "length"), *given_three(rpy, f"{part} rpy", "angle"))
    names = ("x", "y", "z", "roll", "pitch", "yaw")
    return steps_from_cells({key: Cell(f"{part}_{key}", value) for key, value in zip(names, values)})


def _from_pose(part: str, rows: list[list[Any] | None]) -> Steps:
    if any(row is None or len(row) != 4 for row in rows):
        raise InputError("{part}: expected xyz and rpy, three numbers each, or a 4×4 pose", part)
    T = [
        [_precise(x, Message("{part}[{i}][{j}]", part, i, j)) for j, x in enumerate(row or ())]
        for i, row in enumerate(rows)
    ]
    a, b, c = ((row[0], row[1], row[2]) for row in T[:3])
    R: Matrix = (a, b, c)
    if not _is_rotation(R) or [float(x) for x in T[3]] != [0, 0, 0, 1]:
        raise InputError(
            "{part}: this 4×4 array is not a pose, expected a rotation, a position, and a row 0 0 0 1", part
        )
    names = {kind: f"{part}_{name}" for name, kind in PLACEMENT}
    return without_zeros(steps_from_placement(Placement(R, (T[0][3], T[1][3], T[2][3])), names))


def _precise(value: object, where: str) -> Any:
    parameter = parameter_from_python(value, where)
    if not isinstance(parameter, Num):
        raise InputError("{where}: found {value}, expected numbers in a 4×4 pose", where, describe(value))
    return PRECISE.number(parameter.value)


def _is_rotation(R: Matrix) -> bool:
    """RᵀR = 1, and right-handed: the third row is the product of the first two."""
    square = matmul(R, transpose(R))
    apart: Any = max(PRECISE.abs(square[i][j] - (i == j)) for i in range(3) for j in range(3))
    (a, b, _), (d, e, _) = R[0], R[1]
    return bool(apart <= _SLACK and PRECISE.abs(a * e - b * d - R[2][2]) <= 3 * _SLACK)


def _plain(value: object) -> object:
    """Lists in place of arrays, tuples and ranges."""
    listed = value.tolist() if hasattr(value, "tolist") else value
    return list(listed) if isinstance(listed, tuple | range) else listed


def _items(value: object) -> list[Any] | None:
    """The entries of a list or an array; None of anything else."""
    listed = _plain(value)
    return listed if isinstance(listed, list) else None


# Edits of a description by what people give: numbers and names as a call or a command has them, refused in a sentence
# where they fit nothing. Whether the edited robot is valid is asked where it is handed out.


def with_values(robot: AnyRobot, values: Mapping[str, object]) -> AnyRobot:
    """A name the file writes keeps its place there and takes a value; a number or an unknown is replaced in a cell."""
    values = {spell_greek(name): value for name, value in values.items()}
    cells = {cell.name for cell in robot.cells()}
    filled = [cell.value for cell in robot.cells() if cell.value is not None]
    written = {inner for value in (*filled, *dict(robot.values).values()) for inner in names_of(value)}
    written |= {name for name, _ in robot.values}
    for name in values:
        if name not in written | cells:
            raise UnknownNameError("parameter", name, sorted(written | cells))
    entries = structured_values(robot, {name: parameter_from_python(value, name) for name, value in values.items()})
    own = {name: value for name, value in entries.items() if name not in written}
    named = {name: entries[name] for name in entries if name in written}
    edited = with_cells(robot, lambda cell: replace(cell, value=own[cell.name]) if cell.name in own else cell)
    return replace(edited, values=tuple((dict(robot.values) | named).items()))


def with_standard_values(robot: AnyRobot, values: object) -> AnyRobot:
    """All standard parameters in their order, or some by name; None leaves one as it is."""
    refuse_ambiguous(robot)
    known = list(standard_parameters(robot))
    named = values if isinstance(values, Mapping) else dict(zip(known, _as_many(values, known, robot.name)))
    for name in named:
        if name not in known:
            raise UnknownNameError("standard parameter", name, known)
    return with_standard(
        robot, {name: parameter_from_python(value, name) for name, value in named.items() if value is not None}
    )


def with_load(robot: AnyRobot, mass: object, com: object, inertia: object) -> AnyRobot:
    """A body held in the tool frame, its inertia about its centre of mass."""
    row = suffixes_of(replace(robot, payload=(*robot.payload, unknown_body("")))).payload[-1]
    x, y, z = (Cell(f"r{axis}{row}", value) for axis, value in zip(AXES, given_three(com, "com", "length")))
    tensor = given_tensor(inertia, "inertia")
    xx, xy, xz, yy, yz, zz = (Cell(f"I{key}{row}", tensor[key]) for key in SIX)
    body = Body(
        Cell(f"m{row}", parameter_from_python(mass, "mass", "mass")), (x, y, z), "com", (xx, xy, xz, yy, yz, zz), "com"
    )
    for cell in cells_in(body):
        if cell.name in robot.names() and cell.parameter != Name(cell.name):
            raise InputError(
                "{name} uses the name {name2!r} already, which is that of an entry of the new payload; rename "
                "it in the file",
                robot.name,
                cell.name,
            )
    return replace(robot, payload=(*robot.payload, body))


def with_rubbing(robot: AnyRobot, given_tables: Mapping[str, object]) -> AnyRobot:
    """Other friction of the joints named, each by a table of laws."""
    _refuse_unknown(robot, given_tables)
    tables = {name: given_friction(table, Message("friction of {name}", name)) for name, table in given_tables.items()}
    rows = (
        with_friction_values(joint, end, tables[joint.name]) if joint.name in tables else joint
        for joint, end in zip(robot.joints, suffixes_of(robot).rows)
    )
    return replace(robot, joints=tuple(rows))


def with_rotors(robot: AnyRobot, numbers: Mapping[str, object]) -> AnyRobot:
    """Other motor inertia of the joints named, as the joint feels it."""
    values = {name: parameter_from_python(x, Message("motor inertia of {name}", name)) for name, x in numbers.items()}
    _refuse_unknown(robot, values)

    def with_rotor(joint: Joint, end: str) -> Joint:
        return replace(joint, actuator=replace(joint.actuator, motor_inertia=Cell(f"Ia{end}", values[joint.name])))

    ends = suffixes_of(robot).rows
    rows = (with_rotor(joint, end) if joint.name in values else joint for joint, end in zip(robot.joints, ends))
    return replace(robot, joints=tuple(rows))


def _refuse_unknown(robot: AnyRobot, named: Iterable[str]) -> None:
    """One that follows another rubs, and is driven, as well."""
    known = robot.coordinates.joints
    for name in named:
        if name not in known:
            raise UnknownNameError("joint", name, known)


def by_name(found: object, what: str) -> dict[str, Any]:
    """What a dict says beside names that Python knows."""
    if found is not None and (not isinstance(found, Mapping) or not all(isinstance(x, str) and x for x in found)):
        raise InputError("{what}: found {found}, expected a dict by name", what, describe(found))
    return dict(found or {})


def _as_many(values: object, names: Sequence[str], robot: str) -> list[Any]:
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
