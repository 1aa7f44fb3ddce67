"""Conditions on parameters ("d4 ≠ 0"): read once, checked for every new set of parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from manipula.algebra.emit.conditions import Comparison, comparison_from_text, holds, names_in
from manipula.errors import ConditionError


@dataclass(frozen=True)
class Condition:
    """A comparison of two sums and products of parameters."""

    text: str
    comparison: Comparison

    def check(self, function: str, values: Mapping[str, float]) -> None:
        """Raise unless it holds. NaN breaks nothing: it comes out as NaN."""
        if not self.holds(values):
            given = ", ".join(f"{name} = {values[name]:g}" for name in names_in(self.comparison))
            raise ConditionError(f"{function}: holds only for {self.text}, found {given}")

    def holds(self, values: Mapping[str, float]) -> bool:
        return holds(self.comparison, values)


def condition_from_text(text: str) -> Condition:
    """Parsed, never run as code."""
    return Condition(text, comparison_from_text(text))
