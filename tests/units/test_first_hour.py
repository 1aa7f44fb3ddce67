"""What stops a stranger in the first hour: names, units and next steps that are not those of the robot at hand."""

from __future__ import annotations

import random
import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.cli.terminal.screen import wrapped_formula
from tests.golden.sentences import Sentences
from tests.units.test_cli import done

NOTHING = {"com": [0, 0, 0], "inertia": dict.fromkeys(("xx", "yy", "zz", "xy", "xz", "yz"), 0)}
ODD = [
    "c",
    "s",
    "c1",
    "s2",
    "c12",
    "tau1",
    "q1d",
    "M",
    "T",
    "R",
    "J",
    "x",
    "out",
    "g1",
    "v",
    "D1",
    "Y",
    "theta",
    "dd",
    "d",
]


def small_arm(draw: random.Random) -> mp.Robot:
    """One or two joints, all letters odd; in parentheses, since some read like a joint's variable."""
    names = iter(draw.sample(ODD, 6))
    rows = [
        {"type": draw.choice(["revolute", "revolute", "prismatic"]), "theta": 0, "d": 0, "a": f"({next(names)})",
         "alpha": 90 * i, "mass": next(names), **NOTHING}
        for i in range(draw.choice([1, 2, 2]))
    ]  # fmt: skip
    return mp.Robot.from_dh(rows, angle="deg", name="odd")


@pytest.mark.filterwarnings("ignore:odd. gravity does no work")  # of arms that turn about the vertical
@pytest.mark.parametrize("seed", range(6))
def test_units_are_told_of_what_is_printed(seed: int) -> None:
    draw = random.Random(seed)
    robot = small_arm(draw)
    for model in draw.sample(["pose", "jacobian", "gravity", "inertia_matrix", "coriolis", "tool_velocity"], 3):
        names = draw.choice(["file", "book"])
        built = mp.generate(robot, model, optimise="none")
        found = built.equations("factored", names=names, units=True)
        outputs = {left for (left, _), _ in found.lines}
        units = [name for name, _ in found.units]
        variables = {
            re.sub(r"\d+$", "", alias) for port in ("q", "qd") for alias in (port, f"theta{port[1:]}", f"d{port[1:]}")
        }
        assert set(units) <= outputs | variables
        assert not outputs & {name for port in built.inputs.values() for name in port}
        assert all(f"{name} [" in str(found) for name in units)


def test_variables_have_units_under_their_own_letters() -> None:
    slides = {"type": "prismatic", "theta": 0, "d": 0, "a": 0, "alpha": 0}
    robot = mp.Robot.from_dh([(0, 0, "l", 0), slides], angle="deg", name="two")
    found = mp.generate(robot, "tool_velocity").equations("factored", names="book", units=True)
    assert str(found).endswith("in v [m/s, rad/s], theta [rad], d [m], thetad [rad/s], dd [m/s]")


URDF = """<robot name="grip"><link name="world"/><link name="base"/><link name="arm"/><link name="hand"/>
<link name="left"/><link name="right"/>
<joint name="stand" type="fixed"><parent link="world"/><child link="base"/><origin xyz="0 0 0.2"/></joint>
<joint name="pan" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="0 0 0.1"/><axis xyz="0 0 1"/>
<limit lower="-3" upper="3" effort="9" velocity="2"/></joint>
<joint name="lift" type="revolute"><parent link="arm"/><child link="hand"/><origin xyz="0.3 0 0"/><axis xyz="0 0 1"/>
<limit lower="-2" upper="2" effort="9" velocity="2"/></joint>
<joint name="left" type="prismatic"><parent link="hand"/><child link="left"/><axis xyz="0 1 0"/>
<limit lower="0" upper="0.04" effort="5" velocity="0.1"/></joint>
<joint name="right" type="prismatic"><parent link="hand"/><child link="right"/><axis xyz="0 -1 0"/>
<limit lower="0" upper="0.04" effort="5" velocity="0.1"/><mimic joint="left"/></joint></robot>"""


