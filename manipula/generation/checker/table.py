"""The robot as statements of a checker: every row, body, step and number as the description has it.

Nothing is merged, moved or converted here; fixed joints stay rows, and inertias stay about the point the file names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from manipula.algebra.emit.names import Namer, identifier
from manipula.errors import InputError
from manipula.generation.checker.text import Call, angle_text, fraction_text
from manipula.mechanics.robot.actuators.friction import FrictionLaw
from manipula.mechanics.robot.bind import Chooser, Symbolic, chooser, free_parameters
from manipula.mechanics.robot.description import Body, Cell, Joint, RobotDescription, Steps
from manipula.mechanics.robot.joints import KINDS
from manipula.mechanics.robot.values.parameter import Deg, Name, Num, Parameter, ParameterOp, names_of

_STEPS = {"r": "turn", "t": "shift"}
_CENTRES = {"com": "at_com", "first_moment": "first_moment"}
_INERTIAS = {"com": "about_com", "origin": "about_origin", "second_moment": "second_moment"}


def words_of(robot: RobotDescription, symbolic: Symbolic) -> dict[str, str]:
    """Every name of the robot in plain letters, each its own."""
    names = dict.fromkeys([*free_parameters(robot, symbolic), *robot.names(), *(name for name, _ in robot.values)])
    return dict(zip(names, Namer(()).names(names), strict=True))


def robot_lines(robot: RobotDescription, symbolic: Symbolic, words: Mapping[str, str]) -> list[Call]:
    """Parameters are drawn, values given, then gravity, base, rows, tool and payload."""
    return [Call(text) for text in _Writer(robot, symbolic, words).lines()]


class _Writer:
    def __init__(self, robot: RobotDescription, symbolic: Symbolic, words: Mapping[str, str]) -> None:
        self.robot, self.words, self.values = robot, words, dict(robot.values)
        self.choose: Chooser = chooser(robot, symbolic)
        self.free = free_parameters(robot, symbolic)

    def lines(self) -> Iterator[str]:
        angles = self.angles()
        for kind, names in (("numbers", self.free.keys() - angles), ("angles", self.free.keys() & angles)):
            if names:
                quoted = (f'"{self.words[name]}"' for name in self.free if name in names)
                yield f"free_{kind}({', '.join(quoted)})"
        for name in self.given():
            yield f'value("{self.words[name]}", {self.parameter(self.values[name])})'
        yield f"gravity({self.cells(self.robot.gravity)})"
        yield f"base({self.steps(self.robot.base)})"
        for before, (joint, parent) in enumerate(zip(self.robot.joints, self.robot.parents), -1):
            yield from self.row(joint)
            if parent != before:
                yield f"stands_on({parent + 1})"
        yield f"tool({self.steps(self.robot.tool)})"
        if self.robot.tool_row != len(self.robot.joints) - 1:
            yield f"tool_on({self.robot.tool_row + 1})"
        for body in self.robot.payload:
            yield f"payload({self.body(body)})"

    def row(self, joint: Joint) -> Iterator[str]:
        before, after = self.steps(joint.before), self.steps(joint.after)
        kind, offset = self.kind(joint), self.cell(joint.offset)
        yield f'row("{identifier(joint.name)}", "{kind}", {before}, {offset}, {joint.direction}, {after})'
        if joint.body is not None:
            yield f"body(steps(), {self.body(joint.body)})"
        for mounted in joint.carries:
            yield f"body({self.steps(mounted.at)}, {self.body(mounted.body)})"
        if joint.kind != "fixed":
            every = [value for law in joint.actuator.laws if law.always for value in law.values]
            yield f"motor({self.cells([joint.actuator.motor_inertia, *every])})"
            for law in joint.actuator.laws:
                if not law.always:
                    yield f'friction("{self.law(joint, law)}", {self.cells(law.values)})'

    def kind(self, joint: Joint) -> str:
        """Its letter; the checker is a text of its own and has no other kinds."""
        found = KINDS[joint.kind].formats.get("checker")
        if found is None:
            raise InputError(
                "{name}: joint {name2!r} is {kind}, which the checker does not know; emit without the checker",
                self.robot.name,
                joint.name,
                joint.kind,
            )
        return found

    def law(self, joint: Joint, law: FrictionLaw[Cell]) -> str:
        """Its key; the checker is a text of its own and has no others than it was written for."""
        if not law.checked:
            raise InputError(
                "{name}: joint {name2!r} has friction.{key}, which the checker does not know; emit without the "
                'checker, or robot.without("friction")',
                self.robot.name,
                joint.name,
                law.key,
            )
        return law.key

    def body(self, body: Body) -> str:
        centre, inertia = f"vec({self.cells(body.centre)})", f"six({self.cells(body.inertia)})"
        return f"{self.cell(body.mass)}, {_CENTRES[body.centre_is]}, {centre}, {_INERTIAS[body.inertia_is]}, {inertia}"

    def steps(self, steps: Steps) -> str:
        texts = (f'{_STEPS[x.kind[0]]}("{x.kind[1]}", {self.cell(x.amount)})' for x in steps)
        return f"steps({', '.join(texts)})"

    def cells(self, cells: Iterable[Cell]) -> str:
        return ", ".join(map(self.cell, cells))

    def cell(self, cell: Cell) -> str:
        return self.symbol(cell.name) if self.choose.cell(cell) else self.parameter(cell.parameter)

    def symbol(self, name: str) -> str:
        return f'symbol("{self.words[name]}")'

    def parameter(self, parameter: Parameter) -> str:
        match parameter:
            case Num(value):
                return f'num("{fraction_text(value)}")'
            case Deg(value):
                return angle_text(value)
            case Name(name):
                return self.symbol(name)
            case ParameterOp("**", (base, Num(power))):
                factors = "*".join([f"({self.parameter(base)})"] * abs(int(power))) or 'num("1")'
                return f"({factors})" if power >= 0 else f'(num("1")/({factors}))'
            case ParameterOp("neg", (inner,)):
                return f"-({self.parameter(inner)})"
            case ParameterOp(op, (left, right)):
                return f"({self.parameter(left)} {op} {self.parameter(right)})"
            case ParameterOp(op, (inner,)):
                return f"{op}({self.parameter(inner)})"
        raise AssertionError(parameter)

    def given(self) -> list[str]:
        """The names with a value that is used, each behind those it is made of."""
        order: dict[str, None] = {}

        def visit(name: str) -> None:
            if name not in self.free and name not in order:
                for inner in names_of(self.values[name]):
                    visit(inner)
                order[name] = None

        for cell in self.robot.cells():
            for name in names_of(cell.parameter) if not self.choose.cell(cell) else ():
                visit(name)
        return list(order)

    def angles(self) -> set[str]:
        """The free parameters that stand, alone or in sums, where an angle is meant."""
        turns = [x for steps in self.placements() for x in steps if x.kind[0] == "r"]
        cells = [x.amount for x in turns] + [x.offset for x in self.robot.joints if x.turns]
        found = {cell.name for cell in cells if self.choose.cell(cell)}
        wave = [name for cell in cells if not self.choose.cell(cell) for name in names_of(cell.parameter)]
        while wave:
            found |= set(wave)
            wave = [x for name in wave if name not in self.free for x in names_of(self.values[name])]
        return found

    def placements(self) -> Iterator[Steps]:
        yield from (self.robot.base, self.robot.tool, *(mounted.at for mounted in self.robot.ground))
        for joint in self.robot.joints:
            yield from (joint.before, joint.after, *(mounted.at for mounted in joint.carries))
