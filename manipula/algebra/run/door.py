"""The thin call: a function with CPython's own calling convention, written in LLVM assembly.

    PyObject *call(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)

If the arguments are exactly what the kernel wants (as many arrays of its dtype as it has inputs, each one row, dense),
it allocates the results, calls `one` and returns them: no Python frame, no conversion. All else, keywords included,
goes to `self.general(...)`, which takes everything. Where things lie in an array and which functions there are to call
is handed over in a table (`context`), filled after loading; `layout.py` finds it out and tests it.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from manipula.algebra.run.ir import variables_of
from manipula.algebra.tape import Port, Tape

# the table's rows
CONTEXT = (
    "array_type", "dtype", "new_array", "keep", "drop", "attribute", "vectorcall", "general", "result_type",
    "new_tuple", "set_item",
)  # fmt: skip
DENSE = 0x101  # C-contiguous and aligned


def door_text(tape: Tape, header: int) -> str:
    """`header`: bytes before an object's own fields; its type is the last of them."""
    lines = [
        f"@context = internal global [{len(CONTEXT)} x ptr] zeroinitializer, align 8",
        *_shapes(tape.outputs),
        "define ptr @door_context() nounwind {\n  ret ptr @context\n}",
        "define ptr @call(ptr %self, ptr %args, i64 %count, ptr %names) nounwind {",
        "entry:",
        *_arguments(tape, header),
        *_allocation(tape, header),
        *_answer(tape),
        *_general(),
        "}",
    ]
    return "\n".join(lines)


def _shapes(ports: tuple[Port, ...]) -> Iterator[str]:
    for i, port in enumerate(ports):
        sizes = ", ".join(f"i64 {size}" for size in port.shape) or "i64 0"
        yield f"@shape{i} = internal constant [{max(len(port.shape), 1)} x i64] [{sizes}], align 8"


def _context(name: str, to: str) -> Iterator[str]:
    index = CONTEXT.index(name)
    yield f"  %at.{to} = getelementptr inbounds [{len(CONTEXT)} x ptr], ptr @context, i64 0, i64 {index}"
    yield f"  %{to} = load ptr, ptr %at.{to}, align 8"


def _field(of: str, name: str, offset: int, kind: str) -> Iterator[str]:
    yield f"  %{of}.at.{name} = getelementptr inbounds i8, ptr %{of}, i64 {offset}"
    yield f"  %{of}.{name} = load {kind}, ptr %{of}.at.{name}, align {4 if kind == 'i32' else 8}"


def _arguments(tape: Tape, header: int) -> Iterator[str]:
    """Each is an array, not of a subclass, of the right dtype and shape, dense."""
    ports = variables_of(tape)
    yield from _context("array_type", "array_type")
    yield from _context("dtype", "dtype")
    yield f"  %enough = icmp eq i64 %count, {len(ports)}"
    yield "  %nameless = icmp eq ptr %names, null"
    yield "  %plain = and i1 %enough, %nameless"
    yield f"  br i1 %plain, label %look0, label %general\n{'look0:'}"
    for i, port in enumerate(ports):
        x = f"x{i}"
        yield f"  %at.{x} = getelementptr inbounds ptr, ptr %args, i64 {i}"
        yield f"  %{x} = load ptr, ptr %at.{x}, align 8"
        yield from _field(x, "type", header - 8, "ptr")
        yield f"  %{x}.array = icmp eq ptr %{x}.type, %array_type"
        yield f"  br i1 %{x}.array, label %inside{i}, label %general\ninside{i}:"
        yield from _field(x, "axes", header + 8, "i32")
        yield from _field(x, "dtype", header + 40, "ptr")
        yield from _field(x, "flags", header + 48, "i32")
        yield f"  %{x}.dense = and i32 %{x}.flags, {DENSE}"
        yield f"  %{x}.ok1 = icmp eq i32 %{x}.axes, 1"
        yield f"  %{x}.ok2 = icmp eq ptr %{x}.dtype, %dtype"
        yield f"  %{x}.ok3 = icmp eq i32 %{x}.dense, {DENSE}"
        yield f"  %{x}.ok12 = and i1 %{x}.ok1, %{x}.ok2\n  %{x}.ok = and i1 %{x}.ok12, %{x}.ok3"
        yield f"  br i1 %{x}.ok, label %long{i}, label %general\nlong{i}:"
        yield from _field(x, "shape", header + 16, "ptr")
        yield f"  %{x}.size = load i64, ptr %{x}.shape, align 8"
        yield f"  %{x}.right = icmp eq i64 %{x}.size, {len(port.slots)}"
        yield f"  br i1 %{x}.right, label %look{i + 1}, label %general\nlook{i + 1}:"
        yield from _field(x, "data", header, "ptr")


