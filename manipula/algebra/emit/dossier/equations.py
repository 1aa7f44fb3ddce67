"""A tape as numbered auxiliary equations D[1], D[2], … and the terms they lead to."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from manipula.algebra.emit.c.prototypes import results, sources
from manipula.algebra.emit.c.spelling import language
from manipula.algebra.emit.names import Namer
from manipula.algebra.emit.section import Section, SectionPlan, Statement, section
from manipula.algebra.emit.split import Argument, Split, split
from manipula.algebra.tape import Tape

PREFIX = "aux"  # of the helper functions sign, min, max


class Numbered:
    """Inputs keep their names, sines and cosines too (c1, s23); the rest is counted: D[1], D[2], …"""

    def __init__(self, tape: Tape, reserved: set[str]) -> None:
        words = Namer(reserved).names(tape.names)
        plain = {slot for port in tape.inputs for slot in port.slots}
        trig = {line.slot for line in tape.lines if line.op in ("sin", "cos")}
        known = {slot for slot in trig if not re.fullmatch(r"D\d+", tape.names[slot])}
        self.own = {slot: words[slot] for slot in plain | known}
        self.count = 0

    def name(self, slot: int) -> str:
        if slot in self.own:
            return self.own[slot]
        self.count += 1
        return f"D[{self.count}]"

    def anonymous(self, slot: int) -> bool:
        return slot not in self.own


@dataclass(frozen=True)
class DossierEquations:
    """A model as it is printed."""

    tape: Tape
    arguments: Split
    section: Section
    auxiliary: int  # how many D there are

    @property
    def inputs(self) -> tuple[Argument, ...]:
        return self.arguments.variables + self.arguments.parameters

    @property
    def blocks(self) -> int:
        """How many 4×4 matrices the outputs hold."""
        return sum(len(output.port.slots) for output in self.arguments.outputs) // 16

    def entries(self, output: Argument) -> list[str]:
        """The expressions of an output, flat."""
        at = {statement.name: statement.text for statement in self.section.stores}
        return [at[target] for target, _ in results([output])]

    def counts(self, online: bool) -> Counter[str]:
        """Lines by operation, in one half."""
        return Counter(line.op for line in (self.tape.online if online else self.tape.offline))

    def to_read(self) -> list[str]:
        """The auxiliary equations as plain lines."""
        return [plain(statement) for statement in self.section.body]


def plain(statement: Statement) -> str:
    return f"{statement.name} = {statement.text}"


def equations(tape: Tape) -> DossierEquations:
    """Both sections of the tape in one list."""
    c = language(PREFIX)
    arguments = split(tape, Namer({*c.reserved, "D"}))
    names = Numbered(tape, {*c.reserved, "D", *arguments.names})
    inputs = sources(arguments.variables + arguments.parameters)
    written = section(SectionPlan(inputs, tape.lines, results(arguments.outputs)), c.constants(tape), c, names)
    return DossierEquations(tape, arguments, written, names.count)
