"""Robots on a base that moves against Pinocchio's free-flyer, and the free joint of MJCF against MuJoCo."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import manipula as mp
from tests.floating_robots import run
from tests.peers.test_trees_pinocchio import Urdf
from tests.pinocchio_oracle import pin
from tests.random_mjcf import RandomMjcf

NEAR = 1e-12  # of the largest entry


def quadruped(seed: int) -> str:
    file = Urdf("quadruped", seed)
    trunk = file.link("root", "trunk", "fixed")
    for leg in ("FL", "FR", "HL", "HR"):
        foot = file.limb(trunk, leg, ("1 0 0", "0 -1 0", "0 1 0"))
        file.link(foot, f"{leg}_FOOT", "fixed", massless=True)
    return file.text()


def torso(seed: int) -> str:
    """A branching robot: two arms on a waist, one with a slide."""
    file = Urdf("torso", seed)
    base = file.link("root", "pelvis", "fixed")
    chest = file.limb(base, "waist", ("0 0 1",))
    file.limb(chest, "left", ("0 1 0", "1 0 0"))
    file.link(file.limb(chest, "right", ("0 1 0",)), "slide", "prismatic", "0 -1 0")
    return file.text()


def tail(seed: int) -> str:
    file = Urdf("tail", seed)
    file.limb(file.link("root", "body", "fixed"), "tail", ("0 0.6 0.8",))
    return file.text()


class Flyer:
    """A URDF in Pinocchio, and one state of it in our words."""

    def __init__(self, text: str, seed: int) -> None:
        self.model = pin.buildModelFromXML(text, pin.JointModelFreeFlyer())
        self.data = self.model.createData()
        self.robot = mp.Robot.from_text(text, "urdf", base="free")
        rng, m = np.random.default_rng(seed), self.model
        self.Q = pin.randomConfiguration(m, -np.ones(m.nq), np.ones(m.nq))
        self.v, self.a = rng.normal(size=(2, m.nv))
        joints = [m.joints[m.getJointId(name)] for name in self.robot.joint_names]
        self.order = np.array([*range(6), *(joint.idx_v for joint in joints)])
        self.q = np.array([self.Q[joint.idx_q] for joint in joints])
        self.qd, self.qdd = self.v[self.order[6:]], self.a[self.order[6:]]
        self.R = pin.Quaternion(self.Q[3:7]).matrix()
        self.T = np.block([[self.R, self.Q[:3, None]], [0, 0, 0, 1]])
        self.v0, self.w0, self.wd0 = self.v[:3], self.v[3:6], self.a[3:6]
        self.a0 = self.a[:3] + np.cross(self.w0, self.v0) - self.R.T @ m.gravity.linear

    def run(self, model: str, frame: str = "", **given: Any) -> Any:
        """A model's plain text at the state; one output as it is, several by name."""
        state = {"q": self.q, "qd": self.qd, "qdd": self.qdd, "w0": self.w0, "wd0": self.wd0, "a0": self.a0}
        state |= {"v0": self.v0, "R0": self.R.ravel(), "T0": self.T.ravel()}
        found = run(self.robot.at(frame) if frame else self.robot, model, state | given)
        return found if len(found) > 1 else next(iter(found.values()))


CASES = [(make, seed) for make in (quadruped, torso, tail) for seed in range(4)]


@pytest.mark.drawn("case")
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0].__name__}{case[1]}")
def test_dynamics_of_a_free_base(case: Any) -> None:
    x = Flyer(case[0](case[1]), case[1])
    m, d, order = x.model, x.data, x.order
    tau = pin.rnea(m, d, x.Q, x.v, x.a)
    found = x.run("inverse_dynamics")
    near(np.r_[found["base_wrench"], found["tau"]], tau[order])
    M = pin.crba(m, d, x.Q)
    M = (np.triu(M) + np.triu(M, 1).T)[np.ix_(order, order)]
    near(x.run("inertia_matrix"), M)
    g = pin.computeGeneralizedGravity(m, d, x.Q)
    near(x.run("gravity"), g[order])
    near(x.run("coriolis"), (pin.rnea(m, d, x.Q, x.v, 0 * x.v) - g)[order], 1e-11)
    push = np.r_[np.zeros(6), tau[6:]]
    moved = x.run("forward_dynamics", tau=push[order[6:]])
    wanted = pin.aba(m, d, x.Q, x.v, push)[order]
    near(np.r_[moved["base_acceleration"], moved["qdd"]], wanted, NEAR * np.linalg.cond(M))
    energy = x.run("energy")
    near(energy["kinetic"], pin.computeKineticEnergy(m, d, x.Q, x.v))
    near(energy["potential"], pin.computePotentialEnergy(m, d, x.Q))


