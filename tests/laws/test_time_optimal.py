"""The least time along a path: no limit is broken between grid points, some limit is always reached, closed forms and
toppra agree."""

from __future__ import annotations

import re
from dataclasses import fields

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import linprog

import manipula as mp
from manipula.simulation.trajectory import TimeOptimal
from manipula.trajectories.time_scaling import fastest
from tests.golden.sentences import Sentences
from tests.random_robots import random_robot, random_tree

Floats = NDArray[np.float64]
TORQUE = np.array([97.6, 186.4, 89.4, 24.2, 20.1, 21.3])


@pytest.fixture(scope="module")
def puma() -> mp.Arm:
    return mp.Arm(mp.load("puma560").without("friction"))


def moments(ref: TimeOptimal, count: int = 8001) -> Floats:
    """Within: at the very ends a joint rests, and dry friction has any value."""
    return np.linspace(0, ref.duration, count)[1:-1]


def used(arm: mp.Arm, ref: TimeOptimal, torque: object, velocity: object = np.inf) -> tuple[Floats, Floats]:
    """Torques and velocities by their limits."""
    motion = ref(moments(ref))
    return np.abs(arm.inverse_dynamics(*motion)) / torque, np.abs(motion.qd) / velocity


@pytest.mark.turn
@pytest.mark.parametrize("seed", range(6))
def test_limits_are_kept_and_always_reached(puma: mp.Arm, seed: int) -> None:
    points = np.random.default_rng(seed).uniform(-1, 1, (5, 6))
    ref = mp.trajectory.time_optimal(puma, points, torque=TORQUE, velocity=8)
    loads, speeds = used(puma, ref, TORQUE, 8)
    assert loads.max() <= 1.001
    assert speeds.max() <= 1 + 1e-9
    assert np.mean(np.maximum(loads, speeds).max(axis=1) > 0.98) > 0.97
    assert ref.block is None
    assert np.allclose(ref([0, ref.duration]).q, points[[0, -1]], atol=1e-12)


@pytest.mark.parametrize(("velocity", "grid"), [(0.5, 60), (2.0, 40), (3.0, 200)])
def test_no_velocity_is_above_its_limit_on_any_grid(puma: mp.Arm, velocity: float, grid: int) -> None:
    """Between the grid points, too, where the path turns on; and the arm is still as fast as it may be."""
    points = np.random.default_rng(grid).uniform(-1, 1, (5, 6))
    ref = mp.trajectory.time_optimal(puma, points, torque=10 * TORQUE, velocity=velocity, grid=grid)
    loads, speeds = used(puma, ref, 10 * TORQUE, velocity)
    assert 1 - 1e-3 < speeds.max() <= 1 + 1e-9 and loads.max() <= 1.001
    assert np.mean(np.maximum(loads, speeds).max(axis=1) > 0.95) > 0.9


@pytest.mark.turn
@pytest.mark.parametrize("seed", range(3))
def test_it_is_no_slower_than_toppra_s(puma: mp.Arm, seed: int) -> None:
    toppra = pytest.importorskip("toppra")
    from toppra import algorithm, constraint

    toppra.setup_logging("ERROR")
    points, places = np.random.default_rng(seed).uniform(-1, 1, (5, 6)), np.linspace(0, 1, 5)
    loads = constraint.JointTorqueConstraint(
        lambda q, qd, qdd: puma.inverse_dynamics(*map(np.ascontiguousarray, (q, qd, qdd))).copy(),
        np.stack([-TORQUE, TORQUE], axis=1), np.zeros(6),
        discretization_scheme=constraint.DiscretizationType.Interpolation,
    )  # fmt: skip
    speeds = constraint.JointVelocityConstraint(np.full((6, 2), [-8.0, 8.0]))
    path = toppra.SplineInterpolator(places, points)
    grid = np.linspace(0, 1, 301)
    solver = algorithm.TOPPRA(
        [loads, speeds], path, solver_wrapper="seidel", gridpoints=grid, parametrizer="ParametrizeConstAccel"
    )
    theirs = solver.compute_trajectory().duration
    ours = mp.trajectory.time_optimal(
        puma, mp.trajectory.table(places, points), torque=TORQUE, velocity=8, grid=300
    ).duration
    assert 0.99 * theirs < ours <= theirs


