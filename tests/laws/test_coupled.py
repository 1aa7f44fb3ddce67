"""Joints that follow others: every model is that of the free joints, its coordinates put in by hand."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.generation.build import method_named
from manipula.generation.prepare import Request, prepare
from manipula.ik.numeric.reach import _bounds
from manipula.mechanics.models.derivatives.couplings import AXES, SOLVED
from manipula.mechanics.models.dynamics import composite, energy, torque
from manipula.mechanics.models.kinematics import jacobian, pose
from manipula.mechanics.robot.bind import bind
from manipula.mechanics.robot.coordinates import Coordinate
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.formats.toml.read import robot_from_toml
from manipula.mechanics.robot.formats.toml.write import toml_from_robot
from manipula.mechanics.robot.formats.units import parameter_from_raw
from manipula.mechanics.robot.reduce import merge_fixed
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.robot.values.terms import Units
from manipula.mechanics.spatial.floats import FLOATS
from tests.laws.test_trees import heavy
from tests.random_robots import random_robot, random_tree

FACTORS = (Fraction(1), Fraction(-1), Fraction(2), Fraction(-3), Fraction(1, 2))


def free_and_coupled(seed: int, serial: bool = False) -> tuple[RobotDescription, RobotDescription, Any, Any]:
    """A robot, the same with some joints following others, and C, c with q_joint = C q + c."""
    rng = random.Random(f"coupled {seed}")
    size: dict[str, Any] = {"joints": rng.randint(3, 5), "surroundings": False}
    robot = heavy(random_robot(seed, **size) if serial else random_tree(seed, **size))
    robot = replace(robot, tool_on=robot.joints[-1].name if robot.tool_on is None else robot.tool_on)
    names = robot.coordinates.joints
    late = rng.sample(names, rng.randint(1, max(1, len(names) - 1))) if len(names) > 1 else []
    free = [name for name in names if name not in late]
    follows: dict[str, Coordinate] = {}
    for name in late:
        terms = tuple((x, rng.choice(FACTORS)) for x in rng.sample(free, rng.randint(1, min(2, len(free)))))
        constant, degrees = rng.choice((Fraction(0), Fraction(1, 10), Fraction(-2, 5))), rng.choice((0, 90, -35))
        follows[name] = Coordinate(terms, constant, Fraction(degrees))
    coupled = replace(robot, joints=tuple(replace(x, coordinate=follows.get(x.name)) for x in robot.joints))
    C = np.zeros((len(names), len(free)))
    for i, name in enumerate(names):
        for other, factor in follows[name].terms if name in follows else ((name, Fraction(1)),):
            C[i, free.index(other)] += float(factor)
    constants = {name: float(x.constant) + np.deg2rad(float(x.degrees)) for name, x in follows.items()}
    return robot, coupled, C, np.array([constants.get(name, 0.0) for name in names])


def in_floats(robot: RobotDescription) -> Tree:
    return merge_fixed(bind(robot, FLOATS, {}))


def array(rows: Sequence[Any]) -> Any:
    return np.array(rows, dtype=float)


@pytest.mark.parametrize("seed", range(4))
def test_torques_and_motions(seed: int) -> None:
    robot, coupled, C, c = free_and_coupled(seed, serial=seed % 3 == 0)
    tree, rng = in_floats(robot), np.random.default_rng(seed)
    assert coupled.dof == C.shape[1]
    x, xd, xdd = rng.uniform(-1, 1, (3, coupled.dof))
    q, qd, qdd = (C @ x + c).tolist(), (C @ xd).tolist(), (C @ xdd).tolist()
    arm = mp.Arm(mp.Robot.of(coupled), optimise="none")
    tau = C.T @ array(torque.inverse_dynamics(tree, q, qd, qdd))
    M = C.T @ array(composite.inertia_matrix(tree, q)) @ C
    bias = C.T @ array(torque.inverse_dynamics(tree, q, qd, [0.0] * tree.dof))
    near(arm.inverse_dynamics(x, xd, xdd), tau)
    near(arm.gravity(x), C.T @ array(torque.gravity(tree, q)))
    near(arm.coriolis(x, xd), C.T @ array(torque.coriolis(tree, q, qd)))
    near(arm.coriolis_matrix(x, xd) @ xd, C.T @ array(torque.coriolis(tree, q, qd)))
    near(arm.inertia_matrix(x), M)
    near(arm.inertia_matrix(x) @ arm.inertia_matrix_inverse(x), np.eye(coupled.dof))
    near(M @ arm.forward_dynamics(x, xd, tau), tau - bias)
    near(arm.jacobian(x), array(jacobian.jacobian(tree, q)).reshape(6, -1) @ C)
    near(arm.jacobian_dot(x, xd), array(jacobian.jacobian_dot(tree, q, qd)).reshape(6, -1) @ C)
    near(arm.pose(x), array(pose.pose(tree, q).rows()))
    near(arm.energy(x, xd)[0], energy.kinetic_energy(tree, q, qd))


@pytest.mark.turn
@pytest.mark.parametrize("seed", [0])
def test_fast_functions_and_slopes(seed: int) -> None:
    """Optimised and proved; derivatives against differences."""
    _, coupled, _, _ = free_and_coupled(seed + 20)
    arm, rng = mp.Arm(mp.Robot.of(coupled)), np.random.default_rng(seed)
    x, xd, xdd, dx = rng.uniform(-1, 1, (4, coupled.dof))
    dq = arm.inverse_dynamics_derivatives(x, xd, xdd)[0]
    step = 1e-6
    change = (arm.inverse_dynamics(x + step * dx, xd, xdd) - arm.inverse_dynamics(x - step * dx, xd, xdd)) / (2 * step)
    np.testing.assert_allclose(dq @ dx, change, rtol=1e-5, atol=1e-5)
    zero = np.zeros(coupled.dof)
    np.testing.assert_allclose(arm.inverse_dynamics_jvp(x, xd, xdd, dx, zero, zero), dq @ dx, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(arm.inverse_dynamics_vjp(x, xd, xdd, dx)[0], dx @ dq, rtol=1e-9, atol=1e-9)


@pytest.mark.turn
@pytest.mark.parametrize("model", ["regressor", "base_regressor"])
def test_the_gradient_of_a_weighted_regressor(model: str) -> None:
    _, coupled, _, _ = free_and_coupled(21)
    arm, rng = mp.Arm(mp.Robot.of(coupled), optimise="none"), np.random.default_rng(3)
    motion, way = rng.uniform(-1, 1, (2, 3, coupled.dof))
    Y, step = getattr(arm, model), 1e-6
    weights = rng.normal(size=Y(*motion).shape)
    change = np.sum(weights * (Y(*(motion + step * way)) - Y(*(motion - step * way)))) / (2 * step)
    found = getattr(arm, f"{model}_vjp")(*motion, weights.ravel())
    assert sum(d @ u for d, u in zip(found, way, strict=True)) == pytest.approx(change, rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("seed", range(4))
def test_friction_of_a_joint_that_follows(seed: int) -> None:
    """The power it takes is that of the joint's own motion: C² f_v q̇."""
    _, coupled, C, _ = free_and_coupled(seed, serial=True)
    robot = mp.Robot.of(coupled).without("friction")
    follower = next(i for i, joint in enumerate(x for x in robot.joints if x.kind != "fixed") if joint.coordinate)
    q, qd = np.random.default_rng(seed).normal(size=(2, robot.dof))
    rubbed = robot.with_friction({robot.coordinates.joints[follower]: {"viscous": 0.7}})
    more = mp.Arm(rubbed).inverse_dynamics(q, qd, qd) - mp.Arm(robot).inverse_dynamics(q, qd, qd)
    row = np.array(C, dtype=float)[follower]
    np.testing.assert_allclose(more, 0.7 * row * (row @ qd), atol=1e-9)


