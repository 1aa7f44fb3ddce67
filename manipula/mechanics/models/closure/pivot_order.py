"""Which rows of a closure are solved, and in what order, decided in numbers at closed positions (`elimination` solves).

Rows are chosen that are far from dependent at every position. They and the columns fall into blocks that can be solved
one after another; inside a block entries that are constant make pivots first.

Source: Dulmage, Mendelsohn, "Coverings of bipartite graphs", Canadian Journal of Mathematics 10 (1958): the blocks;
augmenting paths as in Cormen, Leiserson, Rivest, Stein, "Introduction to Algorithms" (2009), section 26.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from graphlib import TopologicalSorter

import numpy as np
from numpy.typing import NDArray

from manipula.mechanics.models.closure.elimination import CRAMER, PivotBlock

Array = NDArray[np.float64]


def in_metres(usual: Sequence[float], blocks: Sequence[PivotBlock], rows: Array, columns: Array) -> list[float]:
    """Sizes of divisors as the models have them: rows and columns not scaled."""
    found, sizes = list[float](), iter(usual)
    for block in blocks:
        factor = [rows[r] / columns[c] for r, c in zip(block.rows, block.columns, strict=True)]
        for k in block.moving:
            found.append(next(sizes) * float(np.prod(factor[block.pivots :]) if k < 0 else factor[k]))
    return found


def independent_rows(samples: Sequence[Array], rank: int) -> list[int]:
    """As many rows as the rank, far from dependent at every position; of equals the sparser, then the earlier."""
    left = [np.array(x) for x in samples]  # what is left of each row across those chosen
    zeros = np.max([np.abs(x) for x in samples], axis=0) > 1e-9
    chosen: list[int] = []
    while len(chosen) < rank:
        lengths = np.min([np.linalg.norm(x, axis=1) for x in left], axis=0)
        good = [int(r) for r in np.flatnonzero(lengths > 0.1 * lengths.max()) if r not in chosen]
        row = min(good, key=lambda r: (int(zeros[r].sum()), r))
        chosen.append(row)
        for x in left:
            along = x[row] / np.linalg.norm(x[row])
            x -= np.outer(x @ along, along)
    return sorted(chosen)


def pivot_blocks(samples: Sequence[Array], anywhere: Sequence[Array]) -> tuple[list[PivotBlock], list[float]]:
    """The blocks in the order in which they can be solved, and the usual size of every divisor that may vanish."""
    there = np.max([np.abs(x) for x in anywhere], axis=0) > 1e-12
    blocks, usual = list[PivotBlock](), list[float]()
    for rows, columns in _triangular(there):
        part = np.ix_(rows, columns)
        block, sizes = _block(rows, columns, [x[part] for x in samples], [x[part] for x in anywhere])
        blocks.append(block)
        usual += sizes
    return blocks, usual


def _triangular(there: NDArray[np.bool_]) -> list[tuple[list[int], list[int]]]:
    """Rows and columns of the irreducible blocks, each needing those before it."""
    n = len(there)
    row_of = _matched_rows(there)
    column_of = {r: c for c, r in row_of.items()}
    # row r needs the unknown that row k is matched with; in a block every row needs every other, through some
    needs = np.array([[there[r, column_of[k]] for k in range(n)] for r in range(n)], dtype=bool).reshape(n, n)
    reach = needs | np.eye(n, dtype=bool)
    for _ in range(n.bit_length()):
        reach = reach @ reach
    group = [int(np.flatnonzero(reach[r] & reach[:, r])[0]) for r in range(n)]
    members = {g: [r for r in range(n) if group[r] == g] for g in dict.fromkeys(group)}
    before = {g: {group[k] for r in rows for k in np.flatnonzero(needs[r])} - {g} for g, rows in members.items()}
    return [(members[g], [column_of[r] for r in members[g]]) for g in TopologicalSorter(before).static_order()]


def _matched_rows(there: NDArray[np.bool_]) -> dict[int, int]:
    """A row for every column with an entry in it, by augmenting paths: column → row."""
    row_of: dict[int, int] = {}

    def place(r: int, seen: set[int]) -> bool:
        for c in map(int, np.flatnonzero(there[r])):
            if c not in seen:
                seen.add(c)
                if c not in row_of or place(row_of[c], seen):
                    row_of[c] = r
                    return True
        return False

    for r in range(len(there)):
        place(r, set())
    return row_of


def _block(
    rows: Sequence[int], columns: Sequence[int], samples: Sequence[Array], anywhere: Sequence[Array]
) -> tuple[PivotBlock, list[float]]:
    """Pivots: constants first, then by size while more are left than Cramer's rule takes."""
    A, B = [np.array(x) for x in samples], [np.array(x) for x in anywhere]
    r, c, moving, sizes, done = list(rows), list(columns), list[int](), list[float](), 0
    while (left := len(r) - done) > 0:
        least = np.min([np.abs(x[done:, done:]) for x in A], axis=0)
        varies = np.ptp([x[done:, done:] for x in B], axis=0)
        constant = (varies < 1e-12) & (least > 1e-3)
        if left == 1 or (not constant.any() and left <= CRAMER):
            break
        i, k = (
            int(x)
            for x in np.unravel_index(
                np.argmax(np.where(constant, least, 0.0) if constant.any() else least), least.shape
            )
        )
        if not constant.any():
            moving.append(done)
            sizes.append(float(np.median([abs(x[done + i, done + k]) for x in A])))
        for x in (*A, *B):
            x[np.array([done, done + i])] = x[np.array([done + i, done])]
            x[:, np.array([done, done + k])] = x[:, np.array([done + k, done])]
            x[done + 1 :, done:] -= np.outer(x[done + 1 :, done] / x[done, done], x[done, done:])
        r[done], r[done + i] = r[done + i], r[done]
        c[done], c[done + k] = c[done + k], c[done]
        done += 1
    rest = len(r) - done
    if rest:
        dets = [np.linalg.det(x[done:, done:]) for x in B]
        if np.ptp(dets) > 1e-12:
            moving.append(-1)
            sizes.append(float(np.median([abs(np.linalg.det(x[done:, done:])) for x in A])))
    return PivotBlock(tuple(r), tuple(c), rest, tuple(moving)), sizes
