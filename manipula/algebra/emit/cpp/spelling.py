"""C++17: how each operation is written over any scalar, and the words a local name may not be.

Functions are called without `std::`, so that argument-dependent look-up finds those of a dual number.
"""

from __future__ import annotations

from manipula.algebra.emit.c.spelling import RESERVED as C_RESERVED
from manipula.algebra.emit.c.spelling import helpers
from manipula.algebra.emit.text import ARITHMETIC, Language, call
from manipula.algebra.expr.ops import OPS

LITERAL = "Real({})"
HELPERS = helpers("Real&", LITERAL)
_OWN = """
Real result std array numeric_limits domain_error manipula detail tolerance k i n x y yes no condition once twice digits
"""
RESERVED = C_RESERVED | frozenset(_OWN.split())


def language(prefix: str) -> Language:
    """Helper functions live in a namespace with the function's name in front."""
    named = {
        "sin": "sin", "cos": "cos", "sqrt": "sqrt", "atan2": "atan2", "abs": "abs",
        **{op: f"{prefix}_detail::{op}_of" for op in HELPERS},
    }  # fmt: skip
    return Language(
        {**ARITHMETIC, **{op: call(name, OPS[op].arity) for op, name in named.items()}},
        RESERVED | {prefix, f"{prefix}_prepare", f"{prefix}_results", f"{prefix}_detail"},
        "std::numeric_limits<double>::infinity()",
        "std::numeric_limits<double>::quiet_NaN()",
        LITERAL,
        f"{prefix}_detail::tolerance<Real>({{}}, {{}})",
    )
