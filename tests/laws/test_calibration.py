"""Calibration of geometry: what is planted is found, what cannot be found is named, what is uncertain is said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import manipula as mp
from manipula.api import read_measured
from manipula.identification.calibration.geometry import Geometry
from manipula.robot import Robot
from tests.golden.sentences import Sentences
from tests.random_robots import random_robot

Array = NDArray[np.float64]
NOISE = 1e-4


def planar() -> Robot:
    return mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=1, m2=1, g=9.81)


def drawn(robot: Robot, seed: int, count: int = 60) -> Array:
    moving = [joint for joint in robot.joints if joint.kind != "fixed" and joint.coordinate is None]
    width = [2.0 if joint.turns else 0.3 for joint in moving]
    return np.random.default_rng(seed).uniform(-1, 1, (count, len(moving))) * width


def poses(p: Array, R: Array, rng: np.random.Generator, noise: float = NOISE) -> Array:
    T = np.tile(np.eye(4), (len(p), 1, 1))
    T[:, :3, 3] = p + rng.normal(0, noise, p.shape)
    T[:, :3, :3] = Rotation.from_rotvec(rng.normal(0, noise, p.shape)).as_matrix() @ R
    return T


def built(robot: Robot, seed: int, size: float = 2e-3) -> tuple[Geometry, Array]:
    """An arm as a workshop leaves it: every entry off."""
    geometry = Geometry.of(robot)
    return geometry, np.random.default_rng(seed).normal(0, size, len(geometry.entries))


@pytest.mark.turn
@pytest.mark.parametrize("seed", range(6))
def test_the_derivative_of_the_pose_by_every_entry(seed: int) -> None:
    robot = random_robot(seed, joints=1 + seed % 4, bodies=False, actuators=False, screws=seed % 2 == 0)
    geometry, e = built(robot, seed)
    q, h = drawn(robot, seed, 3), 1e-6
    J = geometry.slopes(q, e)
    for k in range(len(e)):
        step = np.eye(len(e))[k] * h
        (above, up), (below, down) = geometry.pose(q, e + step), geometry.pose(q, e - step)
        turn = Rotation.from_matrix(np.einsum("nij,nkj->nik", up, down)).as_rotvec() / (2 * h)
        assert np.abs((above - below) / (2 * h) - J[:, :3, k]).max() < 1e-7
        assert np.abs(turn - J[:, 3:, k]).max() < 1e-7


@pytest.mark.parametrize("seed", range(6))
def test_a_corrected_robot_is_an_ordinary_robot_with_those_errors(seed: int, tmp_path: Path) -> None:
    robot = random_robot(seed, joints=1 + seed % 4, bodies=False, actuators=False, screws=seed % 2 == 0)
    geometry, e = built(robot, seed)
    q = drawn(robot, seed, 4)
    p, R = geometry.pose(q, e)
    fixed = Robot.of(geometry.robot_with_errors(e))
    T = mp.Arm(fixed).pose(q)
    assert np.abs(T[:, :3, 3] - p).max() < 1e-12 and np.abs(T[:, :3, :3] - R).max() < 1e-12
    mp.save(fixed, tmp_path / "fixed.toml")
    again = mp.Arm(mp.load(str(tmp_path / "fixed.toml"), exact=True)).pose(q)
    assert np.abs(again - T).max() < 1e-12


SLOW = pytest.mark.slow


@pytest.mark.turn
@pytest.mark.drawn("name", "rank")
@pytest.mark.parametrize(
    ("name", "rank"),
    [pytest.param("puma560", 30, marks=SLOW), ("ur5e", 30), ("stanford", 28), pytest.param("panda", 34, marks=SLOW)],
)
def test_a_complete_minimal_set(name: str, rank: int) -> None:
    """4 for every joint that turns, 2 for every one that slides, and 6; between parallel axes Hayati's angle."""
    robot = mp.load(name)
    geometry, e = built(robot, 1)
    q = drawn(robot, 2)
    found = mp.calibrate(robot, q, poses(*geometry.pose(q, e), np.random.default_rng(3)))
    assert found.rank == rank
    named = {one.name for one in found.parameters}
    assert len(named) + len(found.dropped) == len(geometry.entries)
    if name in ("puma560", "ur5e"):
        assert "beta2" in named and {"d2", "d3"} - named
    assert found.after.rms < 2.5 * NOISE < found.before.rms


