"""What a reference shows as its model: a class of the face, which the rooms below it do not know.

The package says which one when it is imported; nothing is loaded for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_shown: list[Callable[..., Any]] = []


def show_systems_as(make: Callable[..., Any]) -> None:
    """`make(function, settings=…)` gives what people hold."""
    _shown[:] = [make]


def system(function: Any, settings: Any) -> Any:
    return _shown[0](function, settings=settings)
