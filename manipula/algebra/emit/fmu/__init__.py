"""FMI 3.0: a tape that goes step by step as a co-simulation unit, for Simulink, Modelica tools and the like.

A unit is an archive of a description, the emitted C and the functions of the standard around it; binaries for the
machine at hand are added where they are built. Variables become inputs, settings and parameters become parameters that
may be tuned, states and outputs go out; a state starts from its `start`, which an importer may change.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from manipula.algebra.emit.c import C99, comment_lines
from manipula.algebra.emit.c.precision import BOTH
from manipula.algebra.emit.c.prototypes import place
from manipula.algebra.emit.c.spelling import RESERVED
from manipula.algebra.emit.fmu.standard import unsupported
from manipula.algebra.emit.memory import Memory
from manipula.algebra.emit.names import Namer, ascii_text
from manipula.algebra.emit.reference import with_square_poses
from manipula.algebra.emit.sections import Places, context, sections_of
from manipula.algebra.emit.split import Argument
from manipula.algebra.emit.templates import filled
from manipula.algebra.tape import Tape

Starts = Mapping[str, Sequence[float]]


@dataclass(frozen=True)
class Variable:
    """A port as the unit shows it. `place`: where its numbers stand in an instance."""

    ref: int
    name: str
    place: str
    size: int
    causality: str
    variability: str
    initial: str
    description: str
    start: tuple[float, ...]

    @property
    def numbers(self) -> str:
        """The start in C."""
        return ", ".join(_C_WORDS.get(repr(x), repr(x)) for x in self.start)

    @property
    def texts(self) -> str:
        """The start in XML."""
        return " ".join(_XML_WORDS.get(repr(x), repr(x)) for x in self.start)


_C_WORDS = {"inf": "INFINITY", "-inf": "-INFINITY"}
_XML_WORDS = {"inf": "INF", "-inf": "-INF"}


def unit_name(tape: Tape) -> str:
    """The identifier of the unit, as it is that of the C function."""
    return Namer(RESERVED).name(tape.name)


def unit_files(tape: Tape, version: str, starts: Starts, step: float) -> dict[str, str]:
    """Place in the archive → text. `starts`: port → values, for settings, parameters and states; `step` in seconds."""
    name = unit_name(tape)
    code = C99().emit(tape, version, ())
    written = sections_of(with_square_poses(tape), BOTH.language(name), (), Places(place, place))
    shown = context(tape, name, version, written)
    ports = _variables(shown, starts)
    token = hashlib.sha256("\0".join([code[f"{name}.c"], repr(ports), repr(step)]).encode()).hexdigest()[:32]
    texts = tape.provenance.texts()
    about = {
        "name": name,
        "version": version,
        "token": token,
        "step": repr(step),
        "description": ascii_text(f"{texts.get('model', name)} of {texts.get('robot', name)}"),
        "ports": ports,
    }
    return {
        "modelDescription.xml": filled(__name__, "modelDescription.xml.jinja", about),
        "sources/buildDescription.xml": filled(__name__, "buildDescription.xml.jinja", about),
        f"sources/{name}_unit.c": filled(__name__, "unit.c.jinja", about | _calls(name, shown, ports)),
        **{f"sources/{file}": code[file] for file in (f"{name}.h", f"{name}.c")},
    }


def _variables(shown: Mapping[str, Any], starts: Starts) -> list[Variable]:
    memory: Memory | None = shown["memory"]
    states = [x for x, _ in memory.states] if memory else []
    inputs = memory.variables if memory else shown["variables"]
    outputs = memory.outputs if memory else shown["outputs"]
    rows: list[tuple[Argument, str, str, str, str]] = [
        *((x, x.name, "input", "continuous", "") for x in inputs),
        *((x, x.name, "parameter", "tunable", "") for x in shown["parameters"]),
        *((x, f"memory.{x.name}", "output", "continuous", "exact") for x in states),
        *((x, x.name, "output", "continuous", "calculated") for x in outputs),
    ]
    return [
        Variable(
            ref, x.port.name, where, len(x.port.slots), causality, variability, initial,
            f"{x.port.doc}, {x.port.unit}".strip(", "),
            () if initial == "calculated" else tuple(starts.get(x.port.name, (0.0,) * len(x.port.slots))),
        )
        for ref, (x, where, causality, variability, initial) in enumerate(rows, 1)
    ]  # fmt: skip


def _calls(name: str, shown: Mapping[str, Any], ports: Sequence[Variable]) -> dict[str, Any]:
    """How the functions of the emitted C are called on an instance."""
    memory: Memory | None = shown["memory"]
    kept = ["unit->k"] if shown["kept"] and not memory else []
    parameters = [f"unit->{x.name}" for x in shown["parameters"]]
    inputs = [_cast(x) for x in (memory.variables if memory else shown["variables"])]
    outputs = [_cast(x) for x in (memory.outputs if memory else shown["outputs"])]
    first = ["&unit->memory"] if memory else []
    states = [f"now.{x.name}" for x, _ in memory.states] if memory else []
    return {
        "about": comment_lines(shown["about"]),
        "own": [port for port in ports if not port.place.startswith("memory.")],
        "memory": memory,
        "kept": shown["kept"],
        "init": ", ".join([*first, *states, *parameters]),
        "prepared": ", ".join([*parameters, *kept]),
        "call": f"{name}{'_step' if memory else ''}({', '.join([*first, *inputs, *kept, *outputs])})",
        "condition": f"{name}_condition(broken)" if shown["prepare"].checks else f'"{name}: parameters out of range"',
        "others": [(function, given, _silenced(given)) for function, given in unsupported().items()],
    }


def _cast(argument: Argument) -> str:
    """An argument's place, as the rows of a matrix where it is one."""
    rest = "".join(f"[{n}]" for n in argument.port.shape[1:])
    return f"(double (*){rest})unit->{argument.name}" if rest else f"unit->{argument.name}"


def _silenced(parameters: str) -> str:
    """(void) for every parameter but the instance."""
    names: Iterable[str] = (part.replace("[]", "").split()[-1].lstrip("*") for part in parameters.split(","))
    return " ".join(f"(void){name};" for name in names if name != "unit")
