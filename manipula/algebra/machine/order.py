"""The order of a tape's lines in machine code: one in which few values wait to be read.

What each result needs comes just before it, depth first. Besides, a line whose arguments are all there goes at once
when that leaves fewer values waiting, or no more of them if it is a result. Long code is as slow as its bytes are many,
and a value too many for the registers costs two long instructions: there any line goes that lets no more wait.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from manipula.algebra.tape import Line

LONG = 1200  # lines; measured: shorter code waits for its longest way as much as for its bytes
Inner = Mapping[int, Sequence[int]]  # slot → arguments, of lines that are written as a part of the one that reads them


def arranged(lines: Sequence[Line], results: Iterable[int], inner: Inner) -> list[Line]:
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
                stack += [(arg, False) for arg in sorted(self._reads[slot], key=self._height.__getitem__)]

    def _write_all(self, slot: int) -> None:
        """A line, and those that need not wait any longer."""
        stack = [slot]
        while stack:
            slot = stack.pop()
            if slot not in self._written:
                self._write(slot)
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
        freed = sum(self._waiting[arg] == 1 for arg in self._reads[slot])
        more = bool(self._readers[slot]) - freed
        return more < 0 or (more == 0 and (self._long or slot in self.results))


def _heights(lines: Iterable[Line]) -> dict[int, int]:
    """slot → how many lines follow one another on the longest way to it."""
    height: dict[int, int] = {}
    for line in lines:
        height[line.slot] = 1 + max((height.get(arg, 0) for arg in line.args), default=0)
    return height
