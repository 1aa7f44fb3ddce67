"""A torque that was recorded through a filter: where it ends is found, and nothing beyond is fitted or judged."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.signal import butter, sosfiltfilt

import manipula as mp
from manipula.identification.filters import Below, Cutoff, Smoother, cutoff_for, rates
from manipula.identification.fit.cutoff import BELOW, torque_end
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
