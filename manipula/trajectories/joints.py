"""From rest to rest along a straight line in joint space: all joints start and stop together.

The limits of the joints become limits of the share s of the way: V = min V_i/|q1_i − q0_i|, and so for acceleration and
jerk. What a time law needs beside them follows in closed form.
"""

from __future__ import annotations

from math import inf, sqrt
from typing import Any, NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike

from manipula.errors import InputError
from manipula.mechanics.models.motion.profiles import JERK_LIMITED, QUINTIC, TRAPEZOID, TimeLaw
from manipula.messages import Message
from manipula.trajectories.points import piecewise
from manipula.trajectories.trajectory import (
    Floats,
    Trajectory,
    both,
    formula,
    limits,
    numbers,
    positive,
    remember_call,
    settings,
)


@remember_call
def quintic(q0: ArrayLike, q1: ArrayLike, duration: float) -> Trajectory:
    """From q0 to q1 in `duration` seconds by a polynomial of degree five, at rest at both ends."""
    start, goal = both(q0, q1, "quintic")
    return _straight(QUINTIC, start, goal, positive(duration, "quintic: duration", "seconds"), {})


@remember_call
def trapezoid(
    q0: ArrayLike,
    q1: ArrayLike,
    duration: float | None = None,
    *,
    velocity: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
) -> Trajectory:
    """From q0 to q1 with a trapezoid of velocity, the joints together.

    Without a duration the quickest under the limits `velocity` and `acceleration`, a number or one a joint. With one,
    the limits are kept, if they are given; without limits a third of the time is speeding up.
    """
    start, goal = both(q0, q1, "trapezoid")
    v = _share(velocity, goal - start, "trapezoid: velocity")
    a = _share(acceleration, goal - start, "trapezoid: acceleration")
    if duration is None and _moves_nothing(start, goal):
        shape = Trapezoid(0.0, 0.0, 0.0, 0.0)
    else:
        time = None if duration is None else positive(duration, "trapezoid: duration", "seconds")
        shape = trapezoid_of("trapezoid", time, v, a)
    return _straight(TRAPEZOID, start, goal, shape.duration, settings(ramp=shape.ramp, speed=shape.v, pull=shape.a))


class Trapezoid(NamedTuple):
    """The shape of a trapezoid whose area is one."""

    duration: float
    ramp: float
    v: float
    a: float


def quickest_trapezoid(v: float, a: float) -> Trapezoid:
    """Under limits of velocity and acceleration of the share."""
    top = min(v, sqrt(a))
    return Trapezoid(top / a + 1 / top, top / a, top, a)


def trapezoid_of(name: str, duration: float | None, v: float, a: float) -> Trapezoid:
    """The quickest under the limits of the share; or in this time, with the limit of acceleration used, else that of
    velocity, else a third of it speeding up."""
    if duration is None:
        if a == inf:
            raise InputError("{name}: expected a duration, or a limit of acceleration (and of velocity)", name)
        return quickest_trapezoid(v, a)
    least = 0.0 if (v, a) == (inf, inf) else 1 / v if a == inf else quickest_trapezoid(v, a).duration
    if duration < least * (1 - 1e-12) or (a == inf and v < inf and duration <= least):
        raise InputError(
            "{name}: duration: the limits ask for more than {least:g} s, found {duration:g}", name, least, duration
        )
    # v T − v²/a = 1,  or r = T − 1/v with r = T/3, if v may be so large
    top = 2 / (duration + sqrt(max(duration * duration - 4 / a, 0.0))) if a < inf else min(1.5 / duration, v)
    ramp = duration - 1 / top
    return Trapezoid(duration, ramp, top, top / ramp)