@pytest.mark.turn
@pytest.mark.parametrize("seed", range(4))
def test_the_same_path_in_any_time_takes_the_same_least_time(puma: mp.Arm, seed: int) -> None:
    """However a line was travelled before; and a spline that rests at its ends, which is counted by its length."""
    q0, q1 = np.random.default_rng(seed).uniform(-1, 1, (2, 6))
    tr, durations = mp.trajectory, []
    for path in (tr.quintic(q0, q1, 3), tr.jerk_limited(q0, q1, 1, 2, 3), [q0, q1], tr.spline([q0, q1], degree=5)):
        durations.append(tr.time_optimal(puma, path, torque=TORQUE).duration)
    assert np.ptp(durations) <= 2e-4 * durations[0]


@pytest.mark.turn
def test_a_rest_spline_is_followed_exactly(puma: mp.Arm) -> None:
    """What the length counts lies on the curve, and derivatives are those of the positions."""
    path = mp.trajectory.spline(np.random.default_rng(1).uniform(-1, 1, (4, 6)), duration=2)
    ref = mp.trajectory.time_optimal(puma, path, torque=TORQUE)
    loads, _ = used(puma, ref, TORQUE)
    assert loads.max() <= 1.001
    times = np.linspace(0.01, 0.99, 57) * ref.duration
    corners = path(np.linspace(0, 2, 20001)).q
    legs = np.diff(corners, axis=0)
    for q in ref(times).q:
        share = np.clip(np.sum((q - corners[:-1]) * legs, axis=1) / np.sum(legs**2, axis=1).clip(1e-30), 0, 1)
        assert np.linalg.norm(corners[:-1] + share[:, None] * legs - q, axis=1).min() < 1e-7
    h = 1e-6
    assert np.allclose((ref(times + h).q - ref(times - h).q) / (2 * h), ref(times).qd, atol=1e-5)


def test_one_joint_of_constant_inertia_is_bang_bang() -> None:
    """A point mass of m l² = 2 without gravity, torque 3, way 1.5: T = 2 √(way/(τ/I))."""
    arm = mp.Arm(mp.Robot.from_dh([("q1", 0, 1, 0)], convention="standard"))
    robot = arm.robot
    masses = {name: 0.0 for name in robot.parameters if robot.parameters[name] is None} | {"m1": 2.0}
    arm = mp.Arm(robot.with_parameters(**masses).without("gravity"))
    inertia = float(np.squeeze(arm.inertia_matrix([0.0])))
    ref = mp.trajectory.time_optimal(arm, [[0.0], [1.5]], torque=3)
    assert ref.duration == pytest.approx(2 * np.sqrt(1.5 * inertia / 3), rel=1e-6)
    slow = mp.trajectory.time_optimal(arm, [[0.0], [1.5]], torque=3, velocity=0.5)
    # ramps of v²I/(2τ) each, the rest at v
    assert slow.duration == pytest.approx(1.5 / 0.5 + 0.5 * inertia / 3, rel=1e-5)
    gentle = mp.trajectory.time_optimal(arm, [[0.0], [1.5]], torque=1e6, acceleration=0.7)
    assert gentle.duration == pytest.approx(2 * np.sqrt(1.5 / 0.7), rel=1e-5)


