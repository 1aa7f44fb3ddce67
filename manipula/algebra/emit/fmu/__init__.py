"""FMI 2.0 and 3.0: a tape that goes step by step as a co-simulation unit, for Simulink, Modelica tools and the like.

A unit is an archive of a description, the emitted C and the functions of the standard around it; binaries for the
platforms are added where they are built. Variables become inputs, settings and parameters become parameters that may be
tuned, states and outputs go out; a state starts from its `start`, which an importer may change. Every parameter of the
robot is a variable under its own name. The time of a step is a constant: the unit advances by it.

A variable of FMI 3.0 is an array. FMI 2.0 has numbers alone: the entries of `kp` are `kp[1]`, `kp[2]`, …
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import NamedTuple

from manipula.algebra.emit.about import IDENTIFIER, Context, Shown, fill_template, with_licence
from manipula.algebra.emit.c import C99, comment_lines
from manipula.algebra.emit.c.spelling import BOTH, RESERVED, place
from manipula.algebra.emit.ports import Argument, Memory, Namer, ascii_text
from manipula.algebra.emit.reference import with_square_poses
from manipula.algebra.emit.section import Places, context, sections_of
from manipula.algebra.tape import Tape

# The functions that a co-simulation unit exports and does not support: their parameters, as data.
#
# Importers look every function up when they load a unit, so each must be there; these answer with an error.
#
# Source: Modelica Association, "Functional Mock-up Interface Specification", version 3.0 (2022), the header files of
# section 2.1, and "Functional Mock-up Interface for Model Exchange and Co-Simulation", version 2.0.5 (2024), those of
# sections 2.1 and 4.2.

_TYPES = {
    "Float32": "float", "Int8": "int8_t", "UInt8": "uint8_t", "Int16": "int16_t", "UInt16": "uint16_t",
    "Int32": "int32_t", "UInt32": "uint32_t", "Int64": "int64_t", "UInt64": "uint64_t", "Boolean": "bool",
    "String": "const char *",
}  # fmt: skip
_REFERENCES = "void *unit, const uint32_t refs[], size_t count"
_VECTOR = "void *unit, double values[], size_t count"
_SENSITIVITY = (
    "void *unit, const uint32_t unknowns[], size_t unknown_count, const uint32_t knowns[], size_t known_count, "
    "const double seed[], size_t seed_count, double sensitivity[], size_t sensitivity_count"
)


def unsupported_functions(fmi: str) -> dict[str, str]:
    """Function → its parameters in C."""
    if fmi == "2.0":
        return _REST_2
    functions: dict[str, str] = {}
    for name, kind in _TYPES.items():
        functions[f"fmi3Get{name}"] = f"{_REFERENCES}, {kind} values[], size_t size"
        # an array of constant pointers: the const stands behind the star
        constant = f"{kind}const " if kind.endswith("*") else f"const {kind} "
        functions[f"fmi3Set{name}"] = f"{_REFERENCES}, {constant}values[], size_t size"
    return functions | _REST


_REST = {
    "fmi3GetBinary": f"{_REFERENCES}, size_t sizes[], const uint8_t *values[], size_t size",
    "fmi3SetBinary": f"{_REFERENCES}, const size_t sizes[], const uint8_t *const values[], size_t size",
    "fmi3GetClock": f"{_REFERENCES}, bool values[]",
    "fmi3SetClock": f"{_REFERENCES}, const bool values[]",
    "fmi3GetNumberOfVariableDependencies": "void *unit, uint32_t ref, size_t *count",
    "fmi3GetVariableDependencies": (
        "void *unit, uint32_t dependent, size_t of_dependent[], uint32_t independents[], "
        "size_t of_independents[], int kinds[], size_t count"
    ),
    "fmi3GetDirectionalDerivative": _SENSITIVITY,
    "fmi3GetAdjointDerivative": _SENSITIVITY,
    "fmi3EnterEventMode": "void *unit",
    "fmi3EnterStepMode": "void *unit",
    "fmi3EnterConfigurationMode": "void *unit",
    "fmi3ExitConfigurationMode": "void *unit",
    "fmi3GetIntervalDecimal": f"{_REFERENCES}, double intervals[], int qualifiers[]",
    "fmi3GetIntervalFraction": f"{_REFERENCES}, uint64_t counters[], uint64_t resolutions[], int qualifiers[]",
    "fmi3GetShiftDecimal": f"{_REFERENCES}, double shifts[]",
    "fmi3GetShiftFraction": f"{_REFERENCES}, uint64_t counters[], uint64_t resolutions[]",
    "fmi3SetIntervalDecimal": f"{_REFERENCES}, const double intervals[]",
    "fmi3SetIntervalFraction": f"{_REFERENCES}, const uint64_t counters[], const uint64_t resolutions[]",
    "fmi3SetShiftDecimal": f"{_REFERENCES}, const double shifts[]",
    "fmi3SetShiftFraction": f"{_REFERENCES}, const uint64_t counters[], const uint64_t resolutions[]",
    "fmi3EvaluateDiscreteStates": "void *unit",
    "fmi3UpdateDiscreteStates": (
        "void *unit, bool *update, bool *terminate, bool *nominals, bool *values, bool *defined, double *next"
    ),
    "fmi3EnterContinuousTimeMode": "void *unit",
    "fmi3CompletedIntegratorStep": "void *unit, bool no_return, bool *event, bool *terminate",
    "fmi3SetTime": "void *unit, double time",
    "fmi3SetContinuousStates": "void *unit, const double values[], size_t count",
    "fmi3GetContinuousStateDerivatives": _VECTOR,
    "fmi3GetEventIndicators": _VECTOR,
    "fmi3GetContinuousStates": _VECTOR,
    "fmi3GetNominalsOfContinuousStates": _VECTOR,
    "fmi3GetNumberOfEventIndicators": "void *unit, size_t *count",
    "fmi3GetNumberOfContinuousStates": "void *unit, size_t *count",
    "fmi3GetOutputDerivatives": f"{_REFERENCES}, const int32_t orders[], double values[], size_t size",
    "fmi3ActivateModelPartition": "void *unit, uint32_t clock, double time",
}

_REFERENCES_2 = "void *unit, const uint32_t refs[], size_t count"
_REST_2 = {
    "fmi2GetInteger": f"{_REFERENCES_2}, int values[]",
    "fmi2GetBoolean": f"{_REFERENCES_2}, int values[]",
    "fmi2GetString": f"{_REFERENCES_2}, const char *values[]",
    "fmi2SetInteger": f"{_REFERENCES_2}, const int values[]",
    "fmi2SetBoolean": f"{_REFERENCES_2}, const int values[]",
    "fmi2SetString": f"{_REFERENCES_2}, const char *const values[]",
    "fmi2GetDirectionalDerivative": (
        "void *unit, const uint32_t unknowns[], size_t unknown_count, const uint32_t knowns[], size_t known_count, "
        "const double seed[], double sensitivity[]"
    ),
    "fmi2SetRealInputDerivatives": f"{_REFERENCES_2}, const int orders[], const double values[]",
    "fmi2GetRealOutputDerivatives": f"{_REFERENCES_2}, const int orders[], double values[]",
    "fmi2CancelStep": "void *unit",
    "fmi2GetStatus": "void *unit, int kind, int *value",
    "fmi2GetRealStatus": "void *unit, int kind, double *value",
    "fmi2GetIntegerStatus": "void *unit, int kind, int *value",
    "fmi2GetBooleanStatus": "void *unit, int kind, int *value",
    "fmi2GetStringStatus": "void *unit, int kind, const char **value",
}

VERSIONS = ("3.0", "2.0")  # of the standard; the first is written unless another is requested

# version → what the functions of the standard are called that both versions have
_CALLED = {
    "3.0": {
        "get": "fmi3GetFloat64", "set": "fmi3SetFloat64", "go": "fmi3DoStep", "state_get": "fmi3GetFMUState",
        "state_set": "fmi3SetFMUState", "state_free": "fmi3FreeFMUState", "state_size": "fmi3SerializedFMUStateSize",
        "state_bytes": "fmi3SerializeFMUState", "bytes_state": "fmi3DeserializeFMUState", "byte": "uint8_t",
    },
    "2.0": {
        "get": "fmi2GetReal", "set": "fmi2SetReal", "go": "fmi2DoStep", "state_get": "fmi2GetFMUstate",
        "state_set": "fmi2SetFMUstate", "state_free": "fmi2FreeFMUstate", "state_size": "fmi2SerializedFMUstateSize",
        "state_bytes": "fmi2SerializeFMUstate", "bytes_state": "fmi2DeSerializeFMUstate", "byte": "char",
    },
}  # fmt: skip


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

    name: str
    place: str
    shape: tuple[int, ...]
    causality: str
    variability: str
    initial: str
    doc: str
    start: tuple[float, ...]
    unit: str = ""
    ref: int = 0  # the number by which an importer asks for it

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
    tape: Tape,
    version: str,
    starts: Starts,
    step: float,
    meanings: Mapping[str, ParameterMeaning] | None = None,
    fmi: str = VERSIONS[0],
) -> dict[str, str]:
    """Place in the archive → text. `starts`: port → values, for settings, parameters and states; `step` in seconds;
    `meanings` of the robot's parameters, by name; `fmi`: the version of the standard.
    """
    name = unit_name(tape)
    code = C99().emit(tape, version, ())
    written = sections_of(with_square_poses(tape), BOTH.language(name), (), Places(place, place))
    shown = context(tape, name, version, written)
    rows = _variables(shown, starts, meanings or {})
    ports = _numbered(rows if fmi == "3.0" else [entry for row in rows for entry in _entries_of(row)])
    # from the content: importers take equal tokens for equal units, and emission is reproducible
    told = [code[f"{name}.c"], repr(ports), repr(step), *([fmi] if fmi != "3.0" else [])]
    texts = tape.provenance.texts()
    about = {
        "name": name,
        "version": version,
        "fmi": fmi,
        "calls": _CALLED[fmi],
        "token": hashlib.sha256("\0".join(told).encode()).hexdigest()[:32],
        "step": repr(step),
        "description": ascii_text(f"{texts.get('model', name)} of {texts.get('robot', name)}"),
        "rows": rows,
        "ports": ports,
        "licence": IDENTIFIER,
        "units": sorted({port.unit for port in ports if port.unit}),
        "convention": "structured" if all(_STRUCTURED.fullmatch(port.name) for port in ports) else "flat",
    }
    files = {
        "modelDescription.xml": fill_template(__name__, _DESCRIPTIONS[fmi], about),
        # FMI 2.0 lists the sources in the description
        **({"sources/buildDescription.xml": fill_template(__name__, "buildDescription.xml.jinja", about)}
           if fmi == "3.0" else {}),
        f"sources/{name}_unit.c": fill_template(__name__, "unit.c.jinja", about | _calls(name, shown, fmi)),
        **{f"sources/{file}": code[file] for file in (f"{name}.h", f"{name}.c")},
    }  # fmt: skip
    return with_licence(files)


_DESCRIPTIONS = {"3.0": "modelDescription.xml.jinja", "2.0": "modelDescription2.xml.jinja"}
_STRUCTURED = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*(\[[1-9][0-9]*(,[1-9][0-9]*)*\])?", re.ASCII)


def _numbered(rows: Iterable[Variable]) -> list[Variable]:
    return [replace(row, ref=ref) for ref, row in enumerate(rows, 1)]


def _entries_of(row: Variable) -> Iterable[Variable]:
    """The numbers of an array, each a variable: q[1], q[2], …; T[1,2] of a matrix."""
    if not row.shape:
        return [row]
    indices = product(*(range(1, size + 1) for size in row.shape))
    return [
        replace(row, name=f"{row.name}[{','.join(map(str, index))}]", place=f"&{row.place}[{i}]", shape=(),
                start=row.start[i : i + 1])
        for i, index in enumerate(indices)
    ]  # fmt: skip


def _variables(shown: Shown, starts: Starts, meanings: Mapping[str, ParameterMeaning]) -> list[Variable]:
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
        *(_array(x, f"memory_.{x.name}", "output", "continuous", starts, "exact") for x in states),
        *(_array(x, x.name, "output", "continuous", starts, "calculated") for x in outputs),
    ]
    # FMI gives `time` to every unit, and we give `step`
    own = {"time", *("step" for x in whole if x.port.name == STEP)}
    roles = {f"unit->{x.name}": x.port.role for x in (*inputs, *whole, *outputs)}
    rows = [
        replace(row, name=f"{roles.get(row.place, 'state')}.{row.name}")
        if row.name in own and row.causality != "local"
        else row
        for row in rows
    ]
    taken = {"time", *(row.name for row in rows)}
    rows += [x for port in shown["parameters"] if port not in whole for x in _entries(port, starts, meanings, taken)]
    return rows


def _array(x: Argument, place: str, causality: str, variability: str, starts: Starts, initial: str = "") -> Variable:
    """A whole port."""
    # the standard forbids a start value for what the unit computes itself
    start = () if initial == "calculated" else tuple(starts.get(x.port.name, (0.0,) * len(x.port.slots)))
    described = f"{x.port.doc}, {x.port.unit}".strip(", ")
    return Variable(
        x.port.name, f"unit->{place}", tuple(x.port.shape), causality, variability, initial, described, start
    )


def _step(x: Argument, starts: Starts) -> Variable:
    """The time of a step. The importer decides how much time passes, so another value would be another motion."""
    start = tuple(starts[x.port.name])
    return Variable("step", f"unit->{x.name}", (), "local", "constant", "", "time of one step", start, "s")


def _entries(x: Argument, starts: Starts, meanings: Mapping[str, ParameterMeaning], taken: set[str]) -> list[Variable]:
    """Every parameter of the robot under its own name, unless another variable has it."""
    rows = []
    for i, (name, start) in enumerate(zip(x.port.names, starts[x.port.name], strict=True)):
        unit, text = meanings.get(name, ParameterMeaning("", "parameter of the robot, SI"))
        shown = f"{x.port.name}.{name}" if name in taken else name
        place = f"&unit->{x.name}[{i}]"
        # a unit of several words is prose and no unit that an importer could parse
        doc, unit = (f"{text}, {unit}", "") if " " in unit else (text, unit.translate(_MODELICA))
        rows.append(Variable(shown, place, (), "parameter", "tunable", "", doc, (start,), unit))
    return rows


def _calls(name: str, shown: Shown, fmi: str) -> Context:
    """How the functions of the emitted C are called on an instance."""
    memory: Memory | None = shown["memory"]
    kept = ["unit->k_"] if shown["kept"] and not memory else []
    parameters = [f"unit->{x.name}" for x in shown["parameters"]]
    variables, results = (memory.variables, memory.outputs) if memory else (shown["variables"], shown["outputs"])
    inputs, outputs = [_cast(x) for x in variables], [_cast(x) for x in results]
    first = ["&unit->memory_"] if memory else []
    states = [f"now.{x.name}" for x, _ in memory.states] if memory else []
    return {
        "about": comment_lines(shown["about"]),
        "own": [*shown["parameters"], *variables, *results],
        "memory": memory,
        "kept": shown["kept"],
        "init": ", ".join([*first, *states, *parameters]),
        "prepared": ", ".join([*parameters, *kept]),
        "call": f"{name}{'_step' if memory else ''}({', '.join([*first, *inputs, *kept, *outputs])})",
        "condition": f"{name}_condition(broken)" if shown["prepare"].checks else f'"{name}: parameters out of range"',
        "others": [(name, text, _void_parameters(text)) for name, text in unsupported_functions(fmi).items()],
    }


def _cast(argument: Argument) -> str:
    """An argument's place, as the rows of a matrix where it is one."""
    rest = "".join(f"[{n}]" for n in argument.port.shape[1:])
    return f"(double (*){rest})unit->{argument.name}" if rest else f"unit->{argument.name}"


def _void_parameters(parameters: str) -> str:
    """(void) for every parameter but the instance."""
    # the last word of a C declaration is its name
    names: Iterable[str] = (part.replace("[]", "").split()[-1].lstrip("*") for part in parameters.split(","))
    return " ".join(f"(void){name};" for name in names if name != "unit")
