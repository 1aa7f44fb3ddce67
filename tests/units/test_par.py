"""SYMORO files: both spellings that exist, every convention of theirs, and what cannot be read."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.errors import InputError, RobotFileError
from manipula.mechanics.robot.description import Cell, Step, cell_with_value
from manipula.mechanics.robot.formats.conversion.conventions import to_modified
from manipula.mechanics.robot.formats.par.read import robot_from_par
from manipula.mechanics.robot.formats.par.write import par_from_robot
from manipula.mechanics.robot.values.parameter import Deg, Name, Num, ParameterOp
from tests.arm_numbers import assert_same_arm, pose_and_torques
from tests.golden.sentences import Sentences
from tests.linkages import ALL, four_bar
from tests.random_robots import random_robot

# The first three joints of the Stanford arm in SYMORO's convention (Khalil and Dombre), as OpenSYMORO saves a robot.
NEW = """(* Robotname = 'stanford3' *)
NL = 3
NJ = 3
NF = 3
Type = 0
is_mobile = 0

(* Geometric parameters *)
ant = {0,1,2}
sigma = {0,0,1}
b = {0,0,0}
d = {0,0,0}
r = {0,RL2,r3}
gamma = {0,0,0}
alpha = {0,-pi/2,pi/2}
mu = {1,1,1}
theta = {th1,th2,0}

(* Dynamic parameters and external forces *)
XX = {XX1,XX2,XX3}
XY = {0,0,0}
XZ = {0,0,0}
YY = {YY1,YY2,YY3}
YZ = {0,0,0}
ZZ = {ZZ1,ZZ2,ZZ3}
MX = {0,0,0}
MY = {0,MY2,0}
MZ = {0,0,MZ3}
M = {M1,M2,M3}
IA = {IA1,0,0}
FV = {FV1,0,0}
FS = {FS1,0,0}
FX = {0,0,FX3}
FY = {0,0,0}
FZ = {0,0,0}
CX = {0,0,0}
CY = {0,0,0}
CZ = {0,0,0}