def _allocation(tape: Tape, header: int) -> Iterator[str]:
    """New arrays; if one cannot be had, the others are given back and the error stands."""
    yield from _context("new_array", "new_array")
    yield from _context("keep", "keep")
    yield from _context("drop", "drop")
    for i, port in enumerate(tape.outputs):
        yield "  call void %keep(ptr %dtype)"  # the constructor takes this reference
        given = f"ptr %array_type, ptr %dtype, i32 {len(port.shape)}, ptr @shape{i}"
        yield f"  %y{i} = call ptr %new_array({given}, ptr null, ptr null, i32 0, ptr null)"
        yield f"  %y{i}.none = icmp eq ptr %y{i}, null"
        yield f"  br i1 %y{i}.none, label %lost{i}, label %made{i}\nlost{i}:"
        for k in range(i):
            yield f"  call void %drop(ptr %y{k})"
        yield f"  ret ptr null\nmade{i}:"
        yield from _field(f"y{i}", "data", header, "ptr")
    inputs = [f"ptr %x{i}.data" for i in range(len(variables_of(tape)))]
    outputs = [f"ptr %y{i}.data" for i in range(len(tape.outputs))]
    yield f"  call void @one({', '.join([*inputs, 'ptr null', *outputs])})"


def _answer(tape: Tape) -> Iterator[str]:
    """The array, or a named tuple of arrays."""
    count = len(tape.outputs)
    if count == 1:
        yield "  ret ptr %y0"
        return
    yield from _context("result_type", "result_type")
    yield from _context("new_tuple", "new_tuple")
    yield from _context("set_item", "set_item")
    yield f"  %tuple = call ptr %new_tuple(ptr %result_type, i64 {count})"
    yield "  %tuple.none = icmp eq ptr %tuple, null"
    yield "  br i1 %tuple.none, label %lost, label %fill\nlost:"
    for i in range(count):
        yield f"  call void %drop(ptr %y{i})"
    yield "  ret ptr null\nfill:"
    for i in range(count):
        yield f"  %set{i} = call i32 %set_item(ptr %tuple, i64 {i}, ptr %y{i})"
    yield "  ret ptr %tuple"


def _general() -> Iterator[str]:
    yield "general:"
    yield from _context("attribute", "attribute")
    yield from _context("vectorcall", "vectorcall")
    yield from _context("general", "general.name")
    yield from _context("drop", "general.drop")
    yield "  %method = call ptr %attribute(ptr %self, ptr %general.name)"
    yield "  %method.none = icmp eq ptr %method, null"
    yield "  br i1 %method.none, label %nothing, label %through\nnothing:\n  ret ptr null\nthrough:"
    yield "  %result = call ptr %vectorcall(ptr %method, ptr %args, i64 %count, ptr %names)"
    yield "  call void %general.drop(ptr %method)"
    yield "  ret ptr %result"


def has_door(tape: Tape) -> bool:
    """Functions of parameters need them with every call: those go the general way."""
    return all(port.online for port in tape.inputs) and all(prod(port.shape) for port in tape.outputs)
