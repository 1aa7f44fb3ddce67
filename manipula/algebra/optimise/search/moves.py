"""Kernel, second part: the moves. Each proposes another way to compute a live node v, and returns 1, or 0 for none.

Everything here is a text of `algebra.program`. The way goes to `now[KIND, LEFT, RIGHT]`. What a move takes from
below v cannot close a circle; every other live node it uses is noted in `hits`, and examined before the way is taken.
"""

from __future__ import annotations

from manipula.algebra.expr.field import P
from manipula.algebra.optimise.search.table import (
    HALF,
    ONE,
    Kind,
    Now,
    State,
    depends,
    find_node,
    inverse,
    make_reference,
    product,
    random,
    reference_value,
    total,
)
from manipula.algebra.program.primitives import quotient, remainder

TERMS = 12  # the longest sum or product taken apart
GROUP = 32  # where in `scratch` the second list stands
DEEP = 3  # how far products are opened to find a factor
TRIES = 16  # partners looked at in one look-up


def way(s: State, kind: int, x: int, y: int) -> int:
    """Propose x + y or x · y."""
    s.now[Now.KIND] = kind
    s.now[Now.LEFT] = x
    s.now[Now.RIGHT] = y
    return 1 if x != 0 and y != 0 else 0


def regroup(s: State, v: int) -> int:
    """x + (p + q) → (x + p) + q, and the same of products."""
    kind = s.kind[v]
    # one draw for both choices: which operand is opened, and which of its parts goes with the other
    turn = random(s, 4)
    x = s.right[v] if turn & 1 else s.left[v]
    u = s.left[v] if turn & 1 else s.right[v]
    # what depends on parameters alone is free as it stands: taking it apart only makes on-line work
    if s.kind[u >> 1] != kind or s.offline[u >> 1]:
        return 0
    # a sign before a sum belongs to both terms, before a product to one factor only
    p, q = s.left[u >> 1] ^ (u & 1), s.right[u >> 1]
    if kind == Kind.ADD:
        q = q ^ (u & 1)
    if turn & 2:
        return way(s, kind, make_reference(s, kind, x, q), p)
    return way(s, kind, make_reference(s, kind, x, p), q)


def pair_up(s: State, v: int) -> int:
    """(p + q) + (r + t) → (p + r) + (q + t), and the same of products."""
    kind = s.kind[v]
    x, y = s.left[v], s.right[v]
    if s.kind[x >> 1] != kind or s.kind[y >> 1] != kind or s.offline[x >> 1] or s.offline[y >> 1]:
        return 0
    p, q, r, t = s.left[x >> 1] ^ (x & 1), s.right[x >> 1], s.left[y >> 1] ^ (y & 1), s.right[y >> 1]
    if kind == Kind.ADD:
        q, t = q ^ (x & 1), t ^ (y & 1)
    if random(s, 2):
        r, t = t, r
    return way(s, kind, make_reference(s, kind, p, r), make_reference(s, kind, q, t))


def distribute(s: State, v: int) -> int:
    """a · (p + q) → a · p + a · q"""
    turn = random(s, 2)
    a = s.right[v] if turn else s.left[v]
    u = s.left[v] if turn else s.right[v]
    if s.kind[v] != Kind.MUL or s.kind[u >> 1] != Kind.ADD or s.offline[u >> 1]:
        return 0
    p, q = s.left[u >> 1] ^ (u & 1), s.right[u >> 1] ^ (u & 1)
    # dearer alone; it pays where one of the two products is there already
    return way(s, Kind.ADD, times(s, a, p), times(s, a, q))


def divide_factor(s: State, r: int, factor: int, depth: int) -> int:
    """What is left of a product when one factor is taken out; 0 if it has no such factor."""
    node = r >> 1
    if node == factor:
        return 2 * ONE + (r & 1)
    if depth == 0 or s.kind[node] != Kind.MUL:
        return 0
    other = s.right[node]
    rest = divide_factor(s, s.left[node], factor, depth - 1)
    if rest == 0:
        other = s.left[node]
        rest = divide_factor(s, s.right[node], factor, depth - 1)
    if rest == 0:
        return 0
    rest = rest ^ (r & 1)
    # 1 · other is other: a product by one would be paid for
    return other ^ (rest & 1) if rest >> 1 == ONE else make_reference(s, Kind.MUL, rest, other)


