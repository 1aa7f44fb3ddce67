"""Singular poses whose answers form a family: found from the Jacobian's null directions, named, and slid to a seed.

At a solution with a null direction v of the Jacobian, the arm may really move along v while the tool stands still (a
family: θ4 + θ6 = c, θ1 free), or only seem to, to first order (the elbow stretched: two branches meet there).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from manipula.ik.numeric.arrays import Floats, margins, wound
from manipula.ik.numeric.tolerances import FamilyTolerance, WalkTolerance
from manipula.ik.numeric.walk import StandingTool, between, nearest_on_walk, walk_curves
from manipula.support.text import plain

TRIAL = 0.3
BENDS = (0.05, 0.005)  # some families are small
SCANS = 6
MANY = 360  # members tried against the limits


@dataclass(frozen=True, eq=False)
class Family:
    """Infinitely many answers: all of q + t·direction, or the curve that starts along it.

    `directions` (k, dof) has a row for each free parameter, `direction` is the first. `defect` is how far the pose
    strays along it: nothing at a singular pose, a little beside one.
    """

    text: str
    q: Floats
    directions: Floats
    straight: bool
    defect: float
    still: StandingTool = field(repr=False)

    def as_dict(self) -> dict[str, object]:
        said = ("text", "q", "directions", "straight", "defect")
        return {name: plain(getattr(self, name)) for name in said}

    @property
    def direction(self) -> Floats:
        row: Floats = self.directions[0]
        return row

    @cached_property
    def _walk(self) -> Floats:
        return walks_of([self])[0]

    @property
    def constant(self) -> float | None:
        """The c of θ4 + θ6 = c, rad; None for a family without one."""
        rule = _rule(self.directions) if self.straight else None
        if rule is None or not self.still.turning[rule != 0].all():
            return None
        return float(np.mod(rule @ self.q + np.pi, 2 * np.pi) - np.pi)

    def nearest(self, seed: Floats) -> Floats:
        """The member nearest to a configuration (whole turns do not count)."""
        return nearest_members([self], seed)[0]

    def _on_line(self, seed: Floats) -> Floats:
        """Least squares along the directions, from where the joint that moves most meets the seed."""
        D, x = self.directions, self.q
        for v in D:
            # the joint that moves most: dividing by a small entry would throw the start far away
            k = int(np.argmax(np.abs(v)))
            x = x + v * (self.still.gap(seed, x)[k] / v[k])
        x = x + np.linalg.lstsq(D.T, self.still.gap(seed, x), rcond=None)[0] @ D
        return self.still.back(x, D.T @ D)[0]

    def members(self, count: int = 12) -> Floats:
        """Some of the answers, (count, dof), spread along the first direction."""
        if self.straight:
            return self.q + np.linspace(-np.pi, np.pi, count, endpoint=False)[:, None] * self.direction
        return between(self.still, self._walk, count)

    def inside(self, low: Floats, high: Floats, seed: Floats | None, best: Floats) -> Floats:
        """`best`, the member nearest to the seed or q itself; where it breaks a limit, the nearest that does not."""
        if (margins(wound(best, self.still.turning, low, high, seed), low, high) >= 0).all():
            return best
        turned = wound(self.members(MANY), self.still.turning, low, high, seed)
        kept = turned[(margins(turned, low, high) >= 0).all(-1)]
        aim = best if seed is None else seed
        return kept[np.argmin((self.still.gap(aim, kept) ** 2).sum(-1))] if len(kept) else best

    def __str__(self) -> str:
        value = self.constant
        return self.text if value is None else f"{self.text[:-1]}{value:.6g} rad"


def walks_of(families: Sequence[Family]) -> list[Floats]:
    """Points along each of some curves, walked side by side."""
    still, (q, directions) = families[0].still, (np.array(x) for x in zip(*((f.q, f.direction) for f in families)))
    return walk_curves(
        still, q, directions, np.array([FamilyTolerance.ALONG + FamilyTolerance.BROKEN * x.defect for x in families])
    )


def nearest_members(families: Sequence[Family], seed: Floats) -> list[Floats]:
    """Of each family of one pose the member nearest to a configuration (whole turns do not count)."""
    curved = [family for family in families if not family.straight]
    unknown = [family for family in curved if "_walk" not in family.__dict__]
    for family, walk in zip(unknown, walks_of(unknown) if unknown else [], strict=True):
        family.__dict__["_walk"] = walk  # as the cached property would keep it
    on_curves = iter(())
    if curved:
        directions = np.array([family.direction for family in curved])
        walks = [family._walk for family in curved]
        enough = max(WalkTolerance.STRAIGHT, *(family.defect for family in curved))
        on_curves = iter(nearest_on_walk(curved[0].still, walks, directions, seed, enough))
    return [family._on_line(seed) if family.straight else next(on_curves) for family in families]


def family_at(q: Floats, still: StandingTool, group: Sequence[int] = ()) -> Family | None:
    """The family through a solution, if there is one. `group`: joints that are said to follow when another is free."""
    if q.size > 6:
        return None
    _, sizes, rows = np.linalg.svd(still.jacobian(q))
    # columns beyond the six rows have no singular value: they are null directions, too
    null = rows[np.append(sizes, np.zeros(max(0, q.size - sizes.size))) < FamilyTolerance.NEAR]
    if not len(null):
        return None
    lines = [(v, miss) for v in _simplify_directions(null) if (miss := _line(q, v, still)) is not None]
    if lines:
        D = np.array([v for v, _ in lines])
        return Family(_describe_family(D, group, still), q, D, True, max(miss for _, miss in lines), still)
    for v in (
        _simplify_directions(null)
        if len(null) != 2
        else np.concatenate([_simplify_directions(_crossing_direction(q, null, still)[None]), null])
    ):
        curve = _curve(q, v, still)
        if curve is not None:
            miss, away = curve
            moves = v[None] if len(null) == 1 else _simplify_directions(still.tangent(away, v)[None])
            return Family(_describe_family(moves, group, still, straight=False), q, v[None], False, miss, still)
    return None


def _line(q: Floats, v: Floats, still: StandingTool) -> float | None:
    """How far the pose strays on the line q ± t·v; None if that is no family."""
    # at two distances: how the miss grows separates a family from two branches that meet
    half, whole = still.miss(q + np.outer((TRIAL / 2, -TRIAL / 2, TRIAL, -TRIAL), v)).reshape(2, 2).max(1).tolist()
    return whole if _strays_like_a_family(half, whole, TRIAL) else None


def _curve(q: Floats, v: Floats, still: StandingTool) -> tuple[float, Floats] | None:
    """The same on the curve that starts along v, and another point of it."""
    v = v / np.linalg.norm(v)
    for step in BENDS:
        start = q + np.outer((step / 2, -step / 2, step, -step), v)
        # the curve leaves its tangent: from the line back to the pose, without undoing the step along v
        there, miss = still.back(start, np.outer(v, v), WalkTolerance.STRAIGHT)
        half, whole = float(miss[:2].max()), float(miss[2:].max())
        if (np.abs(there - start) < step / 2).all() and _strays_like_a_family(half, whole, step):
            return whole, there[2]
    return None


def _crossing_direction(q: Floats, null: Floats, still: StandingTool) -> Floats:
    """Where two singularities come together: the direction of the plane of both in which the pose strays least."""
    centre, span = np.pi / 2, np.pi / 2
    for _ in range(SCANS):
        angles = centre + span * np.linspace(-1, 1, 25)
        V = np.cos(angles)[:, None] * null[0] + np.sin(angles)[:, None] * null[1]
        # the miss has several minima over half a turn: scanned, not descended
        centre, span = angles[int(np.argmin(still.back(q + BENDS[0] * V, null.T @ null)[1]))], span / 8
    best: Floats = np.cos(centre) * null[0] + np.sin(centre) * null[1]
    return best


def _strays_like_a_family(half: float, whole: float, step: float) -> bool:
    """Hardly, or beside a singular pose in proportion to the way; where branches meet it is with its square.

    (On a short way the roots' own distance may hide the square.)
    """
    in_proportion = step >= BENDS[0] and whole <= min(FamilyTolerance.BESIDE * step, 3 * half)
    return whole <= FamilyTolerance.HARDLY * step * step or in_proportion


def _simplify_directions(null: Floats) -> Floats:
    """The same space by rows of simple numbers: eliminated like equations, what is nearly whole made whole."""
    rows = null.copy()
    for i in range(len(rows)):
        # the first of the entries that are about the largest: rounding must not choose which joint is the free one
        k = int(np.argmax(np.abs(rows[i]) > FamilyTolerance.LARGEST * np.abs(rows[i]).max()))
        rows[i] /= rows[i, k]
        others = np.arange(len(rows)) != i
        rows[others] -= np.outer(rows[others, k], rows[i])
    whole = np.round(rows)
    return np.where(np.abs(rows - whole) < FamilyTolerance.WHOLE, whole, rows)


# names


def _rule(directions: Floats) -> Floats | None:
    """The ±1 with which the moving joints add up to a constant, if it is that simple; all zeros elsewhere."""
    moving = np.flatnonzero(np.abs(directions).max(0))
    if len(moving) != len(directions) + 1:
        return None
    # across all directions: the one combination of these joints that none of them changes
    w = np.linalg.svd(directions[:, moving])[2][-1]
    w = w / w[0]
    rule = np.zeros(directions.shape[1])
    rule[moving] = np.round(w)
    return rule if np.allclose(np.abs(w), 1, atol=FamilyTolerance.WHOLE) else None


def _describe_family(directions: Floats, group: Sequence[int], still: StandingTool, straight: bool = True) -> str:
    """θ1 free;  θ4 + θ6 = c;  θ6 free, θ2, θ3 and θ4 follow;  θ1, θ2 and θ5 move together"""
    moving = [int(i) for i in np.flatnonzero(np.abs(directions).max(0))]
    names = {i: f"{'θ' if still.turning[i] else 'd'}{i + 1}" for i in range(directions.shape[1])}
    if len(moving) == len(directions):
        return f"{_enumerate([names[i] for i in moving])} free"
    rule = _rule(directions) if straight else None
    if rule is not None:
        first, *rest = moving
        return names[first] + "".join(f" {'+' if rule[i] > 0 else '−'} {names[i]}" for i in rest) + " = c"
    free = [i for i in moving if i not in group]
    if len(free) == 1:
        follow = [i for i in moving if i in group] if straight else sorted(group)
        return f"{names[free[0]]} free, {_enumerate([names[i] for i in follow])} follow"
    return f"{_enumerate([names[i] for i in moving])} move together"


def _enumerate(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
