"""Inverse kinematics of one pose: a result with a nearest answer."""

import numpy as np

import manipula as mp


def main() -> list[float]:
    arm = mp.Arm("puma560")
    q = np.full(arm.dof, 0.3)
    found = arm.inverse_kinematics(arm.pose(q), seed=q)
    print(found.nearest.reason, found.nearest.distance, found.branch, found.pose)
    place = arm.inverse_kinematics([0.4, 0.2, 0.1], task="position", tolerance=1e-9)
    return [float(x) for row in (*found.q, *place.q) for x in row]
