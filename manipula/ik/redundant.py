"""The parameter of a redundant arm: the joint that is given, or the arm angle, and the values to solve for."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from manipula.algebra.program.primitives import Reals, atan2, reals, sqrt
from manipula.errors import InputError
from manipula.ik.numeric.arrays import TURN, Bits, Floats, Kinematics, principal
from manipula.ik.numeric.poses import numbers_from_value
from manipula.ik.numeric.tolerances import ParameterTolerance
from manipula.ik.solver import elsewhere_text
from manipula.mechanics.models.inverse.plan import Plan, parameter_of
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.spatial.placement import Placement

# The arm angle of a configuration by geometry: quicker than reading the loop anew.
#
# With S and W, where axes 1, 2, 3 and 5, 6, 7 meet, ψ is the angle about SW from the plane of axis 1 to that of axis 3:
#
#     tan ψ = ŝ·(e₁ × e₃) / e₁·e₃        e = z × SW,  ŝ = SW/|SW|
#
# Texts (see `algebra.program`): they run as they stand, and as a word of emitted code.

FLAT = ParameterTolerance.FLAT
NONE = 7.0  # what the text gives where a plane is not sure: no angle of atan2
DOF = 7


def arm_angle(J: Floats, tool: Floats, senses: list[int]) -> float | None:
    """From the Jacobian, the tool's position and the joints' senses; None where a plane is not sure."""
    angle = elbow_angle(J.ravel().tolist(), tool.tolist(), senses)  # type: ignore[arg-type]
    return None if angle == NONE or math.isnan(angle) else angle


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
    meeting_point(p, z, 0, shoulder)
    meeting_point(p, z, 4, wrist)
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
    # not ≥, so that NaN is refused as well
    if not sqrt(least) >= FLAT * length:
        return NONE
    triple = sx * (ay * bz - az * by) + sy * (az * bx - ax * bz) + sz * (ax * by - ay * bx)
    return atan2(triple / length, ax * bx + ay * by + az * bz)


def meeting_point(p: Reals, z: Reals, k: int, at: Reals) -> None:
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


SAMPLES = 16  # values when none is given


class Parameter:
    """Of one arm; `exists` says whether it has one. `fixed_joint` is the joint that is given, None for an arm angle."""

    def __init__(self, plan: Plan, chain: Tree, limits: tuple[Floats, Floats], size: float) -> None:
        self.plan, self.chain, self.exists, self.fixed_joint = plan, chain, bool(plan.parameter), plan.fixed_joint
        self._size = size
        self._low, self._high = limits
        self._turning: Bits = np.array([link.kind.pivots for link in chain.links])

    @property
    def turns(self) -> bool:
        """Whether its value is an angle."""
        return self.fixed_joint is None or bool(self._turning[self.fixed_joint])

    def checked_values(self, values: ArrayLike) -> Floats:
        """Values that a caller gives."""
        numbers = numbers_from_value("parameter", values).ravel()
        if not numbers.size or not np.isfinite(numbers).all():
            raise InputError("parameter: expected one finite number or more, found {values!r}", values)
        return principal(numbers, np.array(self.turns))

    @property
    def ends(self) -> tuple[float, float]:
        """Between which values it is looked for."""
        joint = self.fixed_joint
        if joint is None:
            return -np.pi, np.pi
        reach = np.pi if self._turning[joint] else self._size
        return max(-reach, float(self._low[joint])), min(reach, float(self._high[joint]))

    @property
    def turns_around(self) -> bool:
        """Whether it is an angle that may go on where its ends meet."""
        low, high = self.ends
        return self.turns and high - low >= TURN

    def fan(self) -> Floats:
        """Values between its ends, evenly."""
        low, high = self.ends
        values: Floats = low + (high - low) * (np.arange(SAMPLES) + 0.5) / SAMPLES
        return values

    def values(self, own: float | None, given: ArrayLike | None) -> Floats:
        """The values to solve for: those given, or the seed's `own` and a fan of others."""
        if given is not None:
            return self.checked_values(given)
        fan = self.fan()
        # the seed's own value first, so that its configuration is among the answers
        return fan if own is None else np.concatenate([[own], fan[np.abs(fan - own) > ParameterTolerance.APART]])

    def samples(self, q: Floats) -> Floats | None:
        """Its values in configurations (n, dof), to study the arm; any arm angle will do."""
        if not self.exists:
            return None
        return np.linspace(-3.0, 3.0, len(q)) if self.fixed_joint is None else q[:, self.fixed_joint].copy()

    def value_at(self, q: ArrayLike, pose: Kinematics, jacobian: Kinematics) -> float:
        """Its value in configuration q."""
        if not self.exists:
            raise InputError("this arm is not redundant: it has no parameter")
        x = np.asarray(q, dtype=float)
        if self.fixed_joint is not None:
            return float(x[self.fixed_joint])
        T = pose(x)
        angle = arm_angle(jacobian(x), T[:3, 3], [link.direction for link in self.chain.links])
        if angle is not None:
            return angle
        at = Placement(tuple(map(tuple, T[:3, :3].tolist())), tuple(T[:3, 3].tolist()))  # type: ignore[arg-type]
        return float(parameter_of(self.plan, self.chain, x.tolist(), at))

    def elsewhere(self, own: float, values: Floats | None) -> str:
        """What to say of a pose that the arm reaches with another value, its `own`."""
        only = None if values is None or values.size != 1 else float(values[0])
        return elsewhere_text(self.plan.parameter, own, only, self.turns)
