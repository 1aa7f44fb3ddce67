"""The settings of a function as a user gives them: one number for all joints, or one for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf, isinf, isnan
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from manipula.algebra.expr.function import Function
from manipula.errors import InputError, UnknownNameError
from manipula.mechanics.models.ports import PortKind, PortSizes
from manipula.messages import Message, join_messages

Settings = dict[str, tuple[float, ...]]  # port → its entries


class Setting(NamedTuple):
    """What is asked of a setting: its meaning, its unit, and how many numbers."""

    doc: str
    unit: str
    size: int


def settings_from(function: Function, given: Mapping[str, object]) -> Settings:
    """Every setting of the function, checked; what is missing is named with its meaning and unit."""
    asked = {x.name: Setting(x.doc, x.unit, len(x.symbols)) for x in function.inputs if x.role == "setting"}
    return _check_settings(function.name, asked, given)


def settings_for(name: str, kinds: Sequence[PortKind], sizes: PortSizes, given: Mapping[str, object]) -> Settings:
    """The same before there is a function: mistakes are refused at once."""
    asked = {x.name: Setting(x.doc, x.unit, len(x.entries(sizes))) for x in kinds if x.role == "setting"}
    found = _check_settings(name, asked, given)
    refuse_impossible(name, kinds, found)
    return found


def _check_settings(function: str, asked: Mapping[str, Setting], given: Mapping[str, object]) -> Settings:
    for name in given:
        if name not in asked:
            raise UnknownNameError(Message("setting of {function}", function), name, asked)
    missing = [Message("{name} ({doc}, {unit})", name, x.doc, x.unit) for name, x in asked.items() if name not in given]
    if missing:
        raise InputError("{function}: no value for {missing}", function, join_messages(", ", missing))
    return {
        name: _entries(Message("{place}: {text}", function, name), x.size, given[name]) for name, x in asked.items()
    }


def defaults(kinds: Sequence[PortKind]) -> dict[str, float]:
    """The settings that need not be given."""
    return {kind.name: kind.default for kind in kinds if kind.role == "setting" and kind.default is not None}


def refuse_time(what: str, value: Any) -> None:
    """The time of a step is a positive number of seconds, or none is given."""
    if value is not None and not (_is_number(value) and 0 < float(value) < inf):
        raise InputError(
            "{what}: expected the time of a step in seconds, more than 0, found {value!r:.60}", what, value
        )


def refuse_impossible(name: str, kinds: Sequence[PortKind], settings: Settings) -> None:
    """Gains, limits and times are no negative numbers; a gain is finite, and what is divided by is not zero."""
    for kind in kinds:
        wanted = (
            Message("more than 0")
            if kind.divides
            else Message("a finite number")
            if kind.signed
            else Message("at least 0")
        )
        for value in settings.get(kind.name, ()):
            negative = value < 0 and not kind.signed
            if negative or (kind.divides and value == 0) or (isinf(value) and not kind.unbounded):
                raise InputError(
                    "{name}: {kind} ({doc}, {unit}): expected {wanted}, found {value:g}",
                    name,
                    kind.name,
                    kind.doc,
                    kind.unit,
                    wanted,
                    value,
                )


def _entries(what: str, size: int, value: Any) -> tuple[float, ...]:
    values = [value] * size if isinstance(value, Real) else value
    wanted = Message("a number") if size == 1 else Message("a number or {size} numbers, one for each", size)
    if not hasattr(values, "__len__") or len(values) != size or not all(map(_is_number, values)):
        raise InputError("{what}: expected {wanted}, found {value:.60}", what, wanted, " ".join(repr(value).split()))
    if any(map(isnan, values)):
        raise InputError("{what}: expected {wanted}, found NaN", what, wanted)
    return tuple(map(float, values))


def _is_number(x: object) -> bool:
    """A number that floats can hold; yes and no are none."""
    if isinstance(x, bool | np.bool_) or not isinstance(x, Real):
        return False
    try:
        float(x)
    except OverflowError:
        return False
    return True
