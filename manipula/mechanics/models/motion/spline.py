"""Piecewise polynomials of time: the segment is chosen by comparisons, its polynomial evaluated by Horner's rule.

    u = t − t_k        q = c₀ + u (c₁ + u (c₂ + …))        q̇, q̈ its derivatives,        t_k ≤ t < t_{k+1}

Before the first knot and after the last the reference rests where the curve begins and ends. What makes the
coefficients, a spline through points or a table, is in `simulation`.

Source: de Boor, "A Practical Guide to Splines" (1978), the chapter on the piecewise polynomial representation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from manipula.mechanics.models.block import Block
from manipula.mechanics.models.entry import Given
from manipula.mechanics.models.motion.ports import GOAL, Motion, outside, reference, within
from manipula.mechanics.models.ports import PortKind
from manipula.scalar import Maths, Scalar


def coefficient(segment: int, power: int) -> str:
    """The port of the coefficients of u^power in a segment, one a joint."""
    return f"ref_c{segment + 1}_{power}"


def spline(segments: int, degree: int) -> Block:
    """The block for so many pieces of that degree; knots are counted from 0 at the start, the last is the end."""
    knots = PortKind(
        "ref_knot", "s", "ends of the segments", tuple(f"ref_knot{k + 1}" for k in range(segments)), "setting"
    )
    kinds = [
        PortKind(name, "SI", f"of u^{power} in segment {k + 1}", "dof", "setting", f"{name}_", signed=True)
        for k in range(segments)
        for power in range(degree + 1)
        for name in [coefficient(k, power)]
    ]

    def motion(maths: Maths[Any], t: Scalar, x: Given) -> Motion:
        ends = x["ref_knot"]
        time, rests = within(maths, t, ends[-1]), outside(maths, t, ends[-1])
        later = [maths.less(time, end) for end in ends[:-1]]  # before the end of the segment
        u = time - _select_segment(maths, later, [0, *ends[:-1]])
        found, going = Motion([], [], []), maths.less(t, ends[-1])
        for i, goal in enumerate(x["ref_goal"]):
            c = [
                _select_segment(maths, later, [x[coefficient(k, p)][i] for k in range(segments)])
                for p in range(degree + 1)
            ]
            found.q.append(maths.select(going, _horner(c, u), goal))
            found.qd.append(maths.select(rests, 0, _horner(_slope(c), u)))
            found.qdd.append(maths.select(rests, 0, _horner(_slope(_slope(c)), u)))
        return found

    doc = f"{segments} piece{'s' if segments > 1 else ''} of degree {degree}"
    return reference("spline", doc, (GOAL, knots, *kinds), motion)


def _select_segment(maths: Maths[Any], before: Sequence[Scalar], values: Sequence[Scalar]) -> Any:
    """The value of the first segment whose end is still ahead, else the last."""
    found = values[-1]
    for earlier, value in zip(reversed(before), reversed(values[:-1]), strict=True):
        found = maths.select(earlier, value, found)
    return found


def _horner(c: Sequence[Any], u: Any) -> Any:
    found = c[-1]
    for x in reversed(c[:-1]):
        found = x + u * found
    return found


def _slope(c: Sequence[Any]) -> list[Any]:
    """Coefficients of the derivative."""
    return [power * x for power, x in enumerate(c)][1:]
