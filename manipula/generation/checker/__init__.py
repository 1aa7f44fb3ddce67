"""A checker for emitted code: one file that proves it identical to a plain recursion, and needs nothing of ours.

It lies beside the emitted C++ or Python and runs that very text over the integers modulo 2⁶¹ − 1. The other side, the
robot's table and the recursion by the book, is written out in it for a person to read: the table comes from the
description as its file has it, never from what the optimiser made of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from textwrap import wrap
from typing import Any

from manipula.algebra.emit.about import WIDTH, fill_template
from manipula.algebra.emit.cpp import RESERVED as CPP_RESERVED
from manipula.algebra.emit.ports import Namer, Split, identifier, split
from manipula.algebra.emit.python import LANGUAGE as PYTHON
from manipula.algebra.expr.function import Function
from manipula.algebra.expr.maths import topological
from manipula.algebra.expr.node import Expr
from manipula.algebra.tape import constants_of, tape_from_function
from manipula.errors import InputError
from manipula.generation.prepare import Request
from manipula.mechanics.robot.bind import Chooser, Symbolic, chooser, free_parameters
from manipula.mechanics.robot.description import Body, Cell, Joint, RobotDescription, Steps
from manipula.mechanics.robot.friction import FrictionLaw
from manipula.mechanics.robot.joints import KINDS
from manipula.mechanics.robot.values.parameter import Deg, Name, Num, Parameter, ParameterOp, names_of, text_of

# Statements that read alike in C++ and in Python: calls, sums, products, numbers in quotes.


@dataclass(frozen=True)
class Call:
    """One statement. In C++ what it declares has a type."""

    text: str
    declares: str = ""

    @property
    def cpp(self) -> str:
        return f"{self.declares} {self.text}" if self.declares else self.python

    @property
    def python(self) -> str:
        """A call may take several lines; an assignment of Python may not."""
        return self.text if self.declares else "\n        ".join(_wrap_text(self.text))


def _wrap_text(text: str) -> list[str]:
    return wrap(text, WIDTH, break_long_words=False, break_on_hyphens=False)


def fraction_text(value: Fraction) -> str:
    """A decimal where it is exact, else a quotient of whole numbers."""
    return text_of(Num(value))


def angle_text(degrees: Fraction) -> str:
    """Quarter turns are exact; the rest, at most 45°, has a point of the circle for itself."""
    quarters = round(degrees / 90)
    rest = degrees - 90 * quarters
    if not rest:
        return f"quarter({quarters})"
    turn = f'deg("{fraction_text(abs(rest))}")'
    if not quarters:
        return turn if rest > 0 else f"-{turn}"
    return f"(quarter({quarters}) {'+' if rest > 0 else '-'} {turn})"


# The robot as statements of a checker: every row, body, step and number as the description has it.
#
# Nothing is merged, moved or converted here; fixed joints stay rows, and inertias stay about the point the file names.

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
        for name in self.value_names():
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

    def value_names(self) -> list[str]:
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


# What the rounded numbers of an emitted text stand for, as statements of a checker.
#
# A text holds doubles. Each is a fraction, or arithmetic of fractions and of sines of constant angles, rounded once;
# the
# checker computes that exactly and compares the rounding.

_INFIX = {"add": "{} + {}", "sub": "{} - {}", "mul": "{}*{}", "div": "{}/{}", "neg": "-{}"}
_CALLS = ("sin", "cos", "sqrt", "atan2")


def number_lines(function: Function) -> list[Call]:
    """`auto n1 = …` for shared parts, then `stands_for(0.25, n1)` for every number of the text, which shows no sign."""
    constants = [(node, value) for node, value in constants_of(function) if value]
    texts: dict[Expr, str] = {}
    lines: list[Call] = []
    for node in topological([node for node, _ in constants]):
        texts[node] = _text(node, texts)
        if node.args:
            name = f"n{len(lines) + 1}"
            lines.append(Call(f"{name} = {texts[node]}", declares="const Both"))
            texts[node] = name
    known = [(abs(value), f"-({texts[node]})" if value < 0 else texts[node]) for node, value in constants]
    return lines + [Call(f"stands_for({rounded!r}, {text})") for rounded, text in dict.fromkeys(known)]


def _text(node: Expr, texts: Mapping[Expr, str]) -> str:
    match node.op:
        case "const":
            return f'num("{fraction_text(Fraction(node.data))}")'
        case "angle":
            return angle_text(node.data)
        case op if op in _INFIX:
            return _INFIX[op].format(*(f"({texts[arg]})" for arg in node.args))
        case op if op in _CALLS:
            return f"{op}({', '.join(texts[arg] for arg in node.args)})"
    raise InputError("proof=True: a number of this model is made with {op}, which the checker does not know", node.op)


DYNAMIC = ("inverse_dynamics", "forward_dynamics")
MODELS = (*DYNAMIC, "pose", "jacobian")
FILES = {"cpp": ("check.cpp.jinja", "{}_check.cpp"), "python": ("check.py.jinja", "{}_check.py")}
COMMANDS = {"cpp": "c++ -std=c++17 {0} -o check && ./check", "python": "python {0}"}
_RESERVED = {"cpp": CPP_RESERVED, "python": PYTHON.reserved}


def checker_files(request: Request | None, function: Function, language: str, version: str) -> dict[str, str]:
    """File name → text of the checker that belongs to the emitted files of a model."""
    if language not in FILES:
        raise InputError(
            "proof=True: no proof checker in {language!r}; available in {files}", language, " and ".join(FILES)
        )
    if request is None or request.model not in MODELS:
        model = function.name if request is None else request.model
        raise InputError(
            "proof=True: no proof checker for {name}; available for {models} as generated", model, ", ".join(MODELS)
        )
    if odd := request.robot.coordinates.followers:
        raise InputError(
            "proof=True: no proof checker for a robot in which joints follow others, as {odd!r} of {name} does",
            odd[0],
            request.robot.name,
        )
    template, file = FILES[language]
    context = _context(request, function, language, version)
    return {file.format(context["name"]): fill_template(__name__, template, context)}


def with_checker(files: Mapping[str, str], checker: Mapping[str, str], language: str) -> dict[str, str]:
    """Emitted files and their checker, of which their README then speaks."""
    (file,) = checker
    proof = fill_template(__name__, "proof.md.jinja", {"file": file, "command": COMMANDS[language].format(file)})
    told = {name: text + proof for name, text in files.items() if name.startswith("README")}
    return {**files, **told, **checker}


def _context(request: Request, function: Function, language: str, version: str) -> dict[str, Any]:
    tape = tape_from_function(function)
    name = Namer(_RESERVED[language]).name(tape.name)
    arguments: Split = split(tape, Namer(()))
    (output,) = arguments.outputs
    words = words_of(request.robot, request.symbolic)
    parameters = [words[name] for argument in arguments.parameters for name in argument.port.names]
    return {
        "name": name,
        "robot": identifier(request.robot.name),
        "model": request.model,
        "version": version,
        "part": "dynamics" if request.model in DYNAMIC else request.model,
        "dynamic": request.model in DYNAMIC,
        "wrench": request.wrench,
        "used": {line.op for line in tape.lines},
        "variables": arguments.variables,
        "kept": bool(arguments.kept),
        "given": [x.port.name for x in arguments.variables],
        "parameters": parameters,
        "parameter_lines": wrap(", ".join(f'symbol("{word}")' for word in parameters), WIDTH),
        "output": output.port.name,
        "columns": output.port.shape[1] if len(output.port.shape) > 1 else 0,
        "numbers": number_lines(function),
        "table": robot_lines(request.robot, request.symbolic, words),
    }
