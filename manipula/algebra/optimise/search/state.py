"""The state of a search: flat arrays of 64-bit integers, read and written by the kernel.

A node is a number; a reference is 2·node + sign. Of v and −v the node stands for the smaller one in the field. Node 0
is the world outside, which uses the outputs; node 1 is the number one. Off-line nodes (parameters only) are free: they
are neither counted nor changed.
"""

from __future__ import annotations

import numpy as np

from manipula.algebra.expr.field import P
from manipula.algebra.program.primitives import Ints

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


class State:
    """The struct of the kernel's texts; interpreted, they get lists instead."""

    # one entry a node: what it is
    value: Ints
    inverse: Ints  # 1/value, once it was asked for
    kind: Ints
    left: Ints
    right: Ints
    offline: Ints
    weight: Ints  # what it costs while it lives
    origin: Ints  # which expression, of a leaf or fixed node
    # its part in the function at hand
    refs: Ints  # uses; a node with none is dead
    parents: Ints  # exclusive or of its users: with one use, the user
    fused: Ints  # is this a sum that swallows a product?
    place: Ints  # where it stands in `live`
    live: Ints  # all nodes in use, in any order
    # marks of walks and moves
    stamp: Ints
    made: Ints
    open: Ints
    stack: Ints
    # the best ways so far
    best_kind: Ints
    best_left: Ints
    best_right: Ints
    # and of other lengths
    more: Ints  # arguments of fixed nodes
    table: Ints  # open addressing by value; 0 is an empty slot
    now: Ints  # single numbers
    price: Ints
    menu: Ints  # moves, each as often as it shall be tried
    chances: Ints  # to accept a rise of the price by 0, 1, 2 …, in 2⁶¹−1 parts
    scratch: Ints
    hits: Ints  # live nodes a proposal uses

    def __init__(self, capacity: int, more: int) -> None:
        """`capacity`, a power of two, is the number of nodes there is room for."""
        sizes = {"more": more + 1, "table": 4 * capacity, "now": CAPACITY + 1, "price": PRICE_FUSED + 1}
        sizes |= {"menu": MENU, "chances": STEEPEST, "scratch": SCRATCH, "hits": SCRATCH}
        for name in ARRAYS:
            setattr(self, name, np.zeros(sizes.get(name, capacity), dtype=np.int64))


ARRAYS = tuple(State.__annotations__)
