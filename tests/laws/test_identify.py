"""Identification: what is found predicts, could exist, comes back as a robot, and doubts what is to be doubted."""

from __future__ import annotations

from dataclasses import replace
from html import unescape
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.errors import InputError, UnknownNameError
from manipula.identification.estimators.normal import correlation_time
from manipula.identification.fit.result import Found
from manipula.identification.joint_model import JointModel
from manipula.mechanics.robot.description import RobotDescription
from tests.golden.sentences import Sentences
from tests.random_robots import random_robot
from tests.recordings import motion, recording, torques, two_joints

pytestmark = pytest.mark.usefixtures("without_search")

ARM = two_joints()
LOG = recording(ARM, 3, noise=0.02)
OTHER = recording(ARM, 9)
PLAIN = JointModel()


def error(found: Found, log: mp.Log) -> float:
    """Of the model's torques at exact states, in %: nothing of filters or noise is in it."""
    assert log.tau is not None
    exact = replace(found, asked_filter=None).predict(log)
    return 100 * float(np.linalg.norm(exact - log.tau) / np.linalg.norm(log.tau))


@pytest.fixture(scope="module")
def found() -> Found:
    return mp.identify(ARM, LOG, model=PLAIN, filter=None, validate=OTHER)


@pytest.mark.turn
def test_what_is_found_predicts_another_motion(found: Found) -> None:
    """Noise of 2 % over 1600 rows leaves 2 %·√(16/1600) of the torque of 16 sums; other motions show twice that."""
    again = [mp.identify(ARM, recording(ARM, seed, noise=0.02), model=PLAIN, filter=None) for seed in (4, 5, 6)]
    errors = np.array([error(one, OTHER) for one in (found, *again)])
    assert np.sqrt((errors**2).mean()) < 0.6
    assert found.validation[0].whole == pytest.approx(errors[0])  # the same, as the caller is told
    assert found.consistent and (found.eigenvalues > 0).all()
    assert not [text for text in found.warnings if "faster" not in text]


def test_as_numbers_and_words(found: Found) -> None:
    told = found.as_dict()
    assert told["consistent"] and len(told["parameters"]) == len(found.columns) == 28
    assert "physically consistent" in str(found) and "training" in repr(found)
    assert found.parameters["fv1"].value == pytest.approx(0.8, abs=5 * found.parameters["fv1"].sigma)
    with pytest.raises(UnknownNameError):
        found.parameters["m9"]


def test_every_figure_of_the_summary_is_that_of_the_result(found: Found) -> None:
    doubted = replace(found, warnings=("a first doubt", "a second & last"))
    for one, text in ((found, str(found)), (doubted, str(doubted)), (doubted, unescape(doubted._repr_html_()))):
        assert f"{ARM.name}: {len(found.columns)} parameters by {found.method}, " in text
        assert f"prior {found.prior}" in text if found.prior else "no prior" in text
        assert f"training: {found.train}" in text
        assert all(f"validation {k}: {errors}" in text for k, errors in enumerate(found.validation, 1))
        assert f"residuals remember {found.correlation:.3g} samples" in text
        chosen = [choice.family for choice in found.choices if choice.taken]
        assert ("families chosen" in text) == bool(chosen) and ", ".join(chosen) in text
        assert ("NOT physically" in text) == (not found.consistent)
        assert [word in text for word in ("warning: a first doubt", "warning: a second & last")] == [one is doubted] * 2
        assert all(row.name in text for row in found.parameters)
    assert repr(found).startswith(
        f"<found of {ARM.name}: {len(found.columns)} parameters, training {found.train.whole:.2f} %"
    )
    assert f"validation {found.validation[0].whole:.2f} %" in repr(found)


def test_sums_are_told_though_their_terms_are_not(found: Found) -> None:
    """The mass of the first link is felt by nobody alone; sums that torques tell are near the truth."""
    truth = mp.identify(ARM, OTHER, model=PLAIN, filter=None, method="wls", prior=None).base_parameters
    for row in truth:
        own = found.base_parameters[row.name]
        assert abs(own.value - row.value) < 5 * own.sigma + 1e-9, row.name
    lone = mp.identify(ARM, LOG, model=PLAIN, filter=None, method="wls", prior=None)
    assert np.isinf(lone.parameters["m1"].sigma) and np.isfinite(lone.base_parameters.sigmas).all()