def test_a_gripper_is_told_as_what_it_is(tmp_path: Path) -> None:
    (tmp_path / "grip.urdf").write_text(URDF)
    robot = mp.load(tmp_path / "grip.urdf")
    assert robot.freedoms == "3 joints and 1 that follows, RRPP"
    assert "Rx(0.5*pi)   Tz(left)" in str(robot)  # along −y
    assert "grip: a tree; 3 joints and 1 that follows, RRPP" in done("show", str(tmp_path / "grip.urdf"))
    assert mp.load(tmp_path / "grip.urdf", tip="hand").freedoms == "2 joints, RR"
    assert mp.Robot.from_dh([(0, 0, "l", 0)], name="one").freedoms == "1 joint, R"


def test_symbols_share_a_line_where_a_robot_is_printed() -> None:
    told = str(mp.Robot.from_dh([(0, 0, "l", 0)], name="one"))
    assert "Symbols, without a value: l, m1, rx1" in told and "symbolic" not in told
    assert "Symbols" not in str(mp.load("puma560")) and "Ixx6  0.00015" in str(mp.load("puma560"))


@pytest.mark.turn
def test_what_comes_next_is_about_the_same_robot(tmp_path: Path) -> None:
    """The commands that `ik` names, run as they stand."""
    (tmp_path / "grip arm.urdf").write_text(URDF)
    told = done("ik", str(tmp_path / "grip arm.urdf"), "--tip", "hand", "--lock", "lift=30deg")
    commands = [shlex.split(line.split(": ", 1)[1]) for line in told.splitlines() if ": manipula " in line]
    assert len(commands) == 3
    for _, *words in commands:
        again = done(*(str(tmp_path / "out") if word == "out/" else word for word in words))
        assert "q2" not in again
    assert list((tmp_path / "out").glob("*.c"))


@pytest.mark.turn
def test_every_model_of_an_arm_with_few_freedoms_is_counted() -> None:
    """Nobody named models: those that want six freedoms are left out, and refused where they are named."""
    row = {"type": "revolute", "theta": 0, "d": 0, "a": "l", "alpha": 0, "mass": "m", **NOTHING}
    robot = mp.Robot.from_dh([row], angle="deg", name="one")
    counted = {row.model for row in mp.count(robot)}
    assert {"pose", "inverse_dynamics", "operational_mobility"} <= counted and "operational_inertia" not in counted
    with pytest.raises(mp.InputError, match="six independent freedoms"):
        mp.count(robot, ["operational_inertia"])


@pytest.mark.turn
def test_the_readme_of_emitted_c_names_every_file(tmp_path: Path) -> None:
    rows = [(0, 0.3, 0.4, 0), (0, 0, 0.2, 180), {"type": "prismatic", "theta": 0, "d": 0, "a": 0, "alpha": 0}]
    files = mp.generate(mp.Robot.from_dh(rows, angle="deg", name="scara3"), "inverse_kinematics").emit("c", tmp_path)
    [readme] = [path for path in files if path.suffix == ".md"]
    assert all(path.name in readme.read_text() for path in files if path != readme)


def one(x: float) -> dict[str, float]:
    return {"y": x}


@pytest.mark.parametrize("function", [one, lambda case: {}, lambda case, rng, more: {}], ids=["one", "none", "three"])
def test_a_function_that_cannot_take_a_case_is_told_before_the_study(function: Any, whole: Sentences) -> None:
    with whole.raises(mp.InputError, match=r"expected \S+\(case, rng\), found"):
        mp.study(function, {"x": [1, 2]})


