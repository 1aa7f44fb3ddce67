"""Joints that follow others in what is linear in the parameters, in Lagrange's terms, and in what is solved for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.generation.results.model import Model
from manipula.mechanics.models.dynamics import composite, energy, torque
from manipula.mechanics.models.kinematics import jacobian
from manipula.mechanics.models.linear import regressor, two_velocity
from manipula.mechanics.robot.reduce import without_actuators
from manipula.mechanics.spatial.inertia import NOTHING
from manipula.parameters.base import base_parameters_of
from manipula.parameters.base_numeric import base_agreement
from manipula.parameters.significance import Motions, significance_of
from tests.laws.test_coupled import GRIPPER, array, free_and_coupled, in_floats, near
from tests.random_robots import with_laws

SEEDS = (0, 1, 2)  # two coordinates of three joints, one of three, one of two; chains and a tree
MANY = (*SEEDS, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (3, 4, 6, 7, 10, 12)))


def case(seed: int) -> tuple[Any, Any, Any, Any, list[Any], list[Any]]:
    """The free arm in floats, the coupled robot, C, the coupled arm, and x, ẋ, ẍ with what they are of the joints."""
    robot, coupled, C, c = free_and_coupled(seed, serial=seed % 2 == 0)
    x, xd, xdd = np.random.default_rng(seed).uniform(-1, 1, (3, coupled.dof))
    joints = [(C @ x + c).tolist(), (C @ xd).tolist(), (C @ xdd).tolist()]
    return in_floats(robot), coupled, C, mp.Arm(mp.Robot.of(coupled), optimise="none"), [x, xd, xdd], joints


@pytest.mark.parametrize("seed", SEEDS)
def test_torques_are_the_regressor_times_the_parameters_by_name(seed: int) -> None:
    _, coupled, _, arm, motion, _ = case(seed)
    model = mp.generate(mp.Robot.of(coupled), "regressor", optimise="none")
    own = in_floats(coupled)
    values = dict(zip(regressor.columns(own), regressor.parameter_vector(own), strict=True))
    near(arm.regressor(*motion) @ array([values[name] for name in model.columns]), arm.inverse_dynamics(*motion))


def test_columns_have_the_names_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "gripper.urdf").write_text(GRIPPER)
    rubbed = {"viscous": 0.3, "coulomb": 0.2}
    robot = mp.load(tmp_path / "gripper.urdf").with_friction({"open": rubbed, "open2": rubbed})
    columns = mp.generate(robot, "regressor", optimise="none").columns
    assert {"m1", "m2", "m_open2", "fv2", "fv_open2", "fc_open2"} <= set(columns) & set(robot.parameters)
    base = mp.base_parameters(robot)
    told = base_agreement(robot, base)
    assert told.passed, told
    for kind in ("fv", "fc"):  # both rub on one coordinate, the same way
        assert base.classes[f"{kind}2"] == base.classes[f"{kind}_open2"] == "in combinations"


@pytest.mark.parametrize("seed", MANY)
def test_base_parameters(seed: int) -> None:
    """As many as the rank of the torques, by numbers; and no torque is lost."""
    _, coupled, _, arm, motion, _ = case(seed)
    found = base_parameters_of(coupled)
    told = base_agreement(coupled, found)
    assert told.passed, told
    for method in ("newton-euler", "field", "field-turned")[: 3 if seed == 0 else 1]:
        model = mp.generate(mp.Robot.of(coupled), "base_regressor", method=method, optimise="none")
        assert model.columns == found.names
        near(model.compile()(*motion) @ array(found.values), arm.inverse_dynamics(*motion))


@pytest.mark.parametrize("seed", SEEDS)
def test_energies_of_parameters(seed: int) -> None:
    tree, coupled, _, arm, (x, xd, _), (q, qd, _) = case(seed)
    own = in_floats(coupled)
    kinetic, potential = arm.energy_regressor(x, xd)
    values = array(regressor.parameter_vector(own))
    near(kinetic @ values, energy.kinetic_energy(tree, q, qd))
    near(potential @ values, energy.potential_energy(replace(tree, ground=NOTHING), q))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("method", ["lagrange", "lagrange-megahed", "lagrange-efficient"])
def test_lagrange(seed: int, method: str) -> None:
    """Every effect on its own; products and squares of the coordinates' rates make all that velocities ask for."""
    tree, coupled, C, _, (x, xd, xdd), (q, qd, qdd) = case(seed)
    bare, P = without_actuators(tree), np.linspace(1, 2, coupled.dof)
    model = mp.generate(mp.Robot.of(coupled), "lagrange_terms", method=method, optimise="none").compile()
    found = model(x, xd, xdd, P)._asdict()
    near(found["A"], C.T @ array(composite.mechanism_inertia(tree, q)) @ C)
    near(found["GRA"], -C.T @ array(torque.gravity(bare, q)))
    near(found["FGEN"], C.T @ array(torque.inverse_dynamics(bare, q, qd, qdd)) + P)
    pairs = [xd[j] * xd[k] for j in range(len(xd)) for k in range(j + 1, len(xd))]
    velocities = 2 * np.reshape(found["COR"], (coupled.dof, -1)) @ pairs + found["CEN"] @ xd**2
    near(velocities, C.T @ array(torque.coriolis(bare, q, qd)))
    near(found["FCEN"], found["CEN"] @ xd**2)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("method", ["dual", "inertia-matrix"])
