"""Inverse dynamics on the acceleration field: the recursion with the fewest operations.

With U = [ω̇]× + [ω]×[ω]× a point r of a link accelerates by V + U r. Then, for mass M, first moments S, second K,

    F = M V + U S        N = S × V + vee(U K − (U K)ᵀ)

and no tensor product is ever formed. Consecutive parallel axes share one orientation G, that of the first of them
before it turns; link k of the run is turned in it by the sum θ of its angles. The axis z is fixed in all links of a run
and in the link before it, so the column U z is the same for all of them: only ω_z and ω̇_z grow from link to link.

The chain must have its frames on the joints (`reduce.frames_on_joints`). What a link's inertia and its lever to the
next joint contribute may be worked out in the link's own axes or in those of its run (`SHARES`, `LEVERS`), and its
moment about the axis in two forms (`MOMENTS`): one choice a link.
The part of a link's inertia that is symmetric about its axis may be handed to its parent (`handed_over`): what the
parent does not know of it is a rotor's gyroscopic moment.

Source: U is the angular acceleration tensor of Balafoutis, Patel, "Dynamic Analysis of Robot Manipulators: A Cartesian
Tensor Approach" (1991). N is ∫ r×(V + U r) dm, whose last part has the entries ε_ijk (U K)_kj. Runs, shares, levers and
what is handed over are derived here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import NamedTuple

from manipula.mechanics.models.kinematics.pose_apart import polar
from manipula.mechanics.robot.tree import BASE, Link, Tree
from manipula.mechanics.spatial.inertia import InertiaTensor, RigidBody, half
from manipula.mechanics.spatial.placement import Placement
from manipula.mechanics.spatial.vector import (
    IDENTITY,
    NULL,
    STRAIGHT,
    Matrix,
    Turn,
    Vector,
    Z,
    add,
    cross,
    dot,
    matsub,
    neg,
    rotate,
    rotate_z,
    rotate_z_back,
    scale,
    symmetric,
    unrotate,
)
from manipula.scalar import Maths, Scalar

Wrench = tuple[Vector, Vector]  # force, moment
NOTHING: Wrench = (NULL, NULL)


@dataclass(frozen=True)
class Spin:
    """How a link turns, in some axes: ω, ω̇_z, and the column U z."""

    w: Vector = NULL
    wdz: Scalar = 0
    Uz: Vector = NULL

    def rotate_back(self, turn: Turn) -> Spin:
        """The same in axes turned about z."""
        return Spin(rotate_z_back(turn, self.w), self.wdz, rotate_z_back(turn, self.Uz))

    def faster(self, rate: Scalar, acceleration: Scalar) -> Spin:
        """One more turn about z: the column U z does not see it."""
        return Spin((self.w[0], self.w[1], self.w[2] + rate), self.wdz + acceleration, self.Uz)

    def wd(self) -> Vector:
        """ω̇, from U13 = ω_xω_z + ω̇_y and U23 = ω_yω_z − ω̇_x"""
        (wx, wy, wz), (U13, U23, _) = self.w, self.Uz
        return (wy * wz - U23, U13 - wx * wz, self.wdz)

    def field(self) -> Matrix:
        """U = [ω̇]× + [ω]×[ω]×, one product serving two entries"""
        (wx, wy, wz), (U13, U23, U33), (wdx, wdy, wdz) = self.w, self.Uz, self.wd()
        xx, zz, xy = wx * wx, wz * wz, wx * wy
        return (
            (U33 + (xx - zz), xy - wdz, U13),
            (xy + wdz, -(xx + zz), U23),
            (wx * wz - wdy, wy * wz + wdx, U33),
        )


@dataclass(frozen=True)
class Row:
    """A link in its run. V is the acceleration of the link's origin; spin, V and the wrenches are in the run's axes.

    How the link's lever is worked out is the link's own choice, but it is its children who ask for it, each for its own
    place: so the function rides on the row, and with it the angle and the maths that the polar form wants.
    """

    link: Link | None
    angle: Scalar
    turn: Turn
    slide: Scalar
    spin: Spin
    V: Vector
    wrench: Wrench  # what the link's own inertia asks for, at its origin
    foot: Wrench  # and at the foot of its joint, which a sliding link leaves
    lever: Lever
    rest: Scalar  # of the joint's torque: a handed-over rotor carried by the parent, 2σ ω̇_z
    maths: Maths[Scalar]
    joined: bool = False  # to the run of the row before

    @property
    def link_of_row(self) -> Link:
        """The row's link; only the ground lacks one."""
        assert self.link is not None
        return self.link

    def own_spin(self) -> Spin:
        return self.spin.rotate_back(self.turn)


