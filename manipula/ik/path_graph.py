"""The best way through the graph of branches: one configuration for every pose, by dynamic programming.

A pose has rows, one for each branch (spin, swivel), and a row has a state for each choice of whole turns inside the
limits. A step in which a joint moves by more than `max_step` is a jump. Of all ways that have one state for each pose,
those with the fewest jumps are sought, and of these the one with the least travel Σ|Δq|:

    F(t) = min(F(s) for smooth steps s → t,  1 + least F at the pose before)        jumps on the way to t
    B(s) = min(B(t) for smooth steps s → t,  1 + least B at the pose after)         jumps on the way from s on
    V(t) = min(V(s) + |t − s|)      over states with F + B = the least number of jumps; a jump where F grows by one

As `max_step` is below half a turn, a smooth step leads to one turn only: rows are compared, and turns follow by whole
numbers. For the largest margin the third recursion minimises the largest −margin on the way in place of the travel.
Where no jump is needed, F = B = 0 and the third recursion alone is enough: it is tried first.

Rows of a pose come in the order of `keys`, one joint's position within a turn: a smooth step leads to rows whose key is
near, across the end of the turn as well, and the others are not compared.

Texts (see `algebra.program`): they run as they stand, and in machine code.
"""

from __future__ import annotations

from manipula.algebra.program.primitives import Ints, Reals, integers
from manipula.ik.numeric.tolerances import PathTolerance
from manipula.ik.numeric.turns import row_travel, shifted, smooth_step, state_margin, state_travel

NONE = 1 << 40  # jumps of a state outside the limits
FAR = 1e300  # travel and margin beyond every other
JOINTS = 64  # room for one row of whole turns


class Window:
    """Where the rows begin and end that a smooth step may lead to: about a key, and across both ends of a turn."""

    LOW_END = 1  # rows from 0 to here are near across the lower end of the turn,
    NEAR, NEAR_END = 2, 3  # these are near as they stand,
    HIGH = 4  # and from here on across the upper end
    COUNT = 6


def open_window(begin: int, end: int, window: Ints) -> None:
    """Before the first row of a pose: nothing has been passed."""
    for i in range(Window.COUNT - 1):
        window[i] = begin
    window[Window.COUNT - 1] = end


def move_window(at: float, reach: float, period: float, keys: Reals, window: Ints) -> None:
    """On to a key that is no smaller: its bounds only move up, so that all rows of a pose take one pass."""
    end = window[Window.COUNT - 1]
    for i in range(1, Window.COUNT - 1):
        bound = at + reach - period
        if i == Window.NEAR:
            bound = at - reach
        if i == Window.NEAR_END:
            bound = at + reach
        if i == Window.HIGH:
            bound = at + period - reach
        # no row counts twice
        row = max(window[i], window[i - 1])
        while row < end and keys[row] < bound:
            row += 1
        window[i] = row


def mark_states(rows: int, dof: int, each: int, q: Reals, own: Reals, turns: Ints, joints: Reals, tops: Ints,
                least: float, ahead: Ints, rest: Ints) -> None:  # fmt: skip
    """0 for states that count, NONE for those outside the limits or with a margin below `least`."""
    for row in range(rows):
        for w in range(each):
            inside = True
            for j in range(dof):
                inside = inside and turns[w * dof + j] <= tops[row * dof + j]
            if inside and least > -FAR:
                inside = state_margin(dof, q[row * dof :], turns[w * dof :], own[row], joints) >= least
            ahead[row * each + w] = 0 if inside else NONE
            rest[row * each + w] = 0 if inside else NONE


def nearest_state(
    states: int, dof: int, each: int, q: Reals, turns: Ints, joints: Reals, start: Reals, ahead: Ints
) -> int:
    """The state of the first pose that is nearest to the start."""
    none = integers(JOINTS)
    for j in range(dof):
        none[j] = 0
    nearest = -1
    closest = FAR
    for s in range(states):
        if ahead[s] < NONE:
            row = s // each
            w = s - row * each
            away = state_travel(dof, start, none, q[row * dof :], turns[w * dof :], joints)
            if away < closest:
                closest = away
                nearest = s
    return nearest


def fewest_jumps(begin: int, end: int, jumps: Ints) -> int:
    fewest = NONE
    for s in range(begin, end):
        fewest = min(fewest, jumps[s])
    return fewest


def raise_jumps(begin: int, end: int, jumps: Ints, to: int) -> None:
    """The states of a pose that count, before smooth steps are looked at."""
    for s in range(begin, end):
        if jumps[s] < NONE:
            jumps[s] = to


def count_jumps(a: int, b: int, dof: int, each: int, q: Reals, turns: Ints, joints: Reals, max_step: float,
                forward: bool, jumps: Ints) -> None:  # fmt: skip
    """Smooth steps from row a to row b of the next pose: the jumps of b by those of a, or of a by those of b."""
    shift = integers(JOINTS)
    if smooth_step(dof, q[a * dof :], q[b * dof :], joints, max_step, shift) < 0:
        return
    for w in range(each):
        v = shifted(dof, w, turns, shift, joints)
        if v >= 0:
            s = a * each + w
            t = b * each + v
            if jumps[s] < NONE and jumps[t] < NONE:
                if forward:
                    jumps[t] = min(jumps[t], jumps[s])
                else:
                    jumps[s] = min(jumps[s], jumps[t])


