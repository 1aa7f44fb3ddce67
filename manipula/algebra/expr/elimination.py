"""Linear dependence over GF(2⁶¹−1): elimination on integers, and small systems solved on expressions."""

from __future__ import annotations

from collections.abc import Sequence

from manipula.algebra.expr.field import P
from manipula.algebra.expr.node import Expr

Row = list[int]
Dependency = dict[int, int]  # independent column → coefficient


def reduced_rows(rows: Sequence[Sequence[int]]) -> tuple[list[Row], list[int]]:
    """The reduced row echelon form without its zero rows, and the pivot columns; columns are taken from the left."""
    left = [[x % P for x in row] for row in rows]
    done: list[Row] = []
    pivots: list[int] = []
    for column in range(len(left[0]) if left else 0):
        found = next((row for row in left if row[column]), None)
        if found is None:
            continue
        left.remove(found)
        scale = pow(found[column], -1, P)
        pivot = [x * scale % P for x in found]
        left = [_cleared(row, pivot, column) for row in left]
        done = [*(_cleared(row, pivot, column) for row in done), pivot]
        pivots.append(column)
    return done, pivots


def _cleared(row: Row, pivot: Row, column: int) -> Row:
    factor = row[column]
    return [(x - factor * y) % P for x, y in zip(row, pivot)] if factor else row


def dependencies(rows: Sequence[Sequence[int]]) -> tuple[list[int], dict[int, Dependency]]:
    """The independent columns, first come first kept, and every other column as a combination of them."""
    reduced, pivots = reduced_rows(rows)
    others = [k for k in range(len(rows[0]) if rows else 0) if k not in set(pivots)]
    return pivots, {k: {p: row[k] for p, row in zip(pivots, reduced) if row[k]} for k in others}


def solved(matrix: Sequence[Sequence[Expr]], right: Sequence[Expr]) -> list[Expr] | None:
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
        at = next(i for i in range(k, size) if rows[i][k].value)
        rows[k], rows[at] = rows[at], rows[k]
        pivot = [x / rows[k][k] for x in rows[k]]
        rows = [pivot if i == k else [x - row[k] * y for x, y in zip(row, pivot)] for i, row in enumerate(rows)]
    return [row[size] for row in rows]
