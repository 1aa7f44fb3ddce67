"""From rest to rest in seven pieces of constant jerk: j, 0, −j, then constant velocity, then −j, 0, j.

A ramp takes the velocity from 0 to v in r seconds, its jerk ±j over the first and last u seconds of it:

    a = j u        v = a (r − u)        and its way is v r/2

All is symmetric. With τ the time from the nearer end of the motion and σ that from the nearer end of the ramp,

    p(σ) = j σ³/6,  σ ≤ u        a (σ²/2 − u σ/2 + u²/6),  u ≤ σ ≤ r/2
    h = p(τ)  in the first half of the ramp,  v (r/2 − σ) + p(σ)  in its second,  v (τ − r/2)  after it

and s = h in the first half of the motion, 1 − h in the second. The quickest of this kind under limits of velocity,
acceleration and jerk is in `simulation`.

Derived here from the symmetry; the profile is the double S of Biagiotti, Melchiorri, "Trajectory Planning for Automatic
Machines and Robots" (2008), section 3.4.
"""

from __future__ import annotations

from typing import Any

from manipula.mechanics.models.entry import Given
from manipula.mechanics.models.motion.ports import Motion, setting
from manipula.mechanics.models.motion.straight import TimeLaw
from manipula.mechanics.models.motion.trapezoid import RAMP
from manipula.scalar import Maths

JERK = setting("jerk", "1/s³", "jerk of the share")
JERK_TIME = setting("jerk_time", "s", "time at full jerk, at either end of a ramp")


def _text(maths: Maths[Any], t: Any, given: Given) -> Motion:
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
    "jerk_limited", "from rest to rest in seven pieces of constant jerk", (RAMP, JERK, JERK_TIME), _text
)
