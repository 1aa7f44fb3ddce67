"""Texts (see `algebra.program`) at native speed: assembled, compiled and loaded."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from manipula.algebra.llvm.code import LoadedCode, load_code, optimised_object, paired_object
from manipula.algebra.llvm.program_lanes import laned_assembly
from manipula.algebra.llvm.program_writer import assembly, rounded_assembly
from manipula.algebra.program.reader import program
from manipula.algebra.program.tree import ARRAYS, STRUCT, Const, Kind, Member, Routine, Set, Struct, Var
from manipula.algebra.run.python_call_layout import address_of

LEVEL = 2
CTYPES: dict[Kind, Any] = {
    "none": None, "flag": ctypes.c_bool, "int": ctypes.c_int64, "word": ctypes.c_uint64, "real": ctypes.c_double,
}  # fmt: skip


def compile_text(entry: Callable[..., object], rounded: bool = False, **known: int) -> Callable[..., object]:
    """A text as machine code; it takes what the text takes.

    `rounded`: every step is, as in plain Python, so that equal numbers give equal bits. `known`: whole numbers that the
    code is made for; what a call gives for them is not looked at.
    """
    *callees, made = program(entry)
    # an assignment at the top: LLVM folds the constant through loops and array sizes
    made = replace(made, body=(*(Set(Var("int", name), Const("int", x)) for name, x in known.items()), *made.body))
    text = (rounded_assembly if rounded else assembly)([*callees, made], made.name)
    code = load_code(("routines", rounded, text), lambda: text, LEVEL, paired_object if rounded else optimised_object)
    return Native(code, made)


def compiled_together(*entries: Callable[..., object]) -> list[Callable[..., object]]:
    """Several texts as one piece of machine code: what they share is made once."""
    routines = program(*entries)
    # callees stand before them in one module, so what they share is compiled once
    made = [next(x for x in routines if x.name == entry.__name__) for entry in entries]
    text = assembly(routines, *(x.name for x in made))
    code = load_code(("routines", False, text), lambda: text, LEVEL, optimised_object)
    return [Native(code, x) for x in made]


class Native:
    """The code stays loaded as long as this lives. The interpreter's lock is free while it runs."""

    def __init__(self, code: LoadedCode, routine: Routine) -> None:
        self._code = code
        kinds = list(routine.parameters.values())
        self._arrays = [kind in ARRAYS for kind in kinds]
        self._structs = _mirrors(routine)
        form = ctypes.CFUNCTYPE(CTYPES[routine.returns], *(CTYPES.get(kind, ctypes.c_void_p) for kind in kinds))
        self._call = form(code.address(routine.name))

    def __call__(self, *args: Any) -> Any:
        if self._structs:
            return self._with_structs(list(args))
        return self._call(*[address_of(x) if array else x for x, array in zip(args, self._arrays, strict=True)])

    def _with_structs(self, args: list[Any]) -> Any:
        made = {i: mirror.image(args[i]) for i, mirror in self._structs.items()}
        arguments = [address_of(x) if array else x for x, array in zip(args, self._arrays, strict=True)]
        for i, image in made.items():
            arguments[i] = ctypes.addressof(image)
        result = self._call(*arguments)
        for i, image in made.items():
            self._structs[i].restore(image, args[i])
        return result


