"""One name, one meaning: cells are numbered by the joints that move, the rest has names of its own, in every format."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import manipula as mp
from manipula.cli.app import app
from manipula.errors import InputError, ManipulaWarning, RobotFileError
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.formats.conversion.conventions import convert
from manipula.mechanics.robot.formats.par.read import robot_from_par
from manipula.mechanics.robot.formats.par.write import par_from_robot
from manipula.mechanics.robot.formats.toml.read import robot_from_toml, toml_from_robot
from manipula.mechanics.robot.formats.urdf.read import robot_from_urdf
from manipula.mechanics.robot.formats.urdf.write import urdf_from_robot
from manipula.mechanics.robot.suffixes import identifier_from_name, suffixes_of
from manipula.mechanics.robot.values.parameter import Deg
from tests.random_robots import random_robot

HEAD = 'format = 1\nname = "arm"\nconvention = "modified"\nangle = "deg"\n'


def row(name: str, kind: str = "revolute", more: str = "") -> str:
    named = f"name = {name!r}\n" if name else ""
    return f'[[joint]]\n{named}type = "{kind}"\ntheta = 0\nd = 0.1\na = 0.2\nalpha = 90\n{more}\n'


def arm(*rows: str, head: str = "") -> RobotDescription:
    return robot_from_toml(HEAD + head + "".join(rows))


def cell_names(robot: RobotDescription) -> list[str]:
    return [cell.name for cell in robot.cells()]


def one_value_for_each_name(robot: RobotDescription) -> None:
    """A frame at a held body has the body's own placement, name by name. Quarter turns are structure, not symbols."""
    values: dict[str, set[Any]] = {}
    for cell in robot.cells():
        value = cell.parameter
        if not (isinstance(value, Deg) and value.value % 90 == 0):
            values.setdefault(cell.name, set()).add(value)
    assert all(len(held) == 1 for held in values.values())


def suffix_of_every_cell(robot: RobotDescription) -> None:
    """Each cell of a row ends as its row does, each of a held body as that body does."""
    ends = suffixes_of(robot)
    for joint, end, held in zip(robot.joints, ends.rows, ends.carried):
        parts = [joint.offset, *joint.actuator.parameters_by_letter().values()]
        body = joint.body
        parts += [] if body is None else [body.mass, *body.centre, *body.inertia]
        assert all(cell.name.endswith(end) and cell.name[: -len(end)].isalpha() for cell in parts), joint.name
        for mounted, own in zip(joint.carries, held):
            assert mounted.body.mass.name == f"m{own}"
    assert [body.mass.name for body in robot.payload] == [f"m{end}" for end in ends.payload]


def test_fixed_rows_have_names_and_moving_ones_numbers() -> None:
    robot = arm(row("foot", "fixed"), row("a"), row("wrist flange", "fixed", "mass = 2"), row("b"), row("", "fixed"))
    assert {"a_foot", "a1", "a2", "m1", "m2", "m_wrist_flange", "rx_wrist_flange", "d_fixed3"} <= set(cell_names(robot))
    assert not {"m3", "a3", "m4", "a4"} & set(cell_names(robot))
    assert robot.joint_names == ("a", "b") and robot.joints[-1].name == "fixed3"
    assert "m_wrist_flange" in mp.Robot.of(robot).parameters


def test_rows_without_a_name_are_called_by_their_kind_and_order() -> None:
    robot = arm(row("", "fixed"), row(""), row("", "fixed"), row(""))
    assert [joint.name for joint in robot.joints] == ["fixed1", "joint1", "fixed2", "joint2"]
    assert robot_from_toml(toml_from_robot(robot)) == robot


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("a b", "a-b", "a_b"), ("_a_b", "_a_b_2", "_a_b_3")),
        (("punho é", "日本", "7"), ("_punho_e", "_fixed2", "_7")),
        (("payload", "carried", "a_2"), ("_payload", "_carried", "_a_2")),
    ],
)
def test_names_that_are_one_word_for_a_program_are_told_apart(names: Any, expected: Any) -> None:
    robot = arm(row("j"), *(row(name, "fixed", "mass = 1") for name in names))
    assert suffixes_of(robot).rows == ("1", *expected)
    assert len(set(cell_names(robot))) == len(cell_names(robot))
    assert robot_from_toml(toml_from_robot(robot)) == robot


