"""How far an arm's tool gets: the largest and smallest distance of its origin from where the first joint stands, and
the box that holds it, within the limits of the joints; and a bound that no configuration passes.

Configurations drawn at random are the starts of searches along the slope (L-BFGS-B, bounded by the limits); the best
found is reported. Nothing proves that no better one exists: `outer` and the box may be larger, `inner` smaller.

The bound is the triangle inequality between points pᵢ of the axes, which their own joints leave where they are:

    |p₁ − pₙ| ≤ Σ|pᵢ₊₁ − pᵢ|,    pᵢ = oᵢ + sᵢ zᵢ

Any sᵢ are right; those that make the sum least, a convex problem, are the sharpest. Slides add their travel.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.optimize import minimize

from manipula.errors import InputError
from manipula.generation.arm_structure import numeric_chain
from manipula.ik.numeric.arrays import Bits, Floats, Kinematics
from manipula.ik.numeric.tolerances import PathTolerance
from manipula.mechanics.robot.default_values import Limits
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.topology import refuse_loops
from manipula.mechanics.robot.tree import Link, Tree
from manipula.mechanics.spatial.placement import Placement
from manipula.messages import Message

_DRAWN, _STARTS = 4000, 4
_AXES = "xyz"


@dataclass(frozen=True)
class Reach:
    """Metres. `centre` is where the first joint stands, in the world; `box` is ((x, x), (y, y), (z, z)) there.
    `q_outer`, `q_inner` are configurations at which the distances were found."""

    robot: str
    centre: tuple[float, float, float]
    outer: float
    inner: float
    box: tuple[tuple[float, float], ...]
    q_outer: tuple[float, ...]
    q_inner: tuple[float, ...]

    def lines(self) -> list[Message]:
        """What it says, line by line."""
        spans = ", ".join(f"{axis} {low:.4g} … {high:.4g}" for axis, (low, high) in zip(_AXES, self.box))
        at = ", ".join(f"{x:.4g}" for x in self.centre)
        distances = Message(
            "{robot}: the tool was found {inner:.4g} to {outer:.4g} m from the first joint ({at})",
            self.robot,
            self.inner,
            self.outer,
            at,
        )
        return [distances, Message("in the world {spans} m", spans)]

    def __str__(self) -> str:
        return "\n".join(self.lines())

    __repr__ = __str__

    def as_dict(self) -> dict[str, object]:
        return {
            "robot": self.robot, "centre": list(self.centre), "outer": self.outer, "inner": self.inner,
            "box": [list(span) for span in self.box], "q_outer": list(self.q_outer), "q_inner": list(self.q_inner),
        }  # fmt: skip


def reach_of(robot: RobotDescription, pose: Kinematics, jacobian: Kinematics, seed: int) -> Reach:
    """Searched for with the compiled models of the robot."""
    refuse_loops(robot, "reach")
    if not isinstance(seed, (int, np.integer)) or seed < 0:
        raise InputError("reach: seed: expected a whole number, 0 or more, found {seed!r:.60}", seed)
    lower, upper = _bounds(robot)
    chain = numeric_chain(robot).road()
    centre = np.array((chain.base @ chain.links[0].before).p, dtype=float)
    rng = np.random.default_rng(seed)
    drawn = np.clip(rng.uniform(lower, upper, (_DRAWN, len(lower))), lower, upper)
    drawn[0] = np.clip(0.0, lower, upper)  # rest, where it may stand there
    places = pose(drawn)[:, :3, 3]

    def best(value: Kinematics, slope: Kinematics) -> tuple[float, Floats]:
        """The smallest of a function of the tool's places, and where."""
        # stable: equal places come in the order drawn, on every machine
        starts = drawn[np.argsort(value(places), kind="stable")[:_STARTS]]

        def cost(q: Floats) -> tuple[float, Floats]:
            p = pose(q)[:3, 3]
            return float(value(p)), slope(p) @ jacobian(q)[:3]

        runs = [minimize(cost, start, jac=True, method="L-BFGS-B", bounds=list(zip(lower, upper))) for start in starts]
        # a search may fail and end above its start: that one still counts
        kept = [(cost(start)[0], start) for start in starts] + [(float(run.fun), run.x) for run in runs]
        return min(kept, key=lambda found: found[0])

    far, q_far = best(lambda p: -np.sum((p - centre) ** 2, -1), lambda p: -2 * (p - centre))
    near, q_near = best(lambda p: np.sum((p - centre) ** 2, -1), lambda p: 2 * (p - centre))
    ends = [best(*_along(unit))[0] for unit in (*np.eye(3), *-np.eye(3))]
    # + 0.0 turns −0 into 0
    box = tuple((ends[i] + 0.0, 0.0 - ends[i + 3]) for i in range(3))
    x, y, z = (float(part) for part in centre)
    return Reach(
        robot.name, (x, y, z), float(np.sqrt(-far)), float(np.sqrt(near)), box, tuple(q_far.tolist()),
        tuple(q_near.tolist()),
    )  # fmt: skip