def test_slopes_of_accelerations(seed: int, method: str) -> None:
    _, coupled, _, arm, (x, xd, tau), _ = case(seed)
    robot, step, along = mp.Robot.of(coupled), 1e-6, np.linspace(1, 2, coupled.dof)
    model = mp.generate(robot, "forward_dynamics_derivatives", method=method, optimise="none").compile()
    dq, dqd, dtau = model(x, xd, tau)
    fd, d = arm.forward_dynamics, step * along
    by_position, by_rate = fd(x + d, xd, tau) - fd(x - d, xd, tau), fd(x, xd + d, tau) - fd(x, xd - d, tau)
    np.testing.assert_allclose(dq @ along, by_position / (2 * step), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(dqd @ along, by_rate / (2 * step), rtol=1e-4, atol=1e-4)
    near(dtau, arm.inertia_matrix_inverse(x))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("method", ["dual", "inertia-matrix"])
def test_products_of_slopes(seed: int, method: str) -> None:
    _, coupled, _, arm, (x, xd, tau), _ = case(seed)
    changes = np.random.default_rng(seed + 1).uniform(-1, 1, (3, coupled.dof))
    slopes = arm.forward_dynamics_derivatives(x, xd, tau)
    robot = mp.Robot.of(coupled)
    along = mp.generate(robot, "forward_dynamics_jvp", method=method, optimise="none").compile()
    near(along(x, xd, tau, *changes), sum(slope @ change for slope, change in zip(slopes, changes)))
    back = mp.generate(robot, "forward_dynamics_vjp", method=method, optimise="none").compile()
    for found, slope in zip(back(x, xd, tau, changes[0]), slopes):
        near(found, changes[0] @ slope)


@pytest.mark.parametrize("seed", SEEDS)
def test_what_the_tool_feels(seed: int) -> None:
    tree, _, C, arm, (x, _, _), (q, _, _) = case(seed)
    J = array(jacobian.jacobian(tree, q)).reshape(6, -1) @ C
    M = C.T @ array(composite.inertia_matrix(tree, q)) @ C
    near(arm.operational_mobility(x), J @ np.linalg.solve(M, J.T))


@pytest.mark.parametrize("seed", SEEDS)
def test_two_velocities(seed: int) -> None:
    tree, coupled, C, arm, (x, xd, xdd), (q, qd, qdd) = case(seed)
    other, slip = np.random.default_rng(seed + 2).uniform(-1, 1, (2, coupled.dof))
    given = {"q": q, "qd": qd, "qd_r": (C @ other).tolist(), "qdd_r": qdd, "slip": (ways(C) @ slip).tolist()}
    tau = C.T @ array(two_velocity.dynamics_plain(tree, given)["tau"])
    near(arm.two_velocity_dynamics(x, xd, other, xdd, slip), tau)


def ways(C: Any) -> Any:
    """A joint that follows one coordinate slips as that does, whatever its factor; one that follows several as its
    own rate does."""
    alone = (C != 0).sum(1, keepdims=True) == 1
    return np.where(alone, np.sign(C), C)


def rubbing(coupled: Any) -> mp.Robot:
    """With viscous and dry friction and an offset on every joint, those that follow others too."""
    robot = mp.Robot.of(coupled).without("friction")
    names = [joint.name for joint in robot.joints if joint.kind != "fixed"]
    laws = ({"viscous": 0.3 + 0.1 * i, "coulomb": 0.2 + 0.3 * i, "offset": 0.1 * i} for i in range(len(names)))
    return robot.with_friction(dict(zip(names, laws)))


@pytest.mark.turn
@pytest.mark.parametrize("seed", MANY[1:])
def test_two_velocities_of_base_parameters(seed: int) -> None:
    """Y θ is the torque though joints on one coordinate share their friction; products and M are those of Y."""
    _, coupled, _, _, (x, xd, xdd), _ = case(seed)
    robot, rng = rubbing(coupled), np.random.default_rng(seed + 3)
    other, slip, sigma = rng.uniform(-1.5, 1.5, (3, robot.dof))
    arm, theta = mp.Arm(robot, optimise="none"), array(list(robot.base_parameters.values()))
    tau, Y = arm.two_velocity_dynamics(x, xd, other, xdd, slip), arm.two_velocity_regressor(x, xd, other, xdd, slip)
    near(Y @ theta, tau)
    near(arm.base_inertia_matrix(x, theta), arm.inertia_matrix(x))
    for method in ("polarised", "matrix", "recursion"):
        products = mp.generate(robot, "two_velocity_products", method=method, optimise="none").compile()
        found = products(x, xd, other, xdd, slip, theta, sigma)
        near(found.tau, tau)
        near(found.slope, Y.T @ sigma)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("method", ["polarised", "welded"])
def test_a_body_in_the_tool(seed: int, method: str) -> None:
    """Its torques are those of the robot that carries it, its share along the weights is what these are apart."""
    _, coupled, _, _, (x, xd, xdd), _ = case(seed)
    robot, rng = rubbing(coupled), np.random.default_rng(seed + 4)
    other, slip, sigma = rng.uniform(-1.5, 1.5, (3, robot.dof))
    motion, m, c = (x, xd, other, xdd, slip), 0.8, rng.uniform(-0.3, 0.3, 3)
    K = m * np.outer(c, c)
    load = array([K[0, 0], K[0, 1], K[0, 2], K[1, 1], K[1, 2], K[2, 2], *(m * c), m])
    alone, laden = (
        mp.Arm(arm, optimise="none").two_velocity_dynamics(*motion) for arm in (robot, robot.with_payload(m, c))
    )
    found = mp.generate(robot, "loaded_dynamics", method=method, optimise="none").compile()(*motion, load, sigma)
    near(found.tau, laden)
    near(found.slope @ load, sigma @ (laden - alone))


def test_friction_that_follows_the_load_is_refused_where_accelerations_are_asked_for() -> None:
    _, coupled, _, _ = free_and_coupled(0, serial=True)
    loaded = mp.Robot.of(with_laws(coupled, 1, ["load"]))
    for model in ("forward_dynamics", "forward_dynamics_derivatives", "forward_dynamics_jvp", "forward_dynamics_vjp"):
        with pytest.raises(mp.InputError, match="depends on its load"):
            mp.generate(loaded, model, optimise="none")


def test_factors_of_the_joints() -> None:
    for seed in range(6):
        robot, coupled, C, c = free_and_coupled(seed)
        assert bool(coupled.coordinates.followers) == (C.shape[0] > C.shape[1])
        S, offsets = coupled.coordinates.affine
        assert (S == C).all() and np.allclose(offsets, c, rtol=0, atol=1e-15)
        assert (robot.coordinates.affine[0] == np.eye(len(C))).all()


def test_what_motions_do_not_feel() -> None:
    """The model of the base parameters alone, nothing forgotten, has the torques."""
    _, coupled, _, arm, motion, _ = case(0)
    motions = Motions(*np.random.default_rng(1).uniform(-1, 1, (3, 20, coupled.dof)))
    report = significance_of(coupled, motions, 0.0)
    values = [value for _, value in report.function.provenance.values]
    near(Model(report.function).compile()(*motion, values), arm.inverse_dynamics(*motion))
