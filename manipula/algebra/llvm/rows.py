"""Rows in memory ↔ values: one row as scalars, or a block of rows as vectors, one row a lane.

Rows are read two entries at a time and unzipped, lane 0 and 1 beside 2 and 3 and so on, so that a block needs no gather
and any distance between rows will do. The last of an odd number of entries is read together with the one before it.
Results are written as soon as they are known, so that they do not occupy registers to the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import NamedTuple

from manipula.algebra.llvm.writer import Kind, Writer

# The numbers of a tape as a table in memory, in the order in which the code reads them.
#
# Left to itself the compiler keeps each number apart, under an absolute address of ten bytes, and saves it on the stack
# when registers run out. Long straight-line code is as slow as its bytes are many, so a number is written into the
# table
# anew wherever it is read again much later, and the table is read through pointers to its middle parts, near enough
# that
# the distance takes one byte. The pointers are data: otherwise they would be folded back into long distances.

NEAR = 128  # bytes on either side of a pointer that a distance of one byte reaches
SOON = 24  # lines of assembly; a number read again within these stays in its register
_FIXED = "!invariant.load !100"


class Numbers:
    """The table of one function."""

    def __init__(self, w: Writer) -> None:
        self._w, self._entries = w, list[str]()
        self._part = 2 * NEAR // w.kind.size
        self._last: dict[tuple[str, int], tuple[int, str]] = {}  # block, slot → line, value
        # values of one block are not known in another, so pointers are remembered with theirs
        self._pointer: tuple[str, int, str] = ("", -1, "")  # block, part, value
        w.emit("%.parts = load ptr, ptr @parts.at, align 8")

    def at(self, slot: int) -> str:
        """The value of a constant's slot."""
        w, key = self._w, (self._w.block, slot)
        line, value = self._last.get(key, (-SOON, ""))
        # written anew when it is read much later: cheaper than a register held, or a save on the stack
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


class Unit(NamedTuple):
    """Entries that are written together, and how."""

    slots: tuple[int, ...]
    write: Callable[[], None]


class Stores:
    """Writes every unit when the last of its entries is known."""

    def __init__(self, units: Iterable[Unit], computed: Iterable[int]) -> None:
        self._units = list(units)
        known = set(computed)
        self._missing = [known.intersection(unit.slots) for unit in self._units]
        self._of: dict[int, list[int]] = {}
        for number, missing in enumerate(self._missing):
            for slot in missing:
                self._of.setdefault(slot, []).append(number)

    def mark_computed(self, slot: int) -> None:
        for number in self._of.get(slot, ()):
            self._missing[number].discard(slot)
            if not self._missing[number]:
                self._units[number].write()

    def store_constants(self) -> None:
        """What is not computed: constants, inputs handed through."""
        for unit in self._units:
            if not any(slot in self._of for slot in unit.slots):
                unit.write()


def load_row(w: Writer, slots: Sequence[int], base: str) -> None:
    for position, slot in enumerate(slots):
        w.emit(f"{w.at(slot)} = load {w.kind.scalar}, ptr {w.gep(base, position)}, align {w.kind.size}")


def load_vectors(w: Writer, slots: Sequence[int], base: str) -> None:
    """Entries that are vectors already, one after the other."""
    for position, slot in enumerate(slots):
        place = w.gep(base, position * w.kind.lanes)
        w.aliases[slot] = w.let(f"load {w.kind.text}, ptr {place}, align {w.kind.size}")


def vector_units(w: Writer, slots: Sequence[int], base: str) -> list[Unit]:
    return [Unit((slot,), partial(_store_vector, w, slot, base, position)) for position, slot in enumerate(slots)]


def _store_vector(w: Writer, slot: int, base: str, position: int) -> None:
    w.emit(f"store {w.kind.text} {w.at(slot)}, ptr {w.gep(base, position * w.kind.lanes)}, align {w.kind.size}")


def row_units(w: Writer, slots: Sequence[int], base: str) -> list[Unit]:
    near = Near(w, base, len(slots))
    return [Unit((slot,), partial(_store, w, slot, near, position)) for position, slot in enumerate(slots)]


def _store(w: Writer, slot: int, near: Near, position: int) -> None:
    w.emit(f"store {w.kind.scalar} {w.at(slot)}, ptr {near.at(position)}, align {w.kind.size}")


class Near:
    """Addresses of a long row, by pointers into it that are near enough for a distance of one byte (see `numbers`).

    The empty instruction keeps a pointer what it is: otherwise it would be folded back into a long distance.
    """

    def __init__(self, w: Writer, base: str, length: int) -> None:
        self._w, self._base, self._part = w, base, 2 * NEAR // w.kind.size
        self._pointer = ("", 0, base)  # block, middle, value
        self._short = length <= self._part

    def at(self, position: int) -> str:
        w, middle = self._w, position - position % self._part + self._part // 2
        if self._short:
            return w.gep(self._base, position)
        if self._pointer[:2] != (w.block, middle):
            self._pointer = w.block, middle, w.let(f'call ptr asm "", "=r,0"(ptr {w.gep(self._base, middle)})')
        return w.gep(self._pointer[2], position - middle)


