"""What people give for a rotation or a rigid motion: numbers, arrays, text; anything else is refused."""

from __future__ import annotations

from decimal import Decimal
from numbers import Real
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from manipula.derivations.rigid_motion import GivenRotation, MotionFactor, MotionFormula, PointShift
from manipula.errors import InputError, RobotFileError, UnknownNameError
from manipula.mechanics.models.kinematics.orientation import SEQUENCES
from manipula.mechanics.robot.formats.units import describe, parameter_from_raw
from manipula.mechanics.robot.values.parameter import Parameter, float_of, names_of, number
from manipula.mechanics.robot.values.terms import Angle, Quantity, Units
from manipula.pages.steps import sentence

Array = NDArray[np.float64]
Axes = Literal["intrinsic", "extrinsic"]
NEAR = 1e-6  # of a rotation matrix, and of the length of a quaternion: the rounding of people


def moving_sequence(sequence: str, axes: str) -> str:
    """The sequence about moving axes."""
    if sequence not in SEQUENCES:
        raise UnknownNameError("sequence of Euler angles", str(sequence), SEQUENCES)
    if axes not in get_args(Axes):
        raise UnknownNameError("kind of axes", str(axes), get_args(Axes))
    return sequence if axes == "intrinsic" else sequence[::-1]


def radians_of(angle: str) -> float:
    """One of it in radians."""
    if angle not in get_args(Angle):
        raise UnknownNameError("unit of angles", str(angle), get_args(Angle))
    return float(np.pi / 180) if angle == "deg" else 1.0


def amounts_from(
    given: Any, where: str, quantity: Quantity, angle: Angle, shape: tuple[int, ...]
) -> Array | list[Parameter]:
    """Numbers (…, *shape) in SI; or parameters, where a letter stands among them."""
    unit = radians_of(angle) if quantity == "angle" else 1.0
    if not _has_text(given):
        return unit * _array(given, where, shape)
    flat = [given] if not shape else list(given)
    if shape and len(flat) != shape[0]:
        raise InputError("{where}: found {count} entries, expected {expected}", where, len(flat), shape[0])
    found: list[Parameter] = []
    for k, value in enumerate(flat):
        try:
            found.append(parameter_from_raw(value, quantity, Units(angle)))
        except RobotFileError as error:
            place = f"{where}[{k}]" if shape else where
            raise RobotFileError(error.problem, field=place, hint=error.hint) from None
    if any(True for x in found for _ in names_of(x)):
        return found
    numbers = np.array([float_of(x, {}) for x in found])
    return numbers if shape else numbers[0]


def _has_text(given: object) -> bool:
    if isinstance(given, str) or type(given).__module__.partition(".")[0] == "sympy":
        return True
    if isinstance(given, np.ndarray):
        return given.dtype.kind in "US" or (given.dtype == object and any(map(_has_text, given.ravel())))
    return isinstance(given, list | tuple) and any(map(_has_text, given))


def _array(given: object, where: str, shape: tuple[int, ...]) -> Array:
    try:
        found = np.asarray(given)
        # of objects only numbers: NumPy makes NaN of None
        if found.dtype.kind not in "iuf" and not all(_is_number(x) for x in found.ravel()):
            raise TypeError
        found = found.astype(np.float64)
    except (TypeError, ValueError):
        raise InputError("{where}: found {found}, expected numbers", where, describe(given)) from None
    if shape and found.shape[found.ndim - len(shape) :] != shape:
        raise InputError(
            "{where}: found shape {found}, expected {expected}", where, str(found.shape),
            "(…, " + ", ".join(map(str, shape)) + ")",
        )  # fmt: skip
    return found


def _is_number(x: object) -> bool:
    return isinstance(x, Real | Decimal) and not isinstance(x, bool | np.bool_)


def refuse_letters(given: Array | list[Parameter], where: str) -> Array:
    if isinstance(given, list):
        raise InputError("{where}: found letters, expected numbers", where)
    return given


def single_entry(x: Array, where: str, axes: int) -> Array:
    if x.ndim != axes:
        raise InputError("{where}: found shape {found}, expected one at a time", where, str(x.shape))
    return x


def unit_vectors(v: Array, where: str) -> Array:
    length = np.linalg.norm(v, axis=-1, keepdims=True)
    if not (length > 0).all():
        raise InputError("{where}: found 0 0 0, which has no direction; write a vector with a length", where)
    return np.asarray(v / length)


def motions_from(given: object, where: str) -> Array:
    """Rotations (…, 3, 3) or transforms (…, 4, 4)."""
    if isinstance(given, MotionFormula):
        raise InputError("{where}: found letters, expected numbers; give them by .at(name=…)", where)
    found = _array(given, where, ())
    return transforms_from(found, where) if found.shape[-2:] == (4, 4) else rotations_from(found, where)


def rotations_from(given: object, where: str) -> Array:
    """(…, 3, 3), of a transform too; what is no rotation is refused."""
    if isinstance(given, MotionFormula):
        raise InputError("{where}: found letters, expected numbers; give them by .at(name=…)", where)
    R = _array(given, where, ())
    if R.shape[-2:] == (4, 4):
        R = transforms_from(R, where)[..., :3, :3]
    if R.shape[-2:] != (3, 3):
        raise InputError("{where}: found shape {found}, expected {expected}", where, str(R.shape), "(…, 3, 3)")
    apart = np.abs(R @ np.swapaxes(R, -1, -2) - np.eye(3)).max(axis=(-2, -1), initial=0.0)
    if not (apart <= NEAR).all():
        raise InputError(
            "{where}: this matrix is not a rotation: its columns are not unit vectors at right angles", where
        )
    if not (np.linalg.det(R) > 0).all():
        raise InputError("{where}: this matrix is not a rotation: it mirrors (its determinant is −1)", where)
    return R


def transforms_from(given: object, where: str) -> Array:
    T = _array(given, where, ())
    if T.shape[-2:] != (4, 4):
        raise InputError("{where}: found shape {found}, expected {expected}", where, str(T.shape), "(…, 4, 4)")
    if not (T[..., 3, :] == [0, 0, 0, 1]).all():
        raise InputError("{where}: the last row of a transform is 0 0 0 1", where)
    rotations_from(T[..., :3, :3], where)
    return T


def formula_from(given: object) -> MotionFormula:
    """Numbers as a formula without letters."""
    if isinstance(given, MotionFormula):
        return given
    M = single_entry(motions_from(given, "motion"), "motion", 2)
    turn = GivenRotation(tuple(number(float(x)) for x in M[:3, :3].ravel()))
    shift: tuple[MotionFactor, ...] = (PointShift(tuple(number(float(x)) for x in M[:3, 3])),) if len(M) == 4 else ()
    return MotionFormula((*shift, turn), sentence("A given motion"))


# Arrays of what the formulas give


def entries_of(R: Array) -> tuple[tuple[object, ...], ...]:
    return tuple(tuple(R[..., i, j] for j in range(3)) for i in range(3))


def matrix_array(R: Any) -> Array:
    """(…, 3, 3) of entries that broadcast."""
    flat = np.broadcast_arrays(*(np.asarray(x, dtype=np.float64) for row in R for x in row))
    return np.stack(flat, -1).reshape(*flat[0].shape, 3, 3)


def vector_array(p: Any) -> Array:
    return np.stack(np.broadcast_arrays(*(np.asarray(x, dtype=np.float64) for x in p)), -1)
