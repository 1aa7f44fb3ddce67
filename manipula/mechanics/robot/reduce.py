"""Chain → Chain: the same arm described more conveniently. Each reduction says what it preserves.

| reduction         | preserves                                                       |
|-------------------|-----------------------------------------------------------------|
| `merge_fixed`     | everything: torques, energy, frames of moving links, wrenches   |
| `frames_on_joints`| torques, energy, tool; link frames move onto their joints       |
"""

from __future__ import annotations

from dataclasses import replace

from manipula.mechanics.robot.chain import Chain, Link
from manipula.mechanics.spatial.inertia import Inertia
from manipula.mechanics.spatial.placement import HERE, Placement


def merge_fixed(chain: Chain) -> Chain:
    """Weld every fixed link to the moving link before it (or to the base, where its mass does not matter)."""
    links: list[Link] = []
    gap = HERE  # from the last moving link's frame to the frame of the row just read
    for link in chain.links:
        if link.kind.name != "fixed":
            links.append(replace(link, before=_joined(gap, link.before)))
            gap = HERE
            continue
        gap = _joined(gap, _joined(link.before, link.after))
        if links:
            links[-1] = replace(links[-1], inertia=links[-1].inertia + link.inertia.seen_from(gap))
    return replace(chain, links=tuple(links), tool=_joined(gap, chain.tool))


def frames_on_joints(chain: Chain) -> Chain:
    """Put every link frame where its joint is: what stood after joint i stands before joint i+1."""
    links: list[Link] = []
    carry = HERE
    for link in chain.links:
        inertia = link.inertia if link.after is HERE else link.inertia.seen_from(link.after)
        links.append(replace(link, before=_joined(carry, link.before), after=HERE, inertia=inertia))
        carry = link.after
    return replace(chain, links=tuple(links), tool=_joined(carry, chain.tool))


def without_actuators(chain: Chain) -> Chain:
    """The bare mechanism: no motor inertia, no friction."""
    bare = (replace(link, motor_inertia=0, viscous=0, coulomb=0, friction_offset=0) for link in chain.links)
    return replace(chain, links=tuple(bare))


def _joined(a: Placement, b: Placement) -> Placement:
    """a · b, keeping the identity itself when there is nothing to join."""
    if a is HERE:
        return b
    return a if b is HERE else a @ b


def massless(chain: Chain) -> Chain:
    """The same geometry with empty links; the start of superposition."""
    return replace(chain, links=tuple(replace(link, inertia=Inertia()) for link in chain.links))
