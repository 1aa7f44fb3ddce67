"""The thin call of an inverse function of several branches: a 4×4 array in, perhaps a seed, one result object out.

    PyObject *call(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)

If the target is a dense 4×4 array of floats and the seed, second or by its name, is left out or a dense row of finite
floats, `inverse` gives every branch, `forward` the target of each, and the texts named below choose among them. The
answers go into a new array (answers, coordinates), in the order of `rank`, and `result(owner, target, answers[, seed])`
is returned, target and seed being copies. All else, and every target that is not settled, goes to `self.general(...)`.
The table of addresses is as in `plain`. With n branches of `size` coordinates the texts are

    int choose(n, size, target, rows, fit, calm, defect, there, seeded, seed, table, mark)    which rows are answers
    int seat(n, size, target, there, rows, seed, table, mark)           after ASK_SEED, `there` being the seed's target
    int rank(n, size, rows, mark, seeded, seed, order, gaps)            their order; how many there are
    none gather(answers, size, rows, order, out)                        the rows in that order
"""

from __future__ import annotations

from collections.abc import Iterator

from manipula.algebra.run.python_call_layout import DENSE, FIELDS, ORDER, field

CONTEXT = (
    "array_type", "dtype", "dtype_type", "new_array", "keep", "drop", "attribute", "vectorcall", "general.text",
    "seed.text", "result", "owner", "inverse", "forward", "table",
)  # fmt: skip
TEXTS = ("choose", "seat", "rank", "gather")
SETTLED, ASK_SEED = 0, 2  # what `choose` and `seat` may return; all else is for the general way
_FIXED = "ptr null, ptr null, i32 0, ptr null"


def inverse_call_text(branches: int, size: int, header: int) -> str:
    """`header`: bytes before an object's own fields."""
    call = _InverseCall(branches, size, header)
    parts = (call.entry, call.target, call.seed, call.solve, call.copy, call.result, call.general)
    lines = [line for part in parts for line in part()]
    return "\n".join([*call.outside(), *lines])


