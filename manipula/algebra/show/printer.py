"""Trees into lines of text. What the styles share: signs, brackets, fractions; a style says how each part looks."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType

from manipula.algebra.show.names import NameParts, split_name, trig_name
from manipula.algebra.simplify.tree import (
    ONE,
    Angle,
    Degrees,
    FormulaCall,
    FormulaNumber,
    FormulaProduct,
    FormulaTree,
    Inverse,
    Power,
    Sum,
    Symbol,
    Trig,
    power_of,
    product_of,
    without_sign,
)
from manipula.support.decimals import exact_text, tiny_power

NO_ALIASES: Mapping[str, NameParts] = MappingProxyType({})
SUM, PRODUCT, POWER = 1, 2, 3  # how strongly a form binds


def _bottom(tree: FormulaTree) -> FormulaTree | None:
    """What stands under the stroke of 1/x or its power."""
    match tree:
        case Inverse(bottom):
            return bottom
        case Power(Inverse(bottom), exponent):
            return power_of(bottom, exponent)
    return None


def _bare(condition: str) -> str:
    """A comparison without its brackets, where they belong together."""
    depth = 0
    for at, letter in enumerate(condition):
        depth += (letter == "(") - (letter == ")")
        if not depth:
            return condition[1:-1] if at and at == len(condition) - 1 else condition
    return condition


class Printer:
    """The ASCII style, and the base of the others. `taken` are names that c2, s23 may not use."""

    times, minus, plus, sign = "*", " - ", " + ", "-"

    def __init__(self, taken: Collection[str] = (), aliases: Mapping[str, NameParts] = NO_ALIASES) -> None:
        self.taken = frozenset(taken)
        self.aliases = aliases

    def parts(self, name: str) -> NameParts:
        """Letter, index and dots of a name, or of what it is called here."""
        return self.aliases.get(name) or split_name(name)

    # parts a style may change

    def name(self, text: str) -> str:
        if text not in self.aliases:
            return text
        letter, index, dots = self.aliases[text]
        return letter + "d" * dots + index

    def number(self, value: Fraction) -> str:
        power = tiny_power(value)
        return f"1e-{power}" if power else exact_text(value)

    def degrees(self, value: Fraction) -> str:
        return "pi" if value == 180 else f"{self.number(value / 180)}*pi"

    def short_trig(self, text: str) -> str:
        return text

    def long_trig(self, op: str, inner: str) -> str:
        return f"{op}({inner})"

    def call(self, op: str, args: Sequence[str]) -> str:
        match op:
            case "less":
                return self.bracket(f"{args[0]} < {args[1]}")
            case "select":
                return self.bracket(f"{args[1]} if {_bare(args[0])} else {args[2]}")
        return f"{op}({', '.join(args)})"

    def power(self, base: str, exponent: int) -> str:
        return f"{base}^{exponent}"

    def bracket(self, text: str) -> str:
        return f"({text})"

    def entry(self, name: str, index: Sequence[int]) -> str:
        """An output: tau1, A[1,2]"""
        if len(index) == 1:
            return self.name(f"{name}{index[0]}")
        return self.name(name) + (f"[{','.join(map(str, index))}]" if index else "")

    def elsewhere(self, name: str, index: Sequence[int]) -> str:
        """Any entry of a matrix: A[i,j]"""
        return f"{self.name(name)}[{','.join([*map(str, index), 'i', 'j'])}]"

    def remark(self, text: str, words: str) -> str:
        """A formula, then words."""
        return f"{text} {words}"

    def measured(self, port: str, unit: str) -> str:
        """An input or output and its unit: tau [N·m]"""
        return f"{self.name(port)} [{unit}]"

    def brackets(self, rows: int) -> list[tuple[str, str]]:
        """What stands at both sides of each row of a matrix."""
        return [("[", "]")] * rows

    # trees

    def text(self, tree: FormulaTree) -> str:
        return self._text(tree)[0]

    def at_least(self, tree: FormulaTree, strength: int) -> str:
        text, own = self._text(tree)
        return text if own >= strength else self.bracket(text)

    def _text(self, tree: FormulaTree) -> tuple[str, int]:
        match tree:
            case FormulaNumber(value):
                text = self.number(value)
                return text, SUM if value < 0 else PRODUCT if "/" in text else POWER + 1
            case Symbol(name, _):
                return self.name(name), POWER + 1
            case Degrees(value):
                return self.degrees(value), PRODUCT
            case Trig():
                return self.trig(tree), POWER + 1
            case FormulaCall(op, args):
                return self.call(op, [self.text(arg) for arg in args]), POWER + 1
            case Power(base, exponent) if not isinstance(base, Inverse):
                return self.power(self.at_least(base, POWER + 1), exponent), POWER
            case Sum(terms):
                return self.sum_text(terms), SUM
        return self._product(tree)

    def sum_text(self, terms: Sequence[FormulaTree]) -> str:
        parts: list[str] = []
        for term in terms:
            negative, positive = without_sign(term)
            lead = (self.sign if negative else "") if not parts else (self.minus if negative else self.plus)
            parts.append(lead + self.at_least(positive, PRODUCT))
        return "".join(parts)

    def _product(self, tree: FormulaTree) -> tuple[str, int]:
        """A product, its inverse factors gathered under a stroke."""
        negative, positive = without_sign(tree)
        if negative:
            return self.sign + self.at_least(positive, PRODUCT), SUM
        factors = tree.factors if isinstance(tree, FormulaProduct) else (tree,)
        below = [_bottom(factor) for factor in factors]
        over = [factor for factor, bottom in zip(factors, below) if bottom is None]
        under = [bottom for bottom in below if bottom is not None]
        if under:
            return self.quotient(product_of(over or [ONE]), product_of(under)), PRODUCT
        return self.times.join(self.at_least(factor, PRODUCT) for factor in over), PRODUCT

    def quotient(self, top: FormulaTree, bottom: FormulaTree) -> str:
        return f"{self.at_least(top, PRODUCT)}/{self.at_least(bottom, POWER)}"

    def trig(self, tree: Trig) -> str:
        """c23 where that is unmistakable, else cos(…)"""
        short = trig_name(tree)
        if short and short not in self.taken:
            return self.short_trig(short)
        return self.long_trig(tree.op, self.angle(tree.angle))

    def angle(self, angle: Angle) -> str:
        return self.sum_text([product_of([FormulaNumber(Fraction(times)), leaf]) for leaf, times in angle])
