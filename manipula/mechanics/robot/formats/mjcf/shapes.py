"""What a body weighs by its shapes, where it has no `<inertial>`: the solids of MJCF, exact to fifty digits.

Of a solid with half sizes a, b, c, radius r, half length h, all about its centre (a textbook's table of inertias):

    sphere     V = 4/3 π r³       I/m = 2/5 r²
    box        V = 8 a b c        Ixx/m = (b² + c²)/3
    ellipsoid  V = 4/3 π a b c    Ixx/m = (b² + c²)/5
    cylinder   V = 2 π r² h       Ixx/m = r²/4 + h²/3,  Izz/m = r²/2
    capsule    a cylinder and two half spheres, whose centres of mass lie 3/8 r beyond its ends

A shell has areas for volumes; half a spherical shell has its centre of mass at r/2. Source: the MuJoCo documentation,
XML Reference (`geom`, `compiler`). Meshes, and the shell of an ellipsoid, have no such formula.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

from manipula.errors import RobotFileError
from manipula.mechanics.robot.formats.mjcf.settings import Attributes, Settings, numbers, single, some, triple
from manipula.mechanics.robot.formats.urdf.xml import NOWHERE, UrdfInertial, UrdfLink, UrdfOrigin
from manipula.mechanics.robot.precise import MP, PRECISE, angle, decimal, length, rpy_of
from manipula.mechanics.spatial.placement import HERE, Placement, turn_about
from manipula.mechanics.spatial.vector import (
    Matrix,
    Vector,
    add,
    cross,
    dot,
    rotate_matrix,
    scale,
    sub,
    symmetric,
    transpose,
)
from manipula.messages import Message
from manipula.scalar import Scalar

# Where something stands in MJCF: `pos` and one of five ways to write an orientation, as a placement to fifty digits.
#
# Source: the MuJoCo documentation, Modeling, "Frame orientations". With c, s of the angle and [·] the columns of R:
#
#     quat       w x y z            normalised here
#     axisangle  x y z a            turn by a about the axis
#     euler      a1 a2 a3           R = R(a1) R(a2) R(a3) for small letters of eulerseq; a capital turns from the left
#     xyaxes     x, y               y made orthogonal to x; z = x × y
#     zaxis      z                  the smallest turn that brings z there; half a turn about x where it is opposite
#     fromto     two points         in their middle, z from the second to the first; nothing else counts beside it

Numbers = list[Scalar]  # of fifty digits


def placement_of(attributes: Attributes, settings: Settings, where: str) -> Placement:
    """The frame of a body, a site, an inertia or a `<frame>` in the one around it."""
    if "fromto" in attributes:
        ends = list(map(PRECISE.number, some(attributes, "fromto", 6, where)))
        first, second = ends[:3], ends[3:]
        middle: Vector = ((first[0] + second[0]) / 2, (first[1] + second[1]) / 2, (first[2] + second[2]) / 2)
        return Placement(_z_axis([x - y for x, y in zip(first, second)], settings), middle)
    given = [key for key in _WAYS if key in attributes]
    if len(given) > 1:
        told = Message("found {text}", " and ".join(given))
        raise RobotFileError(told, where=where, field=given[1], hint="an orientation is written in one way")
    x, y, z = map(PRECISE.number, triple(attributes, "pos", where, NOWHERE))
    if not given:
        return Placement(HERE.R, (x, y, z))
    count, rotation = _WAYS[given[0]]
    found = some(attributes, given[0], count, where)
    try:
        return Placement(rotation(list(map(PRECISE.number, found)), settings), (x, y, z))
    except ZeroDivisionError:
        told = Message("found {attributes!r}, which is no direction", attributes[given[0]])
        raise RobotFileError(told, where=where, field=given[0], hint="a vector that is not zero") from None


def frame_of(at: Placement) -> UrdfOrigin:
    """The placement as exact lengths and angles of twenty decimals, quarter turns recovered."""
    x, y, z = (Fraction(length(part).value) for part in at.p)
    roll, pitch, yaw = map(angle, rpy_of(at.R))
    return UrdfOrigin((x, y, z), (roll, pitch, yaw))


def _unit(v: Vector) -> Vector:
    return scale(1 / MP.sqrt(dot(v, v)), v)


def _quaternion(numbers: Numbers, settings: Settings) -> Matrix:
    # R = 1 + 2 (w [v] + [v]²) of the unit quaternion, entry by entry
    size = MP.sqrt(sum(x * x for x in numbers))
    w, x, y, z = (part / size for part in numbers)
    return (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )


def _turn(axis: Vector, by: Scalar) -> Matrix:
    """The quaternion (cos a/2, axis·sin a/2)."""
    half, (x, y, z) = MP.sin(by / 2), _unit(axis)
    return _quaternion([MP.cos(by / 2), half * x, half * y, half * z], _NONE)


def _in_radians(value: object, settings: Settings) -> Any:
    return value * MP.pi / 180 if settings.degrees else value


def _axis_angle(numbers: Numbers, settings: Settings) -> Matrix:
    x, y, z, by = numbers
    return _turn((x, y, z), _in_radians(by, settings))


def _euler(numbers: Numbers, settings: Settings) -> Matrix:
    at = HERE
    for letter, value in zip(settings.sequence, numbers):
        by = _in_radians(value, settings)
        turn = turn_about(letter.lower(), MP.cos(by), MP.sin(by))
        at = at @ turn if letter.islower() else turn @ at
    return at.R


def _two_axes(numbers: Numbers, settings: Settings) -> Matrix:
    first, second = tuple(numbers[:3]), tuple(numbers[3:])
    x = _unit((first[0], first[1], first[2]))
    along: Vector = (second[0], second[1], second[2])
    y = _unit(sub(along, scale(dot(x, along), x)))
    return transpose((x, y, cross(x, y)))


def _z_axis(numbers: Numbers, settings: Settings) -> Matrix:
    x, y, z = _unit((numbers[0], numbers[1], numbers[2]))
    level = MP.sqrt(x * x + y * y)
    axis: Vector = (-y, x, MP.mpf(0)) if level > MP.mpf(10) ** -10 else (MP.mpf(1), MP.mpf(0), MP.mpf(0))
    return _turn(axis, MP.atan2(level, z))


_NONE = Settings(False, "xyz", True, NOWHERE, {})
_WAYS: dict[str, tuple[int, Callable[[Numbers, Settings], Matrix]]] = {
    "quat": (4, _quaternion),
    "axisangle": (4, _axis_angle),
    "euler": (3, _euler),
    "xyaxes": (6, _two_axes),
    "zaxis": (3, _z_axis),
}


Share = tuple[Scalar, Scalar, Scalar, Scalar]  # volume (or area), and inertia about the centre per mass: xx yy zz
WEIGHTLESS = ("plane", "hfield")
SIZES = {"sphere": 1, "box": 3, "ellipsoid": 3, "cylinder": 2, "capsule": 2}
TELLS_MASS = Message("give the body an <inertial>, or let MuJoCo write it with mj_saveLastXML")


class Solid(NamedTuple):
    """Mass, and tensor about its centre in its own axes, where it is."""

    at: Placement
    mass: Scalar
    tensor: Vector


def body_from_shapes(
    shapes: Iterable[tuple[Attributes, Placement]], settings: Settings, where: str
) -> UrdfInertial | None:
    """The body that all shapes are together, about its centre of mass in the body's axes; None of nothing."""
    solids = [solid for shape, outer in shapes if (solid := _solid(shape, outer, settings, where)).mass]
    if not solids:
        return None
    mass = sum((solid.mass for solid in solids), MP.mpf(0))
    centre: Vector = (0, 0, 0)
    for solid in solids:
        centre = add(centre, scale(solid.mass / mass, solid.at.p))
    entries = [MP.mpf(0)] * 6
    for solid in solids:
        x, y, z = sub(solid.at.p, centre)
        xx, yy, zz = solid.tensor
        (a, b, c), (_, d, e), (_, _, f) = rotate_matrix(solid.at.R, symmetric(xx, 0, 0, yy, 0, zz))
        m = solid.mass
        steiner = (m * (y * y + z * z), -m * x * y, -m * x * z, m * (x * x + z * z), -m * y * z, m * (x * x + y * y))
        entries = [old + own + more for old, own, more in zip(entries, (a, b, c, d, e, f), steiner)]
    cx, cy, cz = (decimal(part).value for part in centre)
    return UrdfInertial(UrdfOrigin((cx, cy, cz)), decimal(mass).value, tuple(decimal(entry).value for entry in entries))


