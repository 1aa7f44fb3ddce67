"""Expressions as text: one table of spellings per language, and the fewest parentheses that keep the tape's order.

Floating-point sums and products do not associate, so a + (b + c) keeps its parentheses; −(a·b) and (−a)·b round alike,
so the sign stands in front bare.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isinf, isnan

from manipula.algebra.tape import Tape
from manipula.scalar import APART, OPS
from manipula.scalar import ARITHMETIC as OPERATORS

LOOSE, SUM, PRODUCT, SIGN, ATOM = range(5)


@dataclass(frozen=True)
class Text:
    """A piece of an expression and how strongly it holds together."""

    text: str
    strength: int = ATOM

    def within(self, needed: int) -> str:
        return self.text if self.strength >= needed else f"({self.text})"


@dataclass(frozen=True)
class Spelling:
    """How an operation is written: the form, the strength of the result, the strength each argument needs."""

    form: str
    strength: int
    needs: tuple[int, ...]

    def __call__(self, args: Sequence[Text]) -> Text:
        parts = (x.within(need) for x, need in zip(args, self.needs, strict=True))
        return Text(self.form.format(*parts), self.strength)


class Negation:
    """−x. A product keeps its strength behind the sign; two signs never touch (`--x` means something else in C)."""

    def __call__(self, args: Sequence[Text]) -> Text:
        (inner,) = args
        if inner.strength < PRODUCT or inner.text.startswith("-"):
            return Text(f"-({inner.text})", SIGN)
        return Text(f"-{inner.text}", min(inner.strength, SIGN))


def call(name: str, arity: int) -> Spelling:
    """name(x, y)"""
    return Spelling(f"{name}({', '.join(['{}'] * arity)})", ATOM, (LOOSE,) * arity)


Table = Mapping[str, Callable[[Sequence[Text]], Text]]

DECIDING = ("sign", "min", "max", "less", "select")  # what few libraries decide as we do, NaN and zeros included
GUARDED = tuple(op.name for op in OPS.values() if op.guarded)
LIBRARY = tuple(op for op in OPS if op not in (*OPERATORS, *DECIDING, *GUARDED, APART))  # a call of the language's own


def calls(names: Mapping[str, str]) -> Table:
    """Operation → call of the function of that name."""
    return {op: call(name, OPS[op].arity) for op, name in names.items()}


ARITHMETIC: Table = {
    "add": Spelling("{} + {}", SUM, (SUM, PRODUCT)),
    "sub": Spelling("{} - {}", SUM, (SUM, PRODUCT)),
    "mul": Spelling("{}*{}", PRODUCT, (PRODUCT, SIGN)),
    "div": Spelling("{}/{}", PRODUCT, (PRODUCT, SIGN)),
    "neg": Negation(),
}


@dataclass(frozen=True)
class Language:
    """What the writers need to know of a language."""

    table: Table
    reserved: frozenset[str]
    infinity: str
    not_a_number: str
    literal: str = "{}"  # how a number is given the type of the variables
    tolerance: str = "{}"  # how a number is written that is another one (the second) in single precision

    def number(self, value: float) -> Text:
        """The shortest decimal that reads back as the same double."""
        word = self.not_a_number if isnan(value) else self.infinity if isinf(value) else repr(abs(value))
        negative = not isnan(value) and (value < 0 or repr(value).startswith("-"))
        text = self.literal.format(word)
        return Text(f"-{text}", SIGN) if negative else Text(text)

    def constants(self, tape: Tape) -> dict[int, Text]:
        """The numbers of a tape, by slot."""
        single = dict(tape.single)
        return {slot: self._chosen(value, single.get(slot)) for slot, value in tape.constants}

    def _chosen(self, double: float, single: float | None) -> Text:
        if single is None or self.tolerance == "{}":
            return self.number(double)
        return Text(self.tolerance.format(repr(double), repr(single)))
