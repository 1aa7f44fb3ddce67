"""The frame of a call from XLA, in LLVM assembly: the buffers, their rows, what XLA asks at registration, errors.

A handler is made for one function: the numbers of its arrays are known, the numbers of rows are read from the buffers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from manipula.algebra.run.xla_layout import XlaLayout
from manipula.algebra.tape import Port, Tape, variables_of

_WRONG = "manipula: the buffers do not fit the function"
_SCALARS = {8: "double", 4: "float"}

_ROWS = """define internal i64 @rows_of(ptr %dims, i64 %axes) nounwind {
entry:
  %some = icmp sgt i64 %axes, 0
  br i1 %some, label %loop, label %none
none:
  ret i64 1
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %rows = phi i64 [ 1, %entry ], [ %more, %loop ]
  %at = getelementptr inbounds i64, ptr %dims, i64 %i
  %size = load i64, ptr %at, align 8
  %more = mul i64 %rows, %size
  %next = add i64 %i, 1
  %again = icmp slt i64 %next, %axes
  br i1 %again, label %loop, label %end
end:
  ret i64 %more
}"""


class HandlerText:
    """What both have in common: the answer to XLA's question, the buffers, their rows, errors."""

    traits = 0
    table: tuple[str, ...]

    def __init__(self, layout: XlaLayout, tape: Tape, width: int) -> None:
        self.layout, self.scalar = layout, _SCALARS[width]
        self.inputs: Sequence[Port] = variables_of(tape)
        self.outputs: Sequence[Port] = tape.outputs
        self.xs = [f"x{i}" for i in range(len(self.inputs))]
        self.ys = [f"y{i}" for i in range(len(self.outputs))]

    def lines(self) -> Iterator[str]:
        yield f"@table = internal global [{len(self.table)} x ptr] zeroinitializer, align 8"
        yield f'@wrong = internal constant [{len(_WRONG) + 1} x i8] c"{_WRONG}\\00"'
        yield "define ptr @table_address() nounwind {\n  ret ptr @table\n}"
        yield _ROWS
        yield from self.refuse()
        yield from self.functions()
        yield 'define ptr @handler(ptr %frame) nounwind "frame-pointer"="all" {\nentry:'
        yield from self.room()
        yield from self.metadata()
        yield from self.buffers()
        yield "done:\n  ret ptr null"
        yield "unfit:\n  %unfit.error = call ptr @refuse(ptr %api, ptr @wrong)\n  ret ptr %unfit.error"
        yield from self.work()
        yield "}"

    def functions(self) -> Iterator[str]:
        yield from ()

    def room(self) -> Iterator[str]:
        yield from ()

    def work(self) -> Iterator[str]:
        """From the label `fits` on, where %rows is not 0."""
        raise NotImplementedError

    def place(self, name: str, of: str, field: str) -> str:
        return f"  %{name} = getelementptr inbounds i8, ptr %{of}, i64 {self.layout.offsets[field]}"

    def load(self, name: str, of: str, field: str, kind: str = "ptr") -> str:
        return f"{self.place(f'{name}.at', of, field)}\n  %{name} = load {kind}, ptr %{name}.at, align 4"

    def store(self, to: str, field: str, value: str) -> str:
        at = f"{to}.{field.rpartition('.')[2]}.at"
        return f"{self.place(at, to, field)}\n  store {value}, ptr %{at}, align 4"

    def arguments(self, name: str, structure: str) -> Iterator[str]:
        """The arguments of a function of XLA, zero but for their size."""
        size = self.layout.sizes[structure]
        # a newer XLA may have more entries than are known here: zero is "not given" for all of them
        yield f"  call void @llvm.memset.p0.i64(ptr %{name}, i8 0, i64 {size}, i1 false)"
        yield f"  store i64 {size}, ptr %{name}, align 8"

    def row(self, name: str) -> str:
        at = f"getelementptr inbounds ptr, ptr @table, i64 {self.table.index(name)}"
        return f"  %{name}.in = {at}\n  %{name} = load ptr, ptr %{name}.in, align 8"

    def refuse(self) -> Iterator[str]:
        create = "XLA_FFI_Error_Create"
        yield "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)"
        yield "define internal ptr @refuse(ptr %api, ptr %message) nounwind {"
        yield f"  %args = alloca [{self.layout.sizes[f'{create}_Args']} x i8], align 8"
        yield from self.arguments("args", f"{create}_Args")
        yield self.store("args", f"{create}_Args.message", "ptr %message")
        yield self.store("args", f"{create}_Args.errc", f"i32 {self.layout.numbers['XLA_FFI_Error_Code_INTERNAL']}")
        yield self.load("create", "api", f"XLA_FFI_Api.{create}")
        yield "  %error = call ptr %create(ptr %args)\n  ret ptr %error\n}"

    def metadata(self) -> Iterator[str]:
        """At registration XLA asks for the version of the interface and for traits."""
        yield self.load("extension", "frame", "XLA_FFI_CallFrame.extension_start")
        yield "  %extended = icmp ne ptr %extension, null\n  br i1 %extended, label %asked, label %called\nasked:"
        yield self.load("kind", "extension", "extension.type", "i32")
        yield f"  %question = icmp eq i32 %kind, {self.layout.numbers['XLA_FFI_Extension_Metadata']}"
        yield "  br i1 %question, label %answer, label %called\nanswer:"
        yield self.load("metadata", "extension", "XLA_FFI_Metadata_Extension.metadata")
        yield self.place("version", "metadata", "XLA_FFI_Metadata.api_version")
        yield self.store("version", "XLA_FFI_Api_Version.major_version", f"i32 {self.layout.major}")
        yield self.store("version", "XLA_FFI_Api_Version.minor_version", f"i32 {self.layout.minor}")
        yield self.store("metadata", "XLA_FFI_Metadata.traits", f"i32 {self.traits}")
        yield "  ret ptr null\ncalled:"
        yield self.load("api", "frame", "XLA_FFI_CallFrame.api")

    def buffers(self) -> Iterator[str]:
        """%x0 … and %y0 … are the memory of inputs and results, %rows their number, %x0.same whether it is x0's."""
        for side, field, ports in (("x", "args", self.inputs), ("y", "rets", self.outputs)):
            struct = f"XLA_FFI_{field.capitalize()}"
            yield self.place(field, "frame", f"XLA_FFI_CallFrame.{field}")
            yield self.load(f"{field}.count", field, f"{struct}.size", "i64")
            yield f"  %{field}.right = icmp eq i64 %{field}.count, {len(ports)}"
            yield f"  br i1 %{field}.right, label %{field}.look, label %unfit\n{field}.look:"
            yield self.load(f"{field}.all", field, f"{struct}.{field}")
            for i in range(len(ports)):
                yield f"  %{side}{i}.slot = getelementptr inbounds ptr, ptr %{field}.all, i64 {i}"
                yield f"  %{side}{i}.buffer = load ptr, ptr %{side}{i}.slot, align 8"
                yield self.load(f"{side}{i}", f"{side}{i}.buffer", "XLA_FFI_Buffer.data")
        yield from self.count_rows("y0", len(self.outputs[0].shape))
        yield "  %fit0 = icmp sge i64 %y0.rows, 0"
        for i in range(len(self.inputs)):
            yield from self.count_rows(f"x{i}", 1)
            # one row serves all rows: a step of 0 repeats it, and nothing is copied
            yield f"  %x{i}.same = icmp eq i64 %x{i}.rows, %y0.rows\n  %x{i}.lone = icmp eq i64 %x{i}.rows, 1"
            yield f"  %x{i}.fits = or i1 %x{i}.same, %x{i}.lone\n  %fit{i + 1} = and i1 %fit{i}, %x{i}.fits"
        yield f"  br i1 %fit{len(self.inputs)}, label %some, label %unfit\nsome:"
        # a launch of no blocks is an error on a device
        yield "  %none = icmp eq i64 %y0.rows, 0\n  br i1 %none, label %done, label %fits"

    def count_rows(self, name: str, own: int) -> Iterator[str]:
        """The product of all axes but the last ones."""
        yield self.load(f"{name}.rank", f"{name}.buffer", "XLA_FFI_Buffer.rank", "i64")
        yield self.load(f"{name}.dims", f"{name}.buffer", "XLA_FFI_Buffer.dims")
        yield f"  %{name}.lead = sub i64 %{name}.rank, {own}"
        yield f"  %{name}.rows = call i64 @rows_of(ptr %{name}.dims, i64 %{name}.lead)"
