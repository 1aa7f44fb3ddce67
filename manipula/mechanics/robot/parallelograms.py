"""Loops that are parallelograms: two joints of such a loop follow the others, and no equation is left to solve.

The joints of a loop in a plane turn its links by angles φ that add up along the tree. With u the side that a link is of
the polygon, seen where all joints are at zero, the loop closes where

    Σ e^{iφ} u = 0

Where four sides have a length and opposite ones are equal, this holds if opposite sides stay against each other,

    φ₁ − φ₃ = arg(−u₃ / u₁)        φ₂ − φ₄ = arg(−u₄ / u₂)

which is linear in the coordinates: joints without a motor become followers (`coordinates`). A crossed parallelogram
closes as well; it is meant where the robot's pose says so, and then the loop stays. Lengths are compared in numbers,
letters drawn twice: what is equal then is so by name.

Source: McCarthy, Soh, "Geometric Design of Linkages" (2011), section 2.1: four-bar linkages of equal opposite sides.
"""

from __future__ import annotations

from cmath import exp, phase
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import pi
from typing import Any, NamedTuple
from zlib import crc32

from manipula.mechanics.robot.bind import bind, free_parameters
from manipula.mechanics.robot.coordinates import Coordinate
from manipula.mechanics.robot.description import AnyRobot, Joint, RobotDescription
from manipula.mechanics.robot.locks import renumber_rows
from manipula.mechanics.robot.reduce import merge_fixed
from manipula.mechanics.robot.suffixes import suffixes_of
from manipula.mechanics.robot.tree import BASE, LoopCut, Tree
from manipula.mechanics.robot.values.parameter import float_of, floats_of
from manipula.mechanics.spatial.floats import FLOATS
from manipula.mechanics.spatial.placement import Placement
from manipula.mechanics.spatial.vector import Vector, column, cross, sub
from manipula.mechanics.spatial.vector import dot as scalar_product
from manipula.messages import Message

EQUAL = 1e-9  # of the loop's size, and of a radian
NEAR = 0.5  # rad: how far a pose may be from the parallelogram that it means
Factors = dict[int, Fraction]  # coordinates by their places


def dot(a: Vector, b: Vector) -> float:
    """Of vectors in floats."""
    found: Any = scalar_product(a, b)
    return float(found)


class Relation(NamedTuple):
    """Σ factor · q = angle, of the coordinates by their places."""

    factors: Factors
    angle: float


def with_parallelograms(robot: AnyRobot) -> AnyRobot:
    """The robot with joints that follow in place of every loop that is a parallelogram."""
    if not robot.loops:
        return robot
    trees = [merge_fixed(bind(robot, FLOATS, _drawn(robot, seed))) for seed in (1, 2)]
    follows, left = dict[int, Relation](), list[str]()
    for k, loop in enumerate(robot.loops):
        found = _agreed([_relations(tree, tree.cuts[k]) for tree in trees])
        solved = None if not found or not _is_meant(robot, trees[0], k, found) else _solved(robot, follows, found)
        if solved is None:
            left.append(loop.name)
        else:
            follows = solved
    idle = [c for c in range(robot.dof) if c not in robot.motor_coordinates and c not in follows]
    if not follows or (not left and idle):
        return robot
    return _coupled(robot, follows, left)


def _drawn(robot: RobotDescription, seed: int) -> dict[str, float]:
    """A number for every letter."""
    return {name: 0.1 + 0.5 * crc32(f"{seed} {name}".encode()) / 2**32 for name in free_parameters(robot)}


# the polygon


class Side(NamedTuple):
    """A link of the loop: the joints that turn it, each with its sense, and its side of the polygon, in the complex
    plane."""

    turned: dict[int, int]
    u: complex


