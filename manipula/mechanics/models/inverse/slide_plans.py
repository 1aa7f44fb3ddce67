"""Plans for two or three joints with slides among them: which of the ways of `slides` an arm has, from numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator

from manipula.mechanics.models.inverse.loop import Loop
from manipula.mechanics.models.inverse.plan import Plan
from manipula.mechanics.models.inverse.slides import rotation

STRAIGHT = 1e-9  # sine between axes that are parallel
SLIGHT = 1e-6  # a slide that leans less on an axis is square to it


def slide_plans(loop: Loop) -> Iterator[Plan]:
    """None without a slide, and none where slides are parallel: such an arm can move with its tool at rest."""
    kinds = "".join("R" if axis.kind == "revolute" else "P" for axis in loop.axes)
    if "P" not in kinds:
        return
    title, turning = f"{len(kinds)} joints with slides", [k for k, kind in enumerate(kinds) if kind == "R"]
    if len(turning) == 2 and math.hypot(*_direction(loop, *turning)[:2]) < STRAIGHT:
        leans = abs(_direction(loop, *sorted((kinds.index("P"), turning[0])))[2]) > SLIGHT
        case, words = (f"{kinds} leaning", "leans on them") if leans else (f"{kinds} flat", "is square to them")
        said = f"axes {turning[0] + 1} and {turning[1] + 1} are parallel; {_sliding(kinds)} and {words}"
        yield Plan("with slides", case, title, said, () if leans else ("slide",))
    elif _independent(loop, kinds):
        said = f"the orientation gives what turns; {_sliding(kinds)}" if turning else _sliding(kinds)
        yield Plan("with slides", "", title, said)


def _sliding(kinds: str) -> str:
    *most, last = (str(k + 1) for k, kind in enumerate(kinds) if kind == "P")
    return f"{', '.join(most)} and {last} slide" if most else f"{last} slides"


def _direction(loop: Loop, first: int, second: int) -> tuple[float, float, float]:
    """The direction of an axis, seen from one before it."""
    R = rotation(loop, first, second)
    return R[0][2], R[1][2], R[2][2]


def _independent(loop: Loop, kinds: str) -> bool:
    """Whether no slide repeats what others do, but for single configurations of what turns between them."""
    sliding = [k for k, kind in enumerate(kinds) if kind == "P"]
    if len(sliding) < 2:
        return True
    if len(sliding) == 3:
        b, c = _direction(loop, 0, 1), _direction(loop, 0, 2)
        return abs(b[0] * c[1] - b[1] * c[0]) > SLIGHT
    if sliding == [0, 2]:  # an axis turns between them: they are one only if both slide along it
        return min(abs(_direction(loop, k, k + 1)[2]) for k in (0, 1)) < 1 - SLIGHT
    return math.hypot(*_direction(loop, *sliding)[:2]) > SLIGHT
