"""Damped least squares from many starts, for an arm of up to sixteen joints; a text that becomes machine code.

    (JᵀJ + λ) Δq = Jᵀe,        e = (missing position, missing rotation vector)

λ shrinks while the step helps and grows while it does not (Levenberg 1944, Marquardt 1963). Lengths are in the arm's
own unit, so that metres and radians weigh alike. The rotation vector is the true one, not its sine: |e|² then has no
second zero half a turn away, and Jᵀe is its exact slope. A joint at its limit is held while it is pushed out.

`arm`: n + 1 gaps of 12 numbers (base to first joint, …, last joint to tool), then offset, direction, low and high of
every joint. `what`: 0 the pose, 1 the position, 2 position and z axis, 3 the z axis alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from manipula.algebra.program.primitives import Ints, Reals, atan2, cos, reals, sin, sqrt
from manipula.algebra.run.texts import Text, machine_code
from manipula.ik.numeric.arrays import Bits, Floats, bounds, span_of
from manipula.ik.numeric.poses import size_of
from manipula.ik.numeric.tolerances import DescentTolerance
from manipula.mechanics.models.inverse.plan import Plan
from manipula.mechanics.robot.reduce import frames_on_joints
from manipula.mechanics.robot.tree import Tree

POSE = 0
POSITION = 1
AXIS = 2
MOST = 16  # joints
START_DAMPING = 1e-2  # small beside JᵀJ, whose entries are near 1 in the arm's unit: the first step is nearly Newton's
SHRINK = 0.1
GROW = 5.0  # less than it shrinks by: most steps help
PATIENCE = 8  # slow steps, far from the target, before a start is given up


def locate_axes(n: int, arm: Reals, kinds: Ints, x: Reals, axes: Reals, points: Reals, end: Reals) -> None:
    """Every joint's axis and a point of it, and the tool's frame: rotation row by row, then the place."""
    R = reals(9)
    p = reals(3)
    for i in range(3):
        p[i] = arm[i * 4 + 3]
        for j in range(3):
            R[i * 3 + j] = arm[i * 4 + j]
    for k in range(n):
        gap = (k + 1) * 12
        # offset + direction·x: the zero and the sense that the user knows
        turn = arm[(n + 1) * 12 + k] + arm[(n + 1) * 12 + n + k] * x[k]
        for i in range(3):
            axes[k * 3 + i] = R[i * 3 + 2]
            points[k * 3 + i] = p[i]
        if kinds[k] == 0:
            c = cos(turn)
            s = sin(turn)
            for i in range(3):
                a = R[i * 3]
                b = R[i * 3 + 1]
                R[i * 3] = c * a + s * b
                R[i * 3 + 1] = c * b - s * a
        else:
            for i in range(3):
                p[i] += R[i * 3 + 2] * turn
        for i in range(3):
            a = R[i * 3]
            b = R[i * 3 + 1]
            d = R[i * 3 + 2]
            p[i] += a * arm[gap + 3] + b * arm[gap + 7] + d * arm[gap + 11]
            for j in range(3):
                R[i * 3 + j] = a * arm[gap + j] + b * arm[gap + 4 + j] + d * arm[gap + 8 + j]
    for i in range(9):
        end[i] = R[i]
    for i in range(3):
        end[9 + i] = p[i]


def lacking(what: int, end: Reals, target: Reals, e: Reals) -> float:
    """e and its square."""
    v = reals(3)
    cosine = 1.0
    for i in range(3):
        v[i] = 0.0
        e[i] = target[9 + i] - end[9 + i] if what < 3 else 0.0
    if what == POSE:
        trace = 0.0
        for j in range(3):
            for i in range(3):
                trace += end[i * 3 + j] * target[i * 3 + j]
            # the skew part of target · endᵀ: the axis of the turn that is missing, times its sine
            v[0] += 0.5 * (end[3 + j] * target[6 + j] - end[6 + j] * target[3 + j])
            v[1] += 0.5 * (end[6 + j] * target[j] - end[j] * target[6 + j])
            v[2] += 0.5 * (end[j] * target[3 + j] - end[3 + j] * target[j])
        cosine = 0.5 * (trace - 1)
    if what >= AXIS:
        # of two z axes: a turn about the axis itself is not missing
        v[0] = end[5] * target[8] - end[8] * target[5]
        v[1] = end[8] * target[2] - end[2] * target[8]
        v[2] = end[2] * target[5] - end[5] * target[2]
        cosine = end[2] * target[2] + end[5] * target[5] + end[8] * target[8]
    sine = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    # v is the axis times the sine: the angle itself keeps pulling where the sine fades, near half a turn
    scale = atan2(sine, cosine) / sine if sine > DescentTolerance.SINE else 1.0
    total = 0.0
    for i in range(3):
        e[3 + i] = v[i] * scale
        total += e[i] * e[i] + e[3 + i] * e[3 + i]
    return total


def fill_jacobian(n: int, what: int, arm: Reals, kinds: Ints, axes: Reals, points: Reals, end: Reals, J: Reals) -> None:
    """∂(place, turn)/∂x, six rows a joint."""
    for k in range(n):
        sense = arm[(n + 1) * 12 + n + k]
        a = sense * axes[k * 3]
        b = sense * axes[k * 3 + 1]
        d = sense * axes[k * 3 + 2]
        for i in range(6):
            J[k * 6 + i] = 0.0
        if kinds[k] == 0:
            # axis × (tool − point): where a joint that turns moves the tool
            x = end[9] - points[k * 3]
            y = end[10] - points[k * 3 + 1]
            z = end[11] - points[k * 3 + 2]
            J[k * 6] = b * z - d * y
            J[k * 6 + 1] = d * x - a * z
            J[k * 6 + 2] = a * y - b * x
            # a turn about the tool's own z axis does not move that axis: its part is taken away
            along = a * end[2] + b * end[5] + d * end[8] if what >= AXIS else 0.0
            if what != POSITION:
                J[k * 6 + 3] = a - along * end[2]
                J[k * 6 + 4] = b - along * end[5]
                J[k * 6 + 5] = d - along * end[8]
        else:
            J[k * 6] = a
            J[k * 6 + 1] = b
            J[k * 6 + 2] = d
        if what > AXIS:
            for i in range(3):
                # direction alone: where the tool is does not count, and its rows must not pull
                J[k * 6 + i] = 0.0


def stepped(n: int, H: Reals, g: Reals, damping: float, step: Reals) -> None:
    """(H + damping) step = g by the square root of Cholesky."""
    L = reals(256)
    for i in range(n):
        for j in range(i + 1):
            total = H[i * n + j]
            if i == j:
                total += damping
            for k in range(j):
                total -= L[i * n + k] * L[j * n + k]
            if i == j:
                # held joints have zero rows: damping alone is their pivot, and may be rounding
                L[i * n + i] = sqrt(max(total, DescentTolerance.PIVOT))
            else:
                L[i * n + j] = total / L[j * n + j]
    for i in range(n):
        total = g[i]
        for k in range(i):
            total -= L[i * n + k] * step[k]
        step[i] = total / L[i * n + i]
    for i in range(n - 1, -1, -1):
        total = step[i]
        for k in range(i + 1, n):
            total -= L[k * n + i] * step[k]
        step[i] = total / L[i * n + i]


def normal(n: int, J: Reals, e: Reals, x: Reals, limits: Reals, H: Reals, g: Reals) -> None:
    """JᵀJ and Jᵀe; a joint at its limit that is pushed out stays."""
    for i in range(n):
        g[i] = 0.0
        for k in range(6):
            g[i] += J[i * 6 + k] * e[k]
        # its column goes with its slope, so that the other joints do its part of the step
        if (x[i] <= limits[i] and g[i] < 0) or (x[i] >= limits[n + i] and g[i] > 0):
            g[i] = 0.0
            for k in range(6):
                J[i * 6 + k] = 0.0
    for i in range(n):
        # the lower half: the square root reads no other
        for j in range(i + 1):
            total = 0.0
            for k in range(6):
                total += J[i * 6 + k] * J[j * 6 + k]
            H[i * n + j] = total


def descend_from(n: int, what: int, arm: Reals, kinds: Ints, target: Reals, x: Reals, rounds: int) -> float:
    """From x to where least squares ends, in place; e² there."""
    axes = reals(48)
    points = reals(48)
    end = reals(12)
    # arrays of the next place beside those of this one: every step is evaluated once, taken or not
    there_axes = reals(48)
    there_points = reals(48)
    there_end = reals(12)
    e = reals(6)
    there_e = reals(6)
    J = reals(96)
    H = reals(256)
    g = reals(16)
    step = reals(16)
    there = reals(16)
    limits = (n + 1) * 12 + 2 * n
    locate_axes(n, arm, kinds, x, axes, points, end)
    cost = lacking(what, end, target, e)
    damping = START_DAMPING
    slow = 0
    fresh = True
    for _ in range(rounds):
        # after a step that did not help only the damping is new: J and JᵀJ are those of the same place
        if fresh:
            fill_jacobian(n, what, arm, kinds, axes, points, end, J)
            normal(n, J, e, x, arm[limits:], H, g)
        stepped(n, H, g, damping, step)
        length = 0.0
        for i in range(n):
            # cut to the limits, then judged by what it really reaches
            there[i] = min(max(x[i] + step[i], arm[limits + i]), arm[limits + n + i])
            length += step[i] * step[i]
        locate_axes(n, arm, kinds, there, there_axes, there_points, there_end)
        found = lacking(what, there_end, target, there_e)
        fresh = found < cost
        if fresh:
            # slow and still far is a valley without a solution; slow and near is a double root
            slow = slow + 1 if found > DescentTolerance.SLOW * cost and found > DescentTolerance.FAR else 0
            cost = found
            for i in range(n):
                x[i] = there[i]
            for i in range(n * 3):
                axes[i] = there_axes[i]
                points[i] = there_points[i]
            for i in range(12):
                end[i] = there_end[i]
            for i in range(6):
                e[i] = there_e[i]
            damping *= SHRINK
        else:
            # from a floor: a damping shrunk to rounding would take many failures to matter again
            damping = max(damping, DescentTolerance.DAMPING) * GROW
        # by the step before it was cut: at a limit x stands still without having arrived
        settled = length < DescentTolerance.STILL or cost < DescentTolerance.ROUNDING
        if settled or damping > DescentTolerance.STUCK or slow > PATIENCE:
            break
    return cost


def descend(
    count: int, n: int, what: int, arm: Reals, kinds: Ints, target: Reals, rounds: int, x: Reals, left: Reals
) -> None:
    """Every start, row by row of x, and e² where it ended."""
    for row in range(count):
        left[row] = descend_from(n, what, arm, kinds, target, x[row * n :], rounds)


# The text at work: starts and targets in arrays, ends in arrays.

TASKS = ("pose", "position", "axis", "direction")
ROUNDS = 60


class Ends(NamedTuple):
    """Where the starts ended, (k, n), and what is missing there: rad and lengths of the arm's unit together."""

    q: Floats
    miss: Floats


