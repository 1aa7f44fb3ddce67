"""Parts of an identification against what they say: filters, thinning, outliers, slips, doubts, limits of motions."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.identification import decimation, filters, outliers
from manipula.identification.calibration import measurements
from manipula.identification.calibration import result as calibrated
from manipula.identification.conversion import Conversion, read_motors, shift_torques
from manipula.identification.data import Accumulator, Grams, gather
from manipula.identification.excitation import motions, penalties
from manipula.identification.fit import comparison, cutoff, diagnostics, hypotheses, selection
from manipula.identification.fit.errors import Errors, _errors
from manipula.identification.fit.gains import Gain
from manipula.identification.fit.slips import RecordingSlip, Search
from manipula.identification.joint_model import JointModel
from manipula.identification.online import estimator, payload
from manipula.mechanics.models.motion.ports import Motion
from manipula.messages import Message
from tests.recordings import recording, two_joints

rng = np.random.default_rng

# filters


def test_differences_are_exact_for_polynomials() -> None:
    """Over five samples up to the fifth power, over three up to the third in the middle; ends repeat."""
    t = np.arange(9) / 10.0 - 0.3
    q = np.stack([t**4 - 2 * t**3 + t, 3 * t**2 - 1], axis=1)
    true = np.stack([4 * t**3 - 6 * t**2 + 1, 6 * t], axis=1), np.stack([12 * t**2 - 12 * t, 6 + 0 * t], axis=1)
    qd, qdd = filters.rates(q, 0.1)
    np.testing.assert_allclose(qd[2:-2], true[0][2:-2], atol=1e-12)
    np.testing.assert_allclose(qdd[2:-2], true[1][2:-2], atol=1e-10)
    np.testing.assert_allclose(qd[:, 1], true[0][:, 1], atol=1e-12)
    np.testing.assert_allclose(qdd[:, 1], true[1][:, 1], atol=1e-10)
    np.testing.assert_array_equal(qdd[[0, -1]], qdd[[1, -2]])
    np.testing.assert_allclose(qdd[1], (q[2] - 2 * q[1] + q[0]) / 0.01)
    for count in (3, 4):
        short = filters.rates(q[:count, 1:], 0.1)
        np.testing.assert_allclose(short[0], true[0][:count, 1:], atol=1e-12)
        np.testing.assert_allclose(short[1], true[1][:count, 1:], atol=1e-10)
    with pytest.raises(mp.InputError, match="log: 2 samples tell no acceleration"):
        filters.rates(q[:2], 0.1)


@pytest.mark.parametrize(
    "rate, hertz, step", [(1000.0, 10.0, 20), (100.0, 10.0, 2), (100.0, 30.0, 1), (999.0, 20.0, 8)]
)
def test_a_filter_keeps_some_rows_a_period(rate: float, hertz: float, step: int) -> None:
    smooth = filters.Smoother(rate, hertz)
    assert smooth.step == step and smooth.ends == smooth.blur == int(np.ceil(rate / hertz))
    assert smooth.wider().cutoff == min(2 * hertz, 0.45 * rate) and smooth.wider().rate == rate
    assert str(smooth) == f"zero-phase Butterworth, {hertz:.3g} Hz"
    assert str(filters.Smoother(rate, hertz, "why")).endswith(" Hz: why")
    other = filters.Smoother(rate, hertz / 2, "", hertz)
    assert other.ends == int(np.ceil(rate / hertz)) and other.blur == int(np.ceil(2 * rate / hertz))
    assert other.wider().cutoff == min(2 * hertz, 0.45 * rate)
    passed = 1 / (1 + (np.tan(np.pi * np.linspace(0, 0.5, 40_001)[:-1]) / np.tan(np.pi * hertz / rate)) ** 8) ** 2
    assert smooth.correlation == pytest.approx(max(1.0, 1 / (step * passed.mean())), rel=5e-3)


def test_no_filter_changes_nothing() -> None:
    none = filters.Smoother(100.0, None)
    x = rng(1).normal(size=(20, 2))
    assert none(x) is x and none.positions(x) is x and none.wider() is none and str(none) == "not filtered"
    assert (none.step, none.ends, none.blur, none.memory, none.correlation) == (1, 0, 0, 0, 1.0)
    assert not none.reads_fewer(10**6)
    some = filters.Smoother(100.0, 10.0)
    assert some(x[:1]) is not None and len(some(x[:1])) == 1 and len(some.positions(x[:1])) == 1
    assert not np.allclose(some(x[:2]), x[:2])
    for bad in (0.0, -1.0, 50.0, 60.0):
        with pytest.raises(mp.InputError, match="expected a cut-off between 0 and 50 Hz"):
            filters.Smoother(100.0, bad)
    assert filters.Smoother(100.0, 49.9).cutoff == 49.9


def test_positions_of_a_parabola_stay() -> None:
    """A motion that goes on beyond its ends with a constant acceleration is not bent there."""
    t = np.linspace(0, 1, 201)[:, None]
    q = 1 + 2 * t - 3 * t**2
    np.testing.assert_allclose(filters.Smoother(200.0, 10.0).positions(q), q, atol=1e-9)
    np.testing.assert_allclose(decimation.quintic_between_ends(q, 5), q, atol=1e-9)
    assert not decimation.quintic_between_ends(q, 4).any()
    quintic = decimation.quintic_between_ends(t**5, 8)
    assert np.abs(quintic - t**5).max() < 0.02


@pytest.mark.parametrize(
    "raw, finer, strides",
    [(1, 1.0, (1, 1, 1)), (7, 1.0, (1, 1, 7)), (8, 1.0, (1, 2, 8)), (70, 1.0, (2, 16, 64)), (70, 2.0, (1, 8, 64)),
     (70, 0.5, (2, 16, 64)), (15, 2.0, (1, 1, 15)), (16, 2.0, (1, 2, 16)), (100, 1.1, (2, 20, 100))],
)  # fmt: skip
def test_strides_are_multiples_of_each_other(raw: int, finer: float, strides: tuple[int, int, int]) -> None:
    assert decimation.strides_for(raw, finer) == strides


def test_a_transient_is_gone_after_the_memory() -> None:
    """The slowest pole of Butterworth's filter of order 4: its real part is ωc·sin(π/8)."""
    assert decimation.memory(1000.0, 10.0, np.exp(-1)) == int(np.ceil(1000 / (2 * np.pi * 10 * np.sin(np.pi / 8))))
    assert decimation.memory(1000.0, 10.0, 1e-13) == filters.Smoother(1000.0, 10.0).memory
    kernel = decimation.impulse_response(1000.0, 50.0, 2)
    assert kernel.sum() == pytest.approx(1.0, abs=1e-12) and np.argmax(kernel) == len(kernel) // 2
    np.testing.assert_allclose(kernel, kernel[::-1], atol=1e-15)
    assert abs(kernel[0]) < 1e-9 * kernel.max()
    strides = decimation.Strides(1, 3, 12)
    assert decimation.reach_of(1000.0, 50.0, strides) == decimation.memory(1000.0, 50.0, 1e-9) + 3


