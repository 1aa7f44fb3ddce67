"""Where all joints are when the motors are somewhere: the loops closed, in the assembly that was meant.

A linkage can be assembled in several ways, and Newton's method may find any of them. `close_loops` starts from a
position that is near one of them and closes it; then it leads the motors to where they are wanted, step by step:

    q_p ← q_p − J_p⁻¹ J_a Δq_a, then Newton's method with the motors held

A step is taken only if no determinant of the closure changes its sign or comes near zero, and if Newton's method moves
the joints by little; else it is halved. So the assembly stays the one of the start, or a status says why not.

Source: continuation of solutions as in Allgower, Georg, "Introduction to Numerical Continuation Methods" (2003),
chapter 2; the rule that the determinants keep their signs is derived here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manipula.errors import InputError, UnknownNameError
from manipula.mechanics.models.closure.assembly import ClosurePlan, NumericLinkage, starts_of
from manipula.mechanics.robot.bind import Binding, free_parameters
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.reduce import merge_fixed
from manipula.mechanics.robot.values.parameter import float_of, floats_of
from manipula.mechanics.spatial.floats import FLOATS
from manipula.messages import Message

Array = NDArray[np.float64]
Status = Literal["closed", "open", "singular", "other assembly"]
STRIDE = 0.25  # rad, or of the size: of a motor in a step
MOST = 0.35  # rad, or of the size: what Newton's method may add to a step
SHORTEST = 2.0**-12  # of the way: a step that is shorter ends it
NEARLY = 1e-9  # m or rad: a gap of loops that are closed but for rounding
SMALL = 1e-6  # of a determinant's usual size
TRIES = 16  # starts around the one given, where that does not close as it should
AROUND = 0.15
SAID = {
    "closed": Message("closed"),
    "open": Message("the loops do not close there"),
    "singular": Message("the closure is singular there, or on the way there"),
    "other assembly": Message("only another assembly closes there"),
}


@dataclass(frozen=True, eq=False)
class ClosedPosition:
    """Positions of all joints with a status. Where arrays are wanted it is `q`, which a status other than "closed"
    refuses."""

    robot: str
    q: Array
    status: Status
    error: float  # how far the loops are from closed, m or rad
    motors: Array = field(repr=False)  # where they were wanted
    reached: Array = field(repr=False)  # where they are at `q`

    @property
    def ok(self) -> bool:
        return self.status == "closed"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        if not self.ok:
            wanted, reached = (", ".join(f"{x:.6g}" for x in y) for y in (self.motors, self.reached))
            told = (self.robot, SAID[self.status], wanted)
            if self.error > NEARLY:
                raise InputError("{robot}: {why} (the motors at {motors}; gap {error:.3g} m or rad)", *told, self.error)
            raise InputError(
                "{robot}: {why} (the motors at {motors}; they were led as far as {reached})", *told, reached
            )
        return np.array(self.q, dtype=dtype)

    def __len__(self) -> int:
        return len(self.q)


@lru_cache(maxsize=32)
def mechanism_of(robot: RobotDescription) -> tuple[NumericLinkage, ClosurePlan]:
    """A robot in numbers and the plan of its closure."""
    if not robot.loops:
        raise InputError("{robot} has no loops to close", robot.name)
    if unknown := [name for name in free_parameters(robot) if is_geometry(robot, name)]:
        raise InputError("{robot}: closing its loops needs a value for {names}", robot.name, ", ".join(unknown))
    numbers = dict.fromkeys(free_parameters(robot), 0.0)  # masses, which move no frame
    tree = merge_fixed(Binding(robot).over(FLOATS, numbers))
    mechanism = NumericLinkage(robot.name, tree, robot.motor_coordinates)
    return mechanism, mechanism.plan(starts_of(robot))


def is_geometry(robot: RobotDescription, name: str) -> bool:
    """Whether a free name stands in a placement: such a length decides where loops close."""
    from manipula.mechanics.robot.description import cells_in
    from manipula.mechanics.robot.values.parameter import names_of

    rows = [(x.before, x.offset, x.after, x.of_kind) for x in robot.joints]
    return any(name in names_of(cell.parameter) for cell in cells_in((tuple(rows), robot.frames)))


def close_loops(robot: RobotDescription, motors: object, near: object = None) -> ClosedPosition:
    """All joints' positions with the motors at `motors`, from the position `near`: a pose by name, positions of all
    joints, or some by name; None is the pose called "closed", the first one, or zero."""
    names = robot.joint_names
    if not robot.loops and robot.coordinates.followers:  # parallelograms: always closed
        q = _numbers(robot, motors, names, "motors")
        return ClosedPosition(robot.name, q, "closed", 0.0, q, q)
    mechanism, plan = mechanism_of(robot)
    target = _numbers(robot, motors, [names[c] for c in robot.motor_coordinates], "motors")
    return Closing(mechanism, plan).to(target, start_of(robot, near))


def start_of(robot: RobotDescription, near: object) -> Array:
    values = floats_of(dict(robot.values))
    poses = {
        name: [float_of(at[joint], values) for joint in robot.joint_names]
        for name, at in ((name, dict(entries)) for name, entries in robot.named_poses)
    }
    if near is None:
        near = "closed" if "closed" in poses else next(iter(poses), [0.0] * robot.dof)
    if isinstance(near, str):
        if near not in poses:
            raise UnknownNameError(Message("pose of {name}", robot.name), near, poses)
        near = poses[near]
    return _numbers(robot, near, robot.joint_names, "near", absent=0.0)


def _numbers(
    robot: RobotDescription, given: object, names: Sequence[str], what: str, absent: float | None = None
) -> Array:
    """One number a name, from a list or a mapping."""
    if isinstance(given, Mapping):
        odd = next((name for name in given if name not in names), None)
        if odd is not None:
            raise UnknownNameError(Message("joint of {name}", robot.name), odd, names)
        if absent is None and (missing := next((name for name in names if name not in given), None)):
            raise InputError("{robot}: {what} lacks a position of {missing!r}", robot.name, what, missing)
        given = [given.get(name, absent) for name in names]
    try:
        found = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        raise InputError("{robot}: {what} are no numbers: found {given!r:.60}", robot.name, what, given) from None
    if found.shape != (len(names),):
        raise InputError(
            "{robot}: {what}: found {shape} numbers, expected {count}, of {names}",
            robot.name, what, "×".join(map(str, found.shape)) or 1, len(names), ", ".join(names),
        )  # fmt: skip
    if not np.isfinite(found).all():
        raise InputError("{robot}: {what}: found a position that is not finite", robot.name, what)
    return found


class Closing:
    """Newton's method and the way of the motors, of one mechanism."""

    def __init__(self, mechanism: NumericLinkage, plan: ClosurePlan) -> None:
        self.mechanism, self.plan = mechanism, plan
        self.driven, self.passive = list(plan.driven), list(plan.passive)

    def to(self, target: ArrayLike, start: Array) -> ClosedPosition:
        """The motors at `target`, in the assembly of `start`."""
        motors = np.asarray(target, dtype=float)
        q, status = self.assemble(start)
        if status == "closed":
            q, status = self._lead(q, motors)
        return ClosedPosition(self.mechanism.robot, q, status, self.mechanism.gap(q), motors, q[self.driven])

    def assemble(self, start: Array) -> tuple[Array, Status]:
        """The closed position that is nearest to a start among those found, with the determinants' signs of it."""
        signs, found = np.sign(self._divisors(start)), list[Array]()
        rng, units = np.random.default_rng(0), self.mechanism.units[1]
        others = 0
        if self.mechanism.is_closed(start) and (np.abs(self._divisors(start)) <= SMALL).any():
            return start, "singular"  # where two assemblies meet, signs are rounding errors
        for attempt in range(TRIES):
            there = start + (AROUND * rng.uniform(-1, 1, len(start)) * units if attempt else 0.0)
            free = self.passive if attempt < TRIES // 2 else range(self.mechanism.n)
            there[self.driven] = start[self.driven] if attempt < TRIES // 2 else there[self.driven]
            q = self.mechanism.newton(there, free)
            if not self.mechanism.is_closed(q):
                continue
            if self._same(signs, q):
                found.append(q)
                break
            others += 1
        if found:
            return min(found, key=lambda q: float(np.abs((q - start) / units).max())), "closed"
        return start, "other assembly" if others else "open"

    def _divisors(self, q: Array) -> Array:
        return self.mechanism.divisors(q, self.plan)

    def _same(self, signs: Array, q: Array) -> bool:
        now = self._divisors(q)
        return bool((np.sign(now) == signs).all() and (np.abs(now) > SMALL).all())

    def _lead(self, q: Array, target: Array) -> tuple[Array, Status]:
        """Step by step; a step that fails is halved."""
        signs, begun = np.sign(self._divisors(q)), q[self.driven]
        way = float(np.abs((target - begun) / self.mechanism.units[1][self.driven]).max())
        gone, stride = 0.0, min(1.0, STRIDE / way) if way else 1.0
        status: Status = "closed"
        while gone < 1.0:
            step = min(stride, 1.0 - gone)
            motors = begun + (gone + step) * (target - begun) if gone + step < 1.0 else target
            there, status = self._step(q, motors, signs)
            if status == "closed":
                q, gone, stride = there, gone + step, min(2 * stride, STRIDE / way if way > STRIDE else 1.0)
            elif step <= SHORTEST:
                return q, status
            else:
                stride = step / 2
        return q, "closed"

    def _step(self, q: Array, motors: Array, signs: Array) -> tuple[Array, Status]:
        """One step of the motors, if the assembly stays."""
        units, there = self.mechanism.units[1], q.copy()
        J, moved = self.mechanism.J(q), (motors - q[self.driven]) / units[self.driven]
        rows = list(self.plan.rows)
        P, A = J[np.ix_(rows, self.passive)], J[np.ix_(rows, self.driven)]
        there[self.driven] = motors
        there[self.passive] += -np.linalg.solve(P, A @ moved) * units[self.passive]
        found = self.mechanism.newton(there, self.passive)
        if not self.mechanism.is_closed(found):
            return found, "open"
        if float(np.abs((found - there) / units).max()) > MOST:
            return found, "other assembly"
        return (found, "closed") if self._same(signs, found) else (found, "singular")
