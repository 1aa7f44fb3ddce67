"""Light: from above, from the left, from behind the eye; matt paint, and some light from all around."""

from __future__ import annotations

from functools import cache

import numpy as np

from manipula.pages.svg.camera import Array

Stops = list[tuple[float, str]]
LIGHT = np.array([-0.40, 0.62, 0.68])
AROUND, DIRECT, SHINE = 0.68, 0.46, 0.10  # shares of the paint's own colour, and of white where it faces the light
ACROSS = (-1.0, -0.5, 0.0, 0.5, 1.0)  # of a round side, where a gradient has its colours
AWAY = (0.0, 0.35, 0.7, 0.9, 1.0)  # of a ball, from its lightest place to its edge


def lit(colour: str, normal: Array) -> str:
    """The colour of a surface that faces that way."""
    return _lit(colour, max(float(normal @ LIGHT), 0.0) / float(np.linalg.norm(LIGHT)))


def _lit(colour: str, towards: float) -> str:
    level, white = AROUND + DIRECT * towards, 255 * SHINE * towards**8
    return "#" + "".join(f"{min(round(x * level + white), 255):02x}" for x in rgb(colour))


@cache
def rgb(colour: str) -> tuple[int, int, int]:
    r, g, b = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return r, g, b


def across(colour: str, side: Array, front: Array) -> Stops:
    """A round side from −side to +side; `front` is its normal in the middle."""
    return [((s + 1) / 2, lit(colour, s * side + np.sqrt(1 - s * s) * front)) for s in ACROSS]


def glow(colour: str) -> Stops:
    """A ball: the surface turns from the light as the sine of the way to its edge."""
    return [(s, _lit(colour, float(np.sqrt(1 - (0.98 * s) ** 2)) * (1 - 0.35 * s))) for s in AWAY]
