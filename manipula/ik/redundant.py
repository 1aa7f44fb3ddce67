"""The parameter of a redundant arm: the joint that is given, or the arm angle, and the values to solve for."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from manipula.errors import InputError
from manipula.ik.elbow import arm_angle
from manipula.ik.messages import elsewhere_text
from manipula.ik.numeric.arrays import Bits, Floats, Kinematics
from manipula.ik.numeric.limits import principal
from manipula.ik.numeric.poses import numbers_from_value
from manipula.ik.numeric.tolerances import ParameterTolerance
from manipula.mechanics.models.inverse.plan import Plan, parameter_of
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.spatial.placement import Placement

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
        given = numbers_from_value("parameter", values).ravel()
        if not given.size or not np.isfinite(given).all():
            raise InputError("parameter: expected one finite number or more, found {values!r}", values)
        return principal(given, np.array(self.turns))

    @property
    def ends(self) -> tuple[float, float]:
        """Between which values it is looked for."""
        joint = self.fixed_joint
        if joint is None:
            return -np.pi, np.pi
        reach = np.pi if self._turning[joint] else self._size
        return max(-reach, float(self._low[joint])), min(reach, float(self._high[joint]))

    def fan(self) -> Floats:
        """Values between its ends, evenly."""
        low, high = self.ends
        found: Floats = low + (high - low) * (np.arange(SAMPLES) + 0.5) / SAMPLES
        return found

    def values(self, own: float | None, given: ArrayLike | None) -> Floats:
        """The values to solve for: those given, or the seed's `own` and a fan of others."""
        if given is not None:
            return self.checked_values(given)
        fan = self.fan()
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
        given = None if values is None or values.size != 1 else float(values[0])
        return elsewhere_text(self.plan.parameter, own, given, self.turns)
