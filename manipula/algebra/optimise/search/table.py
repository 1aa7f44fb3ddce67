"""Kernel, first part: the value table, and reference counts that keep the cost.

Everything here is a text of `algebra.program`. A node is live while something live uses it; only live on-line
nodes are paid for. A dead node keeps its number, and gets a new way to be computed when it is wanted again.
"""

from __future__ import annotations

import numpy as np

from manipula.algebra.expr.field import P
from manipula.algebra.program.primitives import ALL, Ints, high, remainder, word

# The state of a search: flat arrays of 64-bit integers, read and written by the kernel.
#
# A node is a number; a reference is 2·node + sign. Of v and −v the node stands for the smaller one in the field. Node 0
# is the world outside, which uses the outputs; node 1 is the number one. Off-line nodes (parameters only) are free:
# they
# are neither counted nor changed.

HALF = P // 2
OUTSIDE, ONE = 0, 1


class Kind:
    """Of a node. FIXED: any other operation; its arguments are `more[left … left+right)`."""

    LEAF, ADD, MUL, FIXED = range(4)


class Now:
    """Entries of `now`."""

    COUNT, LIVE, COST, BEST, RANDOM, STAMP, MOVE, KIND, LEFT, RIGHT, HITS, MASK, SWEEPS, CAPACITY = range(14)


class Priced:
    """Entries of `price`."""

    ADD, MUL, FUSED = range(3)


MENU = 64
STEEPEST = 32
SCRATCH = 256  # more than the entries, hits and new nodes of any one move


class State:
    """The struct of the kernel's texts; interpreted, they get lists instead."""

    # one entry a node: what it is
    value: Ints
    inverse: Ints  # 1/value, once it was needed
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
        # the table is a quarter full at most, so linear probing stays short
        sizes = {"more": more + 1, "table": 4 * capacity, "now": Now.CAPACITY + 1, "price": Priced.FUSED + 1}
        sizes |= {"menu": MENU, "chances": STEEPEST, "scratch": SCRATCH, "hits": SCRATCH}
        for name in ARRAYS:
            setattr(self, name, np.zeros(sizes.get(name, capacity), dtype=np.int64))


ARRAYS = tuple(State.__annotations__)


MULTIPLIER = 437799614237992725  # L'Ecuyer's generator modulo 2^61 - 1


def product(a: int, b: int) -> int:
    """In the field: 2⁶¹ is 1 there, so the bits above the 61st count as if they stood at the lower end."""
    x, y = word(a), word(b)
    # interpreted, integers have no end: the mask makes them the words of the machine
    low = (x * y) & ALL
    folded = (low & P) + (high(x, y) << 3 | low >> 61)
    return int(folded - P if folded >= P else folded)


def total(a: int, b: int) -> int:
    """a + b in the field."""
    return a + b - P if a + b >= P else a + b


def random(s: State, n: int) -> int:
    """0 … n−1"""
    s.now[Now.RANDOM] = product(s.now[Now.RANDOM], MULTIPLIER)
    return remainder(s.now[Now.RANDOM] >> 8, n)


def reference_value(s: State, r: int) -> int:
    """The value of a reference."""
    return int(P - s.value[r >> 1] if r & 1 else s.value[r >> 1])


def find_node(s: State, value: int) -> int:
    """The node of a value in 0 … HALF, or 0."""
    # values of the field are as good as random, so their low bits are a hash
    slot = value & s.now[Now.MASK]
    while s.table[slot] != 0:
        if s.value[s.table[slot]] == value:
            return int(s.table[slot])
        slot = (slot + 1) & s.now[Now.MASK]
    return 0


def enter_node(s: State, value: int) -> int:
    """A new node for a value without a node."""
    node = s.now[Now.COUNT]
    s.now[Now.COUNT] = node + 1
    slot = value & s.now[Now.MASK]
    while s.table[slot] != 0:
        slot = (slot + 1) & s.now[Now.MASK]
    s.table[slot] = node
    s.value[node] = value
    s.inverse[node], s.refs[node], s.parents[node], s.fused[node] = 0, 0, 0, 0
    return int(node)


def inverse(s: State, node: int) -> int:
    """1 / value, by Fermat; remembered."""
    if s.inverse[node] == 0:
        power, result, left = s.value[node], 1, P - 2
        while left > 0:
            if left & 1:
                result = product(result, power)
            power = product(power, power)
            left = left >> 1
        s.inverse[node] = result
    return int(s.inverse[node])


def make_reference(s: State, kind: int, x: int, y: int) -> int:
    """A reference to x + y or x · y; 0 when it is the number zero, or cannot be had."""
    if x == 0 or y == 0:
        return 0
    value = (
        product(reference_value(s, x), reference_value(s, y))
        if kind == Kind.MUL
        else total(reference_value(s, x), reference_value(s, y))
    )
    if value == 0:
        return 0
    sign = 1 if value > HALF else 0
    node = find_node(s, P - value if sign else value)
    if node == 0:
        node = enter_node(s, P - value if sign else value)
        set_way(s, node, kind, x ^ sign, y ^ sign if kind == Kind.ADD else y)
    elif s.offline[node] == 0:
        if s.refs[node] > 0:
            # it lives elsewhere and might need v: examined before the way is taken
            s.hits[s.now[Now.HITS]] = node
            s.now[Now.HITS] += 1
        # a dead fixed node has only its old arguments, and they may need v by now
        elif s.kind[node] == Kind.FIXED:
            return 0
        # what this move has made is used already: a second way could close a circle
        elif s.kind[node] != Kind.LEAF and s.made[node] != s.now[Now.MOVE]:
            set_way(s, node, kind, x ^ sign, y ^ sign if kind == Kind.ADD else y)
    return 2 * node + sign


