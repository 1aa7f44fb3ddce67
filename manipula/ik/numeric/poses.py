"""The door: what a caller calls a pose, checked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from manipula.errors import InputError, caution
from manipula.ik.numeric import newton
from manipula.ik.numeric.arrays import Bits, Floats, Kinematics, span_of
from manipula.ik.numeric.tolerances import BranchTolerance, PartialTolerance, PoseTolerance, StructureTolerance
from manipula.mechanics.robot.tree import Tree
from manipula.messages import Message


def poses_from_value(value: ArrayLike) -> Floats:
    """float64 of shape (…, 4, 4), contiguous. What it holds is checked by `checked_poses`, when the defect says so."""
    if type(value) is np.ndarray and value.dtype == np.float64 and value.shape[-2:] == (4, 4):
        return value if value.flags.c_contiguous else np.ascontiguousarray(value)
    try:
        array = np.asarray(value, dtype=float)
    except (ValueError, TypeError) as problem:
        raise InputError("pose: expected a 4×4 matrix of numbers, found {name}", type(value).__name__) from problem
    if array.ndim < 2 or array.shape[-2:] != (4, 4):
        raise InputError(
            (
                (
                    "pose: expected an array of shape (…, 4, 4), found {shape}; three "
                    "numbers are a place: task='position'"
                )
                if array.shape[-1:] == (3,)
                else "pose: expected an array of shape (…, 4, 4), found {shape}"
            ),
            array.shape,
        )
    return np.ascontiguousarray(array)


def joints_from_value(value: ArrayLike, joints: int) -> Floats:
    """A seed: a position for each joint."""
    near = numbers_from_value("seed", value)
    if near.shape != (joints,):
        raise InputError("seed: expected {joints} joint positions, found an array of shape {shape}", joints, near.shape)
    if not np.isfinite(near).all():
        raise InputError("seed: joint {argmin} is not a finite number", int(np.argmin(np.isfinite(near))) + 1)
    return near


def numbers_from_value(name: str, value: ArrayLike) -> Floats:
    """What a caller gives as numbers, as an array."""
    try:
        return np.ascontiguousarray(np.asarray(value, dtype=float))
    except (ValueError, TypeError) as problem:
        raise InputError("{name}: expected numbers, found {value!r}", name, value) from problem


def checked_tolerance(tolerance: float | None) -> float | None:
    """A positive number, or none."""
    if tolerance is None:
        return None
    if isinstance(tolerance, bool) or not isinstance(tolerance, int | float | np.number):
        raise InputError("tolerance: expected a number (m and rad), found {tolerance!r}", tolerance)
    if not 0 < tolerance < np.inf:
        raise InputError("tolerance: expected a positive number (m and rad), found {tolerance}", tolerance)
    return float(tolerance)


def checked_poses(T: Floats, tolerance: float | None = None) -> Floats:
    """The poses with their rotations made exact; a sentence for what is no pose."""
    flat = T.reshape(-1, 4, 4)
    return exact_poses(flat, np.arange(len(flat)), tolerance).reshape(T.shape)


def exact_poses(flat: Floats, rows: Any, tolerance: float | None = None) -> Floats:
    """The same for some of many poses (n, 4, 4): each with the rotation nearest to its own.

    The nearest rotation is U Vᵀ of R = U S Vᵀ. No rotation whose entries are each wrong by `tolerance` is refused: the
    nearest one is at most as far from R as the right one, ‖R − U Vᵀ‖ ≤ 3·tolerance. Who gives a tolerance hears nothing
    of what it covers.
    """
    limit = PoseTolerance.ROTATION if tolerance is None else tolerance
    chosen, names = (
        flat[rows],
        [(Message("pose {row} of {count}", row + 1, len(flat)) if len(flat) > 1 else Message("pose")) for row in rows],
    )
    finite = np.isfinite(chosen).all((1, 2))
    _refuse(~finite, chosen, names, _first_bad)
    # a transposed matrix has its place in the last row: refused before its rotation is looked at
    last = np.abs(chosen[:, 3] - [0, 0, 0, 1]).max(1)
    _refuse(last > limit, chosen, names, lambda t: Message("has the last row {row}; it must be 0 0 0 1", t[3].tolist()))
    R = chosen[:, :3, :3]
    # the polar factor: no other rotation is nearer in the Frobenius norm
    U, S, V = np.linalg.svd(R)
    # ‖R − UVᵀ‖ is that of S − 1; over 3 for the mean of nine entries
    away = np.sqrt(((S - 1) ** 2).sum(1)) / 3
    _refuse(~(away <= limit), chosen, names, lambda t: _not_a_rotation(t, limit))
    reflection = Message("is a reflection: the determinant of its rotation is −1, not 1")
    # after the distance: a reflection may be as near to orthogonal as a rotation
    _refuse(np.linalg.det(R) < 0, chosen, names, lambda t: reflection)
    if tolerance is None:
        _tell(np.maximum(_off_square(R), last), names)
    exact: Floats = chosen.copy()
    exact[:, :3, :3], exact[:, 3] = U @ V, [0, 0, 0, 1]
    return exact


def _off_square(R: Floats) -> Floats:
    """The largest entry of RᵀR − 1, (n)."""
    off: Floats = np.abs(R.swapaxes(-1, -2) @ R - np.eye(3)).max((-1, -2))
    return off


def _tell(off: Floats, names: Sequence[str]) -> None:
    """Of poses that were written with few digits, once."""
    if not (off > PoseTolerance.TOLD).any():
        return
    worst = int(np.argmax(off))
    more = int((off > PoseTolerance.TOLD).sum()) - 1
    caution(
        "{names}{others} is a rotation only to a few digits: RᵀR differs from 1 by {off:.2g}; the nearest rotation is "
        "taken (tolerance= says how much is meant)",
        names[worst],
        Message(" (and {others} others)", more) if more else "",
        off[worst],
    )


def _first_bad(t: Floats) -> str:
    i, j = np.argwhere(~np.isfinite(t))[0]
    return Message("holds a number that is not finite: row {row}, column {column} is {value}", i + 1, j + 1, t[i, j])


def _not_a_rotation(t: Floats, limit: float) -> str:
    R = t[:3, :3]
    away = np.sqrt(((np.linalg.svd(R, compute_uv=False) - 1) ** 2).sum()) / 3
    return Message(
        "is not a rotation: RᵀR differs from 1 by {off:.3g}; the nearest rotation is {away:.2g} away in each entry, "
        "and at most {limit:.0e} is taken for rounding (tolerance= says otherwise)",
        _off_square(R),
        away,
        limit,
    )


def _refuse(bad: Any, given: Floats, names: Sequence[str], words: Callable[[Floats], str]) -> None:
    if bad.any():
        index = int(np.argmax(bad))
        raise InputError("{which} {what}", names[index], words(given[index]))


# How exact an answer of an arm is, and why.
#
# A closed form solves the arm it takes its own for. Where axes that should cross miss each other by 2e-11 m, its
# branches
# miss every pose by about that much: `defect_of` measures it once. What the arm's own structure explains is accepted at
# once, as an answer of an exact arm is; and beside a singular pose, where so little moves a joint far (by the defect
# over
# the distance), a seed that stands at the pose already is the answer.

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


def scale_jacobian(J: Floats, turning: Bits, size: float) -> Floats:
    """Jacobians (…, 6, dof) without units: lengths by the arm's size."""
    each: Floats = J / np.array([size, size, size, 1.0, 1.0, 1.0])[:, None] / np.where(turning, 1.0, 1 / size)
    return each