QP = {QP1,QP2,QP3}
QDP = {QDP1,QDP2,QDP3}
GAM = {GAM1,GAM2,GAM3}
W0 = {0,0,0}
WP0 = {0,0,0}
V0 = {0,0,0}
VP0 = {0,0,0}
G = {0,0,G3}
Z = {1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1}
(* End of definition *)
"""


# A rhombus of four equal bars about one axis of the base: row 5 is the cut, row 6 its other end.
RHOMBUS = """(* Robotname = 'rhombus' *)
NL = 4
NJ = 5
NF = 6
Type = 2
ant = {0,1,0,3,4,2}
sigma = {0,0,0,0,0,2}
d = {0,d,0,d,d,d}
mu = {1,0,1,0,0,0}
theta = {th1,th2,th3,th4,th5,0}
MX = {MX1,MX2,MX3,MX4}
M = {M1,M2,M3,M4}
G = {0,-9.81,0}
"""


def old_spelling(text: str) -> str:
    """The way SYMORO+ wrote the same lists: capitals, `Pi`, lists over several lines, comments behind values."""
    for new, old in (("ant", "Ant"), ("sigma", "Sigma"), ("b =", "B ="), ("r =", "R  ="), ("alpha", "Alpha"),
                     ("theta", "Theta"), ("mu", "Mu"), ("pi", "Pi"), ("Type = 0", "Type = 0 (* Simple *)"),
                     ("is_mobile = 0\n", "")):  # fmt: skip
        text = text.replace(f"\n{new}", f"\n{old}") if new != "pi" else text.replace(new, old)
    return text.replace("{", "{\n        ").replace("0,0,\n", "0,\n  0,\n")


def test_columns_become_joints() -> None:
    arm = robot_from_par(NEW, "stanford3.par")
    assert arm.name == "stanford3"
    assert [joint.kind for joint in arm.joints] == ["revolute", "revolute", "prismatic"]
    first, second, third = arm.joints
    assert [(step.kind, step.amount.value) for step in second.before] == [
        ("rx", Deg(Fraction(-90))), ("tx", Num(Fraction(0))), ("tz", Name("RL2")),
    ]  # fmt: skip
    assert (first.offset.value, third.offset.value) == (Num(Fraction(0)), Num(Fraction(0)))
    assert first.body is not None
    assert (first.body.centre_is, first.body.inertia_is) == ("first_moment", "origin")
    assert [cell.value for cell in first.body.inertia][::3] == [Name("XX1"), Name("YY1")]
    assert tuple(first.actuator[letters].value for letters in ("Ia", "fv", "fc")) == (
        Name("IA1"), Name("FV1"), Name("FS1"),
    )  # fmt: skip
    assert arm.gravity[2].value == Name("G3")
    assert arm.origin.notes == ("not read, for no model needs it: FX, QP, QDP, GAM",)


def test_the_old_spelling_reads_the_same() -> None:
    assert robot_from_par(old_spelling(NEW)) == robot_from_par(NEW)


def test_pose_is_khalils() -> None:
    """T = Rz(γ) Tz(b) Rx(α) Tx(d) Rz(θ) Tz(r)"""
    text = """sigma = {0}
    gamma = {0.3}
    b = {0.4}
    alpha = {0.5}
    d = {0.6}
    theta = {t1+pi/2}
    r = {0.7}"""
    pose, _ = pose_and_torques(robot_from_par(text), [0.2], [0], [0])
    expected = _z(0.3, 0.4) @ _x(0.5, 0.6) @ _z(0.2 + np.pi / 2, 0.7)
    np.testing.assert_allclose(pose, expected, atol=1e-15)


def test_a_tree_has_its_rows_on_those_that_ant_names() -> None:
    tree = robot_from_par(NEW.replace("Type = 0", "Type = 1").replace("ant = {0,1,2}", "ant = {0,1,1}"))
    assert tree.parents == (-1, 0, 0)
    late = robot_from_par(NEW.replace("Type = 0", "Type = 1").replace("ant = {0,1,2}", "ant = {3,1,0}"))
    assert [joint.name for joint in late.joints] == ["joint3", "joint1", "joint2"]


def test_a_loop_is_a_cut_joint_and_a_frame() -> None:
    loop = robot_from_par(RHOMBUS, exact=True)
    assert loop.motors == ("joint1", "joint3")
    assert [(x.joins, x.free) for x in loop.loops] == [(("frame5", "frame6"), "z")]
    assert [(x.name, x.on) for x in loop.frames] == [("frame5", "joint4"), ("frame6", "joint2")]
    rod = robot_from_par(RHOMBUS.replace("sigma = {0,0,0,0,0,2}", "sigma = {0,0,0,0,1,2}"), exact=True)
    assert [x.free for x in rod.loops] == ["slide z"]


def test_a_cut_joint_with_a_motor_stays_a_joint() -> None:
    driven = robot_from_par(RHOMBUS.replace("mu = {1,0,1,0,0,0}", "mu = {1,0,0,0,1,0}"), exact=True)
    assert driven.motors == ("joint1", "joint5")
    assert [(x.joins, x.free) for x in driven.loops] == [(("frame5", "frame6"), "")]
    assert driven.frames[0].on == "joint5"


def test_a_rhombus_of_symbols_needs_no_loop() -> None:
    robot = robot_from_par(RHOMBUS)
    assert robot.loops == robot.motors == ()
    follow = {joint.name: dict(joint.coordinate.terms) for joint in robot.joints if joint.coordinate}
    assert follow == {"joint2": {"joint1": -1, "joint3": 1}, "joint4": {"joint1": 1, "joint3": -1}}


@pytest.mark.parametrize(("flag", "moving"), [("is_mobile = 1", "given"), ("is_floating = True", "free")])
def test_a_base_that_moves_is_link_0(flag: str, moving: str) -> None:
    arm = robot_from_par(NEW.replace("is_mobile = 0", flag).replace("VP0 = {0,0,0}", "VP0 = {VPx,0,0}"))
    assert arm.moving == moving
    lists = re.sub(r"(?m)^(XX|XY|XZ|YY|YZ|ZZ|MX|MY|MZ|M|IA|FV|FS) = \{", r"\1 = {\g<1>0,", NEW)
    whole = robot_from_par(lists.replace("is_mobile = 0", flag))
    assert whole.ground[0].body.mass.value == Name("M0")
    assert whole.joints == arm.joints


def test_joints_may_follow_others() -> None:
    robot = robot_from_par("sigma = {0,0,0}\ntheta = {t1,t2,t1/2-2*t2+pi/2}\nd = {0,1,1}")
    follower = robot.joints[2]
    assert follower.coordinate is not None
    assert dict(follower.coordinate.terms) == {"joint1": Fraction(1, 2), "joint2": -2}
    assert follower.offset.value == Deg(Fraction(90))


def _z(angle: float, shift: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, shift], [0, 0, 0, 1]])


def _x(angle: float, shift: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1, 0, 0, shift], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1]])


@pytest.mark.parametrize(
    ("theta", "offset", "direction"),
    [
        ("t1", Num(Fraction(0)), 1),
        ("anything", Num(Fraction(0)), 1),
        ("th1 - pi/2", Deg(Fraction(-90)), 1),
        ("pi - q1", Deg(Fraction(180)), -1),
        ("t1 + beta", Name("beta"), 1),
        ("0.5", Num(Fraction(1, 2)), 1),
    ],
)
def test_joint_variable_and_offset(theta: str, offset: object, direction: int) -> None:
    (joint,) = robot_from_par(f"sigma = {{0}}\ntheta = {{{theta}}}").joints
    assert (joint.offset.value, joint.direction) == (offset, direction)


def test_gravity_is_given_in_frame_0() -> None:
    """Frame 0 hangs upside down, so what it calls +z is the world's −z."""
    arm = robot_from_par("sigma = {0}\nG = {0,0,9.81}\nZ = {1,0,0,0, 0,-1,0,h, 0,0,-1,2, 0,0,0,1}")
    assert [cell.value for cell in arm.gravity] == [Num(Fraction(0)), Num(Fraction(0)), Num(Fraction("-9.81"))]
    assert [(step.kind, step.amount.value) for step in arm.base] == [
        ("ty", Name("h")), ("tz", Num(Fraction(2))), ("rx", Deg(Fraction(180))),
    ]  # fmt: skip


