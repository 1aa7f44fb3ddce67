"""The arm angle of a configuration by geometry: quicker than reading the loop anew.

With S and W, where axes 1, 2, 3 and 5, 6, 7 meet, ψ is the angle about SW from the plane of axis 1 to that of axis 3:

    tan ψ = ŝ·(e₁ × e₃) / e₁·e₃        e = z × SW,  ŝ = SW/|SW|

Texts (see `algebra.program`): they run as they stand, and as a word of emitted code.
"""

from __future__ import annotations

import math

from manipula.algebra.program.primitives import Reals, atan2, reals, sqrt
from manipula.ik.numeric.arrays import Floats
from manipula.ik.numeric.tolerances import ParameterTolerance

FLAT = ParameterTolerance.FLAT
NONE = 7.0  # what the text gives where a plane is not sure: no angle of atan2
DOF = 7


def arm_angle(J: Floats, tool: Floats, senses: list[int]) -> float | None:
    """From the Jacobian, the tool's position and the joints' senses; None where a plane is not sure."""
    found = elbow_angle(J.ravel().tolist(), tool.tolist(), senses)  # type: ignore[arg-type]
    return None if found == NONE or math.isnan(found) else found


def elbow_angle(J: Reals, tool: Reals, senses: Reals) -> float:
    """The same of a Jacobian row by row; `NONE` where a plane is not sure."""
    z = reals(21)
    p = reals(21)
    for k in range(DOF):
        wx = J[3 * DOF + k]
        wy = J[4 * DOF + k]
        wz = J[5 * DOF + k]
        # Jv = ω × r, so r − ω (ω·r) = −ω × Jv leads from the axis to the tool
        p[3 * k] = tool[0] + wy * J[2 * DOF + k] - wz * J[DOF + k]
        p[3 * k + 1] = tool[1] + wz * J[k] - wx * J[2 * DOF + k]
        p[3 * k + 2] = tool[2] + wx * J[DOF + k] - wy * J[k]
        z[3 * k] = senses[k] * wx
        z[3 * k + 1] = senses[k] * wy
        z[3 * k + 2] = senses[k] * wz
    shoulder = reals(3)
    wrist = reals(3)
    meeting(p, z, 0, shoulder)
    meeting(p, z, 4, wrist)
    sx = wrist[0] - shoulder[0]
    sy = wrist[1] - shoulder[1]
    sz = wrist[2] - shoulder[2]
    length = sqrt(sx * sx + sy * sy + sz * sz)
    ax = z[1] * sz - z[2] * sy
    ay = z[2] * sx - z[0] * sz
    az = z[0] * sy - z[1] * sx
    bx = z[7] * sz - z[8] * sy
    by = z[8] * sx - z[6] * sz
    bz = z[6] * sy - z[7] * sx
    least = min(ax * ax + ay * ay + az * az, bx * bx + by * by + bz * bz)
    if not sqrt(least) >= FLAT * length:
        return NONE
    triple = sx * (ay * bz - az * by) + sy * (az * bx - ax * bz) + sz * (ax * by - ay * bx)
    return atan2(triple / length, ax * bx + ay * by + az * bz)


def meeting(p: Reals, z: Reals, k: int, at: Reals) -> None:
    """Where axis k and the next meet: p + x u with x = ((r − p) × v)·n / n·n,  n = u × v."""
    i = 3 * k
    nx = z[i + 1] * z[i + 5] - z[i + 2] * z[i + 4]
    ny = z[i + 2] * z[i + 3] - z[i] * z[i + 5]
    nz = z[i] * z[i + 4] - z[i + 1] * z[i + 3]
    dx = p[i + 3] - p[i]
    dy = p[i + 4] - p[i + 1]
    dz = p[i + 5] - p[i + 2]
    cx = dy * z[i + 5] - dz * z[i + 4]
    cy = dz * z[i + 3] - dx * z[i + 5]
    cz = dx * z[i + 4] - dy * z[i + 3]
    x = (cx * nx + cy * ny + cz * nz) / (nx * nx + ny * ny + nz * nz)
    for j in range(3):
        at[j] = p[i + j] + x * z[i + j]
