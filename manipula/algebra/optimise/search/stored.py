"""Results as text, so that they can ship as data: JSON, one line a node.

What is read back is compared with the function that was asked for, at fresh random points of the field: a text that is
damaged, or wrong, is as good as none.
"""

from __future__ import annotations

import json
import re
import secrets
from dataclasses import replace
from fractions import Fraction
from typing import Any, get_args

from manipula.algebra.expr.function import Function, function_from_content
from manipula.algebra.expr.provenance import provenance_from_dict
from manipula.algebra.optimise.prove import compare_once
from manipula.algebra.optimise.search.ways import reference_from_function
from manipula.errors import ManipulaError
from manipula.scalar import Role, Tolerance

FORMAT = 2  # changes with the text below
_RATIO = re.compile(r"-?[0-9]{1,4000}(/[0-9]{1,4000})?", re.ASCII)


def text_from_function(function: Function) -> str:
    """Nodes, one a line: operation, arguments, data, on line."""
    name, code, inputs, outputs, labels, provenance, conditions = function.content()
    rows = ",\n".join(json.dumps([op, args, _plain(data), int(online)]) for op, args, data, online in code)
    rest = {"inputs": inputs, "outputs": outputs, "labels": labels, "provenance": provenance.as_dict()}
    rest["conditions"] = conditions
    tail = ",\n".join(f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in rest.items())
    return f'{{"format": {FORMAT}, "name": {json.dumps(name)}, "code": [\n{rows}\n],\n{tail}}}\n'


def function_from_text(text: str) -> Function:
    """The inverse; any mistake in the text is a ValueError."""
    raw = json.loads(text)
    try:
        if raw["format"] != FORMAT:
            raise ValueError(f"format {raw['format']} is not {FORMAT}")
        code = [(op, tuple(args), _exact(op, data), bool(online)) for op, args, data, online in raw["code"]]
        inputs = [(name, ids, unit, doc, _role(role)) for name, ids, unit, doc, role in raw["inputs"]]
        outputs = [(name, tuple(shape), *rest) for name, shape, *rest in raw["outputs"]]
        rest = raw["labels"], provenance_from_dict(raw["provenance"]), tuple(raw["conditions"])
        return function_from_content((raw["name"], code, inputs, outputs, *rest))
    except (KeyError, TypeError, IndexError, AttributeError, AssertionError, ManipulaError, ZeroDivisionError) as error:
        raise ValueError(f"not a stored function: {error}") from error


def as_asked(found: Function, function: Function) -> Function | None:
    """The stored result under the names of the function asked for; None unless both compute the same."""
    if _ports(found) != _ports(function):
        return None
    try:
        compare_once(found, reference_from_function(function), f"stored {secrets.token_hex(16)}")
    except (ManipulaError, ZeroDivisionError):
        return None
    return replace(found, name=function.name, provenance=function.provenance)


def _ports(function: Function) -> list[Any]:
    inputs = [(port.name, port.names, port.role) for port in function.inputs]
    return [*inputs, *((port.name, port.shape) for port in function.outputs)]


def _role(told: Any) -> Role:
    if told not in get_args(Role):
        raise ValueError(f"{told!r} is no role of an input")
    role: Role = told
    return role


def _plain(data: Any) -> str | list[str] | None:
    if isinstance(data, Tolerance):
        return [str(Fraction(data)), str(data.single)]
    return None if data is None else str(data)


def _exact(op: str, data: Any) -> Any:
    if op == "tolerance":
        return Tolerance(*map(_number, data))
    return _number(data or "0") if op in ("const", "angle") else data


def _number(text: str) -> Fraction:
    """A ratio of whole numbers of sensible length: no powers of ten that take all day."""
    if not _RATIO.fullmatch(text):
        raise ValueError(f"{text[:40]!r} is no number")
    return Fraction(text)