Moment = Callable[[RigidBody, Spin], Scalar]
Share = Callable[[RigidBody, Turn, Scalar, Spin, Vector, Moment], tuple[Wrench, Wrench]]
Lever = Callable[[Row, Vector], Vector]


class LinkOptions(NamedTuple):
    """How one link is worked out."""

    share: str = "own"
    lever: str = "own"
    spin: str = "kept"
    run: str = "joined"
    moment: str = "field"


def wrench_of(body: RigidBody, spin: Spin, V: Vector, moment: Moment) -> Wrench:
    """F = M V + U S,  N = S×V + vee(UK − (UK)ᵀ)"""
    (Kxx, Kxy, Kxz), (_, Kyy, Kyz), (_, _, Kzz) = body.K
    U = spin.field()
    F = add(scale(body.m, V), rotate(U, body.s))
    N = (
        U[2][0] * Kxy + U[2][1] * Kyy + (U[2][2] - U[1][1]) * Kyz - U[1][0] * Kxz - U[1][2] * Kzz,
        (U[0][0] - U[2][2]) * Kxz + U[0][1] * Kyz + U[0][2] * Kzz - U[2][0] * Kxx - U[2][1] * Kxy,
        moment(body, spin) + U[1][2] * Kxz - U[0][2] * Kyz,
    )
    return F, add(N, cross(body.s, V))


def moment_by_field(body: RigidBody, spin: Spin) -> Scalar:
    """Of Kxx, Kyy, Kxy about z:  U21 Kxx − U12 Kyy + (U22 − U11) Kxy"""
    U, K = spin.field(), body.K
    return U[1][0] * K[0][0] - U[0][1] * K[1][1] + (U[1][1] - U[0][0]) * K[0][1]


def moment_by_squares(body: RigidBody, spin: Spin) -> Scalar:
    """The same:  (Kxx − Kyy) ω_xω_y + J ω̇_z + (ω_y² − ω_x²) Kxy"""
    (wx, wy, _), K = spin.w, body.K
    return (K[0][0] - K[1][1]) * (wx * wy) + body.J * spin.wdz + (wy * wy - wx * wx) * K[0][1]


def own_share(body: RigidBody, turn: Turn, d: Scalar, spin: Spin, V: Vector, moment: Moment) -> tuple[Wrench, Wrench]:
    """The motion taken to the link's origin and turned into its axes, the wrench turned back."""
    F, N = wrench_of(body, spin.rotate_back(turn), rotate_z_back(turn, slid_motion(d, spin, V)), moment)
    return (rotate_z(turn, F), rotate_z(turn, N)), NOTHING


def run_share(body: RigidBody, turn: Turn, d: Scalar, spin: Spin, V: Vector, moment: Moment) -> tuple[Wrench, Wrench]:
    """The inertia turned, and taken to the foot of the joint, instead."""
    return NOTHING, wrench_of(body.about_z(turn).shift((0, 0, d)), spin, V, moment)


def slid_motion(d: Scalar, spin: Spin, V: Vector) -> Vector:
    """V + d U z"""
    return add(V, scale(d, spin.Uz))


def own_lever(row: Row, p: Vector) -> Vector:
    """U p, worked out in the link's axes"""
    return rotate_z(row.turn, rotate(row.own_spin().field(), p))


def run_lever(row: Row, p: Vector) -> Vector:
    """U p, the lever turned instead"""
    return rotate(row.spin.field(), rotate_z(row.turn, p))


def polar_lever(row: Row, p: Vector) -> Vector:
    """U p, the lever turned in its polar form, which takes two products instead of four"""
    return rotate(row.spin.field(), polar(row.angle, p, row.maths))