def follow_rows(a: int, b: int, dof: int, each: int, q: Reals, own: Reals, turns: Ints, joints: Reals, max_step: float,
                by_margin: bool, most: int, ahead: Ints, rest: Ints, cost: Reals, back: Ints) -> None:  # fmt: skip
    """The cost of smooth steps from row a to row b, between states of ways with the fewest jumps."""
    shift = integers(JOINTS)
    step = smooth_step(dof, q[a * dof :], q[b * dof :], joints, max_step, shift)
    if step < 0:
        return
    for w in range(each):
        s = a * each + w
        if ahead[s] + rest[s] == most:
            v = shifted(dof, w, turns, shift, joints)
            if v >= 0:
                t = b * each + v
                # both on ways with the fewest jumps, and none is spent on this step
                if ahead[t] == ahead[s] and ahead[t] + rest[t] == most:
                    value = cost[s] + step
                    if by_margin:
                        value = max(cost[s], -state_margin(dof, q[b * dof :], turns[v * dof :], own[b], joints))
                    if value < cost[t]:
                        cost[t] = value
                        back[t] = s


def jump_rows(a: int, b: int, floor: float, dof: int, each: int, q: Reals, own: Reals, turns: Ints, joints: Reals,
              by_margin: bool, most: int, ahead: Ints, rest: Ints, cost: Reals, back: Ints) -> None:  # fmt: skip
    """The same of jumps; `floor` is the least cost of a state of row a."""
    # a bound first: most pairs of rows cannot improve t, and their turns are never tried
    shortest = floor
    if not by_margin:
        shortest += row_travel(dof, q[a * dof :], q[b * dof :], joints)
    for v in range(each):
        t = b * each + v
        if ahead[t] + rest[t] == most and shortest < cost[t]:
            margin = state_margin(dof, q[b * dof :], turns[v * dof :], own[b], joints)
            for w in range(each):
                s = a * each + w
                # the jump is one of the fewest only where the count grows by one
                if ahead[s] + 1 == ahead[t] and ahead[s] + rest[s] == most and cost[s] < cost[t]:
                    value = max(cost[s], -margin)
                    if not by_margin:
                        value = cost[s] + state_travel(
                            dof, q[a * dof :], turns[w * dof :], q[b * dof :], turns[v * dof :], joints
                        )
                    if value < cost[t]:
                        cost[t] = value
                        back[t] = s


def least_cost(begin: int, end: int, most: int, ahead: Ints, rest: Ints, cost: Reals) -> float:
    least = FAR
    for s in range(begin, end):
        if ahead[s] + rest[s] == most:
            least = min(least, cost[s])
    return least


def may_jump(before: int, here: int, after: int, most: int, ahead: Ints, rest: Ints) -> bool:
    """Whether a way with the fewest jumps may have one between two poses."""
    # where no state of the later pose has more jumps than the least before, none can be on the way
    lowest = NONE
    for s in range(before, here):
        if ahead[s] + rest[s] == most:
            lowest = min(lowest, ahead[s])
    found = False
    for t in range(here, after):
        found = found or (ahead[t] + rest[t] == most and ahead[t] > lowest)
    return found


def count_layer(before: int, here: int, after: int, dof: int, each: int, q: Reals, keys: Reals, period: float,
                turns: Ints, joints: Reals, max_step: float, forward: bool, jumps: Ints) -> None:  # fmt: skip
    """Smooth steps from the rows of a pose, `before` to `here`, to those of the next."""
    window = integers(Window.COUNT)
    open_window(here, after, window)
    for a in range(before, here):
        move_window(keys[a], max_step + PathTolerance.TOUCH, period, keys, window)
        for part in range(0, Window.COUNT, 2):
            for b in range(window[part], window[part + 1]):
                count_jumps(a, b, dof, each, q, turns, joints, max_step, forward, jumps)


def follow_layer(before: int, here: int, after: int, dof: int, each: int, q: Reals, own: Reals, keys: Reals,
                 period: float, turns: Ints, joints: Reals, max_step: float, by_margin: bool, most: int, ahead: Ints,
                 rest: Ints, cost: Reals, back: Ints) -> None:  # fmt: skip
    """The cost of smooth steps from the rows of a pose to those of the next."""
    window = integers(Window.COUNT)
    open_window(here, after, window)
    for a in range(before, here):
        move_window(keys[a], max_step + PathTolerance.TOUCH, period, keys, window)
        if least_cost(a * each, (a + 1) * each, most, ahead, rest, cost) < FAR:
            for part in range(0, Window.COUNT, 2):
                for b in range(window[part], window[part + 1]):
                    follow_rows(
                        a, b, dof, each, q, own, turns, joints, max_step, by_margin, most, ahead, rest, cost, back
                    )


