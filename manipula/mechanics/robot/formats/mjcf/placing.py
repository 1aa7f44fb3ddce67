"""Where something stands in MJCF: `pos` and one of five ways to write an orientation, as a placement to fifty digits.

Source: the MuJoCo documentation, Modeling, "Frame orientations". With c, s of the angle and [·] the columns of R:

    quat       w x y z            normalised here
    axisangle  x y z a            turn by a about the axis
    euler      a1 a2 a3           R = R(a1) R(a2) R(a3) for small letters of eulerseq; a capital turns from the left
    xyaxes     x, y               y made orthogonal to x; z = x × y
    zaxis      z                  the smallest turn that brings z there; half a turn about x where it is opposite
    fromto     two points         in their middle, z from the second to the first; nothing else counts beside it
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from manipula.errors import RobotFileError
from manipula.mechanics.robot.formats.mjcf.settings import Attributes, Settings, some, triple
from manipula.mechanics.robot.formats.urdf.xml import NOWHERE, UrdfOrigin
from manipula.mechanics.robot.precise import MP, PRECISE, angle, length, rpy_of
from manipula.mechanics.spatial.placement import HERE, Placement, turn_about
from manipula.mechanics.spatial.vector import Matrix, Vector, cross, dot, scale, sub, transpose
from manipula.messages import Message

Numbers = list[Any]  # of fifty digits


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


def _turn(axis: Vector, by: Any) -> Matrix:
    """The quaternion (cos a/2, axis·sin a/2)."""
    half, (x, y, z) = MP.sin(by / 2), _unit(axis)
    return _quaternion([MP.cos(by / 2), half * x, half * y, half * z], _NONE)


def _in_radians(value: Any, settings: Settings) -> Any:
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