SHARES: dict[str, Share] = {"own": own_share, "run": run_share}
LEVERS: dict[str, Lever] = {"own": own_lever, "run": run_lever, "polar": polar_lever}
MOMENTS: dict[str, Moment] = {"field": moment_by_field, "squares": moment_by_squares}
# twice the part σ of a link's second moments Kxx, Kyy that is handed to its parent; what is left may lose an entry
SPINS: dict[str, Callable[[Scalar, Scalar], Scalar]] = {
    "kept": lambda Kxx, Kyy: 0,
    "handed": lambda Kxx, Kyy: Kxx + Kyy,
    "handed x": lambda Kxx, Kyy: 2 * Kxx,
    "handed y": lambda Kxx, Kyy: 2 * Kyy,
}
RUNS = ("joined", "apart")  # does a link whose axis is parallel to the one before join its run?


def torques(
    chain: Tree,
    q: Sequence[Scalar],
    qd: Sequence[Scalar],
    qdd: Sequence[Scalar],
    choices: Sequence[LinkOptions] | None = None,
) -> list[Scalar]:
    """Torques of the bare mechanism, without friction, motor inertia and tool wrench."""
    return recursion(chain, ground(chain), q, qd, qdd, choices)[0]


def recursion(
    chain: Tree,
    base: Row,
    q: Sequence[Scalar],
    qd: Sequence[Scalar],
    qdd: Sequence[Scalar],
    choices: Sequence[LinkOptions] | None = None,
) -> tuple[list[Scalar], Callable[[], Wrench]]:
    """The torques on a base that is at rest or moves; and what moves the base and all on it, at its origin, in its
    axes, worked out where it is requested."""
    picked = choices or [LinkOptions()] * chain.dof
    chain, rotors = handed_over(chain, [SPINS[choice.spin] for choice in picked])
    rates = (map(Link.along_z, chain.links, rates) for rates in (q, qd, qdd))
    items = list(zip(chain.links, *rates, picked, rotors, strict=True))

    def step(parent: Row, item: tuple[Link, Scalar, Scalar, Scalar, LinkOptions, Scalar]) -> Row:
        return hang(parent, *item, chain.maths)

    rows = chain.outward(step, items, base)
    loads = chain.inward(load, rows)
    tau = [link.along_z(link.kind.effort(*x) + row.rest) for link, row, (_, x) in zip(chain.links, rows, loads)]

    def base_wrench() -> Wrench:
        own = wrench_of(chain.ground.by_axial_moments(), base.spin, base.V, moment_by_field)
        return load(chain.on_base(loads), replace(base, wrench=own))[1]

    return tau, base_wrench


def moving_ground(chain: Tree, w: Vector, wd: Vector, V: Vector) -> Row:
    """A base that moves: U z = (ω_xω_z + ω̇_y, ω_yω_z − ω̇_x, −(ω_x² + ω_y²)), and V less gravity"""
    Uz = (w[0] * w[2] + wd[1], w[1] * w[2] - wd[0], -(w[0] * w[0] + w[1] * w[1]))
    return ground(chain, Spin(w, wd[2], Uz), V)


def ground(chain: Tree, spin: Spin | None = None, V: Vector | None = None) -> Row:
    """What the first joints stand on, in base axes: at rest, accelerating against gravity, or its motion as given."""
    against = unrotate(chain.base.R, neg(chain.gravity))
    return Row(None, 0, STRAIGHT, 0, spin or Spin(), V or against, NOTHING, NOTHING, own_lever, 0, chain.maths)


def handed_over(chain: Tree, parts: Sequence[Callable[[Scalar, Scalar], Scalar]]) -> tuple[Tree, list[Scalar]]:
    """Give the part σ of each link's Kxx and Kyy to its parent, from the tips down; the rotors 2σ that remain. A base
    takes it where it moves.

    Why that may be done: the part has the tensor diag(σ, σ, 2σ) about the joint's axis, which no turn about the axis
    changes. So the parent may carry it as its own, but for what the joint's turn adds to its angular momentum, 2σ θ̇ z.
    Its rate, 2σ (θ̈ z + θ̇ ω×z), is the gyroscopic moment in `hang`; and of the parent's own turning the joint would
    have felt 2σ ω̇_z about its axis, which is the `rest` of its torque.
    """
    links, ground_body = list(chain.links), chain.ground
    rotors: list[Scalar] = [0] * chain.dof
    for i in (i for i in range(chain.dof - 1, -1, -1) if links[i].parent != BASE or chain.moving):
        K = links[i].inertia.K
        rotors[i] = parts[i](K[0][0], K[1][1]) if links[i].kind.turns else 0
        if not (isinstance(rotors[i], int) and rotors[i] == 0):
            part = RigidBody(second=InertiaTensor(symmetric(half(rotors[i]), 0, 0, half(rotors[i]), 0, rotors[i])))
            left = InertiaTensor(matsub(links[i].inertia.I, part.I))
            links[i] = replace(links[i], inertia=replace(links[i].inertia, second=left))
            given = part.seen_from(Placement(R=links[i].before.R))
            if links[i].parent == BASE:
                ground_body = ground_body + given
                continue
            parent = links[links[i].parent]
            links[links[i].parent] = replace(parent, inertia=parent.inertia + given)
    return replace(chain, links=tuple(links), ground=ground_body), rotors


