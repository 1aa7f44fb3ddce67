"""The columns of an identification: torques are linear in them, by their names, and Gram matrices hold what a dense
computation holds."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.algebra.expr.evaluate import ArrayMaths
from manipula.errors import InputError, UnknownNameError
from manipula.identification.columns import Inertial, known_values, merge_riders
from manipula.identification.data import CHUNK, Data, gather
from manipula.identification.filters import stops
from manipula.identification.torque_columns import Columns
from manipula.mechanics.models.dynamics.newton_euler import newton_euler
from manipula.mechanics.robot.bind import bind
from manipula.mechanics.robot.coordinates import Coordinate
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.reduce import merge_fixed, without_actuators
from tests.golden.sentences import Sentences
from tests.random_robots import random_robot, random_tree

ARMS = [random_robot(seed, joints=1 + seed % 3, screws=seed % 5 == 4) for seed in range(7)]
TREES = [random_tree(seed, 3) for seed in range(4)]


def torques(robot: RobotDescription, q: Any, qd: Any, qdd: Any) -> Any:
    """By Newton and Euler on the unreduced robot, without motors."""
    chain = without_actuators(merge_fixed(bind(robot, ArrayMaths(), {})))
    given = (chain.coordinates.spread(list(x.T)) for x in (q, qd, qdd))
    tau = chain.coordinates.gather(newton_euler(chain, *given).tau)
    return np.stack([np.broadcast_to(x, len(q)) for x in tau], axis=1)


def state(robot: RobotDescription, seed: int, count: int = 40) -> Any:
    return np.random.default_rng(seed).normal(size=(3, count, robot.dof))


def agrees(robot: RobotDescription) -> bool:
    """Columns times their parameters are torques, and who is said to feel nothing feels nothing."""
    if robot.dof == 0:
        return True
    inertial, (q, qd, qdd) = Inertial(robot), state(robot, 1)
    found, wanted = inertial(q, qd, qdd), torques(robot, q, qd, qdd)
    felt = np.array([[j in column.rows for column in inertial.columns] for j in range(robot.dof)])
    left = np.abs(found @ known_values(inertial.robot, inertial.columns) - wanted).max()
    return not found[:, ~felt].any() and bool(left <= 1e-9 * (1 + np.abs(wanted).max()))


@pytest.mark.drawn("robot", few=3)
@pytest.mark.parametrize("robot", [*ARMS, *TREES], ids=lambda robot: robot.name)
def test_inertial_columns_times_their_parameters_are_torques(robot: RobotDescription) -> None:
    """Fixed rows, carried bodies and payloads counted to the links that move them."""
    assert agrees(robot)


@pytest.mark.slow
def test_a_hundred_arms() -> None:
    for seed in range(50):
        assert agrees(random_robot(100 + seed, joints=1 + seed % 4, screws=seed % 5 == 4)), seed
        assert agrees(random_tree(100 + seed, 2 + seed % 3)), seed


def test_joints_that_follow_have_columns_of_their_links() -> None:
    robot = random_robot(3, joints="RRR", surroundings=False)
    first, second, third = robot.joints
    follower = replace(second, coordinate=Coordinate(((first.name, 2),)))
    robot = replace(robot, joints=(first, follower, third))
    inertial, (q, qd, qdd) = Inertial(robot), state(robot, 2)
    values = known_values(inertial.robot, inertial.columns)
    assert len(values) == 30 and robot.dof == 2
    assert np.allclose(inertial(q, qd, qdd) @ values, torques(robot, q, qd, qdd))


def test_a_body_without_a_number_makes_its_link_unknown_and_no_other() -> None:
    robot = mp.load("planar2r").with_parameters(l1=1, l2=1, g=9.81, m1=2).with_payload(1.0, (0.1, 0, 0))
    inertial = Inertial(robot)
    values = dict(zip([c.name for c in inertial.columns], known_values(inertial.robot, inertial.columns)))
    assert values["m1"] == 2 and np.isnan(values["m2"])
    assert merge_riders(robot).standard_parameters["m2"] is None


def test_geometry_must_have_numbers() -> None:
    with pytest.raises(InputError, match="geometry must have numbers, and l1"):
        Inertial(mp.load("planar2r").with_parameters(g=9.81))
    with pytest.raises(InputError, match="gravity must have numbers"):
        Inertial(mp.load("planar2r").with_parameters(l1=1, l2=1))


# the other families


def arm() -> mp.Robot:
    return mp.load("planar2r").with_parameters(l1=1, l2=0.8, g=9.81, m1=2, m2=1)


def log_of(robot: RobotDescription, count: int = 3000, rate: float = 200.0, seed: int = 0, **more: Any) -> mp.Log:
    """A smooth motion of an arm that rubs, with exact rates."""
    t = np.arange(count) / rate
    rng = np.random.default_rng(seed)
    w = 2 * np.pi * 0.3 * rng.uniform(0.5, 1.5, size=(3, robot.dof))
    a = rng.uniform(0.2, 0.5, size=(3, robot.dof))
    angle = w * t[:, None, None]
    q, qd, qdd = ((a * x).sum(axis=1) for x in (np.sin(angle), w * np.cos(angle), -w * w * np.sin(angle)))
    tau = torques(robot, q, qd, qdd) + 0.4 * qdd + 0.7 * qd + 0.5 * np.tanh(qd / 0.003) + 0.1
    return mp.Log(t, q, tau, **({"qd": qd, "qdd": qdd} | more))


def truth(data: Data) -> Any:
    """What `log_of` is made of."""
    drive = {"motor_inertia": 0.4, "viscous": 0.7, "coulomb": 0.5, "offset": 0.1}
    return np.array([drive.get(c.family, 0.0) if c.link is None else x for c, x in zip(data.columns, data.file_values)])


@pytest.mark.parametrize("robot", [arm(), random_robot(21, joints="PR"), random_robot(22, joints="R")])
@pytest.mark.parametrize("cutoff", [None, 6.0])
def test_gram_matrices_hold_what_a_dense_computation_holds(robot: RobotDescription, cutoff: float | None) -> None:
    log = log_of(robot)
    data = gather(robot, log, filter=cutoff, blocks=3)
    motion = data.source.motions[0]
    values = data.source.columns.values(motion, slice(None), None)
    tau, kept = motion.smoother(motion.tau), np.arange(len(log.t))[motion.kept]
    block = np.arange(len(kept)) * 3 // len(kept)
    fitted = data.source.rows_for_fit(motion)[kept]
    for j, found in enumerate(values):
        dense = np.zeros((len(kept), len(data.columns) + 1))
        dense[:, data.source.columns.own(j)] = motion.smoother(found)[kept]
        dense[:, -1] = tau[kept, j]
        for b in range(3):
            for grams, rows in ((data.judge, dense[block == b]), (data.fit, dense[(block == b) & fitted[:, j]])):
                wanted = rows.T @ rows
                assert grams.rows[b, j] == len(rows)
                assert np.allclose(grams.gram[b, j], wanted, rtol=0, atol=1e-9 * (1 + np.abs(wanted).max()))


def test_chunks_are_filtered_as_the_whole() -> None:
    """A log of several chunks has the Gram matrices of one pass over all of it."""
    robot = arm()
    log = log_of(robot, 9000)
    data = gather(robot, log, filter=8.0, blocks=1)
    motion = data.source.motions[0]
    assert not motion.smoother.reads_fewer(len(motion)) and len(motion) > 4 * CHUNK
    values = data.source.columns.values(motion, slice(None), None)
    for j, found in enumerate(values):
        dense = motion.smoother(np.column_stack([found, motion.tau[:, j]]))[motion.kept]
        kept = np.append(data.source.columns.own(j), len(data.columns))
        assert np.allclose(data.judge.gram[0, j][np.ix_(kept, kept)], dense.T @ dense, rtol=1e-9)


def test_what_made_the_torque_is_found_and_left_by_nothing() -> None:
    robot = arm()
    data = gather(robot, log_of(robot), filter=None)
    theta = truth(data)
    assert data.judge.error(theta) < 1e-5  # differences of squares
    assert max(np.abs(x).max() for x in data.residuals(theta)) < 1e-9
    theta[data.names.index("fv1")] += 0.2
    wrong = 100 * np.linalg.norm(data.residuals(theta)[0]) / np.linalg.norm(data.torques[0])
    assert wrong > 0.1 and data.judge.error(theta) == pytest.approx(wrong, rel=1e-9)


def test_slow_rows_are_judged_and_not_fitted() -> None:
    robot = arm()
    log = log_of(robot)
    data = gather(robot, log, filter=None)
    assert log.qd is not None
    assert (data.judge.rows.sum(axis=0) == len(log.t)).all()
    assert (data.fit.rows.sum(axis=0) == (np.abs(log.qd) >= 0.01).sum(axis=0)).all()
    assert (data.rows_in_motion[0] == (np.abs(log.qd) >= 0.01)).all()


def test_torques_at_their_limit_are_not_fitted() -> None:
    robot = arm()
    log = log_of(robot)
    assert log.tau is not None
    top = 0.6 * np.abs(log.tau[:, 0]).max()
    cut = replace(log, tau=np.clip(log.tau, -top, top))
    held, free = gather(robot, cut, filter=None), gather(robot, log, filter=None)
    limit = np.abs(log.tau) >= top
    moving = np.abs(log.qd) >= 0.01  # type: ignore[arg-type]
    # one or two samples at a limit may be a peak
    assert (np.abs(held.fit.rows.sum(axis=0) - (moving & ~limit).sum(axis=0)) <= 2).all() and limit.sum() > 100
    assert (held.judge.rows == free.judge.rows).all()


@pytest.mark.turn
def test_every_family_is_a_column_of_every_joint_and_is_linear() -> None:
    robot = random_robot(31, joints="RPR")
    model = mp.JointModel.full(coupling={("q1", "q3"): 0.5})
    data = gather(robot, log_of(robot, 600), model, filter=None, blocks=2)
    names = data.names
    assert len(set(names)) == len(names)
    by_family: dict[str, int] = {}
    for column in data.columns:
        by_family[column.family] = by_family.get(column.family, 0) + 1
    assert by_family["tilt"] == 2 and by_family["coupling"] == 3 and by_family["harmonics:1"] == 6
    assert all(by_family[key] % 3 == 0 for key in model.families)
    squares = np.diagonal(data.judge.gram, axis1=2, axis2=3).sum(axis=(0, 1))
    assert (squares[[c.link is None for c in data.columns] + [True]] > 0).all()
    theta = np.random.default_rng(0).normal(size=len(names))
    predicted = data.predict(theta)[0]
    singly = sum(data.predict(theta * (np.arange(len(names)) == k))[0] for k in range(0, len(names), 1))
    assert np.allclose(predicted, singly, rtol=0, atol=1e-9 * np.abs(predicted).max())


def test_a_tilted_base_is_a_tilted_gravity() -> None:
    """The columns are the difference of gravity's torque under a small lean."""
    robot = arm().with_gravity(0, -9.81, 0)
    columns = Columns(robot, mp.JointModel(tilt=True))
    data = gather(robot, log_of(robot, 400), mp.JointModel(tilt=True), filter=None)
    lean, places = 1e-6, [k for k, c in enumerate(data.columns) if c.family == "tilt"]
    for k, way in zip(places, columns.ways()):
        theta = np.zeros(len(data.columns))
        theta[k] = 1.0
        leaning = robot.with_gravity(*(float(x) for x in columns.inertial.gravity + lean * way))
        q = data.source.motions[0].q
        still = np.zeros_like(q)
        wanted = (torques(leaning, q, still, still) - torques(robot, q, still, still)) / lean
        assert np.allclose(data.predict(theta)[0], wanted, atol=1e-6)


