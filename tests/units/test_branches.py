"""The thin call of inverse kinematics: the general call's answers, through every kind of call; nothing leaks."""

from __future__ import annotations

import gc
import pickle
import sys
import threading
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.algebra.run import inverse as module
from manipula.errors import InputError
from manipula.ik.inverse import InverseSolver

pytestmark = pytest.mark.usefixtures("without_search")

ARMS = ("puma560", "ur5", "stanford", "cobra600")


@lru_cache
def arm_of(name: str) -> mp.Arm:
    arm = mp.Arm(name)
    if type(arm.inverse_kinematics) is not type(len):
        pytest.skip("no machine code here")
    return arm


@lru_cache
def general(name: str) -> InverseSolver:
    """The same arm and limits by the general call."""
    arm = arm_of(name)
    closed = arm.model("inverse_kinematics")
    return InverseSolver(arm.inverse_solver.chain, arm.limits, closed=closed, pose=arm.pose, jacobian=arm.jacobian)


def within(arm: mp.Arm, count: int, seed: int = 0, widen: float = 1.3) -> Any:
    """Joint positions, most of them inside the limits."""
    reach = np.where(arm.inverse_solver.turning, np.pi, 0.5)
    ends = np.clip(np.array(arm.limits) * widen, -reach[:, None], reach[:, None])
    return np.random.default_rng(seed).uniform(ends[:, 0], ends[:, 1], (count, arm.dof))


def sets_agree(a: Any, b: Any) -> None:
    assert a.shape == b.shape
    np.testing.assert_allclose(a, b, atol=1e-9)


@pytest.mark.turn
@pytest.mark.drawn("name")
@pytest.mark.parametrize("name", ARMS)
def test_the_thin_and_the_general_call_have_the_same_answers(name: str) -> None:
    arm, plain = arm_of(name), general(name)
    poses = arm.pose(within(arm, 30))
    batch: Any = arm.inverse_kinematics(poses)
    assert batch.valid.any() and not batch.valid.all()
    np.testing.assert_array_equal(batch.valid, plain(poses).valid)
    assert batch.residual[batch.valid].max() <= 1e-12
    for i, pose in enumerate(poses):
        one: Any = arm.inverse_kinematics(pose)
        np.testing.assert_array_equal(one.q, batch.q[i][batch.valid[i]])
        sets_agree(one.q, plain(pose).q)


@pytest.mark.turn
@pytest.mark.drawn("name")
@pytest.mark.parametrize("name", ARMS)
def test_what_is_computed_later_agrees_with_the_answers(name: str) -> None:
    arm = arm_of(name)
    q = within(arm, 8, seed=1)
    for pose in arm.pose(q):
        for seed in (None, q[0]):
            result: Any = arm.inverse_kinematics(pose, seed=seed)
            np.testing.assert_array_equal(result.q, result.all[result.order])
            np.testing.assert_array_equal(np.sort(result.order), np.flatnonzero(result.valid))


@pytest.mark.drawn("name")
@pytest.mark.parametrize("name", ARMS)
def test_a_seed_orders_the_answers_and_chooses_the_turns(name: str) -> None:
    arm, plain = arm_of(name), general(name)
    q = within(arm, 8, seed=2, widen=1.0)
    for own, pose in zip(q, arm.pose(q), strict=True):
        for found in (arm.inverse_kinematics(pose, own), arm.inverse_kinematics(pose, seed=own)):
            np.testing.assert_allclose(found.q[0], own, atol=1e-9)
            sets_agree(found.q, plain(pose, own).q)
            assert (np.diff(np.linalg.norm(found.q - own, axis=1)) >= 0).all()


def test_turns_inside_wide_limits_follow_the_seed() -> None:
    arm = arm_of("ur5")
    own = np.array([4.0, -5.0, 1.2, 3.6, 0.9, -4.1])
    np.testing.assert_allclose(arm.inverse_kinematics(arm.pose(own), seed=own).q[0], own, atol=1e-9)


@pytest.mark.parametrize("name", ["puma560", "ur5"])
@pytest.mark.parametrize("bend", [0.0, 1e-12, 1e-9, 1e-6, 1e-4])
def test_locked_wrists_are_decided_alike(name: str, bend: float) -> None:
    arm, plain = arm_of(name), general(name)
    q = within(arm, 4, seed=3)
    q[:, 4] = bend
    for pose in arm.pose(q):
        found: Any = arm.inverse_kinematics(pose)
        assert len(found.q) == len(plain(pose).q)
        assert np.abs(arm.pose(found.q) - pose).max(initial=0) <= 1e-12


