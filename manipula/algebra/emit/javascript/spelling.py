"""JavaScript: how each operation is written, and the words a local name may not be."""

from __future__ import annotations

from manipula.algebra.emit.text import ARITHMETIC, DECIDING, GUARDED, LIBRARY, Language, calls
from manipula.scalar import OPS

_WORDS = """
abstract arguments await boolean break byte case catch char class const continue debugger default delete do double else
enum eval export extends false final finally float for from function get goto if implements import in instanceof int
interface let long native new null of package private protected public return set short static super switch
synchronized this throw throws transient true try typeof undefined var void volatile while with yield async
Array Math Number Infinity NaN RangeError Object ArrayLike number string readonly type declare any never unknown
globalThis symbol bigint object as is keyof namespace module require exports constructor prototype Error Map Set Symbol
k x y condition yes no signOf minOf maxOf lessOf selectOf sized given wanted got
"""
RESERVED = frozenset(_WORDS.split()) | {f"{op}Of" for op in GUARDED}
HELPERS = (*DECIDING, *GUARDED)
_NAMED = {
    **{op: f"Math.{OPS[op].word('javascript')}" for op in LIBRARY},
    **{op: f"{op}Of" for op in HELPERS},
}

LANGUAGE = Language(
    {**ARITHMETIC, **calls(_NAMED)},
    RESERVED,
    "Infinity",
    "NaN",
)
