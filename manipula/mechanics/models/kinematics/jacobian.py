"""The Jacobian of the tool and its exact time derivative, in world axes and in tool axes, at the tool's origin.

Six rows (linear velocity, then angular), a column for every joint. z is the joint's axis, p what leads from the
joint to the tool's origin; both signed by the joint's direction:

    revolute   (z × p, z)        prismatic   (z, 0)

The derivative needs only the columns (v, w) themselves: a column turns with the joints up to its own, and its lever
grows by the velocity that the joints beyond give to the tool (in tool axes: minus the bracket with their twist).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from manipula.mechanics.models.kinematics.pose import frames
from manipula.mechanics.robot.tree import Link, Tree, inward, outward
from manipula.mechanics.spatial.placement import Placement
from manipula.mechanics.spatial.vector import NULL, Vector, add, column, cross, scale, sub, unrotate

Column = tuple[Vector, Vector]  # linear, angular
Rows = list[list[Any]]


def jacobian(chain: Tree, q: Sequence[Any]) -> Rows:
    """6×n, world axes."""
    return rows_from_columns(columns_in_world(chain, q))


def jacobian_tool(chain: Tree, q: Sequence[Any]) -> Rows:
    """6×n, tool axes."""
    return rows_from_columns(columns_in_tool(chain, q))


def jacobian_dot(chain: Tree, q: Sequence[Any], qd: Sequence[Any]) -> Rows:
    """d/dt of `jacobian`, entry by entry:  (W×v + w×V, W×w)

    W: angular velocity after joints 1…i; V: velocity that joints i+1…n give to the tool.
    """
    columns = columns_in_world(chain, q)
    turns = outward(_add_turn, list(zip(columns, qd, strict=True)), NULL)
    beyond = inward(_add_slide, list(zip(columns[1:], qd[1:])), NULL)
    return rows_from_columns(
        [(add(cross(W, v), cross(w, V)), cross(W, w)) for (v, w), W, V in zip(columns, turns, [*beyond, NULL])]
    )


def jacobian_dot_tool(chain: Tree, q: Sequence[Any], qd: Sequence[Any]) -> Rows:
    """d/dt of `jacobian_tool`, entry by entry:  (v×W + w×V, w×W)

    (V, W): the twist that joints i+1…n give to the tool.
    """
    columns = columns_in_tool(chain, q)
    later = list(zip(columns[1:], qd[1:], strict=True))
    slides, turns = inward(_add_slide, later, NULL), inward(_add_turn, later, NULL)
    return rows_from_columns(
        [(add(cross(v, W), cross(w, V)), cross(w, W)) for (v, w), V, W in zip(columns, [*slides, NULL], [*turns, NULL])]
    )


def _add_slide(total: Vector, row: tuple[Column, Any]) -> Vector:
    """The linear velocity with one joint more."""
    return add(total, scale(row[1], row[0][0]))


def _add_turn(total: Vector, row: tuple[Column, Any]) -> Vector:
    """The angular velocity with one joint more."""
    return add(total, scale(row[1], row[0][1]))


def columns_in_world(chain: Tree, q: Sequence[Any]) -> list[Column]:
    """From the frames, base → tool."""
    *links, tool = frames(chain, q)
    feet = (parent @ link.before for parent, link in zip([chain.base, *links], chain.links))
    return [
        joint_column(link, column(foot.R, 2), cross(column(foot.R, 2), sub(tool.p, foot.p)))
        for link, foot in zip(chain.links, feet)
    ]


def columns_in_tool(chain: Tree, q: Sequence[Any]) -> list[Column]:
    """From pose_joint_tool, tool → base: z is its third row, z × p is Rᵀ(−py, px, 0)."""
    seen = inward(_retreat, list(zip(chain.links, chain.motions(q), strict=True)), (chain.tool, chain.tool))
    return [
        joint_column(link, at.R[2], unrotate(at.R, (-at.p[1], at.p[0], 0))) for link, (at, _) in zip(chain.links, seen)
    ]


def _retreat(child: tuple[Placement, Placement], row: tuple[Link, Placement]) -> tuple[Placement, Placement]:
    """(pose_joint_tool, pose_parent_tool) from those of the next link."""
    link, motion = row
    joint_tool = link.after @ child[1]
    return joint_tool, link.before @ (motion @ joint_tool)


def joint_column(link: Link, z: Vector, swing: Vector) -> Column:
    """(z × p, z) or (z, 0); `swing` is z × p."""
    turn, slide = link.signed(link.kind.turn(1)), link.signed(link.kind.slide(1))
    return add(scale(turn, swing), scale(slide, z)), scale(turn, z)


def rows_from_columns(columns: Sequence[Column]) -> Rows:
    """6×n nested lists."""
    return [[parts[half][axis] for parts in columns] for half in (0, 1) for axis in range(3)]
