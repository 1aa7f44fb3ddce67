"""The record of a drawing: plain data whose own steps put every link where the models do."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from math import isfinite
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.mechanics.drawing.record import drawing_of
from manipula.mechanics.drawing.skeleton import axes_of, poses_of
from manipula.mechanics.models.kinematics.pose import frames
from manipula.mechanics.robot.bind import bind
from manipula.mechanics.robot.coordinates import Coordinate
from manipula.mechanics.robot.default_values import with_stand_ins
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.reduce import merge_fixed
from manipula.mechanics.spatial.floats import FLOATS
from tests.random_robots import random_robot, random_tree

KINDS = {"tube", "ball", "drum", "ring", "box", "mesh"}


def with_followers(robot: RobotDescription, seed: int) -> RobotDescription:
    """Some joints, at least one of several, move by the coordinates of others."""
    rng = random.Random(f"followers {seed}")
    moving = [joint.name for joint in robot.joints if joint.kind != "fixed"]
    free = rng.sample(moving, rng.randint(1, max(len(moving) - 1, 1)))

    def follower(joint: Any) -> Any:
        terms = tuple((name, Fraction(rng.randint(-9, 9), 4)) for name in rng.sample(free, rng.randint(1, len(free))))
        return replace(joint, coordinate=Coordinate(terms, Fraction(rng.randint(-3, 3), 5)))

    rows = [x if x.name in free or x.kind == "fixed" else follower(x) for x in robot.joints]
    return replace(robot, joints=tuple(rows))


def arms() -> Iterator[RobotDescription]:
    for seed in range(16):
        yield random_robot(seed, screws=seed % 4 == 0)
        yield random_tree(seed, screws=seed % 5 == 0)
        yield with_followers(random_tree(seed + 100), seed)


def numbers(part: Any) -> Iterator[float]:
    if isinstance(part, dict):
        part = list(part.values())
    if isinstance(part, list):
        for item in part:
            yield from numbers(item)
    elif isinstance(part, int | float):
        yield part


def model_frames(robot: RobotDescription, q: list[float]) -> list[Any]:
    """By the models' own text, on floats."""
    tree = merge_fixed(bind(with_stand_ins(robot)[0], FLOATS, {}))
    return [np.array(at.rows(), dtype=float) for at in frames(tree, tree.coordinates.spread(q))]


def assert_whole(robot: RobotDescription, record: dict[str, Any]) -> None:
    """JSON, finite, and of one shape whatever the robot."""
    assert json.loads(json.dumps(record, allow_nan=False)) == record
    assert all(isfinite(x) for x in numbers(record))
    assert len(record["links"]) == len(record["joints"]) + 1
    assert [joint["name"] for joint in record["joints"]] == [x.name for x in robot.joints if x.kind != "fixed"]
    shapes = [*record["tool"]["shapes"], *(shape for link in record["links"] for shape in link["shapes"])]
    assert {shape["kind"] for shape in shapes} <= KINDS
    assert {shape["paint"] for shape in shapes} <= set(record["paints"])
    assert all(link["shapes"] for link in record["links"])
    for shape in shapes:
        assert all(x > 0 for x in (*shape.get("radii", ()), *shape.get("size", ()), shape.get("radius", 1)))


def test_the_record_puts_links_where_the_models_do() -> None:
    rng = random.Random(1)
    for robot in arms():
        record = drawing_of(robot)
        assert_whole(robot, record)
        q = [rng.uniform(-3, 3) for _ in range(robot.dof)]
        expected = model_frames(robot, q)
        found = poses_of(record, q)[1:]
        scale = max(1.0, *(float(np.abs(at).max()) for at in expected))
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12 * scale, err_msg=robot.name)


@pytest.mark.parametrize("name", ["planar2r", "scara", "rp"])
def test_the_record_agrees_with_the_compiled_arm(name: str) -> None:
    robot = with_stand_ins(mp.load(name))[0]
    q = np.linspace(-0.7, 0.9, 5 * robot.dof).reshape(5, robot.dof)
    np.testing.assert_allclose(
        np.stack(poses_of(mp.drawing(name), q)[1:], axis=1), mp.Arm(robot).frames(q), rtol=0, atol=1e-12
    )


