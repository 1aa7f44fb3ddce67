"""Arms with links that weigh nothing: a right answer, or an error that names the joint which feels no inertia."""

from __future__ import annotations

import random
import warnings
from dataclasses import replace

import numpy as np
import pytest

import manipula as mp
from manipula.api import count_steps
from manipula.errors import SingularError
from manipula.generation.arm_structure import ArmStructure
from manipula.generation.massless_joints import joints_without_inertia
from manipula.mechanics.models.dynamics.composite import inertia_matrix
from manipula.mechanics.models.dynamics.torque import inverse_dynamics
from manipula.mechanics.robot.bind import bind
from manipula.mechanics.robot.description import Joint, actuator_of, cell_with_value
from manipula.mechanics.robot.reduce import merge_fixed
from manipula.mechanics.robot.values.parameter import Num, number
from manipula.mechanics.spatial.floats import FLOATS
from tests.random_robots import random_robot, random_state

SOLVING = ("forward_dynamics", "inertia_matrix_inverse", "forward_dynamics_derivatives", "forward_dynamics_vjp")


def lightened(seed: int) -> mp.Robot:
    """A random arm, some of its links and motors without inertia: often those at the tip."""
    rng = random.Random(seed)
    robot = random_robot(seed, joints=rng.randint(1, 5), surroundings=rng.random() < 0.3)
    kept = rng.choice((0.0, 0.3, 0.7))

    def light(row: int, joint: Joint) -> Joint:
        bare = rng.random() > kept or row + 1 == len(robot.joints)
        motor = joint.motor_inertia if rng.random() < 0.3 * kept else cell_with_value(joint.motor_inertia.name)
        body, carries = (None, ()) if bare else (joint.body, joint.carries)
        return replace(joint, actuator=joint.actuator.with_entries({"Ia": motor}), body=body, carries=carries)

    joints = tuple(light(row, joint) for row, joint in enumerate(robot.joints))
    return mp.Robot.of(replace(robot, joints=joints, payload=robot.payload if rng.random() < 0.2 else ()))


def idle_joints(robot: mp.Robot, seed: int) -> list[str]:
    """By numbers: the pivots, from the tip inward, that are nothing beside the largest entry of M."""
    chain = merge_fixed(bind(robot, FLOATS, {}))
    M = np.array(inertia_matrix(chain, random_state(robot, seed)[0]), dtype=float).reshape(robot.dof, robot.dof)
    idle = []
    for k in range(robot.dof - 1, -1, -1):
        if abs(M[k, k]) < 1e-9:
            idle.append(robot.joint_names[k])
        else:
            M[:k, :k] -= np.outer(M[:k, k], M[k, :k]) / M[k, k]
    return idle[::-1]


@pytest.mark.parametrize("seed", range(60))
def test_the_joints_without_inertia_are_those_that_numbers_show(seed: int) -> None:
    robot = lightened(seed)
    assert joints_without_inertia(ArmStructure(robot)) == idle_joints(robot, seed)


