"""`mp.Log`: what it takes, its parts, blocks and rates."""

from __future__ import annotations

import json

import numpy as np
import pytest

import manipula as mp
from manipula.recordings import sampling
from tests.golden.sentences import Sentences


def motion(t: np.ndarray, n: int = 2) -> np.ndarray:
    t = np.asarray(t, float)
    return np.stack([np.sin((1.3 + j) * t + j) + 0.3 * np.cos(2.1 * t) for j in range(n)], axis=-1)


def log_at(t: np.ndarray, n: int = 2, **more: object) -> mp.Log:
    return mp.Log(t, motion(t, n), 10 * motion(t, n), **more)


def test_lists_are_taken() -> None:
    log = mp.Log([0, 1, 2], [[0, 1], [2, 3], [4, 5]], [[0, 0], [1, 1], [2, 2]], joints=["a", "b"])
    assert log.q.dtype == float and log.joints == ("a", "b") and log.rate == 1.0 and len(log) == 3
    assert mp.Log([0, 1], [3, 4], [1, 2]).q.shape == (2, 1)
    assert json.loads(json.dumps(log.as_dict()))["q"][2] == [4.0, 5.0]


@pytest.mark.parametrize(
    "given, sentence",
    [
        ({"t": [0, 2, 1]}, "a time that falls back: 2 s, then 1 s"),
        ({"t": [0, 1, 1]}, "the same time twice: 1 s, then 1 s"),
        ({"t": [0, 1]}, r"q: expected shape \(…, 2, n\), found \(3, 2\)"),
        ({"t": []}, "expected a time for every sample"),
        ({"t": [0, 1, np.nan]}, r"t: the entry at \[2\] is no number"),
        ({"q": [[0, 1], [np.inf, 1], [0, 2]]}, r"q: the entry at \[1, 0\] is no number"),
        ({"tau": [[0, 1], ["x", 1], [0, 2]]}, "tau: expected an array of numbers"),
        ({"tau": [[0], [1], [2]]}, r"tau: expected shape \(3, 2\) as q, found \(3, 1\)"),
        ({"q": [[0, 1, 2], [1, 2, 3]]}, r"q: expected shape .* found \(2, 3\); transpose it"),
        ({"qd": [[0, 1], [1, 2]]}, "qd: expected shape"),
        ({"joints": ["a"]}, "joints: expected 2, found 1"),
    ],
)
def test_what_no_recording_can_be_is_refused(given: dict[str, object], sentence: str, whole: Sentences) -> None:
    good = {"t": [0, 1, 2], "q": [[0, 1], [2, 3], [4, 5]], "tau": [[0, 0], [1, 1], [2, 2]]}
    with whole.raises(mp.InputError, match=sentence):
        mp.Log(**{**good, **given})


@pytest.mark.parametrize("seed", range(12))
def test_parts_have_no_gap_and_one_rate(seed: int) -> None:
    """Stretches of several rates behind gaps of any length, hours among them, come back as they were put in."""
    rng = np.random.default_rng(seed)
    pieces, start = [], float(rng.uniform(-5, 5))
    for _ in range(rng.integers(1, 5)):
        step = float(rng.choice([1e-3, 2e-3, 4e-3, 0.01]))
        pieces.append(start + step * np.arange(rng.integers(40, 300)))
        start = pieces[-1][-1] + float(rng.choice([0.5, 7.0, 43200.0]))
    parts = log_at(np.concatenate(pieces)).parts()
    assert [len(part) for part in parts] == [len(piece) for piece in pieces]
    for part, piece in zip(parts, pieces):
        np.testing.assert_array_equal(part.t, piece)
        np.testing.assert_array_equal(part.tau, 10 * motion(piece))
    assert len(parts) == 1 or "a gap of" in parts[0].notes[0]


