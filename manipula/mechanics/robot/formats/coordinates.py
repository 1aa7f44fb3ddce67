"""A joint that follows others, as text: "2*elbow - shoulder + 0.1", linear in their coordinates, exact.

A name that is no word of arithmetic stands in quotes: "2*'joint 1' + 0.1".
"""

from __future__ import annotations

import re
from fractions import Fraction

from manipula.errors import ManipulaError, RobotFileError
from manipula.mechanics.robot.description import Coordinate
from manipula.mechanics.robot.values.parameter import Name, Num, Op, Parameter, parameter_from_text, text_of

Linear = tuple[dict[str, Fraction], Fraction]  # factors by name, and the constant


_QUOTED = re.compile(r"'([^']+)'")


def coordinate_from_text(text: str) -> Coordinate:
    held = dict.fromkeys(_QUOTED.findall(text))
    words = {name: f"held{number}in{len(text)}" for number, name in enumerate(held)}
    plain = _QUOTED.sub(lambda quoted: words[quoted[1]], text)
    factors, constant = _linear(parameter_from_text(plain), text)
    names = {word: name for name, word in words.items()}
    moved = {name: factor for name, factor in factors.items() if factor} or factors  # 0*elbow stands still
    return Coordinate(tuple((names.get(name, name), factor) for name, factor in moved.items()), constant)


def text_from_coordinate(coordinate: Coordinate) -> str:
    named = [(_quoted(name), k) for name, k in coordinate.terms]
    terms = [(f"{_number(abs(k))}*{name}" if abs(k) != 1 else name, k < 0) for name, k in named]
    if coordinate.constant:
        terms.append((_number(abs(coordinate.constant)), coordinate.constant < 0))
    text = " ".join(f"{'-' if minus else '+'} {term}" for term, minus in terms)
    return text.removeprefix("+ ")


def _quoted(name: str) -> str:
    """The name as the text has it."""
    try:
        return name if parameter_from_text(name) == Name(name) else f"'{name}'"
    except ManipulaError:
        return f"'{name}'"


def _number(x: Fraction) -> str:
    text = text_of(Num(x))
    return text if text.replace(".", "").isdigit() else f"({text})"


def _linear(x: Parameter, text: str) -> Linear:
    match x:
        case Num(value):
            return {}, value
        case Name(name):
            return {name: Fraction(1)}, Fraction(0)
        case Op("neg", (a,)):
            return _scaled(_linear(a, text), Fraction(-1))
        case Op("+" | "-" as op, (a, b)):
            return _sum(_linear(a, text), _scaled(_linear(b, text), Fraction(1 if op == "+" else -1)))
        case Op("*", (a, b)):
            one, other = _linear(a, text), _linear(b, text)
            if not one[0] or not other[0]:
                return _scaled(one, other[1]) if not other[0] else _scaled(other, one[1])
        case Op("/", (a, b)):
            one, other = _linear(a, text), _linear(b, text)
            if not other[0] and other[1]:
                return _scaled(one, 1 / other[1])
    raise RobotFileError(f"found {text!r}, which is not linear in the coordinates of joints")


def _scaled(x: Linear, k: Fraction) -> Linear:
    return {name: k * factor for name, factor in x[0].items()}, k * x[1]


def _sum(x: Linear, y: Linear) -> Linear:
    names = dict.fromkeys((*x[0], *y[0]))
    return {name: x[0].get(name, Fraction(0)) + y[0].get(name, Fraction(0)) for name in names}, x[1] + y[1]