@pytest.mark.parametrize("seed", range(12))
def test_an_answer_or_an_error_with_the_joint(seed: int) -> None:
    robot = lightened(seed)
    model, level = SOLVING[seed % len(SOLVING)], ("none", "fast", "max")[seed % 3]
    idle = idle_joints(robot, seed)
    if idle:
        with pytest.raises(SingularError, match=f"{', '.join(map(repr, idle))} feels? no inertia, so {model}"):
            mp.generate(robot, model, optimise=level)
        with pytest.raises(SingularError, match=repr(idle[-1])):
            mp.Arm(robot).forward_dynamics(*random_state(robot, seed)[:3])
        return
    q, qd, tau, _ = random_state(robot, seed)
    qdd = mp.generate(robot, "forward_dynamics", optimise="none").compile()(q, qd, tau)
    found = inverse_dynamics(merge_fixed(bind(robot, FLOATS, {})), q, qd, list(qdd))
    assert np.allclose(found, tau, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("seed", range(0, 60, 5))
def test_check_comes_to_an_end_and_says_what_it_left_out(seed: int) -> None:
    robot = lightened(seed)
    report = mp.check(robot)
    assert report.passed
    assert ("not checked: forward ∘ inverse, inertia positive" in str(report)) == bool(idle_joints(robot, seed))


def test_symbols_are_told_from_zeros() -> None:
    """A link of unknown mass is solved for; one of no mass is not, whatever else is unknown."""
    rows = [{"theta": 0, "d": 0, "a": "l1", "alpha": 0}, {"theta": 0, "d": 0, "a": "l2", "alpha": 0}]
    assert mp.generate(mp.Robot.from_dh(rows), "forward_dynamics", optimise="none").outputs == {"qdd": (2,)}
    empty = {"mass": 0, "com": [0, 0, 0], "inertia": dict.fromkeys(("xx", "xy", "xz", "yy", "yz", "zz"), 0)}
    light = mp.Robot.from_dh([rows[0], {**rows[1], **empty}])
    with pytest.raises(SingularError, match="joint 'joint2' feels no inertia"):
        mp.generate(light, "inertia_matrix_inverse")
    with pytest.raises(SingularError, match="joint 'joint2' feels no inertia"):
        mp.generate(light, "forward_dynamics", symbolic="all", optimise="none")


def test_two_joints_on_one_axis_with_one_body() -> None:
    """Only their sum turns anything: the inner one feels nothing while the outer is free."""
    nothing = dict.fromkeys(("xx", "yy", "zz", "xy", "xz", "yz"), 0)
    body = {"mass": 1, "com": [0.1, 0, 0], "inertia": {**nothing, "xx": 1, "yy": 1, "zz": 1}}
    empty = {"mass": 0, "com": [0, 0, 0], "inertia": nothing}
    here = {"theta": 0, "d": 0, "a": 0, "alpha": 0}
    robot = mp.Robot.from_dh([{**here, **empty, "name": "inner"}, {**here, **body, "name": "outer"}])
    assert joints_without_inertia(ArmStructure(robot)) == ["inner"]


def test_what_is_asked_of_an_arm_without_mass_is_answered_with_a_warning() -> None:
    robot = mp.Robot.of(replace(random_robot(3, bodies=False, actuators=False, joints="RR")))
    with pytest.warns(mp.ManipulaWarning, match="no link has a mass, so gravity") as told:
        assert np.all(mp.Arm(robot).gravity([0.1, 0.2]) == 0)
    assert [warning.filename for warning in told] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for model in ("pose", "jacobian", "regressor", "base_regressor"):
            mp.generate(robot, model, optimise="none")
        moved = replace(robot.joints[0], actuator=actuator_of("1", Ia=number(0.5)))
        mp.generate(mp.Robot.of(replace(robot, joints=(moved, *robot.joints[1:]))), "gravity")


@pytest.mark.turn
def test_all_counts_but_those_that_have_no_answer() -> None:
    robot = mp.Robot.from_dh([{"theta": 0, "d": 0, "a": 1, "alpha": 0, "mass": 0, "com": [0, 0, 0],
                               "inertia": dict.fromkeys(("xx", "xy", "xz", "yy", "yz", "zz"), 0)}])  # fmt: skip
    with pytest.warns(mp.ManipulaWarning):
        counted = {row.model for row in mp.count(robot)}
    assert "inverse_dynamics" in counted
    assert not counted & {"forward_dynamics", "inertia_matrix_inverse"}
    with pytest.raises(SingularError):
        mp.count(robot, ["forward_dynamics"])
    with pytest.raises(SingularError):
        count_steps(robot, ["forward_dynamics"])


@pytest.mark.parametrize("seed", range(15))
def test_potential_energy_counts_every_body_there_is(seed: int) -> None:
    """Against the plain sum −m g·r over the rows of the file, those before the first moving joint too."""
    rng = random.Random(seed)
    kinds = "F" * rng.randint(1, 2) + "".join(rng.choices("RPF", k=rng.randint(0, 3))) + "R"
    robot = random_robot(seed, joints=kinds)
    q = iter(random_state(robot, seed)[0])
    chain = bind(robot, FLOATS, {})
    at, moments = chain.base, np.zeros(3)
    for link in chain.links:
        moving = link.kind.name != "fixed"
        at = at @ link.before @ (link.motion(next(q), FLOATS) if moving else link.motion(0, FLOATS)) @ link.after
        R, p = np.array(at.R, dtype=float), np.array(at.p, dtype=float)
        moments += R @ np.array(link.inertia.s, dtype=float) + float(link.inertia.m) * p
    expected = -np.dot(np.array(chain.gravity, dtype=float), moments)
    found = mp.generate(mp.Robot.of(robot), "energy", optimise="none").compile()
    state = random_state(robot, seed)
    assert np.isclose(found(state[0], state[1]).potential, expected, rtol=1e-12, atol=1e-9)


def test_ten_kilograms_at_one_metre() -> None:
    rows = [{"type": "fixed", "theta": 0, "d": 1, "a": 0, "alpha": 0, "mass": 10, "com": [0, 0, 0], "inertia": {}},
            {"theta": 0, "d": 0, "a": 1, "alpha": 0, "mass": 0, "com": [0, 0, 0], "inertia": {}}]  # fmt: skip
    robot = mp.Robot.from_dh(rows)
    unknown = {name: 0.0 for name, value in robot.parameters.items() if value is None}
    found = mp.generate(robot.with_parameters(**unknown), "energy").compile()
    assert np.isclose(found([0.3], [0.0]).potential, 98.1)
    assert robot.gravity[2].value == Num(-number("9.81").value)


@pytest.mark.parametrize("about", ["com", "origin"])
def test_first_moments_without_mass(about: str) -> None:
    """None at all is an empty link; about the centre of mass others have no meaning, about the origin they have."""
    rows = [{"theta": 0, "d": 0, "a": 1, "alpha": 0, "mass": 0, "first_moment": [x, 0, 0], "inertia_about": about,
             "inertia": dict.fromkeys(("xx", "xy", "xz", "yy", "yz", "zz"), 0)} for x in (0, 1)]  # fmt: skip
    assert mp.check(mp.Robot.from_dh(rows[:1])).passed
    if about == "com":
        with pytest.raises(mp.InputError, match="first_moment: is not zero, but the mass is"):
            mp.Robot.from_dh(rows[1:])
    else:
        assert mp.generate(mp.Robot.from_dh(rows[1:]), "gravity").outputs == {"g": (1,)}


@pytest.mark.drawn("idle")
@pytest.mark.filterwarnings("ignore::manipula.errors.ManipulaWarning")  # no limits, no masses
@pytest.mark.parametrize("method", ["rk4", "euler", "gauss4", "dop853"])
@pytest.mark.parametrize("idle", [["theta1"], ["theta2"], ["theta1", "theta2"]])
def test_no_motion_is_told_of_a_joint_that_feels_no_inertia(method: str, idle: list[str]) -> None:
    """By no integrator, under no law, in no study: one sentence that names it."""
    bare = mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=0, m2=0, g=9.81)
    robot = bare.with_motor_inertia({name: 0.1 for name in bare.joint_names if name not in idle})
    told = f"{', '.join(map(repr, idle))} feels? no inertia, so "
    ref = mp.trajectory.quintic([0, 0], [1, 1], 0.1)
    law = mp.controller(robot, "pd_gravity", kp=10, kd=1, sample=0.01)
    with pytest.raises(SingularError, match=told):
        mp.simulate(robot, start=[0, 0], until=0.01, method=method)
    with pytest.raises(SingularError, match=told):
        mp.simulate(robot, law, ref, method=method)
    if method == "rk4":
        with pytest.raises(SingularError, match=told):
            mp.studies.gains(robot, law="pd_gravity", gains={"kp": [1, 2], "kd": 1}, goal=[1, 1], count=1, duration=0.1)
