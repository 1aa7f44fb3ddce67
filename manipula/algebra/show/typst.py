"""Typst's mathematics: c_(23), dot.double(q)_(1), I_(italic("xx2")); https://typst.app/docs/reference/math/

A word of several letters would be a variable of Typst's there, and a comma a new argument: what is no letter and no
number is quoted.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from manipula.algebra.show.names import GREEK
from manipula.algebra.show.setting import Setting
from manipula.algebra.simplify.tree import FormulaTree
from manipula.scalar import OPS
from manipula.support.decimals import decimal, tiny_power

_DOTS = ("{}", "dot({})", "dot.double({})")
_KNOWN = {
    "sin": "sin",
    "cos": "cos",
    "tan": "tan",
    "exp": "exp",
    "log": "ln",
    "tanh": "tanh",
    "min": "min",
    "max": "max",
}


def quoted(text: str) -> str:
    """A string of Typst's, whatever is in it."""
    clean = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
    return f'"{clean}"'


class Typst(Setting):
    times, gap, comma = " thin ", "quad ", ", quad "

    def name(self, text: str) -> str:
        letter, index, dots = self.parts(text)
        known = letter in GREEK or (len(letter) == 1 and letter.isascii() and letter.isalpha())
        return _DOTS[dots].format(letter if known else quoted(letter)) + self.index(index)

    def index(self, text: str) -> str:
        if not text:
            return ""
        return f"_({text})" if text.isascii() and text.isdigit() else f"_(italic({quoted(text)}))"

    def number(self, value: Fraction) -> str:
        sign, power = "-" if value < 0 else "", tiny_power(value)
        if power:
            return f"10^(-{power})"
        return decimal(value) or f"{sign}frac({abs(value.numerator)}, {value.denominator})"

    def degrees(self, value: Fraction) -> str:
        return f"{self.number(value)}°"

    def long_trig(self, op: str, inner: str) -> str:
        return f"{op}({inner})"

    def call(self, op: str, args: Sequence[str]) -> str:
        match op:
            case "sqrt" | "abs" | "floor":
                return f"{op}({args[0]})"
            case "less":
                return self.bracket(f"{args[0]} < {args[1]}")
            case "select":
                return f'cases({args[1]} & {args[0]}, {args[2]} & "else")'
            case "pow":
                return f"{self.bracket(args[0])}^({args[1]})"
        listed = " comma ".join(args)
        return f"{_KNOWN[op]}({listed})" if op in _KNOWN else f'op("{OPS[op].name}") ({listed})'

    def power(self, base: str, exponent: int) -> str:
        return f"{base}^({exponent})"

    def quotient(self, top: FormulaTree, bottom: FormulaTree) -> str:
        return f"frac({self.text(top)}, {self.text(bottom)})"

    def remark(self, text: str, words: str) -> str:
        return f"{text} {self.spoken(' ' + words)}"

    def measured(self, port: str, unit: str) -> str:
        return f"{self.name(port)} {quoted(f' [{unit}]')}"

    def spoken(self, text: str) -> str:
        return quoted(text)

    def matrix(self, rows: Sequence[Sequence[str]]) -> str:
        return 'mat(delim: "[", ' + "; ".join(", ".join(row) for row in rows) + ")"

    def aligned(self, rows: Sequence[str]) -> str:
        return "$ " + " \\\n  ".join(rows) + " $"


class Running(Typst):
    """For formulas among words, which break at the end of a line: never between brackets that belong together."""

    def bracket(self, text: str) -> str:
        return rf"\( {text} \)"
