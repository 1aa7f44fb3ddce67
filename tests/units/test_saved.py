"""A robot that is saved comes back as it was, or what is gone is said: random arms, edits, every format."""

from __future__ import annotations

import random
import re
import warnings
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.errors import ManipulaWarning
from manipula.mechanics.models.dynamics.energy import centre_of_mass
from manipula.mechanics.models.dynamics.torque import inverse_dynamics
from manipula.mechanics.models.kinematics.pose import pose
from manipula.mechanics.robot.bind import bind
from manipula.mechanics.robot.formats.toml.read import robot_from_toml, toml_from_robot
from manipula.mechanics.robot.reduce import merge_fixed
from manipula.mechanics.spatial.floats import FLOATS
from tests.random_robots import random_robot, random_state, with_laws
from tests.robot_plans import DOWN, drawn_plan
from tests.robot_writers import toml_modified, toml_placed, toml_standard, weightless
from tests.robot_xml import mjcf, urdf

EDITS: dict[str, Any] = {
    "payload": lambda robot: robot.with_payload(1.5, (0.1, 0, 0.2)),
    "tool": lambda robot: robot.with_tool((0.1, 0.2, 0.3), (0.3, 0, "pi/2")),
    "base": lambda robot: robot.with_base((0, 0, 1), (0, 1.2, 0)),
    "gravity": lambda robot: robot.with_gravity(0, -9.81, 0.5),
    "friction": lambda robot: robot.with_friction({robot.joint_names[-1]: {"viscous": 0.4, "coulomb": 0.2}}),
    "motor": lambda robot: robot.with_motor_inertia({robot.joint_names[0]: 0.05}),
    "frame": lambda robot: robot.with_frame("camera", robot.joint_names[0], (0.1, 0, 0), (0, 0.2, 0)),
    "still": lambda robot: robot.with_frame("marker", "base", (0.1, 0, 0)),
    "pose": lambda robot: robot.with_poses(home=[0.1] * robot.dof),
    "locked": lambda robot: robot.locked({robot.joint_names[0]: 0.3}) if robot.dof > 1 else robot,
}


def drawn(seed: int) -> mp.Robot:
    rng = random.Random(f"saved {seed}")
    bare = rng.random() < 0.5
    robot = random_robot(seed, joints=rng.randint(1, 4), surroundings=not bare, actuators=not bare)
    arm = mp.Robot.of(robot if bare or rng.random() < 0.5 else with_laws(robot, seed))
    for name in rng.sample(list(EDITS), rng.randint(0, 2)):
        arm = EDITS[name](arm)
    return arm


def numbers(robot: mp.Robot, seed: int) -> list[Any]:
    """What a program would compute: torques, the tool, every frame, limits and poses; and the names it would use."""
    state = random_state(robot, seed)[:3]
    arms = [robot, *(robot.at(name) for name in robot.frame_names)]
    trees = [merge_fixed(bind(arm, FLOATS, {})) for arm in arms]
    at = [pose(tree, state[0]) for tree in trees]
    torques = np.array(inverse_dynamics(trees[0], *state), dtype=float)
    limits = [joint.limits for joint in robot.joints if joint.kind != "fixed"]
    places = [np.array([*place.R, place.p], dtype=float) for place in at]
    return [robot.joint_names, robot.frame_names, robot.poses, limits, torques, *places]


def same(one: list[Any], other: list[Any]) -> bool:
    plain = [x for x in one if not isinstance(x, np.ndarray)] == [x for x in other if not isinstance(x, np.ndarray)]
    arrays = zip([x for x in one if isinstance(x, np.ndarray)], [x for x in other if isinstance(x, np.ndarray)])
    return plain and all(np.allclose(x, y, rtol=1e-9, atol=1e-9) for x, y in arrays)


def told(warned: list[warnings.WarningMessage]) -> str:
    return " ".join(str(each.message) for each in warned if "cannot hold the" in str(each.message))


