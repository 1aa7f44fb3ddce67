"""The kernel as machine code: its texts as assembly, optimised and loaded by LLVM; no compiler is needed."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

from manipula.algebra.machine.code import LoadedCode, loaded, optimised_object, quick_object
from manipula.algebra.optimise.search.state import ARRAYS, State


class Kernel:
    """Loaded code; its functions take a state and integers. The interpreter's lock is free while they run."""

    def __init__(self, code: LoadedCode) -> None:
        self.code = code

    def call(self, name: str, state: State, *numbers: int) -> int:
        kinds = [ctypes.c_void_p, *[ctypes.c_int64] * len(numbers)]
        function = ctypes.CFUNCTYPE(ctypes.c_int64, *kinds)(self.code.address(name))
        pointers = (ctypes.c_void_p * len(ARRAYS))(*(_address(getattr(state, field)) for field in ARRAYS))
        return int(function(pointers, *numbers))


def _address(array: Any) -> int:
    assert array.dtype == np.int64 and array.flags.c_contiguous
    return int(array.__array_interface__["data"][0])


def kernel_from_text(text: Callable[[], str], thorough: bool) -> Kernel:
    """Compiled well, or in a third of the time. The text is the package's own: what was kept needs none."""
    return Kernel(loaded(("search", thorough), text, 2, optimised_object if thorough else quick_object))