def test_lengths_that_a_fast_transform_likes() -> None:
    for least in range(2, 400):
        found = decimation.fast_length(least)
        odd = found
        while odd % 2 == 0:
            odd //= 2
        assert found >= least and found % 2 == 0 and odd in (1, 3, 5) and found < 1.34 * least + 2
    assert [decimation.fast_length(k) for k in (5, 9, 11, 13, 17, 33, 41, 49)] == [6, 10, 12, 16, 20, 40, 48, 64]


def test_a_filter_keeps_and_stops_what_its_response_says() -> None:
    t = np.arange(2000) / 1000.0
    for hertz in (5.0, 20.0, 35.0, 80.0):
        share = 1 / (1 + (np.tan(np.pi * hertz / 1000) / np.tan(np.pi * 0.02)) ** 8)
        assert decimation.response(np.array([hertz]), 1000.0, 20.0)[0] == pytest.approx(share, rel=1e-12)
        wave = np.sin(2 * np.pi * hertz * t)[:, None] * [1.0, 2.0]
        np.testing.assert_allclose(
            decimation.zero_phase(wave, 1000.0, 20.0)[500:1500], share * wave[500:1500], atol=2e-3
        )
    line = 3 + 2 * t[:, None]
    np.testing.assert_allclose(decimation.zero_phase(line, 1000.0, 20.0), line, atol=1e-9)
    short = decimation.zero_phase(line[:5], 1000.0, 20.0)
    assert short.shape == (5, 1) and np.abs(short - line[:5]).max() < 0.01


def test_thinned_flags_and_logs() -> None:
    flags = np.zeros((10, 2), bool)
    flags[[3, 9], [0, 1]] = True
    assert decimation.thin_flags(flags, 4).tolist() == [[True, False], [False, False], [False, True]]
    t = np.arange(400) / 100.0
    slow = np.sin(2 * np.pi * t)[:, None]
    log = mp.Log(t, slow, np.cos(2 * np.pi * t)[:, None], qd_ref=slow, source="a.csv", notes=("n",))
    thin = decimation.thin_log(log, 4)
    assert thin is decimation.thin_log(log, 4) and thin.source == "a.csv" and thin.notes == ("n",) and thin.qd is None
    np.testing.assert_array_equal(thin.t, t[::4])
    assert thin.tau is not None and thin.qd_ref is not None
    np.testing.assert_allclose(thin.q[10:-10], slow[::4][10:-10], atol=5e-3)
    np.testing.assert_allclose(thin.tau[10:-10, 0], np.cos(2 * np.pi * t)[::4][10:-10], atol=5e-3)


# where to cut


def test_the_end_of_a_spectrum_is_where_it_is_rarely_above() -> None:
    above = np.zeros(100, bool)
    assert filters._end(above) == 0
    above[:20] = True
    assert filters._end(above) == 19  # one of ten
    above[60] = True
    assert filters._end(above) == 19
    above[24:28] = True
    assert filters._end(above) == 27
    assert filters._end(np.ones(30, bool)) == 30


def test_the_band_holds_all_but_a_millionth_of_the_acceleration() -> None:
    f = np.arange(101.0)
    motion = np.zeros((101, 3))
    motion[10, 0], motion[20, 1] = 1.0, 1.0
    assert filters._band(f, motion[:, :1]) == 10.0 and filters._band(f, motion) == 15.0
    motion[60, 0] = 0.9e-6 * (10 / 60) ** 4
    assert filters._band(f, motion[:, :1]) == 10.0
    motion[60, 0] = 1.2e-6 * (10 / 60) ** 4
    assert filters._band(f, motion[:, :1]) == 60.0


def test_motion_and_noise_by_frequency() -> None:
    f = np.arange(91.0)
    power = np.stack([1.0 + 99.0 * (f < 30), 2.0 + 6.1 * (f < 10), 3.0 + 8.9 * (f < 10)], axis=1)
    moved, noise = filters.split_spectrum(f, power)
    np.testing.assert_array_equal(noise, np.broadcast_to([1.0, 2.0, 3.0], power.shape))
    np.testing.assert_array_equal(moved[:, 0], 99.0 * (f < 29))
    np.testing.assert_array_equal(moved[:, 1], 6.1 * (f < 10))
    assert not moved[:, 2].any()  # less than four times the floor
    passed = f**4 / (1 + (f / 20.0) ** 8) ** 2
    shares = [(passed * noise[:, j]).sum() / (passed * moved[:, j]).sum() for j in (0, 1)]
    assert filters._noise(f, moved, noise, 20.0) == pytest.approx(np.mean(shares))
    assert filters._noise(f, 0 * moved, noise, 20.0) == np.inf


def recorded(count: int, rate: float, x: Any) -> mp.Log:
    t = np.arange(count) / rate
    return mp.Log(t, x(t)[:, None], np.ones((count, 1)))


def test_automatic_cut_offs() -> None:
    clean = recorded(4000, 200.0, lambda t: np.sin(2 * np.pi * 1.0 * t))
    found = filters.cutoff_for([recorded(40, 200.0, np.sin), clean], "auto")
    assert found.frequency == pytest.approx(5.0, abs=3.0) and found.reason.startswith("5 times the motion's band of ")
    band = float(found.reason.split()[-2])
    assert found.frequency == pytest.approx(5 * band, rel=0.06)
    noisy = recorded(4000, 200.0, lambda t: np.sin(2 * np.pi * t) + 1e-2 * rng(0).normal(size=len(t)))
    louder = filters.cutoff_for([noisy], "auto")
    assert louder.reason.startswith("beyond it noise begins to count") and louder.frequency < 5.0
    still = filters.cutoff_for([recorded(100, 200.0, lambda t: 0 * t + 1)], "auto")
    assert still.frequency is None and still.reason == "no joint moves above its noise"
    with pytest.raises(mp.InputError, match="has 31 samples, too few to tell motion from noise; expected 32 or more"):
        filters.found_cutoff([clean.between(0, 30.5 / 200.0)])
    filters.found_cutoff([clean.between(0, 31.5 / 200.0)])


def test_cut_offs_that_are_given() -> None:
    log = recorded(4000, 200.0, lambda t: np.sin(2 * np.pi * t))
    assert filters.cutoff_for([log], None) == filters.Cutoff(None, "as given")
    assert filters.cutoff_for([log], 7) == filters.Cutoff(7.0, "as given")
    found = filters.cutoff_for([log], "auto")
    low, high = (filters.Cutoff(x, "torque") for x in (0.5 * found.frequency, 2 * found.frequency))
    assert filters.cutoff_for([log], filters.Below(low)) == filters.Cutoff(low.frequency, "torque", found.frequency)
    assert filters.cutoff_for([log], filters.Below(high)) == found
    assert filters.cutoff_for([log], filters.Below(filters.Cutoff(None, ""))) == found
    same = filters.Cutoff(49.9, "training", 60.0)
    assert filters.cutoff_for([log], filters.Same(same)) == same
    more = filters.Cutoff(50.1, "training", 60.0)
    lower = filters.cutoff_for([log], filters.Same(more))
    assert (lower.frequency, lower.motion) == (pytest.approx(50.0), 60.0)
    assert lower.reason == "a quarter of the sampling rate, lower than the 50.1 Hz of the training"
    for bad in ("none", np.nan, np.inf):
        with pytest.raises(mp.InputError, match='filter: expected "auto", a cut-off in Hz, or None'):
            filters.cutoff_for([log], bad)


