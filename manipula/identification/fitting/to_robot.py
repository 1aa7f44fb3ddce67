"""What was found, as a robot: inertia, motor inertia, the friction laws of a robot file, gravity that the base sees."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from manipula.errors import some_of
from manipula.identification.assembled import Columns, laws_in_file
from manipula.identification.columns.column import Column
from manipula.identification.columns.inertial import INERTIAL
from manipula.identification.data import Data
from manipula.identification.estimators.pseudo_inertia import TEN, least_eigenvalue, pseudo_inertia
from manipula.identification.fitting.prediction import Errors, errors_of
from manipula.identification.joint_model import TILT
from manipula.mechanics.robot.actuators.actuator import MOTOR
from manipula.mechanics.robot.actuators.friction import linear_letters, without_negative_damping
from manipula.mechanics.robot.description import Cell, Joint, RobotDescription, rubbed
from manipula.mechanics.robot.standard import with_standard
from manipula.mechanics.robot.suffixes import suffixes_of
from manipula.mechanics.robot.values.parameter import number

Array = NDArray[np.float64]


def in_file(columns: Sequence[Column]) -> list[bool]:
    """Which columns a robot file can say."""
    return [bool(column.words) or column.family in (INERTIAL, TILT) for column in columns]


def robot_with(source: Columns, columns: Sequence[Column], theta: Array) -> RobotDescription:
    """The robot of these values; it has no friction that is not among the columns."""
    said = [(c, float(x)) for c, x, own in zip(columns, theta, in_file(columns)) if own]
    laws: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for column, value in said:
        if column.joint is not None and column.words:
            own = laws[source.joints[column.joint].name]
            for letters, factor in column.words.items():
                own[letters] += factor * value
            own |= {letters: float(x) for letters, x in column.widths.items()}
    ends = suffixes_of(source.robot).rows
    bodies = {c.name: number(value) for c, value in said if c.family == INERTIAL}
    moving = [(joint, end) for joint, end in zip(source.robot.joints, ends) if joint.kind != "fixed"]
    motors = {f"{MOTOR.letters}{end}": number(laws[joint.name].pop(MOTOR.letters, 0.0)) for joint, end in moving}

    def row(joint: Joint, end: str) -> Joint:
        friction = without_negative_damping(laws[joint.name])
        return joint if joint.kind == "fixed" else rubbed(joint, end, {x: number(y) for x, y in friction.items()})

    robot = _leaning(source, {c.name: value for c, value in said if c.family == TILT})
    bare = replace(robot, joints=tuple(map(row, robot.joints, ends)))
    return with_standard(bare, motors | bodies)


def left_out(data: Data, theta: Array, fitted: Errors) -> str:
    """A sentence on what of a fit no robot file can say, with what that costs; empty where a file says all of it."""
    said = np.array(in_file(data.columns))
    families = Counter(column.family for column, own in zip(data.columns, said) if not own)
    if not families:
        return ""
    error = errors_of(data, np.where(said, theta, 0.0)).whole
    return (
        f"found.robot is without {some_of(list(families))} ({families.total()} values of found.extra), for which a "
        f"file has no word: its error on the training is {error:.2f} %, that of found.torque {fitted.whole:.2f} %"
    )


def forgotten_laws(data: Data) -> list[str]:
    """Sentences on friction laws of the robot's own file that the fit has no column for."""
    columned = {letters for column in data.columns for letters in column.words}
    present = laws_in_file(data.source.columns.joints, dict(data.robot.values))
    return [
        f"found.robot is without friction.{law.key} of the robot's file: the fit has no column for it"
        for law in present
        if columned.isdisjoint(linear_letters(law))
    ]


def _leaning(source: Columns, tilts: dict[str, float]) -> RobotDescription:
    """Under the gravity that a base which is not level sees; its frames stay, for torques do not tell its heading."""
    if not tilts:
        return source.robot
    lean = sum((angle * way for angle, way in zip(tilts.values(), source.ways())), source.inertial.gravity)
    x, y, z = (Cell(cell.name, number(float(g))) for cell, g in zip(source.robot.gravity, lean))
    return replace(source.robot, gravity=(x, y, z))


def eigenvalues_of(columns: Sequence[Column], theta: Array) -> Array:
    """Of every body the least eigenvalue of its pseudo-inertia, lengths in the body's own size."""
    ten = theta[[k for k, c in enumerate(columns) if c.family == INERTIAL]].reshape(-1, TEN)
    return least_eigenvalue(pseudo_inertia(ten)) if len(ten) else np.zeros(0)


def consistent(columns: Sequence[Column], theta: Array) -> bool:
    """Could masses and motors make this? Every pseudo-inertia positive definite, what cannot be negative is not."""
    bounded = all(x >= c.lower for c, x in zip(columns, theta) if c.lower is not None)
    return bounded and bool((eigenvalues_of(columns, theta) > 0).all())