def _solid(shape: Attributes, outer: Placement, settings: Settings, where: str) -> Solid:
    kind = shape.get("type", "mesh" if "mesh" in shape else "sphere")
    weight, density = numbers(shape, "mass", where), numbers(shape, "density", where)
    nothing = Solid(outer, 0, (0, 0, 0))
    low, high = settings.mass_groups
    counted = kind not in WEIGHTLESS and low <= single(shape, "group", where) <= high
    if not counted or weight == [0] or (not weight and density == [0]):
        return nothing
    shell = shape.get("shellinertia", "false") == "true"
    if "mesh" in shape:
        told = Message("it has no <inertial>: its mass would come from the mesh {mesh!r}", shape["mesh"])
        raise RobotFileError(told, where=where, field="inertial", hint=TELLS_MASS)
    if kind not in SIZES or (shell and kind == "ellipsoid"):
        told = Message(
            "it has no <inertial>: its mass would come from a shape that is not computed, of type {kind!r}", kind
        )
        raise RobotFileError(told, where=where, field="inertial", hint=TELLS_MASS)
    ends = some(shape, "fromto", 6, where) if "fromto" in shape else None
    sizes = [PRECISE.number(x) for x in _sizes(shape, kind, ends is not None, where)]
    at = placement_of(shape, settings, where)
    if ends is not None:
        half = MP.sqrt(sum(PRECISE.number(x - y) ** 2 for x, y in zip(ends, ends[3:]))) / 2
        sizes = [sizes[0], sizes[0], half] if kind in ("box", "ellipsoid") else [sizes[0], half]
    amount, *moments = (_SHELLS if shell else _SOLIDS)[kind](*sizes)
    mass = PRECISE.number(weight[0]) if weight else amount * PRECISE.number(density[0] if density else Fraction(1000))
    xx, yy, zz = (mass * moment for moment in moments)
    return Solid(outer @ at, mass, (xx, yy, zz))


