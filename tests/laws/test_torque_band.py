"""A torque that was recorded through a filter: where it ends is found, and nothing beyond is fitted or judged."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.signal import butter, sosfiltfilt

import manipula as mp
from manipula.identification.data import Data, gather
from manipula.identification.estimators.entropic import entropic_from
from manipula.identification.estimators.normal import normal_from
from manipula.identification.filters import Below, Cutoff, Same, Smoother, cutoff_for, rates
from manipula.identification.fit.cutoff import BELOW, choose_cutoff, torque_end
from manipula.identification.fit.identification import fit_of
from manipula.messages import Message
from tests.recordings import recording, two_joints

RATE = 100.0


def steps(seed: int, joints: int, seconds: float) -> np.ndarray:
    """Torques with edges, as friction makes them: power at every frequency, falling."""
    rng = np.random.default_rng(seed)
    t = np.arange(0, seconds, 1 / RATE)[:, None]
    pace, shift = rng.uniform(2, 9, (2, joints)), rng.uniform(0, 6, (2, joints))
    return 0.3 * np.sign(np.sin(pace[0] * t + shift[0])) + 3 * np.sin(pace[1] * t + shift[1])


def low_pass(x: np.ndarray, cutoff: float, order: int = 3) -> np.ndarray:
    """Its gain at the cut-off is a half: forth and back."""
    return np.asarray(sosfiltfilt(butter(order, cutoff, fs=RATE, output="sos"), x, axis=0))


@pytest.mark.parametrize("seed", range(6))
def test_the_end_of_a_filtered_torque(seed: int) -> None:
    rng = np.random.default_rng(100 + seed)
    joints, end = int(rng.integers(1, 8)), float(rng.uniform(3, 12))
    parts = [steps(7 * seed + k, joints, seconds) for k, seconds in enumerate((12.0, 25.0))]
    recorded = [low_pass(x, end) for x in parts]
    found = torque_end(parts, recorded, [RATE] * 2, rng.uniform(0.1, 10, joints))
    assert abs(np.log2(found / end)) < 0.3


@pytest.mark.parametrize("seed", range(4))
def test_noise_of_a_torque_is_no_filter(seed: int) -> None:
    """Nor is a model that is off by a third, nor one that knows nothing of the torque."""
    rng, asked = np.random.default_rng(seed), steps(seed, 3, 20.0)
    noisy = asked * 0.67 + 0.01 * rng.normal(size=asked.shape)
    assert torque_end([asked], [noisy], [RATE], np.ones(3)) > RATE / 2 / BELOW
    assert torque_end([asked], [rng.normal(size=asked.shape)], [RATE], np.ones(3)) > 5


def test_positions_keep_their_own_cutoff() -> None:
    """A torque's end lowers the cut-off of columns alone; a lower one of the motion stays."""
    part = recording(two_joints(), 3)
    own = cutoff_for([part], "auto")
    assert own.frequency is not None
    lower = cutoff_for([part], Below(Cutoff(own.frequency / 3, "so")))
    assert lower == Cutoff(own.frequency / 3, "so", own.frequency)
    assert cutoff_for([part], Below(Cutoff(own.frequency * 2, "so"))) == own


@pytest.mark.turn
def test_a_filtered_torque_is_judged_below_its_end() -> None:
    arm = two_joints()
    logs = [recording(arm, seed, 16.0, noise=1e-3) for seed in (1, 2)]
    smooth = (replace(log, tau=low_pass(np.asarray(log.tau), 2.0, 5)) for log in logs)
    train, other = (log.between(1.0, 15.0) for log in smooth)  # where that filter knew what comes before and after
    found = mp.identify(arm, train, model=mp.JointModel())
    assert "the recorded torque has less than half" in found.filter[0]
    cutoff = found.data.source.motions[0].smoother.cutoff
    assert cutoff is not None and 1.0 < cutoff < 2.0
    assert found.data_from_log(other).source.motions[0].smoother.cutoff == cutoff
    assert found.error(other) < 0.7
    assert found.error(other) < 0.5 * mp.identify(arm, train, model=mp.JointModel(), filter=8.0).error(other)


