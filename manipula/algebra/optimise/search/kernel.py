"""Kernel, last part: propose, try, accept or undo. Annealing over the ways to compute the same values."""

from __future__ import annotations

from manipula.algebra.optimise.search.moves import (
    distribute,
    exchange,
    factor,
    look_up,
    pair_up,
    rebuild_product,
    rebuild_sum,
    regroup,
    rescale,
    sum_with_product,
    sum_with_square,
)
from manipula.algebra.optimise.search.state import (
    ADD,
    BEST,
    CAPACITY,
    COST,
    COUNT,
    HITS,
    KIND,
    LEFT,
    LIVE,
    MENU,
    MOVE,
    MUL,
    OUTSIDE,
    RANDOM,
    RIGHT,
    SCRATCH,
    STEEPEST,
    State,
)
from manipula.algebra.optimise.search.sweep import sweep
from manipula.algebra.optimise.search.table import depends, fuse, priced, random, release, use

# the moves by number, and how often of MENU times each is tried
(
    REGROUP,
    PAIR_UP,
    DISTRIBUTE,
    FACTOR,
    SUM_OF,
    PRODUCT_OF,
    REBUILD,
    SPREAD,
    COLLECT,
    SPREAD_COLLECT,
    EXCHANGE,
    RESCALE,
    WITH_SQUARE,
    WITH_PRODUCT,
) = range(14)
SHARES = {
    REGROUP: 5, PAIR_UP: 2, EXCHANGE: 2, FACTOR: 5, COLLECT: 5, REBUILD: 5,
    DISTRIBUTE: 8, SPREAD: 9, SPREAD_COLLECT: 8, RESCALE: 2,
    SUM_OF: 6, PRODUCT_OF: 3, WITH_SQUARE: 2, WITH_PRODUCT: 2,
}  # fmt: skip


def proposed(s: State, v: int) -> int:
    move = s.menu[random(s, MENU)]
    if move == SUM_OF:
        return look_up(s, v, ADD)
    if move == PRODUCT_OF:
        return look_up(s, v, MUL)
    if move == REGROUP:
        return regroup(s, v)
    if move == PAIR_UP:
        return pair_up(s, v)
    if move == DISTRIBUTE:
        return distribute(s, v)
    if move == FACTOR:
        return factor(s, v)
    if move == EXCHANGE:
        return exchange(s, v)
    if move == RESCALE:
        return rescale(s, v)
    if move == WITH_SQUARE:
        return sum_with_square(s, v)
    if move == WITH_PRODUCT:
        return sum_with_product(s, v)
    if move == REBUILD and s.kind[v] == MUL:
        return rebuild_product(s, v)
    spreading = 1 if move in (SPREAD, SPREAD_COLLECT) else 0
    collecting = 1 if move in (COLLECT, SPREAD_COLLECT) else 0
    return rebuild_sum(s, v, spreading, collecting)


def circular(s: State, v: int) -> int:
    """Would the proposed way need v itself?"""
    for i in range(s.now[HITS]):
        if depends(s, s.hits[i], v):
            return 1
    return 0


def change(s: State, v: int, kind: int, x: int, y: int) -> int:
    """Compute v by another way."""
    old_x, old_y = s.left[v], s.right[v]
    use(s, x, v)
    use(s, y, v)
    s.kind[v] = kind
    s.left[v] = x
    s.right[v] = y
    weight = priced(s, kind, x, y)
    s.now[COST] += weight - s.weight[v]
    s.weight[v] = weight
    release(s, old_x, v)
    release(s, old_y, v)
    fuse(s, v)
    if s.refs[v] == 1:
        fuse(s, s.parents[v])
    return 0


def accepted(s: State, rise: int) -> int:
    if rise <= 0:
        return 1
    if rise >= STEEPEST:
        return 0
    random(s, 2)
    return 1 if s.now[RANDOM] < s.chances[rise] else 0


def remember(s: State) -> int:
    """Keep this state as the best."""
    s.now[BEST] = s.now[COST]
    for i in range(s.now[COUNT]):
        s.best_kind[i] = s.kind[i]
        s.best_left[i] = s.left[i]
        s.best_right[i] = s.right[i]
    return 0


def step(s: State) -> int:
    """One move."""
    v = s.live[random(s, s.now[LIVE])]
    if s.kind[v] != ADD and s.kind[v] != MUL:
        return 0
    s.now[MOVE] += 1
    s.now[HITS] = 0
    if proposed(s, v) == 0 or circular(s, v):
        return 0
    kind, x, y, cost = s.kind[v], s.left[v], s.right[v], s.now[COST]
    change(s, v, s.now[KIND], s.now[LEFT], s.now[RIGHT])
    if accepted(s, s.now[COST] - cost) == 0:
        change(s, v, kind, x, y)
        return 0
    if s.now[COST] < s.now[BEST]:
        remember(s)
    return 1


def begin(s: State) -> int:
    """Use the outputs, which are the arguments of the world outside."""
    for i in range(s.left[OUTSIDE], s.left[OUTSIDE] + s.right[OUTSIDE]):
        use(s, s.more[i], OUTSIDE)
    return remember(s)


def anneal(s: State, moves: int) -> int:
    """Many moves at one temperature."""
    for _ in range(moves):
        if s.now[COUNT] + SCRATCH > s.now[CAPACITY]:
            sweep(s)
        step(s)
    return 0
