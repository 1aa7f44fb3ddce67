"""No name means two things: neither after a conversion, nor in a file of another format, nor by an edit."""

from __future__ import annotations

import random
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.errors import ManipulaWarning, RobotFileError
from manipula.mechanics.robot.bind import free_parameters
from manipula.mechanics.robot.formats.entry_checks import refuse_bad_names
from tests.world_frame import World


def entry(rng: random.Random, letter: str, rows: int) -> Any:
    """A number, or a name that looks like a cell of some row."""
    return rng.choice((0, 0.3, -0.2, 0.45, f"{letter}{rng.randint(1, rows)}", f"2*x{rng.randint(1, 2)}"))


def confusing_arm(seed: int) -> mp.Robot:
    """A table whose names are those of other cells, and that is not refused for it."""
    rng = random.Random(seed)
    count = rng.randint(2, 4)
    rows = [
        {"theta": 0, "d": entry(rng, "d", count), "a": entry(rng, "a", count), "alpha": rng.choice((0, 90, 25)),
         "type": rng.choice(("revolute", "prismatic")), "mass": 1, "com": [0.1, 0, 0.2],
         "inertia": {"xx": 0.1, "xy": 0, "xz": 0, "yy": 0.1, "yz": 0, "zz": 0.1}}
        for _ in range(count)
    ]  # fmt: skip
    try:
        return mp.Robot.from_dh(rows, convention=rng.choice(("standard", "modified")), angle="deg")
    except RobotFileError:
        return confusing_arm(seed + 1000)


def pose_and_torques(robot: mp.Robot, values: dict[str, float]) -> list[Any]:
    """At one state, the free names given."""
    world = World(robot.with_parameters(**{name: values[name] for name in free_parameters(robot)}))
    q, qd, qdd = np.random.default_rng(1).uniform(-1, 1, (3, world.dof))
    return [world.at(q).tool, world.inverse_dynamics(q, qd, qdd)]


@pytest.mark.parametrize("seed", range(84))
def test_a_converted_table_has_one_meaning_for_each_name(seed: int, tmp_path: Path) -> None:
    arm = confusing_arm(seed)
    values = {name: 0.15 + 0.1 * k for k, name in enumerate(sorted(free_parameters(arm)))}
    other = mp.convert(arm, "modified" if arm.origin.convention == "standard" else "standard")
    refuse_bad_names(other)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ManipulaWarning)
        saved = [mp.load(mp.save(arm, tmp_path / "a.par"))]
        if all(step.kind[0] == "t" for step in (*other.base, *other.tool)):  # else it may be no shift and rpy
            saved.append(mp.load(mp.save(other, tmp_path / "a.toml")))
    for robot in (other, *saved, mp.convert(other, arm.origin.convention)):
        for mine, theirs in zip(pose_and_torques(arm, values), pose_and_torques(robot, values)):
            assert np.allclose(mine, theirs, atol=1e-12)


@pytest.mark.parametrize("seed", range(0, 60, 6))
def test_every_number_made_a_symbol_is_the_same_arm(seed: int) -> None:
    arm = confusing_arm(seed)
    values = {name: 0.15 + 0.1 * k for k, name in enumerate(sorted(free_parameters(arm)))}
    other = mp.convert(arm, "modified" if arm.origin.convention == "standard" else "standard")
    filled = other.with_parameters(**{name: values[name] for name in free_parameters(other)})
    q = np.linspace(0.3, 0.9, arm.dof)
    plain, symbolic = (mp.generate(filled, "pose", symbolic=way, optimise="none") for way in ("none", "all"))
    p = [filled.parameters[name] for name in symbolic.inputs.get("p", ())]
    found = symbolic.compile("numpy")(q, p) if p else symbolic.compile("numpy")(q)
    assert np.allclose(found, plain.compile("numpy")(q), atol=1e-12)


def test_a_number_gives_way_to_the_name_of_the_file() -> None:
    arm = mp.convert(mp.Robot.from_dh([(0, 0, 0.3, 0), (0, 0, "a2", 0), (0, 0.1, 0, 0)]), "modified")
    assert arm.parameters["a2"] is None and arm.parameters["a2_2"] == 0.3
    moved = mp.generate(arm, "pose", symbolic="all").only("T[1,4]").equations("factored")
    assert "a2*c12 + a2_2*c1" in str(moved)


TENSOR = '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
PUMA = mp.load("puma560")
EDITS = {
    "tool": lambda name: PUMA.with_tool([name, 0, 0]),
    "base": lambda name: PUMA.with_base((0, 0, 0), (0, name, 0)),
    "gravity": lambda name: PUMA.with_gravity(0, 0, f"-2*{name}"),
    "payload": PUMA.with_payload,
    "cell": lambda name: PUMA.with_parameters(a3=name),
    "standard": lambda name: PUMA.with_standard_parameters({"Lxx6": name}),
}


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("name", ["a2", "m2", "rx3", "gz", "Ixx4"])
def test_an_edit_may_not_use_the_name_of_a_number_in_the_table(edit: str, name: str) -> None:
    if (edit, name) == ("gravity", "gz"):
        return
    with pytest.raises(RobotFileError, match=f"the name '{name}', used in .*automatic name of a cell"):
        EDITS[edit](name)
    assert "free" in EDITS[edit]("free").names()


