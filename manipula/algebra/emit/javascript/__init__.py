"""JavaScript: an ES module, its TypeScript types, and a self-test for node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from manipula.algebra.emit.javascript.spelling import HELPERS, LANGUAGE, RESERVED
from manipula.algebra.emit.memory import Memory
from manipula.algebra.emit.names import Namer, ascii_text
from manipula.algebra.emit.readme import Readme, numbers, readme
from manipula.algebra.emit.reference import State, states
from manipula.algebra.emit.sections import Places, context, literals, sections_of, self_test_tables
from manipula.algebra.emit.split import Split
from manipula.algebra.emit.templates import filled
from manipula.algebra.emit.text import GUARDED
from manipula.algebra.tape import Tape
from manipula.scalar import OPS


class JavaScript:
    """The back end."""

    def emit(self, tape: Tape, version: str, samples: Sequence[Mapping[str, Sequence[float]]]) -> dict[str, str]:
        name = Namer(RESERVED).name(tape.name)
        found = states(tape, samples)
        shown = module_context(tape, name, version)
        arguments: Split = shown["split"]
        test = {**shown, **self_test_tables(arguments, found, LANGUAGE)}
        return {
            f"{name}.mjs": filled(__name__, "module.mjs.jinja", shown),
            f"{name}.d.mts": filled(__name__, "types.d.mts.jinja", shown),
            f"{name}_test.mjs": filled(__name__, "test.mjs.jinja", test),
            f"README_{name}_javascript.md": readme(tape, name, version, arguments, _readme(name, shown, found[0])),
        }


def module_context(tape: Tape, name: str, version: str) -> dict[str, Any]:
    """What the templates show of a tape."""
    written = sections_of(
        tape, LANGUAGE, {name, *(f"{name}_{word}" for word in ("prepare", "prepared", "init", "step"))}, Places()
    )
    arguments = written.split
    shown = context(tape, name, version, written)
    single = len(arguments.outputs) == 1
    return shown | {
        "about": _comment(shown["about"]),
        "ports": _comment(shown["ports"]),
        "helpers": [op for op in HELPERS if op in shown["used"]],
        "guarded": [(op, OPS[op].word("javascript"), OPS[op].doc) for op in GUARDED if op in shown["used"]],
        "literals": literals(arguments, written.main),
        "result": _type(arguments.outputs[0].port.shape) if single else f"{name}_results",
        "type": _type,
        "quoted": lambda words: ", ".join(
            '"' + ascii_text(x).replace("\\", "/").replace('"', "'") + '"' for x in words
        ),
        "whole": [x.name for x in (*arguments.variables, *shown["parameters"])],
        "online": [*(x.name for x in arguments.variables), *(["k"] if arguments.kept else [])],
        "offline": [x.name for x in shown["parameters"]],
    }


def _comment(lines: Sequence[str]) -> list[str]:
    return [line.replace("*/", "* /") for line in lines]


def _type(shape: Sequence[int]) -> str:
    return "number" + "[]" * len(shape)


def _readme(name: str, shown: Mapping[str, Any], first: State) -> Readme:
    arguments: Split = shown["split"]
    whole, online, offline = (", ".join(shown[key]) for key in ("whole", "online", "offline"))
    imported, signature = [name], [f"{name}({whole}): {shown['result']}"]
    lines = [f"const {x.name} = [{numbers(x, first)}];" for x in (*arguments.variables, *shown["parameters"])]
    lines.append(f"const result = {name}({whole});")
    if arguments.kept:
        imported += [f"{name}_prepare", f"{name}_prepared"]
        signature += [f"{name}_prepare({offline}): number[]", f"{name}_prepared({online}): {shown['result']}"]
        lines.append(f"const k = {name}_prepare({offline}); // once per parameter set")
        lines.append(f"const again = {name}_prepared({online});")
    if shown["memory"] is not None:
        memory: Memory = shown["memory"]
        start = ", ".join([*(x.name for x, _ in memory.states), *shown["offline"]])
        taken = ", ".join([memory.pointer, *(x.name for x in memory.variables)])
        signature += [f"{name}_init({start}): {name}_state", f"{name}_step({taken}): {shown['result']}"]
    return Readme(
        "JavaScript module",
        "js",
        {
            f"{name}.mjs": "the functions",
            f"{name}.d.mts": "their TypeScript types",
            f"{name}_test.mjs": "the self-test",
        },
        "\n".join(signature),
        "\n".join([f'import {{ {", ".join(imported)} }} from "./{name}.mjs";', "", *lines]),
        f"node {name}_test.mjs",
        ["Inputs may be arrays or typed arrays. A matrix comes out as an array of rows, several outputs as an object."],
    )