def test_letters_say_what_an_inertia_is_about() -> None:
    about = 'inertia_about = "origin"\n'
    assert {"Lxx1", "rx1"} <= set(cell_names(arm(row("j"), head=about)))
    assert {"Ixx1", "rx1"} <= set(cell_names(arm(row("j"))))
    moments = arm(row("j", more="first_moment = [0, 0, 1]\nsecond_moment = { xx = 1 }"))
    assert {"Kxx1", "mx1"} <= set(cell_names(moments))
    given = arm(row("j", more="inertia = { xx = 2, yy = 2, zz = 2, xy = 0, xz = 0, yz = 0 }"), head=about)
    assert "Lzz1" in mp.generate(mp.Robot.of(given), "inertia_matrix", symbolic="all").inputs["p"]
    assert mp.Robot.of(given).parameters["Lxx1"] == 2 and "Ixx1" not in mp.Robot.of(given).parameters


def test_a_clash_with_an_automatic_name_is_told() -> None:
    with pytest.raises(RobotFileError, match=r"'m_flange', used in m1, is the automatic name of a cell"):
        arm(row("j", more='mass = "m_flange"'), row("flange", "fixed", "mass = 2"))
    with pytest.raises(RobotFileError, match="joint 3 'k'"):  # the row of cell m2 is the third
        arm(row("f", "fixed"), row("j", more='mass = "m2"'), row("k", more="mass = 3"))


@pytest.mark.parametrize("seed", range(60))
def test_every_cell_of_a_random_arm_has_a_name_of_its_own(seed: int) -> None:
    robot = random_robot(seed, joints=(None, "FRFPRF", "RFFRP")[seed % 3])
    assert len(set(cell_names(robot))) == len(cell_names(robot))
    suffix_of_every_cell(robot)


@pytest.mark.parametrize("convention", ["standard", "modified", "urdf"])
@pytest.mark.parametrize("seed", range(12))
def test_saved_and_converted_arms_keep_one_name_for_each_cell(seed: int, convention: Any) -> None:
    """Through TOML, URDF and a conversion: the same names again, and none for two values."""
    robot = convert(random_robot(seed, joints=("FRFPRF", "RFRRP", "PRF")[seed % 3]), convention)
    one_value_for_each_name(robot)
    suffix_of_every_cell(robot)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ManipulaWarning)
        if convention != "urdf":
            again = robot_from_toml(toml_from_robot(robot))
            assert again == robot_from_toml(toml_from_robot(again))
            suffix_of_every_cell(again)
            assert masses(again) == masses(robot)
            suffix_of_every_cell(robot_from_par(par_from_robot(robot)))
        text = urdf_from_robot(robot)
        read = robot_from_urdf(text, exact=True)
        suffix_of_every_cell(read)
        behind = {name: mass for name, mass in masses(robot).items() if name in masses(read)}
        assert behind == pytest.approx({name: masses(read)[name] for name in behind})
        assert {f"m{i + 1}" for i in range(robot.dof)} <= set(behind)
        feet = next(i for i, joint in enumerate(robot.joints) if joint.kind != "fixed")  # their masses do not matter
        held = {end for row in suffixes_of(robot).carried[feet:] for end in row}
        ends = suffixes_of(read)
        # what stands at the tip is a row of its own there, which has its name from the joint that holds the link
        assert held <= {end for row in ends.carried for end in row} | {end.removesuffix("_joint") for end in ends.rows}


