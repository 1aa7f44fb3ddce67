"""A rigid body by its second moments: the ten numbers of `Inertia` in the form that composite bodies are carried in.

m = ∫dm      s = ∫r dm      K = ∫r rᵀ dm      I = tr(K) 1 − K
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from manipula.mechanics.spatial.inertia import Inertia
from manipula.mechanics.spatial.placement import Placement
from manipula.mechanics.spatial.vector import (
    NULL,
    Matrix,
    Vector,
    add,
    matadd,
    matmul,
    outer,
    rotate,
    scale,
    symmetric,
    transpose,
)


@dataclass(frozen=True)
class Moments:
    """A body by its mass m, first moments s and second moments K = ∫r rᵀ dm, about the frame's origin.

    Whoever needs K of a composite body carries this one: I would have to be turned back each time.
    """

    m: Any = 0
    s: Vector = NULL
    K: Matrix = (NULL, NULL, NULL)

    def __add__(self, other: Moments) -> Moments:
        return Moments(self.m + other.m, add(self.s, other.s), matadd(self.K, other.K))

    def tensor(self) -> Matrix:
        """I = tr(K) 1 − K"""
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = self.K
        return symmetric(yy + zz, -xy, -xz, xx + zz, -yz, xx + yy)

    def seen_from(self, at: Placement) -> Moments:
        """From frame a, `at` being pose_a_b:  R K Rᵀ + s pᵀ + p (s + m p)ᵀ,   s + m p,   with s turned first"""
        s = rotate(at.R, self.s)
        shifted = add(s, scale(self.m, at.p))
        K = matmul(matmul(at.R, self.K), transpose(at.R))
        K = matadd(K, matadd(outer(s, at.p), outer(at.p, shifted)))
        return Moments(self.m, shifted, symmetric(K[0][0], K[0][1], K[0][2], K[1][1], K[1][2], K[2][2]))


def moments_of(body: Inertia) -> Moments:
    return Moments(body.m, body.s, body.second_moments())
