"""C99: a header, a source without allocation, recursion or state, and a self-testing `main` with true values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import prod
from textwrap import wrap
from typing import Any

from manipula.algebra.emit.about import WIDTH, ports, provenance
from manipula.algebra.emit.c.spelling import HELPERS, RESERVED, language
from manipula.algebra.emit.names import Namer
from manipula.algebra.emit.reference import TOLERANCE, State, states
from manipula.algebra.emit.section import Plan, Section, TapeNames, section
from manipula.algebra.emit.split import Argument, Split, split
from manipula.algebra.emit.templates import filled
from manipula.algebra.emit.text import Language
from manipula.algebra.tape import Tape


class C99:
    """The back end."""

    def emit(self, tape: Tape, version: str, samples: Sequence[Mapping[str, Sequence[float]]]) -> dict[str, str]:
        name = Namer(RESERVED).name(tape.name)
        context = _context(tape, name, version)
        test = {**context, **_test_context(context["split"], states(tape, samples))}
        return {
            f"{name}.h": filled(__name__, "function.h.jinja", context),
            f"{name}.c": filled(__name__, "function.c.jinja", context),
            f"{name}_test.c": filled(__name__, "test.c.jinja", test),
        }


def _context(tape: Tape, name: str, version: str) -> dict[str, Any]:
    """Everything the templates show."""
    c = language(name)
    arguments = split(tape, Namer({*c.reserved, "k"}))
    names = TapeNames(tape, {*c.reserved, *arguments.names, "k"})
    return {
        "name": name,
        "guard": f"{name.upper()}_H",
        "about": comment_lines(provenance(tape, version)),
        "ports": comment_lines(ports(arguments)),
        "split": arguments,
        "indices": _indices(arguments, name),
        "helpers": [(op, HELPERS[op]) for op in HELPERS if any(line.op == op for line in tape.lines)],
        "prototype": _prototype(name, arguments),
        "prepare_prototype": _prepare_prototype(name, arguments),
        "prepare": _prepare(tape, arguments, c, names),
        "main": _main(tape, arguments, c, names),
        "unused": _unused(tape, arguments.variables),
        "prepare_unused": _unused(tape, arguments.parameters),
    }


def comment_lines(lines: Iterable[str]) -> list[str]:
    """Nothing inside may end the comment, or start another."""
    return [line.replace("*/", "* /").replace("/*", "/ *").replace("??", "? ?") for line in lines]


def place(argument: Argument, position: int) -> str:
    """tau[2], A[1][0], *energy"""
    indices = argument.entry(position)
    return argument.name + "".join(f"[{i}]" for i in indices) if indices else f"*{argument.name}"


def sources(arguments: Iterable[Argument]) -> dict[int, str]:
    """Input slot → the array entry it is read from."""
    return {slot: place(x, i) for x in arguments for i, slot in enumerate(x.port.slots)}


def results(arguments: Iterable[Argument]) -> list[tuple[str, int]]:
    return [(place(x, i), slot) for x in arguments for i, slot in enumerate(x.port.slots)]


def _prepare(tape: Tape, arguments: Split, c: Language, names: TapeNames) -> Section:
    stores = [(f"k[{i}]", slot) for i, slot in enumerate(arguments.kept)]
    plan = Plan(sources(arguments.parameters), tape.offline, stores, arguments.checks)
    return section(plan, tape.constants, c, names)


def _main(tape: Tape, arguments: Split, c: Language, names: TapeNames) -> Section:
    loads = sources(arguments.variables) | {slot: f"k[{i}]" for i, slot in enumerate(arguments.kept)}
    return section(Plan(loads, tape.online, results(arguments.outputs)), tape.constants, c, names)


def _unused(tape: Tape, arguments: Sequence[Argument]) -> list[str]:
    """Arguments that must be there though nothing reads them."""
    read = {arg for line in tape.lines for arg in line.args} | {s for port in tape.outputs for s in port.slots}
    return [x.name for x in arguments if read.isdisjoint(x.port.slots)]


def declared(argument: Argument, const: bool = True) -> str:
    """const double q[6], double A[6][6], double *energy"""
    size = "".join(f"[{n}]" for n in argument.port.shape)
    text = f"double {argument.name}{size}" if size else f"double *{argument.name}"
    return f"const {text}" if const else text


def prototype(name: str, parts: Sequence[str]) -> str:
    """void name(…), one line if it fits."""
    line = f"void {name}({', '.join(parts) or 'void'})"
    return line if len(line) <= WIDTH else f"void {name}(\n    " + ",\n    ".join(parts) + ")"


def _prototype(name: str, arguments: Split) -> str:
    parts = [declared(x) for x in arguments.variables]
    parts += [f"const double k[{len(arguments.kept)}]"] if arguments.kept else []
    return prototype(name, parts + [declared(x, const=False) for x in arguments.outputs])


def _prepare_prototype(name: str, arguments: Split) -> str:
    parts = [declared(x) for x in arguments.parameters]
    return prototype(f"{name}_prepare", [*parts, f"double k[{len(arguments.kept)}]"])


def _indices(arguments: Split, name: str) -> list[tuple[str, int]]:
    """An enumeration constant for every parameter: name_p_d4 = 3"""
    return [
        (f"{name}_{x.name}_{entry}", i)
        for x in arguments.parameters
        for i, entry in enumerate(Namer(()).names(x.port.names))
    ]


# the self-test


def _test_context(arguments: Split, found: Sequence[State]) -> dict[str, Any]:
    c = language("")
    inputs = [*arguments.variables, *arguments.parameters]
    given = [_array(x, [state.inputs[x.port.name] for state in found], c) for x in inputs]
    true = [_array(x, [state.outputs[x.port.name] for state in found], c) for x in arguments.outputs]
    called = [f"given_{x.name}[s]" for x in arguments.variables] + (["k"] if arguments.kept else [])
    return {
        "states": len(found),
        "tolerance": repr(TOLERANCE),
        "given": given if arguments.kept else given[: len(arguments.variables)],
        "wanted": true,
        "call": ", ".join(called + [f"{'' if x.port.shape else '&'}got_{x.name}" for x in arguments.outputs]),
        "prepare_call": ", ".join([f"given_{x.name}[s]" for x in arguments.parameters] + ["k"]),
    }


def _array(argument: Argument, rows: Sequence[Sequence[float]], c: Language) -> dict[str, Any]:
    """A table of numbers, one row a state."""
    return {
        "name": argument.name,
        "size": prod(argument.port.shape),
        "shape": "".join(f"[{n}]" for n in argument.port.shape),
        "first": f"&got_{argument.name}" + "[0]" * len(argument.port.shape),
        "rows": [wrap(", ".join(c.number(x).text for x in row), WIDTH) for row in rows],
    }
