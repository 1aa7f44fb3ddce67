"""JAX: how each operation is written, and the words a local name may not be."""

from __future__ import annotations

import keyword

from manipula.algebra.emit.text import ARITHMETIC, GUARDED, LIBRARY, Language, calls
from manipula.scalar import OPS

_WORDS = """
jnp jax k x got batch NamedTuple ValueError float print broken text precise
"""
_NAMED = {
    **{op: f"jnp.{OPS[op].word('jax')}" for op in (*LIBRARY, "sign", "min", "max")},
    **{op: f"_{op}" for op in ("less", "select", *GUARDED)},
}

LANGUAGE = Language(
    {**ARITHMETIC, **calls(_NAMED)},
    frozenset({*keyword.kwlist, *keyword.softkwlist, *_WORDS.split()}),
    "jnp.inf",
    "jnp.nan",
    tolerance="({} if precise else {})",
)
