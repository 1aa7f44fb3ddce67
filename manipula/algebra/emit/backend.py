"""Back ends: a tape in, files out. Pure text: nothing is written to disk and nothing is run here.

A back end is a folder with a table of spellings, templates for its files and a recipe in its README; it is entered in
`BACKENDS` under the name users type, and loaded when it is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, Protocol

from manipula.algebra.program.tree import Routine
from manipula.algebra.tape import Tape
from manipula.errors import UnknownNameError

Samples = Sequence[Mapping[str, Sequence[float]]]


class Backend(Protocol):
    """One language."""

    def emit(self, tape: Tape, version: str, samples: Samples) -> dict[str, str]:
        """File name → text. `version` is manipula's; `samples` are inputs for the self-test, drawn when empty."""
        ...


# name → where its class is
BACKENDS = {
    "c": "manipula.algebra.emit.c:C99",
    "cpp": "manipula.algebra.emit.cpp:Cpp17",
    "cuda": "manipula.algebra.emit.cuda:Cuda",
    "fortran": "manipula.algebra.emit.fortran:Fortran2018",
    "javascript": "manipula.algebra.emit.javascript:JavaScript",
    "jax": "manipula.algebra.emit.jax:Jax",
    "latex": "manipula.algebra.emit.latex:LatexDocument",
    "matlab": "manipula.algebra.emit.matlab:Matlab",
    "python": "manipula.algebra.emit.python:NumPy",
    "rust": "manipula.algebra.emit.rust:Rust",
}

# what else people call them; letters of either case
ALIASES = {
    "ansi c": "c", "c11": "c", "c17": "c", "c99": "c",
    "c++": "cpp", "cc": "cpp", "cxx": "cpp", "c++17": "cpp", "cpp17": "cpp", "c plus plus": "cpp",
    "cu": "cuda",
    "f90": "fortran", "f03": "fortran", "f08": "fortran", "f18": "fortran", "fortran90": "fortran",
    "js": "javascript", "mjs": "javascript", "node": "javascript", "typescript": "javascript", "ts": "javascript",
    "ecmascript": "javascript",
    "tex": "latex",
    "m": "matlab", "octave": "matlab",
    "py": "python", "numpy": "python", "python3": "python",
    "rs": "rust",
}  # fmt: skip

# name → the writer of programs (loops, structs, calls of tapes)
PROGRAMS = {
    "c": "manipula.algebra.emit.c.program:CProgram",
    "cpp": "manipula.algebra.emit.cpp.program:CppProgram",
    "cuda": "manipula.algebra.emit.cuda.program:CudaProgram",
    "javascript": "manipula.algebra.emit.javascript.program:JavaScriptProgram",
    "python": "manipula.algebra.emit.python.program:PythonProgram",
    "rust": "manipula.algebra.emit.rust.program:RustProgram",
}


def languages() -> list[str]:
    """What `emit` can write."""
    return list(BACKENDS)


def language_named(name: str) -> str:
    """The language that is meant: its name, or what else people call it."""
    plain = " ".join(str(name).lower().split())
    found = ALIASES.get(plain, plain)
    if found not in BACKENDS:
        raise UnknownNameError("language", name, BACKENDS)
    return found


def backend_named(language: str) -> Backend:
    made: Backend = _loaded(language_named(language), BACKENDS)()
    return made


def _loaded(language: str, places: Mapping[str, str]) -> Any:
    if language not in places:
        raise UnknownNameError("language", language, places)
    module, _, name = places[language].partition(":")
    return getattr(import_module(module), name)


def emit_program(routines: Sequence[Routine], language: str, public: Sequence[str] = (), **options: bool) -> str:
    """A program in a language; `public` are the routines that can be called from outside, `wide=True` makes whole
    numbers of C, C++ and CUDA 64 bits wide (they are so elsewhere)."""
    text: str = _loaded(language, PROGRAMS)(routines, public, **options).text()
    return f"{text}\n"


def emit(tape: Tape, language: str, version: str, samples: Samples = ()) -> dict[str, str]:
    """The files of a tape in a language: name → text, the same bytes on every run."""
    return backend_named(language).emit(tape, version, samples)
