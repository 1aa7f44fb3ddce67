"""Subproblems of Paden and Kahan, in the frame of the joint: every axis is z, every unknown a pair (cos, sin).

Nothing here branches: each subproblem has a fixed number of roots, and a number `fit` that says how far they are from
being lost: 1 well inside, 0 where two roots meet, negative where it is missing (the roots given are then the nearest).
Angles stay pairs until the very end, so a solver made of these calls neither sin nor cos. What is undetermined (a
point on the axis) gets the angle 0, and the arm that is not taken never divides by zero.

| here        | also known as    | problem                                        | roots |
|-------------|------------------|------------------------------------------------|-------|
| `turn`      | 1                | Z p = m                                        | 1     |
| `two_turns` | 2                | Z₁ R Z₂ v = m, where |v| = |m|                 | 2     |
| `distance`  | 3, made linear   | |p + R Z w| = r                                | 2     |
| `linear`    | 4                | A cos + B sin = C                              | 2     |
| `quadratic` | 3, for a slide   | |v + x e|² = r², e a unit vector               | 2     |

Source: Paden, "Kinematics and control of robot manipulators", dissertation, Berkeley 1986; Murray, Li, Sastry, "A
Mathematical Introduction to Robotic Manipulation" (1994), chapter 3; the fourth from Elias, Wen, "IK-Geo: unified robot
inverse kinematics using subproblem decomposition", arXiv 2211.05737 (2022).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from manipula.mechanics.spatial.inertia import half
from manipula.mechanics.spatial.vector import Matrix, Vector, cross, dot, rotate, transpose, unrotate
from manipula.scalar import Maths, Scalar, Tolerance

# squares: in double precision far above the square of what rounding leaves, some 1e-15; in single that is some 1e-6
TINY = Tolerance("1e-24", "1e-12")  # A² + B² below which an equation says nothing about its angle
LOCK = Tolerance("1e-26", "1e-13")  # squared distance from the axis below which two axes count as one
NOWHERE = Tolerance("1e-52", "1e-26")  # the same for the product of two such distances


class Turn(NamedTuple):
    """A rotation about z by its cosine and sine. `beside` says how it follows from another, to save an arc tangent."""

    cos: Scalar
    sin: Scalar
    beside: Beside | None = None

    def ahead(self, v: Vector) -> Vector:
        """Z v"""
        return (self.cos * v[0] - self.sin * v[1], self.sin * v[0] + self.cos * v[1], v[2])

    def back(self, v: Vector) -> Vector:
        """Zᵀ v"""
        return (self.cos * v[0] + self.sin * v[1], self.cos * v[1] - self.sin * v[0], v[2])

    def rotate(self, v: Vector) -> Vector:
        """The rotation alone."""
        return self.ahead(v)

    def rotate_back(self, v: Vector) -> Vector:
        return self.back(v)

    def opposite(self) -> Turn:
        return Turn(self.cos, -self.sin)

    def then(self, other: Turn) -> Turn:
        """The sum of the angles."""
        return Turn(self.cos * other.cos - self.sin * other.sin, self.sin * other.cos + self.cos * other.sin)


class Beside(NamedTuple):
    """The same axis in the other setting of a wrist: half a turn away (not when `locked`), or the opposite angle."""

    turn: Turn
    locked: Any = None  # None: the opposite


class Shift(NamedTuple):
    """A translation along z: the same words for a prismatic joint."""

    by: Scalar

    def ahead(self, v: Vector) -> Vector:
        return (v[0], v[1], v[2] + self.by)

    def back(self, v: Vector) -> Vector:
        return (v[0], v[1], v[2] - self.by)

    def rotate(self, v: Vector) -> Vector:
        return v

    def rotate_back(self, v: Vector) -> Vector:
        return v

    def opposite(self) -> Shift:
        return Shift(-self.by)


Motion = Turn | Shift
STILL = Turn(1, 0)


def linear(A: Scalar, B: Scalar, C: Scalar, maths: Maths[Scalar]) -> tuple[tuple[Turn, Turn], Scalar]:
    """A cos + B sin = C"""
    return _roots(A, B, C, A * A + B * B - C * C, maths)


def _roots(A: Scalar, B: Scalar, C: Scalar, rest: Scalar, maths: Maths[Scalar]) -> tuple[tuple[Turn, Turn], Scalar]:
    """cos = (A C ∓ B S)/(A² + B²), sin = (B C ± A S)/(A² + B²), S² = rest = A² + B² − C²"""
    square = A * A + B * B
    free = maths.less(square, maths.number(TINY))
    safe = maths.select(free, maths.number(TINY), square)
    fit = maths.select(free, maths.minimum(1 - C * C / safe, 0), rest / safe)
    S = maths.sqrt(maths.maximum(rest, 0))
    plus, minus = (A * C - B * S, B * C + A * S), (A * C + B * S, B * C - A * S)
    scale = 1 / maths.select(free, 1, square)
    return (_turn_or_zero(free, plus, scale, maths), _turn_or_zero(free, minus, scale, maths)), fit


def _turn_or_zero(free: Scalar, at: tuple[Scalar, Scalar], scale: Scalar, maths: Maths[Scalar]) -> Turn:
    return Turn(maths.select(free, 1, at[0] * scale), maths.select(free, 0, at[1] * scale))


def turn(p: Vector, m: Vector, maths: Maths[Scalar]) -> Turn:
    """Z p = m, of the components across z."""
    return turn_from(p[0] * m[0] + p[1] * m[1], p[0] * m[1] - p[1] * m[0], maths)


def turn_from(c: Scalar, s: Scalar, maths: Maths[Scalar]) -> Turn:
    """The direction of (c, s)."""
    square = c * c + s * s
    free = maths.less(square, maths.number(NOWHERE))
    scale = 1 / maths.sqrt(maths.select(free, 1, square))
    return _turn_or_zero(free, (c, s), scale, maths)


def two_turns(R: Matrix, v: Vector, m: Vector, maths: Maths[Scalar]) -> tuple[list[tuple[Turn, Turn]], Scalar]:
    """Z₁ R Z₂ v = m.  Its third row, r·Z₂v = m_z, is linear; S² = (1 − r_z²)(m_x² + m_y²) − (v_z − r_z m_z)² keeps its
    digits where m comes close to the first axis, which A² + B² − C² does not."""
    r = R[2]
    A, B = r[0] * v[0] + r[1] * v[1], r[1] * v[0] - r[0] * v[1]
    off, miss = m[0] * m[0] + m[1] * m[1], v[2] - r[2] * m[2]
    locked = maths.less(off, maths.number(LOCK))
    rest = maths.select(locked, 0, (1 - r[2] * r[2]) * off) - miss * miss
    found, fit = _roots(A, B, m[2] - r[2] * v[2], rest, maths)
    # the two ways to S² agree only as well as |v| = |m|: make the pairs unit again
    plus, minus = found if vanish(r[2], v[2]) else [turn_from(x.cos, x.sin, maths) for x in found]
    first = turn(rotate(R, plus.ahead(v)), m, maths)
    if vanish(r[2], v[2]):
        opposite = Turn(minus.cos, minus.sin, Beside(plus)) if vanish(B) else minus
        return [(first, plus), (half_turned(first, locked, maths), opposite)], fit
    return [(first, plus), (turn(rotate(R, minus.ahead(v)), m, maths), minus)], fit


def vanish(*entries: Scalar) -> bool:
    """Whether entries vanish by structure: neighbouring axes are square."""
    return all(isinstance(x, int) and x == 0 for x in entries)


def half_turned(first: Turn, locked: Scalar, maths: Maths[Scalar]) -> Turn:
    """Square axes have their other setting half a turn away; a locked one does not."""
    cos, sin = (maths.select(locked, x, -x) for x in (first.cos, first.sin))
    return Turn(cos, sin, Beside(first, locked))


def distance(p: Vector, R: Matrix, w: Vector, square: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """(A, B, C) of |p + R Z w|² = square, which is linear in Z: 2 (Rᵀp)·Zw = square − p² − w²"""
    k = unrotate(R, p)
    A, B = k[0] * w[0] + k[1] * w[1], k[1] * w[0] - k[0] * w[1]
    return A, B, half(square - dot(p, p) - dot(w, w)) - k[2] * w[2]


def quadratic(v: Vector, e: Vector, square: Scalar, maths: Maths[Scalar]) -> tuple[tuple[Shift, Shift], Scalar]:
    """|v + x e|² = square, e a unit vector"""
    h = dot(v, e)
    rest = square - dot(v, v) + h * h
    S = maths.sqrt(maths.maximum(rest, 0))
    return (Shift(S - h), Shift(0 - S - h)), rest


def complete_turn(first: Turn, R2: Matrix, second: Turn, R3: Matrix, x: Vector) -> Turn:
    """The Z₃ of Z₁ R₂ Z₂ R₃ Z₃ = M, x the first column of M; it completes whatever the others are, at a lock too."""
    rest = unrotate(R3, second.back(unrotate(R2, first.back(x))))
    return Turn(rest[0], rest[1])


class Wrist(NamedTuple):
    """One setting of three axes."""

    first: Turn
    second: Turn
    third: Turn


def reference(x: Vector, maths: Maths[Scalar]) -> Matrix:
    """F(x): x/|x| is its first column, z × x its second; where x lies on z itself the second is y, where it is nothing
    the first is z."""
    flat = x[0] * x[0] + x[1] * x[1]
    on_axis = maths.less(flat, maths.number(LOCK))
    side = 1 / maths.sqrt(maths.select(on_axis, 1, flat))
    second = (maths.select(on_axis, 0, -x[1] * side), maths.select(on_axis, 1, x[0] * side), 0)
    square = dot(x, x)
    nowhere = maths.less(square, maths.number(LOCK))
    length = 1 / maths.sqrt(maths.select(nowhere, 1, square))
    first = (x[0] * length, x[1] * length, maths.select(nowhere, 1, x[2] * length))
    return transpose((first, second, cross(first, second)))
