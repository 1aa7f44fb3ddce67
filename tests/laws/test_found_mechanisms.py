"""Identification of robots with loops and of robots on a base that moves: what simulated recordings were made from."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.errors import InputError
from manipula.identification.closed_motion import closed_motion_of, with_passive_joints
from tests.floating_robots import floating_robot
from tests.linkages import four_bar, slider_crank

Array = Any
RUBBING = mp.JointModel(motor_inertia=False, friction=("viscous",), offset=False)
T = np.arange(0, 6, 0.01)


def motion(size: int, seed: int, amplitude: float) -> tuple[Array, Array, Array]:
    """Sums of sines with their rates and accelerations."""
    rng = np.random.default_rng(seed)
    w, phase = rng.uniform(1, 4, (3, 1, size)), rng.uniform(0, 6, (3, 1, size))
    angle, part = w * T[:, None] + phase, amplitude / 3
    found = part * np.sin(angle), part * w * np.cos(angle), -part * w**2 * np.sin(angle)
    return found[0].sum(0), found[1].sum(0), found[2].sum(0)


@cache
def closed_recording(name: str) -> tuple[mp.Robot, mp.Log, mp.Log]:
    """The robot, what its motor showed, and what all joints did."""
    robot = {"four-bar": four_bar, "slider-crank": slider_crank}[name](1)
    motors, qd, qdd = motion(1, 3, 0.6 if name == "four-bar" else 0.25)
    q = closed_motion_of(robot).follow_motors(motors, T)
    tau = np.asarray(mp.Arm(robot, optimise="none").inverse_dynamics(q, qd, qdd))
    tau = tau + 0.005 * np.abs(tau).max() * np.random.default_rng(1).normal(size=tau.shape)
    whole = np.zeros_like(q)
    whole[:, list(robot.motor_coordinates)] = tau
    return robot, mp.Log(T, motors, tau), mp.Log(T, q, whole)


def deviations(found: Any, robot: mp.Robot) -> list[float]:
    """Of the base parameters that the file has, in standard deviations."""
    true, rows = robot.base_parameters, {x.name: x for x in found.base_parameters}
    return [(rows[name].value - value) / rows[name].sigma for name, value in true.items() if value is not None]


@pytest.mark.parametrize("name", ["four-bar", pytest.param("slider-crank", marks=pytest.mark.slow)])
def test_a_closed_robot_is_found_from_its_motors_alone(name: str) -> None:
    robot, log, _ = closed_recording(name)
    found = mp.identify(robot, log, model=RUBBING, filter=10.0, prior=None, method="wls")
    assert np.abs(deviations(found, robot)).max() < 4
    assert found.train.whole < 2 and not any("zero throughout" in x for x in found.warnings)


def test_all_joints_recorded_say_what_the_motors_say() -> None:
    robot, log, whole = closed_recording("four-bar")
    one, two = (mp.identify(robot, x, model=RUBBING, filter=10.0) for x in (log, whole))
    assert np.allclose(one.theta, two.theta, rtol=1e-6, atol=1e-9)
    predicted = one.predict(replace(log, tau=None))
    assert np.abs(predicted - whole.tau)[20:-20].max() < 0.05 * np.abs(whole.tau).max()
    arm, k = mp.Arm(one.robot, optimise="none"), 300
    q, qd, qdd = (
        whole.q[k],
        (whole.q[k + 1] - whole.q[k - 1])[[0]] / 0.02,
        (log.q[k + 1] - 2 * log.q[k] + log.q[k - 1]) / 1e-4,
    )
    assert abs(arm.inverse_dynamics(q, qd, qdd) - log.tau[k]) < 0.05 * np.abs(log.tau).max()


def test_passive_positions_off_the_loops_are_computed_from_the_motors_with_a_note() -> None:
    robot, _, whole = closed_recording("four-bar")
    off = replace(whole, q=whole.q + np.array([0.0, 0.1, 0.0]))
    found = mp.identify(robot, off, model=RUBBING, filter=10.0)
    assert any("leave the loops open by up to" in x for x in found.warnings)
    assert found.train.whole < 2


def test_what_no_recording_of_a_closed_robot_can_be_is_a_sentence() -> None:
    robot, log, _ = closed_recording("four-bar")
    with pytest.raises(InputError, match=r"has its motors \(crank\) or all its 3 joints; found 2 columns"):
        mp.identify(robot, mp.Log(T, np.tile(log.q, 2), np.tile(log.tau, 2)))
    with pytest.raises(InputError, match="load: what a joint bears inside a loop is not determined"):
        mp.identify(robot, log, model=mp.JointModel(friction=("load",)))
    with pytest.raises(InputError, match="method 'iv' is made for arms on a fixed base"):
        mp.identify(robot, log, method="iv")
    with pytest.raises(InputError, match="do not close at the recorded positions of the motors, first at 0 s"):
        closed_motion_of(robot).close_positions(np.full((3, 3), 2.0), T)
    found = mp.identify(robot, log, model=RUBBING, filter=10.0)
    with pytest.raises(InputError, match=r"found\.torque is not made for robots with loops"):
        found.torque  # noqa: B018


def test_a_recording_of_the_motors_is_read_and_completed(tmp_path: Any) -> None:
    robot, log, whole = closed_recording("four-bar")
    read = mp.read_log(log.save(tmp_path / "crank.csv"), robot)
    assert read.joints == ("crank",)
    assert np.allclose(with_passive_joints(robot, read).q, whole.q, atol=1e-9)


# a base that moves


HOPPER = """
format=1
name="hopper"
convention="urdf"
angle="rad"
inertia_default=0
[base]
moving="given"
link_name="trunk"
mass=4
inertia={xx=0.1,yy=0.2,zz=0.3}
"""
LEG = """
[[joint]]
name="{name}"
type="revolute"
xyz={xyz}
axis=[0,1,0]
mass={mass}
com=[0.05,0.1,-0.2]
inertia={{xx=0.03,yy=0.02,zz=0.03}}
friction={{viscous={viscous}}}
"""
HIP = LEG.format(name="hip", xyz=[0.1, 0.2, 0], mass=1, viscous=0.2)
KNEE = LEG.format(name="knee", xyz=[0, 0, -0.4], mass=0.5, viscous=0.1)


@cache
def floating_recording(wrench: bool) -> tuple[mp.Robot, mp.Log]:
    robot = mp.Robot.from_text(HOPPER + HIP + KNEE)
    q, qd, qdd = motion(robot.dof, 1, 1.0)
    w0, wd0, _ = motion(3, 2, 1.5)
    a0 = motion(3, 4, 4.0)[0] + [0, 0, 9.81]
    out = mp.Arm(robot, optimise="none").inverse_dynamics(q, qd, qdd, base=(w0, wd0, a0))
    rng, state = np.random.default_rng(5), {"w0": w0, "a0": a0}
    noisy = [x + 0.002 * np.abs(x).max(0) * rng.normal(size=x.shape) for x in (out.tau, out.base_wrench)]
    return robot, mp.Log(T, q, noisy[0], state=state | ({"base_wrench": noisy[1]} if wrench else {}))


@pytest.mark.parametrize("wrench", [True, False])
def test_a_robot_on_a_moving_base_is_found_from_its_motion(wrench: bool) -> None:
    robot, log = floating_recording(wrench)
    found = mp.identify(robot, log, model=RUBBING, filter=10.0, prior=None, method="wls")
    rows, true = {x.name: x for x in found.base_parameters}, robot.base_parameters
    felt = [name for name in true if wrench or "trunk" not in name]
    assert set(rows) == set(felt) and len(felt) == len(true) - 10 * (not wrench)
    assert max(abs(rows[x].value - true[x]) / rows[x].sigma for x in felt) < 4
    assert found.train.whole < 1 and len(found.train.joints) == robot.dof + 6 * wrench


def test_what_was_found_on_a_moving_base_is_one_function() -> None:
    robot, log = floating_recording(True)
    found = mp.identify(robot, log, model=RUBBING, filter=10.0)
    assert found.predict(replace(log, tau=None, state={x: log.state[x] for x in ("w0", "a0")})).shape == (
        len(T),
        robot.dof + 6,
    )
    assert list(found.torque.inputs) == ["q", "qd", "qdd", "w0", "wd0", "a0"]
    assert [x.name for x in found.torque.function.outputs] == ["tau", "base_wrench"]


def test_a_recording_without_the_motion_of_the_base_is_a_sentence() -> None:
    robot, log = floating_recording(False)
    for state in ({}, {"w0": log.state["w0"]}, {"w0": log.state["w0"], "a0": log.state["a0"][:, :2]}):
        with pytest.raises(InputError, match="so a recording needs the states w0 and a0"):
            mp.identify(robot, replace(log, state=state))
    with pytest.raises(InputError, match="tilt: its base moves"):
        mp.identify(robot, log, model=mp.JointModel(tilt=True))


def test_a0_follows_from_the_states_of_a_run() -> None:
    """Orientation, velocity and gravity give what an accelerometer reads."""
    from manipula.identification.base_motion import with_base
    from manipula.identification.filters import Smoother, motion_of

    robot, state = floating_robot(1, 2, "free"), {}
    v0, vd0, _ = motion(3, 7, 1.0)
    w0 = np.tile([0.3, -0.4, 0.5], (len(T), 1))  # about a fixed axis
    axis, speed = w0[0] / np.linalg.norm(w0[0]), np.linalg.norm(w0[0])
    state = {"w0": w0, "v0": v0}
    state["quaternion"] = np.column_stack([np.cos(speed * T / 2), np.sin(speed * T / 2)[:, None] * axis])
    log = mp.Log(T, np.zeros((len(T), 2)), np.zeros((len(T), 2)), state=state)
    gravity = np.array([0.3, -0.2, -9.81])
    given = motion_of(log, np.zeros((len(T), 2)), Smoother(100.0, None), {})
    found = with_base(given, log, gravity, False, robot.name).base[5:-5]
    R = np.array([mp.states.BaseState(*(np.zeros(3), e, v0[0], v0[0], v0[0], v0[0])).R0 for e in state["quaternion"]])
    wanted = vd0 + np.cross(w0, v0) - np.einsum("tij,i->tj", R, gravity)
    assert np.abs(found[:, 6:] - wanted[5:-5]).max() < 1e-5