def test_friction_by_load_follows_the_parameters_given() -> None:
    robot = arm()
    model = mp.JointModel(friction=["viscous", "coulomb", "load"])
    data = gather(robot, log_of(robot), model, filter=None)
    motion = data.source.motions[0]
    theta = np.zeros(len(data.columns))
    theta[data.names.index("fl2")] = 1.0
    load = torques(robot, motion.q, motion.qd, motion.qdd)
    wanted = np.abs(load[:, 1]) * np.tanh(motion.qd[:, 1] / 0.003)
    assert np.allclose(data.predict(theta)[0][:, 1], wanted)
    double = data.with_load(2 * np.nan_to_num(data.file_values))
    assert np.allclose(double.predict(theta)[0][:, 1], 2 * wanted)
    unknown = mp.load("planar2r").with_parameters(l1=1, l2=0.8, g=9.81)
    fitted = gather(unknown, log_of(robot), model, filter=None)  # by a first fit, the file having no masses
    assert np.allclose(fitted.predict(theta)[0][:, 1], wanted, atol=0.02 * wanted.max())


def test_some_of_the_columns(whole: Sentences) -> None:
    robot = arm()
    data = gather(robot, log_of(robot, 600), filter=5.0)
    few = data.subset(["fv2", "Lzz1", "fo1"])
    assert few.names == ["fv2", "Lzz1", "fo1"]
    theta = np.array([0.3, 0.2, 0.1])
    every = np.zeros(len(data.columns))
    every[[data.names.index(name) for name in few.names]] = theta
    assert np.allclose(few.residuals(theta)[0], data.residuals(every)[0])
    assert np.allclose(few.judge.squares(theta), data.judge.squares(every))
    flags = [c.family == "viscous" for c in data.columns]
    assert few.subset([True, False, False]).names == ["fv2"] and data.subset(flags).names == ["fv1", "fv2"]
    with whole.raises(UnknownNameError, match="fv9"):
        data.subset(["fv9"])
    with whole.raises(InputError, match="truth values"):
        data.subset([True])
    with whole.raises(InputError, match="one a column"):
        data.residuals([1.0])


