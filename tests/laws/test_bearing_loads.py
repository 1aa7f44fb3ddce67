"""Loads in the joints of closed robots: motors' shares are the torques, pins pass no moment, another cut finds the same
forces, and Pinocchio's constraint forces are those of the cut."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.errors import ManipulaWarning
from tests.linkages import ALL, Linkage, delta_of_rods, five_bar, four_bar, spatial
from tests.peers.test_loops_pinocchio import LoopOracle, pin, spread, tree_of


def loads(robot: mp.Robot, at: Any, *rates: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ManipulaWarning)
        return mp.Arm(robot, optimise="none").joint_wrenches(at, *rates)


@pytest.mark.drawn("name")
@pytest.mark.drawn("name", few=4)
@pytest.mark.parametrize("name", [x for x in ALL if x not in ("delta", "palletiser")])
@pytest.mark.parametrize("seed", range(2))
def test_along_its_axis_a_joint_carries_its_motors_torque_and_nothing_else(name: str, seed: int) -> None:
    robot = ALL[name](seed).without("friction")
    rng = np.random.default_rng(seed)
    at = robot.close(np.full(len(robot.motors), 0.05))
    rates = rng.normal(size=(2, len(robot.motors)))
    tau = spread(robot, mp.Arm(robot, optimise="none").inverse_dynamics(at, *rates), at)
    found = loads(robot, at, *rates).wrenches
    size = np.nanmax(np.abs(found))
    for i, link in enumerate(tree_of(robot).links):
        z = np.array(link.after.R, float).T[:, 2] * link.direction
        part = found[i, :3] if link.kind.slides else found[i, 3:]
        with np.errstate(invalid="ignore"):
            along = float(np.sum(np.where(np.abs(z) > 1e-12, part * z, 0.0)))
        assert np.isnan(along) or abs(along - tau[i]) < 1e-9 * size


def test_in_a_plane_forces_across_it_are_not_determined_and_are_named() -> None:
    robot = five_bar(0).without("friction")
    with pytest.warns(ManipulaWarning, match=r"do not determine left fz nx ny; .*tip fz nx ny"):
        mp.generate(robot, "joint_wrenches", optimise="none")
    found = loads(robot, robot.close([0.1, 0.1]), [0.3, 0.2], [1.0, 2.0])
    np.testing.assert_array_equal(np.isnan(found.wrenches), np.tile([0, 0, 1, 1, 1, 0], (4, 1)))
    np.testing.assert_array_equal(np.isnan(found.cuts), [[0, 0, 1, 1, 1, 0]])
    assert np.isfinite(loads(spatial(0), spatial(0).close([0.05]), [0.3], [1.0]).wrenches).all()


@pytest.mark.parametrize("seed", range(4))
def test_another_cut_finds_the_same_forces_in_the_plane(seed: int) -> None:
    """A four-bar cut between coupler and rocker, and between rocker and base."""
    whole = four_bar(seed).without("friction")
    x = Linkage("fourbar", seed)
    O, A, B, C = x.point(0, 0), x.point(0.05, 0.2), x.point(0.45, 0.35), x.point(0.4, 0)
    x.joint("crank", "base", O, motor=True)
    x.joint("coupler", "crank", A)
    x.joint("rocker", "base", C)
    x.at["rocker"] = C
    text = x.text().replace(
        'name="rocker"\ntype="revolute"\nparent="base"', 'name="rocker"\ntype="revolute"\nparent="coupler"'
    )
    xyz = [round(b - a, 12) for a, b in zip(A, B)]
    rows = text.split("[[joint]]\n")
    body = [line for line in rows[3].splitlines() if not line.startswith("xyz")]
    # the rocker's frame stands at its other pin: its centre of mass is seen from there
    com = next(line for line in body if line.startswith("com"))
    old = [float(part) for part in com[5:-1].split(",")]
    new = [round(c + q - p, 12) for c, q, p in zip(old, C, B)]
    body = [f"com={new}" if line is com else line for line in body]
    rows[3] = f"xyz={xyz}\n" + "\n".join(body) + "\n"
    foot = [round(q - p, 12) for q, p in zip(C, B)]
    cut = f'[[frame]]\nname="foot"\non="rocker"\nxyz={foot}\n[[frame]]\nname="ground"\non="base"\nxyz={list(C)}\n'
    cut += '[[loop]]\nname="foot"\njoins=["ground","foot"]\nfree="z"\n'
    other = mp.Robot.from_text("[[joint]]\n".join(rows) + cut).without("friction")
    one, two = (loads(robot, robot.close([0.1]), [0.5], [1.0]) for robot in (whole, other))
    for k in (0, 1):  # crank and coupler
        np.testing.assert_allclose(one.wrenches[k, [0, 1, 5]], two.wrenches[k, [0, 1, 5]], rtol=1e-8, atol=1e-9)


@pytest.mark.turn
@pytest.mark.drawn("robot")
@pytest.mark.parametrize("robot", [spatial(0, "ball"), delta_of_rods(1)], ids=["spatial", "delta"])
def test_forces_of_balls_are_pinocchios_constraint_forces(robot: mp.Robot) -> None:
    robot = robot.without("friction")
    oracle, arm = LoopOracle(tree_of(robot)), mp.Arm(robot, optimise="none")
    motors = len(robot.motors)
    at = robot.close(np.full(motors, 0.05))
    rates = np.random.default_rng(0).normal(size=(2, motors))
    motion, tau = arm.joint_motion(at, *rates), spread(robot, arm.inverse_dynamics(at, *rates), at)
    v, a = np.asarray(motion.rates), np.asarray(motion.accelerations)
    J, _ = oracle.rows(at.q, v)
    missing = pin.rnea(oracle.model, oracle.data, at.q, v, a) - tau  # what the constraints give:  Jᵀ λ
    lam = np.linalg.lstsq(J.T, missing, rcond=None)[0]
    found = loads(robot, at, *rates).cuts[:, :3].ravel()
    known = ~np.isnan(found)
    assert known.any()
    np.testing.assert_allclose(found[known], lam[known], rtol=1e-7, atol=1e-8)
