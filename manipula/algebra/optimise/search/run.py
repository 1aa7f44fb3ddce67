"""The kernel at work: compiled by LLVM where it is there, else interpreted, with the same result.

A first answer should not wait for the best code: the kernel is compiled in a hurry, and again, well, once the moves
made so far show that there is a long search to pay for it.
"""

from __future__ import annotations

from functools import lru_cache
from threading import Lock
from types import SimpleNamespace
from typing import Any

from manipula.algebra.machine.program.writer import assembly
from manipula.algebra.optimise.search import kernel
from manipula.algebra.optimise.search.native import Kernel, kernel_from_text
from manipula.algebra.optimise.search.state import ARRAYS, State
from manipula.algebra.program.reader import program

LONG = 10_000_000  # moves in this process
_lock = Lock()
_made = [0]  # moves, so far


@lru_cache(maxsize=2)
def compiled(thorough: bool) -> Kernel:
    return kernel_from_text(lambda: assembly(program(kernel.begin, kernel.anneal), "begin", "anneal"), thorough)


def begin(state: State) -> None:
    """Count the uses of a new state, and remember it as the best."""
    _kernel(0).call("begin", state)


def anneal(state: State, moves: int) -> None:
    _kernel(moves).call("anneal", state, moves)


def _kernel(moves: int) -> Kernel:
    """The code for so many moves more; one thread compiles, the others wait for it."""
    with _lock:
        _made[0] += moves
        return compiled(_made[0] > LONG)


def interpreted(state: State, moves: int) -> None:
    """The same, by Python itself: slow, and what the compiled kernel is tested against."""
    lists: Any = SimpleNamespace(**{name: getattr(state, name).tolist() for name in ARRAYS})
    kernel.anneal(lists, moves)
    for name in ARRAYS:
        getattr(state, name)[:] = getattr(lists, name)
