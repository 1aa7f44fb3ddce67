"""Laws of inverse kinematics by position and by axis: none false, none lost, none twice, and what is free is said."""

from __future__ import annotations

import itertools
import random
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

import manipula as mp
from manipula.errors import InputError
from manipula.generation.arm_structure import numeric_chain
from manipula.ik.numeric.arrays import distances, pose_of
from manipula.ik.position_branches import linkage_from_tree
from manipula.ik.position_tasks import PartialSolver

KIND = {"R": "revolute", "P": "prismatic", "F": "fixed"}
WORDS = ["".join(word) for n in (1, 2, 3) for word in itertools.product("RP", repeat=n)]


def random_arm(rng: random.Random, word: str) -> mp.Robot:
    """Zero or odd lengths, right or odd twists, a fixed row anywhere, sometimes a base and a tool."""
    letters = list(word)
    if rng.random() < 0.3:
        letters.insert(rng.randrange(len(letters) + 1), "F")
    rows = [
        {
            "theta": rng.choice([0, 0, 90, 20]),
            "d": rng.choice([0, 0, 0.2, -0.35]),
            "a": rng.choice([0, 0, 0.3, 0.45]),
            "alpha": rng.choice([0, 90, -90, 180, 35, -71.3]),
            "type": KIND[letter],
        }
        for letter in letters
    ]
    robot = mp.Robot.from_dh(rows, angle="deg", convention=rng.choice(["standard", "modified"]))
    if rng.random() < 0.4:
        robot = robot.with_tool(xyz=[rng.choice([0, 0.1]), rng.choice([0, 0.07]), rng.choice([0, 0.15])])
    return robot.with_base(xyz=[0.1, 0.2, 0.3], rpy=[0.1, 0.2, 0.3]) if rng.random() < 0.4 else robot


def drawn(solver: PartialSolver, rng: random.Random) -> Any:
    spans = np.where(solver.turning, 3.1, 0.6)
    return np.array([rng.uniform(-span, span) for span in spans])


def by_many_starts(solver: PartialSolver, point: Any) -> int:
    """How many configurations plain Newton finds from 300 starts: nothing of the solver's own is used."""
    spans = np.where(solver.turning, np.pi, 1.5)
    q = np.random.default_rng(0).uniform(-spans, spans, (300, len(spans)))
    for _ in range(60):
        missing = (point - solver._pose(q)[:, :3, 3])[..., None]
        step = (np.linalg.pinv(solver._jacobian(q)[:, :3], rcond=1e-7) @ missing)[..., 0]
        q = q + step * np.minimum(1, 0.6 / np.maximum(np.abs(step).max(1, keepdims=True), 1e-9))
    q = q[np.abs(point - solver._pose(q)[:, :3, 3]).max(1) < 1e-11]
    kept: list[Any] = []
    for x in q:
        if all(distances(x, y, solver.turning) > 1e-5 for y in kept):
            kept.append(x)
    return len(kept)


def assert_lawful(solver: PartialSolver, q: Any, seed: Any = None) -> Any:
    """The answers to the target of q: exact, distinct, q among them."""
    T = solver._pose(q)
    result = solver(T, seed)
    assert len(result.q)
    assert np.abs(solver.pose(result.q) - solver.pose(q)).max() <= 1e-9
    assert distances(result.q, q, solver.turning).min() < 1e-6
    assert len(result.branch) == len(result.all) == len(result.why)
    pairs = itertools.combinations(result.q, 2)
    assert all(distances(a, b, solver.turning) > 1e-6 for a, b in pairs)
    return result


@pytest.mark.drawn("word", few=4)
@pytest.mark.parametrize("word", WORDS)
def test_every_word_of_joints_places_its_tool(word: str) -> None:
    rng = random.Random(word)
    for trial in range(6):
        solver = PartialSolver("position", numeric_chain(random_arm(rng, word)))
        q = drawn(solver, rng)
        result = assert_lawful(solver, q, q if solver.freedom.free else None)
        if trial < 2 and not solver.freedom.free and not any(result.families):
            assert len(result.q) == by_many_starts(solver, solver._pose(q)[:3, 3])


