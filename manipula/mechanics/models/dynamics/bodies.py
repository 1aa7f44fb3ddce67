"""Joint axes and composite bodies on frames that sit on the joints: what the fast models of dynamics share.

Frame k is the moving side of joint k, its z the joint's axis. The unit motion of joint i is the twist (ω, v): the
angular velocity, and the velocity of the point at the frame's origin, that q̇_i = 1 (along +z) gives.

Derived here: a composite body is a sum of bodies about one origin, and a unit motion a column of the Jacobian at it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from manipula.mechanics.robot.reduce import frames_on_joints
from manipula.mechanics.robot.tree import Item, Link, Tree
from manipula.mechanics.spatial.inertia import RigidBody, Twist
from manipula.mechanics.spatial.placement import Placement
from manipula.mechanics.spatial.vector import NULL, Vector, X, Y, Z, unrotate
from manipula.scalar import Scalar

Pair = tuple[RigidBody, RigidBody]  # on its own joint, and as the link before sees it
Twists = dict[int, Twist]  # of a link: joint → its unit motion, for the joints that move the link


def axis_twist(link: Link) -> Twist:
    """The unit motion of a joint, on the joint."""
    return Twist((0, 0, link.kind.turn(1)), (0, 0, link.kind.slide(1)))


@dataclass(frozen=True)
class OnJoints:
    """A chain with its frames on the joints, at one position."""

    chain: Tree
    motions: list[Placement]

    def twists(self) -> list[Twists]:
        """Row k: the unit motions, in frame k, of the joints that move link k."""

        def step(parent: Twists, row: tuple[int, Link, Placement]) -> Twists:
            k, link, motion = row
            moved = {i: twist.in_frame(link.before).in_frame(motion) for i, twist in parent.items()}
            return moved | {k: axis_twist(link)}

        return self.chain.outward(step, self._rows(range(self.chain.dof)), {})

    def composites(self, bodies: Sequence[RigidBody]) -> list[RigidBody]:
        """Link k and all beyond it as one rigid body, in frame k; `bodies` are the links alone."""

        def step(beyond: Sequence[Pair], row: tuple[RigidBody, Link, Placement]) -> Pair:
            whole, link, motion = row
            for _, body in beyond:
                whole = whole + body
            return whole, body_seen_from_parent(whole, link, motion)

        return [whole for whole, _ in self.chain.inward(step, self._rows(bodies))]

    def gravity_vectors(self) -> list[Vector]:
        """The gravity vector in every frame."""

        def step(g: Vector, row: tuple[int, Link, Placement]) -> Vector:
            return unrotate(row[2].R, unrotate(row[1].before.R, g))

        start = unrotate(self.chain.base.R, self.chain.gravity)
        return self.chain.outward(step, self._rows(range(self.chain.dof)), start)

    def _rows(self, items: Sequence[Item]) -> list[tuple[Item, Link, Placement]]:
        return list(zip(items, self.chain.links, self.motions, strict=True))


def on_joints(chain: Tree, q: Sequence[Scalar]) -> OnJoints:
    return OnJoints(frames_on_joints(chain), chain.motions(q))


def body_seen_from_parent(body: RigidBody, link: Link, motion: Placement) -> RigidBody:
    """A body on joint k, seen from frame k−1."""
    return body.about_z((motion.R[0][0], motion.R[1][0])).shift(motion.p).seen_from(link.before)


# unit motions of a base that moves, linear, then angular, under numbers that no joint has
_UNITS = [*(Twist(NULL, e) for e in (X, Y, Z)), *(Twist(e, NULL) for e in (X, Y, Z))]
BASE_TWISTS: Twists = {k - 6: twist for k, twist in enumerate(_UNITS)}


def link_twists(chain: Tree, q: Sequence[Scalar], base: Twists | None = None) -> list[Twists]:
    """Row l: the unit motions, in the frame of link l as the tree has it, of the joints that move link l, and those of
    the base, where it has any."""

    def step(parent: Twists, row: tuple[int, Link, Placement]) -> Twists:
        l, link, at = row
        return {i: twist.in_frame(at) for i, twist in parent.items()} | {l: axis_twist(link).in_frame(link.after)}

    return chain.outward(step, list(zip(range(chain.dof), chain.links, chain.elementary(q))), base or {})
