"""How exact an answer is, and why: every tolerance of the choice among branches, each with its reason.

A closed form solves the arm it takes its own for. Where axes that should cross miss each other by 2e-11 m, its branches
miss every pose by about that much: `defect_of` measures it once. What the arm's own structure explains is accepted at
once, as an answer of an exact arm is; and beside a singular pose, where so little moves a joint far (by the defect over
the distance), a seed that stands at the pose already is the answer.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from manipula.ik.numeric import newton
from manipula.ik.numeric.arrays import Bits, Floats, Kinematics

EXACT = 1e-12  # largest |FK − pose| of an answer, for an arm of 1 m
FEW = 4e-6  # the same for fewer than six joints: ‖ΔT‖ ≤ √12·1e-6 of a pose whose entries are wrong by 1e-6 each
MET = 1e-9  # of fewer than six joints, where one branch meets the pose so well: the pose is exact, the others must be
GOOD = 1e-13  # residual of a branch that needs no polish, for an arm of 1 m
CLEAN = 1e-13  # defect of a pose that is only rounding
CALM = 1e-8  # above this `fit` no two branches meet and nothing is undetermined
FAMILY = 1e-18  # above this `fit` a branch is alone: only beside a lock this close can answers form a family
ALMOST = -1e-6  # a branch this far out of reach may have been lost by rounding
NEARBY = 1e-3  # a branch that misses by less is worth a polish, and two this close may be one
BESIDE = 0.05  # the same miss for fewer than six joints, where a pose that is a little off leads the closed form astray
SAME = 1e-6  # rad; answers nearer than this are one
ONE = 2e-15  # two answers between which the pose is missed by less are one double root
SLACK = 1e-12  # a turn that ends this far past a limit may still be chosen: a joint on its limit is inside
INSIDE = 1e-9  # a joint this far past its limit is on it
APART = 5.0  # of the root of the defect: joints that move along amplify it
MOVED = 1e-7  # rad; where the defect moves a joint by more, the seed is asked

SAMPLES = 48
REGULAR = 1e-3  # `fit` of a pose at which a defect shows as it is
MOST = 1e-7  # of the arm's size: what misses by more is no defect of the structure
MARGIN = 8.0  # the largest of some samples is not the largest there is
ROUNDING = 1e-15  # of the arm's size: what every arm has


class Tolerances(NamedTuple):
    """Of one arm: what its answers are measured by."""

    exact: float
    """Largest entry of |FK − pose| of an answer."""
    met: float
    """The same where some branch meets the pose so well."""
    good: float
    """The same for a branch that is taken as it comes."""
    calm: float
    """`fit` above which branches need not be compared."""
    blurred: float
    """`fit` below which the arm's defect moves joints, so that a seed is asked first."""
    beside: float
    """A branch that misses by less is worth a polish."""
    same: float
    """Two answers nearer than this are one."""
    maybe: float
    """Two answers nearer than this may be one."""


def tolerances_of(size: float, defect: float, dof: int) -> Tolerances:
    """Of an arm with a size, m, whose structure is off by `defect`, m."""
    moved = ((defect + ROUNDING * size) / (MOVED * size)) ** 2
    calm = np.inf if dof < 6 else max(CALM, moved)  # few joints: every pose is compared, added axes double the branches
    exact, met, beside = (FEW, MET, BESIDE) if dof < 6 else (EXACT, EXACT, NEARBY)
    if not defect:
        return Tolerances(exact * size, met * size, GOOD * size, calm, moved, beside, SAME, NEARBY)
    # two roots that meet are moved by the defect's own root; and not every singularity shows in `fit`
    same = min(max(SAME, APART * np.sqrt(defect / size)), NEARBY)
    return Tolerances(
        exact * size + defect, met * size + defect, GOOD * size + defect, calm, np.inf, beside, same, same
    )


def accepted(worst: Floats, measure: Tolerances) -> Bits:
    """Which branches (…, branches) that miss by `worst` are answers."""
    met = worst <= measure.met
    found: Bits = np.where(met.any(-1, keepdims=True), met, worst <= measure.exact)
    return found


def sampled(low: Floats, high: Floats, turning: Bits, size: float) -> Floats:
    """Configurations to measure an arm at, the same in every run, (SAMPLES, dof)."""
    reach = np.where(turning, np.pi, size)
    least, most = np.maximum(low, -reach), np.minimum(high, reach)
    return np.random.default_rng(11).uniform(least, np.maximum(most, least), (SAMPLES, low.size))


def defect_of(q: Floats, calm: Floats, poses: Floats, fk: Kinematics, size: float) -> float:
    """By how much branches (n, b, dof) miss poses (n, 4, 4) they reach, where nothing is singular; 0 for rounding."""
    miss = newton.residual(fk(q), poses[:, None])
    plain = (calm > REGULAR)[:, None] & (miss < MOST * size)
    worst = float(miss.max(initial=0.0, where=plain))
    return MARGIN * worst if worst > GOOD * size / MARGIN else 0.0
