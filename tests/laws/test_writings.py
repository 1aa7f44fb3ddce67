"""One robot, however it is written: every way of writing a drawn robot, and every file that we save of it, has the
poses, axes and torques that a computation by hand has, and the limits and names that its format can say."""

from __future__ import annotations

import random
import warnings
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from math import radians
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.errors import ManipulaWarning
from manipula.mechanics.models.dynamics.torque import inverse_dynamics
from manipula.mechanics.models.kinematics.pose import axes, pose
from manipula.mechanics.robot.bind import bind
from manipula.mechanics.robot.reduce import merge_fixed
from manipula.mechanics.robot.values.parameter import float_of
from manipula.mechanics.spatial.floats import FLOATS
from tests.robot_plans import DOWN, Answer, Plan, Row, answer, drawn_plan
from tests.robot_writers import TABLES, Writing, bare_geometry, is_plain_table, standard, weightless
from tests.robot_xml import mjcf, urdf

QUICK, ALL = 20, 500
NEAR = 1e-12


def read_answer(robot: mp.Robot, writing: Writing, state: Any) -> Answer:
    """Of a reading, in the plan's order; a format without names has the joints in the order of its rows."""
    plan = writing.plan
    moving = [row.name for row in plan.rows if row.kind != "F"]
    free = [row.name for row in plan.free]
    assert sorted(robot.joint_names) == sorted(free) if writing.named else robot.dof == len(free)
    order = [free.index(name) for name in robot.joint_names] if writing.named else list(range(len(free)))
    tool = robot.at("tool0") if "tool0" in robot.frame_names else robot
    tree = merge_fixed(bind(tool, FLOATS, {}))
    rows = [moving.index(link.name) for link in tree.links] if writing.named else list(range(len(moving)))
    q, qd, qdd = (tree.coordinates.spread([float(x[i]) for i in order]) for x in state)
    torques, lines = np.zeros(len(free)), np.zeros((len(moving), 3))
    torques[order] = np.array(tree.coordinates.gather(inverse_dynamics(tree, q, qd, qdd)), float)
    lines[rows] = [np.array(at.rows(), float)[:3, 2] for at in axes(tree, q)]
    return Answer(np.array(pose(tree, q).rows(), float), lines, torques)


def bounds(robot: mp.Robot, name: str, kind: str) -> list[float]:
    joint = next(joint for joint in robot.joints if joint.name == name)
    found: Any = {"limits": joint.limits, "velocity": joint.velocity_limit, "effort": joint.effort_limit}[kind]
    listed = found if isinstance(found, tuple) else () if found is None else (found,)
    values = {key: float_of(value, {}) for key, value in robot.values}
    return [float_of(x, values) for x in listed]


def expected_bounds(row: Row, kind: str) -> list[float]:
    if kind == "limits":
        return [] if row.limits is None else [radians(x) if row.turns else float(x) for x in row.limits]
    found = row.velocity if kind == "velocity" else row.effort
    return [] if found is None else [float(found)]


def compare(robot: mp.Robot, writing: Writing, state: Any) -> None:
    expected, found = answer(writing.plan, *state), read_answer(robot, writing, state)
    np.testing.assert_allclose(found.tool, expected.tool, atol=NEAR, rtol=0, err_msg="the tool")
    np.testing.assert_allclose(found.axes, expected.axes, atol=NEAR, rtol=0, err_msg="the axes")
    size = max(1.0, float(np.abs(expected.torques).max()))
    np.testing.assert_allclose(found.torques, expected.torques, atol=NEAR * size, rtol=0, err_msg="the torques")
    for row in (row for row in writing.plan.rows if row.kind != "F"):
        for kind in writing.bounded:
            assert bounds(robot, row.name, kind) == pytest.approx(expected_bounds(row, kind), rel=NEAR, abs=NEAR), kind