def test_a_long_log_takes_little_memory() -> None:
    """40 columns a joint of 60 000 samples would be 40 MB a copy; the log itself is 5."""
    robot = arm()
    log = log_of(robot, 60_000, qd=None, qdd=None)
    gather(robot, log_of(robot, 600), mp.JointModel.full(), filter=20.0)  # what is loaded once
    tracemalloc.start()
    try:
        gather(robot, log, mp.JointModel(), filter=20.0)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 25e6


def test_coupled_motors_are_motors_that_turn_with_two_joints() -> None:
    """I·ω̇ + fv·ω + fc·sign(ω) of ω = q̇2 + c·q̇1 is felt by joint 2, and c times by joint 1."""
    robot, c = arm(), 0.7
    model = mp.JointModel(coupling={("q1", "q2"): c})
    data = gather(robot, log_of(robot, 500), model, filter=None)
    motion = data.source.motions[0]
    given = {"Ia1_2": 2.0, "Ia1": 2.0 * c * c, "Ia2": 2.0, "fv1_2": 3.0, "fv1": 3.0 * c * c, "fv2": 3.0, "fc1_2": 5.0}
    theta = np.array([given.get(name, 0.0) for name in data.names])
    rate, push = (x[:, 1] + c * x[:, 0] for x in (motion.qd, motion.qdd))
    asked = 2 * push + 3 * rate + 5 * np.tanh(rate / 0.003)
    assert np.allclose(data.predict(theta)[0], np.stack([c * asked, asked], axis=1))


