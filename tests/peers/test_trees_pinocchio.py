"""Hands, legs and grippers against Pinocchio: trees written here, read by both, compared joint by joint by name.

The topologies are those of known robots (four fingers of four joints on a palm, four legs of three joints on a trunk,
an arm of seven joints with two fingers that slide); the numbers are drawn.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.mechanics.robot.bind import bind
from manipula.mechanics.robot.reduce import merge_fixed
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.spatial.floats import FLOATS
from tests.pinocchio_oracle import Oracle, pin
from tests.random_robots import random_state, random_tree

NEAR = 1e-12  # of the largest entry


class Urdf:
    """The text of a file, link by link."""

    def __init__(self, name: str, seed: int) -> None:
        self.rng = random.Random(seed)
        self.name, self.parts = name, ['<link name="root"/>']

    def link(self, parent: str, name: str, kind: str, axis: str = "0 0 1", massless: bool = False) -> str:
        """A link behind a joint of the same name, at a drawn place, with a drawn body; returns its name."""
        body = "" if massless else f"<inertial>{self._origin()}{self._mass()}</inertial>"
        limit = '<limit lower="-3" upper="3" velocity="1" effort="1"/>' if kind != "fixed" else ""
        turn = f'<axis xyz="{axis}"/>{limit}' if kind != "fixed" else ""
        self.parts.append(f'<link name="{name}">{body}</link>')
        self.parts.append(f'<joint name="j_{name}" type="{kind}"><parent link="{parent}"/><child link="{name}"/>'
                          f"{self._origin()}{turn}</joint>")  # fmt: skip
        return name

    def limb(self, parent: str, name: str, axes: Sequence[str], kind: str = "revolute") -> str:
        for i, axis in enumerate(axes, 1):
            parent = self.link(parent, f"{name}{i}", kind, axis)
        return parent

    def text(self) -> str:
        return f'<?xml version="1.0"?><robot name="{self.name}">{"".join(self.parts)}</robot>'

    def _origin(self) -> str:
        x, y, z = (round(self.rng.uniform(-0.3, 0.3), 3) for _ in range(3))
        roll = self.rng.choice(("0", "1.5707963267948966", f"{self.rng.uniform(-1, 1):.3f}"))
        return f'<origin xyz="{x} {y} {z}" rpy="{roll} 0 {self.rng.uniform(-1, 1):.3f}"/>'

    def _mass(self) -> str:
        d = [round(self.rng.uniform(0.01, 0.02), 4) for _ in range(3)]
        off = " ".join(f'i{pair}="{self.rng.uniform(-1e-3, 1e-3):.5f}"' for pair in ("xy", "xz", "yz"))
        tensor = " ".join(f'i{a}{a}="{x}"' for a, x in zip("xyz", d))
        return f'<mass value="{self.rng.uniform(0.1, 2):.3f}"/><inertia {tensor} {off}/>'


def hand() -> str:
    """Allegro's: a palm and four fingers of four joints, each with a tip that has a mass."""
    urdf = Urdf("hand", 1)
    palm = urdf.link("root", "palm", "fixed")
    for finger in ("index", "middle", "ring", "thumb"):
        axes = ("1 0 0", "0 1 0", "0 0 1", "0 1 0") if finger == "thumb" else ("0 0 1", "0 1 0", "0 1 0", "0 1 0")
        urdf.link(urdf.limb(palm, finger, axes), f"{finger}_tip", "fixed")
    return urdf.text()


def legs() -> str:
    """Solo12's: four legs of three joints on a trunk, a frame without mass at each foot."""
    urdf = Urdf("legs", 2)
    for leg in ("FL", "FR", "HL", "HR"):
        urdf.link(urdf.limb("root", leg, ("1 0 0", "0 1 0", "0 1 0")), f"{leg}_foot", "fixed", massless=True)
    return urdf.text()


def gripper() -> str:
    """Panda's: seven turning joints, a flange, a hand, and two fingers that slide against each other."""
    urdf = Urdf("gripper", 3)
    last = urdf.limb("root", "link", ["0 0 1"] * 7)
    palm = urdf.link(urdf.link(last, "flange", "fixed", massless=True), "hand", "fixed")
    urdf.link(palm, "left_finger", "prismatic", "0 1 0")
    urdf.link(palm, "right_finger", "prismatic", "0 -1 0")
    return urdf.text()


@pytest.mark.turn
@pytest.mark.drawn("make")
@pytest.mark.parametrize("make", [pytest.param(hand, marks=pytest.mark.slow), legs, gripper])
def test_both_readers_agree(make: Callable[[], str]) -> None:
    compare(make(), "none")


