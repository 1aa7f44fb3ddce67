"""Robots that branch: laws hold on random trees, every method is right on them or refused, serial arms are trees."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.algebra.expr.field import FieldMaths
from manipula.errors import InputError, RobotFileError, SingularError, UnknownNameError
from manipula.generation.pipeline import generate_function
from manipula.generation.prepare import Request, prepare
from manipula.mechanics.identities import IDENTITIES, SOLVABLE, Identity, MotionState
from manipula.mechanics.models.catalogue import MODELS
from manipula.mechanics.models.dynamics import newton_euler
from manipula.mechanics.models.dynamics.torque import inverse_dynamics
from manipula.mechanics.models.kinematics import jacobian, pose
from manipula.mechanics.models.linear.regressor import columns, regressor
from manipula.mechanics.robot.bind import bind, free_parameters
from manipula.mechanics.robot.description import BASE, RobotDescription
from manipula.mechanics.robot.reduce import merge_fixed
from manipula.mechanics.robot.topology import frame_names, road_of, seen_at, serial_fault, with_frame
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.robot.values.parameter import ZERO
from manipula.mechanics.spatial.floats import FLOATS
from tests.random_robots import random_robot, random_state, random_tree

TREES = [seed for seed in range(30) if serial_fault(random_tree(seed)).startswith("it branches")]


def in_floats(robot: RobotDescription) -> Tree:
    return merge_fixed(bind(robot, FLOATS, {}))


def in_field(robot: RobotDescription, draw: str) -> tuple[Tree, MotionState]:
    maths = FieldMaths(draw)
    tree = merge_fixed(bind(robot, maths, {name: maths.symbol(name) for name in free_parameters(robot, "all")}, "all"))
    q, qd, qdd = ([maths.symbol(f"{x}{i}") for i in range(tree.dof)] for x in ("q", "qd", "qdd"))
    return tree, MotionState(q, qd, qdd, [maths.symbol(f"wrench{i}") for i in range(6)])


def heavy(robot: RobotDescription) -> RobotDescription:
    """With a body on every moving link, so that nothing divides by zero."""
    own = random_robot(77, joints="R", surroundings=False).joints[0].body
    return replace(robot, joints=tuple(replace(x, body=x.body or own) for x in robot.joints))


@pytest.mark.parametrize("law", IDENTITIES, ids=lambda law: law.name)
def test_laws_in_floats(law: Identity) -> None:
    for seed in TREES[:12]:
        robot = heavy(random_tree(seed)) if law.condition == SOLVABLE else random_tree(seed)
        for left, right in law.sides(in_floats(robot), MotionState(*random_state(robot, seed))):
            assert left == pytest.approx(right, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("law", IDENTITIES, ids=lambda law: law.name)
def test_laws_in_the_field(law: Identity) -> None:
    """A theorem about each of these trees, whatever its parameters."""
    for seed in range(3):
        robot = random_tree(seed, 4, surroundings=False)
        robot = heavy(robot) if law.condition == SOLVABLE else robot
        found = law.residuals(*in_field(robot, f"tree {seed}"))
        assert not [x for x in found if (x if isinstance(x, int) else x.value)]


def test_the_plain_method_is_right_on_trees() -> None:
    """The proof compares with it: a serial plain text would prove serial fast ones, wrongly."""
    for model in MODELS.values():
        assert model.inverts or model.structure(next(iter(model.methods))) == "tree", model.name
        assert set(model.trees) <= set(model.method_names), model.name


@pytest.mark.turn
@pytest.mark.drawn("name", few=12)
@pytest.mark.parametrize("name", [name for name in MODELS if name not in ("inverse_kinematics", "operational_inertia")])
def test_every_method_is_proved_or_refused(name: str) -> None:
    seed = TREES[sorted(MODELS).index(name) % len(TREES)]
    robot = with_frame(heavy(random_tree(seed, 4, surroundings=False)))
    branches = serial_fault(robot)
    for method in ("best", *MODELS[name].method_names):
        request = Request(robot, name, method, optimise="none", wrench=MODELS[name].takes_wrench)
        if method != "best" and MODELS[name].structure(method) == "chain" and branches:
            with pytest.raises(InputError, match="wants a serial arm, and it"):
                generate_function(prepare(request))
        elif "freedoms" in MODELS[name].wants:  # four joints, of which the tool's road has fewer still
            with pytest.raises(InputError, match=MODELS[name].wants):
                generate_function(prepare(request))
        else:
            assert generate_function(prepare(request)).roots  # proved against the plain text of the whole tree


def test_the_sentence_names_where_it_branches() -> None:
    robot = random_tree(TREES[0], surroundings=False)
    where = serial_fault(robot).removeprefix("it branches at ")
    with pytest.raises(InputError, match=where):
        generate_function(prepare(Request(robot, "coriolis_matrix", "moving-bodies")))


@pytest.mark.parametrize("seed", TREES[:8])
def test_branches_feel_their_own_road(seed: int) -> None:
    """Pose and Jacobian of every frame are those of the serial arm to it; joints beside it have zeros."""
    robot = random_tree(seed)
    q = random_state(robot, seed)[0]
    for name in (*frame_names(robot), robot.joints[-1].name):
        tree = in_floats(seen_at(robot, name))
        way = tree.support(tree.holder)
        road, own = tree.road(), [q[i] for i in way]
        np.testing.assert_allclose(pose.pose(tree, q).rows(), pose.pose(road, own).rows(), atol=1e-14)
        for found in (jacobian.jacobian, jacobian.jacobian_tool):
            whole = np.array(found(tree, q), dtype=float).reshape(6, tree.dof)
            alone = np.array(found(road, own), dtype=float).reshape(6, len(way))
            np.testing.assert_allclose(whole[:, way], alone, atol=1e-14)
            assert not np.delete(whole, way, axis=1).any()


@pytest.mark.parametrize("seed", range(6))
def test_the_base_gives_what_the_roots_ask(seed: int) -> None:
    """Newton for the whole robot: at rest the base carries the weight; as fast as it falls, nothing."""
    robot = random_tree(seed, 5, surroundings=False)
    tree, still = in_floats(robot), [0.0] * robot.dof
    q = random_state(robot, seed)[0]
    weight = -np.array(tree.gravity, dtype=float) * sum(float(link.inertia.m) for link in tree.links)
    force = newton_euler.newton_euler(tree, q, still, still).base.f
    np.testing.assert_allclose(np.array(tree.base.R, dtype=float) @ np.array(force, dtype=float), weight, atol=1e-9)
    falling = newton_euler.Moving((0, 0, 0), (0, 0, 0), (0, 0, 0))
    found = newton_euler.newton_euler(tree, q, still, still, base=falling)
    np.testing.assert_allclose(np.array([*found.tau, *found.base.f, *found.base.n], dtype=float), 0, atol=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_a_spinning_base_is_one_joint_more(seed: int) -> None:
    """A base that turns about z at ω₀, ω̇₀: the torques, and what the base gives about z, are those of a turning row."""
    robot = random_tree(seed, 4, surroundings=False)
    turning = random_robot(3, joints="R", surroundings=False, bodies=False, actuators=False).joints[0]
    zero = replace(turning.offset, value=ZERO)
    first = replace(turning, name="turn", before=(), after=(), direction=1, offset=zero)
    rows = [replace(x, parent="turn" if p < 0 else robot.joints[p].name) for x, p in zip(robot.joints, robot.parents)]
    longer = replace(robot, joints=(first, *rows))
    q, qd, qdd, _ = random_state(robot, seed)
    whole, tree = in_floats(longer), in_floats(robot)
    long = newton_euler.newton_euler(whole, [0, *q], [0.7, *qd], [-0.4, *qdd])
    spin = newton_euler.Moving((0, 0, 0.7), (0, 0, -0.4), tuple(-x for x in whole.gravity))  # type: ignore[arg-type]
    short = newton_euler.newton_euler(tree, q, qd, qdd, base=spin)
    about = short.base.n[2] + newton_euler.euler(tree.ground, spin)[2]  # fixed rows are part of the base
    np.testing.assert_allclose([*map(float, long.tau)], [float(about), *map(float, short.tau)], atol=1e-9)


def test_frames_by_name() -> None:
    robot = replace(random_tree(TREES[0], surroundings=False), frames=(), tool=(), tool_on=None)
    with pytest.raises(InputError, match="say which frame is meant") as told:
        with_frame(robot)
    assert all(repr(name) in str(told.value) for name in frame_names(robot))
    with pytest.raises(UnknownNameError):
        seen_at(robot, "nowhere")
    assert seen_at(robot, robot.joints[0].name).tool_on == robot.joints[0].name


def test_a_load_stays_where_it_is() -> None:
    """Another frame is asked about; the torques do not change."""
    for seed in range(20):
        robot = random_tree(seed)
        q, qd, qdd, _ = random_state(robot, seed)
        one, other = (in_floats(x) for x in (robot, seen_at(robot, "frame 1")))
        first, second = (newton_euler.newton_euler(x, q, qd, qdd).tau for x in (one, other))
        np.testing.assert_allclose([*map(float, first)], [*map(float, second)], rtol=1e-12, atol=1e-12)


def test_a_road_is_a_serial_arm() -> None:
    for seed in TREES[:10]:
        robot = seen_at(random_tree(seed), random_tree(seed).joint_names[-1])
        road = road_of(robot)
        assert not serial_fault(road) and road.joint_names[-1] == robot.joint_names[-1]


@pytest.mark.parametrize(("parent", "problem"), [("nobody", "is no joint"), ("joint2", "stands behind it")])
def test_parents_come_first(parent: str, problem: str) -> None:
    robot = random_robot(1, joints="RRR", surroundings=False)
    rows = (replace(robot.joints[0], parent=parent), *robot.joints[1:])
    with pytest.raises(RobotFileError, match=problem):
        replace(robot, joints=rows)


def test_a_serial_arm_is_the_tree_whose_rows_follow_each_other() -> None:
    """Said or unsaid, the parents of a serial arm give the same chain and the same function."""
    robot = random_robot(5, joints="RRPR", surroundings=False)
    names: list[Any] = [BASE, *(joint.name for joint in robot.joints)]
    said = replace(robot, joints=tuple(replace(x, parent=on) for x, on in zip(robot.joints, names)))
    assert in_floats(said) == in_floats(robot)
    one, other = (generate_function(prepare(Request(x, "inverse_dynamics", optimise="none"))) for x in (robot, said))
    assert one.cost == other.cost


def test_what_has_no_inertia_is_said() -> None:
    robot = random_tree(TREES[0], surroundings=False, actuators=False, bodies=False)
    with pytest.raises(SingularError):
        generate_function(prepare(Request(robot, "forward_dynamics")))


def test_columns_and_parameters_have_one_order() -> None:
    """regressor · standard parameters = torques, bodies that ride anywhere included."""
    for seed in TREES[:10]:
        robot = mp.Robot.of(random_tree(seed))
        tree = in_floats(robot)
        q, qd, qdd, _ = random_state(robot, seed)
        assert columns(tree) == list(robot.standard_parameters)
        Y = np.array(regressor(tree, q, qd, qdd), dtype=float)
        tau = np.array(inverse_dynamics(tree, q, qd, qdd), dtype=float)
        np.testing.assert_allclose(Y @ [x or 0 for x in robot.standard_parameters.values()], tau, rtol=1e-9, atol=1e-9)
