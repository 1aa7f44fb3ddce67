"""Seven axes, shoulder and wrist spherical: the arm angle ψ chooses one of the circle of elbows.

S is the shoulder, W the wrist seen from it, v = SW seen from axis 3 when the elbow is bent. R₀₃ v = W leaves one
freedom, a turn about SW:  R₀₃ = F(W) X(ψ) F(v)ᵀ, where F(x) has x/|x| as its first column and z × x as its second. So ψ
is the angle between the plane of SW and axis 1 and the plane of SW and axis 3.

Source: the arm angle is that of Kreutz-Delgado, Long, Seraji, "Kinematic analysis of 7-DOF manipulators", International
Journal of Robotics Research 11 (1992); the frames F are chosen here.
"""

from __future__ import annotations

from functools import partial

from manipula.mechanics.models.inverse.loop import Loop
from manipula.mechanics.models.inverse.solving import Subproblems, unknowns
from manipula.mechanics.models.inverse.structures import Branch
from manipula.mechanics.models.inverse.subproblems import Turn, reference
from manipula.mechanics.spatial.placement import turn_about
from manipula.mechanics.spatial.vector import (
    Matrix,
    Vector,
    add,
    column,
    dot,
    matmul,
    rotate,
    transpose,
    unrotate,
)
from manipula.scalar import Maths, Scalar


def arm_angle(loop: Loop, psi: Scalar, by: Subproblems) -> list[Branch]:
    """Elbow, shoulder, wrist: eight branches. p₂ = p₃ = p₆ = p₇ = 0."""
    o, g2, g3, g4, g5, g6, g7 = loop.gaps
    maths, axes = by.maths, unknowns(*range(7))
    W, X = o.back.p, turn_about("x", maths.cos(psi), maths.sin(psi)).R
    elbows, fit4 = by.distance(axes[3], g4.there.p, g4.there.R, g5.there.p, dot(W, W))
    found = []
    for elbow in elbows:
        v = shoulder_to_wrist(loop, elbow)
        R03 = by.name_matrix("r", matmul(matmul(by.reference("f", W), X), transpose(by.reference("e", v))))
        shoulders, fit2 = by.orientation(axes[:3], g2.there.R, g3.there.R, partial(column, R03), "r")
        M = partial(_to_wrist, loop, R03, elbow)
        wrists, fit6 = by.orientation(axes[4:], g6.there.R, g7.there.R, M)
        fit = maths.minimum(fit4, maths.minimum(fit2, fit6))
        found += [Branch((*s, elbow, *w), fit) for s in shoulders for w in wrists]
    return found


def shoulder_to_wrist(loop: Loop, elbow: Turn) -> Vector:
    """v, seen from axis 3"""
    g4, g5 = loop.gaps[3], loop.gaps[4]
    return add(g4.there.p, rotate(g4.there.R, elbow.ahead(g5.there.p)))


def _to_wrist(loop: Loop, R03: Matrix, elbow: Turn, j: int) -> Vector:
    """R₅ᵀ Z₄ᵀ R₄ᵀ R₀₃ᵀ v, v column j of the tool's axes"""
    o, g4, g5 = loop.gaps[0], loop.gaps[3], loop.gaps[4]
    return unrotate(g5.there.R, elbow.back(unrotate(g4.there.R, unrotate(R03, column(o.back.R, j)))))


def angle_of(loop: Loop, motions: tuple[Turn, ...], maths: Maths[Scalar]) -> Scalar:
    """The arm angle of a configuration: X(ψ) = F(W)ᵀ R₀₃ F(v), the loop read at its pose."""
    v = reference(shoulder_to_wrist(loop, motions[3]), maths)
    W = reference(loop.gaps[0].back.p, maths)
    side = column(v, 1)
    for gap, motion in ((loop.gaps[2], motions[2]), (loop.gaps[1], motions[1])):
        side = rotate(gap.there.R, motion.ahead(side))
    seen = unrotate(W, motions[0].ahead(side))
    return maths.atan2(seen[2], seen[1])