@pytest.mark.parametrize("name", [pytest.param("stanford", marks=pytest.mark.slow), "scara", "rp"])
def test_friction_gravity_and_prismatic_joints_are_in_the_torques(name: str) -> None:
    robot = mp.load(name)
    missing = {key: 1.0 for key, value in robot.parameters.items() if value is None}
    robot = robot.with_parameters(**missing).with_friction(
        {name: {"viscous": 0.8, "coulomb": 0.6} for name in robot.joint_names}
    )
    arm = mp.Arm(robot)
    points = np.random.default_rng(3).uniform(0.3, 1, (4, arm.dof))
    hold = np.abs(arm.inverse_dynamics(points, 0 * points, 0 * points)).max(axis=0)
    torque = 3 * hold + 3
    ref = mp.trajectory.time_optimal(arm, points, torque=torque, velocity=20, grid=600)
    loads, speeds = used(arm, ref, torque, 20)
    assert loads.max() <= 1.002
    assert np.mean(np.maximum(loads, speeds).max(axis=1) > 0.95) > 0.95


@pytest.mark.slow
def test_less_torque_takes_longer_and_friction_too() -> None:
    robot = mp.load("puma560")
    points = np.random.default_rng(5).uniform(-1, 1, (3, 6))
    free = robot.without("friction")
    times = [
        mp.trajectory.time_optimal(free, points, torque=TORQUE, grid=200).duration,
        mp.trajectory.time_optimal(robot, points, torque=TORQUE, grid=200).duration,
        mp.trajectory.time_optimal(robot, points, torque=0.8 * TORQUE, grid=200).duration,
    ]
    assert times == sorted(times)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(14))
def test_any_arm_is_at_its_limits(seed: int) -> None:
    """Random arms and trees, with friction, of any joints."""
    made = random_tree(seed) if seed % 2 else random_robot(seed)
    arm = mp.Arm(mp.Robot(**{entry.name: getattr(made, entry.name) for entry in fields(made) if entry.init}))
    points = np.random.default_rng(seed).uniform(-0.5, 0.5, (3, arm.dof))
    torque = 3 * np.abs(arm.inverse_dynamics(points, 0 * points, 0 * points)).max(axis=0) + 10
    ref = mp.trajectory.time_optimal(arm, points, torque=torque, grid=300)
    loads, _ = used(arm, ref, torque)
    assert loads.max() <= 1.001
    assert np.mean(loads.max(axis=1) > 0.97) > 0.95


def test_the_limits_of_the_file_are_taken() -> None:
    panda = mp.Arm("panda")
    points = np.array([[0, 0, 0, -1.5, 0, 1.5, 0], [0.5, 0.4, -0.3, -1.2, 0.3, 1.9, 0.4]])
    ref = mp.trajectory.time_optimal(panda, points)
    velocity = np.array([2.175] * 4 + [2.61] * 3)
    stated = mp.trajectory.time_optimal(panda, points, torque=[87] * 4 + [12] * 3, velocity=velocity)
    assert ref.duration == stated.duration


@pytest.mark.parametrize("seed", range(5))
def test_the_text_finds_the_controllable_sets(seed: int) -> None:
    """Against linear programs in x and u, of a random problem, in plain Python."""
    rng = np.random.default_rng(seed)
    n, m = 6, 2
    h = rng.uniform(0.1, 0.3, n)
    a, b = rng.uniform(-1, 1, (2, n + 1, m))
    low, high = -rng.uniform(0.3, 1, (n + 1, m)), rng.uniform(0.3, 1, (n + 1, m))
    least, most, x, u = np.empty(n + 1), np.empty(n + 1), np.empty(n + 1), np.empty(n)
    failed = fastest(n, m, h, *(y.ravel() for y in (a, b, low, high)), np.full(n + 1, 4.0), 0.0, 0.0, least, most, x, u)
    assert failed == -1
    for i in range(n):
        rows = np.vstack([np.stack([b[i], a[i]], 1), np.stack([b[i + 1], a[i + 1] + 2 * h[i] * b[i + 1]], 1)])
        rows = np.vstack([rows, [1, 2 * h[i]]])
        upper = np.concatenate([high[i], high[i + 1], most[i + 1 : i + 2]])
        lower = np.concatenate([low[i], low[i + 1], least[i + 1 : i + 2]])
        limits = {"A_ub": np.vstack([rows, -rows]), "b_ub": np.concatenate([upper, -lower])}
        for way, end in ((-1, most[i]), (1, least[i])):
            found = linprog([way, 0], **limits, bounds=[(0, 4), (None, None)])
            assert found.x[0] == pytest.approx(end, abs=1e-9)
        pull = linprog([0, -1], **limits, bounds=[(x[i], x[i]), (None, None)])
        assert pull.x[1] == pytest.approx(u[i], abs=1e-8)


