"""Back ends: a tape in, files out. Pure text: nothing is written to disk and nothing is run here.

A back end is a folder with a table of spellings, templates for its files and a recipe in its README; it is entered in
`BACKENDS` under the name users type, and loaded when it is requested.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from importlib import import_module
from math import isnan
from typing import Any, NamedTuple, Protocol, runtime_checkable

from manipula.algebra.emit.about import with_licence
from manipula.algebra.expr.function import Cost
from manipula.algebra.program.tree import Routine
from manipula.algebra.tape import Line, Tape
from manipula.errors import InputError, UnknownNameError
from manipula.messages import Message
from manipula.scalar import OPS

# A tape without what numbers alone decide: a choice whose condition is a number is one of its arms, 1·x is x.
#
#     select(0, a, b)  →  b        1·x  →  x
#
# Both are exact, so the results keep their bits. A number that is another one in single precision decides nothing.


def fold_choices(tape: Tape) -> Tape:
    """The same function; what nobody reads any more is gone, and is not counted."""
    moved = _equal_slots(tape)
    if not moved:
        return tape
    kept = _read(tape, moved)

    def lines(given: Iterable[Line]) -> tuple[Line, ...]:
        return tuple(replace(x, args=tuple(moved.get(arg, arg) for arg in x.args)) for x in given if x.slot in kept)

    outputs = tuple(replace(port, slots=tuple(moved.get(x, x) for x in port.slots)) for port in tape.outputs)
    checks = tuple(
        replace(x, magnitude=moved.get(x.magnitude, x.magnitude), bound=moved.get(x.bound, x.bound))
        for x in tape.checks
    )
    # what is folded away is not counted, as nobody computes it
    gone = [[x for x in half if x.slot not in kept] for half in (tape.online, tape.offline)]
    return replace(
        tape, offline=lines(tape.offline), online=lines(tape.online), guard=lines(tape.guard), outputs=outputs,
        checks=checks, cost=_less(tape.cost, *gone),
    )  # fmt: skip


def _equal_slots(tape: Tape) -> dict[int, int]:
    """Slot → the slot that has the same value."""
    double, single = dict(tape.constants), dict(tape.single)
    # NaN compares with nothing, itself included: it decides no choice
    known = {slot: value for slot, value in double.items() if slot not in single and not isnan(value)}
    moved: dict[int, int] = {}
    for line in (*tape.lines, *tape.guard):
        args = [moved.get(arg, arg) for arg in line.args]
        if line.op == "select" and args[0] in known:
            moved[line.slot] = args[1] if known[args[0]] != 0 else args[2]
        elif line.op == "mul" and 1.0 in (known.get(args[0]), known.get(args[1])):
            moved[line.slot] = args[1] if known.get(args[0]) == 1.0 else args[0]
    return moved


def _read(tape: Tape, moved: dict[int, int]) -> set[int]:
    """The slots that results and checks need."""
    ends = [slot for port in tape.outputs for slot in port.slots]
    ends += [slot for check in tape.checks for slot in (check.magnitude, check.bound)]
    wanted = {moved.get(slot, slot) for slot in ends}
    for line in reversed((*tape.lines, *tape.guard)):
        if line.slot in wanted:
            wanted.update(moved.get(arg, arg) for arg in line.args)
    return wanted


def _less(cost: Cost, online: Iterable[Line], offline: Iterable[Line]) -> Cost:
    """What is left without lines that are gone."""
    left = {x.name: getattr(cost, x.name) for x in fields(cost) if x.name != "offline"}
    for line in online:
        left[OPS[line.op].counted_as] -= 1
    further = None if cost.offline is None else _less(cost.offline, offline, ())
    return Cost(**left, offline=further)


Samples = Sequence[Mapping[str, Sequence[float]]]


DTYPES = ("float32", "float64")


@dataclass(frozen=True)
class EmitOptions:
    """What a person may choose besides the language; one that has no such choice refuses it.

    `dtype`: the number type, "float32" or "float64"; left empty a macro of the compiler decides.

    `batch`: with a function over many states. `single_file`: one file that holds everything. `sincos`: the sine and
    the cosine of an angle by one call, where the target has one.

    `settings` is no choice: the values that a law has of them, for a language that shows values.
    """

    dtype: str = ""
    batch: bool = True
    single_file: bool = False
    sincos: bool = False
    settings: Mapping[str, Sequence[float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.dtype and self.dtype not in DTYPES:
            raise UnknownNameError("dtype", self.dtype, DTYPES)

    def check(self, language: str, known: Sequence[str]) -> None:
        """Refuses what is chosen otherwise than a language has it."""
        chosen = [x for x in fields(self) if x.name != "settings"]
        odd = [x.name for x in chosen if x.name not in known and getattr(self, x.name) != x.default]
        if odd:
            raise InputError(
                Message(
                    "emit: {odd}= is no option of {language}; it has {known} and prefix, and c has them all",
                    odd[0],
                    language,
                    ", ".join(known),
                )
                if known
                else Message(
                    "emit: {odd}= is no option of {language}; it has prefix alone, and c has them all", odd[0], language
                )
            )


PLAIN = EmitOptions()


class Backend(Protocol):
    """One language."""

    def emit(self, tape: Tape, version: str, samples: Samples) -> dict[str, str]:
        """File name → text. `version` is manipula's; `samples` are inputs for the self-test, drawn when empty."""
        ...


