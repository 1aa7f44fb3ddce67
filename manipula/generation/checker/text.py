"""Statements that read alike in C++ and in Python: calls, sums, products, numbers in quotes."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from textwrap import wrap

from manipula.algebra.emit.about import WIDTH
from manipula.mechanics.robot.values.parameter import Num, text_of


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
        return self.text if self.declares else "\n        ".join(_wrapped(self.text))


def _wrapped(text: str) -> list[str]:
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