def test_models_that_are_not_made_for_them_say_so() -> None:
    """Inverse kinematics has closed forms of free joints alone; manipulability is a volume of their velocities."""
    _, coupled, _, _ = free_and_coupled(1)
    left = set(mp.models()) - set(AXES) - set(SOLVED)
    assert left == {"inverse_kinematics", "manipulability"}
    for name in left:
        with pytest.raises(mp.InputError, match=r"follow|coordinate"):
            mp.generate(mp.Robot.of(coupled), name)


@pytest.mark.parametrize("seed", range(12))
def test_toml_round_trip(seed: int) -> None:
    _, coupled, _, _ = free_and_coupled(seed)
    rows = random_tree(seed, joints=len(coupled.joints), convention="modified", surroundings=False).joints
    robot = replace(coupled, frames=(), joints=tuple(
        replace(row, name=x.name, kind=x.kind, parent=x.parent, coordinate=x.coordinate)
        for row, x in zip(rows, coupled.joints) if row.kind == x.kind
    ))  # fmt: skip
    read = robot_from_toml(toml_from_robot(robot))
    assert [x.coordinate for x in read.joints] == [x.coordinate for x in robot.joints]


def parallelogram(coordinate: str, theta: float = 0, units: tuple[str, str] = ("deg", "mm")) -> mp.Robot:
    """Three joints; the third keeps its direction but for what is added."""
    row = {"theta": 0, "d": 0, "a": "30 cm", "alpha": "90°", "mass": 1, "com": ["10 mm", "2 cm", "0.03 m"]}
    row["inertia"] = {"xx": 0.1, "yy": 0.2, "zz": 0.25, "xy": 0, "xz": 0, "yz": 0}
    rows: list[dict[str, Any]] = [{**row, "name": f"j{i}"} for i in (1, 2, 7)]
    rows[2] |= {"coordinate": coordinate, "theta": theta}
    return mp.Robot.from_dh(rows, angle=units[0], length=units[1])


