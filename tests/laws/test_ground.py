"""Every body counts in the centre of mass, those that stand still too, whatever stands before them.

The reference walks the XML itself: Σ m c over all links of the file, in plain floats.
"""

from __future__ import annotations

import random
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.mechanics.models.dynamics.energy import centre_of_mass, centre_of_mass_jacobian, potential_energy
from manipula.mechanics.models.dynamics.torque import gravity
from manipula.mechanics.models.kinematics.pose import pose
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.formats.conversion.conventions import convert
from manipula.mechanics.robot.topology import base_body
from tests.laws.test_coupled import in_floats

Array = Any
KINDS = ("fixed", "fixed", "revolute", "prismatic", "continuous")


def link(rng: random.Random, name: str, heavy: float = 0.75) -> str:
    if rng.random() > heavy:
        return f'<link name="{name}"/>'
    tensor = '<inertia ixx="0.5" iyy="0.6" izz="0.55" ixy="0.01" ixz="0.02" iyz="-0.03"/>'
    body = f'<origin xyz="{three(rng)}" rpy="{three(rng)}"/><mass value="{rng.uniform(0.1, 9):.5f}"/>{tensor}'
    return f'<link name="{name}"><inertial>{body}</inertial></link>'


def three(rng: random.Random) -> str:
    return " ".join(rng.choice(("0", f"{rng.uniform(-0.9, 0.9):.6f}")) for _ in range(3))


def joint(rng: random.Random, name: str, parent: str, kind: str) -> str:
    axis = rng.choice(("0 0 1", "0 -1 0", "1 0 0", "0.6 0 0.8", "1 2 -3"))
    inside = f'<parent link="{parent}"/><child link="{name}"/><origin xyz="{three(rng)}" rpy="{three(rng)}"/>'
    limit = '<limit lower="-3" upper="3" effort="9" velocity="9"/>'
    return f'<joint name="to_{name}" type="{kind}">{inside}<axis xyz="{axis}"/>{limit}</joint>'


def random_urdf(seed: int, links: int = 0) -> str:
    """A tree with fixed bodies anywhere; an empty `world` before the root, or not."""
    rng = random.Random(seed)
    names = ["root", *(f"l{k}" for k in range(links or rng.randint(2, 9)))]
    kinds = [rng.choice(KINDS) for _ in names[2:]] + ["revolute"]
    parts = [link(rng, name) for name in names]
    parts += [joint(rng, x, rng.choice(names[: k + 1]), kind) for k, (x, kind) in enumerate(zip(names[1:], kinds))]
    if seed % 3 == 0:
        parts += ['<link name="world"/>', joint(rng, "root", "world", "fixed")]
    rng.shuffle(parts)
    return f'<robot name="r">{"".join(parts)}</robot>'


def numbers(element: ET.Element | None, key: str) -> Array:
    return np.array([0.0] * 3 if element is None else [float(x) for x in element.attrib[key].split()])


def placed(element: ET.Element | None) -> Array:
    T, (a, b, c) = np.eye(4), numbers(element, "rpy")
    T[:3, :3] = turn([0, 0, 1], c) @ turn([0, 1, 0], b) @ turn([1, 0, 0], a)
    T[:3, 3] = numbers(element, "xyz")
    return T


def turn(axis: Any, by: float) -> Array:
    x, y, z = np.array(axis) / np.linalg.norm(axis)
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(by) * K + (1 - np.cos(by)) * K @ K


def weighed(text: str, q: dict[str, float]) -> tuple[float, Array]:
    """(Σ m, Σ m c) over all links, seen from the root of the file."""
    root = ET.fromstring(text)
    above = {x.find("child").attrib["link"]: x for x in root.iter("joint")}  # type: ignore[union-attr]

    def pose(name: str) -> Array:
        if name not in above:
            return np.eye(4)
        x, T = above[name], np.eye(4)
        axis, at = numbers(x.find("axis"), "xyz"), q.get(x.attrib["name"], 0.0)
        if x.attrib["type"] in ("revolute", "continuous"):
            T[:3, :3] = turn(axis, at)
        elif x.attrib["type"] == "prismatic":
            T[:3, 3] = axis / np.linalg.norm(axis) * at
        return pose(x.find("parent").attrib["link"]) @ placed(x.find("origin")) @ T  # type: ignore[union-attr]

    mass, moment = 0.0, np.zeros(3)
    for body in (x for x in root.iter("link") if x.find("inertial") is not None):
        inertial = body.find("inertial")
        m = float(inertial.find("mass").attrib["value"])  # type: ignore[union-attr]
        mass += m
        moment += m * (pose(body.attrib["name"]) @ placed(inertial.find("origin")))[:3, 3]  # type: ignore[union-attr]
    return mass, moment


def at(robot: mp.Robot, seed: int) -> dict[str, float]:
    return dict(zip(robot.joint_names, np.random.default_rng(seed).uniform(-1.5, 1.5, robot.dof).tolist()))


