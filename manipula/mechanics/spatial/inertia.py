"""Rigid-body inertia about a frame's origin: mass, first moments, tensor. Linear in its ten numbers.

m = ∫dm      s = ∫r dm      I = ∫(r·r 1 − r rᵀ) dm      K = ∫r rᵀ dm = ½tr(I) 1 − I
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from manipula.mechanics.spatial.placement import Placement
from manipula.mechanics.spatial.vector import (
    NULL,
    Matrix,
    Vector,
    add,
    diagonal,
    dot,
    matadd,
    matmul,
    matscale,
    matsub,
    outer,
    rotate,
    scale,
    trace,
    transpose,
)


@dataclass(frozen=True)
class Inertia:
    """Mass m, first moments s, tensor I, all about the origin of the frame."""

    m: Any = 0
    s: Vector = NULL
    I: Matrix = (NULL, NULL, NULL)

    def __add__(self, other: Inertia) -> Inertia:
        return Inertia(self.m + other.m, add(self.s, other.s), matadd(self.I, other.I))

    def second_moments(self) -> Matrix:
        """K = ½tr(I) 1 − I"""
        return matsub(diagonal(half(trace(self.I))), self.I)

    def seen_from(self, at: Placement) -> Inertia:
        """The same body about the origin and axes of frame a, where `at` is pose_a_b and self is in b."""
        s = rotate(at.R, self.s)
        I = matmul(matmul(at.R, self.I), transpose(at.R))
        return Inertia(self.m, add(s, scale(self.m, at.p)), matadd(I, steiner(self.m, s, at.p)))


NOTHING = Inertia()


def half(x: Any) -> Any:
    """x/2 for every scalar that mixes with int (floats, expressions, fields)."""
    return Fraction(x, 2) if isinstance(x, int) else x / 2


def reciprocal(x: Any) -> Any:
    """1/x, exact where x is an int: the inertia of an arm whose numbers are all 0 and 1."""
    return Fraction(1, x) if isinstance(x, int) else 1 / x


def steiner(m: Any, s: Vector, p: Vector) -> Matrix:
    """What a shift p of a body (m, s) adds to its tensor: (2 s·p + m p·p) 1 − s pᵀ − p sᵀ − m p pᵀ"""
    q = add(s, scale(m, p))  # first moments after the shift
    return matsub(diagonal(dot(s, p) + dot(p, q)), matadd(outer(s, p), outer(p, q)))


def inertia_from_com(m: Any, c: Vector, Ic: Matrix) -> Inertia:
    """From the centre of mass c and the tensor about it: I = Ic + m (c·c 1 − c cᵀ)"""
    s = scale(m, c)
    return Inertia(m, s, matadd(Ic, matsub(diagonal(dot(c, s)), outer(c, s))))


def tensor_from_second_moments(K: Matrix) -> Matrix:
    """I = tr(K) 1 − K"""
    return matsub(diagonal(trace(K)), K)


def scaled(k: Any, body: Inertia) -> Inertia:
    return Inertia(k * body.m, scale(k, body.s), matscale(k, body.I))