@pytest.mark.parametrize("bend", [0.0, 1e-9, 1e-7])
@pytest.mark.parametrize("side", [-1, 1])
def test_a_folded_elbow_at_its_limit_stays_on_the_side_of_the_seed(side: int, bend: float) -> None:
    """θ3 may turn from −π to π: there the two settings of the elbow meet, and are a whole turn apart."""
    arm, plain, rng = arm_of("ur5"), general("ur5"), np.random.default_rng(5)
    assert np.array_equal(np.array(arm.limits)[2], [-np.pi, np.pi])
    for q in rng.uniform(-1.5, 1.5, (8, 6)):
        q[2] = side * (np.pi - bend)
        pose = arm.pose(q)
        for seed in (q, q + 1e-4, q - 1e-4):
            for found in (arm.inverse_kinematics(pose, seed=seed), plain(pose, seed)):
                assert np.abs(found.q[0] - q).max() < 1e-5
                assert len(found.q) == found.valid.sum()


def test_of_two_roots_that_meet_at_a_limit_the_one_inside_is_kept() -> None:
    arm = arm_of("ur5")
    closed = arm.model("inverse_kinematics")
    limits = np.array(arm.limits)
    for limits[2] in ([-np.pi, 0.0], [0.0, np.pi]):
        given: dict[str, Any] = {"closed": closed, "pose": arm.pose, "jacobian": arm.jacobian}
        made = InverseSolver(arm.inverse_solver.chain, [tuple(pair) for pair in limits], **given)
        for q in np.random.default_rng(7).uniform(-1.5, 1.5, (8, 6)):
            q[2] = limits[2][np.argmax(np.abs(limits[2]))]
            for seed in (None, q):
                found = made(arm.pose(q), seed)
                assert np.abs(np.remainder(found.q - q + np.pi, 2 * np.pi) - np.pi).max(1).min() < 1e-5


# calls of every kind


def test_the_call_is_a_builtin_function() -> None:
    call: Any = arm_of("puma560").inverse_kinematics
    assert type(call) is type(len)
    assert "(4, 4)" in call.__doc__


@pytest.mark.parametrize(
    "make",
    [
        lambda T: T.tolist(), np.asfortranarray, lambda T: T.astype(">f8"),
        lambda T: np.broadcast_to(T, (4, 4)), lambda T: T.astype(np.longdouble),
    ],
)  # fmt: skip
def test_poses_of_other_sorts(make: Any) -> None:
    arm = arm_of("puma560")
    pose = arm.pose(np.full(6, 0.4))
    np.testing.assert_allclose(arm.inverse_kinematics(make(pose)).q, arm.inverse_kinematics(pose).q, atol=1e-12)


@pytest.mark.parametrize("seed", [[0.1] * 6, np.full(6, 0.1, dtype=np.float32), np.full(12, 0.1)[::2], None])
def test_seeds_of_other_sorts(seed: Any) -> None:
    arm = arm_of("puma560")
    pose = arm.pose(np.full(6, 0.4))
    want = arm.inverse_kinematics(pose) if seed is None else arm.inverse_kinematics(pose, np.full(6, 0.1))
    for found in (arm.inverse_kinematics(pose, seed), arm.inverse_kinematics(pose=pose, seed=seed)):
        np.testing.assert_allclose(found.q, want.q, atol=1e-12)


def test_mistakes_are_told_as_ever() -> None:
    arm = arm_of("puma560")
    pose = arm.pose(np.full(6, 0.4))
    with pytest.raises(InputError, match=r"seed: joint 2 is not a finite number"):
        arm.inverse_kinematics(pose, seed=np.array([0, np.inf, 0, 0, 0, 0]))
    with pytest.raises(InputError, match=r"seed: expected 6 joint positions"):
        arm.inverse_kinematics(pose, np.zeros(5))
    with pytest.raises(InputError, match=r"takes none"):
        arm.inverse_kinematics(pose, parameter=0.1)
    with pytest.raises(InputError, match=r"not a rotation"):
        arm.inverse_kinematics(pose * [[1.1], [1], [1], [1]])
    poses = np.stack([pose, pose, pose])
    poses[1, 0, 3] = np.nan
    with pytest.raises(InputError, match=r"pose 2 of 3 .* row 1, column 4 is nan"):
        arm.inverse_kinematics(poses)
    with pytest.raises(TypeError):
        arm.inverse_kinematics()


