"""What was identified stays: the robot found, saved and read again, has every friction law and predicts as the fit.

Torques are made by the plain model of a robot whose file has the laws.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.identification.fit.result import Found
from manipula.identification.torque_columns import Columns
from manipula.mechanics.models.linear.joint_families import FAMILIES, WIDTH
from manipula.mechanics.robot.coordinates import Coordinate
from manipula.mechanics.robot.friction import LAWS, Offset, linear_letters
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
        named = {
            letters: float(cell.parameter.value) for letters, cell in joint.actuator.parameters_by_letter().items()
        }  # type: ignore[attr-defined]
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


def test_widths_are_those_of_the_file_or_the_law() -> None:
    """Of a joint that slides a tenth; the law's own middle one where the file says nothing."""
    plain = ARMS["PR"].without("friction")
    slides = [not joint.turns for joint in rows_of(plain)]
    told = plain.with_friction({plain.joint_names[0]: {"stribeck": {"torque": 1, "velocity": 0.07}}})
    for robot, first in ((plain, 0.1 * 0.1 ** slides[0]), (told, 0.07)):
        columns = Columns(robot, mp.JointModel(friction=("stribeck:file", "stribeck:0.3"))).columns
        widths = {c.name: float(c.widths["vs"]) for c in columns if c.widths}
        own = {c.joint: c.name for c in columns if c.family == "stribeck:file"}
        assert [widths[own[j]] for j in range(2)] == pytest.approx([first, 0.1 * 0.1 ** slides[1]])
        wide = [widths[c.name] for c in columns if c.family == "stribeck:0.3"]
        assert wide == pytest.approx([0.3 * 0.1**x for x in slides])


def test_a_law_of_the_file_that_is_not_fitted_is_named() -> None:
    robot = with_friction(ARMS["two"], ("stribeck", "load"), 3)
    t, q, qd, qdd = moved(robot, 3)
    log = mp.Log(t, q, torques(robot, q, qd, qdd), qd, qdd)
    found = mp.identify(robot, log, model=mp.JointModel(friction=("viscous", "load")), filter=None)
    told = [text for text in found.warnings if "of the robot's file" in text]
    assert told == ["found.robot is without friction.stribeck of the robot's file: the fit has no column for it"]


def test_a_coordinate_bears_more_than_its_joint_where_others_follow() -> None:
    """Friction that follows the load of a coordinate is no joint's own there: a sentence says so, other laws stay."""
    serial = random_robot(3, joints="RRR", surroundings=False)
    first, second, third = serial.joints
    follower = replace(second, coordinate=Coordinate(((first.name, 2),)))
    robot = mp.Robot.of(replace(serial, joints=(first, follower, third)))
    t, q, qd, qdd = moved(robot, 3)
    log = mp.Log(t, q, torques(robot, q, qd, qdd), qd, qdd)
    fast = (np.abs(qd) > 0.06).all(1)
    for word, beside in (("asymmetric", []), ("load", ["fl1"])):
        found = mp.identify(robot, log, model=mp.JointModel(friction=("viscous", word)), filter=None)
        assert list(found.extra) == beside and bool(found.left_out) == bool(beside)
        if not beside:
            own = torques(found.robot, q, qd, qdd)
            assert np.abs(own - found.predict(log))[fast].max() < 1e-9 * np.abs(own).max()


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


# a law that the package has never seen

DRAG = """
import sys
import numpy as np
from manipula.mechanics.robot import friction
from manipula.mechanics.robot.values.parameter import ParameterEntry

class Drag(friction.FrictionLaw):
    key, title, says = "drag", "drag", "fd·q̇·|q̇|"
    entries = (ParameterEntry("", "fd", ("N·m·s²/rad²", "N·s²/m²")),)

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


@pytest.mark.turn
def test_a_new_law_is_one_class_and_its_place_in_the_list(tmp_path: Path) -> None:
    """Files, regressors, the search of an identification, the robot found and a payload weighed with it follow."""
    arguments = [sys.executable, "-c", DRAG, str(tmp_path / "drag.toml")]
    done = subprocess.run(arguments, check=False, capture_output=True, text=True, cwd=Path(__file__).parents[2])
    assert done.stdout.split() == ["True"] * 7, done.stdout + done.stderr


def test_a_search_tries_no_shape_that_the_smoothed_sign_would_pass_for() -> None:
    """Friction over speed, much wider than what Coulomb friction is smoothed over; narrower ones may be asked for."""
    over_speed = {name: x for name, x in FAMILIES.items() if name.startswith(("stribeck:", "tanh:"))}
    widths = {name: [w for w in x.widths.values() if w is not None] for name, x in over_speed.items()}
    assert {name for name, own in widths.items() if own and over_speed[name].tried} == {
        name for name, own in widths.items() if own and min(own) >= 10 * WIDTH
    }
    assert any(own and not over_speed[name].tried for name, own in widths.items())
