"""Arms of three, four and five joints: every reachable pose is solved, by the configuration it was made from too,
nothing false, nothing twice. Forward kinematics is written out again, from the table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.generation.arm_structure import numeric_chain, plan_of
from manipula.ik.inverse import InverseSolver
from manipula.mechanics.models.inverse.plan import ArmKind
from tests.few_arms import Row, apart, pose_from_table, random_rows, robot_of

EXACT = 1e-9
SAME = 1e-6


def solver_of(rows: list[Row], convention: str) -> InverseSolver:
    return InverseSolver(numeric_chain(robot_of(rows, convention)))


def assert_all_solved(rows: list[Row], convention: str, poses: int, rng: np.random.Generator) -> InverseSolver:
    solver = solver_of(rows, convention)
    redundant = bool(solver.plan.parameter) or solver.plan.title == "redundant"
    assert redundant is ("can move with its tool at rest" in solver.explanation)
    for q in rng.uniform(-np.pi, np.pi, (poses, len(rows))):
        T = pose_from_table(rows, q, convention)
        found = solver(T, seed=q).q if redundant else solver(T).q
        assert len(found) and apart(found, q, rows).min() < SAME, solver.explanation
        assert all(np.abs(pose_from_table(rows, x, convention) - T).max() < EXACT for x in found)
        assert redundant or all(apart(x, found[i + 1 :], rows).min(initial=1) > SAME for i, x in enumerate(found))
        if redundant:
            assert len(solver(T).q)  # without a seed: another member of the family
    return solver


@pytest.mark.drawn("joints", "slides", few=3)
@pytest.mark.parametrize(("joints", "slides"), [(3, 0), (3, 0.4), (4, 0), (4, 0.3), (5, 0), (5, 0.25)])
def test_random_arms_with_structure(joints: int, slides: float) -> None:
    for k in range(8):
        rng = np.random.default_rng([joints, int(100 * slides), k])
        rows = random_rows(rng, joints, slides)
        assert_all_solved(rows, ("standard", "modified")[k % 2], 4, rng)


def dh(*rows: tuple[Any, ...]) -> list[Row]:
    """Rows α, a, d, kind."""
    keys = ("alpha", "a", "d", "type")
    return [dict(zip(keys, (*row, "revolute")[:4], strict=True)) | {"theta": 0} for row in rows]


# shapes that robots have; lengths of no meaning
KNOWN = {
    "yaw, pitch, elbow, forearm roll": (dh((90, 0, 0.3), (0, 0.35, 0), (90, 0, 0), (0, 0, 0.25)), False),
    "with an elbow offset": (dh((90, 0, 0.14), (180, 0.35, 0), (90, 0.05, 0), (0, 0, 0.27)), False),
    "first four of seven": (dh((-90, 0, 0.33), (90, 0, 0), (90, 0.08, 0.32), (0, 0.1, 0)), False),
    "three that meet, then one": (dh((90, 0, 0.3), (90, 0, 0), (90, 0, 0.4), (0, 0.2, 0)), False),
    "leg": (dh((90, 0.1, 0), (0, 0.3, 0), (0, 0, 0)), False),
    "leg with an offset": (dh((90, 0.05, 0), (0, 0.3, 0.1), (0, 0.25, 0.02)), False),
    "five, three of them parallel": (dh((90, 0, 0.1), (0, 0.25, 0), (0, 0.25, 0), (90, 0, 0), (0, 0, 0.1)), False),
    "five with a wrist": (dh((90, 0.03, 0.3), (90, 0.3, 0.1), (-90, 0.05, 0.3), (90, 0, 0), (0, 0, 0.1)), False),
    "four parallel": (dh((0, 0.1, 0), (0, 0.3, 0), (0, 0.2, 0), (0, 0.1, 0)), True),
    "five parallel": (dh(*[(0, 0.2, 0)] * 5), True),
    "two on one line": (dh((0, 0, 0.2), (90, 0, 0.1), (0, 0.3, 0)), True),
    "two slides on one line": (dh((0, 0.1, 0, "prismatic"), (90, 0, 0, "prismatic"), (0, 0.3, 0)), True),
    "four that meet": (dh((90, 0, 0.3), (90, 0, 0), (60, 0, 0), (0, 0, 0.2)), True),
}


@pytest.mark.turn
@pytest.mark.drawn("convention")
@pytest.mark.parametrize("convention", ["standard", "modified"])
@pytest.mark.parametrize("name", KNOWN)
def test_shapes_that_robots_have(name: str, convention: str) -> None:
    rows, redundant = KNOWN[name]
    solver = assert_all_solved(rows, convention, 6, np.random.default_rng(1))
    assert convention == "modified" or redundant is ("tool at rest" in solver.explanation)


def test_a_batch_is_its_poses() -> None:
    rows, rng = KNOWN["four parallel"][0], np.random.default_rng(2)
    solver = solver_of(rows, "standard")
    q = rng.uniform(-np.pi, np.pi, (20, 4))
    q[0], q[1] = 0, [0, 0.02, 0.01, 0]  # stretched, and nearly so: few values of the held joint reach
    batch = solver(solver.pose(q))
    assert batch.valid.any(-1).all() and batch.residual[batch.valid].max() < EXACT


@pytest.mark.turn
def test_axes_in_line_leave_a_joint_to_the_position() -> None:
    """At rest the first and the last axis are parallel: the orientation knows their sum, the position each."""
    rows = dh((90, 0.266, 0.137), (-90, 0.262, 0), (0, 0, 0.272))
    solver = solver_of(rows, "standard")
    for q in ([0.0, 0, 0], [0.4, 0, -0.9], [1.0, 0.0, 2.0]):
        T = solver.pose(np.array(q))
        for solve in (solver, mp.Arm(robot_of(rows, "standard")).inverse_kinematics):
            assert apart(solve(T).q, q, rows).min() < SAME
            assert solve(T[None]).valid.any()


def test_general_arms_of_four_and_five_joints_are_counted() -> None:
    """By elimination with joints added: nothing can be missing, and no start decides."""
    rng = np.random.default_rng(5)
    for joints in (4, 5):
        skew = [(float(rng.uniform(20, 70)), *rng.uniform(0.1, 0.5, 2).round(3).tolist()) for _ in range(joints)]
        rows = dh(*skew)
        robot = robot_of(rows, "standard")
        assert plan_of(robot).kind is ArmKind.FEWER
        solver = assert_all_solved(rows, "standard", 4, rng)
        assert solver.general is not None and solver.general.bound == 16
