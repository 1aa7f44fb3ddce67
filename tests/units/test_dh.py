"""Denavit–Hartenberg tables as people paste them, Python rows, saved tables, and tables for display."""

from __future__ import annotations

import math
import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manipula.errors import ManipulaWarning, RobotFileError
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.formats.conversion.tables import geometry_table, tables_of
from manipula.mechanics.robot.formats.dh.read import dh_text_from_robot, robot_from_dh_text, robot_from_rows
from manipula.mechanics.robot.formats.rows import row_from_joint
from manipula.mechanics.robot.formats.toml.read import robot_from_toml, toml_from_robot
from manipula.mechanics.robot.values.parameter import ZERO, Deg, Name, Num, Parameter
from tests.random_robots import random_robot


def pasted(text: str, **options: Any) -> RobotDescription:
    """A table that says its convention."""
    return robot_from_dh_text(text, **{"convention": "standard", **options})


def rows_of(robot: RobotDescription, convention: Any = "standard") -> list[tuple[Parameter, ...]]:
    """theta, d, a, alpha of every joint."""
    rows = [row_from_joint(joint, convention) for joint in robot.joints]
    return [(row.theta.parameter, row.d.parameter, row.a.parameter, row.alpha.parameter) for row in rows if row]


def deg(value: int) -> Deg:
    return Deg(Fraction(value))


def num(text: str) -> Num:
    return Num(Fraction(text))


TWO = [(ZERO, num("0.1491"), ZERO, deg(-90)), (deg(90), ZERO, num("0.4318"), ZERO)]
SPELLINGS = {
    "commas": "joint,type,theta,d,a,alpha\n1,R,q1,0.1491,0,-90°\n2,R,q2+90°,0,0.4318,0",
    "commas and quotes": 'theta,d,a,alpha\nq1,"0,1491",0,-90°\nq2+90°,0,"0,4318",0',
    "semicolons, Portuguese": "junta;tipo;teta;d;a;alfa\n1;rotação;θ1;0,1491;0;-90º\n2;Rotacional;θ2 + 90º;0;0,4318;0",
    "tabs": "elo\tα\ta\td\tθ\n1\t-90°\t0\t0,1491\tθ1*\n2\t0\t0,4318\t0\t90° + θ2*",
    "markdown": "| Link | θᵢ | dᵢ | aᵢ | αᵢ |\n|:--|--|--|--|--:|\n"
    "| 1 | θ₁ | 0.1491 | 0 | −π/2 |\n| 2 | θ₂+π/2 | 0 | 0.4318 | 0 |",
    "box drawing": "┌──┬──┬──┬──┐\n│θⱼ│dⱼ│aⱼ│⍺ⱼ│\n├──┼──┼──┼──┤\n"
    "│q1│0.1491│0│-90.0°│\n│q2+90°│0│0.4318│0.0°│\n└──┴──┴──┴──┘",
    "ascii frame": "+-+-+-+-+-+\n"
    "| j | theta | d | a | alpha | offset |\n+-+-+-+-+-+\n| 1 | q1 | 0.1491 | 0 | -90° | 0 |\n"
    "| 2 | q2 | 0 | 0.4318 | 0 | 90° |",
    "blanks": "theta (deg)  d [m]  a [m]  alpha (deg)\n0  0,1491  0  -90\n90  0  0,4318  0",
    "single blanks": "theta (deg) d a alpha (deg)\nq1 0.1491 0 -90\n90 0 0.4318 0".replace("90 0", "q2+90 0"),
    "millimetres": "theta (graus); d (mm); a (mm); alpha (graus)\n0; 149,1; 0; -90\n90; 0; 431,8; 0",
    "latex": "i & \\theta_i & d_i & a_i & \\alpha_i \\\\ \\hline\n1 & $\\theta_1$ & 0.1491 & 0 & $-\\pi/2$ \\\\\n"
    "2 & $\\theta_2+\\pi/2$ & 0 & 0.4318 & 0 \\\\",
    "commented header": "# theta,d,a,alpha\nq1,0.1491,0,-pi/2\nq2+pi/2,0,0.4318,0",
    "sigma": "σ;θ;d;a;α\n0;-;0.1491;0;-90 deg\n0;90 deg;0;0.4318;0",
    "byte order mark": "\ufefftheta;d;a;alpha\r\nq1;0,1491;0;-90°\r\nq2+90°;0;0,4318;0\r\n",
}  # fmt: skip


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_one_table_in_many_spellings(spelling: str) -> None:
    robot = pasted(SPELLINGS[spelling])
    assert rows_of(robot) == TWO
    assert [joint.kind for joint in robot.joints] == ["revolute", "revolute"]
    assert robot.joint_names == ("joint1", "joint2")


