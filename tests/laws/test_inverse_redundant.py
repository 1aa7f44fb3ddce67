"""Arms with more joints than a pose needs: no pose they can take is left without an answer, and a seed that stands at
the pose is the first, whatever locks at it."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import manipula as mp
from tests.few_arms import random_rows, robot_of

pytestmark = pytest.mark.usefixtures("without_search")

ARMS = ("panda", "iiwa14", "gen3", "xarm7")


@cache
def _arm(name: str) -> mp.Arm:
    return mp.Arm(mp.load(name), optimise="none")


def _inside(arm: mp.Arm) -> Any:
    low, high = np.array(arm.limits).T
    return np.maximum(low, -np.pi), np.minimum(high, np.pi)


@pytest.mark.drawn("name")
@pytest.mark.parametrize("name", ARMS)
def test_limits_that_leave_little_lose_no_pose(name: str) -> None:
    """Of random configurations about one in a hundred lies between the values of the parameter that are tried."""
    arm = _arm(name)
    q = np.random.default_rng(1).uniform(*_inside(arm), (300, 7))
    poses = arm.pose(q)
    batch = arm.inverse_kinematics(poses)
    assert batch.valid.any(-1).all()
    assert batch.residual[batch.valid].max() < 1e-9
    for i in np.argsort(batch.valid.sum(-1), kind="stable")[:10]:  # those with the fewest answers
        result = arm.inverse_kinematics(poses[i])
        assert len(result.q) == result.valid.sum() and result.nearest.reason == "reached"
        low, high = np.array(arm.limits).T
        assert (result.q >= low - 1e-9).all() and (result.q <= high + 1e-9).all()


@pytest.mark.drawn("name")
@pytest.mark.parametrize("name", ARMS)
def test_the_values_of_the_parameter_that_are_tried_fill_its_range(name: str) -> None:
    """A whole turn, or what the limits of its joint leave of it, in even steps."""
    arm = _arm(name)
    parameter = arm.inverse_solver.parameter
    low, high = _inside(arm)
    joint = parameter.fixed_joint
    first, last = (-np.pi, np.pi) if joint is None else (low[joint], high[joint])
    fan = parameter.fan()
    assert np.allclose(np.diff(fan), (last - first) / len(fan)) and len(fan) >= 8
    assert np.allclose(fan[0] + fan[-1], first + last)


@pytest.mark.turn
def test_a_parameter_that_is_given_stays() -> None:
    arm = _arm("panda")
    q = np.random.default_rng(1).uniform(*_inside(arm), (300, 7))
    for x in q[[154, 191, 285]]:
        result = arm.inverse_kinematics(arm.pose(x), seed=x, parameter=x[6] + 0.4)
        assert np.allclose(result.q[:, 6], x[6] + 0.4)


@pytest.mark.turn
@pytest.mark.drawn("name")
@pytest.mark.parametrize("name", ARMS)
def test_a_seed_at_a_locked_pose_is_the_first_answer(name: str) -> None:
    """One to three joints at or beside a quarter turn: joints in line, elbows stretched, wrists locked."""
    arm, rng = _arm(name), np.random.default_rng(3)
    low, high = _inside(arm)
    for _ in range(40):
        q = rng.uniform(low, high)
        for joint in rng.choice(7, rng.integers(1, 4), replace=False):
            value = rng.choice([0, np.pi / 2, -np.pi / 2]) + rng.choice([0, 0, 1e-9, 1e-7, 1e-5])
            q[joint] = value if low[joint] <= value <= high[joint] else q[joint]
        pose = arm.pose(q)
        result = arm.inverse_kinematics(pose, seed=q)
        assert np.abs(result.q[0] - q).max() < 1e-6
        assert np.abs(arm.pose(result.q) - pose).max() < 1e-9
        assert len(result.q) == result.valid.sum()


@pytest.mark.turn
@pytest.mark.drawn("joints")
@pytest.mark.parametrize("joints", [8, 9])
def test_many_joints_with_tight_limits_are_found(joints: int) -> None:
    for k in range(3):
        rng = np.random.default_rng([joints, k])
        rows = random_rows(rng, joints)
        for row in rows:
            start = float(rng.uniform(-180, 120))
            row["limits"] = [round(start, 1), round(start + float(rng.uniform(5, 60)), 1)]
        arm = mp.Arm(robot_of(rows, "standard"), optimise="none")
        low, high = np.array(arm.limits).T
        for q in rng.uniform(low, high, (6, joints)):
            result = arm.inverse_kinematics(arm.pose(q))
            assert len(result.q) and np.abs(arm.pose(result.q) - arm.pose(q)).max() < 1e-9
            assert np.abs(arm.inverse_kinematics(arm.pose(q), seed=q).q[0] - q).max() < 1e-6


@pytest.mark.parametrize("task", ["pose", "position"])
@pytest.mark.parametrize("name", ["panda", "gen3"])
def test_what_is_no_seed_and_no_parameter_is_refused_in_a_sentence(name: str, task: str) -> None:
    arm = _arm(name)
    pose = arm.pose([0.1, 0.2, 0.3, -1.4, 0.5, 1.6, 0.7])
    for seed in ("x", [1, 2], [[0] * 7], [np.nan] * 7):
        with pytest.raises(mp.ManipulaError, match=r"^seed: "):
            arm.inverse_kinematics(pose, seed=seed, task=task)  # type: ignore[arg-type]
    for parameter in ("x", [], np.nan, [0.1, np.inf]):
        with pytest.raises(mp.ManipulaError, match=r"^parameter: "):
            arm.inverse_kinematics(pose, parameter=parameter, task=task)


@pytest.mark.drawn("name")
@pytest.mark.parametrize("name", ["panda", "gen3", "iiwa14", "ur5e", "pucrio"])
def test_no_poses_have_no_answers(name: str) -> None:
    batch = mp.Arm(name, optimise="none").inverse_kinematics(np.empty((0, 4, 4)))
    assert batch.valid.shape == batch.q.shape[:2] and len(batch.q) == 0
