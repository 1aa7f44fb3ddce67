"""Load a robot, change it, save it."""

from pathlib import Path

import manipula as mp


def heavier(name: str, mass: float) -> mp.Robot:
    robot: mp.Robot = mp.load(name)
    return robot.with_payload(mass, (0, 0, 0.1)).with_gravity(0, 0, -1.62)


def main(folder: Path) -> tuple[int, list[str], Path]:
    robot = heavier("puma560", 1.5).with_motor_inertia(elbow=0.8)
    own = mp.Robot.from_dh([("q1", 0, 0.4, 0), ("q2", 0, 0.3, 0)])
    names: list[str] = [*robot.joint_names, *own.joint_names]
    mp.save(own, folder / "own.toml")
    return robot.dof, names, folder / "own.toml"
