"""URDFs as they lie about: what the arm does not use may be wrong, with a warning; what it uses may not."""

from __future__ import annotations

import random
import warnings
from dataclasses import dataclass, replace

import pytest

import manipula as mp
from manipula.errors import RobotFileError

INERTIAL = (
    '<inertial><mass value="1"/><origin xyz="0 0 0.1"/>'
    '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
)
AXIS = '<axis xyz="0 1 0"/>'


@dataclass
class Part:
    """A link with the joint that leads to it."""

    name: str
    parent: str
    kind: str = "revolute"
    origin: str = '<origin xyz="0 0 0.3"/>'
    axis: str = AXIS
    more: str = ""
    inertial: str = INERTIAL
    looks: str = ""

    def __str__(self) -> str:
        inside = f'<parent link="{self.parent}"/><child link="{self.name}"/>{self.origin}{self.axis}{self.more}'
        joint = f'<joint name="to_{self.name}" type="{self.kind}">{inside}</joint>'
        return f'<link name="{self.name}">{self.inertial}{self.looks}</link>{joint}'


def humanoid(rng: random.Random) -> dict[str, Part]:
    """base – (mount) – chest – shoulder – elbow, a camera at the elbow, a leg at the base."""
    parts = [Part("chest", "base", rng.choice(("fixed", "revolute"))), Part("shoulder", "chest"),
             Part("elbow", "shoulder", rng.choice(("revolute", "prismatic"))), Part("hand", "elbow", "fixed"),
             Part("camera", "elbow", rng.choice(("fixed", "revolute"))), Part("leg", "base"),
             Part("foot", "leg", "fixed")]  # fmt: skip
    return {part.name: part for part in parts}


def text_of(parts: dict[str, Part], beside: str = "") -> str:
    return f'<robot name="r"><link name="base"/>{"".join(map(str, parts.values()))}{beside}</robot>'


def loaded(text: str) -> mp.Robot:
    return mp.Robot.from_text(text, "urdf", tip="hand")


LOOKS = {
    "macro in a visual": '<visual><xacro:box size="1 1 1"/></visual>',
    "find in a mesh": '<collision><geometry><mesh filename="$(find arm)/m.stl"/></geometry></collision>',
    "value in a mesh": '<visual><geometry><mesh filename="${pkg}/m.stl" scale="${s}"/></geometry></visual>',
}
BESIDE = {
    "undeclared prefix": '<gazebo><sensor:camera name="c"><image:width v="1"/></sensor:camera></gazebo>',
    "undeclared attribute": '<gazebo ns:kind="x"/>',
    "sensor macro": '<xacro:sensor_d435 parent="camera_link"/>',
    "gazebo plugin": '<gazebo><plugin filename="$(find x)/y.so"/></gazebo>',
    "both": "<xacro:lidar/><gazebo><a:b/></gazebo>",
}
WRONG = {
    "misspelt axis": ("axis", '<axis xzy="0 0 1"/>'),
    "short axis": ("axis", '<axis xyz="0 1"/>'),
    "zero axis": ("axis", '<axis xyz="0 0 0"/>'),
    "limit no number": ("more", '<limit lower="0" upper="${pi}"/>'),
    "damping no number": ("more", '<dynamics damping="viel"/>'),
    "mass no number": ("inertial", INERTIAL.replace('value="1"', 'value="${m}"')),
    "mass negative": ("inertial", INERTIAL.replace('value="1"', 'value="-1"')),
    "inertial by macro": ("inertial", '<xacro:cylinder_inertial m="1"/>'),
    "huge": ("origin", '<origin xyz="1e999 0 0"/>'),
    "tiny": ("origin", '<origin xyz="1e-999 0 0"/>'),
    "long": ("origin", f'<origin xyz="0.{"3" * 5000} 0 0"/>'),
}


def is_read(name: str, part: Part, wrong: str) -> bool:
    field = WRONG[wrong][0]
    if name in ("leg", "foot"):
        return False
    if field in ("inertial", "origin"):
        return True
    if part.kind == "fixed":
        return False
    return name != "camera" or field == "axis"  # a locked joint needs its axis, not its limits


@pytest.mark.parametrize("seed", range(40))
def test_what_the_arm_does_not_read_is_passed_over_with_a_warning(seed: int) -> None:
    rng = random.Random(seed)
    parts = humanoid(rng)
    clean = loaded(text_of(parts))
    beside = rng.choice(list(BESIDE.values())) if rng.random() < 0.6 else ""
    for part in rng.sample(list(parts.values()), rng.randint(0 if beside else 1, 3)):
        part.looks = rng.choice(list(LOOKS.values()))
    text = text_of(parts, beside).replace("<robot ", '<robot xmlns:xacro="http://ros.org/wiki/xacro" ', seed % 2)
    with pytest.warns(mp.ManipulaWarning) as told:
        assert loaded(text) == clean
    assert {warning.filename for warning in told} == {__file__}


@pytest.mark.parametrize("seed", range(60))
def test_mistakes_count_where_the_arm_reads_them(seed: int) -> None:
    rng = random.Random(seed)
    parts = humanoid(rng)
    clean = loaded(text_of(parts))
    name, wrong = rng.choice(list(parts)), rng.choice(list(WRONG))
    field, found = WRONG[wrong]
    text = '<robot xmlns:xacro="x/xacro" ' + text_of({**parts, name: Part(**{**vars(parts[name]), field: found})})[7:]
    if is_read(name, parts[name], wrong):
        with pytest.raises(RobotFileError, match=name):
            loaded(text)
        return
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        read = loaded(text)
    assert replace(read, ground=()) == replace(clean, ground=())  # what stands still may lack a body, and no more
    assert {mounted.name for mounted in clean.ground} - {mounted.name for mounted in read.ground} <= {"leg", "foot"}
    silent = wrong == "zero axis" and parts[name].kind == "fixed"  # it is a zero axis as the format has it
    unknown = [False] if wrong == "misspelt axis" else []  # a word of the file that nobody knows
    assert [name in str(warning.message) for warning in told] == (unknown if silent else [*unknown, True])


def test_xacro_that_makes_the_robot_is_refused() -> None:
    for text in ("<robot name='r'><xacro:arm/></robot>", "<robot name='r'><link name='${p}a'/></robot>",
                 "<robot name='r'><link name='a'/><joint name='j' type='fixed'><parent link='a'/><child link='b'/>"
                 "</joint><xacro:hand parent='b'/></robot>"):  # fmt: skip
        with pytest.raises(RobotFileError, match="xacro"):
            mp.Robot.from_text(text, "urdf")


def test_many_tips_make_a_short_sentence() -> None:
    fingers = {f"a_rather_long_finger_name_{k}": Part(f"a_rather_long_finger_name_{k}", "base") for k in range(40)}
    robot = mp.Robot.from_text(text_of(fingers), "urdf")
    with pytest.raises(mp.InputError, match=r"branches at 'base'; say which frame is meant: .* and 28 more") as caught:
        mp.generate(robot, "pose")
    assert len(str(caught.value)) < 900
