"""ROS 2: a colcon package: the emitted C, and a C++17 header of arrays with units in their names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from xml.sax.saxutils import escape

from manipula.algebra.emit.about import Context, Readme, fill_template, numbers, readme
from manipula.algebra.emit.backend import EmitOptions, Samples
from manipula.algebra.emit.c import C99
from manipula.algebra.emit.c.spelling import RESERVED, language
from manipula.algebra.emit.ports import Argument, Memory, Namer, Split, ascii_text, identifier
from manipula.algebra.emit.reference import State, states, with_square_poses
from manipula.algebra.emit.section import self_test_tables
from manipula.algebra.tape import Tape

_C = C99(EmitOptions(dtype="float64", batch=False))
_OWN = frozenset(
    [
        "results",
        "state",
        "status",
        "k",
        "evaluate",
        "step",
        "memory",
        "Results",
        "StepResults",
        "Prepared",
        "Law",
        "std",
        "manipula_ros",
    ]
)
_WORDS = {"^": "", "*": "_", "/": "_per_"}
_REMARKS = (
    "Put the folder into `src/` of a workspace; colcon finds it at any depth. A package that uses it says "
    "`<depend>{package}</depend>`, `find_package({package} REQUIRED)` and links `{package}::{package}`.",
    "The functions allocate nothing and may be called in a real-time loop. A constructor throws where a condition of "
    "the model is broken: construct in `on_configure`, not in `update`.",
)


class Ros2:
    """The back end."""

    def emit(self, tape: Tape, version: str, samples: Samples) -> dict[str, str]:
        tape = with_square_poses(tape)
        shown = _C.template_values(tape, version)
        name: str = shown["name"]
        arguments: Split = shown["split"]
        package = re.sub("_+", "_", name.lower()).strip("_")
        found = states(tape, samples)
        labels = names_with_units(arguments)
        shown |= {
            **self_test_tables(arguments, found, language("")),
            "package": package,
            "package_version": version if re.fullmatch(r"\d+\.\d+\.\d+", version) else "0.0.0",
            "escaped": escape,
            "label": labels,
            "typed": array,
            "listed": lambda x: _listed(x, labels),
            "guard": f"MANIPULA_ROS_{name.upper()}_HPP",
            **_bodies(name, arguments, shown["memory"], labels),
        }
        source = _C.emit(tape, version, samples)
        files = {
            "package.xml": fill_template(__name__, "package.xml.jinja", shown),
            "CMakeLists.txt": fill_template(__name__, "CMakeLists.txt.jinja", shown),
            f"include/{package}/{name}.h": without_build_words(source[f"{name}.h"]),
            f"include/{package}/{name}.hpp": fill_template(__name__, "header.hpp.jinja", shown),
            f"src/{name}.c": source[f"{name}.c"].replace(f'"{name}.h"', f'"{package}/{name}.h"'),
            f"test/{name}_test.cpp": fill_template(__name__, "test.cpp.jinja", shown),
        }
        own = Readme(
            "ROS 2",
            "cpp",
            {file: _MEANING[file.split("/")[0]] for file in files},
            "\n".join(_signatures(shown, arguments, labels)),
            "\n".join(_example(shown, arguments, labels, found[0])),
            f"colcon build --packages-select {package}\ncolcon test --packages-select {package} && colcon test-result",
            [text.format(package=package) for text in _REMARKS],
        )
        files["README.md"] = readme(tape, name, version, arguments, own)
        return {f"ros2/{package}/{file}": text for file, text in files.items()}


_MEANING = {
    "package.xml": "the package, build type cmake",
    "CMakeLists.txt": "library, exported targets, test",
    "include": "the header",
    "src": "the function in C99",
    "test": "a program that compares with true values",
}


def without_build_words(header: str) -> str:
    """A header of C without the command that compiles a file this package does not have."""
    return re.sub(r" \*\n \* Build and run the self-test:\n( \*   .*\n)+", "", header)


def unit_word(unit: str) -> str:
    """rad/s^2 is rad_per_s2"""
    text = ascii_text(unit)
    for sign, word in _WORDS.items():
        text = text.replace(sign, word)
    return "" if unit in ("", "1") else re.sub("_+", "_", identifier(text))


def names_with_units(arguments: Split) -> dict[str, str]:
    """Argument → its name in C++, with its unit."""
    namer = Namer(RESERVED | _OWN)
    every = (*arguments.variables, *arguments.parameters, *arguments.outputs)
    return {x.name: namer.name("_".join(filter(None, [x.name, unit_word(x.port.unit)]))) for x in every}


def array(x: Argument) -> str:
    """std::array<std::array<double, 4>, 4>"""
    text = "double"
    for size in reversed(x.port.shape):
        text = f"std::array<{text}, {size}>"
    return text


def _listed(arguments: Iterable[Argument], labels: dict[str, str]) -> str:
    return ", ".join(f"const {array(x)}& {labels[x.name]}" for x in arguments)


def _call(
    function: str, before: Sequence[str], given: Sequence[Argument], kept: Sequence[str], taken: Sequence[Argument],
    labels: dict[str, str],
) -> list[str]:  # fmt: skip
    """Lines that call C: a matrix is copied, as an array of arrays is no matrix of C."""
    first, last, words = [], [], [*before]
    for x in given:
        if len(x.port.shape) < 2:
            words.append(f"{labels[x.name]}.data()")
            continue
        copy = f"{x.name}_c"
        first += [f"double {copy}{_sizes(x)};", f"std::memcpy({copy}, {labels[x.name]}.data(), sizeof {copy});"]
        words.append(copy)
    words += kept
    for x in taken:
        place = f"results.{labels[x.name]}"
        if len(x.port.shape) < 2:
            words.append(f"{place}.data()" if x.port.shape else f"&{place}")
            continue
        copy = f"{x.name}_c"
        first.append(f"double {copy}{_sizes(x)};")
        last.append(f"std::memcpy({place}.data(), {copy}, sizeof {copy});")
        words.append(copy)
    return [*first, f"{function}({', '.join(words)});", *last]


def _sizes(x: Argument) -> str:
    return "".join(f"[{size}]" for size in x.port.shape)


def _bodies(name: str, arguments: Split, memory: Memory | None, labels: dict[str, str]) -> Context:
    kept = ["k_"] if arguments.kept else []
    given, taken = arguments.variables, arguments.outputs
    parameters = arguments.parameters if arguments.kept else ()
    bodies: Context = {
        "evaluated": _call(f"::{name}", [], given, kept, taken, labels),
        "prepared": _call(f"const int status = ::{name}_prepare", [], parameters, ["k_"], (), labels) if kept else [],
    }
    if memory:
        start = [*(x for x, _ in memory.states), *parameters]
        bodies |= {
            "start": start,
            "started": _call(f"const int status = ::{name}_init", ["&state_"], start, [], (), labels),
            "stepped": _call(f"::{name}_step", ["&state_"], memory.variables, [], memory.outputs, labels),
        }
    return bodies


def _signatures(shown: Context, arguments: Split, labels: dict[str, str]) -> Iterable[str]:
    space = f"manipula_ros::{shown['name']}"
    given = _listed(arguments.variables, labels)
    if arguments.kept:
        yield f"{space}::Prepared({_listed(arguments.parameters, labels)});"
        yield f"{space}::Results Prepared::evaluate({given}) const;"
    else:
        yield f"{space}::Results evaluate({given});"
    if shown["memory"]:
        yield f"{space}::Law({_listed(shown['start'], labels)});"
        yield f"{space}::StepResults Law::step({_listed(shown['memory'].variables, labels)});"


def _example(shown: Context, arguments: Split, labels: dict[str, str], first: State) -> Iterable[str]:
    space = f"manipula_ros::{shown['name']}"
    yield f'#include "{shown["package"]}/{shown["name"]}.hpp"'
    yield ""
    for x in (*arguments.variables, *shown["parameters"]):
        yield f"const {array(x)} {labels[x.name]}{{{numbers(x, first)}}};"
    given = ", ".join(labels[x.name] for x in arguments.variables)
    if arguments.kept:
        yield f"const {space}::Prepared model({', '.join(labels[x.name] for x in arguments.parameters)});"
        yield f"const auto results = model.evaluate({given});"
    else:
        yield f"const auto results = {space}::evaluate({given});"
    if shown["memory"]:
        yield f"{space}::Law law({', '.join(labels[x.name] for x in shown['start'])});"
        yield f"const auto out = law.step({', '.join(labels[x.name] for x in shown['memory'].variables)});"