def _along(unit: Floats) -> tuple[Kinematics, Kinematics]:
    """How far a place lies that way, and the slope of it."""
    return lambda p: p @ unit, lambda p: unit


def _bounds(robot: RobotDescription) -> tuple[Floats, Floats]:
    """The limits; a joint that turns without any goes once around, one that slides without any has no end."""
    limits = Limits(robot, robot.coordinates.joints)
    lower, upper = robot.coordinates.limits(limits.lower, limits.upper)
    for i, (name, turns) in enumerate(zip(robot.joint_names, robot.coordinates.turns)):
        if not turns and not (np.isfinite(lower[i]) and np.isfinite(upper[i])):
            raise InputError("{name}: joint {name2!r} slides without limits, so its reach has no end", robot.name, name)
        lower[i], upper[i] = _once_around(lower[i], upper[i])
    return lower, upper


def _once_around(low: float, high: float) -> tuple[float, float]:
    if np.isinf(low) and np.isinf(high):
        return -np.pi, np.pi
    return (high - 2 * np.pi if np.isinf(low) else low), (low + 2 * np.pi if np.isinf(high) else high)


@dataclass(frozen=True)
class ReachBound:
    """`first` (3) is a point of axis 1 in the world, `last` (3) one of the last axis in the tool's frame; no
    configuration brings them further apart than `most`, m."""

    first: Floats
    last: Floats
    most: float

    def may_hold(self, T: Floats) -> Bits:
        """Which of poses (n, 4, 4) are not proved to be out of reach."""
        away = T[:, :3, :3] @ self.last + T[:, :3, 3] - self.first
        return np.asarray(np.linalg.norm(away, axis=-1) <= self.most)


def reach_bound(chain: Tree, low: Floats, high: Floats) -> ReachBound:
    """Of an arm over floats, with the limits of its joints."""
    links = chain.links
    # from each joint's frame, in which its axis is z, to the next one's
    gaps = [here.after @ beyond.before for here, beyond in pairwise(links)]
    places = np.array([gap.p for gap in gaps], dtype=float).reshape(-1, 3)
    axes = np.array([[row[2] for row in gap.R] for gap in gaps], dtype=float).reshape(-1, 3)

    def steps(s: Floats) -> Floats:
        moved: Floats = places + s[1:, None] * axes
        moved[:, 2] -= s[:-1]
        return moved

    def total(s: Floats) -> tuple[float, Floats]:
        step = steps(s)
        size = np.sqrt((step**2).sum(-1) + PathTolerance.CORNER)
        slope = np.zeros(len(s))
        slope[1:] += (step * axes).sum(-1) / size
        slope[:-1] -= step[:, 2] / size
        return float(size.sum()), slope

    s = minimize(total, np.zeros(len(links)), jac=True, method="BFGS").x
    slides = sum(_travel(chain, link, (a, b)) for link, a, b in zip(links, low, high, strict=True) if link.kind.slides)
    most = float(np.linalg.norm(steps(s), axis=-1).sum() + slides)
    first, last = chain.base @ links[0].before, (links[-1].after @ chain.tool).inverse()
    return ReachBound(_on_axis(first, s[0]), _on_axis(last, s[-1]), most * (1 + PathTolerance.BEYOND))


def _on_axis(at: Placement, s: float) -> Floats:
    """The point s along the z axis of a placement."""
    return np.array((at @ Placement(p=(0.0, 0.0, float(s)))).p, dtype=float)


def _travel(chain: Tree, link: Link, ends: tuple[float, float]) -> float:
    """How far a joint slides at most, either way."""
    if not np.isfinite(ends).all():
        return np.inf
    slides: list[Any] = [link.motion(x, chain.maths).p[2] for x in ends]
    return max(abs(float(slide)) for slide in slides)
