"""Recordings of robots with loops: positions of all joints from those of the motors, and what the motors feel.

A robot with loops is identified through the tree that is left when they are cut. Along a recording the motors'
filtered positions give those of all joints, closed to rounding, and the closure gives their rates. What the joints of
the tree would feel of a column, the motors feel through G:

    q̇ = G q̇_a        q̈ = G q̈_a + g        τ_a = Gᵀ Y_tree(q, q̇, q̈) θ

Friction of joints without a motor is identified with the rest, for it is felt by the motors in the same way.

Source: Khalil, Dombre, "Modeling, Identification and Control of Robots" (2002), sections 10.4 and 12.5.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manipula.algebra.run.compiled_function import compile_tape
from manipula.algebra.tape import tape_from_function
from manipula.errors import InputError
from manipula.generation.pipeline import generate_function
from manipula.generation.prepare import Request, prepare
from manipula.identification.filters import RecordedMotion
from manipula.mechanics.models.closure.position import close_loops, mechanism_of
from manipula.mechanics.robot.description import RobotDescription
from manipula.messages import Message
from manipula.recordings.log import Log

Array = NDArray[np.float64]
STEPS = 20  # of Newton's method
CLOSED = 1e-11  # of the size: what rounding leaves of a gap
FAR = 0.2  # rad, and of the size: motors that move so far between two samples are led there
OPEN = 0.01  # rad, and of the size: positions recorded so far from closed are worth a note


class ClosedMotion:
    """Rates, accelerations and G of all coordinates along positions of the motors, by compiled models."""

    def __init__(self, robot: RobotDescription) -> None:
        self.robot, self.driven = robot, list(robot.motor_coordinates)
        self.size = mechanism_of(robot)[0].size
        joints = list(robot.coordinates.joints)
        self._own = [joints.index(name) for name in robot.joint_names]
        self._motion, self._closure = _compiled(robot, "joint_motion"), _compiled(robot, "closure")

    def rates(self, q: Array, qd: Array, qdd: Array) -> tuple[Array, Array]:
        """Of all coordinates from those of the motors."""
        found = self._motion(q, qd, qdd)
        return np.asarray(found.rates)[..., self._own], np.asarray(found.accelerations)[..., self._own]

    def gap(self, q: Array) -> Array:
        """How far the loops are from closed, m or rad."""
        return np.asarray(self._closure(q).gap)

    def close_positions(self, q: Array, times: Array) -> Array:
        """Positions (time, n) closed from near ones, the motors held."""
        found = np.array(q, dtype=float)
        for _ in range(STEPS):
            at = self._closure(found)
            if np.max(at.gap, initial=0.0) <= CLOSED * max(self.size, 1.0):
                break
            found = found + np.asarray(at.correction)
        gap = self.gap(found)
        wrong = ~(gap <= 1e3 * CLOSED * max(self.size, 1.0)) | (np.abs(found - q).max(axis=1) > 1 + self.size)
        if wrong.any():
            self._refuse(float(times[int(np.argmax(wrong))]))
        return found

    def follow_motors(self, motors: Array, times: Array) -> Array:
        """Positions of all joints along those of the motors, in the assembly of the robot's closed pose."""
        found = np.empty((len(motors), self.robot.dof))
        still = np.zeros(motors.shape[1])
        q = np.asarray(close_loops(self.robot, motors[0]))
        for k, target in enumerate(motors):
            step = target - q[self.driven]
            if np.abs(step).max() > FAR * min(self.size, 1.0):
                q = np.asarray(close_loops(self.robot, target, q))
            elif step.any():
                q = q + self.rates(q, step, still)[0]
                q[self.driven] = target
                q = self._one(q, target)
            found[k] = q
        return self.close_positions(found, times)

    def _one(self, q: Array, target: Array) -> Array:
        """A step of Newton's method or two; where they do not do, the motors are led there."""
        for _ in range(3):
            at = self._closure(q)
            if at.gap <= 1e-6 * max(self.size, 1.0):
                return q
            q = q + np.asarray(at.correction)
        return q if self.gap(q) <= 1e-6 * max(self.size, 1.0) else np.asarray(close_loops(self.robot, target, q))

    def _refuse(self, time: float) -> None:
        raise InputError(
            "{robot}: its loops do not close at the recorded positions of the motors, first at {time:.4g} s; are their "
            "zeros and signs those of the robot's file?", self.robot.name, time,
        )  # fmt: skip

    def along(self, motion: RecordedMotion) -> RecordedMotion:
        """The motion with passive joints as the loops have them, and G (time, n, motors); their torques are none."""
        own = self.driven
        q = self.close_positions(motion.q, motion.t)
        qd, qdd = self.rates(q, motion.qd[:, own], motion.qdd[:, own])
        none, units = np.zeros((len(q), len(own))), np.eye(len(own))
        G = np.stack([self.rates(q, none + unit, none)[0] for unit in units], axis=2)
        tau = np.zeros_like(motion.tau)
        tau[:, own] = motion.tau[:, own]
        return replace(motion, q=q, qd=qd, qdd=qdd, tau=tau, felt=G)


def _compiled(robot: RobotDescription, model: str) -> Any:
    return compile_tape(tape_from_function(generate_function(prepare(Request(robot, model)))))


@lru_cache(maxsize=16)
def closed_motion_of(robot: RobotDescription) -> ClosedMotion:
    """Made once for a robot."""
    return ClosedMotion(robot)


def with_passive_joints(robot: RobotDescription, log: Log) -> Log:
    """A recording of the motors as one of all joints; one of all joints is believed where its motors are."""
    if not robot.loops or log.q.ndim != 2:
        return log
    motion, own = closed_motion_of(robot), list(robot.motor_coordinates)
    if log.dof == robot.dof:
        gap = float(motion.gap(log.q).max())
        said = Message(
            "the recorded positions leave the loops open by up to {gap:.2g} m or rad; those of joints without a motor "
            "are computed from the motors", gap,
        )  # fmt: skip
        return log.with_notes([said] if gap > OPEN * max(motion.size, 1.0) else [])
    names = tuple(robot.joint_names[c] for c in own)
    if log.dof != len(own) or (log.joints and log.joints != names):
        raise InputError(
            "{robot}: a recording has its motors ({names}) or all its {dof} joints; found {count} columns: {found}",
            robot.name, ", ".join(names), robot.dof, log.dof, ", ".join(log.names),
        )  # fmt: skip
    q = motion.follow_motors(log.q, log.t)
    tau = None if log.tau is None else np.zeros_like(q)
    if tau is not None:
        tau[:, own] = log.tau
    qd = qdd = None
    if log.qd is not None:
        qd, qdd = motion.rates(q, log.qd, np.zeros_like(log.qd) if log.qdd is None else log.qdd)
    return Log(
        log.t, q, tau, qd=qd, qdd=None if log.qdd is None else qdd, joints=robot.joint_names, state=log.state,
        state_units=log.state_units, notes=log.notes, source=log.source, stated=log.stated,
    )  # fmt: skip
