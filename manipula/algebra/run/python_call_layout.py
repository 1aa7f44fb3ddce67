"""What the thin call must know of the interpreter and of numpy, found out and tested before it is relied upon.

The fields of an array object (data, axes, shape, strides, base, dtype, flags) have had the same order and sizes in
every release of numpy, and its table of C functions the same positions. Still nothing is taken on trust: arrays of
known content are looked at byte by byte, the table must name the array type where it should, and the constructor is
tried. On any surprise there is no layout, and callers do without.
"""

from __future__ import annotations

import ctypes
import platform
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from itertools import combinations
from math import prod
from typing import Any, NamedTuple

import numpy as np

from manipula.algebra.tape import Port

# names of keywords in a call are interned, so that an address is enough to compare them
GENERAL, PARAMETER, OUT = sys.intern("general"), sys.intern("p"), sys.intern("out")
ORDER = 10  # bytes into a dtype's own fields: its byte order
_TYPE_ROW, _NEW_ROW = 2, 94  # PyArray_Type, PyArray_NewFromDescr
_FASTCALL = 0x82  # METH_FASTCALL | METH_KEYWORDS


class Layout(NamedTuple):
    """`header`: bytes of an object before its own fields; the rest are addresses."""

    header: int
    array_type: int
    new_array: int
    keep: int
    drop: int
    attribute: int
    vectorcall: int
    new_tuple: int
    set_item: int
    unlock: int
    lock: int
    tuple_size: int
    tuple_item: int


@lru_cache(maxsize=1)
def layout() -> Layout | None:
    """None where the thin call cannot be had."""
    # offsets below are those of 64 bits
    if platform.python_implementation() != "CPython" or ctypes.sizeof(ctypes.c_void_p) != 8:
        return None
    try:
        # tried on real arrays first: a wrong offset would read anywhere
        offsets = _find_layout()
        return offsets if _fields_agree(offsets.header) and _constructor_works(offsets) else None
    except (AttributeError, ValueError, OSError, ImportError, IndexError):
        return None


def address_of(array: np.ndarray[Any, Any]) -> int:
    """Where its data begin; read in place where that is known to work, as numpy's own ways take microseconds."""
    offsets = layout()
    return array.ctypes.data if offsets is None else _word(id(array) + offsets.header)


def _find_layout() -> Layout:
    table = _table()
    api = ctypes.pythonapi

    def address(name: str) -> int:
        return ctypes.cast(getattr(api, name), ctypes.c_void_p).value or 0

    return Layout(
        header=object.__basicsize__,
        array_type=_word(table + 8 * _TYPE_ROW),
        new_array=_word(table + 8 * _NEW_ROW),
        keep=address("Py_IncRef"),
        drop=address("Py_DecRef"),
        attribute=address("PyObject_GetAttr"),
        vectorcall=address("PyObject_Vectorcall"),
        new_tuple=address("PyType_GenericAlloc"),
        set_item=address("PyTuple_SetItem"),
        unlock=address("PyEval_SaveThread"),
        lock=address("PyEval_RestoreThread"),
        tuple_size=address("PyTuple_Size"),
        tuple_item=address("PyTuple_GetItem"),
    )


def _table() -> int:
    """Where numpy's table of C functions is."""
    package = "numpy._core" if hasattr(np, "_core") else "numpy.core"  # the name before numpy 2
    core = import_module(f"{package}._multiarray_umath")
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return int(pointer(core._ARRAY_API, None))


def _word(address: int) -> int:
    return ctypes.c_uint64.from_address(address).value


def _whole(address: int) -> int:
    return ctypes.c_int32.from_address(address).value


def _fields_agree(header: int) -> bool:
    """Look at arrays of every sort; each read stays within the object."""
    # nothing behind the object may be read, not even to test
    if np.ndarray.__basicsize__ < header + 56:
        return False
    dense = np.arange(6.0)
    turned, short, wide = dense.reshape(2, 3).T, np.zeros((3, 4), dtype=np.float32), np.broadcast_to(dense, (2, 6))
    samples = [dense, dense[::2], turned, short, wide]
    # an array of the other byte order must not pass for a native one
    other = ">" if sys.byteorder == "little" else "<"
    orders = {"f8": "=", "f4": "=", f"{other}f8": other}
    return all(_looks_right(array, header) for array in samples) and all(
        _dtype_looks_right(np.dtype(name), header, order) for name, order in orders.items()
    )


def _dtype_looks_right(dtype: np.dtype[Any], header: int, order: str) -> bool:
    """Its class, and its byte order where the thin call looks for it."""
    kind, letter = _word(id(dtype) + header - 8), ctypes.c_uint8.from_address(id(dtype) + header + ORDER).value
    return kind == id(type(dtype)) and letter == ord(order)