@pytest.mark.parametrize("first, second", [(1e-3, 4e-3), (5e-3, 1e-3), (2e-3, 4e-3), (0.01, 1e-3)])
def test_another_rate_is_another_part(first: float, second: float) -> None:
    t = np.concatenate([first * np.arange(200), first * 199 + second * np.arange(1, 150)])
    a, b = log_at(t).parts()
    assert abs(len(a) - 200) <= 1 and len(a) + len(b) == len(t)
    assert a.rate == pytest.approx(1 / first) and b.rate == pytest.approx(1 / second)
    assert "the rate changes" in a.notes[0]


@pytest.mark.parametrize("seed", range(6))
def test_late_stamps_do_not_move_the_samples(seed: int) -> None:
    """Even samples whose stamps are late: the positions show it, and no sample is touched."""
    rng = np.random.default_rng(seed)
    true = 5e-3 * np.arange(400)
    stamps = 1.46e9 + true + rng.uniform(0, 2e-3, 400)
    (part,) = mp.Log(stamps, motion(true), 10 * motion(true)).parts()
    np.testing.assert_array_equal(part.q, motion(true))
    assert np.ptp(np.diff(part.t)) < 1e-6 and part.rate == pytest.approx(200, rel=1e-3)
    assert "samples are taken as even" in part.notes[0]


@pytest.mark.parametrize("seed", range(6))
def test_late_samples_are_interpolated(seed: int) -> None:
    """Samples truly taken at uneven times: what was in between is found again."""
    rng = np.random.default_rng(seed)
    t = 5e-3 * np.arange(400) + rng.uniform(-1e-3, 1e-3, 400)
    (part,) = log_at(t).parts()
    np.testing.assert_allclose(part.q, motion(part.t), atol=1e-7)
    assert np.ptp(np.diff(part.t)) < 1e-12 and "resampled at" in part.notes[0]


def test_rounded_times_are_even() -> None:
    true = np.arange(300) / 600
    (part,) = mp.Log(np.round(true, 3), motion(true), motion(true)).parts()
    assert part.rate == pytest.approx(600, rel=1e-4)
    np.testing.assert_array_equal(part.q, motion(true))


@pytest.mark.parametrize("seed", range(6))
def test_single_lost_samples_are_bridged(seed: int) -> None:
    rng = np.random.default_rng(seed)
    t = 2e-3 * np.arange(500)
    lost = np.unique(rng.integers(10, 490, 12))
    (part,) = log_at(np.delete(t, lost)).parts()
    np.testing.assert_allclose(part.t, t, atol=1e-12)
    np.testing.assert_allclose(part.q, motion(t), atol=1e-8)
    assert f"{len(lost)} single samples are missing" in part.notes[0]


def test_even_samples_stay_as_they_are() -> None:
    for log in (log_at(np.arange(100) * 0.1), log_at(1.7e9 + np.arange(100) * 1e-3), log_at(np.linspace(0, 1, 77))):
        (part,) = log.parts()
        assert part.q.tobytes() == log.q.tobytes() and part.t.tobytes() == log.t.tobytes() and not part.notes


def test_short_stretches_are_left_out() -> None:
    t = np.concatenate([np.arange(50), 100 + np.arange(3), 200 + np.arange(50)]) * 1e-2
    parts = log_at(t).parts()
    assert [len(part) for part in parts] == [50, 50]
    assert any("3 samples in stretches shorter than 8 are left out" in note for note in parts[0].notes)
    with pytest.raises(mp.InputError, match="too few to use"):
        log_at(np.arange(4) * 1e-3).parts()
    with pytest.raises(mp.InputError, match="one sample has no rate"):
        print(log_at([0.0]).rate)


def test_blocks_are_all_of_it() -> None:
    log = log_at(np.arange(101) * 1e-2, 3)
    blocks = log.blocks(7)
    np.testing.assert_array_equal(np.concatenate([block.q for block in blocks]), log.q)
    assert max(map(len, blocks)) - min(map(len, blocks)) <= 1 and len(blocks) == 7
    with pytest.raises(mp.InputError, match="blocks: expected 1 to 101, found 0"):
        log.blocks(0)


