"""Screws anywhere in random arms: every identity, every method, the judge in the world frame, files and refusals."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.errors import InputError, RobotFileError
from manipula.mechanics.identities import IDENTITIES, Identity
from manipula.mechanics.models.derivatives import analytic
from manipula.mechanics.models.derivatives.dual import forward_plain, inverse_plain
from manipula.mechanics.models.dynamics.torque import inverse_dynamics
from manipula.mechanics.models.linear.base_parameters import candidate_slots
from manipula.mechanics.robot.bind import bind
from manipula.mechanics.robot.description import Cell, RobotDescription
from manipula.mechanics.robot.formats.conversion.conventions import to_modified, to_standard
from manipula.mechanics.robot.formats.toml.read import robot_from_toml
from manipula.mechanics.robot.formats.toml.write import toml_from_robot
from manipula.mechanics.robot.reduce import frames_on_joints, merge_fixed, regroup
from manipula.mechanics.robot.values.parameter import ZERO
from manipula.mechanics.spatial.floats import FLOATS
from manipula.parameters.base_numeric import base_agreement
from tests.laws.test_friction import in_the_field
from tests.random_robots import random_robot, random_state
from tests.world_frame import World


def arm(seed: int, **kind: Any) -> mp.Robot:
    return mp.Robot.of(random_robot(seed, screws=True, **kind))


def nothing(pairs: Any) -> bool:
    gaps = [a - b for a, b in pairs]
    return not [x for x in gaps if (x if isinstance(x, int) else x.value)]


@pytest.mark.parametrize("law", IDENTITIES, ids=lambda law: law.name)
def test_every_identity(law: Identity) -> None:
    for seed in range(6):
        assert nothing(law.sides(*in_the_field(arm(seed, joints=3), f"screw {seed}")))


@pytest.mark.parametrize("kinds", ["H", "HR", "RH", "HP", "HHH", "FHRFH"])
def test_the_derivatives_in_closed_form(kinds: str) -> None:
    chain, x = in_the_field(random_robot(7, joints=kinds), f"derivatives {kinds}")
    placed = frames_on_joints(chain)
    given = {"q": x.q, "qd": x.qd, "qdd": x.qdd, "wrench": x.wrench}
    one, other = analytic.inverse(placed, given), inverse_plain(chain, given)
    for name in ("dq", "dqd", "dqdd"):
        assert nothing((a, b) for rows in zip(one[name], other[name]) for a, b in zip(*rows)), name
    given = {"q": x.q, "qd": x.qd, "tau": x.qdd, "wrench": x.wrench}
    one, other = analytic.forward(placed, given), forward_plain(chain, given)
    for name in ("dq", "dqd", "dtau"):
        assert nothing((a, b) for rows in zip(one[name], other[name]) for a, b in zip(*rows)), name


def test_what_a_screw_hands_to_the_link_before_changes_no_torque() -> None:
    for seed in range(4):
        chain, x = in_the_field(arm(seed, joints=4), f"handed {seed}")
        given = x.q, x.qd, x.qdd
        other = inverse_dynamics(regroup(frames_on_joints(chain)), *given)
        assert nothing(zip(inverse_dynamics(chain, *given), other))


@pytest.mark.turn
@pytest.mark.usefixtures("without_search")
def test_the_judge() -> None:
    """Torques, inertia, Coriolis, gravity, energy, Jacobians, wrenches in the joints: worked out in world axes."""
    for seed in range(3):
        robot = arm(seed, joints=1 + seed)
        world, ours = World(robot), mp.Arm(robot)
        q, qd, qdd, wrench = map(np.array, random_state(robot, seed))
        pairs = [
            (ours.pose(q), world.at(q).tool),
            (ours.jacobian(q), world.jacobian(q)),
            (ours.jacobian_dot(q, qd), world.jacobian_dot(q, qd)),
            (ours.inverse_dynamics(q, qd, qdd, wrench_tool=wrench), world.inverse_dynamics(q, qd, qdd, wrench)),
            (ours.inertia_matrix(q), world.inertia_matrix(q)),
            (ours.gravity(q), world.gravity(q)),
            (ours.coriolis(q, qd), world.coriolis(q, qd)),
            (ours.coriolis_matrix(q, qd), world.coriolis_matrix(q, qd)),
            (ours.joint_wrenches(q, qd, qdd), world.joint_wrenches(q, qd, qdd)),
        ]
        for mine, theirs in pairs:
            np.testing.assert_allclose(mine, theirs, rtol=1e-8, atol=1e-9)


MODELS = {
    "inverse_dynamics": ("newton-euler", "lagrange", "lagrange-megahed", "lagrange-efficient", "jacobian", "best"),
    "pose": ("forward", "forward-cross", "backward", "backward-cross", "merged", "best"),
    "forward_dynamics": ("best",),
    "inertia_matrix": ("best",),
    "inertia_matrix_inverse": ("best",),
    "coriolis_matrix": ("best",),
    "regressor": ("best",),
    "base_regressor": ("best",),
    "energy": ("best",),
    "energy_regressor": ("best",),
    "inverse_dynamics_derivatives": ("best",),
    "forward_dynamics_derivatives": ("best",),
    "inverse_dynamics_jvp": ("best",),
    "lagrange_terms": ("best",),
}


@pytest.mark.turn
@pytest.mark.drawn("model", few=4)
@pytest.mark.parametrize("model", MODELS)
def test_every_model_is_generated_and_proved(model: str) -> None:
    """The pitch and all the rest symbols."""
    robot = mp.Robot.of(random_robot(4, joints="HRP", convention="standard", surroundings=False))
    short = mp.Robot.of(random_robot(5, joints="RH", convention="modified", surroundings=False))
    for method in MODELS[model]:
        mp.generate(short, model, method=method, symbolic="all")
    mp.generate(robot, model)


@pytest.mark.turn
def test_base_parameters_by_three_roads() -> None:
    for kinds in ("H", "HR", "RHR", "PH", "HHR"):
        robot = mp.Robot.of(random_robot(3, joints=kinds))
        assert base_agreement(robot, mp.base_parameters(robot)).passed, kinds
        chain = merge_fixed(bind(robot, FLOATS, {}))
        assert len(mp.base_parameters(robot)) <= len(candidate_slots(chain))


def with_pitch(robot: RobotDescription, pitch: Any) -> RobotDescription:
    return replace(robot, joints=tuple(replace(x, of_kind=(Cell(x.of_kind[0].name, pitch),)) for x in robot.joints))


def test_a_screw_without_pitch_is_a_revolute_joint() -> None:
    for seed in range(4):
        screw = with_pitch(random_robot(seed, joints="HH"), ZERO)
        plain = replace(screw, joints=tuple(replace(x, kind="revolute", of_kind=()) for x in screw.joints))
        state = random_state(screw, seed)
        one, other = (inverse_dynamics(merge_fixed(bind(x, FLOATS, {})), *state) for x in (screw, plain))
        assert one == pytest.approx(other, rel=1e-12)


def test_there_and_back() -> None:
    """TOML in both conventions and units; standard to modified and back moves nothing."""
    for seed in range(12):
        convention = ("standard", "modified")[seed % 2]
        robot = random_robot(seed, screws=True, convention=convention)  # type: ignore[arg-type]
        robot = replace(robot, origin=replace(robot.origin, length="mm" if seed % 3 else "m"))
        again = robot_from_toml(toml_from_robot(robot), exact=True)
        assert toml_from_robot(again) == toml_from_robot(robot)
        assert [x.of_kind for x in again.joints] == [x.of_kind for x in robot.joints]
        state = random_state(robot, seed)
        tau = inverse_dynamics(merge_fixed(bind(robot, FLOATS, {})), *state)
        for convert in (to_standard, to_modified):
            other = inverse_dynamics(merge_fixed(bind(convert(robot), FLOATS, {})), *state)
            assert other == pytest.approx(tau, rel=1e-9, abs=1e-9)


TEXT = """format = 1
name = "screw"
convention = "standard"
angle = "deg"
length = "mm"
[[joint]]
type = "helical"
pitch = 2
theta = 90
d = 100
a = 0
alpha = 0
limits = [-720, 720]
"""


def test_a_ball_screw_from_its_file() -> None:
    """Two millimetres a radian from d = 100 mm on; the offset of the angle does not advance."""
    robot = mp.Robot.from_text(TEXT)
    screw = mp.Arm(robot)
    np.testing.assert_allclose(screw.pose([0.0])[:3, 3], [0, 0, 0.1], atol=1e-15)
    pose = screw.pose([2 * np.pi])
    np.testing.assert_allclose(pose[:3, 3], [0, 0, 0.1 + 0.002 * 2 * np.pi], atol=1e-15)
    np.testing.assert_allclose(pose[:2, 0], [0, 1], atol=1e-15)
    assert robot.parameters["screw1"] == 0.002 and "helical pitch 2" in str(robot)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("pitch = 2\n", "", "pitch: is missing (a helical joint needs it, advance per radian)"),
        ('type = "helical"', 'type = "revolute"', "pitch: does not belong to a revolute joint"),
        ("pitch = 2", 'pitch = "1/0"', "pitch"),
        ('type = "helical"', 'type = "helicl"', "'helical'"),
    ],
)
def test_what_a_file_may_not_say(old: str, new: str, said: str) -> None:
    with pytest.raises(RobotFileError) as caught:
        mp.Robot.from_text(TEXT.replace(old, new))
    assert said in str(caught.value)


@pytest.mark.parametrize("ending", ["urdf", "par", "csv"])
def test_formats_that_cannot_say_it_refuse(ending: str, tmp_path: Any) -> None:
    body = "mass = 1\ncom = [0, 0, 0]\ninertia = { xx = 1, xy = 0, xz = 0, yy = 1, yz = 0, zz = 1 }\n"
    robot = mp.Robot.from_text(TEXT + body)
    with pytest.raises(InputError, match=r"joint 1 'joint1': is helical, .*save it as TOML"):
        mp.save(robot, tmp_path / f"screw.{ending}")


@pytest.mark.turn
def test_inverse_kinematics_is_numeric_and_finds_the_pose() -> None:
    robot = mp.Robot.of(random_robot(2, joints="RHRRRR", convention="standard", surroundings=False))
    ours = mp.Arm(robot)
    q = np.array([0.3, 0.5, -0.4, 0.7, -0.2, 0.6])
    assert not ours.inverse_plan.has_closed_form and "joint 2 turns and slides at once" in ours.inverse_plan.sentence
    found = ours.inverse_kinematics(ours.pose(q), seed=q + 0.05)
    assert len(found.q)
    for answer in found.q:
        np.testing.assert_allclose(ours.pose(answer), ours.pose(q), atol=1e-8)

    for task in ("position", "axis"):
        with pytest.raises(InputError, match="joint 2 'joint2' turns and slides at once"):
            ours.inverse_kinematics(ours.pose(q), task=task)


def test_inverse_kinematics_finds_poses_without_a_seed() -> None:
    """A screw as a lift, two links on it: of all turns of the screw the height tells the right one."""
    rows = [{"type": "helical", "pitch": 0.1, "theta": 0, "d": 0.2, "a": 0.3, "alpha": "pi/2"}]
    robot = mp.Robot.from_dh([*rows, ("q2", 0, 0.4, "pi/2"), ("q3", 0.1, 0.2, 0)])
    ours, rng = mp.Arm(robot), np.random.default_rng(1)
    for q in rng.uniform(-1.5, 1.5, (4, 3)):
        found = ours.inverse_kinematics(ours.pose(q))
        assert len(found.q) and min(np.abs(x - q).max() for x in found.q) < 1e-5
        assert max(np.abs(ours.pose(x) - ours.pose(q)).max() for x in found.q) < 1e-8
