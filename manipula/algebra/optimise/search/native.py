"""The kernel as machine code: the assembly of `translate`, optimised and loaded by LLVM; no compiler is needed."""

from __future__ import annotations

import ctypes
from contextlib import suppress
from typing import Any

import llvmlite.binding as llvm
import numpy as np

from manipula.algebra.optimise.search.state import ARRAYS, State


class Kernel:
    """Loaded code; its functions take a state and integers. The interpreter's lock is free while they run."""

    def __init__(self, engine: Any) -> None:
        self.engine = engine  # owns the code

    def call(self, name: str, state: State, *numbers: int) -> int:
        kinds = [ctypes.c_void_p, *[ctypes.c_int64] * len(numbers)]
        function = ctypes.CFUNCTYPE(ctypes.c_int64, *kinds)(self.engine.get_function_address(name))
        pointers = (ctypes.c_void_p * len(ARRAYS))(*(_address(getattr(state, field)) for field in ARRAYS))
        return int(function(pointers, *numbers))


def _address(array: Any) -> int:
    assert array.dtype == np.int64 and array.flags.c_contiguous
    return int(array.__array_interface__["data"][0])


def kernel_from_ir(text: str) -> Kernel:
    with suppress(RuntimeError):  # newer releases do this by themselves, and say so by an error
        llvm.initialize()
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    module = llvm.parse_assembly(text)
    module.triple = llvm.get_process_triple()
    machine = llvm.Target.from_triple(module.triple).create_target_machine(opt=2, jit=True)
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=2))
    builder.getModulePassManager().run(module, builder)
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    return Kernel(engine)