@pytest.mark.parametrize("power", [-90, -31, 1, 40, 90])
def test_the_text_finds_the_same_in_any_unit(power: int) -> None:
    """Limits, or the path, times a power of two: speeds and accelerations follow to the last bit."""
    rng = np.random.default_rng(abs(power))
    n, m = 12, 2
    h = rng.uniform(0.1, 0.3, n)
    a, b = rng.uniform(-1, 1, (2, n + 1, m))
    low, high = -rng.uniform(0.3, 1, (n + 1, m)), rng.uniform(0.3, 1, (n + 1, m))

    def solve(limits: float, way: float) -> tuple[Floats, Floats]:
        least, most, x, u = np.empty(n + 1), np.empty(n + 1), np.empty(n + 1), np.empty(n)
        rows = (a / way, b / way**2, limits * low, limits * high)
        top = np.full(n + 1, 4.0 * limits * way**2)
        assert fastest(n, m, way * h, *(y.ravel() for y in rows), top, 0.0, 0.0, least, most, x, u) == -1
        return x, u

    one, factor = solve(1.0, 1.0), 2.0**power
    for x, wanted in zip(solve(factor, 1.0), one, strict=True):
        np.testing.assert_array_equal(x, factor * wanted)
    for x, wanted in zip(solve(1.0, factor), (factor * one[0], one[1]), strict=True):
        np.testing.assert_array_equal(x, factor * wanted)


@pytest.mark.parametrize("seed", range(2))
def test_a_path_without_friction_takes_the_same_time_backwards(puma: mp.Arm, seed: int) -> None:
    """Torques do not change when time runs backwards; grids are not the same both ways."""
    points = np.random.default_rng(seed).uniform(-1, 1, (4, 6))
    there, back = (
        mp.trajectory.time_optimal(puma, way, torque=TORQUE, velocity=4, grid=300) for way in (points, points[::-1])
    )
    assert there.duration == pytest.approx(back.duration, rel=2e-3)
    t = np.linspace(0, 1, 50)
    np.testing.assert_allclose(there(t * there.duration).q, back((1 - t) * back.duration).q, atol=0.02)


def test_what_a_reference_says_of_itself_is_true(puma: mp.Arm) -> None:
    """Speeds along the grid, the share of the torques, and rest before and after; times of any shape."""
    ends = np.random.default_rng(7).uniform(-1, 1, (2, 6))
    ref = mp.trajectory.time_optimal(puma, ends, torque=TORQUE, velocity=4, grid=100)
    way = ends[1] - ends[0]
    assert ref.s[0] == 0 and ref.s[-1] == pytest.approx(np.linalg.norm(way)) and len(ref.s) == 101
    # on a straight line s is the length, so ṡ is |q̇|
    t = np.linspace(0, ref.duration, 4001)
    gone = np.linalg.norm(ref(t).q - ends[0], axis=1)
    np.testing.assert_allclose(np.interp(ref.s[1:-1], gone, np.linalg.norm(ref(t).qd, axis=1)), ref.sd[1:-1], rtol=1e-3)
    assert ref.sd[0] == ref.sd[-1] == 0
    assert ref.share == pytest.approx(used(puma, ref, TORQUE)[0].max(), rel=2e-3)
    for t, end in (([-0.1, -1e9], ends[0]), ([ref.duration + 1e-9, 1e9], ends[1])):
        q, qd, qdd = ref(np.array(t))
        np.testing.assert_allclose(q, [end, end], atol=1e-12)
        assert not qd.any() and not qdd.any()
    assert np.isnan(ref([np.nan])).all()
    grid = ref(np.full((2, 3), 0.3 * ref.duration))
    assert grid.q.shape == (2, 3, 6) and np.array_equal(grid.qd[1, 2], ref(0.3 * ref.duration).qd)


