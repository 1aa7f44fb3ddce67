"""Rows in memory ↔ values: one row as scalars, or a block of rows as vectors, one row a lane.

Rows are read two entries at a time and unzipped, lane 0 and 1 beside 2 and 3 and so on, so that a block needs no gather
and any distance between rows will do. The last of an odd number of entries is read together with the one before it.
"""

from __future__ import annotations

from collections.abc import Sequence

from manipula.algebra.run.writer import Kind, Writer


def load_row(w: Writer, slots: Sequence[int], base: str) -> None:
    for position, slot in enumerate(slots):
        w.put(f"{w.at(slot)} = load {w.kind.scalar}, ptr {w.gep(base, position)}, align {w.kind.size}")


def store_row(w: Writer, slots: Sequence[int], base: str) -> None:
    for position, slot in enumerate(slots):
        w.put(f"store {w.kind.scalar} {w.at(slot)}, ptr {w.gep(base, position)}, align {w.kind.size}")


def load_block(w: Writer, slots: Sequence[int], bases: Sequence[str], needed: set[int]) -> None:
    """`bases`: where each lane's row starts. Entries nobody needs are not read."""
    if len(slots) == 1:
        w.aliases[slots[0]] = _gathered(w, bases)
        return
    for at in range(0, len(slots), 2):
        first = min(at, len(slots) - 2)
        pair = slots[first : first + 2]
        if not needed.isdisjoint(pair[at - first :]):
            low, high = _unzipped(w, bases, first)
            w.aliases[pair[0]], w.aliases[pair[1]] = w.aliases.get(pair[0], low), high


def _gathered(w: Writer, bases: Sequence[str]) -> str:
    """A single column."""
    vector = "poison"
    for lane, base in enumerate(bases):
        value = w.let(f"load {w.kind.scalar}, ptr {base}, align {w.kind.size}")
        vector = w.let(f"insertelement {w.kind.text} {vector}, {w.kind.scalar} {value}, i64 {lane}")
    return vector


def _unzipped(w: Writer, bases: Sequence[str], position: int) -> tuple[str, str]:
    """Two neighbouring columns."""
    scalar, lanes = w.kind.scalar, w.kind.lanes
    parts = [w.let(f"load <2 x {scalar}>, ptr {w.gep(base, position)}, align {w.kind.size}") for base in bases]
    even, odd = _joined(w, parts[0::2]), _joined(w, parts[1::2])
    low = [i + half for i in range(0, lanes, 2) for half in (0, lanes)]
    return _shuffled(w, even, odd, lanes, low), _shuffled(w, even, odd, lanes, [i + 1 for i in low])


def _joined(w: Writer, parts: Sequence[str]) -> str:
    """Short vectors end to end; their number is a power of two."""
    length = 2
    while len(parts) > 1:
        order = list(range(2 * length))
        parts = [_shuffled(w, a, b, length, order) for a, b in zip(parts[0::2], parts[1::2])]
        length *= 2
    return parts[0]


def store_block(w: Writer, slots: Sequence[int], bases: Sequence[str]) -> None:
    """Two neighbouring columns zipped and written row by row; a last single one entry by entry."""
    for position in range(0, len(slots) - 1, 2):
        _store_zipped(w, w.at(slots[position]), w.at(slots[position + 1]), bases, position)
    if len(slots) % 2:
        _scatter(w, w.at(slots[-1]), bases, len(slots) - 1)


def _store_zipped(w: Writer, left: str, right: str, bases: Sequence[str], position: int) -> None:
    scalar, lanes = w.kind.scalar, w.kind.lanes
    low = [i + half for i in range(0, lanes, 2) for half in (0, lanes)]
    zipped = _shuffled(w, left, right, lanes, low), _shuffled(w, left, right, lanes, [i + 1 for i in low])
    for lane, base in enumerate(bases):
        start = lane - lane % 2
        part = _shuffled(w, zipped[lane % 2], "poison", lanes, [start, start + 1])
        w.put(f"store <2 x {scalar}> {part}, ptr {w.gep(base, position)}, align {w.kind.size}")


def _scatter(w: Writer, vector: str, bases: Sequence[str], position: int) -> None:
    for lane, base in enumerate(bases):
        value = w.let(f"extractelement {w.kind.text} {vector}, i64 {lane}")
        w.put(f"store {w.kind.scalar} {value}, ptr {w.gep(base, position)}, align {w.kind.size}")


def _shuffled(w: Writer, a: str, b: str, length: int, order: Sequence[int]) -> str:
    vector = Kind(w.kind.scalar, length).text
    mask = ", ".join(f"i32 {i}" for i in order)
    return w.let(f"shufflevector {vector} {a}, {vector} {b}, <{len(order)} x i32> <{mask}>")
