"""References of the tool: along a line or a circle in space, joints exact through the Jacobian."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from manipula.algebra.expr.evaluate import ARRAYS
from manipula.errors import InputError, UnknownNameError
from manipula.ik.arm.numeric_arm import NumericArm
from manipula.ik.numeric.poses import checked_poses, poses_from_value
from manipula.mechanics.models.motion.ports import Motion
from manipula.mechanics.models.motion.profiles import JERK_LIMITED, QUINTIC, TRAPEZOID, TimeLaw
from manipula.mechanics.robot.topology import road_coordinates, with_frame
from manipula.messages import Message
from manipula.trajectories.joints import quickest_double_s, trapezoid_of
from manipula.trajectories.tool_curves import ROWS, Circle, Curve, Follower, Stopped, StraightLine, follow_curve
from manipula.trajectories.trajectory import Floats, Trajectory, arm_of, numbers, positive, remember_call, settings

SINGULAR = 0.02  # of the least singular value, m/rad or rad/rad: what is reported
LOOKS = 400
INSIDE = 1e-9  # of joint limits
SIDEWAYS = 1e-6  # of a step along the path: what the joints cannot do of it


class Singular(NamedTuple):
    """From `start` to `end` seconds the arm is near a singular pose: the least singular value on the way."""

    start: float
    end: float
    smallest: float


@dataclass(frozen=True, eq=False)
class ToolTrajectory(Trajectory):
    """A reference of the tool. `pose(t)` is where it is to be; `singular` says when the arm is near a singular pose."""

    tool: Curve = field(repr=False)
    along: Callable[[Floats], Motion] = field(repr=False)
    singular: tuple[Singular, ...]

    def pose(self, t: ArrayLike) -> Floats:
        """(…, 4, 4) at these times."""
        return self.tool.at(np.asarray(self.along(np.asarray(t, dtype=np.float64)).q)).pose


@remember_call
def line(
    arm: object,
    start: ArrayLike,
    goal: ArrayLike,
    duration: float | None = None,
    *,
    velocity: float | None = None,
    acceleration: float | None = None,
    jerk: float | None = None,
    near: ArrayLike | None = None,
    task: str = "pose",
    singular: float = SINGULAR,
) -> ToolTrajectory:
    """The tool straight from `start` to `goal`, turning steadily along the shortest way, from rest to rest.

    `start` is a pose (4, 4) or a configuration; `goal` a pose, or a position that is gone to without turning. In
    `duration` seconds by a quintic; or under limits of the tool's `velocity` and `acceleration` (m/s, rad/s where it
    only turns) by a trapezoid, of `jerk` too in seven pieces. `near` is a configuration: of the solutions at a start
    pose the nearest is taken, and followed. `task="position"` leaves the orientation open. `singular`: the least
    singular value below which `ref.singular` reports the time.
    """
    asked = arm_of(arm, "line")
    pose, near = _start(asked, start, near, "line")
    end = _goal(pose, goal)
    # the orientation of a position is nobody's
    curve = StraightLine(pose, end if _task(task) == "pose" else _with_position(pose, end[:3, 3]))
    law = _Law("line", curve, duration, velocity, acceleration, jerk)
    return _along(asked, curve, law, near, _task(task), positive(singular, "line: singular", Message("m or rad")))


@remember_call
def circle(
    arm: object,
    start: ArrayLike,
    centre: ArrayLike,
    axis: ArrayLike,
    angle: float,
    duration: float | None = None,
    *,
    velocity: float | None = None,
    acceleration: float | None = None,
    jerk: float | None = None,
    turning: bool = False,
    near: ArrayLike | None = None,
    task: str = "pose",
    singular: float = SINGULAR,
) -> ToolTrajectory:
    """The tool from `start` by `angle` (rad) about an axis through `centre`, from rest to rest.

    It keeps its orientation, or is `turning` with the circle. All else is as in `line`.
    """
    asked = arm_of(arm, "circle")
    pose, near = _start(asked, start, near, "circle")
    middle = _three(centre, "circle: centre")
    direction = _three(axis, "circle: axis")
    if not np.linalg.norm(direction) > 0:
        raise InputError("circle: axis: expected a direction, found a vector of no length")
    swept = float(numbers(angle, "circle: angle", 0, Message("an angle in rad")))
    curve = Circle(pose, middle, direction / np.linalg.norm(direction), swept, bool(turning))
    law = _Law("circle", curve, duration, velocity, acceleration, jerk)
    return _along(asked, curve, law, near, _task(task), positive(singular, "circle: singular", Message("m or rad")))


class _Law:
    """How far along the curve, at any time."""

    def __init__(self, name: str, curve: Curve, duration: object, *given: object) -> None:
        """`given`: limits of velocity, acceleration and jerk."""
        if not curve.way > 0:
            raise InputError("{name}: the start and the end of the tool are the same", name)
        self.name = name
        limits = [
            inf if x is None else positive(x, f"{name}: {what}", Message("m or rad, by seconds,")) / curve.way
            for what, x in zip(("velocity", "acceleration", "jerk"), given, strict=True)
        ]
        time = None if duration is None else positive(duration, f"{name}: duration", "seconds")
        self.law, self.duration, shape = self._choose_time_law(time, *limits)
        self.given = settings(duration=self.duration) | shape

    def _choose_time_law(
        self, time: float | None, v: float, a: float, j: float
    ) -> tuple[TimeLaw, float, dict[str, tuple[float, ...]]]:
        if time is not None and (v, a, j) == (inf, inf, inf):
            return QUINTIC, time, {}
        if j < inf:
            if time is not None:
                raise InputError("{name}: with a limit of jerk the duration follows; leave it out", self.name)
            found = quickest_double_s(v, a, j)
            return JERK_LIMITED, found.duration, settings(ramp=found.ramp, jerk=found.jerk, jerk_time=found.jerk_time)
        made = trapezoid_of(self.name, time, v, a)
        return TRAPEZOID, made.duration, settings(ramp=made.ramp, speed=made.v, pull=made.a)

    def __call__(self, t: Floats) -> Motion:
        s, sd, sdd = (np.asarray(x, dtype=float) for x in self.law.along(ARRAYS, t, self.given))
        return Motion(np.clip(s, 0.0, 1.0), np.broadcast_to(sd, t.shape), np.broadcast_to(sdd, t.shape))


def _along(arm: NumericArm, curve: Curve, law: _Law, near: Floats | None, task: str, singular: float) -> ToolTrajectory:
    q0 = _start_configuration(arm, curve, near, task, law.name)
    found = follow_curve(Follower(arm, curve, task), q0)
    if isinstance(found, Stopped):
        _refuse_limits(arm, found.s, found.q, law.name)
        raise InputError(_stop_reason(Follower(arm, curve, task), found, law.name))
    looked = np.linspace(0.0, law.duration, LOOKS + 1)
    places = law(looked).q
    seen = found.at(places).q
    _refuse_limits(arm, places, seen, law.name)

    def motion(t: Floats) -> Motion:
        flat = t.reshape(-1)
        known = np.where(np.isnan(flat), 0.0, flat)
        s, sd, sdd = law(known)
        q, first, second = found.at(s)
        sd, sdd = sd[:, None], sdd[:, None]
        moved = (q, first * sd, second * sd**2 + first * sdd)
        lost = np.isnan(flat)[:, None]
        return Motion(*(np.where(lost, np.nan, x).reshape(*t.shape, arm.dof) for x in moved))

    report = _singular(looked, found.follower.smallest(seen), singular)
    return ToolTrajectory(law.name, arm.dof, law.duration, None, {}, motion, tool=curve, along=law, singular=report)


def _singular(t: Floats, least: Floats, below: float) -> tuple[Singular, ...]:
    """The times at which the least singular value is below that number."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], least < below, [False]]).astype(int)))
    pairs = edges.reshape(-1, 2)
    return tuple(Singular(float(t[a]), float(t[b - 1]), float(least[a:b].min())) for a, b in pairs)


