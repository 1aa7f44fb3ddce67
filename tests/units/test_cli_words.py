"""The words of the command line: options that every command shares, other names for languages and models, and messages
that a person at a shell can follow."""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Any

import pytest

import manipula as mp
from manipula import api
from manipula.algebra.emit.backend import ALIASES, BACKENDS, language_named
from manipula.cli.app import COMMANDS, load_command
from manipula.mechanics.models.catalogue import MODELS
from manipula.mechanics.models.control.laws import LAWS
from manipula.mechanics.models.entry import ALSO_CALLED, LAWS_ALSO_CALLED
from tests.golden.sentences import Sentences
from tests.units.test_cli import as_json, done, folder, refused

__all__ = ["folder"]  # every test in an empty folder

SHARED = {"--set", "--lock", "--base", "--tip", "--exact", "--strict"}
# those that make files or only list, or show a page; `edit` has assignments
NO_ROBOT = {"robots", "new", "edit", "delete", "studio", "demo", "rotation"}
BODY = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
URDF = """<robot name="fork"><link name="root"/>
  <link name="upper">BODY</link>
  <link name="left">BODY</link>
  <link name="right">BODY</link>
  <joint name="a" type="revolute"><parent link="root"/><child link="upper"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <joint name="b" type="revolute"><parent link="upper"/><child link="left"/><origin xyz="1 0 0"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <joint name="c" type="prismatic"><parent link="upper"/><child link="right"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>""".replace("BODY", BODY)


def options_of(command: str) -> set[str]:
    return {word for parameter in load_command(command).params for word in getattr(parameter, "opts", ())}


@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in NO_ROBOT])
def test_every_command_about_a_robot_takes_the_same(command: str) -> None:
    assert options_of(command) >= SHARED


@pytest.mark.parametrize(("tip", "kind"), [("left", "RR"), ("right", "RP")])
def test_the_chain_of_a_file_is_chosen_at_any_command(tip: str, kind: str) -> None:
    Path("fork.urdf").write_text(URDF, encoding="utf-8")
    assert as_json("show", "fork.urdf", "--tip", tip)["kind"] == kind
    assert as_json("generate", "fork.urdf", "-m", "pose", "--tip", tip)["models"][0]["inputs"]["q"] == ["q1", "q2"]
    assert "--base is for URDF" in refused("check", "planar2r", "--base", "left")
    assert "sideways" in refused("count", "fork.urdf", "--tip", "sideways")


@pytest.mark.parametrize("draw", range(20))
def test_a_language_by_any_of_its_names(draw: int) -> None:
    rng = random.Random(draw)
    name, language = rng.choice([*ALIASES.items(), *zip(BACKENDS, BACKENDS)])
    typed = "".join(rng.choice((letter.upper(), letter)) for letter in name)
    assert language_named(f" {typed} " if draw % 2 else typed) == language


def test_other_names_lead_to_what_there_is() -> None:
    assert set(ALIASES.values()) <= set(BACKENDS)
    assert not set(ALIASES) & set(BACKENDS)
    assert set(ALSO_CALLED.values()) <= set(MODELS)
    assert not set(ALSO_CALLED) & set(MODELS)
    assert set(LAWS_ALSO_CALLED.values()) <= set(LAWS)
    assert not set(LAWS_ALSO_CALLED) & set(LAWS)


def test_files_of_a_language_typed_as_people_do() -> None:
    by_name = as_json("generate", "planar2r", "-m", "gravity", "-l", "cpp,matlab,javascript")["models"][0]["files"]
    assert as_json("generate", "planar2r", "-m", "gravity", "-l", "c++,Octave,js,CPP")["models"][0]["files"] == by_name
    assert mp.generate("planar2r", "pose").emit("C++", "there", proof=True)


@pytest.mark.parametrize("draw", range(40))
def test_a_slip_in_a_name_is_understood(draw: int) -> None:
    """One letter left out or two exchanged, another case, dashes for underscores."""
    rng = random.Random(draw)
    known: list[str] = [name for name in rng.choice((MODELS, LAWS, BACKENDS)) if len(name) > 5]
    name = rng.choice(known)
    place = rng.randrange(1, len(name) - 1)
    slip = rng.choice(
        (name[:place] + name[place + 1 :], name[: place - 1] + name[place] + name[place - 1] + name[place + 1 :])
    )
    typed = rng.choice((slip, name.upper(), name.replace("_", "-").title(), f"{name} "))
    told = str(mp.UnknownNameError("thing", typed, known))
    assert typed in known or any(f"did you mean {near!r}?" in told for near in known)
    if typed != slip:
        assert typed in known or f"did you mean {name!r}?" in told


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (("generate", "planar2r", "-m", "mass_matrix"), "inertia_matrix"),
        (("generate", "planar2r", "-m", "FK"), "pose"),
        (("generate", "planar2r", "-m", "Inverse-Dynamics"), "inverse_dynamics"),
        (("generate", "planar2r", "-m", "jac"), "jacobian"),
        (("generate", "planar2r", "-m", "pose", "-l", "javascrpt"), "javascript"),
        (("equations", "planar2r", "gravity", "--form", "Factored"), "factored"),
        (("equations", "planar2r", "gravity", "--style", "LaTeX"), "latex"),
        (("control", "planar2r", "ctc"), "computed_torque"),
        (("simulate", "planar2r", "slidng"), "sliding"),
        (("show", "Puma-560"), "puma560"),
    ],
)
def test_what_was_probably_meant(typed: tuple[str, ...], meant: str) -> None:
    assert f"did you mean {meant!r}?" in refused(*typed)


