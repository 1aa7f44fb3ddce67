"""What references show and take of the face, `System` and `Arm`, which the rooms below it do not know.

The package says which classes these are when it is imported; nothing is loaded for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_found: list[Callable[[str], Any]] = []


def show_as(found: Callable[[str], Any]) -> None:
    """`found("Arm")` gives the class that people know by this name."""
    _found[:] = [found]


def system(function: Any, settings: Any) -> Any:
    return _found[0]("System")(function, settings=settings)


def arm(robot: Any) -> Any:
    return _found[0]("Arm")(robot)
