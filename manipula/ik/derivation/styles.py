"""How a derivation's formulas are set: the styles of `algebra.show` with its own letters, and ±."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from manipula.algebra.show.latex import Latex
from manipula.algebra.show.names import GREEK
from manipula.algebra.show.printer import PRODUCT, SUM, Printer
from manipula.algebra.show.typst import Typst, quoted
from manipula.algebra.show.unicode import SUBSCRIPTS, Unicode
from manipula.algebra.simplify.tree import FormulaProduct, FormulaTree, Symbol, product_of, without_sign
from manipula.ik.derivation.notebook import SIGN

_PM = Symbol(SIGN, online=True)


@dataclass(frozen=True)
class Label:
    """How a symbol is set: θ and 1, u and x."""

    letter: str
    place: str


class Text(Printer):
    """Plain text, and the base of the others."""

    plus_minus, minus_plus = "±", "∓"

    def __init__(self, labels: Mapping[str, Label]) -> None:
        super().__init__()
        self.labels = labels

    def label(self, label: Label) -> str:
        return label.letter + label.place

    def words(self, text: str) -> str:
        """What stands outside formulas."""
        return text

    def formula(self, text: str) -> str:
        """A formula among words."""
        return text

    def inline(self, tree: FormulaTree) -> str:
        return self.formula(self.text(tree))

    def name(self, text: str) -> str:
        return self.label(self.labels[text]) if text in self.labels else super().name(text)

    def _signed(self, tree: FormulaTree) -> tuple[str, FormulaTree]:
        """(± or ∓ or nothing, the rest)"""
        negative, positive = without_sign(tree)
        factors = positive.factors if isinstance(positive, FormulaProduct) else (positive,)
        if _PM not in factors:
            return "", tree
        rest = product_of(factor for factor in factors if factor != _PM)
        return self.minus_plus if negative else self.plus_minus, rest

    def _text(self, tree: FormulaTree) -> tuple[str, int]:
        sign, rest = self._signed(tree)
        return (sign + self.at_least(rest, PRODUCT), SUM) if sign else super()._text(tree)

    def sum_text(self, terms: Sequence[FormulaTree]) -> str:
        text = ""
        for term in terms:
            sign, rest = self._signed(term)
            if sign:
                text += (f" {sign} " if text else sign) + self.at_least(rest, PRODUCT)
                continue
            negative, positive = without_sign(term)
            lead = (self.minus if negative else self.plus) if text else (self.sign if negative else "")
            text += lead + self.at_least(positive, PRODUCT)
        return text


class Terminal(Text, Unicode):
    def label(self, label: Label) -> str:
        return GREEK.get(label.letter, label.letter) + label.place.replace("m", "₋").translate(SUBSCRIPTS)

    def call(self, op: str, args: Sequence[str]) -> str:
        return f"√({args[0]})" if op == "sqrt" else super().call(op, args)


class Paper(Text, Latex):
    plus_minus, minus_plus = r"\pm ", r"\mp "
    signs = str.maketrans({"±": r"$\pm$", "≤": r"$\le$", "≠": r"$\ne$", "_": r"\_", "&": r"\&", "%": r"\%", "#": r"\#"})

    def label(self, label: Label) -> str:
        letter = "\\" + label.letter if label.letter in GREEK else label.letter
        return letter + (f"_{{{label.place.replace('m', '-')}}}" if label.place else "")

    def words(self, text: str) -> str:
        return re.sub(r"\b[pMREF]\b", r"$\g<0>$", text.translate(self.signs))

    def formula(self, text: str) -> str:
        return f"${text}$"

    def display(self, rows: Sequence[str]) -> str:
        """Formulas by themselves, aligned."""
        return f"\\[\n{self.aligned(rows)}\n\\]"


class Sheet(Text, Typst):
    """Typst, where everything that is no formula is a string."""

    plus_minus, minus_plus = "plus.minus ", "minus.plus "

    def label(self, label: Label) -> str:
        letter = label.letter if label.letter in GREEK or len(label.letter) == 1 else quoted(label.letter)
        return letter + self.index(label.place.replace("m", "-"))

    def words(self, text: str) -> str:
        """Marks of Typst's as letters; {0} stays a place."""
        return re.sub(r"\b[pMREF]\b", r"$\g<0>$", re.sub(r"[\\#$*_`<>@\[\]~\"/=+-]", r"\\\g<0>", text))

    def formula(self, text: str) -> str:
        return f"${text}$"

    def display(self, rows: Sequence[str]) -> str:
        return self.aligned(rows)
