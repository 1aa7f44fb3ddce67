"""The numbers of a tape as a table in memory, in the order in which the code reads them.

Left to itself the compiler keeps each number apart, under an absolute address of ten bytes, and saves it on the stack
when registers run out. Long straight-line code is as slow as its bytes are many, so a number is written into the table
anew wherever it is read again much later, and the table is read through pointers to its middle parts, near enough that
the distance takes one byte. The pointers are data: otherwise they would be folded back into long distances.
"""

from __future__ import annotations

from manipula.algebra.machine.writer import Writer

NEAR = 128  # bytes on either side of a pointer that a distance of one byte reaches
SOON = 24  # lines of assembly; a number read again within these stays in its register
_FIXED = "!invariant.load !100"


class Numbers:
    """The table of one function."""

    def __init__(self, w: Writer) -> None:
        self._w, self._entries = w, list[str]()
        self._part = 2 * NEAR // w.kind.size
        self._last: dict[tuple[str, int], tuple[int, str]] = {}  # block, slot → line, value
        self._pointer: tuple[str, int, str] = ("", -1, "")  # block, part, value
        w.put("%.parts = load ptr, ptr @parts.at, align 8")

    def at(self, slot: int) -> str:
        """The value of a constant's slot."""
        w, key = self._w, (self._w.block, slot)
        line, value = self._last.get(key, (-SOON, ""))
        if not value or len(w.lines) - line > SOON:
            value = self._read(w.literals[slot])
        self._last[key] = len(w.lines), value
        return value

    def _read(self, literal: str) -> str:
        w, (part, place) = self._w, divmod(len(self._entries), self._part)
        self._entries.append(literal)
        if self._pointer[:2] != (w.block, part):
            self._pointer = w.block, part, w.let(f"load ptr, ptr {w.gep('%.parts', part, 'ptr')}, align 8, {_FIXED}")
        address = w.gep(self._pointer[2], place - self._part // 2)
        return w.let(f"load {w.kind.scalar}, ptr {address}, align {w.kind.size}, {_FIXED}")

    def text(self) -> str:
        """The table and its pointers."""
        scalar, count = self._w.kind.scalar, len(self._entries)
        middles = range(self._part // 2, count + self._part // 2, self._part)
        pointers = [f"ptr getelementptr ({scalar}, ptr @numbers, i64 {middle})" for middle in middles] or ["ptr null"]
        entries = ", ".join(f"{scalar} {literal}" for literal in self._entries)
        return "\n".join(
            [
                f"@numbers = internal constant [{count} x {scalar}] [{entries}], align 64",
                f"@parts = internal global [{len(pointers)} x ptr] [{', '.join(pointers)}], align 8",
                "@parts.at = internal global ptr @parts, align 8",
                "!100 = !{}",
            ]
        )
