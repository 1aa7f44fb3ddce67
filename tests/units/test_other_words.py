"""Words of other books and libraries are met with ours."""

from __future__ import annotations

import copy
import pickle

import pytest
from typer.testing import CliRunner

import manipula as mp
from manipula.cli.app import COMMANDS, OTHER_NAMES, app
from manipula.mechanics.robot.formats.registry import format_named

ROWS = [("theta1", 0, "l1", 0), ("theta2", 0, "l2", 0)]


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [("fkine", "pose"), ("forward_kinematics", "pose"), ("rne", "inverse_dynamics"), ("inertia", "inertia_matrix"),
     ("ikine", "inverse_kinematics"), ("jacob0", "jacobian"), ("gravload", "gravity"), ("possition", "pose"),
     ("cinertia", "operational_inertia"), ("tool", "robot.with_tool"), ("n", "dof"), ("teach", "view"),
     ("fdyn", "mp.simulate")],
)  # fmt: skip
def test_a_method_of_another_library(theirs: str, ours: str) -> None:
    with pytest.raises(AttributeError, match=f"did you mean {ours}|no attribute") as refused:
        getattr(mp.Arm("planar2r"), theirs)
    if theirs != "possition":
        assert f"did you mean {ours}?" in str(refused.value)


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [("fkine", "mp.Arm(robot).pose"), ("inverse_dynamics", "mp.Arm(robot).inverse_dynamics"), ("n", "dof"),
     ("plot", "mp.Arm(robot).plot"), ("paramters", "parameters")],
)  # fmt: skip
def test_a_method_of_an_arm_asked_of_its_robot(theirs: str, ours: str) -> None:
    robot = mp.load("planar2r")
    with pytest.raises(AttributeError) as refused:
        getattr(robot, theirs)
    assert f"did you mean {ours}?" in str(refused.value)
    assert not hasattr(robot, "__array__") and copy.copy(robot) == robot == pickle.loads(pickle.dumps(robot))


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [("fkine", "mp.Arm(robot).pose"), ("pose", "mp.Arm(robot).pose"), ("DHRobot", "mp.Robot.from_dh"),
     ("load_urdf", "mp.load"), ("Rotation", "rotation"), ("simulat", "simulate"), ("follow", "mp.Arm(robot).follow")],
)  # fmt: skip
def test_a_name_asked_of_the_package(theirs: str, ours: str) -> None:
    with pytest.raises(AttributeError) as refused:
        getattr(mp, theirs)
    assert str(refused.value) == f"module 'manipula' has no attribute '{theirs}'; did you mean {ours}?"
    with pytest.raises(AttributeError, match=r"has no attribute '_fkine'$"):
        mp._fkine  # noqa: B018


def test_text_in_the_place_of_rows() -> None:
    with pytest.raises(mp.RobotFileError, match=r"rows: found text \(a table as text is read by Robot.from_text\)"):
        mp.Robot.from_dh("theta d a alpha\nq1 0 1 0\n")
    assert mp.Robot.from_text("theta d a alpha\nq1 0 1 0\n", convention="standard", angle="rad").dof == 1


@pytest.mark.parametrize("form", ["toml", "urdf", "par", "dh"])
@pytest.mark.filterwarnings("ignore::manipula.ManipulaWarning")
def test_a_text_is_read_without_the_name_of_its_format(form: str) -> None:
    robot = mp.load("puma560")
    text = format_named(form).write(mp.convert(robot, "modified") if form == "par" else robot)
    assert mp.Robot.from_text(text).dof == mp.Robot.from_text(text, form).dof == robot.dof


def test_a_hidden_name_is_not_guessed() -> None:
    with pytest.raises(AttributeError) as refused:
        mp.Arm("planar2r")._fkine  # noqa: B018
    assert "did you mean" not in str(refused.value)


@pytest.mark.parametrize(
    ("key", "word", "ours"),
    [("convention", "craig", "modified"), ("convention", "mdh", "modified"), ("convention", "MDH", "modified"),
     ("convention", "spong", "standard"), ("angle", "degrees", "deg"), ("angle", "Deg", "deg"), ("length", "MM", "mm"),
     ("convention", "Modified", "modified"),
     ("angle", "radians", "rad"),
     ("length", "millimetres", "mm"), ("length", "meters", "m")],
)  # fmt: skip
def test_a_word_of_another_book(key: str, word: str, ours: str) -> None:
    with pytest.raises(mp.InputError, match=f"{key}: found '{word}'; here it is called '{ours}'"):
        mp.Robot.from_dh(ROWS, **{key: word})


def test_an_index_in_front_of_a_row() -> None:
    with pytest.raises(mp.InputError, match="is it the index of the joint"):
        mp.Robot.from_dh([(1, 0, 0.4, 0, 90), (2, 0, 0.3, 0, 0)], angle="deg")


def test_a_row_of_four_numbers_and_a_type_is_one() -> None:
    assert mp.Robot.from_dh([(1, 0, 0.4, 0, "R")]).dof == 1


@pytest.mark.parametrize("line", OTHER_NAMES)
def test_a_command_by_another_name(line: str) -> None:
    assert line.split(maxsplit=1)[0] in (*COMMANDS, "--help", "--version")
    for name in OTHER_NAMES[line].split():
        assert name not in COMMANDS and sum(name in names.split() for names in OTHER_NAMES.values()) == 1
        answer = CliRunner().invoke(app, [name, "puma560"])
        assert answer.exit_code == 2
        assert f"there is no command '{name}'; did you mean: manipula {line}\n" in answer.stderr
