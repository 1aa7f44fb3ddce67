"""Angles as whole-number combinations of leaves, and the choice of coordinates to expand in.

With the axes of joints 2 and 3 parallel, everything beyond joint 3 depends on q2 and q2 + q3; expanded in those it is
short, in q2 and q3 long. The angles that the expression itself uses most become the coordinates.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from manipula.algebra.simplify.tree import Angle, FormulaTree, sort_key


def angle_from(parts: dict[FormulaTree, int]) -> tuple[Angle, int]:
    """(sorted angle with a positive lead, sign taken out); the zero angle is ()."""
    kept = sorted(((leaf, n) for leaf, n in parts.items() if n), key=lambda part: sort_key(part[0]))
    sign = -1 if kept and kept[0][1] < 0 else 1
    return tuple((leaf, sign * n) for leaf, n in kept), sign


def combined(x: Angle, y: Angle, sign: int) -> tuple[Angle, int]:
    """x + sign·y"""
    parts = Counter(dict(x))
    for leaf, n in y:
        parts[leaf] += sign * n
    return angle_from(dict(parts))


def coordinates_for(uses: Counter[Angle]) -> list[Angle]:
    """As many of the most used angles as are independent, if all others are whole combinations of them; else leaves."""
    ordered = all_angles(uses)
    chosen: list[Angle] = []
    for angle in ordered:
        if expressed(angle, chosen) is None:
            chosen.append(angle)
    if all(_whole(expressed(angle, chosen)) for angle in ordered):
        return chosen
    leaves = {leaf for angle in ordered for leaf, _ in angle}
    return [((leaf, 1),) for leaf in sorted(leaves, key=sort_key)]


def all_angles(uses: Counter[Angle]) -> list[Angle]:
    """Every angle, the most used first."""
    return sorted(uses, key=lambda angle: (-uses[angle], len(angle), [(sort_key(leaf), n) for leaf, n in angle]))


def _whole(combination: list[Fraction] | None) -> bool:
    return combination is not None and all(x.denominator == 1 for x in combination)


def expressed(angle: Angle, basis: Sequence[Angle]) -> list[Fraction] | None:
    """The combination of the (independent) basis that gives the angle, by elimination; None where there is none."""
    leaves = sorted({leaf for x in (angle, *basis) for leaf, _ in x}, key=sort_key)
    rows = [[Fraction(dict(x).get(leaf, 0)) for x in (*basis, angle)] for leaf in leaves]
    n = len(basis)
    for column in range(n):
        pivot = next(i for i in range(column, len(rows)) if rows[i][column])
        rows[column], rows[pivot] = rows[pivot], rows[column]
        scale = rows[column][column]
        rows[column] = [x / scale for x in rows[column]]
        for i, row in enumerate(rows):
            if i != column and row[column]:
                rows[i] = [x - row[column] * y for x, y in zip(row, rows[column])]
    if any(row[n] for row in rows[n:]):
        return None
    return [row[n] for row in rows[:n]]
