"""URDFs as people write them by hand: what looks wrong in them is said, what ROS reads is read."""

from __future__ import annotations

import random
import warnings
from pathlib import Path

import pytest

import manipula as mp
from manipula.errors import ManipulaWarning, RobotFileError

TENSOR = 'ixx="{}" iyy="0.2" izz="0.2" ixy="0" ixz="0" iyz="0"'
ODD = {  # what stands in a joint or its link, and what is said of it
    "degrees": ("origin", '<origin xyz="0 0 0.3" rpy="{deg} 0 0"/>', "radians looks like degrees"),
    "millimetres": ("origin", '<origin xyz="{mm} 0 0"/>', "m looks like millimetres"),
    "centre in millimetres": ("centre", '<origin xyz="{mm} 0 0"/>', "m looks like millimetres"),
    "no such body": ("tensor", TENSOR.format("-{mm}"), "no body has this inertia"),
    "friction that drives": ("dynamics", '<dynamics damping="-{deg}"/>', "is negative"),
    "limits in degrees": ("dynamics", '<limit lower="-{deg}" upper="{deg}"/>', "limits: -"),
    "two axes": ("axis", '<axis xyz="0 1 0"/><axis xyz="1 0 0"/>', "has 2 <axis>; the first is read"),
    "two masses": ("mass", '<mass value="1"/><mass value="2"/>', "has 2 <mass>; the first is read"),
}
PLAIN = {
    "origin": '<origin xyz="0 0 0.3"/>', "axis": '<axis xyz="0 1 0"/>', "dynamics": "", "mass": '<mass value="1"/>',
    "centre": '<origin xyz="0.1 0 0"/>', "tensor": TENSOR.format("0.2"),
}  # fmt: skip
BETWEEN = ("", "\n", "<!-- ---- arm ---- -->", "<!---->", "<!-- a -- b\n -->", "<!-- <link name='base'/> -->")


def arm(rng: random.Random, count: int, odd: str = "", between: tuple[str, ...] = ("",)) -> str:
    """A chain, one row of which has something odd."""
    parts, at = ['<link name="base"/>'], rng.randrange(count)
    for row in range(count):
        said = dict(PLAIN)
        if odd and row == at:
            place, text, _ = ODD[odd]
            said[place] = text.replace("{deg}", str(rng.choice((30, 45, 90, 180)))).replace(
                "{mm}", str(rng.randint(50, 900))
            )
        body = f"<inertial>{said['centre']}{said['mass']}<inertia {said['tensor']}/></inertial>"
        kind = "revolute" if "<limit" in said["dynamics"] else "continuous"
        ends = f'<parent link="{f"l{row - 1}" if row else "base"}"/><child link="l{row}"/>'
        parts.append(f'<link name="l{row}">{body}</link>')
        parts.append(
            f'<joint name="j{row}" type="{kind}">{ends}{said["origin"]}{said["axis"]}{said["dynamics"]}</joint>'
        )
    return '<robot name="arm">' + "".join(part + rng.choice(between) for part in parts) + "</robot>"


def loaded(text: str) -> tuple[mp.Robot, str]:
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always", ManipulaWarning)
        robot = mp.Robot.from_text(text, "urdf")
    return robot, " | ".join(str(each.message) for each in warned)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("odd", ODD)
def test_what_looks_wrong_is_said_with_its_place(odd: str, seed: int) -> None:
    rng = random.Random(f"odd {odd} {seed}")
    robot, told = loaded(arm(rng, rng.randint(1, 4), odd))
    assert ODD[odd][2] in told and ("joint" in told or "link" in told)
    assert loaded(arm(rng, robot.dof))[1] == ""


@pytest.mark.parametrize("seed", range(12))
def test_comments_with_dashes_and_a_declaration_behind_one_change_nothing(seed: int) -> None:
    count = random.Random(seed).randint(1, 3)
    plain = loaded(arm(random.Random(f"same {seed}"), count))[0]
    rng = random.Random(f"comments {seed}")
    head = rng.choice(("", "<!-- made by hand -- twice -->", '<!-- licence -->\n<?xml version="1.0"?>\n'))
    assert loaded(head + arm(rng, count, between=BETWEEN))[0] == plain


def test_a_text_that_is_no_xml_is_still_refused_where_it_breaks() -> None:
    text = arm(random.Random(1), 2).replace("<axis", "<!-- -- --><axis", 1).replace("</robot>", "</rob>")
    with pytest.raises(RobotFileError, match="not well-formed XML"):
        loaded(text)
    with pytest.raises(RobotFileError, match="not well-formed XML"):
        loaded("<robot><!-- " * 20_000)


@pytest.mark.parametrize("bound", ["velocity", "effort"])
def test_a_negative_bound_is_none(bound: str) -> None:
    limit = f'<limit lower="-1" upper="1" {bound}="-1"/><axis'
    robot, _ = loaded(arm(random.Random(2), 1).replace("<axis", limit).replace("continuous", "revolute"))
    assert getattr(robot.joints[0], f"{bound}_limit") is None
    assert any(f"its {bound} limit -1 is negative" in note for note in robot.origin.notes)


@pytest.mark.parametrize(
    ("mimic", "said"), [("j0", "mimics it in turn"), ("nobody", "is not in the file"), ("weld", "does not move")]
)
def test_a_mimic_of_nothing_that_moves_is_told_why(mimic: str, said: str) -> None:
    weld = '<link name="w"/><joint name="weld" type="fixed"><parent link="base"/><child link="w"/></joint></robot>'
    text = arm(random.Random(3), 1).replace("<axis", f'<mimic joint="{mimic}"/><axis').replace("</robot>", weld)
    with pytest.raises(RobotFileError, match=f"it mimics joint '{mimic}', which {said}"):
        loaded(text)


def test_a_number_too_small_is_not_called_too_large() -> None:
    with pytest.raises(RobotFileError, match="write 0 for what is so small"):
        loaded(arm(random.Random(4), 1).replace('xyz="0 0 0.3"', 'xyz="0 0 1e-320"'))


@pytest.mark.parametrize("ending", [".toml", ".par"])
def test_a_body_that_cannot_be_is_told_of_before_its_file_is_refused(ending: str, tmp_path: Path) -> None:
    robot = loaded(arm(random.Random(5), 2, "no such body"))[0]
    file = tmp_path / f"arm{ending}"
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always", ManipulaWarning)
        mp.save(robot, file)
    assert any("will be refused when it is read: " in str(each.message) for each in warned)
    with pytest.raises(RobotFileError, match="no body has this inertia"):
        mp.load(file)


@pytest.mark.parametrize("seed", range(4))
def test_a_fixed_joint_mimics_nothing_and_forces_of_a_simulator_are_named(seed: int) -> None:
    rng = random.Random(f"beside {seed}")
    text = arm(rng, 3).replace('type="continuous"', 'type="fixed"', 1).replace("<axis", '<mimic joint="j2"/><axis', 1)
    away = rng.choice(("<turnGravityOff>true</turnGravityOff>", "<springStiffness> 5.5 </springStiffness>"))
    none = rng.choice(("<turnGravityOff>false</turnGravityOff>", "<springStiffness>0</springStiffness><mu1>1</mu1>"))
    robot, said = loaded(text.replace("</robot>", f'<gazebo reference="l1">{none}</gazebo></robot>'))
    assert robot.joint_names == ("j1", "j2") and not said
    said = loaded(text.replace("</robot>", f'<gazebo reference="l1">{away}</gazebo></robot>'))[1]
    assert said == f"<gazebo> of 'l1': {away[1:].partition('>')[0]} is not read"
