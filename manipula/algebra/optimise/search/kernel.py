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
from manipula.algebra.optimise.search.table import (
    MENU,
    ONE,
    OUTSIDE,
    SCRATCH,
    STEEPEST,
    Kind,
    Now,
    State,
    depends,
    fuse,
    operation_price,
    random,
    release,
    use,
)

# Kernel, third part: sweeping. What neither the ways at hand nor the best ones need goes; the rest is renumbered.
#
# Everything here is a text of `algebra.program`. Leaves stay. While sweeping, `open` marks what is kept and
# `stack` holds the new numbers, which are never larger than the old ones: so all can be moved in place, in order.


def sweep(s: State) -> int:
    for i in range(s.now[Now.COUNT]):
        s.open[i] = 1 if s.kind[i] == Kind.LEAF or i <= ONE else 0
    keep(s, 0)
    keep(s, 1)
    count = 0
    for i in range(s.now[Now.COUNT]):
        # the new number: how many nodes are kept before this one
        s.stack[i] = count
        count += s.open[i]
    for i in range(s.now[Now.COUNT]):
        if s.open[i]:
            move_node(s, i, s.stack[i])
    for i in range(s.now[Now.LIVE]):
        s.live[i] = s.stack[s.live[i]]
        s.place[s.live[i]] = i
    s.now[Now.COUNT] = count
    s.now[Now.SWEEPS] += 1
    return rebuild_table(s)


def keep(s: State, best: int) -> int:
    """Mark all that the outputs need, by the best ways or by those at hand."""
    s.now[Now.STAMP] += 1
    s.stack[0] = OUTSIDE
    depth = 1
    while depth > 0:
        depth -= 1
        node = s.stack[depth]
        s.open[node] = 1
        kind = s.best_kind[node] if best else s.kind[node]
        count = s.right[node] if kind == Kind.FIXED else 0 if kind == Kind.LEAF else 2
        for i in range(count):
            if kind == Kind.FIXED:
                below = s.more[s.left[node] + i] >> 1
            elif best:
                below = (s.best_right[node] if i else s.best_left[node]) >> 1
            else:
                below = (s.right[node] if i else s.left[node]) >> 1
            if s.stamp[below] != s.now[Now.STAMP]:
                s.stamp[below] = s.now[Now.STAMP]
                s.stack[depth] = below
                depth += 1
    return 0


def renumber(s: State, r: int) -> int:
    return int(2 * s.stack[r >> 1] + (r & 1))


def move_node(s: State, i: int, j: int) -> int:
    """Node i becomes node j."""
    if s.kind[i] == Kind.FIXED:
        for k in range(s.left[i], s.left[i] + s.right[i]):
            s.more[k] = renumber(s, s.more[k])
        s.left[j], s.right[j] = s.left[i], s.right[i]
    else:
        s.left[j], s.right[j] = renumber(s, s.left[i]), renumber(s, s.right[i])
    if s.best_kind[i] in (Kind.ADD, Kind.MUL):
        s.best_left[j], s.best_right[j] = renumber(s, s.best_left[i]), renumber(s, s.best_right[i])
    else:
        s.best_left[j], s.best_right[j] = s.best_left[i], s.best_right[i]
    s.kind[j], s.best_kind[j] = s.kind[i], s.best_kind[i]
    s.value[j], s.inverse[j], s.origin[j] = s.value[i], s.inverse[i], s.origin[i]
    s.offline[j], s.weight[j], s.refs[j], s.fused[j] = s.offline[i], s.weight[i], s.refs[i], s.fused[i]
    return 0


def rebuild_table(s: State) -> int:
    """Marks, users and the table made anew."""
    for i in range(s.now[Now.CAPACITY]):
        s.open[i], s.made[i], s.stamp[i], s.parents[i] = 0, 0, 0, 0
    for i in range(s.now[Now.LIVE]):
        node = s.live[i]
        if s.kind[node] == Kind.FIXED:
            for k in range(s.left[node], s.left[node] + s.right[node]):
                # node 0, the world outside, is not among the live ones; an exclusive or with 0 changes nothing
                s.parents[s.more[k] >> 1] = s.parents[s.more[k] >> 1] ^ node
        elif s.kind[node] != Kind.LEAF:
            s.parents[s.left[node] >> 1] = s.parents[s.left[node] >> 1] ^ node
            s.parents[s.right[node] >> 1] = s.parents[s.right[node] >> 1] ^ node
    for i in range(s.now[Now.MASK] + 1):
        s.table[i] = 0
    for i in range(ONE, s.now[Now.COUNT]):
        slot = s.value[i] & s.now[Now.MASK]
        while s.table[slot] != 0:
            slot = (slot + 1) & s.now[Now.MASK]
        s.table[slot] = i
    return 0


