"""Physical plausibility of a robot's numbers, whatever file they came from.

Impossible entries (a negative mass, an inertia that is not positive) raise `RobotFileError`; suspicious ones (degrees
under radians, an inertia that breaks the triangle inequality) are sentences. Entries without a value are let pass.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from manipula.errors import RobotFileError, RowLabel, caution
from manipula.mechanics.robot.actuator import Item
from manipula.mechanics.robot.description import Body, Cell, Joint, Mounted, RobotDescription, Steps
from manipula.mechanics.robot.elements import TwoPointElement
from manipula.mechanics.robot.formats.entry_checks import Doubt, Numbers, Place, unused_values
from manipula.mechanics.robot.formats.source import errors_of, joint_label
from manipula.mechanics.robot.joints import KINDS
from manipula.mechanics.robot.values.parameter import ZERO, Deg, Num, terms_of
from manipula.messages import Message

# Numbers that look as if they were in another unit. Each answer is (problem, hint), or None.

_LONGEST = 20  # metres: no link of a table is longer, many a link in millimetres is
_SHORTEST = Fraction(5, 1000)  # metres: a table with nothing longer was not written in millimetres
_STRONGEST = 100  # m/s²: no planet has more, 9810 mm/s² is written by mistake
_QUARTER = math.pi / 2


_RADIANS, _DEGREES = (
    Message('write angle = "rad", or the angle in degrees'),
    Message('write angle = "deg", or an expression such as "pi/2"'),
)
_MILLIMETRES, _METRES = Message('write length = "mm", or the length in metres'), Message('write length = "m"')
# a hint → the entry of the file that it would change, for who shows a button beside it
_UNIT_FIXES: dict[str, dict[str, str]] = {
    _RADIANS: {"angle": "rad"}, _DEGREES: {"angle": "deg"}, _MILLIMETRES: {"length": "mm"}, _METRES: {"length": "m"},
}  # fmt: skip


def unit_fix(warning: object) -> dict[str, str]:
    """The entry of the file that the hint of a warning would write, such as {"angle": "deg"}; else empty."""
    if not isinstance(warning, Message):
        return {}
    if warning.template in _UNIT_FIXES:
        return dict(_UNIT_FIXES[warning.template])
    return next((fix for field in warning.fields.values() if (fix := unit_fix(field))), {})


def angle_suspicion(angle: Num | Deg, unit: str) -> tuple[str, str] | None:
    """Degrees given as radians, radians given as degrees; `unit` is the file's."""
    value = angle.value
    if isinstance(angle, Deg):
        if 0 < abs(value) < 7 and _near_quarter(value, 1e-3):
            return Message("{value:g} degrees looks like radians", float(value)), _RADIANS
        return None
    if abs(value) > 2 * math.pi or (value and value % 15 == 0):
        hint = _DEGREES if unit == "rad" else _with_unit(value, "deg")
        return Message("{value:g} radians looks like degrees", float(value)), hint
    return None


def _near_quarter(value: Fraction, tolerance: float) -> bool:
    turns = float(value) / _QUARTER
    return round(turns) != 0 and abs(turns - round(turns)) < tolerance


def length_suspicion(length: Num | Deg, unit: str) -> tuple[str, str] | None:
    """Millimetres given as metres."""
    if isinstance(length, Num) and abs(length.value) > _LONGEST:
        hint = _MILLIMETRES if unit == "m" else _with_unit(length.value, "mm")
        return Message("{value:g} m looks like millimetres", float(length.value)), hint
    return None


def _with_unit(value: Fraction, unit: str) -> str:
    """The file says the unit already: the number is the value of a name, or has another one written behind it."""
    return Message('a name has its value in SI; write "{value:g} {unit}"', float(value), unit)


def short_suspicion(lengths: Sequence[Fraction]) -> tuple[str, str] | None:
    """Metres given as millimetres: every length of the table is tiny."""
    longest = max(map(abs, lengths), default=Fraction(0))
    if 0 < longest < _SHORTEST:
        return Message("the longest link is {longest:g} mm, which looks like metres", float(longest * 1000)), Message(
            _METRES
        )
    return None


# Whether a mass, a centre and a tensor can be those of a body.
#
# A negative mass and a tensor with a negative principal moment are errors. A tensor that breaks the triangle
# inequality, or leaves nothing positive about the centre of mass, is only doubtful: published sets have such.

Matrix = NDArray[np.float64]
_SLACK = 1e-9  # relative to the largest moment: a rod or a plate sits exactly on the limit
_NOISE = 1e-18  # kg·m²: what twenty decimals leave of a body of nothing that was turned


