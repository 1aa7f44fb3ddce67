"""References from ruckig: the quickest between any two states, under limits of velocity, acceleration and jerk.

ruckig is Berscheid and Kröger's online trajectory generator (MIT); it comes with the extra `plan`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from manipula.errors import InputError
from manipula.messages import Message
from manipula.simulation.paths.joints import jerk_limited
from manipula.simulation.paths.numbers import Floats, both, limits, numbers
from manipula.simulation.paths.series import piecewise
from manipula.simulation.paths.trajectory import Trajectory, remembered

SAME = 1e-12  # s: switches nearer than that are one


@remembered
def ruckig(
    q0: ArrayLike,
    q1: ArrayLike,
    velocity: ArrayLike,
    acceleration: ArrayLike,
    jerk: ArrayLike,
    *,
    qd0: ArrayLike | None = None,
    qdd0: ArrayLike | None = None,
    qd1: ArrayLike | None = None,
    qdd1: ArrayLike | None = None,
) -> Trajectory:
    """From any state to any other in the least time, every joint with limits of its own, all arriving together.

    Velocities and accelerations at the ends are zero unless given. `jerk_limited` needs no extra: it goes from rest to
    rest, on a straight line.
    """
    start, goal = both(q0, q1, "ruckig")
    dof = len(start)
    bounds = {
        f"max_{name}": limits(x, dof, f"ruckig: {name}")
        for name, x in (("velocity", velocity), ("acceleration", acceleration), ("jerk", jerk))
    }
    ends = {
        "current_position": start,
        "target_position": goal,
        "current_velocity": _given(qd0, dof, "qd0"),
        "target_velocity": _given(qd1, dof, "qd1"),
        "current_acceleration": _given(qdd0, dof, "qdd0"),
        "target_acceleration": _given(qdd1, dof, "qdd1"),
    }
    found = _calculated(dof, {**bounds, **ends})
    return _pieces(found) if found.duration > SAME else jerk_limited(goal, goal, 1, 1, 1)


def _given(value: Any, dof: int, name: str) -> Floats:
    if value is None:
        return np.zeros(dof)
    found = numbers(value, f"ruckig: {name}", 1, Message("a number for each joint"))
    if len(found) != dof:
        raise InputError("ruckig: {name} is of {count} joints, q0 of {dof}", name, len(found), dof)
    return found


def _calculated(dof: int, given: dict[str, Floats]) -> Any:
    try:
        import ruckig as solver
    except ImportError:
        raise InputError(
            "ruckig is not installed: pip install 'manipula[plan]'; jerk_limited goes from rest to rest without it"
        ) from None
    asked, found = solver.InputParameter(dof), solver.Trajectory(dof)
    for name, value in given.items():
        setattr(asked, name, value.tolist())
    try:
        result = solver.Ruckig(dof).calculate(asked, found)
    except solver.RuckigError as error:
        raise InputError("ruckig: {error}", error) from None
    if result not in (solver.Result.Working, solver.Result.Finished):
        raise InputError("ruckig: no motion was found ({calculate})", result)
    return found


def _pieces(found: Any) -> Trajectory:
    """The same motion as pieces of constant jerk, between all switches of all joints."""
    switches = [0.0, found.duration]
    for joint in found.profiles[0]:
        before = sum(joint.brake.t)
        inner = np.cumsum(joint.t)
        switches += [*np.cumsum(joint.brake.t), *(before + inner)]
    knots = np.unique(np.clip(switches, 0.0, found.duration))
    knots = knots[np.concatenate([[True], np.diff(knots) > SAME])]
    knots[-1] = found.duration
    q, qd, qdd = np.moveaxis(np.array([found.at_time(t)[:3] for t in knots.tolist()]), 1, 0)
    steps = np.diff(knots)[:, None]
    jerk = np.diff(qdd, axis=0) / steps
    return piecewise("ruckig", scipy.interpolate.PPoly(np.stack([jerk / 6, qdd[:-1] / 2, qd[:-1], q[:-1]]), knots), q)