@pytest.mark.turn
@pytest.mark.parametrize(
    ("draws", "least", "most"), [(12, 0.9, 0.99), pytest.param(120, 0.93, 0.97, marks=pytest.mark.slow)]
)
def test_what_was_planted_is_found_and_its_doubt_is_true(draws: int, least: float, most: float) -> None:
    """Over many draws of the noise: errors within 3σ, and 95 % intervals cover 95 %. The arm is a planar one."""
    robot = planar()
    geometry, e = built(robot, 5)
    q, inside, far = drawn(robot, 6, 30), [], 0.0
    exact = mp.calibrate(robot, q, poses(*geometry.pose(q, e), np.random.default_rng(0), 0.0))
    truth = {one.name: one.value for one in exact.parameters}
    assert exact.after.largest < 1e-9
    for seed in range(draws):
        found = mp.calibrate(robot, q, poses(*geometry.pose(q, e), np.random.default_rng(seed)))
        off = np.array([(one.value - truth[one.name]) / one.sigma for one in found.parameters])
        inside += list(np.abs(off) < 1.96)
        far = max(far, float(np.abs(off).max()))
    assert least < np.mean(inside) < most and far < 5


@pytest.mark.slow
def test_without_the_angle_between_parallel_axes_the_fit_is_worse() -> None:
    robot = mp.load("ur5e")
    geometry, e = built(robot, 3, 5e-3)
    q = drawn(robot, 4)
    measured = poses(*geometry.pose(q, e), np.random.default_rng(1))
    names = [entry.name for entry in geometry.entries]
    whole = mp.calibrate(robot, q, measured)
    without = mp.calibrate(robot, q, measured, parameters=[name for name in names if not name.startswith("beta")])
    assert without.after.rms > 3 * whole.after.rms


@pytest.mark.turn
def test_points_and_distances_on_another_base_tell_what_they_can() -> None:
    robot = mp.load("irb120")
    geometry, e = built(robot, 8)
    q = drawn(robot, 9, 90)
    p, R = geometry.pose(q, e)
    away = Rotation.from_rotvec([0.3, -1.0, 2.0])
    marks = np.array([[0.0, 0.0, 0.05], [0.06, 0.0, 0.02], [0.0, 0.07, 0.01]])
    there = away.apply((p[:, None] + np.einsum("nij,kj->nki", R, marks)).reshape(-1, 3)).reshape(90, 3, 3)
    there += np.array([3, 1, -2])
    rng = np.random.default_rng(2)
    points = mp.calibrate(robot, q, there + rng.normal(0, NOISE, there.shape), kind="points")
    assert points.rank == 30 + 9 - 6 and points.after.rms < 3 * NOISE  # three points are a tool of their own
    one = mp.calibrate(robot, q, there[:, 0] + rng.normal(0, NOISE, (90, 3)), kind="points")
    assert one.rank == 30 - 3 and one.after.rms < 3 * NOISE
    far = np.linalg.norm(there[:, 0] - [4.0, 1.0, 0.5], axis=1) + rng.normal(0, NOISE, 90)
    distances = mp.calibrate(robot, q, far, kind="distance")
    assert distances.after.rms < 3 * NOISE and distances.rank < one.rank


def test_joints_that_follow_others_and_those_beside_the_road() -> None:
    row = '[[joint]]\nname = "{}"\ntype = "revolute"\ntheta = 0\nd = 0\na = {}\nalpha = "{}"\n{}'
    rows = ("lower", 0.5, "0", ""), ("upper", 0.4, "0", 'coordinate = "-lower + 0.2"'), ("wrist", 0.1, "pi/2", "")
    head = 'format = 1\nname = "parallelogram"\nconvention = "standard"\nangle = "rad"\n'
    robot = mp.Robot.from_text(head + "\n".join(row.format(*given) for given in rows))
    geometry, e = built(robot, 4)
    q = drawn(robot, 5, 40)
    found = mp.calibrate(robot, q, poses(*geometry.pose(q, e), np.random.default_rng(1)))
    assert found.after.rms < 3 * NOISE


