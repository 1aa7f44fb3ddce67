"""The robot's table in a checker: every row, body and number as the file has it, for a person to compare."""

from __future__ import annotations

import pytest

import manipula as mp
from manipula.errors import InputError
from manipula.generation.checker import robot_lines, words_of
from manipula.mechanics.robot.bind import Symbolic

# degrees and millimetres, names with values and without, a fixed row, a branch, a load, every place a number may have
FILE = """
format = 1
name = "table"
convention = "standard"
angle = "deg"
length = "mm"
gravity = [0, 0, "-g"]
[values]
half = 0.25
whole = "2*half"
twist = "30 deg"
[base]
xyz = [0, 100, 0]
rpy = [0, 0, 90]
[tool]
xyz = ["t", 0, 0]
[[joint]]
name = "waist"
type = "revolute"
theta = 45
d = "whole"
a = 0
alpha = -90
mass = "m1"
com = [1, "rc", 0]
inertia = { xx = 0.1, yy = 0.2, zz = 0.15, xy = 0.01, xz = 0, yz = 0 }
motor_inertia = "Im"
friction = { viscous = 0.5, offset = "fo", asymmetric = { coulomb_plus = 1, coulomb_minus = 2 } }
[[joint]]
name = "plate"
type = "fixed"
theta = 0
d = 0
a = 200
alpha = "twist"
mass = 0
com = [0, 0, 0]
inertia = { xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0 }
[[joint]]
name = "slide"
type = "prismatic"
theta = "phi"
d = 0
a = 0
alpha = 120
direction = -1
mass = 2
first_moment = [0, 0, 0.3]
inertia_about = "origin"
inertia = { xx = 0.1, yy = 0.1, zz = 0.02, xy = 0, xz = 0, yz = 0 }
friction = { load = 0.1 }
[[joint]]
name = "other"
parent = "waist"
type = "revolute"
theta = 0
d = 0
a = 300
alpha = 0
mass = 0
com = [0, 0, 0]
inertia = { xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0 }
"""
NOTHING = 'six(num("0"), num("0"), num("0"), num("0"), num("0"), num("0"))'
MASSLESS = f'body(steps(), num("0"), at_com, vec(num("0"), num("0"), num("0")), about_com, {NOTHING})'
TABLE = [
    'value("half", num("0.25"))',
    'value("whole", (num("2") * symbol("half")))',
    'value("twist", deg("30"))',
    'gravity(num("0"), num("0"), -(symbol("g")))',
    'base(steps(shift("x", num("0")), shift("y", num("0.1")), shift("z", num("0")), turn("z", quarter(1)), '
    'turn("y", num("0")), turn("x", num("0"))))',
    'row("waist", "R", steps(), deg("45"), 1, steps(shift("z", symbol("whole")), shift("x", num("0")), '
    'turn("x", quarter(-1))))',
    'body(steps(), symbol("m1"), at_com, vec(num("0.001"), symbol("rc"), num("0")), about_com, '
    'six(num("0.1"), num("0.01"), num("0"), num("0.2"), num("0"), num("0.15")))',
    'motor(symbol("Im"), num("0.5"), num("0"), symbol("fo"))',
    'friction("asymmetric", num("1"), num("2"), num("0"), num("0"))',
    'row("plate", "F", steps(), num("0"), 1, steps(turn("z", num("0")), shift("z", num("0")), '
    'shift("x", num("0.2")), turn("x", symbol("twist"))))',
    MASSLESS,
    'row("slide", "P", steps(turn("z", symbol("phi"))), num("0"), -1, steps(shift("x", num("0")), '
    'turn("x", (quarter(1) + deg("30")))))',
    'body(steps(), num("2"), first_moment, vec(num("0"), num("0"), num("0.3")), about_origin, '
    'six(num("0.1"), num("0"), num("0"), num("0.1"), num("0"), num("0.02")))',
    'motor(num("0"), num("0"), num("0"), num("0"))',
    'friction("load", num("0.1"))',
    'row("other", "R", steps(), num("0"), 1, steps(shift("z", num("0")), shift("x", num("0.3")), turn("x", num("0"))))',
    MASSLESS,
    'motor(num("0"), num("0"), num("0"), num("0"))',
    "stands_on(1)",
    'tool(steps(shift("x", symbol("t")), shift("y", num("0")), shift("z", num("0")), turn("z", num("0")), '
    'turn("y", num("0")), turn("x", num("0"))))',
    f'payload(num("0.5"), at_com, vec(num("0"), num("0"), symbol("pz")), about_com, {NOTHING})',
]
NUMBERS = 'free_numbers("m1", "rc", "Im", "fo", "t", "pz", "g")'


def lines(robot: mp.Robot, symbolic: Symbolic = "auto") -> list[str]:
    return [call.text for call in robot_lines(robot, symbolic, words_of(robot, symbolic))]


def loaded() -> mp.Robot:
    return mp.Robot.from_text(FILE).with_payload(mass=0.5, com=(0, 0, "pz"))


def test_the_table_has_every_number_of_the_file_in_si() -> None:
    assert lines(loaded()) == [NUMBERS, 'free_angles("phi")', *TABLE]


def test_an_angle_that_becomes_a_symbol_is_drawn_as_one() -> None:
    """A twist, a name with a value that stands in it, an offset; a length beside them stays a number."""
    found = lines(loaded(), ("alpha1", "twist", "theta1", "a2"))
    assert found[0] == 'free_numbers("m1", "rc", "Im", "fo", "a2", "t", "pz", "g")'
    assert found[1] == 'free_angles("theta1", "alpha1", "twist", "phi")'
    assert 'value("twist", deg("30"))' not in found and 'value("half", num("0.25"))' in found


def test_a_tool_in_the_middle_says_its_row() -> None:
    held = mp.Robot.from_text(FILE.replace("[tool]\n", '[tool]\non = "slide"\n'))
    assert lines(held)[-1] == "tool_on(3)" and not [x for x in lines(loaded()) if x.startswith("tool_on")]


def test_a_kind_of_joint_that_the_checker_lacks_is_named() -> None:
    screw = FILE.replace(
        'name = "other"\nparent = "waist"\ntype = "revolute"', 'name = "nut"\ntype = "helical"\npitch = 1'
    )
    with pytest.raises(
        InputError, match=r"^table: joint 'nut' is helical, which the checker does not know; emit without"
    ):
        lines(mp.Robot.from_text(screw))
