"""What most languages share: a tape as two sections of statements, prepare and run; the tables of the self-test.

A language says where an entry of an argument is read and written (`Places`); the rest of its text is its template.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Protocol

from manipula.algebra.emit.about import WIDTH, Context, ports, provenance
from manipula.algebra.emit.ports import Argument, Namer, Split, ascii_text, memory_of, split
from manipula.algebra.emit.reference import SINGLE_TOLERANCE, TOLERANCE, State
from manipula.algebra.emit.text import SUM, Language, Text
from manipula.algebra.tape import Check, Line, Tape

# A stretch of a tape as statements: what is loaded, what is computed, what is stored.
#
# The off-line part and the on-line part are a section each. A temporary that nobody named and that is read once is
# written in place when it is short, and so is a bare change of sign; everything else has a line of its own, in the
# order of the tape.

SHORT = 36  # characters: what may be written inside another line


class Names(Protocol):
    """How slots are called."""

    def name(self, slot: int) -> str:
        """Asked once for every slot that gets a line, in order."""
        ...

    def anonymous(self, slot: int) -> bool:
        """Nobody misses the name when the slot is written in place."""
        ...


class TapeNames:
    """The tape's own names (c2, s23, w3_x, D12), made fit for a language."""

    def __init__(self, tape: Tape, reserved: Collection[str], namer: type[Namer] = Namer) -> None:
        self.words = namer(reserved).names(tape.names)
        self.free = [re.fullmatch(r"D\d+", name) is not None for name in tape.names]

    def name(self, slot: int) -> str:
        return self.words[slot]

    def anonymous(self, slot: int) -> bool:
        return self.free[slot]


@dataclass(frozen=True)
class Statement:
    """name = text"""

    name: str
    text: str


@dataclass(frozen=True)
class Broken:
    """A comparison that is true where a condition is broken, and the condition in words."""

    text: str
    words: str


@dataclass(frozen=True)
class Section:
    """Statements in order, and what must not be; `after`: how much of the body each store needs."""

    loads: tuple[Statement, ...]
    body: tuple[Statement, ...]
    checks: tuple[Broken, ...]
    stores: tuple[Statement, ...]
    after: tuple[int, ...]

    def steps(self) -> Iterator[tuple[Statement, bool]]:
        """The body and the stores (True), each as early as it can be: a result that waits occupies a register.

        What the body does not compute comes last.
        """
        early: dict[int, list[Statement]] = {}
        for store, at in zip(self.stores, self.after, strict=True):
            early.setdefault(at, []).append(store)
        for at, statement in enumerate(self.body, 1):
            yield statement, False
            yield from ((store, True) for store in early.get(at, ()))
        yield from ((store, True) for store in early.get(0, ()))


@dataclass(frozen=True)
class SectionPlan:
    """What a section reads and writes."""

    sources: Mapping[int, str]  # slot → where it is loaded from
    lines: Sequence[Line]
    results: Sequence[tuple[str, int]]  # where it is stored, slot
    checks: Sequence[Check] = ()

    def reads(self) -> tuple[Counter[int], Counter[int]]:
        """How often each slot is read: by lines, by stores and checks."""
        by_lines = Counter(arg for line in self.lines for arg in line.args)
        checked = [slot for check in self.checks for slot in (check.magnitude, check.bound)]
        return by_lines, Counter([*(slot for _, slot in self.results), *checked])


def section(plan: SectionPlan, constants: Mapping[int, Text], language: Language, names: Names) -> Section:
    """Write a plan."""
    by_lines, at_end = plan.reads()
    texts = dict(constants)
    loads: list[Statement] = []
    for slot, source in plan.sources.items():
        # an input that nobody reads is not loaded: compilers would warn
        if by_lines[slot] or at_end[slot]:
            loads.append(Statement(names.name(slot), source))
            texts[slot] = Text(loads[-1].name)
    named = set(texts)
    body: list[Statement] = []
    needs = dict.fromkeys(texts, 0)  # slot → how much of the body its text needs
    for line in plan.lines:
        text = language.table[line.op]([texts[arg] for arg in line.args])
        # read once and short: a line of its own would only lengthen the text
        inside = by_lines[line.slot] == 1 and not at_end[line.slot] and len(text.text) <= SHORT
        # read by one result alone: it is written where it is stored
        last = at_end[line.slot] == 1 and not by_lines[line.slot]
        only_a_sign = line.op == "neg" and line.args[0] in named
        if not (names.anonymous(line.slot) and (inside or last or only_a_sign)):
            body.append(Statement(names.name(line.slot), text.text))
            text = Text(body[-1].name)
            named.add(line.slot)
            needs[line.slot] = len(body)
        else:
            needs[line.slot] = max(needs[arg] for arg in line.args)
        texts[line.slot] = text
    stores = tuple(Statement(target, texts[slot].text) for target, slot in plan.results)
    # ≤, not <: a divisor that is exactly at its bound is refused
    checks = tuple(
        Broken(f"{texts[x.magnitude].within(SUM)} <= {texts[x.bound].within(SUM)}", _quotable_text(str(x.words)))
        for x in plan.checks
    )
    return Section(tuple(loads), tuple(body), checks, stores, tuple(needs[slot] for _, slot in plan.results))


