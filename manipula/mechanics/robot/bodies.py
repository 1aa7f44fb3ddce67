"""The same body written in another frame, or in another form, exactly.

`moved` keeps the form of the table (centre or first moments, tensor about the centre or the origin, second moments);
`about_origin` gives the one form in which bodies add: mass, first moments, tensor about the origin.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from manipula.errors import InputError
from manipula.mechanics.robot.description import SIX, AnyRobot, Body, Cell, Joint, Mounted, RobotDescription, Steps
from manipula.mechanics.robot.elements import TwoPointElement, element_columns
from manipula.mechanics.robot.exact import Formula, is_quarter, parameter_of, placement_from_steps, with_values
from manipula.mechanics.robot.precise import PLACES, decimal, placement
from manipula.mechanics.robot.suffixes import element_suffixes, suffixes_of
from manipula.mechanics.robot.values.parameter import ZERO, Name, Parameter, ParameterOp, names_of
from manipula.mechanics.spatial.inertia import (
    InertiaTensor,
    Moments,
    RigidBody,
    body_from_com,
    tensor_from_second_moments,
)
from manipula.mechanics.spatial.placement import Placement
from manipula.mechanics.spatial.vector import Matrix, Vector, add, rotate, rotate_matrix, scale, symmetric

UPPER = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))


def move_body(body: Body, at: Steps) -> Body:
    """The body in frame a, where `at` leads from a to the frame it is written in; its form and its names stay."""
    if not at:
        return body
    place = _placement(at)
    m, s = _mass(body), _first_moments(body)
    match body.inertia_is:
        case "origin":
            tensor = RigidBody(m, s, InertiaTensor(_tensor(body))).seen_from(place).I
        case "second_moment":
            tensor = RigidBody(m, s, Moments(_tensor(body))).seen_from(place).K
        case _:
            tensor = rotate_matrix(place.R, _tensor(body))
    turned = rotate(place.R, _centre(body))
    centre = add(turned, place.p if body.centre_is == "com" else scale(m, place.p))
    return _rewritten(body, centre, tensor)


def about_origin(body: Body) -> RigidBody:
    """Mass, first moments and tensor about the frame's origin, as trees."""
    m, s, tensor = _mass(body), _first_moments(body), _tensor(body)
    if body.inertia_is == "second_moment":
        return RigidBody(m, s, tensor_from_second_moments(tensor))
    if body.inertia_is == "origin":
        return RigidBody(m, s, InertiaTensor(tensor))
    x, y, z = s
    centre = _centre(body) if body.centre_is == "com" else (_over(x, m), _over(y, m), _over(z, m))
    return body_from_com(m, centre, tensor)


def together(body: Body | None, carried: Iterable[Mounted]) -> RigidBody:
    """Everything a link carries, about the link frame's origin."""
    total = RigidBody() if body is None else about_origin(body)
    for mounted in carried:
        total = total + about_origin(mounted.body).seen_from(_placement(mounted.at))
    return total


def body_from_inertia(inertia: RigidBody, suffix: str) -> Body:
    """A table body, first moments and tensor about the origin, under the automatic names of that ending."""
    x, y, z = (Cell(f"m{axis}{suffix}", parameter_of(v)) for axis, v in zip("xyz", inertia.s))
    xx, xy, xz, yy, yz, zz = (
        Cell(f"L{pair}{suffix}", parameter_of(inertia.I[i][j])) for pair, (i, j) in zip(SIX, UPPER)
    )
    mass = Cell(f"m{suffix}", parameter_of(inertia.m))
    return Body(mass, (x, y, z), "first_moment", (xx, xy, xz, yy, yz, zz), "origin")


def _placement(steps: Steps) -> Placement:
    """Exact trees; numbers that turn more than once are multiplied out, for their trees would grow without end."""
    amounts = [step.amount.parameter for step in steps]
    turns = [x for step, x in zip(steps, amounts) if step.kind[0] == "r" and not is_quarter(x)]
    if len(turns) < 2 or any(True for x in amounts for _ in names_of(x)):
        return placement_from_steps(steps)
    at = placement(steps, {})
    a, b, c, p = (tuple(Formula(decimal(part, 2 * PLACES)) for part in row) for row in (*at.R, at.p))
    return Placement(((a[0], a[1], a[2]), (b[0], b[1], b[2]), (c[0], c[1], c[2])), (p[0], p[1], p[2]))


def _over(x: Any, m: Formula) -> Any:
    """x/m, where a body without first moments may be without mass too."""
    return x if parameter_of(x) == parameter_of(0) else x / m


def _mass(body: Body) -> Formula:
    return Formula(body.mass.parameter)


def _centre(body: Body) -> Vector:
    x, y, z = (Formula(cell.parameter) for cell in body.centre)
    return (x, y, z)


def _first_moments(body: Body) -> Vector:
    return _centre(body) if body.centre_is == "first_moment" else scale(_mass(body), _centre(body))