# the moves by number, and how often of MENU times each is tried
REGROUP, PAIR_UP, DISTRIBUTE, FACTOR, SUM_OF, PRODUCT_OF, REBUILD = range(7)
SPREAD, COLLECT, SPREAD_COLLECT, EXCHANGE, RESCALE, WITH_SQUARE, WITH_PRODUCT = range(7, 14)
# MENU in all, for the menu is filled by them exactly
SHARES = {
    REGROUP: 5, PAIR_UP: 2, EXCHANGE: 2, FACTOR: 5, COLLECT: 5, REBUILD: 5,
    DISTRIBUTE: 8, SPREAD: 9, SPREAD_COLLECT: 8, RESCALE: 2,
    SUM_OF: 6, PRODUCT_OF: 3, WITH_SQUARE: 2, WITH_PRODUCT: 2,
}  # fmt: skip


def propose_move(s: State, v: int) -> int:
    move = s.menu[random(s, MENU)]
    if move == SUM_OF:
        return look_up(s, v, Kind.ADD)
    if move == PRODUCT_OF:
        return look_up(s, v, Kind.MUL)
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
    if move == REBUILD and s.kind[v] == Kind.MUL:
        return rebuild_product(s, v)
    spreading = 1 if move in (SPREAD, SPREAD_COLLECT) else 0
    collecting = 1 if move in (COLLECT, SPREAD_COLLECT) else 0
    return rebuild_sum(s, v, spreading, collecting)


def circular(s: State, v: int) -> int:
    """Would the proposed way need v itself?"""
    for i in range(s.now[Now.HITS]):
        if depends(s, s.hits[i], v):
            return 1
    return 0


def change(s: State, v: int, kind: int, x: int, y: int) -> int:
    """Compute v by another way."""
    old_x, old_y = s.left[v], s.right[v]
    # use before release: what the old and the new way share must not die in between
    use(s, x, v)
    use(s, y, v)
    s.kind[v] = kind
    s.left[v] = x
    s.right[v] = y
    weight = operation_price(s, kind, x, y)
    s.now[Now.COST] += weight - s.weight[v]
    s.weight[v] = weight
    release(s, old_x, v)
    release(s, old_y, v)
    fuse(s, v)
    # v may have become a product, or ceased to be one: its only user may swallow it, or no longer
    if s.refs[v] == 1:
        fuse(s, s.parents[v])
    return 0


def accept_rise(s: State, rise: int) -> int:
    if rise <= 0:
        return 1
    if rise >= STEEPEST:
        return 0
    # drawn only to go on: the generator's own state is uniform in the field, as the chances are
    random(s, 2)
    return 1 if s.now[Now.RANDOM] < s.chances[rise] else 0


def remember(s: State) -> int:
    """Keep this state as the best."""
    s.now[Now.BEST] = s.now[Now.COST]
    for i in range(s.now[Now.COUNT]):
        s.best_kind[i] = s.kind[i]
        s.best_left[i] = s.left[i]
        s.best_right[i] = s.right[i]
    return 0


def step(s: State) -> int:
    """One move."""
    v = s.live[random(s, s.now[Now.LIVE])]
    if s.kind[v] != Kind.ADD and s.kind[v] != Kind.MUL:
        return 0
    s.now[Now.MOVE] += 1
    s.now[Now.HITS] = 0
    if propose_move(s, v) == 0 or circular(s, v):
        return 0
    kind, x, y, cost = s.kind[v], s.left[v], s.right[v], s.now[Now.COST]
    change(s, v, s.now[Now.KIND], s.now[Now.LEFT], s.now[Now.RIGHT])
    if accept_rise(s, s.now[Now.COST] - cost) == 0:
        # undone by the same road: dead nodes keep their ways, so nothing has to be saved
        change(s, v, kind, x, y)
        return 0
    if s.now[Now.COST] < s.now[Now.BEST]:
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
        # a move makes fewer new nodes than SCRATCH, so here is the only place to look
        if s.now[Now.COUNT] + SCRATCH > s.now[Now.CAPACITY]:
            sweep(s)
        step(s)
    return 0
