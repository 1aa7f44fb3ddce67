"""What is too long for a form is refused as soon as that is certain, and nothing else is."""

from __future__ import annotations

import pytest

import manipula as mp
from manipula.algebra.expr.function import Function
from manipula.algebra.simplify import simplifier, terms
from manipula.algebra.simplify.simplifier import Simplifier
from manipula.errors import SizeError
from tests.random_robots import random_robot

MODELS = ("inverse_dynamics", "jacobian", "inertia_matrix", "regressor")


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits that small arms meet."""
    for name, limit in {
        "EXPANDED_TERMS": 60,
        "FACTORED_TERMS": 15,
        "SHORT_TERMS": 20,
        "WRITTEN_OPERATIONS": 90,
    }.items():
        monkeypatch.setattr(terms, name, limit)


def verdicts(function: Function) -> list[object]:
    """Of both forms: refused, or which outputs keep their brackets."""
    found: list[object] = []
    try:
        simplifier.refuse_long(function, Simplifier())
        found.append(True)
    except SizeError:
        found.append(False)
    try:
        found.append(simplifier.bracketed_roots(function, Simplifier()))
    except SizeError:
        found.append(None)
    return found


@pytest.mark.turn
@pytest.mark.usefixtures("small")
def test_the_verdict_is_that_after_all_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    functions = [
        mp.generate(mp.Robot.of(random_robot(seed, joints=1 + seed % 3)), model, optimise="none").function
        for seed in range(6)
        for model in MODELS
    ]
    early = [verdicts(function) for function in functions]
    measured = simplifier._measure_lengths
    monkeypatch.setattr(
        simplifier, "_measure_lengths", lambda function, simplifier, _: measured(function, simplifier, never)
    )
    assert early == [verdicts(function) for function in functions]
    for form in (0, 1):  # both answers were given, of either form
        assert {bool(found[form] not in (None, False)) for found in early} == {True, False}


def never(found: simplifier.Lengths) -> bool:
    return False


@pytest.mark.usefixtures("small")
def test_what_is_past_hope_is_measured_no_further(monkeypatch: pytest.MonkeyPatch) -> None:
    function = mp.generate("stanford3", "regressor", optimise="none").function
    asked: list[object] = []
    right = Simplifier.length
    monkeypatch.setattr(Simplifier, "length", lambda self, root: asked.append(root) or right(self, root))
    with pytest.raises(SizeError, match="terms and more"):
        simplifier.refuse_long(function, Simplifier())
    assert len(asked) < len(set(function.roots))
