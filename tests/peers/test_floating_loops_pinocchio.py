"""A leg with a four-bar knee on a free base against Pinocchio's constrained dynamics on its free-flyer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import manipula as mp
from tests.pinocchio_oracle import pin

ROW = """[[joint]]
name = "{name}"
type = "revolute"
parent = "{parent}"
xyz = {xyz}
axis = [0, {way}, 0]
mass = {mass}
com = [0.01, 0.02, -0.1]
inertia = {{ xx = 0.01, yy = 0.02, zz = 0.015, xy = 0.001 }}
"""
LEG = (
    """format = 1
name = "leg"
convention = "urdf"
angle = "rad"
inertia_default = 0
[base]
moving = "free"
link_name = "trunk"
mass = 5
com = [0.02, 0.01, 0.03]
inertia = { xx = 0.1, yy = 0.2, zz = 0.25, xz = 0.01 }
"""
    + ROW.format(name="thigh", parent="base", xyz="[0, 0.1, 0]", way=1, mass=1.0)
    + ROW.format(name="shank", parent="thigh", xyz="[0, 0, -0.3]", way=1, mass=0.6)
    + ROW.format(name="crank", parent="base", xyz="[0.1, 0.1, 0]", way=-1, mass=0.3)
    + ROW.format(name="rod", parent="crank", xyz="[0, 0, -0.08]", way=1, mass=0.2)
    + """[[frame]]
name = "lever"
on = "shank"
xyz = [0.1, 0, 0.05]
[[frame]]
name = "rod_end"
on = "rod"
xyz = [0, 0, -0.17]
[[loop]]
name = "knee"
joins = ["rod_end", "lever"]
free = "y"
[motors]
drive = ["thigh", "crank"]
"""
)


@pytest.mark.parametrize("seed", range(3))
def test_a_leg_with_a_four_bar_knee(seed: int) -> None:
    robot, rng = mp.Robot.from_text(LEG), np.random.default_rng(seed)
    closed = robot.close(rng.uniform(-0.2, 0.2, 2))
    assert closed.ok
    q, qd, tau = closed.q, rng.normal(size=2), rng.normal(size=2)
    arm = mp.Arm(robot, optimise="none")
    rates = arm.joint_motion(q, qd, [0, 0]).rates
    R, v0, w0 = mp.states.rotation([0.5, 0.5, -0.5, 0.5]), *rng.normal(size=(2, 3))
    found = arm.forward_dynamics(q, qd, tau, base=(R, v0, w0))

    model = pin_model()
    names = list(robot.joint_names)
    at = [6 + names.index(name) for name in list(model.names)[2:]]
    e = pin.Quaternion(R)
    Q = np.r_[0, 0, 0, e.x, e.y, e.z, e.w, q[[k - 6 for k in at]]]
    v = np.r_[v0, w0, rates[[k - 6 for k in at]]]
    whole = np.zeros(6 + len(names))
    whole[[6 + names.index(name) for name in robot.motors]] = tau
    push = np.r_[np.zeros(6), whole[at]]
    data = model.createData()
    ends = [model.getFrameId(name) for name in ("rod_end", "lever")]
    M = pin.crba(model, data, Q)
    M = np.triu(M) + np.triu(M, 1).T
    h, world = pin.nonLinearEffects(model, data, Q, v), pin.LOCAL_WORLD_ALIGNED
    pin.forwardKinematics(model, data, Q, v, 0 * v)
    pin.updateFramePlacements(model, data)
    J = np.subtract(*(pin.computeFrameJacobian(model, data, Q, f, world)[:3] for f in ends))
    pin.forwardKinematics(model, data, Q, v, 0 * v)
    bias = np.subtract(*(pin.getFrameClassicalAcceleration(model, data, f, world).linear for f in ends))
    assert np.abs(J @ v).max() < 1e-12
    # the velocity across the plane is zero by itself: one of three rows is idle
    system = np.block([[M, J.T], [J, np.zeros((3, 3))]])
    wanted = np.linalg.lstsq(system, np.r_[push - h, -bias], rcond=1e-12)[0][: model.nv]
    scale = np.abs(wanted).max()
    np.testing.assert_allclose(found.base_acceleration, wanted[:6], atol=1e-10 * scale)
    driven = [6 + list(model.names)[2:].index(name) for name in robot.motors]
    np.testing.assert_allclose(found.qdd, wanted[driven], atol=1e-10 * scale)


def pin_model() -> Any:
    """The open tree, joint by joint."""
    model = pin.Model()
    place = lambda xyz: pin.SE3(np.eye(3), np.array(xyz, dtype=float))  # noqa: E731
    turn = {"crank": pin.JointModelRevoluteUnaligned(np.array([0.0, -1, 0]))}
    free = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "root")
    tensor = lambda c: np.array([[c[0], c[3], c[4]], [c[3], c[1], 0], [c[4], 0, c[2]]])  # noqa: E731
    trunk = pin.Inertia(5.0, np.array([0.02, 0.01, 0.03]), tensor((0.1, 0.2, 0.25, 0, 0.01)))
    model.appendBodyToJoint(free, trunk, pin.SE3.Identity())
    rows = {"thigh": ("root", (0, 0.1, 0), 1.0), "shank": ("thigh", (0, 0, -0.3), 0.6),
            "crank": ("root", (0.1, 0.1, 0), 0.3), "rod": ("crank", (0, 0, -0.08), 0.2)}  # fmt: skip
    for name, (parent, xyz, mass) in rows.items():
        kind = turn.get(name, pin.JointModelRY())
        joint = model.addJoint(model.getJointId(parent), kind, place(xyz), name)
        body = pin.Inertia(mass, np.array([0.01, 0.02, -0.1]), tensor((0.01, 0.02, 0.015, 0.001, 0)))
        model.appendBodyToJoint(joint, body, pin.SE3.Identity())
    for name, on, xyz in (("lever", "shank", (0.1, 0, 0.05)), ("rod_end", "rod", (0, 0, -0.17))):
        model.addFrame(pin.Frame(name, model.getJointId(on), 0, place(xyz), pin.FrameType.OP_FRAME))
    return model
