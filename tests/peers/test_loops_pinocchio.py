"""Robots with loops against Pinocchio: its tree, its frames' Jacobians and accelerations, its constrained dynamics.

The equations of motion under constraints are put together from Pinocchio's parts, with all rows of every loop,
redundant ones too, and solved in the motions N that the loops leave free, J N = 0:

    M q̈ + h = τ + Jᵀ λ,  J q̈ + γ = 0        q̈ = N x − J⁺ γ        Nᵀ M N x = Nᵀ (τ − h + M J⁺ γ)

(The pseudo-inverse of both at once is worse by the square of the condition where rows are redundant.)

`constraintDynamics` knows points that meet (3 rows); a loop whose axes are parallel needs no more.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.mechanics.models.closure.constraint import closure_bias, seen_from_first, seen_from_world
from manipula.mechanics.robot.bind import bind
from manipula.mechanics.robot.reduce import merge_fixed, without_actuators
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.spatial.floats import FLOATS
from tests.linkages import ALL, biped_leg, delta_of_rods, five_bar, four_bar, slider_crank
from tests.pinocchio_oracle import Oracle, pin, se3

NEAR = 1e-10
Array = Any


class LoopOracle(Oracle):
    """A tree in Pinocchio with the frames of its loops."""

    def __init__(self, chain: Tree) -> None:
        super().__init__(chain)
        self.ends = [[self._end(cut.name, k, cut.on[k], cut.at[k]) for k in (0, 1)] for cut in chain.cuts]
        self.data = self.model.createData()
        self.S = np.array(
            [chain.coordinates.map_factors(float).spread(row) for row in np.eye(len(chain.coordinates)).tolist()]
        ).T

    def _end(self, name: str, k: int, on: int, at: Any) -> int:
        there = self.model.frames[self.link_frames[on]] if on >= 0 else None
        joint = there.parentJoint if there else 0
        road = there.placement if there else se3(self.chain.base)
        return self._frame(f"{name} {k}", joint, road * se3(at))

    def rows(self, q: Array, v: Array) -> tuple[Array, Array]:
        """J and γ = J̇ v of all rows, at joints' positions and rates, where the loops are closed."""
        model, data = self.model, self.data
        pin.computeJointJacobians(model, data, q)
        pin.forwardKinematics(model, data, q, v, 0 * v)
        pin.updateFramePlacements(model, data)
        J, gamma = [], []
        for cut, (a, b) in zip(self.chain.cuts, self.ends, strict=True):
            R = data.oMf[a].rotation
            axes = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
            Ja, Jb = (pin.getFrameJacobian(model, data, x, axes) for x in (a, b))
            (Aa, Ab), (Va, _) = (
                [f(model, data, x, axes) for x in (a, b)]
                for f in (pin.getFrameClassicalAcceleration, pin.getFrameVelocity)
            )
            r, wa = data.oMf[b].translation - data.oMf[a].translation, Va.angular
            lever = np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])
            # at the origin of b, seen from a
            linear, angular = Jb[:3] - Ja[:3] + lever @ Ja[3:], Jb[3:] - Ja[3:]
            slip, turn = linear @ v, angular @ v
            along = (
                Ab.linear - Aa.linear - np.cross(Aa.angular, r) - np.cross(wa, np.cross(wa, r)) - 2 * np.cross(wa, slip)
            )
            about = Ab.angular - Aa.angular - np.cross(wa, turn)
            lines, turns = list(cut.joint.lines), list(cut.joint.turns)
            J += [*(R.T @ linear)[lines], *(R.T @ angular)[turns]]
            gamma += [*(R.T @ along)[lines], *(R.T @ about)[turns]]
            if cut.joint.pair:
                x, z = R[:, cut.joint.pair[0]], data.oMf[b].rotation[:, cut.joint.pair[1]]
                J.append(np.cross(x, z) @ angular)
                gamma.append(np.cross(x, z) @ about + np.cross(x, np.cross(turn, z)) @ turn)
        return np.array(J) @ self.S, np.array(gamma)

    def accelerations(self, q: Array, v: Array, tau: Array) -> Array:
        """Of all coordinates, by the equations of constrained motion."""
        joints, rates = self.S @ q, self.S @ v
        J, gamma = self.rows(joints, rates)
        M = pin.crba(self.model, self.data, joints)
        M = self.S.T @ (np.triu(M) + np.triu(M, 1).T) @ self.S
        h = self.S.T @ pin.rnea(self.model, self.data, joints, rates, 0 * rates)
        U, s, V = np.linalg.svd(J)
        rank = int((s > 1e-8 * s[0]).sum())
        still = V[:rank].T @ ((U[:, :rank].T @ gamma) / s[:rank])
        N = V[rank:].T
        free: Array = N @ np.linalg.solve(N.T @ M @ N, N.T @ (tau - h + M @ still)) - still
        return free

    def conditions(self, q: Array) -> tuple[float, float]:
        """Of the rows that count, in metres and radians, and of the inertia in the motions that they leave free."""
        J = self.rows(joints := self.S @ q, 0 * joints)[0]
        _, s, V = np.linalg.svd(J)
        rank = int((s > 1e-8 * s[0]).sum())
        M = pin.crba(self.model, self.data, joints)
        N = self.S @ V[rank:].T
        return float(s[0] / s[rank - 1]), float(np.linalg.cond(N.T @ (np.triu(M) + np.triu(M, 1).T) @ N))


def tree_of(robot: mp.Robot) -> Tree:
    return without_actuators(merge_fixed(bind(robot, FLOATS, {})))


