"""This machine, as LLVM sees it: its target, the system's functions, and text → loaded code, kept in the cache."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import lru_cache, partial
from typing import Any

import llvmlite
import llvmlite.binding as llvm
import numpy as np

from manipula.algebra.llvm.writer import Host
from manipula.scalar import ARITHMETIC, OPS
from manipula.support.cache import discard, fetch, keep, key_of

_LIBRARIES = {"win32": ("ucrtbase", "ntdll"), "darwin": ("/usr/lib/libSystem.B.dylib",)}
_SYMBOLS = (
    "sincos", "__sincos_stret", "ceil", "rint", "__chkstk",
    *(op.word("c") for op in OPS.values() if op.name not in ARITHMETIC),
)  # fmt: skip  # all that code may call


@lru_cache(maxsize=1)
def identity() -> tuple[str, ...]:
    """Everything about the machine and the tools that machine code depends on."""
    version = ".".join(map(str, llvm.llvm_version_info))
    cpu, flags = llvm.get_host_cpu_name(), _flags()
    python = f"{sys.implementation.cache_tag} {getattr(sys, 'abiflags', '')} {ctypes.sizeof(ctypes.c_void_p)}"
    return (llvmlite.__version__, version, np.__version__, triple(), cpu, flags, python)


class LoadedCode:
    """Machine code in memory, as long as this lives."""

    def __init__(self, code: bytes, level: int) -> None:
        initialise()
        self._machine = _target_machine(level)
        # an empty module: the engine only links and loads what was compiled before
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), self._machine)
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        self._engine.finalize_object()

    def address(self, name: str) -> int:
        return int(self._engine.get_function_address(name))


def load_code(
    parts: tuple[object, ...], text: Callable[[], str], level: int, compiler: Callable[[str, int], bytes] | None = None
) -> LoadedCode:
    """The code of a text, which `parts` determine: from the cache, or compiled and kept."""
    initialise()
    # machine code of another processor would crash, not fail: its whole description is in the key
    key = key_of("code", identity(), level, *parts)
    code = fetch(key)
    if code is not None:
        with suppress(RuntimeError):
            return LoadedCode(code, level)
        discard(key)
    code = (compiler or object_from_text)(text(), level)
    keep(key, code)
    return LoadedCode(code, level)


def object_from_text(text: str, level: int) -> bytes:
    """Compile.

    The tape has no redundancy left, so a single pass, which tidies comparisons, stands for the usual pipeline: that
    one takes ten times as long and its vectoriser makes straight-line code slower.
    """
    module, machine = _parse_module(text, level)
    passes = llvm.create_new_module_pass_manager()
    passes.add_instruction_combine_pass()
    passes.run(module, _pipeline(machine, 1))
    return bytes(machine.emit_object(module))


def optimised_object(text: str, level: int, side_by_side: bool = False) -> bytes:
    """Compile text with loops: through LLVM's usual pipeline, but a row of a small matrix is no vector."""
    module, machine = _parse_module(text, level)
    builder = _pipeline(machine, level, side_by_side)
    builder.getModulePassManager().run(module, builder)
    return bytes(machine.emit_object(module))


# the same, with neighbouring numbers that meet the same operations side by side: for rows compared with rows
paired_object = partial(optimised_object, side_by_side=True)


def quick_object(text: str, level: int) -> bytes:
    """The same in a third of the time, for code a fifth slower: only what must be is inlined, and each function is
    tidied once, separately."""
    module, machine = _parse_module(text, level)
    nothing, simple = _pipeline(machine, 0), _pipeline(machine, 1)
    nothing.getModulePassManager().run(module, nothing)
    passes = simple.getFunctionPassManager()
    for function in module.functions:
        if not function.is_declaration:
            passes.run(function, simple)
    return bytes(machine.emit_object(module))


def _parse_module(text: str, level: int) -> tuple[Any, Any]:
    """The module of a text, and the machine it is for."""
    initialise()
    module = llvm.parse_assembly(text)
    module.triple = triple()
    return module, _target_machine(level)


def _pipeline(machine: object, level: int, side_by_side: bool = False) -> Any:
    """LLVM's passes of a level."""
    options = llvm.create_pipeline_tuning_options(speed_level=level)
    # loops over the rows of an arm are short: vectors would only add prologues
    options.loop_vectorization = False
    options.slp_vectorization = side_by_side
    return llvm.create_pass_builder(machine, options)


@lru_cache(maxsize=1)
def initialise() -> None:
    """Once a process: the native target, and where the system's functions are, however the interpreter was linked."""
    with suppress(RuntimeError):  # newer releases do this by themselves, and say so by an error
        llvm.initialize()
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    for name, address in _addresses().items():
        # an interpreter may be linked statically, without names that LLVM could find
        llvm.add_symbol(name, address)


def _addresses() -> dict[str, int]:
    """Address of every function of `_SYMBOLS` this system has."""
    addresses: dict[str, int] = {}
    for library in _libraries():
        for name in _SYMBOLS:
            function = getattr(library, name, None)
            if function is not None and name not in addresses:
                addresses[name] = ctypes.cast(function, ctypes.c_void_p).value or 0
    return addresses


def _libraries() -> Iterator[ctypes.CDLL]:
    for name in _LIBRARIES.get(sys.platform, ("libm.so.6", None)):
        with suppress(OSError):
            yield ctypes.CDLL(name)


@lru_cache(maxsize=1)
def host() -> Host:
    """The widest vectors of this machine, and whether it multiplies and adds in one."""
    if triple().startswith(("aarch64", "arm64")):
        return Host(16, True)
    has = features()
    if has.get("avx512f") and has.get("avx512dq") and has.get("avx512vl"):
        # all three: 64-byte vectors, their conversions, and the same instructions on narrower ones
        return Host(64, True)
    return Host(32 if has.get("avx") else 16, bool(has.get("fma")))


def features() -> dict[str, bool]:
    """What the processor can do; nothing beyond the common where that cannot be found out."""
    try:
        return dict(llvm.get_host_cpu_features())
    except RuntimeError:
        return {}


@lru_cache(maxsize=1)
def _flags() -> str:
    return ",".join(f"{'+' if has else '-'}{name}" for name, has in sorted(features().items()))


def triple() -> str:
    """The machine. On Windows the loader reads ELF objects: it cannot link the constants of COFF ones."""
    return str(llvm.get_process_triple()) + ("-elf" if sys.platform == "win32" else "")


def _target_machine(level: int) -> Any:
    target = llvm.Target.from_triple(triple())
    return target.create_target_machine(cpu=llvm.get_host_cpu_name(), features=_flags(), opt=level, jit=True)
