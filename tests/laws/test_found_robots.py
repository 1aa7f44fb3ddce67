"""What was identified stays: the robot found has every friction law that a file can say, a fit keeps the rest, and
whatever takes a robot takes a fit.

Torques are made by the plain model of a robot whose file has the laws, and by formulas written here for the terms that
no file can say.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.errors import InputError
from manipula.identification.fitting.found import Found
from manipula.mechanics.models.linear.joint_families import FAMILIES
from manipula.mechanics.robot.actuators.friction import LAWS, Offset, linear_letters
from tests.random_robots import random_robot
from tests.recordings import motion, torques, two_joints

pytestmark = pytest.mark.usefixtures("without_search")

KEYS = [law.key for law in LAWS]
ENTRIES = {law.key: law.entries for law in LAWS}
SAID = {letters for law in LAWS for letters in linear_letters(law)}


def rows_of(robot: mp.Robot) -> list[Any]:
    return [joint for joint in robot.joints if joint.name in robot.joint_names]


def size_of(robot: mp.Robot) -> Any:
    """Of every joint 1 rad, or the tenth of a metre that a sliding joint moves in its place."""
    return np.array([1.0 if joint.turns else 0.1 for joint in rows_of(robot)])


def moved(robot: mp.Robot, seed: int, seconds: float = 8.0) -> Any:
    """(t, q, q̇, q̈), slow and fast."""
    t, q, qd, qdd = motion(robot.dof, seed, seconds, 100.0, 0.6)
    size = size_of(robot)
    return t, q * size, qd * size, qdd * size


def with_friction(robot: mp.Robot, keys: Sequence[str], seed: int) -> mp.Robot:
    """The robot with these laws and no others, in amounts that a joint's own torque feels."""
    rng, size = np.random.default_rng(seed), size_of(robot)
    _, q, qd, qdd = moved(robot, seed)
    loud = np.sqrt((torques(robot.without("friction"), q, qd, qdd) ** 2).mean(0)) + 0.1
    unit = {"fv": 1 / size, "fvp": 1 / size, "fvm": 1 / size, "vs": 4 * size / loud, "fl": 1 / loud}

    def amount(letters: str, j: int) -> float:
        return float(rng.uniform(0.1, 0.4) * loud[j] * unit.get(letters, np.ones(robot.dof))[j])

    def law(key: str, j: int) -> Any:
        told = {entry.key: amount(entry.letters, j) for entry in ENTRIES[key]}
        return told.get("", told)

    tables = {name: {key: law(key, j) for key in keys} for j, name in enumerate(robot.joint_names)}
    return robot.without("friction").with_friction(tables)


def arms() -> dict[str, mp.Robot]:
    planar = mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=9.81)
    drawn = {joints: mp.Robot.of(random_robot(k, joints=joints)) for k, joints in enumerate(("PR", "RRR", "RPR"), 11)}
    return {"two": two_joints(), "planar": planar, **drawn}


ARMS = arms()


def model_of(keys: Sequence[str]) -> mp.JointModel:
    """A law with widths takes those of the file."""
    words = [f"{key}:file" if f"{key}:file" in FAMILIES else key for key in keys if key != Offset.key]
    return mp.JointModel(friction=tuple(words), offset=Offset.key in keys)


def miss(tau: Any, other: Any) -> float:
    return float(np.linalg.norm(other - tau) / np.linalg.norm(tau))


