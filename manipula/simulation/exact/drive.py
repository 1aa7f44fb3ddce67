"""What drives an arm: torques by time and state, a law with memory, in continuous time or sampled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
# (t, q, q̇, x) → the torques, and of what the law remembers, x, the rate; of a sampled law its next value
Law = Callable[[float, Array, Array, Array], tuple[Array, Array]]
_NOTHING: Array = np.empty(0)


@dataclass(frozen=True)
class Drive:
    """`law(t, q, qd, x)` gives torques and the rate of its memory x.

    With `sample` it is asked once in so many seconds, from the start on; its torques are held in between, and what it
    gives beside them is the next x. One that has been at work before holds its last torque, `held`, and is asked after
    `wait` seconds. `breaks` are times at which the torques jump or have a corner.
    """

    law: Law
    state: Array = field(default_factory=lambda: _NOTHING)
    sample: float | None = None
    breaks: Sequence[float] = ()
    held: Array | None = None
    wait: float = 0.0


def drive_from(given: Callable[[float, Array, Array], Array] | Drive | None, dof: int) -> Drive:
    """A drive, torques as a function of (t, q, q̇), or nothing."""
    if isinstance(given, Drive):
        return given
    if given is None:
        idle = np.zeros(dof)
        return Drive(lambda t, q, qd, x: (idle, x))
    torques = given
    return Drive(lambda t, q, qd, x: (np.asarray(torques(t, q, qd), dtype=float), x))
