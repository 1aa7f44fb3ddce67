"""The order of a tape's lines in machine code: depth first, so that few values wait to be read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from manipula.algebra.tape import Line


def depth_first(lines: Sequence[Line], roots: Iterable[int]) -> list[Line]:
    """What each root needs just before it; of two arguments the one with the longer way behind it first."""
    makers = {line.slot: line for line in lines}
    height = _heights(lines)
    ordered: list[Line] = []
    opened: set[int] = set()
    stack = [(slot, False) for slot in reversed(list(roots))]
    while stack:
        slot, complete = stack.pop()
        if complete:
            ordered.append(makers[slot])
        elif slot in makers and slot not in opened:
            opened.add(slot)
            stack.append((slot, True))
            stack += [(arg, False) for arg in sorted(makers[slot].args, key=lambda arg: height.get(arg, 0))]
    return ordered


def _heights(lines: Iterable[Line]) -> dict[int, int]:
    """slot → how many lines follow one another on the longest way to it."""
    height: dict[int, int] = {}
    for line in lines:
        height[line.slot] = 1 + max((height.get(arg, 0) for arg in line.args), default=0)
    return height
