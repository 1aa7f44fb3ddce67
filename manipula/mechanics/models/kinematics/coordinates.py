"""A position in cylindrical (ρ, φ, z) and spherical (r, polar, azimuth) coordinates, and back.

The polar angle is counted from +z, in [0, π]; azimuth and φ from +x towards +y, in (−π, π]. On the z axis φ and the
azimuth are 0, at the origin the polar angle too; nothing there divides by zero, and derivatives stay finite.
NaN goes in and comes out.

Source: the usual definitions; only what holds on the axis and at the origin is decided here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from manipula.mechanics.spatial.vector import Vector
from manipula.scalar import Maths, Scalar, Tolerance

NOTHING = Tolerance("1e-300", "1e-36")  # a squared length below this is zero


def cylindrical_from_cartesian(p: Sequence[Scalar], maths: Maths[Any]) -> Vector:
    """ρ = √(x² + y²), φ = atan2(y, x), z"""
    x, y, z = p
    rho, phi = polar_from_plane(x, y, maths)
    return rho, phi, z


def cartesian_from_cylindrical(coordinates: Sequence[Scalar], maths: Maths[Any]) -> Vector:
    rho, phi, z = coordinates
    return rho * maths.cos(phi), rho * maths.sin(phi), z


def spherical_from_cartesian(p: Sequence[Scalar], maths: Maths[Any]) -> Vector:
    """r = √(x² + y² + z²), polar = atan2(ρ, z), azimuth = atan2(y, x)"""
    x, y, z = p
    rho, azimuth = polar_from_plane(x, y, maths)
    r, polar = polar_from_plane(z, rho, maths)
    return r, polar, azimuth


def cartesian_from_spherical(coordinates: Sequence[Scalar], maths: Maths[Any]) -> Vector:
    r, polar, azimuth = coordinates
    rho = r * maths.sin(polar)
    return rho * maths.cos(azimuth), rho * maths.sin(azimuth), r * maths.cos(polar)


def polar_from_plane(x: Scalar, y: Scalar, maths: Maths[Any]) -> tuple[Scalar, Scalar]:
    """Length and angle of (x, y); at the origin both are 0, and what is computed beside them is that of (1, 0)."""
    square = x * x + y * y
    nowhere = maths.less(square, maths.number(NOTHING))
    length = maths.sqrt(maths.select(nowhere, 1, square))
    return maths.select(nowhere, 0, length), maths.atan2(maths.select(nowhere, 0, y), maths.select(nowhere, 1, x))
