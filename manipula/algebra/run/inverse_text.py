"""The texts that choose among branches as LLVM assembly, what they do for every number of a row done side by side.

Such a text is a loop, and what it calls for each number another, which never jumps by its data:

    wind(size, …)     wind_joint     the coordinates of a branch
    meets(width, …)   meets_column   the columns of a target

The second returns 0 where all is well; the first, whether that is so for all. Here it is one call, a lane a number:
arrays hold one row after the other, as those of laned texts do, so that what is so many entries apart for one number
is 1 apart in lanes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from manipula.algebra.machine.program.lanes import routine_abreast
from manipula.algebra.machine.program.operations import TYPES
from manipula.algebra.machine.program.writer import rounded_assembly
from manipula.algebra.program.reader import program
from manipula.algebra.program.tree import Routine
from manipula.algebra.run.texts import Text

LOOPS = {"wind": "wind_joint", "meets": "meets_column"}
COLUMNS = 4


def choice_text(texts: Sequence[Text], size: int) -> str:
    """Every step is rounded as in Python: whichever call it is must rank answers alike."""
    routines = {routine.name: routine for routine in program(*texts)}
    plain = [routine for name, routine in routines.items() if name not in {*LOOPS, *LOOPS.values()}]
    lines = [rounded_assembly(plain)]
    for (loop, each), lanes in zip(LOOPS.items(), (size, COLUMNS), strict=True):
        lines += [routine_abreast(routines[each], lanes), *_at_once(routines[loop], routines[each], lanes)]
    declared = dict.fromkeys(line for text in lines for line in text.splitlines() if line.startswith("declare"))
    return "\n".join([*(line for text in lines for line in text.splitlines() if line not in declared), *declared])


def _at_once(loop: Routine, each: Routine, lanes: int) -> Iterator[str]:
    """The loop as one call."""
    flag = f"<{lanes} x i1>"
    taken = [f"{TYPES.get(kind, 'ptr')} %{name}" for name, kind in loop.parameters.items()]
    yield f"define internal i1 @{loop.name}({', '.join(taken)}) alwaysinline nounwind {{"
    given = ["i64 1"]
    for name, kind in list(loop.parameters.items())[1:]:
        if kind in TYPES:
            vector = f"<{lanes} x {TYPES[kind]}>"
            yield f"  %{name}.one = insertelement {vector} poison, {TYPES[kind]} %{name}, i64 0"
            zeros = f"<{lanes} x i32> zeroinitializer"
            yield f"  %{name}.all = shufflevector {vector} %{name}.one, {vector} poison, {zeros}"
        given.append(f"<{lanes} x {TYPES[kind]}> %{name}.all" if kind in TYPES else f"ptr %{name}")
    yield f"  %wrong = call <{lanes} x double> @{each.name}({', '.join(given)})"
    yield f"  %right = fcmp oeq <{lanes} x double> %wrong, zeroinitializer"
    yield f"  %every = call i1 @llvm.vector.reduce.and.v{lanes}i1({flag} %right)\n  ret i1 %every\n}}"
    yield f"declare i1 @llvm.vector.reduce.and.v{lanes}i1({flag})"
