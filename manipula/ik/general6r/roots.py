"""From the eigenvalues' rough roots to polished, distinct, counted ones; and the twins of near-double roots.

A root is a row of six angles, complex in general. Of a conjugate pair only one is kept.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from manipula.ik.general6r.closing import Arm6R, inverted, wrapped
from manipula.ik.numeric.arrays import Bits, Floats

Complex = NDArray[np.complex128]
Index = NDArray[np.intp]

CONVERGED = 1e-6  # a last Newton step below this has a root within its square
LONG = 10  # Newton steps for a start that is not near
POLISH = 3
LOOSE = 1e6  # a complex root with a larger J⁻¹ may be one of a family: it proves nothing
RANK = 1e-7  # singular values of J below this, of the largest, move nothing
STILL, FLAT = 1e-11, 1e-6  # what moves less, and its change, are zero
SETTLED = 1e-12  # m
FINE = 1e-14  # m; residuals below this are rounding
SIDE = np.array([1.0, 0.83, 0.61, 0.47, 0.29, 0.13])
SMALL = 1e-4  # rad; for second derivatives
REAL = 1e-6  # imaginary parts below this leave a residual of their square
FAR = 20.0  # nothing so far from the real axis can be computed: a root at infinity
PAIR = 0.2  # a start this near to the real axis may stand for two real roots that are close
SAME = 1e-6  # roots closer than this are one
STIFF = 30.0  # where J⁻¹ is larger than this, a twin may be near


class Roots(NamedTuple):
    """Real ones (n, 6), their residuals, how far from each its twin would be; complex ones (m, 6), one of each pair.

    `distant` counts the eigenvalues beyond the horizon, one of each pair: solutions too far from real to be looked at.
    """

    real: Floats
    residual: Floats
    apart: Floats
    pairs: Complex
    distant: int = 0

    @property
    def total(self) -> int:
        """With double roots counted twice."""
        return len(self.real) + int((self.apart < SAME).sum()) + 2 * (len(self.pairs) + self.distant)

    @property
    def isolated(self) -> int:
        """The number of those that are certainly alone."""
        return int((self.apart >= SAME).sum()) + 2 * (len(self.pairs) + self.distant)

    def joined(self, other: Roots) -> Roots:
        real, residual, apart, pairs = (np.concatenate(both) for both in zip(self[:4], other[:4], strict=True))
        return Roots(real, residual, apart, pairs, max(self.distant, other.distant)).distinct()

    def distinct(self) -> Roots:
        kept, above = firsts(self.real), firsts(self.pairs)
        return Roots(self.real[kept], self.residual[kept], self.apart[kept], self.pairs[above], self.distant)


def settled(arm: Arm6R, starts: Complex, target: Floats, steps: int) -> tuple[Roots, Index, Index]:
    """Polish rough roots, each for its target (n, 4, 4); also the rows from which real ones and pairs came.

    A start gets one Newton step, and `steps` where that is too long to be the last.
    """
    z, size, back = _approached(arm, starts, target, steps)
    off, lean = np.abs(starts.imag).max(-1), np.abs(z.imag).max(-1)
    arrived = (size < CONVERGED) & (lean < FAR)
    pull = np.abs(back).max((-1, -2), initial=0.0)
    at, alone = np.flatnonzero(arrived & (lean <= REAL)), np.flatnonzero(arrived & (lean > REAL) & (pull < LOOSE))
    real, stiff = z.real[at], ~(pull[at] < STIFF)
    unsure = np.flatnonzero((off > 0) & (off < PAIR) & ~(arrived & (lean > REAL)))
    if len(unsure):
        extra, rows = _both_sides(arm, starts[unsure], target[unsure], unsure)
        real, at = np.concatenate([real, extra]), np.concatenate([at, rows])
        stiff = np.ones(len(at), dtype=bool)
    return Roots(*polished(arm, real, target[at], stiff), _above(z[alone])), at, alone


def settled_one(arm: Arm6R, starts: Complex, target: Floats, steps: int = LONG) -> Roots:
    """The distinct roots near the starts, for one target (4, 4)."""
    return settled(arm, starts, np.broadcast_to(target, (len(starts), 4, 4)), steps)[0].distinct()


def settled_each(arm: Arm6R, starts: Complex, target: Floats, owner: Index, steps: int = LONG) -> list[Roots]:
    """The same for many targets; `owner` (n) says to which each start belongs."""
    whole, at, alone = settled(arm, starts, target[owner], steps)
    found = []
    for i in range(len(target)):
        mine = owner[at] == i
        pairs = whole.pairs[owner[alone] == i]
        found.append(Roots(whole.real[mine], whole.residual[mine], whole.apart[mine], pairs).distinct())
    return found


def _approached(arm: Arm6R, starts: Complex, target: Floats, steps: int) -> tuple[Complex, Floats, Complex]:
    """One Newton step, more where it was long: (angles, size of the last step, J⁻¹)."""
    with np.errstate(all="ignore"):  # of roots at infinity
        step, back = arm.step(starts, target)
        z, size = starts + step, np.abs(step).max(-1)
        late = np.flatnonzero(~(size < CONVERGED))
        if len(late) and steps:
            z[late], size[late] = arm.newton(starts[late], target[late], steps)
            back[late] = inverted(arm.derivative(z[late]))
    return z, size, back


def eased(arm: Arm6R, angles: Floats, target: Floats) -> Roots:
    """Where steps of least length lead from real starts: solutions that need not be isolated."""
    for _ in range(2 * LONG):
        frames = arm.frames(angles)
        twist = arm.missing(frames[5], target)
        angles = angles + (np.linalg.pinv(arm.derivative(angles), rcond=RANK) @ twist[..., None])[..., 0]
    worst = arm.residual(arm.frames(angles)[5], np.broadcast_to(target, (len(angles), 4, 4)))
    there = np.flatnonzero(worst < SETTLED * max(1.0, arm.unit))
    apart = twins(arm, angles[there], np.ones(len(there), dtype=bool))[1]
    return Roots(angles[there], worst[there], apart, np.empty((0, 6), dtype=complex)).distinct()


def _both_sides(arm: Arm6R, starts: Complex, target: Floats, rows: Index) -> tuple[Floats, Index]:
    """Two close real roots may have come as a complex pair: its imaginary part points from their middle to each."""
    both = np.concatenate([starts.real + starts.imag, starts.real - starts.imag])
    found, size = arm.newton(both, np.concatenate([target, target]), LONG)
    arrived = size < CONVERGED
    return found[arrived], np.concatenate([rows, rows])[arrived]


def _above(z: Complex) -> Complex:
    """Of a pair always the same one: the one on a fixed side."""
    return np.where((z.imag @ SIDE < 0)[:, None], z.conj(), z)


def firsts(z: Any) -> Index:
    """The numbers of the rows that differ from all rows before them."""
    gap = z[:, None] - z
    far = np.abs(wrapped(gap.real)) + np.abs(gap.imag)
    same = far.max(-1, initial=0.0) < SAME
    if np.count_nonzero(same) == len(z):  # nothing is like anything but itself
        return np.arange(len(z))
    return np.flatnonzero(~np.tril(same, -1).any(-1))


def polished(arm: Arm6R, angles: Floats, target: Floats, stiff: Bits) -> tuple[Floats, Floats, Floats]:
    """Newton steps where they help; residuals; and how far from each root its twin is (inf: far)."""
    worst = arm.residual(arm.frames(angles)[5], target)
    for _ in range(POLISH):
        rough = np.flatnonzero(worst > FINE * max(1.0, arm.unit))
        if not len(rough):
            break
        there = angles[rough] + arm.step(angles[rough], target[rough])[0]
        found = arm.residual(arm.frames(there)[5], target[rough])
        better = found < worst[rough]
        angles[rough[better]], worst[rough[better]] = there[better], found[better]
        if not better.any():
            break
    return angles, worst, twins(arm, angles, stiff)[1]


def twins(arm: Arm6R, angles: Floats, stiff: Bits) -> tuple[Floats, Floats]:
    """Where the second root near a root should be, to second order, and how far away (inf where nothing is near).

    Along the direction n that moves the tool least, t·σ + t²/2·h = 0 with h the change of J·n along n. Where both σ and
    h vanish the arm moves and the tool does not: 0, the root is not alone.
    """
    apart, there = np.full(len(angles), np.inf), angles.copy()
    rows = np.flatnonzero(stiff)
    if len(rows):
        at = angles[rows]
        U, values, V = np.linalg.svd(arm.derivative(at))
        n, u = V[:, 5], U[:, :, 5]
        ahead, behind = (arm.derivative(at + way * n) for way in (SMALL, -SMALL))
        h = (u[:, None] @ (ahead - behind) @ n[:, :, None])[:, 0, 0] / (2 * SMALL)
        flat = (values[:, 5] < STILL) & (np.abs(h) < FLAT)
        t = -2 * values[:, 5] / np.where(flat | (h == 0), np.inf, h)
        step = np.clip(t, -10, 10)[:, None] * n
        apart[rows], there[rows] = np.abs(step).max(-1), at + step
    return there, apart