@pytest.mark.parametrize("end", ["+ pi/2", "+ 90", "+90 deg", "− 30 + 120", "+ π/3 + pi/6", "+ 0.25*pi + 45°"])
def test_a_coordinate_has_a_constant(end: str, tmp_path: Path) -> None:
    robot = parallelogram(f"j1 - 2*j2 {end}")
    terms = (("j1", Fraction(1)), ("j2", Fraction(-2)))
    assert robot.joints[2].coordinate == Coordinate(terms, degrees=Fraction(90))
    for angle, length in (("deg", "mm"), ("rad", "m")):
        saved = replace(robot, origin=replace(robot.origin, angle=angle, length=length))
        assert mp.load(mp.save(saved, tmp_path / "again.toml")).joints == robot.joints
    assert robot.locked(j1="30 deg").joints[2].coordinate == Coordinate((("j2", Fraction(-2)),), degrees=Fraction(120))


def test_a_coordinate_with_a_constant_is_that_with_an_offset() -> None:
    robot, other = parallelogram("j1 - 2*j2 + pi/2"), parallelogram("j1 - 2*j2", 90)
    made, right = (mp.Arm(x, optimise="none") for x in (robot, other))
    x, xd, xdd = np.random.default_rng(1).uniform(-1, 1, (3, 2))
    near(made.pose(x), right.pose(x))
    near(made.inverse_dynamics(x, xd, xdd), right.inverse_dynamics(x, xd, xdd))
    near(mp.Arm(robot.locked(j1="30 deg"), optimise="none").pose([0.4]), right.pose([np.pi / 6, 0.4]))
    assert mp.generate(robot, "pose").cost == mp.generate(other, "pose").cost
    back, offset = (mp.Robot.of(replace(y, joints=(*y.joints[:2], replace(y.joints[2], direction=-1)))) for y in (
        parallelogram("j1 - 2*j2 + 40°"), parallelogram("j1 - 2*j2", -40),
    ))  # fmt: skip
    near(mp.Arm(back, optimise="none").pose(x), mp.Arm(offset, optimise="none").pose(x))


