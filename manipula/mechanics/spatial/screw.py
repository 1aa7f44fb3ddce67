"""A turn about any axis, and the displacement along a screw, over any scalar.

A screw axis is a twist (ω, v) of a joint that moves by one radian, or by one metre, a second: |ω| = 1 of a joint that
turns, ω = 0 and |v| = 1 of one that slides. Its pitch is h = ω·v, the advance per radian; the point of its axis nearest
to the origin is ω × v.

Source: Lynch and Park, "Modern Robotics" (2017), eqs. (3.51) and (3.88), sections 3.3.3 and 4.1.
"""

from __future__ import annotations

from manipula.mechanics.spatial.inertia import Twist
from manipula.mechanics.spatial.placement import Placement
from manipula.mechanics.spatial.vector import (
    Matrix,
    Vector,
    add,
    cross,
    diagonal,
    dot,
    matadd,
    outer,
    rotate,
    scale,
    skew,
)
from manipula.scalar import Maths, Scalar


def rotation_about(u: Vector, cos: Scalar, sin: Scalar) -> Matrix:
    """Rodrigues: R = cos 1 + sin [u]× + (1 − cos) u uᵀ, of a unit vector u"""
    rest = scale(1 - cos, u)
    turned = tuple(scale(sin, row) for row in skew(u))
    return matadd(matadd(diagonal(cos), (turned[0], turned[1], turned[2])), outer(rest, u))


def screw_from_frame(at: Placement, screw: Twist) -> Twist:
    """The screw seen from frame a; `at` is pose_a_b and the screw is given in b: R ω, R v + p × R ω"""
    w = rotate(at.R, screw.w)
    return Twist(w, add(rotate(at.R, screw.v), cross(at.p, w)))


def pitch_of(screw: Twist) -> Scalar:
    """h = ω·v"""
    return dot(screw.w, screw.v)


def displacement_along(
    screw: Twist, amount: Scalar, maths: Maths[Scalar], turns: bool = True, advances: bool = True
) -> Placement:
    """e^{[S]q}: R of Rodrigues, p = sin q v + (1 − cos q) ω × v + h (q − sin q) ω; of a slide 1 and q v.

    (3.88) with ω × (ω × v) = h ω − v. A screw that is known not to advance has h = 0: its angle then stands in sines
    and cosines alone.
    """
    if not turns:
        return Placement(p=scale(amount, screw.v))
    w, v, cos, sin = screw.w, screw.v, maths.cos(amount), maths.sin(amount)
    p = add(scale(sin, v), scale(1 - cos, cross(w, v)))
    if advances:
        p = add(p, scale(pitch_of(screw) * (amount - sin), w))
    return Placement(rotation_about(w, cos, sin), p)
