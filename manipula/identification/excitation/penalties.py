"""What a motion must not do, each as a penalty with its gradient for a search, and as a verdict on a dense motion.

An excess is relative to the limit. `penalty` adds its slopes to those of positions, velocities and accelerations.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, Protocol

import numpy as np

from manipula.algebra.run.compiled_function import Compiled, compile_tape
from manipula.algebra.tape import tape_from_function
from manipula.errors import InputError, UnsetError, some_of
from manipula.generation.pipeline import generate_function
from manipula.generation.prepare import Request, prepare
from manipula.identification.excitation.motions import SHARE, Kept, Room
from manipula.mechanics.models.motion.ports import Motion
from manipula.mechanics.robot.description import RobotDescription, cell_with_value
from manipula.messages import Message
from manipula.simulation.stepping import Limits
from manipula.trajectories.trajectory import Floats

# The models that a motion is designed with, compiled; each says which values it lacks.


@lru_cache(maxsize=24)  # another box, another limit is tried on the same arm again and again
def compile_model(robot: RobotDescription, model: str) -> Compiled:
    """Proved and in machine code; some ten thousand values are read, which is no reason to search long."""
    return compile_tape(tape_from_function(generate_function(prepare(Request(robot, model, optimise="none")))))


def numeric(robot: RobotDescription, model: str, why: str) -> Any:
    """A model of a robot all of whose values that it reads are numbers."""
    code = compile_model(robot, model)
    if code.parameters:
        raise UnsetError(
            Message("{name}: {why} needs a value for {some_of}", robot.name, why, some_of(code.parameters)),
            code.parameters,
        )
    return code


def rigid(robot: RobotDescription) -> RobotDescription:
    """Without friction and motor inertia: of those the columns are known."""

    def bare(joint: Any) -> Any:
        actuator = joint.actuator.without_friction(lambda cell: cell_with_value(cell.name))
        return replace(joint, actuator=replace(actuator, motor_inertia=cell_with_value(actuator.motor_inertia.name)))

    return replace(robot, joints=tuple(map(bare, robot.joints)))


CLEAR = 0.01  # m that a search keeps between the tool and a box
BETWEEN = 0.6  # of the longest step between two samples of a check: half of it, and the bow of the path


class Watch(Protocol):
    """One kind of limit."""

    def penalty(self, motion: Motion, slopes: Motion) -> float: ...
    def excess(self, motion: Motion) -> float: ...
    def sentence(self, motion: Motion) -> str: ...


@dataclass(frozen=True, eq=False)
class Between:
    """low ≤ C·x + c ≤ high of positions, velocities or accelerations x, the `order`-th derivative."""

    order: int
    C: Floats
    constant: Floats
    low: Floats
    high: Floats

    @cached_property
    def _half(self) -> Floats:
        """Half the room there is, in which an excess is measured."""
        half = (self.high - self.low) / 2
        # a limit on one side alone has no width: its excess is in the unit itself
        return np.where(np.isfinite(half), half, 1.0)

    def _off(self, motion: Motion) -> Floats:
        value = motion[self.order] @ self.C.T + self.constant
        return np.asarray((np.maximum(value - self.high, 0.0) - np.maximum(self.low - value, 0.0)) / self._half)

    def penalty(self, motion: Motion, slopes: Motion) -> float:
        # squares: the slope goes to zero at the limit, and a search meets no kink there
        off = self._off(motion)
        slopes[self.order][...] += (2 / len(off)) * (off / self._half) @ self.C
        return float(np.sum(off * off) / len(off))

    def excess(self, motion: Motion) -> float:
        return float(np.abs(self._off(motion)).max(initial=0.0))

    def sentence(self, motion: Motion) -> str:
        what = ("position", "velocity", "acceleration")[self.order]
        return Message("the {what} limits of joints that follow others leave no room", what)


@dataclass(frozen=True, eq=False)
class Torques:
    """|τ| below the limits, of an arm whose parameters have values."""

    torque: Callable[..., Floats]
    pulled: Callable[..., tuple[Floats, ...]]
    limit: Floats
    joints: tuple[str, ...]

    def _off(self, motion: Motion) -> Floats:
        tau = self.torque(*motion)
        return np.asarray(np.sign(tau) * np.maximum(np.abs(tau) - self.limit, 0.0) / self.limit)

    def penalty(self, motion: Motion, slopes: Motion) -> float:
        off = self._off(motion)
        for slope, part in zip(slopes, self.pulled(*motion, 2 * off / self.limit / len(off)), strict=True):
            # Jᵀv in one call of the generated derivative; J itself is never formed
            slope += part
        return float(np.sum(off * off) / len(off))

    def excess(self, motion: Motion) -> float:
        return float(np.abs(self._off(motion)).max())

    def sentence(self, motion: Motion) -> str:
        tau = np.abs(self.torque(*motion))
        # the joint that holds in the fewest postures is the one to name
        worst = int(np.argmin((tau <= self.limit).sum(axis=0)))
        least, limit = tau[:, worst].min(), self.limit[worst] / SHARE
        return Message(
            "{joints}: its effort limit {limit:g} does not hold the arm still in any posture tried (at "
            "least {least:.3g} is needed somewhere, or other joints fail there)",
            self.joints[worst],
            limit,
            least,
        )


@dataclass(frozen=True, eq=False)
class Tool:
    """The tool's origin inside one box and outside another."""

    pose: Callable[..., Floats]
    jacobian: Callable[..., Floats]
    room: Room

    def _way_out(self, p: Floats, clear: float) -> Floats:
        """The shortest way to where it may be, (times, 3); nothing where it is right."""
        low, high = self.room.within[:, 0] + clear, self.room.within[:, 1] - clear
        way = np.maximum(low - p, 0.0) - np.maximum(p - high, 0.0)
        if self.room.without is None:
            return np.asarray(way)
        low, high = self.room.without[:, 0] - clear, self.room.without[:, 1] + clear
        doors = np.concatenate([low - p, high - p], axis=-1)  # through each of the six faces
        inside = ((low < p) & (p < high)).all(axis=-1)
        nearest = np.argmin(np.abs(doors), axis=-1)
        rows = np.flatnonzero(inside)
        way[rows, nearest[rows] % 3] += doors[rows, nearest[rows]]
        return np.asarray(way)

    def penalty(self, motion: Motion, slopes: Motion) -> float:
        way = self._way_out(self.pose(motion.q)[..., :3, 3], CLEAR)
        J = self.jacobian(motion.q)[..., :3, :]
        slopes.q[...] -= np.einsum("tx,txn->tn", way, J) * (2 / len(way) / CLEAR)
        return float(np.sum(way * way) / len(way) / CLEAR)

    def excess(self, motion: Motion) -> float:
        p = self.pose(motion.q)[..., :3, 3]
        step = np.linalg.norm(np.diff(p, axis=0), axis=1).max(initial=0.0)
        return float(np.abs(self._way_out(p, BETWEEN * step)).max())

    def sentence(self, motion: Motion) -> str:
        return Message("box: the tool is where it may not be in each of {count} postures tried", len(motion.q))