@pytest.mark.drawn("case")
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0].__name__}{case[1]}")
def test_momentum_and_frames_of_a_free_base(case: Any) -> None:
    x = Flyer(case[0](case[1]), case[1])
    m, d, order, turn = x.model, x.data, x.order, np.kron(np.eye(2), x.R)
    found = x.run("centroidal_momentum")
    pin.computeCentroidalMomentum(m, d, x.Q, x.v)
    near(turn @ found["h"], d.hg.vector, 1e-11)
    near(turn @ found["A"], pin.ccrba(m, d, x.Q, x.v)[:, order], 1e-11)
    near(turn @ found["bias"], pin.dccrba(m, d, x.Q, x.v) @ x.v, 1e-11)
    near(x.run("centre_of_mass"), pin.centerOfMass(m, d, x.Q))
    near(x.run("centre_of_mass_jacobian"), pin.jacobianCenterOfMass(m, d, x.Q)[:, order])
    frame = x.robot.frame_names[-1] if "tool" not in x.robot.frame_names else x.robot.link_names[-1]
    f = m.getFrameId(frame)
    pin.forwardKinematics(m, d, x.Q, x.v, 0 * x.v)
    pin.updateFramePlacements(m, d)
    near(x.run("pose", frame), d.oMf[f].homogeneous)
    world = pin.LOCAL_WORLD_ALIGNED
    near(x.run("tool_velocity", frame), vector(pin.getFrameVelocity, x, f, world))
    bias = vector(pin.getFrameClassicalAcceleration, x, f, world)
    near(x.run("tool_bias", frame), bias, 1e-11)
    near(x.run("jacobian", frame), pin.computeFrameJacobian(m, d, x.Q, f, world)[:, order])
    near(x.run("jacobian_tool", frame), pin.computeFrameJacobian(m, d, x.Q, f, pin.LOCAL)[:, order])


@pytest.mark.parametrize("make", [torso, tail])
def test_derivatives_of_a_free_base(make: Any) -> None:
    x = Flyer(make(3), 3)
    x.robot = x.robot.without("friction", "motor_inertia")
    x.model.armature[:] = 0
    m, d, at = x.model, x.data, np.ix_(x.order, x.order)
    found = x.run("inverse_dynamics_derivatives")
    dq, dv, da = (part[at] for part in pin.computeRNEADerivatives(m, d, x.Q, x.v, x.a))
    M = np.triu(da) + np.triu(da, 1).T
    near(found["dq"], dq[:, 6:], 1e-11)
    near(found["dqdd"], M, 1e-11)
    # there orientation, v0 and w0 act through a0 as well
    turn = pin.skew(x.R.T @ m.gravity.linear)
    near(-M[:, :3] @ turn, dq[:, 3:6], 1e-11)
    near(M[:, :3] @ pin.skew(x.w0), dv[:, :3], 1e-11)
    near(found["dqd"] - M[:, :3] @ np.c_[pin.skew(x.v0), np.zeros((3, len(x.q)))], dv[:, 3:], 1e-11)
    push = np.r_[np.zeros(6), x.a[6:]]
    wanted = [part[at] for part in pin.computeABADerivatives(m, d, x.Q, x.v, push)]
    for method in ("dual", "inertia-matrix"):
        state = {"q": x.q, "qd": x.qd, "tau": push[x.order[6:]], "R0": x.R.ravel(), "v0": x.v0, "w0": x.w0}
        found = run(x.robot, "forward_dynamics_derivatives", state, method)
        for name, part in zip(("dq", "dqd", "dtau"), wanted):
            near(found[name], part, NEAR * np.linalg.cond(M))


def vector(asked: Any, x: Flyer, frame: int, axes: Any) -> Any:
    return asked(x.model, x.data, frame, axes).vector


def near(one: Any, other: Any, share: float = NEAR) -> None:
    other = np.asarray(other)
    np.testing.assert_allclose(one, other, rtol=0, atol=share * max(1.0, np.abs(other).max()))


