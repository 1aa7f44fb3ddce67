"""Parameters from a recording."""

from pathlib import Path

import manipula as mp


def main(recording: Path) -> mp.Robot:
    robot = mp.load("puma560")
    log: mp.Log = mp.read_log(recording, robot)
    found = mp.identify(robot, log, model=mp.JointModel(friction=("viscous", "coulomb")))
    for sentence in found.warnings:
        print(sentence)
    print(found.model.families, found.extra)
    return found.robot
