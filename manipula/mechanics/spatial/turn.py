"""A turn about z, by its cosine and sine: what it does to vectors and to 3×3 matrices."""

from __future__ import annotations

from manipula.mechanics.spatial.vector import Matrix, Vec3, Vector
from manipula.scalar import Scalar

Turn = tuple[Scalar, Scalar]  # cosine, sine
STRAIGHT: Turn = (1, 0)


def turned(turn: Turn, a: Vector) -> Vec3:
    """Rz a"""
    c, s = turn
    return Vec3((c * a[0] - s * a[1], s * a[0] + c * a[1], a[2]))


def unturned(turn: Turn, a: Vector) -> Vec3:
    """Rzᵀ a"""
    c, s = turn
    return Vec3((c * a[0] + s * a[1], c * a[1] - s * a[0], a[2]))


def turned_matrix(turn: Turn, A: Matrix) -> Matrix:
    """Rz A Rzᵀ; the upper block in fewer steps, by e = s (yy − xx) − c (xy + yx)"""
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = A
    c, s = turn
    e = s * (yy - xx) - c * (xy + yx)
    se, ce = s * e, c * e
    return (
        (xx + se, -ce - yx, c * xz - s * yz),
        (-ce - xy, yy - se, s * xz + c * yz),
        (c * zx - s * zy, s * zx + c * zy, zz),
    )