def test_stops_hold_between_samples() -> None:
    q = np.array([0.0, 0.1, 0.3, 0.2, -0.5])[:, None]
    (found,) = filters.stops(q, [np.array([0.25])])
    np.testing.assert_allclose(found[:, 0], [0.0, 0.4, 1.0, 0.6, -1.0])
    (coarse,) = filters.stops(q, [np.array([0.25])], 2)
    np.testing.assert_allclose(coarse[:, 0], [0.0, 1.0, -1.0])
    assert filters.stops(q, []) == []
    made = filters.RecordedMotion(q[:, 0], q, q, q, q, filters.Smoother(10.0, None), {1: coarse}, 2)
    np.testing.assert_allclose(made.stops_at(slice(0, 5))[1][:, 0], [0.0, 0.0, 1.0, 1.0, -1.0])


def test_the_end_of_a_torque_between_two_bands() -> None:
    power, shared = np.ones(8), np.r_[np.ones(5), 0.75, 0.25, 0.0]
    shared, power = 1e6 * shared * np.r_[np.ones(4), 1e-5 * np.ones(4)], 1e6 * np.r_[np.ones(4), 1e-5 * np.ones(4)]
    middle = 0.5 * 2 ** ((np.arange(8) + 0.5) / 4)
    assert cutoff._band_end(power, shared, 0.5) == pytest.approx(np.sqrt(middle[5] * middle[6]))
    assert cutoff._band_end(power, power, 0.5) == np.inf and cutoff._band_end(power, 0 * power, 0.5) == np.inf
    loud = np.ones(8)  # the model is wrong, not the torque
    assert cutoff._band_end(loud, np.r_[np.ones(5), 0.75, 0.25, 0.0], 0.5) == np.inf
    t = np.arange(4000) / 200.0
    sine = np.sin(2 * np.pi * 2 * t)[:, None]
    asked = sine + 0.02 * rng(4).normal(size=(4000, 1))
    lost = decimation.zero_phase(asked, 200.0, 10.0)
    weights = np.ones(1)
    assert cutoff.torque_end([asked], [lost], [200.0], weights) == pytest.approx(10.0, rel=0.1)
    assert cutoff.torque_end([asked], [-lost], [200.0], weights) == np.inf
    assert cutoff.torque_end([asked], [asked], [200.0], weights) == np.inf
    assert cutoff.torque_band([asked, lost], [asked, lost], [200.0, 200.0], weights) == pytest.approx(2.0, abs=0.1)
    assert cutoff.torque_band([asked], [asked + 3.0], [100.0], weights) == pytest.approx(1.0, abs=0.1)


# samples that jump away


def test_neighbours_predict_polynomials() -> None:
    for offsets in outliers.SETS:
        for power in range(len(offsets)):
            value = sum(w * (k + 2.0) ** power for k, w in outliers._weights(offsets))
            assert value == pytest.approx(2.0**power)


@pytest.mark.parametrize("place", [0, 1, 2, 3, 50, 197, 198, 199])
@pytest.mark.parametrize("channel", ["q", "tau"])
def test_a_spike_anywhere_is_interpolated(place: int, channel: str) -> None:
    t = 3.0 + np.arange(200) / 100.0
    clean = np.stack([np.sin(3 * t), np.cos(2 * t)], axis=1)
    spoilt = clean.copy()
    spoilt[place, 1] += 5.0
    arrays = {"q": clean, "tau": clean, channel: spoilt}
    log = mp.Log(t, **arrays, qd=clean, qdd=clean, joints=("base", "elbow"))
    found = outliers.without_outliers(log)
    word = "position" if channel == "q" else "torque"
    assert found.notes == (
        f"elbow: 1 samples of its {word} jump away from their neighbours, the first at {t[place]:.5g} s; interpolated",
    )
    np.testing.assert_allclose(getattr(found, channel), clean, atol=1e-4)
    assert (found.qd is None) == (found.qdd is None) == (channel == "q")
    assert outliers.without_outliers(mp.Log(t, clean, clean)).q is clean or True


def test_logs_without_outliers_stay() -> None:
    t = np.arange(200) / 100.0
    step = np.where(t < 1.0, 1.0, -1.0)[:, None] + 1e-3 * rng(0).normal(size=(200, 1))
    log = mp.Log(t, np.sin(t)[:, None], step)
    assert outliers.without_outliers(log) is log  # friction that changes its sign
    short = mp.Log(t[:11], np.r_[np.zeros(5), 9.0, np.zeros(5)][:, None], None)
    assert outliers.without_outliers(short) is short
    often = np.sin(t)[:, None].copy()
    often[5::20] += 4.0  # a twentieth of the samples
    assert not outliers.outliers(often, outliers.KINDS["q"]).any()
    rarely = np.sin(t)[:, None].copy()
    rarely[5::50] += 4.0
    assert np.flatnonzero(outliers.outliers(rarely, outliers.KINDS["q"])).tolist() == [5, 55, 105, 155]
    assert not outliers.outliers(np.ones((50, 1)), outliers.KINDS["tau"]).any()


# numbers of motors


def test_conversions_follow_each_other() -> None:
    gen = rng(3)
    one, two = (Conversion(gen.normal(size=(2, 2)), gen.normal(size=2), gen.normal(size=(2, 2))) for _ in range(2))
    t, x = np.arange(4.0), gen.normal(size=(7, 4, 2))
    log = mp.Log(t, x[0], x[1], x[2], x[3], x[4], x[5], x[6], effort_limits=(1.0, 2.0))
    once, twice = one.then(two).apply(log), two.apply(one.apply(log))
    for name in ("q", "qd", "qdd", "tau", "q_ref", "qd_ref", "qdd_ref"):
        np.testing.assert_allclose(getattr(once, name), getattr(twice, name), atol=1e-12)
    np.testing.assert_allclose(one.apply(log).q, x[0] @ one.Q.T + one.q0)
    np.testing.assert_allclose(one.apply(log).qd_ref, x[5] @ one.Q.T)
    np.testing.assert_allclose(one.apply(log).q_ref, x[4] @ one.Q.T + one.q0)
    np.testing.assert_allclose(one.apply(log).tau, x[1] @ one.T.T)
    assert one.apply(log).effort_limits == ()
    plain = Conversion.identity(2)
    assert plain.is_identity and plain.apply(log) is log
    for change in (Conversion(2 * plain.Q, plain.q0, plain.T), Conversion(plain.Q, plain.q0 + 1, plain.T),
                   Conversion(plain.Q, plain.q0, -plain.T)):  # fmt: skip
        assert not change.is_identity and change.apply(log).effort_limits == (1.0, 2.0)
    assert one.apply(mp.Log(t, x[0])).tau is None
    with pytest.raises(mp.InputError, match="motors: are 2, and the recording has 1 joints"):
        one.apply(mp.Log(t, x[0][:, :1]))