def test_resampling_keeps_the_motion() -> None:
    t = np.arange(2000) * 1e-3
    log = log_at(t, qd=motion(t + 1))
    for rate in (250.0, 1000.0, 4000.0, 333.0):
        again = log.resampled(rate)
        assert again.rate == pytest.approx(rate)
        inner = (again.t > 0.3) & (again.t < 1.7)
        np.testing.assert_allclose(again.q[inner], motion(again.t[inner]), atol=2e-6)
        np.testing.assert_allclose(again.qd[inner], motion(again.t[inner] + 1), atol=2e-6)
        assert f"to {rate:g} Hz" in again.notes[-1]


def test_a_lower_rate_does_not_fold() -> None:
    """A hum of 180 Hz, seen at 200 Hz, would be one of 20 Hz."""
    t = np.arange(4000) * 1e-3
    log = mp.Log(t, motion(t, 1) + 0.1 * np.sin(2 * np.pi * 180 * t)[:, None])
    again = log.resampled(200)
    inner = (again.t > 0.3) & (again.t < 3.7)
    np.testing.assert_allclose(again.q[inner], motion(again.t[inner], 1), atol=1e-4)


def test_resampling_does_not_fill_gaps() -> None:
    with pytest.raises(mp.InputError, match=r"resample each of log\.parts"):
        log_at(np.concatenate([np.arange(50), 500 + np.arange(50)]) * 1e-2).resampled(50)
    for rate in (0, -1, np.nan):
        with pytest.raises(mp.InputError, match="expected a rate above zero"):
            log_at(np.arange(50) * 1e-2).resampled(rate)


def test_a_batch_has_the_parts_of_every_row() -> None:
    t = np.arange(40) * 1e-2
    q = np.stack([motion(t), 2 * motion(t), 3 * motion(t)])
    parts = mp.Log(t, q, q, q_ref=motion(t)).parts()
    assert len(parts) == 3
    np.testing.assert_array_equal(parts[2].q, q[2])
    np.testing.assert_array_equal(parts[2].q_ref, motion(t))


def test_samples_between_two_times() -> None:
    log = log_at(np.arange(100) * 1e-2)
    np.testing.assert_array_equal(log.between(0.1, 0.2).t, log.t[10:21])
    with pytest.raises(mp.InputError, match="no sample is between 5 and 6 s"):
        log.between(5, 6)


@pytest.mark.parametrize("seed", range(8))
def test_a_motor_at_its_limit_is_seen(seed: int) -> None:
    """Clipped torques, exactly the clipped samples that stay there; unclipped ones, coarse or at rest, never."""
    rng = np.random.default_rng(seed)
    t = np.arange(3000) * 1e-3
    tau = 10 * motion(4 * t) + rng.normal(0, 0.05, (3000, 2))
    limit = float(rng.uniform(5, 8))
    clipped = mp.Log(t, motion(t), np.clip(tau, -limit, limit))
    beyond = np.abs(tau) > limit
    assert not (clipped.saturated & ~beyond).any()
    assert clipped.saturated.sum() > 0.9 * beyond.sum()
    coarse = np.round(10 * motion(4 * t) * 2) / 2
    for given in (tau, 10 * motion(4 * t), coarse):
        assert not mp.Log(t, motion(t), given).saturated.any()
    rest = np.vstack([np.repeat(motion(t)[:1], 300, 0), motion(t)])
    held = np.vstack([np.full((300, 2), 50.0), tau])
    assert not mp.Log(np.arange(3300) * 1e-3, rest, held).saturated.any()


def test_a_torque_at_the_limit_of_the_motor_is_seen() -> None:
    t = np.arange(100) * 1e-2
    log = mp.Log(t, motion(t), 10 * motion(t), effort_limits=(5.0, np.inf))
    np.testing.assert_array_equal(log.saturated, np.abs(log.tau) >= [5.0, np.inf])
    assert not mp.Log(t, motion(t)).saturated.any()