def test_the_robot_found_is_a_robot(found: Found, tmp_path: Any) -> None:
    """Saved, read again, its torques are those predicted, wherever sign(q̇) and its smooth stand-in agree."""
    assert isinstance(found.robot, mp.Robot) and not found.extra
    again = mp.load(mp.save(found.robot, tmp_path / "found.toml"))
    assert again.standard_parameters == pytest.approx(found.robot.standard_parameters, rel=1e-12, abs=1e-15)
    predicted, fast = replace(found, asked_filter=None).predict(OTHER), np.abs(OTHER.qd).min(1) > 0.4  # type: ignore[arg-type]
    own = torques(again, OTHER.q, OTHER.qd, OTHER.qdd)
    assert fast.sum() > 50
    assert np.abs(own - predicted)[fast].max() < 1e-12 * np.abs(own).max()


@pytest.mark.parametrize("seed", range(6))
def test_any_arm_gives_a_robot_that_could_exist(seed: int) -> None:
    """Odd tables, slides, screws, fixed rows, a single joint, bodies that could not exist as a prior, noise."""
    robot = random_robot(seed, joints=1 + seed % 3, screws=seed % 4 == 3)
    log = recording(robot, seed, seconds=4, noise=0.05)
    found = mp.identify(robot, log, model=PLAIN, filter=None, prior="robot" if seed % 2 else "spheres")
    assert found.consistent
    assert np.isfinite(found.theta).all() and (found.parameters.sigmas > 0).all()
    assert set(found.robot.joint_names) == set(robot.joint_names)


def test_validation_is_not_read_before_the_fit_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    from manipula.identification.fit import identification

    touched: list[str] = []
    ended: list[int] = []

    class Watched(mp.Log):
        def __getattribute__(self, name: str) -> Any:
            if name in ("t", "q", "tau", "qd", "qdd", "parts"):
                touched.append(name)
            return super().__getattribute__(name)

    assert LOG.tau is not None
    watched = Watched(LOG.t, LOG.q, LOG.tau, LOG.qd, LOG.qdd)
    touched.clear()
    finished = identification._make_result

    def watching(*given: Any) -> Found:
        ended.append(len(touched))
        return finished(*given)

    monkeypatch.setattr(identification, "_make_result", watching)
    mp.identify(ARM, OTHER, model=PLAIN, filter=None, validate=(log for log in [watched]))
    assert ended == [0] and touched


EXTRA = JointModel(
    friction=("viscous", "coulomb", "load", "stribeck:0.1", "root:1/2", "speed"), stiffness=True, harmonics=2, tilt=True
)


@pytest.mark.parametrize("model", [PLAIN, EXTRA], ids=["plain", "extra"])
def test_all_of_it_is_one_model(model: JointModel) -> None:
    """Links, friction, harmonics, a leaning base: proved, and the same as predicted."""
    found = mp.identify(ARM, LOG, model=model, filter=None)
    predicted, whole = found.predict(OTHER), found.torque
    assert isinstance(whole, mp.Model) and whole.provenance.proof
    own = whole.compile()(OTHER.q, OTHER.qd, OTHER.qdd)
    assert np.abs(own - predicted).max() < 1e-12 * np.abs(predicted).max()


@pytest.mark.parametrize("slides", [False, True])
def test_what_remembers_is_a_system(slides: bool) -> None:
    """Stop operators step by step are those along a whole recording; of joints that slide, too."""
    robot: RobotDescription = random_robot(2, joints="RP", surroundings=False) if slides else ARM
    model = JointModel(friction=("viscous", "coulomb", "hysteresis:0.003", "hysteresis:0.1"))
    other = recording(robot, 9, seconds=2)
    found = mp.identify(robot, recording(robot, 3, noise=0.02), model=model, filter=None)
    predicted, whole = found.predict(other), found.torque
    assert isinstance(whole, mp.System) and other.qd is not None and other.qdd is not None
    state = whole.start(q_before=other.q[0])
    for k in range(120):
        state, tau = whole.step(state, other.q[k], other.qd[k], other.qdd[k])
        assert np.allclose(tau, predicted[k], rtol=0, atol=1e-12 * np.abs(predicted).max())
    assert len(found.extra) == 4 and all(name.startswith("fh") for name in found.extra)


# doubts


