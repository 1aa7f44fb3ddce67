"""Linear dependence over GF(2⁶¹−1): elimination on integers, and small systems solved on expressions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any

from manipula.algebra.expr.field import P
from manipula.algebra.expr.maths import ExprMaths
from manipula.algebra.expr.node import Expr
from manipula.scalar import Maths, Scalar

Row = list[int]
Dependency = dict[int, int]  # independent column → coefficient


def reduced_rows(rows: Sequence[Sequence[int]]) -> tuple[list[Row], list[int]]:
    """The reduced row echelon form without its zero rows, and the pivot columns; columns are taken from the left."""
    left = [[x % P for x in row] for row in rows]
    done: list[Row] = []
    pivots: list[int] = []
    for column in range(len(left[0]) if left else 0):
        # any nonzero pivot will do: in a field nothing is rounded, so none is better than another
        candidate = next((row for row in left if row[column]), None)
        if candidate is None:
            continue
        left.remove(candidate)
        scale = pow(candidate[column], -1, P)
        pivot = [x * scale % P for x in candidate]
        left = [_clear_column(row, pivot, column) for row in left]
        done = [*(_clear_column(row, pivot, column) for row in done), pivot]
        pivots.append(column)
    return done, pivots


def _clear_column(row: Row, pivot: Row, column: int) -> Row:
    factor = row[column]
    return [(x - factor * y) % P for x, y in zip(row, pivot)] if factor else row


def dependencies(rows: Sequence[Sequence[int]]) -> tuple[list[int], dict[int, Dependency]]:
    """The independent columns, first come first kept, and every other column as a combination of them."""
    reduced, pivots = reduced_rows(rows)
    others = [k for k in range(len(rows[0]) if rows else 0) if k not in set(pivots)]
    return pivots, {k: {p: row[k] for p, row in zip(pivots, reduced) if row[k]} for k in others}


def solve_in_field(matrix: Sequence[Sequence[Expr]], right: Sequence[Expr]) -> list[Expr] | None:
    """x of  matrix · x = right, for a matrix of full column rank and more rows than needed; None if it has less.

    The rows that make a regular square are chosen by their values; the rest of the equations is left to a proof.
    """
    if not matrix:
        return None
    _, chosen = reduced_rows(list(zip(*([x.value for x in row] for row in matrix))))
    size = len(matrix[0])
    if len(chosen) < size:
        return None
    rows = [[*matrix[i], right[i]] for i in chosen]
    for k in range(size):
        # a nonzero value suffices: the entries are exact expressions, and a proof follows
        at = next(i for i in range(k, size) if rows[i][k].value)
        rows[k], rows[at] = rows[at], rows[k]
        pivot = [x / rows[k][k] for x in rows[k]]
        rows = [pivot if i == k else [x - row[k] * y for x, y in zip(row, pivot)] for i, row in enumerate(rows)]
    return [row[size] for row in rows]


# Angles whose cosine and sine are rational: states at which an expression loses its variables and stays exact.


@dataclass(frozen=True)
class RationalAngle:
    """A point of the circle with known coordinates, mostly rational; angles add by composing their points.

    `amount` is a stand-in for the angle itself where it is a factor, as a screw has it. No polynomial ties an angle to
    its cosine and sine, so any number does that nothing ties to them either.
    """

    cos: Scalar
    sin: Scalar
    amount: Scalar

    def __add__(self, other: RationalAngle | int) -> RationalAngle:
        if not isinstance(other, RationalAngle):
            assert other == 0, "only 0 mixes with a rational angle"
            return self
        cos, sin = self.cos * other.cos - self.sin * other.sin, self.sin * other.cos + self.cos * other.sin
        return RationalAngle(cos, sin, self.amount + other.amount)

    __radd__ = __add__

    def __neg__(self) -> RationalAngle:
        return RationalAngle(self.cos, -self.sin, -self.amount)

    def __mul__(self, factor: Scalar) -> Scalar:
        return self.amount * factor

    def __rmul__(self, count: int) -> RationalAngle:
        """So many times the angle."""
        multiple = RationalAngle(1, 0, 0)
        for _ in range(abs(count)):
            multiple = multiple + self
        return multiple if count >= 0 else -multiple


def rational_angle(rng: Random) -> RationalAngle:
    """((1−t²)/(1+t²), 2t/(1+t²)) for a small t, never a quarter turn."""
    t = Fraction(rng.randint(2, 9), rng.choice((1, 11, 13)))
    amount = Fraction(Random(f"amount {t}").randint(2, 97), 7)  # drawn apart: what is drawn from `rng` stays
    return RationalAngle((1 - t * t) / (1 + t * t), 2 * t / (1 + t * t), amount)


def known_angle(x: Any, maths: Maths[Any]) -> RationalAngle:
    """An angle that is an expression, by its cosine and sine."""
    return RationalAngle(maths.cos(x), maths.sin(x), x)


class RationalAngleMaths(ExprMaths):
    """Expressions, and rational angles and numbers among them."""

    def cos(self, x: Any) -> Any:
        return x.cos if isinstance(x, RationalAngle) else super().cos(x)

    def sin(self, x: Any) -> Any:
        return x.sin if isinstance(x, RationalAngle) else super().sin(x)

    def sign(self, x: Any) -> Any:
        return (x > 0) - (x < 0) if isinstance(x, int | Fraction) else super().sign(x)
