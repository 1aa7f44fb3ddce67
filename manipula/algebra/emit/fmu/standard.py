"""The functions of FMI 3.0 that a co-simulation unit exports and does not support: their parameters, as data.

Importers look every function up when they load a unit, so each must be there; these answer with an error.

Source: Modelica Association, "Functional Mock-up Interface Specification", version 3.0 (2022), the header files of
section 2.1.
"""

from __future__ import annotations

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


def unsupported() -> dict[str, str]:
    """Function → its parameters in C."""
    found: dict[str, str] = {}
    for name, kind in _TYPES.items():
        found[f"fmi3Get{name}"] = f"{_REFERENCES}, {kind} values[], size_t size"
        constant = f"{kind}const " if kind.endswith("*") else f"const {kind} "
        found[f"fmi3Set{name}"] = f"{_REFERENCES}, {constant}values[], size_t size"
    return found | _REST


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