def test_names_values_and_unknown_masses() -> None:
    robot = pasted("# a2 = 0.4318\ntheta,d,a,alpha\nq1,0,0,-90°\nq2,d2,a2,0\n", name="arm")
    assert rows_of(robot)[1] == (ZERO, Name("d2"), Name("a2"), ZERO)
    assert robot.values == (("a2", num("0.4318")),)
    assert robot.name == "arm" and robot.joints[0].body is not None and robot.joints[0].body.mass.value is None


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("theta,d,a,alpha\nθ1,0,0,-90°\nθ2,d2,0,90°\n0,q3,0,0", "rrp"),
        ("theta,d,a,alpha\nθ1,0,0,-90°\nθ2,d2,0,90°\n0,d3*,0,0", "rrp"),
        ("tipo,theta,d,a,alpha\nR,θ1,0,0,-90°\nP,0,d2,0,90°\nfixa,30°,0,0,0", "rpf"),
        ("theta,d,a,alpha\n0,1,0,0\n0,0,1,0", "rr"),
    ],
)
def test_kinds(text: str, kinds: str) -> None:
    robot = pasted(text)
    assert "".join(joint.kind[0] for joint in robot.joints) == kinds
    assert all(joint.offset.value == ZERO for joint in robot.joints)


def test_a_bare_d3_is_taken_as_prismatic_and_told() -> None:
    with pytest.warns(ManipulaWarning, match=r"^s\.csv: joint 3: d: d3 is taken as a prismatic joint's variable"):
        robot = pasted("theta,d,a,alpha\nθ1,0,0,-90°\nθ2,d2,0,90°\n0,d3,0,0", file="s.csv")
    assert robot.joints[2].kind == "prismatic"


@pytest.mark.parametrize(("word", "way"), [("", 1), ("1", 1), ("+1", 1), ("+", 1), ("-1", -1), ("-", -1)])
def test_the_sign_of_a_variable_and_its_direction_multiply(word: str, way: int) -> None:
    """In either place, in both; of an angle and of a stroke."""
    for sign, row in ((1, "q1,0,1,0"), (-1, "-q1,0,1,0"), (1, "0,q1,1,0"), (-1, "0,-q1,1,0")):
        robot = pasted(f"theta,d,a,alpha (deg),direction\n{row},{word}\n")
        assert robot.joints[0].direction == sign * way and robot.joints[0].turns == (row[0] != "0")
    with pytest.raises(RobotFileError, match=r"direction: found '2' \(expected 1 or -1\)"):
        pasted("theta,d,a,alpha (deg),direction\nq1,0,1,0,2\n")


def test_direction_and_offset_of_the_variable() -> None:
    robot = pasted("theta,d,a,alpha\n-q1+pi/4,0,0,pi/2\npi/2 - θ2,0,L,0\n")
    assert [joint.direction for joint in robot.joints] == [-1, -1]
    assert [joint.offset.value for joint in robot.joints] == [deg(45), deg(90)]


