"""How exact an answer of an arm is, and why.

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
from manipula.ik.numeric.limits import span_of
from manipula.ik.numeric.tolerances import BranchTolerance, PartialTolerance, StructureTolerance
from manipula.mechanics.robot.tree import Tree

SAMPLES = 48


class Tolerances(NamedTuple):
    """Of one arm: what its answers are measured by."""

    exact: float
    """Largest entry of |FK − pose| of an answer."""
    met: float
    """The same where some branch meets the pose so well."""
    good: float
    """The same for a branch that is taken as it comes."""
    margin: float
    """Discriminant above which branches need not be compared."""
    blurred: float
    """Discriminant below which the arm's defect moves joints, so that a seed is asked first."""
    beside: float
    """A branch that misses by less is worth a polish."""
    same: float
    """Two answers nearer than this are one."""
    maybe: float
    """Two answers nearer than this may be one."""
    few: bool
    """Whether a pose is met exactly only where its last digit is right, as the arm has fewer than six freedoms."""


def tolerances_of(size: float, defect: float, freedoms: int) -> Tolerances:
    """Of an arm with a size, m, whose structure is off by `defect`, m, and that moves its tool in some `freedoms`."""
    moved = ((defect + StructureTolerance.ROUNDING * size) / (StructureTolerance.MOVED * size)) ** 2
    exact, met, beside = BranchTolerance.EXACT, BranchTolerance.EXACT, BranchTolerance.NEARBY
    margin = max(BranchTolerance.MARGIN, moved)
    if freedoms < 6:  # every pose is compared, as added axes double the branches
        exact, met, beside, margin = BranchTolerance.FEW, BranchTolerance.MET, BranchTolerance.BESIDE, np.inf
    same, maybe, blurred = BranchTolerance.SAME, BranchTolerance.NEARBY, moved
    if defect:
        # two roots that meet are moved by the defect's own root; and not every singularity shows in a discriminant
        same = maybe = min(max(same, StructureTolerance.APART * np.sqrt(defect / size)), BranchTolerance.NEARBY)
        blurred = np.inf
    exact, met, good = (x * size + defect for x in (exact, met, BranchTolerance.GOOD))
    return Tolerances(exact, met, good, margin, blurred, beside, same, maybe, freedoms < 6)


def weighed(J: Floats, turning: Bits, size: float) -> Floats:
    """Jacobians (…, 6, dof) without units: lengths by the arm's size."""
    each: Floats = J / np.array([size, size, size, 1.0, 1.0, 1.0])[:, None] / np.where(turning, 1.0, 1 / size)
    return each


def rank_of(J: Floats) -> int:
    """In how many ways the joints move the tool, by weighed Jacobians (n, 6, dof) at random configurations."""
    sizes = np.linalg.svd(J, compute_uv=False)
    return int((sizes > PartialTolerance.SLIGHT).sum(-1).max(initial=0))


def accepted(worst: Floats, measure: Tolerances) -> Bits:
    """Which branches (…, branches) that miss by `worst` are answers."""
    met = worst <= measure.met
    found: Bits = np.where(met.any(-1, keepdims=True), met, worst <= measure.exact)
    return found


def sampled(low: Floats, high: Floats, turning: Bits, size: float) -> Floats:
    """Configurations to measure an arm at, the same in every run, (SAMPLES, dof)."""
    return np.random.default_rng(11).uniform(*span_of(low, high, np.where(turning, np.pi, size)), (SAMPLES, low.size))


def defect_of(q: Floats, margin: Floats, poses: Floats, fk: Kinematics, size: float) -> float:
    """By how much branches (n, b, dof) miss poses (n, 4, 4) they reach, where nothing is singular; 0 for rounding."""
    miss = newton.residual(fk(q), poses[:, None])
    plain = (margin > StructureTolerance.REGULAR)[:, None] & (miss < StructureTolerance.MOST * size)
    worst = float(miss.max(initial=0.0, where=plain))
    return StructureTolerance.MARGIN * worst if worst > BranchTolerance.GOOD * size / StructureTolerance.MARGIN else 0.0


def size_of(chain: Tree) -> float:
    """An arm's reach, roughly, m; at least 1."""
    parts = [link.before.p for link in chain.links] + [link.after.p for link in chain.links]
    return max(1.0, float(sum(np.hypot.reduce(np.array(p, dtype=float)) for p in parts)))
