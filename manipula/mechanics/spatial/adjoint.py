"""Traced numbers over any scalar: each remembers what it was made of, so that a whole gradient is one walk back.

    z = f(x, y)      x̄ += ∂f/∂x z̄      ȳ += ∂f/∂y z̄

The reverse of `dual`: there the cost grows with the number of variables, here with the number of results. Ints and
Fractions may stand on either side; every other scalar of the inner kind must be lifted first (`Traced(x)`).

Where equal inner scalars are one object (expressions), equal results can be one traced number too, whose weight is then
gathered once: variables made with `shared` keep the table for that. It takes for granted that constants do not depend
on the variables.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count

from manipula.mechanics.spatial.dual import ChoosingMaths
from manipula.mechanics.spatial.inertia import half, quotient
from manipula.scalar import FLAT, OPS, Scalar

Pull = Callable[[Scalar], tuple[Scalar, ...]]  # weight of a result → weights of what it was made of
_ORDER = count()


class Traced:
    """A value, the traced numbers it depends on and how its weight is handed to them. None of them: a constant."""

    __slots__ = ("order", "parents", "pull", "table", "value")

    def __init__(self, value: Scalar, parents: tuple[Traced, ...] = (), pull: Pull = lambda w: ()) -> None:
        self.value, self.parents, self.pull = value, parents, pull
        self.order = next(_ORDER)
        self.table: dict[int, Traced] | None = None

    def __add__(self, other: Scalar) -> Traced:
        other = as_traced(other)
        return traced_result(self.value + other.value, (self, other), lambda w: (w, w))

    __radd__ = __add__

    def __sub__(self, other: Scalar) -> Traced:
        other = as_traced(other)
        return traced_result(self.value - other.value, (self, other), lambda w: (w, -w))

    def __rsub__(self, other: Scalar) -> Traced:
        return as_traced(other) - self

    def __mul__(self, other: Scalar) -> Traced:
        other = as_traced(other)
        return traced_result(self.value * other.value, (self, other), lambda w: (w * other.value, w * self.value))

    __rmul__ = __mul__

    def __truediv__(self, other: Scalar) -> Traced:
        """x / y:  w / y,  −(x/y) w / y"""
        other = as_traced(other)
        value = quotient(self.value, other.value)

        def pull(w: Scalar) -> tuple[Scalar, ...]:
            share = quotient(w, other.value)
            return share, -(value * share)

        return traced_result(value, (self, other), pull)

    def __rtruediv__(self, other: Scalar) -> Traced:
        return as_traced(other) / self

    def __neg__(self) -> Traced:
        return traced_result(-self.value, (self,), lambda w: (-w,))


class Variable(Traced):
    """An independent one: what gradients are taken by."""

    __slots__ = ()


def as_traced(x: Scalar) -> Traced:
    """A constant, unless it is traced already."""
    return x if isinstance(x, Traced) else Traced(x)


def moves(x: Traced) -> bool:
    """Does it depend on a variable?"""
    return bool(x.parents) or isinstance(x, Variable)


def traced_result(value: Scalar, parents: tuple[Traced, ...], pull: Pull) -> Traced:
    """A result; of constants alone it is one."""
    moving = next(filter(moves, parents), None)
    if moving is None:
        return Traced(value)
    found = Traced(value, parents, pull)
    if moving.table is not None:
        found.table = moving.table
        return moving.table.setdefault(id(value), found)
    return found


def variables(values: Sequence[Scalar], shared: bool = False) -> list[Variable]:
    found = [Variable(x) for x in values]
    if shared:
        table: dict[int, Traced] = {id(variable.value): variable for variable in found}
        for variable in found:
            variable.table = table
    return found


def gradient(root: Scalar, by: Sequence[Variable]) -> list[Scalar]:
    """∂root/∂variable for every variable, in one walk from the root back."""
    return pullback([(root, 1)], by)


def pullback(roots: Sequence[tuple[Scalar, Scalar]], by: Sequence[Variable]) -> list[Scalar]:
    """Σ weight·∂root/∂variable for every variable and pairs (root, weight), in one walk from the roots back."""
    traced = [(root, weight) for root, weight in roots if isinstance(root, Traced)]
    weights: dict[int, Scalar] = {}
    for root, weight in traced:
        _gather(weights, root, weight)
    for node in sorted(_below([root for root, _ in traced]), key=lambda node: -node.order):
        if id(node) in weights:
            for parent, share in zip(node.parents, node.pull(weights[id(node)])):
                if moves(parent):
                    _gather(weights, parent, share)
    return [weights.get(id(variable), 0) for variable in by]


def _gather(weights: dict[int, Scalar], node: Traced, share: Scalar) -> None:
    known = weights.get(id(node))
    weights[id(node)] = share if known is None else known + share


def _below(roots: Sequence[Traced]) -> list[Traced]:
    """The roots and everything they were made of that depends on a variable."""
    seen: dict[int, Traced] = {}
    stack = list(roots)
    while stack:
        node = stack.pop()
        if id(node) not in seen and moves(node):
            seen[id(node)] = node
            stack += node.parents
    return list(seen.values())


class TracedMaths(ChoosingMaths):
    """`Maths` over traced numbers whose values are of the inner kind."""

    carrying = Traced

    def apply(self, name: str, *args: Scalar) -> Traced:
        """f(x, …), whose weight goes to each x times ∂f/∂x, from the slopes of the table."""
        op, given = OPS[name], tuple(as_traced(x) for x in args)
        values = [x.value for x in given]
        value = op.value(self.inner, *values)
        if op.slopes is FLAT:
            return Traced(value)

        def pull(w: Scalar) -> tuple[Scalar, ...]:
            return tuple(0 if slope is None else w * slope for slope in op.slopes(self.inner, value, *values))

        return traced_result(value, given, pull)

    def sqrt(self, x: Scalar) -> Traced:
        x = as_traced(x)
        root = self.inner.sqrt(x.value)
        return traced_result(root, (x,), lambda w: (half(w) / root,))

    def atan2(self, y: Scalar, x: Scalar) -> Traced:
        """(x w, −y w) / (x² + y²)"""
        y, x = as_traced(y), as_traced(x)

        def pull(w: Scalar) -> tuple[Scalar, ...]:
            share = quotient(w, x.value * x.value + y.value * y.value)
            return x.value * share, -(y.value * share)

        return traced_result(self.inner.atan2(y.value, x.value), (y, x), pull)

    def select(self, condition: Scalar, yes: Scalar, no: Scalar) -> Traced:
        test, yes, no = as_traced(condition).value, as_traced(yes), as_traced(no)
        choose = self.inner.select
        value = choose(test, yes.value, no.value)
        return traced_result(value, (yes, no), lambda w: (choose(test, w, 0), choose(test, 0, w)))
