"""Back ends: a tape in, files out. Pure text: nothing is written to disk and nothing is run here.

A back end is a folder with a table of spellings, templates for its files and a recipe in its README; it is entered in
`BACKENDS` under the name users type.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from manipula.algebra.emit.c import C99
from manipula.algebra.emit.cpp import Cpp17
from manipula.algebra.emit.cuda import Cuda
from manipula.algebra.emit.javascript import JavaScript
from manipula.algebra.emit.jax import Jax
from manipula.algebra.emit.latex import LatexDocument
from manipula.algebra.emit.matlab import Matlab
from manipula.algebra.emit.python import NumPy
from manipula.algebra.emit.rust import Rust
from manipula.algebra.tape import Tape
from manipula.errors import UnknownNameError

Samples = Sequence[Mapping[str, Sequence[float]]]


class Backend(Protocol):
    """One language."""

    def emit(self, tape: Tape, version: str, samples: Samples) -> dict[str, str]:
        """File name → text. `version` is manipula's; `samples` are inputs for the self-test, drawn when empty."""
        ...


BACKENDS: dict[str, Backend] = {
    "c": C99(),
    "cpp": Cpp17(),
    "cuda": Cuda(),
    "javascript": JavaScript(),
    "jax": Jax(),
    "latex": LatexDocument(),
    "matlab": Matlab(),
    "python": NumPy(),
    "rust": Rust(),
}


def languages() -> list[str]:
    """What `emit` can write."""
    return list(BACKENDS)


def emit(tape: Tape, language: str, version: str, samples: Samples = ()) -> dict[str, str]:
    """The files of a tape in a language: name → text, the same bytes on every run."""
    if language not in BACKENDS:
        raise UnknownNameError("language", language, BACKENDS)
    return BACKENDS[language].emit(tape, version, samples)
