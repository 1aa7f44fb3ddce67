"""A robot read by the rule of `structure`: every angle and length of its geometry, wherever it stands."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

from manipula.errors import caution
from manipula.mechanics.robot.description import AnyRobot, Cell, Joint, RobotDescription, Step, Steps
from manipula.mechanics.robot.exact import is_quarter
from manipula.mechanics.robot.formats.source import joint_label
from manipula.mechanics.robot.subject import NOTE, is_massless
from manipula.mechanics.robot.values.parameter import ZERO, Deg, Name, Num, Parameter, ParameterOp
from manipula.messages import Message, in_front, join_messages

# Numbers that mean structure: a twist of 1.5707963267948966 is a quarter turn, an offset of 2e-11 m is zero.
#
# One rule, whatever the format. What counts is how far an angle is from the nearest multiple of 90°, and how long a
# length is beside the arm, the sum of its lengths:
#
#     angle    ≤ 1e-9 rad    it is that multiple: so much is the rounding of floats
#              ≤ 1e-4 rad    it is read as that multiple, with a warning: 1.5708, 3.1416, -1.5707
#              further       it stays as written; a warning asks whether 1.57 or 3.14 was meant so
#     length   ≤ 1e-9        it is zero
#
# A float may also spell another multiple of 15° to its last digit, as math.pi/4 does: then it is that one. All of it is
# noted in the robot's origin, and `exact=True` keeps every number as written.

SURE = 1e-9  # rad, or of the arm's size
LIKELY = 1e-4  # rad
MEASURED = "angles are measured: none is rounded"  # said in a file whose writer knew of smaller ones
Direction = tuple[Fraction, Fraction, Fraction]
_SPELLED = 1e-12  # rad: a float that stands for a multiple of 15°
_ROUNDED = 1e-3  # rad: as far as three digits go
_DIGITS = 10**6  # a number of more decimals was not rounded by hand
_FARTHEST = 1e4  # rad: beyond, a float no longer separates such angles
_SHOWN = 8  # angles named in a warning
QUARTER = math.pi / 2


@dataclass
class Structure:
    """Reads the angles of one file and remembers what it made of them."""

    exact: bool = False
    likely: float = LIKELY
    notes: list[str] = field(default_factory=list)
    doubtful: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)

    def angle(self, angle: Parameter, where: str) -> Parameter:
        """The multiple of 90° it stands for, or the angle as written."""
        if self.exact or not isinstance(angle, Num | Deg) or is_quarter(angle) or abs(radians(angle)) > _FARTHEST:
            return angle
        quarters, apart = nearest_quarter(angle)
        if apart <= self.likely:
            return self._read(angle, where, Deg(Fraction(90 * quarters)), apart > SURE)
        if is_rounded(angle, quarters, apart):
            self.kept.append(
                Message("{where} {value:g} rad beside {quarters}°", where, float(angle.value), 90 * quarters)
            )
        steps = round(radians(angle) * 12 / math.pi)
        if isinstance(angle, Num) and abs(radians(angle) - steps * math.pi / 12) <= _SPELLED:
            return self._read(angle, where, Deg(Fraction(15 * steps)), doubtful=False)
        return angle

    def _read(self, angle: Num | Deg, where: str, meant: Deg, doubtful: bool) -> Parameter:
        written = Message(
            ("{where} {value:.12g} rad" if isinstance(angle, Num) else "{where} {value:.12g} degrees"),
            where,
            float(angle.value),
        )
        self.notes.append(Message("{written} read as {value}°", written, meant.value))
        if doubtful:
            self.doubtful.append(Message("{written} as {value}°", written, meant.value))
        return meant if meant.value else ZERO

    def axis(self, axis: Direction, where: str) -> Direction:
        """Without the parts that are as small beside the largest as a small angle is."""
        size = max(map(abs, axis))
        drops = [0 < abs(part) <= Fraction(self.likely) * size for part in axis]
        if self.exact or not any(drops):
            return axis
        x, y, z = (Fraction(0) if drop else part for part, drop in zip(axis, drops))
        written, read = (" ".join(f"{float(part):g}" for part in way) for way in (axis, (x, y, z)))
        self.notes.append(Message("{where}: axis {written} read as {read}", where, written, read))
        if any(drop and abs(part) > Fraction(SURE) * size for part, drop in zip(axis, drops)):
            self.doubtful.append(Message("{where}: axis {written} as {read}", where, written, read))
        return x, y, z

    def length(self, length: Parameter, where: str, size: float) -> Parameter:
        """Zero, where it is nothing beside the arm."""
        tiny = isinstance(length, Num) and 0 < abs(float(length.value)) <= SURE * size
        if self.exact or not tiny or not isinstance(length, Num):
            return length
        self.notes.append(Message("{where} {value:.3g} m read as 0", where, float(length.value)))
        return ZERO

    def warn(self, file: str) -> None:
        """One warning for the whole file of what was read, and one of what was kept."""
        place = f"{file}: " if file else ""
        if self.doubtful:
            told = Message(
                "{place}near multiples of 90°, so read as such: {listed}", place, _places_text(self.doubtful)
            )
            caution("{told} (exact=True, --exact in a shell, keeps what is written)", told)
        if self.kept:
            told = Message(
                "{place}kept as written, though a quarter turn may be meant: {listed}", place, _places_text(self.kept)
            )
            caution("{told} (write pi/2, or more of its digits)", told)


def _places_text(places: list[str]) -> str:
    more = Message("; and {count} more", len(places) - _SHOWN) if len(places) > _SHOWN else ""
    return join_messages("", (join_messages("; ", places[:_SHOWN]), more))


def radians(angle: Num | Deg) -> float:
    return float(angle.value) * (math.pi / 180 if isinstance(angle, Deg) else 1)


def nearest_quarter(angle: Num | Deg) -> tuple[int, float]:
    """(the number of quarter turns, how far the angle is from them in radians)"""
    quarters = round(radians(angle) / QUARTER)
    if isinstance(angle, Deg):
        return quarters, math.radians(abs(float(angle.value - 90 * quarters)))
    return quarters, abs(radians(angle) - quarters * QUARTER)


def is_rounded(angle: Num | Deg, quarters: int, apart: float) -> bool:
    """Whether a person may have written 1.57 for a quarter turn."""
    if isinstance(angle, Deg) or not quarters or (angle.value * _DIGITS).denominator != 1:
        return False
    meant = Fraction(QUARTER) * quarters
    two_digits = angle.value in (round(meant, 2), Fraction(int(meant * 100), 100))
    return apart <= _ROUNDED or two_digits


def snap_robot(robot: RobotDescription, structure: Structure) -> RobotDescription:
    """The robot with every angle and length of its geometry read so, and what was read in its notes."""
    if structure.exact:
        return robot
    robot = _with_placements(robot, _Reader(robot, structure, size_of(robot)))
    notes = dict.fromkeys((*structure.notes, *robot.origin.notes))
    return replace(robot, origin=replace(robot.origin, notes=tuple(notes)))


def finish_reading(robot: RobotDescription, structure: Structure) -> RobotDescription:
    """What every reader hands its robot through: structure read, loops that are parallelograms too, and a robot without
    mass noted as such."""
    snapped = snap_robot(robot, structure)
    return note_no_mass(couple_parallelograms(snapped) if not structure.exact else snapped)


def couple_parallelograms(robot: AnyRobot) -> AnyRobot:
    """Followers in place of loops that are parallelograms."""
    if not robot.loops:
        return robot
    from manipula.mechanics.robot.parallelograms import with_parallelograms

    return with_parallelograms(robot)


def note_no_mass(robot: RobotDescription) -> RobotDescription:
    """The note that nothing has mass, where it is true."""
    notes = tuple(note for note in robot.origin.notes if note != NOTE) + ((NOTE,) if is_massless(robot) else ())
    return replace(robot, origin=replace(robot.origin, notes=notes))


def structured_steps(robot: RobotDescription, steps: Steps, where: str, structure: Structure) -> Steps:
    """The steps of a base or a tool, read so."""
    return steps if structure.exact else _Reader(robot, structure, size_of(robot)).steps(steps, where)


def structured_values(robot: RobotDescription, given: Mapping[str, Parameter]) -> dict[str, Parameter]:
    """New values of cells and names: only what floats round is taken for structure, a fitted angle is not."""
    structure, size = Structure(likely=SURE), size_of(robot)
    kinds = {name: turns for cell, turns in _geometry(robot) for name in (cell.name, *_alone(cell.parameter))}

    def read(name: str, value: Parameter) -> Parameter:
        turns = kinds.get(name)
        if turns is None:
            return value
        return structure.angle(value, name) if turns else structure.length(value, name, size)

    return {name: read(name, value) for name, value in given.items()}


def structured_coordinate(robot: RobotDescription, joint: str, value: Parameter) -> Parameter:
    """Where a joint is put: of an angle what floats round is a quarter turn, as of other values."""
    turns = next(row.turns for row in robot.joints if row.name == joint)
    return Structure(likely=SURE).angle(value, joint) if turns else value


def _alone(parameter: Parameter) -> tuple[str, ...]:
    return (parameter.name,) if isinstance(parameter, Name) else ()


def _geometry(robot: RobotDescription) -> Iterator[tuple[Cell, bool]]:
    """Every cell of a placement or an offset, and whether it is an angle."""
    carried = (mounted.at for joint in robot.joints for mounted in joint.carries)
    held = (*carried, *(x.at for x in robot.frames), *(x.at for x in robot.ground))
    ways = (*(joint.before + joint.after for joint in robot.joints), robot.base, robot.tool, *held)
    yield from ((step.amount, step.kind[0] == "r") for way in ways for step in way)
    yield from ((joint.offset, joint.turns) for joint in robot.joints if joint.kind != "fixed")


def size_of(robot: RobotDescription) -> float:
    """The sum of the arm's lengths that are numbers."""
    steps = [step for joint in robot.joints for step in joint.before + joint.after] + list(robot.tool)
    cells = [step.amount for step in steps if step.kind[0] == "t"]
    cells += [joint.offset for joint in robot.joints if joint.kind != "fixed" and not joint.turns]
    found = (_plain(cell.parameter, dict(robot.values)) for cell in cells)
    return sum(abs(float(length.value)) for length in found if isinstance(length, Num))


