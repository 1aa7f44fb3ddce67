"""Rigid motions: 4×4 matrices of a rotation and a position, their products and inverses, in numbers or letters."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from manipula.algebra.expr.evaluate import ARRAYS
from manipula.api.motion_arguments import (
    NEAR,
    Array,
    amounts_from,
    formula_from,
    matrix_array,
    motions_from,
    refuse_letters,
    rotations_from,
    single_entry,
    transforms_from,
    vector_array,
)
from manipula.derivations.rigid_motion import MotionFormula, PointShift
from manipula.errors import InputError
from manipula.mechanics.robot.values.parameter import number
from manipula.mechanics.robot.values.terms import Angle, Quantity
from manipula.mechanics.spatial.inertia import Twist
from manipula.mechanics.spatial.screw import displacement_along
from manipula.pages.steps import sentence


def transform_from_parts(rotation: object = None, position: object = (0, 0, 0)) -> Any:
    """The 4×4 matrix of a rotation (a matrix, or a formula) and a position; without a rotation it is a shift.

    >>> from manipula.api import rotation
    >>> print(transform_from_parts(rotation.about("z", "phi"), ["a", 0, 0]))
        ⎡cos(φ)  −sin(φ)  0  a⎤
    T = ⎢sin(φ)  cos(φ)   0  0⎥
        ⎢  0        0     1  0⎥
        ⎣  0        0     0  1⎦
    """
    p = amounts_from(position, "position", "length", "rad", (3,))
    if isinstance(rotation, MotionFormula) or isinstance(p, list):
        place = p if isinstance(p, list) else [number(float(x)) for x in single_entry(p, "position", 1)]
        turn = () if rotation is None else formula_from(rotation).factors
        if any(factor.shifts for factor in turn):
            raise InputError("rotation: found a transform, expected a rotation")
        return MotionFormula((PointShift(tuple(place)), *turn), sentence("A rotation and a position"))
    R = np.eye(3) if rotation is None else rotations_from(rotation, "rotation")
    shape = np.broadcast_shapes(R.shape[:-2], p.shape[:-1])
    T = np.zeros((*shape, 4, 4))
    T[..., :3, :3], T[..., :3, 3], T[..., 3, 3] = R, p, 1.0
    return T


def matrix_from_entries(entries: Any) -> Array:
    """The rotation, or transform, of nine or sixteen numbers, row by row; text is read as such."""
    listed = list(entries) if isinstance(entries, list | tuple) else np.ravel(entries).tolist()
    if len(listed) not in (9, 16):
        raise InputError("matrix: found {count} entries, expected nine, or sixteen of a transform", len(listed))
    size = 3 if len(listed) == 9 else 4
    found = refuse_letters(amounts_from(listed, "matrix", "any", "rad", (len(listed),)), "matrix")
    return motions_from(found.reshape(size, size), "matrix")


def parts_from_transform(T: ArrayLike) -> tuple[Array, Array]:
    """The rotation (…, 3, 3) and the position (…, 3) of a transform."""
    M = transforms_from(T, "T")
    return M[..., :3, :3], M[..., :3, 3]


def transform_from_screw(screw: ArrayLike, amount: ArrayLike, *, angle: Angle = "rad") -> Array:
    """e^{[S]q}: the motion by `amount` along a screw axis (ω, v), |ω| = 1; metres where ω = 0 and |v| = 1.

    >>> transform_from_screw([0, 0, 1, 0, -1, 0], "180 deg")[:3, 3].round(4) + 0.0
    array([2., 0., 0.])
    """
    S = refuse_letters(amounts_from(screw, "screw", "any", "rad", (6,)), "screw")
    turned, slid = np.linalg.norm(S[..., :3], axis=-1), np.linalg.norm(S[..., 3:], axis=-1)
    turns = turned > NEAR
    if not np.where(turns, np.abs(turned - 1) <= NEAR, np.abs(slid - 1) <= NEAR).all():
        raise InputError(
            "screw: expected (ω, v) with ω of length 1, or ω = 0 and v of length 1; divide it by that length"
        )
    quantity: Quantity = "angle" if turns.any() else "length"
    q = refuse_letters(amounts_from(amount, "amount", quantity, angle if turns.any() else "rad", ()), "amount")
    w, v = np.where(turns[..., None], S[..., :3], 0.0), S[..., 3:]
    axis = Twist(tuple(np.moveaxis(w, -1, 0)), tuple(np.moveaxis(v, -1, 0)))
    T = np.zeros((*np.broadcast_shapes(turns.shape, q.shape), 4, 4))
    turn, slide = (displacement_along(axis, q, ARRAYS, kind) for kind in (True, False))
    T[..., :3, :3] = np.where(turns[..., None, None], matrix_array(turn.R), np.eye(3))
    T[..., :3, 3] = np.where(turns[..., None], vector_array(turn.p), vector_array(slide.p))
    T[..., 3, 3] = 1.0
    return T


def compose(*motions: object) -> Any:
    """The product, from the left to the right, of rotations or of transforms; with a formula among them, a formula.

    Rotations beside transforms are transforms without a shift.
    """
    if not motions:
        raise InputError("compose: expected at least one rotation or transform")
    if any(isinstance(x, MotionFormula) for x in motions):
        parts = [formula_from(x) for x in motions]
        factors = tuple(factor for x in parts for factor in x.factors)
        return MotionFormula(factors, sentence("A product of rigid motions"), parts[0].says)
    arrays = [motions_from(x, f"motion {k}") for k, x in enumerate(motions, 1)]
    if any(x.shape[-1] == 4 for x in arrays):
        arrays = [x if x.shape[-1] == 4 else transform_from_parts(x) for x in arrays]
    total = arrays[0]
    for x in arrays[1:]:
        total = total @ x
    return total


def inverse(motion: object) -> Any:
    """Rᵀ of a rotation; [Rᵀ, −Rᵀp] of a transform."""
    if isinstance(motion, MotionFormula):
        return motion.inverse()
    M = motions_from(motion, "motion")
    back = np.swapaxes(M[..., :3, :3], -1, -2)
    if M.shape[-1] == 3:
        return back
    return transform_from_parts(back, -(back @ M[..., :3, 3:])[..., 0])
