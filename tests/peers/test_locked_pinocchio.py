"""Joints held still against Pinocchio's `buildReducedModel`: both read one URDF, both lock the same joints."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import manipula as mp
from tests.peers.test_trees_pinocchio import Urdf
from tests.pinocchio_oracle import pin

KINDS = ("revolute", "prismatic", "revolute", "continuous", "revolute")
AXES = ("0 0 1", "1 0 0", "0 1 0", "0 0 -1", "0.6 0 0.8")


def arm(seed: int) -> str:
    """Five joints about any axis, a tool without mass, a link beside the chain."""
    urdf, parent = Urdf("arm", seed), "root"
    for i, (kind, axis) in enumerate(zip(KINDS, AXES), 1):
        parent = urdf.link(parent, f"l{i}", kind, axis)
    urdf.link("l3", "box", "fixed")
    urdf.link(parent, "tip", "fixed", massless=True)
    return urdf.text()


@pytest.mark.parametrize("seed, held", [(1, ["j_l1"]), (2, ["j_l5"]), (3, ["j_l2", "j_l4"]), (4, ["j_l1", "j_l3"]),
                                        (5, ["j_l1", "j_l2", "j_l3", "j_l5"])])  # fmt: skip
def test_the_reduced_arm_is_pinocchios(seed: int, held: list[str]) -> None:
    text, rng = arm(seed), np.random.default_rng(seed)
    at = {name: float(rng.uniform(-1, 1)) for name in held}
    left = mp.Arm(mp.Robot.from_text(text, "urdf", tip="tip", exact=True).locked(at), optimise="none")
    whole = pin.buildModelFromXML(text)
    q0 = pin.neutral(whole)
    for name, value in at.items():
        put(whole, q0, name, value)
    reduced = pin.buildReducedModel(whole, [whole.getJointId(name) for name in held], q0)
    data = reduced.createData()
    q, qd, qdd = rng.uniform(-1, 1, (3, left.dof))
    there = pin.neutral(reduced)
    for name, value in zip(left.robot.joint_names, q):
        put(reduced, there, name, value)
    order = [reduced.joints[reduced.getJointId(name)].idx_v for name in left.robot.joint_names]
    v, a = np.zeros(left.dof), np.zeros(left.dof)
    v[order], a[order] = qd, qdd
    near(left.inverse_dynamics(q, qd, qdd), pin.rnea(reduced, data, there, v, a)[order])
    near(left.inertia_matrix(q), np.array(pin.crba(reduced, data, there))[np.ix_(order, order)])
    pin.framesForwardKinematics(reduced, data, there)
    near(left.pose(q), data.oMf[reduced.getFrameId("tip")].homogeneous)


def put(model: Any, q: Any, name: str, value: float) -> None:
    """A continuous joint is a point of the circle there."""
    joint = model.joints[model.getJointId(name)]
    q[joint.idx_q : joint.idx_q + joint.nq] = [value] if joint.nq == 1 else [np.cos(value), np.sin(value)]


def near(ours: Any, theirs: Any) -> None:
    assert np.max(np.abs(ours - theirs)) <= 1e-12 * max(1.0, float(np.max(np.abs(theirs))))
