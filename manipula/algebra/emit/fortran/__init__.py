"""Fortran 2018: a module of pure subroutines over one real kind, and a self-testing program.

The kind is that of the module `manipula_real`, of which there are two: double precision and single.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from textwrap import wrap
from typing import Any

from manipula.algebra.emit.about import WIDTH
from manipula.algebra.emit.fortran.spelling import (
    LANGUAGE,
    RESERVED,
    TABLE,
    FoldedNamer,
    FoldedNames,
    continued,
    declared,
    quoted,
)
from manipula.algebra.emit.memory import Memory
from manipula.algebra.emit.readme import Readme, readme
from manipula.algebra.emit.reference import State, states
from manipula.algebra.emit.section import Section
from manipula.algebra.emit.sections import Places, Sections, context, sections_named, self_test_tables
from manipula.algebra.emit.split import Argument, Split, split
from manipula.algebra.emit.templates import filled
from manipula.algebra.tape import Tape

ROOM = 16  # letters: what is put behind the function's name, _condition among them
PARTS = ("model", "test", "prepare", "condition", "np", "nk", "state", "init", "step")
_REMEMBERS = (
    "`type({name}_state)` is the memory, and it is yours: `{name}_init` fills it from the states to start from and the "
    "parameters, `{name}_step` goes one step. Set a state between steps by writing into it."
)


class Fortran2018:
    """The back end."""

    def emit(self, tape: Tape, version: str, samples: Sequence[Mapping[str, Sequence[float]]]) -> dict[str, str]:
        name = FoldedNamer(RESERVED, ROOM).name(tape.name)
        found = states(tape, samples)
        shown = _context(tape, name, version)
        arguments: Split = shown["split"]
        test = {**shown, **self_test_tables(arguments, found, TABLE), "chunks": chunks}
        return {
            "manipula_real.f90": filled(__name__, "real.f90.jinja", {"single": False}),
            "manipula_real_single.f90": filled(__name__, "real.f90.jinja", {"single": True}),
            f"{name}.f90": filled(__name__, "module.f90.jinja", shown),
            f"{name}_test.f90": filled(__name__, "test.f90.jinja", test),
            f"README_{name}_fortran.md": readme(tape, name, version, arguments, _readme(name, shown, found[0])),
        }


def _context(tape: Tape, name: str, version: str) -> dict[str, Any]:
    written = _sections(tape, name)
    arguments = written.split
    kept = ["k"] if arguments.kept else []
    shown = context(tape, name, version, written)
    return shown | {
        **_stepping(arguments, shown),
        "continued": continued,
        "quoted": quoted,
        "locals": {key: _locals(getattr(written, key)) for key in ("prepare", "main")},
        "prepared": ", ".join([*(x.name for x in arguments.parameters), "k", "status"]),
        "handed": ", ".join([*(x.name for x in arguments.variables), *kept, *(x.name for x in arguments.outputs)]),
        "indices": _indices(arguments, name),
        "size": size,
        "flat": flat,
    }


def _sections(tape: Tape, name: str) -> Sections:
    """Names by Fortran's rules."""
    taken = {*RESERVED, name, *(f"{name}_{part}" for part in PARTS)}
    arguments = split(tape, FoldedNamer(taken, ROOM))
    names = FoldedNames(tape, {*taken, *arguments.names})
    return sections_named(tape, arguments, LANGUAGE, names, Places(place, place, lambda i: f"k({i + 1})"))


def _stepping(arguments: Split, shown: Mapping[str, Any]) -> dict[str, str]:
    """What the memory is called, and what is handed to the subroutines around it."""
    memory: Memory | None = shown["memory"]
    if memory is None:
        return {}
    own = FoldedNamer({*arguments.names, "k", "status"}).name("memory")
    start = [*(x.name for x, _ in memory.states), *(x.name for x in shown["parameters"])]
    kept = [f"{own}%k"] if arguments.kept else []
    given = [f"{own}%{x.name}" if memory.remembered(x) else x.name for x in arguments.variables]
    return {
        "own": own,
        "started": ", ".join([own, *start, "status"]),
        "stepped": ", ".join([own, *(x.name for x in (*memory.variables, *memory.outputs))]),
        "inner_prepared": ", ".join([*(x.name for x in shown["parameters"]), *kept, "status"]),
        "inner": ", ".join([*given, *kept, *(x.name for x in arguments.outputs)]),
    }