@pytest.mark.turn
def test_several_models_in_one_function() -> None:
    apart = as_json("generate", "planar2r", "-m", "gravity,jacobian")["models"]
    made = as_json("generate", "planar2r", "-m", " gravity + jacobian ,pose")["models"]
    assert [model["name"] for model in made] == ["planar2r_gravity_jacobian", "planar2r_pose"]
    assert list(made[0]["outputs"]) == ["gravity_g", "jacobian_J"]
    assert made[0]["cost"]["trig"] < sum(model["cost"]["trig"] for model in apart)
    assert "gravity_g2 = " in done("equations", "planar2r", "jacobian+gravity")
    assert "together" in done("generate", "planar2r", "-m", "gravity+jacobian")


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        (("generate", "planar2r", "-m", "gravity+"), "gravity+jacobian"),
        (("generate", "planar2r", "-m", "gravity+jakobian"), "did you mean 'jacobian'"),
        (("generate", "planar2r", "-m", "gravity+pose", "--wrench"), "a wrench is for one model"),
        (("generate", "planar2r", "-m", "gravity+pose", "--method", "newton-euler"), "'newton-euler' is for one model"),
        (("count", "planar2r", "-m", "gravity+pose"), "count takes gravity,pose"),
        (("optimise", "planar2r", "-m", "gravity+pose"), "optimise takes gravity,pose"),
    ],
)
def test_several_models_that_cannot_be_one(typed: tuple[str, ...], told: str, whole: Sentences) -> None:
    assert told in whole.compare(refused(*typed))


def test_a_model_named_twice_is_one() -> None:
    [made] = as_json("generate", "planar2r", "-m", "gravity+gravity")["models"]
    assert list(made["outputs"]) == ["g"]


def test_what_is_said_of_a_robot_needs_one() -> None:
    Path("run.csv").write_text("t,q1\n0,0\n", encoding="utf-8")
    assert "name it with --robot" in refused("logs", "run.csv", "--set", "l1=1")
    Path("play.toml").write_text("[run]\n", encoding="utf-8")
    assert "drop --set" in refused("simulate", "play.toml", "--set", "l1=1")


@pytest.mark.slow
def test_long_lists_of_models_do_not_write_over_each_other() -> None:
    many = "pose+jacobian+gravity+coriolis+inertia_matrix"
    assert "would be written to the same files" in refused("generate", "planar2r", "-m", f"{many},{many}+friction")


@pytest.mark.parametrize(
    "words",
    [
        ("ik", "planar2r", "--position", "0.3,0.4"),
        ("ik", "scara", "--q", "0 0 0 0"),
        ("simulate", "planar2r", "--until", "0.1"),
        ("simulate", "planar2r", "--until", "0.1", "--method", "dop853"),
        ("loads", "planar2r", "--to", "1,1"),
        ("excite", "planar2r"),
    ],
)
def test_a_shell_user_is_not_sent_to_python(words: tuple[str, ...], whole: Sentences) -> None:
    told = whole.compare(refused(*words))
    assert "; --set " in told
    assert "with_parameters" not in told and "mp." not in told


@pytest.mark.parametrize("robot", ["scara", "planar2r", "puma560_symbolic", "stanford3"])
def test_the_class_of_an_arm_in_letters(robot: str) -> None:
    told = as_json("ik", robot)
    assert told["class"] and told["why"]


@pytest.mark.turn
def test_no_robot_of_a_kind_is_said_so() -> None:
    done("new", "mine", "--joints", "RRP")
    told = done("robots", "--kind", "XYZ")
    assert told.startswith("No robot's joints begin with XYZ; there are ")
    assert "of your own" not in told and "Library" not in told
    assert "mine" in done("robots", "--kind", "rrp")
    assert "mine" not in done("robots", "--kind", "RRRRRR")


def test_the_language_of_a_name_is_a_verb() -> None:
    assert api.language("OCTAVE") == "matlab"
    with pytest.raises(mp.UnknownNameError, match="no language is called 'cobol'"):
        api.language("cobol")
    unknown: Any = None
    with pytest.raises(mp.UnknownNameError):
        api.language(unknown)


def test_a_joint_is_locked_in_the_units_of_the_file() -> None:
    for text in ("theta2=90", "q2=90deg", "theta2=pi/2", f"joint2={math.pi / 2}rad"):
        shown = as_json("show", "planar2r", "--lock", text)
        assert shown["dof"] == 1 and "90" in shown["tables"][0]["rows"][1], text
    assert "no joint is called 'theta3'" in refused("show", "planar2r", "--lock", "theta3=1")
    assert "write it as elbow=30deg" in refused("show", "planar2r", "--lock", "theta2")
    assert "theta2: found '3mm', a value in mm" in refused("show", "planar2r", "--lock", "theta2=3mm")
