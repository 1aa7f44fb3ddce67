"""Joints held still: the robot left over is the whole one at rest there, for random arms, trees and joints that follow.

What the whole robot says is taken from its plain models with every joint free, the locked ones at their places.
"""

from __future__ import annotations

import math
import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.mechanics.models.dynamics import composite, energy, torque
from manipula.mechanics.models.kinematics import jacobian, pose
from manipula.mechanics.robot.coordinates import Coordinate
from manipula.mechanics.robot.formats.toml.read import robot_from_toml
from manipula.mechanics.robot.formats.toml.write import toml_from_robot
from manipula.mechanics.robot.tree import Tree
from tests.golden.sentences import Sentences
from tests.laws.test_coupled import array, free_and_coupled, in_floats
from tests.random_robots import random_robot, random_tree


def near(one: Any, other: Any) -> None:
    scale = max(1.0, float(np.max(np.abs(other), initial=0)))
    assert np.max(np.abs(array(one) - array(other)), initial=0) <= 1e-11 * scale


def drawn(seed: int) -> mp.Robot:
    rng = random.Random(f"locked {seed}")
    rows = ["R", "P", *rng.choices("RPF", k=rng.randint(0, 3))]
    kinds = "".join(rng.sample(rows, k=len(rows)))
    make = random_tree if seed % 4 == 3 else random_robot
    return mp.Robot.of(make(seed, joints=kinds, screws=seed % 3 == 0))


def some_of(robot: mp.Robot, seed: int) -> dict[str, float]:
    """A share of its joints, from one to all but one, each somewhere within its limits."""
    rng = random.Random(f"where {seed}")
    names = rng.sample(robot.joint_names, rng.randint(1, robot.dof - 1))
    return {name: round(rng.uniform(*_range(robot, name)), 3) for name in names}


def _range(robot: mp.Robot, name: str) -> tuple[float, float]:
    limits = mp.Arm(robot).limits[robot.joint_names.index(name)]
    return max(limits[0], -1.5), min(limits[1], 1.5)


def plain(tree: Tree, x: Any, xd: Any, xdd: Any, C: Any, c: Any) -> dict[str, Any]:
    """The plain models of joints that move by x: q = C x + c."""
    q, qd, qdd = (C @ x + c).tolist(), (C @ xd).tolist(), (C @ xdd).tolist()
    still = [0.0] * tree.dof
    return {
        "torque": C.T @ array(torque.inverse_dynamics(tree, q, qd, qdd)),
        "gravity": C.T @ array(torque.gravity(tree, q)),
        "coriolis": C.T @ array(torque.coriolis(tree, q, qd)),
        "rest": C.T @ array(torque.inverse_dynamics(tree, q, still, still)),
        "inertia": C.T @ array(composite.inertia_matrix(tree, q)) @ C,
        "kinetic": energy.kinetic_energy(tree, q, qd),
        "potential": energy.potential_energy(tree, q),
        "jacobian": array(jacobian.jacobian(tree, q)) @ C,
        "jacobian_dot": array(jacobian.jacobian_dot(tree, q, qd)) @ C,
        "pose": array(pose.pose(tree, q).rows()),
    }


def maps_of(tree: Tree) -> tuple[Any, Any]:
    """C with q_joint = C x; constants of joints that follow stand in the placements."""
    C = np.zeros((tree.dof, len(tree.coordinates)))
    for i, row in enumerate(tree.coordinates.rows):
        for c, factor in row.terms:
            C[i, c] += float(factor)
    return C, np.zeros(tree.dof)


def compared(robot: mp.Robot, whole: Tree, held: dict[str, float], C: Any, c: Any, seed: int) -> mp.Robot:
    """Both robots at a drawn state of the joints that are left."""
    rng = np.random.default_rng(seed)
    left = robot.locked(held)
    assert left.joint_names == tuple(name for name in robot.joint_names if name not in held)
    free = [robot.joint_names.index(name) for name in left.joint_names]
    full = np.zeros((3, robot.dof))
    full[0] = [held.get(name, 0.0) for name in robot.joint_names]
    full[:, free] = state = rng.uniform(-1, 1, (3, left.dof))
    before = plain(whole, *full, C, c)
    tree = in_floats(left)
    after = plain(tree, *state, *maps_of(tree))
    for name in ("torque", "gravity", "coriolis", "rest"):
        near(after[name], before[name][free])
    near(after["inertia"], before["inertia"][np.ix_(free, free)])
    near(after["jacobian"], before["jacobian"][:, free])
    near(after["jacobian_dot"], before["jacobian_dot"][:, free])
    for name in ("pose", "potential"):
        near(after[name], before[name])
    return left


