"""TIN[i][j] = A[i][j]·q̈j: the one standard term that is only a product of others, added to a tape that lacks it."""

from __future__ import annotations

from dataclasses import replace

from manipula.algebra.tape import Line, Port, Tape, verify


def with_couplings(tape: Tape) -> Tape:
    """The tape with an output TIN after FIN (or last). Products the tape has already are not computed again."""
    outputs = {port.name: port for port in tape.outputs}
    rates = next((port for port in tape.inputs if port.name == "qdd"), None)
    if "TIN" in outputs or "A" not in outputs or rates is None:
        return tape
    lines, slots = _products(tape, outputs["A"].slots, rates.slots)
    numbers = range(1, len(lines) + 1)
    names = (*tape.names, *(f"coupling{i}" for i in numbers))
    couplings = Port("TIN", outputs["A"].shape, tuple(slots), outputs["A"].unit)
    at = 1 + list(outputs).index("FIN") if "FIN" in outputs else len(outputs)
    ports = (*tape.outputs[:at], couplings, *tape.outputs[at:])
    found = replace(tape, online=(*tape.online, *lines), names=names, outputs=ports)
    verify(found)
    return found


def _products(tape: Tape, matrix: tuple[int, ...], rates: tuple[int, ...]) -> tuple[list[Line], list[int]]:
    """New lines, and the slot of every entry of TIN, row by row."""
    known = {frozenset(line.args): line.slot for line in tape.online if line.op == "mul"}
    zeros = {slot for slot, value in tape.constants if value == 0}
    lines: list[Line] = []
    slots: list[int] = []
    for position, entry in enumerate(matrix):
        rate = rates[position % len(rates)]
        found = entry if entry in zeros else known.get(frozenset((entry, rate)))
        if found is None:
            found = len(tape.names) + len(lines)
            lines.append(Line(found, "mul", (entry, rate)))
            known[frozenset((entry, rate))] = found
        slots.append(found)
    return lines, slots
