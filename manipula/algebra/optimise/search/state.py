"""The state of a search: flat arrays of 64-bit integers, read and written by the kernel.

A node is a number; a reference is 2·node + sign. Of v and −v the node stands for the smaller one in the field. Node 0 is the world outside,
which uses the outputs; node 1 is the number one. Off-line nodes (parameters only) are free: they are never counted and never changed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from manipula.algebra.expr.field import P

HALF = P // 2
LEAF, ADD, MUL, FIXED = 0, 1, 2, 3  # FIXED: any other operation; its arguments are `more[left … left+right)`
OUTSIDE, ONE = 0, 1

# entries of `now`
COUNT, LIVE, COST, BEST, RANDOM, STAMP, MOVE, KIND, LEFT, RIGHT, HITS, MASK, CAPACITY, ACCEPTED = range(14)
NOW = 16
# entries of `price`
PRICE_ADD, PRICE_MUL, PRICE_FUSED = 0, 1, 2
PRICES = 4
MENU = 64  # entries of `menu`: moves, each as often as it shall be tried
STEEPEST = 32  # entries of `chances`: for a rise of the cost by 0, 1, 2 …, the chance to accept it, in 2⁶¹−1 parts
SCRATCH = 256

# per node
NODE_ARRAYS = (
    "value", "inverse", "kind", "left", "right", "offline", "weight", "refs", "parents", "fused", "place", "live",
    "stamp", "made", "open", "stack", "best_kind", "best_left", "best_right", "best_refs",
)  # fmt: skip
ARRAYS = (*NODE_ARRAYS, "more", "table", "now", "price", "menu", "chances", "scratch", "hits")


class State:
    """The arrays, by name."""

    __slots__ = ARRAYS

    def __init__(self, capacity: int, more: int) -> None:
        for name in NODE_ARRAYS:
            setattr(self, name, _zeros(capacity))
        sizes = {"more": more + 1, "table": 4 * capacity, "now": NOW, "price": PRICES}
        sizes |= {"menu": MENU, "chances": STEEPEST, "scratch": SCRATCH, "hits": SCRATCH}
        for name, size in sizes.items():
            setattr(self, name, _zeros(size))


def _zeros(size: int) -> NDArray[Any]:
    return np.zeros(size, dtype=np.int64)
