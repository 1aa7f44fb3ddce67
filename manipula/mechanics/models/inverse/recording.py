"""The closed form told instead of computed: the same text run once, every subproblem noted with its equation.

A `Recording` stands where `Subproblems` would. It notes what it is asked, and answers with the joint's own motion in
letters, so that every later equation is written in the sines and cosines found before. There is one root to follow
then, not two; the equations are noted for the joint's coordinate q, whatever sense and offset the loop counts it with.

An arm of two links, for example: the text asks first for the elbow, `distance`, |p + R Z w| = r. `Subproblems` would
answer with two roots, pairs of numbers (cos, sin). A recording notes the equation for q2 and answers (c2, s2). The text
goes on and asks for the shoulder, `turn`, Z p = m; but p is now written in c2 and s2, and so is the second note.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from manipula.mechanics.models.inverse import subproblems as basic
from manipula.mechanics.models.inverse.loop import Axis, Loop
from manipula.mechanics.models.inverse.slides import rotation
from manipula.mechanics.models.inverse.solving import Found, Moved, Subproblems, Unknown
from manipula.mechanics.models.inverse.subproblems import STILL, Shift, Turn, Wrist
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.spatial.vector import (
    Matrix,
    Vector,
    add,
    column,
    cross,
    dot,
    rotate,
    scale,
    transpose,
    unrotate,
)
from manipula.scalar import Scalar

# What a recording notes of a closed form: one entry for each equation, written for the joint's coordinate q.


class LoopCoordinate(NamedTuple):
    """x = sense·q + offset: how a motion of the loop follows from a joint's coordinate, or from a sum of them."""

    axes: tuple[int, ...]
    signs: tuple[int, ...]  # q = Σ sign·(coordinate of the axis)
    q: Any
    sense: int
    offset: Any  # a Turn, or the length of a Shift


@dataclass(frozen=True)
class Balance:
    """left = right, component by component: where the next steps come from."""

    sides: tuple[tuple[Scalar, Scalar], ...]


@dataclass(frozen=True)
class CosineSineEquation:
    """A cos q + B sin q = C; `rest` is A² + B² − C², `sure` that it is never negative; sense −1 exchanges the roots.

    `others`: axes that the equation was chosen not to know; `matrix`: the letter of the turn it is an entry of.
    """

    x: LoopCoordinate
    A: Scalar
    B: Scalar
    C: Scalar
    rest: Any
    reason: str
    sure: bool = False
    others: tuple[int, ...] = ()
    matrix: str = ""


@dataclass(frozen=True)
class Turned:
    """Z(q) p = m across z"""

    x: LoopCoordinate
    p: tuple[Scalar, Scalar]
    m: tuple[Scalar, Scalar]
    matrix: str = ""


@dataclass(frozen=True)
class Known:
    """cos q and sin q, or q itself where it slides. Of the last axis of a wrist also Z(x)ᵀ row = (x, y)"""

    x: LoopCoordinate
    values: tuple[Scalar, ...]
    matrix: str = ""
    row: tuple[Scalar, Scalar] = (0, 0)
    xy: tuple[Scalar, Scalar] = (0, 0)


@dataclass(frozen=True)
class Quadratic:
    """(x·length + h)² = rest, x = sense·q + offset"""

    x: LoopCoordinate
    h: Scalar
    rest: Scalar
    length: Scalar


@dataclass(frozen=True)
class Remainder:
    """q = sign·(whole − the others): the last of a sum"""

    x: LoopCoordinate
    whole: LoopCoordinate


@dataclass(frozen=True)
class Lock:
    """Where `off` is zero the first and the third axis are in line, and only x₁ ± x₃ is determined."""

    first: LoopCoordinate
    third: LoopCoordinate
    off: tuple[Scalar, Scalar]


@dataclass(frozen=True)
class NamedMatrix:
    """A matrix by its letter; `side` is the length that must not be zero for its axes to be determined."""

    letter: str
    side: Any = None


Note = Balance | CosineSineEquation | Turned | Known | Quadratic | Remainder | Lock | NamedMatrix


def own_values(at: LoopCoordinate, motion: Turn | Shift) -> tuple[Scalar, ...]:
    """cos q and sin q, or q, from those of x = sense·q + offset"""
    if isinstance(motion, Shift):
        return (at.sense * (motion.by - at.offset),)
    cos, sin, _ = at.offset.back((motion.cos, motion.sin, 0))
    return cos, at.sense * sin


Name = Callable[[str, str, Scalar], Any]  # letter, index, value → the same value under a name