@pytest.mark.parametrize("seed", range(40))
def test_what_is_not_the_same_after_reading_is_said_when_saving(seed: int, tmp_path: Path) -> None:
    robot = drawn(seed)
    for ending in (".toml", ".urdf", ".par"):
        path = tmp_path / f"arm{ending}"
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always", ManipulaWarning)
            mp.save(robot, path)
            read = mp.load(path, **{"exact": True} if ending == ".urdf" else {})
        kept = same(numbers(robot, seed), numbers(read, seed)) if read.dof == robot.dof else False
        assert kept or told(warned), (ending, robot)
        assert ending != ".toml" or kept


@pytest.mark.parametrize(
    ("edit", "ending", "said"),
    [
        ("gravity", ".urdf", "gravity 0 -9.81 0.5"),
        ("still", ".urdf", "frame marker, which no joint moves"),
        ("frame", ".par", "frames"),
        ("pose", ".par", "poses"),
        ("friction", ".csv", "motors and friction"),
        ("tool", ".csv", "tool"),
        ("frame", ".csv", "frames"),
    ],
)
def test_what_is_lost_has_a_name(edit: str, ending: str, said: str, tmp_path: Path) -> None:
    body = {"mass": 1, "com": [0, 0, 0], "inertia": dict.fromkeys(("xx", "yy", "zz", "xy", "xz", "yz"), 0)}
    rows = [{"theta": 0, "d": 0, "a": 0.5, "alpha": 0, **body} for _ in range(2)]
    with pytest.warns(ManipulaWarning, match=rf"cannot hold the .*{said}.*; a \.toml file keeps everything"):
        mp.save(EDITS[edit](mp.Robot.from_dh(rows)), tmp_path / f"arm{ending}")


def test_joints_that_change_places_are_named(tmp_path: Path) -> None:
    """Readers of URDF list the joints on one link together."""
    row = {
        "theta": 0,
        "d": 0,
        "a": 0.5,
        "alpha": 0,
        "mass": 1,
        "com": [0, 0, 0],
        "inertia": {"xx": 0, "yy": 0, "zz": 0},
    }
    rows = [{**row, "name": "a"}, {**row, "name": "b"}, {**row, "name": "c"}, {**row, "name": "d", "parent": "a"}]
    robot = weightless(mp.Robot.from_dh(rows))
    with pytest.warns(ManipulaWarning, match="cannot hold the order of the joints, which becomes a, b, d, c"):
        mp.save(robot, tmp_path / "arm.urdf")
    assert mp.load(tmp_path / "arm.urdf").joint_names == ("a", "b", "d", "c")


def test_a_parent_that_is_the_row_before_makes_no_tree(tmp_path: Path) -> None:
    row = '[[joint]]\nname = "{}"\nparent = "{}"\ntype = "{}"\nxyz = [0.1, 0, 0.2]\nrpy = [30, 20, 10]\n'
    head = 'format = 1\nname = "arm"\nconvention = "urdf"\nangle = "deg"\ninertia_default = 0\n'
    named = "".join(map(row.format, ("a", "b", "c"), ("base", "a", "b"), ("revolute", "fixed", "revolute")))
    robot = mp.Robot.from_text(head + named)
    assert robot.parents == mp.Robot.from_text(re.sub("parent = .*", "", head + named)).parents
    with pytest.warns(ManipulaWarning, match="cannot hold the names of joints"):
        mp.save(robot, tmp_path / "arm.par")
    assert mp.load(tmp_path / "arm.par").dof == 2


def test_what_a_format_holds_is_saved_without_a_word(tmp_path: Path) -> None:
    robot = mp.Robot.from_dh([(0, 0, 0.5, 0)])
    weightless = robot.with_parameters(**{name: 0 for name in robot.parameters if name[0] in "mrI"})
    for ending in (".toml", ".urdf", ".par", ".csv"):
        mp.save(weightless, tmp_path / f"arm{ending}")


JOINTS = ("elbow", "a b", "a/b", "pi", "sin", "q1", "2nd", "joint-3", "關節", "ﬁ", "x+y", "class", "None")


