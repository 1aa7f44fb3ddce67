"""One rigid body, about a frame's origin: mass, first moments, second moments. Linear in its ten numbers.

    m = ∫dm      s = ∫r dm      K = ∫r rᵀ dm      I = ∫(r·r 1 − r rᵀ) dm = tr(K) 1 − K      K = ½tr(I) 1 − I

The second moments are carried in one of two forms: as the tensor I, of which momentum asks, or as K, of which the
acceleration field and the traces of Lagrange's coefficients ask. Either is a view of the other; a body keeps its form
through sums, turns and shifts, so that nothing is converted on the way.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from manipula.mechanics.spatial.placement import Placement
from manipula.mechanics.spatial.vector import (
    NULL,
    Matrix,
    Turn,
    Vector,
    add,
    cross,
    diagonal,
    dot,
    matadd,
    matsub,
    neg,
    outer,
    rotate,
    rotate_matrix,
    rotate_z,
    scale,
    symmetric,
    trace,
    turned_matrix,
    unrotate,
)
from manipula.scalar import Scalar


@dataclass(frozen=True)
class InertiaTensor:
    """The second moments of a body as its tensor I."""

    I: Matrix = (NULL, NULL, NULL)

    @cached_property
    def K(self) -> Matrix:
        """½tr(I) 1 − I"""
        return matsub(diagonal(half(trace(self.I))), self.I)

    @property
    def J(self) -> Scalar:
        return self.I[2][2]

    def __add__(self, other: Second) -> InertiaTensor:
        return InertiaTensor(matadd(self.I, other.I))

    def rotate(self, R: Matrix) -> InertiaTensor:
        return InertiaTensor(rotate_matrix(R, self.I))

    def about_z(self, turn: Turn) -> InertiaTensor:
        return InertiaTensor(turned_matrix(turn, self.I))

    def shift(self, s: Vector, after: Vector, p: Vector) -> InertiaTensor:
        """Of a body shifted by p, its first moments before and after:  I + (s·p + p·s') 1 − s pᵀ − p s'ᵀ"""
        added = matsub(diagonal(dot(s, p) + dot(p, after)), matadd(outer(s, p), outer(p, after)))
        return InertiaTensor(matadd(self.I, added))


@dataclass(frozen=True)
class Moments:
    """The second moments of a body as K."""

    K: Matrix

    @cached_property
    def I(self) -> Matrix:
        """tr(K) 1 − K"""
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = self.K
        return symmetric(yy + zz, -xy, -xz, xx + zz, -yz, xx + yy)

    @property
    def J(self) -> Scalar:
        return self.I[2][2]

    def __add__(self, other: Second) -> Moments:
        return Moments(matadd(self.K, other.K))

    def rotate(self, R: Matrix) -> Moments:
        return Moments(rotate_matrix(R, self.K))

    def about_z(self, turn: Turn) -> Moments:
        return Moments(turned_matrix(turn, self.K))

    def shift(self, s: Vector, after: Vector, p: Vector) -> Moments:
        """K + s pᵀ + p s'ᵀ"""
        return Moments(matadd(self.K, matadd(outer(s, p), outer(p, after))))


@dataclass(frozen=True)
class AxialMoments:
    """K, and beside it J = Kxx + Kyy, which no turn about z changes: for bodies that are turned about z on the way."""

    K: Matrix
    J: Scalar

    @property
    def I(self) -> Matrix:
        return Moments(self.K).I

    def __add__(self, other: Second) -> AxialMoments:
        return AxialMoments(matadd(self.K, other.K), self.J + other.J)

    def rotate(self, R: Matrix) -> AxialMoments:
        return axial_moments(rotate_matrix(R, self.K))

    def about_z(self, turn: Turn) -> AxialMoments:
        """Kxx − s u, Kyy + s u, c u − Kxy, with u = (Kxx − Kyy) s + 2Kxy c; (Kxz, Kyz) turns as a vector"""
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = self.K
        c, s = turn
        u = (xx - yy) * s + 2 * xy * c
        xz, yz, _ = rotate_z(turn, (xz, yz, 0))
        return AxialMoments(symmetric(xx - s * u, c * u - xy, xz, yy + s * u, yz, zz), self.J)

    def shift(self, s: Vector, after: Vector, p: Vector) -> AxialMoments:
        """K + s pᵀ + p s'ᵀ,  J + p_x (s + s')_x + p_y (s + s')_y"""
        K = matadd(self.K, matadd(outer(s, p), outer(p, after)))
        return AxialMoments(K, self.J + (p[0] * (s[0] + after[0]) + p[1] * (s[1] + after[1])))


Second = InertiaTensor | Moments | AxialMoments


@dataclass(frozen=True)
class RigidBody:
    """Mass m, first moments s, second moments, all about the origin of the frame."""

    m: Scalar = 0
    s: Vector = NULL
    second: Second = InertiaTensor()

    @property
    def I(self) -> Matrix:
        """The tensor."""
        return self.second.I

    @property
    def K(self) -> Matrix:
        """∫r rᵀ dm"""
        return self.second.K

    @property
    def J(self) -> Scalar:
        """∫(x² + y²) dm, the moment about z"""
        return self.second.J

    def by_moments(self) -> RigidBody:
        """The same body, carried by K."""
        return RigidBody(self.m, self.s, Moments(self.K))

    def by_axial_moments(self) -> RigidBody:
        """The same body, carried by K and J."""
        return RigidBody(self.m, self.s, axial_moments(self.K))

    def __add__(self, other: RigidBody) -> RigidBody:
        """Two bodies as one; the form is that of the first."""
        return RigidBody(self.m + other.m, add(self.s, other.s), self.second + other.second)

    def rotate(self, R: Matrix) -> RigidBody:
        """After the turn R about the origin."""
        return RigidBody(self.m, rotate(R, self.s), self.second.rotate(R))

    def about_z(self, turn: Turn) -> RigidBody:
        """After a turn about z, in fewer steps."""
        return RigidBody(self.m, rotate_z(turn, self.s), self.second.about_z(turn))

    def shift(self, p: Vector) -> RigidBody:
        """After a shift by p:  s' = s + m p"""
        after = add(self.s, scale(self.m, p))
        return RigidBody(self.m, after, self.second.shift(self.s, after, p))

    def seen_from(self, at: Placement) -> RigidBody:
        """The same body about the origin and axes of frame a, where `at` is pose_a_b and self is in b."""
        return self.rotate(at.R).shift(at.p)


NOTHING = RigidBody()


def quotient(x: Scalar, y: Scalar) -> Scalar:
    """x/y; zeros and ones of the structure are whole numbers, of which / would make a float."""
    return Fraction(x, y) if isinstance(x, int) and isinstance(y, int) else x / y


def half(x: Scalar) -> Scalar:
    """x/2 for every scalar that mixes with int (floats, expressions, fields)."""
    return quotient(x, 2)


def reciprocal(x: Scalar) -> Scalar:
    """1/x, exact where x is an int: the inertia of an arm whose numbers are all 0 and 1."""
    return quotient(1, x)


def axial_moments(K: Matrix) -> AxialMoments:
    return AxialMoments(K, K[0][0] + K[1][1])


def rod(Kzz: Scalar) -> InertiaTensor:
    """The tensor of masses on z."""
    return InertiaTensor(symmetric(Kzz, 0, 0, Kzz, 0, 0))


def body_from_com(m: Scalar, c: Vector, Ic: Matrix) -> RigidBody:
    """From the centre of mass c and the tensor about it: I = Ic + m (c·c 1 − c cᵀ)"""
    s = scale(m, c)
    return RigidBody(m, s, InertiaTensor(matadd(Ic, matsub(diagonal(dot(c, s)), outer(c, s)))))


def tensor_from_second_moments(K: Matrix) -> InertiaTensor:
    """I = tr(K) 1 − K"""
    return InertiaTensor(matsub(diagonal(trace(K)), K))


# Twists and wrenches: a motion with its angular part, a force with its moment, and how frames see them.
#
# Featherstone, "Rigid Body Dynamics Algorithms" (2008), sections 2.1–2.9: spatial motion and force vectors; what a
# frame
# change does to them is eqs. (2.24) and (2.25), the power of one along the other (2.1), momentum of a body (2.61).


@dataclass(frozen=True)
class Twist:
    """Angular velocity w, and velocity v of the point at the frame's origin."""

    w: Vector
    v: Vector

    def in_frame(self, at: Placement) -> Twist:
        """The same motion in frame b; `at` is pose_a_b and self is in a: Rᵀω, Rᵀ(v + ω×p)"""
        return Twist(unrotate(at.R, self.w), unrotate(at.R, add(self.v, cross(self.w, at.p))))

    def __add__(self, other: Twist) -> Twist:
        return Twist(add(self.w, other.w), add(self.v, other.v))

    def __mul__(self, k: Scalar) -> Twist:
        return Twist(scale(k, self.w), scale(k, self.v))


@dataclass(frozen=True)
class Wrench:
    """A force f and its moment n about the frame's origin (or a momentum and its moment)."""

    f: Vector
    n: Vector

    def __add__(self, other: Wrench) -> Wrench:
        return Wrench(add(self.f, other.f), add(self.n, other.n))

    def __neg__(self) -> Wrench:
        return Wrench(neg(self.f), neg(self.n))

    def __mul__(self, k: Scalar) -> Wrench:
        return Wrench(scale(k, self.f), scale(k, self.n))

    def in_frame(self, at: Placement) -> Wrench:
        """The same force seen from frame a; `at` is pose_a_b and self is in b: R f, R n + p×R f"""
        f = rotate(at.R, self.f)
        return Wrench(f, add(rotate(at.R, self.n), cross(at.p, f)))


def power(twist: Twist, force: Wrench) -> Scalar:
    """ω·n + v·f"""
    return dot(twist.w, force.n) + dot(twist.v, force.f)


def momentum(body: RigidBody, twist: Twist) -> Wrench:
    """m v + ω×s,  I ω + s×v"""
    return Wrench(
        add(scale(body.m, twist.v), cross(twist.w, body.s)),
        add(rotate(body.I, twist.w), cross(body.s, twist.v)),
    )
