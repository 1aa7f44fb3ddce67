"""LaTeX: how each operation is set, and the names of the equations as mathematics."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from manipula.algebra.emit.names import identifier
from manipula.algebra.emit.text import (
    ATOM,
    LOOSE,
    PRODUCT,
    SUM,
    Language,
    Negation,
    Spelling,
    Text,
    call,
)
from manipula.algebra.show.latex import Latex
from manipula.algebra.tape import Tape
from manipula.scalar import APART, OPS
from manipula.scalar import ARITHMETIC as OPERATORS


@dataclass(frozen=True)
class Infix:
    """a + b, a b. A sign right behind another operator is bracketed: `a -b` would read as a difference."""

    form: str
    strength: int
    needs: tuple[int, int]

    def __call__(self, args: Sequence[Text]) -> Text:
        left, right = (x.within(need) for x, need in zip(args, self.needs, strict=True))
        right = f"({right})" if right.startswith("-") else right
        return Text(self.form.format(left, right), self.strength)


def _function(form: str, arity: int) -> Spelling:
    return Spelling(form, ATOM, (LOOSE,) * arity)


def _named(op: str) -> Spelling:
    """\\sin(x), \\operatorname{atan2}(y, x)"""
    word = OPS[op].words.get("latex", rf"\operatorname{{{op}}}").replace("{", "{{").replace("}", "}}")
    return call(word, OPS[op].arity)


class Mathematics(Language):
    """Numbers as they are printed: 2, 0.5, 1.5 times a power of ten."""

    def number(self, value: float) -> Text:
        plain = super().number(value)
        text = re.sub(r"\.0$", "", plain.text)
        found = re.fullmatch(r"(-?)([\d.]+)e([+-]?)0*(\d+)", text)
        if found is None:
            return Text(text, plain.strength)
        exponent = found[3].replace("+", "") + found[4]
        return Text(rf"{found[1]}{found[2]} \cdot 10^{{{exponent}}}", PRODUCT)


LANGUAGE = Mathematics(
    {
        "add": Infix("{} + {}", SUM, (SUM, PRODUCT)),
        "sub": Infix("{} - {}", SUM, (SUM, PRODUCT)),
        "mul": Infix(r"{} \, {}", PRODUCT, (PRODUCT, ATOM)),
        "div": _function(r"\frac{{{}}}{{{}}}", 2),
        "neg": Negation(),
        **{op: _named(op) for op in OPS if op not in (*OPERATORS, APART)},
        "sqrt": _function(r"\sqrt{{{}}}", 1),
    },
    frozenset(),
    r"\infty",
    r"\mathrm{NaN}",
)


class Symbols:
    """The tape's names, set: c_{23}, \\ddot{q}_{1}; two that would look alike get a prime."""

    def __init__(self, tape: Tape) -> None:
        printer, taken = Latex(), set[str]()
        self.words: list[str] = []
        for name in tape.names:
            word = printer.name(identifier(name))
            while word in taken:
                word += "'"
            taken.add(word)
            self.words.append(word)
        self.free = [re.fullmatch(r"D\d+", name) is not None for name in tape.names]

    def name(self, slot: int) -> str:
        return self.words[slot]

    def anonymous(self, slot: int) -> bool:
        return self.free[slot]