def body_doubts(body: Body, where: str, numbers: Numbers) -> Iterator[Doubt]:
    """Doubts about one body; raises when it is impossible."""
    mass = numbers.not_negative(body.mass.parameter, Place(where, "mass"))
    at = Place(where, body.centre_is)
    centre = [numbers.value(cell.parameter, at) for cell in body.centre]
    yield from _far_centre(body, at, numbers)
    if mass == 0 and (body.centre_is, body.inertia_is) == ("first_moment", "com") and any(centre):
        raise at.error(Message("is not zero, but the mass is"), Message("expected a mass, or a first moment of zero"))
    place = Place(where, "second_moment" if body.inertia_is == "second_moment" else "inertia")
    six = [value for cell in body.inertia if (value := numbers.value(cell.parameter, place)) is not None]
    if len(six) < len(body.inertia):
        return
    tensor = _tensor(six, body.inertia_is == "second_moment")
    yield from _tensor_doubts(tensor, place)
    known = [value for value in centre if value is not None]
    if body.inertia_is != "com" and mass and len(known) == len(centre):
        yield from _about_centre(tensor, mass, known, body, place)


def _far_centre(body: Body, place: Place, numbers: Numbers) -> Iterator[Doubt]:
    for cell in body.centre if body.centre_is == "com" else ():
        number = numbers.plain(cell.parameter)
        told = length_suspicion(number, numbers.units[1]) if number else None
        if told:
            yield Doubt(place, *told)


def _tensor(six: Sequence[float], second_moments: bool) -> Matrix:
    xx, xy, xz, yy, yz, zz = six
    matrix = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return np.trace(matrix) * np.eye(3) - matrix if second_moments else matrix


def _moments(tensor: Matrix, place: Place) -> tuple[float, float, float, str]:
    if not np.isfinite(tensor).all():
        raise place.error(
            Message("mass, centre and inertia are too large to be computed with"), Message("check signs and units")
        )
    size = float(np.abs(tensor).max()) or 1.0  # entries near the largest float would overflow on the way
    low, middle, high = (size * float(moment) for moment in np.linalg.eigvalsh(tensor / size))
    return low, middle, high, Message("principal moments {low:.6g}, {middle:.6g}, {high:.6g} kg·m²", low, middle, high)


def _tensor_doubts(tensor: Matrix, place: Place) -> Iterator[Doubt]:
    low, middle, high, shown = _moments(tensor, place)
    slack = max(_SLACK * max(abs(low), high), _NOISE)
    if low < -slack:
        raise place.error(
            Message("no body has this inertia: it is not positive, {shown}", shown),
            Message("check signs and units; the entries are those of the tensor itself"),
        )
    only_one = middle <= slack  # a planar arm whose table gives Izz alone
    if low + middle < high - slack and not only_one:
        yield Doubt(
            place,
            Message("breaks the triangle inequality: {shown}", shown),
            Message("each may not pass the sum of the other two"),
        )


def _about_centre(tensor: Matrix, mass: float, centre: list[float], body: Body, place: Place) -> Iterator[Doubt]:
    """I_com = I_origin − m (c·c 1 − c cᵀ)"""
    c = np.array(centre) / (mass if body.centre_is == "first_moment" else 1)
    with np.errstate(all="ignore"):
        central = tensor - mass * (c @ c * np.eye(3) - np.outer(c, c))
    low, _, _, shown = _moments(central, place)
    if low < -_SLACK * float(np.abs(tensor).max()):
        yield Doubt(
            place,
            Message("leaves no positive inertia about the centre of mass: {shown}", shown),
            Message('is it about the centre of mass? then write inertia_about = "com"'),
        )


_FIELD_OF_STEP = {"rx": "alpha", "rz": "theta", "tx": "a", "tz": "d"}


def check_robot(robot: RobotDescription, strict: bool = False) -> list[str]:
    """The suspicious entries as sentences; the first impossible one (with `strict`, suspicious too) is an error."""
    with errors_of(robot.origin.path):
        doubts = list(_doubts(robot))
        if strict and doubts:
            raise doubts[0].place.error(doubts[0].problem, doubts[0].hint)
    return [_sentence(doubt, robot.origin.path) for doubt in doubts]


def warn_about(robot: RobotDescription) -> None:
    """Checks, and says every suspicious entry as a `ManipulaWarning` with its place."""
    with errors_of(robot.origin.path):
        doubts = list(_doubts(robot))
    for doubt in doubts:
        caution(_sentence(doubt, robot.origin.path), where=doubt.place.where, field=doubt.place.field)


def warn_of_odd(robot: RobotDescription) -> None:
    """Of a file that other programs read, too: what cannot be, or seems to be in another unit, is said and kept.

    Bodies that only nearly could be are left to `mp.check`: of published files they are legion.
    """
    for sentence in _odd(robot):
        caution(Message("{place}: {text}", robot.origin.path, sentence) if robot.origin.path else sentence)


