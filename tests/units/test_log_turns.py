"""Positions that a recorder cut at a turn are put together, and nothing else is changed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import manipula as mp
from manipula.recordings.repairs import unwrap_joint
from tests.log_tables import plain_columns, table, written

TURN = 2 * np.pi


def turning(rng: np.random.Generator, rate: float) -> tuple[np.ndarray, np.ndarray]:
    """Two joints that go through several turns."""
    t = np.round(np.arange(0, 6, 1 / rate), 6)
    q = rng.uniform(-9, 9, 2) * np.sin(rng.uniform(0.5, 1.2, 2) * t[:, None] + rng.uniform(0, 6, 2))
    return t, q


@pytest.mark.parametrize("seed", range(10))
def test_turns_are_put_together(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    t, q = turning(rng, float(rng.choice([20.0, 100.0, 500.0])))
    low = rng.choice([-np.pi, 0.0])  # [−π, π) or [0, 2π)
    cut = (q - low) % TURN + low
    cut[:, 0] = q[:, 0] if seed % 2 else cut[:, 0]
    if seed % 2:
        cut[:, 0] /= 10  # a joint that does not turn far
    columns = plain_columns({"t": t, "q": cut, "tau": np.sin(q)})
    file = written(tmp_path / "a.csv", table(columns))
    jumps = bool((np.abs(np.diff(cut, axis=0)) > 4).any())
    said = {"q": "rad"}
    if not jumps:
        np.testing.assert_array_equal(mp.read_log(file, "planar2r", units=said).q, cut)
        return
    with pytest.warns(mp.ManipulaWarning, match="jumps? by a turn .* put together"):
        log = mp.read_log(file, "planar2r", units=said)
    wanted = np.diff(q, axis=0) / ([10, 1] if seed % 2 else 1)
    np.testing.assert_allclose(np.diff(log.q, axis=0), wanted, atol=1e-9)
    with pytest.raises(mp.InputError, match="jump by a turn"):
        mp.Log(t, cut, np.sin(q)).checked()


@pytest.mark.parametrize("seed", range(6))
def test_motions_without_turns_stay_as_they_are(seed: int, tmp_path: Path) -> None:
    """Fast joints, spikes that are no turn, and what happened in a gap."""
    rng = np.random.default_rng(seed)
    t, q = turning(rng, 50.0)
    q /= 4
    if seed % 3 == 1:
        q[40, 0] += 3.0
    if seed % 3 == 2:
        t, q = t + 100.0 * (t > 3), q + TURN * (t > 3)[:, None]
    columns = plain_columns({"t": t, "q": q, "tau": np.sin(q)})
    log = mp.read_log(written(tmp_path / "a.csv", table(columns)), "planar2r", units={"q": "rad"})
    np.testing.assert_array_equal(log.q, q)


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize(("rest", "taken"), [(0.0, True), (0.045, True), (0.055, False), (0.2, False)])
def test_a_joint_that_stands_may_be_a_little_off_after_a_turn(rest: float, taken: bool, sign: int) -> None:
    """A step of a turn and something: up to 0.05 rad where the joint hardly moves, three times the steps beside it
    where it does, and never where those are above 1 rad."""
    t, q = np.arange(20) * 0.01, np.zeros(20)
    q[10:] = sign * (TURN + rest)
    own, places = unwrap_joint(t, q)
    assert places == taken
    np.testing.assert_allclose(own, sign * rest * (t > 0.095) if taken else q, atol=1e-12)


@pytest.mark.parametrize(
    ("step", "after", "taken"), [(0.2, 3.1, True), (0.2, 3.4, False), (0.9, 1.05, True), (1.05, 1.0, False)]
)
def test_a_step_after_a_turn_is_like_those_beside_it(step: float, after: float, taken: bool) -> None:
    t, q = np.arange(20) * 0.01, np.arange(20) * step
    q[10:] += TURN + (after - 1) * step
    assert unwrap_joint(t, q)[1] == taken
