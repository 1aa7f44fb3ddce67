"""A tape without what numbers alone decide: a choice whose condition is a number is one of its arms, 1·x is x.

    select(0, a, b)  →  b        1·x  →  x

Both are exact, so the results keep their bits. A number that is another one in single precision decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, replace
from math import isnan

from manipula.algebra.expr.cost import Cost
from manipula.algebra.tape import Line, Tape
from manipula.scalar import OPS


def decided(tape: Tape) -> Tape:
    """The same function; what nobody reads any more is gone, and is not counted."""
    moved = _moved(tape)
    if not moved:
        return tape
    kept = _read(tape, moved)

    def lines(given: Iterable[Line]) -> tuple[Line, ...]:
        return tuple(replace(x, args=tuple(moved.get(arg, arg) for arg in x.args)) for x in given if x.slot in kept)

    outputs = tuple(replace(port, slots=tuple(moved.get(x, x) for x in port.slots)) for port in tape.outputs)
    checks = tuple(
        replace(x, magnitude=moved.get(x.magnitude, x.magnitude), bound=moved.get(x.bound, x.bound))
        for x in tape.checks
    )
    gone = [[x for x in half if x.slot not in kept] for half in (tape.online, tape.offline)]
    return replace(
        tape, offline=lines(tape.offline), online=lines(tape.online), guard=lines(tape.guard), outputs=outputs,
        checks=checks, cost=_less(tape.cost, *gone),
    )  # fmt: skip


def _moved(tape: Tape) -> dict[int, int]:
    """Slot → the slot that has the same value."""
    double, single = dict(tape.constants), dict(tape.single)
    known = {slot: value for slot, value in double.items() if slot not in single and not isnan(value)}
    moved: dict[int, int] = {}
    for line in (*tape.lines, *tape.guard):
        args = [moved.get(arg, arg) for arg in line.args]
        if line.op == "select" and args[0] in known:
            moved[line.slot] = args[1] if known[args[0]] != 0 else args[2]
        elif line.op == "mul" and 1.0 in (known.get(args[0]), known.get(args[1])):
            moved[line.slot] = args[1] if known.get(args[0]) == 1.0 else args[0]
    return moved


def _read(tape: Tape, moved: dict[int, int]) -> set[int]:
    """The slots that results and checks need."""
    ends = [slot for port in tape.outputs for slot in port.slots]
    ends += [slot for check in tape.checks for slot in (check.magnitude, check.bound)]
    wanted = {moved.get(slot, slot) for slot in ends}
    for line in reversed((*tape.lines, *tape.guard)):
        if line.slot in wanted:
            wanted.update(moved.get(arg, arg) for arg in line.args)
    return wanted


def _less(cost: Cost, online: Iterable[Line], offline: Iterable[Line]) -> Cost:
    """What is left without lines that are gone."""
    left = {x.name: getattr(cost, x.name) for x in fields(cost) if x.name != "offline"}
    for line in online:
        left[OPS[line.op].counted_as] -= 1
    further = None if cost.offline is None else _less(cost.offline, offline, ())
    return Cost(**left, offline=further)