def assert_weighed(robot: RobotDescription, text: str, q: dict[str, float]) -> None:
    """Centre of mass, its Jacobian by differences, potential energy."""
    tree, given = in_floats(robot), list(q.values())
    mass, moment = weighed(text, q)
    if not mass:
        return
    np.testing.assert_allclose(centre_of_mass(tree, given), moment / mass, rtol=0, atol=1e-12)
    np.testing.assert_allclose(float(potential_energy(tree, given)), 9.81 * moment[2], rtol=1e-12, atol=1e-11)
    h = 1e-5
    ends = [[weighed(text, q | {name: q[name] + step}) for step in (h, -h)] for name in q]
    slopes = np.array([(x[1] - y[1]) / (2 * h * mass) for x, y in ends]).T
    J = np.array(centre_of_mass_jacobian(tree, given), dtype=float)
    np.testing.assert_allclose(J, slopes, rtol=0, atol=1e-8)
    pulls = [gravity(replace(tree, gravity=way), given) for way in ((1, 0, 0), (0, 1, 0), (0, 0, 1))]
    np.testing.assert_allclose(J, -np.array(pulls, dtype=float) / mass, rtol=0, atol=1e-12)  # g·m pulls at the centre


@pytest.mark.parametrize("seed", range(12))
def test_every_body_counts_in_the_centre_of_mass(seed: int) -> None:
    text = random_urdf(seed)
    robot = mp.Robot.from_text(text, "urdf", exact=True)
    assert_weighed(robot, text, at(robot, seed))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 200))
def test_every_body_counts_in_many_trees(seed: int) -> None:
    test_every_body_counts_in_the_centre_of_mass(seed)


@pytest.mark.parametrize("seed", range(6))
def test_an_arm_of_a_tree_stands_on_the_rest_of_it(seed: int) -> None:
    """With tip= the other branches are locked at zero, and weigh as much as before."""
    text = random_urdf(seed + 50, links=8)
    tree = mp.Robot.from_text(text, "urdf", exact=True)
    tip = tree.link_names[-1]
    arm = mp.Robot.from_text(text, "urdf", tip=tip, exact=True)
    assert (arm.tip_link, arm.base_link) == (tip, tree.base_link)
    assert_weighed(arm, text, at(arm, seed))


@pytest.mark.parametrize("seed", range(6))
def test_what_stands_still_is_saved(seed: int, tmp_path: Path) -> None:
    text = random_urdf(seed)
    robot = mp.Robot.from_text(text, "urdf", exact=True)
    toml = tmp_path / "r.toml"
    mp.save(robot, toml)
    again = mp.load(toml)
    assert (again.base_link, again.ground) == (robot.base_link, robot.ground) or _same_to_twenty(again, robot)
    mp.save(robot, tmp_path / "r.urdf")
    for other in (again, mp.load(tmp_path / "r.urdf", exact=True)):
        q = at(robot, seed)
        assert_weighed(other, text, {name: q[name] for name in other.joint_names})


def _same_to_twenty(one: mp.Robot, other: mp.Robot) -> bool:
    """A way across several joints is saved as one shift and one turn, to twenty decimals."""
    bodies = [[(mounted.name, mounted.body) for mounted in robot.ground] for robot in (one, other)]
    return bodies[0] == bodies[1] and any(len(mounted.at) > 6 for mounted in other.ground)


@pytest.mark.parametrize("target", ["standard", "modified"])
@pytest.mark.parametrize("seed", range(3))
def test_a_converted_arm_stands_on_the_same_ground(seed: int, target: str) -> None:
    text = random_urdf(seed + 50, links=8)
    tree = mp.Robot.from_text(text, "urdf")
    arm = mp.Robot.from_text(text, "urdf", tip=tree.link_names[-1])
    assert arm.ground
    q = list(at(arm, seed).values())
    there = [centre_of_mass(in_floats(x), q) for x in (arm, convert(arm, target))]
    np.testing.assert_allclose(*there, rtol=0, atol=1e-12)


def test_many_bodies_that_stand_still_are_one() -> None:
    text = random_urdf(3, links=60)
    robot = mp.Robot.from_text(text, "urdf", tip="l59", exact=True)
    assert len(robot.ground) == 1 and base_body(robot) is None
    assert_weighed(robot, text, at(robot, 3))


def test_a_body_that_floats_beside_the_arm_is_not_its_ground() -> None:
    body = '<inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    ends = '<parent link="root"/><child link="{}"/>'
    ball = f'<link name="ball">{body}</link><joint name="b" type="floating">{ends.format("ball")}</joint>'
    arm = f'<link name="arm">{body}</link><joint name="j" type="continuous">{ends.format("arm")}</joint>'
    robot = mp.Robot.from_text(f'<robot name="r"><link name="root"/>{ball}{arm}</robot>', "urdf", tip="arm")
    assert robot.ground == () and any("ball" in note for note in robot.origin.notes)
    # nor is what is fixed to it, while what is fixed to the root is
    held = (
        '<link name="{0}">{1}</link><joint name="{0}_{2}" type="fixed"><parent link="{2}"/><child link="{0}"/></joint>'
    )
    more = held.format("fin", body, "ball") + held.format("tip", body, "fin") + held.format("plate", body, "root")
    robot = mp.Robot.from_text(f'<robot name="r"><link name="root"/>{ball}{more}{arm}</robot>', "urdf", tip="arm")
    assert [mounted.name for mounted in robot.ground] == ["plate"] and any("ball" in x for x in robot.origin.notes)


