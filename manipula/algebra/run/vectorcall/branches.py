"""An inverse function of several branches, checked and chosen in machine code.

`inverse` gives for a target T (16 entries) every branch: q (branches × coordinates), valid, fit, calm, defect; the
function `forward` leads from q back to T. Two functions are written here around both:

    i1 one_target(T, p, seed, q, mask)                                        one target; true: wants a closer look
    void many_targets(T, T_step, p, p_step, seed, q, mask, open, n)           many; `open` marks those

A branch counts when its forward value is the target to within `good`. Where `calm` is small, branches may meet: equal
ones count once. Coordinates with a period take the turn inside their interval that is nearest to the seed (null: to the
plain value); a branch with a coordinate outside is no answer. Left open is a target that is no pose (`defect`), or has
a branch that nearly reaches it and could be polished; of those that are not calm, also one with two branches that may
be one; and of those with `calm` below `family`, one with a seed or with a coordinate outside. Where `calm` is below
`blurred`, what `good` allows can move a branch far: a seed that is at the target itself then takes the place of the
answer nearest to it.
"""

from __future__ import annotations

from collections.abc import Iterator

BLOCK = 16  # targets at a time: what they need stays in the first cache
ROWS = ("low_turn", "high_turn", "low", "high", "period", "per")  # of one number for each coordinate
NUMBERS = ("clean", "calm", "almost", "good", "same", "nearby", "family", "beside", "blurred")
KERNELS = ("one", "run", "forward")


def branches_text(branches: int, size: int, parameters: int, vector_bytes: int) -> str:
    """The module without its thin call."""
    return "\n".join(_Branches(branches, size, parameters, vector_bytes).text())