def load_block(w: Writer, slots: Sequence[int], bases: Sequence[str], needed: set[int]) -> None:
    """`bases`: where each lane's row starts. Entries nobody needs are not read."""
    if len(slots) == 1:
        w.aliases[slots[0]] = _gather_column(w, bases)
        return
    for at in range(0, len(slots), 2):
        # the last of an odd number is read with its left neighbour, never beyond the row
        first = min(at, len(slots) - 2)
        pair = slots[first : first + 2]
        if not needed.isdisjoint(pair[at - first :]):
            low, high = _unzip_columns(w, bases, first)
            w.aliases[pair[0]], w.aliases[pair[1]] = w.aliases.get(pair[0], low), high


def _gather_column(w: Writer, bases: Sequence[str]) -> str:
    """A single column."""
    vector = "poison"
    for lane, base in enumerate(bases):
        value = w.let(f"load {w.kind.scalar}, ptr {base}, align {w.kind.size}")
        vector = w.let(f"insertelement {w.kind.text} {vector}, {w.kind.scalar} {value}, i64 {lane}")
    return vector


def _unzip_columns(w: Writer, bases: Sequence[str], position: int) -> tuple[str, str]:
    """Two neighbouring columns."""
    scalar, lanes = w.kind.scalar, w.kind.lanes
    parts = [w.let(f"load <2 x {scalar}>, ptr {w.gep(base, position)}, align {w.kind.size}") for base in bases]
    even, odd = _join_vectors(w, parts[0::2]), _join_vectors(w, parts[1::2])
    low = [i + half for i in range(0, lanes, 2) for half in (0, lanes)]
    return _shuffle(w, even, odd, lanes, low), _shuffle(w, even, odd, lanes, [i + 1 for i in low])


def _join_vectors(w: Writer, parts: Sequence[str]) -> str:
    """Short vectors end to end; their number is a power of two."""
    length = 2
    while len(parts) > 1:
        order = list(range(2 * length))
        parts = [_shuffle(w, a, b, length, order) for a, b in zip(parts[0::2], parts[1::2])]
        length *= 2
    return parts[0]


def block_units(w: Writer, slots: Sequence[int], bases: Sequence[str]) -> list[Unit]:
    """Four neighbouring columns, or two, are zipped and written row by row; a last single one entry by entry."""
    units, at = [], 0
    while at < len(slots):
        # four columns zipped fill half a line of the cache in one store
        width = next(size for size in (4, 2, 1) if size <= len(slots) - at)
        group = tuple(slots[at : at + width])
        units.append(Unit(group, partial(_store_zipped if width > 1 else _scatter, w, group, bases, at)))
        at += width
    return units


def _store_zipped(w: Writer, slots: tuple[int, ...], bases: Sequence[str], position: int) -> None:
    """Pairs of columns zipped: the even rows in one vector, the odd ones in another; then row by row, pairs joined."""
    scalar, lanes = w.kind.scalar, w.kind.lanes
    low = [i + half for i in range(0, lanes, 2) for half in (0, lanes)]
    orders = low, [i + 1 for i in low]
    values = [w.at(slot) for slot in slots]
    zipped = [[_shuffle(w, a, b, lanes, order) for order in orders] for a, b in zip(values[0::2], values[1::2])]
    for lane, base in enumerate(bases):
        start = lane - lane % 2
        pick = [start, start + 1]
        first, *more = (pair[lane % 2] for pair in zipped)
        order = pick + [lanes + i for i in pick] if more else pick
        part = _shuffle(w, first, more[0] if more else "poison", lanes, order)
        w.emit(f"store <{len(slots)} x {scalar}> {part}, ptr {w.gep(base, position)}, align {w.kind.size}")


def _scatter(w: Writer, slots: tuple[int, ...], bases: Sequence[str], position: int) -> None:
    for lane, base in enumerate(bases):
        value = w.let(f"extractelement {w.kind.text} {w.at(slots[0])}, i64 {lane}")
        w.emit(f"store {w.kind.scalar} {value}, ptr {w.gep(base, position)}, align {w.kind.size}")


def _shuffle(w: Writer, a: str, b: str, length: int, order: Sequence[int]) -> str:
    vector = Kind(w.kind.scalar, length).text
    mask = ", ".join(f"i32 {i}" for i in order)
    return w.let(f"shufflevector {vector} {a}, {vector} {b}, <{len(order)} x i32> <{mask}>")
