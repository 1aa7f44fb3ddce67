"""The settings of a function as a user gives them: one number for all joints, or one for each."""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan
from numbers import Real
from typing import Any

from manipula.algebra.expr.function import Function, Input
from manipula.errors import InputError, UnknownNameError

Settings = dict[str, tuple[float, ...]]  # port → its entries


def settings_from(function: Function, given: Mapping[str, Any]) -> Settings:
    """Every setting of the function, checked; what is missing is named with its meaning and unit."""
    ports = {port.name: port for port in function.inputs if port.role == "setting"}
    for name in given:
        if name not in ports:
            raise UnknownNameError(f"setting of {function.name}", name, ports)
    missing = [f"{port.name} ({port.doc}, {port.unit})" for port in ports.values() if port.name not in given]
    if missing:
        raise InputError(f"{function.name}: no value for {', '.join(missing)}")
    return {name: _entries(function.name, port, given[name]) for name, port in ports.items()}


def _entries(function: str, port: Input, value: Any) -> tuple[float, ...]:
    size = len(port.symbols)
    values = [value] * size if isinstance(value, Real) else value
    wanted = "a number" if size == 1 else f"a number or {size} numbers, one a joint"
    if not hasattr(values, "__len__") or len(values) != size or not all(isinstance(x, Real) for x in values):
        raise InputError(f"{function}: {port.name}: expected {wanted}, found {value!r:.60}")
    if any(map(isnan, values)):
        raise InputError(f"{function}: {port.name}: expected {wanted}, found NaN")
    return tuple(map(float, values))