def states(robot: mp.Robot, count: int, seed: int) -> list[tuple[Array, Array, Array]]:
    """Closed positions, rates and accelerations of the motors."""
    rng, found = np.random.default_rng(seed), []
    while len(found) < count:
        at = robot.close(rng.uniform(-0.35, 0.35, len(robot.motors)) * (0.3 if robot.name == "slidercrank" else 1))
        if at.ok:
            found.append((at.q, *rng.normal(size=(2, len(robot.motors)))))
    return found


def spread(robot: mp.Robot, values: Array, at: Array) -> Array:
    """Of the motors among all coordinates."""
    found = np.zeros(robot.dof)
    found[list(robot.motor_coordinates)] = values
    return found


@pytest.mark.parametrize("name", ALL)
def test_the_bias_of_every_row_is_that_of_its_frames(name: str) -> None:
    """Of every mechanism whatever is drawn below, at rates that the loops allow."""
    tree = tree_of(robot := ALL[name](1).without("friction"))
    oracle, rng = LoopOracle(tree), np.random.default_rng(2)
    for q, *_ in states(robot, 2, 1):
        joints = oracle.S @ q
        _, s, V = np.linalg.svd(oracle.rows(joints, 0 * joints)[0])
        free = V[int((s > 1e-8 * s[0]).sum()) :]
        rates = oracle.S @ (rng.normal(size=len(free)) @ free)
        gamma = oracle.rows(joints, rates)[1]
        for text in (seen_from_world, seen_from_first):
            np.testing.assert_allclose(closure_bias(tree, joints.tolist(), rates.tolist(), text), gamma, atol=1e-13)


@pytest.mark.drawn("name")
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", ALL)
def test_torques_and_accelerations_are_those_of_constrained_motion(name: str, seed: int) -> None:
    robot = ALL[name](seed).without("friction")
    oracle, arm = LoopOracle(tree_of(robot)), mp.Arm(robot, optimise="none")
    motors, own = list(robot.motor_coordinates), [list(robot.coordinates.joints).index(x) for x in robot.joint_names]
    for q, qd, qdd in states(robot, 6, seed):
        motion = arm.joint_motion(q, qd, qdd)
        rates, accelerations = np.asarray(motion.rates)[own], np.asarray(motion.accelerations)[own]
        np.testing.assert_allclose(rates[motors], qd, rtol=0, atol=0)
        J, gamma = oracle.rows(oracle.S @ q, oracle.S @ rates)
        scale = 1 + np.abs(accelerations).max()
        assert np.abs(J @ rates).max() < NEAR * (1 + np.abs(rates).max())
        assert np.abs(J @ accelerations + gamma).max() < NEAR * scale * 10
        tau = arm.inverse_dynamics(q, qd, qdd)
        found = oracle.accelerations(q, rates, spread(robot, tau, q))
        np.testing.assert_allclose(found, accelerations, rtol=0, atol=NEAR * scale * 10)
        np.testing.assert_allclose(arm.forward_dynamics(q, qd, tau), qdd, rtol=0, atol=NEAR * scale)


POINTS: dict[str, Callable[[int], mp.Robot]] = {
    "four-bar": four_bar, "five-bar": five_bar, "slider-crank": slider_crank, "delta of rods": delta_of_rods,
    "biped leg": biped_leg,
}  # fmt: skip


@pytest.mark.drawn("name")
@pytest.mark.parametrize("name", [pytest.param(x, marks=pytest.mark.slow if x == "biped leg" else ()) for x in POINTS])
def test_constrained_dynamics_of_pinocchio_return_the_accelerations(name: str) -> None:
    robot = POINTS[name](1).without("friction")
    arm, oracle = mp.Arm(robot, optimise="none"), LoopOracle(tree_of(robot))
    worst = 0.0
    for q, qd, qdd in states(robot, 20, 7):
        rates = np.asarray(arm.joint_motion(q, qd, qdd).rates)
        tau = spread(robot, arm.inverse_dynamics(q, qd, qdd), q)
        found = constrained(oracle, q, rates, tau)
        worst = max(worst, np.abs(found[list(robot.motor_coordinates)] - qdd).max() / np.abs(qdd).max())
    assert worst < NEAR


def constrained(oracle: LoopOracle, q: Array, v: Array, tau: Array) -> Array:
    """Pinocchio's own, points that meet."""
    model, models, datas = oracle.model, pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    for a, b in oracle.ends:
        one, other = model.frames[a], model.frames[b]
        made = pin.RigidConstraintModel(
            pin.ContactType.CONTACT_3D, model, one.parentJoint, one.placement, other.parentJoint, other.placement,
            pin.ReferenceFrame.LOCAL,
        )  # fmt: skip
        models.append(made)
        datas.append(made.createData())
    data = model.createData()
    pin.initConstraintDynamics(model, data, models, datas)
    settings = pin.ProximalSettings(1e-14, 1e-12, 200)
    return pin.constraintDynamics(model, data, q, v, tau, models, datas, settings).copy()


def test_the_oracle_sees_a_wrong_torque() -> None:
    robot = five_bar(3).without("friction")
    arm, oracle = mp.Arm(robot, optimise="none"), LoopOracle(tree_of(robot))
    q, qd, qdd = states(robot, 1, 0)[0]
    rates = np.asarray(arm.joint_motion(q, qd, qdd).rates)
    tau = np.asarray(arm.inverse_dynamics(q, qd, qdd)) * 1.001
    found = oracle.accelerations(q, rates, spread(robot, tau, q))
    assert np.abs(found[list(robot.motor_coordinates)] - qdd).max() > 1e-4


def test_masses_of_an_open_robot_are_left_alone() -> None:
    robot = five_bar(0)
    opened = replace(robot, loops=(), motors=())
    assert mp.Arm(opened, optimise="none").inverse_dynamics(*np.zeros((3, 4))).shape == (4,)
