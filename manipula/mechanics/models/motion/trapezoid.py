"""From rest to rest at constant acceleration, constant velocity, constant deceleration.

With v = a r the velocity after the ramp of length r, and h the same way read from either end, τ = min(t, T − t):

    h = a τ²/2  on the ramp,  v (τ − r/2)  after it        s = h in the first half, 1 − h in the second

The quickest under limits V, A of ṡ and s̈: r = V/A if V²/A ≤ 1, else r = 1/√A and no time at constant velocity.

Source: Siciliano et al., "Robotics" (2009), section 4.2.1, eq. (4.5)–(4.8) (trapezoidal velocity profile).
"""

from __future__ import annotations

from typing import Any

from manipula.mechanics.models.entry import Given
from manipula.mechanics.models.motion.ports import Motion, setting
from manipula.mechanics.models.motion.straight import TimeLaw
from manipula.scalar import Maths

RAMP = setting("ramp", "s", "time to come to full velocity, and from it to rest")
SPEED = setting("speed", "1/s", "share of the way in a second, at full velocity")
PULL = setting("pull", "1/s²", "acceleration of the share")


def _text(maths: Maths[Any], t: Any, given: Given) -> Motion:
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


TRAPEZOID = TimeLaw("trapezoid", "from rest to rest by a trapezoid of velocity", (RAMP, SPEED, PULL), _text)