def _plain(parameter: Parameter, values: dict[str, Parameter]) -> Parameter | None:
    """What is behind a chain of names."""
    for _ in range(len(values) + 1):
        if not isinstance(parameter, Name):
            return parameter
        if parameter.name not in values:
            return None
        parameter = values[parameter.name]
    return None


class _Reader:
    """Reads cells; a name that stands alone in one has its value read instead."""

    def __init__(self, robot: RobotDescription, structure: Structure, size: float) -> None:
        self.structure, self.size, self.values = structure, size, dict(robot.values)

    def cell(self, cell: Cell, turns: bool, where: str) -> Cell:
        parameter = cell.parameter
        if isinstance(parameter, Name):
            self.read_name(parameter, turns, where)
            return cell
        read = self.read(parameter, turns, in_front(where, _word(cell.name)))
        return cell if read == parameter else replace(cell, value=read)

    def read_name(self, name: Name, turns: bool, where: str) -> None:
        value = self.values.get(name.name)
        for _ in range(len(self.values)):
            if not isinstance(value, Name):
                break
            name, value = value, self.values.get(value.name)
        if value is not None and not isinstance(value, Name):
            self.values[name.name] = self.read(value, turns, f"values: {name.name}")

    def read(self, parameter: Parameter, turns: bool, where: str) -> Parameter:
        """A number, or the numbers in a sum."""
        match parameter:
            case ParameterOp("+" | "-" | "neg" as op, args) if turns:
                return ParameterOp(op, tuple(self.read(argument, turns, where) for argument in args))
            case Num() | Deg():
                structure = self.structure
                return structure.angle(parameter, where) if turns else structure.length(parameter, where, self.size)
        return parameter

    def steps(self, steps: Steps, where: str) -> Steps:
        return tuple(Step(step.kind, self.cell(step.amount, step.kind[0] == "r", where)) for step in steps)


