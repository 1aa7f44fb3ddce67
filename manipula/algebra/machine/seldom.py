"""Lines that are computed only where one of the lanes wants them: those that nothing but one arm of a choice reads.

A tape has no branches: select(c, yes, no) computes both arms. Where c is a comparison, and much stands behind `yes`
alone, the code asks first whether c holds anywhere. If it does, the arm is computed and each lane chooses; if not, all
of them have `no`, the same bits for less. So a text may say what to do in a rare case, and pay for it seldom.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from manipula.algebra.machine.writer import Writer
from manipula.algebra.tape import Line

LEAST = 64  # lines behind an arm, below which a branch costs more than it saves
GROUPED = ("sin", "cos", "atan2")  # computed many at a time, in an order of their own


class Seldom(NamedTuple):
    """The slot of the comparison, the choices by it, what stands behind their first arms, and what comes after."""

    condition: int
    choices: tuple[Line, ...]
    lines: tuple[Line, ...]
    before: tuple[Line, ...]
    after: tuple[Line, ...]


def seldom_wanted(lines: Sequence[Line], results: Collection[int]) -> Seldom | None:
    """The largest such part, if there is one worth a branch."""
    compared = {line.slot for line in lines if line.op == "less"}
    conditions = dict.fromkeys(line.args[0] for line in lines if line.op == "select" and line.args[0] in compared)
    found = [_part(lines, results, slot) for slot in conditions]
    best = max(found, key=lambda part: len(part.lines), default=None)
    return best if best is not None and len(best.lines) >= LEAST and _movable(best) else None


def _part(lines: Sequence[Line], results: Collection[int], condition: int) -> Seldom:
    choices = {line.slot: line for line in lines if line.op == "select" and line.args[0] == condition}
    outside = {*results, condition}  # slots that are read elsewhere, too
    behind: set[int] = set()
    for line in reversed(lines):
        if line.slot in choices:
            outside.add(line.args[2])
            behind.add(line.args[1])
        elif line.slot in behind and line.slot not in outside:
            behind.update(line.args)
        else:
            outside.update(line.args)
    arm = {line.slot for line in lines if line.slot in behind and line.slot not in outside and line.slot not in choices}
    later = set(choices)
    for line in lines:
        if not later.isdisjoint(line.args):
            later.add(line.slot)
    return Seldom(
        condition,
        tuple(choices.values()),
        tuple(x for x in lines if x.slot in arm),
        tuple(x for x in lines if x.slot not in arm and x.slot not in later),
        tuple(x for x in lines if x.slot not in arm and x.slot in later and x.slot not in choices),
    )


def _movable(part: Seldom) -> bool:
    """No choice waits for another one by the same condition, and no sine for any of them."""
    chosen, arm = {line.slot for line in part.choices}, {line.slot for line in part.lines}
    nested = any(not chosen.isdisjoint(line.args) for line in (*part.choices, *part.lines))
    late = any(not arm.isdisjoint(line.args) for line in (*part.before, *part.after))
    return not (nested or late or any(line.op in GROUPED for line in (*part.lines, *part.after)))


class Detour:
    """The branch around an arm: what is written from its making to `close` is the arm."""

    def __init__(self, w: Writer, part: Seldom) -> None:
        self._w, self._part = w, part
        self._others = [w.read(line.args[2]) for line in part.choices]
        less, unknown = w.tests[part.condition]
        wanted = w.let(f"or {w.kind.test} {less}, {unknown}")
        if w.kind.lanes > 1:
            bits = w.let(f"bitcast {w.kind.test} {wanted} to i{w.kind.lanes}")
            wanted = w.let(f"icmp ne i{w.kind.lanes} {bits}, 0")
        self._near, self._far, self._on = w.block, w.label("seldom"), w.label("on")
        w.put(f"br i1 {wanted}, label %{self._far}, label %{self._on}")
        w.start_block(self._far)

    def close(self) -> None:
        """Each lane chooses; then all are together again."""
        w = self._w
        for line in self._part.choices:
            w.line(line)
        chosen = [w.at(line.slot) for line in self._part.choices]
        far = w.block
        w.put(f"br label %{self._on}")
        w.start_block(self._on)
        for line, other, value in zip(self._part.choices, self._others, chosen):
            either = f"phi {w.kind.text} [ {other}, %{self._near} ], [ {value}, %{far} ]"
            w.aliases[line.slot] = w.let(either)