def test_a_stop_gives_way_at_its_radius_and_springs_back_from_there() -> None:
    q = np.concatenate([np.linspace(0, 0.05, 51), np.linspace(0.05, 0.03, 21)[1:]])[:, None]
    (found,) = stops(q, [np.array([0.01])])
    assert np.allclose(found[:11, 0], np.linspace(0, 1, 11)) and np.allclose(found[10:51, 0], 1.0)
    assert np.allclose(found[51:, 0], np.linspace(1, -1, 21)[1:])


def test_gains_are_a_share_of_what_the_joints_bear() -> None:
    robot = arm()
    data = gather(robot, log_of(robot, 400), mp.JointModel(gains=True), filter=None)
    motion = data.source.motions[0]
    theta = np.array([0.1 * (name == "gain1") for name in data.names])
    wanted = 0.1 * torques(robot, motion.q, motion.qd, motion.qdd)[:, 0]
    assert np.allclose(data.predict(theta)[0][:, 0], wanted)


# what is asked for


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"friction": ["viscos"]}, "did you mean 'viscous'"),
        ({"friction": ["cubic"]}, "left out by rule"),
        ({"harmonics": 3}, "expected 0 … 2"),
        ({"coupling": {"q5": 1.0}}, "pairs of joints"),
    ],
)
def test_unknown_words_are_answered(given: dict[str, Any], said: str, whole: Sentences) -> None:
    with whole.raises(InputError, match=said):
        mp.JointModel(**given)


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (mp.JointModel(coupling={("q1", "q9"): 1.0}), "no joint of planar2r"),
        (mp.JointModel(coupling={("q1", "q1"): 1.0}), "with itself"),
        (mp.JointModel(gains={"elbow9": 2.0}), "no joint of planar2r"),
    ],
)
def test_joints_that_are_not_there_are_answered(model: mp.JointModel, said: str) -> None:
    with pytest.raises(InputError, match=said):
        gather(arm(), log_of(arm(), 400), model)