@pytest.mark.parametrize("header", ["a(i-1),alpha(i-1)", "a_{i-1},alpha_{i-1}", "ai−1,αi−1", "aⱼ₋₁,⍺ⱼ₋₁"])
def test_modified_convention_in_the_header(header: str) -> None:
    robot = robot_from_dh_text(f"i,{header},d,theta\n1,0,0,0,θ1\n2,0,-90°,0,θ2\n3,a2,0,d3,θ3")
    assert robot.origin.convention == "modified"
    assert [joint.after for joint in robot.joints] == [(), (), ()]
    assert rows_of(robot, "modified")[2] == (ZERO, Name("d3"), Name("a2"), ZERO)
    assert rows_of(robot_from_dh_text(SPELLINGS["commas"], convention="modified"), "modified") == TWO


def test_header_against_argument() -> None:
    with pytest.warns(ManipulaWarning, match="reads like the modified convention"):
        robot_from_dh_text("alpha(i-1),a(i-1),d,theta\n0,0,0,q1", convention="standard")
    with pytest.raises(RobotFileError, match="the header says deg, but angle='rad' was requested"):
        robot_from_dh_text("theta,d,a,alpha (deg)\nq1,0,0,90", angle="rad")


@pytest.mark.parametrize(
    ("alpha", "unit", "value"), [("90", "degrees", deg(90)), ("0.5", "radians", num("0.5")), ("30", "degrees", deg(30))]
)
def test_an_open_unit_is_assumed_by_size_and_told(alpha: str, unit: str, value: Parameter) -> None:
    with pytest.warns(ManipulaWarning, match=f"{unit} are assumed"):
        robot = pasted(f"theta,d,a,alpha\nq1,0,1,{alpha}\n")
    assert rows_of(robot)[0][3] == value
    assert rows_of(pasted(f"theta,d,a,alpha\nq1,0,1,{alpha}\n", angle="deg"))[0][3] == Deg(Fraction(alpha))


def test_a_rounded_quarter_turn_is_recovered_and_told() -> None:
    with pytest.warns(ManipulaWarning) as told:
        robot = pasted("theta,d,a,alpha (rad)\nq1,0,1,-1.5708\n")
    assert rows_of(robot)[0][3] == deg(-90)
    (message,) = (str(one.message) for one in told)
    assert "near multiples of 90°, so read as such: joint 1 'joint1': alpha -1.5708 rad as -90° (exact" in message
    assert message.count("-1.5708") == 1


def test_columns_by_order() -> None:
    robot = pasted("-90° 0 0,1491 q1\n0 0,4318 0 q2+90°", columns=("alpha", "a", "d", "theta"))
    assert rows_of(robot) == TWO


def test_python_rows() -> None:
    tuples = robot_from_rows([("q1", 0.1491, 0, -90), ("q2+90", 0, 0.4318, 0, "R")])
    radians = robot_from_rows([(0, 0.1491, 0, -math.pi / 2), (np.pi / 2, 0, np.float64(0.4318), 0)], angle="rad")
    array = robot_from_rows(np.array([[0, 149.1, 0, -90], [90, 0, 431.8, 0]]), length="mm")
    dicts = robot_from_rows(
        [{"d": 0.1491, "a": 0, "alpha": -90}, {"theta": 90, "d": 0, "a": 0.4318, "alpha": 0, "mass": "m2"}]
    )
    assert rows_of(tuples) == rows_of(radians) == rows_of(array) == rows_of(dicts) == TWO
    assert tuples.origin.format == "python" and tuples.origin.angle == "deg"


def test_python_rows_take_every_key_of_the_file() -> None:
    robot = robot_from_rows(
        [
            {"name": "lift", "type": "P", "theta": 0, "a": 0, "alpha": 0, "com": np.zeros(3), "limits": (0, 1)},
            (None, 0, "L", 90),
        ],
        convention="modified",
        columns="theta d a alpha",
        name="rp",
        gravity=(0, -9.81, 0),
        values={"L": 0.5},
        tool={"xyz": [0, 0, 0.1]},
        inertia_default=0,
    )
    assert (robot.name, robot.joint_names, robot.joints[0].limits) == ("rp", ("lift", "joint2"), (ZERO, num("1")))
    assert robot.gravity[1].value == num("-9.81") and robot.tool[2].amount.value == num("0.1")
    assert robot_from_toml(toml_from_robot(robot)) == robot