def _refuse_limits(arm: NumericArm, s: Floats, q: Floats, name: str) -> None:
    low, high = np.array(arm.limits).T
    out = np.argwhere((q < low - INSIDE) | (q > high + INSIDE))
    if out.size:
        at, joint = out[0]
        raise InputError(
            "{name}: at {s:.3g} % of the way joint {joint} is at {q:.4g}, beyond its limits {low:.4g} … "
            "{high:.4g}; near= may start on another branch",
            name,
            100 * s[at],
            joint + 1,
            q[at, joint],
            low[joint],
            high[joint],
        )


def _stop_reason(follower: Follower, at: Stopped, name: str) -> str:
    """Why the curve cannot be followed any further."""
    where = Message("{name}: at {at:.3g} % of the way", name, 100 * at.at)
    if follower.sideways(at.q[-1], at.s[-1]) > SIDEWAYS:
        return Message("{where} no motion of the joints moves the tool in the direction of the path", where)
    found = follower.arm.inverse_kinematics(follower.curve.at(np.array(at.at)).pose, task=follower.task)
    if not len(found.q):
        return Message("{where} the tool cannot be: {reason}", where, found.nearest.reason)
    return Message("{where} the arm comes to a singular pose, where it would have to change to another branch", where)


def _start_configuration(arm: NumericArm, curve: Curve, near: Floats | None, task: str, name: str) -> Floats:
    """The configuration to start from: the given one, if it is there, else the solution nearest to it."""
    pose = curve.at(np.array(0.0)).pose
    if near is not None:
        follower = Follower(arm, curve, task)
        if np.abs(follower.error(near, np.array(0.0))).max() < 1e-6:
            return follower.newton_step(near, np.array(0.0))
    found = arm.inverse_kinematics(pose, None if near is None else _on_road(arm, near), task=task)
    if not len(found.q):
        raise InputError("{name}: the tool cannot start there: {reason}", name, found.nearest.reason)
    whole = np.zeros(arm.dof) if near is None else near.copy()
    whole[_road(arm)] = found.q[0]
    return whole