class _InverseCall:
    """The parts of `call`."""

    def __init__(self, branches: int, size: int, header: int) -> None:
        self.branches, self.size, self.header = branches, size, header
        self.row = f"<{size} x double>"

    def outside(self) -> Iterator[str]:
        yield f"@context = internal global [{len(CONTEXT)} x ptr] zeroinitializer, align 8"
        yield "@target.shape = internal constant [2 x i64] [i64 4, i64 4], align 8"
        yield f"@seed.shape = internal constant [1 x i64] [i64 {self.size}], align 8"
        yield "define ptr @call_context() nounwind {\n  ret ptr @context\n}"

    def entry(self) -> Iterator[str]:
        """One argument, or two of which the second may be named `seed`."""
        yield "define ptr @call(ptr %self, ptr %args, i64 %count, ptr %names) nounwind {\nentry:"
        n = self.branches
        room = {"rows": n * self.size, "valid": n, "fit": n, "calm": 1, "defect": 1, "there": 16 * n, "gaps": n}
        yield from (f"  %{name} = alloca [{count} x double], align 64" for name, count in room.items())
        yield f"  %mark = alloca [{n} x i64], align 64\n  %order = alloca [{n} x i64], align 64"
        yield "  %sizes = alloca [2 x i64], align 8\n  %given = alloca [4 x ptr], align 8"
        for index, name in enumerate(CONTEXT):
            yield f"  %at.{name} = getelementptr inbounds ptr, ptr @context, i64 {index}"
            yield f"  %{name} = load ptr, ptr %at.{name}, align 8"
        yield "  %nameless = icmp eq ptr %names, null\n  br i1 %nameless, label %unnamed, label %named"
        yield "unnamed:\n  switch i64 %count, label %general [ i64 1, label %look i64 2, label %look ]"
        yield "named:\n  %single = icmp eq i64 %count, 1\n  br i1 %single, label %name, label %general\nname:"
        # a tuple's length and items follow its header
        yield from field("names", "size", self.header, "i64")
        yield from field("names", "first", self.header + 8, "ptr")
        yield "  %one.name = icmp eq i64 %names.size, 1\n  %is.seed = icmp eq ptr %names.first, %seed.text"
        yield "  %seeded = and i1 %one.name, %is.seed\n  br i1 %seeded, label %look, label %general"

    def target(self) -> Iterator[str]:
        yield "look:\n  %x = load ptr, ptr %args, align 8"
        yield from self._array("x", axes=2)
        yield "  %height = load i64, ptr %x.shape, align 8"
        yield "  %at.width = getelementptr inbounds i64, ptr %x.shape, i64 1"
        yield "  %width = load i64, ptr %at.width, align 8"
        yield "  %four.high = icmp eq i64 %height, 4\n  %four.wide = icmp eq i64 %width, 4"
        yield "  %four = and i1 %four.high, %four.wide\n  br i1 %four, label %second, label %general"
        yield "second:\n  %two = icmp eq i64 %count, 2\n  %twofold = xor i1 %nameless, true"
        yield "  %with.seed = or i1 %two, %twofold\n  br i1 %with.seed, label %seed.look, label %plain"

    def _array(self, x: str, axes: int) -> Iterator[str]:
        """A dense array of floats in native order, or the general way."""
        yield from field(x, "type", self.header - 8, "ptr")
        yield f"  %{x}.array = icmp eq ptr %{x}.type, %array_type"
        yield f"  br i1 %{x}.array, label %{x}.inside, label %general\n{x}.inside:"
        for name, (offset, kind) in FIELDS.items():
            yield from field(x, name, self.header + offset, kind)
        yield from field(f"{x}.dtype", "type", self.header - 8, "ptr")
        yield from field(f"{x}.dtype", "order", self.header + ORDER, "i8")
        yield f"  %{x}.dense = and i32 %{x}.flags, {DENSE}\n  %{x}.ok1 = icmp eq i32 %{x}.dense, {DENSE}"
        yield f"  %{x}.ok2 = icmp eq ptr %{x}.dtype.type, %dtype_type"
        yield f"  %{x}.ok3 = icmp eq i8 %{x}.dtype.order, {ord('=')}\n  %{x}.ok4 = icmp eq i32 %{x}.axes, {axes}"
        yield f"  %{x}.ok12 = and i1 %{x}.ok1, %{x}.ok2\n  %{x}.ok34 = and i1 %{x}.ok3, %{x}.ok4"
        yield f"  %{x}.ok = and i1 %{x}.ok12, %{x}.ok34\n  br i1 %{x}.ok, label %{x}.sized, label %general\n{x}.sized:"

    def seed(self) -> Iterator[str]:
        """As long as a row, and finite."""
        yield "seed.look:\n  %at.s = getelementptr inbounds ptr, ptr %args, i64 1\n  %s = load ptr, ptr %at.s, align 8"
        yield from self._array("s", axes=1)
        yield f"  %length = load i64, ptr %s.shape, align 8\n  %fits = icmp eq i64 %length, {self.size}"
        yield "  br i1 %fits, label %seed.values, label %general"
        yield f"seed.values:\n  %near = load {self.row}, ptr %s.data, align 8"
        # x − x is NaN for infinities and for NaN
        yield f"  %nothing = fsub {self.row} %near, %near\n  %finite.each = fcmp ord {self.row} %nothing, %nothing"
        bits = f"<{self.size} x i1>"
        yield f"  %finite = call i1 @llvm.vector.reduce.and.v{self.size}i1({bits} %finite.each)"
        yield "  br i1 %finite, label %ready, label %general\nplain:\n  br label %ready"

    def solve(self) -> Iterator[str]:
        """Every branch and its pose, then the choice; a seed may have to be looked at itself."""
        n, size = self.branches, self.size
        # without a seed any readable row will do: the texts do not look at it
        yield "ready:\n  %seed = phi ptr [ %table, %plain ], [ %s.data, %seed.values ]"
        outputs = "ptr %rows, ptr %valid, ptr %fit, ptr %calm, ptr %defect"
        yield f"  call void %inverse(ptr %x.data, ptr null, {outputs})"
        yield f"  call void %forward(ptr %rows, i64 {size}, ptr null, ptr %there, i64 {n})"
        yield "  %calm.here = load double, ptr %calm, align 8\n  %defect.here = load double, ptr %defect, align 8"
        given = f"i64 {n}, i64 {size}, ptr %x.data, ptr %rows, ptr %fit, double %calm.here, double %defect.here"
        chosen = f"call i64 @choose({given}, ptr %there, i1 %with.seed, ptr %seed, ptr %table, ptr %mark)"
        yield f"  %state = {chosen}"
        yield f"  switch i64 %state, label %general [ i64 {SETTLED}, label %solved i64 {ASK_SEED}, label %ask ]\nask:"
        yield f"  call void %forward(ptr %seed, i64 {size}, ptr null, ptr %there, i64 1)"
        given = f"i64 {n}, i64 {size}, ptr %x.data, ptr %there, ptr %rows, ptr %seed, ptr %table, ptr %mark"
        yield f"  %asked = call i64 @seat({given})\n  %seated = icmp eq i64 %asked, {SETTLED}"
        yield "  br i1 %seated, label %solved, label %general"

    def copy(self) -> Iterator[str]:
        """The answers in their order, in an array of their own."""
        n, size = self.branches, self.size
        ranked = f"i64 {n}, i64 {size}, ptr %rows, ptr %mark, i1 %with.seed, ptr %seed, ptr %order, ptr %gaps"
        yield f"solved:\n  %answers = call i64 @rank({ranked})\n  store i64 %answers, ptr %sizes, align 8"
        yield "  %at.size = getelementptr inbounds i64, ptr %sizes, i64 1"
        yield f"  store i64 {size}, ptr %at.size, align 8"
        yield "  call void %keep(ptr %dtype)"  # the constructor takes this reference
        yield f"  %q = call ptr %new_array(ptr %array_type, ptr %dtype, i32 2, ptr %sizes, {_FIXED})"
        yield "  %q.none = icmp eq ptr %q, null\n  br i1 %q.none, label %no.room, label %fill\nno.room:\n  ret ptr null"
        yield "fill:"
        yield from field("q", "data", self.header, "ptr")
        yield f"  call void @gather(i64 %answers, i64 {size}, ptr %rows, ptr %order, ptr %q.data)\n  br label %copied"

    def result(self) -> Iterator[str]:
        """result(owner, target, answers[, seed])"""
        yield "copied:\n  call void %keep(ptr %dtype)"
        yield f"  %T = call ptr %new_array(ptr %array_type, ptr %dtype, i32 2, ptr @target.shape, {_FIXED})"
        yield "  %T.none = icmp eq ptr %T, null\n  br i1 %T.none, label %lost, label %made\nlost:"
        yield "  call void %drop(ptr %q)\n  ret ptr null\nmade:"
        yield from field("T", "data", self.header, "ptr")
        # copies: the result is lazy, and the caller may change his arrays before he asks it
        yield "  %entries = load <16 x double>, ptr %x.data, align 8"
        yield "  store <16 x double> %entries, ptr %T.data, align 8"
        for index, name in enumerate(("owner", "T", "q")):
            yield f"  %given.{index} = getelementptr inbounds ptr, ptr %given, i64 {index}"
            yield f"  store ptr %{name}, ptr %given.{index}, align 8"
        yield "  br i1 %with.seed, label %seed.copy, label %answer"
        yield "seed.copy:\n  call void %keep(ptr %dtype)"
        yield f"  %S = call ptr %new_array(ptr %array_type, ptr %dtype, i32 1, ptr @seed.shape, {_FIXED})"
        yield "  %S.none = icmp eq ptr %S, null\n  br i1 %S.none, label %lost.too, label %seed.made\nlost.too:"
        yield "  call void %drop(ptr %T)\n  call void %drop(ptr %q)\n  ret ptr null\nseed.made:"
        yield from field("S", "data", self.header, "ptr")
        yield f"  %seed.values.own = load {self.row}, ptr %seed, align 8"
        yield f"  store {self.row} %seed.values.own, ptr %S.data, align 8"
        yield "  %given.3 = getelementptr inbounds ptr, ptr %given, i64 3\n  store ptr %S, ptr %given.3, align 8"
        yield "  %with = call ptr %vectorcall(ptr %result, ptr %given, i64 4, ptr null)\n  call void %drop(ptr %S)"
        yield "  br label %end\nanswer:\n  %without = call ptr %vectorcall(ptr %result, ptr %given, i64 3, ptr null)"
        yield "  br label %end\nend:\n  %made.result = phi ptr [ %with, %seed.made ], [ %without, %answer ]"
        yield "  call void %drop(ptr %T)\n  call void %drop(ptr %q)\n  ret ptr %made.result"

    def general(self) -> Iterator[str]:
        yield "general:\n  %method = call ptr %attribute(ptr %self, ptr %general.text)"
        yield "  %method.none = icmp eq ptr %method, null\n  br i1 %method.none, label %no.way, label %through"
        yield "no.way:\n  ret ptr null\nthrough:"
        yield "  %result.general = call ptr %vectorcall(ptr %method, ptr %args, i64 %count, ptr %names)"
        yield "  call void %drop(ptr %method)\n  ret ptr %result.general\n}"
