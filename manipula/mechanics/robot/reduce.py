"""Tree → Tree: the same arm described more conveniently. Each reduction says what it preserves.

| reduction         | preserves                                                       |
|-------------------|-----------------------------------------------------------------|
| `merge_fixed`     | everything: torques, energy, frames of moving links, wrenches   |
| `frames_on_joints`| torques, energy, tool; link frames move onto their joints       |
| `regroup`         | torques; the joints' other forces and moments do not survive    |
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from manipula.mechanics.robot.actuator import IDLE
from manipula.mechanics.robot.description import Cell, Step, StepKind, Steps
from manipula.mechanics.robot.exact import gather_steps
from manipula.mechanics.robot.precise import MP, angle, length, placement
from manipula.mechanics.robot.tree import BASE, FileBody, Link, Tree
from manipula.mechanics.robot.values.parameter import ZERO, Parameter
from manipula.mechanics.spatial.inertia import RigidBody, half, rod, tensor_from_second_moments
from manipula.mechanics.spatial.placement import HERE, Placement, turn_about
from manipula.mechanics.spatial.vector import Matrix, is_structural_zero, scale, symmetric
from manipula.scalar import Scalar


def merge_fixed(chain: Tree) -> Tree:
    """Weld every fixed link to the moving link before it, or to the ground."""
    links: list[Link] = []
    ground, parts = chain.ground, chain.ground_parts
    stands: dict[int, tuple[int, Placement]] = {BASE: (BASE, HERE)}  # row → the moving link it is part of, and where
    for row, link in enumerate(chain.links):
        on, gap = stands[link.parent]
        if link.kind.name != "fixed":
            links.append(replace(link, before=_join_placements(gap, link.before), parent=on))
            stands[row] = len(links) - 1, HERE
            continue
        gap = _join_placements(gap, _join_placements(link.before, link.after))
        stands[row] = on, gap
        if on != BASE:
            links[on] = _weld_rider(links[on], link, gap)
        else:
            ground = ground + link.inertia.seen_from(gap)
            parts += tuple(_held_at(part, gap) for part in link.parts) if chain.moving else ()
    tip, gap = stands[chain.holder]
    last = chain.tip is None and tip == len(links) - 1
    tool = _join_placements(gap, chain.tool)

    def move(row: int, at: Placement) -> tuple[int, Placement]:
        return stands[row][0], _join_placements(stands[row][1], at)

    marks = tuple(replace(x, on=stands[x.on][0], at=_join_placements(stands[x.on][1], x.at)) for x in chain.marks)
    arm = replace(chain, links=tuple(links), tool=tool, ground=ground, tip=None if last else tip)
    cuts, elements = chain.move_cuts(move), chain.move_elements(move)
    return replace(arm, ground_parts=parts, marks=marks, cuts=cuts, elements=elements)


def _held_at(part: FileBody, at: Placement) -> FileBody:
    return replace(part, at=_join_placements(at, part.at))


def _weld_rider(link: Link, rider: Link, at: Placement) -> Link:
    """A link with another as part of it."""
    parts = (*link.parts, *(_held_at(part, at) for part in rider.parts))
    return replace(link, inertia=link.inertia + rider.inertia.seen_from(at), parts=parts)


def frames_on_joints(chain: Tree) -> Tree:
    """Put every link frame where its joint is: what stood after joint i stands before the joints on link i."""
    after = {BASE: HERE} | {i: link.after for i, link in enumerate(chain.links)}
    links: list[Link] = []
    for link in chain.links:
        inertia = link.inertia if link.after is HERE else link.inertia.seen_from(link.after)
        before = _join_placements(after[link.parent], link.before)
        links.append(replace(link, before=before, after=HERE, inertia=inertia, parts=()))

    def move(i: int, at: Placement) -> tuple[int, Placement]:
        return i, _join_placements(after[i], at)

    marks = tuple(replace(x, at=_join_placements(after[x.on], x.at)) for x in chain.marks)
    tool = _join_placements(after[chain.holder], chain.tool)
    cuts, elements = chain.move_cuts(move), chain.move_elements(move)
    return replace(chain, links=tuple(links), tool=tool, cuts=cuts, marks=marks, elements=elements)


def without_actuators(chain: Tree) -> Tree:
    """The bare mechanism: no motor inertia, no friction."""
    bare = (replace(link, actuator=IDLE) for link in chain.links)
    return replace(chain, links=tuple(bare))


def _join_placements(a: Placement, b: Placement) -> Placement:
    """a · b, keeping the identity itself when there is nothing to join."""
    if a is HERE:
        return b
    return a if b is HERE else a @ b


def massless(chain: Tree) -> Tree:
    """The same geometry with empty links; the start of superposition."""
    links = (replace(link, inertia=RigidBody(), parts=tuple(map(_without_inertia, link.parts))) for link in chain.links)
    parts = tuple(map(_without_inertia, chain.ground_parts))
    return replace(chain, links=tuple(links), ground=RigidBody(), ground_parts=parts)


def _without_inertia(part: FileBody) -> FileBody:
    return replace(part, inertia=RigidBody())


def regroup(chain: Tree) -> Tree:
    """Hand every mass that moves alike with a link's parent to it, from the tips down. Frames must be on the joints.

    Inertia on a revolute axis (M, S_z, K_zz) does not feel the joint turn; a prismatic joint keeps the orientation,
    so all second moments K go (a kind's `split`). What is left is minimal up to parameters that move nothing at all.
    What reaches the base is felt by no joint, and dropped, unless the base moves. Where joints follow others, two links
    may turn alike, as opposite bars of a parallelogram do: one has the second moments of both.
    """
    links, ground, twins = list(chain.links), chain.ground, _turned_alike(chain)
    for i in range(len(links) - 1, -1, -1):
        if i in twins:
            other, turn = twins[i]
            own = links[i].inertia.by_moments()
            links[i] = replace(links[i], inertia=RigidBody(own.m, own.s))
            moved = RigidBody(second=own.second).rotate(turn)
            links[other] = replace(links[other], inertia=links[other].inertia + moved)
        kept, handed = split(links[i])
        links[i] = replace(links[i], inertia=kept)
        if (parent := links[i].parent) != BASE:
            links[parent] = replace(links[parent], inertia=links[parent].inertia + handed)
        elif chain.moving:
            ground = ground + handed
    return replace(chain, links=tuple(links), ground=ground)


def _turned_alike(chain: Tree) -> dict[int, tuple[int, Matrix]]:
    """Links whose orientation is that of one before them but for a constant turn about z, and that turn.

    With R the orientation and p the place of a link, its kinetic energy is  ½ (m ṗ² + 2 ṗ·Ṙ s + tr Ṙ K Ṙᵀ),  and K
    has no weight: links of one orientation feel the sum of their K.
    """
    if chain.couplings is None:
        return {}
    found: dict[int, tuple[int, Matrix]] = {}
    runs: list[tuple[object, dict[int, Scalar], Scalar]] = []  # where parallel axes begin, what turns them, by how much
    for i, link in enumerate(chain.links):
        start, turned, offset = (link.parent, link.before.R), dict[int, Scalar](), 0
        if link.parent != BASE and link.before.R == HERE.R:
            start, turned, offset = runs[link.parent]  # type: ignore[assignment]
        if link.kind.turns:
            turned, offset = dict(turned), offset + link.offset
            for c, k in chain.couplings.rows[i].terms:
                turned[c] = turned.get(c, 0) + link.direction * k
        turned = {c: k for c, k in turned.items() if not is_structural_zero(k)}
        alike = next((k for k, run in enumerate(runs) if run[0] == start and run[1] == turned), None)
        runs.append((start, turned, offset))
        if alike is not None and not link.kind.slides:
            by = offset - runs[alike][2]
            turn = turn_about("z", chain.maths.cos(by), chain.maths.sin(by)).R
            found[i] = alike, HERE.R if is_structural_zero(by) else turn
    return found


def split(link: Link) -> tuple[RigidBody, RigidBody]:
    """A link's body without what moves alike with the link before, and that, in the frame of the link before."""
    kept, shared = link.kind.split(link.inertia)
    return kept, shared.seen_from(link.before)


def apply_gauge_mass(chain: Tree, joint: int, axis: int) -> Tree:
    """A fictitious mass on joint `joint` (from 0) so that its parent's first moment along `axis` vanishes."""
    return _move_mass(chain, joint, _parent(chain, joint).inertia.s[axis] / chain.links[joint].before.p[axis])


def mass_moved_outward(chain: Tree, joint: int) -> Tree:
    """A fictitious mass on joint `joint` (from 0) so that its parent is massless: the slider rides on the next link."""
    return _move_mass(chain, joint, _parent(chain, joint).inertia.m)


def _move_mass(chain: Tree, joint: int, mu: Scalar) -> Tree:
    """A mass μ at a revolute joint's origin belongs to both links: +μ on one and −μ on the other changes no torque."""
    minus = RigidBody(m=-mu).seen_from(Placement(p=chain.links[joint].before.p))
    return _add_bodies(chain, joint, RigidBody(m=mu), minus)


def _parent(chain: Tree, joint: int) -> Link:
    return chain.links[chain.links[joint].parent]


def _add_bodies(chain: Tree, joint: int, own: RigidBody, parents: RigidBody) -> Tree:
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
        chain = _add_axial_moments(chain, joint, axis, order) if wanted else chain
    return chain


def _add_axial_moments(chain: Tree, joint: int, axis: int, order: int) -> Tree:
    link, parent = chain.links[joint], _parent(chain, joint)
    a = link.before.R[axis][2]  # ±1: where the axis points
    S = a * parent.inertia.s[axis] if order == 1 else 0
    K = parent.inertia.K[axis][axis] if order == 2 else 0
    hole = RigidBody(s=(0, 0, -S), second=rod(-K)).seen_from(link.before)
    return _add_bodies(chain, joint, RigidBody(s=(0, 0, S), second=rod(K)), hole)


def rescale_lengths(chain: Tree, length: Scalar) -> Tree:
    """Measure lengths in `length`: moments and masses take it up, so torques of revolute joints stay what they are.

    A sliding joint takes its coordinate in metres and gives its force in newtons by its pace.
    """

    def short(at: Placement) -> Placement:
        return Placement(at.R, (at.p[0] / length, at.p[1] / length, at.p[2] / length))

    def heavy(body: RigidBody) -> RigidBody:
        return RigidBody(body.m * length * length, scale(length, body.s), body.second)

    def resize_link(x: Link) -> Link:
        alone = x.kind.slides and not x.kind.turns  # else the coordinate is an angle
        offset, pace = (x.offset / length, x.pace / length) if alone else (x.offset, x.pace)
        placed = replace(x, before=short(x.before), after=short(x.after), inertia=heavy(x.inertia))
        return replace(placed, kind=x.kind.rescale(length), offset=offset, pace=pace)

    links, ground, cuts = (
        tuple(map(resize_link, chain.links)),
        heavy(chain.ground),
        chain.move_cuts(lambda i, at: (i, short(at))),
    )
    gravity, tool = scale(1 / length, chain.gravity), short(chain.tool)
    return replace(chain, links=links, gravity=gravity, tool=tool, ground=ground, cuts=cuts)


# The last frame turned about its own axis, by a constant angle φ that makes one parameter of the last link zero.
#
# Nothing comes after the last link, so its frame may stand at any angle: q_n → q_n + φ, and the link's moments are seen
# from axes turned by φ. Two pairs of them turn like a vector, the third at twice the angle:
#
#     (S_x, S_y)             → (ρ, 0)    φ = atan2(S_y, S_x)
#     (K_xz, K_yz)           → (ρ, 0)    φ = atan2(K_yz, K_xz)
#     (½(K_xx − K_yy), K_xy) → (ρ, 0)    φ = ½ atan2(K_xy, ½(K_xx − K_yy))
#
# ρ is the pair's length. All this is parameters alone, and nothing divides: where a pair vanishes, so do φ and ρ.

Pair = tuple[Scalar, Scalar]


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
    tool, back = chain.tool, turn_about("z", c, -s)

    def move(i: int, at: Placement) -> tuple[int, Placement]:
        return i, back @ at if i == last else at

    marks = tuple(replace(x, at=back @ x.at) if x.on == last else x for x in chain.marks)
    cuts, elements = chain.move_cuts(move), chain.move_elements(move)
    moved = replace(chain, links=links, cuts=cuts, marks=marks, elements=elements)
    return replace(moved, tool=back @ tool if chain.holder == last else tool)


def _seen_turned(body: RigidBody, c: Scalar, s: Scalar, known: Mapping[str, Pair]) -> RigidBody:
    """The body seen from axes turned about z; the pair that is known is not worked out."""
    pairs = {name: known.get(name) or _rotate_pair(pair(body), *_turn(name, c, s)) for name, pair in PAIRS.items()}
    K = body.K
    mean, (h, xy), (xz, yz) = half(K[0][0] + K[1][1]), pairs["second"], pairs["third"]
    turned = symmetric(mean + h, xy, xz, mean - h, yz, K[2][2])
    return RigidBody(body.m, (*pairs["first"], body.s[2]), tensor_from_second_moments(turned))


def _turn(name: str, c: Scalar, s: Scalar) -> Pair:
    """The cosine and sine by which this pair turns."""
    return (c * c - s * s, 2 * s * c) if name == "second" else (c, s)


def _rotate_pair(pair: Pair, c: Scalar, s: Scalar) -> Pair:
    """(x, y) seen from axes turned by (c, s)"""
    x, y = pair
    return c * x + s * y, c * y - s * x


# What is between two joint axes, written as a Denavit–Hartenberg table can hold it.
#
#     lead: Rz Tz about the axis behind      across: Tx Rx along the common normal      trail: Rz Tz about the axis
#     ahead
#
# Steps that have this form already are only sorted, so symbols stay. Any other placement is decomposed in numbers: the
# common normal of two lines always exists (for parallel axes: one of many, the one without a shift ahead).

PARALLEL = MP.mpf(10) ** -12


@dataclass(frozen=True)
class Zone:
    lead: Steps
    across: Steps
    trail: Steps


def take(steps: Steps, axis: str) -> tuple[Steps, Steps]:
    """(the steps along this axis at the front, the rest)"""
    count = 0
    while count < len(steps) and steps[count].kind[1] == axis:
        count += 1
    return steps[:count], steps[count:]


def take_last(steps: Steps, axis: str) -> tuple[Steps, Steps]:
    """(the rest, the steps along this axis at the end)"""
    ahead, rest = take(steps[::-1], axis)
    return rest[::-1], ahead[::-1]


def zone_from_steps(steps: Steps) -> Zone | None:
    """Sorted, if the steps have the form."""
    lead, rest = take(gather_steps(steps), "z")
    across, rest = take(rest, "x")
    trail, rest = take(rest, "z")
    return None if rest else Zone(lead, across, trail)


def zone_in_numbers(steps: Steps, values: Mapping[str, Any]) -> Zone:
    """Decomposed: R = Rz(θ) Rx(α) Rz(θ'),  Rz(−θ) p = (a, −sin α·d', d + cos α·d')."""
    at = placement(steps, values)
    R, p = at.R, at.p
    sine = MP.sqrt(R[0][2] * R[0][2] + R[1][2] * R[1][2])
    parallel = sine < PARALLEL
    theta = _upright(MP.atan2(p[1], p[0]) if parallel else MP.atan2(R[0][2], -R[1][2])) if not _on_axis(at, sine) else 0
    c, s = MP.cos(theta), MP.sin(theta)
    a, y, z = c * p[0] + s * p[1], c * p[1] - s * p[0], p[2]
    sin_alpha = s * R[0][2] - c * R[1][2]
    alpha = MP.atan2(0 if parallel else sin_alpha, R[2][2])
    ahead = 0 if parallel else -y / sin_alpha
    # Rz(−θ)R has the first row (cos θ', −sin θ', 0)
    turn = MP.atan2(-(c * R[0][1] + s * R[1][1]), c * R[0][0] + s * R[1][0])
    return Zone(
        _steps(("rz", "theta", angle(theta)), ("tz", "d", length(z - R[2][2] * ahead))),
        _steps(("tx", "a", length(a)), ("rx", "alpha", angle(alpha))),
        _steps(("rz", "theta", angle(turn)), ("tz", "d", length(ahead))),
    )


def _on_axis(at: Any, sine: object) -> bool:
    """The same axis continued: nothing says where its normal points."""
    return bool(sine < PARALLEL and MP.sqrt(at.p[0] ** 2 + at.p[1] ** 2) < PARALLEL)


def _upright(theta: Any) -> Any:
    """A normal may point either way: the choice within a quarter turn, so that most tables show zeros."""
    if abs(theta) <= MP.pi / 2 + PARALLEL:
        return theta
    return theta - MP.pi if theta > 0 else theta + MP.pi


def _steps(*parts: tuple[StepKind, str, Parameter]) -> Steps:
    return tuple(Step(kind, Cell(name, amount)) for kind, name, amount in parts if amount != ZERO)