class Laned:
    """A laned text (see `program.lanes`), so many lanes wide.

    Arrays of n reals have the shape (n, lanes) here, real numbers (lanes,); whole numbers are common to all lanes.
    """

    def __init__(self, entry: Callable[..., object], lanes: int) -> None:
        routines = program(entry)
        self._routine, self.lanes = routines[-1], lanes
        text = laned_assembly(routines, lanes)
        self._code = load_code(("laned", text), lambda: text, LEVEL, optimised_object)
        kinds = list(self._routine.parameters.values())
        self._common = [kind in ("flag", "int", "word") for kind in kinds]
        self._structs = _mirrors(self._routine, lanes)
        self._wide = self._routine.returns == "real"
        taken = [CTYPES[k] if same else ctypes.c_void_p for k, same in zip(kinds, self._common, strict=True)]
        result = None if self._wide else CTYPES[self._routine.returns]
        form = ctypes.CFUNCTYPE(result, *taken, *([ctypes.c_void_p] if self._wide else []))
        self._call = form(self._code.address(f"{self._routine.name}.laned"))

    def __call__(self, *args: object) -> Any:
        made = {i: mirror.image(args[i]) for i, mirror in self._structs.items()}
        arguments: list[Any] = []
        for i, (x, same) in enumerate(zip(args, self._common, strict=True)):
            arguments.append(x if same else ctypes.addressof(made[i]) if i in made else self._place(x))
        out = np.empty(self.lanes)
        result = self._call(*arguments, *([out.ctypes.data] if self._wide else []))
        for i, image in made.items():
            self._structs[i].restore(image, args[i])
        return out if self._wide else result

    def _place(self, x: Any) -> int:
        whole = x.dtype.kind in "iu"
        assert x.flags.c_contiguous and (whole or x.shape[-1] == self.lanes), f"the last axis has {self.lanes} lanes"
        return address_of(x)


def _mirrors(routine: Routine, lanes: int = 0) -> dict[int, Mirror]:
    names = [kind.removeprefix(STRUCT) if kind.startswith(STRUCT) else "" for kind in routine.parameters.values()]
    return {i: Mirror(routine.structs[name], lanes) for i, name in enumerate(names) if name}


class Mirror:
    """A struct in memory as compiled code has it, made from an object and written back to it; 0 lanes: not laned."""

    def __init__(self, struct: Struct, lanes: int = 0) -> None:
        self._members = struct.members
        self._lanes = lanes
        fields = [(x.name, _ctype(x, lanes)) for x in struct.members]
        self._type = type(struct.name, (ctypes.Structure,), {"_fields_": fields})

    def image(self, thing: object) -> ctypes.Structure:
        made: ctypes.Structure = self._type()
        for x in self._members:
            value = getattr(thing, x.name)
            if self._inside(x):
                array = np.ascontiguousarray(value, dtype=_dtype(x.kind))
                assert array.nbytes == getattr(self._type, x.name).size, f"{x.name} has {array.size} entries"
                ctypes.memmove(_place(made, x), array.ctypes.data, array.nbytes)
            elif x.kind in ARRAYS:
                # compiled code trusts the address: a wrong type would read garbage
                assert value.dtype == _dtype(x.kind) and value.flags.c_contiguous, f"{x.name} is not {x.kind}"
                setattr(made, x.name, address_of(value))
            else:
                setattr(made, x.name, value)
        return made

    def restore(self, image: ctypes.Structure, thing: object) -> None:
        """The contents of the struct itself; arrays elsewhere were written in place."""
        for x in self._members:
            if self._inside(x):
                # as long and as shaped as the object has it, which the struct does not know
                own = np.array(getattr(thing, x.name), dtype=_dtype(x.kind))
                ctypes.memmove(own.ctypes.data, _place(image, x), own.nbytes)
                if own.ndim:
                    getattr(thing, x.name)[...] = own
                else:
                    setattr(thing, x.name, own.item())
            elif x.kind not in ARRAYS:
                setattr(thing, x.name, getattr(image, x.name))

    def _inside(self, x: Member) -> bool:
        """Are there several numbers in the struct itself?"""
        return x.size > 0 if x.kind in ARRAYS else x.kind == "complex" or (x.kind == "real" and self._lanes > 0)


def _place(image: ctypes.Structure, member: Member) -> int:
    return ctypes.addressof(image) + int(getattr(type(image), member.name).offset)


def _dtype(kind: Kind) -> Any:
    return {"int": np.int64, "word": np.uint64, "real": np.float64, "complex": np.complex128}[ARRAYS.get(kind, kind)]


def _ctype(member: Member, lanes: int) -> Any:
    entry = ARRAYS.get(member.kind, member.kind)
    if not member.size:
        return ctypes.c_void_p
    count = member.size * {"real": max(lanes, 1), "complex": 2 * max(lanes, 1)}.get(entry, 1)
    one = CTYPES.get(entry, ctypes.c_double)
    # a field of one entry would be an array to ctypes
    alone = member.kind not in ARRAYS and count == 1 and not (lanes and entry == "real")
    return one if alone else one * count