def set_way(s: State, node: int, kind: int, x: int, y: int) -> int:
    """Of a node that is not live."""
    s.kind[node] = kind
    s.left[node] = x
    s.right[node] = y
    s.offline[node] = s.offline[x >> 1] & s.offline[y >> 1]
    s.weight[node] = operation_price(s, kind, x, y)
    s.made[node] = s.now[Now.MOVE]
    return 0


def operation_price(s: State, kind: int, x: int, y: int) -> int:
    if s.offline[x >> 1] & s.offline[y >> 1]:
        return 0
    return int(s.price[Priced.ADD] if kind == Kind.ADD else s.price[Priced.MUL])


def use(s: State, r: int, parent: int) -> int:
    """One more use of a node; the first brings it to life, and what it is computed from."""
    node = r >> 1
    if s.offline[node]:
        return 0
    # the exclusive or forgets a user that comes twice, which is why it is read only with one use left
    s.refs[node] += 1
    s.parents[node] = s.parents[node] ^ parent
    if s.refs[node] == 1:
        s.place[node] = s.now[Now.LIVE]
        s.live[s.now[Now.LIVE]] = node
        s.now[Now.LIVE] += 1
        s.now[Now.COST] += s.weight[node]
        if s.kind[node] == Kind.FIXED:
            for i in range(s.left[node], s.left[node] + s.right[node]):
                use(s, s.more[i], node)
        elif s.kind[node] != Kind.LEAF:
            use(s, s.left[node], node)
            use(s, s.right[node], node)
        fuse(s, node)
    # with its first use the user may swallow the product; with a second the first user no longer may
    if s.kind[node] == Kind.MUL and s.refs[node] <= 2:
        fuse(s, parent if s.refs[node] == 1 else s.parents[node] ^ parent)
    return 0


def release(s: State, r: int, parent: int) -> int:
    """One use less; the last takes its life."""
    node = r >> 1
    if s.offline[node]:
        return 0
    s.refs[node] -= 1
    s.parents[node] = s.parents[node] ^ parent
    if s.refs[node] == 0:
        s.now[Now.LIVE] -= 1
        # the last live node takes its place: removed in constant time, the order does not matter
        last = s.live[s.now[Now.LIVE]]
        s.live[s.place[node]] = last
        s.place[last] = s.place[node]
        s.now[Now.COST] -= s.weight[node]
        fuse(s, node)
        if s.kind[node] == Kind.FIXED:
            for i in range(s.left[node], s.left[node] + s.right[node]):
                release(s, s.more[i], node)
        elif s.kind[node] != Kind.LEAF:
            release(s, s.left[node], node)
            release(s, s.right[node], node)
    # the one user that is left may swallow the product now
    if s.kind[node] == Kind.MUL and s.refs[node] <= 1:
        fuse(s, parent if s.refs[node] == 0 else s.parents[node])
    return 0


def fuse(s: State, node: int) -> int:
    """A sum swallows a product that serves nothing else, where the price says so."""
    if s.price[Priced.FUSED] == 0:
        return 0
    fused = 0
    if s.kind[node] == Kind.ADD and s.refs[node] > 0:
        fused = 1 if lone(s, s.left[node]) or lone(s, s.right[node]) else 0
    # by difference: called once too often, it changes nothing
    s.now[Now.COST] -= (fused - s.fused[node]) * s.price[Priced.FUSED]
    s.fused[node] = fused
    return 0


def lone(s: State, r: int) -> int:
    node = r >> 1
    return 1 if s.kind[node] == Kind.MUL and s.offline[node] == 0 and s.refs[node] == 1 else 0


def depends(s: State, start: int, goal: int) -> int:
    """Is `goal` needed to compute the live node `start`?"""
    if start == goal:
        return 1
    s.now[Now.STAMP] += 1
    # a new stamp, above, unmarks every node at once
    s.stack[0] = start
    depth = 1
    while depth > 0:
        depth -= 1
        node = s.stack[depth]
        count = s.right[node] if s.kind[node] == Kind.FIXED else 0 if s.kind[node] == Kind.LEAF else 2
        for i in range(count):
            below = s.more[s.left[node] + i] if s.kind[node] == Kind.FIXED else s.right[node] if i else s.left[node]
            below = below >> 1
            if below == goal:
                return 1
            # what parameters alone decide cannot need an on-line node
            if s.stamp[below] != s.now[Now.STAMP] and s.offline[below] == 0:
                s.stamp[below] = s.now[Now.STAMP]
                s.stack[depth] = below
                depth += 1
    return 0
