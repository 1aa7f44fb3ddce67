"""What a text sees: its syntax tree, the names around it, and how it is refused."""

from __future__ import annotations

import ast
import builtins
import inspect
import math
import sys
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from manipula.algebra.program import primitives, tree
from manipula.algebra.program.primitives import Complexes, Ints, Reals, Words
from manipula.errors import InputError
from manipula.messages import Message

_OWN = ("reals", "complexes", "integers", "words", "like")
_WORDS = (
    "sin", "cos", "sqrt", "exp", "log", "atan2", "floor", "ceil", "rint", "real", "imag", "number",
    "select", "word", "high", "quotient", "remainder",
)  # fmt: skip
_BUILTIN = ("abs", "min", "max", "int", "float")
_MATHS = ("sin", "cos", "sqrt", "exp", "log", "atan2")

# what a text may call without its being a text: the function itself decides, under whatever name it was imported
KNOWN: dict[Callable[..., object], str] = {
    **{getattr(primitives, name): name for name in (*_OWN, *_WORDS)},
    **{getattr(builtins, name): name for name in _BUILTIN},
    **{getattr(math, name): name for name in _MATHS},
}


# by identity: two codes are equal where only file or annotations differ, as in a cell that is corrected and run again
_TREES: dict[int, tuple[CodeType, ast.FunctionDef]] = {}


def _tree(code: CodeType) -> ast.FunctionDef:
    if id(code) not in _TREES:
        _TREES[id(code)] = code, _parse(code)
    return _TREES[id(code)][1]


def _parse(code: CodeType) -> ast.FunctionDef:
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(code))).body[0]
    except (OSError, SyntaxError):
        tree = None
    if not isinstance(tree, ast.FunctionDef):
        raise InputError(
            "{co_name}: its source cannot be read: a text is a `def` in a file or in a notebook", code.co_name
        )
    return tree


class Scope:
    """Of one function."""

    def __init__(self, function: FunctionType) -> None:
        self.function = function
        self.tree = _tree(function.__code__)
        cells = zip(function.__code__.co_freevars, function.__closure__ or ())
        self.around = {name: cell.cell_contents for name, cell in cells}
        self.file = Path(function.__code__.co_filename).name
        nodes = list(ast.walk(self.tree))
        self.names = {x.id for x in nodes if isinstance(x, ast.Name)} | {x.arg for x in nodes if isinstance(x, ast.arg)}
        targets = (x.target for x in nodes if isinstance(x, ast.For))
        self.loops = {x.id for x in targets if isinstance(x, ast.Name)}
        # refused here, with the line, and not by some compiler of another language
        strange = sorted(name for name in self.names if not name.isascii())
        if strange:
            raise self.refusal(self.tree.args, f"{strange[0]} has letters that other languages do not know")

    def outside(self, name: str) -> Any:
        """What a name means that the text does not assign: in the function around it, its module, Python."""
        # as Python itself looks names up
        for names in (self.around, self.function.__globals__, vars(builtins)):
            if name in names:
                return names[name]
        return None

    def line(self, node: ast.AST) -> int:
        return self.function.__code__.co_firstlineno + getattr(node, "lineno", 1) - 1

    def refusal(self, node: ast.AST, why: str = "") -> InputError:
        return InputError(
            Message(
                "{file}:{line}: {name}: no translation for {ast!r}: {why}",
                self.file,
                self.line(node),
                self.function.__name__,
                ast.unparse(node),
                why,
            )
            if why
            else Message(
                "{file}:{line}: {name}: no translation for {ast!r}",
                self.file,
                self.line(node),
                self.function.__name__,
                ast.unparse(node),
            )
        )


# Structs of named arrays and numbers, declared as a class with annotations.
#
#     class Law:
#         count: int                     a number of the struct's own
#         integral: Annotated[Reals, 6]  six reals of the struct's own
#         table: Reals                   an array that lives elsewhere, of any length
#
# In plain Python any object with these attributes will do; a text takes it as `s: Law` and writes `s.table[i]`.

PLAIN: dict[str, tree.Kind] = {
    "int": "int", "float": "real", "bool": "flag", "complex": "complex", "Word": "word", "Reals": "reals",
    "Complexes": "complexes", "Ints": "ints", "Words": "words", "None": "none",
}  # fmt: skip
OBJECTS: tuple[tuple[Any, tree.Kind], ...] = (
    (Reals, "reals"), (Complexes, "complexes"), (Ints, "ints"), (Words, "words"), (int, "int"), (float, "real"),
    (bool, "flag"),
)  # fmt: skip


@cache
def struct_of(layout: type) -> tree.Struct:
    """The members in their order."""
    names = vars(sys.modules[layout.__module__])
    notes = inspect.get_annotations(layout)
    if not notes:
        raise InputError(
            "{name}: a struct is a class with annotated members, e.g. `q: Annotated[Reals, 6]`", layout.__name__
        )
    return tree.Struct(
        layout.__name__, tuple(_member(layout.__name__, name, note, names) for name, note in notes.items())
    )


