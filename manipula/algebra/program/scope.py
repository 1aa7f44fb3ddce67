"""What a text sees: its syntax tree, the names around it, and how it is refused."""

from __future__ import annotations

import ast
import builtins
import inspect
import math
import textwrap
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from manipula.algebra.program import primitives
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
KNOWN: dict[Callable[..., Any], str] = {
    **{getattr(primitives, name): name for name in (*_OWN, *_WORDS)},
    **{getattr(builtins, name): name for name in _BUILTIN},
    **{getattr(math, name): name for name in _MATHS},
}


@cache
def _tree(code: CodeType) -> ast.FunctionDef:
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
        strange = sorted(name for name in self.names if not name.isascii())
        if strange:
            raise self.refusal(self.tree.args, f"{strange[0]} has letters that other languages do not know")

    def outside(self, name: str) -> Any:
        """What a name means that the text does not assign: in the function around it, its module, Python."""
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