def test_a_follower_of_one_joint_keeps_its_constant_in_a_urdf_and_its_limits(tmp_path: Path) -> None:
    robot = parallelogram("-2*j2 + 90")
    again = mp.load(mp.save(robot, tmp_path / "again.urdf"))
    near(mp.Arm(again, optimise="none").pose([0.2, 0.5]), mp.Arm(robot, optimise="none").pose([0.2, 0.5]))
    limited = replace(robot.joints[2], limits=tuple(parameter_from_raw(x, "angle", Units("deg")) for x in (70, 100)))
    bound = mp.Robot.of(replace(robot, joints=(*robot.joints[:2], limited)))
    near(np.rad2deg(_bounds(bound)), [[-180, -5], [180, 10]])
    assert Coordinate((("j2", Fraction(1)),), Fraction(1, 4), Fraction(-90)).shift == pytest.approx(0.25 - np.pi / 2)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("j2*j1", "not linear in the coordinates of joints"),
        ("j2 + 90 + pi", "pi is in radians, 90 in degrees"),
        ("j2 + 20 mm", "a value in mm (expected an angle in deg or rad)"),
        ("pi*j2", "not linear"),
        ("j2 +", "not a name or an arithmetic expression"),
    ],
)
def test_what_is_no_coordinate_is_refused(text: str, told: str) -> None:
    with pytest.raises(mp.RobotFileError) as caught:
        parallelogram(text)
    assert "joint 3 'j7': coordinate: " in str(caught.value) and told in str(caught.value)


def test_a_slide_that_follows_has_a_length_as_its_constant() -> None:
    rows = [{"theta": 0, "d": 0, "a": 0, "alpha": 0, "type": "P", "name": name} for name in ("beam", "inner")]
    for text in ("beam/2 + 50", "(beam + 100)/2", "beam/2 + 5 cm", "0.5*beam + 0.05 m"):
        rows[1]["coordinate"] = text
        robot = mp.Robot.from_dh(rows, length="mm")
        assert robot.joints[1].coordinate == Coordinate((("beam", Fraction(1, 2)),), Fraction(1, 20))


BODY = '<inertial><mass value="0.5"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>'
LIMIT = '<limit lower="0" upper="0.04" velocity="1" effort="1"/>'
GRIPPER = f"""<robot name="gripper"><link name="base"/>
<link name="arm">{BODY}</link><link name="left">{BODY}</link><link name="right">{BODY}</link>
<joint name="turn" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint>
<joint name="open" type="prismatic"><parent link="arm"/><child link="left"/>
<origin xyz="0 0 0.2"/><axis xyz="0 1 0"/>{LIMIT}</joint>
<joint name="open2" type="prismatic"><parent link="arm"/><child link="right"/>
<origin xyz="0 0 0.2"/><axis xyz="0 -1 0"/>{LIMIT}
<mimic joint="open" multiplier="1.5" offset="0.01"/></joint></robot>"""


def test_a_gripper_that_mimics(tmp_path: Path) -> None:
    (tmp_path / "gripper.urdf").write_text(GRIPPER)
    robot = mp.load(tmp_path / "gripper.urdf")
    assert robot.joint_names == ("turn", "open") and robot.dof == 2 and robot.frame_names == ("left", "right")
    assert robot.joints[2].coordinate == Coordinate((("open", Fraction(3, 2)),), Fraction(1, 100))
    arm = mp.Arm(robot)
    left, right = (arm.at(name).pose([0.3, 0.02])[1, 3] for name in ("left", "right"))
    assert left == pytest.approx(0.02) and right == pytest.approx(-(1.5 * 0.02 + 0.01))
    J = arm.at("right").jacobian([0.3, 0.02])
    assert J[1, 1] == pytest.approx(-1.5)
    again = mp.Robot.from_text((mp.save(robot, tmp_path / "again.urdf")).read_text(), "urdf")
    assert [x.coordinate for x in again.joints] == [x.coordinate for x in robot.joints]
    assert mp.load(mp.save(robot, tmp_path / "again.toml")) == robot
    assert "m_open2" in robot.parameters and len(arm.limits) == 2
    with pytest.raises(mp.InputError, match="no coordinate of its own"):
        mp.generate(robot, "inverse_kinematics", frame="right")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("2*nobody", "'nobody' has no coordinate of its own"),
        ("b*b", "not linear"),
        ("1/b", "not linear"),
        ("0.5", "a joint that moves must be named"),
        ("c", "'c' has no coordinate of its own"),
    ],
)
def test_a_mistake_is_one_sentence(text: str, said: str) -> None:
    row = 'type = "revolute"\nd = 0\na = 1\nalpha = 0\n'
    rows = "".join(f'[[joint]]\nname = "{name}"\n{row}' for name in "ab")
    file = f'format = 1\nname = "x"\nconvention = "modified"\nangle = "rad"\n{rows}[[joint]]\nname = "c"\n{row}'
    with pytest.raises(mp.RobotFileError) as caught:
        mp.Robot.from_text(f'{file}coordinate = "{text}"\n', file="x.toml")
    assert said in str(caught.value) and "x.toml" in str(caught.value)


