"""Sine and cosine of the same angle, computed together: one argument reduction instead of two."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from manipula.algebra.emit.section import Statement


@dataclass(frozen=True)
class Pair:
    """sine, cosine = sincos(angle)"""

    sine: str
    cosine: str
    angle: str


def paired(statements: Sequence[Statement], prefix: str) -> list[Statement | Pair]:
    """The statements, a pair standing where the first of its two stood."""
    found = {x.name: _angle(x.text, prefix) for x in statements}
    names = {call: name for name, call in found.items() if call is not None}
    pairs = {angle for op, angle in names if op == "sin" and ("cos", angle) in names}
    return list(_merged(statements, found, names, pairs))


def _merged(
    statements: Sequence[Statement],
    found: dict[str, tuple[str, str] | None],
    names: dict[tuple[str, str], str],
    pairs: set[str],
) -> Iterable[Statement | Pair]:
    waiting = set(pairs)
    for statement in statements:
        call = found[statement.name]
        if call is None or call[1] not in pairs or names[call] != statement.name:
            yield statement
        elif call[1] in waiting:
            waiting.remove(call[1])
            yield Pair(names["sin", call[1]], names["cos", call[1]], call[1])


def _angle(text: str, prefix: str) -> tuple[str, str] | None:
    """(sin, q2) of `f_sin(q2)`; nothing where the call is only a part of the text."""
    match = re.fullmatch(rf"{prefix}_(sin|cos)\((.*)\)", text)
    if match is None:
        return None
    depth = 0
    for letter in match[2]:
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if depth < 0:
            return None
    return match[1], match[2]