def _relations(tree: Tree, cut: LoopCut) -> list[Relation]:
    """What keeps opposite sides against each other; nothing where the loop is no parallelogram."""
    first, second = (tree.support(on) for on in cut.on)
    shared = sum(1 for i, k in zip(first, second) if i == k)
    ways = first[shared:], second[shared:]
    loop = [*ways[0], *ways[1]]
    if not loop or cut.joint.pair or len(cut.joint.lines) < 3 or any(tree.links[i].kind.slides for i in loop):
        return []
    links, axes = _at_zero(tree)
    a, b = (links[on] @ at for on, at in zip(cut.on, cut.at))
    n = column(axes[loop[0]].R, 2)
    along = {i: dot(n, column(axes[i].R, 2)) for i in loop}
    if any(abs(abs(x) - 1) > EQUAL for x in along.values()) or not _turns_about(cut, n, a, b):
        return []
    plane = _plane(n)
    size = sum(abs(plane(tree.links[i].before.p)) + abs(plane(tree.links[i].after.p)) for i in loop) + abs(plane(b.p))
    if abs(dot(n, sub(b.p, a.p))) > EQUAL * (size or 1.0):
        return []
    senses = {i: tree.links[i].direction * (1 if x > 0 else -1) for i, x in along.items()}
    feet = [[*(plane(axes[i].p) for i in way), plane(end.p)] for way, end in zip(ways, (a, b))]
    sides = [Side({}, feet[0][0] - feet[1][0])]  # of the link on which both ways stand
    sides += [Side({i: senses[i] for i in ways[0][: k + 1]}, feet[0][k + 1] - feet[0][k]) for k in range(len(ways[0]))]
    back = [Side({i: senses[i] for i in ways[1][: k + 1]}, feet[1][k] - feet[1][k + 1]) for k in range(len(ways[1]))]
    welded = list[Relation]()
    if len(cut.joint.turns) == 3:
        sides, back, welded = _welded(tree, sides, back, _turn_between(plane, a, b))
    there = [side for side in (*sides, *reversed(back)) if abs(side.u) > EQUAL * size]
    if len(there) != 4:
        return []
    pairs = (there[0], there[2]), (there[1], there[3])
    if any(abs(abs(p.u) - abs(r.u)) > EQUAL * size for p, r in pairs):
        return []
    return [*welded, *(_relation(tree, p.turned, r.turned, phase(-r.u / p.u)) for p, r in pairs)]


def _at_zero(tree: Tree) -> tuple[dict[int, Placement], dict[int, Placement]]:
    """Of every link its frame and that of its joint, all joints at zero."""
    links, axes = {BASE: tree.base}, dict[int, Placement]()
    for i, link in enumerate(tree.links):
        axes[i] = links[link.parent] @ link.before
        links[i] = axes[i] @ link.motion(0.0, tree.maths) @ link.after
    return links, axes


def _turns_about(cut: LoopCut, n: Vector, a: Placement, b: Placement) -> bool:
    """Whether the cut joint leaves the motion about n free, or no motion at all; a ball leaves every one."""
    if len(cut.joint.turns) != 2:
        return True
    (axis,) = {0, 1, 2} - set(cut.joint.turns)
    one, other = column(a.R, axis), column(b.R, axis)
    return abs(abs(dot(n, one)) - 1) < EQUAL and dot(one, other) > 1 - EQUAL


def _plane(n: Vector) -> Callable[[Vector], complex]:
    """A vector seen along n, as a complex number."""
    parts: list[Any] = list(n)
    least = min(range(3), key=lambda k: abs(parts[k]))
    x = cross(n, (float(least == 0), float(least == 1), float(least == 2)))
    length = dot(x, x) ** 0.5
    y = cross(n, x)
    return lambda p: complex(dot(x, p), dot(y, p)) / length


def _turn_between(plane: Callable[[Vector], complex], a: Placement, b: Placement) -> float:
    """The angle about n from the axes of a to those of b."""
    k = max(range(3), key=lambda k: abs(plane(column(a.R, k))))
    return phase(plane(column(b.R, k)) / plane(column(a.R, k)))


def _welded(
    tree: Tree, sides: list[Side], back: list[Side], turn: float
) -> tuple[list[Side], list[Side], list[Relation]]:
    """The two last links are one: they turn alike, and their sides add up."""
    # φ_a − φ_b = the turn from a to b at zero
    one, other = sides[-1], back[-1] if back else sides[0]
    u = one.u + exp(-1j * turn) * other.u
    relation = _relation(tree, one.turned, other.turned, turn)
    if not back:
        return [Side({}, sides[0].u + exp(1j * turn) * one.u), *sides[1:-1]], [], [relation]
    return [*sides[:-1], Side(one.turned, u)], back[:-1], [relation]


def _relation(tree: Tree, plus: Mapping[int, int], minus: Mapping[int, int], angle: float) -> Relation:
    """Of the joints' angles, by the coordinates that move them."""
    factors: Factors = {}
    for turned, sign in ((plus, 1), (minus, -1)):
        for i, sense in turned.items():
            for c, k in tree.coordinates.rows[i].terms:
                factors[c] = factors.get(c, Fraction(0)) + sign * sense * Fraction(k)
    return Relation({c: k for c, k in factors.items() if k}, angle)


def _agreed(found: Sequence[list[Relation]]) -> list[Relation]:
    """What both draws of the letters say; nothing where an angle depends on them."""
    one, other = found
    same = [x.factors for x in one] == [x.factors for x in other]
    return one if same and all(abs(_wrap(x.angle - y.angle)) < EQUAL for x, y in zip(one, other)) else []


