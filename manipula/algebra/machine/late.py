"""Entries of an array read where they are used, not before: a value that waits in a register pushes another one out.

Left to itself the compiler reads all of them first, and saves on the stack what it has no registers for; but what lies
in memory already need not be saved again. It also takes two reads of one place for the same value, kept in between; so
the pointer is renewed every some lines, by a step that the compiler cannot look into and the processor does not see.
"""

from __future__ import annotations

from collections.abc import Sequence

from manipula.algebra.machine.writer import Writer

SOON = 24  # lines of assembly; what is read again within these stays in its register


class Late:
    """The rows of vectors (see `rows.load_vectors`) at one pointer. They must not change before the last read."""

    def __init__(self, w: Writer, slots: Sequence[int], base: str) -> None:
        self._w, self._base = w, base
        self._position = {slot: i for i, slot in enumerate(slots)}
        self._pointer = ("", -SOON, base)  # block, line, value
        self._last: dict[int, tuple[str, int, str]] = {}
        w.stored |= dict.fromkeys(slots, self.at)

    def at(self, slot: int) -> str:
        w = self._w
        block, line, value = self._last.get(slot, ("", -SOON, ""))
        if block != w.block or len(w.lines) - line > SOON:
            place = w.gep(self._renewed(), self._position[slot] * w.kind.lanes)
            value = w.let(f"load {w.kind.text}, ptr {place}, align {w.kind.size}")
        self._last[slot] = w.block, len(w.lines), value
        return value

    def _renewed(self) -> str:
        w = self._w
        block, line, _ = self._pointer
        if block != w.block or len(w.lines) - line > SOON:
            self._pointer = w.block, len(w.lines), w.let(f'call ptr asm "", "=r,0"(ptr {self._base})')
        return self._pointer[2]
