"""Steps that springs and bristles can bear: an explicit method lets a swing grow that is faster than it can follow.

The arm at its start, gone stiff but for its springs, is linear,

    M ẍ + D ẋ + S x = 0

and one step of an integrator makes it a matrix. Its largest eigenvalue is how fast the swing grows from step to step.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError
from manipula.mechanics.models.integrate.discretised import INTEGRATORS, SOLVED
from manipula.mechanics.models.integrate.methods.steps import add
from manipula.mechanics.spatial.floats import FLOATS
from manipula.messages import Message
from manipula.simulation.drives.bristles import Bristles
from manipula.simulation.drives.springs import Springs

Array = NDArray[np.float64]
GROWS = 1.05  # in a step: twice as large after fourteen
HALVINGS = 24


class Linear(NamedTuple):
    """M, D and S; the joint of a coordinate is its place among the joints, links first, then motors."""

    inertia: Array
    damping: Array
    stiffness: Array


def linear_drives(M: Array, springs: Springs | None, bristles: Bristles | None) -> Linear:
    """M(q) of the links, with their motors where those are rigid. Bristles are of the motors, if these are apart."""
    n = len(M)
    rubbed = (np.zeros(n), np.zeros(n))
    if bristles is not None:
        rubbed = np.where(bristles.bent, bristles.stiffness, 0.0), np.where(bristles.bent, bristles.damping, 0.0)
    if springs is None:
        return Linear(M, np.diag(rubbed[1]), np.diag(rubbed[0]))
    none, k = np.zeros((n, n)), np.diag(springs.stiffness)
    inertia = np.block([[M, none], [none, np.diag(springs.inertia)]])
    damping = np.block([[none, none], [none, np.diag(rubbed[1])]])
    return Linear(inertia, damping, np.block([[k, -k], [-k, k + np.diag(rubbed[0])]]))


def growth(arm: Linear, method: str, step: float) -> tuple[float, int]:
    """(the largest factor of a step, the coordinate that swings most in it)"""
    size = len(arm.inertia)
    slow = np.linalg.solve(arm.inertia, np.hstack([arm.stiffness, arm.damping]))

    def rate(x: Any) -> Any:
        # ẋ = v,  v̇ = −M⁻¹ (S x + D v)
        return {"q": x["qd"], "qd": (-slow @ np.concatenate([x["q"], x["qd"]])).tolist()}

    slopes = np.block([[np.zeros((size, size)), np.eye(size)], [-slow]]).tolist()
    columns = []
    for unit in np.eye(2 * size):
        x = {"q": unit[:size].tolist(), "qd": unit[size:].tolist()}
        if method in SOLVED:
            new = SOLVED[method](FLOATS, rate, slopes, x, step, add).state
        else:
            new = INTEGRATORS[method](rate, x, step, add)
        columns.append([*new["q"], *new["qd"]])
    values, vectors = np.linalg.eig(np.array(columns, dtype=float).T)
    worst = int(np.argmax(np.abs(values)))
    return float(np.abs(values[worst])), int(np.argmax(np.abs(vectors[:size, worst])))


def refuse_steps(names: Sequence[str], arm: Linear, method: str, step: float) -> None:
    """Raises where a spring's swing would grow by itself."""
    found, where = growth(arm, method, step)
    if not found > GROWS:
        return
    short = next((step / 2**k for k in range(1, HALVINGS) if growth(arm, method, step / 2**k)[0] <= GROWS), None)
    remedy = "" if short is None else Message("; take step={short:.2g}, or a softer drive", short)
    raise InputError(
        "joint {names!r}: its drive swings faster than {method!r} follows in steps of {step:g} s: it would grow by "
        "{found:.3g} in each{remedy}",
        names[where % len(names)],
        method,
        step,
        found,
        remedy,
    )