@pytest.mark.parametrize("seed", range(24))
def test_what_is_left_is_the_whole_robot_at_rest_there(seed: int) -> None:
    robot = drawn(seed)
    tree = in_floats(robot)
    left = compared(robot, tree, some_of(robot, seed), *maps_of(tree), seed)
    motors = [joint.motor_inertia.name for joint in left.joints if joint.kind != "fixed"]
    assert motors == [f"Ia{i}" for i in range(1, left.dof + 1)]  # numbered as q is


@pytest.mark.parametrize("seed", range(16))
def test_followers_stand_where_they_are_put(seed: int) -> None:
    robot, coupled, C, c = free_and_coupled(seed, serial=seed % 2 == 0)
    public = mp.Robot.of(coupled)
    if public.dof == 1:  # nothing of it may be locked
        with pytest.raises(mp.InputError, match="every joint would be locked"):
            public.locked(q1=0.1)
        return
    held = {public.joint_names[0]: 0.3} if seed % 3 else some_of(public, seed)
    compared(public, in_floats(robot), held, C, c, seed)


@pytest.mark.parametrize("seed", range(6))
def test_every_frame_keeps_its_name_and_place(seed: int) -> None:
    robot = drawn(seed + 40)
    held = some_of(robot, seed)
    left = robot.locked(held)
    q = np.linspace(-0.7, 0.8, left.dof)
    full = [held[name] if name in held else q[left.joint_names.index(name)] for name in robot.joint_names]
    for name in (*robot.frame_names, *(joint.name for joint in robot.joints)):
        one, other = (in_floats(x.at(name)) for x in (robot, left))
        near(pose.pose(other, q.tolist()).rows(), pose.pose(one, full).rows())


@pytest.mark.parametrize("seed", range(8))
def test_a_locked_robot_is_saved_and_read(seed: int) -> None:
    robot = drawn(seed + 60)
    left = robot.locked(some_of(robot, seed))
    q = [0.3 + 0.1 * i for i in range(left.dof)]
    one, other = in_floats(left), in_floats(robot_from_toml(toml_from_robot(left)))
    near(torque.inverse_dynamics(other, q, q, q), torque.inverse_dynamics(one, q, q, q))
    near(pose.pose(other, q).rows(), pose.pose(one, q).rows())


@pytest.mark.parametrize("joint", ["q1", "q2", "q3"])
def test_letters_go_with_their_entries(joint: str) -> None:
    """Masses, a length and limits by name, some named as the table names them; the locked angle itself is a letter."""
    rows = [{"d": 0, "a": f"L{i}", "alpha": -90 * (i == 1), "mass": f"m{i}"} for i in (1, 2, 3)]
    robot = mp.Robot.from_dh(rows, angle="deg")
    left = robot.locked({joint: "beta"})
    held, free = int(joint[1]) - 1, [i for i in range(3) if f"q{i + 1}" != joint]
    values = {f"L{i}": 0.1 + 0.2 * i for i in (1, 2, 3)} | {"beta": 0.7}
    bodies = {f"{word}{i}": size * (1 + 0.1 * i) for i in (1, 2, 3) for word, size in BODY.items()}
    whole = mp.Arm(robot.with_parameters(**{k: v for k, v in values.items() if k != "beta"}, **bodies))
    rider = left.joints[held].name
    ends = {held + 1: f"_{rider}"} | {i + 1: str(n + 1) for n, i in enumerate(free)}
    moved = {f"{word}{ends[i]}": bodies[f"{word}{i}"] for i in (1, 2, 3) for word in BODY}
    given = {name: value for name, value in {**values, **moved}.items() if name in left.parameters}
    assert set(left.parameters) <= set(given) | {"gz"}
    part = mp.generate(left, "inverse_dynamics", optimise="none")
    state = np.random.default_rng(held).uniform(-1, 1, (3, 2))
    full = np.zeros((3, 3))
    full[0, held], full[:, free] = 0.7, state
    near(part.compile()(*state, [given[name] for name in part.inputs["p"]]), whole.inverse_dynamics(*full)[free])


BODY = dict(
    zip(
        ["m", "rx", "ry", "rz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz"],
        (2.0, 0.1, 0.2, -0.1, 0.5, 0.02, 0.01, 0.4, -0.03, 0.6),
    )
)


def test_a_users_name_stays_his() -> None:
    """`m3` of the file is a length here: the entry that would be called so takes another name."""
    rows = [{"a": "m3", "d": 0, "alpha": 0, "mass": f"w{i}"} for i in range(4)]
    left = mp.Robot.from_dh(rows).locked(q2=0.1)
    assert {"m3", "w0", "w1", "w2", "w3"} <= set(left.parameters)