def masses(robot: RobotDescription) -> dict[str, float]:
    found = mp.Robot.of(robot).parameters
    return {
        name: float(x) for name, x in found.items() if x is not None and name.startswith("m") and "x" not in name[:2]
    }


def test_a_urdf_numbers_by_moving_joint_and_names_what_hangs_beside() -> None:
    text = """<robot name="r"><link name="world"/><link name="base"/><link name="l1"/><link name="flange"/>
      <link name="left"/><link name="right"/><link name="l2"/>{}</robot>"""
    mass = '<inertial><mass value="{}"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    for number, name in enumerate(("l1", "flange", "left", "right", "l2"), 1):
        text = text.replace(f'<link name="{name}"/>', f'<link name="{name}">{mass.format(number)}</link>')
    joints = (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        '<origin xyz="1 0 0"/></joint>'
        for name, parent, child, kind in (
            ("fix", "world", "base", "fixed"), ("j1", "base", "l1", "continuous"), ("weld", "l1", "flange", "fixed"),
            ("f1", "l1", "left", "continuous"), ("f2", "left", "right", "fixed"),
            ("j2", "flange", "l2", "continuous"),
        )
    )  # fmt: skip
    robot = mp.Robot.from_text(text.format("".join(joints)), "urdf", tip="l2")
    found = robot.parameters
    names = {name: found[name] for name in ("m_weld", "m_left", "m_right", "m2")}
    assert names == {"m_weld": 2, "m_left": 3, "m_right": 4, "m2": 5}
    cells = set(cell_names(robot))
    assert {"x_fix", "x1", "x_weld", "x_left", "x_right", "x2", "m1"} <= cells and not {"m3", "x3"} & cells


def test_the_tables_shown_count_what_moves(tmp_path: Path) -> None:
    robot = mp.Robot.of(arm(row("foot", "fixed"), row("a", more="motor_inertia = 1"), row("f", "fixed", "mass = 1")))
    shown = str(robot.with_payload(1))
    assert [line.split()[:2] for line in shown.splitlines() if line.split()[1:2] == ["a"]] == [["1", "a"]] * 3
    assert "payload" in shown and "m_payload" in robot.with_payload(2).parameters
    assert {"m_payload", "m_payload_2"} <= set(robot.with_payload(2).with_payload(3).parameters)
    saved = mp.save(robot.with_payload(2).with_payload(3), tmp_path / "r.toml")
    assert mp.load(saved).parameters == robot.with_payload(2).with_payload(3).parameters


def test_folding() -> None:
    assert [identifier_from_name(name) for name in ("Pulso-2", "  ", "ção", "a__b", "_x_")] == [
        "Pulso_2",
        "",
        "cao",
        "a_b",
        "x",
    ]
    assert np.all([identifier_from_name(name).isidentifier() for name in ("Pulso-2", "a b", "É")])


def test_a_payload_does_not_take_a_name_that_means_something_else() -> None:
    robot = mp.Robot.of(arm(row("j", more='mass = "m_payload"')))
    with pytest.raises(InputError, match="uses the name 'm_payload' already"):
        robot.with_payload(2)
    assert robot.with_payload("m_payload").standard_parameters["m_payload"] is None  # shared on purpose


def test_an_edit_of_a_fixed_row_finds_its_line(tmp_path: Path) -> None:
    file = tmp_path / "arm.toml"
    file.write_text(HEAD + row("foot", "fixed") + row("j") + row("flange", "fixed", "mass = 2  # kg"), encoding="utf-8")
    done = CliRunner().invoke(app, ["edit", str(file), "m_flange=3", "d1=0.5", "d_foot=0.7"])
    assert done.exit_code == 0, done.output
    text = file.read_text(encoding="utf-8")
    assert "mass = 3  # kg" in text and text.count("d = 0.5") == text.count("d = 0.7") == 1
    found = mp.load(file).parameters
    assert (found["m_flange"], found["d1"], found["d_foot"]) == (3, 0.5, 0.7)