@pytest.mark.drawn("word")
@pytest.mark.parametrize("word", ["RR", "RP", "RRR", "RPR", "RRP", "PRR"])
def test_limits_leave_the_answers_inside_them(word: str) -> None:
    """A turn more or less is the same place; so of all answers those stay that have a turn inside."""
    rng = random.Random(word)
    for _ in range(4):
        chain = numeric_chain(random_arm(rng, word))
        free = PartialSolver("position", chain)
        if free.freedom.free:
            continue
        q = drawn(free, rng)
        spans = [(x - rng.uniform(0.1, 2), x + rng.uniform(0.1, 2)) for x in q]
        limited = PartialSolver("position", chain, spans)(free._pose(q)[:3, 3])
        low, high = np.array(spans).T
        assert ((limited.q >= low) & (limited.q <= high)).all()
        every = free(free._pose(q)[:3, 3]).q
        turns = every[:, None] + 2 * np.pi * np.arange(-2, 3)[:, None] * free.turning
        inside = ((turns >= low) & (turns <= high)).any(1).all(-1)
        assert len(limited.q) == inside.sum() and inside.any()


@pytest.mark.turn
@pytest.mark.drawn("word")
@pytest.mark.parametrize("word", ["RRR", "RPR", "RRP", "PRR", "PRP"])
def test_at_and_beside_singular_targets_nothing_is_lost_or_doubled(word: str) -> None:
    rng = random.Random(word)
    for _ in range(4):
        solver = PartialSolver("position", numeric_chain(random_arm(rng, word)))
        q = None if solver.freedom.free else singular(solver, rng)
        for off in (0.0, 1e-11, 1e-9, 1e-7) if q is not None else ():
            result = solver(solver._pose(q + off)[:3, 3])
            here = (distances(result.q, q + off, solver.turning) < 1e-3).sum()
            assert any(result.families) or 1 <= here <= (2 if off else 1)


def singular(solver: PartialSolver, rng: random.Random) -> Any:
    """A configuration where the tool's origin has lost a direction, between two of unlike determinants."""
    for _ in range(30):
        a, b = drawn(solver, rng), drawn(solver, rng)
        if det(solver, a) * det(solver, b) < 0:
            return a + brentq(lambda t, a=a, b=b: det(solver, a + t * (b - a)), 0, 1, xtol=1e-15) * (b - a)
    return None


def det(solver: PartialSolver, q: Any) -> float:
    return float(np.linalg.det(solver._jacobian(q)[:3]))


@pytest.mark.slow
def test_many_random_arms_place_their_tools() -> None:
    rng = random.Random(7)
    for _ in range(1500):
        solver = PartialSolver("position", numeric_chain(random_arm(rng, rng.choice(WORDS))))
        q = drawn(solver, rng)
        assert_lawful(solver, q, q if solver.freedom.free else None)


@pytest.mark.turn
def test_planar_two_links_have_elbow_up_and_down() -> None:
    arm = mp.Arm(mp.Robot.from_dh([(0, 0, 0.4, 0), (0, 0, 0.3, 0)]))
    result: Any = arm.inverse_kinematics([0.3, 0.4], task="position")
    # Spong, Robot Modeling and Control, eq. 1.7: cos θ2 = (x² + y² − l1² − l2²)/(2 l1 l2)
    assert np.allclose(np.cos(result.q[:, 1]), (0.25 - 0.16 - 0.09) / 0.24)
    assert sorted(result.branch) == ["elbow +", "elbow −"] and len(result.q) == 2
    assert np.allclose(result.q, arm.inverse_kinematics([0.3, 0.4, 0], task="position").q)
    assert np.allclose(result.q, arm.inverse_kinematics(arm.pose(result.q[0]), task="position").q)


@pytest.mark.turn
def test_an_elbow_arm_has_four_answers() -> None:
    arm = mp.Arm(mp.Robot.from_dh([(0, 0.5, 0, 90), (0, 0, 0.4, 0), (0, 0, 0.3, 0)], angle="deg"))
    result: Any = arm.inverse_kinematics([0.3, 0.2, 0.6], task="position")
    assert len(result.q) == 4
    assert np.abs(arm.pose(result.q)[:, :3, 3] - [0.3, 0.2, 0.6]).max() < 1e-14
    q = arm.inverse_kinematics([0.3, 0.2, 0.6], seed=result.q[2], task="position").q
    assert np.allclose(q[0], result.q[2])


