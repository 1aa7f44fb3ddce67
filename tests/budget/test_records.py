"""Operation counts of the stored results: a change that raises one of these is a loss."""

from __future__ import annotations

import pytest

import manipula as mp
from manipula.generation.cache import arm_of, entries
from manipula.generation.levels import level_fast
from manipula.generation.pipeline import generate_function
from manipula.generation.prepare import Request, prepare
from manipula.support.progress import DEFAULT_EFFORT

# robot, model → on line: multiplications + additions + divisions
REACHED = {
    ("iiwa_generic", "inverse_dynamics"): 482,
    ("panda", "inverse_dynamics"): 513,
    ("panda", "inverse_dynamics_smooth"): 513,
    ("planar_generic", "inverse_dynamics"): 26,
    ("puma560", "inverse_dynamics"): 289,
    ("puma560", "inverse_dynamics_smooth"): 289,
    ("puma560_armstrong", "forward_dynamics"): 406,
    ("puma560_armstrong", "gravity"): 19,
    ("puma560_armstrong", "inertia_matrix"): 107,
    ("puma560_armstrong", "inverse_dynamics"): 255,
    ("puma560_symbolic", "inertia_matrix"): 123,
    ("puma560_symbolic", "inverse_dynamics"): 254,
    ("puma560_symbolic", "lagrange_terms"): 534,
    ("puma560_symbolic", "pose"): 63,
    ("puma560_uneven", "inverse_dynamics"): 276,
    ("puma_generic", "base_regressor"): 580,
    ("puma_generic", "forward_dynamics"): 689,
    ("puma_generic", "gravity"): 39,
    ("puma_generic", "inertia_matrix"): 204,
    ("puma_generic", "inverse_dynamics"): 404,
    ("puma_generic", "lagrange_terms"): 789,
    ("rx90_generic", "inverse_dynamics"): 388,
    ("rx90_symmetric", "inverse_dynamics"): 209,
    ("rx90_symmetric_round", "inverse_dynamics"): 192,
    ("stanford_generic", "inverse_dynamics"): 363,
    ("stanford_symmetric", "inverse_dynamics"): 205,
    ("stanford_symmetric_round", "inverse_dynamics"): 186,
}


@pytest.mark.parametrize(("robot", "model"), REACHED)
def test_the_highest_level(robot: str, model: str) -> None:
    request = asked(robot, model)
    found = mp.generate(request.robot, model, optimise="max", symbolic=request.symbolic)
    assert found.cost.total <= REACHED[robot, model]


def test_every_record_has_a_budget() -> None:
    assert {(entry.robot, entry.model) for entry in entries()} == set(REACHED)


def asked(robot: str, model: str) -> Request:
    """The question that a record answers."""
    entry = next(entry for entry in entries() if (entry.robot, entry.model) == (robot, model))
    return Request(arm_of(entry), model, symbolic=entry.symbolic)


@pytest.mark.drawn("robot", "model")
@pytest.mark.parametrize(
    ("robot", "model"), [pytest.param(*key, marks=[pytest.mark.slow] * (key[0] not in mp.robots())) for key in REACHED]
)
def test_a_record_is_worth_its_place(robot: str, model: str) -> None:
    """The default level takes it; without it, it finds no way as cheap."""
    request = prepare(asked(robot, model))
    alone = level_fast(request, DEFAULT_EFFORT).cost.total
    assert generate_function(request).cost.total <= REACHED[robot, model] < alone