@pytest.mark.turn
def test_shuffled_torques_tell_nothing() -> None:
    assert LOG.tau is not None
    order = np.random.default_rng(1).permutation(len(LOG.t))
    for method, prior in (("entropic", "robot"), ("wls", None)):
        for filter in (None, "auto"):
            with pytest.raises(InputError, match="no information"):
                mp.identify(ARM, replace(LOG, tau=LOG.tau[order]), method=method, prior=prior, filter=filter)


def test_silence_is_refused(whole: Sentences) -> None:
    assert LOG.tau is not None
    with whole.raises(InputError, match="every torque is zero"):
        mp.identify(ARM, replace(LOG, tau=0 * LOG.tau))
    with whole.raises(InputError, match="no torque ever changes"):
        mp.identify(ARM, replace(LOG, tau=0 * LOG.tau + 3.0))
    with whole.raises(InputError, match="no joint ever moves"):
        mp.identify(ARM, mp.Log(LOG.t, 0 * LOG.q, LOG.tau), filter=None)
    with whole.raises(InputError, match="no log was given"):
        mp.identify(ARM, [])
    with whole.raises(InputError, match="expected logs"):
        mp.identify(ARM, [np.zeros((4, 2))])  # type: ignore[list-item]


def test_short_recordings_are_refused_or_doubted() -> None:
    assert LOG.tau is not None
    for count in (8, 10, 20):
        with pytest.raises(InputError, match="too few"):
            mp.identify(ARM, mp.Log(LOG.t[:count], LOG.q[:count], LOG.tau[:count]))
    short = mp.Log(LOG.t[:60], LOG.q[:60], LOG.tau[:60])
    assert any("parameters: most of what is said" in text for text in mp.identify(ARM, short, model=PLAIN).warnings)


def test_wrong_words_are_answered(whole: Sentences) -> None:
    for wrong in ({"model": "best"}, {"prior": "cad"}, {"method": "entropic", "prior": None}, {"filter": "strong"}):
        with whole.raises(InputError):
            mp.identify(ARM, LOG, **wrong)
    with whole.raises(UnknownNameError):
        mp.identify(ARM, LOG, method="kalman")


@pytest.mark.parametrize("joints", [[0], [1], [0, 1]])
def test_a_wrong_sign_is_noticed(joints: list[int]) -> None:
    assert LOG.tau is not None
    tau = LOG.tau.copy()
    tau[:, joints] *= -1
    found = mp.identify(ARM, replace(LOG, tau=tau), model=PLAIN, filter=None)
    told = [text for text in found.warnings if "wrong sign" in text]
    assert told and ("all torques" in told[0] if len(joints) == 2 else f"joint{joints[0] + 1}" in told[0])


@pytest.mark.parametrize("whole", [False, True])
def test_swapped_joints_are_noticed(whole: bool) -> None:
    """Torques alone, or positions with them; where nothing is predicted any more, in the refusal."""
    assert LOG.tau is not None and LOG.qd is not None and LOG.qdd is not None
    swapped = replace(LOG, tau=LOG.tau[:, ::-1])
    if whole:
        swapped = replace(swapped, q=LOG.q[:, ::-1], qd=LOG.qd[:, ::-1], qdd=LOG.qdd[:, ::-1])
    try:
        told = mp.identify(ARM, swapped, model=PLAIN, filter=None).warnings
    except InputError as error:
        told = (str(error),)
    assert any("joint1 and joint2 seem to be swapped" in text for text in told)


def test_a_joint_that_never_moves_is_said() -> None:
    t, q, qd, qdd = motion(2, 5, 6, 100)
    q[:, 1], qd[:, 1], qdd[:, 1] = 0.3, 0.0, 0.0
    found = mp.identify(ARM, mp.Log(t, q, torques(ARM, q, qd, qdd), qd, qdd), model=PLAIN, filter=None)
    assert any("joint2 never moves" in text for text in found.warnings)
    assert found.consistent


def test_faster_motions_are_doubted_without_a_prior() -> None:
    fast = recording(ARM, 4, pace=2.5)
    found = mp.identify(ARM, LOG, model=PLAIN, filter=None, method="wls", prior=None, validate=fast)
    assert any("without a prior" in text for text in found.warnings)


# the numbers behind