def near(one: Any, other: Any) -> None:
    one, other = np.asarray(one, dtype=float), np.asarray(other, dtype=float)
    np.testing.assert_allclose(one, other, rtol=0, atol=1e-9 * max(1.0, np.abs(other).max(initial=0)))


@pytest.mark.usefixtures("without_search")
@pytest.mark.parametrize("terms", [1, 2])
def test_what_is_advised_for_a_follower_that_rubs_can_be_done(terms: int) -> None:
    """A fixed step sends one that follows one joint to dop853, which simulates it; of two, friction is to go."""
    row = 'type = "revolute"\nd = 0\na = 1\nalpha = 0\nmass = 1\ncom = [0.5, 0, 0]\nmotor_inertia = 0.2\n'
    rows = "".join(f'[[joint]]\nname = "{name}"\n{row}' for name in "abc")
    head = 'format = 1\nname = "x"\nconvention = "modified"\nangle = "rad"\ninertia_default = 0\n'
    text = f'{head}gravity = [0, -9.81, 0]\n{rows}coordinate = "{"a - b" if terms == 2 else "2*a"}"\n'
    robot = mp.Robot.from_text(text)
    rubs = mp.Plant(robot.with_friction(c={"coulomb": 0.4}), effort=None)
    told = "follows 2 joints at once .*; without that friction" if terms == 2 else 'method="dop853"'
    with pytest.raises(mp.InputError, match=told):
        mp.simulate(rubs, start=[0.1, 0.2], until=0.002)
    advised = (mp.Plant(robot, effort=None), "rk4") if terms == 2 else (rubs, "dop853")
    assert np.isfinite(mp.simulate(advised[0], start=[0.1, 0.2], until=0.002, method=advised[1]).q).all()


def twelfths(seed: int) -> tuple[RobotDescription, Any]:
    """A tree of parallel axes, some at right angles, in which most joints follow one or two others by twelfths; one of
    them as much as the sum of those on its road, so that angles add up to another joint's. And C of q_joint = C q."""
    rng = random.Random(f"twelfths {seed}")
    names = [f"j{i}" for i in range(rng.randint(3, 6))]
    free = names[: rng.randint(1, 2)]
    rows = {name: {x: Fraction(x == name) for x in free} for name in free}
    parents: dict[str, str] = {}
    text = 'format = 1\nname = "m"\nconvention = "modified"\nangle = "deg"\ngravity = [0, -9.81, 0]\n'
    for i, name in enumerate(names):
        parent = parents[name] = rng.choice(["base", *names[:i]])
        road = [x for x in names[:i] if x == parent or x == parents.get(parent)]
        if name not in free:
            shares = {x: Fraction(rng.randint(-18, 18), 12) for x in rng.sample(free, rng.randint(1, len(free)))}
            sums = {x: -sum((rows[y][x] for y in road), Fraction(0)) for x in free}
            rows[name] = {x: shares.get(x, Fraction(0)) for x in free} if rng.random() < 0.6 else sums
            rows[name] = rows[name] if any(rows[name].values()) else {x: Fraction(5, 12) for x in free}
        text += (
            f'[[joint]]\nname = "{name}"\ntype = "revolute"\nparent = "{parent}"\na = 0.{i + 1}\n'
            f"alpha = {rng.choice((0, 0, 0, 90))}\nd = 0\nmass = 1.{i}\ncom = [0.1, 0.02, 0.03]\n"
            "inertia = { xx = 0.01, yy = 0.02, zz = 0.025, xy = 0.001, xz = 0, yz = 0 }\n"
        )
    robot = robot_from_toml(text)
    follows = {x: Coordinate(tuple((y, k) for y, k in rows[x].items() if k), Fraction(0)) for x in names[len(free) :]}
    joints = tuple(replace(x, coordinate=follows.get(x.name)) for x in robot.joints)
    return replace(robot, joints=joints, tool_on=names[-1]), np.array(
        [[float(k) for k in rows[x].values()] for x in names]
    )