@pytest.mark.parametrize("seed", range(4))
def test_the_cut_off_chosen_predicts_blocks_left_out_as_it_says(seed: int) -> None:
    """Row by row: what parameters of the other blocks leave of the torques of a block, all through the lowest filter;
    of the cut-offs that leave hardly more than the best, the lowest is taken."""
    rng, arm = np.random.default_rng(seed), two_joints()
    log = recording(arm, 30 + seed, 6.0, noise=[0.05, 0.3][seed % 2], pace=0.4)
    log = mp.Log(log.t, log.q + [8e-4, 2e-4][seed % 2] * rng.normal(size=log.q.shape), log.tau)
    data = gather(arm, log, mp.JointModel(), 32.0, blocks=3)
    fit = fit_of(data, "robot")
    tried: dict[float, Data] = {}

    def gathered(logs: object, same: Same) -> Data:
        assert same.cutoff.frequency is not None
        found = gather(arm, logs, mp.JointModel(), same, blocks=3)  # type: ignore[arg-type]
        return tried.setdefault(same.cutoff.frequency, found)

    chosen = choose_cutoff(data, fit.prior, fit.entropic(), fit.weights, gathered)
    every = sorted(tried, reverse=True)
    judge = tried[every[-1]]
    (along,), (tau,) = judge.source.motions, judge.torques
    taken, block = judge.source.rows_for_fit(along)[along.kept], np.arange(len(tau)) * 3 // len(tau)
    errors = []
    for hertz in every:
        left = loud = 0.0
        for b in range(3):
            rows = taken & (block == b)[:, None]
            normal = normal_from(tried[hertz].fit, fit.weights, np.flatnonzero(np.arange(3) != b))
            (residual,) = judge.residuals(entropic_from(normal, fit.prior))
            left += float(((residual**2 * rows) @ fit.weights).sum())
            loud += float(((tau**2 * rows) @ fit.weights).sum())
        errors.append(100 * np.sqrt(left / loud))
    good = [hertz for hertz, error in zip(every, errors) if error <= 1.01 * min(errors)]
    assert chosen.frequency == good[-1]
    if good[-1] == every[0]:
        assert chosen.reason == data.source.motions[0].smoother.reason
        return
    assert isinstance(chosen.reason, Message)
    said = {name: float(text) for name, text in chosen.reason.fields.items()}
    wanted = {"error": errors[every.index(good[-1])], "judge": every[-1], "first": every[0], "other": errors[0]}
    judged = said.pop("judge"), wanted.pop("judge")
    assert said == pytest.approx(wanted, rel=0.006) and judged[0] == pytest.approx(judged[1], rel=0.05)


@pytest.mark.parametrize("seed", range(4))
def test_a_motion_goes_on_beyond_its_ends(seed: int) -> None:
    """Accelerations next to the ends of a filtered motion are those of the motion; a reflection makes them nothing."""
    rng = np.random.default_rng(seed)
    pace, shift = rng.uniform(1, 4, 3), rng.uniform(0, 6, 3)
    t = np.arange(0, rng.uniform(3, 8), 1 / RATE)[:, None]
    q, smoother = np.sin(pace * t + shift), Smoother(RATE, 5.0)
    wanted = -(pace**2) * q
    filtered = (smoother.positions(q), smoother(q))
    off, reflected = (np.abs(rates(x, 1 / RATE)[1] - wanted)[[2, -3]].max() for x in filtered)
    assert off < 0.3 * np.abs(wanted).max() and off < 0.5 * reflected
    assert np.array_equal(Smoother(RATE, None).positions(q), q)
    assert np.isfinite(smoother.positions(q[:2])).all() and np.isfinite(smoother.positions(q[:4])).all()
