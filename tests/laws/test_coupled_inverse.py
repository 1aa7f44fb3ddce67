"""Inverse kinematics of joints that follow others: of every pose a robot takes, its coordinates are an answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.mechanics.robot.topology import road_coordinates, with_frame
from tests.laws.test_coupled import GRIPPER, free_and_coupled

QUICK = range(8)
MANY = range(8, 60)
ROW = 'type = "{kind}"\n{fixed}\na = {a}\nalpha = "{alpha}"\n'


def answered(robot: Any, seed: int, poses: int = 3) -> int:
    """Checks the answers to some poses of a robot; how many poses were asked for."""
    arm = mp.Arm(mp.Robot.of(robot), optimise="none")
    road = road_coordinates(with_frame(arm.robot))
    if not road.followers:
        return 0
    solver, own = arm.inverse_solver, road.effective
    for x in np.random.default_rng(seed).uniform(-1.2, 1.2, (poses, arm.dof)):
        pose = arm.pose(x)
        found, near = arm.inverse_kinematics(pose), arm.inverse_kinematics(pose, seed=x[own])
        assert len(found.q) and (solver.plan.free or _apart(solver, found.q, x[own]).min() < 1e-4)
        assert _apart(solver, near.q[:1], x[own]).min() < 1e-4
        for q in found.q:
            whole = x.copy()  # what is beside the road does not matter
            whole[own] = q
            assert np.abs(arm.pose(whole) - pose).max() < 1e-5
    return poses


def _apart(solver: Any, q: Any, x: Any) -> Any:
    """How far answers are from coordinates, whole rounds left out: of joints that turn by halves one is 4π."""
    low, high = solver.walls
    rounds = np.where(np.isfinite(high - low), high - low, np.where(solver.turning, 2 * np.pi, 1e6))
    away = np.abs(q - x) % rounds
    return np.minimum(away, rounds - away).max(-1)


@pytest.mark.turn
@pytest.mark.parametrize("seed", QUICK)
def test_the_coordinates_are_among_the_answers(seed: int) -> None:
    answered(free_and_coupled(seed, serial=seed % 2 == 0)[1], seed)


@pytest.mark.slow
def test_the_same_of_many_robots() -> None:
    assert sum(answered(free_and_coupled(seed, serial=seed % 2 == 0)[1], seed) for seed in MANY) > 60


def arm_of(*rows: tuple[str, str, str, str, str]) -> mp.Arm:
    """An arm from rows kind, d or theta, a, alpha, and the coordinate it follows, if any."""
    text = 'format = 1\nname = "train"\nconvention = "standard"\nangle = "rad"\n'
    for name, (kind, still, a, alpha, follows) in zip("abcdefgh", rows):
        fixed = f"{'d' if kind == 'revolute' else 'theta'} = {still}"
        text += f'[[joint]]\nname = "{name}"\n' + ROW.format(kind=kind, fixed=fixed, a=a, alpha=alpha)
        text += f'coordinate = "{follows}"\n' if follows else ""
    return mp.Arm(mp.Robot.from_text(text, "toml"))


def test_a_telescope_has_one_answer_and_says_how_it_is_solved() -> None:
    """A turning column with a beam of two stages that go out together."""
    arm = arm_of(
        ("revolute", "0.4", "0", "pi/2", ""),
        ("prismatic", "0", "0", "0", ""),
        ("prismatic", "0", "0", "0", "b + 0.1"),
    )
    found = arm.inverse_kinematics(arm.pose([0.7, 0.3]))
    np.testing.assert_allclose(found.q, [[0.7, 0.3]], atol=1e-9)
    assert "'c' follows others" in arm.inverse_solver.explanation and not arm.inverse_plan.has_closed_form
    many = arm.inverse_kinematics(arm.pose([[0.7, 0.3], [-2.0, 0.5]]))
    np.testing.assert_allclose(many.q[many.valid], [[0.7, 0.3], [-2.0, 0.5]], atol=1e-9)
    away = arm.inverse_solver.nearest(arm.pose([0.7, 0.3]) + np.eye(4)[:, [2]] * [0, 0, 0, 1.0])
    assert away.distance == pytest.approx(1.0, abs=1e-6)


@pytest.mark.turn
@pytest.mark.parametrize("slides", [1, 2, 3])
def test_coordinates_that_move_the_tool_alike_are_too_many(slides: int) -> None:
    """A telescope of two stages, and slides behind it that do the same."""
    train = [("prismatic", "0", "0", "0", ""), ("prismatic", "0", "0", "0", "b + 0.1")]
    arm = arm_of(("revolute", "0.4", "0", "pi/2", ""), *train, *[("prismatic", "0", "0", "0", "")] * (slides - 1))
    rank = np.linalg.matrix_rank(arm.jacobian(np.full(arm.dof, 0.3)))
    assert arm.inverse_solver.plan.free == slides - 1 == arm.dof - rank
    x = np.linspace(0.2, 0.5, arm.dof)
    np.testing.assert_allclose(arm.inverse_kinematics(arm.pose(x), seed=x).q[0], x, atol=1e-6)


def test_a_half_turn_for_a_turn_needs_two_rounds() -> None:
    """θ2 = q1/2: a whole turn of q1 leaves the first joint where it was and turns the second by half."""
    arm = arm_of(("revolute", "0", "0.5", "0", ""), ("revolute", "0", "0.3", "pi/2", "a/2"))
    for angle in (1.0, 1.0 + 2 * np.pi, -5.0):
        found = arm.inverse_kinematics(arm.pose([angle]))
        assert (np.abs((found.q - angle + 2 * np.pi) % (4 * np.pi) - 2 * np.pi) < 1e-4).any()
    apart = arm.pose([1.0]) - arm.pose([1.0 + 2 * np.pi])
    assert np.abs(apart).max() > 0.1


@pytest.mark.turn
def test_seven_joints_of_six_coordinates() -> None:
    rows: list[tuple[str, str, str, str, str]] = [
        ("revolute", "0.3", "0", "pi/2", ""),
        ("revolute", "0", "0.4", "0", ""),
        ("revolute", "0.1", "0.2", "pi/2", "b - 0.2"),
        ("revolute", "0.3", "0", "-pi/2", ""),
        ("revolute", "0", "0.05", "pi/2", ""),
        ("revolute", "0.1", "0", "0.5", ""),
        ("revolute", "0.1", "0", "0", ""),
    ]
    arm = arm_of(*rows)
    x = np.array([0.4, -0.7, 0.6, 0.9, -0.5, 1.1])
    found = arm.inverse_kinematics(arm.pose(x))
    assert np.abs(arm.pose(found.q) - arm.pose(x)).max() < 1e-10
    assert np.abs(found.q - x).max(-1).min() < 1e-8


def test_limits_of_coordinates_hold(tmp_path: Path) -> None:
    """The finger that mimics stands on the road alone: its coordinate is another finger's."""
    (tmp_path / "gripper.urdf").write_text(GRIPPER)
    arm = mp.Arm(mp.load(tmp_path / "gripper.urdf")).at("right")
    np.testing.assert_allclose(arm.inverse_kinematics(arm.pose([0.3, 0.02])).q, [[0.3, 0.02]], atol=1e-9)
    outside = arm.inverse_kinematics(arm.pose([0.3, 0.05]))
    assert not len(outside.q) and "joint 2 at 0.05 m is outside its limits [0 m, 0.04 m]" in " ".join(outside.why)