@pytest.mark.parametrize("convention", ["standard", "modified"])
@pytest.mark.parametrize("seed", range(10))
def test_saved_tables_read_back(seed: int, convention: Any) -> None:
    robot = random_robot(seed, joints="RPRRP"[: 1 + seed % 5], convention=convention)
    text = dh_text_from_robot(robot)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ManipulaWarning)
        again = robot_from_dh_text(text)
    assert dh_text_from_robot(again).splitlines() == [line for line in text.splitlines() if "not in this" not in line]
    assert _settled(rows_of(again, convention)) == _settled(rows_of(robot, convention))
    assert [joint.direction for joint in again.joints] == [joint.direction for joint in robot.joints]
    assert again.name == robot.name and again.joint_names == robot.joint_names


def _settled(rows: list[tuple[Parameter, ...]]) -> list[tuple[Parameter, ...]]:
    return [tuple(ZERO if entry == deg(0) else entry for entry in row) for row in rows]


decimals = st.decimals(-5, 5, places=3).map(str)
angles = st.one_of(st.integers(-360, 360).map("{}°".format), st.sampled_from(["pi/3", "-pi/7", "phi", "0", "pi/2-phi"]))
lengths = st.one_of(decimals, st.sampled_from(["L1", "2*L1", "L1+L2", "1/3"]))


@st.composite
def tables(draw: st.DrawFn) -> str:
    mark = draw(st.sampled_from([";", "\t", " | "]))
    lines = [mark.join(("junta", "tipo", "teta", "d", "a", "alfa"))]
    for row in range(1, draw(st.integers(1, 5)) + 1):
        kind = draw(st.sampled_from("RP")) if row > 1 else "R"
        theta = draw(st.sampled_from([f"q{row}", f"-q{row}", f"θ{row} + 45°"])) if kind == "R" else draw(angles)
        d = draw(lengths) if kind == "R" else draw(st.sampled_from([f"q{row}", f"d{row}*", f"q{row}+0,5"]))
        lines.append(mark.join((f"n{row}", kind, theta, d, draw(lengths), draw(angles))))
    return "\n".join(lines)


@settings(max_examples=60, deadline=None)
@given(tables(), st.sampled_from(["standard", "modified"]))
def test_text_to_robot_to_text_to_robot(text: str, convention: Any) -> None:
    robot = robot_from_dh_text(text, convention=convention)
    again = robot_from_dh_text(dh_text_from_robot(robot))
    assert again == robot
    assert robot_from_toml(toml_from_robot(robot)) == robot


def test_the_table_for_display() -> None:
    robot = pasted("tipo;theta;d;a;alpha\nR;-q1+90°;0;a1;-90°\nF;30°;0,2;0;0\nP;0;q3;0;phi\n")
    table = geometry_table(robot)
    assert table.columns == ("joint", "name", "type", "theta (deg)", "d (m)", "a (m)", "alpha (deg)", "limits")
    assert table.rows == (
        ("1", "joint1", "revolute", "-q1 + 90", "0", "a1", "-90", ""),
        ("", "fixed1", "fixed", "30", "0.2", "0", "0", ""),
        ("2", "joint2", "prismatic", "0", "q2", "0", "phi", ""),
    )
    modified = geometry_table(pasted(SPELLINGS["commas"], convention="modified"))
    assert modified.columns[3:7] == ("alpha(i-1) (deg)", "a(i-1) (m)", "theta (deg)", "d (m)")