@pytest.mark.slow
@pytest.mark.parametrize("make", [pytest.param(hand, marks=pytest.mark.slow), legs, gripper])
def test_optimised_functions_agree(make: Callable[[], str]) -> None:
    compare(make(), "fast")


def compare(text: str, level: str) -> None:
    robot = mp.Robot.from_text(text, "urdf", exact=True)
    model = pin.buildModelFromXML(text)
    data = model.createData()
    places = [model.joints[model.getJointId(name)].idx_v for name in robot.joint_names]
    assert sorted(places) == list(range(model.nv)) and len(robot.frame_names) > 1
    model.gravity = pin.Motion(np.array([0, 0, -9.81]), np.zeros(3))
    arm, rng = mp.Arm(robot, optimise=level), np.random.default_rng(5)
    for _ in range(3):
        q, qd, qdd = rng.uniform(-1, 1, (3, robot.dof))
        ours = [arm.inverse_dynamics(q, qd, qdd), arm.gravity(q), arm.inertia_matrix(q)]
        there = [_placed(x, places) for x in (q, qd, qdd)]
        M = pin.crba(model, data, there[0])
        M = np.triu(M) + np.triu(M, 1).T
        theirs = [
            pin.rnea(model, data, *there)[places],
            pin.computeGeneralizedGravity(model, data, there[0])[places],
            M[np.ix_(places, places)],
        ]
        for one, other in zip(ours, theirs):
            near(one, other)
        tau = _placed(ours[0], places)
        near(arm.forward_dynamics(q, qd, ours[0]), pin.aba(model, data, *there[:2], tau)[places])
        near(arm.forward_dynamics(q, qd, ours[0]), qdd)
        for name in robot.frame_names:
            frame, own = model.getFrameId(name), arm.at(name)
            J = pin.computeFrameJacobian(model, data, there[0], frame, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)
            near(own.jacobian(q), J[:, places])
            pin.framesForwardKinematics(model, data, there[0])
            near(own.pose(q), data.oMf[frame].homogeneous)


@pytest.mark.turn
@pytest.mark.parametrize("seed", range(3))
def test_random_trees(seed: int) -> None:
    """Whatever the rows, the frames and the joints: fixed rows anywhere, several branches at the base, bare tips."""
    robot = branch_by_branch(seed)
    tree = merge_fixed(bind(robot, FLOATS, {}))
    oracle = Oracle(tree)
    q, qd, qdd, wrench = random_state(robot, seed)
    arm = mp.Arm(mp.Robot.of(robot).without("friction", "motor_inertia"), optimise="none")
    near(arm.inverse_dynamics(q, qd, qdd, wrench), oracle.inverse_dynamics(q, qd, qdd, wrench))
    near(arm.inertia_matrix(q), oracle.inertia_matrix(q))
    near(arm.jacobian(q), oracle.jacobian(q))
    near(arm.jacobian(q, frame="tool"), oracle.jacobian(q, "tool"))
    near(arm.jacobian_dot(q, qd), oracle.jacobian_dot(q, qd))
    near(arm.frames(q), oracle.frames(q))
    near(arm.joint_wrenches(q, qd, qdd, wrench), oracle.joint_wrenches(q, qd, qdd, wrench))
    near(np.array(arm.energy(q, qd)), np.array(oracle.energy(q, qd)))
    for one, other in zip(
        arm.inverse_dynamics_derivatives(q, qd, qdd), oracle.inverse_dynamics_derivatives(q, qd, qdd)
    ):
        near(one, other)


def branch_by_branch(seed: int) -> Any:
    """A random tree whose rows stand branch by branch, the order in which Pinocchio keeps the columns of M."""
    for attempt in range(seed * 1000, seed * 1000 + 1000):
        robot = random_tree(attempt, actuators=False)
        robot = replace(robot, tool_on=robot.joints[-1].name if robot.tool_on is None else robot.tool_on)
        if _is_ordered(merge_fixed(bind(robot, FLOATS, {}))) and len(robot.joint_names) > 2:
            return robot
    raise AssertionError(seed)


def _is_ordered(tree: Tree) -> bool:
    return bool(tree.branches) and all(tree.beyond(i) == [*range(i, i + len(tree.beyond(i)))] for i in range(tree.dof))


def _placed(values: Any, places: Sequence[int]) -> Any:
    found = np.zeros(len(places))
    found[list(places)] = values
    return found


def near(one: Any, other: Any) -> None:
    one, other = np.asarray(one, dtype=float), np.asarray(other, dtype=float)
    np.testing.assert_allclose(one, other, rtol=0, atol=NEAR * max(1.0, np.abs(other).max(initial=0)))
