"""A robot read by the rule of `structure`: every angle and length of its geometry, wherever it stands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from manipula.mechanics.robot.description import Cell, Joint, RobotDescription, Step, Steps
from manipula.mechanics.robot.formats.source import joint_label
from manipula.mechanics.robot.formats.structure import SURE, Structure
from manipula.mechanics.robot.subject import NOTE, is_massless
from manipula.mechanics.robot.values.parameter import Deg, Name, Num, Parameter, ParameterOp
from manipula.messages import in_front


def structured(robot: RobotDescription, structure: Structure) -> RobotDescription:
    """The robot with every angle and length of its geometry read so, and what was read in its notes."""
    if structure.exact:
        return robot
    robot = _with_placements(robot, _Reader(robot, structure, size_of(robot)))
    notes = dict.fromkeys((*structure.notes, *robot.origin.notes))
    return replace(robot, origin=replace(robot.origin, notes=tuple(notes)))


def received(robot: RobotDescription, structure: Structure) -> RobotDescription:
    """What every reader hands its robot through: structure read, and a robot without mass noted as such."""
    return noted(structured(robot, structure))


def noted(robot: RobotDescription) -> RobotDescription:
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
    """What stands behind a chain of names."""
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
            self.named(parameter, turns, where)
            return cell
        read = self.read(parameter, turns, in_front(where, _word(cell.name)))
        return cell if read == parameter else replace(cell, value=read)

    def named(self, name: Name, turns: bool, where: str) -> None:
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