def compare_locked(robot: mp.Robot, writing: Writing, state: Any, name: str) -> None:
    """With a joint held still: the tool, and the torques of the others, are those of the robot at rest there."""
    free = [row.name for row in writing.plan.free]
    held, (q, qd, qdd) = free.index(name), (x.copy() for x in state)
    q[held], qd[held], qdd[held] = 0.25, 0.0, 0.0
    bare = writing.plan.rows_with(lambda row: {"limits": None})
    expected = answer(bare, q, qd, qdd)
    locked = replace(robot, joints=tuple(replace(joint, limits=None) for joint in robot.joints)).locked({name: 0.25})
    tool = locked.at("tool0") if "tool0" in locked.frame_names else locked
    tree = merge_fixed(bind(tool, FLOATS, {}))
    order = [free.index(each) for each in locked.joint_names]
    given = (tree.coordinates.spread([float(x[i]) for i in order]) for x in (q, qd, qdd))
    place, rate, accel = given
    torques = np.array(tree.coordinates.gather(inverse_dynamics(tree, place, rate, accel)), float)
    size = max(1.0, float(np.abs(expected.torques).max()))
    np.testing.assert_allclose(np.array(pose(tree, place).rows(), float), expected.tool, atol=NEAR, err_msg="locked")
    np.testing.assert_allclose(torques, expected.torques[order], atol=NEAR * size, rtol=0, err_msg="locked")


def saved(robot: mp.Robot, writing: Writing, folder: Path) -> Iterator[Writing]:
    """Our own files of a reading, each with what its format holds of it."""
    plan, zero = writing.plan, Fraction(0)
    silent = plan.rows_with(lambda row: {"constant": zero})

    def file(ending: str, held: Plan, named: bool = writing.named, **options: Any) -> Writing:
        path = folder / f"arm.{ending}"
        read = lambda: mp.load(mp.save(robot, path), **options)  # noqa: E731
        return Writing(f"{writing.label}, saved as {ending}", writing.text, read, held, named)

    yield replace(file("toml", plan), bounded=writing.bounded)
    if any(row.kind == "H" for row in plan.rows):
        return
    bare = silent.rows_with(lambda row: {"motor": zero})
    yield replace(file("urdf", replace(bare, gravity=DOWN), exact=True), bounded=writing.bounded)
    if is_plain_table(plan):
        yield file("par", silent, named=False)  # tool and load are rows that stand still
    if is_plain_table(plan) and writing.label in ("toml modified", "toml standard"):
        left = plan.base if writing.label == "toml modified" else standard(plan).base
        table = file("csv", bare_geometry(plan, left))
        yield replace(table, read=lambda: weightless(table.read()))


def checked(seed: int, folder: Path) -> int:
    """How many writings were compared."""
    plan, rng = drawn_plan(seed), random.Random(f"writings {seed}")
    state = [np.array([rng.uniform(-1.5, 1.5) for _ in plan.free]) for _ in range(3)]
    written = [writing for write in (*TABLES, urdf, mjcf) for writing in write(plan, rng)]
    chosen, count = rng.choice(written), 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ManipulaWarning)
        for writing in written:
            more = saved(writing.read(), writing, folder) if writing is chosen else ()
            for each in (writing, *more):
                try:
                    robot = each.read()
                    compare(robot, each, state)
                    if each is chosen and each.named and len(plan.free) > 1:
                        compare_locked(robot, each, state, rng.choice(plan.free).name)
                except Exception as error:
                    raise AssertionError(f"seed {seed}, {each.label}: {error}\n{each.text}") from error
                count += 1
    return count


@pytest.mark.drawn(few=QUICK)  # all: frames beside an arm are in one of them
@pytest.mark.parametrize("seed", range(QUICK))
def test_a_robot_is_the_same_however_it_is_written(seed: int, tmp_path: Path) -> None:
    assert checked(seed, tmp_path) >= 2


@pytest.mark.slow
@pytest.mark.parametrize("seeds", [range(start, start + 20) for start in range(QUICK, ALL, 20)], ids=str)
def test_many_robots_are_the_same_however_they_are_written(seeds: range, tmp_path: Path) -> None:
    for seed in seeds:
        checked(seed, tmp_path)
