"""The kernel as machine code: the assembly of `translate`, optimised and loaded by LLVM; nothing else is needed."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from typing import Any

import llvmlite.binding as llvm
import numpy as np

from manipula.algebra.optimise.search.state import ARRAYS, State


@lru_cache(maxsize=4)
def native(text: str, name: str, numbers: int) -> Callable[..., int]:
    """A function of the assembly, called with a state and `numbers` integers. The interpreter's lock is free meanwhile."""
    engine = _engine(text)
    kinds = [ctypes.c_void_p, *[ctypes.c_int64] * numbers]
    function = ctypes.CFUNCTYPE(ctypes.c_int64, *kinds)(engine.get_function_address(name))

    def run(s: State, *given: int) -> int:
        assert engine is not None  # the closure keeps the code alive
        pointers = (ctypes.c_void_p * len(ARRAYS))(*(_address(getattr(s, field)) for field in ARRAYS))
        return int(function(pointers, *given))

    return run


def _address(array: Any) -> int:
    assert array.dtype == np.int64 and array.flags.c_contiguous
    return int(array.__array_interface__["data"][0])


def _engine(text: str) -> Any:
    with suppress(RuntimeError):  # newer releases do this by themselves, and say so by an error
        llvm.initialize()
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    module = llvm.parse_assembly(text)
    module.triple = llvm.get_process_triple()
    target = llvm.Target.from_triple(module.triple)
    machine = target.create_target_machine(opt=2, jit=True)
    options = llvm.create_pipeline_tuning_options(speed_level=2)
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    return engine
