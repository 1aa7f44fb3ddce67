"""What the joints of a closed robot carry, and the joints at which its loops are cut.

Every row of J is a motion that a cut joint blocks; its multiplier λ is the force or moment that the link of frame a
gives the link of frame b there. With τ_p the torques that the open tree would need in joints without a motor,

    J_pᵀ λ = τ_p

and the tree, loaded with λ at b and −λ at a, has the wrenches of the closed robot. Rows that follow from others have
forces that nothing determines: parallel pins of a linkage in a plane may be strained against each other. A vector ν
with Jᵀ ν = 0 is such a strain; every component that any ν changes is undetermined, and is NaN.

Source: Featherstone, "Rigid Body Dynamics Algorithms" (2008), sections 8.3 and 8.11; which components strains change is
derived here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from manipula.mechanics.models.closure.constraint import LoopMotion, LoopText
from manipula.mechanics.models.dynamics.newton_euler import NOTHING, Loaded, euler, ground, load, move, newton, tip_load
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.tree import BASE, Link, LoopCut, Tree
from manipula.mechanics.spatial.inertia import Wrench
from manipula.mechanics.spatial.vector import IDENTITY, NULL, add, column, cross, scale, unrotate
from manipula.scalar import Scalar

Scalars = Sequence[Scalar]
COMPONENTS = ("fx", "fy", "fz", "nx", "ny", "nz")


class BearingLoads(NamedTuple):
    """Six components a joint, force and moment at the joint in its link's axes; six a cut, of a's link on b's, at the
    origin of b in the axes of a."""

    joints: list[list[Scalar]]
    cuts: list[list[Scalar]]


def bearing_loads(tree: Tree, motion: Mapping[str, Scalars], lam: Mapping[int, Scalar], text: LoopText) -> BearingLoads:
    """With multipliers by row; rows left out are absent."""
    q, qd, qdd = motion["q"], motion["qd"], motion["qdd"]
    seen = [text(tree, cut, q) for cut in tree.cuts]
    pushes = _pushes(tree, seen, lam)
    motions = tree.motions(q)
    rows = list(zip(tree.links, motions, map(Link.along_z, tree.links, qd), map(Link.along_z, tree.links, qdd)))
    moving = tree.outward(move, rows, ground(tree))
    F = [newton(link.inertia, state) for link, state in zip(tree.links, moving)]
    N = [euler(link.inertia, state) for link, state in zip(tree.links, moving)]
    held = {i: x.parent for i, x in tip_load(tree, motions, motion.get("wrench")).items()}
    for cut, loop, push in zip(tree.cuts, seen, pushes, strict=True):
        for on, given in _reactions(cut, loop, push):
            if on != BASE:  # what a link passes on is the opposite of what it is given
                held[on] = held[on] + -given if on in held else -given
    passed = {i: Loaded(NOTHING, NOTHING, x) for i, x in held.items()}
    loads = tree.inward(load, list(zip(tree.links, motions, F, N)), passed)
    joints = [[*x.own.f, *unrotate(link.after.R, x.joint.n)] for link, x in zip(tree.links, loads)]
    return BearingLoads(joints, [[*x.f, *x.n] for x in pushes])


def _pushes(tree: Tree, seen: Sequence[LoopMotion], lam: Mapping[int, Scalar]) -> list[Wrench]:
    """Of every cut: on the link of b, at the origin of b, in the axes of a."""
    found, row = list[Wrench](), 0
    for cut, loop in zip(tree.cuts, seen, strict=True):
        f, n = NULL, NULL
        for k in cut.joint.lines:
            f, row = add(f, scale(lam.get(row, 0), IDENTITY[k])), row + 1
        for k in cut.joint.turns:
            n, row = add(n, scale(lam.get(row, 0), IDENTITY[k])), row + 1
        if cut.joint.pair is not None:
            one, other = cut.joint.pair
            across = cross(IDENTITY[one], column(loop.pose.R, other))
            n, row = add(n, scale(lam.get(row, 0), across)), row + 1
        found.append(Wrench(f, n))
    return found


def _reactions(cut: LoopCut, loop: LoopMotion, push: Wrench) -> list[tuple[int, Wrench]]:
    """What each link is given, at the origin of its frame and in its axes."""
    # where the joint slides, a is pushed at the origin of b; else the origins meet
    lever = loop.pose.p if len(cut.joint.lines) < 3 else NULL
    on_a = -Wrench(push.f, add(push.n, cross(lever, push.f)))
    on_b = Wrench(unrotate(loop.pose.R, push.f), unrotate(loop.pose.R, push.n))
    a, b = cut.at
    return [(cut.on[0], on_a.in_frame(a)), (cut.on[1], on_b.in_frame(b))]


def undetermined_names(robot: RobotDescription, loose: Sequence[tuple[bool, int, int]]) -> list[str]:
    """In words: "left_rod fz nx ny", "loop tip fz"."""
    joints, found = robot.coordinates.joints, dict[str, list[str]]()
    for of_cut, i, k in loose:
        found.setdefault(robot.loops[i].name if of_cut else joints[i], []).append(COMPONENTS[k])
    return [f"{name} {' '.join(dict.fromkeys(parts))}" for name, parts in found.items()]
