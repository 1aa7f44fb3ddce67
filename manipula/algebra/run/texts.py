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
        # where LLVM is missing this import fails, and the text runs as it stands
        from manipula.algebra.run.routines import compile_text
    except (ImportError, OSError):
        return text
    return compile_text(text, rounded, **known)


@cache
def machine_codes(*texts: Text) -> tuple[Text, ...]:
    """Several at once: what they share is made once."""
    try:
        from manipula.algebra.run.routines import compiled_together
    except (ImportError, OSError):
        return texts
    return tuple(compiled_together(*texts))