def _member(struct: str, name: str, note: object, names: Mapping[str, object]) -> tree.Member:
    kind, size = _from_text(note, names) if isinstance(note, str) else _from_object(note)
    wrong = kind is None or (size is not None and (kind not in tree.ARRAYS or not isinstance(size, int) or size < 1))
    if wrong or kind is None or kind in ("none", "flag"):
        raise InputError(
            "{struct}.{name}: found {note!r}; a member is int, float, Word, an array (Reals, Complexes, "
            "Ints, Words) or an array with its length, Annotated[Reals, 6]",
            struct,
            name,
            note,
        )
    return tree.Member(name, kind, size if size is not None else 0 if kind in tree.ARRAYS else 1)


def _from_text(note: str, names: Mapping[str, object]) -> tuple[tree.Kind | None, Any]:
    match ast.parse(note, mode="eval").body:
        case ast.Name(id=word):
            return PLAIN.get(word), None
        case ast.Subscript(value=ast.Name(id="Annotated"), slice=ast.Tuple(elts=[ast.Name(id=word), size])):
            length = size.value if isinstance(size, ast.Constant) else names.get(ast.unparse(size))
            return PLAIN.get(word), 0 if length is None else length
    return None, None


def _from_object(note: Any) -> tuple[tree.Kind | None, Any]:
    inner, *sizes = (note.__origin__, *note.__metadata__) if hasattr(note, "__metadata__") else (note,)
    kind = next((kind for known, kind in OBJECTS if known == inner), None)
    return kind, sizes[0] if sizes else None


# One order of computation: from left to right, as Python has it, in languages that leave it open as well.
#
# Where a call changes arrays and its neighbours in the same expression read them, or change them too, they are held in
# variables of their own first, in order. A chosen value and what `and`, `or` may skip cannot be held: they are refused.

TWICE = ("min", "max", "abs")  # some languages have to write their arguments twice


class Order:
    """`changed` lists the arguments that a call changes, `temporary` names a new variable."""

    def __init__(
        self,
        changed: Callable[[tree.RoutineCall], list[tree.Expr]],
        temporary: Callable[[str, tree.Kind], str],
        refuse: Callable[[], InputError],
    ) -> None:
        self.changed, self.temporary, self.refuse = changed, temporary, refuse
        self.before: list[tree.Stmt] = []

    def __call__(self, x: tree.Expr, skipped: bool = False) -> tree.Expr:
        """The expression in which the order is fixed, after the statements `before`."""
        if not self.acts(x):
            return x
        match x:
            case tree.ProgramOp(_, "choose" | "and" | "or", (first, *rest)):
                return replace(x, args=(self(first, skipped), *(self(arg, True) for arg in rest)))
            case tree.ProgramOp(_, _, args) | tree.RoutineCall(_, _, args) | tree.CallTape(_, _, _, args):
                return replace(x, args=self.order_arguments(x, args, skipped))
            case tree.ArrayItem(_, array, index):
                array, index = self.order_arguments(x, (array, index), skipped)
                return replace(x, array=array, index=index)
        return x

    def order_arguments(self, x: tree.Expr, args: tuple[tree.Expr, ...], skipped: bool) -> tuple[tree.Expr, ...]:
        acting = [i for i, arg in enumerate(args) if self.acts(arg)]
        if not acting:
            return args
        # one call that changes arrays, and nothing beside it that reads any: every order gives the same
        alone = len(acting) == 1 and not any(_looks(arg) for i, arg in enumerate(args) if i != acting[0])
        twice = isinstance(x, tree.ProgramOp) and (x.name == "select" or x.name in TWICE)
        if alone and not twice:
            return tuple(self(arg, skipped) for arg in args)
        if skipped:
            raise self.refuse()
        return tuple(
            self.evaluated_first(arg) if i <= acting[-1] and _looks(arg) else arg for i, arg in enumerate(args)
        )

    def evaluated_first(self, x: tree.Expr) -> tree.Expr:
        if x.kind in tree.ARRAYS or tree.STRUCT in x.kind:
            return self(x)
        value = self(x)
        var = tree.Var(x.kind, self.temporary("held", x.kind))
        self.before.append(tree.Set(var, value))
        return var

    def acts(self, x: tree.Expr) -> bool:
        """Does computing it change an array?"""
        return any(
            isinstance(p, tree.CallTape) or (isinstance(p, tree.RoutineCall) and self.changed(p)) for p in tree.parts(x)
        )


def _looks(x: tree.Expr) -> bool:
    """Does its value depend on arrays?"""
    reads = (
        part
        for part in tree.parts(x)
        if isinstance(part, tree.ArrayItem | tree.Field | tree.RoutineCall | tree.CallTape)
    )
    return any(part.kind not in tree.ARRAYS for part in reads)