def rank_of(J: Floats) -> int:
    """In how many ways the joints move the tool, by weighed Jacobians (n, 6, dof) at random configurations."""
    sizes = np.linalg.svd(J, compute_uv=False)
    return int((sizes > PartialTolerance.SLIGHT).sum(-1).max(initial=0))


def accept_branches(worst: Floats, measure: Tolerances) -> Bits:
    """Which branches (…, branches) that miss by `worst` are answers."""
    met = worst <= measure.met
    accepted: Bits = np.where(met.any(-1, keepdims=True), met, worst <= measure.exact)
    return accepted


def sample_configurations(low: Floats, high: Floats, turning: Bits, size: float) -> Floats:
    """Configurations to measure an arm at, the same in every run, (SAMPLES, dof)."""
    return np.random.default_rng(11).uniform(*span_of(low, high, np.where(turning, np.pi, size)), (SAMPLES, low.size))


def defect_of(q: Floats, margin: Floats, poses: Floats, fk: Kinematics, size: float) -> float:
    """By how much branches (n, b, dof) miss poses (n, 4, 4) they reach, where nothing is singular; 0 for rounding."""
    miss = newton.residual(fk(q), poses[:, None])
    # near a singularity a miss grows without bound and would say nothing of the structure
    plain = (margin > StructureTolerance.REGULAR)[:, None] & (miss < StructureTolerance.MOST * size)
    worst = float(miss.max(initial=0.0, where=plain))
    return StructureTolerance.MARGIN * worst if worst > BranchTolerance.GOOD * size / StructureTolerance.MARGIN else 0.0


def size_of(chain: Tree) -> float:
    """An arm's reach, roughly, m; at least 1."""
    parts = [link.before.p for link in chain.links] + [link.after.p for link in chain.links]
    return max(1.0, float(sum(np.hypot.reduce(np.array(p, dtype=float)) for p in parts)))