@pytest.mark.turn
def test_a_general_arm_of_three_can_have_four_answers() -> None:
    robot = mp.Robot.from_dh([(0, 0, 1, 90), (0, 1, 2, 90), (0, 0, 1.5, 0)], angle="deg")  # cuspidal: Wenger
    solver = PartialSolver("position", numeric_chain(robot))
    counts = {len(solver(solver._pose(q)[:3, 3]).q) for q in np.random.default_rng(1).uniform(-3, 3, (40, 3))}
    assert solver.closed is None and counts == {2, 4}


OUT = [([0.3, 0.4, 0.1], "moves in a plane, 100 mm"), ([1, 0, 0], "300 mm away")]


@pytest.mark.parametrize(("target", "said"), OUT)
def test_a_target_that_cannot_be_reached_is_told_why(target: list[float], said: str) -> None:
    arm = mp.Arm(mp.Robot.from_dh([(0, 0, 0.4, 0), (0, 0, 0.3, 0)]))
    result: Any = arm.inverse_kinematics(target, task="position")
    assert not len(result.q) and said in result.nearest.reason
    assert all("mm away" in why and "turned" not in why for why in result.why)


def test_limits_keep_their_branch_out_and_are_named() -> None:
    rows = [{"a": 0.4, "limits": [-180, 180]}, {"a": 0.3, "limits": [-10, 170]}]
    arm = mp.Arm(mp.Robot.from_dh([{"theta": 0, "d": 0, "alpha": 0, **row} for row in rows], angle="deg"))
    result: Any = arm.inverse_kinematics([0.3, 0.4], task="position")
    assert len(result.q) == 1 and result.q[0, 1] > 0
    assert "outside its limits" in " ".join(result.why)
    behind: Any = arm.inverse_kinematics([0.3, 0.4], task="position", seed=[0, -1.5])
    assert np.allclose(behind.q, result.q)


@pytest.mark.drawn("name")
@pytest.mark.parametrize("name", ["puma560", "ur5", "iiwa14", "scara_numbers", "stanford", "rx90"])
def test_more_joints_than_a_position_needs_are_said_to_be_free(name: str) -> None:
    numbers = {"a1": 0.4, "a2": 0.3, "d4": 0.1}
    robot = mp.load("scara").with_parameters(**numbers) if name == "scara_numbers" else mp.load(name)
    solver = PartialSolver("position", numeric_chain(robot))
    rng = random.Random(name)
    for _ in range(4):
        q = drawn(solver, rng)
        result = assert_lawful(solver, q, seed=q)
        assert len(result.free) == robot.dof - 3 and result.note
        free = [k - 1 for k in result.free]
        assert np.allclose(solver(solver._pose(q), parameter=q[free]).q[:, free], q[free])
    with pytest.raises(InputError, match="expected the positions of joints"):
        solver(solver._pose(q), parameter=[0.1] * 9)


def test_held_joints_move_where_the_target_is_out_of_their_reach() -> None:
    """With the wrist in the middle these points are too far; the arm as a whole reaches them."""
    solver = PartialSolver("position", numeric_chain(mp.load("ur5")))
    q = np.array([0.3, -0.1, 0.1, 0.1, 1.5, 0.2])
    for seed in (None, np.array([0, -1, 2.5, 2, 0, 0])):
        result = solver(solver._pose(q)[:3, 3], seed)
        assert len(result.q) and np.abs(solver.pose(result.q)[:, :3, 3] - solver._pose(q)[:3, 3]).max() < 1e-9


@pytest.mark.drawn("word")
@pytest.mark.parametrize("word", ["RRRRR", "RRPRR", "PRRRR", "RRRR", "RRPR", "RRR"])
def test_axis_answers_of_up_to_five_joints(word: str) -> None:
    rng = random.Random(word)
    for _ in range(3):
        solver = PartialSolver("axis", numeric_chain(random_arm(rng, word)))
        q = drawn(solver, rng)
        assert_lawful(solver, q, q if solver.freedom.free else None)


