"""Clocks of recorders: jitter, pauses, short gaps and changes of rate; what is one stretch, and what is several."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import manipula as mp
from manipula.recordings import sampling
from manipula.recordings.coarse_clock import times_between_ticks
from manipula.recordings.repairs import Rows
from tests.recordings import recording, two_joints


def motion(t: np.ndarray) -> np.ndarray:
    return np.stack([np.sin(2 * np.pi * 0.3 * t), 0.6 * np.cos(2 * np.pi * 0.21 * t)], axis=1)


def lost(rng: np.random.Generator, count: int, many: int) -> np.ndarray:
    """Samples that are there, where a few pauses of 3 to 10 lost the others."""
    kept = np.ones(count, bool)
    for place in rng.integers(100, count - 100, many):
        kept[place : place + rng.integers(3, 10)] = False
    return kept


@pytest.mark.parametrize("seed", range(12))
def test_jitter_and_gaps_of_milliseconds_leave_one_piece(seed: int) -> None:
    """About 1 kHz, stamps late or samples late, four to eight gaps above 3 ms."""
    rng, count = np.random.default_rng(seed), 8000
    kept = lost(rng, count, int(rng.integers(4, 9)))
    even = np.arange(count) / float(rng.uniform(900, 1100))
    late = np.minimum(rng.exponential(1e-4, count), 4e-4)
    true, stamps = (even, even + late) if seed % 2 else (even + late, even + late)
    (part,) = mp.Log(stamps[kept], motion(true[kept]), motion(true[kept])).parts()
    offset = late.mean() if seed % 2 else 0.0
    np.testing.assert_allclose(part.q, motion(part.t - offset), atol=2e-4)
    assert any("bridged" in note for note in part.notes) and np.ptp(np.diff(part.t)) < 1e-9


@pytest.mark.parametrize("seed", range(8))
def test_pauses_of_the_clock_lose_no_sample(seed: int) -> None:
    """What writes the stamps stops for some milliseconds and catches up: samples are even, and all are there."""
    rng, true = np.random.default_rng(seed), 1e-3 * np.arange(6000)
    late = rng.exponential(3e-5, len(true))
    for place in rng.integers(100, 5800, 6):
        pause = float(rng.uniform(3e-3, 9e-3))
        many = int(1e3 * pause) + 1
        late[place : place + many] = np.maximum(late[place : place + many], pause - 1e-3 * np.arange(many))
    stamps = np.maximum.accumulate(true + late) + 1e-9 * np.arange(len(true))
    (part,) = mp.Log(stamps, motion(true), motion(true)).parts()
    np.testing.assert_array_equal(part.q, motion(true))
    assert "samples are taken as even" in "".join(part.notes)


@pytest.mark.parametrize("seed", range(8))
def test_stamps_that_overtake_each_other_are_not_several_recordings(seed: int) -> None:
    """A busy computer stamps rows late, by more than a step: rows stay as they were written. Rows of a network that
    come in another order have true stamps, and are sorted."""
    rng, true = np.random.default_rng(seed), 1e-3 * np.arange(4000)
    stamps = true + np.minimum(rng.exponential(5e-4, len(true)), 4e-3)
    assert (np.diff(stamps) < 0).any()
    late = Rows("log", stamps, {"q": motion(true)}).repair()
    (part,) = mp.Log(late.t, late.arrays["q"], late.arrays["q"]).parts()
    np.testing.assert_allclose(part.q, motion(part.t - (stamps - true).mean()), atol=3e-3)
    assert "rows stay in their order" in late.said[0] and (np.diff(late.t) >= 0).all()
    order = np.argsort(stamps)
    network = Rows("log", true[order], {"q": motion(true[order])}).repair()
    np.testing.assert_array_equal(network.arrays["q"], motion(true))
    assert "sorted" in network.said[0]


@pytest.mark.parametrize("seed", range(10))
def test_a_rate_has_changed_where_it_stays_changed(seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = 1e-3, float(rng.choice([2e-3, 4e-3, 5e-4]))
    for many, pieces in ((int(rng.integers(8, 40)), 1), (int(rng.integers(200, 400)), 3)):
        steps = np.concatenate([np.full(500, first), np.full(many, second), np.full(500, first)])
        t = np.cumsum(steps * rng.uniform(0.8, 1.2, len(steps)))
        assert len(sampling.pieces(t)) == pieces


def test_a_gap_is_bridged_where_it_is_short_beside_the_filter() -> None:
    t = np.concatenate([np.arange(4000), 4060 + np.arange(4000)]) * 1e-3
    log = mp.Log(t, motion(t), motion(t))
    assert len(log.parts()) == 2 and len(log.parts_for(3.0)) == 1 and len(log.parts_for(8.0)) == 2
    np.testing.assert_allclose(log.parts_for(3.0)[0].q, motion(log.parts_for(3.0)[0].t), atol=1e-5)


def test_stretches_shorter_than_some_periods_are_left_out() -> None:
    t = np.concatenate([np.arange(5000), 6000 + np.arange(300), 8000 + np.arange(5000)]) * 1e-3
    parts = mp.Log(t, motion(t), motion(t)).parts_for(3.0)
    assert [len(part) for part in parts] == [5000, 5000]
    assert any("1 stretches shorter than 4 periods of the filter" in note for note in parts[0].notes)
    short = mp.Log(t[5000:5300], motion(t[5000:5300]), motion(t[5000:5300]))
    assert [len(part) for part in short.parts_for(3.0)] == [300]


@pytest.mark.parametrize("seed", range(2))
def test_an_arm_is_found_as_well_with_jitter_and_gaps(seed: int) -> None:
    """The error on another recording is that of a clean one, to a fifth."""
    robot, rng = two_joints(), np.random.default_rng(seed)
    clean, other = (recording(robot, s, seconds=8, rate=1000.0, noise=0.02) for s in (seed, seed + 50))
    kept = lost(rng, len(clean), 6)
    stamps = clean.t + np.minimum(rng.exponential(1e-4, len(clean)), 4e-4)
    rough = mp.Log(stamps[kept], clean.q[kept], clean.tau[kept])
    model = mp.JointModel()
    errors = [mp.identify(robot, log, model=model).error(other) for log in (mp.Log(clean.t, clean.q, clean.tau), rough)]
    assert errors[1] < 1.2 * errors[0]


def test_long_recordings_are_interpolated_by_parts() -> None:
    """A spline by parts is the spline of the whole."""
    from scipy.interpolate import CubicSpline

    rng = np.random.default_rng(0)
    t = np.cumsum(rng.uniform(0.8e-3, 1.2e-3, 2 * sampling.PART + 77))
    wanted = np.linspace(t[0], t[-1], 70_001)
    x = motion(t)
    np.testing.assert_allclose(sampling.interpolate_rows(t, x, wanted), CubicSpline(t, x)(wanted), atol=1e-13)


@pytest.mark.parametrize("seed", range(6))
def test_stamps_that_repeat_are_of_even_samples(seed: int, tmp_path: Path) -> None:
    """A clock of milliseconds under a recorder of more than a kilohertz: some stamps stand twice, no sample is lost."""
    rng = np.random.default_rng(seed)
    true = np.arange(3000) / float(rng.uniform(1100, 1700))
    stamps = np.round(true + rng.uniform(0, 3e-4, len(true)), 3)
    rows = np.column_stack([np.maximum.accumulate(stamps), motion(true), motion(true)])
    np.savetxt(tmp_path / "run.csv", rows, delimiter=",", header="t,q1,q2,tau1,tau2", comments="", fmt="%.9g")
    with pytest.warns(mp.ManipulaWarning, match="samples are taken as even"):
        log = mp.read_log(tmp_path / "run.csv", two_joints())
    assert len(log) == len(true) and len(log.parts()) == 1
    np.testing.assert_allclose(log.t - log.t[0], true, atol=1e-3)
    assert log.rate == pytest.approx(1 / true[1], rel=1e-3)


@pytest.mark.parametrize("seed", range(8))
def test_samples_between_the_ticks_of_a_coarse_clock_are_even(seed: int) -> None:
    """Stamps of 2 to 60 samples' length, floored, with pauses of 60 to 400 samples: no time is off by two samples."""
    rng = np.random.default_rng(seed)
    rate, count = float(rng.uniform(100, 1000)), 6000
    tick = float(rng.uniform(2, 60)) / rate
    true, kept = np.arange(count) / rate, np.ones(count, bool)
    for place in rng.integers(300, count - 900, int(rng.integers(0, 4))):
        kept[place : place + rng.integers(60, 400)] = False
    true = true[kept]
    rows = Rows("log", np.floor(true / tick) * tick, {"q": motion(true)}).repair()
    off = rows.t - true
    assert np.abs(off - np.median(off)).max() < 2 / rate and "taken as even" in "".join(rows.said)


@pytest.mark.parametrize("seed", range(40))
def test_times_between_ticks_rise_throughout_or_are_none(seed: int) -> None:
    """Whatever the stamps: even ticks, ticks of uneven fill, stamps that go back, two recordings in one."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, rng.integers(2, 30), 120)
    t = np.repeat(np.arange(120) * 0.01, counts)
    t = t + rng.choice([0.0, 1e-3, 6e-3]) * rng.normal(size=len(t)) * (rng.random(len(t)) < 0.2)
    found = times_between_ticks(t, motion(np.sort(t)))
    assert found is None or (np.diff(found) > 0).all()


def test_the_rows_of_two_recordings_are_not_taken_for_ticks() -> None:
    t = np.repeat(np.arange(400) * 0.01, 2)
    q = motion(t) * np.where(np.arange(800) % 2, 1.0, -1.0)[:, None]
    with pytest.raises(mp.InputError, match="several recordings"):
        Rows("log", t, {"q": q}).repair()
