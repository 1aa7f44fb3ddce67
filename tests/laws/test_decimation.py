"""Columns read at fewer samples than were recorded: the same filter, the same Gram matrices, the same prediction."""

from __future__ import annotations

import numpy as np
import pytest

import manipula as mp
from manipula.identification import data as gathering
from manipula.identification.data import gather
from manipula.identification.decimation import memory, strides_for, windows
from manipula.identification.filters import Smoother
from manipula.identification.joint_model import JointModel
from tests.random_robots import random_robot
from tests.recordings import recording, two_joints


@pytest.mark.parametrize("raw", [1, 3, 7, 8, 15, 16, 63, 64, 200])
@pytest.mark.parametrize("finer", [0.5, 1.0, 1.7, 4.0])
def test_every_grid_meets_at_the_rows_kept(raw: int, finer: float) -> None:
    strides = strides_for(raw, finer)
    assert strides.kept % strides.coarse == strides.coarse % strides.fine == 0
    assert 0 < strides.kept <= raw and (strides.coarse == 1 or strides.kept >= 4 * finer * strides.coarse)


@pytest.mark.parametrize("seed", range(20))
def test_a_coarser_grid_has_the_response_of_the_filter(seed: int) -> None:
    """What is smooth, ends and all, is filtered as if every sample had been read."""
    rng = np.random.default_rng(seed)
    rate, cutoff = float(rng.uniform(200, 1000)), float(rng.uniform(1, 4))
    smoother = Smoother(rate, cutoff)
    t = np.arange(int(rng.integers(14, 30) / cutoff * rate)) / rate
    x = sum(np.sin(2 * np.pi * rng.uniform(0, 2 * cutoff, 3) * t[:, None] + rng.uniform(0, 6, 3)) for _ in range(3))
    assert smoother.reads_fewer(len(t))
    wanted = smoother(x)
    for stride in {smoother.strides.coarse, smoother.strides.fine}:
        rows, found = [], []
        for block, window in windows(len(t), rate, cutoff, smoother.step, stride):
            rows.append(block)
            found.append(window.filter_rows(x[window.samples], x[[0, -1]]))
        np.testing.assert_array_equal(np.concatenate(rows), np.arange(0, len(t), smoother.step))
        left = np.abs(np.concatenate(found) - wanted[:: smoother.step]).max(1)
        # a point reflection bends at once, which a coarse grid sees as 1e-3; the filter forgets it down to 1e-6
        ends = 1 + memory(rate, cutoff, 1e-3) // smoother.step
        assert left[ends:-ends].max() < 1e-6 and left.max() < 1e-3


@pytest.mark.parametrize("seed", range(6))
def test_gram_matrices_and_predictions_hardly_change(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Against columns at every sample: to a thousandth of each column's own size, friction's edges included."""
    robot = two_joints() if seed == 0 else random_robot(seed, joints="RRP"[: 1 + seed % 3])
    log = recording(robot, seed, seconds=12, rate=500.0, noise=0.01)
    log = mp.Log(log.t, np.round(log.q / 1e-5) * 1e-5, log.tau)
    model = JointModel(friction=("viscous", "coulomb", "load", "stribeck:0.1"), tilt=True, hysteresis=True)
    few = gather(robot, log, model, 3.0)
    assert few.source.motions[0].smoother.reads_fewer(len(log))
    monkeypatch.setattr(Smoother, "reads_fewer", lambda self, samples: False)
    every = gather(robot, log, model, 3.0, load=few.load)
    for ours, theirs in ((few.judge, every.judge), (few.fit, every.fit)):
        np.testing.assert_array_equal(ours.rows, theirs.rows)
        own = np.sqrt(np.einsum("bjxx->jx", theirs.gram))
        scale = own[:, :, None] * own[:, None, :] + 1e-12
        assert (np.abs(ours.gram.sum(0) - theirs.gram.sum(0)) / scale)[:, :-1, :-1].max() < 5e-3
    theta = np.nan_to_num(every.file_values, nan=0.1)
    near, exact = np.concatenate(few.predict(theta)), np.concatenate(every.predict(theta))
    assert np.linalg.norm(near - exact) < 1e-3 * np.linalg.norm(exact)


@pytest.mark.parametrize("seed", range(3))
def test_a_long_recording_is_thinned_first(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if it were not: the same rows but for those at its end, the same prediction; flags of limits are kept."""
    robot = two_joints()
    log = recording(robot, seed, seconds=12, rate=1000.0, noise=0.01)
    log = mp.Log(log.t, log.q, np.clip(log.tau, -0.7 * log.tau.max(), 0.7 * log.tau.max()))
    theta = np.nan_to_num((whole := gather(robot, log, None, 2.0)).file_values)
    monkeypatch.setattr(gathering, "LONG", 1000)
    thin = gather(robot, log, None, 2.0)
    ours, theirs = thin.source.motions[0], whole.source.motions[0]
    assert len(ours) < len(theirs) / 2
    assert len(thin.times[0]) == pytest.approx(len(whole.times[0]), rel=0.3)
    sizes = [np.sqrt((data.predict(theta)[0] ** 2).mean(0)) for data in (thin, whole)]
    np.testing.assert_allclose(sizes[0], sizes[1], rtol=0.01)
    assert thin.judge.error(theta) == pytest.approx(whole.judge.error(theta), rel=0.05)
    assert ours.saturated.mean() == pytest.approx(theirs.saturated.mean(), abs=0.02)