def some_factor(s: State, r: int) -> int:
    """A node some way down a product."""
    node = r >> 1
    for depth in range(DEEP):
        # stopping at random: a factor may itself be a product, and is then worth more than its parts
        if s.kind[node] != Kind.MUL or (depth > 0 and random(s, 2)):
            return node
        node = (s.right[node] if random(s, 2) else s.left[node]) >> 1
    return node


def factor(s: State, v: int) -> int:
    """a · b + a · c → a · (b + c), the factor possibly deeper."""
    if s.kind[v] != Kind.ADD:
        return 0
    common = some_factor(s, s.left[v])
    # the right side first: most draws fail here, before a node is made for the left one
    y = divide_factor(s, s.right[v], common, DEEP)
    if y == 0:
        return 0
    return way(s, Kind.MUL, 2 * common, make_reference(s, Kind.ADD, divide_factor(s, s.left[v], common, DEEP), y))


def exchange(s: State, v: int) -> int:
    """a · b + c · d → (a ± c) · b + c · (d ∓ b)"""
    x, y = s.left[v] >> 1, s.right[v] >> 1
    if s.kind[v] != Kind.ADD or s.kind[x] != Kind.MUL or s.kind[y] != Kind.MUL or s.offline[x] or s.offline[y]:
        return 0
    # four bits: which product is the first, the factor that moves of each, and the sign it moves with
    turn = random(s, 16)
    if turn & 8:
        x, y = y, x
    sign = (s.left[v] ^ s.right[v]) & 1  # of the second against the first; the first takes v's own
    own = (s.right[v] if turn & 8 else s.left[v]) & 1
    a = s.right[x] if turn & 1 else s.left[x]
    b = s.left[x] if turn & 1 else s.right[x]
    c = (s.right[y] if turn & 2 else s.left[y]) ^ sign
    d = s.left[y] if turn & 2 else s.right[y]
    flip = 1 if turn & 4 else 0
    # ±c·b goes to one product and leaves the other: as many operations, but other factors to share
    first = make_reference(s, Kind.MUL, make_reference(s, Kind.ADD, a, c ^ flip), b)
    second = make_reference(s, Kind.MUL, c, make_reference(s, Kind.ADD, d, b ^ flip ^ 1))
    if first == 0 or second == 0:
        return 0
    return way(s, Kind.ADD, first ^ own, second ^ own)


def open_terms(s: State, v: int, kind: int) -> int:
    """The terms of a sum, or the factors of a product, into `scratch`; shared parts are opened now and then."""
    s.scratch[0] = 2 * v
    count = 1
    at = 0
    while at < count:
        r = s.scratch[at]
        node = r >> 1
        # a list that is full stays as it is: `scratch` has room for TERMS
        inner = s.kind[node] == kind and s.offline[node] == 0 and count < TERMS
        # a shared part lives on whether it is opened or not, so opening it pays rarely
        if inner and (node == v or s.refs[node] == 1 or random(s, 4) == 0):
            # for `at_hand`: it falls with the old way of v
            s.open[node] = s.now[Now.MOVE]
            s.scratch[at] = s.left[node] ^ (r & 1)
            s.scratch[count] = s.right[node] ^ (r & 1 if kind == Kind.ADD else 0)
            count += 1
        else:
            at += 1
    return count


def spread(s: State, count: int) -> int:
    """One term a · (p + q) of `scratch` becomes two. The new number of terms."""
    # from any place: the first product would else be the one that is spread every time
    start = random(s, count)
    for i in range(count):
        at = remainder(start + i, count)
        r = s.scratch[at]
        node = r >> 1
        if s.kind[node] == Kind.MUL and s.offline[node] == 0:
            turn = random(s, 2)
            a = (s.right[node] if turn else s.left[node]) ^ (r & 1)
            u = s.left[node] if turn else s.right[node]
            if s.kind[u >> 1] == Kind.ADD and s.offline[u >> 1] == 0:
                s.scratch[at] = times(s, a, s.left[u >> 1] ^ (u & 1))
                s.scratch[count] = times(s, a, s.right[u >> 1] ^ (u & 1))
                return count + 1
    return count


