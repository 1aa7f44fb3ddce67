"""Kernel, third part: sweeping. What neither the ways at hand nor the best ones need goes; the rest is renumbered.

Everything here is a text of `algebra.program`. Leaves stay. While sweeping, `open` marks what is kept and
`stack` holds the new numbers, which are never larger than the old ones: so all can be moved in place, in order.
"""

from __future__ import annotations

from manipula.algebra.optimise.search.state import (
    ADD,
    CAPACITY,
    COUNT,
    FIXED,
    LEAF,
    LIVE,
    MASK,
    MUL,
    ONE,
    OUTSIDE,
    STAMP,
    SWEEPS,
    State,
)


def sweep(s: State) -> int:
    for i in range(s.now[COUNT]):
        s.open[i] = 1 if s.kind[i] == LEAF or i <= ONE else 0
    keep(s, 0)
    keep(s, 1)
    count = 0
    for i in range(s.now[COUNT]):
        s.stack[i] = count
        count += s.open[i]
    for i in range(s.now[COUNT]):
        if s.open[i]:
            moved(s, i, s.stack[i])
    for i in range(s.now[LIVE]):
        s.live[i] = s.stack[s.live[i]]
        s.place[s.live[i]] = i
    s.now[COUNT] = count
    s.now[SWEEPS] += 1
    return tidied(s)


def keep(s: State, best: int) -> int:
    """Mark all that the outputs need, by the best ways or by those at hand."""
    s.now[STAMP] += 1
    s.stack[0] = OUTSIDE
    depth = 1
    while depth > 0:
        depth -= 1
        node = s.stack[depth]
        s.open[node] = 1
        kind = s.best_kind[node] if best else s.kind[node]
        count = s.right[node] if kind == FIXED else 0 if kind == LEAF else 2
        for i in range(count):
            if kind == FIXED:
                below = s.more[s.left[node] + i] >> 1
            elif best:
                below = (s.best_right[node] if i else s.best_left[node]) >> 1
            else:
                below = (s.right[node] if i else s.left[node]) >> 1
            if s.stamp[below] != s.now[STAMP]:
                s.stamp[below] = s.now[STAMP]
                s.stack[depth] = below
                depth += 1
    return 0


def renumbered(s: State, r: int) -> int:
    return int(2 * s.stack[r >> 1] + (r & 1))


def moved(s: State, i: int, j: int) -> int:
    """Node i becomes node j."""
    if s.kind[i] == FIXED:
        for k in range(s.left[i], s.left[i] + s.right[i]):
            s.more[k] = renumbered(s, s.more[k])
        s.left[j], s.right[j] = s.left[i], s.right[i]
    else:
        s.left[j], s.right[j] = renumbered(s, s.left[i]), renumbered(s, s.right[i])
    if s.best_kind[i] in (ADD, MUL):
        s.best_left[j], s.best_right[j] = renumbered(s, s.best_left[i]), renumbered(s, s.best_right[i])
    else:
        s.best_left[j], s.best_right[j] = s.best_left[i], s.best_right[i]
    s.kind[j], s.best_kind[j] = s.kind[i], s.best_kind[i]
    s.value[j], s.inverse[j], s.origin[j] = s.value[i], s.inverse[i], s.origin[i]
    s.offline[j], s.weight[j], s.refs[j], s.fused[j] = s.offline[i], s.weight[i], s.refs[i], s.fused[i]
    return 0


def tidied(s: State) -> int:
    """Marks, users and the table made anew."""
    for i in range(s.now[CAPACITY]):
        s.open[i], s.made[i], s.stamp[i], s.parents[i] = 0, 0, 0, 0
    for i in range(s.now[LIVE]):
        node = s.live[i]
        if s.kind[node] == FIXED:
            for k in range(s.left[node], s.left[node] + s.right[node]):
                s.parents[s.more[k] >> 1] = s.parents[s.more[k] >> 1] ^ node
        elif s.kind[node] != LEAF:
            s.parents[s.left[node] >> 1] = s.parents[s.left[node] >> 1] ^ node
            s.parents[s.right[node] >> 1] = s.parents[s.right[node] >> 1] ^ node
    for i in range(s.now[MASK] + 1):
        s.table[i] = 0
    for i in range(ONE, s.now[COUNT]):
        slot = s.value[i] & s.now[MASK]
        while s.table[slot] != 0:
            slot = (slot + 1) & s.now[MASK]
        s.table[slot] = i
    return 0
