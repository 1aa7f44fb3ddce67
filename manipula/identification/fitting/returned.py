"""What was found, as a robot: inertia, motor inertia and the friction laws that a robot file has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from manipula.identification.columns.column import Column
from manipula.identification.estimators.pseudo_inertia import TEN, least_eigenvalue, pseudo_inertia
from manipula.mechanics.robot.actuators.friction import Coulomb, Load, Offset, Stribeck, Viscous
from manipula.mechanics.robot.description import Arm, Joint, rubbed
from manipula.mechanics.robot.formats.given import given_friction
from manipula.mechanics.robot.standard import with_standard
from manipula.mechanics.robot.suffixes import suffixes_of
from manipula.mechanics.robot.values.parameter import number

Array = NDArray[np.float64]
# families a robot file has as they are
OF_FILE = ("inertial", "motor_inertia", *(law.key for law in (Viscous, Coulomb, Offset, Load)))
STRIBECK = Stribeck.key


def in_file(columns: Sequence[Column], theta: Array) -> list[bool]:
    """Which columns a robot file can say. Stribeck's law has one width there, friction of a file is not negative."""
    widths = list(dict.fromkeys(c.family for c in columns if c.family.startswith(f"{STRIBECK}:")))
    families = (*OF_FILE, *(widths if len(widths) == 1 else ()))
    negative = {c.family for c, x in zip(columns, theta) if c.family in ("load", *widths) and x < 0}
    return [c.family in families and c.family not in negative for c in columns]


def robot_with(robot: Arm, columns: Sequence[Column], theta: Array, pace: Array) -> Arm:
    """The robot of these values; friction that is not among the columns is none. `pace` scales widths, by joint."""
    said = in_file(columns, theta)
    values = {c.name: float(x) for c, x, own in zip(columns, theta, said) if own}
    laws = _laws(robot, [c for c, own in zip(columns, said) if own], values, pace)
    ends = suffixes_of(robot).rows

    def row(joint: Joint, end: str) -> Joint:
        return (
            joint if joint.kind == "fixed" else rubbed(joint, end, given_friction(laws.get(joint.name, {}), joint.name))
        )

    bare = replace(robot, joints=tuple(map(row, robot.joints, ends)))
    linear = {c.name for c in columns if c.family not in ("load",) and not c.family.startswith(STRIBECK)}
    own = {name: number(x) for name, x in values.items() if name in linear}
    motors = {f"Ia{end}": number(0.0) for joint, end in zip(robot.joints, ends) if joint.kind != "fixed"}
    return with_standard(bare, motors | own)


def _laws(
    robot: Arm, columns: Sequence[Column], values: Mapping[str, float], pace: Array
) -> dict[str, dict[str, object]]:
    """Of every joint the laws beside those that every joint has."""
    found: dict[str, dict[str, object]] = {}
    for column in columns:
        if column.joint is None:
            continue
        own = found.setdefault(robot.joint_names[column.joint], {})
        if column.family == "load":
            own["load"] = values[column.name]
        elif column.family.startswith(f"{STRIBECK}:"):
            width = float(column.family.partition(":")[2]) * float(pace[column.joint])
            own[STRIBECK] = {"torque": values[column.name], "velocity": width}
    return found


def eigenvalues_of(columns: Sequence[Column], theta: Array) -> Array:
    """Of every body the least eigenvalue of its pseudo-inertia, lengths in the body's own size."""
    ten = theta[[k for k, c in enumerate(columns) if c.family == "inertial"]].reshape(-1, TEN)
    return least_eigenvalue(pseudo_inertia(ten)) if len(ten) else np.zeros(0)


def consistent(columns: Sequence[Column], theta: Array) -> bool:
    """Could masses and motors make this? Every pseudo-inertia positive definite, what cannot be negative is not."""
    bounded = all(x >= c.lower for c, x in zip(columns, theta) if c.lower is not None)
    return bounded and bool((eigenvalues_of(columns, theta) > 0).all())