def test_results_do_not_follow_the_callers_arrays() -> None:
    arm = arm_of("puma560")
    pose, seed = arm.pose(np.full(6, 0.4)), np.full(6, 0.3)
    given, near = pose.copy(), seed.copy()
    result: Any = arm.inverse_kinematics(given, seed=near)
    batch: Any = arm.inverse_kinematics(batch_given := np.stack([pose, pose]))
    given[:], near[:], batch_given[:] = np.nan, np.nan, np.nan
    np.testing.assert_array_equal(result.q, result.all[result.order])
    assert result.residual[result.valid].max() <= 1e-12 and batch.residual[batch.valid].max() <= 1e-12


def test_no_reference_is_lost_or_kept() -> None:
    arm = arm_of("puma560")
    pose, seed, dtype = arm.pose(np.full(6, 0.4)), np.full(6, 0.3), np.dtype(np.float64)
    things = (pose, seed, dtype, arm.inverse_solver, type(arm.inverse_kinematics(pose)))
    for call in (lambda: arm.inverse_kinematics(pose), lambda: arm.inverse_kinematics(pose, seed=seed)):
        call()
        before = [sys.getrefcount(thing) for thing in things]
        for _ in range(500):
            call()
        assert all(abs(sys.getrefcount(x) - n) < 20 for x, n in zip(things, before, strict=True))


@pytest.mark.turn
def test_results_are_collected() -> None:
    arm = arm_of("puma560")
    pose = arm.pose(np.full(6, 0.4))
    gc.collect()
    before = len(gc.get_objects())
    for _ in range(300):
        arm.inverse_kinematics(pose)
    gc.collect()
    assert len(gc.get_objects()) < before + 100


def test_results_and_arms_pickle() -> None:
    arm = arm_of("cobra600")
    pose = arm.pose(np.full(4, 0.1))
    result: Any = arm.inverse_kinematics(pose)
    again = pickle.loads(pickle.dumps(result))
    np.testing.assert_array_equal(again.q, result.q)
    assert again.why == result.why
    other = pickle.loads(pickle.dumps(arm))
    np.testing.assert_array_equal(other.inverse_kinematics(pose).q, result.q)


def test_threads_share_one_arm() -> None:
    arm = arm_of("ur5")
    poses = arm.pose(within(arm, 200, seed=4))
    alone: Any = arm.inverse_kinematics(poses)
    found: list[Any] = []

    def work() -> None:
        found.append(arm.inverse_kinematics(poses))
        for i in range(0, 200, 20):
            found.append(arm.inverse_kinematics(poses[i]).q.shape == (alone.valid[i].sum(), 6))

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    batches = [x for x in found if not isinstance(x, bool | np.bool_)]
    assert len(batches) == 6 and all(x for x in found if isinstance(x, bool | np.bool_))
    for batch in batches:
        np.testing.assert_array_equal(batch.q, alone.q)
        np.testing.assert_array_equal(batch.valid, alone.valid)


# without machine code


def test_without_a_layout_the_general_call_serves(monkeypatch: pytest.MonkeyPatch) -> None:
    pose = arm_of("cobra600").pose(np.full(4, 0.1))
    monkeypatch.setattr(module, "layout", lambda: None)
    plain = mp.Arm("cobra600")
    assert type(plain.inverse_kinematics) is not type(len)
    np.testing.assert_allclose(
        plain.inverse_kinematics(pose).q, arm_of("cobra600").inverse_kinematics(pose).q, atol=1e-12
    )


def test_a_disagreeing_call_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    arm_of("cobra600")
    thin = module.InverseCall.thin

    def spoilt(self: Any, owner: Any, name: str, doc: str, result: type, solver: object) -> Any:
        made = thin(self, owner, name, doc, result, solver)

        def call(pose: Any) -> Any:
            found = made(pose)
            found.q = found.q + 1e-15
            return found

        return call

    monkeypatch.setattr(module.InverseCall, "thin", spoilt)
    call: Any = mp.Arm("cobra600").inverse_kinematics
    assert type(call) is not type(len) and call.__name__ == "inverse_kinematics"
