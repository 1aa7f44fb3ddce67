"""Singular poses whose answers form a family: found from the Jacobian's null direction, named, and slid to a seed.

At a solution with a null direction v of the Jacobian, the arm may really move along v while the tool stands still (a
family: θ4 + θ6 = c, θ1 free), or only seem to, to first order (the elbow stretched: two branches meet there).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from manipula.tasks.arrays import Floats, Kinematics
from manipula.tasks.newton import polished, residual

ROUNDING = 1e-13
NEAR = 1e-5  # singular value below which a pose counts as singular
TRIAL = 0.3
STEP = 0.05
STEP_RANK = 1e-4  # on a curve, only what is far from singular is corrected


class Family(NamedTuple):
    """Answers q + t·direction (a line), or the curve that starts along it. `defect`: how far the pose strays there."""

    text: str
    q: Floats
    direction: Floats
    straight: bool
    defect: float


def family_at(
    q: Floats, pose: Floats, fk: Kinematics, jacobian: Kinematics, group: Sequence[int] = ()
) -> Family | None:
    """The family through a solution, if there is one. `group`: joints that are said to follow when another is free."""
    _, sizes, rows = np.linalg.svd(jacobian(q))
    small = np.append(sizes, np.zeros(max(0, q.size - sizes.size)))[-1]
    if q.size > 6 or small > NEAR:
        return None
    v = _tidy(rows[-1])
    half, whole = (residual(fk(q + np.outer((t, -t), v)), pose).max() for t in (TRIAL / 2, TRIAL))
    if _strays_like_a_family(half, whole):
        return Family(_named(v, group), q, v, True, float(whole))
    half, whole = (_curved(q, t * v, pose, fk, jacobian) for t in (STEP / 2, STEP))
    if _strays_like_a_family(half, whole):
        return Family(_named(v, group, straight=False), q, v, False, float(whole))
    return None


def _strays_like_a_family(half: float, whole: float) -> bool:
    """Nowhere, or near a singular pose in proportion to the way; where branches meet it is with its square."""
    return whole <= ROUNDING or bool(whole <= NEAR and whole <= 3 * half)


def _curved(q: Floats, step: Floats, pose: Floats, fk: Kinematics, jacobian: Kinematics) -> float:
    """How far the pose strays when steps both ways are corrected across the null direction; infinite if they slip."""
    there, worst = polished(q + np.array([step, -step]), pose, fk, jacobian, steps=12, rank=STEP_RANK)
    gone = np.abs((there - q) @ step) / float(step @ step)
    return float(worst.max()) if (gone > 0.5).all() and (gone < 2).all() else np.inf


def _tidy(v: Floats) -> Floats:
    """Largest entry 1, what is nothing exactly 0."""
    v = v / v[np.argmax(np.abs(v) > 0.999 * np.abs(v).max())]
    whole = np.round(v)
    return np.where(np.abs(v - whole) < 1e-4, whole, v)


def _named(v: Floats, group: Sequence[int], straight: bool = True) -> str:
    """θ1 free;  θ4 + θ6 = c;  θ6 free, θ2, θ3 and θ4 follow;  θ1, θ2 and θ5 move together"""
    moving = [i for i in range(v.size) if v[i] != 0]
    names = [f"θ{i + 1}" for i in moving]
    if len(moving) == 1:
        return f"{names[0]} free"
    if len(moving) == 2 and abs(v[moving[0]]) == abs(v[moving[1]]) == 1:
        sign = "+" if v[moving[0]] * v[moving[1]] < 0 else "−"
        return f"{names[0]} {sign} {names[1]} = c"
    free = [i for i in moving if i not in group]
    if len(free) == 1:
        follow = [i for i in moving if i in group] if straight else sorted(group)
        return f"θ{free[0] + 1} free, {_listed([f'θ{i + 1}' for i in follow])} follow"
    return f"{_listed(names)} move together"


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


def nearest_member(family: Family, seed: Floats) -> Floats:
    """On a straight family, the member closest to the seed."""
    v, gap = family.direction, _plain(seed - family.q)
    if not family.straight:
        return family.q
    k = int(np.argmax(np.abs(v)))
    start = gap[k] / v[k]
    member: Floats = family.q + v * (start + float(v @ _plain(gap - start * v)) / float(v @ v))
    return member


def _plain(angles: Floats) -> Floats:
    """Differences without whole turns."""
    return np.mod(angles + np.pi, 2 * np.pi) - np.pi