def collect(s: State, count: int, v: int) -> int:
    """All terms of `scratch` that share a factor become one. The new number of terms; 0 for a failure."""
    common = some_factor(s, s.scratch[random(s, count)])
    # every term has the factor one
    if common == ONE:
        return 0
    kept, group = 0, 0
    for i in range(count):
        rest = divide_factor(s, s.scratch[i], common, DEEP)
        if rest != 0:
            s.scratch[GROUP + group] = rest
            group += 1
        else:
            s.scratch[kept] = s.scratch[i]
            kept += 1
    if group < 2:
        return 0
    inner = join_terms(s, GROUP, group, Kind.ADD, v)
    if inner == 0:
        return 0
    if kept == 0:
        return way(s, Kind.MUL, 2 * common, inner)
    s.scratch[kept] = make_reference(s, Kind.MUL, 2 * common, inner)
    return kept + 1 if s.scratch[kept] != 0 else 0


def join_terms(s: State, start: int, count: int, kind: int, v: int) -> int:
    """One reference to the sum or product of a list."""
    count = merge_to_two(s, start, count, kind, v)
    return make_reference(s, kind, s.scratch[start], s.scratch[start + 1]) if count == 2 else 0


def merge_to_two(s: State, start: int, count: int, kind: int, v: int) -> int:
    """Bring a list down to two entries: pairs that are there already first, then any. 0 when that fails."""
    while count > 2:
        # 0 would be the pair (0, 0), which is no pair: free to mean that no pair was found
        pair = known_pair(s, start, count, kind, v)
        i, j = quotient(pair, TERMS), remainder(pair, TERMS)
        if pair == 0:
            i = random(s, count)
            j = remainder(i + 1 + random(s, count - 1), count)
        if i > j:
            i, j = j, i
        s.scratch[start + i] = make_reference(s, kind, s.scratch[start + i], s.scratch[start + j])
        if s.scratch[start + i] == 0:
            return 0
        count -= 1
        s.scratch[start + j] = s.scratch[start + count]
    return count


def known_pair(s: State, start: int, count: int, kind: int, v: int) -> int:
    """12·i + j of two entries whose sum or product costs nothing more; 0 if it is missing."""
    # from another place each time, or the same one of several equal pairs would always win
    shift = random(s, count)
    for a in range(count):
        i = remainder(a + shift, count)
        for j in range(i + 1, count):
            x, y = s.scratch[start + i], s.scratch[start + j]
            # two of them make a third one, which is free as well
            if s.offline[x >> 1] & s.offline[y >> 1]:
                return TERMS * i + j
            value = (
                product(reference_value(s, x), reference_value(s, y))
                if kind == Kind.MUL
                else total(reference_value(s, x), reference_value(s, y))
            )
            if at_hand(s, find_node(s, P - value if value > HALF else value), v):
                return TERMS * i + j
    return 0


def at_hand(s: State, node: int, v: int) -> int:
    """Can v use this node at no further cost? Not when it is about to fall with the old way of v."""
    if s.offline[node] or s.refs[node] == 0:
        return int(s.offline[node])
    if s.refs[node] == 1 and s.open[node] == s.now[Now.MOVE]:
        return 0
    # what is computed from v may not become a part of v
    return 1 - depends(s, node, v)


def times(s: State, a: int, x: int) -> int:
    """a · x; when both hold a parameter, (a · k) · y now and then, for the product of parameters is free."""
    node = x >> 1
    if s.offline[a >> 1] and s.kind[node] == Kind.MUL and s.offline[node] == 0 and random(s, 4):
        if s.offline[s.left[node] >> 1]:
            return make_reference(s, Kind.MUL, make_reference(s, Kind.MUL, a ^ (x & 1), s.left[node]), s.right[node])
        if s.offline[s.right[node] >> 1]:
            return make_reference(s, Kind.MUL, make_reference(s, Kind.MUL, a ^ (x & 1), s.right[node]), s.left[node])
    return make_reference(s, Kind.MUL, a, x)


def rebuild_sum(s: State, v: int, spreading: int, collecting: int) -> int:
    """Open the sum v, spread a product, collect a factor, and join the terms."""
    count = open_terms(s, v, Kind.ADD)
    if spreading:
        count = spread(s, count)
    # a product that was spread may be one term too many
    if count < 2 or count > TERMS:
        return 0
    if collecting:
        count = collect(s, count, v)
        if count == 1:
            return 1  # all of them: v is the factor times the rest, and `collect` has said so
    if count >= 3:
        count = merge_to_two(s, 0, count, Kind.ADD, v)
    return way(s, Kind.ADD, s.scratch[0], s.scratch[1]) if count == 2 else 0


