"""LaTeX: c_{23}, \\ddot{q}_{1}, I_{xx2}"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from manipula.algebra.show.names import GREEK
from manipula.algebra.show.setting import Setting
from manipula.algebra.simplify.tree import FormulaTree
from manipula.scalar import OPS
from manipula.support.decimals import decimal, tiny_power

_DOTS = ("{}", r"\dot{{{}}}", r"\ddot{{{}}}")


class Latex(Setting):
    times, gap, comma = r"\,", r"\quad ", r",\quad "

    def name(self, text: str) -> str:
        letter, index, dots = self.parts(text)
        if letter in GREEK:
            letter = "\\" + letter
        elif len(letter) > 1:
            letter = r"\mathrm{" + letter.replace("_", r"\_") + "}"
        return _DOTS[dots].format(letter) + self.index(index)

    def index(self, text: str) -> str:
        return f"_{{{text}}}" if text else ""

    def number(self, value: Fraction) -> str:
        sign, power = "-" if value < 0 else "", tiny_power(value)
        if power:
            return f"10^{{-{power}}}"
        return decimal(value) or rf"{sign}\frac{{{abs(value.numerator)}}}{{{value.denominator}}}"

    def degrees(self, value: Fraction) -> str:
        return self.number(value) + r"^{\circ}"

    def long_trig(self, op: str, inner: str) -> str:
        return rf"\{op}{self.bracket(inner)}"

    def call(self, op: str, args: Sequence[str]) -> str:
        match op:
            case "sqrt":
                return rf"\sqrt{{{args[0]}}}"
            case "abs":
                return rf"\left|{args[0]}\right|"
            case "less":
                return self.bracket(f"{args[0]} < {args[1]}")
            case "select":
                return rf"\begin{{cases}} {args[1]} & {args[0]} \\ {args[2]} & \text{{else}} \end{{cases}}"
            case "pow":
                return rf"{{{self.bracket(args[0])}}}^{{{args[1]}}}"
            case "sign":
                return r"\operatorname{sign}" + self.bracket(args[0])
        return OPS[op].words.get("latex", rf"\operatorname{{{op}}}") + self.bracket(", ".join(args))

    def power(self, base: str, exponent: int) -> str:
        return f"{base}^{{{exponent}}}"

    def quotient(self, top: FormulaTree, bottom: FormulaTree) -> str:
        return rf"\frac{{{self.text(top)}}}{{{self.text(bottom)}}}"

    def bracket(self, text: str) -> str:
        return rf"\left({text}\right)"

    def remark(self, text: str, words: str) -> str:
        return rf"{text} \text{{ {words}}}"

    def measured(self, port: str, unit: str) -> str:
        return rf"{self.name(port)}\ [\text{{{unit}}}]"

    def spoken(self, text: str) -> str:
        return rf"\text{{{text}}}"

    def matrix(self, rows: Sequence[Sequence[str]]) -> str:
        entries = " \\\\\n".join(" & ".join(row) for row in rows)
        return f"\\begin{{bmatrix}}\n{entries}\n\\end{{bmatrix}}"

    def aligned(self, rows: Sequence[str]) -> str:
        return "\\begin{aligned}\n" + " \\\\\n".join(rows) + "\n\\end{aligned}"