class Descent:
    """One arm's least squares; `run` is another form of the text than machine code."""

    def __init__(self, chain: Tree, low: Floats, high: Floats, run: Text | None = None) -> None:
        arm = frames_on_joints(chain)
        gaps = [np.array((arm.base @ arm.links[0].before).rows(), dtype=float)]
        gaps += [np.array(at.rows(), dtype=float) for at in (*(link.before for link in arm.links[1:]), arm.tool)]
        # without the base: where the arm stands in the world says nothing of its size
        lengths = sum(float(np.linalg.norm(gap[:3, 3])) for gap in gaps[1:])
        self.unit = lengths or 1.0
        turning = np.array([link.kind.pivots for link in arm.links])
        # a slide in the unit of the lengths: one damping then suits all joints
        self._scale = np.where(turning, 1.0, self.unit)
        self._kinds = np.where(turning, 0, 1).astype(np.int64)
        for gap in gaps:
            gap[:3, 3] /= self.unit
        offsets = np.array([float(link.offset) for link in arm.links]) / self._scale
        senses = np.array([float(link.direction) for link in arm.links])
        self._rows = np.concatenate([*(gap[:3].ravel() for gap in gaps), offsets, senses])
        self._free = self._table(np.full(len(turning), -np.inf), np.full(len(turning), np.inf))
        self._bounded = self._table(low, high)
        self._run = run or machine_code(descend)

    def _table(self, low: Floats, high: Floats) -> Floats:
        return np.concatenate([self._rows, low / self._scale, high / self._scale])

    def __call__(self, starts: Floats, T: Floats, task: str = "pose", bounded: bool = False) -> Ends:
        """From every row of `starts` (k, n) to where the pose T (4, 4) is nearest; within the limits if `bounded`."""
        x = np.ravel(starts / self._scale)
        left = np.empty(len(starts))
        target = np.concatenate([T[:3, :3].ravel(), T[:3, 3] / self.unit])
        arm = self._bounded if bounded else self._free
        self._run(len(left), len(self._kinds), TASKS.index(task), arm, self._kinds, target, ROUNDS, x, left)
        return Ends(x.reshape(starts.shape) * self._scale, np.sqrt(left))