class _Branches:
    """The parts of the module."""

    def __init__(self, branches: int, size: int, parameters: int, vector_bytes: int) -> None:
        self.branches, self.size, self.parameters = branches, size, parameters
        self.row, self.bits = f"<{size} x double>", f"<{size} x i1>"
        self.table = len(ROWS) * size + len(NUMBERS)
        bits = 8 * vector_bytes
        self.wide = f'nounwind "prefer-vector-width"="{bits}" "min-legal-vector-width"="{bits}"'

    def text(self) -> Iterator[str]:
        yield f"@numbers = internal global [{self.table} x double] zeroinitializer, align 8"
        yield f"@kernels = internal global [{len(KERNELS)} x ptr] zeroinitializer, align 8"
        yield "define ptr @numbers_at() nounwind {\n  ret ptr @numbers\n}"
        yield "define ptr @kernels_at() nounwind {\n  ret ptr @kernels\n}"
        yield from self.finish()
        yield from self.one_target()
        yield from self.many_targets()
        yield from self.declarations()

    def declarations(self) -> Iterator[str]:
        suffix = f"v{self.size}f64"
        for name in ("ceil", "floor", "rint", "fabs"):
            yield f"declare {self.row} @llvm.{name}.{suffix}({self.row})"
        yield "declare <16 x double> @llvm.fabs.v16f64(<16 x double>)" if self.size != 16 else ""
        yield "declare i1 @llvm.vector.reduce.and.v16i1(<16 x i1>)"
        yield f"declare i1 @llvm.vector.reduce.and.v{self.size}i1({self.bits})" if self.size != 16 else ""
        yield f"declare double @llvm.vector.reduce.fadd.v{self.size}f64(double, {self.row})"
        yield "declare i64 @llvm.smin.i64(i64, i64)"

    # pieces

    def _number(self, name: str) -> Iterator[str]:
        index = len(ROWS) * self.size + NUMBERS.index(name)
        yield f"  %at.{name} = getelementptr inbounds double, ptr @numbers, i64 {index}"
        yield f"  %{name} = load double, ptr %at.{name}, align 8"

    def _rows(self) -> Iterator[str]:
        for index, name in enumerate(ROWS):
            yield f"  %at.{name} = getelementptr inbounds double, ptr @numbers, i64 {index * self.size}"
            yield f"  %{name} = load {self.row}, ptr %at.{name}, align 8"

    def _kernel(self, name: str, to: str = "") -> Iterator[str]:
        yield f"  %at.{to or name} = getelementptr inbounds ptr, ptr @kernels, i64 {KERNELS.index(name)}"
        yield f"  %{to or name} = load ptr, ptr %at.{to or name}, align 8"

    def _map(self, to: str, name: str, x: str) -> str:
        return f"  %{to} = call {self.row} @llvm.{name}.v{self.size}f64({self.row} {x})"

    def _step(self, to: str, operation: str, a: str, b: str) -> str:
        return f"  %{to} = {operation} {self.row} {a}, {b}"

    # one target, its branches computed

    def finish(self) -> Iterator[str]:
        """Which branches are answers; these wound in place. True: undecided, and q as it was."""
        given = "ptr %T, ptr %q, ptr %fit, double %calm.here, double %defect, ptr %forward, ptr %seed, ptr %mask"
        yield f"define internal i1 @finish({given}) {self.wide} {{\nentry:"
        for name in NUMBERS:
            yield from self._number(name)
        yield from self._rows()
        yield f"  store <{self.branches} x i8> zeroinitializer, ptr %mask, align 1"
        yield "  %square = fcmp ole double %defect, %clean\n  %number = fcmp ord double %calm.here, %calm.here"
        yield "  %tidy = and i1 %square, %number"
        yield "  %quiet = fcmp ogt double %calm.here, %calm\n  %single = fcmp ogt double %calm.here, %family"
        yield "  %seedless = icmp eq ptr %seed, null\n  %easy = or i1 %single, %seedless\n  %fine = and i1 %tidy, %easy"
        yield "  br i1 %fine, label %begin, label %open\nbegin:"
        yield "  %target = load <16 x double>, ptr %T, align 8"
        yield from self._splat("good", "good", 16)
        yield from self._splat("beside", "beside", 16)
        yield from self._splat("same", "same", self.size)
        yield from self._splat("maybe", "nearby", self.size)
        yield "  br label %look"
        yield from self._look()
        yield from self._compare()
        yield from self._wind()
        yield from self._ask_seed()
        yield f"open:\n  store <{self.branches} x i8> zeroinitializer, ptr %mask, align 1\n  ret i1 true\n}}"

    def _splat(self, to: str, name: str, lanes: int) -> Iterator[str]:
        vector = f"<{lanes} x double>"
        yield f"  %{to}.first = insertelement {vector} poison, double %{name}, i64 0"
        zeros = f"<{lanes} x i32> zeroinitializer"
        yield f"  %{to}.all = shufflevector {vector} %{to}.first, {vector} poison, {zeros}"

    def _look(self) -> Iterator[str]:
        """Branch by branch: |forward − target| ≤ good; a near miss leaves the target open."""
        yield "look:\n  %b = phi i64 [ 0, %begin ], [ %b.next, %looked ]"
        yield "  %b.16 = shl i64 %b, 4\n  %at.there = getelementptr inbounds double, ptr %forward, i64 %b.16"
        yield "  %there = load <16 x double>, ptr %at.there, align 8"
        yield "  %gap = fsub <16 x double> %there, %target"
        yield "  %miss = call <16 x double> @llvm.fabs.v16f64(<16 x double> %gap)"
        yield "  %close = fcmp ole <16 x double> %miss, %good.all"
        yield "  %met = call i1 @llvm.vector.reduce.and.v16i1(<16 x i1> %close)"
        yield "  %at.b = getelementptr inbounds i8, ptr %mask, i64 %b"
        yield "  br i1 %met, label %reached, label %missed\nmissed:"
        yield "  %at.fit = getelementptr inbounds double, ptr %fit, i64 %b"
        yield "  %fit.b = load double, ptr %at.fit, align 8"
        yield "  %near = fcmp ogt double %fit.b, %almost\n  %beside.each = fcmp ole <16 x double> %miss, %beside.all"
        yield "  %close.by = call i1 @llvm.vector.reduce.and.v16i1(<16 x i1> %beside.each)"
        yield "  %doubtful = xor i1 %quiet, true\n  %lost = and i1 %close.by, %doubtful"
        yield "  %worth = or i1 %near, %lost\n  br i1 %worth, label %open, label %looked"
        yield "reached:\n  store i8 1, ptr %at.b, align 1\n  br i1 %quiet, label %looked, label %before"

    def _compare(self) -> Iterator[str]:
        """Not calm: the same as a branch before it? (A mark of 2 + j: reached, and the same as branch j.)"""
        yield f"before:\n  %b.row = mul i64 %b, {self.size}"
        yield "  %at.own = getelementptr inbounds double, ptr %q, i64 %b.row"
        yield f"  %own = load {self.row}, ptr %at.own, align 8\n  br label %other"
        yield "other:\n  %j = phi i64 [ 0, %before ], [ %j.next, %differs ]"
        yield "  %all = icmp eq i64 %j, %b\n  br i1 %all, label %looked, label %against"
        yield "against:\n  %at.j = getelementptr inbounds i8, ptr %mask, i64 %j\n  %mark = load i8, ptr %at.j, align 1"
        yield "  %j.next = add i64 %j, 1\n  %void = icmp eq i8 %mark, 0"
        yield f"  %j.row = mul i64 %j, {self.size}\n  %at.theirs = getelementptr inbounds double, ptr %q, i64 %j.row"
        yield f"  %theirs = load {self.row}, ptr %at.theirs, align 8"
        yield self._step("apart", "fsub", "%own", "%theirs")
        yield self._step("turns", "fmul", "%apart", "%per")
        yield self._map("turns.whole", "rint", "%turns")
        yield self._step("around", "fmul", "%turns.whole", "%period")
        yield self._step("apart.plain", "fsub", "%apart", "%around")
        yield self._map("distance", "fabs", "%apart.plain")
        for name, bound in (("equal", "same"), ("unsure", "maybe")):
            yield f"  %{name}.each = fcmp olt {self.row} %distance, %{bound}.all"
            yield f"  %{name} = call i1 @llvm.vector.reduce.and.v{self.size}i1({self.bits} %{name}.each)"
        yield "  %far = xor i1 %unsure, true\n  %skip = or i1 %void, %far"
        yield "  br i1 %skip, label %differs, label %beside.it\ndiffers:\n  br label %other"
        yield "beside.it:\n  br i1 %equal, label %twin, label %open"
        yield "twin:\n  %j.8 = trunc i64 %j to i8\n  %j.mark = add i8 %j.8, 2"
        yield "  store i8 %j.mark, ptr %at.b, align 1\n  br label %looked"
        yield f"looked:\n  %b.next = add i64 %b, 1\n  %b.more = icmp ult i64 %b.next, {self.branches}"
        yield "  br i1 %b.more, label %look, label %choose"

    def _wind(self) -> Iterator[str]:
        """Every coordinate on its turn, then inside its interval or not."""
        yield "choose:\n  %c = phi i64 [ 0, %looked ], [ %c.next, %chosen ]"
        yield "  %at.c = getelementptr inbounds i8, ptr %mask, i64 %c\n  %kept = load i8, ptr %at.c, align 1"
        yield "  %met.it = icmp ne i8 %kept, 0\n  br i1 %met.it, label %wind, label %chosen"
        yield f"wind:\n  %c.row = mul i64 %c, {self.size}\n  %at.x = getelementptr inbounds double, ptr %q, i64 %c.row"
        yield "  %at.aim = select i1 %seedless, ptr %at.x, ptr %seed"
        yield f"  %x = load {self.row}, ptr %at.x, align 8\n  %aim = load {self.row}, ptr %at.aim, align 8"
        for name, bound, whole in (
            ("least", "low_turn", "ceil"),
            ("most", "high_turn", "floor"),
            ("want", "aim", "rint"),
        ):
            yield self._step(f"{name}.gap", "fsub", f"%{bound}", "%x")
            yield self._step(f"{name}.turns", "fmul", f"%{name}.gap", "%per")
            yield self._map(name, whole, f"%{name}.turns")
        yield f"  %over = fcmp ogt {self.row} %want, %most"
        yield f"  %want.low = select {self.bits} %over, {self.row} %most, {self.row} %want"
        yield f"  %under = fcmp olt {self.row} %want.low, %least"
        yield f"  %turn = select {self.bits} %under, {self.row} %least, {self.row} %want.low"
        yield f"  %usable = fcmp ole {self.row} %least, %most"
        yield self._step("by", "fmul", "%turn", "%period")
        yield self._step("there.x", "fadd", "%x", "%by")
        yield f"  %wound = select {self.bits} %usable, {self.row} %there.x, {self.row} %x"
        yield f"  store {self.row} %wound, ptr %at.x, align 8"
        yield f"  %above = fcmp oge {self.row} %wound, %low\n  %below = fcmp ole {self.row} %wound, %high"
        yield f"  %within = and {self.bits} %above, %below"
        yield f"  %inside = call i1 @llvm.vector.reduce.and.v{self.size}i1({self.bits} %within)"
        yield "  %alike = icmp ugt i8 %kept, 1\n  br i1 %alike, label %either, label %alone\nalone:"
        yield "  %inside.bit = zext i1 %inside to i8\n  store i8 %inside.bit, ptr %at.c, align 1"
        yield "  %settled = or i1 %inside, %single\n  br i1 %settled, label %chosen, label %open"
        yield from self._either()
        yield f"chosen:\n  %c.next = add i64 %c, 1\n  %c.more = icmp ult i64 %c.next, {self.branches}"
        yield "  br i1 %c.more, label %choose, label %done"

    def _either(self) -> Iterator[str]:
        """Of two that are the same but for whole turns the one inside, or nearer to the seed: limits may part them."""
        yield "either:\n  %first.8 = sub i8 %kept, 2\n  %first.at = zext i8 %first.8 to i64"
        yield "  %at.first = getelementptr inbounds i8, ptr %mask, i64 %first.at"
        yield "  %first.mark = load i8, ptr %at.first, align 1\n  %first.out = icmp eq i8 %first.mark, 0"
        yield f"  %first.row = mul i64 %first.at, {self.size}"
        yield "  %at.first.x = getelementptr inbounds double, ptr %q, i64 %first.row"
        yield f"  %first.x = load {self.row}, ptr %at.first.x, align 8"
        for name, row in (("own", "%wound"), ("first", "%first.x")):
            yield self._step(f"{name}.off", "fsub", row, "%aim")
            yield self._step(f"{name}.square", "fmul", f"%{name}.off", f"%{name}.off")
            sum_of = f"@llvm.vector.reduce.fadd.v{self.size}f64(double 0.0, {self.row} %{name}.square)"
            yield f"  %{name}.far = call double {sum_of}"
        yield "  %nearer = fcmp olt double %own.far, %first.far\n  %wished = xor i1 %seedless, true"
        yield "  %preferred = and i1 %nearer, %wished\n  %better = or i1 %preferred, %first.out"
        yield "  %takes = and i1 %better, %inside\n  %takes.bit = zext i1 %takes to i8"
        yield "  store i8 %takes.bit, ptr %at.c, align 1\n  %first.new = select i1 %takes, i8 0, i8 %first.mark"
        yield "  store i8 %first.new, ptr %at.first, align 1\n  br label %chosen"

    def _ask_seed(self) -> Iterator[str]:
        """Is the seed itself at the target, and inside? (With a parameter it would stand for one value of it only.)"""
        if self.parameters:
            yield "done:\n  ret i1 false"
            return
        yield "done:\n  %blur = fcmp olt double %calm.here, %blurred\n  %seeded = xor i1 %seedless, true"
        yield "  %ask = and i1 %blur, %seeded\n  br i1 %ask, label %ask.seed, label %end"
        yield "end:\n  ret i1 false\nask.seed:"
        yield f"  %own.seed = load {self.row}, ptr %seed, align 8"
        for bound, test in (("low", "oge"), ("high", "ole")):
            yield f"  %own.{bound} = fcmp {test} {self.row} %own.seed, %{bound}"
        yield f"  %own.within = and {self.bits} %own.low, %own.high"
        yield f"  %own.inside = call i1 @llvm.vector.reduce.and.v{self.size}i1({self.bits} %own.within)"
        yield "  br i1 %own.inside, label %stand, label %end\nstand:"
        yield from self._kernel("forward", "run.forward")
        yield f"  call void %run.forward(ptr %seed, i64 {self.size}, ptr null, ptr %forward, i64 1)"
        yield "  %stands.there = load <16 x double>, ptr %forward, align 8"
        yield "  %stands.gap = fsub <16 x double> %stands.there, %target"
        yield "  %stands.miss = call <16 x double> @llvm.fabs.v16f64(<16 x double> %stands.gap)"
        yield "  %stands.close = fcmp ole <16 x double> %stands.miss, %good.all"
        yield "  %stands = call i1 @llvm.vector.reduce.and.v16i1(<16 x i1> %stands.close)"
        yield "  br i1 %stands, label %rank, label %end"
        yield from self._nearest_answer()

    def _nearest_answer(self) -> Iterator[str]:
        """The seed in the place of the answer nearest to it; where there is none, a closer look."""
        yield "rank:\n  %r = phi i64 [ 0, %stand ], [ %r.next, %ranked ]"
        yield "  %least.far = phi double [ 0x7FF0000000000000, %stand ], [ %far.kept, %ranked ]"
        yield "  %place = phi i64 [ -1, %stand ], [ %place.kept, %ranked ]"
        yield "  %at.r = getelementptr inbounds i8, ptr %mask, i64 %r\n  %r.mark = load i8, ptr %at.r, align 1"
        yield f"  %r.row = mul i64 %r, {self.size}\n  %at.r.x = getelementptr inbounds double, ptr %q, i64 %r.row"
        yield f"  %r.x = load {self.row}, ptr %at.r.x, align 8"
        yield self._step("r.gap", "fsub", "%r.x", "%own.seed")
        yield self._step("r.square", "fmul", "%r.gap", "%r.gap")
        yield f"  %r.far = call double @llvm.vector.reduce.fadd.v{self.size}f64(double 0.0, {self.row} %r.square)"
        yield "  %r.own = icmp eq i8 %r.mark, 1\n  %r.less = fcmp olt double %r.far, %least.far"
        yield "  %r.wins = and i1 %r.own, %r.less\n  br label %ranked\nranked:"
        yield "  %far.kept = select i1 %r.wins, double %r.far, double %least.far"
        yield "  %place.kept = select i1 %r.wins, i64 %r, i64 %place"
        yield f"  %r.next = add i64 %r, 1\n  %r.more = icmp ult i64 %r.next, {self.branches}"
        yield "  br i1 %r.more, label %rank, label %put"
        yield "put:\n  %nobody = icmp slt i64 %place.kept, 0\n  br i1 %nobody, label %open, label %seat\nseat:"
        yield f"  %seat.row = mul i64 %place.kept, {self.size}"
        yield "  %at.seat = getelementptr inbounds double, ptr %q, i64 %seat.row"
        yield f"  store {self.row} %own.seed, ptr %at.seat, align 8\n  ret i1 false"

    # the functions

    def _room(self, count: int) -> Iterator[str]:
        """For `count` targets."""
        sizes = {"valid": self.branches, "fit": self.branches, "calm": 1, "defect": 1, "there": 16 * self.branches}
        for name, size in sizes.items():
            yield f"  %{name} = alloca [{count * size} x double], align 64"

    def one_target(self) -> Iterator[str]:
        yield f"define i1 @one_target(ptr %T, ptr %p, ptr %seed, ptr %q, ptr %mask) {self.wide} {{\nentry:"
        yield from self._room(1)
        yield from self._kernel("one")
        yield from self._kernel("forward")
        given = "ptr %T, ptr %p" if self.parameters else "ptr %T"
        yield f"  call void %one({given}, ptr null, ptr %q, ptr %valid, ptr %fit, ptr %calm, ptr %defect)"
        yield f"  call void %forward(ptr %q, i64 {self.size}, ptr null, ptr %there, i64 {self.branches})"
        yield "  %calm.here = load double, ptr %calm, align 8\n  %defect.here = load double, ptr %defect, align 8"
        taken = "ptr %fit, double %calm.here, double %defect.here, ptr %there, ptr %seed, ptr %mask"
        yield f"  %open = call i1 @finish(ptr %T, ptr %q, {taken})\n  ret i1 %open\n}}"

    def many_targets(self) -> Iterator[str]:
        """Blocks; in each the inverse and the forward function side by side, then target by target."""
        given = "ptr %T, i64 %T.step, ptr %p, i64 %p.step, ptr %seed, ptr %q, ptr %mask, ptr %open, i64 %n"
        yield f"define void @many_targets({given}) {self.wide} {{\nentry:"
        yield from self._room(BLOCK)
        yield from self._kernel("run")
        yield from self._kernel("forward")
        yield "  br label %blocks\nblocks:\n  %i = phi i64 [ 0, %entry ], [ %i.next, %block.done ]"
        yield "  %left = sub i64 %n, %i\n  %some = icmp sgt i64 %left, 0\n  br i1 %some, label %block, label %end"
        yield f"block:\n  %count = call i64 @llvm.smin.i64(i64 %left, i64 {BLOCK})"
        yield from self._target("block", "%i")
        parameter = "ptr %block.p, i64 %p.step, " if self.parameters else ""
        taken = "ptr null, ptr %block.q, ptr %valid, ptr %fit, ptr %calm, ptr %defect, i64 %count"
        yield f"  call void %run(ptr %block.T, i64 %T.step, {parameter}{taken})"
        yield f"  %rows = mul i64 %count, {self.branches}"
        yield f"  call void %forward(ptr %block.q, i64 {self.size}, ptr null, ptr %there, i64 %rows)"
        yield "  br label %each\neach:\n  %k = phi i64 [ 0, %block ], [ %k.next, %each ]\n  %at = add i64 %i, %k"
        yield from self._target("each", "%at")
        for name, step in (("fit", self.branches), ("calm", 1), ("defect", 1), ("there", 16 * self.branches)):
            yield f"  %k.{name} = mul i64 %k, {step}\n  %each.{name} = getelementptr double, ptr %{name}, i64 %k.{name}"
        yield "  %calm.here = load double, ptr %each.calm, align 8"
        yield "  %defect.here = load double, ptr %each.defect, align 8"
        taken = "ptr %each.fit, double %calm.here, double %defect.here, ptr %each.there, ptr %seed, ptr %each.mask"
        yield f"  %undecided = call i1 @finish(ptr %each.T, ptr %each.q, {taken})"
        yield "  %bit = zext i1 %undecided to i8\n  %each.open = getelementptr i8, ptr %open, i64 %at"
        yield "  store i8 %bit, ptr %each.open, align 1"
        yield "  %k.next = add i64 %k, 1\n  %k.more = icmp slt i64 %k.next, %count"
        yield f"  br i1 %k.more, label %each, label %block.done\nblock.done:\n  %i.next = add i64 %i, {BLOCK}"
        yield "  br label %blocks\nend:\n  ret void\n}"

    def _target(self, to: str, at: str) -> Iterator[str]:
        """Where the rows of target number `at` start."""
        steps = {"T": "%T.step", "p": "%p.step", "q": str(self.branches * self.size), "mask": str(self.branches)}
        for name, step in steps.items():
            kind = "i8" if name == "mask" else "double"
            yield f"  %{to}.{name}.by = mul i64 {at}, {step}"
            yield f"  %{to}.{name} = getelementptr {kind}, ptr %{name}, i64 %{to}.{name}.by"
