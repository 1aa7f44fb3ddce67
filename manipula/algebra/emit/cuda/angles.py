"""Sines and cosines brought together: one argument reduction a pair, one test whether any angle is out of range.

Whatever a sine's angle needs is moved to the front, so that all sines and cosines of inputs stand side by side; then
the statements that compute them become a `Group`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from manipula.algebra.emit.section import Statement
from manipula.algebra.tape import Line, Tape

WORDS = ("angle", "sine", "cosine")
_PLAIN = ("add", "sub", "mul", "neg")  # what an angle that is moved to the front may be made of


@dataclass(frozen=True)
class Group:
    """sine, cosine = sincos(angles); results are what is read of them."""

    angle: str
    sine: str
    cosine: str
    angles: tuple[str, ...]
    results: tuple[Statement, ...]


def fronted(tape: Tape) -> Tape:
    """The same tape: first what the angles need, then sines and cosines, then the rest, each in its old order."""
    online = {line.slot: line for line in tape.online}
    plain = _plain_slots(tape.online, online)
    sines = [line for line in tape.online if is_sine(line) and line.args[0] in plain]
    below = _below([line.args[0] for line in sines], online)
    moved = {line.slot for line in sines} | below
    front = [line for line in tape.online if line.slot in below]
    rest = [line for line in tape.online if line.slot not in moved]
    return replace(tape, online=(*front, *sines, *rest))


def is_sine(line: Line) -> bool:
    return line.op in ("sin", "cos")


def _plain_slots(lines: Sequence[Line], online: dict[int, Line]) -> set[int]:
    """Slots that are inputs, or sums and products of such."""
    plain = {arg for line in lines for arg in line.args if arg not in online}
    for line in lines:
        if line.op in _PLAIN and plain.issuperset(line.args):
            plain.add(line.slot)
    return plain


def _below(slots: Sequence[int], online: dict[int, Line]) -> set[int]:
    found: set[int] = set()
    waiting = list(slots)
    while waiting:
        slot = waiting.pop()
        if slot in online and slot not in found:
            found.add(slot)
            waiting += online[slot].args
    return found


def grouped(statements: Sequence[Statement], prefix: str) -> Iterator[Statement | Group]:
    """Neighbouring sines and cosines become groups; an angle that reads a result of its group begins the next."""
    run: list[Statement] = []
    count = 0
    for statement in (*statements, None):
        call = _call(statement.text, prefix) if statement else None
        if run and (call is None or not {x.name for x in run}.isdisjoint(re.findall(r"\w+", call[1]))):
            count += 1
            yield _group(run, prefix, str(count) if count > 1 else "")
            run = []
        if statement and call:
            run.append(statement)
        elif statement:
            yield statement


def _group(statements: Sequence[Statement], prefix: str, number: str) -> Group:
    calls = [call for x in statements if (call := _call(x.text, prefix)) is not None]
    angles = tuple(dict.fromkeys(angle for _, angle in calls))
    angle, sine, cosine = (word + number for word in WORDS)
    table = {"sin": sine, "cos": cosine}
    results = [Statement(x.name, f"{table[op]}[{angles.index(of)}]") for x, (op, of) in zip(statements, calls)]
    return Group(angle, sine, cosine, angles, tuple(results))


def _call(text: str, prefix: str) -> tuple[str, str] | None:
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
