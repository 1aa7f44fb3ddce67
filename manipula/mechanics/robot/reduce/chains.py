"""Tree → Tree: the same arm described more conveniently. Each reduction says what it preserves.

| reduction         | preserves                                                       |
|-------------------|-----------------------------------------------------------------|
| `merge_fixed`     | everything: torques, energy, frames of moving links, wrenches   |
| `frames_on_joints`| torques, energy, tool; link frames move onto their joints       |
| `regroup`         | torques; the joints' other forces and moments do not survive    |
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from manipula.mechanics.robot.actuators.actuator import IDLE
from manipula.mechanics.robot.tree import BASE, FileBody, Link, Tree
from manipula.mechanics.spatial.inertia import RigidBody, rod
from manipula.mechanics.spatial.placement import HERE, Placement
from manipula.mechanics.spatial.vector import scale


def merge_fixed(chain: Tree) -> Tree:
    """Weld every fixed link to the moving link before it, or to the ground."""
    links: list[Link] = []
    ground = chain.ground
    stands: dict[int, tuple[int, Placement]] = {BASE: (BASE, HERE)}  # row → the moving link it is part of, and where
    for row, link in enumerate(chain.links):
        on, gap = stands[link.parent]
        if link.kind.name != "fixed":
            links.append(replace(link, before=_joined(gap, link.before), parent=on))
            stands[row] = len(links) - 1, HERE
            continue
        gap = _joined(gap, _joined(link.before, link.after))
        stands[row] = on, gap
        if on != BASE:
            links[on] = _welded(links[on], link, gap)
        else:
            ground = ground + link.inertia.seen_from(gap)
    tip, gap = stands[chain.holder]
    last = chain.tip is None and tip == len(links) - 1
    tool = _joined(gap, chain.tool)
    return replace(chain, links=tuple(links), tool=tool, ground=ground, tip=None if last else tip)


def _welded(link: Link, rider: Link, at: Placement) -> Link:
    """A link with another as part of it."""
    parts = (*link.parts, *(replace(part, at=_joined(at, part.at)) for part in rider.parts))
    return replace(link, inertia=link.inertia + rider.inertia.seen_from(at), parts=parts)


def frames_on_joints(chain: Tree) -> Tree:
    """Put every link frame where its joint is: what stood after joint i stands before the joints on link i."""
    after = {BASE: HERE} | {i: link.after for i, link in enumerate(chain.links)}
    links: list[Link] = []
    for link in chain.links:
        inertia = link.inertia if link.after is HERE else link.inertia.seen_from(link.after)
        before = _joined(after[link.parent], link.before)
        links.append(replace(link, before=before, after=HERE, inertia=inertia, parts=()))
    return replace(chain, links=tuple(links), tool=_joined(after[chain.holder], chain.tool))


def without_actuators(chain: Tree) -> Tree:
    """The bare mechanism: no motor inertia, no friction."""
    bare = (replace(link, actuator=IDLE) for link in chain.links)
    return replace(chain, links=tuple(bare))


def _joined(a: Placement, b: Placement) -> Placement:
    """a · b, keeping the identity itself when there is nothing to join."""
    if a is HERE:
        return b
    return a if b is HERE else a @ b


def massless(chain: Tree) -> Tree:
    """The same geometry with empty links; the start of superposition."""
    links = (replace(link, inertia=RigidBody(), parts=tuple(map(_emptied, link.parts))) for link in chain.links)
    return replace(chain, links=tuple(links), ground=RigidBody())


def _emptied(part: FileBody) -> FileBody:
    return replace(part, inertia=RigidBody())


def regroup(chain: Tree) -> Tree:
    """Hand every mass that moves alike with a link's parent to it, from the tips down. Frames must be on the joints.

    What lies on a revolute axis (M, S_z, K_zz) does not see the joint turn; a prismatic joint keeps the orientation,
    so all second moments K go (a kind's `split`). What is left is minimal up to parameters that move nothing at all.
    """
    links = list(chain.links)
    for i in range(len(links) - 1, -1, -1):
        kept, handed = split(links[i])
        links[i] = replace(links[i], inertia=kept)
        if (parent := links[i].parent) != BASE:
            links[parent] = replace(links[parent], inertia=links[parent].inertia + handed)
    return replace(chain, links=tuple(links))


def split(link: Link) -> tuple[RigidBody, RigidBody]:
    """A link's body without what moves alike with the link before, and that, in the frame of the link before."""
    kept, shared = link.kind.split(link.inertia)
    return kept, shared.seen_from(link.before)


def gauged(chain: Tree, joint: int, axis: int) -> Tree:
    """A fictitious mass on joint `joint` (from 0) so that its parent's first moment along `axis` vanishes."""
    return _weighted(chain, joint, _parent(chain, joint).inertia.s[axis] / chain.links[joint].before.p[axis])


def mass_moved_outward(chain: Tree, joint: int) -> Tree:
    """A fictitious mass on joint `joint` (from 0) so that its parent has none: what slides rides on the next link."""
    return _weighted(chain, joint, _parent(chain, joint).inertia.m)


def _weighted(chain: Tree, joint: int, mu: Any) -> Tree:
    """A mass μ at a revolute joint's origin belongs to both links: +μ on one and −μ on the other changes no torque."""
    minus = RigidBody(m=-mu).seen_from(Placement(p=chain.links[joint].before.p))
    return _shared(chain, joint, RigidBody(m=mu), minus)


def _parent(chain: Tree, joint: int) -> Link:
    return chain.links[chain.links[joint].parent]


def _shared(chain: Tree, joint: int, own: RigidBody, parents: RigidBody) -> Tree:
    """A link and its parent with a body more each."""
    links = list(chain.links)
    for i, body in ((joint, own), (links[joint].parent, parents)):
        links[i] = replace(links[i], inertia=links[i].inertia + body)
    return replace(chain, links=tuple(links))


def moments_on_axis(chain: Tree, joint: int, axis: int, first: bool, second: bool) -> Tree:
    """Put fictitious moments on the axis of `joint` (from 0), which lies along ± `axis` of its parent, so that the
    parent's first or second moment along that axis, or both, vanish.

    Moments S_z, K_zz on the axis belong to both links alike: + on one and − on the other changes no torque.
    """
    for wanted, order in ((first, 1), (second, 2)):
        chain = _loaded(chain, joint, axis, order) if wanted else chain
    return chain


def _loaded(chain: Tree, joint: int, axis: int, order: int) -> Tree:
    link, parent = chain.links[joint], _parent(chain, joint)
    a = link.before.R[axis][2]  # ±1: where the axis points
    S = a * parent.inertia.s[axis] if order == 1 else 0
    K = parent.inertia.K[axis][axis] if order == 2 else 0
    hole = RigidBody(s=(0, 0, -S), second=rod(-K)).seen_from(link.before)
    return _shared(chain, joint, RigidBody(s=(0, 0, S), second=rod(K)), hole)


def rescaled(chain: Tree, length: Any) -> Tree:
    """Measure lengths in `length`: moments and masses take it up, so torques of revolute joints stay what they are.

    A sliding joint takes its coordinate in metres and gives its force in newtons by its pace.
    """

    def short(at: Placement) -> Placement:
        return Placement(at.R, (at.p[0] / length, at.p[1] / length, at.p[2] / length))

    def heavy(body: RigidBody) -> RigidBody:
        return RigidBody(body.m * length * length, scale(length, body.s), body.second)

    def resized(x: Link) -> Link:
        alone = x.kind.slides and not x.kind.turns  # else the coordinate is an angle
        offset, pace = (x.offset / length, x.pace / length) if alone else (x.offset, x.pace)
        placed = replace(x, before=short(x.before), after=short(x.after), inertia=heavy(x.inertia))
        return replace(placed, kind=x.kind.resized(length), offset=offset, pace=pace)

    links, ground = tuple(map(resized, chain.links)), heavy(chain.ground)
    return replace(chain, links=links, gravity=scale(1 / length, chain.gravity), tool=short(chain.tool), ground=ground)
