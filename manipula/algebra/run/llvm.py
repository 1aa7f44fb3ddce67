"""Native kernels: the assembly of `ir`, optimised and loaded by LLVM.

Sines and cosines are LLVM's intrinsics, which become calls of the system's libm (one `sincos` for both where there is
one); the addresses are handed to the linker here, so that nothing depends on how the interpreter was linked.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any

import llvmlite.binding as llvm
import numpy as np

from manipula.algebra.run.ir import ir_from_tape, kept_slots, variables_of
from manipula.algebra.run.shapes import Floats, View
from manipula.algebra.tape import Tape

_LIBRARIES = {"win32": ("ucrtbase", "ntdll"), "darwin": ("/usr/lib/libSystem.B.dylib",)}
_SYMBOLS = ("sin", "cos", "sincos", "__sincos_stret", "atan2", "__chkstk")  # all that generated code may call
LONG = 20_000  # lines; past this the careful code generator takes seconds, and the plain one serves


class LlvmKernel:
    """The two functions of a tape as machine code. Pure: any number of threads may call it at once."""

    backend = "llvm"

    def __init__(self, tape: Tape) -> None:
        self.source_ir = ir_from_tape(tape)
        self._kept = len(kept_slots(tape))
        self._engine = _compiled(self.source_ir, level=1 if len(tape.lines) <= LONG else 0)
        self.address: int = self._engine.get_function_address("run")
        pointer, whole = ctypes.c_void_p, ctypes.c_int64
        inputs = [kind for _ in variables_of(tape) for kind in (pointer, whole)]
        outputs = [pointer for _ in tape.outputs]
        self._run = ctypes.CFUNCTYPE(None, *inputs, pointer, *outputs, whole)(self.address)
        self._prepare = ctypes.CFUNCTYPE(None, pointer, pointer)(self._engine.get_function_address("prepare"))

    def prepare(self, parameters: Floats) -> Floats:
        """The off-line part."""
        kept = np.empty(self._kept)
        self._prepare(address_of(parameters), address_of(kept))
        return kept

    def run(self, views: Sequence[View], kept: Floats, results: Sequence[Floats], count: int) -> None:
        """The on-line part, for `count` configurations. The interpreter's lock is free meanwhile."""
        inputs = [part for view in views for part in (address_of(view.array), view.step)]
        self._run(*inputs, address_of(kept), *map(address_of, results), count)


def address_of(array: Floats) -> int:
    return array.__array_interface__["data"][0]  # type: ignore[no-any-return]


@lru_cache(maxsize=1)
def _initialise() -> None:
    """Once a process: the native target, and where the system's functions are."""
    with suppress(RuntimeError):  # newer releases do this by themselves, and say so by an error
        llvm.initialize()
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    for name, address in _addresses().items():
        llvm.add_symbol(name, address)


def _addresses() -> dict[str, int]:
    """Address of every function of `_SYMBOLS` this system has."""
    found: dict[str, int] = {}
    for library in _libraries():
        for name in _SYMBOLS:
            function = getattr(library, name, None)
            if function is not None and name not in found:
                found[name] = ctypes.cast(function, ctypes.c_void_p).value or 0
    return found


def _libraries() -> Iterator[ctypes.CDLL]:
    for name in _LIBRARIES.get(sys.platform, ("libm.so.6", None)):
        with suppress(OSError):
            yield ctypes.CDLL(name)


def _triple() -> str:
    """The machine. On Windows the loader reads ELF objects: it cannot link the constants of COFF ones."""
    return str(llvm.get_process_triple()) + ("-elf" if sys.platform == "win32" else "")


def _target_machine(level: int) -> Any:
    target = llvm.Target.from_triple(_triple())
    features = llvm.get_host_cpu_features().flatten()
    return target.create_target_machine(cpu=llvm.get_host_cpu_name(), features=features, opt=level, jit=True)


def _compiled(text: str, level: int) -> Any:
    """An execution engine that owns the code.

    The tape has no redundancy left, so a single pass, which tidies comparisons, stands for the usual pipeline: that
    one takes ten times as long and its vectoriser makes straight-line code slower.
    """
    _initialise()
    module = llvm.parse_assembly(text)
    module.triple = _triple()
    machine = _target_machine(level)
    passes = llvm.create_new_module_pass_manager()
    passes.add_instruction_combine_pass()
    passes.run(module, llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=1)))
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    return engine
