"""The collector's thresholds are the caller's again after every generation, whatever ended it, in any order."""

from __future__ import annotations

import gc
import random
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

import manipula as mp
from manipula.support.progress import SELDOM, seldom_collecting


@pytest.fixture(params=[(700, 10, 10), (0, 10, 10), (2 * SELDOM, 5, 5)])
def usual(request: pytest.FixtureRequest) -> Iterator[tuple[int, int, int]]:
    before = gc.get_threshold()
    gc.set_threshold(*request.param)
    yield request.param
    gc.set_threshold(*before)


def test_seldom_within_and_as_before_after(usual: tuple[int, int, int]) -> None:
    with seldom_collecting(), seldom_collecting():
        assert gc.get_threshold()[0] == (SELDOM if 0 < usual[0] < SELDOM else usual[0])
    assert gc.get_threshold() == usual


def test_left_in_any_order(usual: tuple[int, int, int]) -> None:
    """As threads leave: the first in may be the first out."""
    for seed in range(20):
        stacks = [ExitStack() for _ in range(4)]
        for stack in stacks:
            stack.enter_context(seldom_collecting())
        for stack in random.Random(seed).sample(stacks, len(stacks)):
            stack.close()
        assert gc.get_threshold() == usual


def test_after_a_refusal(usual: tuple[int, int, int]) -> None:
    with pytest.raises(mp.ManipulaError):
        mp.generate("planar2r", "gravity", optimise="most")  # type: ignore[arg-type]
    assert gc.get_threshold() == usual
    mp.generate("planar2r", "gravity")
    assert gc.get_threshold() == usual
