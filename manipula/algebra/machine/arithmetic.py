"""Arithmetic of all lanes at once, as LLVM assembly: for texts of elementary functions.

Values are of one kind in double precision, numbers stand in every lane. No instruction looks at another lane and none
branches, so that one lane and many give the same bits.
"""

from __future__ import annotations

from collections.abc import Sequence

from manipula.algebra.machine.sincos import polynomial
from manipula.algebra.machine.writer import Kind, Writer

SHIFT = 6755399441055744.0  # 1.5·2⁵²: adding it rounds to a whole number, which its lowest bits then spell
Double = tuple[str, str]  # h + l, l less than half a unit in the last place of h


class Arithmetic:
    """What a formula is written with; a number or a value may stand anywhere."""

    def __init__(self, w: Writer, kind: Kind) -> None:
        self.w, self.k = w, kind

    def value(self, x: str | float) -> str:
        return x if isinstance(x, str) else self.k.literal(x)

    def _binary(self, name: str, x: str | float, y: str | float) -> str:
        return self.w.let(f"{name} {self.k.text} {self.value(x)}, {self.value(y)}")

    def add(self, x: str | float, y: str | float) -> str:
        return self._binary("fadd", x, y)

    def sub(self, x: str | float, y: str | float) -> str:
        return self._binary("fsub", x, y)

    def mul(self, x: str | float, y: str | float) -> str:
        return self._binary("fmul", x, y)

    def div(self, x: str | float, y: str | float) -> str:
        return self._binary("fdiv", x, y)

    def fma(self, x: str | float, y: str | float, z: str | float) -> str:
        """x·y + z, rounded once"""
        return self.w.let(self.w.intrinsic("fma", self.k, *map(self.value, (x, y, z))))

    def neg(self, x: str) -> str:
        return self.w.let(f"fneg {self.k.text} {x}")

    def abs(self, x: str) -> str:
        return self.w.let(self.w.intrinsic("fabs", self.k, x))

    def signed(self, x: str, sign: str) -> str:
        """x with the sign of another."""
        return self.w.let(self.w.intrinsic("copysign", self.k, x, sign))

    def polynomial(self, x: str, coefficients: Sequence[float]) -> str:
        return polynomial(self.w, self.k, x, coefficients)

    # choices

    def compare(self, how: str, x: str | float, y: str | float) -> str:
        """LLVM's comparisons: olt, ogt, oeq … are false for NaN"""
        return self._binary(f"fcmp {how}", x, y)

    def either(self, a: str, b: str) -> str:
        return self.w.let(f"or {self.k.test} {a}, {b}")

    def unlike(self, a: str, b: str) -> str:
        return self.w.let(f"xor {self.k.test} {a}, {b}")

    def choose(self, test: str, yes: str | float, no: str | float) -> str:
        k = self.k
        return self.w.let(f"select {k.test} {test}, {k.text} {self.value(yes)}, {k.text} {self.value(no)}")

    def within(self, low: float, x: str, high: float) -> str:
        """x, or the nearest of the bounds; NaN stays."""
        x = self.choose(self.compare("olt", x, low), low, x)
        return self.choose(self.compare("ogt", x, high), high, x)

    # bits

    def bits(self, x: str) -> str:
        return self.w.let(f"bitcast {self.k.text} {x} to {self.k.bits}")

    def number(self, bits: str) -> str:
        return self.w.let(f"bitcast {self.k.bits} {bits} to {self.k.text}")

    def whole(self, name: str, bits: str, number: int | str) -> str:
        """An operation of integers: add, sub, and, shl, lshr."""
        right = number if isinstance(number, str) else self.k.whole(number)
        return self.w.let(f"{name} {self.k.bits} {bits}, {right}")

    def power_of_two(self, shifted: str) -> str:
        """2ⁿ, |n| ≤ 1022, of a whole number n to which SHIFT was added."""
        exponent = self.whole("shl", self.bits(shifted), 52)
        return self.number(self.whole("add", exponent, 0x3FF << 52))

    # sums of two numbers with what their rounding lost

    def sum(self, x: str | float, y: str | float) -> Double:
        """x + y, |x| ≥ |y| or x = 0"""
        h = self.add(x, y)
        return h, self.add(self.sub(x, h), y)

    def any_sum(self, x: str | float, y: str | float) -> Double:
        """x + y, whichever is larger."""
        h = self.add(x, y)
        part = self.sub(h, x)
        return h, self.add(self.sub(x, self.sub(h, part)), self.sub(y, part))

    def product(self, x: str | float, y: str | float) -> Double:
        h = self.mul(x, y)
        return h, self.fma(x, y, self.neg(h))
