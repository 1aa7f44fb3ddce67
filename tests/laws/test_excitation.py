"""Exciting motions: exact gradients, limits that hold between samples, more told than by chance."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.identification.excitation.excitation import Design, Excitation, design_of
from manipula.identification.excitation.motions import Spline
from manipula.mechanics.models.motion.ports import Motion
from manipula.mechanics.robot.description import cell_with_value
from manipula.mechanics.robot.values.parameter import Num
from tests.golden.sentences import Sentences
from tests.laws.test_coupled import free_and_coupled
from tests.random_robots import random_robot, random_tree, with_laws
from tests.recordings import torques, two_joints

DENSE = 50_000  # samples of a motion: 50 times those it was checked with
ARMS = ["P", "RH", "FPR"]
QUICK: dict[str, Any] = {"seconds": 4, "harmonics": 3, "seeds": 1}


def planar(**values: float) -> mp.Robot:
    return mp.load("planar2r").with_parameters(**{"l1": 0.5, "l2": 0.4, "g": 9.81, **values})


def random_arm(seed: int) -> mp.Robot:
    return mp.Robot.of(random_robot(seed, joints=ARMS[seed % len(ARMS)]))


@lru_cache(maxsize=4)
def planar_motion() -> Excitation:
    return mp.excite(planar(), **QUICK)


def keeps(motion: Excitation, share: float = 0.951) -> None:
    """Limits of the coordinates, rest at both ends."""
    t, limits = np.linspace(0, motion.duration, DENSE), motion.limits
    q, qd, qdd = motion(t)
    middle, half = (limits.lower + limits.upper) / 2, (limits.upper - limits.lower) / 2
    assert np.all(np.abs(q - middle) <= share * half)
    assert np.all(np.abs(qd) <= share * limits.velocity)
    assert np.all(np.abs(qdd) <= share * limits.acceleration)
    for end in (0.0, motion.duration):
        np.testing.assert_allclose(motion(end).qd, 0, atol=1e-12 * (1 + np.abs(qd).max()))
        np.testing.assert_allclose(motion(end).qdd, 0, atol=1e-11 * (1 + np.abs(qdd).max()))


def slope_error(design: Design, criterion: str, seed: int) -> float:
    """Of the gradient along a direction, against a difference."""
    rng = np.random.default_rng(seed)
    z, way = 0.7 * rng.normal(size=(2, design.scale.size))
    way /= np.linalg.norm(way)
    cost, step = design.cost(criterion, 7.0), 1e-5
    change = (cost(z + step * way)[0] - cost(z - step * way)[0]) / (2 * step)
    return abs(cost(z)[1] @ way - change) / max(1.0, abs(change))


@pytest.mark.turn
def test_the_gradient_is_exact() -> None:
    """With torques and a box in the way."""
    arm = planar(m1=3, m2=2)
    box = {"keep_in": ((-0.5, 0.7), (-0.6, 0.5), (-1, 1)), "keep_out": ((0.1, 0.4), (0.1, 0.4), (-1, 1))}
    design = design_of(arm, 3.0, 3, {"effort": (30, 8), "velocity": 1.5}, box, "fourier")
    for seed, criterion in enumerate(["logdet", "condition"] * 2):
        assert slope_error(design, criterion, seed) < 1e-6
        assert slope_error(replace(design, family=Spline(3.0, 3)), criterion, seed) < 1e-6


@pytest.mark.turn
@pytest.mark.parametrize("seed", range(len(ARMS)))
def test_random_arms_keep_their_limits_between_samples(seed: int) -> None:
    """Turning, sliding, screwing; one joint and several; a fixed row first."""
    motion = mp.excite(random_arm(seed), motion=("fourier", "spline")[seed % 2], **QUICK)
    keeps(motion)
    assert np.isfinite([motion.condition, motion.scaled]).all()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_more_random_arms(seed: int) -> None:
    robot = mp.Robot.of(with_laws(random_robot(seed, joints=1 + seed % 4), seed))
    design = design_of(robot, 4.0, 3, None, None, "fourier")
    assert slope_error(design, "logdet", seed) < 1e-5
    keeps(mp.excite(robot, criterion=("logdet", "condition")[seed % 2], **QUICK))


@pytest.mark.turn
def test_a_tree_and_joints_that_follow_others() -> None:
    """What follows keeps its own limits."""
    keeps(mp.excite(mp.Robot.of(random_tree(3, 3, surroundings=False)), **QUICK))
    _, coupled, C, c = free_and_coupled(2)
    names = [joint.name for joint in coupled.joints if joint.kind != "fixed"]
    late = next(joint.name for joint in coupled.joints if joint.coordinate is not None)
    ends = (Num(-1), Num(1))
    tight = replace(coupled, joints=tuple(replace(x, limits=ends) if x.name == late else x for x in coupled.joints))
    motion = mp.excite(mp.Robot.of(tight), **QUICK)
    keeps(motion)
    joint = motion(np.linspace(0, motion.duration, DENSE)).q @ C[names.index(late)] + c[names.index(late)]
    assert np.abs(joint).max() <= 1.0


@pytest.mark.turn
def test_torques_and_boxes_hold_between_samples() -> None:
    arm = planar(m1=3, m2=2)
    hand = ((0.3, 0.6), (-0.2, 0.2), (-1, 1))
    room = ((-0.5, 0.8), (-0.6, 0.7), (-1, 1))
    motion = mp.excite(arm, limits={"effort": (40, 10)}, box={"keep_in": room, "keep_out": hand}, **QUICK)
    keeps(motion)
    states, numeric = motion(np.linspace(0, motion.duration, DENSE)), mp.Arm(arm)
    assert np.all(np.abs(numeric.inverse_dynamics(*states)) <= (40, 10))
    p = numeric.pose(states.q)[:, :3, 3]
    low, high = np.array(room).T
    assert np.all((low <= p) & (p <= high))
    low, high = np.array(hand).T
    assert not np.any(np.all((low < p) & (p < high), axis=1))
    free = mp.excite(arm, **QUICK)(np.linspace(0, motion.duration, DENSE))  # else this test could not fail
    assert np.any(np.abs(numeric.inverse_dynamics(*free)) > (40, 10))


@pytest.mark.turn
def test_the_condition_number_is_that_of_the_base_regressor() -> None:
    """Masses, friction and motors of the file count for nothing."""
    motion = planar_motion()
    rows = mp.generate(planar(), "base_regressor").compile()(*motion(np.linspace(0, motion.duration, 2000)))
    assert np.linalg.cond(rows.reshape(-1, rows.shape[-1])) == pytest.approx(motion.condition, rel=0.02)
    heavy = planar(m1=3, m2=2).with_friction(theta1={"viscous": 2}).with_motor_inertia(theta2=0.3)
    assert mp.excite(heavy, **QUICK).condition == pytest.approx(motion.condition, rel=1e-6)


def test_more_is_told_than_by_random_motions() -> None:
    """Errors of least squares in all unknowns: 1.5 times as small on the average as those of a random motion."""
    design, rng = design_of(planar(), 10.0, 5, None, None, "fourier"), np.random.default_rng(0)

    def sigma(x: Any) -> Any:
        rows = design.information.matrix(design.motion(x, design.dense), drawn_out=False)
        W = rows.reshape(-1, rows.shape[-1])
        return np.sqrt(np.diag(np.linalg.inv(W.T @ W)))

    found = design.search_motion(0, "logdet")
    random = [x for x in (design.sample_motion(rng) for _ in range(20)) if x is not None]
    assert np.median([np.mean(sigma(x) / sigma(found)) for x in random]) > 1.5
    assert design.information_value(found, "logdet").value > max(
        design.information_value(x, "logdet").value for x in random
    )


def test_the_condition_can_be_asked_for() -> None:
    assert mp.excite(planar(), criterion="condition", **QUICK).condition < planar_motion().condition


def test_columns_that_cannot_be_told_apart_are_one() -> None:
    """A slide along gravity: the weight of its mass is an offset, its inertia a motor's."""
    slide = mp.Robot.from_dh([{"type": "prismatic", "theta": 0, "d": 0, "a": 0, "alpha": 0}])
    assert mp.excite(slide, **QUICK).parameters == ("m1", "Ia1", "fv1", "fc1")


