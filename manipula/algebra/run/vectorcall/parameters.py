"""The thin call of a function with parameters: f(q, …, p) or f(q, …, p=p), where p is an array.

What depends on the parameters alone is kept beside the code, with the values it was made from. A call that brings the
same values, bit by bit, finds it there; other values are prepared first, if the function's conditions allow them: those
that break one go the general way, which says so. One configuration is computed under the interpreter's lock, so nobody
sees half of a change; a table may run without the lock, on values of its own.
"""

from __future__ import annotations

from collections.abc import Iterator

from manipula.algebra.tape import Tape, kept_slots, parameters_of

ROWS = ("parameter_name",)  # of the table, besides the plain ones
_BITS = {"double": "i64", "float": "i32"}


class ParameterCall:
    """The parts of `call` that concern p, which comes after the variables; without parameters there are none."""

    def __init__(self, tape: Tape, scalar: str, variables: int) -> None:
        port = parameters_of(tape)
        self.size = len(port.slots) if port else 0
        self.kept, self.place = max(len(kept_slots(tape)), 1), variables
        self.scalar, self.bits = scalar, f"<{self.size} x {_BITS[scalar]}>"
        self.conditional = bool(tape.checks)

    def __bool__(self) -> bool:
        return self.size > 0

    def functions(self) -> Iterator[str]:
        """`known` tells whether these are the values kept, `allowed` whether they may be; `learn` keeps them."""
        if not self:
            return
        one, n = _BITS[self.scalar], self.size
        reduce = f"@llvm.vector.reduce.or.v{n}{one}"
        yield f"@known.p = internal global [{n} x {self.scalar}] zeroinitializer, align 8"
        yield f"@known.k = internal global [{self.kept} x {self.scalar}] zeroinitializer, align 64"
        yield f"@known.any = internal global i8 0\ndeclare {one} {reduce}({self.bits})"
        yield "define internal i1 @known(ptr %p) nounwind {"
        yield f"  %a = load {self.bits}, ptr %p, align {4 if one == 'i32' else 8}"
        yield f"  %b = load {self.bits}, ptr @known.p, align 8\n  %c = xor {self.bits} %a, %b"
        yield f"  %d = call {one} {reduce}({self.bits} %c)\n  %same = icmp eq {one} %d, 0"
        yield "  %e = load i8, ptr @known.any, align 1\n  %any = icmp ne i8 %e, 0"
        yield "  %found = and i1 %same, %any\n  ret i1 %found\n}"
        yield "define void @learn(ptr %p) nounwind {"
        yield f"  %a = load {self.bits}, ptr %p, align {4 if one == 'i32' else 8}"
        yield f"  store {self.bits} %a, ptr @known.p, align 8"
        yield "  call void @prepare(ptr @known.p, ptr @known.k)\n  store i8 1, ptr @known.any, align 1\n  ret void\n}"
        yield "define internal i1 @allowed(ptr %p) nounwind {"
        yield "  %broken = call i32 @broken(ptr %p)" if self.conditional else "  %broken = add i32 0, 0"
        yield "  %holds = icmp eq i32 %broken, 0\n  ret i1 %holds\n}"

    def counted(self) -> Iterator[str]:
        """All arguments by place, or p under its name; then perhaps `out=`."""
        yield "  %nameless = icmp eq ptr %names, null"
        yield "  br i1 %nameless, label %placed, label %named\nplaced:"
        yield f"  %enough = icmp eq i64 %count, {self.place + 1}\n  br i1 %enough, label %look, label %general\nnamed:"
        yield "  %names.count = call i64 %tuple_size(ptr %names)\n  %given = add i64 %count, %names.count"
        yield "  %name = call ptr %tuple_item(ptr %names, i64 0)\n  %is.p = icmp eq ptr %name, %parameter_name"
        yield f"  %before = icmp eq i64 %count, {self.place}\n  %p.named = and i1 %is.p, %before"
        yield f"  %p.placed = icmp eq i64 %count, {self.place + 1}\n  %has.p = or i1 %p.named, %p.placed"
        yield "  br i1 %has.p, label %called, label %general\ncalled:"
        ways = f"i64 {self.place + 1}, label %look i64 {self.place + 2}, label %out.name"
        yield f"  switch i64 %given, label %general [ {ways} ]"
        yield "out.name:\n  %last = sub i64 %names.count, 1\n  %name.2 = call ptr %tuple_item(ptr %names, i64 %last)"
        yield f"  %at.out = getelementptr inbounds ptr, ptr %args, i64 {self.place + 1}"
        yield "  %out.given = load ptr, ptr %at.out, align 8\n  %is.out = icmp eq ptr %name.2, %out_name"
        yield "  br i1 %is.out, label %look, label %general\nlook:"
        yield "  %out = phi ptr [ null, %placed ], [ null, %called ], [ %out.given, %out.name ]"

    def sized(self, way: str) -> Iterator[str]:
        """As many values as there are parameters."""
        x = f"{way}{self.place}"
        yield f"  %{x}.size = load i64, ptr %{x}.shape, align 8\n  %{x}.right = icmp eq i64 %{x}.size, {self.size}"
        yield f"  br i1 %{x}.right, label %{way}.sized, label %general\n{way}.sized:"
        yield f"  %{way}.same = call i1 @known(ptr %{x}.data)"
        yield f"  br i1 %{way}.same, label %{way}.kept, label %{way}.other\n{way}.other:"
        yield f"  %{way}.may = call i1 @allowed(ptr %{x}.data)"
        yield f"  br i1 %{way}.may, label %{way}.learn, label %general\n{way}.learn:"
        yield f"  call void @learn(ptr %{x}.data)\n  br label %{way}.kept\n{way}.kept:"

    def own(self) -> Iterator[str]:
        """What a table reads, where nobody else writes."""
        if self:
            yield f"  call void @prepare(ptr %many{self.place}.data, ptr %own.k)"
