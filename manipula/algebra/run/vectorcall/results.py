"""The thin call with `out=`: results go into the caller's arrays, if they fit as they are.

One result is given as an array, several as a tuple of arrays. Each must be dense, writeable, of the function's dtype
and of the very shape, and lie apart from the inputs and from the others; then it is returned in place of a new array.
All else goes the general way, which copies what overlaps and says what does not fit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod

from manipula.algebra.run.vectorcall.layout import ORDER
from manipula.algebra.tape import Port

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
    """The parts of `call` that concern `out`, which is `%out`: null where there is none."""

    outputs: tuple[Port, ...]
    header: int
    width: int  # bytes of an entry

    def taken(self, way: str, lead: Sequence[str], inputs: Sequence[Span]) -> Iterator[str]:
        """From `way.given` over `way.apart` to `way.at`: `%way.out0` …, each with one reference more."""
        yield f"{way}.given:"
        yield from self._unpacked(way)
        for i, port in enumerate(self.outputs):
            x = f"{way}.out{i}"
            yield from field(x, "type", self.header - 8, "ptr")
            yield f"  %{x}.array = icmp eq ptr %{x}.type, %array_type"
            yield f"  br i1 %{x}.array, label %{x}.look, label %general\n{x}.look:"
            sizes = [*lead, *map(str, port.shape)]
            yield from fits(f"{x}.in", f"%{x}", len(sizes), self.header, DENSE | WRITEABLE)
            yield f"  br i1 %{x}.in.ok, label %{x}.fits, label %general\n{x}.fits:"
            yield from self._shaped(x, sizes)
        yield from self._apart(way, lead, inputs)
        yield f"  br label %{way}.apart\n{way}.apart:"
        yield from (f"  call void %keep(ptr %{way}.out{i})" for i in range(len(self.outputs)))
        yield f"  br label %{way}.at"

    def _unpacked(self, way: str) -> Iterator[str]:
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

    def _shaped(self, x: str, sizes: Sequence[str]) -> Iterator[str]:
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
        for i, k in combinations(range(len(spans)), 2):
            if i >= results:
                continue
            a, b, n = f"%{way}.span{i}", f"%{way}.span{k}", f"{way}.meet{i}.{k}"
            yield f"  %{n}.1 = icmp ult i64 {a}, {b}.end\n  %{n}.2 = icmp ult i64 {b}, {a}.end"
            yield f"  %{n} = and i1 %{n}.1, %{n}.2\n  br i1 %{n}, label %general, label %{n}.not\n{n}.not:"