@pytest.mark.turn
def test_an_outlier_is_named_and_can_count_less() -> None:
    robot = planar()
    geometry, e = built(robot, 1)
    q = drawn(robot, 2, 50)
    measured = poses(*geometry.pose(q, e), np.random.default_rng(1))
    measured[16, :3, 3] += 0.03
    plain = mp.calibrate(robot, q, measured)
    assert any("row 17" in text for text in plain.warnings)
    robust = mp.calibrate(robot, q, measured, loss="cauchy")
    p, _ = geometry.pose(q, e)
    near, far = (np.delete(mp.Arm(x.robot).pose(q)[:, :3, 3] - p, 16, 0) for x in (robust, plain))
    assert np.abs(near).max() < 0.5 * np.abs(far).max()


def test_measurements_kept_apart_judge() -> None:
    robot = planar()
    geometry, e = built(robot, 1)
    q, others = drawn(robot, 2, 50), drawn(robot, 3, 20)
    rng = np.random.default_rng(0)
    kept = (others, poses(*geometry.pose(others, e), rng))
    found = mp.calibrate(robot, q, poses(*geometry.pose(q, e), rng), validate=kept)
    assert found.validation is not None
    before, after = found.validation
    assert after.rms < 3 * NOISE < before.rms and found.error(*kept) == after
    assert "kept apart" in str(found) and found.as_dict()["rank"] == found.rank


def planar_poses(q: Array, l1: float = 0.5, l2: float = 0.4) -> Array:
    """x = l1 c1 + l2 c12, y = l1 s1 + l2 s12"""
    T = np.tile(np.eye(4), (len(q), 1, 1))
    turned = np.cumsum(q, axis=1)
    T[:, :3, :3] = Rotation.from_euler("z", turned[:, 1:]).as_matrix()
    T[:, 0, 3], T[:, 1, 3] = np.cos(turned) @ (l1, l2), np.sin(turned) @ (l1, l2)
    return T


def bad(**change: Any) -> dict[str, Any]:
    return {"robot": planar(), "q": Q, "measured": T, **change}


Q = drawn(planar(), 1, 30)
T = planar_poses(Q)
BAD = {
    "degrees": (bad(q=np.degrees(Q)), "degrees"),
    "millimetres": (bad(measured=np.where(np.arange(4) == 3, [[1e3], [1e3], [1e3], [1]], 1) * T), "millimetres"),
    "points in millimetres": (bad(measured=T[:, :3, 3] * 1e3, kind="points"), "millimetres"),
    "other arm": (bad(measured=T[::-1]), "do not belong"),
    "nan": (bad(q=np.where(np.arange(30)[:, None] == 4, np.nan, Q)), "row 5"),
    "shape of q": (bad(q=Q[:, :1]), "2 joints"),
    "shape of poses": (bad(measured=T[:, :3]), r"\(N, 4, 4\)"),
    "rows": (bad(measured=T[:7]), "30 rows, measured 7"),
    "no rotation": (bad(measured=T * 1.1), "is no pose"),
    "kind": (bad(kind="poses"), "kind of measurement"),
    "loss": (bad(loss="hubber"), "loss"),
    "parameter": (bad(parameters=["a7"]), "geometric parameter"),
    "none": (bad(parameters=[]), "at least one"),
    "few": (bad(q=Q[:1], measured=T[:1]), "unknowns"),
    "sigma": (bad(sigma=-1), "sigma"),
    "distance": (bad(measured=-(T[:, 0, 3] ** 2), kind="distance"), "positive"),
    "text": (bad(q="q"), "numbers"),
    "symbols": (bad(robot=mp.load("planar2r")), "no value"),
}


