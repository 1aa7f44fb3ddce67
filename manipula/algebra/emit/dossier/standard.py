"""The standard names of the dynamic model: what each means, and TIN, which is only a product of others."""

from __future__ import annotations

from dataclasses import replace

from manipula.algebra.tape import Line, Port, Tape, verify

MEANING = {
    "A": "inertia matrix, row i, column j",
    "COR": "Coriolis coefficients, row i; columns follow the products of rates 12, 13, ..., 1n, 23, ...",
    "CEN": "centrifugal coefficients, row i; column j goes with the square of rate j",
    "GRA": "gravity, with the true gravity vector",
    "P": "perturbations: friction, motor inertia, contact",
    "FIN": "inertia force at joint i, the sum of TIN[i]",
    "TIN": "inertia coupling between joints, A[i][j] times acceleration j",
    "FCOR": "Coriolis force at joint i, its factor 2 included",
    "FCEN": "centrifugal force at joint i",
    "FGRA": "gravity force at joint i",
    "FPER": "perturbation force at joint i",
    "FGEN": "generalised force at joint i, FIN + FCOR + FCEN - FGRA + FPER",
}


def standard(tape: Tape) -> Tape:
    """The tape with TIN among its outputs and the standard meanings on its ports."""
    full = _with_couplings(tape)
    inputs, outputs = (
        tuple(replace(port, doc=MEANING.get(port.name, port.doc)) for port in ports)
        for ports in (full.inputs, full.outputs)
    )
    return replace(full, inputs=inputs, outputs=outputs)


def _with_couplings(tape: Tape) -> Tape:
    """TIN comes after FIN. Products the tape has already are not computed again."""
    outputs = {port.name: port for port in tape.outputs}
    accelerations = next((port for port in tape.inputs if port.name == "qdd"), None)
    if "TIN" in outputs or not {"A", "FIN"} <= outputs.keys() or accelerations is None:
        return tape
    lines, slots = _products(tape, outputs["A"].slots, accelerations.slots)
    couplings = Port("TIN", outputs["A"].shape, tuple(slots), outputs["FIN"].unit)
    at = 1 + list(outputs).index("FIN")
    found = replace(
        tape,
        online=(*tape.online, *lines),
        names=(*tape.names, *(f"coupling{i + 1}" for i in range(len(lines)))),
        outputs=(*tape.outputs[:at], couplings, *tape.outputs[at:]),
        cost=replace(tape.cost, mul=tape.cost.mul + len(lines)),
    )
    verify(found)
    return found


def _products(tape: Tape, matrix: tuple[int, ...], accelerations: tuple[int, ...]) -> tuple[list[Line], list[int]]:
    """New lines, and the slot of every entry of TIN, row by row."""
    known = {frozenset(line.args): line.slot for line in tape.online if line.op == "mul"}
    zeros = {slot for slot, value in tape.constants if value == 0}
    lines: list[Line] = []
    slots: list[int] = []
    for position, entry in enumerate(matrix):
        acceleration = accelerations[position % len(accelerations)]
        pair = frozenset((entry, acceleration))
        if entry not in zeros and pair not in known:
            known[pair] = len(tape.names) + len(lines)
            lines.append(Line(known[pair], "mul", (entry, acceleration)))
        slots.append(entry if entry in zeros else known[pair])
    return lines, slots
