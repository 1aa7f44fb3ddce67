"""What no robot file can say stays in the fit: named with its price, in `found.torque`, in a payload weighed after it.

Torques are made by the plain model of a robot and formulas written here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.errors import InputError
from manipula.identification.fit.result import Found
from manipula.mechanics.robot.friction import LAWS, linear_letters
from tests.recordings import motion, torques, two_joints

pytestmark = pytest.mark.usefixtures("without_search")

SAID = {letters for law in LAWS for letters in linear_letters(law)}


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
SHOWN = ("load", "root", "coupling")
some_terms = pytest.mark.parametrize(
    "term", [pytest.param(x, marks=() if x in ("hysteresis", "load") else pytest.mark.slow) for x in TERMS]
)


@pytest.mark.parametrize("term", [pytest.param(x, marks=() if x in SHOWN else pytest.mark.slow) for x in TERMS])
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
    assert all(column.family in told[0] for column in beside)
    own = torques(found.robot, log.q, log.qd, log.qdd)
    poor = 100 * np.linalg.norm(own - log.tau) / np.linalg.norm(log.tau)
    said = [float(word) for word in told[0].replace("(", " ").split() if word.replace(".", "").isdigit()]
    assert said == [len(beside), pytest.approx(poor, rel=0.02), pytest.approx(found.train.whole, abs=0.006)]
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
    weigh.update(held.q[0], held.qd[0], held.qdd[0], held.tau[0])  # type: ignore[index]
    if term == "hysteresis":  # a stop operator begins relaxed, where the arm is
        assert not weigh._state.stop1.any() and weigh._state.q_before == pytest.approx(held.q[0])
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
    with pytest.raises(InputError, match=r"follows the load, which needs accelerations: give no sample="):
        mp.PayloadEstimator(fitted("load").robot, sample=0.01)


def test_coupled_motors_are_in_the_model_found() -> None:
    found, other = fitted("coupling"), with_term(two_joints(), "coupling", 5)
    predicted, whole = found.predict(other), found.torque.compile()
    assert np.abs(whole(other.q, other.qd, other.qdd) - predicted).max() < 1e-12 * np.abs(predicted).max()
