"""Texts (see `algebra.program`) at native speed: assembled, compiled and loaded."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from manipula.algebra.machine.code import Loaded, loaded, optimised_object, paired_object
from manipula.algebra.machine.program_ir import assembly, rounded_assembly
from manipula.algebra.program.reader import program
from manipula.algebra.program.tree import ARRAYS, STRUCT, Const, Kind, Member, Routine, Set, Struct, Var
from manipula.algebra.run.vectorcall.layout import address_of

LEVEL = 2
CTYPES: dict[Kind, Any] = {
    "none": None, "flag": ctypes.c_bool, "int": ctypes.c_int64, "word": ctypes.c_uint64, "real": ctypes.c_double,
}  # fmt: skip
DTYPES: dict[Kind, type] = {"ints": np.int64, "words": np.uint64, "reals": np.float64, "complexes": np.complex128}


def compiled(entry: Callable[..., Any], rounded: bool = False, **known: int) -> Callable[..., Any]:
    """A text as machine code; it takes what the text takes.

    `rounded`: every step is, as in plain Python, so that equal numbers give equal bits. `known`: whole numbers that the
    code is made for; what a call gives for them is not looked at.
    """
    *callees, made = program(entry)
    made = replace(made, body=(*(Set(Var("int", name), Const("int", x)) for name, x in known.items()), *made.body))
    text = (rounded_assembly if rounded else assembly)([*callees, made], made.name)
    code = loaded(("routines", rounded, text), lambda: text, LEVEL, paired_object if rounded else optimised_object)
    return Native(code, made)


class Native:
    """The code stays loaded as long as this lives. The interpreter's lock is free while it runs."""

    def __init__(self, code: Loaded, routine: Routine) -> None:
        self._code = code
        kinds = list(routine.parameters.values())
        self._arrays = [kind in ARRAYS for kind in kinds]
        names = [kind.removeprefix(STRUCT) if kind.startswith(STRUCT) else "" for kind in kinds]
        self._structs = {i: Mirror(routine.structs[name]) for i, name in enumerate(names) if name}
        form = ctypes.CFUNCTYPE(CTYPES[routine.returns], *(CTYPES.get(kind, ctypes.c_void_p) for kind in kinds))
        self._call = form(code.address(routine.name))

    def __call__(self, *args: Any) -> Any:
        if self._structs:
            return self._with_structs(list(args))
        return self._call(*[address_of(x) if array else x for x, array in zip(args, self._arrays, strict=True)])

    def _with_structs(self, args: list[Any]) -> Any:
        made = {i: mirror.image(args[i]) for i, mirror in self._structs.items()}
        given = [address_of(x) if array else x for x, array in zip(args, self._arrays, strict=True)]
        for i, image in made.items():
            given[i] = ctypes.addressof(image)
        result = self._call(*given)
        for i, image in made.items():
            self._structs[i].restore(image, args[i])
        return result


class Mirror:
    """A struct in memory as compiled code has it, made from an object and written back to it."""

    def __init__(self, struct: Struct) -> None:
        self._members = struct.members
        fields = [(x.name, _ctype(x)) for x in struct.members]
        self._type = type(struct.name, (ctypes.Structure,), {"_fields_": fields})

    def image(self, thing: Any) -> ctypes.Structure:
        made: ctypes.Structure = self._type()
        for x in self._members:
            value = getattr(thing, x.name)
            if x.kind in ARRAYS:
                array = np.asarray(value, dtype=DTYPES[x.kind]) if x.size else value
                assert array.dtype == DTYPES[x.kind] and array.flags.c_contiguous, f"{x.name} is not {x.kind}"
                if x.size:
                    assert array.size == x.size, f"{x.name} has {array.size} entries, not {x.size}"
                    ctypes.memmove(_place(made, x), array.ctypes.data, array.nbytes)
                    continue
                value = address_of(array)
            setattr(made, x.name, value)
        return made

    def restore(self, image: ctypes.Structure, thing: Any) -> None:
        """What stands in the struct itself; arrays elsewhere were written in place."""
        for x in self._members:
            if x.kind not in ARRAYS:
                setattr(thing, x.name, getattr(image, x.name))
            elif x.size:
                own: np.ndarray[Any, Any] = np.empty(x.size, dtype=DTYPES[x.kind])
                ctypes.memmove(own.ctypes.data, _place(image, x), own.nbytes)
                getattr(thing, x.name)[:] = own


def _place(image: ctypes.Structure, member: Member) -> int:
    return ctypes.addressof(image) + int(getattr(type(image), member.name).offset)


def _ctype(member: Member) -> Any:
    if member.kind not in ARRAYS:
        return CTYPES[member.kind]
    if not member.size:
        return ctypes.c_void_p
    double = 2 if member.kind == "complexes" else 1
    return CTYPES.get(ARRAYS[member.kind], ctypes.c_double) * (double * member.size)
