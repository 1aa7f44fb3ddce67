"""The prime field GF(2⁶¹−1) as a scalar: exact arithmetic in which identities are decided.

Every symbol gets a random element and, in case it is an angle, a random point (c, s) of the circle c² + s² = 1; sums
of angles compose their points. So sin² + cos² = 1, angle sums and everything polynomial hold exactly, and two different
functions agree at a random point with probability at most degree / 2⁶¹ (Schwartz–Zippel). Square roots, branches and
`atan2` are uninterpreted: their value is a keyed hash of the operation and its arguments' values. Only the direction of
`atan2(y, x)` is known, (x, y)/√(x² + y²).

What needs (√x)² = x is decided with `RootedMaths`, where the roots one names are true. Half of the elements have a
root; a draw at which one is missing cannot speak, and another is taken.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from hashlib import blake2b
from typing import Any

from manipula.scalar import APART, OPS, Maths

P = (1 << 61) - 1
Point = tuple[int, int]  # (cos, sin)
EAST: Point = (1, 0)
_QUARTERS: tuple[Point, ...] = ((1, 0), (0, 1), (P - 1, 0), (0, P - 1))


HALF = (P + 1) // 2


def hashed(seed: str, *parts: object) -> int:
    """A fixed pseudo-random element, the same in every process."""
    text = "\x1f".join([seed, *map(str, parts)]).encode()
    return int.from_bytes(blake2b(text, digest_size=16).digest(), "big") % P


def composed(a: Point, b: Point) -> Point:
    """The point of the sum of two angles."""
    return ((a[0] * b[0] - a[1] * b[1]) % P, (a[1] * b[0] + a[0] * b[1]) % P)


def mirrored(a: Point) -> Point:
    return (a[0], -a[1] % P)


def multiple(a: Point, n: int) -> Point:
    """The point of n times an angle."""
    if n in (0, 1):
        return a if n else EAST
    if n < 0:
        a, n = mirrored(a), -n
    result = EAST
    while n:
        if n & 1:
            result = composed(result, a)
        a, n = composed(a, a), n >> 1
    return result


def hashed_point(seed: str, *parts: object) -> Point:
    """A pseudo-random point of the circle: ((1−t²)/(1+t²), 2t/(1+t²)). −1 is no square here, so 1+t² ≠ 0."""
    t = hashed(seed, "circle", *parts)
    scale = pow(1 + t * t, -1, P)
    return ((1 - t * t) * scale % P, 2 * t * scale % P)


def degrees_point(seed: str, value: Fraction) -> Point:
    """A numeric angle: quarter turns are exact, the rest (within ±45°) is a circle point of its own."""
    quarters = round(value / 90)
    rest = value - 90 * quarters
    point = _QUARTERS[quarters % 4]
    if rest:
        spun = hashed_point(seed, "degrees", abs(rest))
        point = composed(point, spun if rest > 0 else mirrored(spun))
    return point


def opaque_value(seed: str, name: str, values: Iterable[int]) -> int:
    """The value of an uninterpreted operation; known symmetries are respected, and the one value that is known: a text
    may take the length of what is nothing."""
    op, args = OPS[name], list(values)
    if op.known is not None and args[0] == op.known[0]:
        return op.known[1]
    if op.commutative:
        args.sort()
    flip = bool(op.parity) and args[0] > P - args[0]
    if flip:
        args[0] = P - args[0]
    value = hashed(seed, name, *args)
    return P - value if flip and op.parity < 0 else value


def rational(value: Fraction | int) -> int:
    """A rational number as an element."""
    below = value.denominator
    return value.numerator % P if below == 1 else value.numerator * pow(below, -1, P) % P


class Element:
    """An element, and its circle point when it is an angle."""

    __slots__ = ("integer", "point", "seed", "value")

    def __init__(self, seed: str, value: int, point: Point | None = None, integer: int | None = None) -> None:
        self.seed, self.value, self.point, self.integer = seed, value, point, integer

    def _of(self, other: Any) -> Element:
        if isinstance(other, Element):
            return other
        if other == 0:
            return Element(self.seed, 0, EAST, 0)
        return Element(self.seed, rational(other), None, other if isinstance(other, int) else None)

    def as_point(self) -> Point:
        return self.point if self.point is not None else opaque_point(self.seed, self.value)

    def _is_nothing(self) -> bool:
        return not self.value and (self.point is None or self.point == EAST)

    # structural zeros and ones are by far the most common partners, and cost no arithmetic

    def __add__(self, other: Any) -> Element:
        right = other if isinstance(other, Element) else self._of(other)
        if not right.value and right._is_nothing():
            return self
        if not self.value and self._is_nothing():
            return right
        total = (self.value + right.value) % P
        if self.point is None and right.point is None:
            return Element(self.seed, total)
        return Element(self.seed, total, composed(self.as_point(), right.as_point()))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Element:
        right = other if isinstance(other, Element) else self._of(other)
        if not right.value and right._is_nothing():
            return self
        total = (self.value - right.value) % P
        if self.point is None and right.point is None:
            return Element(self.seed, total)
        return Element(self.seed, total, composed(self.as_point(), mirrored(right.as_point())))

    def __rsub__(self, other: Any) -> Element:
        return self._of(other) - self

    def __mul__(self, other: Any) -> Element:
        if not isinstance(other, Element) and other == 1:
            return self
        right = self._of(other)
        product = self.value * right.value % P
        if self.integer is not None and right.point is not None:
            return Element(self.seed, product, multiple(right.point, self.integer))
        if right.integer is not None and self.point is not None:
            return Element(self.seed, product, multiple(self.point, right.integer))
        return Element(self.seed, product)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Element:
        right = self._of(other)
        if not right.value:
            raise ZeroDivisionError("division by an expression that is identically zero")
        return Element(self.seed, self.value * pow(right.value, -1, P) % P)

    def __rtruediv__(self, other: Any) -> Element:
        return self._of(other) / self

    def __neg__(self) -> Element:
        point = None if self.point is None else mirrored(self.point)
        return Element(self.seed, -self.value % P, point, None if self.integer is None else -self.integer)


def value_of(x: Any) -> int:
    return x.value if isinstance(x, Element) else rational(x)


def opaque_point(seed: str, value: int) -> Point:
    """The circle point of something that is not a sum of angles; odd, so that cos(−x) = cos x."""
    if value == 0:
        return EAST
    point = hashed_point(seed, "value", min(value, P - value))
    return point if value <= P - value else mirrored(point)


def polar_point(seed: str, y: int, x: int) -> Point:
    """The point (x/r, y/r) of atan2(y, x), with r the value of √(x² + y²): it need not lie on the circle.

    What holds for every r holds for the true one.
    """
    return shortened(x, y, opaque_root(seed, (x * x + y * y) % P))


def opaque_root(seed: str, x: int) -> int:
    return opaque_value(seed, "sqrt", [x])


def shortened(x: int, y: int, r: int) -> Point:
    """(x/r, y/r); no direction at all points east."""
    if not x and not y:
        return EAST
    over = pow(r, -1, P)
    return (x * over % P, y * over % P)


class FieldMaths(Maths[Element]):
    """`Maths` over elements. One `seed` is one draw of all symbols."""

    def __init__(self, seed: str) -> None:
        self.seed = seed

    def differs(self, x: Any, y: Any) -> bool:
        """Two values at this draw."""
        return value_of(x) != value_of(y)

    def symbol(self, name: str) -> Element:
        return Element(self.seed, hashed(self.seed, "symbol", name), hashed_point(self.seed, "symbol", name))

    def number(self, value: Fraction) -> Element:
        whole = value.numerator if value.denominator == 1 else None
        return Element(self.seed, rational(value), EAST if value == 0 else None, whole)

    def degrees(self, value: Fraction) -> Element:
        if value < 0:
            return -self.degrees(-value)
        seed = self.seed
        return Element(seed, hashed(seed, "degrees", value) if value else 0, degrees_point(seed, value))

    def apply(self, name: str, *args: Any) -> Element:
        """Uninterpreted."""
        return Element(self.seed, opaque_value(self.seed, name, map(value_of, args)))

    def apart(self, x: Any) -> Element:
        return self.apply(APART, x)

    def _angle(self, x: Any) -> Point:
        return x.as_point() if isinstance(x, Element) else opaque_point(self.seed, rational(x))

    def sin(self, x: Any) -> Element:
        return Element(self.seed, self._angle(x)[1])

    def cos(self, x: Any) -> Element:
        return Element(self.seed, self._angle(x)[0])

    def root(self, x: int) -> int:
        return opaque_root(self.seed, x)

    def sqrt(self, x: Any) -> Element:
        return Element(self.seed, self.root(value_of(x)))

    def polar(self, y: int, x: int) -> Point:
        """The direction of (x, y)."""
        return shortened(x, y, self.root((x * x + y * y) % P))

    def atan2(self, y: Any, x: Any) -> Element:
        return Element(self.seed, self.apply("atan2", y, x).value, self.polar(value_of(y), value_of(x)))


class NoRootError(Exception):
    """This draw cannot speak: an element whose root is needed has none."""


def is_square(x: int) -> bool:
    """Euler's criterion."""
    return pow(x, (P - 1) // 2, P) != P - 1


def true_root(x: int) -> int:
    """The root of x that is itself a square: x^((P+1)/4), as P ≡ 3 mod 4. So √x √y = √(xy)."""
    if not is_square(x):
        raise NoRootError
    return pow(x, (P + 1) // 4, P)


class RootedMaths(FieldMaths):
    """The roots of some elements are given, all others are uninterpreted. A direction can be halved, by a root."""

    def __init__(self, seed: str, roots: dict[int, int]) -> None:
        super().__init__(seed)
        self.roots = roots

    def root(self, x: int) -> int:
        return self.roots[x] if x in self.roots else super().root(x)

    def atan2(self, y: Any, x: Any) -> Element:
        angle = super().atan2(y, x)
        return Direction(self, angle.value, angle.as_point())


class RootingMaths(RootedMaths):
    """Takes the true root of everything it meets and keeps it, in the order met."""

    def __init__(self, seed: str) -> None:
        super().__init__(seed, {})

    def root(self, x: int) -> int:
        if x not in self.roots:
            self.roots[x] = true_root(x)
        return self.roots[x]


class Direction(Element):
    """An angle from `atan2`, at most half a turn: half of it points along (1 + cos, sin)."""

    __slots__ = ("maths",)

    def __init__(self, maths: FieldMaths, value: int, point: Point) -> None:
        super().__init__(maths.seed, value, point)
        self.maths = maths

    def __mul__(self, other: Any) -> Element:
        product = super().__mul__(other)
        if self._of(other).value == HALF:
            c, s = self.as_point()
            product.point = self.maths.polar(s, (1 + c) % P)
        return product

    __rmul__ = __mul__  # asked before the other's __mul__, as a subclass is

    def __truediv__(self, other: Any) -> Element:
        right = self._of(other)
        return self * (1 / right)
