"""What a loop blocks: how its two frames move apart, position, velocity and acceleration.

Both frames are moved by the joints between them and the link C on which both sides stand; what moves C moves both
alike. With (v_a, ω_a) and (v_b, ω_b) their twists seen from C, each at its own origin, and r from a to b, they move by

    v = v_b − v_a        v̇ = a_b − a_a                                  where the origins meet
    v = v_b − v_a − ω_a×r                                               where the joint slides, seen from a
                         v̇ = a_b − a_a − α_a×r − ω_a×(ω_a×r) − 2 ω_a×v
    ω = ω_b − ω_a        ω̇ = α_b − α_a − ω_a×ω                          seen from a

all in the axes of a. A cut joint blocks some components (`robot.loops`): each gives a row of J q̇ = 0 and of
J q̈ + γ = 0, γ = J̇ q̇.

Two texts give the same rows at every position, closed or not. `seen_from_world` takes everything from the world and is
the plain one. `seen_from_first` walks from frame a inward to C, its joints reversed, then outward to b: near a the
entries are constant, which makes good pivots, and parallel axes add up their angles.

Source: Featherstone, "Rigid Body Dynamics Algorithms" (2008), sections 8.2 and 8.3; the texts are derived here from the
motion of a frame seen from a moving one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from manipula.mechanics.models.kinematics.jacobian import (
    STILL,
    Column,
    bias_from_columns,
    columns_in_world,
    joint_column,
    tool_bias,
)
from manipula.mechanics.models.kinematics.pose import frames
from manipula.mechanics.robot.loops import CutJoint
from manipula.mechanics.robot.tree import Link, LoopCut, Tree
from manipula.mechanics.spatial.placement import HERE, Placement, turn_about
from manipula.mechanics.spatial.vector import (
    IDENTITY,
    NULL,
    Matrix,
    Vector,
    add,
    column,
    cross,
    dot,
    is_structural_zero,
    matmul,
    neg,
    rotate,
    scale,
    sub,
    unrotate,
)
from manipula.scalar import Maths, Scalar

Rows = list[list[Scalar]]
Twist = tuple[Vector, Vector]  # linear, angular


@dataclass(frozen=True)
class SideMotion:
    """A frame seen from C: what every joint of the robot gives to its twist, and its acceleration at given rates."""

    columns: Sequence[Column]
    bias: Callable[[Sequence[Scalar]], Twist]

    def twist(self, qd: Sequence[Scalar]) -> Twist:
        v, w = NULL, NULL
        for (linear, angular), rate in zip(self.columns, qd, strict=True):
            v, w = add(v, scale(rate, linear)), add(w, scale(rate, angular))
        return v, w


@dataclass(frozen=True)
class LoopMotion:
    """Both frames in the axes of a."""

    pose: Placement  # of b seen from a
    a: SideMotion
    b: SideMotion


LoopText = Callable[[Tree, LoopCut, Sequence[Scalar]], LoopMotion]


def sides(tree: Tree, cut: LoopCut) -> tuple[list[int], list[int]]:
    """The joints from C to each of the two frames."""
    first, second = (tree.support(on) for on in cut.on)
    shared = sum(1 for i, k in zip(first, second) if i == k)
    return first[shared:], second[shared:]


def seen_from_world(tree: Tree, cut: LoopCut, q: Sequence[Scalar]) -> LoopMotion:
    """Both frames from the world, C held still, then turned into the axes of a."""
    moving = {i for side in sides(tree, cut) for i in side}
    ends = [replace(tree, tip=on, tool=at, cuts=()) for on, at in zip(cut.on, cut.at)]
    a, b = (frames(end, q)[-1] for end in ends)

    def side(end: Tree) -> SideMotion:
        columns = [x if i in moving else STILL for i, x in enumerate(columns_in_world(end, q))]

        def bias(qd: Sequence[Scalar]) -> Twist:
            found = tool_bias(end, q, [x if i in moving else 0 for i, x in enumerate(qd)])
            return unrotate(a.R, _vector(found[:3])), unrotate(a.R, _vector(found[3:]))

        return SideMotion([(unrotate(a.R, v), unrotate(a.R, w)) for v, w in columns], bias)

    return LoopMotion(a.inverse() @ b, side(ends[0]), side(ends[1]))


@dataclass
class Walk:
    """A way through joints and placements: R = turned · Rz(angle), where parallel axes that follow each other share
    `turned` and add up their angles, as they do in `acceleration_field`."""

    maths: Maths[Scalar]
    turned: Matrix = IDENTITY
    angle: Scalar = 0
    p: Vector = NULL

    @property
    def R(self) -> Matrix:
        if is_structural_zero(self.angle):
            return self.turned
        turn = turn_about("z", self.maths.cos(self.angle), self.maths.sin(self.angle)).R
        return turn if self.turned is IDENTITY else matmul(self.turned, turn)

    def place(self, at: Placement) -> None:
        if at is not HERE:
            self.p = add(self.p, rotate(self.R, at.p))
            if at.R != IDENTITY:
                self.turned, self.angle = matmul(self.R, at.R), 0

    def move(self, link: Link, q: Scalar, way: int) -> tuple[Vector, Vector]:
        """Through a joint, outward (1) or inward (−1); its axis and where it stands."""
        x, foot, z = way * (link.offset + link.along_z(q)), self.p, column(self.turned, 2)
        if link.kind.turns:
            self.angle = x if is_structural_zero(self.angle) else self.angle + x
        if link.kind.slides:
            self.p = add(self.p, scale(link.kind.slide(x), z))
        return z, foot


def seen_from_first(tree: Tree, cut: LoopCut, q: Sequence[Scalar]) -> LoopMotion:
    """From frame a inward to C, then outward to b, in the axes of a."""
    inward, outward = sides(tree, cut)
    walk, own, feet = Walk(tree.maths), dict[int, Column](), dict[int, tuple[Vector, Vector]]()
    walk.place(cut.at[0].inverse())
    for i in reversed(inward):
        # the joint moves a, whose origin is seen from it at −p:  z × (0 − p)
        walk.place(tree.links[i].after.inverse())
        z, p = walk.move(tree.links[i], q[i], -1)
        if tree.links[i].kind.slides:
            p = walk.p
        own[i] = joint_column(tree.links[i], z, cross(z, neg(p)))
        walk.place(tree.links[i].before.inverse())
    for i in outward:
        walk.place(tree.links[i].before)
        feet[i] = walk.move(tree.links[i], q[i], 1)
        walk.place(tree.links[i].after)
    walk.place(cut.at[1])
    far = [joint_column(tree.links[i], z, cross(z, sub(walk.p, p))) for i, (z, p) in feet.items()]
    one = _side(tree.dof, inward, [own[i] for i in inward])
    return LoopMotion(Placement(walk.R, walk.p), one, _side(tree.dof, outward, far))


def _side(count: int, way: Sequence[int], columns: Sequence[Column]) -> SideMotion:
    """Of the joints on the way from C, among all joints."""
    place = dict(zip(way, columns, strict=True))
    every = [place.get(i, STILL) for i in range(count)]
    return SideMotion(every, lambda qd: bias_from_columns(columns, [qd[i] for i in way]))


# rows


def closure_rows(tree: Tree, q: Sequence[Scalar], text: LoopText) -> Rows:
    """J, a row a blocked motion, loop by loop, a column a joint."""
    rows: Rows = []
    for cut in tree.cuts:
        motion = text(tree, cut, q)
        pairs = zip(motion.a.columns, motion.b.columns, strict=True)
        columns = [_blocked(cut.joint, motion, _relative(cut.joint, motion, *pair)) for pair in pairs]
        rows += [list(row) for row in zip(*columns, strict=True)]
    return rows


def closure_bias(tree: Tree, q: Sequence[Scalar], qd: Sequence[Scalar], text: LoopText) -> list[Scalar]:
    """γ = J̇ q̇ of every row."""
    found: list[Scalar] = []
    for cut in tree.cuts:
        motion = text(tree, cut, q)
        of_a, of_b, (a_a, alpha_a), (a_b, alpha_b) = (
            motion.a.twist(qd), motion.b.twist(qd), motion.a.bias(qd), motion.b.bias(qd)
        )  # fmt: skip
        v, w = _relative(cut.joint, motion, of_a, of_b)
        linear, angular = sub(a_b, a_a), sub(sub(alpha_b, alpha_a), cross(of_a[1], w))
        if len(cut.joint.lines) < 3:
            r, turn = motion.pose.p, of_a[1]
            linear = sub(sub(linear, cross(alpha_a, r)), cross(turn, cross(turn, r)))
            linear = sub(linear, scale(2, cross(turn, v)))
        rows = _blocked(cut.joint, motion, (linear, angular))
        if cut.joint.pair is not None:
            # the line n = x_a × z_b turns, seen from a, as z_b does:  ṅ·ω,  ṅ = x_a × (ω × z_b)
            one, other = _pair(cut.joint.pair, motion)
            *others, last = rows
            rows = [*others, last + dot(cross(one, cross(w, other)), w)]
        found += rows
    return found


def closure_error(tree: Tree, q: Sequence[Scalar]) -> list[Scalar]:
    """How far every loop is from closed, m and rad, in the axes of a: where this is small, its rate is J q̇."""
    found: list[Scalar] = []
    for cut in tree.cuts:
        R, p = (at := seen_from_first(tree, cut, q).pose).R, at.p
        found += [p[k] for k in cut.joint.lines]
        if len(cut.joint.turns) == 2:
            # z_a × z_b, the axes that turn: its parts across z
            (free,) = {0, 1, 2} - set(cut.joint.turns)
            tilt = cross(IDENTITY[free], column(R, free))
            found += [tilt[k] for k in cut.joint.turns]
        elif cut.joint.turns:
            # half the rotation's skew part: the sine of the angle times its axis
            skew = (R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1])
            found += [x if is_structural_zero(x) else x / 2 for x in skew]
        if cut.joint.pair is not None:
            one, other = cut.joint.pair
            found.append(-R[one][other])
    return found


def is_upright(joint: CutJoint, pose: Placement) -> bool:
    """Whether the frames meet as they should, in numbers: an error of zero is also that of axes against each other."""
    R = pose.R
    if len(joint.turns) == 2:
        (free,) = {0, 1, 2} - set(joint.turns)
        return float(R[free][free]) > 0  # type: ignore[arg-type]
    return len(joint.turns) < 2 or float(R[0][0] + R[1][1] + R[2][2]) > 0  # type: ignore[arg-type]


def _relative(joint: CutJoint, motion: LoopMotion, of_a: Twist, of_b: Twist) -> Twist:
    """(v, ω) of b relative to a."""
    v = sub(of_b[0], of_a[0])
    return v if len(joint.lines) == 3 else sub(v, cross(of_a[1], motion.pose.p)), sub(of_b[1], of_a[1])


def _blocked(joint: CutJoint, motion: LoopMotion, twist: Twist) -> list[Scalar]:
    """The components that a cut joint blocks."""
    v, w = twist
    rows = [*(v[k] for k in joint.lines), *(w[k] for k in joint.turns)]
    return rows if joint.pair is None else [*rows, dot(cross(*_pair(joint.pair, motion)), w)]


def _pair(axes: tuple[int, int], motion: LoopMotion) -> tuple[Vector, Vector]:
    """x_a and z_b of a universal joint."""
    return IDENTITY[axes[0]], column(motion.pose.R, axes[1])


def _vector(x: Sequence[Scalar]) -> Vector:
    return (x[0], x[1], x[2])
