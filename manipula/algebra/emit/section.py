"""A stretch of a tape as statements: what is loaded, what is computed, what is stored.

The off-line part and the on-line part are a section each. A temporary that nobody named and that is read once is
written in place when it is short, and so is a bare change of sign; everything else has a line of its own, in the
order of the tape.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from manipula.algebra.emit.names import Namer, ascii_text
from manipula.algebra.emit.text import SUM, Language, Text
from manipula.algebra.tape import Check, Line, Tape

SHORT = 36  # characters: what may be written inside another line


class Names(Protocol):
    """How slots are called."""

    def name(self, slot: int) -> str:
        """Asked once for every slot that gets a line, in order."""
        ...

    def anonymous(self, slot: int) -> bool:
        """Nobody misses the name when the slot is written in place."""
        ...


class TapeNames:
    """The tape's own names (c2, s23, w3_x, D12), made fit for a language."""

    def __init__(self, tape: Tape, reserved: Collection[str]) -> None:
        self.words = Namer(reserved).names(tape.names)
        self.free = [re.fullmatch(r"D\d+", name) is not None for name in tape.names]

    def name(self, slot: int) -> str:
        return self.words[slot]

    def anonymous(self, slot: int) -> bool:
        return self.free[slot]


@dataclass(frozen=True)
class Statement:
    """name = text"""

    name: str
    text: str


@dataclass(frozen=True)
class Broken:
    """A comparison that is true where a condition is broken, and the condition in words."""

    text: str
    words: str


@dataclass(frozen=True)
class Section:
    """Statements in order, and what must not be; `after`: how much of the body each store needs."""

    loads: tuple[Statement, ...]
    body: tuple[Statement, ...]
    checks: tuple[Broken, ...]
    stores: tuple[Statement, ...]
    after: tuple[int, ...]

    def steps(self) -> Iterator[tuple[Statement, bool]]:
        """The body and the stores (True), each as early as it can be: a result that waits occupies a register.

        What the body does not compute comes last.
        """
        early: dict[int, list[Statement]] = {}
        for store, at in zip(self.stores, self.after, strict=True):
            early.setdefault(at, []).append(store)
        for at, statement in enumerate(self.body, 1):
            yield statement, False
            yield from ((store, True) for store in early.get(at, ()))
        yield from ((store, True) for store in early.get(0, ()))


@dataclass(frozen=True)
class SectionPlan:
    """What a section reads and writes."""

    sources: Mapping[int, str]  # slot → where it is loaded from
    lines: Sequence[Line]
    results: Sequence[tuple[str, int]]  # where it is stored, slot
    checks: Sequence[Check] = ()

    def reads(self) -> tuple[Counter[int], Counter[int]]:
        """How often each slot is read: by lines, by stores and checks."""
        by_lines = Counter(arg for line in self.lines for arg in line.args)
        checked = [slot for check in self.checks for slot in (check.magnitude, check.bound)]
        return by_lines, Counter([*(slot for _, slot in self.results), *checked])


def section(plan: SectionPlan, constants: Mapping[int, Text], language: Language, names: Names) -> Section:
    """Write a plan."""
    by_lines, at_end = plan.reads()
    texts = dict(constants)
    loads: list[Statement] = []
    for slot, source in plan.sources.items():
        if by_lines[slot] or at_end[slot]:
            loads.append(Statement(names.name(slot), source))
            texts[slot] = Text(loads[-1].name)
    named = set(texts)
    body: list[Statement] = []
    needs = dict.fromkeys(texts, 0)  # slot → how much of the body its text needs
    for line in plan.lines:
        text = language.table[line.op]([texts[arg] for arg in line.args])
        inside = by_lines[line.slot] == 1 and not at_end[line.slot] and len(text.text) <= SHORT
        last = at_end[line.slot] == 1 and not by_lines[line.slot]
        only_a_sign = line.op == "neg" and line.args[0] in named
        if not (names.anonymous(line.slot) and (inside or last or only_a_sign)):
            body.append(Statement(names.name(line.slot), text.text))
            text = Text(body[-1].name)
            named.add(line.slot)
            needs[line.slot] = len(body)
        else:
            needs[line.slot] = max(needs[arg] for arg in line.args)
        texts[line.slot] = text
    stores = tuple(Statement(target, texts[slot].text) for target, slot in plan.results)
    checks = tuple(
        Broken(f"{texts[x.magnitude].within(SUM)} <= {texts[x.bound].within(SUM)}", _quoted(str(x.words)))
        for x in plan.checks
    )
    return Section(tuple(loads), tuple(body), checks, stores, tuple(needs[slot] for _, slot in plan.results))


def _quoted(text: str) -> str:
    """Words that may stand between quotation marks in any language."""
    return ascii_text(text).replace("\\", "/").replace('"', "'")