@pytest.mark.parametrize("name", mp.robots())
def test_every_arm_of_the_library_can_be_drawn(name: str) -> None:
    robot = mp.load(name)
    record = mp.drawing(robot)
    assert_whole(robot, record)
    assert set(record["stand_ins"]) <= set(robot.names())
    for joint, limits in zip(record["joints"], (joint.limits for joint in robot.joints if joint.kind != "fixed")):
        assert (joint["limits"] is None) == (limits is None)


@pytest.mark.turn
def test_arms_at_rest_stand_on_the_floor_within_their_limits() -> None:
    for name in mp.robots():
        record = mp.drawing(name)
        low, high = np.array([joint["range"] for joint in record["joints"] if joint["range"]]).T
        assert (low <= record["rest"]).all() and (record["rest"] <= high).all(), name
        poses = poses_of(record, record["rest"])
        heights = [at[:3, 3] @ np.array(record["up"]) for at in (*axes_of(record, poses), poses[-1])]
        hangs = name in ("scara", "cobra600")  # whose tools are below their feet
        assert hangs or min(heights) > record["floor"] - 1e-9, name
    own = mp.load("planar2r").with_poses(home=[0.3, 0.4], other=[1, 1])
    assert mp.drawing(own)["rest"] == [0.3, 0.4]


def table(rows: list[tuple[Any, ...]], **kind: Any) -> mp.Robot:
    return mp.Robot.from_dh(rows, **kind)


ODD = {
    "one joint": [("q1", 0, 0.3, 0)],
    "all zero": [("q1", 0, 0, 0), ("q2", 0, 0, 0), ("q3", 0, 0, 0)],
    "prismatic first": [(0, "q1", 0.2, "pi/2", "P"), ("q2", 0.1, 0.3, 0)],
    "only prismatic": [(0, "q1", 0, "pi/2", "P"), ("pi/2", "q2", 0, "pi/2", "P"), (0, "q3", 0, 0, "P")],
    "twelve joints": [("q", 0.1, 0.1, f"{(-1) ** i}*pi/2") for i in range(12)],
    "a crane": [("q1", 3000, 0, "pi/2"), ("q2", 0, 40_000, 0), ("q3", 0, 25_000, 0)],
    "a grain": [("q1", 3e-7, 0, "pi/2"), ("q2", 0, 4e-7, 0), ("q3", 0, 2e-7, 0)],
    "letters alone": [("q1", "d1", "a1", "alpha1"), ("q2", "d2", "a2", "alpha2")],
}


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("convention", ["standard", "modified"])
@pytest.mark.filterwarnings("ignore:.*looks like millimetres")
def test_odd_tables_can_be_drawn(name: str, convention: Any) -> None:
    robot = table(ODD[name], convention=convention, columns="theta d a alpha type")
    record = mp.drawing(robot)
    assert_whole(robot, record)
    assert record["reach"]["radius"] > 0.1 * record["size"]
    sizes = [x for link in record["links"] for shape in link["shapes"] for x in shape.get("radii", [])]
    assert max(sizes, default=0.0) < 0.2 * record["size"]


def test_what_can_be_reached_stays_in_the_ball() -> None:
    rng = np.random.default_rng(3)
    for seed in range(10):
        robot = random_tree(seed)
        record = drawing_of(robot)
        spans = [joint["range"] for joint in record["joints"]]
        q = rng.uniform(*np.array(spans).T, (200, robot.dof))
        poses = poses_of(record, q)
        points = np.concatenate([at[..., :3, 3].reshape(-1, 3) for at in (*poses, *axes_of(record, poses))])
        away = np.linalg.norm(points - record["reach"]["centre"], axis=1).max()
        assert away < 1.1 * record["reach"]["radius"]


def test_values_are_used_and_stand_ins_told() -> None:
    record = mp.drawing("planar2r", {"l1": 0.5})
    assert record["stand_ins"] == {"l2": 0.3}
    assert ["tx", 0.5, "a"] in record["joints"][0]["after"]
    with pytest.raises(mp.UnknownNameError, match="l9"):
        mp.drawing("planar2r", {"l9": 1})


