"""Python: one module that needs only NumPy, broadcasts over leading axes and tests itself when it is run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any

from manipula.algebra.emit.about import WIDTH
from manipula.algebra.emit.memory import Memory
from manipula.algebra.emit.names import Namer
from manipula.algebra.emit.python.spelling import LANGUAGE
from manipula.algebra.emit.readme import Readme, numbers, readme
from manipula.algebra.emit.reference import State, states, with_square_poses
from manipula.algebra.emit.sections import Places, context, sections_of, self_test_tables
from manipula.algebra.emit.split import Argument, Split
from manipula.algebra.emit.templates import filled
from manipula.algebra.emit.text import GUARDED, Language
from manipula.algebra.tape import Tape
from manipula.scalar import OPS


class NumPy:
    """The back end."""

    def emit(self, tape: Tape, version: str, samples: Sequence[Mapping[str, Sequence[float]]]) -> dict[str, str]:
        tape, name = with_square_poses(tape), Namer(LANGUAGE.reserved).name(tape.name)
        found = states(tape, samples)
        shown = module_context(tape, name, version, found, LANGUAGE)
        own = module_readme("Python with NumPy", name, name, shown, found[0])
        return {
            f"{name}.py": filled(__name__, "module.py.jinja", shown),
            f"README_{name}_python.md": readme(tape, name, version, shown["split"], own),
        }


def module_context(tape: Tape, name: str, version: str, found: Sequence[State], language: Language) -> dict[str, Any]:
    """Everything the template of a Python module shows."""
    own = {name, *(f"{name}_{word}" for word in ("prepare", "prepared", "results", "state", "init", "step"))}
    written = sections_of(tape, language, own, Places(entry, entry))
    arguments = written.split
    shown = context(tape, name, version, written) | self_test_tables(arguments, found, language)
    return shown | {
        "guarded": [(op, OPS[op].word("numpy"), OPS[op].doc) for op in GUARDED if op in shown["used"]],
        "about": _doc(shown["about"]),
        "ports": _doc(shown["ports"]),
        "variables": [x.name for x in arguments.variables],
        "taken": {x.name: _taken(x) for x in (*arguments.variables, *arguments.parameters)},
        "axes": {min(len(x.port.shape), 2) for x in (*arguments.variables, *arguments.parameters)},
        "parameters": [x.name for x in shown["parameters"]],
        "parameter_names": {x.name: wrap(", ".join(_quoted(x.port.names)) + ",", WIDTH) for x in arguments.parameters},
        "shapes": {x.name: _shape("*batch", x) for x in arguments.outputs},
        "state_shapes": {x.name: _shape(str(len(found)), x) for x in arguments.outputs},
    }


def module_readme(language: str, name: str, module: str, shown: Mapping[str, Any], first: State) -> Readme:
    """The README of a Python module."""
    arguments: Split = shown["split"]
    variables, parameters = ", ".join(shown["variables"]), ", ".join(shown["parameters"])
    values = [
        f"{x.name} = [{numbers(x, first)}]"
        for x in (*arguments.variables, *(arguments.parameters if arguments.kept else ()))
    ]
    result = ", ".join(shown["shapes"])
    several = f"{name}_results({result})" if len(shown["shapes"]) > 1 else result
    whole = ", ".join(filter(None, [variables, parameters]))
    signature = [f"{name}({whole}) -> {several}"]
    imported, calls = [name], [f"{result} = {name}({whole})"]
    if parameters:
        signature += [f"{name}_prepare({parameters}) -> k", f"{name}_prepared({variables}, k) -> {several}"]
        imported += [f"{name}_prepare", f"{name}_prepared"]
        calls += [
            f"k = {name}_prepare({parameters})  # once per parameter set",
            f"{result} = {name}_prepared({variables}, k)",
        ]
    memory: Memory | None = shown["memory"]
    if memory is not None:
        start = ", ".join([*(x.name for x, _ in memory.states), *shown["parameters"]])
        taken = ", ".join([memory.pointer, *(x.name for x in memory.variables)])
        signature += [f"{name}_init({start}) -> {name}_state", f"{name}_step({taken}) -> {several}"]
    return Readme(
        language,
        "python",
        {f"{module}.py": "the functions; run it to test it"},
        "\n".join(signature),
        "\n".join([f"from {module} import {', '.join(imported)}", "", *values, *calls]),
        f"python {module}.py",
        ["Arrays may have leading axes, which broadcast against each other."],
    )


def entry(argument: Argument, position: int) -> str:
    """q[..., 2]: outputs are flat until they are returned"""
    return f"{argument.name}[..., {position}]"


def _taken(argument: Argument) -> str:
    """_array("q", q, 6): the argument checked, so that a wrong size is an error and not another result"""
    square, size = argument.port.shape, len(argument.port.slots)
    helper, sizes = ("_matrix", square) if len(square) > 1 else ("_array", (size,))
    return f"{helper}({', '.join([ascii(argument.name), argument.name, *map(str, sizes)])})"


def _doc(lines: list[str]) -> list[str]:
    """Nothing inside may end the docstring."""
    return [line.replace("\\", "/").replace('"', "'") for line in lines]


def _quoted(words: Sequence[str]) -> list[str]:
    return [ascii(word) for word in words]


def _shape(first: str, argument: Argument) -> str:
    """(*batch, 6, 6)"""
    return f"({', '.join([first, *map(str, argument.port.shape)])}{'' if argument.port.shape else ','})"