def _tensor(body: Body) -> Matrix:
    xx, xy, xz, yy, yz, zz = (Formula(cell.parameter) for cell in body.inertia)
    return symmetric(xx, xy, xz, yy, yz, zz)


def _rewritten(body: Body, centre: Vector, tensor: Matrix) -> Body:
    x, y, z = (_with_value(cell, value) for cell, value in zip(body.centre, centre))
    entries = (tensor[i][j] for i, j in UPPER)
    xx, xy, xz, yy, yz, zz = (_with_value(cell, value) for cell, value in zip(body.inertia, entries))
    return Body(body.mass, (x, y, z), body.centre_is, (xx, xy, xz, yy, yz, zz), body.inertia_is)


def _with_value(cell: Cell, value: Any) -> Cell:
    """The cell with a new value; one that did not change stays as the file has it."""
    parameter = parameter_of(value)
    if parameter == cell.parameter:
        return cell
    return Cell(cell.name, None if parameter == Name(cell.name) else parameter)


# The standard parameters of a robot: those in which its torques are linear, body by body, as the file has each body.
#
# Of every moving link, and of every body that rides on one (fixed rows, carried bodies, payload): Lxx Lxy Lxz Lyy Lyz
# Lzz
# mx my mz m about the origin of the body's own frame; of every moving joint Ia fv fc fo and those of further friction
# laws that it has. Their order is that of the
# regressor's columns. What is before the first moving joint is felt by no motor and has no column.

Given = Mapping[str, Parameter]


@dataclass(frozen=True)
class JointBodies:
    """A moving joint, what its names end in, and all bodies it moves, its link's first, with what theirs end in."""

    joint: Joint
    suffix: str
    bodies: list[tuple[str, Body | None]]


def moved_bodies(robot: RobotDescription) -> list[JointBodies]:
    """Joint by joint; the payload rides on the one that moves the tool. What is fixed to the base is in no row."""
    ends = suffixes_of(robot)
    found: list[JointBodies] = []
    movers: dict[int, JointBodies | None] = {-1: None}  # by row
    for row, (joint, end, carried) in enumerate(zip(robot.joints, ends.rows, ends.carried)):
        mover = movers[robot.parents[row]]
        if joint.kind != "fixed":
            mover = JointBodies(joint, end, [(end, joint.body)])
            found.append(mover)
        elif mover and joint.body is not None:
            mover.bodies.append((end, joint.body))
        if mover:
            mover.bodies.extend((own, mounted.body) for own, mounted in zip(carried, joint.carries))
        if mover and row == robot.tool_row:
            mover.bodies.extend(zip(ends.payload, robot.payload))
        movers[row] = mover
    return found


def bodies_of_base(robot: RobotDescription) -> list[tuple[str, Body]]:
    """What a base that moves carries, with what its names end in: its own bodies, then those of fixed rows on it."""
    if not robot.moving:
        return []
    ends, still = suffixes_of(robot), {-1}
    found = [(end, mounted.body) for end, mounted in zip(ends.ground, robot.ground)]
    found += zip(ends.payload, robot.payload) if robot.tool_row < 0 else ()
    for row, (joint, end, carried) in enumerate(zip(robot.joints, ends.rows, ends.carried)):
        if joint.kind == "fixed" and robot.parents[row] in still:
            still.add(row)
            found += [(end, joint.body)] if joint.body is not None else []
            found += [(own, mounted.body) for own, mounted in zip(carried, joint.carries)]
            found += zip(ends.payload, robot.payload) if row == robot.tool_row else ()
    return found


def standard_parameters(robot: RobotDescription) -> dict[str, Parameter]:
    """Column → what the file says of it; those of a base that moves come first."""
    base = [cell for suffix, body in bodies_of_base(robot) for cell in _ten(_standard(body, suffix))]
    found: dict[str, Parameter] = {cell.name: cell.parameter for cell in base}
    for moved in moved_bodies(robot):
        cells = [cell for suffix, body in moved.bodies for cell in _ten(_standard(body, suffix))]
        found |= {cell.name: cell.parameter for cell in (*cells, *_motor(moved))}
    for suffix, element in zip(element_suffixes(robot), robot.elements, strict=True):
        found |= zip(element_columns(suffix), _linear(element), strict=True)
    return found


def _linear(element: TwoPointElement[Cell]) -> tuple[Parameter, ...]:
    """k, k·l₀, F, c"""
    k, l, F, c = (cell.parameter for cell in element.values)
    return k, ZERO if ZERO in (k, l) else ParameterOp("*", (k, l)), F, c


