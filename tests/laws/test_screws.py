"""Screw axes: the product of their exponentials is the pose, there and back, for arms of every kind of joint."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from functools import reduce
from operator import matmul
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm

import manipula as mp
from manipula.algebra.simplify.tree import FormulaNumber
from manipula.derivations.screws import ScrewAxes
from manipula.errors import InputError, ManipulaError, ProofError, RobotFileError, UnknownNameError
from manipula.generation.arm_structure import ArmStructure
from manipula.mechanics.models.dynamics.newton_euler import newton_euler
from manipula.mechanics.models.kinematics.pose import pose
from manipula.mechanics.models.kinematics.screws import exponentials, home_screws
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.spatial.floats import FLOATS
from tests.random_robots import random_robot, random_state

EYE = np.eye(4).tolist()


def tree_of(robot: RobotDescription) -> Any:
    """Masses without a value are 1: no pose has them."""
    structure = ArmStructure(robot)
    return structure.bound_tree(FLOATS, dict.fromkeys(structure.free, 1.0))


def pose_of(robot: RobotDescription, q: Any) -> Any:
    return np.array(pose(tree_of(robot), list(q)).rows(), dtype=float)


def exponential(S: Any, q: float) -> Any:
    """Of the 4×4 matrix, by SciPy."""
    matrix = np.zeros((4, 4))
    matrix[:3, :3], matrix[:3, 3] = np.cross(np.eye(3), -np.asarray(S[:3])).T, S[3:]
    return expm(matrix * q)


def product(found: ScrewAxes, q: Any, frame: str = "space") -> Any:
    total = np.eye(4) if frame == "space" else found.home
    for S, x in zip(getattr(found, frame), q, strict=True):
        total = total @ exponential(S, x)
    return total @ found.home if frame == "space" else total


@pytest.mark.parametrize("draw", range(28))
def test_the_product_of_exponentials_is_the_pose_and_the_arm_is_found_again(draw: int) -> None:
    """Revolute, prismatic, helical and fixed rows, any convention, a base and a tool."""
    robot = random_robot(draw, screws=draw % 2 == 0, bodies=False)
    q, found = random_state(robot, draw)[0], mp.screws(mp.Robot.of(robot))
    T = pose_of(robot, q)
    assert np.abs(product(found, q) - T).max() < 1e-12 and np.abs(product(found, q, "body") - T).max() < 1e-12
    chain = tree_of(robot)
    screws, home = home_screws(chain)
    by_screws = reduce(matmul, [*exponentials(chain, screws, q), home])
    assert np.abs(np.array(by_screws.rows(), dtype=float) - T).max() < 1e-12
    moving = [joint for joint in robot.joints if joint.kind != "fixed"]
    assert found.joints == tuple(x.name for x in moving) and found.kinds == tuple(x.kind for x in moving)
    for frame, axes in (("space", found.space), ("body", found.body)):
        again = mp.Robot.from_screws(axes, found.home, found.joints, frame=frame, exact=True)
        assert np.abs(pose_of(again, q) - T).max() < 1e-12
        # a screw without pitch is a turn
        kinds = ["revolute" if x == "helical" and not pitch else x for x, pitch in zip(found.kinds, found.pitches)]
        assert [x.kind for x in again.joints] == kinds and again.joint_names == found.joints
        once_more = mp.screws(again)
        assert np.abs(once_more.space - found.space).max() < 1e-12


@pytest.mark.parametrize(
    "axis", [(0, 0, -1), (0, 0, 1), (-1, 0, 0), (0, -1, 0), (0.6, 0, -0.8), (-2, 1, -2), (1, 1, 0)]
)
@pytest.mark.parametrize("kind", ["revolute", "prismatic", "helical"])
def test_axes_of_any_direction(axis: Any, kind: str) -> None:
    u, p, h = np.array(axis) / np.linalg.norm(axis), np.array([0.3, -0.2, 0.5]), 0.07
    S = {"revolute": [*u, *np.cross(p, u)], "prismatic": [0, 0, 0, *u], "helical": [*u, *(np.cross(p, u) + h * u)]}[
        kind
    ]
    home = np.array(EYE)
    home[:3, 3] = 0.1, 0.2, 0.9
    robot = mp.Robot.from_screws([S, [0, 0, 1, 0, 0, 0]], home)
    assert robot.joints[0].kind == kind
    for q in ([0.7, -0.4], [-2.0, 0.0]):
        T = exponential(S, q[0]) @ exponential([0, 0, 1, 0, 0, 0], q[1]) @ home
        assert np.abs(pose_of(robot, q) - T).max() < 1e-14


def test_a_bent_home_pose_and_its_saved_file(tmp_path: Path) -> None:
    home = mp.rotation.transform_from_parts(mp.rotation.matrix_from_euler([0.3, -1.1, 2.0]), [0.1, -0.4, 0.2])
    robot = mp.Robot.from_screws(
        [[0, 0.6, 0.8, 0.1, 0.8, -0.6], [0, 0, 0, 0, 0, -1]], home, ["a", {"limits": [-0.2, 0.5]}]
    )
    mp.save(robot, tmp_path / "arm.toml")
    read = mp.load(tmp_path / "arm.toml")
    for q in ([0.0, 0.0], [1.2, -0.1]):
        T = exponential([0, 0.6, 0.8, 0.1, 0.8, -0.6], q[0]) @ exponential([0, 0, 0, 0, 0, -1], q[1]) @ home
        assert np.abs(pose_of(robot, q) - T).max() < 1e-14 and np.abs(pose_of(read, q) - T).max() < 1e-14
    assert robot.joint_names == ("a", "joint2")


@pytest.mark.drawn("name")
@pytest.mark.parametrize("name", ["planar2r", "stanford3", "ur5", "scara", "puma560"])
def test_letters_go_there_and_back(name: str) -> None:
    """The screws of an arm of letters are read as text; the screws of that arm are the same text."""
    found = mp.screws(name, symbolic="all")
    assert found.space.dtype.kind == "U"
    for frame, axes in (("space", found.space), ("body", found.body)):
        again = mp.screws(mp.Robot.from_screws(axes, found.home, found.joints, frame=frame))
        for table in ("space", "body", "home", "pitches"):
            assert getattr(again, table).tolist() == getattr(found, table).tolist()


def test_a_skew_axis_with_letters_beside_it() -> None:
    """Directions are numbers; what stands beside letters is a number too, and the way back has the same pose."""
    s = 1 / math.sqrt(3)
    robot = mp.Robot.from_screws([[s, s, s, "a", "-a", 0], [0, 0, 1, 0, "-b", 0]], EYE)
    found = mp.screws(robot)
    assert not any(word in str(found) for word in ("sin", "cos", "sqrt"))
    assert np.allclose([float(x) for x in found.space[0, :3]], s, atol=1e-15)
    assert found.space[0, 3:].tolist() == ["a", "-a", "0"]
    again = mp.Robot.from_screws(found.space, found.home, exact=True)
    poses = [pose_of(arm.with_parameters(a=0.4, b=0.3), [0.7, -0.2]) for arm in (robot, again)]
    assert np.abs(poses[0] - poses[1]).max() < 1e-14


def test_units_of_lengths_and_limits() -> None:
    screws = [[0, 0, 1, 0, "-40 cm", 0], [0, 0, 1, 0, -300, 0], [0, 0, 0, 0, 0, 1]]
    home = [[1, 0, 0, 400], [0, 1, 0, 0], [0, 0, 1, "L1 + 20"], [0, 0, 0, 1]]
    joints = [{"limits": [-90, 90]}, {"limits": ["-pi/2", 1]}, {"limits": [0, 200]}]
    robot = mp.Robot.from_screws(screws, home, joints, length="mm", angle="deg").with_parameters(L1=0.1)
    found = mp.screws(robot)
    assert np.allclose(found.space[:2, 4], [-0.4, -0.3]) and np.allclose(found.home[:3, 3], [0.4, 0, 0.12])
    assert np.allclose([low for low, _ in mp.Arm(robot).limits], [-math.pi / 2, -math.pi / 2, 0])


@pytest.mark.parametrize("draw", range(3))
def test_masses_in_the_frames_of_links(draw: int) -> None:
    """The torques of the arm are those of the arm made from its screws, the home poses and the bodies of its links."""
    table = [("q1", 0.3, 0.1, -90), ("q2", 0, 0.4, 0), (0, "q3", 0, 30), ("q4", 0.1, 0.2, 90)]
    rng = np.random.default_rng(draw)
    bodies = [
        {"mass": 1.5 + k, "com": rng.uniform(-0.2, 0.2, 3).tolist(), "inertia": {
            "xx": 0.03, "yy": 0.04, "zz": 0.05, "xy": 0.001, "xz": -0.002, "yz": 0.003}}
        for k in range(4)
    ]  # fmt: skip
    keys = ("theta", "d", "a", "alpha")
    kinds = ["revolute", "revolute", "prismatic", "revolute"]
    rows = [{"type": kind, **dict(zip(keys, row)), **body} for kind, row, body in zip(kinds, table, bodies)]
    arm = mp.Robot.from_dh(rows, angle="deg")
    found = mp.screws(arm)
    links = [np.array(x.rows(), dtype=float) for x in _frames(arm, [0, 0, 0, 0])]
    again = mp.Robot.from_screws(found.space, found.home, bodies, links=links)
    q, qd, qdd = rng.uniform(-1, 1, (3, 4)).tolist()
    wanted, torques = (newton_euler(tree_of(x), q, qd, qdd).tau for x in (arm, again))
    assert np.allclose(wanted, torques, atol=1e-12)
    assert all(
        np.allclose(np.array(a.rows(), float), np.array(b.rows(), float))
        for a, b in zip(_frames(arm, q), _frames(again, q))
    )
    moved = mp.Robot.from_screws(found.space, found.home, bodies)  # in the world frame: other bodies
    assert not np.allclose(newton_euler(tree_of(moved), q, qd, qdd).tau, wanted)


def _frames(robot: Any, q: Any) -> list[Any]:
    from manipula.mechanics.models.kinematics.pose import frames

    return list(frames(tree_of(robot), q))[:-1]


# the pose, derived


@pytest.mark.parametrize("draw", range(7))
def test_the_derivation_is_proved_for_any_arm(draw: int) -> None:
    robot = mp.Robot.of(random_robot(draw, joints=["RPR", "HRF", "PRH", "RFR", "RRR", "PPR", "HP"][draw], bodies=False))
    steps = mp.derive(robot, "pose", method="screws", symbolic="all")
    assert "independent computation" in steps.proof and len(steps.steps) == 5


def test_a_wrong_entry_of_every_equation_is_noticed() -> None:
    steps = mp.derive("planar2r", "pose", method="screws")
    count = 0
    for place, step in enumerate(steps.steps):
        for line, equation in enumerate(step.equations):
            if not isinstance(equation.result, tuple):
                continue
            rows = [list(row) for row in equation.result]
            rows[0][0] = (
                FormulaNumber(rows[0][0].value + 1) if isinstance(rows[0][0], FormulaNumber) else FormulaNumber(0)
            )
            lines = (
                *step.equations[:line],
                replace(equation, result=tuple(map(tuple, rows))),
                *step.equations[line + 1 :],
            )
            changed = (*steps.steps[:place], replace(step, equations=lines), *steps.steps[place + 1 :])
            with pytest.raises(ProofError, match=f"step {place + 1}"):
                replace(steps, steps=changed).prove()
            count += 1
    assert count > 10


def test_methods_belong_to_their_topics() -> None:
    assert str(mp.derive("planar2r", "pose", method="transforms")) == str(mp.derive("planar2r", "pose"))
    with pytest.raises(InputError, match="method lagrange derives the dynamics, not pose"):
        mp.derive("planar2r", "pose", method="lagrange")
    with pytest.raises(InputError, match="method screws derives the pose, not jacobian"):
        mp.derive("planar2r", "jacobian", method="screws")
    with pytest.raises(UnknownNameError, match="no method of a derivation is called 'screw'; did you mean 'screws'"):
        mp.derive("planar2r", "pose", method="screw")


# what is refused

Z, SLIDE = [0, 0, 1, 0, 0, 0], [0, 0, 0, 0, 0, 1]
REFUSED: dict[str, tuple[Any, str]] = {
    "long axis": (lambda: ([[0, 0, 2, 0, 0, 0]], EYE), r"screws\[0\]: ω has the length 2, expected 1; divide ω and v"),
    "almost unit": (lambda: ([[0, 0, 1.001, 0, 0, 0]], EYE), "ω has the length 1.001"),
    "no axis": (lambda: ([[0] * 6], EYE), "slides along v, and v has the length 0, expected 1"),
    "long slide": (lambda: ([[0, 0, 0, 3, 4, 0]], EYE), "v has the length 5"),
    "a slip of v": (
        lambda: ([[0, 0, 1, 1, 0, 1e-6]], EYE),
        "v has the part 1e-06 along ω, and a revolute joint has no pitch",
    ),
    "another kind": (
        lambda: ([Z], EYE, [{"type": "prismatic"}]),
        "this screw is revolute, and the joint's type is 'prismatic'",
    ),
    "five": (lambda: ([[0, 0, 1, 0, 0]], EYE), "found 5 entries, expected six"),
    "no rows": (lambda: ([], EYE), "found an empty list"),
    "a number": (lambda: (3, EYE), "screws: found 3, expected a list of rows"),
    "a word": (lambda: ("zzz", EYE), "screws: found 'zzz'"),
    "one row": (lambda: (Z, EYE), r"screws\[0\]: found 0, expected six numbers"),
    "letter of an axis": (
        lambda: ([["u", 0, 1, 0, 0, 0]], EYE),
        r"screws\[0\]\[0\]: found 'u', expected a number: the direction of an axis",
    ),
    "letter of a slide": (lambda: ([[0, 0, 0, 0, "u", 1]], EYE), "the direction of a slide cannot be a letter"),
    "NaN": (lambda: ([[0, 0, math.nan, 0, 0, 0]], EYE), r"screws\[0\]\[2\]"),
    "an angle": (lambda: ([[0, 0, 1, "90 deg", 0, 0]], EYE), r"screws\[0\]\[3\]"),
    "no pose": (lambda: ([Z], np.eye(3)), "home: found a list of 3, expected a 4×4 pose"),
    "a mirror": (lambda: ([Z], np.diag([1, 1, -1, 1])), "home: this is not a pose"),
    "last row": (lambda: ([Z], np.ones((4, 4))), "home: this is not a pose"),
    "letter of a turn": (lambda: ([Z], [["c", 0, 0, 0], *EYE[1:]]), "an entry of a rotation cannot be a letter"),
    "two names": (lambda: ([Z], EYE, ["a", "b"]), "joints: found 2, expected 1"),
    "a joint of numbers": (lambda: ([Z], EYE, [3]), r"joints\[0\]: found 3, expected a name"),
    "names as a word": (lambda: ([Z], EYE, "a"), "joints: found 'a', expected a list of names, or of dicts"),
    "geometry twice": (
        lambda: ([Z], EYE, [{"xyz": [0, 0, 1]}]),
        r"joints\[0\]: the screw gives the geometry; leave xyz out",
    ),
    "unknown key": (lambda: ([Z], EYE, [{"masss": 1}]), "masss"),
    "fixed": (lambda: ([Z], EYE, [{"type": "fixed"}]), "this screw is revolute"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_screw_is_refused_in_a_sentence(name: str) -> None:
    arguments, said = REFUSED[name]
    with pytest.raises((InputError, RobotFileError), match=said):
        mp.Robot.from_screws(*arguments())


def test_other_refusals() -> None:
    with pytest.raises(InputError, match="links: found 1 home poses, expected 2"):
        mp.Robot.from_screws([Z, SLIDE], EYE, links=[EYE])
    with pytest.raises(InputError, match="links: found 4 home poses, expected 2"):
        mp.Robot.from_screws([Z, SLIDE], EYE, links=np.eye(4))  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="no frame of screw axes is called 'tool'"):
        mp.Robot.from_screws([Z], EYE, frame="tool")  # type: ignore[arg-type]
    with pytest.raises(ManipulaError):
        mp.screws(mp.Robot.from_text('format = 1\nname = "x"\nconvention = "standard"\nangle = "rad"\n'
                                     '[[joint]]\ntype = "fixed"\ntheta = 0\nd = 0\na = 0\nalpha = 0\n'))  # fmt: skip
    assert mp.Robot.from_screws([[0, 0, 1, 1, 0, 1e-6]], EYE, [{"type": "helical"}]).joints[0].kind == "helical"


def test_they_print_themselves_and_are_plain_data() -> None:
    found = mp.screws("planar2r", symbolic="all")
    assert repr(found) == "<screw axes of planar2r: 2 joints; print(…) shows them>"
    assert "theta2  0  0  1  0  -l1  0" in str(found)
    plain = json.loads(json.dumps(found.as_dict()))
    assert plain["home"][0] == ["1", "0", "0", "l1 + l2"] and plain["kinds"] == ["revolute", "revolute"]
