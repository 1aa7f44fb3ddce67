"""A serial arm from its screw axes at q = 0 and the home pose of its tool: the input of the product of exponentials.

Each row becomes a joint of a robot file: its direction is ω, its anchor the point ω × v of the axis, its pitch ω·v. All
link frames are the world frame at q = 0 unless `links` gives their home poses, in which masses are then given.

Source: Lynch and Park, "Modern Robotics" (2017), section 4.1; body axes are S = Ad_M B, eq. (4.16).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal, NamedTuple

from manipula.errors import InputError, RobotFileError, UnknownNameError
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.exact import Formula
from manipula.mechanics.robot.formats.snap_to_exact import SURE
from manipula.mechanics.robot.formats.toml.read import robot_from_raw
from manipula.mechanics.robot.formats.units import describe, parameter_from_raw
from manipula.mechanics.robot.joints import KINDS
from manipula.mechanics.robot.precise import (
    MP,
    NEGLIGIBLE,
    angle,
    decimal,
    precise,
    round_to_decimal,
    rpy_of,
)
from manipula.mechanics.robot.values.angles import Angles
from manipula.mechanics.robot.values.parameter import ZERO, Num, Parameter, float_of, names_of
from manipula.mechanics.robot.values.terms import Angle, Length, Quantity, Units
from manipula.mechanics.spatial.inertia import Twist
from manipula.mechanics.spatial.placement import Placement
from manipula.mechanics.spatial.screw import pitch_of, screw_from_frame
from manipula.mechanics.spatial.vector import cross
from manipula.messages import Message

ScrewFrame = Literal["space", "body"]
NEAR = Fraction(1, 10**6)  # of the length of an axis, and of a rotation: the rounding of people
DOUBTFUL = 1e-4  # of |v|: a smaller pitch is a slip rather than a screw
GEOMETRY = ("xyz", "rpy", "axis", "anchor", "link", "theta", "d", "a", "alpha", "pitch", "direction", "parent",
            "coordinate")  # fmt: skip


class _Axis(NamedTuple):
    kind: str
    screw: Twist  # over formulas


def robot_from_screws(
    screws: object, home: object, joints: Sequence[str | Mapping[str, Any]] = (), *, frame: ScrewFrame = "space",
    links: Sequence[Any] = (), angle: Angle = "rad", length: Length = "m", name: str = "robot", exact: bool = False,
) -> RobotDescription:  # fmt: skip
    """See `Robot.from_screws`."""
    if frame not in ("space", "body"):
        raise UnknownNameError("frame of screw axes", str(frame), ("space", "body"))
    units = Units(angle, length)
    rows = _items(screws, "screws", Message("a list of rows ω1 ω2 ω3 v1 v2 v3"))
    if not rows:
        raise InputError("screws: found an empty list, expected a row ω1 ω2 ω3 v1 v2 v3 for each joint")
    named = _items(joints, "joints", Message("a list of names, or of dicts"))
    given = [_joint(entry, f"joints[{k}]") for k, entry in enumerate(named)] or [{} for _ in rows]
    links = _items(links, "links", Message("a list of 4×4 poses"))
    if len(given) != len(rows):
        raise InputError("joints: found {found}, expected {count}, one for each screw", len(given), len(rows))
    if links and len(links) != len(rows):
        raise InputError("links: found {found} home poses, expected {count}, one for each screw", len(links), len(rows))
    at = _pose(home, "home", units)
    axes = [
        _axis(row, f"screws[{k}]", at if frame == "body" else None, given[k].get("type"), units)
        for k, row in enumerate(rows)
    ]
    places = [_pose(link, f"links[{k}]", units) for k, link in enumerate(links)]
    tables = [
        {**table, **_geometry(axis, places[k - 1] if places and k else None, places[k] if places else None)}
        for k, (axis, table) in enumerate(zip(axes, given))
    ]
    tool = places[-1].inverse() @ at if places else at
    raw = {
        "format": 1, "name": name, "convention": "urdf", "angle": angle, "length": length,
        "joint": tables, "tool": _placement(tool),
    }  # fmt: skip
    return robot_from_raw(raw, "", "python", exact)


def _joint(entry: str | Mapping[str, Any], where: str) -> dict[str, Any]:
    if isinstance(entry, str):
        return {"name": entry}
    if not isinstance(entry, Mapping):
        raise InputError(
            "{where}: found {found}, expected a name, or a dict of a joint's entries", where, describe(entry)
        )
    if odd := next((key for key in GEOMETRY if key in entry), None):
        raise InputError("{where}: the screw gives the geometry; leave {key} out", where, odd)
    return dict(entry)


def _geometry(axis: _Axis, before: Placement | None, link: Placement | None) -> dict[str, Any]:
    """The row: back to the world frame, the axis there, the link's frame."""
    w, v = axis.screw.w, axis.screw.v
    row: dict[str, Any] = {"type": axis.kind, "axis": list(map(_entry, w if KINDS[axis.kind].turns else v))}
    if KINDS[axis.kind].turns:
        row["anchor"] = list(map(_entry, cross(w, v)))
    if axis.kind == "helical":
        row["pitch"] = _entry(pitch_of(axis.screw))
    if before is not None:
        row |= _placement(before.inverse())
    return row if link is None else {**row, "link": _placement(link)}


# One screw


