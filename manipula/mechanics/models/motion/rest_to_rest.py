"""A straight line in joint space: every joint goes the same share of its way at any moment.

    q = q₀ + s (q₁ − q₀)        q̇ = ṡ (q₁ − q₀)        q̈ = s̈ (q₁ − q₀)

The time law s(t) goes from 0 at t = 0 to 1 at the duration; before and after, the reference rests.

Source: Siciliano et al., "Robotics" (2009), section 4.2.1 (point-to-point motion).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from manipula.mechanics.models.block import Block
from manipula.mechanics.models.entry import Given
from manipula.mechanics.models.motion.ports import DURATION, GOAL, START, Motion, outside, reference, setting, within
from manipula.mechanics.models.ports import PortKind
from manipula.scalar import Maths, Scalar


@dataclass(frozen=True)
class TimeLaw:
    """How far along: s, ṡ, s̈ of a time within 0 and the duration. `settings` are those beside the duration."""

    name: str
    doc: str
    settings: tuple[PortKind, ...]
    text: Callable[[Maths[Any], Any, Given], Motion]

    @property
    def block(self) -> Block:
        return reference(self.name, self.doc, (START, GOAL, DURATION, *self.settings), self._motion)

    def along(self, maths: Maths[Any], t: Scalar, x: Given) -> Motion:
        """s, ṡ, s̈ at any time."""
        end = x["ref_duration"][0]
        s, sd, sdd = self.text(maths, within(maths, t, end), x)
        rests = outside(maths, t, end)
        return Motion(s, maths.select(rests, 0, sd), maths.select(rests, 0, sdd))

    def _motion(self, maths: Maths[Any], t: Scalar, x: Given) -> Motion:
        s, sd, sdd = self.along(maths, t, x)
        ways = [b - a for a, b in zip(x["ref_start"], x["ref_goal"], strict=True)]
        going = maths.less(t, x["ref_duration"][0])
        # q₀ + (q₁ − q₀) may miss q₁ by a rounding: at the end it is q₁ itself
        q = [maths.select(going, a + s * way, b) for a, b, way in zip(x["ref_start"], x["ref_goal"], ways, strict=True)]
        return Motion(q, [sd * way for way in ways], [sdd * way for way in ways])


# From rest to rest by a polynomial of degree five: velocity and acceleration vanish at both ends.
#
#     x = t/T        s = x³ (10 − 15 x + 6 x²)        ṡ = 30 x² (1 − x)²/T        s̈ = 60 x (1 − x)(1 − 2x)/T²
#
# Source: Craig, "Introduction to Robotics", 3rd ed., section 7.3, higher-order polynomials (eq. 7.17, 7.18), with no
# velocity and no acceleration at the ends.


def _text(maths: Maths[Any], t: Scalar, given: Given) -> Motion:
    pace = 1 / given["ref_duration"][0]
    x = t * pace
    rest = 1 - x
    # s = x³ (10 − 15 x + 6 x²)
    s = x * x * x * (10 + x * (6 * x - 15))
    # ṡ = 30 x² (1 − x)²/T,  s̈ = 60 x (1 − x)(1 − 2x)/T²
    return Motion(s, 30 * pace * (x * rest) * (x * rest), 60 * pace * pace * (x * rest) * (rest - x))


QUINTIC = TimeLaw("quintic", "from rest to rest by a polynomial of degree five", (), _text)


# From rest to rest at constant acceleration, constant velocity, constant deceleration.
#
# With v = a r the velocity after the ramp of length r, and h the same way read from either end, τ = min(t, T − t):
#
#     h = a τ²/2  on the ramp,  v (τ − r/2)  after it        s = h in the first half, 1 − h in the second
#
# The quickest under limits V, A of ṡ and s̈: r = V/A if V²/A ≤ 1, else r = 1/√A and no time at constant velocity.
#
# Source: Siciliano et al., "Robotics" (2009), section 4.2.1, eq. (4.5)–(4.8) (trapezoidal velocity profile).

RAMP = setting("ramp", "s", "time to come to full velocity, and from it to rest")
SPEED = setting("speed", "1/s", "share of the way in a second, at full velocity")
PULL = setting("pull", "1/s²", "acceleration of the share")


def _trapezoid_text(maths: Maths[Any], t: Scalar, given: Given) -> Motion:
    (end,), (ramp,), (v,), (a,) = (given[name] for name in ("ref_duration", "ref_ramp", "ref_speed", "ref_pull"))
    left = end - t
    first, near = maths.less(t, left), maths.minimum(t, left)
    speeding = maths.less(near, ramp)
    # h = a τ²/2  or  v (τ − r/2)
    h = maths.select(speeding, a * near * near / 2, v * (near - ramp / 2))
    pull = maths.select(speeding, a, 0)
    # s = h  or  1 − h
    return Motion(
        maths.select(first, h, 1 - h),
        maths.select(speeding, a * near, v),
        maths.select(first, pull, -pull),
    )


TRAPEZOID = TimeLaw("trapezoid", "from rest to rest by a trapezoid of velocity", (RAMP, SPEED, PULL), _trapezoid_text)


# From rest to rest in seven pieces of constant jerk: j, 0, −j, then constant velocity, then −j, 0, j.
#
# A ramp takes the velocity from 0 to v in r seconds, its jerk ±j over the first and last u seconds of it:
#
#     a = j u        v = a (r − u)        and its way is v r/2
#
# All is symmetric. With τ the time from the nearer end of the motion and σ that from the nearer end of the ramp,
#
#     p(σ) = j σ³/6,  σ ≤ u        a (σ²/2 − u σ/2 + u²/6),  u ≤ σ ≤ r/2
#     h = p(τ)  in the first half of the ramp,  v (r/2 − σ) + p(σ)  in its second,  v (τ − r/2)  after it
#
# and s = h in the first half of the motion, 1 − h in the second. The quickest of this kind under limits of velocity,
# acceleration and jerk is in `simulation`.
#
# Derived here from the symmetry; the profile is the double S of Biagiotti, Melchiorri, "Trajectory Planning for
# Automatic
# Machines and Robots" (2008), section 3.4.

JERK = setting("jerk", "1/s³", "jerk of the share")
JERK_TIME = setting("jerk_time", "s", "time at full jerk, at either end of a ramp")


def _jerk_limited_text(maths: Maths[Any], t: Scalar, given: Given) -> Motion:
    (end,), (r,), (j,), (u,) = (given[name] for name in ("ref_duration", "ref_ramp", "ref_jerk", "ref_jerk_time"))
    a = j * u
    v = a * (r - u)
    left = end - t
    first, near = maths.less(t, left), maths.minimum(t, left)
    # on the ramp: its first half, or its second read from the other end
    early = maths.less(near, r / 2)
    side = maths.maximum(maths.select(early, near, r - near), 0)
    bending = maths.less(side, u)
    way = maths.select(bending, j * side * side * side / 6, a * (side * (side - u) / 2 + u * u / 6))
    speed = maths.select(bending, j * side * side / 2, a * (side - u / 2))
    pull = maths.minimum(j * side, a)
    h = maths.select(early, way, v * (r / 2 - side) + way)
    hd = maths.select(early, speed, v - speed)
    # after the ramp
    ramped = maths.less(near, r)
    h = maths.select(ramped, h, v * (near - r / 2))
    hd = maths.select(ramped, hd, v)
    hdd = maths.select(ramped, pull, 0)
    return Motion(maths.select(first, h, 1 - h), hd, maths.select(first, hdd, -hdd))


JERK_LIMITED = TimeLaw(
    "jerk_limited", "from rest to rest in seven pieces of constant jerk", (RAMP, JERK, JERK_TIME), _jerk_limited_text
)