@pytest.mark.parametrize("memory", [0.0, 0.5, 0.9])
def test_how_long_residuals_remember(memory: float) -> None:
    """Of r_t = φ r_{t−1} + noise it is (1 + φ)/(1 − φ)."""
    rng, r = np.random.default_rng(0), np.zeros((40000, 3))
    noise = rng.normal(size=r.shape)
    for k in range(1, len(r)):
        r[k] = memory * r[k - 1] + noise[k]
    wanted = (1 + memory) / (1 - memory)
    assert correlation_time([r[:15000], r[15000:]], [r[:15000] < 9e9, r[15000:] < 9e9]) == pytest.approx(
        wanted, rel=0.1
    )


def test_the_same_twice(found: Found) -> None:
    again = mp.identify(ARM, LOG, model=PLAIN, filter=None)
    assert np.array_equal(found.theta, again.theta)


@pytest.mark.turn
def test_what_these_motions_do_not_feel(found: Found) -> None:
    """From the same call: nothing goes at no tolerance, more goes at more, errors stay within it; friction by load, in
    which no torque is linear, is in nobody's way."""
    none, some, most = (found.significance(tolerance) for tolerance in (0.0, 0.02, 0.2))
    assert not none.dropped and none.operations_left == none.operations
    assert not set(some.dropped) & set(some.kept) and len(some.dropped) <= len(most.dropped)
    assert most.dropped and most.operations_left < most.operations
    assert max(most.errors.relative_largest) < 0.25
    assert found.significance(0.02, OTHER).samples == len(OTHER)
    loaded = mp.identify(two_joints(), recording(two_joints(), 3), model=JointModel(friction=("viscous", "load")))
    assert "load" in {column.family for column in loaded.columns}
    assert loaded.significance(0.05).kept


@pytest.mark.turn
def test_a_report_names_its_files(tmp_path: Any) -> None:
    arm = two_joints()
    paths = [tmp_path / name for name in ("first.csv", "second.csv", "held back.csv")]
    for seed, path in enumerate(paths, 1):
        recording(arm, seed).save(path)
    first, second, apart = (mp.read_log(path, arm) for path in paths)
    page = mp.identify(arm, [first, second], validate=apart, model=PLAIN).report(tmp_path / "found.html").read_text()
    assert "first.csv, second.csv" in page and page.count("held back.csv") == 2
    assert str(tmp_path) not in page


@pytest.mark.drawn("late", few=1)
@pytest.mark.parametrize("late", [2, -2])
def test_late_torques_are_moved_by_repair(late: int) -> None:
    """As well as if they had been recorded in time, in other recordings too."""
    robot = two_joints()
    train, check = (recording(robot, seed, noise=0.003) for seed in (4, 5))

    def delayed(log: mp.Log) -> mp.Log:
        assert log.tau is not None
        return mp.Log(log.t[5:-5], log.q[5:-5], np.roll(log.tau, late, axis=0)[5:-5])

    found = mp.identify(robot, delayed(train), model=JointModel(), repair=True)
    clean = mp.identify(robot, delayed(train), model=JointModel())
    assert found.conversion is not None and found.conversion.delay == pytest.approx(0.01 * late, rel=0.02)
    assert any("repaired: torques seem to be recorded" in text for text in found.repairs) and not clean.repairs
    assert found.train.whole < 0.4 * clean.train.whole
    assert found.error(delayed(check)) < 0.5 * clean.error(delayed(check))


@pytest.mark.drawn("late", few=2)
@pytest.mark.parametrize("late", [0, 2, 3, -2])
def test_torques_that_were_recorded_late_are_noticed(late: int) -> None:
    """By how much, and without blaming the drives for it; noise is no delay."""
    robot = two_joints()
    log = recording(robot, 4, noise=0.003 if late else 0.1)
    first, last = max(late, 0), len(log.t) + min(late, 0)
    tau = log.tau[first - late : last - late]
    found = mp.identify(robot, mp.Log(log.t[first:last], log.q[first:last], tau), model=JointModel())
    told = [text for text in found.warnings if "torques seem to be recorded" in text]
    assert bool(told) == bool(late)
    if late:
        words = told[0].split()
        assert words[6] == "ms"
        assert words[7] == ("later" if late > 0 else "earlier")
        assert float(words[5]) == pytest.approx(10 * abs(late), rel=0.05)
        assert not any("drive gain" in text for text in found.warnings)