def test_the_same_seed_gives_the_same_motion() -> None:
    again, other = mp.excite(planar(), **QUICK), mp.excite(planar(), **{**QUICK, "seeds": [5]})
    t = np.linspace(0, 4, 50)
    np.testing.assert_array_equal(again(t).q, planar_motion()(t).q)
    assert np.abs(other(t).q - again(t).q).max() > 0.01
    several = mp.excite(planar(), **{**QUICK, "seeds": [0, 5]})
    assert [x.seed for x in several.attempts] == [0, 5]
    slack = 2 * len(several.parameters) * 0.05
    near = [x for x in several.attempts if x.value >= max(y.value for y in several.attempts) - slack]
    assert several.condition == min(x.condition for x in near)


@pytest.mark.turn
def test_it_is_a_trajectory_to_save_and_show(tmp_path: Path) -> None:
    motion = mp.excite(planar(), rate=200, **QUICK)
    path = motion.save(tmp_path / "motion.csv")
    assert len(path.read_text().splitlines()) == 1 + 4 * 200 + 1
    back, t = mp.trajectory.table(path), np.linspace(0, 4, 301)
    np.testing.assert_allclose(back(t).q, motion(t).q, atol=1e-8)
    np.testing.assert_array_equal(motion.start, motion(0.0).q)
    told = json.loads(json.dumps(motion.as_dict()))
    assert told["condition"] == motion.condition and told["joints"] == ["theta1", "theta2"]
    assert "no velocity limit" in " ".join(motion.notes) and "no velocity limit" in str(motion)
    motion.plot().savefig(tmp_path / "motion.png")
    assert motion.model.cost.total > 0  # the formula, proved


