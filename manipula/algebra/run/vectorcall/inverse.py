"""The thin call of an inverse function of several branches: a 4×4 array in, perhaps a seed, one result object out.

    PyObject *call(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)

If the target is a dense 4×4 array of floats and the seed, second or by its name, is left out or a dense row of finite
floats, `one_target` (see `branches`) is run on them. The answers go into a new array (answers, coordinates), nearest to
the seed first, and `result(owner, target, answers[, seed])` is returned, target and seed being copies. All else, and
every target that is left open, goes to `self.general(...)`. The table of addresses is as in `door`.
"""

from __future__ import annotations

from collections.abc import Iterator

from manipula.algebra.run.vectorcall.layout import ORDER
from manipula.algebra.run.vectorcall.results import DENSE, FIELDS, field

CONTEXT = (
    "array_type", "dtype", "dtype_type", "new_array", "keep", "drop", "attribute", "vectorcall", "general.text",
    "seed.text", "result", "owner",
)  # fmt: skip
_FIXED = "ptr null, ptr null, i32 0, ptr null"


def branch_door_text(branches: int, size: int, header: int) -> str:
    """`header`: bytes before an object's own fields."""
    door = _BranchDoor(branches, size, header)
    parts = (door.entry, door.target, door.seed, door.solve, door.rank, door.copy, door.result, door.general)
    lines = [line for part in parts for line in part()]
    return "\n".join([*door.outside(), *lines])