def jump_layer(before: int, here: int, after: int, dof: int, each: int, q: Reals, own: Reals, turns: Ints,
               joints: Reals, by_margin: bool, most: int, ahead: Ints, rest: Ints, cost: Reals, back: Ints
               ) -> None:  # fmt: skip
    """The same of jumps."""
    for a in range(before, here):
        floor = least_cost(a * each, (a + 1) * each, most, ahead, rest, cost)
        if floor < FAR:
            for b in range(here, after):
                jump_rows(a, b, floor, dof, each, q, own, turns, joints, by_margin, most, ahead, rest, cost, back)


def begin_costs(rows: int, first: int, dof: int, each: int, q: Reals, own: Reals, turns: Ints, joints: Reals,
                by_margin: bool, cost: Reals, back: Ints) -> None:  # fmt: skip
    """The first pose's own, and none anywhere else."""
    for row in range(rows):
        for w in range(each):
            state = row * each + w
            back[state] = -1
            cost[state] = FAR
            if row < first:
                cost[state] = 0.0
                if by_margin:
                    cost[state] = -state_margin(dof, q[row * dof :], turns[w * dof :], own[row], joints)


def best_last(begin: int, end: int, most: int, ahead: Ints, rest: Ints, cost: Reals) -> int:
    best = -1
    for s in range(begin, end):
        if ahead[s] + rest[s] == most:
            better = best < 0
            if not better:
                # strictly: of equal ones the first, so that a run has one answer
                better = cost[s] < cost[best]
            if better:
                best = s
    return best


def count_all(layers: int, dof: int, each: int, first: Ints, q: Reals, keys: Reals, period: float, turns: Ints,
              joints: Reals, max_step: float, ahead: Ints, rest: Ints) -> None:  # fmt: skip
    """F and B of every state."""
    for layer in range(1, layers):
        fewest = fewest_jumps(first[layer - 1] * each, first[layer] * each, ahead)
        # a jump leads anywhere, from the best state before: the bound that smooth steps may undercut
        raise_jumps(first[layer] * each, first[layer + 1] * each, ahead, fewest + 1)
        count_layer(first[layer - 1], first[layer], first[layer + 1], dof, each, q, keys, period, turns, joints,
                    max_step, True, ahead)  # fmt: skip
    # the same from the end: both counts say of a state whether any best way passes it
    for i in range(layers - 1):
        at = layers - 2 - i
        fewest = fewest_jumps(first[at + 1] * each, first[at + 2] * each, rest)
        raise_jumps(first[at] * each, first[at + 1] * each, rest, fewest + 1)
        count_layer(first[at], first[at + 1], first[at + 2], dof, each, q, keys, period, turns, joints, max_step,
                    False, rest)  # fmt: skip


def cheapest(
    layers: int, dof: int, each: int, first: Ints, q: Reals, own: Reals, keys: Reals, period: float, turns: Ints,
    joints: Reals, tops: Ints, max_step: float, by_margin: bool, least: float, started: bool, start: Reals, ahead: Ints,
    rest: Ints, cost: Reals, back: Ints,
) -> int:  # fmt: skip
    """The last state of the best way; `back` leads to those before it, and `ahead` has its number of jumps.

    `first` (layers + 1) says where the rows of a pose begin, `keys` in which order they come (`period`: of a turn),
    `each` how many states a row has, `turns` (each × dof) which turns they are, `tops` the last turn of each joint of a
    row that is inside. States with a margin below `least` do not count. `start`: the way begins at the state that is
    nearest to it.
    """
    rows = first[layers]
    mark_states(rows, dof, each, q, own, turns, joints, tops, least, ahead, rest)
    if started:
        nearest = nearest_state(first[1] * each, dof, each, q, turns, joints, start, ahead)
        for other in range(first[1] * each):
            if other != nearest:
                ahead[other] = NONE
                rest[other] = NONE
    most = 0
    begin_costs(rows, first[1], dof, each, q, own, turns, joints, by_margin, cost, back)
    for layer in range(1, layers):
        follow_layer(first[layer - 1], first[layer], first[layer + 1], dof, each, q, own, keys, period, turns, joints,
                     max_step, by_margin, most, ahead, rest, cost, back)  # fmt: skip
    if not least_cost(first[layers - 1] * each, rows * each, most, ahead, rest, cost) < FAR:
        # no way without a jump
        count_all(layers, dof, each, first, q, keys, period, turns, joints, max_step, ahead, rest)
        most = fewest_jumps(first[layers - 1] * each, rows * each, ahead)
        begin_costs(rows, first[1], dof, each, q, own, turns, joints, by_margin, cost, back)
        for layer in range(1, layers):
            before = first[layer - 1] * each
            here = first[layer] * each
            after = first[layer + 1] * each
            follow_layer(first[layer - 1], first[layer], first[layer + 1], dof, each, q, own, keys, period, turns,
                         joints, max_step, by_margin, most, ahead, rest, cost, back)  # fmt: skip
            if may_jump(before, here, after, most, ahead, rest):
                jump_layer(first[layer - 1], first[layer], first[layer + 1], dof, each, q, own, turns, joints,
                           by_margin, most, ahead, rest, cost, back)  # fmt: skip
    return best_last(first[layers - 1] * each, rows * each, most, ahead, rest, cost)
