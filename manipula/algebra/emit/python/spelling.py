"""NumPy: how each operation is written, and the words a local name may not be."""

from __future__ import annotations

import keyword

from manipula.algebra.emit.text import ARITHMETIC, Language, call

_OWN = {"np", "k", "x", "got", "batch", "NamedTuple", "ValueError", "float", "print", "self"}

LANGUAGE = Language(
    {
        **ARITHMETIC,
        "sin": call("np.sin", 1),
        "cos": call("np.cos", 1),
        "sqrt": call("np.sqrt", 1),
        "atan2": call("np.arctan2", 2),
        "abs": call("np.abs", 1),
        "sign": call("np.sign", 1),
        "min": call("np.minimum", 2),
        "max": call("np.maximum", 2),
        "less": call("_less", 2),
        "select": call("_select", 3),
    },
    frozenset({*keyword.kwlist, *keyword.softkwlist, *_OWN}),
    "np.inf",
    "np.nan",
)
