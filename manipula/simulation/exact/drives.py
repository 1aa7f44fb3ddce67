"""The drives and the friction of an arm as numbers: springs, what slides and holds, bristles, the steps they bear."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError
from manipula.generation.arm_structure import numeric_chain
from manipula.mechanics.models.integrate.discretisation import INTEGRATORS, SOLVED
from manipula.mechanics.models.integrate.runge_kutta import add
from manipula.mechanics.robot.description import Joint, RobotDescription
from manipula.mechanics.robot.friction import LAWS, FrictionLaw, Slip
from manipula.mechanics.robot.tree import Link
from manipula.mechanics.robot.values.parameter import Parameter
from manipula.mechanics.spatial.floats import FLOATS
from manipula.messages import Message, in_a_row
from manipula.scalar import OPS, Maths

# The drives of an arm as numbers: a spring between every motor and its joint, the motor's inertia, the play.
#
# All at the joint, as a robot file has them: a motor of rotor inertia J behind a gear N has N² J.

Array = NDArray[np.float64]
Number = Callable[[Joint, str, Parameter | None, float], float]  # an entry of a joint, or what it is otherwise
Given = bool | float | Sequence[float] | None


class Springs(NamedTuple):
    """One entry a coordinate: N·m/rad or N/m, kg·m² or kg, rad or m from one end of the play to the other."""

    stiffness: Array
    inertia: Array
    play: Array

    def torque(self, motor: Array, q: Array) -> Array:
        """s = K dz(θ − q)"""
        return np.asarray(self.stiffness * self._stretch(motor, q))

    def spring_energy(self, motor: Array, q: Array) -> Array:
        """Σ ½ K dz(θ − q)², joules"""
        return np.asarray((0.5 * self.stiffness * self._stretch(motor, q) ** 2).sum(axis=-1))

    def motor_kinetic_energy(self, rate: Array) -> Array:
        """Σ ½ B θ̇², joules"""
        return np.asarray((0.5 * self.inertia * rate**2).sum(axis=-1))

    def _stretch(self, motor: Array, q: Array) -> Array:
        # dz(δ) = δ − min(max(δ, −b/2), b/2)
        stretch = motor - q
        return np.asarray(stretch - np.clip(stretch, -0.5 * self.play, 0.5 * self.play))


def springs_of(robot: RobotDescription, number: Number, elastic: Given, backlash: Given) -> Springs:
    """`elastic`: True is as the robot says, numbers are stiffnesses. `backlash`: None is as the robot says."""
    _refuse_followers(robot)
    rows = [joint for joint in robot.joints if joint.name in robot.joint_names]

    def entries(key: str) -> list[float]:
        cells = (getattr(joint.actuator, key) for joint in rows)
        return [number(joint, key, None if x is None else x.parameter, 0.0) for joint, x in zip(rows, cells)]

    stiffness = entries("stiffness") if elastic is True else amounts("elastic", elastic, robot.dof, above=True)
    inertia = entries("motor_inertia")
    play = entries("backlash") if backlash is None else amounts("backlash", backlash, robot.dof)
    for joint, k, j in zip(rows, stiffness, inertia):
        missing = [name for name, x in (("stiffness", k), ("motor_inertia", j)) if not x > 0]
        if missing:
            absent = Message("{a} and no {b}", *missing) if len(missing) > 1 else missing[0]
            raise InputError(
                "joint {name!r} has no {missing}, so it cannot be elastic; give its row in the robot file {missing2}",
                joint.name,
                absent,
                in_a_row([f"{name} = …" for name in missing]),
            )
    return Springs(np.array(stiffness), np.array(inertia), np.array(play))


def _refuse_followers(robot: RobotDescription) -> None:
    if follow := robot.coordinates.followers:
        raise InputError(
            "joint {name!r} follows others, so which spring drives it is not said; an arm whose joints "
            "follow others is simulated with rigid joints",
            follow[0],
        )


def amounts(name: str, given: object, dof: int, *, above: bool = False) -> list[float]:
    """One number for all joints, or one for each, at least or above 0."""
    try:
        found = np.asarray(given, dtype=float)
        found = np.array(np.broadcast_to(found, dof)) if found.ndim < 2 else np.empty(0)
    except (TypeError, ValueError):
        found = np.empty(0)
    fine = found.shape == (dof,) and bool(((found > 0) if above else (found >= 0)).all() and (found < inf).all())
    if not fine or isinstance(given, bool | str):
        raise InputError(
            (
                ("{name}: expected one number above 0, or {dof}, one a joint; found {given!r:.60}")
                if above
                else ("{name}: expected one number at least 0, or {dof}, one a joint; found {given!r:.60}")
            ),
            name,
            dof,
            given,
        )
    return [float(x) for x in found]


# The friction of every coordinate as numbers: what slides, and what holds a joint at rest.
#
# A law that jumps where a joint turns back is dry: it has one torque for each way of moving, and at rest any between
# the
# two. The others (viscous, offset) are smooth. A joint that follows one coordinate rubs on that coordinate.


class JointwiseMaths(Maths[Array]):
    """Arrays, joint by joint."""

    def number(self, value: Fraction) -> Array:
        return np.asarray(float(value))

    def degrees(self, value: Fraction) -> Array:
        return np.asarray(np.radians(float(value)))

    def apply(self, name: str, *args: object) -> Array:
        return np.asarray(getattr(np, OPS[name].word("numpy"))(*args))


_ARRAYS = JointwiseMaths()


class Rubbing:
    """`loads` are the torques that the mechanism behind every coordinate asks for; read where a law depends on them."""

    def __init__(self, robot: RobotDescription) -> None:
        chain = numeric_chain(robot)
        rows = [(x, row.terms) for x, row in zip(chain.links, chain.coordinates.rows, strict=True) if _rubs(x)]
        for link, terms in rows:
            if len(terms) > 1:
                raise InputError(
                    "joint {name!r}: it rubs and follows {count} joints at once; without friction it can be simulated",
                    link.name,
                    len(terms),
                )
        self.dof = robot.dof
        self.coordinate = np.array([terms[0][0] for _, terms in rows], dtype=int)
        self.factor = np.array([float(terms[0][1]) for _, terms in rows])  # q̇ of the joint = factor · q̇
        self.laws = _side_by_side([link for link, _ in rows])
        self.loaded = any(law.loaded for law in self.laws)
        if self.loaded and chain.coordinates.followers:
            raise InputError(
                "{name}: friction that follows the load is not simulated where joints follow others", robot.name
            )
        still, zero = np.zeros(self.dof), np.ones(self.dof)
        low, high = (self.dry_friction(still, way * np.ones(self.dof), zero) for way in (-1, 1))
        self.dry = high > low
        self._holds = low, high

    def smooth(self, qd: Array, loads: Array) -> Array:
        """What does not jump."""
        return self._sum(False, qd, loads, None)

    def dry_friction(self, qd: Array, ways: object, loads: Array) -> Array:
        """Dry friction of joints that move the ways ±1, smooth in q̇ through zero; none where the way is 0."""
        return self._sum(True, qd, loads, np.asarray(ways))

    def bounds(self, loads: Array) -> tuple[Array, Array]:
        """Between which torques dry friction holds a joint at rest: (low, high)."""
        if not self.loaded:
            return self._holds
        still, one = np.zeros(self.dof), np.ones(self.dof)
        return self.dry_friction(still, -one, loads), self.dry_friction(still, one, loads)

    def smoothed_friction(self, qd: Array, loads: Array, width: float) -> Array:
        """Dry friction with its jump drawn out: ½ (f₊ + f₋) + ½ (f₊ − f₋) tanh(q̇/width)"""
        minus, plus = (self.dry_friction(qd, way * np.ones(self.dof), loads) for way in (-1, 1))
        return np.asarray(0.5 * (plus + minus) + 0.5 * (plus - minus) * np.tanh(qd / width))

    def _sum(self, dry: bool, qd: Array, loads: Array, ways: Array | None) -> Array:
        laws = [law for law in self.laws if law.dry is dry]
        if not laws:
            return np.zeros(self.dof)
        at = self.coordinate
        ahead: object = None if ways is None else np.sign(self.factor) * ways[at]
        slip = Slip(self.factor * qd[at], _ARRAYS, loads[at], ahead)
        total = sum(law.torque(slip) for law in laws) * self.factor
        if ways is not None:
            total = np.where(ways[at] == 0, 0.0, total)
        weights = np.broadcast_to(total, at.shape)
        return np.asarray(np.bincount(at, weights=weights, minlength=self.dof), dtype=float)


class OnMotors:
    """The friction of motors as that of all coordinates of an elastic arm, links first; links are without friction."""

    loaded = False  # what a motor bears is its spring's torque, and known

    def __init__(self, rubbing: Rubbing) -> None:
        self.rubbing, self.n = rubbing, rubbing.dof
        self.dry = np.concatenate([np.zeros(self.n, dtype=bool), rubbing.dry])

    def smooth(self, qd: Array, loads: Array) -> Array:
        return self._below(self.rubbing.smooth(qd[self.n :], loads[self.n :]))

    def dry_friction(self, qd: Array, ways: object, loads: Array) -> Array:
        return self._below(self.rubbing.dry_friction(qd[self.n :], np.asarray(ways)[self.n :], loads[self.n :]))

    def bounds(self, loads: Array) -> tuple[Array, Array]:
        low, high = self.rubbing.bounds(loads[self.n :])
        return self._below(low), self._below(high)

    def smoothed_friction(self, qd: Array, loads: Array, width: float) -> Array:
        return self._below(self.rubbing.smoothed_friction(qd[self.n :], loads[self.n :], width))

    def _below(self, motors: Array) -> Array:
        return np.concatenate([np.zeros(self.n), motors])


def _rubs(link: Link) -> bool:
    return any(float(law[x.letters]) for law in link.actuator.laws for x in law.entries if x.linear)


def _side_by_side(links: Sequence[Link]) -> list[FrictionLaw[object]]:
    """Every law that some joint has, its parameters an entry a joint; one that shapes a law nobody has there is 1."""
    found: list[FrictionLaw[Any]] = []
    for kind in LAWS:
        values = [next((law.values for law in link.actuator.laws if type(law) is kind), None) for link in links]
        table = [[0.0 if x.linear else 1.0 for x in kind.entries] if row is None else row for row in values]
        columns = tuple(np.array([float(x) for x in column]) for column in zip(*table, strict=True))
        if any(column.any() for column, x in zip(columns, kind.entries) if x.linear):
            found.append(kind(columns))
    return found


# The bristles of LuGre friction as numbers, one entry a coordinate; equations and source: `models.drives.bristles`.
#
# Unless given they bend by a milliradian (a tenth of a millimetre where a joint slides) before they give way, σ0 =
# breakaway / bend, and are damped by σ1 = σ0 · 5 ms.

TURN, SLIDE = 1e-3, 1e-4  # rad, m: how far bristles bend
DAMPED = 5e-3  # s
FAST = 1e6  # rad/s, m/s: nothing of Stribeck friction is left


class Bristles(NamedTuple):
    """σ0 in N·m/rad or N/m, σ1 in N·m·s/rad or N·s/m; `bent` are the coordinates that have bristles."""

    stiffness: Array
    damping: Array
    bent: tuple[bool, ...]

    def rate(self, v: Array, against: Array, z: Array) -> Array:
        """ż = v − σ0 |v|/g(v) z, `against` being g"""
        g = np.where(self.bent, against, 1.0)
        return np.where(self.bent, v - self.stiffness * np.abs(v) / g * z, 0.0)

    def torque(self, z: Array, rate: Array) -> Array:
        """σ0 z + σ1 ż"""
        return np.where(self.bent, self.stiffness * z + self.damping * rate, 0.0)


def bristles_of(robot: RobotDescription, sigma0: Sequence[float] | None, sigma1: Sequence[float] | None) -> Bristles:
    """As given, one a coordinate, or by default. Bristles need something to bend against, whichever way they slide."""
    rubs = Rubbing(robot)
    still, one = np.zeros(robot.dof), np.ones(robot.dof)
    low, high = (rubs.dry_friction(still, way * one, still) for way in (-1, 1))
    for v in (0.0, FAST):
        for way in (-1, 1):
            _refuse_bare(robot, rubs.dry, way * rubs.dry_friction(way * v * one, way * one, still))
    bend = np.where(robot.coordinates.turns, TURN, SLIDE)
    stiffness = np.maximum(-low, high) / bend if sigma0 is None else np.array(sigma0)
    stiffness = np.where(rubs.dry, stiffness, 1.0)
    damping = stiffness * DAMPED if sigma1 is None else np.array(sigma1)
    return Bristles(stiffness, np.where(rubs.dry, damping, 0.0), tuple(map(bool, rubs.dry)))


def _refuse_bare(robot: RobotDescription, dry: NDArray[np.bool_], against: Array) -> None:
    for name, has, torque in zip(robot.joint_names, dry, against):
        if has and not torque > 0:
            raise InputError(
                "joint {name!r}: its dry friction goes down to {torque:g} in one way of moving, so bristles "
                'have nothing to bend against; give it Coulomb friction in both, or take friction="stick"',
                name,
                torque + 0.0,
            )


# Steps that springs and bristles can bear: an explicit method lets a swing grow that is faster than it can follow.
#
# The arm at its start, gone stiff but for its springs, is linear,
#
#     M ẍ + D ẋ + S x = 0
#
# and one step of an integrator makes it a matrix. Its largest eigenvalue is how fast the swing grows from step to
# step.

GROWS = 1.05  # in a step: twice as large after fourteen
HALVINGS = 24


class Linear(NamedTuple):
    """M, D and S; the joint of a coordinate is its place among the joints, links first, then motors."""

    inertia: Array
    damping: Array
    stiffness: Array


def linear_drives(M: Array, springs: Springs | None, bristles: Bristles | None) -> Linear:
    """M(q) of the links, with their motors where those are rigid. Bristles are of the motors, if these are apart."""
    n = len(M)
    rubbed = (np.zeros(n), np.zeros(n))
    if bristles is not None:
        rubbed = np.where(bristles.bent, bristles.stiffness, 0.0), np.where(bristles.bent, bristles.damping, 0.0)
    if springs is None:
        return Linear(M, np.diag(rubbed[1]), np.diag(rubbed[0]))
    none, k = np.zeros((n, n)), np.diag(springs.stiffness)
    inertia = np.block([[M, none], [none, np.diag(springs.inertia)]])
    damping = np.block([[none, none], [none, np.diag(rubbed[1])]])
    return Linear(inertia, damping, np.block([[k, -k], [-k, k + np.diag(rubbed[0])]]))


def growth(arm: Linear, method: str, step: float) -> tuple[float, int]:
    """(the largest factor of a step, the coordinate that swings most in it)"""
    size = len(arm.inertia)
    slow = np.linalg.solve(arm.inertia, np.hstack([arm.stiffness, arm.damping]))

    def rate(x: Any) -> Any:
        # ẋ = v,  v̇ = −M⁻¹ (S x + D v)
        return {"q": x["qd"], "qd": (-slow @ np.concatenate([x["q"], x["qd"]])).tolist()}

    slopes = np.block([[np.zeros((size, size)), np.eye(size)], [-slow]]).tolist()
    columns = []
    for unit in np.eye(2 * size):
        x = {"q": unit[:size].tolist(), "qd": unit[size:].tolist()}
        if method in SOLVED:
            new = SOLVED[method](FLOATS, rate, slopes, x, step, add).state
        else:
            new = INTEGRATORS[method](rate, x, step, add)
        columns.append([*new["q"], *new["qd"]])
    values, vectors = np.linalg.eig(np.array(columns, dtype=float).T)
    worst = int(np.argmax(np.abs(values)))
    return float(np.abs(values[worst])), int(np.argmax(np.abs(vectors[:size, worst])))


def refuse_steps(names: Sequence[str], arm: Linear, method: str, step: float) -> None:
    """Raises where a spring's swing would grow on its own."""
    found, where = growth(arm, method, step)
    if not found > GROWS:
        return
    short = next((step / 2**k for k in range(1, HALVINGS) if growth(arm, method, step / 2**k)[0] <= GROWS), None)
    remedy = "" if short is None else Message("; take step={short:.2g}, or a softer drive", short)
    raise InputError(
        "joint {names!r}: its drive swings faster than {method!r} follows in steps of {step:g} s: it would grow by "
        "{found:.3g} in each{remedy}",
        names[where % len(names)],
        method,
        step,
        found,
        remedy,
    )