DOG = """<mujoco model="dog"><compiler angle="radian"/><worldbody>
<body name="trunk" pos="0 0 0.5" quat="1 0.2 0 0.1"><freejoint name="root"/>
 <inertial mass="5" pos="0.01 0.02 0" diaginertia="0.1 0.2 0.25"/><site name="imu" pos="0.1 0 0"/>
 <body name="hip" pos="0.2 0.1 0" euler="0.3 0 0.1"><joint name="a" axis="1 0 0" armature="0.02"/>
  <inertial mass="0.5" pos="0 0.05 0" diaginertia="0.01 0.02 0.025"/>
  <body name="leg" pos="0 0.05 -0.2"><joint name="b" type="slide" axis="0 1 1"/>
   <inertial mass="0.4" pos="0 0 -0.1" diaginertia="0.01 0.02 0.015"/></body></body>
 <body name="plate" pos="0 0 0.1"><inertial mass="1" pos="0 0 0" diaginertia="0.01 0.01 0.01"/></body>
</body></worldbody></mujoco>"""


@pytest.mark.parametrize("root", ['<freejoint name="root"/>', '<joint name="root" type="free"/>'])
def test_a_free_joint_of_mjcf_is_a_base_that_moves(root: str) -> None:
    mujoco = pytest.importorskip("mujoco")
    text = DOG.replace('<freejoint name="root"/>', root)
    robot = mp.Robot.from_text(text, "mjcf")
    assert (robot.moving, robot.joint_names, robot.base_link) == ("free", ("a", "b"), "trunk")
    model = mujoco.MjModel.from_xml_string(text)
    data, rng = mujoco.MjData(model), np.random.default_rng(2)
    data.qpos[:] = rng.normal(size=model.nq)
    data.qpos[3:7] /= np.linalg.norm(data.qpos[3:7])
    mujoco.mj_forward(model, data)
    M = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, M)
    R = data.xmat[1].reshape(3, 3)
    turn = np.eye(model.nv)
    turn[:3, :3] = R  # MuJoCo's linear velocity is in world axes
    near(mp.Arm(robot, optimise="none").inertia_matrix(data.qpos[7:]), turn.T @ M @ turn)


@pytest.mark.parametrize("seed", range(12))
def test_random_mjcf_on_a_free_joint(seed: int) -> None:
    """Every way to write a pose, several joints a body, classes and frames: M and the weight are MuJoCo's."""
    mujoco = pytest.importorskip("mujoco")
    drawn = RandomMjcf(seed)
    head, tail = drawn.text.split('<body name="pedestal"', 1)
    place, inner = tail.split(">", 1)
    free = f'{head}<body name="pedestal"{place}><freejoint/>{drawn.inertial()}{inner}'
    robot = mp.Robot.from_text(free, "mjcf")
    assert (robot.moving, robot.base_link) == ("free", "pedestal")
    model = mujoco.MjModel.from_xml_string(free)
    model.dof_damping[:] = 0
    data, rng = mujoco.MjData(model), np.random.default_rng(seed)
    data.qpos[:] = rng.normal(size=model.nq)
    data.qpos[3:7] /= np.linalg.norm(data.qpos[3:7])
    mujoco.mj_forward(model, data)
    M = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, M)
    joints = [model.joint(name) for name in robot.joint_names]
    order = [*range(6), *(int(joint.dofadr[0]) for joint in joints)]
    turn, R = np.eye(model.nv), data.xmat[1].reshape(3, 3)
    turn[:3, :3] = R
    q = np.array([data.qpos[int(joint.qposadr[0])] for joint in joints])
    state = {"q": q, "R0": R.ravel()}
    near(run(robot, "inertia_matrix", state)["M"], (turn.T @ M @ turn)[np.ix_(order, order)], 1e-9)
    near(run(robot, "gravity", state)["g"], (turn.T @ data.qfrc_bias)[order], 1e-9)


@pytest.mark.parametrize("make", [torso, tail])
def test_base_parameters_are_as_many_as_the_rank_of_the_regressor(make: Any) -> None:
    x = Flyer(make(1), 1)
    m, d, rng = x.model, x.data, np.random.default_rng(1)
    states = [pin.randomConfiguration(m, -np.ones(m.nq), np.ones(m.nq)) for _ in range(12)]
    Y = np.vstack([pin.computeJointTorqueRegressor(m, d, Q, *rng.normal(size=(2, m.nv))) for Q in states])
    found = mp.base_parameters(x.robot.without("friction", "motor_inertia"))
    assert len(found) == np.linalg.matrix_rank(Y)
