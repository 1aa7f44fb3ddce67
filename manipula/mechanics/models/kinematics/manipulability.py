"""Manipulability: how far an arm is from losing a freedom of its tool, the product of the Jacobian's singular values.

    w = √det(J Jᵀ)   as many joints as freedoms or more        w = √det(Jᵀ J)   fewer        w = |det J|   as many

Of the whole Jacobian, of the rows of the tool's position, and of those of its orientation, each on the axes of the
first joint and without the rows in which the arm never moves: of a planar arm x, y and one angle. Metres and radians
are mixed in the first.

Source: Yoshikawa, "Manipulability of robotic mechanisms", International Journal of Robotics Research 4(2) (1985).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from manipula.mechanics.models.entry import TOOL, ModelEntry
from manipula.mechanics.models.kinematics.jacobian import jacobian
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.spatial.placement import HERE
from manipula.mechanics.spatial.vector import dot, is_structural_zero, sum_of
from manipula.scalar import Maths, Scalar

# Determinants without a division, so that they are right where they vanish: Laplace's expansion along the rows, every
# minor worked out once.
#
#     det A = Σ_k ± a_1k · (minor of the rows below without column k),    n 2ⁿ⁻¹ products for n rows
#
# Source: Strang, "Linear Algebra and its Applications" (4th ed., 2006), section 4.3, cofactors.

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
                      for place, k in enumerate(columns) if not is_structural_zero(row[k]))  # fmt: skip
            minors[columns] = sum_of(signed)
        return minors[columns]

    return minor(tuple(range(size)))


ALL = tuple(range(6))
NOTHING = 1e-9  # m or 1: a row that is zero, at configurations drawn
_DRAWS = ((0.734, -1.219, 0.451, 2.113, -0.873, 1.542), (-1.847, 0.612, 1.731, -0.377, 2.281, -1.106))


def upright(chain: Tree) -> Tree:
    """On the axes of the first joint: where it stands in the world changes nothing, and hides which rows are zero."""
    if not chain.links:  # a tool that stands on the base
        return replace(chain, base=HERE)
    first, *rest = chain.links
    return replace(chain, base=HERE, links=(replace(first, before=HERE), *rest))


def moving_rows(chain: Tree) -> tuple[int, ...]:
    """The rows of the Jacobian that are not zero everywhere, of an arm in floats on its road."""
    road = upright(chain.road())
    found = [jacobian(road, [draw[i % 6] + 0.1 * (i // 6) for i in range(road.dof)]) for draw in _DRAWS]
    return tuple(r for r in ALL if any(abs(x) > NOTHING for J in found for x in J[r]))  # type: ignore[arg-type]


def manipulability(chain: Tree, q: Sequence[Scalar], rows: Sequence[int] = ALL) -> dict[str, Scalar]:
    """w of all these rows, of the linear and of the angular ones."""
    road = upright(chain.road())
    J = jacobian(road, chain.along_road(q))
    parts = {"w": rows, "translation": [r for r in rows if r < 3], "rotation": [r for r in rows if r >= 3]}
    return {name: _volume([J[r] for r in part], road.dof, chain.maths) for name, part in parts.items()}


def _volume(J: Rows, joints: int, maths: Maths[Scalar]) -> Scalar:
    if not J:
        return 0
    if len(J) == joints:
        return maths.abs(determinant(J))
    vectors = J if len(J) < joints else list(zip(*J, strict=True))
    gram = [[dot(one, other) for other in vectors] for one in vectors]
    return maths.sqrt(maths.abs(determinant(gram)))  # rounding may leave less than is_structural_zero


def _of_moving_rows(model: ModelEntry, chain: Tree) -> ModelEntry:
    """Of an arm in numbers, without the rows in which it never moves."""
    rows = moving_rows(chain)
    return replace(model, methods={"gram": lambda c, x: manipulability(c, x["q"], rows)})


ENTRIES = (
    ModelEntry(
        "manipulability", "how far the tool is from losing a freedom, √det(J·Jᵀ), of rows in which it moves", ("q",),
        {
            "w": ("mixed", "of the whole Jacobian"), "translation": ("m³, m² or m", "of the tool's position"),
            "rotation": ("1", "of its orientation"),
        },
        {"gram": lambda c, x: manipulability(c, x["q"])}, TOOL, planned=_of_moving_rows, trees=("gram",),
    ),
)  # fmt: skip
