"""From the eigenvalues' rough roots to polished, distinct, counted ones; and the twins of near-double roots.

A root is a row of six angles, complex in general. Of a conjugate pair only one is kept.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from manipula.tasks.arrays import Bits, Floats
from manipula.tasks.closing import Arm6R, solved, wrapped

Complex = NDArray[np.complex128]
Index = NDArray[np.intp]

CONVERGED = 1e-6  # a last Newton step below this has a root within its square
REACH = 0.5  # rad; no Newton step is longer
REAL = 1e-6  # imaginary parts below this leave a residual of their square
PAIR = 0.2  # a start this near to the real axis may stand for two real roots that are close
SAME = 1e-6  # roots closer than this are one
STIFF = 30.0  # where J⁻¹ is larger than this, a twin may be near


class Roots(NamedTuple):
    """Real ones (n, 6) with the distance to the twin each would have, and complex ones (m, 6), one of each pair."""

    real: Floats
    apart: Floats
    pairs: Complex

    @property
    def count(self) -> int:
        """With double roots counted twice."""
        return len(self.real) + int((self.apart < SAME).sum()) + 2 * len(self.pairs)

    def joined(self, other: Roots) -> Roots:
        real, kept = distinct(np.concatenate([self.real, other.real]))
        pairs, _ = distinct(np.concatenate([self.pairs, other.pairs]))
        return Roots(real, np.concatenate([self.apart, other.apart])[kept], pairs)


NONE = Roots(np.empty((0, 6)), np.empty(0), np.empty((0, 6), dtype=complex))


def settled(arm: Arm6R, starts: Complex, target: Floats, owner: Index, count: int) -> list[Roots]:
    """Polish rough roots; `target` (n, 4, 4) and `owner` (n) say to which of `count` poses each row belongs."""
    z, size = arm.newton(starts, target, 2, REACH)
    late = ~(size < CONVERGED)
    if late.any():
        z[late], size[late] = arm.newton(z[late], target[late], 6, REACH)
    arrived = size < CONVERGED
    alone = np.abs(z.imag).max(-1) > REAL
    off = np.abs(starts.imag).max(-1)
    unsure = (off > 0) & (off < PAIR) & ~(arrived & alone)
    real, at = z.real[arrived & ~alone], np.flatnonzero(arrived & ~alone)
    if unsure.any():
        extra, rows = _both_sides(arm, starts[unsure], target[unsure], np.flatnonzero(unsure))
        real, at = np.concatenate([real, extra]), np.concatenate([at, rows])
    real, apart = polished(arm, real, target[at])
    return _sorted_out(real, apart, owner[at], z[arrived & alone], owner[arrived & alone], count)


def settled_one(arm: Arm6R, starts: Any, target: Floats) -> Roots:
    """The same for one pose."""
    owner = np.zeros(len(starts), dtype=np.intp)
    return settled(arm, starts + 0j, np.broadcast_to(target, (len(starts), 4, 4)), owner, 1)[0]


def _both_sides(arm: Arm6R, starts: Complex, target: Floats, rows: Index) -> tuple[Floats, Index]:
    """Two close real roots may have come as a complex pair: its imaginary part points from their middle to each."""
    both = np.concatenate([starts.real + starts.imag, starts.real - starts.imag])
    found, size = arm.newton(both, np.concatenate([target, target]), 8, REACH)
    arrived = size < CONVERGED
    return found[arrived], np.concatenate([rows, rows])[arrived]


def _sorted_out(real: Floats, apart: Floats, at: Index, pairs: Complex, pairs_at: Index, count: int) -> list[Roots]:
    found = []
    for i in range(count):
        mine, kept = distinct(real[at == i])
        above, _ = distinct(_above(pairs[pairs_at == i]))
        found.append(Roots(mine, apart[at == i][kept], above))
    return found


def _above(z: Complex) -> Complex:
    """Of a pair, the one whose largest imaginary part is positive."""
    lead = np.take_along_axis(z.imag, np.abs(z.imag).argmax(-1, keepdims=True), -1)
    return np.where(lead < 0, z.conj(), z)


def distinct(z: Any) -> tuple[Any, Index]:
    """The rows that differ from all rows before them, and their numbers."""
    gap = z[:, None] - z[None]
    far = np.abs(wrapped(gap.real)) + np.abs(gap.imag)
    same = np.tril(far.max(-1, initial=0.0) < SAME, -1)
    kept = np.flatnonzero(~same.any(-1))
    return z[kept], kept


def polished(arm: Arm6R, angles: Floats, target: Floats) -> tuple[Floats, Floats]:
    """One more Newton step where it helps, and how far from each root its twin is (inf: far)."""
    twist, J = arm.missing(angles, target)
    there = angles + solved(J, twist)
    better = np.abs(arm.missing(there, target)[0]).max(-1) < np.abs(twist).max(-1)
    _, apart = twins(arm, angles, J)
    return np.where(better[:, None], there, angles), apart


def twins(arm: Arm6R, angles: Floats, J: Floats) -> tuple[Floats, Floats]:
    """Where the second root near a root should be, to second order, and how far away (inf where nothing is near).

    Along the direction n that moves the tool least, t·σ + t²/2·h = 0 with h the change of J·n along n.
    """
    apart, there = np.full(len(angles), np.inf), angles.copy()
    stiff = np.flatnonzero(_stiff(J))
    if len(stiff):
        U, values, V = np.linalg.svd(J[stiff])
        n, u = V[:, 5], U[:, :, 5]
        small = 1e-4
        ahead, behind = (arm.derivative(angles[stiff] + way * small * n) for way in (1, -1))
        h = (u[:, None] @ (ahead - behind) @ n[:, :, None])[:, 0, 0] / (2 * small)
        t = -2 * values[:, 5] / np.where(h == 0, np.finfo(float).tiny, h)
        step = np.clip(t, -10, 10)[:, None] * n
        apart[stiff], there[stiff] = np.abs(step).max(-1), angles[stiff] + step
    return there, apart


def _stiff(J: Floats) -> Bits:
    try:
        size: Bits = ~(np.abs(np.linalg.inv(J)).max((-1, -2), initial=0.0) < STIFF)
    except np.linalg.LinAlgError:
        size = np.ones(len(J), dtype=bool)
    return size
