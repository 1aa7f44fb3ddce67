"""The files of the package as trees: who calls whom, what a name inside a function was given."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import manipula

ROOT = Path(manipula.__file__).parent
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef  # a class is called with its fields
NOTES = ("notes", "said", "told", "lost")  # lists of sentences that become warnings
GIVES = (ast.Assign, ast.NamedExpr, ast.AugAssign, ast.AnnAssign, ast.For, ast.comprehension, ast.ExceptHandler)
MATTERS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Call, ast.ImportFrom, *GIVES)
LEAVES = (ast.Name, ast.Constant, ast.expr_context, ast.operator, ast.cmpop, ast.unaryop, ast.boolop)
FEW = 8  # functions of one name: a method of an unknown object is one of them


@dataclass
class Source:
    """A file."""

    path: Path
    functions: dict[str, list[Function]] = field(default_factory=dict)
    """Classes too."""
    names: dict[str, ast.expr] = field(default_factory=dict)
    imported: dict[str, tuple[str, str]] = field(default_factory=dict)
    calls: list[tuple[ast.Call, Function | None]] = field(default_factory=list)
    given: dict[Function, list[ast.AST]] = field(default_factory=dict)
    """The lines of a function that give a name a value."""
    kept: dict[str, list[tuple[ast.expr, Function | None]]] = field(default_factory=dict)
    """What `self` is given under a name."""
    added: list[tuple[ast.expr, Function | None]] = field(default_factory=list)
    """What lists of sentences are given: `notes += …`"""


@dataclass
class Package:
    """All of them, a function's file, and the functions of a name."""

    files: dict[str, Source]
    home: dict[Function, Source]
    named: dict[str, list[Function]]
    fields: dict[str, list[Function]]
    """The classes that have a text of this name."""

    def called(self, call: ast.AST, source: Source) -> list[Function]:
        """The functions that may be meant."""
        match call:
            case ast.Name(id=name) if name in source.functions:
                return source.functions[name]
            case ast.Name(id=name) if name in source.imported:
                module, its = source.imported[name]
                return self.files[module].functions.get(its, []) if module in self.files else []
            case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name) if name in source.functions:
                return source.functions[name]
            case ast.Attribute(value=ast.Name(id=owner), attr=name) if owner in source.imported:
                module = ".".join(source.imported[owner]).strip(".")
                if module in self.files:
                    return self.files[module].functions.get(name, [])
                return self._methods(name)
            case ast.Attribute(attr=name):
                return self._methods(name)
        return []

    def constant(self, name: str, source: Source) -> tuple[ast.expr | None, Source]:
        """What a name outside functions stands for, and the file that says so."""
        if name in source.names:
            return source.names[name], source
        module, its = source.imported.get(name, ("", ""))
        found = self.files.get(module, source)
        return (found.names.get(its), found) if module in self.files else (None, source)

    def _methods(self, name: str) -> list[Function]:
        found = [x for x in self.named.get(name, ()) if _speaks(x)]
        return found if len(found) <= FEW else []


@cache
def _speaks(function: Function) -> bool:
    """A method whose answer may be words or an error."""
    if isinstance(function, ast.ClassDef) or parameters(function, bound=False)[:1] not in (["self"], ["cls"]):
        return False
    returns = ast.unparse(function.returns) if function.returns else ""
    return "str" in returns or "Error" in returns


def parameters(function: Function, bound: bool = True) -> list[str]:
    """Its names in order; without self when it is bound. Of a class, its fields."""
    if isinstance(function, ast.ClassDef):
        return [x.target.id for x in function.body if isinstance(x, ast.AnnAssign) and isinstance(x.target, ast.Name)]
    found = [x.arg for x in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)]
    return found[1:] if bound and found[:1] in (["self"], ["cls"]) else found


def package(root: Path = ROOT) -> Package:
    files = {_module(path, root): _source(path) for path in sorted(root.rglob("*.py"))}
    home = {x: file for file in files.values() for functions in file.functions.values() for x in functions}
    named: dict[str, list[Function]] = {}
    for function in home:
        named.setdefault(function.name, []).append(function)
    fields: dict[str, list[Function]] = {}
    for one in home:
        for name in texts_of(one) if isinstance(one, ast.ClassDef) else ():
            fields.setdefault(name, []).append(one)
    return Package(files, home, named, fields)


def texts_of(one: ast.ClassDef) -> list[str]:
    """The fields of a class that are texts."""
    lines = [x for x in one.body if isinstance(x, ast.AnnAssign) and isinstance(x.target, ast.Name)]
    return [x.target.id for x in lines if isinstance(x.target, ast.Name) and "str" in ast.unparse(x.annotation)]


def _module(path: Path, root: Path) -> str:
    parts = (root.name, *path.relative_to(root).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _source(path: Path) -> Source:
    tree, found = ast.parse(path.read_text(encoding="utf-8")), Source(path)
    for node, inside in _walked(tree):
        if inside is not None and (isinstance(node, GIVES) or _appends(node)):
            found.given.setdefault(inside, []).append(node)
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                found.functions.setdefault(node.name, []).append(node)
            case ast.Call():
                found.calls.append((node, inside))
            case ast.AugAssign(target=ast.Name(id=name) | ast.Attribute(attr=name), value=value) if name in NOTES:
                found.added.append((value, inside))
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)], value=value):
                found.kept.setdefault(name, []).append((value, inside))
            case ast.ImportFrom(module=str(module), names=names):
                found.imported |= {x.asname or x.name: (module, x.name) for x in names}
    for line in tree.body:
        match line:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                found.names[name] = value
    return found


def _appends(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(), attr="append" | "extend"), args=[_]):
            return True
    return False


def _walked(tree: ast.Module) -> Iterator[tuple[ast.AST, Function | None]]:
    """Every node that matters here, and the function or class it is in."""
    left: list[tuple[ast.AST, Function | None]] = [(tree, None)]
    while left:
        node, inside = left.pop()
        if isinstance(node, MATTERS):
            yield node, inside
        within = node if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) else inside
        for name in node._fields:
            found = getattr(node, name)
            if isinstance(found, list):
                left += [(x, within) for x in reversed(found) if isinstance(x, ast.AST)]
            elif isinstance(found, ast.AST) and not isinstance(found, LEAVES):
                left.append((found, within))
