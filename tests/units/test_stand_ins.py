"""What is told of parameters, and what stands in for those without a value."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import manipula as mp
from manipula.generation.arm_structure import numeric_chain
from manipula.mechanics.models.kinematics.pose import pose
from manipula.mechanics.robot.bind import free_parameters
from manipula.mechanics.robot.default_values import parameter_facts, with_stand_ins
from manipula.mechanics.robot.description import Cell, RobotDescription, with_cells
from manipula.mechanics.robot.values.parameter import Num
from tests.random_robots import random_robot, random_tree


def forgetful(robot: RobotDescription, every: int) -> RobotDescription:
    """The same robot, every so many of its numbers unknown."""
    seen = iter(range(10**6))

    def forgotten(cell: Cell) -> Cell:
        return replace(cell, value=None) if isinstance(cell.value, Num) and next(seen) % every == 0 else cell

    return with_cells(robot, forgotten)


@pytest.mark.parametrize("seed", range(12))
def test_any_robot_gets_a_value_for_every_name(seed: int) -> None:
    drawn = random_tree(seed) if seed % 3 == 0 else random_robot(seed, screws=seed % 2 == 0)
    robot = forgetful(drawn, 1 + seed % 4)
    whole, made = with_stand_ins(robot)
    assert set(made) == set(free_parameters(robot)) and not free_parameters(whole)
    assert np.isfinite(list(made.values())).all()
    assert whole.joints == robot.joints and whole.name == robot.name  # nothing else has changed
    facts = parameter_facts(robot)
    assert list(facts) == list(free_parameters(robot, "all"))
    assert all(fact.unit and fact.about for fact in facts.values())
    chain = numeric_chain(whole)
    assert np.isfinite([x for row in pose(chain, [0.3] * chain.dof).rows() for x in row]).all()  # type: ignore[list-item]


def test_a_robot_with_values_stays_itself() -> None:
    robot = mp.load("puma560")
    whole, made = with_stand_ins(robot)
    assert whole is robot and not made
    assert parameter_facts(robot)["a2"].value == robot.parameters["a2"]


def test_letters_mean_what_their_cell_means() -> None:
    first = {"name": "arm", "theta": "phi", "d": 0, "a": "2*l1", "alpha": "-tilt", "mass": "m"}
    rows = [first, {"d": 0, "a": "m*l1", "alpha": 0, "mass": "m/3"}]
    facts = parameter_facts(mp.Robot.from_dh(rows).with_gravity(0, 0, "-g"))
    told = {name: (facts[name].unit, facts[name].stand_in) for name in ("phi", "l1", "tilt", "m", "g")}
    assert told == {"phi": ("rad", 0.0), "l1": ("m", 0.3), "tilt": ("rad", 0.5), "m": ("kg", 1.0), "g": ("m/s²", 9.81)}
    assert facts["l1"].about == "shift along x, joint arm"


def test_gravity_of_unknown_size_points_down() -> None:
    robot = mp.load("planar2r")
    gravity = tuple(Cell(f"g{axis}") for axis in "xyz")
    _, made = with_stand_ins(replace(robot, gravity=gravity))  # type: ignore[arg-type]
    assert [made[f"g{axis}"] for axis in "xyz"] == [0.0, 0.0, -9.81]