def descent_of(chain: Tree, low: Floats, high: Floats) -> Descent | None:
    """None for more joints than the text is made for, or with screws, which it does not know."""
    screws = any(link.kind.turns and link.kind.slides for link in chain.links)
    return None if chain.dof > MOST or screws else Descent(chain, low, high)


# Where the joints of an arm may be, as a search sees it: their limits, their walls, and which of them are angles.


class JointSpace:
    """Of a chain over floats, fixed joints merged."""

    plan: Plan
    machine_code: ClassVar[tuple[str, ...]] = ("descent",)  # what stays behind in a pickle and is made again

    def __init__(self, chain: Tree, limits: Sequence[tuple[float, float]] | None = None) -> None:
        self.chain = chain
        self.low, self.high = bounds(limits, chain.dof)
        self.limited = bool(np.isfinite(self.low).any() or np.isfinite(self.high).any())
        self.turning: Bits = np.array([link.kind.pivots for link in chain.links])

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in self.machine_code}

    @property
    def explanation(self) -> str:
        """Which class the arm belongs to for what is asked of it, and why."""
        return f"{self.plan.title}: {self.plan.sentence}"

    @cached_property
    def descent(self) -> Descent | None:
        """Least squares in machine code; None for very many joints."""
        return descent_of(self.chain, self.low, self.high)

    @cached_property
    def size(self) -> float:
        """The arm's reach, roughly, m; at least 1."""
        return size_of(self.chain)

    @property
    def span(self) -> tuple[Floats, Floats]:
        """Between which positions of the joints a search starts."""
        return span_of(self.low, self.high, np.where(self.turning, np.pi, self.size))

    @property
    def walls(self) -> tuple[Floats, Floats]:
        """Positions beyond which no search goes: limits are looked at when it has ended."""
        return bounds(None, self.chain.dof)

    @property
    def angles(self) -> Bits:
        """Which entries of q are angles."""
        return self.turning
