"""Springs, gas springs and dampers between two frames: torques are slopes of the energy, and power balances."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import manipula as mp
from manipula.errors import InputError, RobotFileError

FILE = """
format = 1
name = "balanced"
convention = "standard"
angle = "deg"
length = "mm"
inertia_default = 0

[[frame]]
name = "post"
on = "base"
xyz = [100, 300, 50]

[[frame]]
name = "eye"
on = "joint2"
xyz = [-200, 30, 0]

[[element]]
name = "gas spring"
joins = ["post", "eye"]
stiffness = 2000
length = 400
force = 350
damping = 40

[[element]]
name = "cord"
joins = ["joint3", "joint1"]
stiffness = "k1"
length = "40 cm"

[values]
k1 = 300

[[joint]]
type = "revolute"
a = 0
alpha = 90
d = 400
mass = 5
com = [0, 10, 0]
inertia = { xx = 0.1, yy = 0.1, zz = 0.1 }

[[joint]]
type = "revolute"
a = 500
alpha = 0
d = 0
mass = 4
com = [-200, 0, 10]
inertia = { xx = 0.02, yy = 0.2, zz = 0.2 }

[[joint]]
type = "prismatic"
a = 300
alpha = 0
theta = 0
mass = 2
com = [-100, 0, 10]
inertia = { xx = 0.02, yy = 0.1, zz = 0.1 }
"""
STEP = 1e-6
Q, QD, QDD = np.random.default_rng(3).normal(size=(3, 3))


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("elements") / "balanced.toml"
    path.write_text(FILE)
    return path


@pytest.fixture(scope="module")
def arm(file: Path) -> mp.Arm:
    return mp.Arm(mp.load(file))


def _lines(q: np.ndarray) -> tuple[float, float]:
    """Both lengths by hand, from the table."""
    c1, s1, c2, s2 = np.cos(q[0]), np.sin(q[0]), np.cos(q[1]), np.sin(q[1])
    R1 = np.array([[c1, 0, s1], [s1, 0, -c1], [0, 1, 0]])
    R2 = R1 @ np.array([[c2, -s2, 0], [s2, c2, 0], [0, 0, 1]])
    o1 = np.array([0, 0, 0.4])
    o2 = o1 + R2 @ [0.5, 0, 0]
    eye, o3 = o2 + R2 @ [-0.2, 0.03, 0], o2 + R2 @ [0.3, 0, q[2]]
    return float(np.linalg.norm(eye - [0.1, 0.3, 0.05])), float(np.linalg.norm(o1 - o3))


def _potential(q: np.ndarray) -> float:
    first, second = _lines(q)
    return 1000 * (first - 0.4) ** 2 - 350 * first + 150 * (second - 0.4) ** 2


def _slope(function, x: np.ndarray) -> np.ndarray:
    steps = STEP * np.eye(len(x))
    return np.array([(function(x + h) - function(x - h)) / (2 * STEP) for h in steps]).T


def test_energy_is_that_of_both_springs(arm: mp.Arm) -> None:
    bare = mp.Arm(mp.Robot.of(_without_elements(arm.robot)))
    more = arm.energy(Q, QD).potential - bare.energy(Q, QD).potential
    assert more == pytest.approx(_potential(Q), abs=1e-11)


def _without_elements(robot: mp.Robot) -> mp.Robot:
    from dataclasses import replace

    return replace(robot, elements=())


def test_torque_at_rest_is_the_slope_of_the_energy(arm: mp.Arm) -> None:
    slope = _slope(lambda q: arm.energy(q, 0 * q).potential, Q)
    np.testing.assert_allclose(arm.gravity(Q), slope, atol=1e-6)
    np.testing.assert_allclose(arm.inverse_dynamics(Q, 0 * Q, 0 * Q), arm.gravity(Q), atol=1e-11)


def test_damper_takes_c_times_the_square_of_the_rate(arm: mp.Arm) -> None:
    moving = arm.inverse_dynamics(Q, QD, QDD)
    other = arm.inverse_dynamics(Q, -QD, QDD)  # everything but the damper is even in the rates
    rate = _slope(lambda q: _lines(q)[0], Q) @ QD
    assert (moving - other) @ QD / 2 == pytest.approx(40 * rate**2, rel=1e-8)


def test_forward_dynamics_is_the_inverse_and_the_regressor_gives_the_torque(arm: mp.Arm) -> None:
    tau = arm.inverse_dynamics(Q, QD, QDD)
    np.testing.assert_allclose(arm.forward_dynamics(Q, QD, tau), QDD, atol=1e-11)
    theta = arm.robot.standard_parameters
    assert list(theta)[-8:-4] == ["k_gas_spring", "kl_gas_spring", "F_gas_spring", "c_gas_spring"]
    np.testing.assert_allclose(arm.regressor(Q, QD, QDD) @ list(theta.values()), tau, atol=1e-11)


def test_derivatives_are_slopes(arm: mp.Arm) -> None:
    tau = arm.inverse_dynamics(Q, QD, QDD)
    inverse, forward = arm.inverse_dynamics_derivatives(Q, QD, QDD), arm.forward_dynamics_derivatives(Q, QD, tau)
    np.testing.assert_allclose(inverse.dq, _slope(lambda q: arm.inverse_dynamics(q, QD, QDD), Q), atol=1e-5)
    np.testing.assert_allclose(inverse.dqd, _slope(lambda v: arm.inverse_dynamics(Q, v, QDD), QD), atol=1e-6)
    np.testing.assert_allclose(forward.dq, _slope(lambda q: arm.forward_dynamics(q, QD, tau), Q), atol=1e-5)
    np.testing.assert_allclose(forward.dqd, _slope(lambda v: arm.forward_dynamics(Q, v, tau), QD), atol=1e-6)


@pytest.mark.parametrize("method", ["rk4", "dop853"])
def test_power_of_a_run_balances(arm: mp.Arm, method: str) -> None:
    run = mp.simulate(arm.robot, None, start=[0.1, 0.2, 0.1], until=0.1, step=1e-3, method=method)
    assert run.balance < 1e-7


def test_saving_keeps_elements_and_another_convention_keeps_torques(arm: mp.Arm, tmp_path: Path) -> None:
    mp.save(arm.robot, tmp_path / "again.toml")
    assert mp.load(tmp_path / "again.toml") == arm.robot
    other = mp.Arm(mp.convert(arm.robot, "modified"))
    np.testing.assert_allclose(other.gravity(Q), arm.gravity(Q), atol=1e-11)


def test_a_model_without_elements_refuses(arm: mp.Arm) -> None:
    with pytest.raises(InputError, match="joint_wrenches is not made for robots with two-point elements"):
        mp.generate(arm.robot, "joint_wrenches")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('joins = ["post", "eye"]', 'joins = ["post", "ear"]', "the robot has no frame 'ear'"),
        ('joins = ["post", "eye"]', 'joins = ["post", "base"]', "both frames are on 'base'"),
        ('name = "cord"', 'name = "gas spring"', "the name is taken"),
        ("damping = 40", "damping = -40", "damping"),
        ('stiffness = "k1"\nlength = "40 cm"', "", "the element has no force"),
        ("damping = 40", "dampling = 40", "dampling"),
    ],
)
def test_a_wrong_element_is_a_sentence(old: str, new: str, message: str, tmp_path: Path) -> None:
    assert old in FILE
    text = FILE.replace(old, new)
    (tmp_path / "bad.toml").write_text(text if "k1" not in old else text.replace("[values]\nk1 = 300\n", ""))
    with pytest.raises(RobotFileError, match=message):
        mp.load(tmp_path / "bad.toml")


COLUMNS = [f"{letters}_{name}" for name in ("gas_spring", "cord") for letters in ("k", "kl", "F", "c")]


@pytest.mark.parametrize("name", COLUMNS[:6])
def test_a_changed_column_of_an_element_changes_that_one_alone(name: str, arm: mp.Arm) -> None:
    theta = arm.robot.standard_parameters
    value = 1.5 * (theta[name] or 0)
    changed = mp.Robot.of(arm.robot).with_standard_parameters({name: value})
    assert changed.standard_parameters == pytest.approx(theta | {name: value}, rel=1e-12)
