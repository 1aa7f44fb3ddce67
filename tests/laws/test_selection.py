"""Which families a recording asks for: those that made it, and no others."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.identification.estimators.normal import Normal
from manipula.identification.fit.result import Found
from manipula.identification.fit.selection import FALLS, MOST, NOTICED, Choice, _passes, independent
from tests.recordings import recording, two_joints

ARM = two_joints()
LOG = recording(ARM, 3, seconds=12, noise=0.02)


TORQUES: dict[str, Any] = {  # beside those of the arm
    "": np.zeros_like(LOG.q),
    "harmonics:2": np.sin(2 * LOG.q),
    "stribeck": 4 * np.exp(-((LOG.qd / 0.3) ** 2)) * np.tanh(LOG.qd / 0.01),
    "root": 4 * np.sqrt(np.abs(LOG.qd)) * np.sign(LOG.qd),
}


@cache
def identified(family: str) -> Found:
    return mp.identify(ARM, replace(LOG, tau=LOG.tau + TORQUES[family]), filter=None)


def taken(family: str) -> list[str]:
    found = identified(family)
    assert found.consistent
    return [choice.family for choice in found.choices if choice.taken]


@pytest.mark.drawn("size", few=1)
@pytest.mark.parametrize("size", [1.5, 2.0])
def test_a_missing_term_is_no_wrong_zero(size: float) -> None:
    """A zero turned by 90° leaves less of it, too, by bodies that are less like the file's."""
    found = mp.identify(ARM, replace(LOG, tau=LOG.tau + size * np.sin(2 * LOG.q)), filter=None)
    assert "harmonics:2" in [choice.family for choice in found.choices if choice.taken]
    assert not found.doubtful and "zero" not in str(found.warnings)


def test_nothing_is_asked_for_where_nothing_is_missing() -> None:
    assert taken("") == []


@pytest.mark.parametrize("family", list(TORQUES)[1:])
def test_what_made_the_torque_is_found(family: str) -> None:
    assert any(name.startswith(family) for name in taken(family))


def test_a_table_says_what_was_looked_at() -> None:
    found = identified("harmonics:2")
    assert "harmonics:2" in str(found) and len(found.blocks) == 8
    assert set(found.extra) >= {"hs2_1", "hs2_2"}
    assert len({choice.family for choice in found.choices}) == len(found.choices) > 10


def test_columns_that_are_sums_of_others_are_left_out() -> None:
    rng = np.random.default_rng(0)
    Y = rng.normal(size=(200, 6))
    Y[:, 4] = Y[:, 0] - 2 * Y[:, 1]
    Y[:, 5] = 0.0
    normal = Normal(Y.T @ Y, np.zeros(6), 1.0, 200)
    assert list(independent(normal, np.array([0, 1, 2]), np.array([3, 4, 5]))) == [3]


@pytest.mark.parametrize("seed", range(20))
def test_a_family_must_explain_something_of_the_torque(seed: int) -> None:
    """A fit that leaves a thousandth of the torque gains by columns that stand in for the filter's rest."""
    rng = np.random.default_rng(seed)
    before = 10 ** rng.uniform(-2, 1.5)
    after, blocks = before * rng.uniform(0.9, 1.05), rng.uniform(0.5, 1)
    explained = np.sqrt(max(before**2 - after**2, 0.0))
    wanted = explained >= NOTICED and after <= (1 - FALLS) * before and blocks >= MOST
    assert _passes(Choice("load", after, before, blocks, False)) == wanted
    assert not _passes(Choice("stribeck:0.05", 0.1117, 0.1164, 0.875, False))
    assert _passes(Choice("hysteresis:0.01", 1.9, 1.94, 0.875, False))


@pytest.mark.parametrize("seed", range(10))
def test_columns_that_are_sums_of_others_end_in_no_error(seed: int) -> None:
    """Among those kept and among those to be taken; columns that nobody feels, too."""
    rng = np.random.default_rng(seed)
    free = rng.normal(size=(60, 6))
    sums, nothing, again = free[:, :3] @ rng.normal(size=(3, 2)), np.zeros(60), free[:, 3] + free[:, 0]
    Y = np.column_stack([free[:, :3], sums, nothing, free[:, 3:], again])
    Y = Y * 10.0 ** rng.uniform(-4, 4, Y.shape[1])
    normal = Normal(Y.T @ Y, np.zeros(Y.shape[1]), 1.0, 60)
    found = independent(normal, np.arange(6), np.arange(6, 10))
    assert list(found) == [6, 7, 8]
