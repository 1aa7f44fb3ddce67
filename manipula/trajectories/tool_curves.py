"""Joints along a curve of the tool: one branch, followed from the start, exact at every place.

    q' = J⁺ x'        q'' = J⁺ (x'' − J̇ q') + (1 − J⁺ J) J̇ᵀ J⁺ᵀ q',  J̇ along q'

Steps are predicted by these two and corrected by Newton's method. Of what a redundant arm, or a task of the position
alone, leaves open the joints do the least: J⁺ is the pseudoinverse. Between the steps a smooth curve says where the
free motions are. The least singular value of the Jacobian says how near a singular pose is.

Source: Siciliano et al., "Robotics" (2009), section 3.5 (inverse differential kinematics, redundant arms).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
import scipy
from numpy.typing import NDArray

from manipula.ik.arm.numeric_arm import NumericArm
from manipula.mechanics.models.motion.ports import Motion

# Rotations as the tool's paths need them: the geodesic between two, and a turn about an axis.

Floats = NDArray[np.float64]


def rotation_from_vector(turn: Floats) -> Floats:
    """exp of rotation vectors (…, 3): matrices (…, 3, 3)."""
    flat = turn.reshape(-1, 3)
    return np.asarray(scipy.spatial.transform.Rotation.from_rotvec(flat).as_matrix().reshape(*turn.shape[:-1], 3, 3))


def turn_between(one: Floats, other: Floats) -> Floats:
    """The shortest turn, in world axes, from one orientation to another: R₁ = exp(turn) R₀."""
    return np.asarray(scipy.spatial.transform.Rotation.from_matrix(other @ one.T).as_rotvec())


def misalignment(wanted: Floats, found: Floats) -> Floats:
    """The small turn that is left from `found` to `wanted`, matrices (…, 3, 3), in world axes."""
    # ½ (R_wanted R_foundᵀ − its transpose), as a vector
    skew = wanted @ np.swapaxes(found, -1, -2)
    skew = (skew - np.swapaxes(skew, -1, -2)) / 2
    return np.stack([skew[..., 2, 1], skew[..., 0, 2], skew[..., 1, 0]], axis=-1)


# Curves of the tool in space, s from 0 to 1: pose, and the first two derivatives of its motion.
#
#     line     p = p₀ + s d,  R = exp(s φ) R₀                      φ: the shortest turn, so the geodesic
#     circle   p = c + exp(s α n)(p₀ − c),  R = exp(s α n) R₀ or R₀
#
# In world axes the velocity is ẋ = x'(s) ṡ and the acceleration ẍ = x''(s) ṡ² + x'(s) s̈, linear rows, then angular.

NOTHING = 1e-12  # m or rad


class Place(NamedTuple):
    """Poses (…, 4, 4) and their derivatives with respect to s, (…, 6)."""

    pose: Floats
    first: Floats
    second: Floats


class Curve(Protocol):
    """A curve of the tool; `way`: its length in m, or its angle in rad where the tool only turns."""

    @property
    def way(self) -> float: ...
    def at(self, s: Floats) -> Place: ...


class StraightLine:
    """Straight from one pose to another, turning steadily."""

    def __init__(self, start: Floats, goal: Floats) -> None:
        self.start, self.step = start, goal[:3, 3] - start[:3, 3]
        self.turn = turn_between(start[:3, :3], goal[:3, :3])
        self.way = _size(self.step) or _size(self.turn)

    def at(self, s: Floats) -> Place:
        pose = _constant_pose(self.start, s)
        pose[..., :3, 3] += s[..., None] * self.step
        pose[..., :3, :3] = rotation_from_vector(s[..., None] * self.turn) @ self.start[:3, :3]
        first = np.broadcast_to(np.concatenate([self.step, self.turn]), (*s.shape, 6))
        return Place(pose, first, np.zeros_like(first))


class Circle:
    """About an axis through a centre; the tool keeps its orientation or turns with it."""

    def __init__(self, start: Floats, centre: Floats, axis: Floats, angle: float, turning: bool) -> None:
        self.start, self.centre, self.spin, self.turning = start, centre, axis * angle, turning
        radius = _size(np.cross(axis, start[:3, 3] - centre))
        self.way = radius * abs(angle) or (abs(angle) if turning else 0.0)

    def at(self, s: Floats) -> Place:
        turn = rotation_from_vector(s[..., None] * self.spin)
        arm = turn @ (self.start[:3, 3] - self.centre)
        pose = _constant_pose(self.start, s)
        pose[..., :3, 3] = self.centre + arm
        if self.turning:
            pose[..., :3, :3] = turn @ self.start[:3, :3]
        # p' = αn × r,  p'' = αn × (αn × r)
        speed = np.cross(self.spin, arm)
        spin = np.broadcast_to(self.spin if self.turning else np.zeros(3), speed.shape)
        second = np.concatenate([np.cross(self.spin, speed), np.zeros_like(speed)], axis=-1)
        return Place(pose, np.concatenate([speed, spin], axis=-1), second)


def _size(x: Floats) -> float:
    """The length of a vector; below rounding it is zero."""
    found = float(np.linalg.norm(x))
    return found if found > NOTHING else 0.0


def _constant_pose(pose: Floats, s: Floats) -> Floats:
    return np.array(np.broadcast_to(pose, (*s.shape, 4, 4)))


LONGEST, SHORTEST = 1 / 128, 1 / 32768  # steps along the curve
CORRECTIONS = 8
FAR = 0.2  # rad or m: a correction that large is a jump to another branch
EXACT = 1e-10  # m and rad, when a place is reached
CROSSED = 1e-7  # m and rad, from a singular pose: it is passed through
RANK = 1e-9  # of the largest singular value: below, a direction does not count
ROWS = {"pose": slice(0, 6), "position": slice(0, 3)}


@dataclass(frozen=True)
class Follower:
    """An arm on a curve."""

    arm: NumericArm
    curve: Curve
    task: str

    def slopes(self, q: Floats, s: Floats, free: tuple[Floats, Floats] | None = None) -> Motion:
        """(q, q', q'') at configurations that are there; `free`: motions of which q' and q'' take what the tool leaves
        open."""
        place = self.curve.at(s)
        J = self.jacobian(q)
        inverse = _inverse(J)
        first = self._joint_rates(J, inverse, place.first[..., ROWS[self.task]], free and free[0])
        Jd = self.arm.jacobian_dot(q, first)[..., ROWS[self.task], :]
        rest = place.second[..., ROWS[self.task]] - _product(Jd, first)
        # the derivative of J⁺ has a part in the free motions: J̇ᵀ J⁺ᵀ q'
        freely = _product(np.swapaxes(Jd, -1, -2), _product(np.swapaxes(inverse, -1, -2), first))
        return Motion(q, first, self._joint_rates(J, inverse, rest, freely if free is None else free[1]))

    def _joint_rates(self, J: Floats, inverse: Floats, x: Floats, free: Floats | None) -> Floats:
        """J⁺ x + (1 − J⁺ J) free"""
        return _product(inverse, x) if free is None else free + _product(inverse, x - _product(J, free))

    def error(self, q: Floats, s: Floats) -> Floats:
        """What is left to the place: position, then a small turn."""
        wanted, found = self.curve.at(s).pose, self.arm.pose(q)
        left = wanted[..., :3, 3] - found[..., :3, 3]
        turn = misalignment(wanted[..., :3, :3], found[..., :3, :3])
        return np.concatenate([left, turn], axis=-1)[..., ROWS[self.task]]

    def newton_step(self, q: Floats, s: Floats) -> Floats:
        """One step of Newton's method."""
        return np.asarray(q + _product(_inverse(self.jacobian(q)), self.error(q, s)))

    def solve_near(self, q: Floats, s: float) -> Floats | None:
        """The configuration near q at this place, if there is one."""
        at, found = np.array(s), q
        for _ in range(CORRECTIONS):
            found = self.newton_step(found, at)
            if not np.abs(found - q).max() < FAR:
                return None
            if np.abs(self.error(found, at)).max() < EXACT:
                return self.newton_step(found, at)
        return None

    def sideways(self, q: Floats, s: Floats) -> float:
        """The part of x' that no motion of the joints makes: |x' − J J⁺ x'|/|x'|."""
        J, step = self.jacobian(q), self.curve.at(s).first[..., ROWS[self.task]]
        return float(np.linalg.norm(step - J @ _inverse(J) @ step) / np.linalg.norm(step))

    def smallest(self, q: Floats) -> Floats:
        """The least singular value at configurations (k, n), of as many as the Jacobian has anywhere on the way."""
        values = np.linalg.svd(self.jacobian(q), compute_uv=False)
        rank = int(np.max(np.sum(values > RANK * values[:, :1], axis=1)))
        return np.asarray(values[:, rank - 1])

    def directions(self, q: Floats) -> Floats | None:
        """As many directions of the tool as there are joints, which they move at q; None of a redundant arm."""
        J = self.jacobian(q)
        return None if J.shape[1] > J.shape[0] else np.asarray(np.linalg.svd(J)[0][:, : J.shape[1]].T)

    def jacobian(self, q: Floats) -> Floats:
        return np.asarray(self.arm.jacobian(q)[..., ROWS[self.task], :])


def _inverse(J: Floats) -> Floats:
    return np.asarray(np.linalg.pinv(J, rcond=RANK), dtype=np.float64)


def _product(A: Floats, x: Floats) -> Floats:
    return np.asarray(np.einsum("...ij,...j->...i", A, x))


@dataclass(frozen=True)
class Branch:
    """One branch along a curve: places s and what the joints do there."""

    follower: Follower
    s: Floats
    motion: Motion

    @cached_property
    def _between(self) -> tuple[scipy.interpolate.PPoly, scipy.interpolate.PPoly, scipy.interpolate.PPoly]:
        """Of degree five, with q, q' and q'' at the places; and its derivatives."""
        curve = scipy.interpolate.PPoly.from_bernstein_basis(
            scipy.interpolate.BPoly.from_derivatives(self.s, np.stack(self.motion, axis=1))
        )
        return curve, curve.derivative(), curve.derivative(2)

    def at(self, s: Floats) -> Motion:
        """q, q', q'' anywhere on the curve: guessed between the places, then corrected."""
        guess, first, second = (curve(s) for curve in self._between)
        q = self.follower.newton_step(self.follower.newton_step(guess, s), s)
        return self.follower.slopes(q, s, (first, second))


@dataclass(frozen=True)
class Stopped:
    """Where a branch could not be followed any further; the places before, and the configurations there."""

    at: float
    s: Floats
    q: Floats


def follow_curve(follower: Follower, start: Floats) -> Branch | Stopped:
    """From the start to the end, in steps as long as Newton's method bears.

    Where the determinant changes sign the step may have jumped to the branch beyond a singular pose that the curve
    comes close to; short steps tell whether it goes through it.
    """
    s, step, places, states = 0.0, LONGEST, [0.0], [follower.slopes(start, np.array(0.0))]
    basis = follower.directions(start)
    while s < 1.0:
        q, first, second = states[-1]
        ahead = min(s + step, 1.0)
        h = ahead - s
        there = follower.solve_near(q + h * (first + h / 2 * second), ahead)
        if (
            there is None
            or np.abs(there - q).max() > FAR
            or _changed_branch(follower, basis, q, there, ahead - h, ahead)
        ):
            step = h / 2
            if step < SHORTEST:
                return Stopped(ahead, np.array(places), np.stack([state.q for state in states]))
            continue
        s, step = ahead, min(2 * h, LONGEST)
        places.append(s)
        states.append(follower.slopes(there, np.array(s)))
    return Branch(follower, np.array(places), Motion(*(np.stack(part) for part in zip(*states))))


def _changed_branch(follower: Follower, basis: Floats | None, q: Floats, there: Floats, s: float, ahead: float) -> bool:
    """Has the determinant changed its sign, and is the curve not where it vanishes?"""
    if basis is None:
        return False
    shares = np.linspace(0.0, 1.0, 65)
    between = q + shares[:, None] * (there - q)
    signs = np.sign(np.linalg.det(basis @ follower.jacobian(between)))
    if signs[0] == signs[-1]:
        return False
    at = int(np.argmax(signs != signs[0]))
    # the joints are taken to move evenly: they do, in a step short enough, unless the branch was left
    return bool(np.abs(follower.error(between[at], np.array(s + shares[at] * (ahead - s)))).max() > CROSSED)