def watches_of(robot: RobotDescription, limits: Kept, room: Room | None) -> tuple[list[Watch], list[str]]:
    """What is to be watched beside the limits of the coordinates, and notes on what cannot be."""
    found: list[Watch] = list(_followers(robot))
    notes: list[str] = []
    if np.isfinite(limits.effort).any():
        torque = compile_model(robot, "inverse_dynamics")
        if torque.parameters and "effort" in limits.asked:
            raise InputError(
                "{name}: limits of effort need a value for {some_of}", robot.name, some_of(torque.parameters)
            )
        if torque.parameters:
            notes.append(Message("effort limits are not kept: {some_of} without a value", some_of(torque.parameters)))
        else:
            pulled = numeric(robot, "inverse_dynamics_vjp", Message("a limit of effort"))
            found.append(Torques(torque, pulled, SHARE * limits.effort, tuple(robot.joint_names)))
    if room is not None:
        pose, jacobian = (numeric(robot, model, Message("a box")) for model in ("pose", "jacobian"))
        found.append(Tool(pose, jacobian, room))
    return found, notes


def _followers(robot: RobotDescription) -> list[Between]:
    """The limits of joints that follow others, where the file gives some."""
    follow = robot.coordinates.of(robot.coordinates.followers)
    if not follow.joints:
        return []
    said, (S, offsets) = Limits(robot, follow.joints), follow.affine
    # SHARE of the range, in its middle, as for the coordinates themselves
    spare = np.where(np.isfinite(said.upper - said.lower), (1 - SHARE) * (said.upper - said.lower) / 2, 0.0)
    speed = SHARE * said.velocity
    return [
        Between(0, S, offsets, said.lower + spare, said.upper - spare),
        Between(1, S, 0 * offsets, -speed, speed),
    ]
