"""NumPy: how each operation is written, and the words a local name may not be."""

from __future__ import annotations

import keyword

from manipula.algebra.emit.text import ARITHMETIC, GUARDED, LIBRARY, Language, calls
from manipula.scalar import OPS

_OWN = {"np", "k", "x", "got", "batch", "NamedTuple", "ValueError", "float", "print", "self"}

_NAMED = {
    **{op: f"np.{OPS[op].word('numpy')}" for op in (*LIBRARY, "sign", "min", "max")},
    **{op: f"_{op}" for op in ("less", "select", *GUARDED)},
}

LANGUAGE = Language(
    {**ARITHMETIC, **calls(_NAMED)},
    frozenset({*keyword.kwlist, *keyword.softkwlist, *_OWN}),
    "np.inf",
    "np.nan",
)