def test_values_that_only_the_table_needed_do_not_follow_it_into_a_urdf(tmp_path: Path) -> None:
    rows = [{"theta": 0, "d": "h", "a": "w", "alpha": 0, "mass": "m1", "motor_inertia": "k"}] * 2
    arm = mp.Robot.from_dh(rows, angle="deg").without("gravity")
    unknown = dict.fromkeys(arm.names(), 0.0)
    given = arm.with_parameters(**unknown).with_parameters(h=0.3, w=0.2, m1=2, k=0.7)
    urdf = mp.convert(given, "urdf")
    assert dict(urdf.values).keys() == {"k"}
    again = mp.load(mp.save(mp.convert(urdf, "standard"), tmp_path / "again.toml"))
    q = np.array([0.3, 0.4])
    assert np.allclose(World(again).inertia_matrix(q), World(given).inertia_matrix(q), atol=1e-12)


def test_a_conversion_keeps_what_stands_on_the_ground() -> None:
    links = "".join(f'<link name="l{i}"><inertial><mass value="3"/>{TENSOR}</inertial></link>' for i in range(3))
    rows = (("foot", "fixed"), ("turn", "continuous"))
    joints = "".join(
        f'<joint name="{name}" type="{kind}"><parent link="l{i}"/><child link="l{i + 1}"/></joint>'
        for i, (name, kind) in enumerate(rows)
    )
    robot = mp.Robot.from_text(f'<robot name="r">{links}{joints}</robot>', "urdf")
    for convention in ("standard", "modified", "urdf"):
        again = mp.convert(robot, convention)
        np.testing.assert_allclose(mp.Arm(again).centre_of_mass([0.4]), mp.Arm(robot).centre_of_mass([0.4]), atol=1e-14)
        assert not any("ground" in note for note in again.origin.notes)


PLACED = """
format = 1
name = "placed"
convention = "standard"
angle = "rad"
{place}
[[joint]]
type = "revolute"
theta = "theta1"
d = 0
a = "a1"
alpha = {alpha}
mass = "m1"
[[joint]]
type = "prismatic"
theta = 0
d = {d}
a = {a}
alpha = 0
mass = {mass}
"""


def placed(place: str = "", mass: str = "1", d: str = "d2", a: str = "0", alpha: str = "0") -> mp.Robot:
    cells = {"d": d, "a": a, "alpha": alpha, "mass": mass}
    return mp.Robot.from_text(PLACED.format(place=place, **{name: repr(text) for name, text in cells.items()}))


@pytest.mark.parametrize("end", ["base", "tool"])
def test_a_base_or_a_tool_stands_as_far_off_as_a_row_says(end: str) -> None:
    """A length of a row is a length there, and no angle; a mass is no length anywhere."""
    assert "a1" in placed(f'[{end}]\nxyz = [0, "a1", 0]').parameters and "m1" in placed(mass="m1").parameters
    for place, mass in (
        (f'[{end}]\nrpy = [0, "a1", 0]', "1"), (f'[{end}]\nxyz = ["m1", 0, 0]', "1"), ("", "a1")
    ):  # fmt: skip
        with pytest.raises(RobotFileError, match="is the automatic name of another entry"):
            placed(place, mass)


@pytest.mark.parametrize(
    "cells", [{"a": "d2"}, {"alpha": "2*d2"}, {"mass": "d2"}, {"mass": "d2/2 + 1"},
              {"place": '[tool]\nxyz = [0, 0, "d2 + 0.1"]'}, {"place": '[base]\nrpy = ["d2", 0, 0]'}]
)  # fmt: skip
def test_the_variable_of_a_slide_is_no_parameter_elsewhere(cells: dict[str, str]) -> None:
    with pytest.raises(RobotFileError, match=r"the name 'd2' is the variable of joint 2 \(use another name\)"):
        placed(**cells)


def test_an_offset_of_a_slide_is_a_length_elsewhere() -> None:
    assert "d2" in placed('[tool]\nxyz = [0, 0, "d2 + 0.1"]', d="(d2) + q2").parameters


@pytest.mark.parametrize("end", ["base", "tool"])
@pytest.mark.parametrize("where", ['xyz = [0, "{}", 0]', 'rpy = ["0.1 - {}", 0, 0]'])
def test_the_angle_of_a_joint_is_no_placement(end: str, where: str, tmp_path: Path) -> None:
    with pytest.raises(
        RobotFileError, match=rf"{end}: (xyz\[2\]|rpy\[1\]): found '.*theta1', which reads like a joint"
    ):
        placed(f"[{end}]\n{where.format('theta1')}")
    kept = placed(f"[{end}]\n{where.format('(theta1)')}")
    assert "theta1" in kept.parameters
    mp.save(kept, tmp_path / "kept.toml")
    assert mp.load(tmp_path / "kept.toml").parameters == kept.parameters
