"""What is told of parameters, and what stands in for those without a value."""

from __future__ import annotations

import warnings
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


# a joint that turns, one that slides, a screw; every place where a letter may stand
LETTERS = """
format = 1
name = "letters"
convention = "standard"
angle = "deg"
length = "m"
gravity = [0, "k", -9.81]
[values]
l2 = 0.4
[base]
xyz = [0.1, 0, "h"]
rpy = [0, 0.2, 0]
[tool]
xyz = [0, 0, 0.3]
[[joint]]
name = "turn"
type = "revolute"
theta = 10
d = 0.2
a = "2*l2"
alpha = 30
mass = 2
com = [0.1, 0, 0]
inertia = { xx = 1, yy = 1, zz = 1, xy = 0.1, xz = 0, yz = 0 }
motor_inertia = 0.1
gear = 50
friction = { viscous = 0.1, coulomb = 0.2 , offset = "fo", load = 0.1, stribeck = { torque = 1, velocity = 0.1 } }
[[joint.carries]]
name = "box"
xyz = [0, 0.2, 0]
mass = 1
com = [0, 0, 0]
inertia = { xx = 1, yy = 1, zz = 1, xy = 0, xz = 0, yz = 0 }
[[joint]]
name = "slide"
type = "prismatic"
theta = 20
d = "shift/2"
a = 0
alpha = 0
mass = 2
first_moment = [0.1, 0, 0]
inertia_about = "origin"
inertia = { xx = 1, yy = 1, zz = 1, xy = 0, xz = 0, yz = 0 }
motor_inertia = 3
friction = { viscous = 0.1, coulomb = 0.2, stribeck = { torque = 1, velocity = 0.1 } }
[[joint]]
name = "screw"
type = "helical"
pitch = 0.05
theta = 0
d = 0.1
a = 0
alpha = 0
mass = "m"
com = [0, 0, 0]
inertia = { xx = 0, yy = 0, zz = 0.1, xy = 0, xz = 0, yz = 0 }
[[frame]]
name = "eye"
on = "slide"
xyz = [0.1, 0, 0]
"""
FACTS = """
base_x | m | shift along x, base | 0.3 | 0.1
h | m | shift along z, base | 0.3 |
base_pitch | rad | turn about y, base | 0.5 | 0.00349066
theta1 | rad | offset of joint turn | 0 | 0.174533
d1 | m | shift along z, joint turn | 0.3 | 0.2
l2 | m | shift along x, joint turn | 0.3 | 0.4
alpha1 | rad | turn about x, joint turn | 0.5 | 0.523599
m1 | kg | mass of link turn | 1 | 2
rx1 | m | centre of mass of link turn, x | 0 | 0.1
Ixy1 | kg·m² | inertia of link turn, xy | 0 | 0.1
Ia1 | kg·m² | motor inertia of joint turn | 0.1 | 0.1
fv1 | N·m·s/rad | friction viscous of joint turn | 0.1 | 0.1
fc1 | N·m | friction Coulomb of joint turn | 0.1 | 0.2
fo | N·m | friction offset of joint turn | 0.1 |
fl1 | 1 | friction load of joint turn | 0.1 | 0.1
vs1 | rad/s | friction Stribeck velocity of joint turn | 0.1 | 0.1
gear1 | motor turns per joint turn | gear of joint turn | 0.1 | 50
y_box | m | shift along y, box | 0.3 | 0.2
theta2 | rad | turn about z, joint slide | 0.5 | 0.349066
shift | m | offset of joint slide | 0 |
m2 | kg | mass of link slide | 1 | 2
mx2 | kg·m | first moment of link slide, x | 0 | 0.1
Ia2 | kg | motor inertia of joint slide | 0.1 | 3
fv2 | N·s/m | friction viscous of joint slide | 0.1 | 0.1
fc2 | N | friction Coulomb of joint slide | 0.1 | 0.2
vs2 | m/s | friction Stribeck velocity of joint slide | 0.1 | 0.1
d3 | m | shift along z, joint screw | 0.3 | 0.1
m | kg | mass of link screw | 1 |
Izz3 | kg·m² | inertia of link screw, zz | 0.02 | 0.1
screw3 | m/rad | pitch of joint screw | 0.02 | 0.05
tool_z | m | shift along z, tool | 0.3 | 0.3
m_payload | kg | mass of payload | 1 | 0.5
pz | m | centre of mass of payload, z | 0 |
k | m/s² | gravity along y | 9.81 |
gz | m/s² | gravity along z | -9.81 | -9.81
eye_x | m | shift along x, frame eye | 0.3 | 0.1
"""


def test_every_letter_has_its_unit_its_meaning_and_its_value() -> None:
    """By the kind of its joint; a multiple of a name means what the name does."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mp.ManipulaWarning)
        robot = mp.Robot.from_text(LETTERS).with_payload(mass=0.5, com=(0, 0, "pz"))
    facts = parameter_facts(robot).values()
    rows = [(x.name, x.unit, x.about, f"{x.stand_in:g}", "" if x.value is None else f"{x.value:.6g}") for x in facts]
    assert [" | ".join(row).rstrip() for row in rows] == FACTS.strip().splitlines()
