"""Sines and cosines of the same angle, computed by one call.

Compilers for large machines join them by themselves; those for small ones mostly do not, and there both share the
costly part, the reduction of the angle.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from manipula.algebra.emit.section import Section, Statement, TapeNames
from manipula.algebra.tape import Tape


def angle_pairs(tape: Tape) -> dict[int, int]:
    """Sine → cosine of the same angle, by slots of the on-line half."""
    found = {op: {line.args[0]: line.slot for line in tape.online if line.op == op} for op in ("sin", "cos")}
    return {slot: found["cos"][angle] for angle, slot in found["sin"].items() if angle in found["cos"]}


class HeldNames(TapeNames):
    """The tape's names, of which some slots keep theirs whatever they are read by."""

    def __init__(self, tape: Tape, reserved: Collection[str], held: Collection[int]) -> None:
        super().__init__(tape, reserved)
        self.held = frozenset(held)

    def anonymous(self, slot: int) -> bool:
        return slot not in self.held and super().anonymous(slot)


class Written(NamedTuple):
    """A section in C: what is read from the arguments at first, and what is computed."""

    loads: tuple[Statement, ...]
    lines: tuple[str, ...]


def written_body(section: Section, real: str, function: str, pairs: Mapping[str, str]) -> Written:
    """The statements of a section; `pairs`: name of a sine → of the cosine, `function` computes both.

    Calls of angles that are given come first, each angle read just before: what is computed or read between them
    would have to be kept across them.
    """
    steps = list(section.steps())
    if not pairs:
        return Written(section.loads, tuple(_line(x, is_result, real) for x, is_result in steps))
    sine_of = {name: sine for sine, cosine in pairs.items() for name in (sine, cosine)}
    given = {load.name for load in section.loads}
    early = [x for x, is_result in steps if not is_result and x.name in sine_of and _words(_angle(x)) <= given]
    firsts = [x for x in early if sine_of[x.name] not in {sine_of[y.name] for y in early[: early.index(x)]}]
    others = [x for x, _ in steps if x not in early]
    late = given - {word for x in others for word in _words(x.text)}
    place = {load.name: i for i, load in enumerate(section.loads)}
    firsts.sort(key=lambda x: max(place[word] for word in _words(_angle(x))))
    calls = [line for x in firsts for line in _call(x, sine_of[x.name], pairs, real, function)]
    done = {sine_of[x.name] for x in early}
    rest = list(_rest(steps, sine_of, pairs, done, real, function))
    return Written(
        tuple(x for x in section.loads if x.name not in late),
        (*_with_loads(calls, [x for x in section.loads if x.name in late], real), *rest),
    )


def _rest(
    steps: Sequence[tuple[Statement, bool]],
    sine_of: Mapping[str, str],
    pairs: Mapping[str, str],
    done: set[str],
    real: str,
    function: str,
) -> Iterator[str]:
    """What comes after the early calls."""
    for statement, is_result in steps:
        sine = "" if is_result else sine_of.get(statement.name, "")
        if not sine:
            yield _line(statement, is_result, real)
        elif sine not in done:
            done.add(sine)
            yield from _call(statement, sine, pairs, real, function)


def _with_loads(lines: Sequence[str], loads: Sequence[Statement], real: str) -> Iterator[str]:
    """Every load just before the line that reads it first."""
    left = {x.name: x for x in loads}
    for line in lines:
        yield from (_line(left.pop(word), False, real) for word in sorted(_words(line) & left.keys()))
        yield line


def _call(statement: Statement, sine: str, pairs: Mapping[str, str], real: str, function: str) -> Iterator[str]:
    yield f"{real} {sine};"
    yield f"{real} {pairs[sine]};"
    yield f"{function}({_angle(statement)}, &{sine}, &{pairs[sine]});"


def _line(statement: Statement, is_result: bool, real: str) -> str:
    return f"{'' if is_result else f'const {real} '}{statement.name} = {statement.text};"


def _angle(statement: Statement) -> str:
    """x of sin(x)"""
    return statement.text.partition("(")[2].removesuffix(")")


def _words(text: str) -> set[str]:
    return set(re.findall(r"[A-Za-z_]\w*", text))
