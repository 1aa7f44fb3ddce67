"""What most languages share: a tape as two sections of statements, prepare and run; the tables of the self-test.

A language says where an entry of an argument is read and written (`Places`); the rest of its text is its template.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

from manipula.algebra.emit.about import WIDTH, ports, provenance
from manipula.algebra.emit.memory import memory_of
from manipula.algebra.emit.names import Namer
from manipula.algebra.emit.reference import SINGLE_TOLERANCE, TOLERANCE, State
from manipula.algebra.emit.section import Names, Section, SectionPlan, TapeNames, section
from manipula.algebra.emit.split import Argument, Split, split
from manipula.algebra.emit.text import Language
from manipula.algebra.tape import Tape

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
    given = {slot: text for text, slot in entries(arguments.parameters, places.read)}
    loads = {slot: text for text, slot in [*entries(arguments.variables, places.read), *kept]}
    prepare = SectionPlan(given, (*tape.offline, *(tape.guard if arguments.checks else ())), kept, arguments.checks)
    main = SectionPlan(loads, tape.online, entries(arguments.outputs, places.write))
    return Sections(
        arguments,
        section(prepare, language.constants(tape), language, names),
        section(main, language.constants(tape), language, names),
    )


def context(tape: Tape, name: str, version: str, written: Sections) -> dict[str, Any]:
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
        "unused": unused(tape, arguments.variables),
        "prepare_unused": unused(tape, arguments.parameters),
    }


def unused(tape: Tape, arguments: Sequence[Argument]) -> list[str]:
    """Arguments that must be there though nothing reads them."""
    read = {arg for line in tape.lines for arg in line.args} | {s for port in tape.outputs for s in port.slots}
    return [x.name for x in arguments if read.isdisjoint(x.port.slots)]


def self_test_tables(arguments: Split, found: Sequence[State], language: Language) -> dict[str, Any]:
    """The tables of the self-test: what is given, what is true."""
    inputs = [*arguments.variables, *(arguments.parameters if arguments.kept else ())]
    return {
        "states": len(found),
        "tolerance": repr(TOLERANCE),
        "single_tolerance": repr(SINGLE_TOLERANCE),
        "given": [table(x, [state.inputs[x.port.name] for state in found], language) for x in inputs],
        "wanted": [table(x, [state.outputs[x.port.name] for state in found], language) for x in arguments.outputs],
    }


def table(argument: Argument, rows: Sequence[Sequence[float]], language: Language) -> dict[str, Any]:
    """Numbers, one row a state, each row as lines that are not too long."""
    return {
        "name": argument.name,
        "argument": argument,
        "size": len(argument.port.slots),
        "shape": argument.port.shape,
        "rows": [wrap(", ".join(language.number(x).text for x in row), WIDTH) for row in rows],
    }


def nested(shape: Sequence[int], entries: Sequence[str]) -> str:
    """[[a, b], [c, d]]: the entries of an output as a literal; a scalar is itself."""
    if not shape:
        return entries[0]
    size = len(entries) // shape[0]
    parts = [nested(shape[1:], entries[i * size : (i + 1) * size]) for i in range(shape[0])]
    return f"[{', '.join(parts)}]"


def literals(arguments: Split, main: Section) -> dict[str, str]:
    """Output → the literal of the whole array."""
    texts = [statement.text for statement in main.stores]
    found: dict[str, str] = {}
    for x in arguments.outputs:
        own, texts = texts[: len(x.port.slots)], texts[len(x.port.slots) :]
        found[x.name] = nested(x.port.shape, own)
    return found
