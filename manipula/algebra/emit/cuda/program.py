"""Programs as functions of a CUDA device: the C text, without anything from a library, so that NVRTC takes it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from manipula.algebra.emit.c.spelling import FUNCTIONS, Helper
from manipula.algebra.emit.c.spelling import helpers as c_helpers
from manipula.algebra.emit.cpp import RESERVED as CPP_RESERVED
from manipula.algebra.emit.cpp import CppProgram
from manipula.algebra.emit.section import Statement
from manipula.algebra.emit.text import ARITHMETIC, GUARDED, Language, calls, number
from manipula.algebra.program.tree import Kind, Routine
from manipula.algebra.tape import Line, Tape
from manipula.scalar import OPS

WORD, LONG = "unsigned long long", "long long"


class CudaProgram(CppProgram):
    """CUDA C++, to be called from kernels."""

    storage = "static __device__ "
    restrict = "__restrict__ "

    def __init__(self, routines: Sequence[Routine], public: Sequence[str] = (), wide: bool = False) -> None:
        super().__init__(routines, public, wide)
        self.whole = LONG if wide else "int"
        self.types = {**self.types, "int": self.whole, "word": WORD}
        self.forms = {key: self.spell_types(text) for key, text in self.forms.items()}
        self.helpers = {key: [self.spell_types(line) for line in lines] for key, lines in self.helpers.items()}

    def spell_types(self, text: str) -> str:
        # NVRTC has no stdint.h
        text = text.replace("uint64_t", WORD).replace("int64_t", LONG)
        return text.replace("UINT64_C(0xffffffff)", "0xffffffffULL")

    def before(self) -> list[str]:
        return []

    def constant(self, kind: Kind, value: float) -> str:
        if kind == "word":
            return f"{int(value)}ULL"
        if kind == "real":
            # nor math.h with its macros for infinity and NaN
            return number(value, "(1.0 / 0.0)", "(0.0 / 0.0)")
        return super().constant(kind, value)

    def head(self, routine: Routine) -> str:
        made = super().head(routine)
        return f"__device__ {made}" if routine.name in self.public else made


# CUDA: how each operation is written over float or double, and the words a local name may not be.

LITERAL = "Real({})"
_OWN = """
n i k work broken stream blocks together layout inside room angle sine cosine cudaStream_t cudaError_t
threadIdx blockIdx blockDim gridDim warpSize sincos sincosf sinf cosf sqrtf atan2f fabsf fmaf dim3 float2
double2 float4 double4 half uint size_t __global__ __device__ __host__
"""
_PARTS = """
prepare kernel launch launch_rows sincos turn wave signed near library point far work layout by_columns by_rows
by_strides row read write write_rows tolerance rollouts chosen
"""
RESERVED = CPP_RESERVED | frozenset(_OWN.split())
# operation, or what its helper calls → function of math.h, wrapped for either type
PLAIN = {
    **{op: (name, OPS[op].arity) for op, name in FUNCTIONS.items()},
    **{f"plain_{OPS[op].word('c')}": (OPS[op].word("c"), OPS[op].arity) for op in GUARDED},
}


def helpers(prefix: str) -> dict[str, Helper]:
    return c_helpers("Real", LITERAL, "0.0/0.0", lambda name: f"{prefix}_plain_{name}")


def language(prefix: str) -> Language:
    """Every function carries the prefix, so that two headers can live in one program."""
    named = {op: f"{prefix}_{op}" for op in (*PLAIN, *helpers(prefix))}
    own = {prefix, *named.values(), *(f"{prefix}_{word}" for word in _PARTS.split())}
    return Language(
        {**ARITHMETIC, **calls({op: name for op, name in named.items() if op in OPS})},
        RESERVED | own,
        "(1.0/0.0)",  # the headers of infinity are not there when a kernel is compiled at run time
        "(0.0/0.0)",
        LITERAL,
        f"{prefix}_tolerance<Real>({{}}, {{}})",
    )


# Sines and cosines brought together: one argument reduction a pair, one test whether any angle is out of range.
#
# Whatever a sine's angle needs is moved to the front, so that all sines and cosines of inputs stand side by side; then
# the statements that compute them become a `Group`.

WORDS = ("angle", "sine", "cosine")
_PLAIN = ("add", "sub", "mul", "neg")  # what an angle that is moved to the front may be made of


@dataclass(frozen=True)
class Group:
    """sine, cosine = sincos(angles); results are what is read of them."""

    angle: str
    sine: str
    cosine: str
    angles: tuple[str, ...]
    results: tuple[Statement, ...]


def move_angles_first(tape: Tape) -> Tape:
    """The same tape: first what the angles need, then sines and cosines, then the rest, each in its old order."""
    online = {line.slot: line for line in tape.online}
    plain = _plain_slots(tape.online, online)
    sines = [line for line in tape.online if is_sine(line) and line.args[0] in plain]
    below = _below([line.args[0] for line in sines], online)
    moved = {line.slot for line in sines} | below
    front = [line for line in tape.online if line.slot in below]
    rest = [line for line in tape.online if line.slot not in moved]
    return replace(tape, online=(*front, *sines, *rest))


def is_sine(line: Line) -> bool:
    return line.op in ("sin", "cos")


def _plain_slots(lines: Sequence[Line], online: dict[int, Line]) -> set[int]:
    """Slots that are inputs, or sums and products of such."""
    # what no line computes is an input or a constant
    plain = {arg for line in lines for arg in line.args if arg not in online}
    for line in lines:
        if line.op in _PLAIN and plain.issuperset(line.args):
            plain.add(line.slot)
    return plain


def _below(slots: Sequence[int], online: dict[int, Line]) -> set[int]:
    below: set[int] = set()
    waiting = list(slots)
    while waiting:
        slot = waiting.pop()
        if slot in online and slot not in below:
            below.add(slot)
            waiting += online[slot].args
    return below


def group_angles(statements: Sequence[Statement], prefix: str) -> Iterator[Statement | Group]:
    """Neighbouring sines and cosines become groups; an angle that reads a result of its group begins the next."""
    run: list[Statement] = []
    count = 0
    for statement in (*statements, None):
        call = _call(statement.text, prefix) if statement else None
        # results of a group exist only after the whole group
        if run and (call is None or not {x.name for x in run}.isdisjoint(re.findall(r"\w+", call[1]))):
            count += 1
            yield _group(run, prefix, str(count) if count > 1 else "")
            run = []
        if statement and call:
            run.append(statement)
        elif statement:
            yield statement


def _group(statements: Sequence[Statement], prefix: str, number: str) -> Group:
    calls = [call for x in statements if (call := _call(x.text, prefix)) is not None]
    angles = tuple(dict.fromkeys(angle for _, angle in calls))
    angle, sine, cosine = (word + number for word in WORDS)
    table = {"sin": sine, "cos": cosine}
    results = [Statement(x.name, f"{table[op]}[{angles.index(of)}]") for x, (op, of) in zip(statements, calls)]
    return Group(angle, sine, cosine, angles, tuple(results))


def _call(text: str, prefix: str) -> tuple[str, str] | None:
    """(sin, q2) of `f_sin(q2)`; nothing where the call is only a part of the text."""
    match = re.fullmatch(rf"{prefix}_(sin|cos)\((.*)\)", text)
    if match is None:
        return None
    depth = 0
    for letter in match[2]:
        depth += {"(": 1, ")": -1}.get(letter, 0)
        # sin(a)*cos(b) also begins with a call and ends with a bracket: only a whole call counts
        if depth < 0:
            return None
    return match[1], match[2]
