"""Rows ↔ blocks of lanes: arrays as repeated machine code has them (see `machine.repeat`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from manipula.algebra.run.batch.shapes import DType, Floats

_ALIGN = 64  # bytes of a line of the cache, and of the widest vector


def aligned(shape: tuple[int, ...], dtype: DType) -> Floats:
    """Memory that begins where a vector may."""
    count = int(np.prod(shape))
    raw = np.empty(count * dtype.itemsize + _ALIGN, np.uint8)
    first = -raw.ctypes.data % _ALIGN
    found: Floats = raw[first : first + count * dtype.itemsize].view(dtype).reshape(shape)
    return found


def blocks_of(rows: int, lanes: int) -> int:
    return -(-rows // lanes)


def laned(table: Any, lanes: int, dtype: DType) -> Floats:
    """(rows, …, n) → (blocks, …, n, lanes); lanes past the last row repeat it."""
    rows = table.shape[0]
    blocks = blocks_of(rows, lanes)
    found = aligned((blocks, *table.shape[1:], lanes), dtype)
    whole = rows // lanes
    if whole:
        found[:whole] = np.moveaxis(table[: whole * lanes].reshape(whole, lanes, *table.shape[1:]), 1, -1)
    if blocks > whole:
        rest = table[np.minimum(np.arange(whole * lanes, blocks * lanes), rows - 1)]
        found[whole] = np.moveaxis(rest, 0, -1)
    return found


def unlaned(blocks: Floats, rows: int, into: Any) -> None:
    """The inverse: (blocks, …, n, lanes) → (rows, …, n)."""
    lanes = blocks.shape[-1]
    whole = rows // lanes
    if whole:
        shape = (whole, lanes, *into.shape[1:])
        into[: whole * lanes].reshape(shape)[...] = np.moveaxis(blocks[:whole], -1, 1)
    if rows > whole * lanes:
        into[whole * lanes :] = np.moveaxis(blocks[whole], -1, 0)[: rows - whole * lanes]
