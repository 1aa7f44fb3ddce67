"""Several tapes and what is known beside them as one ES module: data, functions, and helpers once."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from manipula.algebra.emit.about import SPDX, cost_text, entry, fill_template, ports
from manipula.algebra.emit.backend import fold_choices
from manipula.algebra.emit.javascript import HELPERS, RESERVED, module_context
from manipula.algebra.emit.ports import Namer, Split, ascii_text, split
from manipula.algebra.emit.text import GUARDED
from manipula.algebra.tape import Tape
from manipula.scalar import OPS

PACKAGE = "manipula.algebra.emit.javascript"
HEAD = "export const robot = "  # of the data in a module


@dataclass(frozen=True)
class Exported:
    """A tape under the name its function has in the module; what only the module itself calls is not exported."""

    name: str
    tape: Tape
    doc: str = ""
    exported: bool = True


@dataclass(frozen=True)
class Whole:
    """The contents of a module: its data (`parameters` with a `default` each), functions, and further text.

    `parameters` are the names of p, in order; every tape reads its own among them.
    """

    title: str
    data: Mapping[str, Any]
    parameters: Sequence[str]
    functions: Sequence[Exported]
    further: Sequence[str] = ()
    types: Sequence[str] = ()  # of what is exported further on


def whole_module(whole: Whole, version: str) -> str:
    """The text, the same bytes on every run."""
    # helpers are written once for the whole module, by what all of its tapes use
    tapes = [fold_choices(function.tape) for function in whole.functions]
    used = {line.op for tape in tapes for line in (*tape.lines, *tape.guard)}
    shown = {
        "title": harmless(ascii_text(whole.title)),
        "version": version,
        "licence": SPDX,
        "data": literal(whole.data),
        "helpers": [op for op in HELPERS if op in used],
        "guarded": [(op, OPS[op].word("javascript"), OPS[op].doc) for op in GUARDED if op in used],
        "functions": [_part(*pair, whole.parameters) for pair in zip(whole.functions, tapes, strict=True)],
        "further": [text.strip("\n") for text in whole.further],
    }
    return fill_template(PACKAGE, "whole.mjs.jinja", shown)


def whole_types(whole: Whole) -> str:
    """TypeScript's declarations of what the module exports."""
    functions = [_declaration(function) for function in whole.functions if function.exported]
    further = [text.strip("\n") for text in whole.types]
    shown = {"title": harmless(ascii_text(whole.title)), "functions": functions, "further": further}
    return fill_template(PACKAGE, "whole.d.mts.jinja", shown)


def _declaration(function: Exported) -> dict[str, Any]:
    arguments = split(function.tape, Namer(RESERVED))
    shapes = {x.name: "number" + "[]" * len(x.port.shape) for x in arguments.outputs}
    several = "{ " + "; ".join(f"{name}: {shape}" for name, shape in shapes.items()) + " }"
    return {
        "name": function.name,
        "variables": [x.name for x in arguments.variables],
        "result": several if len(shapes) > 1 else next(iter(shapes.values())),
    }


def _part(function: Exported, tape: Tape, parameters: Sequence[str]) -> str:
    """The text of one function."""
    shown = module_context(tape, function.name, "")
    arguments: Split = shown["split"]
    own = next(iter(arguments.parameters), None)
    doc = f"{function.doc or function.name}; {cost_text(tape.cost)}"
    more = {
        "exported": function.exported,
        "own": own.name if own else "",
        "given": [x.name for x in arguments.variables] + ([own.name] if own and arguments.kept else []),
        "places": [parameters.index(name) for name in own.port.names] if own else [],
        "doc": harmless(ascii_text(doc)),
        "ports": [harmless(line) for line in _ports(arguments)],
    }
    return fill_template(PACKAGE, "part.mjs.jinja", shown | more)


def _ports(arguments: Split) -> list[str]:
    """What goes in and out; of p those that are read."""
    read = [line for x in arguments.parameters if arguments.kept for line in entry("of p", ", ".join(x.port.names))]
    inputs, taken = replace(arguments, parameters=(), outputs=()), replace(arguments, parameters=(), variables=())
    return [*ports(inputs), *read, *ports(taken)]


def literal(data: Mapping[str, object]) -> str:
    """Plain data as a literal that may stand in a module and inside a page: no tag can begin or end in it."""
    return "{\n" + ",\n".join(f"  {_json(key)}: {_rows(value)}" for key, value in data.items()) + "\n}"


def data_of(module: str) -> dict[str, Any]:
    """The data of such a module, read without running it."""
    start = module.index(HEAD) + len(HEAD)
    text = module[start : module.index("\n};\n", start)] + "}"
    # undoes what `_json` did to a key that literals treat as their prototype
    return dict(json.loads(text.replace('["__proto__"]:', '"__proto__":')))


def _rows(value: object) -> str:
    """A list or a table in lines, each of its entries on one."""
    if isinstance(value, list) and any(isinstance(x, dict) for x in value):
        return "[\n" + ",\n".join(f"    {_json(x)}" for x in value) + "\n  ]"
    if isinstance(value, dict) and any(isinstance(x, dict) for x in value.values()):
        return "{\n" + ",\n".join(f"    {_json(key)}: {_json(x)}" for key, x in value.items()) + "\n  }"
    return _json(value)


def _json(value: object) -> str:
    """A key `__proto__` would be no key of a literal; in brackets it is."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False)
    # a page may hold the module: </script> inside a text would end it
    return text.replace("<", "\\u003c").replace('"__proto__":', '["__proto__"]:')


def harmless(words: str) -> str:
    """Words that may stand in a comment of a module that stands in a page."""
    return words.replace("*/", "* /").replace("<", "&lt;")