def test_logs_that_cannot_be_used_are_answered(whole: Sentences) -> None:
    robot, log = arm(), log_of(arm(), 400)
    assert log.tau is not None
    for wrong, said in (
        (replace(log, tau=None), "has no torques"),
        (mp.Log(log.t, log.q[:, :1], log.tau[:, :1]), "expected shape"),
    ):
        with whole.raises(InputError, match=said):
            gather(robot, wrong)
    with whole.raises(InputError, match="no log"):
        gather(robot, [])
    for filter in ("quick", np.nan, -1.0, 1e5):
        with whole.raises(InputError, match="filter"):
            gather(robot, log, filter=filter)


def test_known_gains_multiply_the_torque() -> None:
    robot, log = arm(), log_of(arm(), 400)
    name = robot.joint_names[1]
    data = gather(robot, log, mp.JointModel(gains={name: 2.0}), filter=None)
    assert np.allclose(data.torques[0], log.tau * np.array([1.0, 2.0]))


@pytest.mark.parametrize(
    ("words", "model"),
    [
        ("harmonics", mp.JointModel(False, (), False, harmonics=1)),
        ("harmonics:2", mp.JointModel(False, (), False, harmonics=2)),
        ("harmonics:1, harmonics:2", mp.JointModel(False, (), False, harmonics=2)),
        (" viscous , offset,", mp.JointModel(False, ("viscous",), True)),
        (
            "motor_inertia, coulomb, stiffness, tilt",
            mp.JointModel(True, ("coulomb",), False, stiffness=True, tilt=True),
        ),
        ("stribeck:0.05, viscous", mp.JointModel(False, ("stribeck:0.05", "viscous"), False)),
    ],
)
def test_families_in_words_are_those_declared(words: str, model: mp.JointModel) -> None:
    assert mp.JointModel.from_words(words) == model
    with pytest.raises(mp.InputError, match=r"expected harmonics:1 or harmonics:2, found 'harmonics:x'"):
        mp.JointModel.from_words(f"{words}, harmonics:x")