def rebuild_product(s: State, v: int) -> int:
    """Open the product v and join its factors anew."""
    count = open_terms(s, v, Kind.MUL)
    # two factors can be joined in one way only
    if count < 3:
        return 0
    count = merge_to_two(s, 0, count, Kind.MUL, v)
    return way(s, Kind.MUL, s.scratch[0], s.scratch[1]) if count == 2 else 0


def note(s: State, node: int) -> int:
    """A live node the way uses."""
    if s.offline[node] == 0:
        s.hits[s.now[Now.HITS]] = node
        s.now[Now.HITS] += 1
    return 0


def look_up(s: State, v: int, kind: int) -> int:
    """v = u ± w or v = u · w with u and w at hand."""
    start = random(s, s.now[Now.LIVE])
    for i in range(TRIES):
        u = s.live[remainder(start + i, s.now[Now.LIVE])]
        sign = random(s, 2) if kind == Kind.ADD else 0
        if kind == Kind.MUL:
            over = inverse(s, u)
            value = product(s.value[v], over)
        else:
            value = total(s.value[v], reference_value(s, 2 * u + 1 - sign))
        # one look into the table instead of a search for the partner: differences and quotients are exact in the field
        w = find_node(s, P - value if value > HALF else value)
        if w != 0 and v not in (u, w) and (s.offline[w] or s.refs[w] > 0):
            note(s, u)
            note(s, w)
            return way(s, kind, 2 * u + sign, 2 * w + (1 if value > HALF else 0))
    return 0


def sum_with_square(s: State, v: int) -> int:
    """v = u ± x² with u and x at hand: a turn keeps x² + y², which no rearrangement of terms shows."""
    start = random(s, s.now[Now.LIVE])
    for i in range(TRIES):
        x = s.live[remainder(start + i, s.now[Now.LIVE])]
        sign = random(s, 2)
        square = product(s.value[x], s.value[x])
        value = total(s.value[v], P - square if sign else square)
        u = find_node(s, P - value if value > HALF else value)
        if u != 0 and v not in (u, x) and (s.offline[u] or s.refs[u] > 0):
            note(s, u)
            note(s, x)
            # u is v ∓ x², so the square comes back with the other sign
            rest = make_reference(s, Kind.MUL, 2 * x, 2 * x)
            return way(s, Kind.ADD, 2 * u + (1 if value > HALF else 0), rest ^ (1 - sign)) if rest != 0 else 0
    return 0


def sum_with_product(s: State, v: int) -> int:
    """v = u ± x · y with u and x at hand, y at hand or a parameter."""
    u = s.live[random(s, s.now[Now.LIVE])]
    start = random(s, s.now[Now.LIVE])
    sign = random(s, 2)
    # one u for many x: v ∓ u is formed once, and every x costs a division and a look
    value = total(s.value[v], reference_value(s, 2 * u + 1 - sign))
    for i in range(TRIES):
        x = s.live[remainder(start + i, s.now[Now.LIVE])]
        ratio = product(value, inverse(s, x))
        y = find_node(s, P - ratio if ratio > HALF else ratio)
        # y = 1 is a plain sum, which `look_up` finds for less
        if y > ONE and v not in (u, x, y) and (s.offline[y] or s.refs[y] > 0):
            note(s, u)
            note(s, x)
            note(s, y)
            return way(
                s, Kind.ADD, 2 * u + sign, make_reference(s, Kind.MUL, 2 * x, 2 * y + (1 if ratio > HALF else 0))
            )
    return 0


def rescale(s: State, v: int) -> int:
    """k · x + y → k · (x + y/k), for a parameter k whose inverse is at hand: a scale that may merge with another."""
    turn = random(s, 2)
    x = s.right[v] if turn else s.left[v]
    y = s.left[v] if turn else s.right[v]
    node = x >> 1
    if s.kind[v] != Kind.ADD or s.kind[node] != Kind.MUL or s.offline[node]:
        return 0
    k, z = s.left[node], s.right[node]
    if s.offline[k >> 1] == 0:
        k, z = z, k
    if s.offline[k >> 1] == 0:
        return 0
    # only inverses that the function already has: a new denominator would be a new condition
    value = inverse(s, k >> 1)
    over = find_node(s, P - value if value > HALF else value)
    if over == 0 or s.offline[over] == 0:
        return 0
    rest = times(s, (2 * over + (1 if value > HALF else 0)) ^ (k & 1), y)
    return way(s, Kind.MUL, k, make_reference(s, Kind.ADD, z ^ (x & 1), rest))