def test_a_value_that_is_no_number_is_told_by_its_cell() -> None:
    robot = table([("q1", 0, "l1/(l2-l3)", 0), ("q2", 0, "l2+l3", 0)])
    with pytest.raises(mp.InputError, match="a1: its value is no finite number"):
        mp.drawing(robot)


@pytest.mark.filterwarnings("ignore:.*looks like")
@pytest.mark.parametrize("length", ["1e300", "1e-300", "9e99"])
def test_no_arm_of_that_size_is_drawn(length: str) -> None:
    with pytest.raises(mp.InputError, match="cannot be drawn"):
        mp.drawing(table([("q1", length, 0, 0), ("q2", 0, length, 0)]))


def test_limits_without_end_are_no_ranges_for_a_slider() -> None:
    """Files say so what they have no word for."""
    rows = [
        {"theta": 0, "d": 0, "a": 1, "alpha": 0, "limits": [-1e9, 1e9]},
        {"theta": 0, "d": 0, "a": 0, "alpha": 0, "type": "prismatic", "limits": [-1e6, 1e6]},
        {"theta": 0, "d": 0, "a": 1, "alpha": 0, "limits": [-6.2, 6.2]},
    ]
    record = mp.drawing(table(rows))
    assert record["joints"][0]["limits"] == [-1e9, 1e9]
    spans = [joint["range"] for joint in record["joints"]]
    assert spans[0] == [-np.pi, np.pi] and spans[1] == [0, 0.3 * 2] and spans[2] == [-6.2, 6.2]
    assert record["size"] == pytest.approx(2.6)


def test_up_is_against_gravity() -> None:
    robot = table([("q1", 0.3, 0, 90), ("q2", 0, 0.3, 0)], angle="deg")
    ups = {(0, 0, -9.81): [0, 0, 1], (0, 0, 9.81): [0, 0, -1], (0.5, -9, 1): [0, 1, 0], (0, 0, 0): [0, 0, 1]}
    assert {g: mp.drawing(robot.with_gravity(*g))["up"] for g in ups} == ups
    assert mp.drawing(robot.with_gravity(0, 0, "G3"))["up"] == [0, 0, 1]


def test_masses_are_told_where_the_file_has_them() -> None:
    links = mp.drawing("puma560")["links"]
    assert [link["mass"] for link in links[2:]] == pytest.approx([17.4, 4.8, 0.82, 0.34, 0.09])
    assert all(link["mass"] is None for link in mp.drawing("planar2r")["links"][1:])
    loaded = mp.load("puma560").with_payload(2.5, (0, 0, 0.1))
    assert mp.drawing(loaded)["payload"] == {"at": [0.0, 0.0, 0.1], "mass": 2.5}
    assert mp.drawing(loaded)["links"] == links


def test_the_ellipsoid_has_the_inertia_of_the_link() -> None:
    """A uniform ellipsoid of radii a, b, c: I = m/5·diag(b² + c², …) about its centre."""
    seen = 0
    for seed in range(20):
        robot = random_robot(seed)
        tree = merge_fixed(bind(replace(robot, payload=()), FLOATS, {}))
        for link, told in zip(tree.links, drawing_of(robot)["links"][1:]):
            if told["ellipsoid"] is None:
                continue
            frame, (a, b, c), m = np.array(told["ellipsoid"]["frame"]), told["ellipsoid"]["radii"], told["mass"]
            own = m / 5 * np.diag([b * b + c * c, a * a + c * c, a * a + b * b])
            r = np.array(told["com"])
            about_origin = frame[:3, :3] @ own @ frame[:3, :3].T + m * (r @ r * np.eye(3) - np.outer(r, r))
            np.testing.assert_allclose(about_origin, np.array(link.inertia.I, dtype=float), atol=1e-9)
            assert np.linalg.det(frame[:3, :3]) == pytest.approx(1)
            seen += 1
    assert seen > 20