@pytest.mark.drawn("name")
@pytest.mark.parametrize("name", ["puma560", "ur5", "iiwa14"])
def test_a_tool_axis_leaves_a_family_about_it(name: str) -> None:
    solver = PartialSolver("axis", numeric_chain(mp.load(name)))
    q = drawn(solver, random.Random(3))
    result = assert_lawful(solver, q, seed=q)
    assert len(result.free) == len(q) - 5 and (len(q) in result.free)  # each of these tools turns about its z axis
    z = solver._pose(result.q)[:, :3, 2]
    given = np.concatenate([solver._pose(q)[:3, 3], 2 * solver._pose(q)[:3, 2]])
    assert np.allclose(z, solver._pose(q)[:3, 2])
    assert distances(solver(given, q).q, result.q, solver.turning).max() < 1e-9


def test_many_targets_at_once() -> None:
    arm = puma()
    points = arm.pose(np.random.default_rng(2).uniform(-1, 1, (2, 3, 6)))[..., :3, 3]
    nothing: Any = arm.inverse_kinematics(points[:0], task="position")
    assert nothing.q.shape[0] == nothing.valid.shape[0] == 0
    batch: Any = arm.inverse_kinematics(points, task="position")
    assert batch.q.shape[:2] == (2, 3) and batch.valid.any(-1).all()
    assert batch.residual[batch.valid].max() < 1e-12
    one: Any = arm.inverse_kinematics(points[1, 2], task="position")
    assert np.array_equal(batch.q[1, 2][batch.valid[1, 2]], one.q)


@lru_cache
def puma() -> mp.Arm:
    return mp.Arm("puma560")


BAD = [
    ({"pose": [0.1, 0.2], "task": "position"}, "plane z = constant"),
    ({"pose": [0.1, 0.2, np.nan], "task": "position"}, "not a finite number"),
    ({"pose": [0.1, 0.2, 0.3], "task": "axis"}, "z axis"),
    ({"pose": [0, 0, 0, 0, 0, 0], "task": "axis"}, "0 0 0"),
    ({"pose": np.eye(3), "task": "axis"}, "shape"),
    ({"pose": "here", "task": "position"}, "expected three numbers"),
    ({"pose": [0, 0, 0], "task": "place"}, "expected one of pose, position, axis"),
    ({"pose": [0, 0, 0], "task": "position", "seed": [0]}, "expected 6 joint positions"),
]


@pytest.mark.parametrize(("given", "said"), BAD)
def test_what_is_no_target_is_met_at_the_door(given: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        puma().inverse_kinematics(**given)


@pytest.mark.parametrize("kinds", [word for word in WORDS if word.count("P") < 3])
def test_joints_that_bring_a_point_somewhere_are_found_in_any_unit(kinds: str) -> None:
    """Exactly, before any polish; an arm some times as large has the same angles and displacements as many times."""
    rng = np.random.default_rng(len(kinds))
    turns = np.array([kind == "R" for kind in kinds])
    rows = [(0.0, rng.uniform(0.2, 0.6) * (kind == "R"), *rng.uniform(0.3, 1.2, 2)) for kind in kinds]
    q, found = rng.uniform(0.2, 1.0, len(kinds)), []
    for size in (0.125, 1.0, 8.0):
        table = [
            {"theta": theta, "d": size * d, "a": size * a, "alpha": alpha, "type": "revolute" if turn else "prismatic"}
            for (theta, d, a, alpha), turn in zip(rows, turns)
        ]
        chain = numeric_chain(mp.Robot.from_dh(table, convention="standard"))
        scale = np.where(turns, 1.0, size)
        point = pose_of(chain)(q * scale)[:3, 3]
        places = linkage_from_tree(chain).candidates(point, np.zeros(len(kinds))) / scale
        gap = places - q
        assert np.abs(np.where(turns, np.remainder(gap + np.pi, 2 * np.pi) - np.pi, gap)).max(axis=1).min() < 1e-9
        found.append(places)
    for places in found:
        np.testing.assert_allclose(places, found[1], atol=1e-9)
