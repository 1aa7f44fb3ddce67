"""A prime field as a scalar: exact arithmetic in which identities are decided. GF(2⁶¹−1) unless a proof needs more.

Every symbol gets a random element and, in case it is an angle, a random point (c, s) of the circle c² + s² = 1; sums
of angles compose their points. So sin² + cos² = 1, angle sums and everything polynomial hold exactly, and two different
functions agree at a random point with probability at most degree / 2⁶¹ (Schwartz–Zippel). Where the degree is too large
for that, points are drawn in GF(2¹²⁷−1). Square roots, branches and `atan2` are uninterpreted: their value is a keyed
hash of the operation and its arguments' values. Only the direction of `atan2(y, x)` is known, (x, y)/√(x² + y²).

Fractions of an angle, as those of a joint that follows another by −1/4, are known where the draw says into how many
parts angles are divided: the point u of q/parts is drawn, q is `parts` times it, and −q/4 is −parts/4 times it.

What needs (√x)² = x is decided with `RootedMaths`, where the roots one names are true. Half of the elements have a
root; a draw at which one is missing cannot speak, and another is taken.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from hashlib import blake2b
from math import gcd

from manipula.scalar import APART, OPS, Maths

P = (1 << 61) - 1
WIDE = (1 << 127) - 1  # for functions of a degree too large for P; both are 3 mod 4
Point = tuple[int, int]  # (cos, sin)
EAST: Point = (1, 0)


def hash_to_field(seed: str, *parts: object, p: int = P) -> int:
    """A fixed pseudo-random element, the same in every process."""
    # a separator that no name contains: ("a", "bc") and ("ab", "c") are different draws
    text = "\x1f".join([seed, *map(str, parts)]).encode()
    # 128 bits before the remainder: for P its bias is then below 2⁻⁶⁰
    return int.from_bytes(blake2b(text, digest_size=16).digest(), "big") % p


def rational(value: Fraction | int, p: int = P) -> int:
    """A rational number as an element."""
    # no inverse to compute for whole numbers, which are nearly all
    below = value.denominator
    return value.numerator % p if below == 1 else value.numerator * pow(below, -1, p) % p


class Draw:
    """A field of p elements and one draw of everything in it; p is 3 mod 4, so −1 is no square."""

    __slots__ = ("p", "parts", "quarters", "seed")

    def __init__(self, seed: str, p: int = P, parts: int = 1) -> None:
        self.seed, self.p, self.parts = seed, p, parts
        self.quarters: tuple[Point, ...] = ((1, 0), (0, 1), (p - 1, 0), (0, p - 1))

    def hash_to_field(self, *parts: object) -> int:
        return hash_to_field(self.seed, *parts, p=self.p)

    def rational(self, value: Fraction | int) -> int:
        return rational(value, self.p)

    def compose(self, a: Point, b: Point) -> Point:
        """The point of the sum of two angles."""
        return ((a[0] * b[0] - a[1] * b[1]) % self.p, (a[1] * b[0] + a[0] * b[1]) % self.p)

    def mirror(self, a: Point) -> Point:
        return (a[0], -a[1] % self.p)

    def multiple(self, a: Point, n: int) -> Point:
        """The point of n times an angle."""
        # most multiples are of one joint angle: no composition at all
        if n in (0, 1):
            return a if n else EAST
        if n < 0:
            a, n = self.mirror(a), -n
        result = EAST
        while n:
            if n & 1:
                result = self.compose(result, a)
            a, n = self.compose(a, a), n >> 1
        return result

    def hashed_point(self, *parts: object) -> Point:
        """A pseudo-random point of the circle: ((1−t²)/(1+t²), 2t/(1+t²)). −1 is no square here, so 1+t² ≠ 0."""
        t = self.hash_to_field("circle", *parts)
        scale = pow(1 + t * t, -1, self.p)
        return ((1 - t * t) * scale % self.p, 2 * t * scale % self.p)

    def degrees_point(self, value: Fraction) -> Point:
        """A numeric angle: quarter turns are exact, the rest (within ±45°) is a circle point of its own."""
        quarters = round(value / 90)
        rest = value - 90 * quarters
        point = self.quarters[quarters % 4]
        if rest:
            # ±rest share one point and its mirror, so that cos is even and sin odd
            spun = self.hashed_point("degrees", abs(rest))
            point = self.compose(point, spun if rest > 0 else self.mirror(spun))
        return point

    def opaque_point(self, value: int) -> Point:
        """The point of a part of something that is not a sum of angles; odd, so that cos(−x) = cos x."""
        if value == 0:
            return EAST
        point = self.hashed_point("value", min(value, self.p - value))
        return point if value <= self.p - value else self.mirror(point)

    def opaque_value(self, name: str, values: Iterable[int]) -> int:
        """The value of an uninterpreted operation; known symmetries are respected, and the one value that is known: a
        text may take the length of what is nothing."""
        op, args, p = OPS[name], list(values), self.p
        if op.known is not None and args[0] == op.known[0]:
            return op.known[1]
        if op.commutative:
            args.sort()
        # of x and −x the smaller is hashed: both then have one value, or opposite ones
        flip = bool(op.parity) and args[0] > p - args[0]
        if flip:
            args[0] = p - args[0]
        value = self.hash_to_field(name, *args)
        return p - value if flip and op.parity < 0 else value

    def opaque_root(self, x: int) -> int:
        return self.opaque_value("sqrt", [x])

    def polar_point(self, y: int, x: int) -> Point:
        """The point (x/r, y/r) of atan2(y, x), with r the value of √(x² + y²): it need not lie on the circle.

        What holds for every r holds for the true one.
        """
        return self.normalise(x, y, self.opaque_root((x * x + y * y) % self.p))

    def normalise(self, x: int, y: int, r: int) -> Point:
        """(x/r, y/r); no direction at all points east."""
        if not x and not y:
            return EAST
        over = pow(r, -1, self.p)
        return (x * over % self.p, y * over % self.p)

    def is_square(self, x: int) -> bool:
        """Euler's criterion."""
        # x^((p−1)/2) is 1 for squares and −1 for the others
        return pow(x, (self.p - 1) // 2, self.p) != self.p - 1

    def true_root(self, x: int) -> int:
        """The root of x that is itself a square: x^((p+1)/4). So √x √y = √(xy)."""
        if not self.is_square(x):
            raise NoRootError
        # its square is x·x^((p−1)/2) = x, since p is 3 mod 4
        return pow(x, (self.p + 1) // 4, self.p)


class FieldElement:
    """An element. Of an angle also `point`, which is `unit` times its own; of a number written down, the number."""

    __slots__ = ("draw", "number", "point", "unit", "value")

    def __init__(
        self, draw: Draw, value: int, point: Point | None = None, number: Fraction | int | None = None, unit: int = 1
    ) -> None:
        self.draw, self.value, self.point, self.number, self.unit = draw, value, point, number, unit

    def _of(self, other: Operand) -> FieldElement:
        if isinstance(other, FieldElement):
            return other
        if other == 0:
            return FieldElement(self.draw, 0, EAST, 0)
        return FieldElement(self.draw, self.draw.rational(other), None, other)

    def part(self) -> tuple[Point, int]:
        """A point, and how many times it is the angle's."""
        if self.point is not None:
            return self.point, self.unit
        return self.draw.opaque_point(self.value), self.draw.parts

    def as_point(self) -> Point:
        point, unit = self.part()
        return point if unit == 1 else self.draw.multiple(point, unit)

    def _is_nothing(self) -> bool:
        return not self.value and (self.point is None or self.point == EAST)

    # structural zeros and ones are by far the most common partners, and cost no arithmetic

    def __add__(self, other: Operand) -> FieldElement:
        right = other if isinstance(other, FieldElement) else self._of(other)
        if not right.value and right._is_nothing():
            return self
        if not self.value and self._is_nothing():
            return right
        total = (self.value + right.value) % self.draw.p
        if self.point is None and right.point is None:
            return FieldElement(self.draw, total)
        return self._turned(total, right.part())

    __radd__ = __add__

    def __sub__(self, other: Operand) -> FieldElement:
        right = other if isinstance(other, FieldElement) else self._of(other)
        if not right.value and right._is_nothing():
            return self
        total = (self.value - right.value) % self.draw.p
        if self.point is None and right.point is None:
            return FieldElement(self.draw, total)
        point, unit = right.part()
        return self._turned(total, (self.draw.mirror(point), unit))

    def _turned(self, total: int, by: tuple[Point, int]) -> FieldElement:
        """A sum of angles."""
        (a, many), (b, times), draw = self.part(), by, self.draw
        if many == times:
            return FieldElement(draw, total, draw.compose(a, b), None, many)
        # both points as multiples of a common part: their sum is a multiple of it, too
        unit = gcd(many, times)
        point = draw.compose(draw.multiple(a, many // unit), draw.multiple(b, times // unit))
        return FieldElement(draw, total, point, None, unit)

    def __rsub__(self, other: Operand) -> FieldElement:
        return self._of(other) - self

    def __mul__(self, other: Operand) -> FieldElement:
        if isinstance(other, FieldElement):
            right = other
        elif other == 1:
            return self
        else:
            right = self._of(other)
        product = self.value * right.value % self.draw.p
        if self.number is not None and right.point is not None:
            return right._times(product, self.number)
        if right.number is not None and self.point is not None:
            return self._times(product, right.number)
        return FieldElement(self.draw, product)

    __rmul__ = __mul__

    def _times(self, product: int, number: Fraction | int) -> FieldElement:
        """A multiple of an angle; a fraction for which it has no part is an angle of its own."""
        whole = number.denominator
        # no part as fine as the denominator was drawn: nothing is known of this fraction's point
        if self.point is None or self.unit % whole:
            return FieldElement(self.draw, product)
        return FieldElement(
            self.draw, product, self.draw.multiple(self.point, number.numerator), None, self.unit // whole
        )

    def __truediv__(self, other: Operand) -> FieldElement:
        right = self._of(other)
        if not right.value:
            raise ZeroDivisionError("division by an expression that is identically zero")
        if right.number is not None:
            return self * (1 / Fraction(right.number))
        return FieldElement(self.draw, self.value * pow(right.value, -1, self.draw.p) % self.draw.p)

    def __rtruediv__(self, other: Operand) -> FieldElement:
        return self._of(other) / self

    def __neg__(self) -> FieldElement:
        point = None if self.point is None else self.draw.mirror(self.point)
        number = None if self.number is None else -self.number
        return FieldElement(self.draw, -self.value % self.draw.p, point, number, self.unit)


Operand = FieldElement | Fraction | int


def value_of(x: Operand, p: int = P) -> int:
    return x.value if isinstance(x, FieldElement) else rational(x, p)


class FieldMaths(Maths[FieldElement]):
    """`Maths` over elements. One `seed` is one draw of all symbols, in the field of p elements."""

    def __init__(self, seed: str, p: int = P, parts: int = 1) -> None:
        self.draw = Draw(seed, p, parts)

    @property
    def seed(self) -> str:
        return self.draw.seed

    def differs(self, x: Operand, y: Operand) -> bool:
        """Two values at this draw."""
        return self.value(x) != self.value(y)

    def value(self, x: Operand) -> int:
        return value_of(x, self.draw.p)

    def symbol(self, name: str) -> FieldElement:
        draw = self.draw
        return FieldElement(
            draw, draw.hash_to_field("symbol", name), draw.hashed_point("symbol", name), None, draw.parts
        )

    def number(self, value: Fraction | int) -> FieldElement:
        return FieldElement(self.draw, self.draw.rational(value), EAST if value == 0 else None, value)

    def degrees(self, value: Fraction) -> FieldElement:
        if value < 0:
            # odd: an angle and its negative are one draw
            return -self.degrees(-value)
        draw = self.draw
        return FieldElement(draw, draw.hash_to_field("degrees", value) if value else 0, draw.degrees_point(value))

    def apply(self, name: str, *args: Operand) -> FieldElement:
        """Uninterpreted."""
        return FieldElement(self.draw, self.draw.opaque_value(name, map(self.value, args)))

    def apart(self, x: Operand) -> FieldElement:
        """It may be an angle: sums of such values compose, as they do in a graph."""
        value = self.apply(APART, x).value
        return FieldElement(self.draw, value, self.draw.opaque_point(value), None, self.draw.parts)

    def _angle(self, x: Operand) -> Point:
        return (x if isinstance(x, FieldElement) else self.number(x)).as_point()

    def sin(self, x: Operand) -> FieldElement:
        return FieldElement(self.draw, self._angle(x)[1])

    def cos(self, x: Operand) -> FieldElement:
        return FieldElement(self.draw, self._angle(x)[0])

    def root(self, x: int) -> int:
        return self.draw.opaque_root(x)

    def sqrt(self, x: Operand) -> FieldElement:
        return FieldElement(self.draw, self.root(self.value(x)))

    def polar(self, y: int, x: int) -> Point:
        """The direction of (x, y)."""
        return self.draw.normalise(x, y, self.root((x * x + y * y) % self.draw.p))

    def atan2(self, y: Operand, x: Operand) -> FieldElement:
        return FieldElement(self.draw, self.apply("atan2", y, x).value, self.polar(self.value(y), self.value(x)))


class LinearChoiceMaths(FieldMaths):
    """A choice is s·yes + (1 − s)·no, with an s of its own for every condition.

    What holds for every s holds for 0 and 1, and w·(s·y + (1 − s)·n) = s·(w·y) + (1 − s)·(w·n): a factor may go in or
    out of a choice, as it does where derivatives are carried back.
    """

    def select(self, condition: Operand, yes: Operand, no: Operand) -> FieldElement:
        share = FieldElement(self.draw, self.draw.hash_to_field("choice", self.value(condition)))
        return no + share * (yes - no)


class NoRootError(Exception):
    """This draw cannot speak: an element whose root is needed is not a square."""


class RootedMaths(FieldMaths):
    """The roots of some elements are given, all others are uninterpreted. A direction can be halved, by a root."""

    def __init__(self, seed: str, roots: dict[int, int], p: int = P, parts: int = 1) -> None:
        super().__init__(seed, p, parts)
        self.roots = roots

    def root(self, x: int) -> int:
        return self.roots[x] if x in self.roots else super().root(x)

    def atan2(self, y: Operand, x: Operand) -> FieldElement:
        angle = super().atan2(y, x)
        return Direction(self, angle.value, angle.as_point())


class RootingMaths(RootedMaths):
    """Takes the true root of everything it meets and keeps it, in the order met."""

    def __init__(self, seed: str, p: int = P, parts: int = 1) -> None:
        super().__init__(seed, {}, p, parts)

    def root(self, x: int) -> int:
        if x not in self.roots:
            self.roots[x] = self.draw.true_root(x)
        return self.roots[x]


class Direction(FieldElement):
    """An angle from `atan2`, at most half a turn: half of it points along (1 + cos, sin)."""

    __slots__ = ("maths",)

    def __init__(self, maths: FieldMaths, value: int, point: Point) -> None:
        super().__init__(maths.draw, value, point)
        self.maths = maths

    def __mul__(self, other: Operand) -> FieldElement:
        product = super().__mul__(other)
        # (p+1)/2 is one half
        if self._of(other).value == (self.draw.p + 1) // 2:
            c, s = self.as_point()
            product.point = self.maths.polar(s, (1 + c) % self.draw.p)
        return product

    __rmul__ = __mul__  # asked before the other's __mul__, as a subclass is

    def __truediv__(self, other: Operand) -> FieldElement:
        right = self._of(other)
        return self * (1 / right)
