"""Small errors as people make them: every place of a source file where one of them can be planted.

An operator looks at one node of the syntax tree and gives the nodes that might stand there by mistake; the text of the
file outside the node stays as it is, byte by byte.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeGuard


@dataclass(frozen=True)
class Site:
    """`old`, the bytes from `start` to `end` of a file, may be replaced by `new`."""

    file: str
    line: int
    operator: str
    start: int
    end: int
    old: str
    new: str

    def planted(self, source: bytes) -> bytes:
        return source[: self.start] + self.new.encode() + source[self.end :]


_BOUNDARY = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}
_OPPOSITE = {
    ast.Lt: ast.GtE, ast.LtE: ast.Gt, ast.Gt: ast.LtE, ast.GtE: ast.Lt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
_ARITHMETIC = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv, ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip
_TWINS = {
    "min": "max", "max": "min", "any": "all", "all": "any", "sin": "cos", "cos": "sin", "floor": "ceil",
    "ceil": "floor", "lower": "upper", "upper": "lower", "startswith": "endswith", "endswith": "startswith",
    "zeros": "ones", "union": "intersection", "real": "imag", "lstrip": "rstrip", "rstrip": "lstrip",
}  # fmt: skip


def _boundary(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Compare) and type(node.ops[0]) in _BOUNDARY:
        yield _changed(node, ops=[_BOUNDARY[type(node.ops[0])](), *node.ops[1:]])


def _comparison(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Compare) and type(node.ops[0]) in _OPPOSITE:
        yield _changed(node, ops=[_OPPOSITE[type(node.ops[0])](), *node.ops[1:]])


def _arithmetic(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC and not _text(node.left) and not _text(node.right):
        yield _changed(node, op=_ARITHMETIC[type(node.op)]())


def _operands(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub | ast.Div | ast.MatMult | ast.Pow):
        yield _changed(node, left=node.right, right=node.left)


def _sign(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Not):
        yield node.operand


def _logic(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.BoolOp):
        yield _changed(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
        yield _changed(node, values=node.values[:-1]) if len(node.values) > 2 else node.values[0]


# memory of a text that is translated: one number more is read by nobody, one less is missing
_MEMORY = ("reals", "complexes", "integers", "words")


def _is_memory(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _MEMORY


def _number(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Call) and _is_memory(node) and len(node.args) == 1:
        yield _changed(node, args=[ast.BinOp(node.args[0], ast.Sub(), ast.Constant(1))])
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        yield ast.Constant(node.value + 1 if isinstance(node.value, int) else (2 * node.value or 1.0))


def _truth(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield ast.Constant(not node.value)


def _index(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        for bound in ("lower", "upper"):
            if getattr(node.slice, bound) is not None:
                yield _changed(node, slice=_changed(node.slice, **{bound: None}))


def _twin(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Name) and node.id in _TWINS:
        yield _changed(node, id=_TWINS[node.id])
    if isinstance(node, ast.Attribute) and node.attr in _TWINS:
        yield _changed(node, attr=_TWINS[node.attr])


# no change, or a plain crash
_SYMMETRIC = (
    "min", "max", "minimum", "maximum", "add", "matadd", "hypot", "dot", "gcd", "lcm", "isinstance", "issubclass",
    "getattr", "setattr",
)  # fmt: skip


def _arguments(node: ast.AST) -> Iterator[ast.AST]:
    if not isinstance(node, ast.Call) or len(node.args) < 2 or any(isinstance(a, ast.Starred) for a in node.args[:2]):
        return
    if ast.unparse(node.func).rpartition(".")[2] not in _SYMMETRIC:
        yield _changed(node, args=[node.args[1], node.args[0], *node.args[2:]])


def _transposed(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Attribute) and node.attr == "T":
        yield node.value


def _filter(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        for k, part in enumerate(node.generators):
            if part.ifs:
                yield _changed(
                    node, generators=[*node.generators[:k], _changed(part, ifs=[]), *node.generators[k + 1 :]]
                )


def _condition(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.IfExp):
        yield _changed(node, body=node.orelse, orelse=node.body)


def _fields(node: ast.AST) -> Iterator[ast.AST]:
    """A sentence that names another of its own fields."""
    if isinstance(node, ast.JoinedStr):
        places = [k for k, part in enumerate(node.values) if isinstance(part, ast.FormattedValue)]
        for k, other in pairwise(places):
            if ast.dump(node.values[k]) != ast.dump(node.values[other]):
                yield _changed(node, values=[*node.values[:k], node.values[other], *node.values[k + 1 :]])


def _statement(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield ast.Pass()
    if isinstance(node, ast.AugAssign | ast.Continue | ast.Break):
        yield ast.Pass()


OPERATORS: dict[str, Callable[[ast.AST], Iterator[ast.AST]]] = {
    "boundary": _boundary,
    "comparison": _comparison,
    "arithmetic": _arithmetic,
    "operands": _operands,
    "sign": _sign,
    "logic": _logic,
    "number": _number,
    "truth": _truth,
    "slice": _index,
    "twin": _twin,
    "arguments": _arguments,
    "transpose": _transposed,
    "filter": _filter,
    "branches": _condition,
    "fields": _fields,
    "statement": _statement,
}


def sites(file: str, source: bytes) -> list[Site]:
    """Every small error that can be planted in a file, in the order of its text."""
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found = []
    for node in _executed(ast.parse(source)):
        for operator, variants in OPERATORS.items():
            for variant in variants(node):
                if ast.dump(variant) == ast.dump(node):  # two equal arguments exchanged
                    continue
                start = starts[node.lineno - 1] + node.col_offset
                end = starts[node.end_lineno - 1] + node.end_col_offset
                text = ast.unparse(ast.fix_missing_locations(variant))
                new = f"({text})" if isinstance(variant, ast.expr) and not isinstance(node, ast.Constant) else text
                found.append(Site(file, node.lineno, operator, start, end, source[start:end].decode(), new))
    return sorted(found, key=lambda site: (site.start, site.end, site.operator, site.new))


_SILENT = (ast.Import, ast.ImportFrom)


def _executed(node: ast.AST) -> Iterator[ast.expr | ast.stmt]:
    """Nodes that run: no annotations, imports, docstrings; nothing inside a formatted string, whose places Python 3.11
    does not know."""
    if isinstance(node, _SILENT) or (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"):
        return
    if isinstance(node, ast.expr | ast.stmt) and not (isinstance(node, ast.Constant) and isinstance(node.value, str)):
        yield node
    if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.keyword) and node.arg == "strict") or _is_memory(node):
        return  # `zip(…, strict=True)` guards against the author's own mistakes; memory changes as a whole
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_comment", "ctx"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if _is_rest(node, child):
                yield child
            elif isinstance(child, ast.AST):
                yield from _executed(child)


def _is_rest(node: ast.AST, child: object) -> TypeGuard[ast.UnaryOp]:
    """The -1 of `x.reshape(3, -1)`: every negative number stands for what is left."""
    reshaped = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "reshape"
    return reshaped and isinstance(child, ast.UnaryOp) and isinstance(child.operand, ast.Constant)


def _changed(node: ast.AST, **fields: object) -> ast.AST:
    twin = copy.copy(node)
    for name, value in fields.items():
        setattr(twin, name, value)
    return twin


def _text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))
