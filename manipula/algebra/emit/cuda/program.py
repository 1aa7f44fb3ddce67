"""Programs as functions of a CUDA device: the C text, without anything from a library, so that NVRTC takes it."""

from __future__ import annotations

from collections.abc import Sequence

from manipula.algebra.emit.cpp.program import CppProgram
from manipula.algebra.emit.expressions import number
from manipula.algebra.program.tree import Kind, Routine

WORD, LONG = "unsigned long long", "long long"


class CudaProgram(CppProgram):
    """CUDA C++, to be called from kernels."""

    storage = "static __device__ "
    restrict = "__restrict__ "

    def __init__(self, routines: Sequence[Routine], public: Sequence[str] = (), wide: bool = False) -> None:
        super().__init__(routines, public, wide)
        self.whole = LONG if wide else "int"
        self.types = {**self.types, "int": self.whole, "word": WORD}
        self.forms = {key: self.spelled(text) for key, text in self.forms.items()}
        self.helpers = {key: [self.spelled(line) for line in lines] for key, lines in self.helpers.items()}

    def spelled(self, text: str) -> str:
        text = text.replace("uint64_t", WORD).replace("int64_t", LONG)
        return text.replace("UINT64_C(0xffffffff)", "0xffffffffULL")

    def before(self) -> list[str]:
        return []

    def constant(self, kind: Kind, value: float) -> str:
        if kind == "word":
            return f"{int(value)}ULL"
        if kind == "real":
            return number(value, "(1.0 / 0.0)", "(0.0 / 0.0)")
        return super().constant(kind, value)

    def head(self, routine: Routine) -> str:
        made = super().head(routine)
        return f"__device__ {made}" if routine.name in self.public else made
