"""Poses as people have them: rounded, noisy, in single precision; solved to a stated tolerance, or refused."""

from __future__ import annotations

import re
import warnings
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.errors import InputError, ManipulaWarning
from manipula.generation.arm_structure import numeric_chain
from manipula.ik.general6r.elimination import wrap_angles
from manipula.ik.inverse import InverseSolver
from manipula.ik.numeric.arrays import distances, principal

pytestmark = pytest.mark.usefixtures("without_search")

ARMS = {  # theta, d, a, alpha: one arm of each number of joints
    "5": [(0, 0.3, 0, 90), (0, 0, 0.4, 0), (0, 0, 0.3, 0), (0, 0, 0, 90), (0, 0.15, 0, 0)],
    "4": [(0, 0.3, 0.05, 90), (0, 0, 0.35, 0), (0, 0, 0, 90), (0, 0.25, 0, 0)],
    "3": [(0, 0, 0.1, 90), (0, 0, 0.3, 0), (0, 0, 0.2, 0)],
}
quiet = pytest.mark.filterwarnings("ignore::manipula.errors.ManipulaWarning")
KINDS = (1e-12, 1e-10, 1e-8, 1e-7, 1e-6, "single", 7, 6)


@lru_cache
def arm_of(name: str) -> mp.Arm:
    if name in ARMS:
        return mp.Arm(mp.Robot.from_dh(ARMS[name], convention="standard", angle="deg", name="arm"))
    return mp.Arm(name)


def spoilt(T: Any, kind: Any, rng: np.random.Generator) -> Any:
    """Rounded to so many decimals, or with noise of that size, or as float32 has it."""
    if kind == "single":
        return T.astype(np.float32)
    if isinstance(kind, int):
        return T.round(kind)
    return T + np.pad(rng.uniform(-kind, kind, (3, 4)), ((0, 1), (0, 0)))


def off_square(T: Any) -> float:
    return float(np.abs(T[:3, :3].T @ T[:3, :3] - np.eye(3)).max())


# six joints and more: the nearest rotation


@pytest.mark.drawn("name")
@pytest.mark.parametrize("name", ["puma560", "iiwa14", "gen3"])
@pytest.mark.parametrize("kind", ["single", 8, 6, 5, 4, 3, 1e-7, 1e-5, 1e-3])
def test_a_rotation_of_few_digits_is_made_exact(name: str, kind: Any) -> None:
    arm, rng = arm_of(name), np.random.default_rng(3)
    for _ in range(2):
        q = np.clip(rng.uniform(-1, 1, arm.dof), *(0.7 * np.array(arm.limits).T))
        T = spoilt(arm.pose(q), kind, rng)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            result: Any = arm.inverse_kinematics(T, seed=q)
        assert len(result.q) and np.abs(arm.pose(result.q) - result.pose).max() <= 1e-11
        assert np.abs(result.pose - T).max() <= (4 * 10.0**-kind if isinstance(kind, int) else 4e-3)
        assert off_square(result.pose) < 1e-14
        assert len(told) == (off_square(np.asarray(T, dtype=float)) > 1e-6)
        for warning in told:
            assert warning.category is ManipulaWarning and warning.filename == __file__
            assert "the nearest rotation is taken" in str(warning.message)


def test_no_rotation_with_entries_wrong_by_a_thousandth_is_refused() -> None:
    arm, rng = arm_of("puma560"), np.random.default_rng(5)
    for _ in range(40):
        signs = rng.choice([-1e-3, 1e-3], (3, 3))
        T = arm.pose(rng.uniform(-2, 2, 6)) + np.pad(signs, ((0, 1), (0, 1)))
        with pytest.warns(ManipulaWarning):
            arm.inverse_kinematics(T)


@pytest.mark.drawn("name")
@pytest.mark.parametrize("name", ["puma560", "gen3", "5"])
def test_more_is_refused_and_a_tolerance_decides(name: str) -> None:
    arm = arm_of(name)
    T = arm.pose(np.full(arm.dof, 0.3))
    bent, little = T @ np.diag([1.01, 1, 1, 1]), T @ np.diag([1 + 1e-5, 1, 1, 1])
    with pytest.raises(InputError, match=r"is not a rotation: RᵀR differs from 1 by 0\.02.*at most 1e-03"):
        arm.inverse_kinematics(bent)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(arm.inverse_kinematics(bent, tolerance=0.1).q)
        assert len(arm.inverse_kinematics(little, tolerance=1e-4).q)
    with pytest.raises(InputError, match=r"at most 1e-07 is taken for rounding"):
        arm.inverse_kinematics(little, tolerance=1e-7)


@pytest.mark.parametrize("tolerance", [0, -1.0, np.nan, np.inf, "small", True])
def test_a_tolerance_is_a_positive_number(tolerance: Any) -> None:
    arm = arm_of("5")
    with pytest.raises(InputError, match=r"tolerance: expected a (positive )?number \(m and rad\), found"):
        arm.inverse_kinematics(arm.pose(np.zeros(5)), tolerance=tolerance)