def test_motors_turn_by_gears_and_couplings(tmp_path: Path) -> None:
    """q_m = G (K q) + q_0, and virtual work: τ = (G K)ᵀ k i."""
    file = tmp_path / "motors.toml"
    file.write_text('gear_ratio = [2.0, -4.0]\ncoupling = [[1, 0], [1, 1]]\nzero_offset = [90.0, 0.0]\nangle = "deg"\n'
                    "torque_constant = [0.5, 0.25]\n", encoding="utf-8")  # fmt: skip
    found, q, current = read_motors(file, 2), np.array([0.3, -0.2]), np.array([1.5, 2.5])
    turn = np.diag([2.0, -4.0]) @ np.array([[1.0, 0.0], [1.0, 1.0]])
    np.testing.assert_allclose(found.Q @ (turn @ q + [np.pi / 2, 0.0]) + found.q0, q, atol=1e-12)
    np.testing.assert_allclose(found.T @ current, turn.T @ (np.array([0.5, 0.25]) * current), atol=1e-12)
    file.write_text("gear_ratio = 3\n", encoding="utf-8")
    np.testing.assert_allclose(read_motors(file, 2).Q, np.eye(2) / 3)


# slips


def left(balanced: float, whole: float | None = None, worst: float = 0.0, surprise: float = 0.0) -> comparison.Left:
    return comparison.Left(balanced if whole is None else whole, balanced, worst, surprise)


def test_a_fit_is_poor_by_the_whole_or_by_one_joint() -> None:
    assert not left(0.1, worst=0.3).poor and left(0.1001).poor and left(0.05, worst=0.3001).poor


def test_the_windows_of_a_long_recording() -> None:
    assert comparison._windows(100, 1.0) == [(0, 100)] and comparison._windows(100, 0.991) == [(0, 100)]
    found = comparison._windows(1000, 0.4)
    assert found == [(0, 100), (300, 400), (600, 700), (900, 1000)]
    assert len(comparison._windows(1000, 0.99)) == 4


def test_weights_are_parts_of_a_joints_own_torque() -> None:
    np.testing.assert_allclose(comparison.even_parts(np.array([4.0, 0.0, 0.25]), 0.5), [1.0, 0.0, 16.0])


def test_grams_with_the_other_sign_are_those_of_negated_torques() -> None:
    gen = rng(0)
    Y = gen.normal(size=(2, 3, 20, 5))
    grams, other = (
        Grams(np.einsum("bjtx,bjty->bjxy", x, x), np.full((2, 3), 20))
        for x in (Y, np.concatenate([Y[..., :-1], Y[..., -1:] * np.array([1, -1, -1])[:, None, None]], axis=-1))
    )
    found = comparison.with_negated_torques(grams, [1, 2])
    np.testing.assert_allclose(found.gram, other.gram, atol=1e-12)
    assert found.rows is grams.rows
    theta = gen.normal(size=4)
    residual = Y[..., -1] - Y[..., :-1] @ theta
    np.testing.assert_allclose(grams.squares(theta), (residual**2).sum(-1))
    assert grams.error(theta) == pytest.approx(100 * np.linalg.norm(residual) / np.linalg.norm(Y[..., -1]))
    few = grams.subset(np.array([2, 0]))
    np.testing.assert_allclose(few.squares(theta[[2, 0]]), ((Y[..., -1] - Y[..., [2, 0]] @ theta[[2, 0]]) ** 2).sum(-1))
    A, b, c = grams.normal(np.array([1.0, 2.0, 0.5]), np.array([1]))
    w = np.array([1.0, 2.0, 0.5])[:, None]
    assert theta @ A @ theta - 2 * b @ theta + c == pytest.approx((w * residual[1] ** 2).sum())
    assert grams.blocks == 2 and np.isnan(Grams(0 * grams.gram, grams.rows).error(theta))


def test_rows_are_summed_where_a_joint_feels_them() -> None:
    gen = rng(1)
    rows = [gen.normal(size=(30, 3)), gen.normal(size=(10, 2))]
    sums = Accumulator(2, [np.array([0, 2]), np.array([1])], 3)
    sums.add(1, 0, rows[0][:20])
    sums.add(1, 0, rows[0][20:])
    sums.add(0, 1, rows[1])
    found = sums.grams
    assert found.rows.tolist() == [[0, 10], [30, 0]] and found.gram.shape == (2, 2, 4, 4)
    np.testing.assert_allclose(found.gram[1, 0][np.ix_([0, 2, 3], [0, 2, 3])], rows[0].T @ rows[0])
    np.testing.assert_allclose(found.gram[0, 1][np.ix_([1, 3], [1, 3])], rows[1].T @ rows[1])
    assert not found.gram[1, 0][1].any() and not found.gram[0, 0].any()


def slip(name: str, **more: Any) -> hypotheses.RecordingSlip:
    return hypotheses.RecordingSlip(Message(name), Message(f"un{name}"), Conversion.identity(2), **more)


def explained(monkeypatch: pytest.MonkeyPatch, first: comparison.Left, **search: Any) -> hypotheses.Explanation | None:
    """`explain` with a search that was done: what slips leave alone, and beside the first of them."""

    class Done:
        def __init__(self, data: Any, model: Any, kind: Any) -> None:
            self.first, self.of_file = first, kind == "robot"

        def best(self, before: Any) -> Any:
            return search.get("beside", {}).get(before[0].fault, []) if before else search["alone"]

        def finer(self, slips: Any) -> Any:
            table = dict(search.get("finer", {}))
            return table.get(tuple(x.fault for x in slips), first if not slips else left(0.01))

        def contradicts(self, slips: Any) -> bool:
            return bool(search.get("contradicts"))

        def of_units(self) -> Any:
            return search["units"]

    monkeypatch.setattr(hypotheses, "Search", Done)
    said: list[str] = []
    found = hypotheses.explain(None, None, search.get("kind"), said.append)  # type: ignore[arg-type]
    assert len(said) == (first != comparison.NO_FIT and first.whole > hypotheses.MUCH)
    return found


def names(found: hypotheses.Explanation | None) -> list[str] | None:
    return None if found is None else [x.fault for x in found.slips]


