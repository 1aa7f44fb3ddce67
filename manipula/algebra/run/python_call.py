"""The thin call: a function with CPython's own calling convention, written in LLVM assembly.

    PyObject *call(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)

If the arguments are exactly what the kernels want (as many arrays of their dtype as there are inputs, dense, all of
them one row or all of them a table of as many rows), it allocates the results, calls `one` or `run` and returns them:
no Python frame, no conversion. Results go into new arrays, or into those given as `out=` (`results`). Parameters
are named in `parameters`. All else, other keywords included, goes to `self.general(...)`, which takes everything.
Where things lie in an array and which functions there are to call is handed over in a table (`context`), filled after
loading; `layout.py` finds it out and tests it. The code of `run` is loaded when first needed; until then tables of many
rows go the general way.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from manipula.algebra.run.python_call_layout import ResultCall, Span, field, fits
from manipula.algebra.tape import Port, Tape, kept_slots, parameters_of, variables_of

# The thin call of a function with parameters: f(q, …, p) or f(q, …, p=p), where p is an array.
#
# What depends on the parameters alone is kept beside the code, with the values it was made from. A call that brings the
# same values, bit by bit, finds it there; other values are prepared first, if the function's conditions allow them:
# those
# that break one go the general way, which says so. One configuration is computed under the interpreter's lock, so
# nobody
# sees half of a change; a table may run without the lock, on values of its own.

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
        """`known` says whether these are the values kept, `allowed` whether they may be; `learn` keeps them."""
        if not self:
            return
        one, n = _BITS[self.scalar], self.size
        reduce = f"@llvm.vector.reduce.or.v{n}{one}"
        yield f"@known.p = internal global [{n} x {self.scalar}] zeroinitializer, align 8"
        yield f"@known.k = internal global [{self.kept} x {self.scalar}] zeroinitializer, align 64"
        # zeros may be a set of parameters: only a flag of its own says that one was prepared
        yield f"@known.any = internal global i8 0\ndeclare {one} {reduce}({self.bits})"
        yield "define internal i1 @known(ptr %p) nounwind {"
        yield f"  %a = load {self.bits}, ptr %p, align {4 if one == 'i32' else 8}"
        # compared as whole numbers: NaN is the same NaN, and −0 another number than 0, as their results are
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

    def count_arguments(self) -> Iterator[str]:
        """All arguments by place, or p under its name; then perhaps `out=`."""
        yield "  %nameless = icmp eq ptr %names, null"
        yield "  br i1 %nameless, label %placed, label %named\nplaced:"
        yield f"  %enough = icmp eq i64 %count, {self.place + 1}\n  br i1 %enough, label %look, label %general\nnamed:"
        # CPython puts values of keywords behind the others; their names are a tuple of interned texts
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

    def check_size(self, way: str) -> Iterator[str]:
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


# the table's rows, for every function; those of the parameters follow where there are any
PLAIN = (
    "array_type", "dtype", "dtype_type", "new_array", "keep", "drop", "attribute", "vectorcall", "general",
    "result_type", "new_tuple", "set_item", "unlock", "lock", "run",
    "tuple_size", "tuple_item", "tuple_type", "out_name",
)  # fmt: skip
_AT_ONCE = (
    "array_type", "dtype", "dtype_type", "new_array", "keep", "drop",
    "tuple_size", "tuple_item", "tuple_type", "out_name",
)  # fmt: skip
_WIDTHS = {"double": 8, "float": 4}
QUICK = 64  # rows; more than these run without the interpreter's lock


def context_rows(tape: Tape) -> tuple[str, ...]:
    return PLAIN if parameters_of(tape) is None else (*PLAIN, *ROWS)


def vectorcall_text(tape: Tape, header: int, scalar: str = "double") -> str:
    """`header`: bytes before an object's own fields; its type is the last of them."""
    call = _Vectorcall(tape, header, scalar)
    lines = [
        f"@context = internal global [{len(context_rows(tape))} x ptr] zeroinitializer, align 8",
        *_shapes(tape.outputs),
        *call.parameters.functions(),
        "define ptr @call_context() nounwind {\n  ret ptr @context\n}",
        "define ptr @call(ptr %self, ptr %args, i64 %count, ptr %names) nounwind {",
        "entry:",
        *call.entry(),
        *call.one_row(),
        *call.table(),
        *call.general(),
        "}",
    ]
    return "\n".join(lines)


