"""Loops that a formula closes: the positions of passive joints from those that are known, root by root.

A loop is a ring of bodies. If all its joints but two (in a plane) or three (a leg in space) are known, it is a triangle
or a leg, whatever else the ring has: known joints only change the lengths of its sides.

| word | joints not known, and the cut         | closed by                                         | roots |
|------|---------------------------------------|---------------------------------------------------|-------|
| RRR  | two turns; the cut is a pin           | the law of cosines: four-bar, five-bar, cylinder  | 1     |
| RP   | a turn, then a slide; the cut: a pin  | a circle cut by a line: slider-crank              | 1     |
| PR   | a slide, then a turn; the cut: a pin  | the same                                          | 1     |
| RR   | two turns; the cut slides             | the same                                          | 1     |
| R    | one turn; a pin that is redundant     | its direction                                     | 0     |
| UPS  | two turns that cross at right angles, | the length of the leg, then its two angles        | 2     |
|      | then a slide; the cut is a ball       |                                                   |       |

In the plane vectors are complex numbers: l from the first joint to the second, m from there to the cut, d where the cut
must be, seen from the first joint,

    e^{ix} (l + e^{iφ} m) = d          k = (|d|² − |l|² − |m|²)/2     w = ±√(|l|²|m|² − k²)
    e^{iφ} conj(l) m = k + iw          e^{ix} = d conj(l) (|l|² + k − iw)/(|l|²|d|²)

so that no angle is taken of an angle. The sign of a root is the branch: on which side of the line between two pins the
third lies. It is read from a closed position of the assembly that is meant. A root of a negative number is NaN: with
the motors there the loops do not close.

Source: McCarthy, Soh, "Geometric Design of Linkages" (2011), chapter 2 (four-bar, slider-crank); Merlet, "Parallel
Robots" (2006), section 3.1 (legs); that a ring with known joints is a triangle is Assur's dyad.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, NamedTuple

from manipula.mechanics.models.closure.constraint import Walk, sides
from manipula.mechanics.robot.tree import LoopCut, Tree
from manipula.mechanics.spatial.vector import IDENTITY, Vector, add, cross, dot, neg, scale, sub
from manipula.scalar import Entries, Maths, Scalar


@dataclass(frozen=True)
class ClosedForm:
    """How one loop is closed: which coordinates it gives, in the order of the walk, and on which branch."""

    loop: str
    cut: int
    word: str  # of the table above
    coordinates: tuple[int, ...]
    joints: tuple[int, ...]  # which of the tree's those move there
    names: tuple[str, ...]
    signs: tuple[int, ...]  # of the roots
    quarters: tuple[int, ...]  # of every coordinate: quarter turns near which its angle is given; 0 of a slide
    back: bool = False  # walked from the second frame to the first
    across: int = 0  # an axis of the frame where the walk begins that lies in the plane of a loop whose cut slides
    proved: bool = field(default=False, compare=False)  # to close its loop identically, in a prime field

    @property
    def branch(self) -> str:
        """The signs of its roots as text: "+", "-", "+-"; empty where there is one way only."""
        return "".join("+" if sign > 0 else "-" for sign in self.signs)

    def as_dict(self) -> dict[str, Entries]:
        """Plain numbers and texts."""
        return {
            "loop": self.loop, "formula": self.word, "joints": list(self.names), "branch": self.branch,
            "proved": self.proved,
        }  # fmt: skip

    def __str__(self) -> str:
        return f"{self.loop}: {', '.join(self.names)} by {self.word}" + (
            f", branch {self.branch}" if self.signs else ""
        )


class PassedJoint(NamedTuple):
    """A joint on the walk around a loop: its axis and a point of it, seen from the frame where the walk begins; `way`
    is what its coordinate counts there for one along the axis."""

    z: Vector
    foot: Vector
    way: int


class ClosedScalars(NamedTuple):
    """Positions, and what the roots were taken of."""

    q: list[Any]
    radicands: list[Any]


class TurnTo(NamedTuple):
    """An angle by a multiple of its sine and cosine; `square` is that factor, above 0."""

    sin: Scalar
    cos: Scalar
    square: Scalar


def close_in_formulas(
    tree: Tree, forms: Sequence[ClosedForm], given: Mapping[int, Scalar], exact: bool = False
) -> ClosedScalars:
    """All coordinates from those that are given, each a value of its own to all that follows. `exact` is for a field
    with roots: directions are divided by their lengths, so that it sees a point of the circle and not a root of a
    square, whose sign it does not know; and no value is set apart."""
    q: list[Any] = [given.get(c, 0) for c in range(len(tree.coordinates))]
    radicands: list[Any] = []
    for form in forms:
        found = RingFormulas(tree, form, q, exact).solve()
        for c, x in zip(form.coordinates, found.q, strict=True):
            q[c] = x if exact else tree.maths.apart(x)
        radicands += found.radicands
    return ClosedScalars(q, radicands)


class RingFormulas:
    """One loop with the joints that are not known at 0."""

    def __init__(self, tree: Tree, form: ClosedForm, q: Sequence[Scalar], exact: bool = False) -> None:
        self.maths: Maths[Scalar] = tree.maths
        self.form, self.exact = form, exact
        cut = tree.cuts[form.cut]
        self.passed, self.end = walk_around(
            tree, reverse(cut) if form.back else cut, tree.coordinates.spread(q), form.joints
        )
        slides = cut.joint.lines if len(cut.joint.lines) < 3 else ()
        # the axis along which the cut itself slides, in the frame where the walk begins
        self.along = IDENTITY[({0, 1, 2} - set(slides)).pop()] if slides else None

    def solve(self) -> ClosedScalars:
        formulas = {"RRR": self._rrr, "R": self._r, "RP": self._rp, "PR": self._pr, "RR": self._rr, "UPS": self._ups}
        found = formulas[self.form.word]()
        return ClosedScalars([self._placed(x, i) for i, x in enumerate(found.q)], found.radicands)

    def _placed(self, x: Any, i: int) -> Any:
        """A direction or a length on the walk as the coordinate of its joint."""
        way = self.passed[i].way
        if not isinstance(x, TurnTo):
            return x if way > 0 else -x
        sin, cos, turns = x.sin if way > 0 else -x.sin, x.cos, self.form.quarters[i]
        sin, cos = ((sin, cos), (-cos, sin), (-sin, -cos), (cos, -sin))[turns % 4]
        if self.exact:
            sin, cos = sin / x.square, cos / x.square
        angle = self.maths.atan2(sin, cos)
        return angle + self.maths.degrees(Fraction(90 * turns)) if turns else angle

    def _root(self, x: Scalar, number: int) -> Scalar:
        root: Scalar = self.maths.sqrt(x)
        return root if self.form.signs[number] > 0 else -root

    def _flat(self, v: Vector) -> Vector:
        """Across the axis of the first joint that turns."""
        return _across(v, self.turning_joint.z)

    @property
    def turning_joint(self) -> PassedJoint:
        return self.passed[1] if self.form.word == "PR" else self.passed[0]

    def _rrr(self) -> ClosedScalars:
        """Two turns between three pins."""
        (first, second), z = self.passed, self.passed[0].z
        l, m, d = (self._flat(v) for v in (sub(second.foot, first.foot), sub(self.end.p, second.foot), neg(first.foot)))
        ll, mm, dd = dot(l, l), dot(m, m), dot(d, d)
        k = (dd - ll - mm) * self.maths.number(Fraction(1, 2))
        radicand = ll * mm - k * k
        w = self._root(radicand, 0)
        re, im, K = dot(l, m), dot(z, cross(l, m)), ll + k
        sense = dot(z, second.z)  # ±1: parallel, either way
        phi = TurnTo((w * re - k * im) * sense, k * re + w * im, ll * mm)
        reached = add(scale(K, l), scale(w, cross(z, l)))
        return ClosedScalars([_between(z, reached, d, ll * dd), phi], [radicand])

    def _r(self) -> ClosedScalars:
        """A bar that points to a known pin."""
        (joint,) = self.passed
        l, d = self._flat(sub(self.end.p, joint.foot)), self._flat(neg(joint.foot))
        return ClosedScalars([_between(joint.z, l, d, dot(d, d))], [])

    def _rp(self) -> ClosedScalars:
        """e^{ix} (l + y u) = d"""
        (first, second), z = self.passed, self.passed[0].z
        l, u, d = self._flat(sub(self.end.p, first.foot)), second.z, self._flat(neg(first.foot))
        y, radicand = self._cut_line(l, u, dot(d, d))
        return ClosedScalars([_between(z, add(l, scale(y, u)), d, dot(d, d)), y], [radicand])

    def _pr(self) -> ClosedScalars:
        """y u + e^{ix} l = d"""
        (first, second), z = self.passed, self.passed[1].z
        l, u, d = self._flat(sub(self.end.p, second.foot)), first.z, self._flat(neg(second.foot))
        y, radicand = self._cut_line(d, neg(u), dot(l, l))
        return ClosedScalars([y, _between(z, l, sub(d, scale(y, u)), dot(l, l))], [radicand])

    def _rr(self) -> ClosedScalars:
        """e^{ix} (l + e^{iφ} m) = d + y u with the whole turn x + φ known: the cut slides along u"""
        (first, second), z = self.passed, self.passed[0].z
        assert self.along is not None
        l, m, d = (self._flat(v) for v in (sub(second.foot, first.foot), sub(self.end.p, second.foot), neg(first.foot)))
        # the frames end up parallel: what the unknown joints turn together undoes what the others have turned
        x_a = IDENTITY[self.form.across]
        x_b = (dot(self.end.R[0], x_a), dot(self.end.R[1], x_a), dot(self.end.R[2], x_a))
        cos, sin = dot(x_b, x_a), -dot(z, cross(x_a, x_b))
        turned = add(scale(cos, m), scale(sin, cross(z, m)))
        rest, ll = sub(d, turned), dot(l, l)
        y, radicand = self._cut_line(rest, self.along, ll)
        reached = add(rest, scale(y, self.along))
        x = _between(z, l, reached, ll)
        sense = dot(z, second.z)
        # φ = (x + φ) − x
        phi = TurnTo((sin * x.cos - cos * x.sin) * sense, cos * x.cos + sin * x.sin, ll)
        return ClosedScalars([x, phi], [radicand])

    def _ups(self) -> ClosedScalars:
        """Rot(z₁, x₁) Rot(z₂, x₂) (b + y u) = t from the point where the axes cross; z₁ ⟂ z₂"""
        first, second, third = self.passed
        z1, z2, u = first.z, second.z, third.z
        z3 = cross(z1, z2)
        middle = add(first.foot, scale(dot(sub(second.foot, first.foot), z1), z1))
        b, t = sub(self.end.p, middle), neg(middle)
        y, radicand = self._cut_line(b, u, dot(t, t))
        w = add(b, scale(y, u))
        (w1, w2, w3), (t1, t2, t3) = ([dot(z, v) for z in (z1, z2, z3)] for v in (w, t))
        size = w1 * w1 + w3 * w3
        inner = size - t1 * t1
        r = self._root(inner, 1)
        x2 = TurnTo(t1 * w3 - r * w1, t1 * w1 + r * w3, size)
        x1 = TurnTo(w2 * t3 - r * t2, w2 * t2 + r * t3, w2 * w2 + r * r)
        return ClosedScalars([x1, x2, y], [radicand, inner])

    def _cut_line(self, l: Vector, u: Vector, square: Scalar) -> tuple[Scalar, Scalar]:
        """y with |l + y u|² = square, u of length 1; and what the root was taken of."""
        along = dot(l, u)
        radicand = along * along - dot(l, l) + square
        return self._root(radicand, 0) - along, radicand


def _between(z: Vector, one: Vector, other: Vector, square: Scalar) -> TurnTo:
    """The turn about z that takes one to the other."""
    return TurnTo(dot(z, cross(one, other)), dot(one, other), square)


def _across(v: Vector, z: Vector) -> Vector:
    return sub(v, scale(dot(z, v), z))


def reverse(cut: LoopCut) -> LoopCut:
    """A ball from its other side."""
    return replace(cut, on=cut.on[::-1], at=cut.at[::-1])


def walk_around(
    tree: Tree, cut: LoopCut, q: Sequence[Scalar], joints: Sequence[int]
) -> tuple[list[PassedJoint], LastFrame]:
    """Around the loop from its first frame: the joints requested in that order, and its second frame."""
    inward, outward = sides(tree, cut)
    walk, found = Walk(tree.maths), dict[int, PassedJoint]()
    walk.place(cut.at[0].inverse())
    for i in reversed(inward):
        walk.place(tree.links[i].after.inverse())
        z, foot = walk.move(tree.links[i], q[i], -1)
        found[i] = PassedJoint(z, foot, -tree.links[i].direction)
        walk.place(tree.links[i].before.inverse())
    for i in outward:
        walk.place(tree.links[i].before)
        z, foot = walk.move(tree.links[i], q[i], 1)
        found[i] = PassedJoint(z, foot, tree.links[i].direction)
        walk.place(tree.links[i].after)
    walk.place(cut.at[1])
    return [found[i] for i in joints], LastFrame(walk.R, walk.p)


class LastFrame(NamedTuple):
    R: Any
    p: Vector