MADE = sorted({*AXES, *SOLVED} - {"operational_inertia"})  # six freedoms of the tool these have not
LIGHT = ("gravity", "pose", "inverse_dynamics_derivatives")


@pytest.mark.turn
@pytest.mark.parametrize(
    ("seed", "models"),
    [(seed, LIGHT) for seed in (0, 3)] + [pytest.param(seed, MADE, marks=pytest.mark.slow) for seed in range(200)],
)
def test_followers_by_fractions_that_add_up_to_another_are_made_in_every_model(
    seed: int, models: Sequence[str]
) -> None:
    coupled, C = twelfths(seed)
    robot, rng, n = mp.Robot.of(coupled), np.random.default_rng(seed), coupled.dof
    for number, model in enumerate(models):
        made = mp.generate(robot, model, optimise="fast" if (seed + number) % 3 == 1 else "none")
        assert "chance of error below 1e-" in made.provenance.proof
    arm, free = mp.Arm(robot, optimise="none"), replace(coupled, joints=tuple(
        replace(joint, coordinate=None) for joint in coupled.joints
    ))  # fmt: skip
    tree, x = in_floats(free), rng.uniform(-3, 3, n)
    near(arm.gravity(x), C.T @ array(torque.gravity(tree, (C @ x).tolist())))
    M = C.T @ array(composite.inertia_matrix(tree, (C @ x).tolist())) @ C
    near(M @ arm.forward_dynamics(x, np.zeros(n), x), x - C.T @ array(torque.gravity(tree, (C @ x).tolist())))


def test_a_search_that_merges_fractions_of_an_angle_passes_its_own_check() -> None:
    """What it has written is the function it was given: fractions that add up are multiples of one part there, too."""
    robot = mp.Robot.of(twelfths(29)[0])
    assert "chance of error below 1e-" in mp.generate(robot, "base_regressor").provenance.proof


@pytest.mark.turn
@pytest.mark.parametrize("method", ["rk4", pytest.param("gauss4", marks=pytest.mark.slow)])
def test_followers_by_fractions_are_simulated_by_fixed_steps(method: str) -> None:
    """Their angles are fractions of what a stage adds to the positions; the free fall is that of dop853."""
    coupled, _ = twelfths(3)
    plant = mp.Plant(mp.Robot.of(coupled), effort=None)
    start = 0.3 * np.arange(1, coupled.dof + 1)
    run, true = (mp.simulate(plant, start=start, until=0.05, method=x, step=1e-3) for x in (method, "dop853"))
    np.testing.assert_allclose(run.q[-1], true.q[-1], rtol=0, atol=1e-9)
    assert np.abs(run.q[-1] - start).max() > 1e-3


def test_a_method_that_does_not_take_such_joints_says_why() -> None:
    """Every method that is listed is made, or refused for what the robot is; only another word is unknown."""
    drawn = (free_and_coupled(seed)[1] for seed in range(20))
    coupled = next(robot for robot in drawn if any(joint.coordinate is not None for joint in robot.joints))
    late = next(joint.name for joint in coupled.joints if joint.coordinate is not None)
    refused, first = set(), prepare(Request(coupled, "pose"))
    for model in (*AXES, *SOLVED):
        for method in mp.methods(model):
            try:
                asked = first.with_request(model=model, method=method)
                known = asked.methods
                method_named(asked.model, known[0], len(coupled.joints))
            except mp.UnknownNameError as error:
                raise AssertionError(f"{model} by {method} is listed, and unknown: {error}") from error
            except mp.InputError as error:
                if "wants a serial arm" not in str(error):
                    assert f"the method {method!r} of {model} does not take joints that follow others" in str(error)
                    assert late in str(error)
                    refused.add((model, method))
    assert {("forward_dynamics", "articulated"), ("inertia_matrix_inverse", "composite-runs")} <= refused
    with pytest.raises(mp.UnknownNameError, match="no method of forward_dynamics is called 'articulate'"):
        mp.generate(mp.Robot.of(coupled), "forward_dynamics", method="articulate")
