"""C99: a header, a source without allocation, recursion or state, a self-testing `main`, and what builds them.

The number type is `double`, or `float` by a macro. The batch function takes structures of arrays, one state a lane.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from manipula.algebra.emit.about import WIDTH
from manipula.algebra.emit.c.batch import BLOCK, batch
from manipula.algebra.emit.c.spelling import ALWAYS, NAMES, REAL_HELPERS, RESERVED, language, real_language
from manipula.algebra.emit.memory import Memory
from manipula.algebra.emit.names import Namer, ascii_text
from manipula.algebra.emit.readme import Readme, numbers, readme
from manipula.algebra.emit.reference import State, states
from manipula.algebra.emit.sections import Places, Sections, context, element, sections_of, self_test_tables
from manipula.algebra.emit.split import Argument, Split
from manipula.algebra.emit.templates import filled
from manipula.algebra.tape import Tape

_REMEMBERS = (
    "`{name}_state` is the memory, and it is yours: `{name}_init` fills it from the states to start from and the "
    "parameters, `{name}_step` goes one step. Set a state between steps by writing into the struct."
)


class C99:
    """The back end."""

    def emit(self, tape: Tape, version: str, samples: Sequence[Mapping[str, Sequence[float]]]) -> dict[str, str]:
        name = Namer(RESERVED).name(tape.name)
        found = states(tape, samples)
        shown = _context(tape, name, version)
        arguments: Split = shown["split"]
        test = {**shown, **self_test_tables(arguments, found, language(""))}
        return {
            f"{name}.h": filled(__name__, "function.h.jinja", shown),
            f"{name}.c": filled(__name__, "function.c.jinja", shown),
            f"{name}_test.c": filled(__name__, "test.c.jinja", test),
            "CMakeLists.txt": filled(__name__, "CMakeLists.txt.jinja", shown),
            f"{name}.pc.in": filled(__name__, "package.pc.in.jinja", shown),
            f"README_{name}_c.md": readme(tape, name, version, arguments, _readme(name, shown, found[0])),
        }


def _context(tape: Tape, name: str, version: str) -> dict[str, Any]:
    """Everything the templates show."""
    c = real_language(name)
    one = sections_of(tape, c, (), Places(place, place))
    texts = tape.provenance.texts()
    shown = context(tape, name, version, one)
    return shown | {
        "guard": f"{name.upper()}_H",
        "version": version,
        "description": ascii_text(f"{texts.get('model', name)} of {texts.get('robot', name)}"),
        "about": comment_lines(shown["about"]),
        "ports": comment_lines(shown["ports"]),
        "indices": _indices(one.split, name),
        "functions": [name for op, name in NAMES.items() if op in ALWAYS or op in shown["used"]],
        "helpers": [(op, helper) for op, helper in REAL_HELPERS.items() if op in shown["used"]],
        "symbols": [name, f"{name}_batch", *(_prepared(name, one) if one.split.kept else ()), *_steps(name, shown)],
        "batch": batch(tape, one.split, name),
        "block": BLOCK,
        "declared": _prototypes(name, one.split, "manipula_real", "") | _stepping(name, shown, "manipula_real"),
        "defined": _prototypes(name, one.split, "real", "restrict ") | _stepping(name, shown, "real"),
    }


def _prepared(name: str, one: Sections) -> list[str]:
    return [f"{name}_prepare", *([f"{name}_condition"] if one.prepare.checks else [])]


def _steps(name: str, shown: Mapping[str, Any]) -> list[str]:
    return [f"{name}_init", f"{name}_step"] if shown["memory"] else []


def _stepping(name: str, shown: Mapping[str, Any], real: str) -> dict[str, str]:
    """Prototypes of what remembers."""
    memory: Memory | None = shown["memory"]
    if memory is None:
        return {}
    own = f"{name}_state *{memory.pointer}"
    start = [*(x for x, _ in memory.states), *shown["parameters"]]
    results = [declared(x, const=False, real=real) for x in memory.outputs]
    return {
        "init": prototype(f"{name}_init", [own, *(declared(x, real=real) for x in start)], "int"),
        "step": prototype(f"{name}_step", [own, *(declared(x, real=real) for x in memory.variables), *results]),
    }


def comment_lines(lines: Iterable[str]) -> list[str]:
    """Nothing inside may end the comment, or start another."""
    return [line.replace("*/", "* /").replace("/*", "/ *").replace("??", "? ?") for line in lines]


def place(argument: Argument, position: int) -> str:
    """tau[2], A[1][0], *energy"""
    return element(argument, position) if argument.port.shape else f"*{argument.name}"


def sources(arguments: Iterable[Argument]) -> dict[int, str]:
    """Input slot → the array entry it is read from."""
    return {slot: place(x, i) for x in arguments for i, slot in enumerate(x.port.slots)}


def results(arguments: Iterable[Argument]) -> list[tuple[str, int]]:
    return [(place(x, i), slot) for x in arguments for i, slot in enumerate(x.port.slots)]


def declared(argument: Argument, const: bool = True, real: str = "double") -> str:
    """const double q[6], double A[6][6], double *energy"""
    size = "".join(f"[{n}]" for n in argument.port.shape)
    text = f"{real} {argument.name}{size}" if size else f"{real} *{argument.name}"
    return f"const {text}" if const else text


def prototype(name: str, parts: Sequence[str], result: str = "void") -> str:
    """void name(…), one line if it fits."""
    line = f"{result} {name}({', '.join(parts) or 'void'})"
    return line if len(line) <= WIDTH else f"{result} {name}(\n    " + ",\n    ".join(parts) + ")"


def _prototypes(name: str, arguments: Split, real: str, restrict: str) -> dict[str, str]:
    """Of the function, of what prepares it, and of the function over many states."""
    size = len(arguments.kept)
    kept = [f"const {real} k[{size}]"] if size else []
    one = [declared(x, real=real) for x in arguments.variables] + kept
    many = [f"const {real} *{restrict}{x.name}" for x in arguments.variables] + kept
    return {
        "prepare": prototype(
            f"{name}_prepare", [*(declared(x, real=real) for x in arguments.parameters), f"{real} k[{size}]"], "int"
        ),
        "one": prototype(name, one + [declared(x, const=False, real=real) for x in arguments.outputs]),
        "many": prototype(
            f"{name}_batch", ["size_t n", *many, *(f"{real} *{restrict}{x.name}" for x in arguments.outputs)]
        ),
    }


def _indices(arguments: Split, name: str) -> list[tuple[str, int]]:
    """An enumeration constant for every parameter: name_p_d4 = 3"""
    return [
        (f"{name}_{x.name}_{entry}", i)
        for x in arguments.parameters
        for i, entry in enumerate(Namer(()).names(x.port.names))
    ]


def _readme(name: str, shown: Mapping[str, Any], first: State) -> Readme:
    arguments: Split = shown["split"]
    build = f"cc -std=c99 -O2 -Wall -Wextra -Werror -pedantic {name}.c {name}_test.c -lm -o {name}_test"
    prototypes = shown["declared"]
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
        "\n".join(f"{prototypes[key]};" for key in prototypes if key != "prepare" or arguments.kept),
        "\n".join([*_example(name, arguments, first), *_example_of_steps(name, shown)]),
        f"{build} && ./{name}_test\ncmake -B build && cmake --build build && ctest --test-dir build",
        [
            "`manipula_real` is `double`; compile every file with `-DMANIPULA_FLOAT` to make it `float`. The functions "
            "have other names in the linker's eyes then, so that files compiled differently do not link.",
            f"`{name}_batch` computes `n` states: entry `j` of state `i` stands at `[j*n + i]`. Outputs may not "
            "overlap inputs there. `-O3 -march=native -fopenmp-simd -DMANIPULA_SIMD` lets the compiler take one state "
            "a lane; with `-ffast-math` and glibc its sines and cosines are vector functions too.",
            *([_REMEMBERS.format(name=name)] if shown["memory"] else []),
        ],
    )


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


def _example(name: str, arguments: Split, first: State) -> Iterable[str]:
    yield f'#include "{name}.h"'
    yield ""
    inputs = [*arguments.variables, *(arguments.parameters if arguments.kept else ())]
    for x in inputs:
        yield f"manipula_real {x.name}[{len(x.port.slots)}] = {{{numbers(x, first)}}};"
    for x in arguments.outputs:
        yield f"{declared(x, const=False, real='manipula_real') if x.port.shape else f'manipula_real {x.name}'};"
    called = [x.name for x in arguments.variables]
    if arguments.kept:
        yield f"manipula_real k[{name}_nk];"
        given = ", ".join(x.name for x in arguments.parameters)
        yield f"if ({name}_prepare({given}, k) != 0) {{ /* once per parameter set; a condition is broken */ }}"
        called.append("k")
    called += [f"{'' if x.port.shape else '&'}{x.name}" for x in arguments.outputs]
    yield f"{name}({', '.join(called)});"
