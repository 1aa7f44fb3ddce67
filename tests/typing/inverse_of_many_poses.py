"""Inverse kinematics of many poses: branches and a mask."""

import numpy as np

import manipula as mp


def main() -> int:
    arm = mp.Arm("puma560")
    poses = arm.pose(np.linspace(-0.5, 0.5, 24).reshape(4, 6))
    found = arm.inverse_kinematics_batch(poses)
    reached = found.valid.any(axis=-1)
    worst = float(found.residual[found.valid].max())
    path = arm.follow(poses)
    return int(reached.sum()) + int(path.q.shape[0]) + int(worst < 1e-9)