@pytest.mark.parametrize("convention", ["standard", "modified", "urdf"])
@pytest.mark.parametrize("seed", range(4))
def test_every_robot_has_tables(seed: int, convention: Any) -> None:
    robot = random_robot(seed, convention=convention)
    shown = tables_of(robot)
    assert len(shown[0].rows) == len(robot.joints)
    assert all(len(row) == len(table.columns) for table in shown for row in table.rows)
    assert all(isinstance(cell, str) for table in shown for row in table.rows for cell in row)


@pytest.mark.parametrize(
    ("text", "convention", "order"),
    [
        ("θ1 0 l1 0\nθ2 0 l2 0", "standard", "theta, d, a, alpha"),
        ("θ1\t0\tl1\t0\nθ2\t0\tl2\t0", "standard", "theta, d, a, alpha"),
        ("θ1, 0, l1, 0\nθ2, 0, l2, 0", "standard", "theta, d, a, alpha"),
        ("1 θ1 0 l1 0 R\n2 θ2 0 l2 0 R", "standard", "theta, d, a, alpha"),
        ("0 l1 0 θ1\n0 l2 0 θ2", "standard", "alpha, a, d, theta"),
        ("0 l1 0 θ1\n0 l2 0 θ2", "modified", "alpha, a, d, theta"),
        ("θ1 0 l1 0\nθ2 0 l2 0", "modified", "theta, d, a, alpha"),
        ("1; 0; l1; 0; 0\n2; 0; l2; 0; 0", "modified", "alpha, a, d, theta"),
    ],
)
def test_a_table_without_a_header(text: str, convention: Any, order: str) -> None:
    """The column of the variables decides, then the convention."""
    with pytest.warns(ManipulaWarning, match=f"the columns are taken as {order} "):
        bare = robot_from_dh_text(text, convention=convention, angle="deg")
    rows = [{"theta": 0, "d": 0, "a": name, "alpha": 0} for name in ("l1", "l2")]
    assert bare.joints == robot_from_rows(rows, convention=convention).joints


def test_decimal_commas_without_a_header_are_no_columns() -> None:
    with pytest.warns(ManipulaWarning, match="the columns are taken as theta, d, a, alpha"):
        robot = robot_from_dh_text("0,5 0,25 0,125 0,75\n", convention="standard", angle="rad")
    assert robot.joints == robot_from_rows([(0.5, 0.25, 0.125, 0.75)], angle="rad").joints


@pytest.mark.parametrize("text", ["one two six ten\n0 0 1 0", "0 0 1\n0 0 2", "θ d\nq1 0", "0 0 1 0 0 0 0\n"])
def test_columns_that_cannot_be_decided_are_asked_for(text: str) -> None:
    with pytest.raises(RobotFileError, match="the first line is not a header") as caught:
        robot_from_dh_text(text, convention="standard", angle="deg")
    assert "columns=" not in str(caught.value)


@pytest.mark.parametrize("mark", ["d3*", "d3 *", "d3(t)", "d_3*", "d3* + 0.2"])
def test_a_row_of_python_marks_a_slide_as_a_pasted_table_does(mark: str) -> None:
    """Stars of Spong's tables, in tuples and in dicts, without a type."""
    rows: list[Any] = [("θ1*", "d1", 0, "-pi/2"), ("θ2*", "d2", 0, "pi/2"), (0, mark, 0, 0)]
    typed = robot_from_rows([*rows[:2], (0, 0.2 if "0.2" in mark else 0, 0, 0, "P")])
    tables: list[Any] = [dict(zip(("theta", "d", "a", "alpha"), row, strict=True)) for row in rows]
    for found in (robot_from_rows(rows), robot_from_rows(tables)):
        assert [joint.kind for joint in found.joints] == ["revolute", "revolute", "prismatic"]
        assert geometry_table(found).rows == geometry_table(typed).rows
    with pytest.raises(RobotFileError, match=r"joint 3: d: .*another joint"):
        robot_from_rows([*rows[:2], (0, "d2*", 0, 0)])
