"""Rotations and rigid motions without a robot, as `mp.rotation`: one form from another, in numbers or letters.

| form | what it is |
|---|---|
| matrix (…, 3, 3) | its columns are the axes of the turned frame, seen from the fixed one |
| Euler angles (…, 3) | of 12 sequences; `axes="intrinsic"`: about axes that move along, `"extrinsic"`: fixed axes |
| quaternion (…, 4) | w x y z, the scalar first, of length 1 |
| axis and angle | a vector of any length, and the turn about it |
| rotation vector (…, 3) | the axis times the angle in radians |
| transform (…, 4, 4) | a rotation and a position |

Angles are radians unless `angle="deg"`; text has its own unit, `"90 deg"` or `"90°"`. Leading axes of arrays broadcast.
Where a name stands, `"alpha"`, the answer is a `MotionFormula`: its entries as formulas, and its proved derivation.

>>> import manipula as mp
>>> mp.rotation.quaternion_from_matrix(mp.rotation.about("z", 90, angle="deg")).round(4)
array([0.7071, 0.    , 0.    , 0.7071])
>>> print(mp.rotation.about("x", "phi"))
    ⎡1    0        0   ⎤
R = ⎢0  cos(φ)  −sin(φ)⎥
    ⎣0  sin(φ)  cos(φ) ⎦
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from manipula.algebra.expr.evaluate import ARRAYS
from manipula.api.motion_arguments import (
    NEAR,
    Array,
    Axes,
    amounts_from,
    entries_of,
    matrix_array,
    motions_from,
    moving_sequence,
    radians_of,
    rotations_from,
    single_entry,
    unit_vectors,
)
from manipula.api.transform import (
    compose,
    inverse,
    matrix_from_entries,
    parts_from_transform,
    transform_from_parts,
    transform_from_screw,
)
from manipula.derivations.rigid_motion import (
    AxisTurn,
    ElementaryTurn,
    MotionFormula,
    QuaternionTurn,
)
from manipula.errors import InputError, UnknownNameError, caution
from manipula.mechanics.models.kinematics import orientation
from manipula.mechanics.models.kinematics.orientation import SEQUENCES
from manipula.mechanics.robot.values.parameter import number
from manipula.mechanics.robot.values.terms import Angle
from manipula.mechanics.spatial.placement import turn_about
from manipula.mechanics.spatial.screw import rotation_about
from manipula.messages import Message
from manipula.pages.steps import Quoted, Sentence, sentence

if TYPE_CHECKING:
    from manipula.pages.picture import Picture

__all__ = [
    "SEQUENCES", "AxisAngle", "EulerAngles", "MotionFormula", "RotationForms", "about", "axis_angle_from_matrix",
    "compose", "euler_from_matrix", "forms", "inverse", "matrix_from_axis_angle", "matrix_from_entries",
    "matrix_from_euler", "matrix_from_quaternion", "matrix_from_vector", "parts_from_transform", "picture",
    "quaternion_from_matrix", "transform_from_parts", "transform_from_screw", "vector_from_matrix",
]  # fmt: skip


class EulerAngles(NamedTuple):
    """Both sets of angles (…, 3) of one rotation, and where it is singular (…): gimbal lock."""

    angles: Array
    other: Array
    singular: Any


class AxisAngle(NamedTuple):
    """A unit axis (…, 3) and an angle (…) in [0, π]; without a rotation the axis is arbitrary, and is z here."""

    axis: Array
    angle: Any


# Euler angles


def about(axis: str, turn: ArrayLike, *, angle: Angle = "rad") -> Any:
    """The elementary rotation about x, y or z."""
    if axis not in list("xyz"):
        raise UnknownNameError("axis", str(axis), "xyz")
    given = amounts_from(turn, "turn", "angle", angle, ())
    if isinstance(given, list):
        return MotionFormula((ElementaryTurn((given[0],), axis),), sentence("A turn about {axis}", Quoted(axis)))
    return matrix_array(turn_about(axis, np.cos(given), np.sin(given)).R)


def matrix_from_euler(
    angles: ArrayLike, sequence: str = "zyx", *, axes: Axes = "intrinsic", angle: Angle = "rad"
) -> Any:
    """The matrix of three angles, in the order of the sequence.

    `"intrinsic"`: about the axes of the frame that turns, R = Ra(first) Rb(second) Rc(third). `"extrinsic"`: about
    fixed axes, R = Rc(third) Rb(second) Ra(first); roll, pitch and yaw are `"xyz"` so.

    >>> matrix_from_euler([0, 0, 90], "xyz", axes="extrinsic", angle="deg").round(4) + 0.0
    array([[ 0., -1.,  0.],
           [ 1.,  0.,  0.],
           [ 0.,  0.,  1.]])
    """
    moving = moving_sequence(sequence, axes)
    given = amounts_from(angles, "angles", "angle", angle, (3,))
    if isinstance(given, list):
        order = given if axes == "intrinsic" else given[::-1]
        factors = tuple(ElementaryTurn((x,), name) for x, name in zip(order, moving))
        title = sentence("The rotation matrix of {sequence} angles, {axes}", Quoted(sequence.upper()), Quoted(axes))
        return MotionFormula(factors, title, (_ORDER[axes],))
    order_of = (0, 1, 2) if axes == "intrinsic" else (2, 1, 0)
    return matrix_array(orientation.matrix_from_angles([given[..., k] for k in order_of], moving, ARRAYS))


_ORDER: dict[str, Sentence] = {
    "intrinsic": sentence("Turns about the axes of the moving frame multiply from the right, in their order."),
    "extrinsic": sentence("Turns about fixed axes multiply from the left, in their order."),
}


def euler_from_matrix(
    R: ArrayLike, sequence: str = "zyx", *, axes: Axes = "intrinsic", angle: Angle = "rad"
) -> EulerAngles:
    """Both sets of angles of a rotation, and where only one sum or difference of them is determined.

    In the first set the middle angle lies in [−π/2, π/2] where the three axes differ, in [0, π] where the outer two
    are the same. At gimbal lock the angle about the outermost axis is 0, and a warning says so.

    >>> euler_from_matrix(matrix_from_euler([10, 20, 30], "zyz", angle="deg"), "zyz", angle="deg").other.round(4)
    array([-170.,  -20., -150.])
    """
    moving, unit = moving_sequence(sequence, axes), radians_of(angle)
    rows: Any = entries_of(rotations_from(R, "R"))
    one: Any = orientation.angles_from_matrix(rows, moving, ARRAYS)
    other: Any = orientation.other_angles(one, moving, ARRAYS)
    locked = np.asarray(orientation.is_locked(rows, moving, ARRAYS)) > 0
    if locked.any():
        free = ("first", "third") if axes == "intrinsic" else ("third", "first")
        caution(
            "gimbal lock: of {sequence} angles only one combination of the first and third is determined; the {free} "
            "is set to 0",
            sequence,
            Message(free[0]),
        )
    order = slice(None) if axes == "intrinsic" else slice(None, None, -1)
    sets = [np.stack(np.broadcast_arrays(*x), -1)[..., order] / unit + 0.0 for x in (one, other)]
    return EulerAngles(sets[0], sets[1], locked if locked.ndim else bool(locked))


# Axis and angle, quaternion, rotation vector


def matrix_from_axis_angle(axis: ArrayLike, turn: ArrayLike, *, angle: Angle = "rad") -> Any:
    """The rotation by `turn` about a vector of any length but 0; letters u_x, u_y, u_z are taken to have length 1.

    >>> matrix_from_axis_angle([0, 0, 2], "90°").round(4) + 0.0
    array([[ 0., -1.,  0.],
           [ 1.,  0.,  0.],
           [ 0.,  0.,  1.]])
    """
    u, amount = amounts_from(axis, "axis", "any", "rad", (3,)), amounts_from(turn, "turn", "angle", angle, ())
    if isinstance(u, list) or isinstance(amount, list):
        numbers = None if isinstance(u, list) else unit_vectors(u, "axis")
        if numbers is not None and numbers.ndim > 1:
            raise InputError("axis: one axis at a time where the angle has letters")
        parts = u if numbers is None else [number(float(x)) for x in numbers]
        last = amount[0] if isinstance(amount, list) else number(float(amount))
        return MotionFormula((AxisTurn((*parts, last)),), sentence("A turn about any axis, by Rodrigues' formula"))
    unit = unit_vectors(u, "axis")
    x, y, z = np.moveaxis(unit, -1, 0)
    return matrix_array(rotation_about((x, y, z), np.cos(amount), np.sin(amount)))


def axis_angle_from_matrix(R: ArrayLike, *, angle: Angle = "rad") -> AxisAngle:
    """A unit axis, and the angle in [0, π]; after half a turn the largest entry of the axis is positive."""
    unit, e = radians_of(angle), quaternion_from_matrix(R)
    w, x, y, z = np.moveaxis(e, -1, 0)
    found: Any = orientation.axis_angle_from_quaternion((w, x, y, z), ARRAYS)
    return AxisAngle(np.stack(found[0], -1), np.asarray(found[1])[()] / unit)


def matrix_from_quaternion(quaternion: ArrayLike) -> Any:
    """Of a unit quaternion w x y z, the scalar first; it and its negative are one rotation.

    >>> matrix_from_quaternion([1, 0, 0, 0])
    array([[1., 0., 0.],
           [0., 1., 0.],
           [0., 0., 1.]])
    """
    e = amounts_from(quaternion, "quaternion", "any", "rad", (4,))
    if isinstance(e, list):
        return MotionFormula(
            (QuaternionTurn(tuple(e)),), sentence("The rotation matrix of a unit quaternion, the scalar first")
        )
    length = np.linalg.norm(e, axis=-1, keepdims=True)
    if not (np.abs(length - 1) <= NEAR).all():
        raise InputError(
            "quaternion: found one of length {length:.6g}, expected w x y z of length 1; divide it by its length",
            float(np.ravel(length)[np.argmax(~(np.abs(np.ravel(length) - 1) <= NEAR))]),
        )
    return matrix_array(orientation.matrix_from_quaternion(list(np.moveaxis(e / length, -1, 0))))


def quaternion_from_matrix(R: ArrayLike) -> Array:
    """w x y z with w ≥ 0; after half a turn, w = 0, the largest of x, y, z is positive."""
    rows: Any = entries_of(rotations_from(R, "R"))
    return np.stack(orientation.quaternion_from_matrix(rows, ARRAYS), -1)  # type: ignore[arg-type]


def matrix_from_vector(vector: ArrayLike) -> Any:
    """Of a rotation vector: the axis times the angle in radians."""
    v = amounts_from(vector, "vector", "any", "rad", (3,))
    if isinstance(v, list):
        raise InputError("vector: found letters; matrix_from_axis_angle takes an axis and an angle of letters")
    e: Any = orientation.quaternion_from_vector(list(np.moveaxis(v, -1, 0)), ARRAYS)
    return matrix_array(orientation.matrix_from_quaternion(e))


def vector_from_matrix(R: ArrayLike) -> Array:
    """The axis times the angle, at most π long."""
    w, x, y, z = np.moveaxis(quaternion_from_matrix(R), -1, 0)
    return np.stack(orientation.vector_from_quaternion((w, x, y, z), ARRAYS), -1)  # type: ignore[arg-type]


# All forms of one


@dataclass(frozen=True)
class RotationForms:
    """One rotation in every form; prints itself. `unit` is that of the angles; the vector is in radians."""

    matrix: Array
    quaternion: Array
    axis: Array
    angle: float
    vector: Array
    sequence: str
    axes: str
    euler: EulerAngles
    unit: str
    position: Array | None = None

    def as_dict(self) -> dict[str, object]:
        """Plain data."""
        place = {} if self.position is None else {"position": self.position.tolist()}
        return {
            "matrix": self.matrix.tolist(), "quaternion": self.quaternion.tolist(), "axis": self.axis.tolist(),
            "angle": self.angle, "vector": self.vector.tolist(), "sequence": self.sequence, "axes": self.axes,
            "euler": [self.euler.angles.tolist(), self.euler.other.tolist()],
            "singular": self.euler.singular, "unit": self.unit, **place,
        }  # fmt: skip

    def lines(self) -> list[tuple[Message, str]]:
        """What it is, and its numbers."""
        first, *rest = [_text(row) for row in self.matrix]
        lines = [(Message("matrix"), first), *((Message(""), row) for row in rest)]
        if self.position is not None:
            lines.append((Message("position"), _text(self.position)))
        named = Message("{sequence} angles, {axes}, {unit}", self.sequence, Message(self.axes), self.unit)
        other = Message("only a combination is determined") if self.euler.singular else _text(self.euler.other)
        return [
            *lines,
            (Message("quaternion w x y z"), _text(self.quaternion)),
            (Message("axis"), _text(self.axis)),
            (Message("angle, {unit}", self.unit), _text([self.angle])),
            (Message("rotation vector, rad"), _text(self.vector)),
            (named, _text(self.euler.angles)),
            (Message("the other set"), other),
        ]

    def __str__(self) -> str:
        lines = self.lines()
        wide = max(len(str(name)) for name, _ in lines)
        return "\n".join(f"{name!s:<{wide}}  {numbers}".rstrip() for name, numbers in lines)


def forms(motion: ArrayLike, sequence: str = "zyx", *, axes: Axes = "intrinsic", angle: Angle = "rad") -> RotationForms:
    """One rotation, or transform, in every form.

    >>> print(forms(about("z", 90, angle="deg"), angle="deg"))
    matrix                      0  -1  0
                                1  0  0
                                0  0  1
    quaternion w x y z          0.707107  0  0  0.707107
    axis                        0  0  1
    angle, deg                  90
    rotation vector, rad        0  0  1.5708
    zyx angles, intrinsic, deg  90  0  0
    the other set               -90  180  180
    """
    M = single_entry(motions_from(motion, "motion"), "motion", 2)
    R = M[:3, :3]
    axis, turn = axis_angle_from_matrix(R, angle=angle)
    both = euler_from_matrix(R, sequence, axes=axes, angle=angle)
    position = M[:3, 3] if len(M) == 4 else None
    e, v = quaternion_from_matrix(R), vector_from_matrix(R)
    return RotationForms(R, e, axis, float(turn), v, sequence, axes, both, angle, position)


def picture(
    *motions: object, names: Sequence[str] = (), path: str | Path | None = None, eye: Sequence[float] | None = None
) -> Picture:
    """The fixed frame, pale, and each frame that a rotation or transform gives, its axes labelled: an SVG.

    `names` are the indices of the labels, the fixed frame's first; by default 0, 1, 2. `path` writes the file.

    >>> picture(about("z", 30, angle="deg"))
    <picture of frames 0, 1: SVG of 2.2 kB; print(…) shows its text>
    """
    from manipula.pages.picture import frames_svg
    from manipula.support.files import write_text

    arrays = [single_entry(motions_from(x, f"motion {k}"), f"motion {k}", 2) for k, x in enumerate(motions, 1)]
    poses = [np.eye(4), *(x if len(x) == 4 else transform_from_parts(x) for x in arrays)]
    labels = list(names) or [str(k) for k in range(len(poses))]
    if len(labels) != len(poses):
        raise InputError("names: found {found}, expected {count}: the fixed frame's first", len(labels), len(poses))
    drawn = frames_svg(poses, labels, eye)
    if path is not None:
        write_text(Path(path), drawn)
    return drawn


def _text(numbers: object) -> str:
    """Six digits; what rounding leaves of nothing is 0."""
    return "  ".join(f"{0.0 if abs(x) < 5e-13 else x:.6g}" for x in np.asarray(numbers, dtype=float))
