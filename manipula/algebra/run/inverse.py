"""`ManyTargets`: an inverse function of several branches and the choice among them, for many targets in one call.

    void many(T, T_step, p, p_step, seed, rows, mark, open, count)

computes `count` targets of 16 entries, `T_step` entries apart (0: the same for all), likewise the parameter p of a
function that has one; `seed` may be null. For a few targets at a time it calls the code of both functions, side by side
in the machine's vectors, and the text `choose_each` on what they gave, while that is in the nearest cache; results are
the rows of every branch, a byte for each that is an answer, a byte for each target that wants a closer look.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manipula.algebra.llvm.code import load_code, paired_object
from manipula.algebra.llvm.program_lanes import routine_abreast
from manipula.algebra.llvm.program_operations import TYPES
from manipula.algebra.llvm.program_writer import rounded_assembly
from manipula.algebra.program.reader import program
from manipula.algebra.program.tree import Routine
from manipula.algebra.run.compiled_function import Compiled
from manipula.algebra.run.python_call_inverse import CONTEXT, TEXTS, inverse_call_text
from manipula.algebra.run.python_call_layout import GENERAL, Layout, address_of, builtin, fill_context, layout
from manipula.algebra.run.texts import Text

# The texts that choose among branches as LLVM assembly, what they do for every number of a row done side by side.
#
# Such a text is a loop, and what it calls for each number another, which never jumps by its data:
#
#     wind(size, …)     wind_joint     the coordinates of a branch
#     meets(width, …)   meets_column   the columns of a target
#
# The second returns 0 where all is well; the first, whether that is so for all. Here it is one call, a lane a number:
# arrays hold one row after the other, as those of laned texts do, so that what is so many entries apart for one number
# is 1 apart in lanes.

LOOPS = {"wind": "wind_joint", "meets": "meets_column"}
COLUMNS = 4


def choice_text(texts: Sequence[Text], size: int) -> str:
    """Every step is rounded as in Python: whichever call it is must rank answers alike."""
    routines = {routine.name: routine for routine in program(*texts)}
    plain = [routine for name, routine in routines.items() if name not in {*LOOPS, *LOOPS.values()}]
    lines = [rounded_assembly(plain)]
    for (loop, each), lanes in zip(LOOPS.items(), (size, COLUMNS), strict=True):
        lines += [routine_abreast(routines[each], lanes), *_at_once(routines[loop], routines[each], lanes)]
    # a module may declare a function only once
    declared = dict.fromkeys(line for text in lines for line in text.splitlines() if line.startswith("declare"))
    return "\n".join([*(line for text in lines for line in text.splitlines() if line not in declared), *declared])


def _at_once(loop: Routine, each: Routine, lanes: int) -> Iterator[str]:
    """The loop as one call."""
    flag = f"<{lanes} x i1>"
    taken = [f"{TYPES.get(kind, 'ptr')} %{name}" for name, kind in loop.parameters.items()]
    yield f"define internal i1 @{loop.name}({', '.join(taken)}) alwaysinline nounwind {{"
    arguments = ["i64 1"]
    for name, kind in list(loop.parameters.items())[1:]:
        if kind in TYPES:
            vector = f"<{lanes} x {TYPES[kind]}>"
            yield f"  %{name}.one = insertelement {vector} poison, {TYPES[kind]} %{name}, i64 0"
            zeros = f"<{lanes} x i32> zeroinitializer"
            yield f"  %{name}.all = shufflevector {vector} %{name}.one, {vector} poison, {zeros}"
        arguments.append(f"<{lanes} x {TYPES[kind]}> %{name}.all" if kind in TYPES else f"ptr %{name}")
    yield f"  %wrong = call <{lanes} x double> @{each.name}({', '.join(arguments)})"
    # ordered: NaN is not right
    yield f"  %right = fcmp oeq <{lanes} x double> %wrong, zeroinitializer"
    yield f"  %every = call i1 @llvm.vector.reduce.and.v{lanes}i1({flag} %right)\n  ret i1 %every\n}}"
    yield f"declare i1 @llvm.vector.reduce.and.v{lanes}i1({flag})"


Floats = NDArray[np.float64]
Bits = NDArray[np.bool_]
OUTPUTS = ("q", "valid", "fit", "calm", "defect")
BLOCK = 16  # targets at a time
BATCH_CONTEXT = ("run", "forward", "table")
LEVEL = 3


class ManyTargets:
    """The code stays loaded as long as this lives. `choose_each` is the text of this name, `table` what it goes by."""

    def __init__(self, inverse: Compiled, forward: Compiled, choose_each: Text, table: Floats) -> None:
        assert not (inverse.parameters or forward.parameters)
        assert tuple(port.name for port in inverse.outputs) == OUTPUTS
        # the table of addresses below does not count references
        self._alive = inverse, forward, np.ascontiguousarray(table)
        self._branches, self._size = inverse.outputs[0].shape
        entries = sum(prod(port.shape) for port in inverse.inputs[1:])
        text = f"{choice_text([choose_each], self._size)}\n{many_text(self._branches, self._size, entries)}"
        self._code = load_code(("many targets", text), lambda: text, LEVEL, paired_object)
        context = ctypes.CFUNCTYPE(ctypes.c_void_p)(self._code.address("many_context"))()
        known = {"run": inverse.address or 0, "forward": forward.address or 0, "table": address_of(self._alive[2])}
        fill_context(context, [known[name] for name in BATCH_CONTEXT])
        pointer, whole = ctypes.c_void_p, ctypes.c_int64
        kinds = (pointer, whole, pointer, whole, pointer, pointer, pointer, pointer, whole)
        self._many = ctypes.CFUNCTYPE(None, *kinds)(self._code.address("many"))

    def __call__(self, T: Floats, parameter: Floats | None, seed: Floats | None) -> tuple[Floats, Bits, Bits]:
        """T (n, 16) and `parameter` (n,), one row or n; → rows (n, branches, size), answers, targets left open.

        The interpreter's lock is free meanwhile.
        """
        n = len(T) if parameter is None else max(len(T), len(parameter))
        rows = np.empty((n, self._branches, self._size))
        mark, left = np.empty((n, self._branches), dtype=bool), np.empty(n, dtype=bool)
        dense = [None if x is None else np.ascontiguousarray(x, dtype=float) for x in (T, parameter, seed)]
        targets, values, near = (0 if x is None else address_of(x) for x in dense)
        # a distance of 0 repeats one row for all
        steps = 16 if len(T) == n else 0, 1 if parameter is not None and len(parameter) == n else 0
        out = (address_of(rows), address_of(mark), address_of(left))
        self._many(targets, steps[0], values, steps[1], near, *out, n)
        return rows, mark, left


def many_text(branches: int, size: int, entries: int) -> str:
    """`entries`: how many numbers the parameter has, 0 or 1."""
    call = _Many(branches, size, entries)
    return "\n".join(line for part in (call.entry, call.functions, call.choice) for line in part())


class _Many:
    """The parts of `many`."""

    def __init__(self, branches: int, size: int, entries: int) -> None:
        self.branches, self.size, self.entries = branches, size, entries

    def entry(self) -> Iterator[str]:
        """Room for a block; the seed's own target."""
        n = BLOCK * self.branches
        yield f"@many.context = internal global [{len(BATCH_CONTEXT)} x ptr] zeroinitializer, align 8"
        yield "define ptr @many_context() nounwind {\n  ret ptr @many.context\n}"
        yield "declare i64 @llvm.smin.i64(i64, i64)"
        taken = "ptr %T, i64 %T.step, ptr %p, i64 %p.step, ptr %seed, ptr %rows, ptr %mark, ptr %open, i64 %n"
        yield f"define void @many({taken}) nounwind {{\nentry:"
        room = {"valid": n, "fit": n, "calm": BLOCK, "defect": BLOCK, "there": 16 * n, "seed.there": 16}
        yield from (f"  %{name} = alloca [{count} x double], align 64" for name, count in room.items())
        yield f"  %marks = alloca [{n} x i64], align 64\n  %states = alloca [{BLOCK} x i64], align 64"
        for index, name in enumerate(BATCH_CONTEXT):
            yield f"  %at.{name} = getelementptr inbounds ptr, ptr @many.context, i64 {index}"
            yield f"  %{name} = load ptr, ptr %at.{name}, align 8"
        yield "  %seeded = icmp ne ptr %seed, null\n  %near = select i1 %seeded, ptr %seed, ptr %table"
        yield "  br i1 %seeded, label %look, label %blocks\nlook:"
        yield f"  call void %forward(ptr %seed, i64 {self.size}, ptr null, ptr %seed.there, i64 1)\n  br label %blocks"

    def functions(self) -> Iterator[str]:
        """Every branch of a block, and the target of each."""
        yield "blocks:\n  %i = phi i64 [ 0, %entry ], [ 0, %look ], [ %i.next, %done ]"
        yield "  %left = sub i64 %n, %i\n  %some = icmp sgt i64 %left, 0\n  br i1 %some, label %block, label %end"
        yield f"end:\n  ret void\nblock:\n  %count = call i64 @llvm.smin.i64(i64 %left, i64 {BLOCK})"
        for name, step in {"T": "%T.step", "p": "%p.step", "rows": str(self.branches * self.size)}.items():
            yield f"  %{name}.by = mul i64 %i, {step}"
            yield f"  %{name}.here = getelementptr double, ptr %{name}, i64 %{name}.by"
        parameter = "ptr %p.here, i64 %p.step, " if self.entries else ""
        outputs = "ptr %rows.here, ptr %valid, ptr %fit, ptr %calm, ptr %defect"
        yield f"  call void %run(ptr %T.here, i64 %T.step, {parameter}ptr null, {outputs}, i64 %count)"
        yield f"  %all = mul i64 %count, {self.branches}"
        yield f"  call void %forward(ptr %rows.here, i64 {self.size}, ptr null, ptr %there, i64 %all)"

    def choice(self) -> Iterator[str]:
        """Which are answers; of the text's whole numbers, all 0 or 1, a byte is kept."""
        n = self.branches
        sizes = f"i64 %count, i64 {n}, i64 {self.size}, ptr %T.here, i64 %T.step, ptr %rows.here"
        found = "ptr %fit, ptr %calm, ptr %defect, ptr %there"
        near = "i1 %seeded, ptr %near, ptr %seed.there, ptr %table"
        yield f"  call void @choose_each({sizes}, {found}, {near}, ptr %marks, ptr %states)\n  br label %each"
        yield "each:\n  %k = phi i64 [ 0, %block ], [ %k.next, %each ]\n  %at = add i64 %i, %k"
        for name, to, width in (("marks", "mark", n), ("states", "open", 1)):
            yield f"  %{to}.k = mul i64 %k, {width}\n  %{to}.by = mul i64 %at, {width}"
            yield f"  %{to}.from = getelementptr i64, ptr %{name}, i64 %{to}.k"
            yield f"  %{to}.to = getelementptr i8, ptr %{to}, i64 %{to}.by"
            yield f"  %{to}.word = load <{width} x i64>, ptr %{to}.from, align 8"
            yield f"  %{to}.byte = trunc <{width} x i64> %{to}.word to <{width} x i8>"
            yield f"  store <{width} x i8> %{to}.byte, ptr %{to}.to, align 1"
        yield "  %k.next = add i64 %k, 1\n  %more = icmp slt i64 %k.next, %count"
        yield "  br i1 %more, label %each, label %done"
        yield f"done:\n  %i.next = add i64 %i, {BLOCK}\n  br label %blocks\n}}"