def test_what_is_assumed_is_told() -> None:
    plain = planar_motion().notes
    assert any("±π" in note for note in plain) and any("acceleration" in note for note in plain)
    told = mp.excite(planar(), limits={"position": (-1, 1), "velocity": 1, "acceleration": 5}, **QUICK)
    assert told.notes == () and told.limits.velocity.tolist() == [1, 1]
    file = mp.load("planar2r")
    limited = replace(
        file, joints=tuple(replace(x, effort_limit=cell_with_value("e", Num(5)).value) for x in file.joints)
    )
    robot = mp.Robot.of(limited).with_parameters(l1=0.5, l2=0.4, g=9.81)
    assert any("effort limits are not kept: m" in note for note in mp.excite(robot, **QUICK).notes)


NUMBERED = planar(m1=3, m2=2)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"seconds": 0}, "seconds: expected a number of seconds above 0, found 0"),
        ({"seconds": -1}, "seconds"),
        ({"seconds": float("nan")}, "seconds"),
        ({"harmonics": 1}, "harmonics: expected a whole number from 2 to 100, found 1"),
        ({"harmonics": -3}, "harmonics"),
        ({"harmonics": 2.5}, "harmonics"),
        ({"criterion": "cond"}, "no criterion is called 'cond'; did you mean 'condition'"),
        ({"motion": "forier"}, "did you mean 'fourier'"),
        ({"seeds": 0}, "seeds: expected a count above 0"),
        ({"seeds": []}, "seeds"),
        ({"seeds": "3"}, "seeds"),
        ({"rate": 0}, "rate"),
        ({"limits": {"speed": 1}}, "no limit is called 'speed'"),
        ({"limits": 3}, "limits: expected a dict"),
        ({"limits": {"velocity": 0}}, "velocity: a limit is above 0"),
        ({"limits": {"velocity": [1, 2, 3]}}, "velocity: expected a number or 2"),
        ({"limits": {"position": (1, -1)}}, "theta1 has no room to move between 1 and -1"),
        ({"limits": {"position": [(0, 1)]}}, "position: expected"),
        ({"limits": {"position": (0, float("inf"))}}, "finite"),
        ({"limits": {"effort": 1e-6}}, "its effort limit 1e-06 does not hold the arm still"),
        ({"box": ((-9, 9), (-9, 9), (-9, 9))}, "box: the tool is where it may not be in each of 401 postures"),
        ({"box": {"keep_in": ((5, 6), (5, 6), (5, 6))}}, "box: the tool"),
        ({"box": {"inside": ((0, 1),) * 3}}, "no box is called 'inside'"),
        ({"box": ((0, 1), (0, 1))}, "box: expected"),
        ({"box": ((0, 1), (1, 0), (0, 1))}, "box: expected"),
    ],
)
def test_what_cannot_be_used_is_told(given: dict[str, Any], words: str, whole: Sentences) -> None:
    with whole.raises(mp.InputError, match=words.replace("(", r"\(")):
        mp.excite(NUMBERED, **{**QUICK, **given})


def test_robots_that_cannot_be_excited_say_so() -> None:
    with pytest.raises(mp.InputError, match="needs a value for l1, g"):
        mp.excite("planar2r")
    with pytest.raises(mp.InputError, match="limits of effort need a value for m"):
        mp.excite(planar(), limits={"effort": 5})


@pytest.mark.turn
def test_a_motion_after_a_recording_shows_what_that_did_not() -> None:
    """A first recording that moves the first joint alone: together they are far better conditioned than it alone."""
    arm = two_joints()
    t = np.arange(0, 8, 0.01)
    q = np.stack([np.sin(2 * t) + 0.4 * np.cos(3.1 * t), 0.02 * np.sin(1.3 * t)], axis=1)
    qd, qdd = np.gradient(q, t, axis=0), np.gradient(np.gradient(q, t, axis=0), t, axis=0)
    found = mp.identify(arm, mp.Log(t, q, torques(arm, q, qd, qdd)), model=mp.JointModel(), filter=5.0)
    limits = {"position": (-2, 2), "velocity": 3.0, "acceleration": 10.0}
    # three starts each: of one, the best motion for itself may by chance be the better one beside the recording
    alone, beside = (mp.excite(arm, seconds=4, seeds=3, limits=limits, after=x) for x in (None, found))
    recorded = found.data.source.motions[0]
    seen = Motion(*(x[recorded.kept] for x in (recorded.q, recorded.qd, recorded.qdd)))
    both = design_of(arm, 4, 5, limits, None, "fourier").information.after([seen], 2.0)
    times = np.linspace(0, 4, 101)
    together = [both.logdet(Motion(*map(np.asarray, motion(times)))).value for motion in (alone, beside)]
    assert together[1] > together[0] + 0.05
    assert beside.condition < 100


def test_a_motion_that_cannot_identify_says_why() -> None:
    arm = two_joints()
    limits = {"position": [(-2, 2), (-1e-5, 1e-5)], "velocity": 3.0, "acceleration": 10.0}
    told = mp.excite(arm, seconds=4, seeds=1, limits=limits)
    assert told.condition > 1e4
    assert any("cannot identify" in text and "too narrow for joint2" in text for text in told.notes)
