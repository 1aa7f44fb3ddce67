"""An arm with numbers: its inertia, what moves it, what brakes it, as functions of one state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from manipula.algebra.run.compiled_function import compile_tape
from manipula.algebra.tape import tape_from_function
from manipula.errors import InputError, UnsetError, some_of
from manipula.generation.arm_structure import numeric_chain
from manipula.generation.massless_joints import REMEDY, motionless
from manipula.generation.pipeline import generate_function
from manipula.generation.prepare import Request, prepare
from manipula.mechanics.robot.description import RobotDescription, cell_with_value
from manipula.mechanics.robot.exact import is_zero
from manipula.messages import Message
from manipula.simulation.exact.drives import Bristles, OnMotors, Rubbing, Springs

# Which joints at rest stay there: the accelerations of an arm with dry friction, exactly.
#
#     a = argmin ½ aᵀM a − aᵀp + Σ_{i at rest} max(low_i a_i, high_i a_i)
#
# p are the torques that are left to accelerate the arm. A joint at rest stays (a_i = 0) as long as what pushes it,
# λ = p − M a, is within low_i ≤ λ_i ≤ high_i; it starts forwards against high_i, backwards against low_i. An infinite
# bound is a stop. M > 0 makes the answer unique. The same problem with momenta in place of torques gives the
# velocities after an inelastic impact.
#
# Source: the active set of non-negative least squares, Lawson, Hanson, "Solving Least Squares Problems" (1974),
# chapter 23, with a sign for every joint: each change lowers the sum above, so no set of joints comes twice.

Array = NDArray[np.float64]
Ways = NDArray[np.int8]  # −1, 0, 1 a joint


class Rest(NamedTuple):
    """The accelerations; which way each joint at rest starts, 0 where it stays; what pushes those that stay."""

    a: Array
    ways: Ways
    push: Array


def at_rest(M: Array, p: Array, low: Array, high: Array, resting: NDArray[np.bool_]) -> Rest:
    """Joints that do not rest move anyhow, under p; bounds are read of those that do."""
    ways = np.zeros(len(p), dtype=np.int8)
    a = _accelerations_of_moving(M, p, low, high, ~resting, ways)
    for _ in range(4 * 3 ** min(len(p), 8)):  # never reached: every set of joints comes once at most
        push = p - M @ a
        beyond = np.where(resting & (ways == 0), np.maximum(push - high, low - push), 0.0)
        first = int(np.argmax(beyond))
        if not beyond[first] > 0:
            break
        ways[first] = 1 if push[first] > high[first] else -1
        a, ways = _towards(M, p, low, high, resting, ways, a, first)
        if ways[first] == 0:  # pushed over its bound by less than rounding
            break
    return Rest(a, ways, p - M @ a)


def _towards(
    M: Array, p: Array, low: Array, high: Array, resting: NDArray[np.bool_], ways: Ways, a: Array, first: int
) -> tuple[Array, Ways]:
    """From a to the best with these joints moving; one that would turn back on the way rests again."""
    while True:
        aim = _accelerations_of_moving(M, p, low, high, ~resting | (ways != 0), ways)
        against = resting & (ways != 0) & (aim * ways <= 0)
        if not against.any():
            return aim, ways
        if against[first] and a[first] == 0:
            ways[first] = 0
            continue
        # the first of them to come to rest:  a + s (aim − a) = 0
        part = np.where(against, a / np.where(against, a - aim, 1.0), np.inf)
        i = int(np.argmin(part))
        a = a + part[i] * (aim - a)
        a[i], ways[i] = 0.0, 0


def _accelerations_of_moving(
    M: Array, p: Array, low: Array, high: Array, moves: NDArray[np.bool_], ways: Ways
) -> Array:
    """M a = p − friction in the rows of the joints that move; the others are removed, their a is 0."""
    a = np.zeros(len(p))
    if moves.all() and not ways.any():
        return np.asarray(np.linalg.solve(M, p), dtype=float)
    if moves.any():
        bound = np.where(ways > 0, high, np.where(ways < 0, low, 0.0))
        a[moves] = np.linalg.solve(M[np.ix_(moves, moves)], (p - bound)[moves])
    return a


Flags = NDArray[np.bool_]
Solved = TypeVar("Solved", "InstantMotion", Rest)
_STRAIGHT: Array = np.empty(0)  # no bristles
_MOST_LOADS = 200  # iterations for friction that follows the load


class InstantMotion(NamedTuple):
    """At one moment: accelerations, what pushes every joint against its bounds at rest, the friction, and the rate of
    its bristles."""

    a: Array
    push: Array
    low: Array
    high: Array
    friction: Array
    bristle: Array


class Mechanism:
    """Compiled once. `width`: dry friction is tanh(q̇/width) times its torque; None leaves it dry, unless it is that of
    bristles, whose bend z is a state."""

    rubbing: Rubbing | OnMotors

    def __init__(
        self, robot: RobotDescription, rubs: bool, width: float | None, bristles: Bristles | None = None
    ) -> None:
        bare = frictionless(robot)
        refuse_weightless(bare)
        self.robot, self.dof, self.width, self.bristles = robot, robot.dof, width, bristles
        self.inertia = _compile_model(bare, "inertia_matrix")
        self._torque = _compile_model(bare, "inverse_dynamics")
        self._energy = _compile_model(bare, "energy")
        damps = any(not is_zero(element.damping.value) for element in robot.elements)
        self._undamped = _compile_model(without_damping(bare), "inverse_dynamics") if damps else None
        self.rubbing = Rubbing(robot if rubs else bare)
        self.dry = self.rubbing.dry & (width is None and bristles is None)
        self._still = np.zeros(robot.dof)
        if self.rubbing.loaded:
            self._motors = np.array([float(link.motor_inertia) for link in numeric_chain(robot).links])

    def energies(self, q: Array, qd: Array) -> tuple[Array, Array]:
        """(kinetic, potential), leading axes broadcast."""
        found = self._energy(q, qd)
        return found.kinetic, found.potential

    def damping_power(self, q: Array, qd: Array) -> float:
        """c l̇², what dampers between two frames take: the power of what the torque loses with their damping."""
        if self._undamped is None:
            return 0.0
        still = np.zeros_like(q)
        return float((self._torque(q, qd, still) - self._undamped(q, qd, still)) @ qd)

    def bias(self, q: Array, qd: Array) -> Array:
        """c(q, q̇) + g(q)"""
        return np.asarray(self._torque(q, qd, self._still))

    def motion(self, q: Array, qd: Array, tau: Array, ways: Ways, moves: Flags, z: Array = _STRAIGHT) -> InstantMotion:
        """Joints that do not move are removed: their acceleration is zero."""
        M, bias = self.inertia(q), self.bias(q, qd)

        def motion_under_loads(loads: Array) -> InstantMotion:
            slides, low, high, bristle = self._rubs(qd, ways, loads, z)
            # M a = τ − c − g − friction
            free, a = tau - bias - slides, np.zeros(self.dof)
            if moves.all():
                a = np.linalg.solve(M, free)
            elif moves.any():
                a[moves] = np.linalg.solve(M[np.ix_(moves, moves)], free[moves])
            return InstantMotion(a, free - M @ a, low, high, slides, bristle)

        return self._with_loads(motion_under_loads, M, bias)

    def find_starting_joints(
        self, q: Array, qd: Array, tau: Array, ways: Ways, resting: Flags, ends: tuple[Array, Array],
        z: Array = _STRAIGHT,
    ) -> Rest:  # fmt: skip
        """Which of the resting joints start; `ends` widen the bounds of those at a stop, or narrow others."""
        M, bias = self.inertia(q), self.bias(q, qd)

        def rest_under_loads(loads: Array) -> Rest:
            slides, low, high, _ = self._rubs(qd, ways, loads, z)
            return at_rest(M, tau - bias - slides, low + ends[0], high + ends[1], resting)

        return self._with_loads(rest_under_loads, M, bias)

    def _rubs(self, qd: Array, ways: Ways, loads: Array, z: Array) -> tuple[Array, Array, Array, Array]:
        """Friction of what moves, its bounds at rest, the rate of the bristles."""
        slides = self.rubbing.smooth(qd, loads)
        if self.bristles is not None:
            pull, rate = self._bent(self.bristles, qd, loads, z)
            return slides + pull, self._still, self._still, rate
        if self.width is not None:
            return slides + self.rubbing.smoothed_friction(qd, loads, self.width), self._still, self._still, _STRAIGHT
        low, high = self.rubbing.bounds(loads) if self.dry.any() else (self._still, self._still)
        return slides + self.rubbing.dry_friction(qd, ways, loads), low, high, _STRAIGHT

    def _bent(self, bristles: Bristles, qd: Array, loads: Array, z: Array) -> tuple[Array, Array]:
        """What bristles pull with, and how they bend: they are of the last coordinates, which are all or the motors."""
        one, n = np.ones(self.dof), len(z)
        v = qd[-n:]
        g = np.where(
            v > 0, self.rubbing.dry_friction(qd, one, loads)[-n:], -self.rubbing.dry_friction(qd, -one, loads)[-n:]
        )
        rate = bristles.rate(v, g, z)
        return np.concatenate([np.zeros(self.dof - n), bristles.torque(z, rate)]), rate

    def _with_loads(self, found: Callable[[Array], Solved], M: Array, bias: Array) -> Solved:
        """Friction that follows the load follows the accelerations: they are found in turns."""
        loads = bias
        for _ in range(_MOST_LOADS):
            made = found(loads)
            if not self.rubbing.loaded:
                return made
            # load = M a + c + g, without the motors' inertia
            before, loads = loads, M @ made.a - self._motors * made.a + bias
            if np.abs(loads - before).max() <= 1e-14 * (1 + np.abs(loads).max()):
                return made
        raise InputError(
            "{name}: friction that follows the load is too large: no acceleration fits; make fl smaller",
            self.robot.name,
        )


def frictionless(robot: RobotDescription) -> RobotDescription:
    """The same robot, no joint of which rubs."""
    rows = (
        replace(x, actuator=x.actuator.without_friction(lambda cell: cell_with_value(cell.name))) for x in robot.joints
    )
    return replace(robot, joints=tuple(rows))


def without_damping(robot: RobotDescription) -> RobotDescription:
    """The same robot, no two-point element of which has damping."""
    elements = tuple(replace(x, damping=cell_with_value(x.damping.name)) for x in robot.elements)
    return replace(robot, elements=elements)


def motorless(robot: RobotDescription) -> RobotDescription:
    """The same links, no motor of which has inertia."""
    rows = (
        replace(x, actuator=replace(x.actuator, motor_inertia=cell_with_value(x.motor_inertia.name)))
        for x in robot.joints
    )
    return replace(robot, joints=tuple(rows))


def refuse_weightless(robot: RobotDescription, remedy: str = REMEDY) -> None:
    """A joint that moves nothing of any inertia."""
    if refused := motionless(prepare(Request(robot, "inertia_matrix")).structure, remedy):
        raise refused


@lru_cache(maxsize=24)  # another friction or payload is tried on the same arm again and again
def _compile_model(robot: RobotDescription, model: str) -> Callable[..., Any]:
    function = generate_function(prepare(Request(robot, model)))
    code = compile_tape(tape_from_function(function))
    if code.parameters:
        missing = code.parameters
        raise UnsetError(
            Message("{name}: a simulation needs a value for {some_of}", robot.name, some_of(missing)), missing
        )
    return code.thin


# An arm with elastic joints and numbers: its coordinates are those of the links, then those of the motors.
#
#     ( M(q)    ) ( q̈ )     ( c + g − s )
#     (       B ) ( θ̈ )  +  (     s     )  =  (push, τ) − (0, friction(θ̇)),        s = K dz(θ − q)
#
# What is asked of a `Mechanism` is asked of these equations. A motor bears s, so friction that follows the load knows
# it.
#
# Source: as `mechanics.models.drives.elastic`.

BEHIND = Message("behind a spring a link needs a mass")


class ElasticMechanism(Mechanism):
    """Compiled once."""

    def __init__(
        self, robot: RobotDescription, rubs: bool, width: float | None, bristles: Bristles | None, springs: Springs
    ) -> None:
        refuse_weightless(motorless(frictionless(robot)), BEHIND)
        super().__init__(motorless(robot), rubs, width, bristles)
        assert isinstance(self.rubbing, Rubbing)
        self.n, self.springs, self._links = robot.dof, springs, self.inertia
        self.inertia = self._both
        self.rubbing, held = OnMotors(self.rubbing), self.dry
        self.dry = np.concatenate([np.zeros(self.n, dtype=bool), held])
        self.dof, self._still = 2 * self.n, np.zeros(2 * self.n)

    def _both(self, y: Array) -> Array:
        n, M = self.n, np.zeros((self.dof, self.dof))
        M[:n, :n], M[n:, n:] = self._links(y[:n]), np.diag(self.springs.inertia)
        return M

    def damping_power(self, q: Array, qd: Array) -> float:
        return super().damping_power(q[: self.n], qd[: self.n])

    def bias(self, q: Array, qd: Array) -> Array:
        """(c + g − s, s)"""
        n = self.n
        s = self.springs.torque(q[n:], q[:n])
        return np.concatenate([np.asarray(self._torque(q[:n], qd[:n], self._still[:n])) - s, s])

    def energies(self, q: Array, qd: Array) -> tuple[Array, Array]:
        """(kinetic, potential), the motors' and the springs' with them."""
        n = self.n
        kinetic, potential = super().energies(q[..., :n], qd[..., :n])
        return kinetic + self.springs.motor_kinetic_energy(qd[..., n:]), potential + self.springs.spring_energy(
            q[..., n:], q[..., :n]
        )
