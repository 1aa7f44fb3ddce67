"""The front of a study: what nothing dominates, by the definition; ties, NaN, infeasible rows; table and pictures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.studies.results.front import non_dominated
from tests.golden.sentences import Sentences


def by_definition(rows: Any) -> list[bool]:
    """Nowhere worse and somewhere better: every row against every other."""
    known = [not np.isnan(row).any() for row in rows]

    def beaten(a: Any) -> bool:
        return any(ok and (b <= a).all() and (b < a).any() for ok, b in zip(known, rows))

    return [ok and not beaten(row) for ok, row in zip(known, rows)]


@pytest.mark.parametrize("draw", range(60))
def test_a_front_is_what_nothing_dominates(draw: int) -> None:
    rng = np.random.default_rng(draw)
    count, objectives = int(rng.integers(1, 60)), int(rng.integers(1, 5))
    rows = rng.normal(size=(count, objectives))
    if draw % 3:  # ties, whole rows that are equal among them
        rows = np.round(rows * draw % 4) - 1
    if draw % 4 == 1:
        rows[rng.uniform(size=rows.shape) < 0.2] = np.nan
    if draw % 5 == 2:
        rows[rng.uniform(size=rows.shape) < 0.2] = np.inf
        rows[rng.uniform(size=rows.shape) < 0.1] = -np.inf
    rows[rng.uniform(size=rows.shape) < 0.1] = -0.0
    assert non_dominated(rows).tolist() == by_definition(rows)


@pytest.mark.parametrize("objectives", [2, 3])
def test_a_front_of_very_many_is_found_the_quick_way(objectives: int) -> None:
    """Nearly all of them stand in it: on a sphere nothing dominates anything; what lies above it is dominated."""
    rng = np.random.default_rng(objectives)
    rows = -np.abs(rng.normal(size=(20_000, objectives)))
    rows /= np.linalg.norm(rows, axis=-1, keepdims=True)
    worse = rows[rng.integers(0, len(rows), 5000)] + rng.uniform(1e-9, 1, (5000, objectives))
    order = rng.permutation(25_000)
    assert non_dominated(np.concatenate([rows, worse])[order]).tolist() == (order < 20_000).tolist()


def test_no_row_and_no_number() -> None:
    assert non_dominated(np.empty((0, 2))).tolist() == []
    assert non_dominated(np.full((3, 2), np.nan)).tolist() == [False] * 3


def rated(case: dict[str, Any], rng: Any) -> dict[str, Any]:
    """Two figures, some rows not feasible, some that fail."""
    if case["k"] % 11 == 3:
        raise mp.InputError("does not do")
    cost, speed = rng.integers(0, 40, 2)
    fine = bool(case["k"] % 5)
    return {"cost": cost, "speed": float(speed), "feasible": fine, "reason": "" if fine else "too dear"}


@pytest.mark.usefixtures("kept_functions")
def test_the_front_of_a_study() -> None:
    found = mp.study(rated, {"k": range(80)}, seed=3)
    front = found.front(cost="least", speed="most")
    counts = [k for k in range(80) if k % 5 and k % 11 != 3]
    rows = np.full((80, 2), np.nan)
    rows[counts] = np.stack([found.table["cost"][counts], -found.table["speed"][counts]], -1)
    assert sorted(front.cases) == np.flatnonzero(by_definition(rows)).tolist()
    assert [row["cost"] for row in front.rows] == sorted(row["cost"] for row in front.rows)
    assert front.feasible == len(counts) and front.reasons == (("too dear", 15),)
    assert front.as_dict()["front"][0]["case"] == front.cases[0] and str(front).startswith("front of ")
    assert front.picture().count("<svg") == 2 and "speed over cost" in front.picture()
    three = found.front(cost="least", speed="most", k="least")
    assert len(three.charts()) == 3 and set(front.cases) <= set(found.front(speed="most", cost="least").cases)
    everything = found.front(cost="least")
    assert {row["cost"] for row in everything.rows} == {min(found.table["cost"][counts])}
    with pytest.raises(mp.InputError, match="two objectives make one"):
        everything.picture()


@pytest.mark.usefixtures("kept_functions")
@pytest.mark.parametrize(
    ("words", "told"),
    [
        ({}, "expected objectives, such as"),
        ({"cots": "least"}, "no column of the study is called 'cots'; did you mean 'cost'"),
        ({"cost": "lest"}, "cost: expected least or most, found 'lest'"),
        ({"reason": "least"}, "column reason is not numeric"),
    ],
)
def test_objectives_that_cannot_be(words: dict[str, str], told: str, whole: Sentences) -> None:
    found = mp.study(rated, {"k": range(4)})
    with whole.raises(mp.InputError, match=told):
        found.front(**words)
    with whole.raises(mp.InputError, match="has no robot of its own"):
        found.robot(0)


def test_the_line_of_a_front_never_passes_what_is_feasible() -> None:
    """Corners lie where the front dominates: no row that counts is better than a corner in both."""
    found = mp.study(rated, {"k": range(80)}, seed=3)
    for senses in (("least", "least"), ("least", "most"), ("most", "least"), ("most", "most")):
        front = found.front(cost=senses[0], speed=senses[1])
        signs = [1 if sense == "least" else -1 for sense in senses]
        rows = np.array([[found.table["cost"][k], found.table["speed"][k]] for k in range(80) if k % 5 and k % 11 != 3])
        for corner in front._steps("cost", "speed"):
            assert not ((rows - corner) * signs < 0).all(-1).any(), (senses, corner)
