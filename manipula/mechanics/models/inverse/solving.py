"""The subproblems as the closed forms call them: each takes the axes of the loop that it finds.

`Subproblems` solves them. Who wants to see the road instead of walking it hands in another one (see `recording`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from manipula.mechanics.models.inverse import subproblems as basic
from manipula.mechanics.models.inverse.loop import quotient
from manipula.mechanics.models.inverse.subproblems import Shift, Turn, Wrist, half_turned
from manipula.mechanics.spatial.vector import Matrix, Vector, add, column, rotate, unrotate
from manipula.scalar import Maths, Scalar

Moved = TypeVar("Moved", Turn, Shift, Turn | Shift)
Found = tuple[Sequence[tuple[Turn, Turn]], Scalar]


class Unknown(NamedTuple):
    """What is looked for: the motion of an axis of the loop, or the sum of the angles of parallel ones."""

    axes: tuple[int, ...]
    sense: int = 1  # −1: the motion undone

    def opposite(self) -> Unknown:
        return Unknown(self.axes, -self.sense)


def unknowns(*axes: int) -> tuple[Unknown, ...]:
    return tuple(Unknown((axis,)) for axis in axes)


class Subproblems:
    """Every root, in a fixed order, with the `fit` of the equation it comes from; `fits` are those met so far."""

    def __init__(self, maths: Maths[Scalar]) -> None:
        self.maths = maths
        self.fits: list[Scalar] = []

    def _note_fit(self, fit: Scalar) -> Scalar:
        self.fits.append(fit)
        return fit

    def note_known(self, x: Unknown, motion: Moved) -> Moved:
        """What an equation gives at once."""
        return motion

    def linear(self, x: Unknown, A: Scalar, B: Scalar, C: Scalar) -> tuple[Sequence[Turn], Scalar]:
        """A cos + B sin = C"""
        roots, fit = basic.linear(A, B, C, self.maths)
        return roots, self._note_fit(fit)

    def turn(self, x: Unknown, p: Vector, m: Vector) -> Turn:
        """Z p = m, of the components across z."""
        return basic.turn(p, m, self.maths)

    def quadratic(
        self, x: Unknown, v: Vector, e: Vector, square: Scalar, length: Scalar = 1
    ) -> tuple[Sequence[Shift], Scalar]:
        """|v + x·length·e|² = square, e a unit vector"""
        slides, rest = basic.quadratic(v, e, square, self.maths)
        return [Shift(quotient(slide.by, length)) for slide in slides], self._note_fit(rest)

    def distance(self, x: Unknown, p: Vector, R: Matrix, w: Vector, square: Scalar) -> tuple[Sequence[Turn], Scalar]:
        """|p + R Z w|² = square"""
        return self.linear(x, *basic.distance(p, R, w, square))

    def pair(self, first: Unknown, second: Unknown, p: Vector, R: Matrix, w: Vector, m: Vector) -> Found:
        """Z₁ (p + R Z₂ w) = m across z, where R keeps z: a planar arm of two links."""
        flat_p, flat_w = (p[0], p[1], 0), (w[0], w[1], 0)
        seconds, fit = self.distance(second, flat_p, R, flat_w, m[0] * m[0] + m[1] * m[1])
        return [(self.turn(first, add(flat_p, rotate(R, found.ahead(flat_w))), m), found) for found in seconds], fit

    def two_turns(self, first: Unknown, second: Unknown, R: Matrix, v: Vector, m: Vector) -> Found:
        """Z₁ R Z₂ v = m, where |v| = |m|"""
        roots, fit = basic.two_turns(R, v, m, self.maths)
        return roots, self._note_fit(fit)

    def complete_turn(self, x: Unknown, first: Turn, R2: Matrix, second: Turn, R3: Matrix, column_x: Vector) -> Turn:
        """The Z₃ of Z₁ R₂ Z₂ R₃ Z₃ = M"""
        return basic.complete_turn(first, R2, second, R3, column_x)

    def orientation(
        self, axes: Sequence[Unknown], R2: Matrix, R3: Matrix, M: Callable[[int], Vector], letter: str = "m"
    ) -> tuple[Sequence[Wrist], Scalar]:
        """Z₁ R₂ Z₂ R₃ Z₃ = M, of which any column can be had: the two settings of a wrist. `letter` is M's name."""
        roots, fit = basic.two_turns(R2, column(R3, 2), M(2), self.maths)
        (first, second), (other, opposite) = roots
        third = basic.complete_turn(first, R2, second, R3, M(0))
        if other.beside is None:
            last = basic.complete_turn(other, R2, opposite, R3, M(0))
        else:
            last = half_turned(third, other.beside.locked, self.maths)
        return [Wrist(first, second, third), Wrist(other, opposite, last)], self._note_fit(fit)

    def remaining_turn(
        self, axes: Sequence[Unknown], first: Turn, R2: Matrix, second: Turn, R3: Matrix, whole: Turn
    ) -> Turn:
        """The last of three parallel axes whose angles have a known sum: Z₁ R₂ Z₂ R₃ Z₃ = Z(whole)"""
        return basic.complete_turn(first, R2, second, R3, (whole.cos, whole.sin, 0))

    def second(self, axes: Sequence[Unknown], first: Turn, R: Matrix, whole: Turn) -> Turn:
        """The other of two parallel axes whose angles have a known sum: Z₁ R Z₂ = Z(whole)"""
        rest = unrotate(R, first.back((whole.cos, whole.sin, 0)))
        return Turn(rest[0], rest[1])

    def unless(self, locked: Scalar, found: Turn, rest: Callable[[], Turn]) -> Turn:
        """A turn that is undetermined where `locked`: there another may be chosen."""
        other = rest()
        cos, sin = (self.maths.select(locked, x, y) for x, y in ((other.cos, found.cos), (other.sin, found.sin)))
        return Turn(cos, sin)

    def reference(self, letter: str, x: Vector) -> Matrix:
        """F(x): a frame with x as its first axis."""
        return basic.reference(x, self.maths)

    def name_matrix(self, letter: str, M: Matrix) -> Matrix:
        """A matrix that later steps use often."""
        return M
