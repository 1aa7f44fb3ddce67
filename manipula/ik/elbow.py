"""The arm angle of a configuration by geometry: quicker than reading the loop anew.

With S and W, where axes 1, 2, 3 and 5, 6, 7 meet, ψ is the angle about SW from the plane of axis 1 to that of axis 3:

    tan ψ = ŝ·(e₁ × e₃) / e₁·e₃        e = z × SW,  ŝ = SW/|SW|
"""

from __future__ import annotations

import math
from typing import Any

from manipula.ik.numeric.arrays import Floats
from manipula.ik.numeric.tolerances import ParameterTolerance
from manipula.mechanics.spatial.vector import Vector, add, cross, dot, scale, sub


def arm_angle(J: Floats, tool: Floats, senses: list[int]) -> float | None:
    """From the Jacobian, the tool's position and the joints' senses; None where a plane is not sure."""
    columns = [tuple(column) for column in J.T.tolist()]
    z: list[Vector] = [scale(sense, column[3:]) for sense, column in zip(senses, columns, strict=True)]
    # Jv = ω × r, so r − ω (ω·r) = −ω × Jv leads from the axis to the tool
    p: list[Vector] = [add(tuple(tool.tolist()), cross(c[3:], c[:3])) for c in columns]
    s = sub(_meeting(p[4], z[4], p[5], z[5]), _meeting(p[0], z[0], p[1], z[1]))
    e1, e3, length = cross(z[0], s), cross(z[2], s), math.sqrt(_number(dot(s, s)))
    if min(math.hypot(*map(_number, e)) for e in (e1, e3)) < ParameterTolerance.FLAT * length:
        return None
    return math.atan2(_number(dot(s, cross(e1, e3))) / length, _number(dot(e1, e3)))


def _number(x: Any) -> float:
    return float(x)


def _meeting(p: Vector, u: Vector, r: Vector, v: Vector) -> Vector:
    """Where the lines p + x u and r + y v meet."""
    n = cross(u, v)
    return add(p, scale(dot(cross(sub(r, p), v), n) / dot(n, n), u))