def test_unknown_inertia_stays_unknown() -> None:
    arm = robot_from_par("sigma = {0}")
    assert {"m1", "mx1", "Lxx1"} <= set(arm.names())


MALFORMED = {
    "empty": ("", ["empty"]),
    "not a par file": ("hello", ["Sigma"]),
    "closed loop": (NEW.replace("Type = 0", "Type = 2"), ["Type", "NJ = 3", "closed robot"]),
    "structure": (NEW.replace("Type = 0", "Type = 3"), ["Type = 3", "serial"]),
    "no number": (NEW.replace("NL = 3", "NL = three"), ["NL", "three", "whole number"]),
    "circle": (NEW.replace("Type = 0", "Type = 1").replace("ant = {0,1,2}", "ant = {2,1,2}"), ["joint 1", "circle"]),
    "antecedent": (NEW.replace("Type = 0", "Type = 1").replace("ant = {0,1,2}", "ant = {0,1,7}"), ["joint 3", "7"]),
    "frames of a tree": (NEW.replace("Type = 0", "Type = 1").replace("NF = 3", "NF = 4"), ["NF", "4", "tree"]),
    "no motors": (RHOMBUS.replace("mu = {1,0,1,0,0,0}\n", ""), ["Mu", "missing"]),
    "bodies of cuts": (RHOMBUS.replace("M = {M1,M2,M3,M4}", "M = {1,2,3,4,5}"), ["M", "5 entries", "link"]),
    "tree": (NEW.replace("ant = {0,1,2}", "ant = {0,1,1}"), ["joint 3", "Ant", "tree"]),
    "moving base": (NEW.replace("VP0 = {0,0,0}", "VP0 = {0,0,1}"), ["VP0", "moving base"]),
    "elastic": (NEW + "eta = {0,1,0}\n", ["eta", "elastic"]),
    "count": (NEW.replace("NJ = 3", "NJ = 4"), ["NJ", "4", "3 entries"]),
    "short list": (NEW.replace("d = {0,0,0}", "d = {0,0}"), ["d", "found 2 entries"]),
    "joint type": (NEW.replace("sigma = {0,0,1}", "sigma = {0,0,5}"), ["joint 3", "Sigma", "5"]),
    "bad entry": (NEW.replace("RL2", "RL2 cm"), ["joint 2", "r", "RL2 cm"]),
    "atan2": (NEW.replace("RL2", "exec(1)"), ["joint 2", "r", "exec"]),
    "unknown list": (NEW + "Mass = {1,2,3}\n", ["Mass", "unknown list"]),
    "list twice": (NEW + "M = {1,2,3}\n", ["M", "twice"]),
    "brace": (NEW.replace("theta = {th1,th2,0}", "theta = {th1,th2,0"), ["closing braces"]),
    "variable": (NEW.replace("th2", "2*th2"), ["joint 2", "Theta", "not clear"]),
    "no rotation": (NEW.replace("Z = {1,", "Z = {2,"), ["Z", "rotation"]),
    "mirrored": (NEW.replace("Z = {1,", "Z = {-1,"), ["Z", "rotation"]),
    "last row of the base": (NEW.replace("0,0,0,1}", "0,0,0,2}"), ["Z", "last row", "0 0 0 2"]),
    "gravity": (NEW.replace("G = {0,0,G3}", "G = {0,G3}"), ["G", "three"]),
    "negative mass": (NEW.replace("M = {M1,", "M = {-1,"), ["joint 1", "mass", "negative: -1"]),
    "negative motor": (NEW.replace("IA = {IA1,", "IA = {-2,"), ["joint 1", "motor_inertia", "negative: -2"]),
    "no body": (
        "sigma = {0}\nXX = {-1}\nXY = {0}\nXZ = {0}\nYY = {1}\nYZ = {0}\nZZ = {1}",
        ["inertia", "not positive"],
    ),
    "nothing moves": ("sigma = {2,2}", ["Sigma", "no joint moves"]),
    "coupled angles": (NEW.replace("th2", "th2-th1"), ["joint 1", "th1", "coupled"]),
    "coupled by a length": (NEW.replace("d = {0,0,0}", "d = {0,0,r3}"), ["joint 3", "r3", "coupled"]),
    "one variable": (NEW.replace("th1", "own").replace("th2", "own"), ["joint 2", "own", "joint 1"]),
    "a length called as a mass": ("sigma = {0,0}\nd = {0,m1}", ["m1", "another entry"]),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_malformed(case: str, whole: Sentences) -> None:
    text, expected = MALFORMED[case]
    with whole.raises(RobotFileError) as caught:
        robot_from_par(text, "bad.par")
    message = str(caught.value)
    assert message.startswith("bad.par: ")
    for part in expected:
        assert part in message


@pytest.mark.parametrize(("joint", "field", "entry"), [(2, "theta", "th2"), (3, "r", "r3")])
def test_an_entry_whose_variable_is_not_clear_is_read_once_written_as_the_sentence_says(
    joint: int, field: str, entry: str
) -> None:
    table = {"sigma": "{0,0,1}", "theta": "{th1,th2,0}", "r": "{0,0,r3}", "d": "{0,0.5,0}"}

    def read(text: str) -> Any:
        cells = table | {field: table[field].replace(entry, text)}
        return robot_from_par("\n".join(f"{key} = {cell}" for key, cell in cells.items()), "arm.par")

    with pytest.raises(RobotFileError) as caught:
        read(f"2*{entry}")
    advice = re.search(r"write it as (\S+) plus a constant", str(caught.value))
    assert advice and f"joint {joint}" in str(caught.value)
    assert float(read(f"{advice[1]} + 0.25").joints[joint - 1].offset.value.value) == 0.25


# Writing


def test_a_par_file_reads_writes_and_reads_the_same() -> None:
    arm = robot_from_par(NEW)
    assert robot_from_par(par_from_robot(arm)) == arm


@pytest.mark.parametrize("seed", range(12))
def test_written_arms_read_back_as_the_same_arm(seed: int) -> None:
    """Any convention, directions, base, tool, payload, carried bodies."""
    arm = random_robot(seed)
    assert_same_arm(arm, robot_from_par(par_from_robot(arm)))


@pytest.mark.drawn("name")
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", [x for x in ALL if not {"ball", "universal", "delta"} & set(x.split())])
def test_written_loops_read_back_as_the_same_robot(name: str, seed: int) -> None:
    robot = ALL[name](seed)
    back = mp.Robot.from_text(par_from_robot(robot), "par", exact=True)
    one, other = mp.Arm(robot, optimise="none"), mp.Arm(back, optimise="none")
    motors, rates = len(robot.motors), np.random.default_rng(seed).normal(size=(2, len(robot.motors)))
    at = robot.close(np.full(motors, 0.05))
    there = back.close(np.full(motors, 0.05), near=at.q)
    np.testing.assert_allclose(there.q, at.q, atol=1e-12)
    np.testing.assert_allclose(other.inverse_dynamics(there, *rates), one.inverse_dynamics(at, *rates), rtol=1e-9)


def test_what_the_format_has_no_joint_for_is_said() -> None:
    with pytest.raises(RobotFileError, match=r"loop 'pin': .*SYMORO has no word for: 'ball'"):
        par_from_robot(four_bar(free="ball"))


@pytest.mark.parametrize("text", [RHOMBUS, NEW.replace("is_mobile = 0", "is_floating = 1")])
def test_followers_loops_and_moving_bases_read_write_and_read_the_same(text: str) -> None:
    for exact in (True, False):
        robot = robot_from_par(text, exact=exact)
        back = robot_from_par(par_from_robot(robot), exact=exact)
        one, other = (par_from_robot(x).partition("NL =")[2] for x in (robot, back))
        assert one == other  # of the text: an unknown cell has become its name
        assert (back.loops, back.motors, back.moving, back.coordinates) == (
            robot.loops, robot.motors, robot.moving, robot.coordinates,
        )  # fmt: skip


def test_symbols_survive() -> None:
    """With a symbolic tool and a joint that counts backward."""
    arm = robot_from_par(NEW.replace("th2", "-th2+beta"))
    tool = (Step("tz", Cell("tool_z", Name("L"))), Step("rx", cell_with_value("tool_roll", Deg(Fraction(90)))))
    arm = replace(arm, tool=tool)
    text = par_from_robot(arm)
    assert "sigma = {0,0,1,2}" in text
    assert all(joint.direction == 1 for joint in robot_from_par(text).joints)
    assert_same_arm(arm, robot_from_par(text))


def test_named_values_are_written_as_numbers() -> None:
    arm = robot_from_par(NEW)
    arm = replace(arm, values=(("RL2", ParameterOp("/", (Name("L"), Num(Fraction(4))))),))
    assert "r = {0,L/4,r3}" in par_from_robot(arm)


def test_a_tool_of_any_shape_needs_numbers() -> None:
    arm = to_modified(robot_from_par(NEW))
    skewed = (Step("ry", Cell("tool_pitch", Name("psi"))),)
    with pytest.raises(InputError, match=r"its tool needs numbers.*psi"):
        par_from_robot(replace(arm, tool=skewed))
