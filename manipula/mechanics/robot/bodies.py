"""The same body written in another frame, or in another form, exactly.

`moved` keeps the form of the table (centre or first moments, tensor about the centre or the origin, second moments);
`about_origin` gives the one form in which bodies add: mass, first moments, tensor about the origin.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from manipula.mechanics.robot.description import SIX, Body, Cell, Mounted, Steps
from manipula.mechanics.robot.exact import Formula, is_quarter, parameter_of, placement_from_steps
from manipula.mechanics.robot.precise import PLACES, decimal, placement
from manipula.mechanics.robot.values.parameter import Name, names_of
from manipula.mechanics.spatial.inertia import (
    InertiaTensor,
    Moments,
    RigidBody,
    body_from_com,
    tensor_from_second_moments,
)
from manipula.mechanics.spatial.placement import Placement
from manipula.mechanics.spatial.vector import (
    Matrix,
    Vector,
    add,
    rotate,
    rotate_matrix,
    scale,
    symmetric,
)

UPPER = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))


def moved(body: Body, at: Steps) -> Body:
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
    x, y, z = (_changed(cell, value) for cell, value in zip(body.centre, centre))
    entries = (tensor[i][j] for i, j in UPPER)
    xx, xy, xz, yy, yz, zz = (_changed(cell, value) for cell, value in zip(body.inertia, entries))
    return Body(body.mass, (x, y, z), body.centre_is, (xx, xy, xz, yy, yz, zz), body.inertia_is)


def _changed(cell: Cell, value: Any) -> Cell:
    """The cell with a new value; one that did not change stays as the file has it."""
    parameter = parameter_of(value)
    if parameter == cell.parameter:
        return cell
    return Cell(cell.name, None if parameter == Name(cell.name) else parameter)