def _wrap(angle: float) -> float:
    return (angle + pi) % (2 * pi) - pi


def _is_meant(robot: RobotDescription, tree: Tree, number: int, relations: Sequence[Relation]) -> bool:
    """Whether the robot's pose is near the parallelogram, not the crossed one; without a pose, where all joints are at
    zero if that closes."""
    values = floats_of(dict(robot.values))
    poses = {name: [float_of(dict(at)[x], values) for x in robot.joint_names] for name, at in robot.named_poses}
    q = poses.get("closed") or next(iter(poses.values()), None)
    if q is None:
        links, _ = _at_zero(tree)
        cut = tree.cuts[number]
        a, b = (links[on] @ at for on, at in zip(cut.on, cut.at))
        apart = sub(b.p, a.p)
        if dot(apart, apart) ** 0.5 > 1e-6:
            return True
        q = [0.0] * robot.dof
    return all(abs(_wrap(sum(float(k) * q[c] for c, k in x.factors.items()) - x.angle)) < NEAR for x in relations)


# followers


def _solved(
    robot: RobotDescription, follows: Mapping[int, Relation], relations: Sequence[Relation]
) -> dict[int, Relation] | None:
    """Coordinates by others, q = Σ factor·q + angle, with these relations besides; None where they contradict each
    other, or leave a motor no choice."""
    found = dict(follows)
    for relation in relations:
        factors, angle = _substituted(relation, found)
        free = [c for c in factors if c not in robot.motor_coordinates]
        if not factors and abs(_wrap(angle)) < 1e-7:
            continue
        if not free:
            return None
        c = max(free)
        own = Relation({k: -x / factors[c] for k, x in factors.items() if k != c}, angle / float(factors[c]))
        found = {k: Relation(*_inserted(x, c, own)) for k, x in found.items()} | {c: own}
    return found


def _substituted(relation: Relation, follows: Mapping[int, Relation]) -> tuple[Factors, float]:
    """The relation by coordinates that follow none."""
    factors, angle = dict[int, Fraction](), relation.angle
    for c, k in relation.factors.items():
        other = follows.get(c)
        angle -= float(k) * other.angle if other else 0.0
        for lead, x in other.factors.items() if other else ((c, Fraction(1)),):
            factors[lead] = factors.get(lead, Fraction(0)) + k * x
    return {c: k for c, k in factors.items() if k}, angle


def _inserted(follower: Relation, c: int, own: Relation) -> tuple[Factors, float]:
    """A follower of c by what c follows."""
    k = follower.factors.get(c, Fraction(0))
    factors = {x: y for x, y in follower.factors.items() if x != c}
    for lead, x in own.factors.items():
        factors[lead] = factors.get(lead, Fraction(0)) + k * x
    return {x: y for x, y in factors.items() if y}, follower.angle + float(k) * own.angle


def _coupled(robot: AnyRobot, follows: Mapping[int, Relation], left: Sequence[str]) -> AnyRobot:
    names = robot.joint_names
    own = {names[c]: _coordinate(x, names) for c, x in follows.items()}

    def row(joint: Joint) -> Joint:
        if joint.name in own:
            return replace(joint, coordinate=own[joint.name])
        return joint if joint.coordinate is None else replace(joint, coordinate=joint.coordinate.through(own))

    notes = tuple(
        Message("loop {name}: a parallelogram, so that {joints} follow others", loop.name, ", ".join(own))
        for loop in robot.loops if loop.name not in left
    )  # fmt: skip
    poses = tuple((name, tuple(x for x in at if x[0] not in own)) for name, at in robot.named_poses)
    changed = replace(
        robot, joints=tuple(map(row, robot.joints)), named_poses=poses, motors=robot.motors if left else (),
        loops=tuple(loop for loop in robot.loops if loop.name in left),
        origin=replace(robot.origin, notes=(*robot.origin.notes, *notes)),
    )  # fmt: skip
    return renumber_rows(changed, suffixes_of(robot))


def _coordinate(relation: Relation, names: Sequence[str]) -> Coordinate:
    """Quarter turns stay exact."""
    terms = tuple((names[c], k) for c, k in sorted(relation.factors.items()))
    angle = _wrap(relation.angle)
    quarters = round(2 * angle / pi)
    if abs(angle - quarters * pi / 2) < EQUAL:
        return Coordinate(terms, degrees=Fraction(90 * quarters))
    return Coordinate(terms, Fraction(repr(angle)))
