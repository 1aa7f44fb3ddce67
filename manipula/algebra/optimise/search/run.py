"""The kernel at work: compiled by LLVM where it is there, else interpreted, with the same result."""

from __future__ import annotations

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

from manipula.algebra.optimise.search import kernel
from manipula.algebra.optimise.search.native import Kernel, kernel_from_ir
from manipula.algebra.optimise.search.state import ARRAYS, State
from manipula.algebra.optimise.search.translate import module_ir


@lru_cache(maxsize=1)
def compiled() -> Kernel:
    return kernel_from_ir(module_ir(kernel.FUNCTIONS, ARRAYS, public=("begin", "anneal")))


def begin(state: State) -> None:
    """Count the uses of a new state, and remember it as the best."""
    compiled().call("begin", state)


def anneal(state: State, moves: int) -> None:
    compiled().call("anneal", state, moves)


def interpreted(state: State, moves: int) -> None:
    """The same, by Python itself: slow, and what the compiled kernel is tested against."""
    lists: Any = SimpleNamespace(**{name: getattr(state, name).tolist() for name in ARRAYS})
    kernel.anneal(lists, moves)
    for name in ARRAYS:
        getattr(state, name)[:] = getattr(lists, name)
