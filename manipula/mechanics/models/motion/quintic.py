"""From rest to rest by a polynomial of degree five: velocity and acceleration vanish at both ends.

    x = t/T        s = x³ (10 − 15 x + 6 x²)        ṡ = 30 x² (1 − x)²/T        s̈ = 60 x (1 − x)(1 − 2x)/T²

Source: Craig, "Introduction to Robotics", 3rd ed., section 7.3, higher-order polynomials (eq. 7.17, 7.18), with no
velocity and no acceleration at the ends.
"""

from __future__ import annotations

from typing import Any

from manipula.mechanics.models.entry import Given
from manipula.mechanics.models.motion.ports import Motion
from manipula.mechanics.models.motion.straight import TimeLaw
from manipula.scalar import Maths


def _text(maths: Maths[Any], t: Any, given: Given) -> Motion:
    pace = 1 / given["ref_duration"][0]
    x = t * pace
    rest = 1 - x
    # s = x³ (10 − 15 x + 6 x²)
    s = x * x * x * (10 + x * (6 * x - 15))
    # ṡ = 30 x² (1 − x)²/T,  s̈ = 60 x (1 − x)(1 − 2x)/T²
    return Motion(s, 30 * pace * (x * rest) * (x * rest), 60 * pace * pace * (x * rest) * (rest - x))


QUINTIC = TimeLaw("quintic", "from rest to rest by a polynomial of degree five", (), _text)
