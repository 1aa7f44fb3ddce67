"""JAX: how each operation is written, and the words a local name may not be."""

from __future__ import annotations

import keyword

from manipula.algebra.emit.text import ARITHMETIC, Language, call
from manipula.algebra.expr.ops import OPS

_WORDS = """
jnp jax k x got batch NamedTuple ValueError float print broken text precise
"""
_NAMED = {
    **{op: f"jnp.{op}" for op in ("sin", "cos", "sqrt", "abs", "sign")},
    "atan2": "jnp.arctan2", "min": "jnp.minimum", "max": "jnp.maximum", "less": "_less", "select": "_select",
}  # fmt: skip

LANGUAGE = Language(
    {**ARITHMETIC, **{op: call(name, OPS[op].arity) for op, name in _NAMED.items()}},
    frozenset({*keyword.kwlist, *keyword.softkwlist, *_WORDS.split()}),
    "jnp.inf",
    "jnp.nan",
    tolerance="({} if precise else {})",
)
