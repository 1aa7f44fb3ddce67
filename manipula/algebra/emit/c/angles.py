"""Sines and cosines of the same angle, computed by one call.

Compilers for large machines join them by themselves; those for small ones mostly do not, and there both share the
costly part, the reduction of the angle.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from manipula.algebra.emit.ports import Argument, Namer, Split
from manipula.algebra.emit.section import Section, SectionPlan, Statement, TapeNames, section
from manipula.algebra.emit.text import Language
from manipula.algebra.tape import Line, Tape


def angle_pairs(tape: Tape) -> dict[int, int]:
    """Sine → cosine of the same angle, by slots of the on-line half."""
    # by slot of the angle: the tape has each angle once
    slots = {op: {line.args[0]: line.slot for line in tape.online if line.op == op} for op in ("sin", "cos")}
    return {slot: slots["cos"][angle] for angle, slot in slots["sin"].items() if angle in slots["cos"]}


class HeldNames(TapeNames):
    """The tape's names, of which some slots keep theirs whatever they are read by."""

    def __init__(self, tape: Tape, reserved: Collection[str], held: Collection[int]) -> None:
        super().__init__(tape, reserved)
        self.held = frozenset(held)

    def anonymous(self, slot: int) -> bool:
        return slot not in self.held and super().anonymous(slot)


class Written(NamedTuple):
    """A section in C: what is read from the arguments at first, and what is computed."""

    loads: tuple[Statement, ...]
    lines: tuple[str, ...]


def written_body(section: Section, real: str, function: str, pairs: Mapping[str, str]) -> Written:
    """The statements of a section; `pairs`: name of a sine → of the cosine, `function` computes both.

    Calls of angles that are given come first, each angle read just before: what is computed or read between them
    would have to be kept across them.
    """
    steps = list(section.steps())
    if not pairs:
        return Written(section.loads, tuple(_line(x, is_result, real) for x, is_result in steps))
    sine_of = {name: sine for sine, cosine in pairs.items() for name in (sine, cosine)}
    loaded = {load.name for load in section.loads}
    early = [x for x, is_result in steps if not is_result and x.name in sine_of and _words(_angle(x)) <= loaded]
    firsts = [x for x in early if sine_of[x.name] not in {sine_of[y.name] for y in early[: early.index(x)]}]
    others = [x for x, _ in steps if x not in early]
    late = loaded - {word for x in others for word in _words(x.text)}
    place = {load.name: i for i, load in enumerate(section.loads)}
    # in the order of the loads, so that each angle is read just before its call
    firsts.sort(key=lambda x: max(place[word] for word in _words(_angle(x))))
    calls = [line for x in firsts for line in _call(x, sine_of[x.name], pairs, real, function)]
    done = {sine_of[x.name] for x in early}
    rest = list(_rest(steps, sine_of, pairs, done, real, function))
    return Written(
        tuple(x for x in section.loads if x.name not in late),
        (*_with_loads(calls, [x for x in section.loads if x.name in late], real), *rest),
    )


def _rest(
    steps: Sequence[tuple[Statement, bool]],
    sine_of: Mapping[str, str],
    pairs: Mapping[str, str],
    done: set[str],
    real: str,
    function: str,
) -> Iterator[str]:
    """What comes after the early calls."""
    for statement, is_result in steps:
        sine = "" if is_result else sine_of.get(statement.name, "")
        if not sine:
            yield _line(statement, is_result, real)
        elif sine not in done:
            done.add(sine)
            yield from _call(statement, sine, pairs, real, function)


def _with_loads(lines: Sequence[str], loads: Sequence[Statement], real: str) -> Iterator[str]:
    """Every load just before the line that reads it first."""
    left = {x.name: x for x in loads}
    for line in lines:
        yield from (_line(left.pop(word), False, real) for word in sorted(_words(line) & left.keys()))
        yield line


def _call(statement: Statement, sine: str, pairs: Mapping[str, str], real: str, function: str) -> Iterator[str]:
    yield f"{real} {sine};"
    yield f"{real} {pairs[sine]};"
    yield f"{function}({_angle(statement)}, &{sine}, &{pairs[sine]});"


def _line(statement: Statement, is_result: bool, real: str) -> str:
    return f"{'' if is_result else f'const {real} '}{statement.name} = {statement.text};"


def _angle(statement: Statement) -> str:
    """x of sin(x)"""
    return statement.text.partition("(")[2].removesuffix(")")


def _words(text: str) -> set[str]:
    return set(re.findall(r"[A-Za-z_]\w*", text))


# Many states at once: sines and cosines first, a loop each, then the rest in one loop.
#
# Compilers join the sine and the cosine of an angle into one call that no vector unit has; in loops of their own they
# stay apart, and the loop that holds the arithmetic has no call left in it.

BLOCK = 32  # states whose sines and cosines are kept at a time
_LONGEST = 8  # lines of an angle that may be computed twice


@dataclass(frozen=True)
class Batch:
    """A loop for each sine or cosine, by the name of its table; then the main loop."""

    tables: dict[str, Section]
    main: Section


def column(argument: Argument, position: int) -> str:
    """tau[2*n + i]: entry 2 of state i"""
    # 0*n and 1*n read as mistakes
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
    # after all other names: a table must not take the name of an argument
    tables = {slot: namer.name(wish) for slot, wish in tables.items()}
    loops = {
        tables[line.slot]: section(
            SectionPlan(loads, [*below, line], [(f"{tables[line.slot]}[i - at]", line.slot)]), numbers, c, names
        )
        for line, below in angles.items()
    }
    sources = loads | {slot: f"{table}[i - at]" for slot, table in tables.items()}
    results = [(column(x, i), slot) for x in arguments.outputs for i, slot in enumerate(x.port.slots)]
    # lines that only angles are made of have no reader in the main loop
    rest = _live_lines([line for line in tape.online if line.slot not in tables], {slot for _, slot in results})
    return Batch(loops, section(SectionPlan(sources, rest, results), numbers, c, names))


def _angles(tape: Tape) -> dict[Line, list[Line]]:
    """Every sine and cosine of a short sum or product of inputs, with the lines its angle takes."""
    plain: dict[int, list[Line]] = {}
    sines: dict[Line, list[Line]] = {}
    online = {line.slot for line in tape.online}
    for line in tape.online:
        if not all(arg in plain or arg not in online for arg in line.args):
            continue
        below = list(dict.fromkeys(x for arg in line.args for x in plain.get(arg, [])))
        if line.op in ("sin", "cos"):
            sines[line] = below
        # the loop of each sine computes its angle anew: worth it only where that is short
        elif line.op in ("add", "sub", "mul", "neg") and len(below) < _LONGEST:
            plain[line.slot] = [*below, line]
    return sines


def _live_lines(lines: list[Line], wanted: set[int]) -> list[Line]:
    """Lines that something still reads."""
    kept: list[Line] = []
    wanted = set(wanted)
    # backwards, for readers stand behind what they read: one pass is enough
    for line in reversed(lines):
        if line.slot in wanted:
            kept.append(line)
            wanted.update(line.args)
    return kept[::-1]