def keeps_its_laws(robot: mp.Robot, seed: int, tmp_path: Path, **words: Any) -> Found:
    """The robot found, and that of its file, predict what the fit does: wherever all joints move to rounding, and on
    the whole within 1.05 of its error."""
    t, q, qd, qdd = moved(robot, seed)
    clean = torques(robot, q, qd, qdd)
    tau = clean + 0.01 * np.sqrt((clean**2).mean(0)) * np.random.default_rng(seed).normal(size=clean.shape)
    found = mp.identify(robot, mp.Log(t, q, tau, qd, qdd), filter=None, **words)
    fitted = found.predict(mp.Log(t, q, tau, qd, qdd))
    fast = (np.abs(qd) > 0.06 * size_of(robot)).all(1)  # there tanh(q̇/0.003) is the sign
    assert fast.sum() > 50
    kept = [found.robot]
    if found.consistent:  # a file with negative masses or motor inertia is refused, as `save` says
        kept.append(mp.load(mp.save(found, tmp_path / "found.toml")))
    for made in kept:
        own = torques(made, q, qd, qdd)
        assert np.abs(own - fitted)[fast].max() < 1e-9 * np.abs(fitted).max()
        assert miss(tau, own) < 1.05 * miss(tau, fitted) + 1e-3
    assert found.extra == {} and found.left_out == ""
    assert not [text for text in found.warnings if "found.robot is without" in text]
    return found


PAIRS = [(key,) for key in KEYS] + list(combinations(KEYS, 2))


@pytest.mark.parametrize("keys", PAIRS, ids="+".join)
def test_a_found_robot_keeps_every_law_and_every_pair(keys: tuple[str, ...], tmp_path: Path) -> None:
    which = ("two", "PR")[PAIRS.index(keys) % 2]
    robot = with_friction(ARMS[which], keys, 7)
    keeps_its_laws(robot, 7, tmp_path, model=model_of(keys))


@pytest.mark.slow
@pytest.mark.parametrize("which", ARMS)
@pytest.mark.parametrize("keys", PAIRS, ids="+".join)
def test_every_arm_keeps_them(which: str, keys: tuple[str, ...], tmp_path: Path) -> None:
    for seed, method in ((3, "entropic"), (4, "wls")):
        robot = with_friction(ARMS[which], keys, seed)
        found = keeps_its_laws(robot, seed, tmp_path, model=model_of(keys), method=method)
        assert found.train.moving < 1.2  # noise of 1 %


@pytest.mark.parametrize(
    "key", [pytest.param(key, marks=() if key in ("asymmetric", "stribeck") else pytest.mark.slow) for key in KEYS]
)
def test_a_search_finds_the_laws_of_the_file(key: str, tmp_path: Path) -> None:
    """Beside viscous and Coulomb friction, on "auto": the law is among what was chosen, and in the robot found."""
    robot = with_friction(ARMS["two"], dict.fromkeys(("viscous", "coulomb", key)), 5)
    found = keeps_its_laws(robot, 5, tmp_path)
    assert found.train.moving < 1.2
    laws = {law.key for joint in found.robot.joints for law in joint.actuator.laws if not law.is_zero()}
    assert key in laws


def test_both_ways_of_a_joint_may_be_damped_less_than_their_mean(tmp_path: Path) -> None:
    """The search's fa·|q̇| is asymmetric damping of either sign, and no damping of the file is negative for it."""
    damped = {"joint1": (0.2, 0.9), "joint2": (0.7, 0.1)}
    tables = {
        n: {"asymmetric": {"viscous_plus": a, "viscous_minus": b}, "coulomb": 0.5} for n, (a, b) in damped.items()
    }
    robot = ARMS["two"].without("friction").with_friction(tables)
    model = mp.JointModel(friction=("viscous", "coulomb", "speed"))
    found = keeps_its_laws(robot, 3, tmp_path, model=model)
    for joint in found.robot.joints:
        named = {letters: float(cell.parameter.value) for letters, cell in joint.actuator.named().items()}  # type: ignore[attr-defined]
        plus, minus = damped[joint.name]
        assert named["fv"] + named["fvp"] == pytest.approx(plus, abs=0.1)
        assert named["fv"] + named["fvm"] == pytest.approx(minus, abs=0.1)
        assert min(named["fv"], named["fvp"], named["fvm"]) >= 0


def test_one_width_of_a_law_is_fitted_a_joint(tmp_path: Path) -> None:
    """The word without a number: of the law's own velocities the one that explains most, each joint its own."""
    tables = {name: {"stribeck": {"torque": 3.0, "velocity": v}} for name, v in (("joint1", 0.3), ("joint2", 0.1))}
    robot = ARMS["two"].without("friction").with_friction(tables)
    found = keeps_its_laws(robot, 3, tmp_path, model=mp.JointModel(friction=("viscous", "coulomb", "stribeck")))
    assert {c.name for c in found.columns if c.widths} == {"fs1[0.3]", "fs2[0.1]"}