BASE = """
format = 1
name = "r"
convention = "standard"
angle = "deg"
length = "mm"
[base]
link_name = "torso"
xyz = [0, 0, 100]
mass = 3
com = [10, 0, 20]
inertia = { xx = 1, yy = 1, zz = 1, xy = 0, xz = 0, yz = 0 }
[[base.carries]]
name = "head"
xyz = [0, 0, 500]
mass = "mh"
com = [0, 0, 0]
inertia = { xx = 1, yy = 1, zz = 1, xy = 0, xz = 0, yz = 0 }
[values]
mh = 1
[[joint]]
type = "revolute"
d = 0
a = 1000
alpha = 0
mass = 4
com = [0, 0, 0]
inertia = { xx = 1, yy = 1, zz = 1, xy = 0, xz = 0, yz = 0 }
"""


def test_the_base_has_the_keys_of_a_joint() -> None:
    robot = mp.Robot.from_text(BASE)
    there = np.array([3 * 0.01 + 4 * 1.0, 0, 3 * 0.12 + 1 * 0.6 + 4 * 0.1]) / 8
    np.testing.assert_allclose(centre_of_mass(in_floats(robot), [0]), there, atol=1e-15)
    assert robot.base_link == "torso" and robot.parameters["m_torso"] == 3 and robot.parameters["mh"] == 1
    heavier = mp.Arm(robot.with_parameters(mh=3, m_torso=5)).centre_of_mass([0])  # generated and proved
    np.testing.assert_allclose(heavier, np.array([5 * 0.01 + 4, 0, 5 * 0.12 + 3 * 0.6 + 0.4]) / 12, atol=1e-15)


@pytest.mark.parametrize("line", ["mass = 3", "com = [1, 2, 3]", "", 'link_name = "torso"'])
def test_a_base_of_which_little_is_said_comes_back(line: str, tmp_path: Path) -> None:
    head, tail = BASE[: BASE.index("[base]")], BASE[BASE.index("[[joint]]") :]
    robot = mp.Robot.from_text(f"{head}[base]\n{line}\n{tail}")
    mp.save(robot, tmp_path / "r.toml")
    again = mp.load(tmp_path / "r.toml")
    assert again == robot and again.base_link == robot.base_link


def test_an_unknown_key_of_the_base_is_refused() -> None:
    with pytest.raises(mp.RobotFileError, match="did you mean 'mass'"):
        mp.Robot.from_text(BASE.replace("mass = 3", "mas = 3"))


def test_an_inertia_that_stands_still_is_no_reason_to_refuse() -> None:
    odd = BASE.replace("{ xx = 1", "{ xx = -1", 1)
    with pytest.warns(mp.ManipulaWarning, match="base, body 'torso': inertia: no body has this inertia"):
        mp.Robot.from_text(odd)
    with pytest.raises(mp.RobotFileError, match="base, body 'torso': mass"):
        mp.Robot.from_text(BASE.replace("mass = 3", "mass = -3"))


def test_a_load_of_a_tool_on_the_base_is_ground() -> None:
    """No motor feels it, whichever link is last; the centre of mass and the potential energy do."""
    row = '[[joint]]\ntype = "revolute"\ntheta = 0\nd = 0\na = 0.5\nalpha = 90\nmass = 2\ncom = [0, 0, 0]\n'
    head = 'format = 1\nname = "r"\nconvention = "standard"\nangle = "deg"\nlength = "m"\ninertia_default = 0\n'
    q = [0.3, -0.4]
    for on, felt in (("base", False), ("joint2", True), ("joint1", True)):
        robot = mp.Robot.from_text(f'{head}[tool]\non = "{on}"\nxyz = [0.2, 0, 0.1]\n{row}{row}')
        bare, laden = map(in_floats, (robot, robot.with_payload(3, com=(0, 0, 0.4))))
        pulls = [gravity(replace(tree, gravity=(3.0, 4.0, -9.0)), q) for tree in (bare, laden)]
        assert np.allclose(*pulls, atol=1e-14) != felt
        at = np.array(pose(bare, q).rows(), dtype=float) @ [0, 0, 0.4, 1]
        assert potential_energy(laden, q) - potential_energy(bare, q) == pytest.approx(3 * 9.81 * at[2])
        sums = (mass * np.array(centre_of_mass(chain, q)) for chain, mass in ((laden, 7), (bare, 4)))
        assert np.subtract(*sums) == pytest.approx(3 * at[:3])