def test_quarter_turns_of_floats_are_quarter_turns() -> None:
    left = mp.load("planar2r").locked(theta2=math.pi / 2)
    assert (
        left == mp.load("planar2r").locked(q2="pi/2") == mp.load("planar2r").locked({"joint2": np.float64(np.pi / 2)})
    )
    assert mp.load("planar2r").locked() == mp.load("planar2r")


@pytest.mark.parametrize(
    "held, said",
    [
        ({"elbo": 0.1}, "no joint is called 'elbo'; did you mean 'elbow'"),
        ({"q9": 0.1}, "no joint is called 'q9'"),
        ({"q0": 0.1}, "no joint is called 'q0'"),
        ({"elbow": 4.0}, "joint 'elbow' would stand at 4 rad, outside its limits -2 … 2"),
        ({"elbow": math.nan}, "elbow: found nan"),
        ({"elbow": [1, 2]}, "elbow: found a list"),
        ({"elbow": True}, "elbow: found true"),
        ({"elbow": "2*"}, "is not a name or an arithmetic expression"),
        ({"elbow": 0.1, "q2": 0.2}, "joint 'elbow' is given two places"),
        ({"flange": 0}, "joint 'flange' is fixed already"),
        ({"q1": 0, "elbow": 0, "wrist": 0}, "every joint would be locked"),
        ({"finger": 0.1}, "joint 'finger' follows 'wrist' and stands where that puts it; lock 'wrist'"),
        ({"wrist": 1.5}, "joint 'finger' (it follows another) would stand at -3 rad, outside its limits -2 … 2"),
    ],
)
def test_what_cannot_be_locked_is_said(held: dict[str, Any], said: str, whole: Sentences) -> None:
    with whole.raises(mp.InputError) as told:
        gripper().locked(held)
    assert said in str(told.value)


def gripper() -> mp.Robot:
    zero = {"a": 1, "d": 0, "alpha": 0, "mass": 1, "limits": [-2, 2]}
    names = ("shoulder", "elbow", "wrist", "finger")
    rows: list[dict[str, Any]] = [{"name": name, **zero} for name in names]
    rows[3]["coordinate"] = "-2*wrist"
    rows.insert(3, {"name": "flange", "type": "fixed", "theta": 0, "d": 0, "a": 0.1, "alpha": 0})
    return mp.Robot.from_dh(rows)


@pytest.mark.parametrize("coordinate", ["-2*a", "a - 0.5*b", "3*b + 30 deg", "0.25*a + 2*b - 0.3 rad"])
def test_what_follows_letters_stands_where_their_values_put_it(coordinate: str) -> None:
    """Locked by letters that are given values, also with a number beside: the free arm with its joints held there."""
    row = {"theta": 0, "d": 0.1, "a": 0.5, "alpha": 0.4, "mass": 1.5}
    rows = [{**row, "name": name} for name in ("a", "b", "c", "d")]
    robot = mp.Robot.from_dh([*rows[:2], {**rows[2], "coordinate": coordinate}, rows[3]])
    for second, value in [("gamma", -0.4), ("pi/2", math.pi / 2), (0.25, 0.25)]:
        named = robot.locked(a="beta", b=second)
        values = {name: x for name, x in [("beta", 0.7), (second, value)] if name in ("beta", "gamma")}
        assert set(values) <= set(named.parameters)
        left, whole = mp.Arm(named.with_parameters(**values)), mp.Arm(robot)
        for q in (0.3, -1.1):
            near(left.pose([q]), whole.pose([0.7, value, q]))
            near(left.jacobian([q]), whole.jacobian([0.7, value, q])[:, 2:])


def test_several_that_are_followed_are_locked_at_numbers() -> None:
    rows: list[dict[str, Any]] = [{"a": 1, "d": 0, "alpha": 0, "mass": 1, "name": f"j{i}"} for i in range(3)]
    rows[2]["coordinate"] = "j0 - 0.5*j1"
    robot = mp.Robot.from_dh(rows)
    with pytest.raises(mp.InputError, match="'j2' follows 'j1' as well"):
        robot.locked(j0="beta")
    left = robot.locked(j0=0.4)
    assert left.joints[2].coordinate == Coordinate((("j1", Fraction(-1, 2)),), Fraction(2, 5))


def test_a_quarter_turn_of_a_lead_stays_exact_beside_radians() -> None:
    row = {"theta": 0, "d": 0, "a": 0.5, "alpha": 0}
    rows = [{**row, "name": "a"}, {**row, "name": "b"}, {**row, "name": "c", "coordinate": "a + b + 0.3 rad"}]
    locked = mp.Robot.from_dh(rows).locked(a="pi/2")
    assert locked.joints[2].coordinate == Coordinate((("b", Fraction(1)),), Fraction(3, 10), Fraction(90))
