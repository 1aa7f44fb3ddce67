"""The inertia matrix by composite bodies on pseudo-inertias, run by run of parallel axes.

A composite body is (M, S, K): mass, first and second moments about a joint's origin, in the axes of its run. Joint k
alone, accelerating by one, asks of it

    revolute    F = (−Sy, Sx, 0)    N = (−Kxz, −Kyz, Kxx + Kyy)        no operation but a sum
    prismatic   F = (0, 0, M)       N = (Sy, −Sx, 0)

and every joint inward feels its share of that wrench. The chain must have its frames on the joints; on a regrouped
chain of revolute joints all masses are zero, and a shift costs little.

Source: the method is that of `composite`. On second moments a unit turn about z asks for F = ∫ z×r dm and N = ∫ r×(z×r)
dm, a unit slide for F = M z and N = S×z: the lines above. Derived here.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from manipula.mechanics.models.dynamics.acceleration_field import Wrench, continues
from manipula.mechanics.robot.tree import Link, Tree
from manipula.mechanics.spatial.inertia import RigidBody
from manipula.mechanics.spatial.vector import STRAIGHT, Turn, Vec3, Vector, add, cross, rotate, rotate_z
from manipula.scalar import Scalar


@dataclass(frozen=True)
class Place:
    """A link in its run: how far it is turned, its slide, and whether it joins the run of the link before."""

    link: Link
    angle: Scalar
    turn: Turn
    slide: Vector
    joined: bool


def inertia_matrix(chain: Tree, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """M(q), motor inertia on the diagonal."""
    places = _places(chain, q)
    bodies = chain.inward(_collect, places)
    return _joint_rows(chain, [_column(places, chain.support(k), body)[0] for k, (_, body) in enumerate(bodies)])


def floating_inertia(chain: Tree, q: Sequence[Scalar]) -> tuple[list[list[Scalar]], list[Wrench], RigidBody]:
    """M(q) of the joints; of every joint's unit acceleration what a base that moves feels, at its origin, in its axes;
    and all on the base as one body there."""
    places = _places(chain, q)
    bodies = chain.inward(_collect, places)
    found = [_column(places, chain.support(k), body) for k, (_, body) in enumerate(bodies)]
    felt = [_on_base(places[chain.support(k)[0]], places[k].link, wrench) for k, (_, wrench) in enumerate(found)]
    whole = chain.ground.by_axial_moments()
    for place, body in chain.on_base(bodies):
        whole = whole + body.shift(place.slide).seen_from(place.link.before)
    return _joint_rows(chain, [column for column, _ in found]), felt, whole


def _on_base(first: Place, joint: Link, wrench: Wrench) -> Wrench:
    """From the joint that stands on the base to the base's origin, the motion of `joint` counted its own way."""
    f, n = (Vec3(map(joint.along_z, x)) for x in wrench)
    n = n + cross(first.slide, f)
    f, n = rotate(first.link.before.R, f), rotate(first.link.before.R, n)
    return f, n + cross(first.link.before.p, f)


def _joint_rows(chain: Tree, upper: Sequence[Mapping[int, Scalar]]) -> list[list[Scalar]]:
    n = chain.dof
    M = [[upper[max(i, j)].get(min(i, j), 0) for j in range(n)] for i in range(n)]
    for i, link in enumerate(chain.links):
        M[i][i] = M[i][i] + link.motor_inertia
    return M


def _places(chain: Tree, q: Sequence[Scalar]) -> list[Place]:
    def step(parent: Place | None, item: tuple[Link, Scalar]) -> Place | None:
        link, x = item[0], item[0].offset + item[0].along_z(item[1])
        joined = parent is not None and continues(link)
        angle = (parent.angle if joined and parent else 0) + link.kind.turn(x)
        still = isinstance(angle, int) and angle == 0
        turn = STRAIGHT if still else (chain.maths.cos(angle), chain.maths.sin(angle))
        return Place(link, angle, turn, (0, 0, link.kind.slide(x)), joined)

    start: Place | None = None
    rows = list(zip(chain.links, q, strict=True))
    return [place for place in chain.outward(step, rows, start) if place is not None]


def _collect(children: Sequence[tuple[Place, RigidBody]], place: Place) -> tuple[Place, RigidBody]:
    """The composite body of a link and all beyond it, at its joint, in its run's axes."""
    own, joined = place.link.inertia.by_axial_moments(), list[RigidBody]()
    for child, beyond in children:
        foot, before = beyond.shift(child.slide), child.link.before
        if child.joined:
            joined.append(foot.shift(rotate_z(place.turn, before.p)))
        else:
            own = own + foot.seen_from(before)
    return place, reduce(operator.add, joined, own.about_z(place.turn))


def _column(places: Sequence[Place], way: Sequence[int], body: RigidBody) -> tuple[dict[int, Scalar], Wrench]:
    """M_ik: what every joint i on the way to joint k feels of k's unit acceleration; and the wrench at the first of
    them, in its run's axes."""
    last = places[way[-1]].link
    wrench, following = _unit_acceleration_wrench(last, body), None
    felt: dict[int, Scalar] = {}
    for i in reversed(way):
        wrench = wrench if following is None else _inward(wrench, places[i], following)
        felt[i] = last.along_z(places[i].link.along_z(places[i].link.kind.effort(*wrench)))
        following = places[i]
    return felt, wrench


def _unit_acceleration_wrench(link: Link, whole: RigidBody) -> Wrench:
    """The wrench of a unit acceleration, at the joint, in the run's axes."""
    one, along = link.kind.turn(1), link.kind.slide(1)
    (Sx, Sy, _), K = whole.s, whole.K
    F = (-(one * Sy), one * Sx, along * whole.m)
    N = (along * Sy - one * K[0][2], -(along * Sx) - one * K[1][2], one * whole.J)
    return F, N


def _inward(wrench: Wrench, place: Place, following: Place) -> Wrench:
    """From the joint of the link that follows to this one's, in this one's run axes."""
    f, n = wrench
    n = add(n, cross(following.slide, f))
    before = following.link.before
    if following.joined:
        return f, add(n, cross(rotate_z(place.turn, before.p), f))
    f = rotate(before.R, f)
    n = add(rotate(before.R, n), cross(before.p, f))
    return rotate_z(place.turn, f), rotate_z(place.turn, n)