def test_the_search_for_slips(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b, c = slip("a"), slip("b"), slip("c")

    def search(first: comparison.Left, **more: Any) -> list[str] | None:
        return names(explained(monkeypatch, first, **more))

    assert search(comparison.NO_FIT, alone=[]) is None
    assert search(left(0.1), alone=[]) is None
    one = [(a, left(0.3)), (b, left(0.05)), (c, left(0.049))]
    assert search(left(0.8), alone=one) == ["b"]  # nearly the least, and the simpler of two
    assert search(left(0.8), alone=[(a, left(0.479))]) == ["a"] and search(left(0.8), alone=[(a, left(0.481))]) is None
    assert search(left(0.8), alone=[]) is None
    beside = {"a": [(c, left(0.1))]}
    assert search(left(0.8), alone=[(a, left(0.3))], beside=beside) == ["a", "c"]  # what is left is still much
    assert search(left(0.8), alone=[(a, left(0.3))], beside={"a": [(c, left(0.181))]}) == ["a"]
    assert search(left(0.8), alone=[(a, left(0.1))], beside={"a": [(c, left(0.01))]}) == ["a"]
    pairs = {"a": [(c, left(0.3))], "b": [(c, left(0.35))]}
    helping = [(a, left(0.75)), (b, left(0.7))]
    assert search(left(0.8), alone=helping, beside=pairs) == ["a", "c"]
    assert search(left(0.8), alone=[(a, left(0.77)), (b, left(0.7))], beside=pairs) == ["b", "c"]
    assert search(left(0.8), alone=helping, beside={"a": [(c, left(0.361))]}) is None
    assert search(left(0.8), alone=[(a, left(0.7))], beside={"a": [(c, left(0.359))]}) == ["a", "c"]
    many = [(slip(x), left(0.6 + 0.01 * k)) for k, x in enumerate("pqrst")]
    assert search(left(0.8), alone=many, beside={"t": [(c, left(0.01))]}) is None
    assert search(left(0.8), alone=many, beside={"s": [(c, left(0.01))]}) == ["s", "c"]
    kept = {(): left(0.8), ("a",): left(0.5)}
    assert search(left(0.8), alone=[(a, left(0.05))], finer=kept) is None
    assert search(left(0.8), alone=[(a, left(0.05))], finer={(): comparison.NO_FIT}) is None


def test_units_are_explained_by_bodies(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = slip("degrees"), slip("radians")

    def search(surprise: float, after: float, balanced: float, kind: str | None = "robot") -> list[str] | None:
        units = [(a, left(0.05, surprise=9.0)), (b, left(balanced, surprise=after))]
        return names(explained(monkeypatch, left(0.05, surprise=surprise), units=units, kind=kind, alone=[]))

    assert search(6.0, 1.9, 0.05) == ["radians"] and search(6.0, 2.1, 0.05) is None and search(4.0, 0.1, 0.05) is None
    assert search(6.0, 1.9, 0.104) == ["radians"] and search(6.0, 1.9, 0.106) is None
    assert search(6.0, 1.9, 0.05, None) is None


def test_what_an_explanation_says() -> None:
    turn = Conversion(np.diag([1.0, -1.0]), np.array([0.0, 1.0]), np.eye(2))
    shift = Conversion(np.eye(2), np.array([1.0, 2.0]), np.eye(2))
    one = hypotheses.RecordingSlip(Message("A"), Message("a"), turn, np.array([1.0, 0, 0]))
    two = hypotheses.RecordingSlip(Message("B"), Message("b"), shift, np.array([0, 1.0, 0]), {("x", "y"): -1.0})
    found = hypotheses.Explanation((one, two), left(0.5, 0.4), left(0.1, 0.05))
    np.testing.assert_array_equal(found.conversion.q0, [1.0, 3.0])
    assert found.gravity is not None and found.gravity.tolist() == [1.0, 0, 0] and found.coupling == {("x", "y"): -1.0}
    assert not found.by_belief and found.convinces and found.figures == (pytest.approx(5.0), pytest.approx(40.0))
    said = found.warning_message()
    assert said.startswith('A and B: a and b, 5 % of the torque is left unexplained, not 40; coupling={("x", "y"): -1}')
    assert "(--coupling x,y=-1) corrects it, as repair=True (--repair) does" in said
    assert found.note() == "repaired: A and B; a and b, 5 % of the torque is left unexplained, not 40"
    alone = hypotheses.Explanation((one,), left(0.5, 0.4), left(0.1, 0.3))
    assert alone.figures == (pytest.approx(10.0), pytest.approx(50.0)) and not alone.convinces
    assert alone.warning_message().endswith("repair=True (--repair) corrects it")
    far = hypotheses.Explanation((one,), left(0.9, 0.9), left(0.26, 0.5))
    assert far.convinces and not hypotheses.Explanation((one,), left(0.9, 0.9), left(0.28, 0.5)).convinces
    assert not hypotheses.Explanation((one,), left(0.9, 0.9), left(0.26, 0.55)).convinces
    couple = hypotheses.Explanation((two,), left(0.9, 0.9), left(0.8, 0.69))
    assert couple.convinces and not hypotheses.Explanation((two,), left(0.9, 0.9), left(0.8, 0.7)).convinces
    belief = hypotheses.Explanation((one,), left(0.05), left(0.04))
    assert belief.by_belief and "the bodies found are near those of the robot's file" in belief.warning_message()


def searched(count: int, turns: tuple[bool, ...]) -> Any:
    found = hypotheses.Search.__new__(hypotheses.Search)
    found.names, found.turns = tuple("abcdefg"[:count]), np.array(turns)
    return found


@pytest.mark.parametrize("seed", range(6))
def test_a_slip_is_believed_where_little_is_left_or_far_less(seed: int) -> None:
    """Of the same torque: a tenth of a joint's is little, a third of what was left is not far less."""
    much, part = rng(seed).uniform(0.3, 0.9), rng(seed).uniform(0.35, 0.8)
    slip = RecordingSlip(Message("a"), Message("b"), Conversion.identity(2))

    def found(before: float, after: float) -> hypotheses.Explanation | None:
        left = {0: comparison.Left(*[before] * 3, 0.0), 1: comparison.Left(*[after] * 3, 0.0)}
        search: Any = SimpleNamespace(of_file=False, finer=lambda slips: left[len(slips)])
        return hypotheses._convincing(search, (slip,))

    assert found(much, 0.09) is not None and found(much, 0.25 * much) is not None
    assert found(much, max(part * much, 0.15)) is None
    assert hypotheses._convincing(SimpleNamespace(), ()) is None  # type: ignore[arg-type]


def test_slips_that_are_tried_undo_what_they_name() -> None:
    """On positions (1, 2, 3) and torques (4, 5, 6) of joints a, b, c."""
    search = searched(3, (True, False, True))
    q, tau = np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0])

    def undone(slips: Any) -> dict[str, tuple[list[float], list[float]]]:
        return {
            f"{x.fault}|{x.undone}": ((x.conversion.Q @ q + x.conversion.q0).tolist(), (x.conversion.T @ tau).tolist())
            for x in slips
        }

    plain = (q.tolist(), tau.tolist())
    directions = undone(search._directions())
    assert len(directions) == 8
    assert directions["the positions of b seem to have the wrong sign|with their sign turned"] == ([1, -2, 3], plain[1])
    both = "b seems to be counted in the other direction|with positions and torques turned"
    assert directions[both] == ([1, -2, 3], [4, -5, 6])
    every = "all joints seem to be counted in the other direction|with positions and torques turned"
    assert directions[every] == ([-1, -2, -3], [-4, -5, -6])
    assert len(list(searched(1, (True,))._directions())) == 2
    units = undone(search._units())
    assert units["positions seem to be in degrees|with them converted"][0] == pytest.approx(
        [np.pi / 180, 2, np.pi / 60]
    )
    assert units["positions seem to be in radians|with them converted"][0] == pytest.approx(
        [180 / np.pi, 2, 540 / np.pi]
    )
    orders = undone(search._orders())
    assert len(orders) == 12
    assert orders["the torques of a and c seem to be swapped|exchanged"] == ([1, 2, 3], [6, 5, 4])
    assert orders["the positions of a and c seem to be swapped|exchanged"] == ([3, 2, 1], [4, 5, 6])
    assert orders["the columns of b and c seem to be swapped|exchanged"] == ([1, 3, 2], [4, 6, 5])
    named = "the joints seem to be recorded"
    assert orders[f"{named} from the tool to the base|in the robot's order"] == ([3, 2, 1], [6, 5, 4])
    assert orders[f"{named} shifted by 1 columns|in the robot's order"] == ([3, 1, 2], [6, 4, 5])
    assert orders[f"{named} shifted by -1 columns|in the robot's order"] == ([2, 3, 1], [5, 6, 4])
    assert len(list(searched(2, (True, True))._orders())) == 3
    zeros = undone(search._zeros())
    assert len(zeros) == 6
    assert zeros["the zero of c seems to be off by -90°|moved by that"][0] == pytest.approx([1, 2, 3 - np.pi / 2])
    assert zeros["the zero of a seems to be off by 180°|moved by that"][0] == pytest.approx([1 + np.pi, 2, 3])
    motors = undone(
        search._motor_angle(a, a + 1, what, c)
        for a in (0, 1) for what in ("positions", "torques", "columns") for c in (-1, 1)
    )  # fmt: skip
    assert len(motors) == 12
    said = "of c seem to be those of a motor that turns with b too|decoupled by"
    assert motors[f"the positions {said} +1"] == ([1, 2, 1], plain[1])  # the motor's 3 is q_c + q_b
    assert motors[f"the torques {said} -1"] == (plain[0], [4, -1, 6])
    assert motors[f"the columns {said} -1"] == ([1, 2, 5], [4, -1, 6])