@runtime_checkable
class InOneFile(Protocol):
    """A language that can put several functions into one file."""

    def in_one_file(
        self, tapes: Sequence[Tape], title: str, version: str, parts: Sequence[Part] = ()
    ) -> dict[str, str]: ...


# name → where its class is
BACKENDS = {
    "arduino": "manipula.algebra.emit.arduino:Arduino",
    "c": "manipula.algebra.emit.c:C99",
    "casadi": "manipula.algebra.emit.casadi:Casadi",
    "cpp": "manipula.algebra.emit.cpp:Cpp17",
    "cuda": "manipula.algebra.emit.cuda:Cuda",
    "fortran": "manipula.algebra.emit.fortran:Fortran2018",
    "javascript": "manipula.algebra.emit.javascript:JavaScript",
    "jax": "manipula.algebra.emit.jax:Jax",
    "latex": "manipula.algebra.emit.latex:LatexDocument",
    "matlab": "manipula.algebra.emit.matlab:Matlab",
    "python": "manipula.algebra.emit.python:NumPy",
    "ros2": "manipula.algebra.emit.ros2:Ros2",
    "rust": "manipula.algebra.emit.rust:Rust",
    "simulink": "manipula.algebra.emit.simulink:Simulink",
    "st": "manipula.algebra.emit.st:Iec61131",
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
    "ino": "arduino",
    "ros": "ros2", "ros 2": "ros2", "colcon": "ros2",
    "rs": "rust",
    "s-function": "simulink", "sfunction": "simulink", "sfun": "simulink",
    "structured text": "st", "iec": "st", "iec61131": "st", "iec 61131-3": "st", "plc": "st",
    "codesys": "st", "twincat": "st",
}  # fmt: skip

# name → the writer of programs (loops, structs, calls of tapes)
PROGRAMS = {
    "c": "manipula.algebra.emit.c.program:CProgram",
    "cpp": "manipula.algebra.emit.cpp:CppProgram",
    "cuda": "manipula.algebra.emit.cuda.program:CudaProgram",
    "javascript": "manipula.algebra.emit.javascript.program:JavaScriptProgram",
    "python": "manipula.algebra.emit.python:PythonProgram",
    "rust": "manipula.algebra.emit.rust.program:RustProgram",
}


def languages() -> list[str]:
    """What `emit` can write."""
    return list(BACKENDS)


# name → what of `EmitOptions` a language has; a prefix, all have
OPTIONS = {"c": ("dtype", "batch", "single_file", "sincos"), "simulink": ("settings",), "st": ("dtype",)}


def language_named(name: str) -> str:
    """The language that is meant: its name, or what else people call it."""
    # people type C++, Octave and " Fortran90"
    plain = " ".join(str(name).lower().split())
    language = ALIASES.get(plain, plain)
    if language == "fmu":
        raise InputError(
            "a co-simulation unit (fmu) is of a control law or a closed loop: law.emit('fmu'), or "
            "`manipula control ROBOT LAW -l fmu`"
        )
    if language not in BACKENDS:
        raise UnknownNameError("language", name, BACKENDS)
    return language


def backend_named(language: str, options: EmitOptions = PLAIN) -> Backend:
    language = language_named(language)
    made, known = _load_backend(language, BACKENDS), OPTIONS.get(language, ())
    options.check(language, known)
    backend: Backend = made(options) if known else made()
    return backend


def _load_backend(language: str, places: Mapping[str, str]) -> Any:
    if language not in places:
        raise UnknownNameError("language", language, places)
    # imported on demand: a run uses one back end of ten
    module, _, name = places[language].partition(":")
    return getattr(import_module(module), name)


def emit_program(routines: Sequence[Routine], language: str, public: Sequence[str] = (), **options: bool) -> str:
    """A program in a language; `public` are the routines that can be called from outside, `wide=True` makes whole
    numbers of C, C++ and CUDA 64 bits wide (they are so elsewhere)."""
    text: str = _load_backend(language, PROGRAMS)(routines, public, **options).text()
    return f"{text}\n"


def emit(
    tape: Tape, language: str, version: str, samples: Samples = (), options: EmitOptions = PLAIN
) -> dict[str, str]:
    """The files of a tape in a language: name → text, the same bytes on every run."""
    return with_licence(backend_named(language, options).emit(fold_choices(tape), version, samples))


class Part(NamedTuple):
    """Of one file that holds everything: a function that is no tape, its text and its self-test."""

    name: str
    text: str
    test: str


def emit_in_one_file(
    tapes: Sequence[Tape], title: str, language: str, version: str, options: EmitOptions, parts: Sequence[Part] = ()
) -> dict[str, str]:
    """Several tapes in one file, `title`, and their self-tests: name → text."""
    made = backend_named(language, options)
    if not isinstance(made, InOneFile):
        raise InputError("emit: {language} has no single file for several models; c has", language)
    return with_licence(made.in_one_file([fold_choices(tape) for tape in tapes], title, version, parts))
