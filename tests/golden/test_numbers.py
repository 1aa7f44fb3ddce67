"""Numbers that were chosen, not derived: thresholds, budgets, sizes, defaults. `numbers.txt` has those that a module, a
class or a signature is given on import, as they were accepted last, and a digest of tables of words, units, ports and
kinds; one that moves does so on purpose.

A number that is new, and one whose name has moved, is taken in by the next `make golden`.
"""

from __future__ import annotations

import ast
import importlib
import inspect
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any

import manipula

ROOT = Path(manipula.__file__).parent
FILE = Path(__file__).with_name("numbers.txt")
NEW = 0.1  # of the names may be missing in the file, or be there no more


def test_a_number_moves_on_purpose(update: bool) -> None:
    numbers = {name: value for path in sorted(ROOT.rglob("*.py")) for name, value in _numbers(path)}
    if update:
        text = "".join(f"{name} = {value}\n" for name, value in sorted(numbers.items()))
        FILE.write_text(text, encoding="utf-8", newline="\n")
    accepted = dict(line.split(" = ", 1) for line in FILE.read_text(encoding="utf-8").splitlines())
    known = numbers.keys() & accepted.keys()
    moved = {name: (accepted[name], numbers[name]) for name in known if accepted[name] != numbers[name]}
    assert not moved, "if the change is meant: --update, and read the diff"
    assert len(known) > (1 - NEW) * max(len(numbers), len(accepted)) > 1000


def _numbers(path: Path) -> Iterator[tuple[str, str]]:
    """Of one file: constants, attributes of classes, and what arguments are when they are not given."""
    file, tree = path.relative_to(ROOT).as_posix(), ast.parse(path.read_bytes())
    module = importlib.import_module(".".join(("manipula", *path.relative_to(ROOT).with_suffix("").parts)))
    for name, value in _attributes(module, tree.body):
        yield f"{file} {name}", value
    for node in tree.body:
        owner = getattr(module, getattr(node, "name", ""), None)
        if isinstance(node, ast.ClassDef) and isinstance(owner, type):
            for name, value in (*_attributes(owner, node.body), *_methods(owner, node.body)):
                yield f"{file} {node.name}.{name}", value
    for name, value in _methods(module, tree.body):
        yield f"{file} {name}", value


def _attributes(owner: ModuleType | type, body: list[ast.stmt]) -> Iterator[tuple[str, str]]:
    for node in body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        for name in (x.id for target in targets for x in ast.walk(target) if isinstance(x, ast.Name)):
            value = inspect.getattr_static(owner, name, None)
            if not isinstance(owner, type) and not name.isupper():
                continue  # variables of a module change as it runs
            if _is_plain(value):
                yield from [(name, repr(value))] if _has_number(value) else []
            elif "(" in (text := _text(value)):
                yield name, f"table {sha256(text.encode()).hexdigest()[:8]}"


def _methods(owner: ModuleType | type, body: list[ast.stmt]) -> Iterator[tuple[str, str]]:
    if is_dataclass(owner) and (
        odd := [x for x in fields(owner) if not (x.init and x.repr and x.compare and not x.kw_only)]
    ):
        yield "fields", repr([(x.name, x.init, x.repr, x.compare, x.kw_only) for x in odd])
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            function = inspect.unwrap(getattr(owner, node.name, None))  # type: ignore[arg-type]
            given = [*(getattr(function, "__kwdefaults__", None) or {}).items()]
            defaults = getattr(function, "__defaults__", None) or ()
            names = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)]
            for name, value in (*zip(names[len(names) - len(defaults) :], defaults), *given):
                if _is_plain(value) and _has_number(value):
                    yield f"{node.name}({name})", repr(value)


def _text(value: Any, deep: int = 0) -> str:
    """A table of the package's own objects, field by field; functions by their names."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_text(k, deep + 1)}: {_text(x, deep + 1)}' for k, x in value.items())}}}"
    if type(value) in (tuple, list):
        return f"[{', '.join(_text(x, deep + 1) for x in value)}]"
    if type(value) in PLAIN:
        return repr(value)
    if is_dataclass(value) and not isinstance(value, type) and deep < DEEP:
        return f"{type(value).__name__}({', '.join(_text(getattr(value, x.name), deep + 1) for x in fields(value))})"
    return str(getattr(value, "__name__", type(value).__name__))


DEEP = 8
NUMBERS = (bool, int, float, complex, Fraction)
PLAIN = (*NUMBERS, str, type(None))


def _is_plain(value: object) -> bool:
    if isinstance(value, dict):
        return all(map(_is_plain, (*value, *value.values())))
    return type(value) in PLAIN or (type(value) in (tuple, list) and all(map(_is_plain, value)))  # type: ignore[arg-type]


def _has_number(value: object) -> bool:
    if isinstance(value, dict):
        return any(map(_has_number, (*value, *value.values())))
    return any(map(_has_number, value)) if isinstance(value, tuple | list) else isinstance(value, NUMBERS)