# doubts


def made(**more: Any) -> Any:
    columns = SimpleNamespace(motor_rows=np.array([True, True]))
    common = {"robot": SimpleNamespace(joint_names=("a", "b"), dof=2), "rows": ("a", "b")}
    return SimpleNamespace(**{**common, "source": SimpleNamespace(columns=columns), **more})


def test_few_rows_still_joints_and_limits() -> None:
    def rows(*counts: int) -> Any:
        return SimpleNamespace(rows=np.array([counts, (0,) * len(counts)]))

    here: dict[str, Any] = {"rows_in_motion": [np.zeros((4, 2), bool)]}
    assert list(diagnostics._few(made(fit=rows(30, 30), columns=[0] * 6))) == []
    assert list(diagnostics._few(made(fit=rows(30, 29), columns=[0] * 6))) == [
        "59 rows for 6 parameters: most of what is said here is the prior's"
    ]
    (still,) = diagnostics._still(made(fit=rows(30, 0), **here))
    assert still.startswith("b never moves: its friction and motor inertia are those of the prior")
    (still,) = diagnostics._still(made(fit=rows(0, 0), **here))
    assert still.startswith("a and b never move: their friction and motor inertia are those of the prior")
    flags = np.zeros((8, 2), bool)
    flags[0, 1] = True
    recorded = SimpleNamespace(motions=[SimpleNamespace(saturated=x) for x in (flags, None, np.zeros((12, 2), bool))])
    assert list(diagnostics._saturation_warnings(made(source=recorded))) == [
        "b: its torque stands at its limit in 5.0% of the samples, which the fit leaves out"
    ]
    flags[:2, 0] = True
    assert list(diagnostics._saturation_warnings(made(source=recorded))) == [
        "torques stand at their limits in samples that the fit leaves out: a 10.0%, b 5.0%"
    ]
    recorded.motions = recorded.motions[1:2]
    assert list(diagnostics._saturation_warnings(made(source=recorded))) == []


@pytest.mark.parametrize("torque, resting, told", [(0.1, 5, True), (0.3, 5, False), (0.1, 2, False), (-0.1, 5, True)])
def test_an_arm_that_rests_without_torque(torque: float, resting: int, told: bool) -> None:
    """Where the model needs 1 N·m: said of enough samples, and not of those in motion."""
    moving, tau = np.ones((100, 2), bool), np.full((100, 2), torque)
    moving[:resting] = False
    data = made(torques=[tau], residuals=lambda theta: [tau - 1.0], rows_in_motion=[moving])
    (*found,) = diagnostics.brake_warnings(data, np.zeros(1))
    assert bool(found) == told and all(text.startswith("in 5% of the samples") for text in found)


def test_faster_motions_than_those_of_the_training() -> None:
    def paced(*speeds: float) -> Any:
        qd = np.linspace(-1, 1, 2001)[:, None] * np.array(speeds)
        return made(source=SimpleNamespace(motions=[SimpleNamespace(qd=qd[:1000]), SimpleNamespace(qd=qd[1000:])]))

    def said(ours: Any, theirs: Any, prior: str | None = None) -> list[str]:
        return diagnostics.beyond(paced(*ours), paced(*theirs), prior, "validation 1")

    assert said((1, 1), (1.19, 1.19)) == [] and said((0, 1), (5, 1)) == []
    (told,) = said((1, 1), (1.21, 3))
    assert told.startswith("validation 1 moves up to 3.0 times faster than the training (b): without a prior such")
    assert said((2, 1), (6, 1), "robot") == [
        "validation 1 moves up to 3.0 times faster than the training (a): it is an extrapolation"
    ]


def test_validation_far_above_training() -> None:
    def said(train: float, blocks: tuple[float, ...], whole: float, *joints: float) -> list[str]:
        found = SimpleNamespace(train=Errors(train, 0.0, ()), blocks=blocks, data=made())
        return list(diagnostics.far_above(found, Errors(whole, 0.0, joints), "here"))

    assert said(3.0, (), 6.0, 100.0, 5.0) == [] and said(0.1, (), 1.0) == []
    (told,) = said(3.0, (), 6.6)
    assert told.startswith("here: its error of 6.6 % is 2.2 times that of the training:")
    assert said(3.0, (1.0, 4.0), 6.6) == [] and len(said(3.0, (1.0, 3.1), 6.6)) == 1
    assert said(3.0, (), 1.0, 101.4, 5.0) == ["here: joint a is predicted worse than by zero (101 %)"]


