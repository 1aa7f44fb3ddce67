"""What a person does to size the drives of an arm: the loads of a motion, and motors and gears from tables."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from manipula.api.robot_verbs import robot_from

if TYPE_CHECKING:
    from manipula.robot import RobotLike
    from manipula.simulation.drives.drive_choice import DriveChoice
    from manipula.simulation.drives.joint_loads import Loads
    from manipula.simulation.run import Run
    from manipula.trajectories.trajectory import Trajectory


def loads(
    robot: RobotLike, motion: Trajectory | Run, *, wrench: object = None, parameters: Mapping[str, float] | None = None
) -> Loads:
    """What every joint must carry and every motor give: peak and rms torque, speed, power, force and moment.

    Where the robot's file gives `gear`, with `efficiency` and `motor_inertia`, `motor` of a joint is what its motor
    gives at the shaft, what flows back when it brakes, and the inertia ratio. `motion` is a reference, which the arm
    follows exactly, or a run of `simulate`, whose torques are its motors'; of a batch the worst row counts. `wrench` is
    a force and a moment on the tool, world axes.

    >>> from manipula import trajectory
    >>> arm = load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=10)
    >>> round(loads(arm, trajectory.quintic([0, 0], [0, 0], 1.0))["theta1"].force, 6)
    50.0
    """
    from manipula.mechanics.robot.topology import refuse_moving
    from manipula.simulation.drives.joint_loads import loads_of

    refuse_moving(robot_from(robot), "loads")
    return loads_of(robot_from(robot), motion, wrench, parameters)


def choose_drives(
    loads: Loads, motors: str | Path, gears: str | Path | None = None, *, inertia_ratio: float | None = None,
    by: str = "power",
) -> DriveChoice:  # fmt: skip
    """The smallest motor and gear that hold along a motion, joint by joint, from tables (CSV) of both.

    A pair holds where the motor's rms torque is below its rated torque and its mean speed below its rated speed, its
    peaks are below its own, the gear's cubic mean torque, peak torque and input speed are below the gear's, and the
    inertia ratio is below `inertia_ratio`, if it is given. Without `gears` the robot's own are kept. `by`: the smallest
    in rated "power" of the motor, in "mass" or in "price" of both. What no pair holds is in `refusals`, with the
    nearest pair and by how much it fails.

    Args:
        motors (FILE.csv): Motors to choose from: name, rated torque [N·m], peak torque [N·m], rated speed [rpm],
            max speed [rpm], inertia [kg·cm2].
        gears (FILE.csv): Gears to choose from: name, ratio, rated torque [N·m], peak torque [N·m], efficiency,
            inertia [kg·cm2], max input speed [rpm].
        inertia_ratio: The largest load inertia at the motor over the motor's own.
    """
    from manipula.simulation.drives.drive_choice import choose_from_tables

    return choose_from_tables(loads, motors, gears, inertia_ratio, by)
