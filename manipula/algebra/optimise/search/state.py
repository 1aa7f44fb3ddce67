"""The state of a search: flat arrays of 64-bit integers, read and written by the kernel.

A node is a number; a reference is 2·node + sign. Of v and −v the node stands for the smaller one in the field. Node 0
is the world outside, which uses the outputs; node 1 is the number one. Off-line nodes (parameters only) are free: they
are neither counted nor changed.
"""

from __future__ import annotations

from typing import Any, Protocol, overload

import numpy as np

from manipula.algebra.expr.field import P

HALF = P // 2
LEAF, ADD, MUL, FIXED = 0, 1, 2, 3  # FIXED: any other operation; its arguments are `more[left … left+right)`
OUTSIDE, ONE = 0, 1

# entries of `now`
COUNT, LIVE, COST, BEST, RANDOM, STAMP, MOVE, KIND, LEFT, RIGHT, HITS, MASK, SWEEPS, CAPACITY = range(14)
# entries of `price`
PRICE_ADD, PRICE_MUL, PRICE_FUSED = range(3)
MENU = 64
STEEPEST = 32
SCRATCH = 256  # more than the entries, hits and new nodes of any one move


class Numbers(Protocol):
    """An array, or a list, of integers."""

    @overload
    def __getitem__(self, at: int) -> int: ...

    @overload
    def __getitem__(self, at: slice) -> Any: ...

    def __setitem__(self, at: Any, value: Any) -> None: ...

    def __len__(self) -> int: ...

    def tolist(self) -> list[int]: ...


class State:
    """All arrays are `int64`; a kernel that is interpreted gets lists instead."""

    # one entry a node: what it is
    value: Numbers
    inverse: Numbers  # 1/value, once it was asked for
    kind: Numbers
    left: Numbers
    right: Numbers
    offline: Numbers
    weight: Numbers  # what it costs while it lives
    origin: Numbers  # which expression, of a leaf or fixed node
    # its part in the function at hand
    refs: Numbers  # uses; a node with none is dead
    parents: Numbers  # exclusive or of its users: with one use, the user
    fused: Numbers  # is this a sum that swallows a product?
    place: Numbers  # where it stands in `live`
    live: Numbers  # all nodes in use, in any order
    # marks of walks and moves
    stamp: Numbers
    made: Numbers
    open: Numbers
    stack: Numbers
    # the best ways so far
    best_kind: Numbers
    best_left: Numbers
    best_right: Numbers
    # and of other lengths
    more: Numbers  # arguments of fixed nodes
    table: Numbers  # open addressing by value; 0 is an empty slot
    now: Numbers  # single numbers
    price: Numbers
    menu: Numbers  # moves, each as often as it shall be tried
    chances: Numbers  # to accept a rise of the price by 0, 1, 2 …, in 2⁶¹−1 parts
    scratch: Numbers
    hits: Numbers  # live nodes a proposal uses

    def __init__(self, capacity: int, more: int) -> None:
        """`capacity`, a power of two, is the number of nodes there is room for."""
        sizes = {"more": more + 1, "table": 4 * capacity, "now": CAPACITY + 1, "price": PRICE_FUSED + 1}
        sizes |= {"menu": MENU, "chances": STEEPEST, "scratch": SCRATCH, "hits": SCRATCH}
        for name in ARRAYS:
            setattr(self, name, np.zeros(sizes.get(name, capacity), dtype=np.int64))


ARRAYS = tuple(State.__annotations__)
