"""Steps of least length and the closer look at special poses of a general 6R arm: the text in every form."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from manipula.ik.general6r.arm import ArmTable, ReadingTable, Shape
from manipula.ik.general6r.solver import General6R
from manipula.ik.general6r.special import ease_to_target, least_step, pose_beside
from manipula.ik.numeric.arrays import jacobian_of, pose_of
from tests.emitted import needs_cc
from tests.laws.test_general6r import chain_of
from tests.texts import alike, text_folder


def matrices() -> list[Any]:
    """Regular, of lower rank, nearly so, and nothing at all."""
    rng = np.random.default_rng(4)
    usual = [rng.normal(size=(6, 6)) for _ in range(4)]
    flat = [A @ np.diag([1, 1, 1, 1, 1, tiny]) @ rng.normal(size=(6, 6)) for A, tiny in zip(usual, (0, 1e-12, 1e-3, 0))]
    low = [rng.normal(size=(6, rank)) @ rng.normal(size=(rank, 6)) for rank in (1, 3, 5)]
    return [*usual, *flat, *low, np.zeros((6, 6)), np.eye(6)[::-1].copy()]


@needs_cc
def test_the_least_step_is_the_pseudoinverse(tmp_path_factory: pytest.TempPathFactory) -> None:
    rng, folder = np.random.default_rng(5), text_folder(tmp_path_factory)
    for J in matrices():
        twist = rng.normal(size=6)
        step = alike(least_step, folder, J.ravel(), twist, np.zeros(6))[2]
        want = np.linalg.pinv(J, rcond=1e-7) @ twist
        np.testing.assert_allclose(step, want, atol=1e-8 * max(1.0, np.abs(want).max()))


@pytest.mark.turn
@needs_cc
def test_least_steps_come_to_a_member_of_a_family(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Axes 4 and 6 of a spherical wrist in line: every value of their difference will do."""
    chain, folder = chain_of("spherical wrist"), text_folder(tmp_path_factory)
    solver, rng = General6R(chain), np.random.default_rng(6)
    q = np.array([0.3, -0.8, 1.1, 0.4, 0, 0.9])
    assert np.linalg.svd(jacobian_of(chain)(q), compute_uv=False)[-1] < 1e-12
    target = solver.arm.frames(solver.arm.angles(q))[5][:3]
    for _ in range(3):
        begin = solver.arm.angles(q + rng.uniform(-0.02, 0.02, 6))
        *_, angles, worst = alike(ease_to_target, folder, solver.tables.arm, target.ravel(), begin)
        assert worst < 1e-12
        found = solver.arm.positions(angles)
        assert np.abs(pose_of(chain)(found) - pose_of(chain)(q)).max() < 1e-11


@needs_cc
def test_the_pose_beside_is_a_pose(tmp_path_factory: pytest.TempPathFactory) -> None:
    target = np.eye(4)[:3].ravel()
    beside = alike(pose_beside, text_folder(tmp_path_factory), target, np.zeros(12))[1].reshape(3, 4)
    assert np.abs(beside[:, :3] @ beside[:, :3].T - np.eye(3)).max() < 1e-15
    assert 1e-6 < np.abs(beside.ravel() - target).max() < 1e-4


def test_the_layout_is_dense() -> None:
    lengths = {"GAPS": 60, "OFFSET": 6, "DIRECTION": 6} | dict.fromkeys(
        ("FIRST_BACK", "LAST_BACK", "FIRST", "LAST"), 12
    )
    places = sorted((place, name) for name, place in vars(ArmTable).items() if name.isupper())
    for (place, name), (after, _) in pairwise(places):
        assert after - place == lengths.get(name, 1), name
    assert ReadingTable.LEFT - ReadingTable.GAPS == 6 * 9 and ReadingTable.BEFORE - ReadingTable.LEFT == 14 * 27
    assert Shape.COUNT - Shape.JOINTS == 6