def test_of_many_poses_the_worst_is_told_once() -> None:
    arm = arm_of("puma560")
    T = arm.pose(np.random.default_rng(2).uniform(-1, 1, (5, 6)))
    T[3] = T[3].round(3)
    T[4] = T[4].round(5)
    with pytest.warns(
        ManipulaWarning, match=r"pose 4 of 5 \(and 1 others\) is a rotation only to a few digits"
    ) as told:
        batch: Any = arm.inverse_kinematics(T)
    assert len(told) == 1 and batch.valid.any(1).all() and told[0].filename == __file__


# fewer joints: a tolerance


def assert_sound(result: Any, solver: Any) -> None:
    """What a result says of itself is so."""
    assert (result.nearest.reason == "reached") == bool(len(result.q))
    assert len(result.q) == result.valid.sum()
    assert (result.residual[result.valid] <= result.tolerance).all()
    assert np.abs(solver.pose(result.q) - result.pose).max(initial=0.0) <= result.tolerance
    apart = distances(result.q[:, None], result.q[None], solver.turning) + np.eye(len(result.q))
    assert apart.min(initial=1.0) > 1e-6


@quiet
@pytest.mark.drawn("name")
@pytest.mark.parametrize("name", ARMS)
def test_a_pose_with_six_digits_is_answered(name: str) -> None:
    arm, rng = arm_of(name), np.random.default_rng(int(name))
    for kind in KINDS:
        q = rng.uniform(-2.5, 2.5, arm.dof)
        result: Any = arm.inverse_kinematics(spoilt(arm.pose(q), kind, rng), tolerance=None)
        assert_sound(result, arm.inverse_solver)
        assert distances(result.q, q, arm.inverse_solver.turning).min() < 1e-3
        batch: Any = arm.inverse_kinematics(np.array([result.pose, result.pose]))
        assert batch.valid.sum(-1).tolist() == [len(result.q)] * 2


@pytest.mark.drawn("name")
@quiet
@pytest.mark.parametrize("name", ARMS)
def test_each_answer_is_the_nearest_on_its_branch(name: str) -> None:
    """A step of any joint leads away from the pose."""
    arm, rng = arm_of(name), np.random.default_rng(8)
    q = rng.uniform(-2, 2, arm.dof)
    result: Any = arm.inverse_kinematics(spoilt(arm.pose(q), 1e-6, rng), seed=q)
    here = ((arm.pose(result.q) - result.pose) ** 2).sum((-1, -2))
    assert (here > 1e-16).all()
    for step in (1e-5, -1e-5):
        for k in range(arm.dof):
            there = ((arm.pose(result.q + step * np.eye(arm.dof)[k]) - result.pose) ** 2).sum((-1, -2))
            assert (there > here).all()


@pytest.mark.drawn("name")
@pytest.mark.parametrize("name", ARMS)
def test_four_digits_are_solved_on_request(name: str) -> None:
    arm, rng = arm_of(name), np.random.default_rng(9)
    for _ in range(4):
        q = rng.uniform(-2.5, 2.5, arm.dof)
        T = arm.pose(q).round(4)
        result: Any = arm.inverse_kinematics(T, tolerance=1e-3)
        assert_sound(result, arm.inverse_solver)
        assert len(result.q) and result.tolerance == 1e-3


def test_a_border_is_passed_by_the_tolerance_and_no_more() -> None:
    """Of six joints too: what is 1e-5 m out of reach is met where 1e-4 is allowed."""
    for name, q in (("puma560", [0.1, 0.2, 0.0, 0.3, 0.9, 0.4]), ("5", [0.1, 0.2, 0.0, 0.3, 0.9])):
        arm = arm_of(name)
        far = {"puma560": np.arctan2(-0.0203, 0.4318), "5": 0.0}[name]
        q[2] = -np.pi / 2 - far if name == "puma560" else 0.0
        T = arm.pose(q)
        away = T[:3, 3] / np.linalg.norm(T[:3, 3])
        T[:3, 3] += 1e-2 * away
        for tolerance, reached in ((0.02, True), (1e-6, False)):
            result: Any = arm.inverse_kinematics(T, tolerance=tolerance)
            assert bool(len(result.q)) == reached == (result.nearest.reason == "reached")


@lru_cache
def random_arm(draw: int) -> InverseSolver:
    """One to five joints, parallel and crossing axes, slides."""
    rng = np.random.default_rng(draw)
    rows = [
        {
            "type": "prismatic" if rng.random() < 0.15 else "revolute", "theta": 0.0,
            "d": float(rng.choice([0, rng.uniform(0.1, 0.4)])), "a": float(rng.choice([0, rng.uniform(0.1, 0.4)])),
            "alpha": float(rng.choice([0, 90, -90, rng.uniform(-180, 180)], p=[0.3, 0.3, 0.3, 0.1])),
        }
        for _ in range(1 + draw % 5)
    ]  # fmt: skip
    return InverseSolver(numeric_chain(mp.Robot.from_dh(rows, convention="standard", angle="deg", name="arm")))


