"""CUDA: how each operation is written over float or double, and the words a local name may not be."""

from __future__ import annotations

from manipula.algebra.emit.c.spelling import FUNCTIONS, Helper
from manipula.algebra.emit.c.spelling import helpers as c_helpers
from manipula.algebra.emit.cpp.spelling import RESERVED as CPP_RESERVED
from manipula.algebra.emit.text import ARITHMETIC, GUARDED, Language, calls
from manipula.scalar import OPS

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
