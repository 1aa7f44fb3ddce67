"""Joint limits and whole turns: which turn of an angle to take, and how far a joint is from its limits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from manipula.ik.numeric.arrays import Bits, Floats

TURN = 2 * np.pi
SLACK = 1e-12  # a joint on its limit is inside


def bounds(limits: Sequence[tuple[float, float]] | None, dof: int) -> tuple[Floats, Floats]:
    """(low, high), infinite where there is no limit."""
    pairs = np.array([(-np.inf, np.inf)] * dof if limits is None else list(limits), dtype=float).reshape(dof, 2)
    return pairs[:, 0], pairs[:, 1]


def principal(q: Floats, turning: Bits) -> Floats:
    """Angles in (−π, π]; slides as they are."""
    wrapped = np.pi - np.mod(np.pi - q, TURN)
    inside = (q > -np.pi) & (q <= np.pi)
    return np.where(turning & ~inside, wrapped, q)


def wound(q: Floats, turning: Bits, low: Floats, high: Floats, seed: Floats | None) -> Floats:
    """Every angle on the turn inside its limits that is nearest to the seed (without one: to the plain angle).

    Where no turn is inside, the plain angle.
    """
    q = principal(q, turning)
    aim = q if seed is None else np.broadcast_to(seed, q.shape)
    least, most = np.ceil((low - SLACK - q) / TURN), np.floor((high + SLACK - q) / TURN)
    wanted = np.clip(np.round((aim - q) / TURN), least, np.maximum(most, least))
    usable = turning & (least <= most)
    return np.where(usable, q + TURN * np.where(usable, wanted, 0), q)


def margins(q: Floats, low: Floats, high: Floats) -> Floats:
    """Distance to the nearer limit, negative outside."""
    return np.minimum(q - low, high - q)


def distances(a: Floats, b: Floats, turning: Bits) -> Floats:
    """The largest joint difference, whole turns left out, (…)."""
    apart = np.abs(a - b)
    around = np.mod(apart, TURN)
    most: Floats = np.where(turning, np.minimum(around, TURN - around), apart).max(axis=-1)
    return most
