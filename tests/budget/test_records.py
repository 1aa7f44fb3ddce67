"""Operation counts of the stored results: a change that raises one of these is a loss."""

from __future__ import annotations

import pytest

import manipula as mp
from manipula.generation.levels import Past, level_fast
from manipula.generation.prepare import prepare
from manipula.generation.request import Request
from manipula.generation.shipped import entries
from manipula.support.progress import DEFAULT_EFFORT

# robot, model → on line: multiplications + additions + divisions
REACHED = {
    ("puma560_symbolic", "pose"): 63,
    ("puma560_symbolic", "inverse_dynamics"): 254,
    ("puma560_symbolic", "inertia_matrix"): 123,
    ("puma560_symbolic", "lagrange_terms"): 534,
    ("puma560", "inverse_dynamics"): 289,
    ("panda", "inverse_dynamics"): 513,
    ("puma560", "inverse_dynamics_smooth"): 289,
    ("panda", "inverse_dynamics_smooth"): 513,
}


@pytest.mark.parametrize(("robot", "model"), REACHED)
def test_the_highest_level(robot: str, model: str) -> None:
    assert mp.generate(robot, model, optimise="max").cost.total <= REACHED[robot, model]


def test_every_record_has_a_budget() -> None:
    assert {(entry.robot, entry.model) for entry in entries()} == set(REACHED)


def test_a_record_is_worth_its_place() -> None:
    """The default level takes it; without it, it finds no way as cheap."""
    for (robot, model), total in REACHED.items():
        request = prepare(Request(mp.load(robot), model))
        alone = level_fast(request, DEFAULT_EFFORT, Past(known=False)).cost.total
        assert mp.generate(robot, model).cost.total <= total < alone