class _BranchDoor:
    """The parts of `call`."""

    def __init__(self, branches: int, size: int, header: int) -> None:
        self.branches, self.size, self.header = branches, size, header
        self.row, self.each = f"<{size} x double>", f"<{branches} x double>"

    def outside(self) -> Iterator[str]:
        yield f"@context = internal global [{len(CONTEXT)} x ptr] zeroinitializer, align 8"
        yield "@target.shape = internal constant [2 x i64] [i64 4, i64 4], align 8"
        yield f"@seed.shape = internal constant [1 x i64] [i64 {self.size}], align 8"
        yield "define ptr @door_context() nounwind {\n  ret ptr @context\n}"
        yield f"declare i8 @llvm.vector.reduce.add.v{self.branches}i8(<{self.branches} x i8>)"

    def entry(self) -> Iterator[str]:
        """One argument, or two of which the second may be named `seed`."""
        yield "define ptr @call(ptr %self, ptr %args, i64 %count, ptr %names) nounwind {\nentry:"
        yield f"  %rows = alloca [{self.branches * self.size} x double], align 64"
        yield f"  %mask = alloca [{self.branches} x i8], align 8\n  %far = alloca [{self.branches} x double], align 64"
        yield "  %sizes = alloca [2 x i64], align 8\n  %given = alloca [4 x ptr], align 8"
        for index, name in enumerate(CONTEXT):
            yield f"  %at.{name} = getelementptr inbounds ptr, ptr @context, i64 {index}"
            yield f"  %{name} = load ptr, ptr %at.{name}, align 8"
        yield "  %nameless = icmp eq ptr %names, null\n  br i1 %nameless, label %unnamed, label %named"
        yield "unnamed:\n  switch i64 %count, label %general [ i64 1, label %look i64 2, label %look ]"
        yield "named:\n  %single = icmp eq i64 %count, 1\n  br i1 %single, label %name, label %general\nname:"
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
        yield f"  %nothing = fsub {self.row} %near, %near\n  %finite.each = fcmp ord {self.row} %nothing, %nothing"
        bits = f"<{self.size} x i1>"
        yield f"  %finite = call i1 @llvm.vector.reduce.and.v{self.size}i1({bits} %finite.each)"
        yield "  br i1 %finite, label %ready, label %general\nplain:\n  br label %ready"

    def solve(self) -> Iterator[str]:
        yield "ready:\n  %seed = phi ptr [ null, %plain ], [ %s.data, %seed.values ]"
        yield "  %open = call i1 @one_target(ptr %x.data, ptr null, ptr %seed, ptr %rows, ptr %mask)"
        yield "  br i1 %open, label %general, label %solved\nsolved:"
        yield f"  %marks = load <{self.branches} x i8>, ptr %mask, align 8"
        yield f"  %answers.8 = call i8 @llvm.vector.reduce.add.v{self.branches}i8(<{self.branches} x i8> %marks)"
        yield "  %answers = zext i8 %answers.8 to i64\n  store i64 %answers, ptr %sizes, align 8"
        yield "  %at.size = getelementptr inbounds i64, ptr %sizes, i64 1"
        yield f"  store i64 {self.size}, ptr %at.size, align 8"
        yield "  br i1 %with.seed, label %measure, label %unmeasured"

    def rank(self) -> Iterator[str]:
        """How far each answer is from the seed: the sum of squares, in the order of the coordinates."""
        yield f"unmeasured:\n  store {self.each} zeroinitializer, ptr %far, align 64\n  br label %measured"
        yield "measure:\n  %m = phi i64 [ 0, %solved ], [ %m.next, %measure ]"
        yield f"  %m.row = mul i64 %m, {self.size}\n  %at.m = getelementptr inbounds double, ptr %rows, i64 %m.row"
        yield f"  %here = load {self.row}, ptr %at.m, align 8\n  %aim = load {self.row}, ptr %seed, align 8"
        yield f"  %gap = fsub {self.row} %here, %aim\n  %square = fmul {self.row} %gap, %gap"
        yield f"  %sum = call double @llvm.vector.reduce.fadd.v{self.size}f64(double 0.0, {self.row} %square)"
        yield "  %at.far = getelementptr inbounds double, ptr %far, i64 %m\n  store double %sum, ptr %at.far, align 8"
        yield f"  %m.next = add i64 %m, 1\n  %m.more = icmp ult i64 %m.next, {self.branches}"
        yield "  br i1 %m.more, label %measure, label %measured"

    def copy(self) -> Iterator[str]:
        """Every answer to its rank: as many answers are nearer, or as near and before it."""
        n, each, bits = self.branches, self.each, f"<{self.branches} x i1>"
        whole, zeros = f"<{n} x i64>", f"<{n} x i32> zeroinitializer"
        places = "<" + ", ".join(f"i64 {i}" for i in range(n)) + ">"
        yield "measured:\n  call void %keep(ptr %dtype)"  # the constructor takes this reference
        yield f"  %q = call ptr %new_array(ptr %array_type, ptr %dtype, i32 2, ptr %sizes, {_FIXED})"
        yield "  %q.none = icmp eq ptr %q, null\n  br i1 %q.none, label %no.room, label %fill\nno.room:\n  ret ptr null"
        yield "fill:"
        yield from field("q", "data", self.header, "ptr")
        yield f"  %kept.all = icmp ne <{n} x i8> %marks, zeroinitializer\n  %away = load {each}, ptr %far, align 64"
        yield "  br label %branch\nbranch:\n  %b = phi i64 [ 0, %fill ], [ %b.next, %on ]"
        yield "  %at.mark = getelementptr inbounds i8, ptr %mask, i64 %b\n  %mark = load i8, ptr %at.mark, align 1"
        yield "  %kept = icmp ne i8 %mark, 0\n  br i1 %kept, label %place, label %on\nplace:"
        yield "  %at.own = getelementptr inbounds double, ptr %far, i64 %b\n  %own = load double, ptr %at.own, align 8"
        yield f"  %own.1 = insertelement {each} poison, double %own, i64 0"
        yield f"  %own.all = shufflevector {each} %own.1, {each} poison, {zeros}"
        yield f"  %b.1 = insertelement {whole} poison, i64 %b, i64 0"
        yield f"  %b.all = shufflevector {whole} %b.1, {whole} poison, {zeros}"
        yield f"  %nearer = fcmp olt {each} %away, %own.all\n  %even = fcmp oeq {each} %away, %own.all"
        yield f"  %before = icmp ult {whole} {places}, %b.all\n  %even.before = and {bits} %even, %before"
        yield f"  %first = or {bits} %nearer, %even.before\n  %counted = and {bits} %first, %kept.all"
        yield f"  %ones = zext {bits} %counted to <{n} x i8>"
        yield f"  %rank.8 = call i8 @llvm.vector.reduce.add.v{n}i8(<{n} x i8> %ones)\n  %rank = zext i8 %rank.8 to i64"
        yield f"  %from.by = mul i64 %b, {self.size}\n  %to.by = mul i64 %rank, {self.size}"
        yield "  %from = getelementptr inbounds double, ptr %rows, i64 %from.by"
        yield "  %to = getelementptr inbounds double, ptr %q.data, i64 %to.by"
        yield f"  %values = load {self.row}, ptr %from, align 8"
        yield f"  store {self.row} %values, ptr %to, align 8\n  br label %on"
        yield f"on:\n  %b.next = add i64 %b, 1\n  %more = icmp ult i64 %b.next, {n}"
        yield "  br i1 %more, label %branch, label %copied"

    def result(self) -> Iterator[str]:
        """result(owner, target, answers[, seed])"""
        yield "copied:\n  call void %keep(ptr %dtype)"
        yield f"  %T = call ptr %new_array(ptr %array_type, ptr %dtype, i32 2, ptr @target.shape, {_FIXED})"
        yield "  %T.none = icmp eq ptr %T, null\n  br i1 %T.none, label %lost, label %made\nlost:"
        yield "  call void %drop(ptr %q)\n  ret ptr null\nmade:"
        yield from field("T", "data", self.header, "ptr")
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