def test_a_law_of_the_file_that_is_not_fitted_is_named() -> None:
    robot = with_friction(ARMS["two"], ("stribeck", "load"), 3)
    t, q, qd, qdd = moved(robot, 3)
    log = mp.Log(t, q, torques(robot, q, qd, qdd), qd, qdd)
    found = mp.identify(robot, log, model=mp.JointModel(friction=("viscous", "load")), filter=None)
    told = [text for text in found.warnings if "of the robot's file" in text]
    assert told == ["found.robot is without friction.stribeck of the robot's file: the fit has no column for it"]


# a law that the package has never seen

DRAG = """
import sys
import numpy as np
from manipula.mechanics.robot.actuators import friction
from manipula.mechanics.robot.values.entry import Entry

class Drag(friction.FrictionLaw):
    key, title, says = "drag", "drag", "fd·q̇·|q̇|"
    entries = (Entry("", "fd", ("N·m·s²/rad²", "N·s²/m²")),)

    def shapes(self, slip):
        return (slip.rate * slip.maths.abs(slip.rate),)

friction.LAWS = (*friction.LAWS, Drag)

import manipula as mp
from tests.recordings import motion, torques, two_joints

bare = two_joints().without("friction")
robot = bare.with_friction({"joint1": {"drag": 1.5, "coulomb": 1.0}, "joint2": {"drag": 0.4, "viscous": 0.2}})
t, q, qd, qdd = motion(2, 3, 8.0, 100.0)
tau = torques(robot, q, qd, qdd)
log = mp.Log(t, q, tau + 0.01 * np.random.default_rng(1).normal(size=tau.shape), qd, qdd)
for model in ("auto", mp.JointModel(friction=("viscous", "coulomb", "drag"))):
    found = mp.identify(bare, log, model=model, filter=None)
    back = mp.load(mp.save(found, sys.argv[1]))
    left = np.linalg.norm(torques(back, q, qd, qdd) - tau) / np.linalg.norm(tau)
    fd = [float(x) for name, x in back.standard_parameters.items() if name.startswith("fd")]
    print(found.extra == {}, left < 0.01, np.allclose(fd, [1.5, 0.4], rtol=0.1))
laden = bare.with_payload(1.5, (0.05, 0.1, 0.02))
laden = laden.with_friction({"joint1": {"drag": 1.5, "coulomb": 1.0}, "joint2": {"drag": 0.4, "viscous": 0.2}})
weigh = mp.PayloadEstimator(found)
weigh.run(mp.Log(t, q, torques(laden, q, qd, qdd), qd, qdd))
print(abs(weigh.mass - 1.5) < 0.02)
"""


def test_a_new_law_is_one_class_and_its_place_in_the_list(tmp_path: Path) -> None:
    """Files, regressors, the search of an identification, the robot found and a payload weighed with it follow."""
    arguments = [sys.executable, "-c", DRAG, str(tmp_path / "drag.toml")]
    done = subprocess.run(arguments, check=False, capture_output=True, text=True, cwd=Path(__file__).parents[2])
    assert done.stdout.split() == ["True"] * 7, done.stdout + done.stderr


# terms that no file can say


def stop(q: Any, radius: float) -> Any:
    """A slider on a spring that gives way at ±radius, step by step, in parts of the radius."""
    w = np.zeros_like(q)
    for k in range(1, len(q)):
        w[k] = np.clip(w[k - 1] + q[k] - q[k - 1], -radius, radius)
    return w / radius


def coupled(qd: Any, qdd: Any) -> Any:
    """A motor of joint 2 that turns with q̇2 + 0.5·q̇1."""
    rate, push = (x[:, 1] + 0.5 * x[:, 0] for x in (qd, qdd))
    asked = 0.3 * push + 0.4 * rate + 0.8 * np.tanh(rate / 0.003)
    return np.stack([0.5 * asked, asked], axis=1)


