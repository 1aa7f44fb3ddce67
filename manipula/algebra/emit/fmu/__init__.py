"""FMI 3.0: a tape that goes step by step as a co-simulation unit, for Simulink, Modelica tools and the like.

A unit is an archive of a description, the emitted C and the functions of the standard around it; binaries for the
machine at hand are added where they are built. Variables become inputs, settings and parameters become parameters that
may be tuned, states and outputs go out; a state starts from its `start`, which an importer may change. Every parameter
of the robot is a variable under its own name. The time of a step is a constant: the unit advances by it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any, NamedTuple

from manipula.algebra.emit.about import IDENTIFIER, with_licence
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
STEP = "sample"  # the port that holds the time of a step
_MODELICA = str.maketrans({"·": ".", "²": "2", "³": "3"})  # how units are written in FMI


class ParameterMeaning(NamedTuple):
    """What a parameter of the robot is."""

    unit: str
    text: str


@dataclass(frozen=True)
class Variable:
    """A port, or an entry of one, as the unit shows it. `place`: a pointer to its numbers in an instance."""

    ref: int
    name: str
    place: str
    shape: tuple[int, ...]
    causality: str
    variability: str
    initial: str
    doc: str
    start: tuple[float, ...]
    unit: str = ""

    @property
    def size(self) -> int:
        return prod(self.shape)

    @property
    def kind(self) -> str:
        """What setting it means, in C."""
        return {"parameter": "PARAMETER", "local": "CONSTANT"}.get(self.causality, "VARIABLE")

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


def unit_files(
    tape: Tape, version: str, starts: Starts, step: float, meanings: Mapping[str, ParameterMeaning] | None = None
) -> dict[str, str]:
    """Place in the archive → text. `starts`: port → values, for settings, parameters and states; `step` in seconds;
    `meanings` of the robot's parameters, by name.
    """
    name = unit_name(tape)
    code = C99().emit(tape, version, ())
    written = sections_of(with_square_poses(tape), BOTH.language(name), (), Places(place, place))
    shown = context(tape, name, version, written)
    ports = _variables(shown, starts, meanings or {})
    token = hashlib.sha256("\0".join([code[f"{name}.c"], repr(ports), repr(step)]).encode()).hexdigest()[:32]
    texts = tape.provenance.texts()
    about = {
        "name": name,
        "version": version,
        "token": token,
        "step": repr(step),
        "description": ascii_text(f"{texts.get('model', name)} of {texts.get('robot', name)}"),
        "ports": ports,
        "licence": IDENTIFIER,
        "units": sorted({port.unit for port in ports if port.unit}),
    }
    files = {
        "modelDescription.xml": filled(__name__, "modelDescription.xml.jinja", about),
        "sources/buildDescription.xml": filled(__name__, "buildDescription.xml.jinja", about),
        f"sources/{name}_unit.c": filled(__name__, "unit.c.jinja", about | _calls(name, shown)),
        **{f"sources/{file}": code[file] for file in (f"{name}.h", f"{name}.c")},
    }
    return with_licence(files)


def _variables(shown: Mapping[str, Any], starts: Starts, meanings: Mapping[str, ParameterMeaning]) -> list[Variable]:
    memory: Memory | None = shown["memory"]
    states = [x for x, _ in memory.states] if memory else []
    inputs = memory.variables if memory else shown["variables"]
    outputs = memory.outputs if memory else shown["outputs"]
    whole = [x for x in shown["parameters"] if x.port.role != "parameter"]
    rows = [
        *(_array(x, x.name, "input", "continuous", starts) for x in inputs),
        *(
            _step(x, starts) if x.port.name == STEP else _array(x, x.name, "parameter", "tunable", starts)
            for x in whole
        ),
        *(_array(x, f"memory.{x.name}", "output", "continuous", starts, "exact") for x in states),
        *(_array(x, x.name, "output", "continuous", starts, "calculated") for x in outputs),
    ]
    taken = {"time", *(row.name for row in rows)}
    rows += [x for port in shown["parameters"] if port not in whole for x in _entries(port, starts, meanings, taken)]
    return [replace(row, ref=ref) for ref, row in enumerate(rows, 1)]


def _array(x: Argument, place: str, causality: str, variability: str, starts: Starts, initial: str = "") -> Variable:
    """A whole port."""
    start = () if initial == "calculated" else tuple(starts.get(x.port.name, (0.0,) * len(x.port.slots)))
    described = f"{x.port.doc}, {x.port.unit}".strip(", ")
    return Variable(
        0, x.port.name, f"unit->{place}", (len(x.port.slots),), causality, variability, initial, described, start
    )


def _step(x: Argument, starts: Starts) -> Variable:
    """The time of a step. The importer decides how much time passes, so another value would be another motion."""
    start = tuple(starts[x.port.name])
    return Variable(0, "step", f"unit->{x.name}", (), "local", "constant", "", "time of one step", start, "s")


def _entries(x: Argument, starts: Starts, meanings: Mapping[str, ParameterMeaning], taken: set[str]) -> list[Variable]:
    """Every parameter of the robot under its own name, unless another variable has it."""
    rows = []
    for i, (name, start) in enumerate(zip(x.port.names, starts[x.port.name], strict=True)):
        unit, text = meanings.get(name, ParameterMeaning("", "parameter of the robot, SI"))
        shown = f"{x.port.name}.{name}" if name in taken else name
        place = f"&unit->{x.name}[{i}]"
        doc, unit = (f"{text}, {unit}", "") if " " in unit else (text, unit.translate(_MODELICA))
        rows.append(Variable(0, shown, place, (), "parameter", "tunable", "", doc, (start,), unit))
    return rows


def _calls(name: str, shown: Mapping[str, Any]) -> dict[str, Any]:
    """How the functions of the emitted C are called on an instance."""
    memory: Memory | None = shown["memory"]
    kept = ["unit->k"] if shown["kept"] and not memory else []
    parameters = [f"unit->{x.name}" for x in shown["parameters"]]
    given, results = (memory.variables, memory.outputs) if memory else (shown["variables"], shown["outputs"])
    inputs, outputs = [_cast(x) for x in given], [_cast(x) for x in results]
    first = ["&unit->memory"] if memory else []
    states = [f"now.{x.name}" for x, _ in memory.states] if memory else []
    return {
        "about": comment_lines(shown["about"]),
        "own": [*shown["parameters"], *given, *results],
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
