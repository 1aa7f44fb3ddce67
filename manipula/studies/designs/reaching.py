"""Configurations of a design at the places of a task: damped least squares from many starts, in machine code.

What a search does not find may be there all the same; with as many starts as here that is seldom, and a design that is
refused for it is told so.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from manipula.ik.descent.machine import Descent
from manipula.ik.numeric.limits import span_of
from manipula.studies.designs.tasks import Place

Array = NDArray[np.float64]
STARTS = 32
MISS = 1e-6  # rad, and shares of the arm's length: what a place may be missed by
SAME = 1e-3  # rad or m: configurations nearer than that are one
MOST = 12  # configurations of a place
TURN = 2 * np.pi


class Space(NamedTuple):
    """Where the joints may be, and which are angles."""

    low: Array
    high: Array
    turning: NDArray[np.bool_]


class Answers(NamedTuple):
    """Place by place the configurations found, (k, joints) each; the last is empty where a place was not reached, and
    `miss` tells how near the tool came to it, of the arm's length."""

    rows: list[Array]
    miss: float


def starts_in(space: Space, reach: float) -> Array:
    """The middle of the limits, and a fixed spread within them, the same for every design."""
    low, high = span_of(space.low, space.high, np.where(space.turning, np.pi, reach))
    return low + (high - low) * _spread(len(low))


@lru_cache(maxsize=8)
def _spread(joints: int) -> Array:
    inner = np.random.default_rng(17).uniform(size=(STARTS - 1, joints))
    return np.concatenate([np.full((1, joints), 0.5), inner])


def answers_at(places: tuple[Place, ...], descent: Descent, space: Space) -> Answers:
    """At every place what is found from those at the place before, then from the spread of starts."""
    spread, found, miss = starts_in(space, descent.unit), list[Array](), 0.0
    for place in places:
        starts = np.concatenate([found[-1], spread]) if found else spread
        rows, miss = _answers(descent, space, starts, place)
        found.append(_apart(rows))
        if not len(rows):
            break
    return Answers(found, miss)


def _answers(descent: Descent, space: Space, starts: Array, place: Place) -> tuple[Array, float]:
    ends = descent(starts, np.array(place.pose), place.part, bounded=True)
    reached = (ends.miss <= MISS) & _inside(ends.q, space)
    return _plain_turns(ends.q[reached], space), float(ends.miss.min())


def _inside(q: Array, space: Space) -> NDArray[np.bool_]:
    return np.asarray(((q >= space.low - 1e-9) & (q <= space.high + 1e-9)).all(-1))


def _free(space: Space) -> NDArray[np.bool_]:
    """Joints that turn without an end."""
    return space.turning & np.isinf(space.low) & np.isinf(space.high)


def _plain_turns(q: Array, space: Space) -> Array:
    return np.where(_free(space), q - TURN * np.round(q / TURN), q)


def _apart(rows: Array) -> Array:
    """The first of those that are one, and not more of them than a choice needs."""
    far = np.abs(rows[:, None] - rows).max(-1, initial=0.0) > SAME
    left, kept = np.ones(len(rows), dtype=bool), list[int]()
    while left.any() and len(kept) < MOST:
        kept.append(int(left.argmax()))
        left &= far[kept[-1]]
    return rows[kept]


def nearest_turns(rows: Array, to: Array, space: Space) -> Array:
    """The same configurations, joints that turn without an end on the turn that is nearest."""
    return np.where(_free(space), rows + TURN * np.round((to - rows) / TURN), rows)
