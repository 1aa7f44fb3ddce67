"""Angles that a calibration measured survive a URDF; those that a person rounded are read as what was meant."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import manipula as mp

QUARTER = np.pi / 2


def arm(twists: list[float]) -> mp.Robot:
    rows = [{"d": 0.3 - 0.1 * k, "a": 0.4 - 0.1 * k, "alpha": twist} for k, twist in enumerate(twists)]
    return mp.Robot.from_dh(rows, angle="rad", name="measured", exact=True)


@pytest.mark.turn
@pytest.mark.parametrize("seed", range(6))
def test_measured_angles_are_kept(seed: int, tmp_path: Path) -> None:
    """A robot of geometry alone, too: its links have no <inertial>."""
    rng = np.random.default_rng(seed)
    own = arm([float(x) for x in QUARTER * rng.integers(-1, 2, 3) + rng.uniform(-9e-5, 9e-5, 3)])
    path = mp.save(own, tmp_path / "arm.urdf")
    assert "<inertial" not in path.read_text()
    with warnings.catch_warnings():
        warnings.simplefilter("error", mp.ManipulaWarning)
        again = mp.load(path)
    q = rng.uniform(-2, 2, (20, 3))
    assert np.abs(mp.Arm(own).pose(q) - mp.Arm(again).pose(q)).max() < 1e-12


def test_rounded_angles_are_read_as_before(tmp_path: Path) -> None:
    path = mp.save(arm([QUARTER, 0.0, -QUARTER]), tmp_path / "arm.urdf")
    assert "measured:" not in path.read_text()
    path.write_text(path.read_text().replace(f"{QUARTER}", "1.5708"))
    with pytest.warns(mp.ManipulaWarning, match="90°"):
        mp.load(path)
