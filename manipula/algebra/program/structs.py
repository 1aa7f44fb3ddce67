"""Structs of named arrays and numbers, declared as a class with annotations.

    class Law:
        count: int                     a number of the struct's own
        integral: Annotated[Reals, 6]  six reals of the struct's own
        table: Reals                   an array that lives elsewhere, of any length

In plain Python any object with these attributes will do; a text takes it as `s: Law` and writes `s.table[i]`.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Mapping
from functools import cache
from typing import Any

from manipula.algebra.program.primitives import Complexes, Ints, Reals, Words
from manipula.algebra.program.tree import ARRAYS, Kind, Member, Struct
from manipula.errors import InputError

PLAIN: dict[str, Kind] = {
    "int": "int", "float": "real", "bool": "flag", "complex": "complex", "Word": "word", "Reals": "reals",
    "Complexes": "complexes", "Ints": "ints", "Words": "words", "None": "none",
}  # fmt: skip
OBJECTS: tuple[tuple[Any, Kind], ...] = (
    (Reals, "reals"), (Complexes, "complexes"), (Ints, "ints"), (Words, "words"), (int, "int"), (float, "real"),
    (bool, "flag"),
)  # fmt: skip


@cache
def struct_of(layout: type) -> Struct:
    """The members in their order."""
    names = vars(sys.modules[layout.__module__])
    notes = inspect.get_annotations(layout)
    if not notes:
        raise InputError(
            "{name}: a struct is a class with annotated members, e.g. `q: Annotated[Reals, 6]`", layout.__name__
        )
    return Struct(layout.__name__, tuple(_member(layout.__name__, name, note, names) for name, note in notes.items()))


def _member(struct: str, name: str, note: Any, names: Mapping[str, Any]) -> Member:
    kind, size = _from_text(note, names) if isinstance(note, str) else _from_object(note)
    wrong = kind is None or (size is not None and (kind not in ARRAYS or not isinstance(size, int) or size < 1))
    if wrong or kind is None or kind in ("none", "flag"):
        raise InputError(
            "{struct}.{name}: found {note!r}; a member is int, float, Word, an array (Reals, Complexes, "
            "Ints, Words) or an array with its length, Annotated[Reals, 6]",
            struct,
            name,
            note,
        )
    return Member(name, kind, size if size is not None else 0 if kind in ARRAYS else 1)


def _from_text(note: str, names: Mapping[str, Any]) -> tuple[Kind | None, Any]:
    match ast.parse(note, mode="eval").body:
        case ast.Name(id=word):
            return PLAIN.get(word), None
        case ast.Subscript(value=ast.Name(id="Annotated"), slice=ast.Tuple(elts=[ast.Name(id=word), size])):
            given = size.value if isinstance(size, ast.Constant) else names.get(ast.unparse(size))
            return PLAIN.get(word), 0 if given is None else given
    return None, None


def _from_object(note: Any) -> tuple[Kind | None, Any]:
    inner, *sizes = (note.__origin__, *note.__metadata__) if hasattr(note, "__metadata__") else (note,)
    kind = next((kind for known, kind in OBJECTS if known == inner), None)
    return kind, sizes[0] if sizes else None