@quiet
@pytest.mark.parametrize("draw", [*range(10), *(pytest.param(k, marks=pytest.mark.slow) for k in range(10, 100))])
def test_random_arms_answer_noisy_poses(draw: int) -> None:
    solver, rng = random_arm(draw), np.random.default_rng(draw)
    for kind in (1e-9, 1e-6, "single", 6):
        q = rng.uniform(-2.8, 2.8, solver.chain.dof) * np.where(solver.turning, 1, 0.2)
        result = solver(spoilt(solver.pose(q), kind, rng))
        assert len(result.q)
        assert_sound(result, solver)


# nothing contradicts itself


def test_a_given_joint_that_has_no_answer_says_where_there_is_one() -> None:
    arm = arm_of("gen3")
    T = arm.pose([0.1, 0.2, 0.3, 1.9, 0.5, 0.6, -2.5])
    given = next(x for x in (2.5, 2.8, 3.1, 1.8) if not len(arm.inverse_kinematics(T, parameter=x).q))
    reason = arm.inverse_kinematics(T, parameter=given).nearest.reason
    words = rf"out of reach with joint 7 at {np.degrees(given):.6g}°; with joint 7 at .*° the pose is reached"
    assert reason != "reached" and re.fullmatch(words, reason)


@pytest.mark.drawn("name")
@pytest.mark.parametrize("name", ["puma560", "stanford", "cobra600", "3"])
def test_quick_and_slow_way_count_alike(name: str) -> None:
    arm, rng = arm_of(name), np.random.default_rng(6)
    low, high = np.clip(np.array(arm.limits).T, -2.8, 2.8)
    for i, q in enumerate(rng.uniform(low, high, (18, arm.dof))):
        if arm.dof == 6 and i % 3:  # beside a lock, and at it
            q[4] = 0.0 if i % 3 == 1 else 10 ** rng.uniform(-12, -4)
        for seed in (None, q, q + 1e-5):
            result: Any = arm.inverse_kinematics(arm.pose(q), seed=seed)
            assert_sound(result, arm.inverse_solver)
            np.testing.assert_array_equal(result.q, result.all[result.order])


def test_eliminated_answers_count_alike() -> None:
    arm, rng = arm_of("gen3"), np.random.default_rng(6)
    for q in rng.uniform(-1, 1, (4, 7)):
        for bend in (0.7, 1e-8):
            q[5] = bend
            result: Any = arm.inverse_kinematics(arm.pose(q), seed=q, parameter=q[6])
            assert_sound(result, arm.inverse_solver)
            assert distances(result.q[0], q, arm.inverse_solver.turning) < 1e-6
            np.testing.assert_array_equal(result.q, result.all[result.order])


@pytest.mark.parametrize("wrap", [wrap_angles, lambda q: principal(q, np.ones(q.shape, dtype=bool))])
def test_angles_are_in_the_half_open_turn_that_is_promised(wrap: Any) -> None:
    """(−π, π]: half turns however often gone around are π, never −π; others keep their direction."""
    half = np.pi * np.array([-3.0, -1.0, 1.0, 3.0])
    np.testing.assert_array_equal(wrap(half), np.full(4, np.pi))
    rng = np.random.default_rng(1)
    turns = np.concatenate([np.pi * np.arange(-15, 16), rng.uniform(-50, 50, 200), np.nextafter(half, 0), half + 1e-15])
    found = wrap(turns)
    assert ((found > -np.pi) & (found <= np.pi)).all()
    np.testing.assert_allclose(np.exp(1j * found), np.exp(1j * turns), rtol=0, atol=1e-13)


@pytest.mark.parametrize("tolerance", [1e-12, 1e-3])
def test_many_poses_are_answered_to_the_tolerance_as_each_is_alone(tolerance: float) -> None:
    """Some are met, some lie a little beyond the stretched arm: there the tolerance decides."""
    arm: Any = mp.Arm(mp.load("planar2r").with_parameters(l1=0.5, l2=0.4))
    T = arm.pose(np.array([[0.3, 0.8], [0.3, 0.0], [0.3, 0.0], [-1.0, 1.2]]))
    T[1, :2, 3] *= 1 + 3e-4
    T[2, :2, 3] *= 1.01
    many = arm.inverse_kinematics(T, tolerance=tolerance)
    alone = [len(arm.inverse_kinematics(pose, tolerance=tolerance).q) > 0 for pose in T]
    assert alone == [True, tolerance > 3e-4, False, True] == [bool(valid.any()) for valid in many.valid]