def test_torques_of_so_much_later() -> None:
    t = np.arange(50) / 10.0
    log = mp.Log(t, t[:, None] * [1, 1], np.stack([2 * t, 1 - t], axis=1))
    found = shift_torques(log, 0.25).tau
    assert found is not None
    np.testing.assert_allclose(found[:45], np.stack([2 * (t + 0.25), 1 - (t + 0.25)], axis=1)[:45])
    late = Conversion(np.eye(2), np.zeros(2), 2 * np.eye(2), 0.1).then(
        Conversion(np.eye(2), np.ones(2), np.eye(2), 0.15)
    )
    again = late.apply(log)
    assert again.tau is not None and not late.is_identity
    np.testing.assert_allclose(again.tau, 2 * found)
    np.testing.assert_allclose(again.q, log.q + 1)
    assert not Conversion(np.eye(2), np.zeros(2), np.eye(2), 0.1).is_identity


def test_recordings_that_tell_nothing() -> None:
    def recording(rows: int, *torques: Any) -> Any:
        tau = np.array(torques, float).T
        gram = np.zeros((1, 2, 2, 2))
        gram[0, :, -1, -1] = (tau**2).sum(0)
        grams = Grams(gram, np.full((1, 2), len(tau)))
        return made(fit=SimpleNamespace(rows=np.array([[rows, 0]])), judge=grams, torques=[tau[:2], tau[2:]])

    diagnostics.refuse_silent(recording(1, [1, 2, 1], [3, 3, 3]))
    for rows, a, b, told in ((0, [1, 2, 1], [1, 2, 1], "no joint ever moves faster"),
    (1, [0, 0, 0], [0, 0, 0], "every torque is zero"),
                             (1, [2, 2, 2], [3, 3, 3 + 1e-9], "no torque ever changes")):  # fmt: skip
        with pytest.raises(mp.InputError, match=told):
            diagnostics.refuse_silent(recording(rows, a, b))


def test_errors_by_motion_and_joint() -> None:
    residual, torque = np.array([[1.0, 0.0], [0.0, 3.0]]), np.array([[2.0, 4.0], [4.0, 0.0]])
    found = _errors(residual, torque, np.array([[True, False], [False, True]]))
    assert found.whole == pytest.approx(100 * np.sqrt(10) / 6) and found.joints == pytest.approx(
        (100 / np.sqrt(20), 75)
    )
    assert found.moving == pytest.approx(100 * np.sqrt(10) / 2) and found.rest == 0.0
    assert str(found) == f"{found.whole:.2f} % (moving {found.moving:.2f} %)"
    assert np.isnan(_errors(residual, 0 * torque, np.ones((2, 2), bool)).whole)


def test_a_gain_is_off_by_more_than_is_known_of_it() -> None:
    assert Gain(1.06, 0.01, True).off and not Gain(1.04, 0.0, True).off and not Gain(1.06, 0.0121, True).off
    assert Gain(0.9, 0.01, True).off and not Gain(-0.9, 0.01, True).off


def test_families_of_a_model_that_are_kept() -> None:
    whole = JointModel.full()
    some = whole.with_families(["stiffness", "harmonics:2", "viscous"])
    assert some.stiffness and some.harmonics == 2 and not some.offset and not some.motor_inertia and not some.tilt
    assert some.friction == ("viscous",) and not some.search and not some.hysteresis
    assert whole.with_families([]).harmonics == 0


@pytest.mark.parametrize("error, blocks, passes", [(4.9, 0.7, True), (4.91, 0.7, False), (4.9, 0.69, False)])
def test_a_family_is_taken_where_the_error_falls(error: float, blocks: float, passes: bool) -> None:
    assert selection._passes(selection.Choice("x", error, 5.0, blocks, False)) is passes
    assert not selection._passes(selection.Choice("x", 0.01, 0.1, 1.0, False))  # too little of the torque
    assert selection._passes(selection.Choice("x", 0.0, 0.1, 1.0, False))


# loads


def test_influence_of_joints_on_a_load() -> None:
    """The jackknife over joints that are not alone; no drive is known better than to 3 %."""
    theta = np.array([2.0])

    def variance(*rows: tuple[float, float]) -> float:
        found = [payload.JointInfluence("x", np.array([a]), np.array([b])) for a, b in rows]
        return float(payload.model_variance(theta, found)[0])

    assert variance((3.0, 0.5), (1.5, 0.5)) == pytest.approx(0.5 * 1.25)
    assert variance((3.0, 0.5), (9.0, 0.97), (1.0, 0.2)) == pytest.approx(0.5 * 2.0)
    assert variance((3.0, 0.5), (9.0, 0.959), (1.0, 0.2)) == pytest.approx(2 / 3 * 51.0)
    assert variance((2.0, 0.5), (2.0, 0.5)) == pytest.approx((0.06**2) * 0.5)
    assert variance((2.0, 0.9), (2.0, 0.1)) == pytest.approx((0.06**2) * 0.82)


def test_a_load_is_as_heavy_as_the_arm_at_first() -> None:
    arm = mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=9.81)
    assert payload.mass_of(arm) == pytest.approx(5.0)
    assert payload.first_sigmas(arm, ("m", "mx", "Kxx")) == pytest.approx([5.0, 2.5, 1.25])
    for name, bad in (
        ("forgetting", 1.01),
        ("forgetting", 0.0),
        ("forgetting", True),
        ("gain", 2.0),
        ("gain", 0),
        ("gain", "1"),
    ):
        within = "0 < λ ≤ 1" if name == "forgetting" else "0 < gain < 2"
        with pytest.raises(mp.InputError, match=f"{name}: expected a number with {within}, found"):
            estimator._refuse_settings({name: bad})
    estimator._refuse_settings({"forgetting": 1.0, "gain": 1.99})
    estimator._refuse_settings({})


# limits of motions


