"""Vectors and 3×3 matrices over any scalar: tuples, so that a structural zero stays the int 0.

Whatever is computed here is a `Vec3`, which has operators, so that a text may write the book's line; any three scalars
in a tuple will do as an argument.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from manipula.scalar import Scalar

Vector = tuple[Scalar, Scalar, Scalar]
Matrix = tuple[Vector, Vector, Vector]  # rows


class Vec3(tuple[Scalar, Scalar, Scalar]):
    """Three scalars that add, subtract and scale: `a + b`, `a - b`, `-a`, `a * k`; a product of two has a name."""

    __slots__ = ()

    def __add__(self, other: Vector) -> Vec3:  # type: ignore[override]
        return Vec3((self[0] + other[0], self[1] + other[1], self[2] + other[2]))

    def __radd__(self, other: Vector) -> Vec3:
        return add(other, self)

    def __sub__(self, other: Vector) -> Vec3:
        return Vec3((self[0] - other[0], self[1] - other[1], self[2] - other[2]))

    def __rsub__(self, other: Vector) -> Vec3:
        return sub(other, self)

    def __neg__(self) -> Vec3:
        return Vec3((-self[0], -self[1], -self[2]))

    def __mul__(self, k: Scalar) -> Vec3:  # type: ignore[override]
        return scale(k, self)


NULL: Vector = Vec3((0, 0, 0))
X: Vector = (1, 0, 0)
Y: Vector = (0, 1, 0)
Z: Vector = (0, 0, 1)
IDENTITY: Matrix = (X, Y, Z)


def is_structural_zero(x: object) -> bool:
    """The structural zero: a fact about a table or a formula, not about a scalar's value."""
    return isinstance(x, int) and x == 0


def along_z(x: Scalar) -> Vec3:
    """x z, its zeros structural"""
    return Vec3((0, 0, x))


def add(a: Vector, b: Vector) -> Vec3:
    return Vec3((a[0] + b[0], a[1] + b[1], a[2] + b[2]))


def sub(a: Vector, b: Vector) -> Vec3:
    return Vec3((a[0] - b[0], a[1] - b[1], a[2] - b[2]))


def neg(a: Vector) -> Vec3:
    return Vec3((-a[0], -a[1], -a[2]))


def scale(k: Scalar, a: Vector) -> Vec3:
    return Vec3((k * a[0], k * a[1], k * a[2]))


def dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    return sum_of(x * y for x, y in zip(a, b, strict=True))


def sum_of(terms: Iterable[Scalar]) -> Scalar:
    """The sum, from the left, without a leading `0 +`."""
    rest = iter(terms)
    total: Scalar = next(rest, 0)
    for term in rest:
        total = total + term
    return total


def cross(a: Vector, b: Vector) -> Vec3:
    return Vec3((a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]))


def rotate(R: Matrix, a: Vector) -> Vec3:
    """R a"""
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = R
    x, y, z = a
    return Vec3((xx * x + xy * y + xz * z, yx * x + yy * y + yz * z, zx * x + zy * y + zz * z))


def unrotate(R: Matrix, a: Vector) -> Vec3:
    """Rᵀ a"""
    return rotate(transpose(R), a)


def transpose(A: Matrix) -> Matrix:
    return ((A[0][0], A[1][0], A[2][0]), (A[0][1], A[1][1], A[2][1]), (A[0][2], A[1][2], A[2][2]))


def matmul(A: Matrix, B: Matrix) -> Matrix:
    Bt = transpose(B)
    return (rotate(Bt, A[0]), rotate(Bt, A[1]), rotate(Bt, A[2]))


def rotate_matrix(R: Matrix, A: Matrix) -> Matrix:
    """R A Rᵀ"""
    return matmul(matmul(R, A), transpose(R))


def matadd(A: Matrix, B: Matrix) -> Matrix:
    return (add(A[0], B[0]), add(A[1], B[1]), add(A[2], B[2]))


def matsub(A: Matrix, B: Matrix) -> Matrix:
    return (sub(A[0], B[0]), sub(A[1], B[1]), sub(A[2], B[2]))


def outer(a: Vector, b: Vector) -> Matrix:
    """a bᵀ"""
    return (scale(a[0], b), scale(a[1], b), scale(a[2], b))


def trace(A: Matrix) -> Scalar:
    return A[0][0] + A[1][1] + A[2][2]


def skew(a: Vector) -> Matrix:
    """[a]×, so that [a]× b = a × b"""
    return ((0, -a[2], a[1]), (a[2], 0, -a[0]), (-a[1], a[0], 0))


def diagonal(k: Scalar) -> Matrix:
    return ((k, 0, 0), (0, k, 0), (0, 0, k))


def symmetric(xx: Scalar, xy: Scalar, xz: Scalar, yy: Scalar, yz: Scalar, zz: Scalar) -> Matrix:
    return ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))


def column(A: Matrix, j: int) -> Vec3:
    return Vec3((A[0][j], A[1][j], A[2][j]))


# A turn about z, by its cosine and sine: what it does to vectors and to 3×3 matrices.

Turn = tuple[Scalar, Scalar]  # cosine, sine
STRAIGHT: Turn = (1, 0)


def rotate_z(turn: Turn, a: Vector) -> Vec3:
    """Rz a"""
    c, s = turn
    return Vec3((c * a[0] - s * a[1], s * a[0] + c * a[1], a[2]))


def rotate_z_back(turn: Turn, a: Vector) -> Vec3:
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
