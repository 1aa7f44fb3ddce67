"""The kernel at work: compiled by LLVM where it is there, else interpreted, with the same result.

A first answer should not wait for the best code: the kernel is compiled in a hurry, and again, well, once the moves
made so far show that there is a long search to pay for it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import lru_cache
from threading import Lock
from types import SimpleNamespace
from typing import Any

import numpy as np

from manipula.algebra.llvm.code import LoadedCode, load_code, optimised_object, quick_object
from manipula.algebra.llvm.program_writer import assembly
from manipula.algebra.optimise.search import kernel
from manipula.algebra.optimise.search.table import ARRAYS, State
from manipula.algebra.program.reader import program

# The kernel as machine code: its texts as assembly, optimised and loaded by LLVM; no compiler is needed.


class Kernel:
    """Loaded code; its functions take a state and integers. The interpreter's lock is free while they run."""

    def __init__(self, code: LoadedCode) -> None:
        self.code = code

    def call(self, name: str, state: State, *numbers: int) -> int:
        # CFUNCTYPE gives the interpreter's lock up during the call, PYFUNCTYPE would not
        kinds = [ctypes.c_void_p, *[ctypes.c_int64] * len(numbers)]
        function = ctypes.CFUNCTYPE(ctypes.c_int64, *kinds)(self.code.address(name))
        # the struct of the compiled texts: one pointer for each array, in the order of State
        pointers = (ctypes.c_void_p * len(ARRAYS))(*(_address(getattr(state, field)) for field in ARRAYS))
        return int(function(pointers, *numbers))


def _address(array: Any) -> int:
    assert array.dtype == np.int64 and array.flags.c_contiguous
    return int(array.__array_interface__["data"][0])


def kernel_from_text(text: Callable[[], str], thorough: bool) -> Kernel:
    """Compiled well, or in a third of the time. The text is the package's own: what was kept needs none."""
    return Kernel(load_code(("search", thorough), text, 2, optimised_object if thorough else quick_object))


LONG = 10_000_000  # moves in this process
_lock = Lock()
_made = [0]  # moves, so far


@lru_cache(maxsize=2)
def compile_kernel(thorough: bool) -> Kernel:
    return kernel_from_text(lambda: assembly(program(kernel.begin, kernel.anneal), "begin", "anneal"), thorough)


def begin(state: State) -> None:
    """Count the uses of a new state, and remember it as the best."""
    _kernel(0).call("begin", state)


def anneal(state: State, moves: int) -> None:
    _kernel(moves).call("anneal", state, moves)


def _kernel(moves: int) -> Kernel:
    """The code for so many moves more; one thread compiles, the others wait for it."""
    # LLVM compiles once, not once a chain
    with _lock:
        _made[0] += moves
        return compile_kernel(_made[0] > LONG)


def interpret_kernel(state: State, moves: int) -> None:
    """The same, by Python itself: slow, and what the compiled kernel is tested against."""
    # lists, because Python reads and writes them several times faster than entries of numpy arrays
    lists: Any = SimpleNamespace(**{name: getattr(state, name).tolist() for name in ARRAYS})
    kernel.anneal(lists, moves)
    for name in ARRAYS:
        getattr(state, name)[:] = getattr(lists, name)