def _element_changed(element: TwoPointElement[Cell], suffix: str, given: Given) -> TwoPointElement[Cell]:
    """Of k·l₀ the free length follows; nothing else would change with it."""
    k, kl, F, c = (given.get(name) for name in element_columns(suffix))
    was = _linear(element)[1]
    stiffness, length = element.stiffness if k is None else replace(element.stiffness, value=k), element.length
    if k is not None or kl is not None:
        product = was if kl is None else kl
        none = ZERO in (product, stiffness.value)
        length = replace(length, value=ZERO if none else ParameterOp("/", (product, stiffness.parameter)))
    force, damping = (
        cell if value is None else replace(cell, value=value)
        for cell, value in ((element.force, F), (element.damping, c))
    )
    return TwoPointElement(element.name, element.joins, stiffness, length, force, damping)


def refuse_ambiguous(robot: RobotDescription) -> None:
    """Raises where a name that the file uses is that of a column which means something else."""
    used = needed_names(robot, dict(robot.values))
    for name, value in standard_parameters(robot).items():
        if name in used and value != Name(name):
            raise InputError(
                "{name}: the file uses {name2!r} for something else than the standard parameter of that name; "
                "rename it there",
                robot.name,
                name,
            )


def with_standard(robot: AnyRobot, given: Given) -> AnyRobot:
    """The robot with other standard parameters. A body of which one is given is written about its frame's origin,
    with first moments, so that no mass need divide them."""
    values, ends = dict(robot.values), suffixes_of(robot)
    bodies = {
        suffix: _standard_changed(body, suffix, given, values)
        for moved in moved_bodies(robot)
        for suffix, body in moved.bodies
    } | {suffix: _standard_changed(body, suffix, given, values) for suffix, body in bodies_of_base(robot)}

    def joint(row: Joint, end: str, carried: Iterable[str]) -> Joint:
        held = (replace(x, body=bodies.get(own) or x.body) for x, own in zip(row.carries, carried))
        motor = ((letters, f"{letters}{end}") for letters in row.actuator.linear())
        actuator = row.actuator.with_entries(
            {letters: Cell(name, given[name]) for letters, name in motor if name in given}
        )
        return replace(row, body=bodies.get(end, row.body), carries=tuple(held), actuator=actuator)

    joints = tuple(map(joint, robot.joints, ends.rows, ends.carried))
    payload = tuple(bodies[end] or body for end, body in zip(ends.payload, robot.payload))
    ground = tuple(replace(x, body=bodies.get(end) or x.body) for end, x in zip(ends.ground, robot.ground))
    lines = zip(robot.elements, element_suffixes(robot), strict=True)
    elements = tuple(_element_changed(element, end, given) for element, end in lines)
    changed = replace(robot, joints=joints, payload=payload, ground=ground, elements=elements)
    return _drop_unused_values(changed, robot, given)


def _standard(body: Body | None, suffix: str) -> Body:
    """About its frame's origin, with first moments."""
    return body_from_inertia(RigidBody() if body is None else about_origin(body), suffix)


def _ten(body: Body) -> tuple[Cell, ...]:
    """In the order of the columns."""
    return (*body.inertia, *body.centre, body.mass)


def _motor(moved: JointBodies) -> list[Cell]:
    cells = moved.joint.actuator.linear()
    return [Cell(f"{letters}{moved.suffix}", cell.parameter) for letters, cell in cells.items()]


def _standard_changed(body: Body | None, suffix: str, given: Given, values: Given) -> Body | None:
    """What is not given stays; if it is worked out from a name that is, it is the number it was, or a symbol itself."""
    standard = _standard(body, suffix)
    if not any(cell.name in given for cell in _ten(standard)):
        return body

    def cell(own: Cell) -> Cell:
        value = given.get(own.name, own.parameter)
        if own.name not in given and not given.keys().isdisjoint(names_of(value)):
            value = with_values(value, values).parameter
        unknown = own.name not in given and not given.keys().isdisjoint(names_of(value))
        return Cell(own.name, None if unknown or value == Name(own.name) else value)

    x, y, z = map(cell, standard.centre)
    xx, xy, xz, yy, yz, zz = map(cell, standard.inertia)
    return replace(standard, mass=cell(standard.mass), centre=(x, y, z), inertia=(xx, xy, xz, yy, yz, zz))


def _drop_unused_values(robot: AnyRobot, before: RobotDescription, given: Given) -> AnyRobot:
    """Without the values that nothing needs any more; a name may not go on to mean what its cell meant before."""
    values = dict(robot.values)
    used = needed_names(robot, values)
    for name in given:
        if name in used and given[name] != Name(name):
            raise InputError(
                "{name}: the name {name2!r} stands in other places of the file too; change it by with_parameters",
                robot.name,
                name,
            )
    old = needed_names(before, values)
    return replace(robot, values=tuple((name, x) for name, x in robot.values if name in used or name not in old))


def needed_names(robot: RobotDescription, values: Mapping[str, Parameter]) -> set[str]:
    """The names its cells use, and those in the values of these."""
    waiting = [name for cell in robot.cells() for name in names_of(cell.parameter)]
    found: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(names_of(values[name]) if name in values else ())
    return found
