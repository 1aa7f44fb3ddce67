"""Direct geometry: where every link and the tool are.

Elementary transforms relate neighbours (pose_parent_link); `frames` are the intermediate ones, seen from the world;
`pose` is the whole; `axes` are the frames of the joints. The road is walked step by step: a turn about a joint's own
axis costs less than a full product.

Source: Denavit, Hartenberg, "A kinematic notation for lower-pair mechanisms based on matrices", ASME Journal of Applied
Mechanics 22 (1955); any placement may stand where they have four numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

from manipula.mechanics.models.entry import FRAMES, ModelEntry
from manipula.mechanics.robot.tree import BASE, Link, Tree
from manipula.mechanics.spatial.placement import Placement, turn_about
from manipula.scalar import Scalar


def elementary(chain: Tree, q: Sequence[Scalar]) -> list[Placement]:
    """pose_parent_link of links 1…n; base and tool are not part of it."""
    return chain.elementary(q)


def frames(chain: Tree, q: Sequence[Scalar]) -> list[Placement]:
    """pose_world_link of links 1…n, then pose_world_tool."""
    links = chain.outward(advance, list(zip(chain.links, chain.motions(q), strict=True)), chain.base)
    return [*links, (chain.base if chain.holder == BASE else links[chain.holder]) @ chain.tool]


def axes(chain: Tree, q: Sequence[Scalar]) -> list[Placement]:
    """pose_world_joint of joints 1…n: z is the axis about or along which the joint moves as its coordinate grows,
    whatever the convention.

    pose_world_joint = pose_world_parent · before · Rx(180° where the direction is −1)
    """

    def advance_axis(parent: tuple[Placement, Placement], row: tuple[Link, Placement]) -> tuple[Placement, Placement]:
        joint = parent[0] @ row[0].before
        return advance(parent[0], row), joint if row[0].direction == 1 else joint @ turn_about("x", -1, 0)

    rows = list(zip(chain.links, chain.motions(q), strict=True))
    return [joint for _, joint in chain.outward(advance_axis, rows, (chain.base, chain.base))]


def pose(chain: Tree, q: Sequence[Scalar]) -> Placement:
    """pose_world_tool"""
    return frames(chain, q)[-1]


def advance(parent: Placement, row: tuple[Link, Placement]) -> Placement:
    """pose_world_link from pose_world_parent: · before · motion · after"""
    link, motion = row
    return parent @ link.before @ motion @ link.after


ENTRIES = (
    ModelEntry(
        "frames", "pose of every link frame, then of the tool", ("q",), {"T": ("1, m", "links 1…n, then tool")},
        {"forward": lambda c, x: {"T": [at.rows() for at in frames(c, x["q"])]}}, FRAMES, trees=("forward",),
        floating="kinematics",
    ),
    ModelEntry(
        "transforms", "elementary transform of every link, T(i−1, i)", ("q",), {"T": ("1, m", "links 1…n")},
        {"elementary": lambda c, x: {"T": [at.rows() for at in elementary(c, x["q"])]}}, FRAMES,
        trees=("elementary",), floating="kinematics",
    ),
    ModelEntry(
        "axes", "pose of every joint's own frame; it moves about or along +z", ("q",), {"T": ("1, m", "joints 1…n")},
        {"forward": lambda c, x: {"T": [at.rows() for at in axes(c, x["q"])]}}, FRAMES, trees=("forward",),
        floating="kinematics",
    ),
)  # fmt: skip
