"""J_p x = b over any scalar, in an order that was chosen beforehand: blocks, pivots, and Cramer's rule for the rest.

J_p has a row a blocked motion and a column a joint without a motor. Rows and columns fall into blocks that can be
solved one after another. Inside a block entries that are constant are pivots first; up to three rows that are left are
solved by their determinant: it vanishes only where the mechanism itself is singular, whereas a single entry may vanish
at harmless positions. Which is which depends on the robot alone (`assembly`), so nothing here compares.

Source: Golub, Van Loan, "Matrix Computations" (2013), section 3.4; the blocks are those of Dulmage and Mendelsohn.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from manipula.mechanics.spatial.inertia import reciprocal
from manipula.mechanics.spatial.vector import is_structural_zero, sum_of
from manipula.scalar import Scalar

Rows = Sequence[Sequence[Scalar]]
CRAMER = 3  # rows, at most


@dataclass(frozen=True)
class PivotBlock:
    """Rows and columns of J_p by their places, the pivots first; `rest` of them are left to Cramer's rule. `moving` are
    the divisors that change with the position: pivots by number, and the determinant as −1."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    rest: int
    moving: tuple[int, ...] = ()

    @property
    def pivots(self) -> int:
        return len(self.rows) - self.rest


class PivotBlockSolver:
    """One block, factored: P A Q = L (U, and an adjugate over a determinant)."""

    def __init__(self, block: PivotBlock, J: Rows) -> None:
        self.block, n = block, len(block.rows)
        A = [[J[r][c] for c in block.columns] for r in block.rows]
        self.inverse = [reciprocal(A[0][0])] if block.pivots else []
        for k in range(block.pivots):
            if k:
                self.inverse.append(reciprocal(A[k][k]))
            for i in range(k + 1, n):
                if not is_structural_zero(A[i][k]):
                    A[i][k] = A[i][k] * self.inverse[k]
                    for j in range(k + 1, n):
                        A[i][j] = A[i][j] - A[i][k] * A[k][j]
        self.A, k = A, block.pivots
        self.adjugate, self.determinant = cramer([row[k:] for row in A[k:]])
        self.over = reciprocal(self.determinant) if block.rest else 1

    def divisors(self) -> list[Scalar]:
        """Those that may vanish at some position."""
        return [self.determinant if k < 0 else self.A[k][k] for k in self.block.moving]

    def solve(self, b: Sequence[Scalar]) -> list[Scalar]:
        """x with A x = b, in the block's own order."""
        x, n, k = list(b), len(b), self.block.pivots
        for j in range(k):
            for i in range(j + 1, n):
                x[i] = x[i] - self.A[i][j] * x[j]
        x[k:] = [self.over * sum_of(a * y for a, y in zip(row, x[k:])) for row in self.adjugate]
        for i in range(k - 1, -1, -1):
            x[i] = self.inverse[i] * (x[i] - sum_of(self.A[i][j] * x[j] for j in range(i + 1, n)))
        return x

    def solve_transposed(self, b: Sequence[Scalar]) -> list[Scalar]:
        """y with Aᵀ y = b"""
        y, n, k = list(b), len(b), self.block.pivots
        for i in range(k):
            y[i] = self.inverse[i] * (y[i] - sum_of(self.A[j][i] * y[j] for j in range(i)))
        for i in range(k, n):
            y[i] = y[i] - sum_of(self.A[j][i] * y[j] for j in range(k))
        y[k:] = [self.over * sum_of(a * x for a, x in zip(row, y[k:])) for row in zip(*self.adjugate)]
        for j in range(k - 1, -1, -1):
            y[j] = y[j] - sum_of(self.A[i][j] * y[i] for i in range(j + 1, n))
        return y


class Elimination:
    """J_p as a whole, block by block; a block needs the unknowns of those before it."""

    def __init__(self, blocks: Sequence[PivotBlock], J: Rows) -> None:
        self.J, self.parts = J, [PivotBlockSolver(block, J) for block in blocks]

    def solve(self, b: Sequence[Scalar]) -> list[Scalar]:
        """x with J_p x = b"""
        x: dict[int, Scalar] = {}
        for part in self.parts:
            known = [_less(b[r], ((self.J[r][c], x[c]) for c in x)) for r in part.block.rows]
            x |= dict(zip(part.block.columns, part.solve(known), strict=True))
        return [x[c] for c in range(len(b))]

    def solve_transposed(self, b: Sequence[Scalar]) -> list[Scalar]:
        """y with J_pᵀ y = b"""
        y: dict[int, Scalar] = {}
        for part in reversed(self.parts):
            known = [_less(b[c], ((self.J[r][c], y[r]) for r in y)) for c in part.block.columns]
            y |= dict(zip(part.block.rows, part.solve_transposed(known), strict=True))
        return [y[r] for r in range(len(b))]

    def divisors(self) -> list[Scalar]:
        """What may vanish at some position: the mechanism is singular there."""
        return [x for part in self.parts for x in part.divisors()]


def _less(b: Scalar, terms: Iterable[tuple[Scalar, Scalar]]) -> Scalar:
    for a, x in terms:
        b = b if is_structural_zero(a) else b - a * x
    return b


def cramer(A: Rows) -> tuple[list[list[Scalar]], Scalar]:
    """The adjugate and the determinant of up to three rows."""
    match [list(row) for row in A]:
        case []:
            return [], 1
        case [[a]]:
            return [[1]], a
        case [[a, b], [c, d]]:
            return [[d, -b], [-c, a]], a * d - b * c
        case [[a, b, c], [d, e, f], [g, h, i]]:
            first = [e * i - f * h, f * g - d * i, d * h - e * g]
            adjugate = [
                [first[0], c * h - b * i, b * f - c * e],
                [first[1], a * i - c * g, c * d - a * f],
                [first[2], b * g - a * h, a * e - b * d],
            ]
            return adjugate, a * first[0] + b * first[1] + c * first[2]
    raise AssertionError(len(A))