def exported(seed: int) -> str:
    """A URDF as exporters write it: limits and damping of fixed joints, names of any kind, joints that mimic."""
    rng = random.Random(f"exported {seed}")
    names = rng.sample(JOINTS, rng.randint(2, 5))
    text = '<link name="base link"/>'
    for row, name in enumerate(names):
        kind = "revolute" if row == 0 else rng.choice(("revolute", "prismatic", "fixed"))
        mimic = row and kind != "fixed" and rng.random() < 0.6
        factor, offset = rng.choice((1, -2, 0.5, 0)), rng.choice((0, 0.3))
        follows = f'<mimic joint="{names[0]}" multiplier="{factor}" offset="{offset}"/>' if mimic else ""
        ends = f'<parent link="{f"link {row}" if row else "base link"}"/><child link="link {row + 1}"/>'
        body = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
        text += f'<link name="link {row + 1}">{body}</link><joint name="{name}" type="{kind}">{ends}{follows}'
        text += '<origin xyz="0.1 0 0.2" rpy="0.3 0 0"/><axis xyz="0 1 0"/><dynamics damping="0.1" friction="0.2"/>'
        text += '<limit lower="-2" upper="2" effort="9" velocity="3"/></joint>'
    return f'<robot name="r">{text}</robot>'


@pytest.mark.parametrize("seed", range(30))
def test_a_robot_of_an_exporter_is_kept_by_a_robot_file(seed: int, tmp_path: Path) -> None:
    robot = mp.Robot.from_text(exported(seed), "urdf")
    assert mp.load(mp.save(robot, tmp_path / "arm.toml")).joints == robot.joints
    assert all(joint.limits is None for joint in robot.joints if joint.kind == "fixed")


def decorated(text: str, seed: int) -> str:
    """The URDF of a plan with brackets, cameras and a heavy base, of which some hang below others."""
    rng = random.Random(f"decorated {seed}")
    links = re.findall(r'<link name="([^"]+)"', text)
    tensor = "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>"
    weight = f"<inertial><origin xyz='0.1 0 {{}}'/><mass value='{{}}'/>{tensor}</inertial>"
    more, taken = "", set(re.findall(r'<parent link="([^"]+)"', text))
    for number in range(rng.randint(1, 6)):
        name, on = f"{rng.choice(('camera', 'bracket', 'foot'))}{number}", rng.choice(links)
        own = weight.format(rng.random(), rng.random()) if rng.random() < 0.5 else ""
        place = f"<origin xyz='0 {rng.random():.3f} 0' rpy='0 {rng.choice((0, 1.5707963267948966, 0.3))} 0'/>"
        more += f'<link name="{name}">{own}</link><joint name="mount{number}" type="fixed"><parent link="{on}"/>'
        more += f'<child link="{name}"/>{place}</joint>'
        links.append(name)
        taken.add(on)
    root = next(name for name in links if f'<child link="{name}"' not in text + more)
    bare = f'<link name="{root}"/>'
    more = more.replace("'", '"')
    text = text.replace("</robot>", more + "</robot>")
    return text.replace(bare, f'<link name="{root}">{weight.format(0.2, 7)}</link>'.replace("'", '"'))


@pytest.mark.parametrize("seed", range(25))
def test_names_frames_and_what_stands_still_are_kept(seed: int, tmp_path: Path) -> None:
    """Of arms and trees with links beside them: in URDF and in a robot file, and again."""
    plan = drawn_plan(seed)
    for writing in urdf(plan, random.Random(seed)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ManipulaWarning)
            robot = mp.Robot.from_text(decorated(writing.text, seed), "urdf", exact=True)
            files = [
                mp.load(mp.save(robot, tmp_path / "arm.urdf"), exact=True),
                mp.load(mp.save(robot, tmp_path / "arm.toml")),
            ]
            again = mp.load(mp.save(files[0], tmp_path / "again.urdf"), exact=True)
        q = np.linspace(0.3, 1.1, robot.dof)
        for read in (*files, again):
            names = ("name", "joint_names", "link_names", "frame_names", "base_link", "tip_link")
            assert {x: getattr(read, x) for x in names} == {x: getattr(robot, x) for x in names}
            kinds = [[(joint.name, joint.kind, joint.parent) for joint in x.joints] for x in (read, robot)]
            assert kinds[0] == kinds[1]
            one, other = (merge_fixed(bind(x, FLOATS, {})) for x in (read, robot))
            places = [centre_of_mass(x, x.coordinates.spread(q.tolist())) for x in (one, other)]
            np.testing.assert_allclose(*(np.array(x, float) for x in places), atol=1e-12)
            for frame in robot.frame_names:
                at = [merge_fixed(bind(x.at(frame), FLOATS, {})) for x in (read, robot)]
                poses = (np.array(pose(x, x.coordinates.spread(q.tolist())).rows(), float) for x in at)
                np.testing.assert_allclose(*poses, atol=1e-12)


