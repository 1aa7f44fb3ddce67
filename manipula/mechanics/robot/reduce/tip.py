"""The last frame turned about its own axis, by a constant angle φ that makes one parameter of the last link zero.

Nothing comes after the last link, so its frame may stand at any angle: q_n → q_n + φ, and the link's moments are seen
from axes turned by φ. Two pairs of them turn like a vector, the third at twice the angle:

    (S_x, S_y)             → (ρ, 0)    φ = atan2(S_y, S_x)
    (K_xz, K_yz)           → (ρ, 0)    φ = atan2(K_yz, K_xz)
    (½(K_xx − K_yy), K_xy) → (ρ, 0)    φ = ½ atan2(K_xy, ½(K_xx − K_yy))

ρ is the pair's length. All this is parameters alone, and nothing divides: where a pair vanishes, so do φ and ρ.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.spatial.inertia import RigidBody, half, tensor_from_second_moments
from manipula.mechanics.spatial.placement import turn_about
from manipula.mechanics.spatial.vector import symmetric

Pair = tuple[Any, Any]


def _first(body: RigidBody) -> Pair:
    return body.s[0], body.s[1]


def _third(body: RigidBody) -> Pair:
    K = body.K
    return K[0][2], K[1][2]


def _second(body: RigidBody) -> Pair:
    K = body.K
    return half(K[0][0] - K[1][1]), K[0][1]


# what turns onto the x axis
PAIRS: dict[str, Callable[[RigidBody], Pair]] = {"first": _first, "third": _third, "second": _second}


def tip_turned(chain: Tree, pair: str) -> Tree:
    """The chain with its last frame turned so that the second entry of this pair is 0. Preserves torques, energy, tool.

    The last joint must be revolute, with its link's frame on it.
    """
    last, maths = chain.leaves[-1], chain.maths
    link = chain.links[last]
    x, y = PAIRS[pair](link.inertia)
    angle = maths.atan2(y, x)
    phi = half(angle) if pair == "second" else angle
    c, s = maths.cos(phi), maths.sin(phi)
    known = {pair: (maths.sqrt(x * x + y * y), 0)}
    inertia = _seen_turned(link.inertia, c, s, known)
    turned = replace(link, offset=link.offset + phi, inertia=inertia)
    links = tuple(turned if i == last else other for i, other in enumerate(chain.links))
    tool = turn_about("z", c, -s) @ chain.tool if chain.holder == last else chain.tool
    return replace(chain, links=links, tool=tool)


def _seen_turned(body: RigidBody, c: Any, s: Any, known: dict[str, Pair]) -> RigidBody:
    """The body seen from axes turned about z; the pair that is known is not worked out."""
    pairs = {name: known.get(name) or _turned(pair(body), *_turn(name, c, s)) for name, pair in PAIRS.items()}
    K = body.K
    mean, (h, xy), (xz, yz) = half(K[0][0] + K[1][1]), pairs["second"], pairs["third"]
    turned = symmetric(mean + h, xy, xz, mean - h, yz, K[2][2])
    return RigidBody(body.m, (*pairs["first"], body.s[2]), tensor_from_second_moments(turned))


def _turn(name: str, c: Any, s: Any) -> Pair:
    """The cosine and sine by which this pair turns."""
    return (c * c - s * s, 2 * s * c) if name == "second" else (c, s)


def _turned(pair: Pair, c: Any, s: Any) -> Pair:
    """(x, y) seen from axes turned by (c, s)"""
    x, y = pair
    return c * x + s * y, c * y - s * x
