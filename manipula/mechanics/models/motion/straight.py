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
from manipula.mechanics.models.motion.ports import DURATION, GOAL, START, Motion, outside, reference, within
from manipula.mechanics.models.ports import PortKind
from manipula.scalar import Maths


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

    def along(self, maths: Maths[Any], t: Any, x: Given) -> Motion:
        """s, ṡ, s̈ at any time."""
        end = x["ref_duration"][0]
        s, sd, sdd = self.text(maths, within(maths, t, end), x)
        rests = outside(maths, t, end)
        return Motion(s, maths.select(rests, 0, sd), maths.select(rests, 0, sdd))

    def _motion(self, maths: Maths[Any], t: Any, x: Given) -> Motion:
        s, sd, sdd = self.along(maths, t, x)
        ways = [b - a for a, b in zip(x["ref_start"], x["ref_goal"], strict=True)]
        going = maths.less(t, x["ref_duration"][0])
        # q₀ + (q₁ − q₀) may miss q₁ by a rounding: at the end it is q₁ itself
        q = [maths.select(going, a + s * way, b) for a, b, way in zip(x["ref_start"], x["ref_goal"], ways, strict=True)]
        return Motion(q, [sd * way for way in ways], [sdd * way for way in ways])