def at_rest(robot: mp.Robot) -> tuple[Any, dict[str, float]]:
    """The tool where the coordinates have values of their own, and the torques that hold the robot, by name."""
    tree = merge_fixed(bind(robot.at("tool0") if "tool0" in robot.frame_names else robot, FLOATS, {}))
    q = tree.coordinates.spread([0.2 + 0.1 * len(name) for name in robot.joint_names])
    still = [0.0] * len(q)
    torques = tree.coordinates.gather(inverse_dynamics(tree, q, still, still))
    return np.array(pose(tree, q).rows(), float), dict(zip(robot.joint_names, map(float, torques)))


@pytest.mark.parametrize("seed", range(14))
def test_a_robot_with_a_joint_held_still_is_kept_or_the_loss_is_named(seed: int, tmp_path: Path) -> None:
    """Its axis along any direction, its place by names: these become numbers, and a warning says so."""
    plan = drawn_plan(seed).rows_with(lambda row: {"limits": None, "constant": Fraction(0)})
    plan = replace(plan, gravity=DOWN)
    for writing in (*toml_placed(plan, random.Random(seed)), *urdf(plan, random.Random(seed))):
        if len(plan.free) < 2 or any(row.kind == "H" for row in plan.rows):
            continue
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always", ManipulaWarning)
            robot = writing.read().locked({plan.free[seed % len(plan.free)].name: 0.3})
            toml = mp.load(mp.save(robot, tmp_path / "arm.toml"))
            named = any("are written as numbers there" in str(each.message) for each in warned)
            urdf_read = mp.load(mp.save(robot, tmp_path / "arm.urdf"), exact=True)
        gone = "which no joint moves" in told(warned)  # a frame at the base
        assert named or set(toml.names()) == set(robot.names())
        for read in (toml, *([] if gone else [urdf_read])):
            (place, torques), (expected, hold) = at_rest(read), at_rest(robot)
            np.testing.assert_allclose(place, expected, atol=1e-12)
            assert torques == pytest.approx(hold, rel=1e-11, abs=1e-11)


@pytest.mark.parametrize("seed", range(12))
def test_a_link_is_where_its_name_says(seed: int, tmp_path: Path) -> None:
    """Of MJCF, whose joints may lie beside the origins of their links, and of tables, whose frames lie elsewhere."""
    plan = drawn_plan(seed)
    for writing in (w for write in (mjcf, toml_modified, toml_standard) for w in write(plan, random.Random(seed))):
        if any(row.kind == "H" for row in plan.rows):
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ManipulaWarning)
            robot = writing.read()
            read = mp.load(mp.save(robot, tmp_path / "arm.urdf"), exact=True)
        at = {name: 0.3 + 0.1 * i for i, name in enumerate(robot.joint_names)}
        for link in (row.link for row in plan.rows):
            trees = [merge_fixed(bind(x.at(link), FLOATS, {})) for x in (read, robot)]
            given = [[at[name] for name in x.joint_names] for x in (read, robot)]
            poses = (np.array(pose(x, x.coordinates.spread(q)).rows(), float) for x, q in zip(trees, given))
            np.testing.assert_allclose(*poses, atol=1e-12, err_msg=link)


