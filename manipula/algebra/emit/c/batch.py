"""Many states at once: sines and cosines first, a loop each, then the rest in one loop.

Compilers join the sine and the cosine of an angle into one call that no vector unit has; in loops of their own they
stay apart, and the loop that holds the arithmetic has no call left in it.
"""

from __future__ import annotations

from dataclasses import dataclass

from manipula.algebra.emit.names import Namer
from manipula.algebra.emit.section import Section, SectionPlan, TapeNames, section
from manipula.algebra.emit.split import Argument, Split
from manipula.algebra.emit.text import Language
from manipula.algebra.tape import Line, Tape

BLOCK = 32  # states whose sines and cosines are kept at a time
_LONGEST = 8  # lines of an angle that may be computed twice


@dataclass(frozen=True)
class Batch:
    """A loop for each sine or cosine, by the name of its table; then the main loop."""

    tables: dict[str, Section]
    main: Section


def column(argument: Argument, position: int) -> str:
    """tau[2*n + i]: entry 2 of state i"""
    start = {0: "", 1: "n + "}.get(position, f"{position}*n + ")
    return f"{argument.name}[{start}i]"


def batch(tape: Tape, arguments: Split, c: Language) -> Batch:
    """The loops of a tape in C over a number type."""
    reserved = {*c.reserved, *arguments.names}
    names = TapeNames(tape, reserved)
    loads = {slot: column(x, i) for x in arguments.variables for i, slot in enumerate(x.port.slots)}
    loads |= {slot: f"k[{i}]" for i, slot in enumerate(arguments.kept)}
    angles, numbers = _angles(tape), c.constants(tape)
    tables = {line.slot: f"all_{names.words[line.slot]}" for line in angles}
    namer = Namer({*reserved, *names.words})
    tables = {slot: namer.name(wish) for slot, wish in tables.items()}
    loops = {
        tables[line.slot]: section(
            SectionPlan(loads, [*below, line], [(f"{tables[line.slot]}[i - at]", line.slot)]), numbers, c, names
        )
        for line, below in angles.items()
    }
    given = loads | {slot: f"{table}[i - at]" for slot, table in tables.items()}
    results = [(column(x, i), slot) for x in arguments.outputs for i, slot in enumerate(x.port.slots)]
    rest = _needed([line for line in tape.online if line.slot not in tables], {slot for _, slot in results})
    return Batch(loops, section(SectionPlan(given, rest, results), numbers, c, names))


def _angles(tape: Tape) -> dict[Line, list[Line]]:
    """Every sine and cosine of a short sum or product of inputs, with the lines its angle takes."""
    plain: dict[int, list[Line]] = {}
    found: dict[Line, list[Line]] = {}
    online = {line.slot for line in tape.online}
    for line in tape.online:
        if not all(arg in plain or arg not in online for arg in line.args):
            continue
        below = list(dict.fromkeys(x for arg in line.args for x in plain.get(arg, [])))
        if line.op in ("sin", "cos"):
            found[line] = below
        elif line.op in ("add", "sub", "mul", "neg") and len(below) < _LONGEST:
            plain[line.slot] = [*below, line]
    return found


def _needed(lines: list[Line], wanted: set[int]) -> list[Line]:
    """Lines that something still reads."""
    kept: list[Line] = []
    wanted = set(wanted)
    for line in reversed(lines):
        if line.slot in wanted:
            kept.append(line)
            wanted.update(line.args)
    return kept[::-1]