TERMS: dict[str, tuple[dict[str, Any], Any]] = {
    "load": ({"friction": ("viscous", "coulomb", "load")}, lambda q, qd, qdd, load: 0.15 * abs(load) * np.sign(qd)),
    "load_viscous": (
        {"friction": ("viscous", "coulomb", "load_viscous")},
        lambda q, qd, qdd, load: 0.1 * abs(load) * qd,
    ),
    "root": (
        {"friction": ("viscous", "coulomb", "root:1/2")},
        lambda q, qd, qdd, load: 2 * np.sqrt(abs(qd)) * np.tanh(qd / 0.003),
    ),
    "tanh": ({"friction": ("viscous", "coulomb", "tanh:0.3")}, lambda q, qd, qdd, load: 1.5 * np.tanh(qd / 0.3)),
    "hysteresis": ({"friction": ("viscous", "coulomb", "hysteresis:0.1")}, lambda q, qd, qdd, load: 2 * stop(q, 0.1)),
    "stiffness": ({"stiffness": True}, lambda q, qd, qdd, load: 3 * q),
    "harmonics": ({"harmonics": 2}, lambda q, qd, qdd, load: 2 * np.cos(q) - np.sin(2 * q)),
    "coupling": ({"coupling": {("q1", "q2"): 0.5}}, lambda q, qd, qdd, load: coupled(qd, qdd)),
}


def with_term(robot: mp.Robot, term: str, seed: int) -> mp.Log:
    """A recording of the robot with a term beside its own friction."""
    t, q, qd, qdd = motion(2, seed, 6.0, 100.0)
    load = torques(robot.without("friction", "motor_inertia"), q, qd, qdd)
    return mp.Log(t, q, torques(robot, q, qd, qdd) + TERMS[term][1](q, qd, qdd, load), qd, qdd)


def fitted(term: str) -> Found:
    return mp.identify(
        two_joints(), with_term(two_joints(), term, 3), model=mp.JointModel(**TERMS[term][0]), filter=None
    )


BODY = ("Kxx", "Kxy", "Kxz", "Kyy", "Kyz", "Kzz", "mx", "my", "mz", "m")
some_terms = pytest.mark.parametrize(
    "term", [pytest.param(x, marks=() if x in ("hysteresis", "load") else pytest.mark.slow) for x in TERMS]
)


@pytest.mark.parametrize("term", TERMS)
def test_what_a_robot_cannot_hold_is_named_with_its_price(term: str) -> None:
    """Each column in `extra` and in one sentence, with the errors of the robot and of the whole, recomputed here."""
    found, log = fitted(term), with_term(two_joints(), term, 3)
    assert log.tau is not None and found.train.moving < 0.5
    told = [text for text in found.warnings if "found.robot is without" in text]
    if term == "load":
        assert found.extra == {} and not told
        return
    beside = [c for c in found.columns if not SAID & set(c.words) and c.link is None and c.name[:2] != "Ia"]
    beside += [c for c in found.columns if c.family == "coupling" and c not in beside]
    assert set(found.extra) == {c.name for c in beside} and told == [found.left_out]
    assert all(name in told[0] for name in found.extra)
    poor = 100 * miss(log.tau, torques(found.robot, log.q, log.qd, log.qdd))
    said = [float(word) for word in told[0].replace("%", " ").split() if word.replace(".", "").isdigit()]
    assert said == [pytest.approx(poor, rel=0.02), pytest.approx(found.train.whole, abs=0.006)]
    with pytest.warns(mp.ManipulaWarning, match="found.robot is without"):
        assert mp.Plant(found, effort=None).robot == found.robot  # type: ignore[arg-type]