# `InverseCall`: an inverse function of several branches, its choice among them and its thin call in one module.

SEED = sys.intern("seed")  # as a call spells the name


def inverse_call(inverse: Compiled, forward: Compiled, choice: tuple[Text, ...], table: Floats) -> InverseCall | None:
    """None where there is no machine code for these functions.

    `choice` are the texts named in `vectorcall.inverse`, `table` the numbers they go by.
    """
    offsets = layout()
    outputs = tuple(port.name for port in inverse.outputs)
    plain = not (inverse.parameters or forward.parameters) and outputs == OUTPUTS and len(inverse.inputs) == 1
    if offsets is None or not plain or {inverse.backend, forward.backend} != {"llvm"}:
        return None
    return InverseCall(inverse, forward, choice, table, offsets)


class InverseCall:
    """The code stays loaded as long as this lives."""

    def __init__(
        self, inverse: Compiled, forward: Compiled, choice: tuple[Text, ...], table: Floats, at: Layout
    ) -> None:
        self.inverse, self.forward, self.table, self._layout = inverse, forward, np.ascontiguousarray(table), at
        branches, size = inverse.outputs[0].shape
        assert {text.__name__ for text in choice} == set(TEXTS)
        text = f"{choice_text(choice, size)}\n{inverse_call_text(branches, size, at.header)}"
        self._code = load_code(("inverse call", text), lambda: text, LEVEL, paired_object)

    def thin(self, owner: object, name: str, doc: str, result: type, solver: object) -> Any:
        """A built-in function; `owner.general` does what it does not. The owner keeps solver, result type and this."""
        dtype = np.dtype(np.float64)
        known: dict[str, int] = self._layout._asdict()
        known |= {"dtype": id(dtype), "dtype_type": id(type(dtype)), "general.text": id(GENERAL), "seed.text": id(SEED)}
        known |= {"result": id(result), "owner": id(solver), "table": address_of(self.table)}
        known |= {"inverse": self.inverse.address_of_one or 0, "forward": self.forward.address or 0}
        context = ctypes.CFUNCTYPE(ctypes.c_void_p)(self._code.address("call_context"))()
        fill_context(context, [known[row] for row in CONTEXT])
        return builtin(self._code.address("call"), owner, name, doc)
