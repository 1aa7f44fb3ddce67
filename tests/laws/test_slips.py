"""Slips of a recording: each is named with what it would explain, undone on request, and never seen where none is."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.errors import InputError, ManipulaError, UnknownNameError
from manipula.identification.conversion import Conversion, read_motors
from manipula.identification.data import gather
from manipula.identification.fit import other_robots
from manipula.identification.fit.other_robots import find_other_robot
from manipula.identification.fit.slips import Search
from manipula.identification.outliers import without_outliers
from manipula.mechanics.robot import library
from tests.golden.sentences import Sentences
from tests.random_robots import random_robot
from tests.recordings import motion, recording, torques, two_joints

pytestmark = pytest.mark.usefixtures("without_search")

PLAIN = mp.JointModel()
SLIPS = ("wrong sign", "swapped", "off by", "seem to be in", "mounted", "gravity seems", "turn with", "of a motor",
         "other direction", "recorded from", "recorded shifted")  # fmt: skip


def three_joints(*times: float) -> mp.Robot:
    """Every link as many times as heavy."""
    rows: list[dict[str, Any]] = [
        {"d": 0.4, "a": 0.1, "alpha": 90, "mass": 8.0, "com": [0.05, -0.1, 0.1],
         "inertia": {"xx": 0.1, "yy": 0.08, "zz": 0.06, "xy": 0, "xz": 0, "yz": 0}},
        {"d": 0.05, "a": 0.5, "alpha": 0, "mass": 5.0, "com": [-0.2, 0.06, 0.08],
         "inertia": {"xx": 0.03, "yy": 0.15, "zz": 0.12, "xy": 0, "xz": 0, "yz": 0}},
        {"d": 0.1, "a": 0.3, "alpha": 90, "mass": 2.5, "com": [-0.12, 0.04, -0.05],
         "inertia": {"xx": 0.01, "yy": 0.03, "zz": 0.025, "xy": 0, "xz": 0, "yz": 0}},
    ]  # fmt: skip
    for row, size in zip(rows, times):
        row["mass"] *= size
        row["inertia"] = {name: size * value for name, value in row["inertia"].items()}
    friction = {f"joint{j}": {"viscous": 3.0 / j, "coulomb": 4.0 / j} for j in (1, 2, 3)}
    robot = mp.Robot.from_dh(rows, angle="deg", name="three").with_friction(**friction)
    return robot.with_motor_inertia(joint1=0.5, joint2=0.4, joint3=0.1)


ARM = three_joints()
T, Q, QD, QDD = motion(3, 3, 8, 100)
TAU = torques(ARM, Q, QD, QDD)
NOISE = 0.01 * np.sqrt((TAU**2).mean(0)) * np.random.default_rng(1).normal(size=TAU.shape)
K = np.array([[1.0, 0, 0], [0, 1, 0], [0, 1, 1]])  # the third motor turns with the second joint


def coupled(factor: float, q: Any = Q, qd: Any = QD, qdd: Any = QDD) -> Any:
    omega, rate = qd[:, 2] + factor * qd[:, 1], qdd[:, 2] + factor * qdd[:, 1]
    motor = 0.3 * rate + 4.0 * omega + 15.0 * np.tanh(omega / 0.003)
    return torques(ARM, q, qd, qdd) + motor[:, None] * np.array([0, factor, 1.0])


CASES: dict[str, tuple[Any, Any, str]] = {
    "all signs": (Q, -TAU, "all torques seem to have the wrong sign"),
    "a sign": (Q, TAU * [1, -1, 1], "the torque of joint2 seems to have the wrong sign"),
    "two signs": (Q, TAU * [1, -1, -1], "the torque of joint2 and joint3 seems to have the wrong sign"),
    "torques": (Q, TAU[:, [0, 2, 1]], "the torques of joint2 and joint3 seem to be swapped"),
    "columns": (Q[:, [1, 0, 2]], TAU[:, [1, 0, 2]], "the columns of joint1 and joint2 seem to be swapped"),
    "zero": (Q + np.array([0, np.pi / 2, 0]), TAU, "the zero of joint2 seems to be off by -90°"),
    "upside down": (Q, torques(ARM.with_gravity(0, 0, 9.81), Q, QD, QDD), "mounted upside down"),
    "coupling": (Q, coupled(1.0), 'coupling={("joint2", "joint3"): 1}'),
    "other coupling": (Q, coupled(-1.0), 'coupling={("joint2", "joint3"): -1}'),
    "motors": (Q @ K.T, TAU @ np.linalg.inv(K), "of joint3 seem to be those of a motor that turns with joint2"),
    "both": (Q + np.array([0, -np.pi / 2, 0]), TAU * [-1, 1, 1], "wrong sign"),
}


@pytest.mark.drawn("name", few=4)
@pytest.mark.parametrize("name", CASES)
def test_a_slip_is_named_and_undone(name: str) -> None:
    q, tau, sentence = CASES[name]
    log = mp.Log(T, q, tau + NOISE)
    found = mp.identify(ARM, log, model=PLAIN, filter=8.0)
    assert sentence in found.warnings[0] and "left unexplained, not" in found.warnings[0]
    assert "--repair" in found.warnings[0] and found.doubtful and not found.repairs
    mended = mp.identify(ARM, log, model=PLAIN, filter=8.0, repair=True, validate=log)
    assert len(mended.repairs) == 1 and mended.warnings[0] == mended.repairs[0]
    assert mended.train.whole < 2.5 and found.train.whole > 3 * mended.train.whole
    assert mended.validation[0].whole == pytest.approx(mended.train.whole)  # undone there as well
    assert mended.as_dict()["repairs"] == list(mended.repairs)


def recorded_with(fault: str, t: Any, q: Any, tau: Any) -> tuple[Any, Any, Any]:
    """The recording that the sentence describes, made from a right one; zeros and columns are off by what undoes it."""
    joints = [int(k) - 1 for k in re.findall(r"joint(\d)", fault)] or [0, 1, 2]
    order, signs, size = np.arange(3), np.ones(3), float((re.findall(r"[\d.]+(?= times)", fault) or ["1"])[0])
    signs[joints] = -1.0
    if "swapped" in fault:
        order[joints] = order[joints[::-1]]
    match re.sub(r"joint\d|[-\d.]+", "", fault).split():
        case [*_, "swapped"] | [*_, "base"]:
            order = order[::-1] if "to the base" in fault else order
            whole = "columns" in fault or "to the base" in fault
            return (
                t,
                q[:, order] if "positions" in fault or whole else q,
                tau if "positions" in fault else tau[:, order],
            )
        case [*_, "shifted", "by", "columns"]:
            by = -int(re.findall(r"-?\d", fault)[0])
            return t, np.roll(q, by, axis=1), np.roll(tau, by, axis=1)
        case [*_, "wrong", "sign"]:
            return t, q * signs, tau
        case [*_, "other", "direction"]:
            return t, q * signs, tau * signs
        case [*_, "degrees"]:
            return t, np.rad2deg(q), tau
        case [*_, "radians"]:
            return t, np.deg2rad(q), tau
        case ["the", "zero", *_]:
            return t, q - np.deg2rad(float(re.findall(r"-?\d+(?=°)", fault)[0])) * (signs < 0), tau
    assert "times as" in fault, fault
    return (t * size, q, tau) if fault.startswith("times") else (t, q * size, tau)


@pytest.mark.parametrize("way", [(0, 0, -9.81), (0, 9.81, 0), (3.0, -4.0, -8.0)])
def test_every_slip_that_is_tried_undoes_what_its_sentence_says(way: tuple[float, float, float]) -> None:
    arm = ARM.with_gravity(*way)
    right = mp.Log(T[:200], Q[:200], TAU[:200])
    search = Search(gather(arm, right, PLAIN, 8.0), PLAIN, None)
    tried = [
        slip
        for slips in (search._directions, search._units, search._scales, search._orders, search._zeros)
        for slip in slips()
    ]
    assert len({slip.fault for slip in tried}) == len(tried) == 8 + 2 + 4 + 12 + 9
    for slip in tried:
        t, q, tau = recorded_with(slip.fault, right.t, right.q, right.tau)
        found = slip.conversion.apply(mp.Log(t, q, tau))
        for one, other in zip((found.t, found.q, found.tau), (right.t, right.q, right.tau), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12, err_msg=slip.fault)
    pulls = {slip.fault: slip.gravity for slip in search._mountings()}
    size = float(np.linalg.norm(way))
    wanted = {f"gravity seems to point along {sign}{axis} of the base": float(f"{sign}1".replace("−", "-")) * size * e
              for axis, e in zip("xyz", np.eye(3)) for sign in "+−"}  # fmt: skip
    if 0.0 in way:  # along an axis: its own is no slip, and the other way round has a word
        wanted = {k: g for k, g in wanted.items() if abs(g @ way) < 1e-9} | {
            "the arm seems to be mounted upside down": -np.array(way)
        }
    assert pulls.keys() == wanted.keys()
    for name, pull in pulls.items():
        np.testing.assert_allclose(pull, wanted[name], rtol=1e-12, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("seed", range(14))
def test_no_slip_is_seen_where_none_is(seed: int) -> None:
    """Any arm, any noise that leaves something to see."""
    robot = ARM if seed % 2 else two_joints()
    log = recording(robot, 50 + seed, noise=[0.002, 0.02, 0.1, 0.2][seed % 4], pace=[0.5, 1.0, 1.5][seed % 3])
    found = mp.identify(robot, log, model=PLAIN, filter=None, repair=bool(seed % 2))
    assert not found.repairs and not found.doubtful
    assert not [text for text in found.warnings if any(word in text for word in SLIPS)]


@pytest.mark.drawn("seed", few=1)
@pytest.mark.parametrize("seed", range(7))
def test_torques_by_another_clock_are_named_with_the_time_between(seed: int) -> None:
    """Later or earlier by more than the motion is smooth in: files of two recorders, begun by hand."""
    rng = np.random.default_rng(seed)
    late = float(rng.uniform(0.15, 1.6) * rng.choice([-1, 1]))
    t, q, qd, qdd = motion(3, 60 + seed, 10, 100)
    shown = torques(ARM, q, qd, qdd)
    tau = np.stack([np.interp(t - late, t, x) for x in shown.T], axis=1)
    seen = (t - late >= 0) & (t - late <= t[-1])
    log = mp.Log(t[seen], q[seen], tau[seen] + 0.01 * np.sqrt((tau**2).mean(0)) * rng.normal(size=tau[seen].shape))
    found = mp.identify(ARM, log, model=PLAIN, filter=8.0)
    way = "later" if late > 0 else "earlier"
    assert f"ms {way} than positions" in found.warnings[0] and "--repair" in found.warnings[0]
    mended = mp.identify(ARM, log, model=PLAIN, filter=8.0, repair=True, validate=log)
    assert mended.conversion is not None and abs(mended.conversion.delay - late) < 5e-3
    assert mended.train.whole < 3 and mended.validation[0].whole == pytest.approx(mended.train.whole)


@pytest.mark.drawn("seed", few=1)
@pytest.mark.parametrize("seed", range(7))
def test_a_slip_that_asks_for_other_bodies_asks_for_the_robot(seed: int) -> None:
    """The same torques, and a file whose bodies are others: the slip is named, and doubted with the file."""
    rng = np.random.default_rng(seed)
    other = three_joints(*5.0 ** rng.choice([-1, 1], 3))
    log = mp.Log(T, Q, -TAU + NOISE)
    for robot, doubted in ((ARM, False), (other, True)):
        told = mp.identify(robot, log, model=PLAIN, filter=8.0).warnings[0]
        assert told.startswith("all torques seem to have the wrong sign") and ("this robot?" in told) == doubted


@pytest.mark.parametrize("seed", range(3))
def test_a_validation_that_the_fit_has_learnt_from_is_named(seed: int) -> None:
    """Whether or not a slip was undone before; the same motion recorded again is another recording."""
    rng = np.random.default_rng(seed)
    log, again = (mp.Log(T, Q, (-1) ** seed * TAU + NOISE * rng.normal()) for _ in range(2))
    found = mp.identify(ARM, log, model=PLAIN, filter=8.0, repair=True, validate=[again, log])
    told = [text for text in found.warnings if "has learnt from this recording" in text]
    assert told == ["validation 2: the fit has learnt from this recording: its error says nothing of other motions"]


@pytest.mark.drawn("seed", few=1)
@pytest.mark.parametrize("seed", range(6))
def test_a_torque_that_was_not_recorded_is_left_out_of_the_fit(seed: int) -> None:
    """Zero or any constant, of any joint: the others are found as if it were there."""
    rng = np.random.default_rng(seed)
    j, tau = seed % 3, TAU + NOISE
    tau[:, j] = float(rng.choice([0.0, rng.normal()]))
    whole, found = (mp.identify(ARM, mp.Log(T, Q, x), model=PLAIN, filter=8.0) for x in (TAU + NOISE, tau))
    assert any(text.startswith(f"joint{j + 1}: its torque never changes while it moves") for text in found.warnings)
    assert not any("never move:" in text or "never moves:" in text for text in found.warnings)
    others = [k for k in range(3) if k != j]
    assert all(found.train.joints[k] < 1.2 * whole.train.joints[k] + 0.2 for k in others)


@pytest.mark.drawn("seed", few=1)
@pytest.mark.parametrize("seed", range(6))
def test_a_gain_that_changes_on_the_way_is_named_with_its_time(seed: int) -> None:
    rng = np.random.default_rng(seed)
    ratio, when = float(rng.uniform(1.25, 2) ** rng.choice([-1, 1])), float(rng.uniform(2.5, 5.5))
    log = mp.Log(T, Q, (TAU + NOISE) * np.where(when < T, ratio, 1.0)[:, None])
    told = [
        text for text in mp.identify(ARM, log, model=PLAIN, filter=8.0).warnings if "times as large as before" in text
    ]
    found = [float(x) for x in re.findall(r"from about (\S+) s on torques are (\S+) times", "".join(told))[0]]
    assert abs(found[0] - when) < 1.1 and abs(np.log(found[1] / ratio)) < 0.15


@pytest.mark.turn
def test_another_robot_is_doubted() -> None:
    """Its geometry explains the torques in no way that is tried."""
    rows = [{"d": 0.1, "a": 0.6, "alpha": alpha, "mass": 4.0} for alpha in (0, 90, 0)]
    other = mp.Robot.from_dh(rows, angle="deg", name="other")
    found = mp.identify(other, mp.Log(T, Q, TAU + NOISE), model=PLAIN, prior="spheres", filter=8.0)
    assert any("this robot" in text or "no possible arm" in text for text in found.warnings)


@pytest.mark.turn
@pytest.mark.drawn("factor", few=1)
@pytest.mark.parametrize("factor", [0.4, -0.6, 1.7, -2.5])
def test_a_coupling_is_named_with_its_factor(factor: float) -> None:
    """Of motors that turn with two joints, and of positions and torques that are those of motors."""
    found = mp.identify(ARM, mp.Log(T, Q, coupled(factor) + NOISE), model=PLAIN, filter=8.0, repair=True)
    assert len(found.model.coupling) == 1 and found.train.whole < 2.5
    assert found.model.coupling["joint2", "joint3"] == pytest.approx(factor, rel=0.15)
    other = K.copy()
    other[2, 1] = factor
    log = mp.Log(T, Q @ other.T, (TAU + NOISE) @ np.linalg.inv(other))
    motors = mp.identify(ARM, log, model=PLAIN, filter=8.0, repair=True)
    assert any("those of a motor" in text and "decoupled by" in text for text in motors.repairs)
    assert motors.train.whole < 2.5 and motors.conversion is not None
    assert motors.conversion.Q[2, 1] == pytest.approx(-factor, rel=0.05)


def test_coupled_motors_of_a_quiet_wrist_are_named() -> None:
    """They are 4 % of all torque, and more of the wrist's; friction of its own, as large, is no coupling."""
    size = 0.25 * np.sqrt((TAU[:, 2] ** 2).mean())
    both, own = QD[:, 2] + QD[:, 1], QD[:, 2] * (1 + 0.5 * np.exp(-((QD[:, 2] / 0.1) ** 2)))
    said = [
        mp.identify(ARM, mp.Log(T, Q, TAU + more + 0.3 * NOISE), model=PLAIN, filter=8.0)
        for more in (size * np.tanh(both / 3e-3)[:, None] * [0, 1, 1], size * np.tanh(own / 3e-3)[:, None] * [0, 0, 1])
    ]
    assert said[0].train.whole < 5 and 'coupling={("joint2", "joint3"): 1}' in said[0].warnings[0]
    assert not any("turn with" in text for text in said[1].warnings)


