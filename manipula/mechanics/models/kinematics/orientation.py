"""Orientation in other words than direction cosines: Euler parameters, Euler and Bryant angles, roll-pitch-yaw.

Euler parameters are the unit quaternion (e0, e1, e2, e3) = (cos φ/2, u sin φ/2), with e0 ≥ 0. A half turn (e0 = 0)
leaves the sign open; there the largest of e1, e2, e3 is positive.

A sequence such as "zxz" names the axes of R = Ra(first) Rb(second) Rc(third): turns about axes that move along.
"xyz" are Bryant's angles; "zyx" read backwards is roll-pitch-yaw about fixed axes. The middle angle lies in
[−π/2, π/2] when the three axes differ, in [0, π] when the outer two are the same. Gimbal lock: when the outer axes
fall together (to 1e-12; to 1e-5 in single precision) only a sum or difference of the outer angles is determined; the
first is then 0.

No branch of a `select` is left unguarded, and NaN goes in and comes out.

Source: Siciliano, Sciavicco, Villani, Oriolo, "Robotics: Modelling, Planning and Control" (2009), sections 2.4 (three
angles) and 2.6 (unit quaternion).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations

from manipula.errors import UnknownNameError
from manipula.mechanics.models.entry import TOOL, Given, ModelEntry, Outputs
from manipula.mechanics.models.kinematics.pose import pose
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.spatial.placement import turn_about
from manipula.mechanics.spatial.vector import Matrix, Vector, dot, matmul
from manipula.scalar import Maths, Scalar, Tolerance

Quaternion = tuple[Scalar, Scalar, Scalar, Scalar]

THREE_AXES = tuple("".join(axes) for axes in permutations("xyz"))
SEQUENCES = (*THREE_AXES, *(a + b + a for a, b in permutations("xyz", 2)))
LOCK = Tolerance("1e-24", "1e-10")  # of sin² between the outer axes
NOTHING = Tolerance("1e-300", "1e-36")  # a squared length below this is zero


# Euler parameters


def quaternion_from_matrix(R: Matrix, maths: Maths[Scalar]) -> Quaternion:
    """4e0² = 1 + tr R and its three kin add up to 4: the largest is at least 1, and only it is divided by."""
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = R
    rows = (  # 4 e_k (e0, e1, e2, e3), k = 0 … 3
        (1 + xx + yy + zz, zy - yz, xz - zx, yx - xy),
        (zy - yz, 1 + xx - yy - zz, yx + xy, xz + zx),
        (xz - zx, yx + xy, 1 - xx + yy - zz, zy + yz),
        (yx - xy, xz + zx, zy + yz, 1 - xx - yy + zz),
    )
    largest, e = rows[0][0], rows[0]
    for k in (1, 2, 3):
        more = maths.less(largest, rows[k][k])
        e = _either(more, rows[k], e, maths)
        largest = maths.maximum(largest, rows[k][k])
    signed = _either(maths.less(e[0], 0), _scale(-1, e), e, maths)
    return _scale(1 / (2 * maths.sqrt(largest)), signed)


def matrix_from_quaternion(e: Sequence[Scalar]) -> Matrix:
    """R = (1 − 2 e·e) 1 + 2 e eᵀ + 2 e0 [e]×, of a unit quaternion (e0, e)"""
    w, x, y, z = e
    return (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )


def quaternion_from_vector(v: Sequence[Scalar], maths: Maths[Scalar]) -> Quaternion:
    """(cos φ/2, v sin(φ/2)/φ) of a rotation vector v, φ = |v|; the unit quaternion of v = 0 is (1, 0, 0, 0)"""
    square = dot(v, v)
    still = maths.less(square, maths.number(NOTHING))
    angle = maths.sqrt(maths.select(still, 1, square))
    share = maths.select(still, maths.number(Fraction(1, 2)), maths.sin(angle / 2) / angle)
    x, y, z = v
    return maths.select(still, 1, maths.cos(angle / 2)), share * x, share * y, share * z


def axis_angle_from_quaternion(e: Quaternion, maths: Maths[Scalar]) -> tuple[Vector, Scalar]:
    """u and φ in [0, π], of e0 ≥ 0: φ = 2 atan2(|(e1, e2, e3)|, e0); of no rotation the axis is z."""
    w, x, y, z = e
    square = dot((x, y, z), (x, y, z))
    still = maths.less(square, maths.number(NOTHING))
    length = maths.sqrt(maths.select(still, 1, square))
    u = tuple(maths.select(still, rest, part / length) for part, rest in ((x, 0), (y, 0), (z, 1)))
    return (u[0], u[1], u[2]), maths.select(still, 0, 2 * maths.atan2(length, w))


def vector_from_quaternion(e: Quaternion, maths: Maths[Scalar]) -> Vector:
    """φ u; beside no rotation 2 (e1, e2, e3), so that the smallest turn keeps its digits."""
    w, *part = e
    square = dot(part, part)
    still = maths.less(square, maths.number(NOTHING))
    length = maths.sqrt(maths.select(still, 1, square))
    share = maths.select(still, 2, 2 * maths.atan2(length, w) / length)
    x, y, z = part
    return share * x, share * y, share * z


def _either(condition: Scalar, yes: Quaternion, no: Quaternion, maths: Maths[Scalar]) -> Quaternion:
    w, x, y, z = (maths.select(condition, a, b) for a, b in zip(yes, no))
    return w, x, y, z


def _scale(k: Scalar, e: Quaternion) -> Quaternion:
    return k * e[0], k * e[1], k * e[2], k * e[3]


# Euler angles


def angles_from_matrix(R: Matrix, sequence: str, maths: Maths[Scalar]) -> Vector:
    """The three angles of a sequence. With axes a, b, the third k, and ε = +1 when a, b, k are in cyclic order:

    | outer axes      | first angle: h·sine, h·cosine | middle angle: sine, cosine | third angle: sine, cosine |
    |-----------------|-------------------------------|----------------------------|---------------------------|
    | differ (c = k)  | −ε R[b,k], R[k,k]             | ε R[a,k], h                | ε R'[b,a], R'[b,b]        |
    | same   (c = a)  | R[b,a], −ε R[k,a]             | h, R[a,a]                  | −ε R'[b,k], R'[b,b]       |

    where R' = Ra(first)ᵀ R: whatever the first angle is, the third completes it, near gimbal lock too.
    """
    a, b, k, sense = _axes(sequence)
    same = sequence[0] == sequence[2]
    outer = (R[b][a], -sense * R[k][a]) if same else (-sense * R[b][k], R[k][k])
    first, sin, cos, h = _guarded_angle(*outer, maths)
    Rb = [cos * x + sense * sin * y for x, y in zip(R[b], R[k])]
    if same:
        return first, maths.atan2(h, R[a][a]), maths.atan2(-sense * Rb[k], Rb[b])
    return first, maths.atan2(sense * R[a][k], h), maths.atan2(sense * Rb[a], Rb[b])


def other_angles(angles: Sequence[Scalar], sequence: str, maths: Maths[Scalar]) -> Vector:
    """The second set of the same rotation: the outer angles half a turn further, the middle one mirrored."""
    _axes(sequence)
    first, middle, third = angles
    half = maths.degrees(Fraction(180))
    outer = [maths.select(maths.less(0, x), x - half, x + half) for x in (first, third)]
    return outer[0], -middle if sequence[0] == sequence[2] else _half_turn_less(middle, half, maths), outer[1]


def _half_turn_less(x: Scalar, half: Scalar, maths: Maths[Scalar]) -> Scalar:
    """π − x in (−π, π]"""
    return maths.select(maths.less(x, 0), -half - x, half - x)


def is_locked(R: Matrix, sequence: str, maths: Maths[Scalar]) -> Scalar:
    """1 at gimbal lock, where the outer axes fall together, else 0."""
    a, b, k, _ = _axes(sequence)
    y, x = (R[b][a], R[k][a]) if sequence[0] == sequence[2] else (R[b][k], R[k][k])
    return maths.less(x * x + y * y, maths.number(LOCK))


def _guarded_angle(y: Scalar, x: Scalar, maths: Maths[Scalar]) -> tuple[Scalar, Scalar, Scalar, Scalar]:
    """The angle of (x, y), its sine and cosine, and the length h of (x, y); at gimbal lock angle and h are 0."""
    square = x * x + y * y
    locked = maths.less(square, maths.number(LOCK))
    y, x = maths.select(locked, 0, y), maths.select(locked, 1, x)
    length = maths.sqrt(maths.select(locked, 1, square))
    return maths.atan2(y, x), y / length, x / length, maths.select(locked, 0, length)


def matrix_from_angles(angles: Sequence[Scalar], sequence: str, maths: Maths[Scalar]) -> Matrix:
    """R = Ra(first) Rb(second) Rc(third)"""
    _axes(sequence)
    first, second, third = (
        turn_about(axis, maths.cos(angle), maths.sin(angle)).R for axis, angle in zip(sequence, angles, strict=True)
    )
    return matmul(matmul(first, second), third)


def _axes(sequence: str) -> tuple[int, int, int, int]:
    """Axes a, b, the third one k, and the sense of (a, b, k)."""
    if sequence not in SEQUENCES:
        raise UnknownNameError("sequence of Euler angles", sequence, SEQUENCES)
    a, b = "xyz".index(sequence[0]), "xyz".index(sequence[1])
    return a, b, 3 - a - b, 1 if (b - a) % 3 == 1 else -1


def bryant_from_matrix(R: Matrix, maths: Maths[Scalar]) -> Vector:
    """Bryant angles: about x, then the new y, then the newest z."""
    return angles_from_matrix(R, "xyz", maths)


def rpy_from_matrix(R: Matrix, maths: Maths[Scalar]) -> Vector:
    """Roll, pitch, yaw about the fixed x, y, z: R = Rz(yaw) Ry(pitch) Rx(roll). At gimbal lock yaw is 0."""
    yaw, pitch, roll = angles_from_matrix(R, "zyx", maths)
    return roll, pitch, yaw


# A position in cylindrical (ρ, φ, z) and spherical (r, polar, azimuth) coordinates.
#
# The polar angle is counted from +z, in [0, π]; azimuth and φ from +x towards +y, in (−π, π]. On the z axis φ and the
# azimuth are 0, at the origin the polar angle too; nothing there divides by zero, and derivatives stay finite.
# NaN goes in and comes out.
#
# Source: the usual definitions; only what holds on the axis and at the origin is decided here.


def cylindrical_from_cartesian(p: Sequence[Scalar], maths: Maths[Scalar]) -> Vector:
    """ρ = √(x² + y²), φ = atan2(y, x), z"""
    x, y, z = p
    rho, phi = polar_from_plane(x, y, maths)
    return rho, phi, z


def spherical_from_cartesian(p: Sequence[Scalar], maths: Maths[Scalar]) -> Vector:
    """r = √(x² + y² + z²), polar = atan2(ρ, z), azimuth = atan2(y, x)"""
    x, y, z = p
    rho, azimuth = polar_from_plane(x, y, maths)
    r, polar = polar_from_plane(z, rho, maths)
    return r, polar, azimuth


def polar_from_plane(x: Scalar, y: Scalar, maths: Maths[Scalar]) -> tuple[Scalar, Scalar]:
    """Length and angle of (x, y); at the origin both are 0, and what is computed beside them is that of (1, 0)."""
    square = x * x + y * y
    nowhere = maths.less(square, maths.number(NOTHING))
    length = maths.sqrt(maths.select(nowhere, 1, square))
    return maths.select(nowhere, 0, length), maths.atan2(maths.select(nowhere, 0, y), maths.select(nowhere, 1, x))


def _orientation(chain: Tree, x: Given) -> Outputs:
    at, maths = pose(chain, x["q"]), chain.maths
    return {
        "quaternion": quaternion_from_matrix(at.R, maths),
        "bryant": bryant_from_matrix(at.R, maths),
        "rpy": rpy_from_matrix(at.R, maths),
        "cylindrical": cylindrical_from_cartesian(at.p, maths),
        "spherical": spherical_from_cartesian(at.p, maths),
    }


ENTRIES = (
    ModelEntry(
        "orientation", "the tool's orientation and position in other coordinates", ("q",),
        {
            "quaternion": ("1", "Euler parameters e0 e1 e2 e3, e0 ≥ 0"), "bryant": ("rad", "Bryant angles x-y′-z″"),
            "rpy": ("rad", "roll, pitch, yaw about fixed axes"),
            "cylindrical": ("m, rad, m", "radius, azimuth, height"),
            "spherical": ("m, rad, rad", "radius, polar angle, azimuth"),
        },
        {"forward": _orientation}, TOOL, trees=("forward",),
    ),
)  # fmt: skip