@remember_call
def jerk_limited(
    q0: ArrayLike, q1: ArrayLike, velocity: ArrayLike, acceleration: ArrayLike, jerk: ArrayLike
) -> Trajectory:
    """From q0 to q1 the quickest under limits of velocity, acceleration and jerk, a number or one a joint each.

    The joints go together along a straight line, in seven pieces of constant jerk or fewer.
    """
    start, goal = both(q0, q1, "jerk_limited")
    given = (("velocity", velocity), ("acceleration", acceleration), ("jerk", jerk))
    shares = [_share(limit, goal - start, f"jerk_limited: {name}") for name, limit in given]
    if shares[2] == inf and not _moves_nothing(start, goal):
        raise InputError("jerk_limited: expected a finite limit of jerk; use trapezoid for unlimited jerk")
    shape = quickest_double_s(*shares)
    made = settings(ramp=shape.ramp, jerk=shape.jerk, jerk_time=shape.jerk_time)
    return _straight(JERK_LIMITED, start, goal, shape.duration, made)


class DoubleS(NamedTuple):
    """The shape of a motion of constant jerks over a way of one."""

    duration: float
    ramp: float
    jerk: float
    jerk_time: float


def quickest_double_s(v: float, a: float, j: float) -> DoubleS:
    """Under limits of velocity, acceleration and jerk of the share; an infinite jerk is a way of no length.

    To a velocity w and back to rest it takes a way of w r, where the ramp r = w/a + a/j if it comes to the acceleration
    a, w j ≥ a², else 2 √(w/j). The largest w without time at constant velocity has w r = 1.
    """
    if j == inf:
        return DoubleS(0.0, 0.0, 0.0, 0.0)
    # w = (j/4)^⅓ from 2 w √(w/j) = 1, if it stays below a; else w²/a + w a/j = 1
    top = (j / 4) ** (1 / 3)
    if top * j > a * a:
        lag = a / j
        top = 2 / (lag + sqrt(lag * lag + 4 / a))
    top = min(v, top)
    bends = sqrt(top / j) if top * j <= a * a else a / j
    ramp = 2 * bends if top * j <= a * a else top / a + bends
    return DoubleS(ramp + 1 / top, ramp, top / (bends * (ramp - bends)), bends)


def _share(limit: object, way: Floats, what: str) -> float:
    """A limit of the joints as one of the share of the way: the strictest; none is infinity."""
    if limit is None:
        return inf
    values = limits(limit, len(way), what)
    moves = way != 0
    return float(np.min(values[moves] / np.abs(way[moves]), initial=inf))


def _moves_nothing(start: Floats, goal: Floats) -> bool:
    return bool((start == goal).all())


def _straight(
    law: TimeLaw, start: Floats, goal: Floats, duration: float, shape: dict[str, tuple[float, ...]]
) -> Trajectory:
    given = settings(start=start, goal=goal, duration=duration) | shape
    return formula(law.block, len(start), duration, given)


# References from ruckig: the quickest between any two states, under limits of velocity, acceleration and jerk.
#
# ruckig is Berscheid and Kröger's online trajectory generator (MIT); it comes with the extra `plan`.

SAME = 1e-12  # s: switches nearer than that are one


@remember_call
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
        "current_velocity": _joint_values(qd0, dof, "qd0"),
        "target_velocity": _joint_values(qd1, dof, "qd1"),
        "current_acceleration": _joint_values(qdd0, dof, "qdd0"),
        "target_acceleration": _joint_values(qdd1, dof, "qdd1"),
    }
    found = _call_ruckig(dof, {**bounds, **ends})
    return _pieces(found) if found.duration > SAME else jerk_limited(goal, goal, 1, 1, 1)


def _joint_values(value: object, dof: int, name: str) -> Floats:
    if value is None:
        return np.zeros(dof)
    found = numbers(value, f"ruckig: {name}", 1, Message("a number for each joint"))
    if len(found) != dof:
        raise InputError("ruckig: {name} is of {count} joints, q0 of {dof}", name, len(found), dof)
    return found


def _call_ruckig(dof: int, given: dict[str, Floats]) -> Any:
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