def test_what_is_not_solved_says_so() -> None:
    arm = arm_of(
        ("revolute", "0.4", "0", "pi/2", ""),
        ("prismatic", "0", "0", "0", ""),
        ("prismatic", "0", "0", "0", "2*b"),
    )
    with pytest.raises(mp.InputError, match=r"joint 'c' follows others, and parts of a pose"):
        arm.inverse_kinematics([0.1, 0.2, 0.3], task="position")
    with pytest.raises(mp.InputError, match=r"joint 'c' on the road to the tool has no coordinate of its own"):
        mp.generate(arm.robot, "inverse_kinematics")
    with pytest.raises(mp.InputError, match=r"joint 'c' on the road to the tool has no coordinate of its own"):
        mp.inverse_derivation(arm.robot)
    with pytest.raises(mp.InputError, match="not redundant"):
        arm.inverse_kinematics(np.eye(4), parameter=0.1)


def test_a_derivation_is_that_of_the_road_to_the_tool(tmp_path: Path) -> None:
    (tmp_path / "free.urdf").write_text(GRIPPER.replace('<mimic joint="open" multiplier="1.5" offset="0.01"/>', ""))
    robot = mp.load(tmp_path / "free.urdf")
    found = mp.inverse_derivation(robot.at("right"))
    assert str(found) == str(mp.inverse_derivation(robot.road("right"))) and "d₂" in str(found)
    with pytest.raises(mp.InputError, match="say which frame is meant"):
        mp.inverse_derivation(robot)