def test_the_same_input_without_a_fault_is_taken() -> None:
    found = mp.calibrate(*bad().values())
    assert np.abs(mp.Arm(found.robot).pose(Q) - T).max() < 1e-9


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_met_with_a_sentence(case: str, whole: Sentences) -> None:
    given, told = BAD[case]
    with whole.raises(mp.ManipulaError, match=told):
        mp.calibrate(given.pop("robot"), given.pop("q"), given.pop("measured"), **given)


@pytest.mark.parametrize("unit", [("rad", "m"), ("deg", "mm"), ("", "")])
@pytest.mark.parametrize("form", ["rpy", "quaternion", "points", "distance"])
def test_tables_read_as_they_were_written(tmp_path: Path, unit: tuple[str, str], form: str) -> None:
    robot = planar()
    q, T = Q[:6], T6
    turn, length = (np.degrees(1) if unit[0] == "deg" else 1.0), (1e3 if unit[1] == "mm" else 1.0)
    heads, columns = [f"q{k}{_in(unit[0])}" for k in (2, 1)], [q[:, 1] * turn, q[:, 0] * turn]
    if form == "distance":
        heads, columns = [*heads, f"distance{_in(unit[1])}"], [*columns, T[:, 0, 3] ** 2 * length]
    else:
        heads += [f"{axis}{_in(unit[1])}" for axis in "xyz"]
        columns += list(T[:, :3, 3].T * length)
    turned = Rotation.from_matrix(T[:, :3, :3])
    if form == "rpy":
        heads += [f"{name}{_in(unit[0])}" for name in ("roll", "pitch", "yaw")]
        columns += list(turned.as_euler("xyz").T * turn)
    if form == "quaternion":
        heads += ["qx", "qy", "qz", "qw"]
        columns += list(turned.as_quat().T)
    path = tmp_path / "measured.csv"
    rows = [";".join(f"{x:.17g}".replace(".", ",") for x in row) for row in np.stack(columns, -1)]
    path.write_text("\ufeff# a tracker\n" + ";".join(heads) + "\n" + "\n".join(rows) + "\n", encoding="utf-8")
    read, measured, kind = read_measured(robot, path)
    expected = {"points": T[:, :3, 3], "distance": T[:, 0, 3] ** 2}.get(form, T)
    assert kind == {"rpy": "pose", "quaternion": "pose"}.get(form, form)
    assert np.abs(read - q).max() < 1e-14 and np.abs(measured - expected).max() < 1e-14


T6 = T[:6]


def _in(unit: str) -> str:
    return f" [{unit}]" if unit else ""


BAD_TABLES = {
    "nothing": ("", "expected a line of names"),
    "no joint": ("q1,x,y,z\n1,2,3,4\n", "no column q2"),
    "a joint more": ("q1,q2,q3,x,y,z\n1,2,3,4,5,6\n", "has 2 joints"),
    "unit": ("q1 [grad],q2,x,y,z\n1,2,3,4,5\n", "column 1"),
    "text": ("q1,q2,x,y,z\n1,2,3,four,5\n", "line 2, column 4"),
    "short": ("q1,q2,x,y,z\n1,2,3,4,5\n1,2\n", "line 3: expected 5"),
    "nothing measured": ("q1,q2\n1,2\n", "no columns x y z"),
    "twice": ("q1,q1,x,y,z\n1,2,3,4,5\n", "twice"),
    "half a point": ("q1,q2,x,y\n1,2,3,4\n", "no column z"),
    "half a quaternion": ("q1,q2,x,y,z,qw,qx,qy\n1,2,3,4,5,1,0,0\n", "no column qz"),
    "one angle": ("q1,q2,x,y,z,yaw\n1,2,3,4,5,1\n", "no column roll"),
    "angles beside half a quaternion": ("q1,q2,x,y,z,roll,pitch,yaw,qw\n1,2,3,4,5,0,0,0,1\n", "no column qx"),
}


@pytest.mark.parametrize("case", BAD_TABLES)
def test_bad_tables_are_met_with_a_sentence(tmp_path: Path, case: str, whole: Sentences) -> None:
    text, told = BAD_TABLES[case]
    (tmp_path / "bad.csv").write_text(text)
    with whole.raises(mp.InputError, match=told):
        read_measured(planar(), tmp_path / "bad.csv")