def _road(arm: NumericArm) -> list[int]:
    """The joints that inverse kinematics answers for: of a robot that branches those on the road to the tool."""
    return road_coordinates(with_frame(arm.robot)).effective


def _on_road(arm: NumericArm, q: Floats) -> Floats:
    return np.asarray(q[_road(arm)])


def _start(arm: NumericArm, value: ArrayLike, near: object, name: str) -> tuple[Floats, Floats | None]:
    """The pose to start from, and the configuration to be near."""
    if np.ndim(value) == 1:
        q = _joints(arm, value, f"{name}: start")
        return np.asarray(arm.pose(q)), q
    pose = checked_poses(np.array(poses_from_value(value)))
    if pose.shape != (4, 4):
        raise InputError(
            "{name}: start: expected a pose (4, 4) or a configuration, found an array {shape}", name, pose.shape
        )
    return pose, None if near is None else _joints(arm, near, f"{name}: near")


def _goal(start: Floats, value: ArrayLike) -> Floats:
    if np.ndim(value) == 1:
        return _with_position(start, _three(value, "line: goal"))
    pose = checked_poses(np.array(poses_from_value(value)))
    if pose.shape != (4, 4):
        raise InputError("line: goal: expected a pose (4, 4) or a position (3,), found an array {shape}", pose.shape)
    return pose


def _with_position(pose: Floats, position: Floats) -> Floats:
    found = pose.copy()
    found[:3, 3] = position
    return found


def _joints(arm: NumericArm, value: object, what: str) -> Floats:
    q = numbers(value, what, 1, Message("a position for each of {dof} joints", arm.dof))
    if len(q) != arm.dof:
        raise InputError("{what}: expected a position for each of {dof} joints, found {count}", what, arm.dof, len(q))
    return q


def _three(value: object, what: str) -> Floats:
    found = numbers(value, what, 1, Message("three numbers"))
    if len(found) != 3:
        raise InputError("{what}: expected three numbers, found {count}", what, len(found))
    return found


def _task(task: str) -> str:
    if task not in ROWS:
        raise UnknownNameError("task", task, ROWS)
    return task
