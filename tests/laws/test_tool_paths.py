"""References of the tool: it is where it should be at every moment, velocities and accelerations are derivatives, and
what cannot be followed is said."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import manipula as mp
from tests.golden.sentences import Sentences
from tests.random_robots import random_tree

pytestmark = pytest.mark.usefixtures("without_search")

Floats = NDArray[np.float64]
tr = mp.trajectory


@pytest.fixture(scope="module")
def puma() -> mp.Arm:
    return arm_named("puma560")


@pytest.fixture(scope="module")
def planar() -> mp.Arm:
    return mp.Arm(mp.load("planar2r").with_parameters(l1=1, l2=1))


READY = np.array([0.2, 0.9, -0.5, 0.3, 0.8, 0.1])


def arms() -> list[Any]:
    """An arm, a configuration to start from, and a task."""
    return [
        ("puma560", READY, "pose"),
        ("puma560", READY, "position"),
        pytest.param("stanford", np.array([0.3, 0.8, 0.6, 0.4, 0.7, 0.2]), "pose", marks=pytest.mark.slow),
        ("panda", np.array([0.1, 0.3, -0.2, -1.7, 0.2, 1.8, 0.4]), "pose"),
        ("scara", np.array([0.4, 0.9, 0.3, 0.2]), "pose"),
        ("planar2r", np.array([0.4, 0.9]), "position"),
    ]


@cache
def arm_named(name: str) -> mp.Arm:
    robot = mp.load(name)
    lengths = {key: 0.5 for key, value in robot.parameters.items() if value is None and key[0] in "adl"}
    return mp.Arm(robot.with_parameters(**lengths))


@pytest.mark.parametrize(("name", "q0", "task"), arms(), ids=lambda x: x if isinstance(x, str) else "")
def test_the_tool_goes_straight_and_the_joints_move_so(name: str, q0: Floats, task: str) -> None:
    arm = arm_named(name)
    q1 = q0 + 0.25 * np.random.default_rng(len(name)).uniform(-1, 1, arm.dof)
    goal = arm.pose(q1)
    if name == "scara":  # four joints keep the tool upright
        goal[:3, :3] = arm.pose(q0)[:3, :3]
        goal = arm.pose(arm.inverse_kinematics(goal, q0).q[0])
    ref = tr.line(arm, q0, goal, 1.5, task=task)
    times = np.linspace(0, 1.5, 61)
    motion, wanted = ref(times), ref.pose(times)
    found = arm.pose(motion.q)
    rows = np.s_[..., :3, 3] if task == "position" else np.s_[..., :, :]
    assert np.abs(found[rows] - wanted[rows]).max() < 1e-11
    assert np.allclose(motion.q[0], q0, atol=1e-9)
    # the tool's velocity is that of the path
    J = arm.jacobian(motion.q)
    speed = np.einsum("kij,kj->ki", J, motion.qd)[:, :3]
    way = goal[:3, 3] - arm.pose(q0)[:3, 3]
    assert np.allclose(speed, tr.quintic([0], [1], 1.5)(times).qd * way, atol=1e-10)
    inner, h = times[1:-1], 1e-5
    slope = (ref(inner + h).q - ref(inner - h).q) / (2 * h)
    bend = (ref(inner + h).qd - ref(inner - h).qd) / (2 * h)
    assert np.allclose(slope, motion.qd[1:-1], atol=1e-6 * max(1, np.abs(motion.qd).max()))
    assert np.allclose(bend, motion.qdd[1:-1], atol=1e-5 * max(1, np.abs(motion.qdd).max()))
    assert not np.any(ref([-1, 2]).qd)


def test_the_tool_turns_along_the_geodesic(puma: mp.Arm) -> None:
    start = puma.pose(READY)
    goal = start.copy()
    turn = np.array([0.3, -0.5, 0.2])
    goal[:3, :3] = Rotation.from_rotvec(turn).as_matrix() @ start[:3, :3]
    ref = tr.line(puma, READY, goal, acceleration=1.0, velocity=0.4)
    # it only turns, so limits are of its angle: a trapezoid over |turn|
    assert ref.duration == pytest.approx(np.linalg.norm(turn) / 0.4 + 0.4)
    motion = ref(np.linspace(0, ref.duration, 31))
    spin = np.einsum("kij,kj->ki", puma.jacobian(motion.q), motion.qd)
    assert np.abs(spin[:, :3]).max() < 1e-12
    assert np.linalg.norm(spin[:, 3:], axis=1).max() == pytest.approx(0.4)
    assert np.allclose(np.cross(spin[:, 3:], turn), 0, atol=1e-10)


@pytest.mark.parametrize("turning", [False, True])
def test_a_circle_is_one(puma: mp.Arm, turning: bool) -> None:
    start = puma.pose(READY)
    centre, axis = start[:3, 3] + [0.05, 0.02, 0.0], np.array([0.0, 0.3, 2.0])
    ref = tr.circle(puma, READY, centre, axis, 2.0, 2.0, turning=turning)
    times = np.linspace(0, 2, 41)
    pose = puma.pose(ref(times).q)
    unit = axis / np.linalg.norm(axis)
    arm = pose[:, :3, 3] - centre
    assert np.allclose(np.linalg.norm(np.cross(unit, arm), axis=1), np.linalg.norm(np.cross(unit, arm[0])), atol=1e-12)
    assert np.allclose(arm @ unit, arm[0] @ unit, atol=1e-12)
    full = Rotation.from_rotvec(2.0 * unit).as_matrix()
    assert np.allclose(arm[-1], full @ arm[0], atol=1e-11)
    assert np.allclose(pose[-1, :3, :3], (full if turning else np.eye(3)) @ start[:3, :3], atol=1e-11)
    h = 1e-5
    motion, inner = ref(times[1:-1]), times[1:-1]
    assert np.allclose(
        (ref(inner + h).qd - ref(inner - h).qd) / (2 * h), motion.qdd, atol=1e-6 * np.abs(motion.qdd).max()
    )


def test_limits_of_the_tool_are_kept(puma: mp.Arm) -> None:
    goal = puma.pose(READY)[:3, 3] + [0.05, -0.1, 0.02]
    ref = tr.line(puma, READY, goal, velocity=0.25, acceleration=1.5, jerk=20)
    assert ref.duration == pytest.approx(
        tr.jerk_limited([0], [np.linalg.norm([0.05, 0.1, 0.02])], 0.25, 1.5, 20).duration
    )
    motion = ref(np.linspace(0, ref.duration, 101))
    speed = np.linalg.norm(np.einsum("kij,kj->ki", puma.jacobian(motion.q), motion.qd)[:, :3], axis=1)
    assert speed.max() == pytest.approx(0.25)


@pytest.mark.turn
def test_every_branch_is_followed_from_its_start(puma: mp.Arm) -> None:
    start = puma.pose(READY)
    goal = start.copy()
    goal[:3, 3] += [0.03, 0.02, -0.04]
    starts = puma.inverse_kinematics(start).q
    assert len(starts) > 2
    for q in starts:
        ref = tr.line(puma, start, goal, 1.0, near=q + 1e-3)
        assert np.allclose(ref(0).q, q, atol=1e-6)
        steps = np.abs(np.diff(ref(np.linspace(0, 1, 101)).q, axis=0))
        assert steps.max() < 0.1


def test_near_a_singular_pose_the_time_is_reported(planar: mp.Arm) -> None:
    """The elbow's sine is the determinant of a planar arm's Jacobian, for links of one metre."""
    ref = tr.line(planar, [0.8, -0.3], planar.pose([0.3, 0.7])[:3, 3], 1.0, task="position", singular=0.1)
    assert ref.singular == ()
    near = tr.line(planar, [0.4, 0.9], planar.pose([0.6, 0.02])[:3, 3], 1.0, task="position", singular=0.1)
    (found,) = near.singular
    assert found.end == 1.0
    assert found.start > 0.3
    q = near(found.start).q
    assert np.linalg.svd(planar.jacobian(q)[:2], compute_uv=False)[-1] < 0.1
    assert found.smallest == pytest.approx(np.linalg.svd(planar.jacobian(near(1.0).q)[:2], compute_uv=False)[-1])


def test_a_singular_pose_is_passed_where_the_path_allows_it(planar: mp.Arm) -> None:
    """Straight through the base: the elbow folds, and opens on the other side."""
    ref = tr.line(planar, [0.4, 0.9], -planar.pose([0.4, 0.9])[:3, 3], 1.0, task="position", singular=0.1)
    times = np.linspace(0, 1, 41)
    assert np.abs(planar.pose(ref(times).q)[:, :2, 3] - ref.pose(times)[:, :2, 3]).max() < 1e-9
    assert ref(1.0).q[1] == pytest.approx(2 * np.pi - 0.9)
    (found,) = ref.singular
    assert found.start < 0.5 < found.end
    assert found.smallest < 1e-3


def test_what_cannot_be_followed_is_said(planar: mp.Arm, puma: mp.Arm) -> None:
    with pytest.raises(mp.InputError, match=r"line: at .* % of the way the tool cannot be: out of reach"):
        tr.line(planar, [0.4, 0.9], [3.0, 0.0, 0.0], 1.0, task="position")
    with pytest.raises(mp.InputError, match="cannot start there"):
        tr.line(planar, [[1, 0, 0, 5], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]], [1, 0, 0], 1, task="position")
    # past the base of a planar arm of equal links, a thousandth of a millimetre away: it would turn half a circle there
    x, y, _ = planar.pose([0.4, 0.9])[:3, 3]
    with pytest.raises(mp.InputError, match=r"at 50 % of the way the arm comes to a singular pose"):
        tr.line(planar, [0.4, 0.9], [-x + 2e-6, -y, 0], 1.0, task="position")
    start = puma.pose(READY)
    with pytest.raises(mp.InputError, match=r"at .* % of the way joint \d is at .*, beyond its limits"):
        tr.circle(puma, READY, [0, 0, start[2, 3]], [0, 0, 1], 6.0, 2.0, turning=True)


@pytest.mark.parametrize("way", [1, -1])
def test_the_place_of_a_refusal_is_where_the_tool_cannot_go_on(planar: mp.Arm, puma: mp.Arm, way: int) -> None:
    """The share of the way to the edge of reach, by geometry; and the joint and the limit that it goes beyond."""
    goal = np.array([3.0, way * 0.5, 0.0])
    start = planar.pose([way * 0.4, way * 0.9])[:3, 3]
    # |start + s (goal − start)| = 2
    step = goal - start
    edge = np.roots([step @ step, 2 * start @ step, start @ start - 4]).max()
    with pytest.raises(mp.InputError) as error:
        tr.line(planar, [way * 0.4, way * 0.9], goal, 1.0, task="position")
    assert _share(error) == pytest.approx(edge, abs=5e-3)
    pose = puma.pose(READY)
    with pytest.raises(mp.InputError) as error:
        tr.circle(puma, READY, [0, 0, pose[2, 3]], [0, 0, way], 6.0, 2.0, turning=True)
    said = re.search(r"joint (\d) is at (\S+), beyond its limits (\S+) … (\S+); near", str(error.value))
    assert said is not None
    low, high = puma.limits[0]
    assert int(said[1]) == 1 and (float(said[3]), float(said[4])) == pytest.approx((low, high), rel=1e-3)
    # the circle turns the first joint alone; named is the first of 400 looks at which it is beyond
    gone = tr.quintic([0], [1], 2.0)(np.linspace(0, 2, 401)).q[:, 0]
    turned = READY[0] + way * 6.0 * gone
    first = int(np.argmax((turned < low) | (turned > high)))
    assert _share(error) == pytest.approx(gone[first], rel=1e-3)
    assert float(said[2]) == pytest.approx(turned[first], rel=1e-3)


def _share(error: Any) -> float:
    said = re.search(r"at (\S+) % of the way", str(error.value))
    assert said is not None
    return float(said[1]) / 100


@pytest.mark.parametrize("below", [0.05, 0.2, 0.5])
def test_the_times_near_singular_poses_are_those_of_the_jacobian(planar: mp.Arm, below: float) -> None:
    """A chord of the reachable disc: stretched at both ends and bent between, so there are two of them."""
    a, b = np.array([0.6, 0.05]), np.array([-0.5, 0.08])
    ref = tr.line(planar, a, planar.pose(b)[:3, 3], 2.0, task="position", singular=below)
    look = 2.0 / 400
    t = np.linspace(0, 2, 4001)
    least = np.linalg.svd(planar.jacobian(ref(t).q)[:, :2], compute_uv=False)[:, -1]
    near = least < below
    edges = t[np.flatnonzero(np.diff(np.concatenate([[False], near, [False]]).astype(int))).clip(0, 4000)]
    assert len(ref.singular) == len(edges) // 2 > 0
    for found, start, end in zip(ref.singular, edges[::2], edges[1::2]):
        assert abs(found.start - start) <= look and abs(found.end - end) <= look
        inside = (t >= found.start) & (t <= found.end)
        assert found.smallest == pytest.approx(least[inside].min(), rel=1e-3)


def test_times_of_any_shape_have_the_motion_of_each(planar: mp.Arm) -> None:
    """Before and after the tool rests at its ends; at no time it is nowhere."""
    ref = tr.line(planar, [0.4, 0.9], planar.pose([0.8, 0.5])[:3, 3], 1.0, task="position")
    times = np.array([[-1.0, 0.0, 0.37], [1.0, 5.0, np.nan]])
    many = ref(times)
    for at, t in np.ndenumerate(times):
        one = ref(t)
        for x, y in zip(one, many):
            assert x.shape == (2,) and np.isnan(x).all() == np.isnan(t)
            np.testing.assert_allclose(y[at], x, atol=1e-14)
        if t <= 0 or t >= 1:
            assert not one.qd.any()
            end = ref.tool.at(np.array(float(t > 0))).pose
            np.testing.assert_allclose(planar.pose(one.q)[:3, 3], end[:3, 3], atol=1e-12)


@pytest.mark.turn
def test_joints_beside_the_way_to_the_tool_stay() -> None:
    """A tree whose tool hangs on one joint alone: a circle about it turns it, and the others are at zero or `near`."""
    arm = mp.Arm(mp.Robot.of(random_tree(0, joints="RR")))
    q = np.zeros(2)
    q[0] = 0.4
    pose, column = arm.pose(q), arm.jacobian(q)[:, 0]
    speed, axis = column[:3], column[3:]
    centre = pose[:3, 3] - np.cross(speed, axis)  # speed = axis × arm
    for near in (None, np.array([0.2, -0.3])):
        ref = tr.circle(arm, pose, centre, axis, -0.3, 1.0, turning=True, near=near)
        there = np.zeros(2) if near is None else near.copy()
        for t, angle in ((0.0, 0.4), (1.0, 0.1)):
            there[0] = angle
            np.testing.assert_allclose(ref(t).q, there, atol=1e-9)


def test_arms_of_few_joints_say_what_they_cannot_do(planar: mp.Arm) -> None:
    goal = planar.pose([0.5, 0.8])
    goal[:3, :3] = planar.pose([0.4, 0.9])[:3, :3]
    with pytest.raises(mp.InputError, match="no motion of the joints moves the tool in the direction of the path"):
        tr.line(planar, [0.4, 0.9], goal, 1.0)
    with pytest.raises(mp.InputError, match="no motion of the joints"):
        tr.line(planar, [0.4, 0.9], goal[:3, 3] + [0, 0, 0.1], 1.0, task="position")
    with pytest.raises(mp.InputError, match="are the same"):
        tr.line(planar, [0.4, 0.9], planar.pose([0.4, 0.9]) @ np.diag([-1, -1, 1, 1]), 1.0, task="position")


def test_bad_input_is_met_at_the_door(puma: mp.Arm, whole: Sentences) -> None:
    goal = puma.pose(READY + 0.1)
    for ask, said in (
        (lambda: tr.line(puma, READY, puma.pose(READY), 1), "the start and the end of the tool are the same"),
        (lambda: tr.line(puma, READY, goal), "expected a duration, or a limit of acceleration"),
        (lambda: tr.line(puma, READY, goal, -1), "above 0, found -1"),
        (lambda: tr.line(puma, READY, goal, 1, velocity=0), "velocity: expected"),
        (lambda: tr.line(puma, READY[:4], goal, 1), "each of 6 joints, found 4"),
        (lambda: tr.line(puma, READY * np.nan, goal, 1), "is nan"),
        (lambda: tr.line(puma, READY, goal * np.nan, 1), "pose"),
        (lambda: tr.line(puma, READY, np.eye(3), 1), "shape"),
        (lambda: tr.line(puma, READY, [1, 2], 1), "expected three numbers, found 2"),
        (lambda: tr.line(puma, READY, goal, 1, task="spin"), "no task is called 'spin'"),
        (lambda: tr.line(3, READY, goal, 1), "expected an arm"),
        (lambda: tr.line(puma, READY, goal, 1, acceleration=1, velocity=1, jerk=1), "leave it out"),
        (lambda: tr.circle(puma, READY, [0, 0, 0], [0, 0, 0], 1, 1), "a vector of no length"),
        (lambda: tr.circle(puma, READY, [0, 0, 0], [0, 0, 1], "half", 1), "an angle in rad"),
        (lambda: tr.circle(puma, READY, puma.pose(READY)[:3, 3], [0, 0, 1], 1, 1), "are the same"),
    ):
        with whole.raises(mp.InputError) as error:
            ask()
        assert said in str(error.value)