def has_vectorcall(tape: Tape) -> bool:
    """Is there something to take and something to give?"""
    return bool(variables_of(tape)) and all(prod(port.shape) for port in tape.outputs)


def _shapes(ports: tuple[Port, ...]) -> Iterator[str]:
    for i, port in enumerate(ports):
        sizes = ", ".join(f"i64 {size}" for size in port.shape) or "i64 0"
        yield f"@shape{i} = internal constant [{max(len(port.shape), 1)} x i64] [{sizes}], align 8"


def _context(name: str, to: str) -> Iterator[str]:
    index = (*PLAIN, *ROWS).index(name)
    yield f"  %at.{to} = getelementptr inbounds ptr, ptr @context, i64 {index}"
    yield f"  %{to} = load ptr, ptr %at.{to}, align 8"


class _Vectorcall:
    """The parts of `call`."""

    def __init__(self, tape: Tape, header: int, scalar: str) -> None:
        self.inputs, self.outputs, self.header = variables_of(tape), tape.outputs, header
        self.parameters = ParameterCall(tape, scalar, len(self.inputs))
        self.results = ResultCall(self.outputs, header, _WIDTHS[scalar])

    def entry(self) -> Iterator[str]:
        """As many arguments as inputs, no names; the first one's number of axes chooses the way."""
        p = self.parameters
        for name in (*_AT_ONCE, *(ROWS if p else ())):
            yield from _context(name, name)
        for i, port in enumerate(self.outputs):
            yield f"  %sizes{i} = alloca [{len(port.shape) + 1} x i64], align 8"
        if p:
            # a long run gives up the lock, and another call may then replace what is kept
            yield f"  %own.k = alloca [{p.kept} x {p.scalar}], align 64"
        yield from p.count_arguments() if p else self._count_arguments()
        for i in range(len(self.inputs) + bool(p)):
            yield f"  %at.x{i} = getelementptr inbounds ptr, ptr %args, i64 {i}"
            yield f"  %x{i} = load ptr, ptr %at.x{i}, align 8"
            # the very type: a subclass of ndarray may mean something else by its entries
            yield from field(f"x{i}", "type", self.header - 8, "ptr")
            yield f"  %x{i}.array = icmp eq ptr %x{i}.type, %array_type"
            yield f"  br i1 %x{i}.array, label %inside{i}, label %general\ninside{i}:"
        yield from field("x0", "axes", self.header + 8, "i32")
        yield "  switch i32 %x0.axes, label %general [ i32 1, label %one.look i32 2, label %many.look ]"

    def _count_arguments(self) -> Iterator[str]:
        """The inputs by place, and perhaps `out=`."""
        n = len(self.inputs)
        yield f"  %enough = icmp eq i64 %count, {n}\n  br i1 %enough, label %counted, label %general\ncounted:"
        yield "  %nameless = icmp eq ptr %names, null\n  br i1 %nameless, label %look, label %named\nnamed:"
        yield "  %names.count = call i64 %tuple_size(ptr %names)\n  %single = icmp eq i64 %names.count, 1"
        yield "  br i1 %single, label %called, label %general\ncalled:"
        yield "  %name = call ptr %tuple_item(ptr %names, i64 0)\n  %is.out = icmp eq ptr %name, %out_name"
        yield f"  %at.out = getelementptr inbounds ptr, ptr %args, i64 {n}"
        yield "  %out.given = load ptr, ptr %at.out, align 8"
        yield "  br i1 %is.out, label %look, label %general\nlook:"
        yield "  %out = phi ptr [ null, %counted ], [ %out.given, %called ]"

    def _prepare_parameters(self, way: str) -> Iterator[str]:
        """The parameters fit, and what depends on them is at hand."""
        if self.parameters:
            yield from self._fits(way, len(self.inputs), axes=1)
            yield from self.parameters.check_size(way)

    def one_row(self) -> Iterator[str]:
        yield "one.look:"
        for i, port in enumerate(self.inputs):
            yield from self._fits("one", i, axes=1)
            yield f"  %one{i}.size = load i64, ptr %one{i}.shape, align 8"
            yield f"  %one{i}.right = icmp eq i64 %one{i}.size, {len(port.slots)}"
            yield f"  br i1 %one{i}.right, label %one.next{i}, label %general\none.next{i}:"
        yield from self._prepare_parameters("one")
        yield from self._places("one", [f"i32 {len(p.shape)}, ptr @shape{i}" for i, p in enumerate(self.outputs)], [])
        inputs = [f"ptr %one{i}.data" for i in range(len(self.inputs))]
        taken = [f"ptr %one.y{i}.data" for i in range(len(self.outputs))]
        kept = "ptr @known.k" if self.parameters else "ptr null"
        yield f"  call void @one({', '.join([*inputs, kept, *taken])})"
        yield from self._answer("one")

    def table(self) -> Iterator[str]:
        """Many rows: every input has as many as the first. One row needs no code of `run`, which may not be loaded."""
        yield "many.look:"
        for i, port in enumerate(self.inputs):
            yield from self._fits("many", i, axes=2)
            yield f"  %many{i}.rows = load i64, ptr %many{i}.shape, align 8"
            yield f"  %many{i}.at = getelementptr inbounds i64, ptr %many{i}.shape, i64 1"
            yield f"  %many{i}.size = load i64, ptr %many{i}.at, align 8"
            yield f"  %many{i}.as = icmp eq i64 %many{i}.rows, %many0.rows"
            yield f"  %many{i}.wide = icmp eq i64 %many{i}.size, {len(port.slots)}"
            yield f"  %many{i}.right = and i1 %many{i}.as, %many{i}.wide"
            yield f"  br i1 %many{i}.right, label %many.next{i}, label %general\nmany.next{i}:"
        yield from _context("run", "run")
        yield "  %lone = icmp eq i64 %many0.rows, 1\n  %loaded = icmp ne ptr %run, null"
        yield "  %ready = or i1 %lone, %loaded\n  br i1 %ready, label %many.ready, label %general\nmany.ready:"
        yield from self._prepare_parameters("many")
        yield from self.parameters.own()
        for i, port in enumerate(self.outputs):
            for axis, size in enumerate(["%many0.rows", *map(str, port.shape)]):
                yield f"  %sizes{i}.{axis} = getelementptr inbounds i64, ptr %sizes{i}, i64 {axis}"
                yield f"  store i64 {size}, ptr %sizes{i}.{axis}, align 8"
        shapes = [f"i32 {len(p.shape) + 1}, ptr %sizes{i}" for i, p in enumerate(self.outputs)]
        yield from self._places("many", shapes, ["%many0.rows"])
        yield from self._call_unlocked()
        yield from self._answer("many")

    def _call_unlocked(self) -> Iterator[str]:
        """The kernel; a long run lets other Python threads go on meanwhile."""
        inputs = [f"ptr %many{i}.data, i64 {len(port.slots)}" for i, port in enumerate(self.inputs)]
        taken = [f"ptr %many.y{i}.data" for i in range(len(self.outputs))]
        kept = "ptr %own.k" if self.parameters else "ptr null"
        single = [f"ptr %many{i}.data" for i in range(len(self.inputs))]
        yield "  br i1 %lone, label %lone.run, label %several.run\nlone.run:"
        yield f"  call void @one({', '.join([*single, kept, *taken])})\n  br label %ran\nseveral.run:"
        # giving the lock up and taking it back costs more than a few rows
        work = f"  call void %run({', '.join([*inputs, kept, *taken])}, i64 %many0.rows)"
        yield from _context("unlock", "unlock")
        yield from _context("lock", "lock")
        yield f"  %long = icmp sgt i64 %many0.rows, {QUICK}"
        yield "  br i1 %long, label %long.run, label %short.run\nshort.run:"
        yield f"{work}\n  br label %ran\nlong.run:"
        yield f"  %thread = call ptr %unlock()\n{work}\n  call void %lock(ptr %thread)\n  br label %ran\nran:"

    def _fits(self, way: str, i: int, axes: int) -> Iterator[str]:
        yield from fits(f"{way}{i}", f"%x{i}", axes, self.header)
        yield f"  br i1 %{way}{i}.ok, label %{way}.fits{i}, label %general\n{way}.fits{i}:"

    def _places(self, way: str, shapes: list[str], lead: list[str]) -> Iterator[str]:
        """Where the results go: new arrays, or the caller's."""
        spans = [Span(f"%{way}{i}.data", len(port.slots)) for i, port in enumerate(self.inputs)]
        yield f"  %{way}.own = icmp eq ptr %out, null\n  br i1 %{way}.own, label %{way}.new, label %{way}.given"
        yield from self.results.take_outputs(way, lead, spans)
        yield f"{way}.new:"
        yield from self._allocate_outputs(way, shapes)
        last = len(shapes) - 1
        yield f"  br label %{way}.at\n{way}.at:"
        for i in range(len(shapes)):
            yield f"  %{way}.y{i} = phi ptr [ %{way}.new{i}, %{way}.made{last} ], [ %{way}.out{i}, %{way}.apart ]"
        for i in range(len(shapes)):
            yield from field(f"{way}.y{i}", "data", self.header, "ptr")

    def _allocate_outputs(self, way: str, shapes: list[str]) -> Iterator[str]:
        """New arrays; if one cannot be had, the others are given back and the error stands."""
        for i, shape in enumerate(shapes):
            y = f"{way}.new{i}"
            yield "  call void %keep(ptr %dtype)"  # the constructor takes this reference
            fixed = "ptr null, ptr null, i32 0, ptr null"
            yield f"  %{y} = call ptr %new_array(ptr %array_type, ptr %dtype, {shape}, {fixed})"
            yield f"  %{y}.none = icmp eq ptr %{y}, null"
            yield f"  br i1 %{y}.none, label %{way}.lost{i}, label %{way}.made{i}\n{way}.lost{i}:"
            yield from (f"  call void %drop(ptr %{way}.new{k})" for k in range(i))
            yield f"  ret ptr null\n{way}.made{i}:"

    def _answer(self, way: str) -> Iterator[str]:
        """The array, or a named tuple of arrays."""
        count = len(self.outputs)
        if count == 1:
            yield f"  ret ptr %{way}.y0"
            return
        for name in ("result_type", "new_tuple", "set_item"):
            yield from _context(name, f"{way}.{name}")
        # a named tuple is laid out as a plain one, and PyTuple_SetItem takes over each reference
        yield f"  %{way}.tuple = call ptr %{way}.new_tuple(ptr %{way}.result_type, i64 {count})"
        yield f"  %{way}.none = icmp eq ptr %{way}.tuple, null"
        yield f"  br i1 %{way}.none, label %{way}.lost, label %{way}.fill\n{way}.lost:"
        yield from (f"  call void %drop(ptr %{way}.y{i})" for i in range(count))
        yield f"  ret ptr null\n{way}.fill:"
        for i in range(count):
            yield f"  %{way}.set{i} = call i32 %{way}.set_item(ptr %{way}.tuple, i64 {i}, ptr %{way}.y{i})"
        yield f"  ret ptr %{way}.tuple"

    def general(self) -> Iterator[str]:
        yield "general:"
        for name in ("attribute", "vectorcall", "general"):
            yield from _context(name, f"general.{name}")
        yield "  %method = call ptr %general.attribute(ptr %self, ptr %general.general)"
        yield "  %method.none = icmp eq ptr %method, null"
        yield "  br i1 %method.none, label %nothing, label %through\nnothing:\n  ret ptr null\nthrough:"
        yield "  %result = call ptr %general.vectorcall(ptr %method, ptr %args, i64 %count, ptr %names)"
        yield "  call void %drop(ptr %method)"
        yield "  ret ptr %result"