def _looks_right(array: np.ndarray[Any, Any], header: int) -> bool:
    at = id(array)
    seen = (
        _word(at + header - 8), _word(at + header), _whole(at + header + 8), _word(at + header + 40),
        _whole(at + header + 48),
    )  # fmt: skip
    if seen != (id(type(array)), array.ctypes.data, array.ndim, id(array.dtype), array.flags.num):
        return False
    shape, strides = _word(at + header + 16), _word(at + header + 24)
    spans = [(_word(shape + 8 * i), _word(strides + 8 * i)) for i in range(array.ndim)]
    return spans == list(zip(array.shape, array.strides))


def _constructor_works(found: Layout) -> bool:
    """The table names the array type at its place, and what should make arrays makes one."""
    if found.array_type != id(np.ndarray):
        return False
    dtype, shape = np.dtype(np.float64), (ctypes.c_int64 * 2)(2, 3)
    word, whole, thing = ctypes.c_void_p, ctypes.c_int, ctypes.py_object
    make = ctypes.PYFUNCTYPE(thing, word, thing, whole, word, word, word, whole, word)(found.new_array)
    # the constructor takes a reference of the dtype: if it did not, every call would leak one
    before = sys.getrefcount(dtype)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(dtype))
    made = make(found.array_type, dtype, 2, ctypes.addressof(shape), None, None, 0, None)
    right = type(made) is np.ndarray and made.shape == (2, 3) and made.dtype is dtype and made.flags.carray
    del made
    return right and sys.getrefcount(dtype) == before


class MethodDef(ctypes.Structure):
    """PyMethodDef"""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    ]


_DEFINITIONS: list[MethodDef] = []  # a builtin reads its definition until its very end, so none is ever freed


def builtin(address: int, owner: object, name: str, doc: str) -> Any:
    """A built-in function at an address; `owner` is its `__self__` and must keep the code loaded."""
    definition = MethodDef(name.encode(), address, _FASTCALL, doc.encode())
    _DEFINITIONS.append(definition)
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
    return make(ctypes.addressof(definition), owner, None)


def fill_context(context: int, words: Sequence[int]) -> None:
    """Write a table of addresses. The caller keeps alive what they point to."""
    for i, word in enumerate(words):
        ctypes.c_uint64.from_address(context + 8 * i).value = word


# The thin call with `out=`: results go into the caller's arrays, if they fit as they are.
#
# One result is given as an array, several as a tuple of arrays. Each must be dense, writeable, of the function's dtype
# and of the very shape, and lie apart from the inputs and from the others; then it is returned in place of a new array.
# All else goes the general way, which copies what overlaps and says what does not fit.

FIELDS = {"data": (0, "ptr"), "axes": (8, "i32"), "shape": (16, "ptr"), "dtype": (40, "ptr"), "flags": (48, "i32")}
DENSE = 0x101  # C-contiguous and aligned
WRITEABLE = 0x400
_ALIGN = {"ptr": 8, "i64": 8, "i32": 4, "i8": 1}


def field(of: str, name: str, offset: int, kind: str) -> Iterator[str]:
    yield f"  %{of}.at.{name} = getelementptr inbounds i8, ptr %{of}, i64 {offset}"
    yield f"  %{of}.{name} = load {kind}, ptr %{of}.at.{name}, align {_ALIGN[kind]}"


def fits(x: str, at: str, axes: int, header: int, flags: int = DENSE) -> Iterator[str]:
    """`%x.ok`: an array `at` with so many axes, the right dtype (not always the same object) in native order, dense."""
    yield f"  %{x} = getelementptr inbounds i8, ptr {at}, i64 0"
    for name, (offset, kind) in FIELDS.items():
        yield from field(x, name, header + offset, kind)
    yield f"  %{x}.dense = and i32 %{x}.flags, {flags}"
    yield f"  %{x}.ok1 = icmp eq i32 %{x}.axes, {axes}"
    yield from field(f"{x}.dtype", "type", header - 8, "ptr")
    yield from field(f"{x}.dtype", "order", header + ORDER, "i8")
    yield f"  %{x}.ok4 = icmp eq ptr %{x}.dtype.type, %dtype_type"
    yield f"  %{x}.ok5 = icmp eq i8 %{x}.dtype.order, {ord('=')}\n  %{x}.ok2 = and i1 %{x}.ok4, %{x}.ok5"
    yield f"  %{x}.ok3 = icmp eq i32 %{x}.dense, {flags}"
    yield f"  %{x}.ok12 = and i1 %{x}.ok1, %{x}.ok2\n  %{x}.ok = and i1 %{x}.ok12, %{x}.ok3"