def _axis(row: object, where: str, body: Placement | None, wanted: object, units: Units) -> _Axis:
    items = _items(row, where, Message("six numbers ω1 ω2 ω3 v1 v2 v3"))
    if len(items) != 6:
        raise InputError("{where}: found {count} entries, expected six: ω1 ω2 ω3 v1 v2 v3", where, len(items))
    w = [_number(x, f"{where}[{k}]", "the direction of an axis") for k, x in enumerate(items[:3])]
    turned = MP.sqrt(sum(x * x for x in w))
    slides = turned <= float(NEAR)
    # the v of a slide is a direction, without a unit
    if slides:
        v = [_number(x, f"{where}[{k}]", "the direction of a slide") for k, x in enumerate(items[3:], 3)]
        size = MP.sqrt(sum(x * x for x in v))
        if abs(size - 1) > float(NEAR):
            raise InputError(
                "{where}: ω is 0, so the joint slides along v, and v has the length {size:.6g}, expected 1",
                where, float(size),
            )  # fmt: skip
        screw = Twist(_three([Num(Fraction(0))] * 3), _three([decimal(x / size) for x in v]))
    else:
        if abs(turned - 1) > float(NEAR):
            raise InputError(
                "{where}: ω has the length {size:.6g}, expected 1; divide ω and v by it", where, float(turned)
            )
        entries = [_parameter(x, f"{where}[{k}]", "length", units) for k, x in enumerate(items[3:], 3)]
        screw = Twist(_three([decimal(x / turned) for x in w]), _three(entries))
    if body is not None:
        screw = screw_from_frame(body, screw)
    return _checked(screw, slides, where, wanted)


def _checked(screw: Twist, slides: bool, where: str, wanted: object) -> _Axis:
    """Its kind, by the pitch; what a caller says of the kind must be so."""
    if slides:
        kind = "prismatic"
    else:
        pitch = _entry(pitch_of(screw))
        kind = "revolute" if pitch == ZERO or _is_nothing(pitch, screw, SURE) else "helical"
        if kind == "helical" and wanted != "helical" and _is_nothing(pitch, screw, DOUBTFUL):
            raise InputError(
                "{where}: v has the part {pitch:.3g} along ω, and a revolute joint has no pitch; correct v = −ω × p, "
                "or say type = 'helical'",
                where, float_of(pitch, {}),
            )  # fmt: skip
    if wanted is not None and wanted != kind:
        raise InputError(
            "{where}: this screw is {kind}, and the joint's type is {wanted}", where, kind, describe(wanted)
        )
    return _Axis(kind, screw)


def _is_nothing(pitch: Parameter, screw: Twist, share: float) -> bool:
    """A number that is small beside v."""
    sizes = [_entry(x) for x in screw.v]
    if any(True for x in (pitch, *sizes) for _ in names_of(x)):
        return False
    return abs(float_of(pitch, {})) <= share * max(abs(float_of(x, {})) for x in sizes)


# Entries


def _items(given: object, where: str, expected: str) -> list[Any]:
    listed = given.tolist() if hasattr(given, "tolist") else given
    if not isinstance(listed, list | tuple):
        raise InputError("{where}: found {found}, expected {expected}", where, describe(listed), expected)
    return list(listed)


def _parameter(value: object, where: str, quantity: Quantity, units: Units) -> Parameter:
    try:
        return parameter_from_raw(value, quantity, units)
    except RobotFileError as error:
        raise RobotFileError(error.problem, field=where, hint=error.hint) from None


def _number(value: object, where: str, what: str) -> Any:
    """To fifty digits."""
    found = _parameter(value, where, "any", Units())
    if any(True for _ in names_of(found)):
        raise InputError(
            "{where}: found {found}, expected a number: {what} cannot be a letter",
            where,
            describe(value),
            Message(what),
        )
    return precise(found, {})


def _pose(given: object, where: str, units: Units) -> Placement:
    """A 4×4 pose over formulas: numbers in its rotation, letters too in its position."""
    expected = Message("a 4×4 pose")
    rows = [_items(row, where, expected) for row in _items(given, where, expected)]
    if [len(row) for row in rows] != [4] * 4:
        raise InputError("{where}: found {found}, expected {expected}", where, describe(rows), expected)
    R = [
        [_number(x, f"{where}[{i}][{j}]", "an entry of a rotation") for j, x in enumerate(row[:3])]
        for i, row in enumerate(rows[:3])
    ]
    last = [float(_number(x, f"{where}[3][{j}]", "an entry of a rotation")) for j, x in enumerate(rows[3])]
    square = [sum(R[i][k] * R[j][k] for k in range(3)) - (i == j) for i in range(3) for j in range(3)]
    if max(map(abs, square)) > float(NEAR) or MP.det(MP.matrix(R)) < 0 or last != [0, 0, 0, 1]:
        raise InputError("{where}: this is not a pose, expected a rotation, a position, and a row 0 0 0 1", where)
    p = [_parameter(row[3], f"{where}[{i}][3]", "length", units) for i, row in enumerate(rows[:3])]
    turn = [[Formula(decimal(x)) for x in row] for row in R]
    return Placement((tuple(turn[0]), tuple(turn[1]), tuple(turn[2])), _three(p))  # type: ignore[arg-type]


def _placement(at: Placement) -> dict[str, Any]:
    """xyz and rpy of a robot file, SI."""
    R: Any = [[precise(_entry(x), {}) for x in row] for row in at.R]
    return {"xyz": list(map(_entry, at.p)), "rpy": list(map(angle, rpy_of(R)))}


def _three(entries: Sequence[Parameter]) -> Any:
    x, y, z = map(Formula, entries)
    return x, y, z


def _entry(x: Any) -> Parameter:
    """Collected, without what rounding leaves of nothing."""
    parameter = x.parameter if isinstance(x, Formula) else Num(Fraction(x))
    return round_to_decimal(Angles({}).collect(parameter, NEGLIGIBLE))
