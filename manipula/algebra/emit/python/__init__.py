"""Python: one module that needs only NumPy, broadcasts over leading axes and tests itself when it is run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any

from manipula.algebra.emit.about import WIDTH, ports, provenance
from manipula.algebra.emit.names import Namer
from manipula.algebra.emit.python.spelling import LANGUAGE
from manipula.algebra.emit.reference import TOLERANCE, State, states
from manipula.algebra.emit.section import Plan, Section, TapeNames, section
from manipula.algebra.emit.split import Argument, Split, split
from manipula.algebra.emit.templates import filled
from manipula.algebra.tape import Tape


class NumPy:
    """The back end."""

    def emit(self, tape: Tape, version: str, samples: Sequence[Mapping[str, Sequence[float]]]) -> dict[str, str]:
        name = Namer(LANGUAGE.reserved).name(tape.name)
        context = _context(tape, name, version, states(tape, samples))
        return {f"{name}.py": filled(__name__, "module.py.jinja", context)}


def _context(tape: Tape, name: str, version: str, found: Sequence[State]) -> dict[str, Any]:
    """Everything the template shows."""
    own = {*LANGUAGE.reserved, name, f"{name}_prepare", f"{name}_prepared", f"{name}_results"}
    arguments = split(tape, Namer(own))
    names = TapeNames(tape, {*own, *arguments.names})
    return {
        "name": name,
        "about": _doc(provenance(tape, version)),
        "ports": _doc(ports(arguments)),
        "split": arguments,
        "variables": [x.name for x in arguments.variables],
        "parameters": [x.name for x in arguments.parameters] if arguments.kept else [],
        "parameter_names": {x.name: wrap(", ".join(_quoted(x.port.names)) + ",", WIDTH) for x in arguments.parameters},
        "prepare": _prepare(tape, arguments, names),
        "helpers": {line.op for line in tape.lines},
        "main": _main(tape, arguments, names),
        "shapes": {x.name: _shape("*batch", x) for x in arguments.outputs},
        "given": [_table(x, [state.inputs[x.port.name] for state in found]) for x in _inputs(arguments)],
        "wanted": [_table(x, [state.outputs[x.port.name] for state in found]) for x in arguments.outputs],
        "tolerance": repr(TOLERANCE),
        "states": len(found),
    }


def _inputs(arguments: Split) -> list[Argument]:
    return [*arguments.variables, *(arguments.parameters if arguments.kept else ())]


def _doc(lines: list[str]) -> list[str]:
    """Nothing inside may end the docstring."""
    return [line.replace("\\", "/").replace('"', "'") for line in lines]


def _quoted(words: Sequence[str]) -> list[str]:
    return [ascii(word) for word in words]


def _sources(arguments: Sequence[Argument]) -> dict[int, str]:
    return {slot: f"{x.name}[..., {i}]" for x in arguments for i, slot in enumerate(x.port.slots)}


def _prepare(tape: Tape, arguments: Split, names: TapeNames) -> Section:
    stores = [("", slot) for slot in arguments.kept]
    plan = Plan(_sources(arguments.parameters), tape.offline, stores, arguments.checks)
    return section(plan, tape.constants, LANGUAGE, names)


def _main(tape: Tape, arguments: Split, names: TapeNames) -> Section:
    loads = _sources(arguments.variables) | {slot: f"k[{i}]" for i, slot in enumerate(arguments.kept)}
    results = [(f"{x.name}[..., {i}]", slot) for x in arguments.outputs for i, slot in enumerate(x.port.slots)]
    return section(Plan(loads, tape.online, results), tape.constants, LANGUAGE, names)


def _table(argument: Argument, rows: Sequence[Sequence[float]]) -> dict[str, Any]:
    """Numbers, one row a state."""
    texts = [wrap(", ".join(LANGUAGE.number(x).text for x in row), WIDTH) for row in rows]
    return {"name": argument.name, "rows": texts, "shape": _shape(str(len(rows)), argument)}


def _shape(first: str, argument: Argument) -> str:
    """(*batch, 6, 6)"""
    return f"({', '.join([first, *map(str, argument.port.shape)])}{'' if argument.port.shape else ','})"