@pytest.mark.parametrize("seed", range(8))
def test_frames_are_kept_in_every_convention(seed: int) -> None:
    """On links that move, on fixed rows, on the base."""
    plan = drawn_plan(seed)
    plan = replace(plan, rows=tuple(replace(row, parent=i - 1, follow=None) for i, row in enumerate(plan.rows)))
    for writing in urdf(replace(plan, tip=len(plan.rows) - 1), random.Random(seed)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ManipulaWarning)
            robot = mp.Robot.from_text(decorated(writing.text, seed), "urdf", exact=True)
            robot = robot.with_frame("marker", "base", (0.1, 0.2, 0.3), (0.3, 0, 0.2))
            others = [mp.convert(robot, convention) for convention in ("standard", "modified", "urdf")]
        q = np.linspace(0.3, 1.1, robot.dof).tolist()
        for other in others:
            assert set(other.frame_names) == set(robot.frame_names)
            for frame in robot.frame_names:
                trees = (merge_fixed(bind(x.at(frame), FLOATS, {})) for x in (other, robot))
                np.testing.assert_allclose(*(np.array(pose(x, q).rows(), float) for x in trees), atol=1e-11)


# every optional entry of a robot file, with a value that says something
ROBOT_ENTRIES = {
    "length": '"mm"', "gravity": "[1, -2, 3]", "inertia_about": '"origin"', "inertia_default": "0",
    "source": '"a paper"', "description": '"an arm"', "notes": '["seen", "weighed"]', "exact": "true",
    "values": "{ L1 = 0.4, k = 2 }", "poses": "{ home = [10, 20] }",
    "base": '{ xyz = [1, 2, 3], rpy = [0, 90, 5], link_name = "floor" }', "tool": '{ on = "one", xyz = [1, 0, 2] }',
    "frame": '[{ name = "camera", on = "two", xyz = [1, 2, 3], rpy = [4, 5, 6] }]',
    "payload": "[{ mass = 2, com = [1, 2, 3], inertia = { xx = 9, yy = 9, zz = 9 } }]",
}  # fmt: skip
JOINT_ENTRIES = {
    "link_name": '"shank"', "direction": "-1", "limits": "[-170, 90]", "velocity_limit": "33", "effort_limit": "44",
    "motor_inertia": "0.3", "gear": "100", "efficiency": "0.8", "stiffness": "2e3", "backlash": "0.01", "mass": "3",
    "com": "[0.1, 0.2, 0.3]", "inertia": "{ xx = 5, yy = 6, zz = 7, xy = 0.1 }", "note": '"worn"',
    "friction": "{ viscous = 1.5, coulomb = 0.5, offset = -0.2, stribeck = { torque = 0.4, velocity = 0.1 } }",
    "springs": "[{ radii = [0.8, 0.2], angle = -85, length = 0.6, stroke = 0.5 }]",
    "carries": '[{ name = "box", xyz = [1, 2, 3], mass = 1, com = [0, 0, 1], inertia = { xx = 1, yy = 1, zz = 1 } }]',
}  # fmt: skip


def some_entries(seed: int) -> str:
    """A robot file with any of the optional entries: alone, in pairs, all but one, all."""
    rng = random.Random(f"entries {seed}")
    share = rng.choice((0.1, 0.3, 0.6, 0.9, 1.0))

    def drawn(entries: dict[str, str]) -> str:
        return "".join(f"{key} = {value}\n" for key, value in entries.items() if rng.random() < share)

    text = 'format = 1\nname = "arm"\nconvention = "standard"\nangle = "deg"\n' + drawn(ROBOT_ENTRIES)
    for name in ("one", "two"):
        row = f'[[joint]]\nname = "{name}"\ntype = "revolute"\nd = 0.1\na = 0.2\nalpha = 90\n'
        text += row + ("theta = 30\n" if rng.random() < share else "") + drawn(JOINT_ENTRIES)
    return text


@pytest.mark.parametrize("seed", range(40))
def test_any_of_the_entries_of_a_robot_file_are_kept(seed: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ManipulaWarning)
        robot = robot_from_toml(some_entries(seed))
        text = toml_from_robot(robot)
        read = robot_from_toml(text)
    assert read == robot and toml_from_robot(read) == text
    assert [joint.link for joint in read.joints] == [joint.link for joint in robot.joints]
    about = [replace(x.origin, notes=()) for x in (read, robot)]
    assert about[0] == about[1] and set(read.origin.notes) == set(robot.origin.notes)
