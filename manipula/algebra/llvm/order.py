"""The order of a tape's lines in machine code: one in which few values wait to be read.

What each result needs comes just before it, depth first. Besides, a line whose arguments are all there goes at once
when that leaves fewer values waiting, or no more of them if it is a result. Long code is as slow as its bytes are many,
and a value too many for the registers costs two long instructions: there any line goes that lets no more wait.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from manipula.algebra.llvm.writer import Writer
from manipula.algebra.tape import Line

LONG = 1200  # lines; measured: shorter code waits for its longest way as much as for its bytes
Inner = Mapping[int, Sequence[int]]  # slot → arguments, of lines that are written as a part of the one that reads them


def arrange_lines(lines: Sequence[Line], results: Iterable[int], inner: Inner) -> list[Line]:
    """The lines below the results, each after those it reads; the results in the order of the tape."""
    order = _Order(lines, set(results), inner)
    for line in lines:
        if line.slot in order.results:
            order.reach(line.slot)
    return order.lines


class _Order:
    """An order in the making."""

    def __init__(self, lines: Sequence[Line], results: set[int], inner: Inner) -> None:
        self.lines: list[Line] = []
        self.results, self._long = results, len(lines) > LONG
        self._makers, self._inner, self._height = {line.slot: line for line in lines}, inner, _heights(lines)
        computed = {line.slot for line in lines if line.slot not in inner}
        self._reads = {slot: [x for x in dict.fromkeys(self._arguments(slot)) if x in computed] for slot in computed}
        self._readers: dict[int, list[int]] = {slot: [] for slot in computed}
        for slot in (line.slot for line in lines if line.slot in computed):
            for arg in self._reads[slot]:
                self._readers[arg].append(slot)
        self._waiting = {slot: len(readers) for slot, readers in self._readers.items()}  # readers that are not written
        self._missing = {slot: len(args) for slot, args in self._reads.items()}  # arguments that are not written
        self._written: set[int] = set()

    def _arguments(self, slot: int) -> Iterator[int]:
        """Of a line with all that is written as a part of it."""
        for arg in self._makers[slot].args:
            yield from self._arguments(arg) if arg in self._inner else (arg,)

    def _parts(self, slot: int) -> Iterator[Line]:
        """A line, and before it those that are a part of it."""
        for arg in self._makers[slot].args:
            yield from self._parts(arg) if arg in self._inner else ()
        yield self._makers[slot]

    def reach(self, result: int) -> None:
        """Write what a slot needs, the argument with the longest way behind it first, and the slot."""
        stack = [(result, False)]
        while stack:
            slot, ready = stack.pop()
            if slot in self._written or slot not in self._reads:
                continue
            if ready:
                self._write_all(slot)
            else:
                stack.append((slot, True))
                # ascending, for the last pushed is taken first: the longest way begins earliest
                stack += [(arg, False) for arg in sorted(self._reads[slot], key=self._height.__getitem__)]

    def _write_all(self, slot: int) -> None:
        """A line, and those that need not wait any longer."""
        stack = [slot]
        while stack:
            slot = stack.pop()
            if slot not in self._written:
                self._write(slot)
                # arguments with one reader left: writing that reader frees a register
                last = [arg for arg in self._reads[slot] if self._waiting[arg] == 1]
                near = [reader for x in (slot, *last) for reader in self._readers[x]]
                stack += [x for x in reversed(dict.fromkeys(near)) if self._may_go(x)]

    def _write(self, slot: int) -> None:
        self.lines += self._parts(slot)
        self._written.add(slot)
        for arg in self._reads[slot]:
            self._waiting[arg] -= 1
        for reader in self._readers[slot]:
            self._missing[reader] -= 1

    def _may_go(self, slot: int) -> bool:
        """Is it ready, and does it leave no more values waiting than there are?"""
        if self._missing[slot] or slot in self._written:
            return False
        # a register is freed by each argument read for the last time, and taken if anyone reads the result
        freed = sum(self._waiting[arg] == 1 for arg in self._reads[slot])
        more = bool(self._readers[slot]) - freed
        return more < 0 or (more == 0 and (self._long or slot in self.results))


def _heights(lines: Iterable[Line]) -> dict[int, int]:
    """slot → how many lines follow one another on the longest way to it."""
    height: dict[int, int] = {}
    for line in lines:
        height[line.slot] = 1 + max((height.get(arg, 0) for arg in line.args), default=0)
    return height


# Lines that are computed only where one of the lanes wants them: those that nothing but one arm of a choice reads.
#
# A tape has no branches: select(c, yes, no) computes both arms. Where c is a comparison, and much stands behind `yes`
# alone, the code asks first whether c holds anywhere. If it does, the arm is computed and each lane chooses; if not,
# all
# of them have `no`, the same bits for less. So a text may say what to do in a rare case, and pay for it seldom.

LEAST = 64  # lines behind an arm, below which a branch costs more than it saves
GROUPED = ("sin", "cos", "atan2")  # computed many at a time, in an order of their own


class Seldom(NamedTuple):
    """The slot of the comparison, the choices by it, what is behind their first arms, and what comes after."""

    condition: int
    choices: tuple[Line, ...]
    lines: tuple[Line, ...]
    before: tuple[Line, ...]
    after: tuple[Line, ...]


def seldom_wanted(lines: Sequence[Line], results: Collection[int]) -> Seldom | None:
    """The largest such part, if there is one worth a branch."""
    compared = {line.slot for line in lines if line.op == "less"}
    conditions = dict.fromkeys(line.args[0] for line in lines if line.op == "select" and line.args[0] in compared)
    arms = [_part(lines, results, slot) for slot in conditions]
    # one branch only: a second would have to be proved independent of the first
    best = max(arms, key=lambda part: len(part.lines), default=None)
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
    chosen, arm = {line.slot for line in (*part.choices, *part.after)}, {line.slot for line in part.lines}
    # what reads a choice by the same condition, or what is made of one, would wait for its own branch
    nested = any(not chosen.isdisjoint(line.args) for line in (*part.choices, *part.lines))
    late = any(not arm.isdisjoint(line.args) for line in (*part.before, *part.after))
    return not (nested or late or any(line.op in GROUPED for line in (*part.lines, *part.after)))


class Detour:
    """The branch around an arm: what is written from its making to `close` is the arm."""

    def __init__(self, w: Writer, part: Seldom) -> None:
        self._w, self._part = w, part
        # read before the branch, or the value would exist on one of its ways only
        self._others = [w.read(line.args[2]) for line in part.choices]
        less, unknown = w.tests[part.condition]
        # NaN counts as wanted: the choice itself then says NaN
        wanted = w.let(f"or {w.kind.test} {less}, {unknown}")
        if w.kind.lanes > 1:
            bits = w.let(f"bitcast {w.kind.test} {wanted} to i{w.kind.lanes}")
            wanted = w.let(f"icmp ne i{w.kind.lanes} {bits}, 0")
        self._near, self._far, self._on = w.block, w.label("seldom"), w.label("on")
        w.emit(f"br i1 {wanted}, label %{self._far}, label %{self._on}")
        w.start_block(self._far)

    def close(self) -> None:
        """Each lane chooses; then all are together again."""
        w = self._w
        for line in self._part.choices:
            w.line(line)
        chosen = [w.at(line.slot) for line in self._part.choices]
        far = w.block
        w.emit(f"br label %{self._on}")
        w.start_block(self._on)
        for line, other, value in zip(self._part.choices, self._others, chosen):
            either = f"phi {w.kind.text} [ {other}, %{self._near} ], [ {value}, %{far} ]"
            w.aliases[line.slot] = w.let(either)
