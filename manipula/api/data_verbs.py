"""Verbs about recordings: the motion to record."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from manipula.api.robot_verbs import loaded

if TYPE_CHECKING:
    from manipula.identification.excitation.excitation import Excitation
    from manipula.robot import Robot


def excite(
    robot: Robot | str,
    *,
    seconds: float = 10.0,
    harmonics: int = 5,
    criterion: str = "logdet",
    limits: Mapping[str, Any] | None = None,
    seeds: int | Sequence[int] = 3,
    box: Any = None,
    motion: str = "fourier",
    rate: float = 100.0,
    tell: Callable[[str], None] = lambda text: None,
) -> Excitation:
    """A motion that makes the arm's parameters visible, to be recorded and identified from: a trajectory, from rest
    to rest, with its `.condition`, to be saved for the robot.

    `criterion` is "logdet" (the smallest errors on the whole) or "condition" (no direction much worse than others).
    `motion` is "fourier", a periodic motion of so many `harmonics`, or "spline" through 2·harmonics + 1 points.
    `limits` are those of the robot's file unless given here, {"position": (low, high) or one pair a joint, "velocity":
    …, "acceleration": …, "effort": …}; 95 % of them are used, between samples too. `box` keeps the tool's origin out
    of ((x, x), (y, y), (z, z)), metres in the world; {"keep_in": …, "keep_out": …} says both. `seeds` is how many
    searches are made, or from which seeds; the best is kept. `rate` is how many rows a second `save` writes.

    Only geometry is read, unless efforts are limited: masses need not be known.

    >>> from manipula import load
    >>> arm = load("planar2r").with_parameters(l1=0.5, l2=0.4, g=9.81)
    >>> excite(arm, seconds=5, seeds=1).condition < 15
    True
    """
    from manipula.identification.excitation.excitation import excited

    return excited(
        loaded(robot), seconds=seconds, harmonics=harmonics, criterion=criterion, limits=limits, seeds=seeds, box=box,
        motion=motion, rate=rate, tell=tell,
    )  # fmt: skip
