"""A log as a figure of matplotlib: what each joint did, what was wanted, and where its motor was at its limit."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError
from manipula.pages.plots.canvas import COLOURS, blank, plainly
from manipula.simulation.records.words.names import MEASURED, si_unit

Array = NDArray[np.float64]
LABELS = {"q": "position", "qd": "speed", "qdd": "acceleration", "tau": "torque"}


class Shown(Protocol):
    """What is drawn: `Log`, of one arm."""

    @property
    def t(self) -> Array: ...
    @property
    def q(self) -> Array: ...
    @property
    def turns(self) -> tuple[bool, ...]: ...
    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def source(self) -> str: ...
    @property
    def saturated(self) -> NDArray[np.bool_]: ...


def figure_of(log: Shown, degrees: bool) -> Any:
    """A row for every quantity there is, a column a joint. It is not shown: a notebook does that by itself."""
    if log.q.ndim != 2:
        raise InputError("log.plot draws one arm, found a batch of {shape}: see log.rows()", log.q.shape[:-2])
    rows = [name for name in MEASURED if getattr(log, name) is not None]
    count = log.q.shape[1]
    figure = blank("log.plot", (max(2.7 * count, 5.0), 2.1 * len(rows) + 0.6))
    axes = figure.subplots(len(rows), count, sharex=True, squeeze=False)
    for places, name in zip(axes, rows):
        for j, place in enumerate(places):
            _draw(place, log, name, j, degrees)
            place.set_title(plainly(log.names[j]) if name == rows[0] else "", fontsize=10)
            place.set_xlabel("time [s]" if name == rows[-1] else "")
    figure.suptitle(plainly(log.source or "log"), fontsize=11)
    return figure


def _draw(place: Any, log: Shown, name: str, j: int, degrees: bool) -> None:
    turns = not log.turns or log.turns[j]
    unit, size = si_unit(name, turns), 1.0
    if degrees and turns and name != "tau":
        unit, size = unit.replace("rad", "deg"), 180 / np.pi
    values = size * getattr(log, name)[:, j]
    place.plot(log.t, values, linewidth=1.3, color=COLOURS[0])
    wanted = getattr(log, f"{name}_ref", None)
    if wanted is not None:
        place.plot(log.t, size * wanted[:, j], color="black", linestyle="--", linewidth=1)
    full = log.saturated[:, j]
    if name == "tau" and full.any():
        place.plot(log.t[full], values[full], ".", color=COLOURS[1], markersize=3)
    place.set_ylabel(f"{LABELS[name] if turns or name != 'tau' else 'force'} [{unit}]", fontsize=9)
    place.tick_params(labelsize=8)
    place.grid(alpha=0.3)
