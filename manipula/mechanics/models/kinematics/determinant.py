"""Determinants without a division, so that they are right where they vanish: Laplace's expansion along the rows, every
minor worked out once.

    det A = Σ_k ± a_1k · (minor of the rows below without column k),    n 2ⁿ⁻¹ products for n rows

Source: Strang, "Linear Algebra and its Applications" (4th ed., 2006), section 4.3, cofactors.
"""

from __future__ import annotations

from collections.abc import Sequence

from manipula.mechanics.spatial.vector import nothing, sum_of
from manipula.scalar import Scalar

Rows = Sequence[Sequence[Scalar]]


def determinant(rows: Rows) -> Scalar:
    """Of a square array; that of none is 1."""
    size = len(rows)
    minors: dict[tuple[int, ...], Scalar] = {(): 1}

    def minor(columns: tuple[int, ...]) -> Scalar:
        """Of the last rows, as many as there are columns."""
        if columns not in minors:
            row = rows[size - len(columns)]
            signed = ((-1) ** place * (row[k] * minor(columns[:place] + columns[place + 1 :]))
                      for place, k in enumerate(columns) if not nothing(row[k]))  # fmt: skip
            minors[columns] = sum_of(signed)
        return minors[columns]

    return minor(tuple(range(size)))
