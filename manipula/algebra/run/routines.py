"""Texts with loops (see `manipula.loops`) at native speed: assembled, compiled and loaded."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from manipula.algebra.machine.code import Loaded, loaded, optimised_object
from manipula.algebra.machine.program_ir import assembly
from manipula.algebra.program.reader import program
from manipula.algebra.program.tree import ARRAYS, Kind, Routine
from manipula.algebra.run.vectorcall.layout import address_of

LEVEL = 2
CTYPES: dict[Kind, Any] = {"none": None, "flag": ctypes.c_bool, "int": ctypes.c_int64, "real": ctypes.c_double}


def compiled(entry: Callable[..., Any]) -> Callable[..., Any]:
    """A text as machine code; it takes what the text takes."""
    routines = program(entry)
    text = assembly(routines, routines[-1].name)
    return _Callable(loaded(("routines", text), lambda: text, LEVEL, optimised_object), routines[-1])


class _Callable:
    """The code stays loaded as long as this lives. The interpreter's lock is free while it runs."""

    def __init__(self, code: Loaded, routine: Routine) -> None:
        self._code = code
        kinds = list(routine.parameters.values())
        self._arrays = [kind in ARRAYS for kind in kinds]
        form = ctypes.CFUNCTYPE(CTYPES[routine.returns], *(CTYPES.get(kind, ctypes.c_void_p) for kind in kinds))
        self._call = form(code.address(routine.name))

    def __call__(self, *args: Any) -> Any:
        return self._call(*[address_of(x) if array else x for x, array in zip(args, self._arrays, strict=True)])
