"""The whole load of every joint, not the motor's share alone: what bearings and links must carry.

Row i: the force, then the moment, that the link before exerts on link i, taken at joint i's origin (on its moving side)
and written in the axes of link i's frame as the file has it.

Source: f and n of Craig (2005), eqs. (6.51), (6.52), taken at the joint (`newton_euler`).
"""

from __future__ import annotations

from collections.abc import Sequence

from manipula.mechanics.models.dynamics.newton_euler import newton_euler
from manipula.mechanics.models.dynamics.torque import ToolWrench
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.spatial.vector import unrotate
from manipula.scalar import Scalar


def joint_wrenches(
    chain: Tree, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar], wrench: ToolWrench = None
) -> list[list[Scalar]]:
    """(dof, 6)"""
    loads = newton_euler(chain, q, qd, qdd, wrench).loads
    return [[*x.own.f, *unrotate(link.after.R, x.joint.n)] for link, x in zip(chain.links, loads)]
