"""C++17: how each operation is written over any scalar, and the words a local name may not be.

Functions are called without `std::`, so that argument-dependent look-up finds those of a dual number.
"""

from __future__ import annotations

from manipula.algebra.emit.c.spelling import RESERVED as C_RESERVED
from manipula.algebra.emit.c.spelling import helpers
from manipula.algebra.emit.text import ARITHMETIC, LIBRARY, Language, calls
from manipula.scalar import OPS

LITERAL = "Real({})"
NAN = "std::numeric_limits<double>::quiet_NaN()"
HELPERS = helpers("Real&", LITERAL, NAN)
FUNCTIONS = {op: OPS[op].word("cpp") for op in LIBRARY}  # as <cmath> has them
_OWN = """
Real result std array numeric_limits domain_error manipula detail tolerance k i n x y yes no condition once twice digits
"""
RESERVED = C_RESERVED | frozenset(_OWN.split())


def language(prefix: str) -> Language:
    """Helper functions live in a namespace with the function's name in front."""
    named = {**FUNCTIONS, **{op: f"{prefix}_detail::{op}_of" for op in HELPERS}}
    return Language(
        {**ARITHMETIC, **calls(named)},
        RESERVED | {prefix, f"{prefix}_prepare", f"{prefix}_results", f"{prefix}_detail"},
        "std::numeric_limits<double>::infinity()",
        NAN,
        LITERAL,
        f"{prefix}_detail::tolerance<Real>({{}}, {{}})",
    )
