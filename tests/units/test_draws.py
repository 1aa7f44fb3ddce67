"""Which of the drawn cases `make test` runs: a share by the commit, of every choice of the other parameters some."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from tests.conftest import FEW, SHARE, left_out


@dataclass(eq=False)
class Case:
    """A collected test, as far as the choice looks at it."""

    params: dict[str, Any]
    marks: tuple[pytest.Mark, ...]
    nodeid: str = "test_x.py::test_y[…]"
    callspec: SimpleNamespace = field(init=False)

    def __post_init__(self) -> None:
        self.callspec = SimpleNamespace(params=self.params)

    def iter_markers(self, name: str) -> list[pytest.Mark]:
        return [mark for mark in self.marks if mark.name == name]

    def get_closest_marker(self, name: str) -> pytest.Mark | None:
        return next(iter(self.iter_markers(name)), None)


def cases(*parameters: dict[str, Any], marks: tuple[pytest.MarkDecorator, ...]) -> list[Any]:
    return [Case(x, tuple(one.mark for one in marks)) for x in parameters]


def taken(drawn: list[Any], word: str) -> list[dict[str, Any]]:
    left = left_out(drawn, word)
    return [case.params for case in drawn if case not in left]


def seeds(count: int) -> list[Any]:
    return cases(*({"seed": k} for k in range(count)), marks=(pytest.mark.parametrize("seed", range(count)),))


@pytest.mark.parametrize("count", [1, 2, 3, 6, 7, 14, 30, 35, 300])
def test_a_share_and_at_least_a_few(count: int) -> None:
    for word in ("a", "b", "c"):
        chosen = taken(seeds(count), word)
        assert len(chosen) == min(count, max(FEW, -(-count // SHARE))) and chosen == taken(seeds(count), word)


def test_other_commits_take_other_cases_until_all_were_taken() -> None:
    assert len({x["seed"] for k in range(200) for x in taken(seeds(30), f"commit {k}")}) == 30


@pytest.mark.parametrize("remainder", [2, 3, 4, 5, 6])
def test_what_goes_by_the_remainder_of_a_seed_is_not_always_the_same(remainder: int) -> None:
    for word in ("a", "b", "c", "d"):
        assert len({x["seed"] % remainder for x in taken(seeds(60), word)}) == remainder


def test_every_choice_of_the_other_parameters_has_its_case() -> None:
    every = [{"seed": k, "law": law} for law in "xyz" for k in range(6)]
    marks = (pytest.mark.parametrize("seed", range(6)), pytest.mark.parametrize("law", "xyz"))
    assert [x["law"] for x in taken(cases(*every, marks=marks), "a")] == list("xyz")


def test_what_comes_with_a_seed_is_drawn_with_it_and_others_where_a_mark_says_so() -> None:
    pairs = [{"seed": k, "kinds": "R" * k} for k in range(14)]
    assert len(taken(cases(*pairs, marks=(pytest.mark.parametrize("seed, kinds", []),)), "a")) == 2
    names = [{"name": k} for k in range(5)]
    listed = pytest.mark.parametrize("name", range(5))
    assert len(taken(cases(*names, marks=(listed,)), "a")) == 5
    assert len(taken(cases(*names, marks=(listed, pytest.mark.drawn("name", few=1))), "a")) == 1


def test_long_tests_take_turns() -> None:
    """At one commit in four, each at its own; what is not marked runs, and what was chosen is not drawn again."""
    long = [Case({}, (pytest.mark.turn.mark,), f"test_x.py::test_{k}") for k in range(40)]
    other, runs = Case({}, (), "test_x.py::test_short"), [0] * len(long)
    for word in map(str, range(300)):
        left = left_out([*long, other], word)  # type: ignore[list-item]
        assert other not in left and left == left_out([*long, other], word)  # type: ignore[list-item]
        runs = [count + (case not in left) for count, case in zip(runs, long)]
        assert left_out([*long, other], word, turns=False) == []  # type: ignore[list-item]
    assert all(75 - 40 < count < 75 + 40 for count in runs)
