"""Running what was emitted: C through the compiler of this machine, Python through an import."""

from __future__ import annotations

import ctypes
import importlib.util
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from math import prod
from pathlib import Path
from types import ModuleType

import pytest

from manipula.algebra.tape import Port, Tape

CC = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
STRICT = ("-std=c99", "-O2", "-Wall", "-Wextra", "-Werror", "-pedantic", "-Wconversion", "-Wunused", "-Wshadow")
needs_cc = pytest.mark.skipif(CC is None, reason="no C compiler on this machine: emitted C is not compiled")

Values = Mapping[str, Sequence[float]]


def written(files: Mapping[str, str], folder: Path) -> list[Path]:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in files]


def cc(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """The compiler, strict; its complaints are the assertion's message."""
    assert CC is not None
    done = subprocess.run(
        [CC, *STRICT, "-ffp-contract=off", *map(str, arguments), "-lm"], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr, done.stderr
    return done


def self_test(files: Mapping[str, str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Compile an emitted C function with its own `main` and run it."""
    sources = [path for path in written(files, folder) if path.suffix == ".c"]
    program = folder / "self_test"
    cc(*sources, "-o", program)
    return subprocess.run([str(program)], check=False, capture_output=True, text=True)


def shared(source: Path) -> ctypes.CDLL:
    """For values alone: optimised less than the self-tests are, which takes the compiler half the time."""
    library = source.with_suffix(".so")
    cc("-O1", "-shared", "-fPIC", "-x", "c", source, "-x", "none", "-o", library)
    return ctypes.CDLL(str(library))


def c_function(tape: Tape, files: Mapping[str, str], folder: Path) -> Callable[[Values], dict[str, list[float]]]:
    """An emitted C function as a callable: prepare, then the function, as its header says."""
    written(files, folder)
    name = next(file.removesuffix(".h") for file in files if file.endswith(".h"))
    library = shared(folder / f"{name}.c")
    prepared = re.search(rf"{name}_prepare\([^;]*manipula_real k\[(\d+)\]\);", files[f"{name}.h"])

    def run(inputs: Values) -> dict[str, list[float]]:
        arguments = [array(inputs[port.name]) for port in tape.inputs if port.online and port.slots]
        if prepared is not None:
            k = array([0.0] * int(prepared[1]))
            library[f"{name}_prepare"](*(array(inputs[port.name]) for port in tape.inputs if not port.online), k)
            arguments.append(k)
        return called(library, name, arguments, tape.outputs)

    return run


def called(
    library: ctypes.CDLL, name: str, arguments: Sequence[ctypes.Array[ctypes.c_double]], outputs: Sequence[Port]
) -> dict[str, list[float]]:
    results = [array([0.0] * prod(port.shape)) for port in outputs if port.slots]
    library[name](*arguments, *results)
    return {port.name: list(result) for port, result in zip([p for p in outputs if p.slots], results, strict=True)}


def array(values: Sequence[float]) -> ctypes.Array[ctypes.c_double]:
    return (ctypes.c_double * len(values))(*values)


def module_from(text: str, name: str, folder: Path) -> ModuleType:
    """Import an emitted Python file."""
    path = folder / f"{name}.py"
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def python(*arguments: str, **environment: str) -> str:
    """Run this Python in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-W", "error", *arguments],
        check=False,
        capture_output=True,
        text=True,
        env=environment or None,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
