"""The inertia matrix by composite bodies on pseudo-inertias, run by run of parallel axes.

A composite body is (M, S, K): mass, first and second moments about a joint's origin, in the axes of its run. Joint k
alone, accelerating by one, asks of it

    revolute    F = (−Sy, Sx, 0)    N = (−Kxz, −Kyz, Kxx + Kyy)        no operation but a sum
    prismatic   F = (0, 0, M)       N = (Sy, −Sx, 0)

and every joint inward feels its share of that wrench. The chain must have its frames on the joints; on a regrouped
chain of revolute joints all masses are zero, and a shift costs little.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from manipula.mechanics.models.dynamics.acceleration_field import (
    STRAIGHT,
    Body,
    Turn,
    Wrench,
    body_of,
    continues,
    shifted,
    turned,
    turned_body,
)
from manipula.mechanics.robot.tree import Link, Tree, inward, outward
from manipula.mechanics.spatial.vector import (
    Matrix,
    Vector,
    add,
    cross,
    matadd,
    matmul,
    rotate,
    transpose,
)


def rotated(body: Body, R: Matrix) -> Body:
    K = matmul(matmul(R, body.K), transpose(R))
    return Body(body.M, rotate(R, body.S), K, K[0][0] + K[1][1])


def together(a: Body, b: Body) -> Body:
    return Body(a.M + b.M, add(a.S, b.S), matadd(a.K, b.K), a.J + b.J)


@dataclass(frozen=True)
class Place:
    """A link in its run: how far it is turned, its slide, and whether it joins the run of the link before."""

    link: Link
    angle: Any
    turn: Turn
    slide: Vector
    joined: bool


def inertia_matrix(chain: Tree, q: Sequence[Any]) -> list[list[Any]]:
    """M(q), motor inertia on the diagonal."""
    places = _places(chain, q)
    bodies = inward(_collect, list(zip(places, [*places[1:], None])), None)
    upper = [_column(places, k, body) for k, body in enumerate(bodies) if body is not None]
    n = chain.dof
    M = [[upper[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)]
    for i, link in enumerate(chain.links):
        M[i][i] = M[i][i] + link.motor_inertia
    return M


def _places(chain: Tree, q: Sequence[Any]) -> list[Place]:
    def step(parent: Place | None, item: tuple[Link, Any]) -> Place | None:
        link, x = item[0], item[0].offset + item[0].signed(item[1])
        joined = parent is not None and continues(link)
        angle = (parent.angle if joined and parent else 0) + link.kind.turn(x)
        still = isinstance(angle, int) and angle == 0
        turn = STRAIGHT if still else (chain.maths.cos(angle), chain.maths.sin(angle))
        return Place(link, angle, turn, (0, 0, link.kind.slide(x)), joined)

    start: Place | None = None
    return [place for place in outward(step, list(zip(chain.links, q, strict=True)), start) if place is not None]


def _collect(beyond: Body | None, rows: tuple[Place, Place | None]) -> Body | None:
    """The composite body of a link and all beyond it, at its joint, in its run's axes."""
    place, following = rows
    own = body_of(place.link.inertia)
    if following is None or beyond is None:
        return turned_body(place.turn, own)
    beyond, before = shifted(beyond, following.slide), following.link.before
    if following.joined:
        return together(turned_body(place.turn, own), shifted(beyond, turned(place.turn, before.p)))
    return turned_body(place.turn, together(own, shifted(rotated(beyond, before.R), before.p)))


def _column(places: Sequence[Place], k: int, body: Body) -> list[Any]:
    """M_0k … M_kk: what every joint feels of joint k's unit acceleration."""
    wrench = _asked(places[k].link, body)
    felt = []
    for i in range(k, -1, -1):
        if i < k:
            wrench = _inward(wrench, places[i], places[i + 1])
        felt.append(places[k].link.signed(places[i].link.signed(places[i].link.kind.effort(*wrench))))
    return felt[::-1]


def _asked(link: Link, whole: Body) -> Wrench:
    """The wrench of a unit acceleration, at the joint, in the run's axes."""
    one, along = link.kind.turn(1), link.kind.slide(1)
    (Sx, Sy, _), K = whole.S, whole.K
    F = (-(one * Sy), one * Sx, along * whole.M)
    N = (along * Sy - one * K[0][2], -(along * Sx) - one * K[1][2], one * whole.J)
    return F, N


def _inward(wrench: Wrench, place: Place, following: Place) -> Wrench:
    """From the joint of the link that follows to this one's, in this one's run axes."""
    f, n = wrench
    n = add(n, cross(following.slide, f))
    before = following.link.before
    if following.joined:
        return f, add(n, cross(turned(place.turn, before.p), f))
    f = rotate(before.R, f)
    n = add(rotate(before.R, n), cross(before.p, f))
    return turned(place.turn, f), turned(place.turn, n)
