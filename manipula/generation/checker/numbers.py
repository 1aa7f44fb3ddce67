"""What the rounded numbers of an emitted text stand for, as statements of a checker.

A text holds doubles. Each is a fraction, or arithmetic of fractions and of sines of constant angles, rounded once; the
checker computes that exactly and compares the rounding.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from manipula.algebra.expr.function import Function
from manipula.algebra.expr.node import Expr
from manipula.algebra.expr.walk import topological
from manipula.algebra.tape import constants_of
from manipula.errors import InputError
from manipula.generation.checker.text import Call, angle_text, fraction_text

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
