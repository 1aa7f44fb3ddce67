"""Sines and cosines of the same angle, computed by one call.

Compilers for large machines join them by themselves; those for small ones mostly do not, and there both share the
costly part, the reduction of the angle.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from manipula.algebra.emit.section import Section, TapeNames
from manipula.algebra.tape import Tape


def angle_pairs(tape: Tape) -> dict[int, int]:
    """Sine → cosine of the same angle, by slots of the on-line half."""
    found = {op: {line.args[0]: line.slot for line in tape.online if line.op == op} for op in ("sin", "cos")}
    return {slot: found["cos"][angle] for angle, slot in found["sin"].items() if angle in found["cos"]}


class HeldNames(TapeNames):
    """The tape's names, of which some slots keep theirs whatever they are read by."""

    def __init__(self, tape: Tape, reserved: Collection[str], held: Collection[int]) -> None:
        super().__init__(tape, reserved)
        self.held = frozenset(held)

    def anonymous(self, slot: int) -> bool:
        return slot not in self.held and super().anonymous(slot)


def body_lines(section: Section, real: str, function: str, pairs: Mapping[str, str]) -> Iterator[str]:
    """The statements of a section in C; `pairs`: name of a sine → of the cosine, `function` computes both."""
    sine_of = {cosine: sine for sine, cosine in pairs.items()}
    written: set[str] = set()
    for statement, is_result in section.steps():
        name = statement.name
        if is_result or (name not in pairs and name not in sine_of):
            yield f"{'' if is_result else f'const {real} '}{name} = {statement.text};"
            continue
        sine = sine_of.get(name, name)
        if sine not in written:
            written.add(sine)
            angle = statement.text.partition("(")[2].removesuffix(")")
            yield f"{real} {sine};"
            yield f"{real} {pairs[sine]};"
            yield f"{function}({angle}, &{sine}, &{pairs[sine]});"
