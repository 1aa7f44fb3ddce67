"""The dossier of a robot: the set of files of Lopes da Silva's generator (UNICAMP 1990), with its standard names.

    .dh   geometric parameters                 .ine  inertial parameters
    .mgd  direct geometric model, C            .din  dynamic model with its tables, to read
    .ea   its auxiliary equations, C           .eac  its auxiliary equations, C
    .mel  elementary matrices and the          .sim  every effect of the dynamics apart, C
          geometric model, to read
    .mt   intermediate matrices, to read
    .mex  intermediate matrices, C

Tables come as rows of text and models as tapes: nothing here knows what a robot is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from manipula.algebra.emit.about import provenance
from manipula.algebra.emit.dossier import layout
from manipula.algebra.emit.ports import identifier
from manipula.algebra.tape import Line, Port, Tape, verify

__all__ = ["Table"]


# The standard names of the dynamic model: what each means, and TIN, which is only a product of others.

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
    coupled = replace(
        tape,
        online=(*tape.online, *lines),
        names=(*tape.names, *(f"coupling{i + 1}" for i in range(len(lines)))),
        outputs=(*tape.outputs[:at], couplings, *tape.outputs[at:]),
        cost=replace(tape.cost, mul=tape.cost.mul + len(lines)),
    )
    verify(coupled)
    return coupled


def _products(tape: Tape, matrix: tuple[int, ...], accelerations: tuple[int, ...]) -> tuple[list[Line], list[int]]:
    """New lines, and the slot of every entry of TIN, row by row."""
    # a product is the same in either order of its factors
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
        # 0 times an acceleration is the zero that is there already
        slots.append(entry if entry in zeros else known[pair])
    return lines, slots


@dataclass(frozen=True)
class Dossier:
    """What the files are made from. Without `dynamics` the dossier ends with the geometric half."""

    name: str
    version: str  # manipula's
    geometry: Sequence[layout.Table]
    inertia: Sequence[layout.Table]
    pose: Tape  # one output, 4×4: the whole transform
    elementary: Tape  # one output, n×4×4: T12, T23, …
    intermediate: Tape  # one output, n×4×4 or, with the tool, (n+1)×4×4: T12, T13, …
    dynamics: Tape | None = None  # outputs A COR CEN GRA FIN FCOR FCEN FGRA FPER FGEN; TIN is added


def dossier_files(dossier: Dossier) -> dict[str, str]:
    """File name → text."""
    files = {
        "dh": _page(dossier, "dh", layout.report(map(layout.table_lines, dossier.geometry))),
        "ine": _page(dossier, "ine", layout.report(map(layout.table_lines, dossier.inertia))),
        **_geometric(dossier),
    }
    if dossier.dynamics is not None:
        files |= _dynamic(dossier, standard(dossier.dynamics))
    return {f"{identifier(dossier.name)}.{extension}": text for extension, text in files.items()}


def _geometric(dossier: Dossier) -> dict[str, str]:
    pose, elementary, between = (
        layout.equations(tape) for tape in (dossier.pose, dossier.elementary, dossier.intermediate)
    )
    reading = [
        ("Elementary matrices", [*elementary.to_read(), "", *layout.matrices(elementary, _neighbours)]),
        ("Geometric model", layout.matrices(pose)),
        ("Auxiliary equations", pose.to_read()),
        ("Operations", layout.count_lines(pose)),
        ("Origin", provenance(pose.tape, dossier.version)),
    ]
    between_text = [
        ("Intermediate matrices", layout.matrices(between, _from_base(elementary.blocks))),
        ("Auxiliary equations", between.to_read()),
        ("Operations", layout.count_lines(between)),
        ("Origin", provenance(between.tape, dossier.version)),
    ]
    return {
        "mgd": _program(dossier, "mgd", pose),
        "ea": _fragment(dossier, "ea", pose),
        "mel": _page(dossier, "mel", layout.report(reading)),
        "mt": _page(dossier, "mt", layout.report(between_text)),
        "mex": _program(dossier, "mex", between),
    }


def _neighbours(position: int) -> str:
    return f"T({position + 1},{position + 2})"


def _from_base(links: int) -> Callable[[int], str]:
    return lambda position: f"T(1,{position + 2})" if position < links else "T(1,tool)"


def _dynamic(dossier: Dossier, tape: Tape) -> dict[str, str]:
    model = layout.equations(tape)
    reading = [
        *map(layout.table_lines, (*dossier.geometry, *dossier.inertia)),
        *layout.terms(model),
        ("Auxiliary equations", ["They are in the .eac file, and inside the .sim file."]),
        ("Operations", layout.count_lines(model)),
        ("Origin", provenance(tape, dossier.version)),
    ]
    return {
        "sim": _program(dossier, "sim", model),
        "din": _page(dossier, "din", layout.report(reading)),
        "eac": _fragment(dossier, "eac", model),
    }


_WHAT = {
    "dh": "geometric parameters",
    "ine": "inertial parameters",
    "mgd": "direct geometric model, a C function",
    "ea": "auxiliary equations of the geometric model, C statements",
    "mel": "elementary matrices and geometric model, to read",
    "mt": "intermediate matrices, to read",
    "mex": "intermediate matrices, a C function",
    "sim": "dynamic model, every effect apart, a C function for simulation",
    "din": "dynamic model: its tables and terms, to read",
    "eac": "auxiliary equations of the dynamic model, C statements",
}


def _title(dossier: Dossier, extension: str) -> str:
    return f"{identifier(dossier.name)}.{extension}: {_WHAT[extension]}"


def _page(dossier: Dossier, extension: str, lines: list[str]) -> str:
    head = [_title(dossier, extension), f"Generated by manipula {dossier.version}; do not edit.", ""]
    return "\n".join([*head, *lines]).rstrip() + "\n"


def _program(dossier: Dossier, extension: str, model: layout.DossierEquations) -> str:
    head = [_title(dossier, extension), *provenance(model.tape, dossier.version)]
    return layout.c_function(head, f"{identifier(dossier.name)}_{extension}", model)


def _fragment(dossier: Dossier, extension: str, model: layout.DossierEquations) -> str:
    return layout.c_statements([_title(dossier, extension), *provenance(model.tape, dossier.version)], model)
