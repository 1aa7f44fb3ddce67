"""What figures share: matplotlib, if it is there, colours that every eye can tell apart, axes in metres."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError

Array = NDArray[np.float64]
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#8a6d3b")  # Okabe, Ito
LETTERS = "xyz"
FLAT = 1e-9  # of the size: thinner than this, an arm moves in a plane
IN_SPACE = 0.86  # of a picture's shorter side: how much the diagonal of what is drawn takes


def blank(what: str, size: tuple[float, float], otherwise: str = "") -> Any:
    """A figure of so many inches; `what` is what needs matplotlib, `otherwise` a way without it."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError:
        raise InputError("{what} needs matplotlib: pip install 'manipula[plot]'{otherwise}", what, otherwise) from None
    from manipula.pages.plots.shown import Shown

    return Shown(figsize=size, layout="constrained")


def plainly(text: str) -> str:
    """A name as it is: matplotlib reads what stands between dollars as mathematics."""
    return text.replace("$", r"\$")


def plane_of(points: Array, size: float) -> tuple[int, ...]:
    """Which of x, y, z are drawn: all, or two where everything stays in a plane."""
    thin = np.flatnonzero(np.ptp(points.reshape(-1, 3), axis=0) <= FLAT * size)
    return tuple(i for i in range(3) if i != thin[-1]) if len(thin) else (0, 1, 2)


def framed(place: Any, low: Array, high: Array, axes: Sequence[int]) -> float:
    """All between the corners is within, and a metre is a metre along every axis: so many points as are returned."""
    least = (0.3 if len(axes) == 2 else 0.6) * max(float((high - low).max()), 1e-9)
    extent = np.maximum(high - low, least)[list(axes)] * 1.1
    middle = ((low + high) / 2)[list(axes)]
    for letter, axis, at, wide in zip(LETTERS, axes, middle, extent):
        getattr(place, f"set_{letter}lim")(at - wide / 2, at + wide / 2)
        getattr(place, f"set_{letter}label")(f"{LETTERS[axis]} [m]")
    inches = min(place.figure.get_size_inches())
    if len(axes) == 2:
        place.set_aspect("equal")
        place.grid(alpha=0.3)
        return float(72 * 0.8 * inches / extent.max())
    place.set_box_aspect(extent, zoom=0.93)
    place.set_proj_type("ortho")
    place.locator_params(nbins=5)
    return float(72 * IN_SPACE * inches / np.linalg.norm(extent))