class Recording(Subproblems):
    """`q`: the coordinate of every axis of the loop; `name` gives letters to quantities; `note` takes the steps."""

    def __init__(self, chain: Tree, loop: Loop, q: Sequence[Scalar], name: Name, note: Callable[[Note], None]) -> None:
        super().__init__(chain.maths)
        self.chain, self.loop, self.q, self.name, self.note = chain, loop, q, name, note
        self.found: set[tuple[int, ...]] = set()

    # coordinates

    def coordinate(self, x: Unknown) -> LoopCoordinate:
        """How the unknown follows from the joints' coordinates."""
        kinds = [self.loop.axes[axis].kind for axis in x.axes]
        if kinds == ["prismatic"]:
            sense, offset = self._own(self.loop.axes[x.axes[0]], x.sense)
            return LoopCoordinate(x.axes, (1,), self.q[x.axes[0]], sense, offset)
        return self._angle_coordinate(x)

    def _own(self, axis: Axis, sense: int) -> tuple[int, Scalar]:
        """(sense, offset) of one axis"""
        if axis.joint is None:
            return sense * axis.sense, 0
        link = self.chain.links[axis.joint]
        return sense * axis.sense * link.direction, link.offset if sense * axis.sense == 1 else -link.offset

    def _angle_coordinate(self, x: Unknown) -> LoopCoordinate:
        """The angle of an axis, or the sum over parallel ones with the constant turns between them."""
        total, senses = STILL, []
        for place, axis in enumerate(x.axes):
            sense, offset = self._own(self.loop.axes[axis], x.sense)
            senses.append(sense)
            if place:
                R = rotation(self.loop, x.axes[place - 1], axis)
                total = total.then(Turn(R[0][0], R[1][0]))
            if not (isinstance(offset, int) and offset == 0):
                total = total.then(Turn(self.maths.cos(offset), self.maths.sin(offset)))
        signs = tuple(senses[0] * sense for sense in senses)
        q = self.q[x.axes[0]]
        for axis, sign in zip(x.axes[1:], signs[1:], strict=True):
            q = q + self.q[axis] if sign > 0 else q - self.q[axis]
        return LoopCoordinate(x.axes, signs, q, senses[0], total)

    def motion(self, at: LoopCoordinate) -> Any:
        """The motion of the loop, in letters."""
        if not isinstance(at.offset, Turn):
            return Shift((at.q if at.sense == 1 else -at.q) + at.offset)
        cos, sin = self.maths.cos(at.q), self.maths.sin(at.q)
        return Turn(cos, sin if at.sense == 1 else -sin).then(at.offset)

    def _once(self, at: LoopCoordinate, note: Callable[[], Note]) -> Any:
        """An unknown is found once; asked again, it has the same letters."""
        if at.axes not in self.found:
            self.found.add(at.axes)
            self.note(note())
        return self.motion(at)

    # subproblems

    def note_known(self, x: Unknown, motion: Moved) -> Moved:
        at = self.coordinate(x)
        return self._once(at, lambda: Known(at, own_values(at, motion)))  # type: ignore[no-any-return]

    def linear(self, x: Unknown, A: Scalar, B: Scalar, C: Scalar) -> tuple[Sequence[Turn], Scalar]:
        return self._linear(x, A, B, C, A * A + B * B - C * C, "height")

    def _linear(
        self, x: Unknown, A: Scalar, B: Scalar, C: Scalar, rest: Scalar, reason: str, **more: Any
    ) -> tuple[Sequence[Turn], Scalar]:
        """A cos x + B sin x = (A cos δ + B sin δ) cos q ± (B cos δ − A sin δ) sin q"""
        at = self.coordinate(x)
        across = at.offset.back((A, B, 0))
        return [
            self._once(at, lambda: CosineSineEquation(at, across[0], at.sense * across[1], C, rest, reason, **more))
        ], 1

    def turn(self, x: Unknown, p: Vector, m: Vector) -> Turn:
        return self._turn_between(x, p, m)

    def _turn_between(self, x: Unknown, p: Vector, m: Vector, matrix: str = "") -> Turn:
        """Z(x) p = Z(±q) (Z(δ) p); a turn the other way is one of the picture seen from below, where y is −y."""
        at = self.coordinate(x)
        seen = at.offset.ahead(p)
        flat = (seen[0], at.sense * seen[1]), (m[0], at.sense * m[1])
        return self._once(at, lambda: Turned(at, *flat, matrix))  # type: ignore[no-any-return]

    def distance(self, x: Unknown, p: Vector, R: Matrix, w: Vector, square: Scalar) -> tuple[Sequence[Turn], Scalar]:
        A, B, C = (2 * term for term in basic.distance(p, R, w, square))
        return self._linear(x, A, B, C, A * A + B * B - C * C, "distance")

    def pair(self, first: Unknown, second: Unknown, p: Vector, R: Matrix, w: Vector, m: Vector) -> Found:
        at = self.coordinate(first)
        m = (*(self.name("gamma", "", entry) for entry in m[:2]), 0)
        flat_p, flat_w = (p[0], p[1], 0), (w[0], w[1], 0)
        bent = add(flat_p, rotate(R, self.motion(self.coordinate(second)).ahead(flat_w)))
        sides = self.motion(at).ahead(bent)
        self.note(Balance(tuple(zip(m[:2], sides[:2], strict=True))))
        return super().pair(first, second, p, R, w, m)

    def quadratic(
        self, x: Unknown, v: Vector, e: Vector, square: Scalar, length: Scalar = 1
    ) -> tuple[Sequence[Shift], Scalar]:
        at, h = self.coordinate(x), dot(v, e)
        rest = square - dot(v, v) + h * h
        return [self._once(at, lambda: Quadratic(at, h, rest, length))], 1

    def two_turns(self, first: Unknown, second: Unknown, R: Matrix, v: Vector, m: Vector) -> Found:
        return self._two_turns(first, second, R, v, m)

    def _two_turns(self, first: Unknown, second: Unknown, R: Matrix, v: Vector, m: Vector, matrix: str = "") -> Found:
        """The third row, r·Z₂v = m_z, then the other two."""
        r, Z2 = R[2], self.motion(self.coordinate(second))
        sides = self.motion(self.coordinate(first)).ahead(rotate(R, Z2.ahead(v)))
        self.note(Balance(tuple(zip(m, sides, strict=True))))
        A, B = r[0] * v[0] + r[1] * v[1], r[1] * v[0] - r[0] * v[1]
        miss = v[2] - r[2] * m[2]
        rest = (1 - r[2] * r[2]) * (m[0] * m[0] + m[1] * m[1]) - miss * miss
        more = {"sure": basic.vanish(r[2], v[2]), "others": first.axes, "matrix": matrix}
        self._linear(second, A, B, m[2] - r[2] * v[2], rest, "entry", **more)
        return [(self._turn_between(first, rotate(R, Z2.ahead(v)), m, matrix), Z2)], 1

    def complete_turn(self, x: Unknown, first: Turn, R2: Matrix, second: Turn, R3: Matrix, column_x: Vector) -> Turn:
        at = self.coordinate(x)
        found = basic.complete_turn(first, R2, second, R3, column_x)
        return self._once(at, lambda: Known(at, own_values(at, found)))  # type: ignore[no-any-return]

    def orientation(
        self, axes: Sequence[Unknown], R2: Matrix, R3: Matrix, M: Callable[[int], Vector], letter: str = "m"
    ) -> tuple[Sequence[Wrist], Scalar]:
        x, y, z = (tuple(self.name(letter, f"{i + 1}{j + 1}", x) for i, x in enumerate(M(j))) for j in range(3))
        one, two, three = axes
        roots, fit = self._two_turns(one, two, R2, column(R3, 2), z, letter)
        first, second = roots[0]
        at = self.coordinate(three)
        values = own_values(at, basic.complete_turn(first, R2, second, R3, x))
        row = unrotate(R3, second.back(R2[2]))
        self.note(Balance(tuple(zip((x[2], y[2]), self.motion(at).back(row)[:2], strict=True))))
        found = self._once(at, lambda: Known(at, values, letter, row[:2], (x[2], y[2])))
        self.note(Lock(self.coordinate(one), at, (z[0], z[1])))
        return [Wrist(first, second, found)], fit

    def remaining_turn(
        self, axes: Sequence[Unknown], first: Turn, R2: Matrix, second: Turn, R3: Matrix, whole: Turn
    ) -> Turn:
        return self._left(axes)

    def second(self, axes: Sequence[Unknown], first: Turn, R: Matrix, whole: Turn) -> Turn:
        return self._left(axes)

    def _left(self, axes: Sequence[Unknown]) -> Turn:
        """The last of a sum."""
        at = self.coordinate(axes[-1])
        together = self.coordinate(Unknown(tuple(x.axes[0] for x in axes)))
        return self._once(at, lambda: Remainder(at, together))  # type: ignore[no-any-return]

    def unless(self, locked: Scalar, found: Turn, rest: Callable[[], Turn]) -> Turn:
        return found

    def reference(self, letter: str, x: Vector) -> Matrix:
        length = self.name("l", "", self.maths.sqrt(dot(x, x)))
        side = self.name("l", "", self.maths.sqrt(x[0] * x[0] + x[1] * x[1]))
        self.note(NamedMatrix(letter, side))
        first, second = scale(1 / length, x), (-x[1] / side, x[0] / side, 0)
        return self._entries(letter, transpose((first, second, cross(first, second))))

    def name_matrix(self, letter: str, M: Matrix) -> Matrix:
        self.note(NamedMatrix(letter))
        return self._entries(letter, M)

    def _entries(self, letter: str, M: Matrix) -> Matrix:
        rows = (tuple(self.name(letter, f"{i + 1}{j + 1}", x) for j, x in enumerate(row)) for i, row in enumerate(M))
        return tuple(rows)  # type: ignore[return-value]
