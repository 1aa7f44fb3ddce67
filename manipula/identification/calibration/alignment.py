"""The base laid under what was measured: a tracker's frame is seldom the robot's. And units that cannot be right."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError
from manipula.identification.calibration.geometry import Geometry, matrix_from_steps, steps_from_matrix
from manipula.identification.calibration.measurements import Measured
from manipula.mechanics.robot.values.parameter import floats_of
from manipula.messages import Message

Array = NDArray[np.float64]
NEAR = 0.05  # of the arm's size: a base that is off by less needs no laying
WRONG = 0.15  # of the arm's size: no arm is built that far from its drawing
BETTER = 0.2  # another unit is believed when it leaves less than this share
SWEEPS = 50


def laid_under(geometry: Geometry, q: Array, measured: Measured) -> Geometry:
    """The same arm on a base that fits the positions measured, where it was far off."""
    if measured.positions() is None or _middle(geometry, q, measured) < NEAR * geometry.size:
        return geometry
    there = _base(geometry, q, measured)
    values = floats_of(dict(geometry.robot.values))
    base = matrix_from_steps(geometry.robot.base, values)
    return Geometry.of(replace(geometry.robot, base=steps_from_matrix("base_{}", there @ base)))


def refuse_other_units(geometry: Geometry, q: Array, measured: Measured) -> None:
    """Degrees and millimetres are seen where they fit and radians and metres do not."""
    off = _misfit_on_best_base(geometry, q, measured)
    if off < WRONG * geometry.size:
        return
    if _misfit_on_best_base(geometry, np.radians(q), measured) < BETTER * off:
        raise InputError(
            "q: the measurements fit if q is in degrees; give radians: numpy.radians(q), in a table q1 [deg]"
        )
    shrunk = measured.values.copy()
    if measured.kind == "pose":
        # of a pose the lengths alone
        shrunk[:, :3, 3] /= 1e3
    else:
        shrunk = shrunk / 1e3
    small = replace(measured, values=shrunk)
    for rows, word in ((q, ""), (np.radians(q), Message(", and q in degrees"))):
        if _misfit_on_best_base(geometry, rows, small) < min(BETTER * off, NEAR * geometry.size) and _as_wide(
            geometry, rows, small
        ):
            raise InputError(
                "measured: the arm fits if lengths are in millimetres{word}; give metres, in a table x [mm]", word
            )
    raise InputError(
        "measured: do not belong to {name} and these q: even on the best base the arm is {off:.3g} m "
        "from them in the middle, its size being {size:.3g} m",
        geometry.robot.name,
        off,
        geometry.size,
    )


def _as_wide(geometry: Geometry, q: Array, measured: Measured) -> bool:
    """Anything shrunk to a point fits: what was measured must be spread as the arm's positions are."""
    p, _ = _tool(geometry, q)
    aim = measured.positions()
    wide = float(np.std(measured.values)) if aim is None else float(np.std(aim, axis=0).max())
    return wide > BETTER * float(np.std(p, axis=0).max())


def _middle(geometry: Geometry, q: Array, measured: Measured) -> float:
    """The median misfit of lengths."""
    x = measured.start(geometry, q)
    residual = measured.residual(geometry, q, np.zeros(len(geometry.entries)), x)
    # the median: one slipped row must not look like a wrong unit
    return float(np.median(np.abs(residual[:, [unit == "m" for unit in measured.units]])))


def _misfit_on_best_base(geometry: Geometry, q: Array, measured: Measured) -> float:
    """The median misfit on the best base."""
    if measured.positions() is None:
        return _middle(geometry, q, measured)
    p, R, aim, x = *_tool(geometry, q), measured.positions(), np.zeros(3)
    T, x = _solve_base_and_point(p, R, np.asarray(aim), measured.kind == "points")
    off = np.asarray(aim) - (p + R @ x) @ T[:3, :3].T - T[:3, 3]
    return float(np.median(np.linalg.norm(off, axis=1)))


def _base(geometry: Geometry, q: Array, measured: Measured) -> Array:
    p, R = _tool(geometry, q)
    return _solve_base_and_point(p, R, np.asarray(measured.positions()), measured.kind == "points")[0]


def _tool(geometry: Geometry, q: Array) -> tuple[Array, Array]:
    return geometry.pose(q, np.zeros(len(geometry.entries)))


def _solve_base_and_point(p: Array, R: Array, aim: Array, point: bool) -> tuple[Array, Array]:
    """The base and, where only a point was measured, that point on the tool: found in turns, each exact."""
    x, T = np.zeros(3), np.eye(4)
    for _ in range(SWEEPS if point else 1):
        T = _rigid_motion_between(p + R @ x, aim)
        if point:
            turned = np.einsum("ij,njk->nik", T[:3, :3], R)
            rest = aim - p @ T[:3, :3].T - T[:3, 3]
            x = np.einsum("nji,nj->i", turned, rest) / len(p)
    return T, x


def _rigid_motion_between(points: Array, aim: Array) -> Array:
    """The rigid motion that brings points onto others, by singular values; of few points one of many."""
    middle, there = points.mean(0), aim.mean(0)
    U, _, V = np.linalg.svd((aim - there).T @ (points - middle))
    T = np.eye(4)
    # the determinant keeps it a turn: of points in a plane, noise may ask for a reflection
    T[:3, :3] = U @ np.diag([1, 1, np.linalg.det(U @ V)]) @ V
    T[:3, 3] = there - T[:3, :3] @ middle
    return T