def test_a_study_tells_why_cases_failed() -> None:
    def reason(case: dict[str, Any], rng: Any) -> dict[str, float]:
        return {"y": 1 / case["x"], "z": [1.0][case["i"]]}

    told = str(mp.study(reason, [{"x": 1, "i": 0}, {"x": 0, "i": 0}, {"x": 0, "i": 0}, {"x": 1, "i": 1}]))
    assert "case 1 failed: ZeroDivisionError" in told and "case 3 failed: IndexError" in told and "case 2" not in told


def test_solvers_and_their_plans_are_told_in_a_line() -> None:
    arm = mp.Arm(mp.load("planar2r").with_parameters(l1=0.5, l2=0.4))
    assert repr(arm.inverse_plan).startswith("<inverse kinematics, ") and "\n" not in repr(arm.inverse_plan)
    assert repr(arm.inverse_solver) == f"<solver of {repr(arm.inverse_plan).strip('<>')}>"


@pytest.mark.parametrize("kinds", ["R", "P", "RP", "PR", "PP"])
def test_inertia_has_the_units_of_the_joints(kinds: str) -> None:
    """Entry by entry: lengths in other units change M by one factor for each joint that turns."""
    row = {"theta": 0, "d": 0, "a": "l", "alpha": 90, "mass": "m", **NOTHING}
    types = {"R": "revolute", "P": "prismatic"}
    robot = mp.Robot.from_dh([{"type": types[kind], **row} for kind in kinds], angle="deg", name="arm")
    unit = dict(mp.generate(robot, "inertia_matrix").equations("factored", units=True).units)["M"]
    mixed = "kg·m², one m less for each joint that slides"
    assert unit == ("kg·m²" if "P" not in kinds else "kg" if "R" not in kinds else mixed)
    q = [0.0 if kind == "P" else 0.7 for kind in kinds]
    twice, once = (mp.Arm(robot.with_parameters(l=l, m=1)).inertia_matrix(q) for l in (2, 1))
    turning = np.array([kind == "R" for kind in kinds], dtype=float)
    np.testing.assert_allclose(twice, once * 2 ** (turning[:, None] + turning), atol=1e-12)


def test_inputs_may_be_given_by_name() -> None:
    torque = mp.generate("planar2r", "inverse_dynamics").compile()
    q, qd, qdd, p = [0.1, 0.2], [0.3, -0.1], [1.0, 2.0], [0.5, 1.0, 0.4, 2.0, 9.81]
    for called in (torque(qdd=qdd, q=q, qd=qd, p=p), torque(q, qdd=qdd, qd=qd, p=p)):
        np.testing.assert_array_equal(called, torque(q, qd, qdd, p))
    with pytest.raises(mp.UnknownNameError, match="no input of planar2r_inverse_dynamics is called 'l1'"):
        torque(q, qd, qdd, l1=1)
    for wrong in ({"qd": qd}, {"q": q, "qd": qd, "qdd": qdd}):
        with pytest.raises(mp.InputError, match="expected each of q, qd, qdd once"):
            torque(q, **wrong)


def test_a_robot_that_branches_is_asked_about_frames_in_the_call(tmp_path: Path) -> None:
    (tmp_path / "grip.urdf").write_text(URDF)
    arm, q = mp.Arm(mp.load(tmp_path / "grip.urdf"), optimise="none"), [0.3, -0.4, 0.02]
    for frame in ("right", "hand"):
        meant = mp.Arm(arm.robot, frame=frame, optimise="none")
        np.testing.assert_array_equal(arm.pose(q, frame=frame), meant.pose(q))
        np.testing.assert_array_equal(arm.jacobian(q, frame), meant.jacobian(q))
        np.testing.assert_array_equal(arm.tool_velocity(q, q, frame=frame), meant.tool_velocity(q, q))
    with pytest.raises(mp.InputError, match="say which frame is meant: 'left', 'right'"):
        arm.pose(q)


