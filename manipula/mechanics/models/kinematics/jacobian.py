"""The Jacobian of the tool, in world axes and in tool axes, and its exact time derivative, at the tool's origin.

Six rows (linear velocity, then angular), a column for every joint. z is the joint's axis, p what leads from the
joint to the tool's origin; both signed by the joint's direction:

    revolute   (z × p, z)        prismatic   (z, 0)

A joint beside the road to the tool has a column of zeros. The derivative needs only the columns (v, w) themselves: a
column turns with the joints up to its own, and its lever grows by the velocity that the joints beyond give to the tool.

Source: Siciliano, Sciavicco, Villani, Oriolo, "Robotics: Modelling, Planning and Control" (2009), section 3.1.3, eq.
(3.30). The derivative is derived here: ż = ω×z and ṗ = the velocity of the tool seen from the joint.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import accumulate

from manipula.mechanics.models.entry import TOOL, Given, ModelEntry, Outputs
from manipula.mechanics.models.kinematics.pose import frames
from manipula.mechanics.robot.tree import BASE, Link, Tree
from manipula.mechanics.spatial.placement import HERE
from manipula.mechanics.spatial.vector import (
    NULL,
    Vector,
    add,
    column,
    cross,
    dot,
    is_structural_zero,
    scale,
    sub,
    sum_of,
    unrotate,
)
from manipula.scalar import Maths, Scalar

Column = tuple[Vector, Vector]  # linear, angular
Rated = tuple[Column, Scalar]  # a column and its joint's rate
STILL: Column = (NULL, NULL)  # of a joint that does not move the tool
Rows = list[list[Scalar]]


def jacobian(chain: Tree, q: Sequence[Scalar]) -> Rows:
    """6×n, world axes."""
    return rows_from_columns(columns_in_world(chain, q))


def jacobian_tool(chain: Tree, q: Sequence[Scalar]) -> Rows:
    """6×n, tool axes."""
    return rows_from_columns(columns_in_tool(chain, q))


def jacobian_dot(chain: Tree, q: Sequence[Scalar], qd: Sequence[Scalar]) -> Rows:
    """d/dt of `jacobian`, entry by entry:  (W×v + w×V, W×w)

    W: angular velocity after the joints up to i; V: velocity that those beyond it give to the tool.
    """
    columns = columns_in_world(chain, q)
    rates = list(zip(columns, qd, strict=True))
    _, *turns = accumulate(rates, _add_turn, initial=NULL)
    slides = _later(_add_slide, rates)
    return rows_from_columns(
        [(add(cross(W, v), cross(w, V)), cross(W, w)) for (v, w), W, V in zip(columns, turns, slides)]
    )


def tool_bias(chain: Tree, q: Sequence[Scalar], qd: Sequence[Scalar]) -> list[Scalar]:
    """J̇ q̇, what the tool accelerates by at constant joint rates:  Σ (W×v + w×V, W×w), the columns times their rates"""
    linear, angular = bias_from_columns(columns_in_world(chain, q), qd)
    return [*linear, *angular]


def bias_from_columns(columns: Sequence[Column], qd: Sequence[Scalar]) -> Column:
    """The same from the columns of a serial arm, or of the joints on the road, from the base."""
    rates = [((scale(rate, v), scale(rate, w)), 1) for (v, w), rate in zip(columns, qd, strict=True)]
    _, *turns = accumulate(rates, _add_turn, initial=NULL)
    linear, angular = NULL, NULL
    for ((v, w), _), W, V in zip(rates, turns, _later(_add_slide, rates)):
        linear, angular = add(linear, add(cross(W, v), cross(w, V))), add(angular, cross(W, w))
    return linear, angular


def _later(step: Callable[[Vector, Rated], Vector], rates: Sequence[Rated]) -> list[Vector]:
    """For every joint, the velocity that those after it add up to; a joint beside the road adds nothing."""
    return list(accumulate(reversed(rates), step, initial=NULL))[-2::-1]


def _add_slide(total: Vector, row: Rated) -> Vector:
    """The linear velocity with one joint more."""
    return add(total, scale(row[1], row[0][0]))


def _add_turn(total: Vector, row: Rated) -> Vector:
    """The angular velocity with one joint more."""
    return add(total, scale(row[1], row[0][1]))


def columns_in_world(chain: Tree, q: Sequence[Scalar]) -> list[Column]:
    """From the frames, base → tool."""
    *links, tool = frames(chain, q)
    at = {BASE: chain.base} | dict(enumerate(links))
    feet = {i: at[chain.links[i].parent] @ chain.links[i].before for i in chain.support(chain.holder)}
    axes = {i: column(foot.R, 2) for i, foot in feet.items()}
    moving = {i: joint_column(chain.links[i], axes[i], cross(axes[i], sub(tool.p, feet[i].p))) for i in feet}
    return [moving.get(i, STILL) for i in range(chain.dof)]


def columns_in_tool(chain: Tree, q: Sequence[Scalar]) -> list[Column]:
    """From pose_joint_tool, tool → base: z is its third row, z × p is Rᵀ(−py, px, 0)."""
    motions, beyond = chain.motions(q), chain.tool  # pose_link_tool of the link that is next on the way in
    moving: dict[int, Column] = {}
    for i in reversed(chain.support(chain.holder)):
        link = chain.links[i]
        at = link.after @ beyond
        moving[i] = joint_column(link, at.R[2], unrotate(at.R, (-at.p[1], at.p[0], 0)))
        beyond = link.before @ (motions[i] @ at)
    return [moving.get(i, STILL) for i in range(chain.dof)]


def joint_column(link: Link, z: Vector, swing: Vector) -> Column:
    """(z × p, z) or (z, 0); `swing` is z × p."""
    turn, slide = link.along_z(link.kind.turn(1)), link.along_z(link.kind.slide(1))
    return add(scale(turn, swing), scale(slide, z)), scale(turn, z)


def rows_from_columns(columns: Sequence[Column]) -> Rows:
    """6×n nested lists."""
    return [[parts[half][axis] for parts in columns] for half in (0, 1) for axis in range(3)]


def _velocity(chain: Tree, x: Given) -> Outputs:
    return {"v": [dot(row, x["qd"]) for row in jacobian(chain, x["q"])]}


def _acceleration(chain: Tree, x: Given) -> Outputs:
    rows = zip(jacobian(chain, x["q"]), jacobian_dot(chain, x["q"], x["qd"]))
    return {"a": [dot(J, x["qdd"]) + dot(Jd, x["qd"]) for J, Jd in rows]}


def _acceleration_summed(chain: Tree, x: Given) -> Outputs:
    rows = zip(jacobian(chain, x["q"]), tool_bias(chain, x["q"], x["qd"]))
    return {"a": [dot(J, x["qdd"]) + bias for J, bias in rows]}


# Manipulability: how far an arm is from losing a freedom of its tool, the product of the Jacobian's singular values.
#
#     w = √det(J Jᵀ)   as many joints as freedoms or more        w = √det(Jᵀ J)   fewer        w = |det J|   as many
#
# Of the whole Jacobian, of the rows of the tool's position, and of those of its orientation, each on the axes of the
# first joint and without the rows in which the arm never moves: of a planar arm x, y and one angle. Metres and radians
# are mixed in the first.
#
# Source: Yoshikawa, "Manipulability of robotic mechanisms", International Journal of Robotics Research 4(2) (1985).


# Determinants without a division, so that they are right where they vanish: Laplace's expansion along the rows, every
# minor worked out once.
#
#     det A = Σ_k ± a_1k · (minor of the rows below without column k),    n 2ⁿ⁻¹ products for n rows
#
# Source: Strang, "Linear Algebra and its Applications" (4th ed., 2006), section 4.3, cofactors.

Matrix = Sequence[Sequence[Scalar]]


def determinant(rows: Matrix) -> Scalar:
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


def _volume(J: Matrix, joints: int, maths: Maths[Scalar]) -> Scalar:
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
        "jacobian",
        "tool velocity per joint velocity, world axes",
        ("q",),
        {"J": ("m/rad or 1", "linear rows, then angular")},
        {"columns": lambda c, x: {"J": jacobian(c, x["q"])}},
        TOOL,
        trees=("columns",),
        floating="kinematics",
    ),
    ModelEntry(
        "jacobian_tool",
        "the Jacobian in tool axes",
        ("q",),
        {"J": ("m/rad or 1", "linear rows, then angular")},
        {"columns": lambda c, x: {"J": jacobian_tool(c, x["q"])}},
        TOOL,
        trees=("columns",),
        floating="kinematics",
    ),
    ModelEntry(
        "jacobian_dot",
        "time derivative of the Jacobian, world axes",
        ("q", "qd"),
        {"Jd": ("m/(rad·s) or 1/s", "linear rows, then angular")},
        {"columns": lambda c, x: {"Jd": jacobian_dot(c, x["q"], x["qd"])}},
        TOOL,
        trees=("columns",),
    ),
    ModelEntry(
        "tool_velocity",
        "velocity of the tool, J·q̇, world axes",
        ("q", "qd"),
        {"v": ("m/s, rad/s", "linear, then angular")},
        {"columns": _velocity},
        TOOL,
        trees=("columns",),
        floating="kinematics",
    ),
    ModelEntry(
        "tool_acceleration",
        "acceleration of the tool, J·q̈ + J̇·q̇, world axes",
        ("q", "qd", "qdd"),
        {"a": ("m/s², rad/s²", "linear, then angular")},
        {"columns": _acceleration, "summed": _acceleration_summed},
        TOOL,
        candidates=("summed",),
        trees=("columns", "summed"),
    ),
    ModelEntry(
        "tool_bias",
        "acceleration of the tool at constant joint rates, J̇·q̇, world axes",
        ("q", "qd"),
        {"a": ("m/s², rad/s²", "linear, then angular")},
        {
            "columns": lambda c, x: {"a": [dot(row, x["qd"]) for row in jacobian_dot(c, x["q"], x["qd"])]},
            "summed": lambda c, x: {"a": tool_bias(c, x["q"], x["qd"])},
        },
        TOOL,
        candidates=("summed",),
        trees=("columns", "summed"),
        floating="kinematics",
    ),
    ModelEntry(
        "manipulability",
        "how far the tool is from losing a freedom, √det(J·Jᵀ), of rows in which it moves",
        ("q",),
        {
            "w": ("mixed", "of the whole Jacobian"),
            "translation": ("m³, m² or m", "of the tool's position"),
            "rotation": ("1", "of its orientation"),
        },
        {"gram": lambda c, x: manipulability(c, x["q"])},
        TOOL,
        planned=_of_moving_rows,
        trees=("gram",),
    ),
)