def _sizes(shape: Attributes, kind: str, spanned: bool, where: str) -> Sequence[Fraction]:
    """The radius and the halves of its lengths; between two points a radius is enough."""
    wanted, found = 1 if spanned else SIZES[kind], numbers(shape, "size", where)
    if len(found) < wanted or any(x <= 0 for x in found[:wanted]):
        raise RobotFileError(
            "found {text!r}",
            shape.get("size", ""),
            where=where,
            field="size",
            hint=Message("a {kind} has {wanted} positive numbers", kind, wanted),
        )
    return found[:wanted]


def _sphere(r: Any) -> Share:
    return 4 * MP.pi * r**3 / 3, *(2 * r * r / 5,) * 3


def _box(a: Scalar, b: Scalar, c: Scalar) -> Share:
    return 8 * a * b * c, (b * b + c * c) / 3, (a * a + c * c) / 3, (a * a + b * b) / 3


def _ellipsoid(a: Scalar, b: Scalar, c: Scalar) -> Share:
    return 4 * MP.pi * a * b * c / 3, (b * b + c * c) / 5, (a * a + c * c) / 5, (a * a + b * b) / 5


def _cylinder(r: Scalar, h: Scalar) -> Share:
    across = r * r / 4 + h * h / 3
    return 2 * MP.pi * r * r * h, across, across, r * r / 2


def _capsule(r: Any, h: Any) -> Share:
    return _together(_cylinder(r, h), _add_caps(4 * MP.pi * r**3 / 3, 2 * r * r / 5, 3 * r / 8, h))


def _add_caps(amount: Scalar, own: Scalar, beyond: Scalar, h: Scalar) -> Share:
    """Two halves of a sphere at ± h: of each I = own about the sphere's centre, and its mass lies `beyond` that."""
    across = own + h * h + 2 * h * beyond
    return amount, across, across, own


def _together(*parts: Share) -> Share:
    total = sum(part[0] for part in parts)
    xx, yy, zz = (sum(part[0] * part[k] for part in parts) / total for k in (1, 2, 3))
    return total, xx, yy, zz


def _sphere_shell(r: Scalar) -> Share:
    return 4 * MP.pi * r * r, *(2 * r * r / 3,) * 3


def _box_shell(a: Scalar, b: Scalar, c: Scalar) -> Share:
    """Pairs of faces at ± a, ± b, ± c."""
    aa, bb, cc = a * a, b * b, c * c
    return _together(
        (8 * b * c, (bb + cc) / 3, aa + cc / 3, aa + bb / 3),
        (8 * a * c, bb + cc / 3, (aa + cc) / 3, bb + aa / 3),
        (8 * a * b, cc + bb / 3, cc + aa / 3, (aa + bb) / 3),
    )


def _cylinder_shell(r: Scalar, h: Scalar) -> Share:
    side, ends = r * r / 2 + h * h / 3, r * r / 4 + h * h
    return _together((4 * MP.pi * r * h, side, side, r * r), (2 * MP.pi * r * r, ends, ends, r * r / 2))


def _capsule_shell(r: Scalar, h: Scalar) -> Share:
    side = r * r / 2 + h * h / 3
    caps = _add_caps(4 * MP.pi * r * r, 2 * r * r / 3, r / 2, h)
    return _together((4 * MP.pi * r * h, side, side, r * r), caps)


_SOLIDS: dict[str, Callable[..., Share]] = {
    "sphere": _sphere, "box": _box, "ellipsoid": _ellipsoid, "cylinder": _cylinder, "capsule": _capsule,
}  # fmt: skip
_SHELLS: dict[str, Callable[..., Share]] = {
    "sphere": _sphere_shell, "box": _box_shell, "cylinder": _cylinder_shell, "capsule": _capsule_shell,
}  # fmt: skip


def compile_masses(links: dict[str, UrdfLink], settings: Settings) -> dict[str, UrdfLink]:
    """The links with what the compiler makes of their masses: none below the least, all together as many kg as said."""
    if settings.total_mass is None:
        return links
    for fault in (fault for link in links.values() for fault in link.faults if fault.part in ("mass", "inertial")):
        raise fault.error
    share = settings.total_mass / (sum(x.inertial.mass for x in links.values() if x.inertial is not None) or 1)

    def scale_link(link: UrdfLink) -> UrdfLink:
        body = link.inertial
        if body is None:
            return link
        tensor = tuple(share * entry for entry in body.tensor)
        return replace(link, inertial=replace(body, mass=share * body.mass, tensor=tensor))

    return {name: scale_link(link) for name, link in links.items()}
