"""The screw axes of an arm at q = 0, and its pose as a product of their exponentials.

    T(q) = e^{[S1]q1} … e^{[Sn]qn} M

M is the pose of the tool at q = 0, S_i = (ω_i, v_i) the axis of joint i there, both in the world frame.

Source: Lynch and Park, "Modern Robotics" (2017), eq. (4.14); Brockett, "Robotic manipulators and the product of
exponentials formula" (1984).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from manipula.mechanics.models.kinematics.pose import frames
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.spatial.inertia import Twist
from manipula.mechanics.spatial.placement import Placement
from manipula.mechanics.spatial.screw import displacement_along, screw_from_frame
from manipula.scalar import Scalar


def home_screws(chain: Tree) -> tuple[list[Twist], Placement]:
    """S_1 … S_n and M of a serial arm."""
    *links, tool = frames(chain, [chain.maths.number(Fraction(0))] * chain.dof)
    screws, parent = [], chain.base
    for own, link in zip(links, chain.links, strict=True):
        turn, slide = (link.along_z(part) for part in (link.kind.turn(1), link.kind.slide(1)))
        screws.append(screw_from_frame(parent @ link.before, Twist((0, 0, turn), (0, 0, slide))))
        parent = own
    return screws, tool


def exponentials(chain: Tree, screws: Sequence[Twist], q: Sequence[Scalar]) -> list[Placement]:
    """e^{[S_i]q_i}, joint by joint."""
    rows = zip(chain.links, screws, q, strict=True)
    return [displacement_along(screw, x, chain.maths, link.kind.turns, link.kind.slides) for link, screw, x in rows]
