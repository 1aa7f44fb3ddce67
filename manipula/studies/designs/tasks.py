"""What a design must do: places for the tool to be at, or configurations of its joints, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from manipula.ik.descent import Descent
from manipula.ik.numeric.arrays import span_of

Array = NDArray[np.float64]
SAMPLES = 41  # of a leg
_U = np.linspace(0.0, 1.0, SAMPLES)
# the quintic from rest to rest: s = 10 u³ − 15 u⁴ + 6 u⁵ and its slopes
_S = np.stack(
    [
        _U**3 * (10 - 15 * _U + 6 * _U**2),
        30 * _U**2 * (1 - _U) ** 2,
        60 * _U * (1 - _U) * (1 - 2 * _U),
    ]
)


class Place(NamedTuple):
    """Where the tool is to be: its whole `pose`, its `position` alone, or its position and its z `axis`."""

    part: str
    pose: tuple[tuple[float, ...], ...]


class Task(NamedTuple):
    """`places`, or `joints`, to go through, resting at each, in `duration` seconds; a single one is held. `mass` and
    `com` are those of the load in the hand."""

    name: str
    places: tuple[Place, ...]
    joints: tuple[tuple[float, ...], ...]
    duration: float
    mass: float
    com: tuple[float, float, float]

    @property
    def stops(self) -> int:
        return len(self.places) or len(self.joints)


class TaskMotion(NamedTuple):
    """Samples of one way through a task, (k, joints) each, and the seconds between two of a leg; 0 at rest."""

    q: Array
    qd: Array
    qdd: Array
    step: float

    def faster(self, s: float) -> TaskMotion:
        """The same positions at s times the speed."""
        return TaskMotion(self.q, s * self.qd, s**2 * self.qdd, self.step / s)


def motion_through(stops: Array, duration: float) -> TaskMotion:
    """Leg by leg through (…, stops, joints), each leg as long as the others: samples (…, k, joints)."""
    if stops.shape[-2] == 1:
        return TaskMotion(stops, np.zeros_like(stops), np.zeros_like(stops), 0.0)
    legs = stops.shape[-2] - 1
    seconds = duration / legs
    way = np.diff(stops, axis=-2)[..., None, :]
    s, v, a = (x[:, None] for x in _S)
    q = stops[..., :-1, None, :] + way * s
    lead = (*stops.shape[:-2], legs * SAMPLES, stops.shape[-1])
    step = seconds / (SAMPLES - 1)
    return TaskMotion(q.reshape(lead), (way * v / seconds).reshape(lead), (way * a / seconds**2).reshape(lead), step)


# Configurations of a design at the places of a task: damped least squares from many starts, in machine code.
#
# What a search does not find may be there all the same; with as many starts as here that is seldom, and the reason of
# the design says so.

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
    `miss` is the distance left, over the arm's length."""

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


# The way through a task, from configuration to configuration: of all that those found at its places allow, the one
# with the least sum over its legs. Bellman's recursion: the best way to b ends with the best way to some a, then the
# leg from a to b.

Price = Callable[[Array], Array]  # of legs (k, 2, joints), or of a rest (k, 1, joints)


def best_way(answers: Sequence[Array], space: Space, price: Price) -> Array:
    """(stops, joints)"""
    if len(answers) == 1:
        rows = answers[0]
        return rows[[int(price(rows[:, None]).argmin())]] if len(rows) > 1 else rows
    total, came = np.zeros(len(answers[0])), list[NDArray[np.intp]]()
    for a, b in pairwise(answers):
        ends = nearest_turns(b[None], a[:, None], space)
        legs = np.stack([np.broadcast_to(a[:, None], ends.shape), ends], axis=-2)
        costs = total[:, None] + price(legs.reshape(-1, 2, a.shape[-1])).reshape(len(a), len(b))
        came.append(costs.argmin(0))
        total = costs.min(0)
    return _back(answers, came, int(total.argmin()), space)


def _back(answers: Sequence[Array], came: Sequence[NDArray[np.intp]], last: int, space: Space) -> Array:
    chosen = [last]
    for before in reversed(came):
        chosen.append(int(before[chosen[-1]]))
    stops = [rows[k] for rows, k in zip(answers, reversed(chosen))]
    for k in range(1, len(stops)):
        stops[k] = nearest_turns(stops[k], stops[k - 1], space)
    return np.array(stops)
