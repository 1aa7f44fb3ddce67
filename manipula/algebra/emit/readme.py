"""The README of an emitted package: signature, units, orders, an example and the self-test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap

from manipula.algebra.emit.about import SUBJECT, WIDTH, YOURS, cost_text, told
from manipula.algebra.emit.names import ascii_text
from manipula.algebra.emit.reference import State
from manipula.algebra.emit.split import Argument, Split
from manipula.algebra.emit.templates import filled
from manipula.algebra.tape import Tape

_SHOWN = (*SUBJECT, "model", "method", "proof")


@dataclass(frozen=True)
class Readme:
    """What a language has to say; code is shown in a fence of `fence`."""

    language: str
    fence: str
    files: Mapping[str, str]  # name → what it holds
    signature: str
    example: str
    self_test: str
    remarks: Sequence[str] = ()
    arrays: str = "Arrays are row-major."
    verdict: str = "It compares with true values computed with 40 digits; the exit status is 0 when all agree."


def readme(tape: Tape, name: str, version: str, arguments: Split, own: Readme) -> str:
    """Markdown."""
    texts = {key: ascii_text(text) for key, text in told(tape).items()}
    context = {
        "name": name,
        "version": version,
        "own": own,
        "licence": YOURS,
        "notes": {key: texts[key] for key in _SHOWN if key in texts},
        "cost": cost_text(tape.cost),
        "conditions": [ascii_text(str(check.words)) for check in tape.checks],
        "joints": texts.get("joints", ""),
        "rows": _rows(arguments),
        "parameters": [word for x in arguments.parameters for word in x.port.names] if arguments.kept else [],
    }
    return filled("manipula.algebra.emit", "readme.md.jinja", context)


def _rows(arguments: Split) -> list[tuple[str, ...]]:
    """argument, direction, shape, unit, meaning, order"""
    inputs = [*arguments.variables, *(arguments.parameters if arguments.kept else ())]
    return [_row(x, "in") for x in inputs] + [_row(x, "out") for x in arguments.outputs]


def _row(argument: Argument, direction: str) -> tuple[str, ...]:
    port = argument.port
    shape = " x ".join(map(str, port.shape)) or "one number"
    order = ", ".join(port.names)
    cells = (f"`{argument.name}`", direction, shape, port.unit or "-", port.doc or "-", order or "-")
    return tuple(ascii_text(cell).replace("|", r"\|") for cell in cells)


def numbers(argument: Argument, state: State, joiner: str = "\n    ") -> str:
    """An input of the example, on as many lines as it needs."""
    return joiner.join(wrap(", ".join(map(repr, state.inputs[argument.port.name])), WIDTH))
