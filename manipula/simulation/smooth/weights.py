"""The weights of differences in an integral, as a straight line: they are wanted in every step.

    g_j = 1/h ∫ Π_{i<j} (s − x_{n−i}) / d_i ds        from x_n to x = x_n + h

With w_jq, the same under (x − s)^(q−1) / h^q dq, and s − x_{n−i} = (x − x_{n−i}) − (x − s),

    w_0q = 1/q,    w_jq = (x − x_{n−j+1})/d_{j−1} w_{j−1,q} − h/d_{j−1} w_{j−1,q+1},    g_j = w_j1

Source: Shampine, Gordon, "Computer Solution of Ordinary Differential Equations" (1975), chapter 5; derived here for any
d, so that a step (d_i = x − x_{n−i}) and what lies between two times (d_i = x_n − x_{n−i−1}) take the same.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import pairwise

from manipula.algebra.expr.function import Function, Input, Output
from manipula.algebra.expr.node import Graph
from manipula.algebra.tape import Tape, tape_from_function


@cache
def weights_tape(count: int, between: bool) -> Tape:
    """g_0 … g_count from h/d_i, i < count; `between` times, from (x − x_{n−i})/d_i besides, which is 1 in a step."""
    graph = Graph()
    kept, taken = (tuple(graph.symbol(f"{name}{i}", online=True) for i in range(count)) for name in ("kept", "taken"))
    w = [graph.const(Fraction(1, q)) for q in range(1, count + 2)]
    g = [w[0]]
    for a, b in zip(kept, taken, strict=True):
        w = [(a * this if between else this) - b * following for this, following in pairwise(w)]
        g.append(w[0])
    inputs = (*((Input("kept", kept),) if between else ()), Input("taken", taken))
    return tape_from_function(Function("weights", graph, inputs, (Output("g", (count + 1,), tuple(g)),)))