@some_terms
def test_a_payload_is_weighed_with_all_that_was_found(term: str) -> None:
    """By `run` and by `update`, the terms that no file can say and friction that follows the load taken off."""
    held = with_term(two_joints().with_payload(1.5, (0.05, 0.1, 0.02)), term, 9)
    weigh = mp.PayloadEstimator(fitted(term), columns=BODY)
    weigh.run(held)
    mass, com = weigh.mass, weigh.com
    assert mass == pytest.approx(1.5, abs=0.03) and np.abs(com - [0.05, 0.1, 0.02]).max() < 0.03
    weigh.reset()
    assert held.qd is not None and held.qdd is not None and held.tau is not None
    for row in zip(held.q, held.qd, held.qdd, held.tau):
        weigh.update(*row)
    assert weigh.mass == pytest.approx(mass, rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("term", TERMS)
def test_a_robot_without_the_terms_weighs_worse(term: str) -> None:
    """But friction that follows the load is a robot's own, too."""
    held = with_term(two_joints().with_payload(1.5, (0.05, 0.1, 0.02)), term, 9)
    whole, bare = (mp.PayloadEstimator(x, columns=BODY) for x in (fitted(term), fitted(term).robot))
    whole.run(held)
    bare.run(held)
    if term == "load":
        assert bare.mass == pytest.approx(whole.mass, rel=1e-6)
    else:
        assert abs(bare.mass - 1.5) > 3 * abs(whole.mass - 1.5)


@pytest.mark.slow
def test_a_recording_may_be_weighed_after_another() -> None:
    """Stop operators begin anew with each."""
    held, found = with_term(two_joints().with_payload(1.5), "hysteresis", 9), fitted("hysteresis")
    half = len(held.t) // 2
    weigh, other = mp.PayloadEstimator(found), mp.PayloadEstimator(found)
    assert held.qd is not None and held.qdd is not None and held.tau is not None
    for own in (slice(half, None), slice(half)):
        weigh.run(mp.Log(held.t[own], held.q[own], held.tau[own], held.qd[own], held.qdd[own]))
    rows = [k for own in (slice(half, None), slice(half)) for k in range(len(held.t))[own]]
    for k in rows:
        if k == 0:
            other._interrupt()
        other.update(held.q[k], held.qd[k], held.qdd[k], held.tau[k])
    assert weigh.mass == pytest.approx(other.mass, rel=1e-9) and weigh.mass == pytest.approx(1.5, abs=0.05)


@pytest.mark.slow
def test_without_accelerations_what_needs_them_is_left_out_in_words() -> None:
    held, found = with_term(two_joints().with_payload(1.5), "tanh", 9), fitted("tanh")
    weigh = mp.PayloadEstimator(found, sample=0.01)
    weigh.run(held)
    assert weigh.mass == pytest.approx(1.5, abs=0.05)
    with pytest.warns(mp.ManipulaWarning, match="leaves out fl1, fl2 of the fit, which need accelerations"):
        mp.PayloadEstimator(fitted("load"), sample=0.01)
    with pytest.raises(InputError, match=r"depends on its load \(friction.load\)"):
        mp.PayloadEstimator(fitted("load").robot, sample=0.01)


def test_coupled_motors_are_in_the_model_found() -> None:
    found, other = fitted("coupling"), with_term(two_joints(), "coupling", 5)
    predicted, whole = found.predict(other), found.torque.compile()
    assert np.abs(whole(other.q, other.qd, other.qdd) - predicted).max() < 1e-12 * np.abs(predicted).max()


def test_a_base_that_leans_is_in_the_robot_found(tmp_path: Path) -> None:
    """As the gravity that its joints feel."""
    level = ARMS["RRR"].with_gravity(0, 0, -9.81).without("friction")
    lean = level.with_gravity(0.4, -0.3, -9.79)
    t, q, qd, qdd = moved(lean, 5)
    log = mp.Log(t, q, torques(lean, q, qd, qdd), qd, qdd)
    found = mp.identify(level, log, model=mp.JointModel(friction=(), tilt=True), filter=None)
    again = mp.load(mp.save(found.robot, tmp_path / "leaning.toml"))
    felt = [float(cell.parameter.value) for cell in again.gravity]  # type: ignore[attr-defined]
    assert found.extra == {} and np.allclose(felt, [0.4, -0.3, -9.81], atol=0.05)
    assert np.allclose(torques(again, q, qd, qdd), found.predict(log), rtol=0, atol=1e-9 * np.abs(log.tau).max())  # type: ignore[arg-type]