def _quotable_text(text: str) -> str:
    """Words that may stand between quotation marks in any language."""
    return ascii_text(text).replace("\\", "/").replace('"', "'")


Place = Callable[[Argument, int], str]


def element(argument: Argument, position: int) -> str:
    """tau[2], A[1][0], energy"""
    return argument.name + "".join(f"[{i}]" for i in argument.entry(position))


@dataclass(frozen=True)
class Places:
    """Where the entries of arguments stand in the text."""

    read: Place = element
    write: Place = element
    kept: Callable[[int], str] = "k[{}]".format  # what travels from one half to the other


@dataclass(frozen=True)
class Sections:
    """A tape as statements."""

    split: Split
    prepare: Section
    main: Section


def sections_of(tape: Tape, language: Language, own: Collection[str], places: Places) -> Sections:
    """Both sections; `own` are the words the template uses itself."""
    taken = {*language.reserved, *own}
    arguments = split(tape, Namer(taken))
    return sections_named(tape, arguments, language, TapeNames(tape, {*taken, *arguments.names}), places)


def sections_named(tape: Tape, arguments: Split, language: Language, names: Names, places: Places) -> Sections:
    """Both sections under names already chosen."""

    def entries(of: Sequence[Argument], place: Place) -> list[tuple[str, int]]:
        return [(place(x, i), slot) for x in of for i, slot in enumerate(x.port.slots)]

    kept = [(places.kept(i), slot) for i, slot in enumerate(arguments.kept)]
    parameters = {slot: text for text, slot in entries(arguments.parameters, places.read)}
    loads = {slot: text for text, slot in [*entries(arguments.variables, places.read), *kept]}
    # the guard's lines are computed once per parameter set, never on line
    before = (*tape.offline, *(tape.guard if arguments.checks else ()))
    prepare = SectionPlan(parameters, before, kept, arguments.checks)
    main = SectionPlan(loads, tape.online, entries(arguments.outputs, places.write))
    return Sections(
        arguments,
        section(prepare, language.constants(tape), language, names),
        section(main, language.constants(tape), language, names),
    )


def context(tape: Tape, name: str, version: str, written: Sections) -> Context:
    """What every template shows."""
    arguments = written.split
    return {
        "name": name,
        "about": provenance(tape, version),
        "ports": ports(arguments),
        "split": arguments,
        "variables": arguments.variables,
        "parameters": arguments.parameters if arguments.kept else (),
        "outputs": arguments.outputs,
        "kept": len(arguments.kept),
        "prepare": written.prepare,
        "main": written.main,
        "used": {line.op for line in (*tape.lines, *tape.guard)},
        "tolerances": bool(tape.single),
        "memory": memory_of(arguments),
        "unused": unused_arguments(tape, arguments.variables),
        "prepare_unused": unused_arguments(tape, arguments.parameters),
    }


def unused_arguments(tape: Tape, arguments: Sequence[Argument]) -> list[str]:
    """Arguments that must be there though nothing reads them."""
    read = {arg for line in tape.lines for arg in line.args} | {s for port in tape.outputs for s in port.slots}
    return [x.name for x in arguments if read.isdisjoint(x.port.slots)]


def self_test_tables(arguments: Split, found: Sequence[State], language: Language) -> Context:
    """The tables of the self-test: what is given, what is true."""
    inputs = [*arguments.variables, *(arguments.parameters if arguments.kept else ())]
    return {
        "states": len(found),
        "tolerance": repr(TOLERANCE),
        "single_tolerance": repr(SINGLE_TOLERANCE),
        "given": [table(x, [state.inputs[x.port.name] for state in found], language) for x in inputs],
        "wanted": [table(x, [state.outputs[x.port.name] for state in found], language) for x in arguments.outputs],
    }


def table(argument: Argument, rows: Sequence[Sequence[float]], language: Language) -> Context:
    """Numbers, one row a state, each row as lines that are not too long."""
    return {
        "name": argument.name,
        "argument": argument,
        "size": len(argument.port.slots),
        "shape": argument.port.shape,
        "rows": [wrap(", ".join(language.number(x).text for x in row), WIDTH) for row in rows],
    }


def nested_literal(shape: Sequence[int], entries: Sequence[str]) -> str:
    """[[a, b], [c, d]]: the entries of an output as a literal; a scalar is itself."""
    if not shape:
        return entries[0]
    size = len(entries) // shape[0]
    parts = [nested_literal(shape[1:], entries[i * size : (i + 1) * size]) for i in range(shape[0])]
    return f"[{', '.join(parts)}]"


def literals(arguments: Split, main: Section) -> dict[str, str]:
    """Output → the literal of the whole array."""
    texts = [statement.text for statement in main.stores]
    arrays: dict[str, str] = {}
    for x in arguments.outputs:
        own, texts = texts[: len(x.port.slots)], texts[len(x.port.slots) :]
        arrays[x.name] = nested_literal(x.port.shape, own)
    return arrays
