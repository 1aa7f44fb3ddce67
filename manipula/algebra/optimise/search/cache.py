"""Results kept by content: the function as it came and the options decide the name of the file.

The text is JSON, one line a node, so that results can also ship as data. Whatever is read back is compared with the
function that was asked for at fresh random points of the field: a file that is damaged, or wrong, is as good as none.
"""

from __future__ import annotations

import json
import os
import secrets
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import astuple, replace
from fractions import Fraction
from hashlib import blake2b
from pathlib import Path
from typing import Any

from manipula.algebra.expr.field import FieldMaths
from manipula.algebra.expr.function import Function, function_from_content
from manipula.algebra.optimise.price import Price
from manipula.algebra.optimise.prove import compare
from manipula.algebra.optimise.search.ways import reference_from_function
from manipula.errors import ManipulaError

FORMAT = 1  # changes with the text below, and when the search learns to do better


def key_of(function: Function, price: Price, *options: object) -> str:
    """The name under which a result is kept: what it computes and how, whatever it is called."""
    _, code, inputs, outputs, *_ = function.content()
    text = repr((FORMAT, code, inputs, outputs, astuple(price), options))
    return blake2b(text.encode(), digest_size=16).hexdigest()


def remembered(folder: Path, key: str, function: Function, search: Callable[[Function], Function]) -> Function:
    """The kept result, or a new one, kept from now on. A folder that cannot be written is no reason to fail."""
    path = folder / f"{key}.json"
    known = _read(path, function)
    if known is not None:
        return known
    result = search(function)
    with suppress(OSError):  # a read-only home: the next run searches again
        _write(path, text_from_function(result))
    return result


def text_from_function(function: Function) -> str:
    """Nodes, one a line: operation, arguments, data, on line."""
    name, code, inputs, outputs, labels, notes, conditions = function.content()
    rows = ",\n".join(json.dumps([op, args, _plain(data), int(online)]) for op, args, data, online in code)
    rest = {"inputs": inputs, "outputs": outputs, "labels": labels, "notes": notes, "conditions": conditions}
    tail = ",\n".join(f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in rest.items())
    return f'{{"format": {FORMAT}, "name": {json.dumps(name)}, "code": [\n{rows}\n],\n{tail}}}\n'


def function_from_text(text: str) -> Function:
    """The inverse; any mistake in the text is a ValueError."""
    raw = json.loads(text)
    try:
        if raw["format"] != FORMAT:
            raise ValueError(f"format {raw['format']} is not {FORMAT}")
        code = [(op, tuple(args), _exact(op, data), bool(online)) for op, args, data, online in raw["code"]]
        inputs = [(name, ids, unit, doc, online) for name, ids, unit, doc, online in raw["inputs"]]
        outputs = [(name, tuple(shape), ids, unit, doc) for name, shape, ids, unit, doc in raw["outputs"]]
        rest = raw["labels"], dict(raw["notes"]), tuple(raw["conditions"])
        return function_from_content((raw["name"], code, inputs, outputs, *rest))
    except (KeyError, TypeError, IndexError, AttributeError, AssertionError, ManipulaError, ZeroDivisionError) as error:
        raise ValueError(f"not a stored function: {error}") from error


def as_asked(found: Function, function: Function) -> Function | None:
    """The stored result under the names of the function asked for; None unless both compute the same."""
    if _ports(found) != _ports(function):
        return None
    try:
        compare(found, reference_from_function(function), FieldMaths(f"stored {secrets.token_hex(16)}"))
    except (ManipulaError, ZeroDivisionError):
        return None
    return replace(found, name=function.name, notes=function.notes, conditions=function.conditions)


def _ports(function: Function) -> list[Any]:
    inputs = [(port.name, port.names, port.online) for port in function.inputs]
    return [*inputs, *((port.name, port.shape) for port in function.outputs)]


def _read(path: Path, function: Function) -> Function | None:
    try:
        return as_asked(function_from_text(path.read_text(encoding="utf-8")), function)
    except (OSError, ValueError):
        return None


def _write(path: Path, text: str) -> None:
    """Whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".part")
    with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)
    os.replace(temporary, path)


def _plain(data: Any) -> str | None:
    return None if data is None else str(data)


def _exact(op: str, data: str | None) -> Any:
    return Fraction(data or 0) if op in ("const", "angle") else data
