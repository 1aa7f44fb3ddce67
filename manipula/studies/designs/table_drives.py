"""Pairs of a motor and a gear from tables, in a design: what `mp.loads` and `mp.choose_drives` say of a motion, of its
tasks one by one.

A motion of a design goes leg by leg, and a leg ends where the next begins: the sample that is there twice is dropped,
so that samples stand evenly and means over time are Simpson's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from manipula.robot import Robot
from manipula.simulation.drives.drive_choice import CRITERIA, GearSide, gear_sides, pair_shares, pair_size, refuse_sizes
from manipula.simulation.drives.drive_tables import Motor, gears_from_table, motors_from_table
from manipula.simulation.drives.joint_loads import DriveValues
from manipula.simulation.drives.motor_loads import JointDemand, cubic_mean, motor_load
from manipula.studies.designs.tasks import SAMPLES

Array = NDArray[np.float64]
HELD = 1.0  # s: a place that is held has the same means over any time


class Pair(NamedTuple):
    """A motor, and the gear between it and a joint."""

    motor: Motor
    side: GearSide

    @property
    def label(self) -> str:
        return self.motor.name if self.side.gear is None else f"{self.motor.name} + {self.side.gear.name}"

    @property
    def torque(self) -> float:
        """The largest at the joint, at a steady speed."""
        own = self.side.ratio * self.side.efficiency * self.motor.peak_torque
        return own if self.side.gear is None else min(own, self.side.gear.peak_torque)

    @property
    def rated_torque(self) -> float:
        """That it gives for ever."""
        own = self.side.ratio * self.side.efficiency * self.motor.rated_torque
        return own if self.side.gear is None else min(own, self.side.gear.rated_torque)

    @property
    def speed(self) -> float:
        """The largest of the joint."""
        gear = self.side.gear
        return min(self.motor.max_speed, np.inf if gear is None else gear.max_speed) / self.side.ratio

    @property
    def inertia(self) -> float:
        """Motor inertia, as the joint feels it."""
        return self.side.ratio**2 * (self.motor.inertia + self.side.inertia)

    @property
    def mass(self) -> float:
        return (self.motor.mass or 0.0) + ((self.side.gear and self.side.gear.mass) or 0.0)

    @property
    def price(self) -> float:
        return (self.motor.price or 0.0) + ((self.side.gear and self.side.gear.price) or 0.0)

    def size(self, by: str) -> tuple[float, ...]:
        """By what the smallest is chosen."""
        return pair_size(self.motor, self.side, by)


def pairs_from_tables(
    robot: Robot, motors: str | Path, gears: str | Path | None, by: str
) -> list[tuple[Pair, tuple[int, ...]]]:
    """Every motor with every gear, and the joints, from 1, that it fits; without a table of gears the robot's own."""
    own = motors_from_table(motors)
    rows = None if gears is None else gears_from_table(gears)
    refuse_sizes(own, rows, motors, gears, by)
    drives, found = DriveValues(robot, None), dict[tuple[GearSide, bool], list[int]]()
    for k, (name, turns) in enumerate(zip(robot.joint_names, robot.coordinates.turns), 1):
        ratio = drives.gear[k - 1]
        kept = None if ratio is None else GearSide(None, abs(ratio), drives.efficiency[k - 1], 0.0)
        for side in gear_sides(name, bool(turns), kept, rows, gears):
            found.setdefault((side, bool(turns)), []).append(k)
    return [(Pair(motor, side), tuple(joints)) for motor in own for (side, _), joints in found.items()]


def task_demand(tau: Array, qd: Array, qdd: Array, step: float, inertia: float) -> JointDemand:
    """Of one joint in one task; `tau` without the motor's own inertia, `step` zero at rest."""
    if not step:
        held = [np.repeat(x[:1], 2)[None] for x in (tau, qd, qdd)]
        return JointDemand(np.array([0.0, HELD]), held[0], held[1], held[2], inertia)
    kept = np.arange(len(tau)) % SAMPLES > 0
    kept[0] = True
    return JointDemand(step * np.arange(kept.sum()), tau[kept][None], qd[kept][None], qdd[kept][None], inertia)


def shares_of_pairs(pairs: Sequence[Pair], demands: Iterable[JointDemand], limit: float) -> Array:
    """(pairs, criteria): what each uses of its limits, the most of any task."""
    sides: dict[GearSide, list[int]] = {}
    for k, pair in enumerate(pairs):
        sides.setdefault(pair.side, []).append(k)
    found = np.zeros((len(pairs), len(CRITERIA)))
    for demand in demands:
        shares = [
            (rows, pair_shares(demand, [pairs[k].motor for k in rows], side, limit)) for side, rows in sides.items()
        ]
        own = np.empty((len(pairs), shares[0][1].shape[1]))
        for rows, part in shares:
            own[rows] = part
        found = np.maximum(found, own)
    return found


FIGURES = ("motor_speed", "motor_torque", "motor_rms", "inertia_ratio", "gear_torque")


def figures_of_pairs(pairs: Sequence[Pair], demands: Sequence[Sequence[JointDemand]]) -> dict[str, Array | float]:
    """Joint by joint the worst of all tasks; `braking_energy` and `work` (nothing won back) are of all of them."""
    dof = len(pairs)
    found: dict[str, Array] = {name: np.zeros(dof) for name in FIGURES}
    braking = work = 0.0
    for j, (pair, own) in enumerate(zip(pairs, demands, strict=True)):
        inertia = pair.motor.inertia + pair.side.inertia
        for demand in own:
            load = motor_load(demand, pair.side.ratio, inertia, pair.side.efficiency)
            borne = cubic_mean(demand.t, demand.torque, demand.speed)
            values = (load.speed, load.torque, load.torque_rms, load.inertia_ratio or np.nan, borne)
            for name, value in zip(FIGURES, values):
                found[name][j] = np.fmax(found[name][j], value)
            braking += load.braking_energy
            work += load.energy + load.braking_energy
        if not inertia > 0:
            found["inertia_ratio"][j] = np.nan
    return {**found, "braking_energy": braking, "work": work}
