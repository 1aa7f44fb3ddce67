"""C99: a header, a source without allocation, recursion or state, a self-testing `main`, and what builds them.

The number type is `double`, `float`, or either by a macro. The batch function takes structures of arrays, one state a
lane. In one file everything is `static inline`, in a header that C and C++ may include.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from textwrap import wrap

from manipula.algebra.emit.about import WIDTH, Context, Readme, Shown, fill_template, numbers, readme
from manipula.algebra.emit.backend import PLAIN, EmitOptions, Part, Samples
from manipula.algebra.emit.c import spelling
from manipula.algebra.emit.c.angles import BLOCK, HeldNames, angle_pairs, batch, written_body
from manipula.algebra.emit.ports import Argument, Memory, Namer, Split, ascii_text, identifier, split
from manipula.algebra.emit.reference import State, states, with_square_poses
from manipula.algebra.emit.section import Places, Sections, context, sections_named, self_test_tables
from manipula.algebra.tape import Tape

# The README of a C package: its files, an example of each call, how to build and test it.

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


def instructions(name: str, shown: Shown, precision: spelling.Precision, first: State) -> Readme:
    """What C has to say in a README."""
    arguments: Split = shown["split"]
    build = f"cc -std=c99 -O2 -Wall -Wextra -Werror -pedantic {name}.c {name}_test.c -lm -o {name}_test"
    # a README shows only the functions that this model has
    known = {"prepare": bool(arguments.kept), "many": shown["batch"] is not None}
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


def _remarks(name: str, shown: Shown, precision: spelling.Precision) -> Iterable[str]:
    yield _BOTH if precision.both else f"Every number is a `{precision.real}`."
    if shown["batch"] is not None:
        yield _BATCH.format(name=name)
    if shown["pairs"]:
        yield _SINCOS
    if shown["memory"]:
        yield _REMEMBERS.format(name=name)


def _example_of_steps(name: str, shown: Shown) -> Iterable[str]:
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
        yield _example_input(x, first, real)
    for x in arguments.outputs:
        yield f"{spelling.declare_argument(x, const=False, real=real) if x.port.shape else f'{real} {x.name}'};"
    called = [x.name for x in arguments.variables]
    if arguments.kept:
        yield f"{real} k[{name}_nk];"
        parameters = ", ".join(x.name for x in arguments.parameters)
        yield f"if ({name}_prepare({parameters}, k) != 0) {{ /* once per parameter set; a condition is broken */ }}"
        called.append("k")
    called += [f"{'' if x.port.shape else '&'}{x.name}" for x in arguments.outputs]
    yield f"{name}({', '.join(called)});"


def _example_input(argument: Argument, first: State, real: str) -> str:
    """An input of the example; a matrix row by row."""
    if len(argument.port.shape) < 2:
        return f"{real} {argument.name}[{len(argument.port.slots)}] = {{{numbers(argument, first)}}};"
    values, width = first.inputs[argument.port.name], argument.port.shape[-1]
    rows = [_row(values[i : i + width]) for i in range(0, len(values), width)]
    return f"{spelling.declare_argument(argument, const=False, real=real)} = {{\n    " + ",\n    ".join(rows) + "};"


def _row(values: Sequence[float]) -> str:
    return "{" + "\n     ".join(wrap(", ".join(map(repr, values)), WIDTH)) + "}"


@dataclass(frozen=True)
class C99:
    """The back end."""

    options: EmitOptions = PLAIN

    @property
    def precision(self) -> spelling.Precision:
        """In one file the type is settled: macros of ours would reach into the file that includes it."""
        precision = spelling.PRECISIONS[self.options.dtype]
        return spelling.DOUBLE if precision.both and self.options.single_file else precision

    def emit(self, tape: Tape, version: str, samples: Samples) -> dict[str, str]:
        if self.options.single_file:
            return self.in_one_file([tape], tape.name, version)
        tape = with_square_poses(tape)
        name = Namer(spelling.RESERVED).name(tape.name)
        shown = _context(self, tape, name, version)
        cases = states(tape, samples)
        test = {**shown, **self_test_tables(shown["split"], cases, spelling.language("")), "header": f"{name}.h"}
        return {
            f"{name}.h": fill_template(__name__, "function.h.jinja", shown),
            f"{name}.c": fill_template(__name__, "function.c.jinja", shown),
            f"{name}_test.c": fill_template(__name__, "test.c.jinja", test),
            "CMakeLists.txt": fill_template(__name__, "CMakeLists.txt.jinja", shown),
            f"{name}.pc.in": fill_template(__name__, "package.pc.in.jinja", shown),
            f"README_{name}_c.md": readme(
                tape, name, version, shown["split"], instructions(name, shown, self.precision, cases[0])
            ),
        }

    def template_values(self, tape: Tape, version: str) -> Context:
        """What the templates show of a tape, for a package that is built around the C."""
        return _context(self, tape, Namer(spelling.RESERVED).name(tape.name), version)

    def in_one_file(
        self, tapes: Sequence[Tape], title: str, version: str, parts: Sequence[Part] = ()
    ) -> dict[str, str]:
        """Several functions in one header that needs nothing else; a self-test of each beside it."""
        namer, file = Namer(spelling.RESERVED), identifier(title)
        shown = [(tape, _context(self, tape, namer.name(tape.name), version)) for tape in map(with_square_poses, tapes)]
        # one Namer for all of them: two models may not share a static function
        texts = [fill_template(__name__, "part.jinja", own) for _, own in shown] + [part.text for part in parts]
        names = [own["name"] for _, own in shown] + [part.name for part in parts]
        whole = {"name": file, "guard": f"{file.upper()}_H", "names": names, "texts": texts, "options": self.options}
        files = {f"{file}.h": fill_template(__name__, "single.h.jinja", whole)}
        for tape, own in shown:
            test = {**own, **self_test_tables(own["split"], states(tape), spelling.language("")), "header": f"{file}.h"}
            files[f"{own['name']}_test.c"] = fill_template(__name__, "test.c.jinja", test)
        return files | {f"{part.name}_test.c": part.test for part in parts}


def _context(back: C99, tape: Tape, name: str, version: str) -> Context:
    """Everything the templates show."""
    precision, options = back.precision, back.options
    written, pairs = _write_sections(back, tape, name)
    texts = tape.provenance.texts()
    shown = context(tape, name, version, written)
    # a header included from C++ may not say restrict
    storage, restrict = ("static inline ", "") if options.single_file else ("", "restrict ")
    many = options.batch
    symbols = [name, *([f"{name}_batch"] if many else []), *_further(name, written, shown)]
    return shown | {
        "options": options,
        "precision": precision,
        "storage": storage,
        "helper_storage": "static inline " if options.single_file else "static ",
        "guard": f"{name.upper()}_H",
        "version": version,
        "description": ascii_text(f"{texts.get('model', name)} of {texts.get('robot', name)}"),
        "about": comment_lines(shown["about"]),
        "ports": comment_lines(shown["ports"]),
        "indices": written.split.indices(name),
        "functions": [name for op, name in spelling.NAMES.items() if op in spelling.ALWAYS or op in shown["used"]],
        "helpers": precision.helpers(shown["used"]),
        "symbols": symbols,
        "pairs": pairs,
        "body": written_body(written.main, precision.real, f"{name}_sincos", pairs),
        "batch": batch(tape, written.split, precision.language(name)) if many else None,
        "block": BLOCK,
        "declared": spelling.prototypes(name, written.split, precision.public, "", storage)
        | spelling.step_prototypes(name, shown, precision.public, storage),
        "defined": spelling.prototypes(name, written.split, precision.real, restrict, storage)
        | spelling.step_prototypes(name, shown, precision.real, storage),
    }


def _write_sections(back: C99, tape: Tape, name: str) -> tuple[Sections, dict[str, str]]:
    """Both halves, and the sines that are computed together with a cosine, by name."""
    c = back.precision.language(name)
    arguments = split(tape, Namer(c.reserved), _parameters(tape))
    slots = angle_pairs(tape) if back.options.sincos else {}
    # a sine written into another line could not share its call with the cosine
    names = HeldNames(tape, {*c.reserved, *arguments.names}, {*slots, *slots.values()})
    pairs = {names.words[sine]: names.words[cosine] for sine, cosine in slots.items()}
    return sections_named(tape, arguments, c, names, Places(spelling.place, spelling.place)), pairs


def _parameters(tape: Tape) -> set[str]:
    """The names of parameters, which they keep: a result that is called like one gets another."""
    return {name for port in tape.inputs if not port.online for name in port.names}


def _further(name: str, written: Sections, shown: Shown) -> list[str]:
    """Functions that some tapes have."""
    functions = [f"{name}_init", f"{name}_step"] if shown["memory"] else []
    if written.split.kept:
        functions = [f"{name}_prepare", *([f"{name}_condition"] if written.prepare.checks else []), *functions]
    return functions


def comment_lines(lines: Iterable[str]) -> list[str]:
    """Nothing inside may end the comment, or start another."""
    # ?? begins a trigraph in C99
    return [line.replace("*/", "* /").replace("/*", "/ *").replace("??", "? ?") for line in lines]
