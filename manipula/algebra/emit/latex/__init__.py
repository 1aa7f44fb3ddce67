"""LaTeX: the auxiliary equations of a function as a document, with units, orders, conditions and a state to check."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from manipula.algebra.emit.about import cost_text
from manipula.algebra.emit.latex.spelling import LANGUAGE, Symbols
from manipula.algebra.emit.names import Namer, ascii_text
from manipula.algebra.emit.readme import Readme, readme
from manipula.algebra.emit.reference import State, states
from manipula.algebra.emit.section import Section, SectionPlan, Statement, section
from manipula.algebra.emit.split import Argument, Split, split
from manipula.algebra.emit.templates import filled
from manipula.algebra.expr.cost import Cost
from manipula.algebra.show.latex import Latex
from manipula.algebra.tape import Tape, offline_needed

_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
}  # fmt: skip


class LatexDocument:
    """The back end."""

    def emit(self, tape: Tape, version: str, samples: Sequence[Mapping[str, Sequence[float]]]) -> dict[str, str]:
        name = Namer(()).name(tape.name)
        arguments = split(tape, Namer(()))
        document = _context(tape, name, version, arguments, states(tape, samples)[0])
        return {
            f"{name}.tex": filled(__name__, "document.tex.jinja", document),
            f"README_{name}_latex.md": readme(tape, name, version, arguments, _readme(name)),
        }


def _context(tape: Tape, name: str, version: str, arguments: Split, state: State) -> dict[str, Any]:
    symbols = Symbols(tape)
    before, after = _sections(tape, arguments, symbols)
    inputs = [*arguments.variables, *(arguments.parameters if arguments.kept else ())]
    offline = tape.cost.offline
    return {
        "name": escaped(name),
        "version": escaped(version),
        "notes": {escaped(key): escaped(text) for key, text in sorted(tape.provenance.texts().items())},
        "cost": escaped(cost_text(tape.cost)),
        "offline_cost": escaped(cost_text(offline)) if offline is not None and offline != Cost() else "",
        "inputs": [(_described(x), [symbols.name(slot) for slot in x.port.slots]) for x in inputs],
        "outputs": [_described(x) for x in arguments.outputs],
        "once": [*before.body, *(x for x in before.stores if x.name != x.text)],
        "conditions": [escaped(str(check.words)) for check in arguments.checks],
        "always": after.body,
        "results": after.stores,
        "given": [_values(x, state.inputs) for x in inputs],
        "wanted": [_values(x, state.outputs) for x in arguments.outputs],
    }


def _sections(tape: Tape, arguments: Split, symbols: Symbols) -> tuple[Section, Section]:
    """What parameters alone decide, and the rest."""
    own = {slot: symbols.name(slot) for port in tape.inputs for slot in port.slots}
    needed = offline_needed(tape)
    first = SectionPlan(own, tape.offline, [(symbols.name(slot), slot) for slot in needed])
    kept = {slot: symbols.name(slot) for slot in needed}
    printer = Latex()
    results = [
        (printer.entry(x.port.name, [index + 1 for index in x.entry(i)]), slot)
        for x in arguments.outputs
        for i, slot in enumerate(x.port.slots)
    ]
    before = section(first, LANGUAGE.constants(tape), LANGUAGE, symbols)
    after = section(SectionPlan(own | kept, tape.online, results), LANGUAGE.constants(tape), LANGUAGE, symbols)
    return before, after


def escaped(text: str) -> str:
    """Plain words that LaTeX does not read as commands."""
    return "".join(_SPECIAL.get(letter, letter) for letter in ascii_text(text))


def _described(argument: Argument) -> str:
    """q (6), in rad: joint positions"""
    port = argument.port
    shape = r" $\times$ ".join(map(str, port.shape))
    size = f" ({shape})" if shape else ""
    unit = f", in {escaped(port.unit)}" if port.unit else ""
    return f"{escaped(port.name)}{size}{unit}{': ' + escaped(port.doc) if port.doc else ''}"


def _values(argument: Argument, values: Mapping[str, Sequence[float]]) -> Statement:
    numbers = ", ".join(f"${LANGUAGE.number(x).text}$" for x in values[argument.port.name])
    return Statement(re.sub(r"\s+", " ", escaped(argument.port.name)), numbers)


def _readme(name: str) -> Readme:
    return Readme(
        "LaTeX document",
        "latex",
        {f"{name}.tex": "the auxiliary equations, in the order they are computed"},
        rf"\documentclass{{article}} % {name}.tex needs amsmath and geometry",
        rf"\input{{{name}}} % or compile it alone",
        f"pdflatex {name}.tex",
        verdict="The document ends with a state and its true values: what is programmed from it must agree.",
    )