def place(argument: Argument, position: int) -> str:
    """tau(3), A(2, 1), energy"""
    entry = ", ".join(str(i + 1) for i in argument.entry(position))
    return f"{argument.name}({entry})" if entry else argument.name


def size(argument: Argument) -> str:
    """(4, 4); nothing for a number"""
    return f"({', '.join(map(str, argument.port.shape))})" if argument.port.shape else ""


def flat(argument: Argument, array: str) -> str:
    """An array's entries row by row, though Fortran keeps columns together."""
    shape = argument.port.shape
    if len(shape) < 2:
        return array if shape else f"[{array}]"
    sizes, order = (", ".join(map(str, x)) for x in (reversed(shape), range(len(shape), 0, -1)))
    return f"reshape(reshape({array}, [{sizes}], order=[{order}]), [{len(argument.port.slots)}])"


def chunks(rows: Sequence[str]) -> Iterable[tuple[int, int, str]]:
    """First index, last index and the numbers of every line of a row: a statement each, none too long."""
    at = 1
    for line in rows:
        words = line.rstrip(",")
        count = words.count(",") + 1
        yield at, at + count - 1, words
        at += count


def _locals(section: Section) -> list[str]:
    return declared("real(wp)", [x.name for x in (*section.loads, *section.body)])


def _indices(arguments: Split, name: str) -> list[tuple[str, int]]:
    """An index for every parameter: name_p_d4 = 4"""
    namer = FoldedNamer({f"{name}_{part}" for part in PARTS})
    return [
        (namer.name(f"{name}_{x.name}_{entry}"), i + 1)
        for x in arguments.parameters
        for i, entry in enumerate(x.port.names)
    ]


def _readme(name: str, shown: Mapping[str, Any], first: State) -> Readme:
    arguments: Split = shown["split"]
    sources = f"{name}.f90 {name}_test.f90 -o {name}_test"
    signature = [f"call {name}({shown['handed']})"]
    if arguments.kept:
        signature.insert(0, f"call {name}_prepare({shown['prepared']})")
    if shown["memory"]:
        signature += [f"call {name}_init({shown['started']})", f"call {name}_step({shown['stepped']})"]
    return Readme(
        "Fortran 2018",
        "fortran",
        {
            f"{name}.f90": f"the module `{name}_model`: pure subroutines, explicit kinds, no allocation",
            f"{name}_test.f90": "a program that compares with true values",
            "manipula_real.f90": "the number type, double precision, and small functions; the same for every model",
            "manipula_real_single.f90": "the same in single precision: compile one of the two",
        },
        "\n".join(signature),
        "\n".join(_example(name, shown, first)),
        f"gfortran -std=f2018 -O2 -Wall manipula_real.f90 {sources} && ./{name}_test",
        [
            "Arrays have their own shape, indices from 1: `A(2, 1)` is row 2, column 1. The subroutines are `pure`, so "
            "`do concurrent` may call them for many states. No output may be the memory of an input.",
            *([_REMEMBERS.format(name=name)] if shown["memory"] else []),
        ],
        arrays="Columns lie together, as in all Fortran.",
    )


def _example(name: str, shown: Mapping[str, Any], first: State) -> Iterable[str]:
    arguments: Split = shown["split"]
    yield "use manipula_real, only: wp"
    yield f"use {name}_model"
    for x in arguments.outputs:
        yield f"real(wp) :: {x.name}{size(x)}"
    if arguments.kept:
        yield f"real(wp) :: k({name}_nk)"
    if arguments.kept or shown["memory"]:
        yield "integer :: status"
    if shown["memory"]:
        yield f"type({name}_state) :: {shown['own']}"
    for x in (*arguments.variables, *(arguments.parameters if arguments.kept else ())):
        yield f"real(wp) :: {x.name}({len(x.port.slots)}) = {_values(x, first)}"
    if arguments.kept:
        yield f"call {name}_prepare({shown['prepared']})  ! once per parameter set"
        yield f"if (status /= 0) error stop {name}_condition(status)"
    yield f"call {name}({shown['handed']})"
    if shown["memory"]:
        yield f"call {name}_init({shown['started']})"
        yield f"call {name}_step({shown['stepped']})  ! again and again"


def _values(argument: Argument, state: State) -> str:
    """[0.1_wp, 0.2_wp], on as many lines as it needs"""
    values = ", ".join(f"{x!r}_wp" for x in state.inputs[argument.port.name])
    return "[" + " &\n    ".join(wrap(values, WIDTH)) + "]"
