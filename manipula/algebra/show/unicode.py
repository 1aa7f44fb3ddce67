"""The terminal's style: q̈₁, c₂₃, d₂², ·, −"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from manipula.algebra.show.names import GREEK
from manipula.algebra.show.printer import Printer

SUBSCRIPTS = str.maketrans("0123456789-", "₀₁₂₃₄₅₆₇₈₉₋")
_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_DOTS = ("", "\u0307", "\u0308")  # combining: dot above, two dots above


class Unicode(Printer):
    times, minus, sign = "·", " − ", "−"

    def name(self, text: str) -> str:
        letter, index, dots = self.parts(text)
        return GREEK.get(letter, letter) + _DOTS[dots] + index.translate(SUBSCRIPTS)

    def short_trig(self, text: str) -> str:
        return self.name(text)

    def number(self, value: Fraction) -> str:
        return super().number(value).replace("-", self.sign)

    def degrees(self, value: Fraction) -> str:
        return f"{self.number(value)}°"

    def power(self, base: str, exponent: int) -> str:
        return base + str(exponent).translate(_SUPERSCRIPTS)

    def entry(self, name: str, index: Sequence[int]) -> str:
        if len(index) < 2:
            return super().entry(name, index)
        joiner = "" if max(index) < 10 else ","
        return self.name(name) + joiner.join(map(str, index)).translate(SUBSCRIPTS)

    def elsewhere(self, name: str, index: Sequence[int]) -> str:
        return self.name(name) + "".join(map(str, index)).translate(SUBSCRIPTS) + "ᵢⱼ"

    def brackets(self, rows: int) -> list[tuple[str, str]]:
        return [("⎡", "⎤"), *[("⎢", "⎥")] * (rows - 2), ("⎣", "⎦")] if rows > 1 else [("[", "]")]