def test_a_validation_worse_than_by_zero_asks_for_coupled_motors() -> None:
    """In the training the motor turns as its own joint does, in the validation against it."""

    def along(ratio: float) -> mp.Log:
        """Joint 2 goes as joint 3 does, so many times as far."""
        q, qd, qdd = (np.column_stack([x[:, 0], ratio * x[:, 2], x[:, 2]]) / max(1, abs(ratio)) for x in (Q, QD, QDD))
        return mp.Log(T, q, coupled(1.0, q, qd, qdd) + 0.1 * NOISE)

    found = mp.identify(ARM, along(-0.3), model=PLAIN, filter=8.0, validate=along(-3.0))
    assert any("joint3 is predicted worse than by zero" in text for text in found.warnings)
    assert any("the motor of joint3 seems to turn with joint2 too" in text for text in found.warnings)


@pytest.mark.drawn("real", few=1)
@pytest.mark.parametrize("real", ["three", "other"])
def test_the_arm_of_the_library_that_explains_most_is_found(
    real: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Among small arms, one with a joint less; with its own description none is."""
    rows = [{"d": 0.1, "a": 0.6, "alpha": alpha, "mass": 4.0, "com": [-0.2, 0.05, 0.02],
             "inertia": {"xx": 0.05, "yy": 0.06, "zz": 0.07, "xy": 0, "xz": 0, "yz": 0}}
            for alpha in (0, 90, 0)]  # fmt: skip
    flat = mp.Robot.from_dh([{**row, "alpha": 0} for row in rows], angle="deg", name="flat").with_gravity(0, -9.81, 0)
    arms = {"three": ARM, "other": mp.Robot.from_dh(rows, angle="deg", name="other"), "flat": flat, "two": two_joints()}
    texts = {
        name: mp.save(arm, tmp_path / f"{name}.toml")
        .read_text(encoding="utf-8")
        .replace(f'"{arm.name}"', f'"{name}"', 1)
        for name, arm in arms.items()
    }
    monkeypatch.setattr(library, "names", lambda: list(texts))
    monkeypatch.setattr(library, "text_of", texts.__getitem__)
    log, told = recording(arms[real], 5, noise=0.01), []
    for given in ("flat", real):
        data = gather(mp.load(given), [mp.Log(log.t, log.q, log.tau)], PLAIN, 8.0)
        found = find_other_robot(data, PLAIN, "robot", told.append)
        assert (found is not None) == (given != real)
        if found is not None:
            assert found.convinces and f"with {real} of the library" in str(found.warning_message())
    assert told == ["much of the torque is left unexplained: trying other robots"]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(7))
def test_a_recording_of_a_library_arm_names_it(seed: int) -> None:
    """Given for another one with as many joints; with its own description nothing is said."""
    real, given = [("puma560", "ur5e"), ("ur5e", "ur10e"), ("iiwa14", "panda"), ("ur3", "puma560")][seed % 4]
    robot = mp.load(real)
    robot = robot.with_friction(**{name: {"viscous": 1.0, "coulomb": 1.0} for name in robot.joint_names})
    log = recording(robot, seed, noise=0.01)
    log = mp.Log(log.t, log.q, log.tau)
    found = mp.identify(given, log, model=PLAIN, filter=8.0)
    assert found.doubtful and found.warnings[0].startswith("another robot explains the recording better: with ")
    assert f"with {real} of the library" in found.warnings[0]
    assert not any("another robot" in text for text in mp.identify(real, log, model=PLAIN, filter=8.0).warnings)


def test_another_tip_of_the_same_file_is_named(tmp_path: Path) -> None:
    """Two arms on one base: the recording of the left one, given for the right."""
    rows = [("left", (0.3, 0.2), 5.0), ("right", (0.9, 0.1), 1.0)]
    path = tmp_path / "both.urdf"
    path.write_text(two_arms(rows), encoding="utf-8")
    left, right = (mp.load(path, tip=f"{side}2") for side in ("left", "right"))
    log = recording(left, 2, noise=0.01)
    found = mp.identify(right, mp.Log(log.t, log.q, log.tau), model=PLAIN, filter=8.0)
    assert "with the chain to left2 (tip='left2')" in found.warnings[0]


def two_arms(rows: Any) -> str:
    """Shoulders about y and elbows about x, of other lengths."""
    links, joints = ['<link name="base"/>'], []
    for side, lengths, mass in rows:
        above = "base"
        for k, (length, axis) in enumerate(zip((0.1, lengths[0]), ("0 1 0", "1 0 0")), 1):
            name = f"{side}{k}"
            links.append(
                f'<link name="{name}"><inertial><origin xyz="0.05 0.02 {lengths[k - 1] / 2}"/>'
                f'<mass value="{mass / k}"/>'
                '<inertia ixx="0.05" iyy="0.04" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>'
            )
            joints.append(
                f'<joint name="{side}_joint{k}" type="revolute"><parent link="{above}"/><child link="{name}"/>'
                f'<origin xyz="{length if k == 2 and side == "left" else 0} 0 {length}"/><axis xyz="{axis}"/>'
                '<limit lower="-3" upper="3" effort="500" velocity="9"/></joint>'
            )
            above = name
    return f'<robot name="both">{"".join(links)}{"".join(joints)}</robot>'


PAIRED = [("all signs", "zero"), ("a sign", "upside down"), ("columns", "upside down"), ("zero", "coupling")]


@pytest.mark.turn
@pytest.mark.drawn("names", few=1)
@pytest.mark.parametrize("names", PAIRED)
def test_two_slips_are_undone_together(names: tuple[str, str]) -> None:
    robot = ARM.with_gravity(0, 0, 9.81) if "upside down" in names else ARM
    q, tau = Q, torques(robot, Q, QD, QDD) + (coupled(1.0) - TAU if "coupling" in names else 0)
    q, tau = (q[:, [1, 0, 2]], tau[:, [1, 0, 2]]) if "columns" in names else (q, tau)
    q = q + np.array([0, np.pi / 2, 0]) * ("zero" in names)
    tau = tau * (-1.0 if "all signs" in names else 1.0) * np.where([0, "a sign" in names, 0], -1.0, 1.0)
    found = mp.identify(ARM, mp.Log(T, q, tau + NOISE), model=PLAIN, filter=8.0, repair=True)
    assert found.repairs and not found.doubtful and found.train.whole < 2.5


@pytest.mark.parametrize("unit", [180 / np.pi, np.pi / 180])
def test_positions_in_other_units_are_named_either_way(unit: float) -> None:
    """Of a small motion too; and what hardly moves is no better explained."""
    q, qd, qdd = (0.05 * x if unit > 1 else x for x in (Q, QD, QDD))
    log = mp.Log(T, unit * q, torques(ARM, q, qd, qdd) + 0.1 * NOISE)
    said = " ".join(mp.identify(ARM, log, model=PLAIN, filter=8.0).warnings)
    assert ("in degrees" if unit > 1 else "in radians") in said


@pytest.mark.parametrize("seed", range(40))
def test_random_arms_never_end_in_a_raw_error(seed: int) -> None:
    """Odd tables, massless rows, columns that are empty or collinear, joints at rest: a result, or a sentence."""
    robot = random_robot(seed, joints=1 + seed % 3)
    log = recording(robot, seed, seconds=3, noise=0.03 * (seed % 2))
    if seed % 5 == 4:
        log = replace(log, q=0 * log.q + 0.3, qd=0 * log.q, qdd=0 * log.q)
    try:
        found = mp.identify(robot, log, filter=None if seed % 2 else "auto", model="auto" if seed % 7 == 0 else PLAIN)
    except ManipulaError as refused:
        assert seed % 5 == 4 or "no information" in str(refused), (
            refused
        )  # at rest, or gravity and masses that are none
    else:
        assert np.isfinite(found.theta).all() and np.isfinite(found.train.whole)


# motors


def test_recordings_of_motors_are_those_of_joints(tmp_path: Path) -> None:
    gear, offset, constant = np.array([50.0, -80, 30]), np.array([1.0, -2, 0.5]), np.array([0.02, 0.03, 0.01])
    file = tmp_path / "motors.toml"
    file.write_text(
        f"gear_ratio = {gear.tolist()}\ncoupling = {K.tolist()}\nzero_offset = {offset.tolist()}\n"
        f"torque_constant = {constant.tolist()}\n"
    )
    turn = gear[:, None] * K
    current = ((TAU + NOISE) @ np.linalg.inv(turn)) / constant
    found = mp.identify(ARM, mp.Log(T, Q @ turn.T + offset, current), model=PLAIN, filter=8.0, motors=file)
    plain = mp.identify(ARM, mp.Log(T, Q, TAU + NOISE), model=PLAIN, filter=8.0)
    assert found.theta == pytest.approx(plain.theta, rel=1e-6, abs=1e-9)
    assert found.error(mp.Log(T, Q @ turn.T + offset, current)) == pytest.approx(plain.train.whole, rel=1e-6)


@pytest.mark.drawn("what", "factor", few=2)
@pytest.mark.parametrize("what, factor", [("times", 2.0), ("times", 0.5), ("positions", 2.0), ("positions", 0.5)])
def test_times_and_positions_of_another_size_are_named_and_undone(what: str, factor: float) -> None:
    """A rate that was not the recorder's, an encoder whose counts are counted twice."""
    t, q = (factor * T, Q) if what == "times" else (T, factor * Q)
    log = mp.Log(t, q, TAU + NOISE)
    warning = mp.identify(ARM, log, model=PLAIN).warnings[0]
    assert f"{what} seem to be {factor:g} times as" in warning
    found = mp.identify(ARM, log, model=PLAIN, repair=True)
    assert f"{what} seem to be {factor:g} times as" in found.repairs[0]
    clean = mp.identify(ARM, mp.Log(T, Q, TAU + NOISE), model=PLAIN)
    assert found.error(log) == pytest.approx(clean.train.whole, rel=0.05)


@pytest.mark.parametrize("seed", range(4))
def test_conversions_follow_each_other(seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = (
        Conversion(
            rng.normal(size=(3, 3)), rng.normal(size=3), rng.normal(size=(3, 3)), 0.0, float(rng.uniform(0.5, 2))
        )
        for _ in "ab"
    )
    log = mp.Log(T, Q, TAU, QD, QDD)
    one, two = first.then(second).apply(log), second.apply(first.apply(log))
    slope = np.gradient(one.q, one.t, axis=0)[2:-2]  # rates go with times
    np.testing.assert_allclose(slope, one.qd[2:-2], atol=0.02 * np.abs(one.qd).max())
    for name in ("t", "q", "qd", "qdd", "tau"):
        assert getattr(one, name) == pytest.approx(getattr(two, name), abs=1e-9)


@pytest.mark.parametrize(
    "text",
    ["gear_ratio = [1, 2]", "gear_ratio = 0", "coupling = [[1, 0], [0, 1]]", "coupling = [[1,0,0],[0,1,1],[0,1,1]]",
     'zero_offset = "x"', 'angle = "turns"', "gear_ratio ="],
)  # fmt: skip
def test_files_of_motors_that_make_no_sense(text: str, tmp_path: Path, whole: Sentences) -> None:
    file = tmp_path / "motors.toml"
    file.write_text(text)
    with pytest.raises(InputError) as refused:
        read_motors(file, 3)
    whole.compare(str(refused.value).replace(str(tmp_path), ""))
    file.write_text("gears = 3")
    with pytest.raises(UnknownNameError):
        read_motors(file, 3)


@pytest.mark.turn
def test_coupled_motors_beside_the_choice_of_families() -> None:
    log = mp.Log(T, Q, coupled(1.0) + NOISE)
    by_verb = mp.identify(ARM, log, filter=8.0, coupling={("joint2", "joint3"): 1.0})
    by_model = mp.identify(ARM, log, filter=8.0, model=mp.JointModel(search=True, coupling={("q2", "q3"): 1.0}))
    assert np.array_equal(by_verb.theta, by_model.theta) and by_verb.choices
    assert by_verb.train.whole < 2 and by_verb.extra["fc2_3"] == pytest.approx(15.0, rel=0.1)


# outliers


@pytest.mark.parametrize("seed", range(26))
def test_spikes_and_lost_samples_do_no_harm(seed: int) -> None:
    rng = np.random.default_rng(seed)
    q, tau = Q.copy(), TAU + NOISE
    rows = rng.choice(np.arange(5, len(T) - 5), 12, replace=False)
    tau[rows, rng.integers(0, 3, 12)] += rng.choice([-1, 1], 12) * 10 * np.abs(TAU).max()
    lost = rng.choice(np.arange(5, len(T) - 5), 3, replace=False)
    q[lost] = 0.0
    spoilt = mp.identify(ARM, mp.Log(T, q, tau), model=PLAIN, filter=8.0)
    clean = mp.identify(ARM, mp.Log(T, Q, TAU + NOISE), model=PLAIN, filter=8.0)
    assert any("jump away" in text for text in spoilt.warnings)
    assert not any("jump away" in text for text in clean.warnings)
    other = recording(ARM, 9)
    assert spoilt.error(other) < 1.2 * clean.error(other) + 0.1


@pytest.mark.parametrize("seed", range(6))
def test_steps_and_limits_are_no_outliers(seed: int) -> None:
    log = recording(ARM, seed, rate=[50.0, 200.0][seed % 2], noise=0.05)
    assert log.tau is not None
    most = 0.6 * np.abs(log.tau).max(0)
    held = replace(log, tau=np.clip(log.tau, -most, most))
    assert without_outliers(log) is log and without_outliers(held) is held


# filters and errors


@pytest.mark.turn
def test_a_cut_off_that_noise_has_raised_is_lowered() -> None:
    """Noise of the positions with a band of its own is taken for motion by a spectrum, and not by prediction."""
    from scipy.signal import butter, sosfiltfilt

    rate, rng = 500.0, np.random.default_rng(2)
    t, exact, qd, qdd = motion(3, 4, 12, rate, 0.4)
    sections = butter(4, 25.0, fs=rate, output="sos")
    q = exact + 5e-5 * sosfiltfilt(sections, rng.normal(size=exact.shape), axis=0)
    tau = torques(ARM, exact, qd, qdd)
    log = mp.Log(t, q, tau + 0.02 * np.sqrt((tau**2).mean(0)) * rng.normal(size=tau.shape))
    found = mp.identify(ARM, log, model=PLAIN, validate=log)
    cutoff = found.data.source.motions[0].smoother.cutoff
    assert cutoff is not None and cutoff < 20 and "left out" in found.filter[0]
    assert found.validation_data[0].source.motions[0].smoother.cutoff == cutoff  # one filter for all


def test_errors_beside_those_of_least_squares() -> None:
    log, other = mp.Log(T, Q, TAU + NOISE), recording(ARM, 9)
    found = mp.identify(ARM, log, model=PLAIN, filter=8.0, validate=mp.Log(other.t, other.q, other.tau))
    rows = found.comparison(12.0)
    assert [(row.place, row.judge) for row in rows] == [
        (place, judge) for place in (0, 1) for judge in ("the filter of the fit", "12 Hz", "raw torque")
    ]
    assert rows[0].found == found.train and rows[3].found == found.validation[0]
    by_hand = found.predict(log)
    assert log.tau is not None
    assert rows[2].found.whole == pytest.approx(100 * np.linalg.norm(log.tau - by_hand) / np.linalg.norm(log.tau))
    plain = mp.identify(ARM, log, model=PLAIN, filter=8.0, method="ols", prior=None)
    assert rows[0].plain.whole == pytest.approx(plain.train.whole, rel=1e-3)
    assert rows[2].found.whole > rows[0].found.whole  # noise counts on the raw torque


def test_a_gain_is_the_gain() -> None:
    log = recording(two_joints(), 3)
    assert log.tau is not None
    asked = mp.JointModel(gains=True, friction=("viscous", "coulomb"))
    found = mp.identify(two_joints(), replace(log, tau=1.2 * log.tau), model=asked, filter=None)
    assert 1.0 < found.parameters["gain1"].value < 1.4 and found.extra["gain1"] == found.parameters["gain1"].value


def test_other_robots_are_those_of_as_many_joints_by_their_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "names", lambda: ["rp", "planar2r", "stanford3", "scara"])
    found = [(str(said), other.name) for said, other in other_robots._candidates(mp.load("planar2r"))]
    assert found == [("rp of the library", "rp")]
