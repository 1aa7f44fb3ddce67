"""What the parts of inverse kinematics know of a solver, and what a closed form hands them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from manipula.ik.descent import Descent
from manipula.ik.numeric.arrays import Bits, Floats, Kinematics
from manipula.ik.numeric.poses import Tolerances
from manipula.mechanics.models.inverse.plan import Plan
from manipula.mechanics.robot.tree import Tree
from manipula.messages import DEGREES, Message

if TYPE_CHECKING:
    from manipula.algebra.run.inverse import ManyTargets


class Raw(NamedTuple):
    """What a closed form gives for a pose, or for each of many: `fit`, `calm` and `defect` of the model
    `inverse_kinematics` are the discriminant of each branch, the least of their amounts, and the distance from a pose.
    """

    q: Floats
    valid: Floats
    discriminant: Floats
    margin: Floats
    pose_error: Floats

    def row(self) -> Raw:
        """One pose as a batch of one."""
        return Raw(*(np.asarray(part)[None] for part in self))


class AcceptedBranches(NamedTuple):
    """Of many poses: branches (n, branches, dof), which are answers, and which poses want a closer look."""

    q: Floats
    valid: Bits
    unsettled: Bits


class Nearest(NamedTuple):
    """The nearest pose an arm can take: configuration, Frobenius distance of the 4×4 matrices, and a sentence."""

    q: Floats
    distance: float
    reason: str


class Solver(Protocol):
    """An arm ready to be solved: geometry, limits, forward functions of arrays."""

    chain: Tree
    plan: Plan
    low: Floats
    high: Floats
    limited: bool
    turning: Bits
    pose: Kinematics
    jacobian: Kinematics
    closed: Any

    @property
    def span(self) -> tuple[Floats, Floats]: ...
    @property
    def walls(self) -> tuple[Floats, Floats]: ...
    @property
    def angles(self) -> Bits: ...
    @property
    def table(self) -> Floats: ...
    @property
    def native(self) -> ManyTargets | None: ...
    @property
    def size(self) -> float: ...
    @property
    def tolerances(self) -> Tolerances: ...
    @property
    def descent(self) -> Descent | None: ...
    def raw(self, T: Floats, seed: Floats | None, values: Floats | None = None) -> Raw: ...
    def stands_for(self, seed: Floats, values: Floats | None) -> bool: ...
    def away(self, T: Floats, at: Floats) -> str: ...
    def elsewhere(self, q: Floats, values: Floats | None) -> str: ...
    def nearest(self, pose: ArrayLike, seed: ArrayLike | None = None, task: str = "pose") -> Nearest: ...


# What is said of branches: their names, why one is no answer, what a nearest pose lacks. Degrees, m and mm.

MET = "reached"
# sentences with places to fill, here and in the pages of a robot's module
OUTSIDE = "joint {joint} at {at} is outside its limits [{low}, {high}] by {over}"
AWAY = "{distance} mm away and turned by {angle}°"
LOST = "out of reach: this branch ends {away}"
TWIN = "the same as branch {branch}: {how}"
SOLUTION = "solution {number}"
FAMILY, DOUBLE = "one family", "a double root"
NO_POSE = "T is not a pose, or one of its numbers is not finite"
ROUNDED = 9  # digits behind the point of mm and degrees: less is rounding, and is not told


def setting_names(solver: Solver, count: int, searched: bool = False) -> list[str]:
    """One sign for each two-way choice of the closed form; what was found without it has numbers."""
    if solver.closed is None or searched:
        return solution_names(count)
    names = solver.plan.branch_names
    return names * (count // len(names))


def solution_names(count: int) -> list[str]:
    """Of what was found without a closed form."""
    return [SOLUTION.format(number=i + 1) for i in range(count)]


def branch_names(solver: Solver, count: int, searched: bool = False) -> list[str]:
    """The same with the value of a redundant arm's parameter, where there are several."""
    names = setting_names(solver, count, searched)
    each = len(set(names))
    if each == count:
        return names
    sets = count // each
    return [f"{solver.plan.parameter} {i // each + 1} of {sets}: {name}" for i, name in enumerate(names)]


def position_text(value: float, turns: bool) -> str:
    """A joint's position: degrees or m."""
    return Message(DEGREES, f"{np.degrees(value):.6g}") if turns else f"{value:.6g} m"


def amount_text(value: float, turns: bool) -> str:
    """A small amount of a joint's motion: degrees or mm."""
    return Message(DEGREES, f"{np.degrees(value):.4g}") if turns else f"{1000 * value:.4g} mm"


def outside_text(solver: Solver, q: Floats, slack: float) -> str:
    """Every joint that is outside its limits, and by how much; nothing if none is."""
    over = np.maximum(solver.low - q, q - solver.high)
    return "; ".join(_outside(solver, q, int(k), float(over[k])) for k in np.flatnonzero(over > slack))


def _outside(solver: Solver, q: Floats, k: int, over: float) -> str:
    turns = bool(solver.angles[k])
    low, high, at = (position_text(x[k], turns) for x in (solver.low, solver.high, q))
    return Message(OUTSIDE, k + 1, at, low, high, amount_text(over, turns))


def lost_text(away: str) -> str:
    """Of a branch that does not reach the pose."""
    return Message(LOST, away)


def twin_text(branch: int, family: bool) -> str:
    """Of a branch that repeats another, counted from 0."""
    return Message(TWIN, branch + 1, Message(FAMILY if family else DOUBLE))


def away_text(T: Floats, at: Floats) -> str:
    """How far apart two poses are: mm, and degrees of turn."""
    away = float(np.linalg.norm(T[:3, 3] - at[:3, 3]))
    spun = T[:3, :3].T @ at[:3, :3]
    sine = np.linalg.norm([spun[2, 1] - spun[1, 2], spun[0, 2] - spun[2, 0], spun[1, 0] - spun[0, 1]]) / 2
    # from sine and cosine: an arc cosine of the trace loses half its digits near 0
    angle = np.degrees(np.arctan2(sine, (np.trace(spun) - 1) / 2))
    # rounded first: 1e-17 mm would read as a fault
    distance, turn = (f"{round(float(x), ROUNDED):.4g}" for x in (1000 * away, angle))
    return Message(AWAY, distance, turn)


def nearest_reason(T: Floats, at: Floats, reached: bool, rejected: str) -> str:
    """Why a nearest pose is not the pose itself. `rejected`: the limits that keep the arm from a solution there is."""
    if reached:
        return MET
    if rejected:
        return Message(
            "within reach, but {rejected}; the nearest pose inside the limits is {away_text}",
            rejected,
            away_text(T, at),
        )
    return Message("out of reach: the nearest pose is {away_text}", away_text(T, at))


def elsewhere_text(name: str, there: float, given: float | None, turns: bool) -> str:
    """A redundant arm has no answer where its parameter is put, and has one where it is `there`."""
    at = position_text(there, turns)
    if given is None:
        return Message("out of reach with {name} at any value tried; with {name} at {at} the pose is reached", name, at)
    tried = position_text(given, turns)
    return Message("out of reach with {name} at {tried}; with {name} at {at} the pose is reached", name, tried, at)