def _with_placements(robot: RobotDescription, reader: _Reader) -> RobotDescription:
    joints = tuple(_joint(joint, _label(robot, row, joint), reader) for row, joint in enumerate(robot.joints, 1))
    base, tool = reader.steps(robot.base, "base"), reader.steps(robot.tool, "tool")
    frames = tuple(replace(x, at=reader.steps(x.at, f"frame {x.name!r}")) for x in robot.frames)
    ground = tuple(replace(x, at=reader.steps(x.at, f"body {x.name!r}")) for x in robot.ground)
    values = tuple(reader.values.items())
    return replace(robot, joints=joints, base=base, tool=tool, values=values, frames=frames, ground=ground)


def _label(robot: RobotDescription, row: int, joint: Joint) -> str:
    return f"joint {joint.name!r}" if robot.origin.convention == "urdf" else joint_label(row, joint.name)


def _joint(joint: Joint, where: str, reader: _Reader) -> Joint:
    offset = joint.offset if joint.kind == "fixed" else reader.cell(joint.offset, joint.turns, where)
    carries = tuple(replace(mounted, at=reader.steps(mounted.at, where)) for mounted in joint.carries)
    before, after = reader.steps(joint.before, where), reader.steps(joint.after, where)
    return replace(joint, before=before, offset=offset, after=after, carries=carries)


def _word(name: str) -> str:
    """`alpha` of alpha2, `roll` of roll3 and of tool_roll."""
    words: list[str] = re.findall(r"[A-Za-z]+", name) or [name]
    return words[-1] if words[0] in ("base", "tool", "branch") else words[0]
