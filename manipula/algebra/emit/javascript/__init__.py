"""JavaScript: an ES module, its TypeScript types, and a self-test for node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from manipula.algebra.emit.about import Context, Readme, Shown, fill_template, numbers, readme
from manipula.algebra.emit.ports import Memory, Namer, Split, ascii_text
from manipula.algebra.emit.reference import State, states
from manipula.algebra.emit.section import Places, context, literals, sections_of, self_test_tables
from manipula.algebra.emit.text import ARITHMETIC, DECIDING, GUARDED, LIBRARY, Language, calls
from manipula.algebra.tape import Tape
from manipula.scalar import OPS

# JavaScript: how each operation is written, and the words a local name may not be.

_WORDS = """
abstract arguments await boolean break byte case catch char class const continue debugger default delete do double else
enum eval export extends false final finally float for from function get goto if implements import in instanceof int
interface let long native new null of package private protected public return set short static super switch
synchronized this throw throws transient true try typeof undefined var void volatile while with yield async
Array Math Number Infinity NaN RangeError Object ArrayLike number string readonly type declare any never unknown
globalThis symbol bigint object as is keyof namespace module require exports constructor prototype Error Map Set Symbol
k x y condition yes no signOf minOf maxOf lessOf selectOf sized given wanted got
"""
RESERVED = frozenset(_WORDS.split()) | {f"{op}Of" for op in GUARDED}
HELPERS = (*DECIDING, *GUARDED)
_NAMED = {**{op: f"Math.{OPS[op].word('javascript')}" for op in LIBRARY}, **{op: f"{op}Of" for op in HELPERS}}

LANGUAGE = Language({**ARITHMETIC, **calls(_NAMED)}, RESERVED, "Infinity", "NaN")


class JavaScript:
    """The back end."""

    def emit(self, tape: Tape, version: str, samples: Sequence[Mapping[str, Sequence[float]]]) -> dict[str, str]:
        name = Namer(RESERVED).name(tape.name)
        found = states(tape, samples)
        shown = module_context(tape, name, version)
        arguments: Split = shown["split"]
        test = {**shown, **self_test_tables(arguments, found, LANGUAGE)}
        return {
            f"{name}.mjs": fill_template(__name__, "module.mjs.jinja", shown),
            f"{name}.d.mts": fill_template(__name__, "types.d.mts.jinja", shown),
            f"{name}_test.mjs": fill_template(__name__, "test.mjs.jinja", test),
            f"README_{name}_javascript.md": readme(tape, name, version, arguments, _readme(name, shown, found[0])),
        }


def module_context(tape: Tape, name: str, version: str) -> Context:
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
        # results are one literal: an array that is filled entry by entry changes its shape in the engine
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


def _readme(name: str, shown: Shown, first: State) -> Readme:
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