def _odd(robot: RobotDescription) -> Iterator[str]:
    for part in _parts(robot, Numbers(robot)):
        try:
            for doubt in part:
                if doubt.place.field != "inertia":
                    yield Message("{where}: {field}: {problem}", doubt.place.where, doubt.place.field, doubt.problem)
        except RobotFileError as error:
            yield Message("{where}: {field}: {problem}", error.where, error.field, error.problem)


def warn_about_changes(new: RobotDescription, old: RobotDescription) -> None:
    """An edit is held to what a file is held to; what was odd before stays unsaid."""
    before, after = (list(map(_sort_doubts, _parts(robot, Numbers(robot)))) for robot in (old, new))
    known = [*before, *([_NOTHING_TOLD] * (len(after) - len(before)))]
    for (problem, doubts), (old_problem, old_doubts) in zip(after, known):
        if problem is not None and str(problem) != str(old_problem):
            raise problem
        for sentence in doubts:
            if sentence not in old_doubts:
                caution(sentence)


def _sort_doubts(doubts: Iterator[Doubt]) -> tuple[RobotFileError | None, list[str]]:
    """The impossible thing found in a part, and the odd ones."""
    found: list[str] = []
    try:
        found.extend(_sentence(doubt, "") for doubt in doubts)
    except RobotFileError as error:
        return error, found
    return None, found


_NOTHING_TOLD: tuple[RobotFileError | None, list[str]] = (None, [])


def _sentence(doubt: Doubt, file: str) -> str:
    place = doubt.place
    return str(RobotFileError(doubt.problem, file=file, where=place.where, field=place.field, hint=doubt.hint))


def _doubts(robot: RobotDescription) -> Iterator[Doubt]:
    numbers = Numbers(robot)
    for part in _parts(robot, numbers):
        yield from part
    yield from (Doubt(Place("", f"values.{name}"), problem) for name, problem in unused_values(robot))
    yield from _too_short(robot, numbers)


def _parts(robot: RobotDescription, numbers: Numbers) -> Iterator[Iterator[Doubt]]:
    """The doubts of every row, the base, the tool, gravity, every load."""
    for row, joint in enumerate(robot.joints, 1):
        yield _joint_doubts(joint, joint_label(row, joint.name), numbers, robot.origin.convention == "urdf")
    for part, steps in (("base", robot.base), ("tool", robot.tool)):
        yield _step_doubts(steps, part, numbers, by_name=True)
    for frame in robot.frames:
        yield _step_doubts(frame.at, Message("frame {frame!r}", frame.name), numbers, by_name=True)
    yield _gravity_doubts(robot, numbers)
    for body in robot.payload:
        yield body_doubts(body, "payload", numbers)
    for element in robot.elements:
        yield _element_doubts(element, numbers)
    for mounted in robot.ground:
        yield _standing_doubts(
            mounted, (Message("base, body {name!r}", mounted.name) if mounted.name else Message("base")), numbers
        )


def _element_doubts(element: TwoPointElement[Cell], numbers: Numbers) -> Iterator[Doubt]:
    """A damper that pushes its ends along, and a spring whose length or stiffness is negative, are refused."""
    where = Message("element {name!r}", element.name)
    for field in ("stiffness", "length", "damping"):
        numbers.not_negative(getattr(element, field).parameter, Place(where, field))
    numbers.value(element.force.parameter, Place(where, "force"))
    yield from ()


def _gravity_doubts(robot: RobotDescription, numbers: Numbers) -> Iterator[Doubt]:
    place = Place("", "gravity")
    found = math.hypot(*(numbers.value(cell.parameter, place) or 0.0 for cell in robot.gravity))
    if found > _STRONGEST:
        yield Doubt(
            place,
            Message("{found:g} m/s² is more than on any planet", found),
            Message("gravity is in m/s², whatever the unit of lengths is: [0, 0, -9.81]"),
        )


def _joint_doubts(joint: Joint, where: str, numbers: Numbers, by_name: bool) -> Iterator[Doubt]:
    _refuse_impossible_motor(joint, where, numbers)
    yield from _step_doubts(joint.before + joint.after, where, numbers, by_name)
    field = joint.offset.name if by_name else KINDS[joint.kind].field
    yield from _cell_doubt(joint.offset, joint.turns, Place(where, field), numbers)
    for entry, cell in joint.kind_items():
        yield from _cell_doubt(cell, False, Place(where, entry.key), numbers)
    for item in joint.actuator.items():
        yield from _actuator_doubt(item, Place(where, item.place), numbers)
    if joint.body is not None:
        yield from body_doubts(joint.body, where, numbers)
    for mounted in joint.carries:
        yield from _mounted_doubts(mounted, RowLabel.inside(where, "carries"), numbers)
    bounds = map(numbers.plain, joint.limits or () if joint.turns else ())
    if odd := [x for x in bounds if isinstance(x, Num) and 30 <= abs(x.value) <= 360 and x.value % 5 == 0]:
        yield Doubt(Place(where, "limits"), *(angle_suspicion(odd[0], numbers.units[0]) or ("", "")))