def test_limits_in_both_directions_and_their_slopes() -> None:
    """The gradient of a penalty by differences, inside and outside of limits with one end or two."""
    gen = rng(5)
    C = np.array([[1.0, 0.5], [0.0, -2.0], [1.0, 0.0]])
    watch = penalties.Between(1, C, np.array([0.1, 0.2, 0.0]), np.array([-1.0, -np.inf, -9]), np.array([0.5, 0.3, 9]))
    motion = Motion(*(gen.normal(size=(7, 2)) for _ in range(3)))
    slopes = Motion(*(np.zeros((7, 2)) for _ in range(3)))
    value = watch.penalty(motion, slopes)
    assert value > 0 and not slopes.q.any() and not slopes.qdd.any()
    for place in np.ndindex(7, 2):
        ends = []
        for step in (1e-6, -1e-6):
            moved = motion.qd.copy()
            moved[place] += step
            ends.append(watch.penalty(motion._replace(qd=moved), Motion(*(np.zeros((7, 2)) for _ in range(3)))))
        assert slopes.qd[place] == pytest.approx((ends[0] - ends[1]) / 2e-6, abs=1e-6)
    x = motion.qd @ C.T + [0.1, 0.2, 0.0]
    over = np.stack([np.maximum(x[:, 0] - 0.5, -1.0 - x[:, 0]) / 0.75, x[:, 1] - 0.3, np.abs(x[:, 2]) / 9 - 1], axis=1)
    assert watch.excess(motion) == pytest.approx(max(over.max(), 0.0))
    assert "velocity limits" in watch.sentence(motion)


def test_the_way_out_of_a_box() -> None:
    room = motions.Room(np.array([[-1.0, 1.0]] * 3), np.array([[0.0, 0.4], [0.0, 0.8], [0.0, 0.6]]))
    tool = penalties.Tool(None, None, room)  # type: ignore[arg-type]
    points = np.array(
        [[0.1, 0.4, 0.3], [0.2, 0.7, 0.3], [0.2, 0.4, 0.05], [-0.5, 0, 0], [1.5, 0.0, -1.25], [0.0, 0.1, 0.1]]
    )
    np.testing.assert_allclose(
        tool._way_out(points, 0.0), [[-0.1, 0, 0], [0, 0.1, 0], [0, 0, -0.05], [0, 0, 0], [-0.5, 0, 0.25], [0, 0, 0]]
    )
    np.testing.assert_allclose(tool._way_out(points[:1], 0.05), [[-0.15, 0, 0]])
    np.testing.assert_allclose(tool._way_out(np.array([[0.97, 0.0, 0.0]]), 0.05), [[-0.02, 0, 0]])
    free = penalties.Tool(None, None, motions.Room(room.within, None))  # type: ignore[arg-type]
    assert not free._way_out(points[:4], 0.0).any()


@pytest.mark.parametrize("draw", range(8))
def test_what_stands_between_two_samples_is_noticed(draw: int) -> None:
    """A path of short and long strides through a box that no sample may be in, and one that stays well clear of it."""
    gen = rng(draw)
    path = np.cumsum(gen.normal(size=(12, 3)) * gen.choice([0.01, 0.5], size=(12, 1)), axis=0)
    longest = np.linalg.norm(np.diff(path, axis=0), axis=1)
    most, where = float(longest.max()), int(longest.argmax())
    middle, size = path[where : where + 2].mean(0), np.full(3, 0.02)
    everywhere = np.array([[-99.0, 99.0]] * 3)
    still = np.zeros_like(path)

    def at(q: Any) -> Any:
        poses = np.tile(np.eye(4), (len(q), 1, 1))
        poses[:, :3, 3] = q
        return poses

    def excess(within: Any, without: Any) -> float:
        room = motions.Room(within, None if without is None else np.asarray(without))
        return penalties.Tool(at, np.zeros_like, room).excess(Motion(path, still, still))

    assert excess(everywhere, np.stack([middle - size, middle + size], axis=1)) > 0
    beyond = path.max(0) + most
    assert excess(everywhere, np.stack([beyond, beyond + 0.1], axis=1)) == 0
    low, high = path.min(0), path.max(0)
    assert excess(np.stack([low - most, high + most], axis=1), None) == 0
    assert excess(np.stack([low - most / 3, high + most], axis=1), None) > 0


def test_ranges_that_a_file_does_not_give() -> None:
    """A turn or two metres about zero; from the one end that is given as much to the other side."""
    inf, pi = np.inf, np.pi
    known: Any = SimpleNamespace(
        lower=np.array([-inf, -inf, -1.0, 0.5, -inf, -2.0]), upper=np.array([inf, inf, inf, inf, 2.0, 1.0])
    )
    turns, notes = np.array([True, False, True, False, True, True]), list[str]()
    low, high = motions._assumed_ranges(known, turns, list("abcdef"), notes)
    np.testing.assert_allclose(low, [-pi, -1, -1, 0.5, 2 - 2 * pi, -2])
    np.testing.assert_allclose(high, [pi, 1, 2 * pi - 1, 2.5, 2, 1])
    assert notes == [
        "a: no position limits in the file; a turn ±π rad is used",
        "b: no position limits in the file; a slide ±1 m is used",
        "c, d, e: one position limit in the file; 2π rad or 2 m from there are used",
    ]
    free: Any = SimpleNamespace(lower=np.array([-inf, -inf]), upper=np.array([inf, inf]))
    motions._assumed_ranges(free, np.array([True, True]), ["a", "b"], notes)
    assert notes[-1] == "all joints: no position limits in the file; a turn ±π rad is used"
    empty: Any = SimpleNamespace(lower=np.array([1.0]), upper=np.array([1.0]))
    with pytest.raises(mp.InputError, match="excite: limits: x has no room to move between 1 and 1"):
        motions._assumed_ranges(empty, np.array([True]), ["x"], [])


def test_why_an_entry_cannot_be_calibrated() -> None:
    names = [f"x{k}" for k in range(7)]

    def why(*shares: float) -> str:
        return calibrated.why(range(len(shares)), np.array(shares), names, "on these motions")

    assert why() == why(0.0, 1e-7) == "moves nothing that is measured on these motions"
    assert why(0.0, -0.5, 2e-6) == "does the same as x1, x2 on these motions"
    assert why(1, 1, 1, 1) == "does the same as x0, x1, x2, x3 on these motions"
    assert why(1, 0, 1, 1, 1, 1) == "does the same as x0, x2, x3, x4 … on these motions"
    assert calibrated.why([], np.zeros(0), names, "") == "moves nothing that is measured"


def test_a_table_of_measurements_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(mp.InputError, match=r"gone\.csv: cannot be read: No such file or directory"):
        measurements._table(tmp_path / "gone.csv")
    (tmp_path / "bytes.csv").write_bytes(b"\xff\xfe\xfa,1\n")
    with pytest.raises(mp.InputError, match=r"bytes\.csv: cannot be read: 'utf-8' codec"):
        measurements._table(tmp_path / "bytes.csv")


@pytest.mark.parametrize("noise, poor", [(1e-6, False), (0.1, True)])
def test_a_drive_that_is_off_asks_for_no_cause(noise: float, poor: bool) -> None:
    """The noise of a torque that is nothing beside the others is not to be explained; that of a loud one is."""
    arm, log = two_joints(), recording(two_joints(), 3, seconds=4)
    tau = np.asarray(log.tau).copy()
    tau[:, 1] = noise * tau[:, 0].std() * np.random.default_rng(1).normal(size=len(tau))
    search = Search(gather(arm, [mp.Log(log.t, log.q, tau)]), JointModel(), "robot")
    assert search.first.poor is poor and search.first.whole < 1