def continues(link: Link) -> bool:
    """Is the axis, by structure, parallel to the one before, with the same zero?"""
    return link.before.R == IDENTITY


def hang(
    parent: Row,
    link: Link,
    x: Scalar,
    xd: Scalar,
    xdd: Scalar,
    choice: LinkOptions,
    rotor: Scalar,
    maths: Maths[Scalar],
) -> Row:
    """The next link: in its parent's run, or the first of a new one."""
    x = link.offset + x
    joined = choice.run == "joined" and parent.link is not None and continues(link)
    spin, V, angle = follow(parent, link) if joined else start(parent, link)
    # a slide d along z, of the point that is at the foot now:  V + 2ω×ḋz + d̈z
    d, dd, ddd = link.kind.slide(x), link.kind.slide(xd), link.kind.slide(xdd)
    V = add(V, (2 * dd * spin.w[1], -(2 * dd * spin.w[0]), ddd))
    # a rotor 2σ on the axis:  2σ (θ̇ω_y, −θ̇ω_x, θ̈)
    thd, thdd = link.kind.turn(xd), link.kind.turn(xdd)
    gyro, rest = (rotor * thd * spin.w[1], -(rotor * thd * spin.w[0]), rotor * thdd), rotor * spin.wdz
    spin = spin.faster(thd, thdd)
    angle = angle + link.kind.turn(x)
    turn = STRAIGHT if isinstance(angle, int) and angle == 0 else (maths.cos(angle), maths.sin(angle))
    (F, N), foot = SHARES[choice.share](link.inertia.by_axial_moments(), turn, d, spin, V, MOMENTS[choice.moment])
    V, wrench = slid_motion(d, spin, V), (F, add(N, gyro))
    return Row(link, angle, turn, d, spin, V, wrench, foot, LEVERS[choice.lever], rest, maths, joined)


def follow(parent: Row, link: Link) -> tuple[Spin, Vector, Scalar]:
    """In the same run: the same axes, a lever further."""
    return parent.spin, add(parent.V, parent.lever(parent, link.before.p)), parent.angle


def start(parent: Row, link: Link) -> tuple[Spin, Vector, Scalar]:
    """A new run: its axes are fixed in the parent link."""
    R, own = link.before.R, parent.own_spin()
    axis = rotate(R, Z)
    V = rotate_z_back(parent.turn, add(parent.V, parent.lever(parent, link.before.p)))
    spin = Spin(unrotate(R, own.w), dot(own.wd(), axis), unrotate(R, rotate(own.field(), axis)))
    return spin, unrotate(R, V), 0


def load(children: Sequence[tuple[Row, Wrench]], row: Row) -> tuple[Row, Wrench]:
    """(f, n) at the foot of a joint, in its run's axes, from those of the joints that stand on its link.

    What joints of other runs ask for is added in the link's own axes and turned once.
    """
    (f, n), apart = row.wrench, list[Wrench]()
    for child, (fc, nc) in children:
        before = child.link_of_row.before
        if child.joined:
            f, n = add(f, fc), add(add(n, nc), cross(rotate_z(row.turn, before.p), fc))
        else:
            fo = rotate(before.R, fc)
            apart.append((fo, add(rotate(before.R, nc), cross(before.p, fo))))
    if apart:
        force, moment = reduce(_both, apart)
        f, n = add(f, rotate_z(row.turn, force)), add(n, rotate_z(row.turn, moment))
    n = add(n, cross((0, 0, row.slide), f))
    return row, (add(f, row.foot[0]), add(n, row.foot[1]))


def _both(a: Wrench, b: Wrench) -> Wrench:
    return add(a[0], b[0]), add(a[1], b[1])