def _standing_doubts(mounted: Mounted, where: str, numbers: Numbers) -> Iterator[Doubt]:
    """Of a body that stands still no model reads the inertia: where it cannot be, that is odd, and no error."""
    try:
        yield from _mounted_doubts(mounted, where, numbers)
    except RobotFileError as error:
        if error.field not in ("inertia", "second_moment"):
            raise
        yield Doubt(Place(where, error.field), error.problem, error.hint)


def _mounted_doubts(mounted: Mounted, where: str, numbers: Numbers) -> Iterator[Doubt]:
    yield from _step_doubts(mounted.at, where, numbers, by_name=True)
    yield from body_doubts(mounted.body, where, numbers)


def _step_doubts(steps: Steps, where: str, numbers: Numbers, by_name: bool) -> Iterator[Doubt]:
    for step in steps:
        field = step.amount.name if by_name else _FIELD_OF_STEP.get(step.kind, step.amount.name)
        yield from _cell_doubt(step.amount, step.kind[0] == "r", Place(where, field), numbers)


def _cell_doubt(cell: Cell, turns: bool, place: Place, numbers: Numbers) -> Iterator[Doubt]:
    numbers.value(cell.parameter, place)
    angle, length = numbers.units
    for term in map(numbers.plain, terms_of(cell.parameter)):
        told = None if term is None else angle_suspicion(term, angle) if turns else length_suspicion(term, length)
        if told:
            yield Doubt(place, *told)


def _actuator_doubt(item: Item[Cell], place: Place, numbers: Numbers) -> Iterator[Doubt]:
    """A coefficient of friction that would push the joint along is odd; a scale that must be positive and is not is an
    error."""
    value = numbers.value(item.value.parameter, place)
    if value is None or item.entry.bound == "any":
        return
    if item.entry.bound == "positive" and value <= 0:
        raise place.error(
            Message("is not positive: {value:g}", value), Message("expected a positive number, {unit}", item.entry.unit)
        )
    if item.entry.bound == "share":
        if not 0 < value <= 1:
            raise place.error(
                Message("is no share: {value:g}", value), Message("expected above 0 and at most 1; 0.8 is 80 %")
            )
        return
    if item.entry.bound == "not zero":
        if value == 0:
            raise place.error(Message("is zero"), Message("expected {unit}", item.entry.unit))
        return
    if value < 0 and place.field.startswith("friction"):
        yield Doubt(
            place, Message("is negative: {value:g}", value), Message("this friction would push the joint along")
        )
    elif value < 0:
        numbers.not_negative(item.value.parameter, place)


def _refuse_impossible_motor(joint: Joint, where: str, numbers: Numbers) -> None:
    for field, bound in (("velocity_limit", joint.velocity_limit), ("effort_limit", joint.effort_limit)):
        if bound is not None:
            numbers.not_negative(bound, Place(where, field))
    for spring in joint.springs:
        for field, entry in (("radii", spring.radii[0]), ("radii", spring.radii[1]), ("stroke", spring.stroke)):
            value = None if entry is None else numbers.value(entry, Place(where, f"springs.{field}"))
            if value is not None and value <= 0:
                raise Place(where, f"springs.{field}").error(
                    Message("is not positive: {value:g}", value), Message("expected a length")
                )
    place = Place(where, "limits")
    low, high = (numbers.value(bound, place) for bound in joint.limits or (ZERO, ZERO))
    if low is not None and high is not None and low > high:
        raise place.error(
            Message("the lower limit {low:g} is above the upper limit {high:g}, in SI", low, high),
            Message("expected [low, high]"),
        )


def _too_short(robot: RobotDescription, numbers: Numbers) -> Iterator[Doubt]:
    """Only a whole table of tiny lengths is suspicious."""
    steps = [step for joint in robot.joints for step in joint.before + joint.after if step.kind[0] == "t"]
    lengths = [numbers.plain(step.amount.parameter) for step in steps]
    told = short_suspicion([length.value for length in lengths if isinstance(length, Num)])
    if told and robot.origin.length != "m":
        yield Doubt(Place("", "length"), *told)
