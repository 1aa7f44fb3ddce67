"""A base that moves at will: the recursion's torques are those of the arm on six joints more, which carry the base.

The judge is the world-frame text, which knows joints and bodies alone: the base's motion is that of the carrier's tool,
and what the base gives is what the carrier's joints feel.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from manipula.mechanics.models.dynamics import newton_euler
from manipula.mechanics.robot.bind import bind
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.reduce import merge_fixed
from manipula.mechanics.spatial.floats import FLOATS
from tests.random_robots import random_robot, random_state
from tests.world_frame import World

KINDS = ("R", "PR", "RRP", "FRPR", "RFRRP", "RRRRRR", "FFPRR", "PPP")


def carried(carrier: RobotDescription, robot: RobotDescription) -> RobotDescription:
    """One robot: the arm's rows on the carrier's last."""
    joints = tuple(replace(joint, name=f"carrier {joint.name}") for joint in carrier.joints)
    return replace(robot, joints=(*joints, *robot.joints))


@pytest.mark.parametrize("seed", range(len(KINDS)))
def test_an_arm_on_a_base_that_moves(seed: int) -> None:
    carrier = random_robot(seed + 50, joints="RPRPRR", surroundings=False, bodies=False, actuators=False)
    robot = random_robot(seed, joints=KINDS[seed], surroundings=False, actuators=False)
    x, xd, xdd, _ = map(np.array, random_state(carrier, seed))
    q, qd, qdd, _ = random_state(robot, seed)
    ground, whole = World(carrier), World(carried(carrier, robot))
    T, J = ground.at(x).tool, ground.jacobian(x)
    speed, rise = J @ xd, J @ xdd + ground.jacobian_dot(x, xd) @ xd
    in_base = [T[:3, :3].T @ v for v in (speed[3:], rise[3:], rise[:3] - whole.g)]
    tree = merge_fixed(bind(robot, FLOATS, {}))
    motion = newton_euler.Moving(*(tuple(v.tolist()) for v in in_base))
    found = newton_euler.newton_euler(tree, q, qd, qdd, base=motion)
    tau = whole.mechanism(np.array([*x, *q]), np.array([*xd, *qd]), np.array([*xdd, *qdd]))
    near(found.tau, tau[6:])
    # bodies on fixed rows before the first joint that moves stand on the base, too
    f, n = (
        np.array(side, dtype=float) + np.array(own(tree.ground, motion), dtype=float)
        for side, own in ((found.base.f, newton_euler.newton), (found.base.n, newton_euler.euler))
    )
    near(J.T @ np.concatenate([T[:3, :3] @ f, T[:3, :3] @ n]), tau[:6])


def near(one: Any, other: Any) -> None:
    one, other = np.array(one, dtype=float), np.array(other, dtype=float)
    np.testing.assert_allclose(one, other, rtol=0, atol=1e-10 * max(1.0, np.abs(other).max(initial=0)))
