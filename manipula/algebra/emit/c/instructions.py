"""The README of a C package: its files, an example of each call, how to build and test it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from textwrap import wrap
from typing import Any

from manipula.algebra.emit.about import WIDTH
from manipula.algebra.emit.c.precision import Precision
from manipula.algebra.emit.c.prototypes import declared
from manipula.algebra.emit.memory import Memory
from manipula.algebra.emit.readme import Readme, numbers
from manipula.algebra.emit.reference import State
from manipula.algebra.emit.split import Argument, Split

_REMEMBERS = (
    "`{name}_state` is the memory, and it is yours: `{name}_init` fills it from the states to start from and the "
    "parameters, `{name}_step` goes one step. Set a state between steps by writing into the struct."
)
_BOTH = (
    "`manipula_real` is `double`; compile every file with `-DMANIPULA_FLOAT` to make it `float`. The functions "
    "have other names in the linker's eyes then, so that files compiled differently do not link."
)
_BATCH = (
    "`{name}_batch` computes `n` states: entry `j` of state `i` stands at `[j*n + i]`. Outputs may not overlap inputs "
    "there. `-O3 -march=native -fopenmp-simd -DMANIPULA_SIMD` lets the compiler take one state a lane; with "
    "`-ffast-math` and glibc its sines and cosines are vector functions too."
)
_SINCOS = (
    "Sine and cosine of an angle are one call, `__builtin_sincos`, with GCC on glibc or newlib, and two elsewhere; "
    "`-DMANIPULA_SINCOS=your_function` puts your own there, called as `your_function(x, &s, &c)`."
)


def instructions(name: str, shown: Mapping[str, Any], precision: Precision, first: State) -> Readme:
    """What C has to say in a README."""
    arguments: Split = shown["split"]
    build = f"cc -std=c99 -O2 -Wall -Wextra -Werror -pedantic {name}.c {name}_test.c -lm -o {name}_test"
    known = {
        "prepare": bool(arguments.kept),
        "many": shown["batch"] is not None,
    }
    signature = [f"{text};" for key, text in shown["declared"].items() if known.get(key, True)]
    real = precision.public
    return Readme(
        "C99",
        "c",
        {
            f"{name}.h": "prototypes, units, orders, an index for every parameter",
            f"{name}.c": "the function; needs nothing but `math.h`",
            f"{name}_test.c": "a `main` that compares with true values",
            "CMakeLists.txt": "builds, tests and installs every model of this folder",
            f"{name}.pc.in": "for pkg-config; CMake fills it in",
        },
        "\n".join(signature),
        "\n".join([*_example(name, arguments, first, real), *_example_of_steps(name, shown)]),
        f"{build} && ./{name}_test\ncmake -B build && cmake --build build && ctest --test-dir build",
        [*_remarks(name, shown, precision)],
    )


def _remarks(name: str, shown: Mapping[str, Any], precision: Precision) -> Iterable[str]:
    yield _BOTH if precision.both else f"Every number is a `{precision.real}`."
    if shown["batch"] is not None:
        yield _BATCH.format(name=name)
    if shown["pairs"]:
        yield _SINCOS
    if shown["memory"]:
        yield _REMEMBERS.format(name=name)


def _example_of_steps(name: str, shown: Mapping[str, Any]) -> Iterable[str]:
    memory: Memory | None = shown["memory"]
    if memory is None:
        return
    start = [x.name for x in (*(x for x, _ in memory.states), *shown["parameters"])]
    results = [f"{'' if x.port.shape else '&'}{x.name}" for x in memory.outputs]
    yield ""
    yield f"{name}_state {memory.pointer};"
    yield f"{name}_init({', '.join([f'&{memory.pointer}', *start])});"
    called = ", ".join([f"&{memory.pointer}", *(x.name for x in memory.variables), *results])
    yield f"{name}_step({called});  /* again and again */"


def _example(name: str, arguments: Split, first: State, real: str) -> Iterable[str]:
    yield f'#include "{name}.h"'
    yield ""
    inputs = [*arguments.variables, *(arguments.parameters if arguments.kept else ())]
    for x in inputs:
        yield _given(x, first, real)
    for x in arguments.outputs:
        yield f"{declared(x, const=False, real=real) if x.port.shape else f'{real} {x.name}'};"
    called = [x.name for x in arguments.variables]
    if arguments.kept:
        yield f"{real} k[{name}_nk];"
        given = ", ".join(x.name for x in arguments.parameters)
        yield f"if ({name}_prepare({given}, k) != 0) {{ /* once per parameter set; a condition is broken */ }}"
        called.append("k")
    called += [f"{'' if x.port.shape else '&'}{x.name}" for x in arguments.outputs]
    yield f"{name}({', '.join(called)});"


def _given(argument: Argument, first: State, real: str) -> str:
    """An input of the example; a matrix row by row."""
    if len(argument.port.shape) < 2:
        return f"{real} {argument.name}[{len(argument.port.slots)}] = {{{numbers(argument, first)}}};"
    values, width = first.inputs[argument.port.name], argument.port.shape[-1]
    rows = [_row(values[i : i + width]) for i in range(0, len(values), width)]
    return f"{declared(argument, const=False, real=real)} = {{\n    " + ",\n    ".join(rows) + "};"


def _row(values: Sequence[float]) -> str:
    return "{" + "\n     ".join(wrap(", ".join(map(repr, values)), WIDTH)) + "}"
