"""Texts (see `algebra.program`) as they run best here: as machine code where there is LLVM, else as they stand."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

Text = Callable[..., Any]


@cache
def machine_code(text: Text, rounded: bool = False, **known: int) -> Text:
    """Made once a process. `rounded`, `known`: see `compiled`."""
    try:
        from manipula.algebra.run.routines import compiled
    except (ImportError, OSError):
        return text
    return compiled(text, rounded, **known)