@pytest.mark.turn
@pytest.mark.parametrize("seed", range(3))
def test_an_arm_to_a_tip_is_saved_with_all_that_it_carries(seed: int, tmp_path: Path) -> None:
    """Fingers beside the chain, behind joints that stand still anywhere and any way round."""
    draw = random.Random(seed)
    mass = '<inertial><mass value="{}"/><origin xyz="{} {} {}"/><inertia {}/></inertial>'
    tensor = 'ixx="0.02" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"'

    def body() -> str:
        return mass.format(draw.randint(1, 5), *(draw.choice([0, 0.1, -0.2]) for _ in range(3)), tensor)

    def origin() -> str:
        turns = [draw.choice(["0", "1.5707963267948966", "0.3", "-1.1"]) for _ in range(3)]
        return f'<origin xyz="{draw.random():.3f} 0.1 {draw.random():.2f}" rpy="{" ".join(turns)}"/>'

    parts = ['<robot name="tip"><link name="base"/>']
    parts += [f'<link name="{name}">{body()}</link>' for name in ("arm", "hand", "finger", "nail")]
    for name, parent in (("arm", "base"), ("hand", "arm"), ("finger", "hand"), ("nail", "finger")):
        kind = "prismatic" if name == "finger" else "revolute"
        axis = draw.choice(["0 1 0", "1 0 0", "0 0 -1"])
        parts.append(f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{name}"/>{origin()}'
                     f'<axis xyz="{axis}"/><limit lower="-1" upper="1" effort="9" velocity="9"/></joint>')  # fmt: skip
    (tmp_path / "tip.urdf").write_text("".join(parts) + "</robot>")
    robot = mp.load(tmp_path / "tip.urdf", tip="hand", locked={"finger": 0.25, "nail": draw.choice([0, 0.4])})
    mp.save(robot, tmp_path / "tip.toml")
    ours, again = (mp.Arm(x, optimise="none") for x in (robot, mp.load(tmp_path / "tip.toml")))
    for q in ([0.0, 0.0], [0.7, -0.3]):
        np.testing.assert_allclose(again.pose(q), ours.pose(q), atol=1e-14)
        np.testing.assert_allclose(again.gravity(q), ours.gravity(q), atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_a_long_equation_goes_on_below(seed: int) -> None:
    draw = random.Random(seed)
    terms = [
        f"{draw.choice('abc')}{draw.randint(1, 99)}*({draw.choice(['s1 + c2', 'q1^2 - q2', 'x'])})" for _ in range(60)
    ]
    line, width = f"tau{seed} = {' + '.join(terms)}", draw.choice([40, 80, 132])
    found = wrapped_formula(line, width)
    assert len(found) > 3 and all(len(part) <= width for part in found)
    assert " ".join(part.strip() for part in found) == line
    for short in ("g1 = 0", "T = [" + "0  " * 99 + "]", "    [" + "c1 = 2  " * 40):
        assert wrapped_formula(short, 500) == [short]
    assert wrapped_formula("    [" + "c1 = 2  " * 40, 80) == ["    [" + "c1 = 2  " * 40]


def test_what_was_meant_is_told() -> None:
    with pytest.raises(mp.InputError, match="'latex' is a style of equations"):
        mp.generate("planar2r", "gravity").equations("latex")
    arm = mp.Arm(mp.load("planar2r").with_parameters(l1=0.5, l2=0.4))
    with pytest.raises(mp.InputError, match="three numbers are a place: task='position'"):
        arm.inverse_kinematics([0.3, 0.1, 0])


@pytest.mark.parametrize("model", ["regressor", "base_regressor"])
def test_a_printed_regressor_tells_whose_its_columns_are(model: str) -> None:
    built = mp.generate("planar2r", model, optimise="none")
    told = " ".join(str(built.equations("factored")).split())
    assert told.endswith("columns " + ", ".join(f"{i}: {name}" for i, name in enumerate(built.columns, 1)))
    assert r"\text{columns } 1: " in built.latex()
    assert "columns" not in str(mp.generate("planar2r", "gravity").equations("factored"))