@dataclass(frozen=True)
class Span:
    """Memory that a call reads or writes: where its pointer is, and how many entries a row has."""

    data: str
    entries: int


@dataclass(frozen=True)
class ResultCall:
    """The parts of `call` that concern `out`, which is `%out`: null where it is missing."""

    outputs: tuple[Port, ...]
    header: int
    width: int  # bytes of an entry

    def take_outputs(self, way: str, lead: Sequence[str], inputs: Sequence[Span]) -> Iterator[str]:
        """From `way.given` over `way.apart` to `way.at`: `%way.out0` …, each with one reference more."""
        yield f"{way}.given:"
        yield from self._unpack_outputs(way)
        for i, port in enumerate(self.outputs):
            x = f"{way}.out{i}"
            yield from field(x, "type", self.header - 8, "ptr")
            yield f"  %{x}.array = icmp eq ptr %{x}.type, %array_type"
            yield f"  br i1 %{x}.array, label %{x}.look, label %general\n{x}.look:"
            sizes = [*lead, *map(str, port.shape)]
            yield from fits(f"{x}.in", f"%{x}", len(sizes), self.header, DENSE | WRITEABLE)
            yield f"  br i1 %{x}.in.ok, label %{x}.fits, label %general\n{x}.fits:"
            yield from self._check_shape(x, sizes)
        yield from self._apart(way, lead, inputs)
        yield f"  br label %{way}.apart\n{way}.apart:"
        yield from (f"  call void %keep(ptr %{way}.out{i})" for i in range(len(self.outputs)))
        yield f"  br label %{way}.at"

    def _unpack_outputs(self, way: str) -> Iterator[str]:
        if len(self.outputs) == 1:
            yield f"  %{way}.out0 = getelementptr inbounds i8, ptr %out, i64 0"
            return
        yield f"  %{way}.out.at = getelementptr inbounds i8, ptr %out, i64 {self.header - 8}"
        yield f"  %{way}.out.type = load ptr, ptr %{way}.out.at, align 8"
        yield f"  %{way}.out.is = icmp eq ptr %{way}.out.type, %tuple_type"
        yield f"  br i1 %{way}.out.is, label %{way}.out.tuple, label %general\n{way}.out.tuple:"
        yield f"  %{way}.out.size = call i64 %tuple_size(ptr %out)"
        yield f"  %{way}.out.right = icmp eq i64 %{way}.out.size, {len(self.outputs)}"
        yield f"  br i1 %{way}.out.right, label %{way}.out.items, label %general\n{way}.out.items:"
        for i in range(len(self.outputs)):
            yield f"  %{way}.out{i} = call ptr %tuple_item(ptr %out, i64 {i})"

    def _check_shape(self, x: str, sizes: Sequence[str]) -> Iterator[str]:
        for axis, size in enumerate(sizes):
            yield f"  %{x}.at{axis} = getelementptr inbounds i64, ptr %{x}.in.shape, i64 {axis}"
            yield f"  %{x}.size{axis} = load i64, ptr %{x}.at{axis}, align 8"
            yield f"  %{x}.right{axis} = icmp eq i64 %{x}.size{axis}, {size}"
            yield f"  br i1 %{x}.right{axis}, label %{x}.axis{axis}, label %general\n{x}.axis{axis}:"

    def _apart(self, way: str, lead: Sequence[str], inputs: Sequence[Span]) -> Iterator[str]:
        """No result overlaps an input or another result: its end is before their start, or theirs before its."""
        rows = lead[0] if lead else "1"
        spans = [Span(f"%{way}.out{i}.in.data", prod(port.shape)) for i, port in enumerate(self.outputs)]
        spans += inputs
        for i, span in enumerate(spans):
            s = f"%{way}.span{i}"
            yield f"  {s} = ptrtoint ptr {span.data} to i64\n  {s}.long = mul i64 {rows}, {span.entries * self.width}"
            yield f"  {s}.end = add i64 {s}, {s}.long"
        results = len(self.outputs)
        # inputs may overlap each other; results may overlap nothing
        for i, k in combinations(range(len(spans)), 2):
            if i >= results:
                continue
            a, b, n = f"%{way}.span{i}", f"%{way}.span{k}", f"{way}.meet{i}.{k}"
            yield f"  %{n}.1 = icmp ult i64 {a}, {b}.end\n  %{n}.2 = icmp ult i64 {b}, {a}.end"
            yield f"  %{n} = and i1 %{n}.1, %{n}.2\n  br i1 %{n}, label %general, label %{n}.not\n{n}.not:"
