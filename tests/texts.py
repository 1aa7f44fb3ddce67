"""One text three ways: plain Python, machine code and C give the same bits on the same inputs."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from manipula.algebra.emit.c.program import program_text
from manipula.algebra.program.reader import program
from manipula.algebra.run.routines import compile_text
from tests.emitted import shared

_FOLDER: list[Path] = []


def text_folder(factory: pytest.TempPathFactory) -> Path:
    """One for all tests: every text is compiled once."""
    if not _FOLDER:
        _FOLDER.append(factory.mktemp("texts"))
    return _FOLDER[0]


def from_c(entry: Callable[..., Any], folder: Path) -> Callable[..., Any]:
    """The text as C, compiled here; its whole numbers are narrower."""
    routines = program(entry)
    made = routines[-1]
    folder.mkdir(parents=True, exist_ok=True)
    text = program_text(routines, [made.name])
    (folder / "text.c").write_text(f"#include <math.h>\n\n{text}\n")
    code = getattr(shared(folder / "text.c"), made.name)
    kinds = {"int": ctypes.c_int, "flag": ctypes.c_int, "real": ctypes.c_double}
    code.argtypes = [kinds.get(kind, ctypes.c_void_p) for kind in made.parameters.values()]
    code.restype = kinds.get(made.returns, ctypes.c_int)

    def call(*args: Any) -> Any:
        narrow = [x.astype(np.int32) if isinstance(x, np.ndarray) and x.dtype == np.int64 else x for x in args]
        found = code(*(x.ctypes.data if isinstance(x, np.ndarray) else x for x in narrow))
        for x, own in zip(args, narrow, strict=True):
            if isinstance(x, np.ndarray):
                x[...] = own
        return None if made.returns == "none" else found

    return call


@lru_cache
def ways(entry: Callable[..., Any], folder: Path) -> list[Callable[..., Any]]:
    return [entry, compile_text(entry, rounded=True), from_c(entry, folder / entry.__name__)]


def alike(entry: Callable[..., Any], folder: Path, *given: Any) -> list[Any]:
    """What each way leaves in its arrays: the same bits. The first way's arrays."""
    found = []
    for way in ways(entry, folder):
        args = [x.copy() if isinstance(x, np.ndarray) else x for x in given]
        args.append(way(*args))
        found.append(args)
    for other in found[1:]:
        for a, b in zip(found[0], other, strict=True):
            np.testing.assert_array_equal(a, b)
    return found[0]
