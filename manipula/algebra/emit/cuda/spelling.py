"""CUDA: how each operation is written over float or double, and the words a local name may not be."""

from __future__ import annotations

from manipula.algebra.emit.c.spelling import FUNCTIONS, helpers
from manipula.algebra.emit.cpp.spelling import RESERVED as CPP_RESERVED
from manipula.algebra.emit.text import ARITHMETIC, Language, call
from manipula.algebra.expr.ops import OPS

LITERAL = "Real({})"
HELPERS = helpers("Real", LITERAL)
_OWN = """
n i k work broken stream blocks together layout inside room angle sine cosine cudaStream_t cudaError_t
threadIdx blockIdx blockDim gridDim warpSize sincos sincosf sinf cosf sqrtf atan2f fabsf fmaf dim3 float2
double2 float4 double4 half uint size_t __global__ __device__ __host__
"""
_PARTS = """
prepare kernel launch launch_rows sincos turn wave signed near library point far work layout by_columns by_rows
by_strides row read write write_rows tolerance
"""
RESERVED = CPP_RESERVED | frozenset(_OWN.split())
PLAIN = {op: (name, OPS[op].arity) for op, name in FUNCTIONS.items()}  # of math.h, wrapped for either type


def language(prefix: str) -> Language:
    """Every function carries the prefix, so that two headers can live in one program."""
    named = {op: f"{prefix}_{op}" for op in (*PLAIN, *HELPERS)}
    own = {prefix, *named.values(), *(f"{prefix}_{word}" for word in _PARTS.split())}
    return Language(
        {**ARITHMETIC, **{op: call(name, OPS[op].arity) for op, name in named.items()}},
        RESERVED | own,
        "(1.0/0.0)",  # the headers of infinity are not there when a kernel is compiled at run time
        "(0.0/0.0)",
        LITERAL,
        f"{prefix}_tolerance<Real>({{}}, {{}})",
    )
