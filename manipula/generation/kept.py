"""Functions made on this machine, in the cache: the same text as the records that ship, and trusted no more.

What is read back is data. It must have the ports that were asked for, and `generation` proves it before it leaves.
"""

from __future__ import annotations

from dataclasses import fields

from manipula.algebra.expr.function import Function
from manipula.algebra.optimise.search.stored import function_from_text, text_from_function
from manipula.generation.prepare import Prepared
from manipula.generation.request import Request
from manipula.generation.shipped import has_ports_of
from manipula.support.cache import discard, fetch, key_of
from manipula.support.cache import keep as keep_bytes


def key_from(request: Request) -> str:
    """All that a function depends on; not where the robot's file lies."""
    return key_of("function", _content(request))


def _content(request: Request) -> list[tuple[str, object]]:
    asked = {item.name: getattr(request, item.name) for item in fields(request)}
    asked["robot"] = [(x.name, getattr(request.robot, x.name)) for x in fields(request.robot) if x.name != "origin"]
    if not isinstance(request.symbolic, str):
        asked["symbolic"] = sorted(request.symbolic)
    return list(asked.items())


def recalled(asked: Prepared) -> Function | None:
    """The function kept for a request, not proved; None where there is none that can be read."""
    content = fetch(key_from(asked.request))
    if content is None:
        return None
    try:
        found = function_from_text(content.decode())
    except (ValueError, RecursionError):
        found = None
    if found is None or not has_ports_of(found, asked):
        forget(asked.request)
        return None
    return found


def keep(request: Request, function: Function) -> None:
    keep_bytes(key_from(request), text_from_function(function).encode())


def forget(request: Request) -> None:
    discard(key_from(request))