@pytest.mark.parametrize("way", [1, -1])
def test_the_torque_that_is_missing_is_that_of_the_model(puma: mp.Arm, way: int) -> None:
    """The joint that has the least of what it needs, and the most that it needs on the way."""
    points = way * np.random.default_rng(2).uniform(-1, 1, (2, 6))
    path = points[0] + np.linspace(0, 1, 2001)[:, None] * (points[1] - points[0])
    hold = np.abs(puma.inverse_dynamics(path, 0 * path, 0 * path))
    torque = 0.9 * hold.max(axis=0) + [1, 0, 1, 1, 1, 1]
    joint = int((hold.max(axis=0) / torque).argmax())
    with pytest.raises(mp.InputError) as error:
        mp.trajectory.time_optimal(puma, points, torque=torque)
    said = re.search(r"joint (\d) needs (\S+) to hold still, and has (\S+)$", str(error.value))
    assert said is not None and int(said[1]) == joint + 1
    assert float(said[2]) == pytest.approx(hold[:, joint].max(), rel=1e-3)
    assert float(said[3]) == pytest.approx(torque[joint], rel=1e-3)


def test_a_reference_that_stands_still_says_when(puma: mp.Arm) -> None:
    points = np.random.default_rng(0).uniform(-1, 1, (2, 6))
    for stop in (0.7, 1.9):
        rest = np.zeros((3, 6))
        halt = mp.trajectory.table([0, stop, 2.5], points[[0, 1, 0]], rest, rest)
        with pytest.raises(mp.InputError) as error:
            mp.trajectory.time_optimal(puma, halt, torque=TORQUE)
        said = re.search(r"stands still at (\S+) s", str(error.value))
        assert said is not None and float(said[1]) == pytest.approx(stop, abs=0.05)


def test_what_cannot_be_followed_is_said(puma: mp.Arm, whole: Sentences) -> None:
    points = np.random.default_rng(0).uniform(-1, 1, (3, 6))
    ask = mp.trajectory.time_optimal
    with whole.raises(mp.InputError, match=r"joint 2 needs .* to hold still, and has 5"):
        ask(puma, points, torque=5)
    with whole.raises(mp.InputError, match="has no effort limits"):
        ask(mp.load("planar2r").with_parameters(l1=1, l2=1, m1=1, m2=1, g=9.81), [[0, 0], [1, 1]])
    with whole.raises(mp.InputError, match="path is of 5 joints, puma560 has 6"):
        ask(puma, points[:, :5], torque=TORQUE)
    with whole.raises(mp.InputError, match="at least 20, found 3"):
        ask(puma, points, torque=TORQUE, grid=3)
    with whole.raises(mp.InputError, match="a limit is above 0, found -1"):
        ask(puma, points, torque=TORQUE, velocity=-1)
    with whole.raises(mp.InputError, match="each other than the one before"):
        ask(puma, [points[0], points[0]], torque=TORQUE)
    with whole.raises(mp.InputError, match="are the same"):
        ask(puma, mp.trajectory.quintic(points[0], points[0], 1), torque=TORQUE)
    with whole.raises(mp.InputError, match="expected an arm"):
        ask(None, points)
    stops = mp.trajectory.table([0, 1, 2], points[[0, 1, 0]], np.zeros((3, 6)), np.zeros((3, 6)))
    with whole.raises(mp.InputError, match=r"stands still at .* s"):
        ask(puma, stops, torque=TORQUE)
