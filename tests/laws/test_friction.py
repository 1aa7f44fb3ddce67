"""Every friction law of the list, on random arms: in files, models, methods, derivatives, regressors, generated code.

The formulas once more, by hand, are those of `world_frame.FRICTION`; a law without one there fails here.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.algebra.expr.field import FieldMaths
from manipula.errors import InputError, RobotFileError, UnknownNameError
from manipula.mechanics.identities import IDENTITIES, MotionState
from manipula.mechanics.models.derivatives import analytic
from manipula.mechanics.models.derivatives.dual import inverse_plain
from manipula.mechanics.models.dynamics.energy import energy
from manipula.mechanics.models.dynamics.torque import inverse_dynamics
from manipula.mechanics.models.linear import regressor
from manipula.mechanics.models.linear.regressor_carried import kinetic_row, potential_row
from manipula.mechanics.robot import description
from manipula.mechanics.robot.bind import bind, free_parameters
from manipula.mechanics.robot.formats.toml.read import robot_from_toml
from manipula.mechanics.robot.formats.toml.write import toml_from_robot
from manipula.mechanics.robot.friction import LAWS, FrictionLaw, Slip
from manipula.mechanics.robot.reduce import frames_on_joints, merge_fixed
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.spatial.floats import FLOATS
from manipula.mechanics.spatial.vector import dot
from manipula.parameters.base_numeric import base_agreement
from tests.random_robots import random_robot, random_state, with_laws
from tests.world_frame import FRICTION, World

FURTHER = [law for law in LAWS if not law.always]
by_key = pytest.mark.parametrize("law", FURTHER, ids=lambda law: law.key)
LINEAR_ONLY = {"regressor", "forward ∘ inverse", "superposition"}  # what friction that follows the load does not obey


def arm(law: type[FrictionLaw[Any]], seed: int, **kind: Any) -> mp.Robot:
    return mp.Robot.of(with_laws(random_robot(seed, **kind), seed, [law.key]))


def in_the_field(robot: description.RobotDescription, draw: str) -> tuple[Tree, MotionState]:
    maths = FieldMaths(draw)
    symbols = {name: maths.symbol(name) for name in free_parameters(robot, "all")}
    chain = merge_fixed(bind(robot, maths, symbols, "all"))
    q, qd, qdd = ([maths.symbol(f"{name}{i}") for i in range(chain.dof)] for name in ("q", "qd", "qdd"))
    return chain, MotionState(q, qd, qdd, [maths.symbol(f"wrench{i}") for i in range(6)])


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.key)
def test_torque_slope_breakaway_and_columns(law: type[FrictionLaw[Any]]) -> None:
    """Against the formula by hand, its complex step, its limits, its value at a unit of each parameter."""
    rng = np.random.default_rng(5)
    for _ in range(30):
        values = tuple(map(float, rng.uniform(0.1, 2, len(law.entries))))
        rate, load = (float(x) for x in rng.uniform(-3, 3, 2))
        found, by_hand = law(values), FRICTION[law.key]
        slip = Slip(rate, FLOATS, load)
        assert found.torque(slip) == pytest.approx(by_hand(rate, load, *values), rel=1e-13)
        by_rate, by_load = found.slopes(slip)
        assert by_rate == pytest.approx(np.imag(by_hand(rate + 1e-30j, load, *values)) / 1e-30, rel=1e-12)
        small = (by_hand(rate, load + 1e-6, *values) - by_hand(rate, load - 1e-6, *values)) / 2e-6
        assert by_load == pytest.approx(small, abs=1e-8)
        for way in (1, -1):
            assert found.breakaway(way, FLOATS, load) == pytest.approx(by_hand(way * 1e-12, load, *values), abs=1e-9)
        assert found.torque(Slip(0.0, FLOATS, load)) == pytest.approx(by_hand(0.0, load, *values), abs=1e-15)
        for k, entry in enumerate(law.entries):
            if entry.linear:
                unit = tuple(float(i == k) if x.linear else values[i] for i, x in enumerate(law.entries))
                assert found.columns(slip)[entry.letters] == pytest.approx(by_hand(rate, load, *unit), rel=1e-13)


@by_key
def test_files_and_tables(law: type[FrictionLaw[Any]]) -> None:
    for seed in range(12):
        robot = arm(law, seed, convention=("standard", "modified")[seed % 2])
        again = robot_from_toml(toml_from_robot(robot), exact=True)
        assert [x.actuator for x in again.joints] == [x.actuator for x in robot.joints]
        words = [" ".join((law.title, entry.key.replace("_", " "))).strip() for entry in law.entries]
        assert all(word in str(robot) for word in words)
        calm = robot.without("friction")
        assert calm.joints == robot.without("friction", "friction").joints
        assert not any(x.key == law.key for joint in calm.joints for x in joint.actuator.laws)
        assert calm == mp.Robot.of(random_robot(seed, convention=robot.origin.convention)).without("friction")  # type: ignore[arg-type]


@by_key
def test_every_identity_and_method(law: type[FrictionLaw[Any]]) -> None:
    """Newton–Euler, three Lagranges, Jacobians, energy, regressors, forward dynamics: equal in the prime field."""
    for seed in range(4):
        chain, state = in_the_field(arm(law, seed, joints=3), f"friction {seed}")
        for identity in IDENTITIES:
            if law.loaded and identity.name in LINEAR_ONLY:
                continue
            left = identity.residuals(chain, state)
            assert not [x for x in left if (x if isinstance(x, int) else x.value)], identity.name


@pytest.mark.turn
@by_key
def test_the_judge(law: type[FrictionLaw[Any]]) -> None:
    for seed in range(8):
        robot = arm(law, seed, joints=1 + seed % 4)
        q, qd, qdd, wrench = map(np.array, random_state(robot, seed))
        qd[0] = 0.0 if seed % 3 == 0 else qd[0]
        ours, theirs = bind(robot, FLOATS, {}), World(robot).inverse_dynamics(q, qd, qdd, wrench)
        given = inverse_dynamics(merge_fixed(ours), *(x.tolist() for x in (q, qd, qdd, wrench)))
        np.testing.assert_allclose(given, theirs, rtol=1e-9, atol=1e-9)
        if seed == 1:
            compiled = mp.Arm(robot).inverse_dynamics(q, qd, qdd, wrench_tool=wrench)
            np.testing.assert_allclose(compiled, theirs, rtol=1e-9, atol=1e-9)


@by_key
def test_derivatives_two_ways_are_one(law: type[FrictionLaw[Any]]) -> None:
    for seed in range(4):
        chain, x = in_the_field(arm(law, seed, joints=3), f"slopes {seed}")
        given = {"q": x.q, "qd": x.qd, "qdd": x.qdd, "wrench": x.wrench}
        one, other = analytic.inverse(frames_on_joints(chain), given), inverse_plain(chain, given)
        for name in ("dq", "dqd", "dqdd"):
            gaps = [a - b for rows in zip(one[name], other[name]) for a, b in zip(*rows)]
            assert not [gap for gap in gaps if (gap if isinstance(gap, int) else gap.value)], name


@pytest.mark.turn
@by_key
def test_generated_and_proved(law: type[FrictionLaw[Any]]) -> None:
    robot = arm(law, 3, joints="RP", convention="standard", surroundings=False)
    for method in ("newton-euler", "lagrange", "lagrange-megahed", "lagrange-efficient", "jacobian", "best"):
        mp.generate(robot, "inverse_dynamics", method=method, symbolic="all")
    for model in ("inverse_dynamics_derivatives", "regressor", "base_regressor", "forward_dynamics"):
        if law.loaded and model != "inverse_dynamics_derivatives":
            with pytest.raises(InputError, match=rf"friction\.{law.key}"):
                mp.generate(robot, model)
        else:
            mp.generate(robot, model, symbolic="all")


@by_key
def test_columns_are_those_of_the_standard_parameters(law: type[FrictionLaw[Any]]) -> None:
    robot = arm(law, 2, joints=3)
    names = list(robot.standard_parameters)
    chain, (q, qd, _, _) = merge_fixed(bind(robot, FLOATS, {})), random_state(robot, 2)
    assert names == regressor.columns(chain)
    assert dot(kinetic_row(chain, q, qd), regressor.parameter_vector(chain)) == pytest.approx(
        energy(chain, q, qd).kinetic
    )
    assert len(potential_row(chain, q)) == len(names)
    letters = {f"{x.letters}{n}" for n in (1, 2, 3) for x in law.entries if x.linear}
    assert bool(letters & set(names)) is not law.loaded
    if not law.loaded:
        other = robot.with_standard_parameters(dict.fromkeys(letters & set(names), 0.25))
        assert [other.standard_parameters[name] for name in letters & set(names)] == [0.25] * len(letters & set(names))
        assert base_agreement(robot, mp.base_parameters(robot)).passed


def test_the_laws_are_in_the_order_of_the_list_and_named_apart() -> None:
    letters = [entry.letters for law in LAWS for entry in law.entries]
    assert len(set(letters)) == len(letters) and len({law.key for law in LAWS}) == len(LAWS)
    assert [law.key for law in LAWS if law.always] == ["viscous", "coulomb", "offset"]
    robot = with_laws(random_robot(1, joints="RRR"), 1)
    order = [law.key for law in LAWS]
    for joint in robot.joints:
        keys = [law.key for law in joint.actuator.laws]
        assert keys == sorted(keys, key=order.index)


ROW = """format = 1
name = "one"
convention = "standard"
angle = "deg"
[[joint]]
type = "revolute"
theta = 0
d = 0
a = 1
alpha = 0
mass = 1
com = [0, 0, 0]
inertia = { xx = 1, yy = 1, zz = 1, xy = 0, xz = 0, yz = 0 }
"""


def test_a_drive_is_kept_and_moves_nothing() -> None:
    plain = mp.Robot.from_text(ROW)
    robot = mp.Robot.from_text(ROW + 'gear = -62.55\nefficiency = 0.7\nstiffness = "k"\nbacklash = 1e-4\n')
    actuator, names = robot.joints[0].actuator, ("gear", "efficiency", "stiffness", "backlash")
    assert [actuator[name].name for name in names] == [f"{name}1" for name in names]
    assert robot_from_toml(toml_from_robot(robot)).joints == robot.joints
    assert "-62.55" in str(robot) and "stiffness" in str(robot)
    q = [0.3], [0.2], [0.1]
    assert mp.Arm(robot).inverse_dynamics(*q) == mp.Arm(plain).inverse_dynamics(*q)
    assert list(mp.generate(robot, "inverse_dynamics").inputs) == ["q", "qd", "qdd"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("stiffness = 0", "stiffness: is not positive: 0"),
        ("backlash = -1", "backlash: is negative: -1"),
        ("gear = 0", "gear: is zero"),
        ("efficiency = 0", "efficiency: is no share: 0"),
        ("efficiency = -0.5", "efficiency: is no share: -0.5"),
        ("efficiency = 80", "efficiency: is no share: 80"),
        ("friction = { asymmetric = 1 }", "joint 1: friction.asymmetric: found 1"),
        ("friction = { asymmetric = { plus = 1 } }", "joint 1: friction.asymmetric.plus: unknown key"),
        ("friction = { stribek = 1 }", "friction.stribek: unknown key (did you mean 'stribeck'?)"),
        ("friction = { stribeck = { torque = 1 } }", "friction.stribeck.velocity: is missing"),
        ("friction = { stribeck = { torque = 1, velocity = 0 } }", "friction.stribeck.velocity: is not positive: 0"),
    ],
)
def test_what_a_file_may_not_say(line: str, said: str) -> None:
    with pytest.raises(RobotFileError) as caught:
        mp.Robot.from_text(ROW + line + "\n")
    assert said in str(caught.value)


@pytest.mark.turn
def test_a_table_of_counts_leaves_out_what_the_load_rules_out() -> None:
    """Of one row among others: the second does not move."""
    fixed = '[[joint]]\ntype = "fixed"\ntheta = 0\nd = 0\na = 0\nalpha = 0\nmass = 0\n'
    robot = mp.Robot.from_text(ROW + "friction = { load = 0.1 }\n" + fixed)
    rows = {row.model for row in mp.count(robot)}
    assert "inverse_dynamics" in rows and "forward_dynamics" not in rows
    with pytest.raises(InputError, match="depends on its load"):
        mp.count(robot, ["forward_dynamics"])


def test_a_fixed_row_has_no_drive() -> None:
    with pytest.raises(RobotFileError, match="gear: does not belong to a fixed joint"):
        mp.Robot.from_text(ROW + '[[joint]]\ntype = "fixed"\ntheta = 0\nd = 0\na = 0\nalpha = 0\ngear = 3\n')


def test_friction_given_in_python() -> None:
    robot = mp.load("puma560")
    name = robot.joint_names[0]
    other = robot.with_friction({name: {"viscous": 1, "asymmetric": {"coulomb_plus": 2}}})
    first = other.joints[0].actuator
    assert [str(first[x].parameter.value) for x in ("fv", "fc", "fo", "fcp", "fcm")] == ["1", "0", "0", "2", "0"]  # type: ignore[union-attr]
    assert other.joints[1:] == robot.joints[1:]
    assert replace(other, joints=robot.joints) == robot
    for wrong in ({"elbow9": {}}, {name: {"viscus": 1}}, {name: {"asymmetric": {"plus": 1}}}):
        with pytest.raises(UnknownNameError):
            robot.with_friction(wrong)
    with pytest.raises(InputError, match="expected a dict"):
        robot.with_friction({name: 3})  # type: ignore[dict-item]


def test_an_arm_of_ones_has_an_exact_inverse() -> None:
    """All structure: M is the int 1, and no model may answer with a rounded quotient."""
    for model in ("forward_dynamics", "inertia_matrix_inverse", "forward_dynamics_derivatives"):
        mp.generate(mp.Robot.from_text(ROW.replace("com = [0, 0, 0]", "com = [1, 0, 0]")), model)


@pytest.mark.parametrize("velocity", [1, 2, 0.5])
def test_a_regressor_at_two_velocities_of_stribeck_friction(velocity: float) -> None:
    """It is made of regressors at rest, where a whole velocity would divide to a float that no proof takes."""
    arm = mp.Robot.from_dh([("q1", 0, 1, 0)]).with_friction(joint1={"stribeck": {"torque": 2, "velocity": velocity}})
    model = mp.generate(arm, "two_velocity_regressor", optimise="none")
    assert "identical" in model.provenance.proof