@pytest.mark.parametrize("seed", range(12))
def test_a_limit_that_is_often_passed_is_no_limit(seed: int) -> None:
    """Placeholders of robot files, torques in other units; a limit that is kept stays one, and so does none at all."""
    rng, t = np.random.default_rng(seed), np.arange(400) * 1e-2
    most = 10 * np.abs(motion(t)).max(axis=0)
    limits = np.array([rng.choice([0.01, 0.3, 1.3, 50.0, 0.0]), 1.05]) * most
    limits[1] = limits[1] if seed % 3 else 0.1  # the second is a placeholder now and then
    log = mp.Log(t, motion(t), 10 * motion(t)).checked(_limited(limits))
    often = np.quantile(np.abs(log.tau), 0.9, axis=0)
    for j, (own, limit) in enumerate(zip(log.effort_limits, limits)):
        passed = limit > 0 and often[j] > 1.1 * limit
        assert own == (np.inf if passed or not limit else limit)
        assert any("often above" in note and log.names[j] in note for note in log.notes) == passed
    assert not log.saturated[:, np.isinf(log.effort_limits)].any()


def _limited(limits: np.ndarray) -> mp.Robot:
    head = 'format = 1\nname = "limited"\nconvention = "standard"\nangle = "deg"\n'
    said = [f"effort_limit = {x}" if x else "" for x in limits]
    rows = [f'[[joint]]\ntype = "revolute"\nd = 0\na = 1\nalpha = 0\n{line}\n' for line in said]
    return mp.Robot.from_text(head + "".join(rows))


def test_gaps_at_either_end_are_seen() -> None:
    t = np.concatenate([[0.0], 50 + np.arange(20) * 1e-2, [99.0]])
    assert [piece.stop - piece.start for piece in sampling.pieces(t)] == [1, 20, 1]


def test_a_figure_has_every_quantity_and_joint() -> None:
    pytest.importorskip("matplotlib")
    t = np.arange(50) * 1e-2
    log = mp.Log(t, motion(t), 10 * motion(t), q_ref=motion(t), turns=(True, False), effort_limits=(5, 5))
    axes = log.plot(degrees=True).axes
    assert [place.get_ylabel() for place in axes] == ["position [deg]", "position [m]", "torque [N·m]", "force [N]"]
    np.testing.assert_allclose(axes[0].lines[0].get_ydata(), np.degrees(log.q[:, 0]))
    np.testing.assert_allclose(axes[3].lines[0].get_ydata(), log.tau[:, 1])
    assert len(axes[0].lines) == 2 and len(axes[2].lines) == 2  # what was wanted; where the motor was at its limit
    with pytest.raises(mp.InputError, match="draws one arm"):
        mp.Log(t, np.stack([motion(t)] * 2)).plot()


@pytest.mark.parametrize(
    "robot, log, sentence",
    [
        (
            "planar2r",
            {"joints": ("theta2", "theta1")},
            "has its joints in the order theta2, theta1; planar2r has theta1",
        ),
        ("planar2r", {"joints": ("a", "b")}, "is of joints a, b; planar2r has theta1, theta2"),
        ("puma560", {}, "has 2 joints; puma560 has 6"),
    ],
)
def test_a_log_of_another_robot_is_refused(robot: str, log: dict[str, object], sentence: str, whole: Sentences) -> None:
    with whole.raises(mp.InputError, match=sentence):
        log_at(np.arange(50) * 1e-2, **log).checked(mp.load(robot))


def test_a_checked_log_knows_its_robot() -> None:
    log = log_at(np.arange(50) * 1e-2, 4).checked(mp.load("scara"))
    assert log.turns == (True, True, False, True) and log.joints == ("theta1", "theta2", "d3", "theta4")
    assert log.checked(mp.load("scara")).notes == log.notes


def test_numbers_that_are_none_are_refused() -> None:
    """Complex ones, and those that a mask hides."""
    t, q = [0.0, 0.1, 0.2], np.ones((3, 1))
    with pytest.raises(mp.InputError, match="complex"):
        mp.Log(t, q, q * 1j)
    with pytest.raises(mp.InputError, match="no number"):
        mp.Log(t, q, np.ma.masked_array(q, mask=[[False], [True], [False]]))
    assert mp.Log(t, q, np.ma.masked_array(q)).tau is not None
