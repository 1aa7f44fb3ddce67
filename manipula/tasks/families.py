"""Singular poses whose answers form a family: found from the Jacobian's null direction, named, and slid to a seed.

At a solution with a null direction v of the Jacobian, the arm may really move along v while the tool stands still (a
family: θ4 + θ6 = c, θ1 free), or only seem to, to first order (the elbow stretched: two branches meet there).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from manipula.tasks.arrays import Floats, Kinematics
from manipula.tasks.newton import polished, residual

NEAR = 1e-5  # singular value below which a pose counts as singular
TRIAL = 0.3
STEP = 0.05


class Family(NamedTuple):
    """Answers q + t·direction (a line), or the curve that starts along it. `defect`: how far the pose strays on the way."""

    text: str
    q: Floats
    direction: Floats
    straight: bool
    defect: float


def family_at(q: Floats, pose: Floats, fk: Kinematics, jacobian: Kinematics) -> Family | None:
    """The family through a solution, if there is one."""
    _, sizes, rows = np.linalg.svd(jacobian(q))
    small = np.append(sizes, np.zeros(max(0, q.size - sizes.size)))[-1]
    if q.size > 6 or small > NEAR:
        return None
    v = _tidy(rows[-1])
    strays = max(float(residual(fk(q + t * v), pose)) for t in (TRIAL, -TRIAL))
    if strays <= max(4 * small, 1e-10):
        return Family(_named(v), q, v, True, strays)
    there, worst = polished(q + STEP * v, pose, fk, jacobian, steps=12)
    if worst < max(4 * small, 1e-10) and 0.3 * STEP < np.abs(there - q).max() < 4 * STEP:
        return Family(_named(v), q, v, False, float(worst))
    return None


def _tidy(v: Floats) -> Floats:
    """Largest entry 1, what is nothing exactly 0."""
    v = v / v[np.argmax(np.abs(v) > 0.999 * np.abs(v).max())]
    whole = np.round(v)
    return np.where(np.abs(v - whole) < 1e-4, whole, v)


def _named(v: Floats) -> str:
    """θ1 free;  θ4 + θ6 = c;  θ2, θ3, θ4 and θ6 move together"""
    moving = [i for i in range(v.size) if v[i] != 0]
    names = [f"θ{i + 1}" for i in moving]
    if len(moving) == 1:
        return f"{names[0]} free"
    if len(moving) == 2 and abs(v[moving[0]]) == abs(v[moving[1]]) == 1:
        sign = "+" if v[moving[0]] * v[moving[1]] < 0 else "−"
        return f"{names[0]} {sign} {names[1]} = c"
    return f"{', '.join(names[:-1])} and {names[-1]} move together"


def nearest_member(family: Family, seed: Floats) -> Floats:
    """On a straight family, the member closest to the seed."""
    v = family.direction
    return family.q + v * float(v @ (seed - family.q)) / float(v @ v) if family.straight else family.q


def same_family(family: Family, q: Floats) -> bool:
    """Whether another solution lies on this straight family, whole turns left out."""
    v = family.direction
    gap = np.mod(q - family.q + np.pi, 2 * np.pi) - np.pi
    k = int(np.argmax(np.abs(v)))
    rest = np.mod(gap - v * gap[k] / v[k] + np.pi, 2 * np.pi) - np.pi
    return family.straight and bool(np.abs(rest).max() < 1e-6)
