"""Physical plausibility of a robot's numbers, whatever file they came from.

Impossible entries (a negative mass, an inertia that is not positive) raise `RobotFileError`; suspicious ones (degrees
under radians, an inertia that breaks the triangle inequality) are sentences. Entries without a value are let pass.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from manipula.errors import ManipulaWarning, RobotFileError
from manipula.mechanics.robot.description import Body, Cell, Joint, Robot, Steps
from manipula.mechanics.robot.formats.naming import unused_values
from manipula.mechanics.robot.formats.numbers import Numbers
from manipula.mechanics.robot.formats.source import errors_of, joint_label
from manipula.mechanics.robot.formats.suspicion import angle_suspicion, length_suspicion
from manipula.mechanics.robot.parameter import Parameter

_FIELD_OF_STEP = {"rx": "alpha", "rz": "theta", "tx": "a", "tz": "d"}
_SLACK = 1e-9  # relative; published tensors have four or five digits, and a rod sits exactly on the limit


@dataclass(frozen=True)
class Doubt:
    """A suspicious entry."""

    where: str
    field: str
    problem: str
    hint: str = ""

    def error(self) -> RobotFileError:
        return RobotFileError(self.problem, where=self.where, field=self.field, hint=self.hint)


def check_robot(robot: Robot, strict: bool = False) -> list[str]:
    """The suspicious entries as sentences; the first impossible one (with `strict`, suspicious too) is an error."""
    file = robot.origin.path
    with errors_of(file):
        doubts = list(_doubts(robot))
        if strict and doubts:
            raise doubts[0].error()
    return [
        str(RobotFileError(doubt.problem, file=file, where=doubt.where, field=doubt.field, hint=doubt.hint))
        for doubt in doubts
    ]


def warn_about(robot: Robot) -> None:
    """Checks, and says every suspicious entry as a `ManipulaWarning`."""
    for sentence in check_robot(robot):
        warnings.warn(sentence, ManipulaWarning, stacklevel=4)


def _doubts(robot: Robot) -> Iterator[Doubt]:
    numbers = Numbers(robot)
    for row, joint in enumerate(robot.joints, 1):
        where = joint_label(row, joint.name)
        _refuse_impossible_motor(joint, where, numbers)
        _refuse_impossible_limits(joint, where, numbers)
        yield from _geometry_doubts(joint, where, numbers, robot.origin.convention == "urdf")
        yield from _friction_doubts(joint, where, numbers)
        if joint.body is not None:
            yield from _body_doubts(joint.body, where, numbers)
        for mounted in joint.carries:
            yield from _body_doubts(mounted.body, f"{where}: carries", numbers)
    for part, steps in (("base", robot.base), ("tool", robot.tool)):
        yield from _step_doubts(steps, part, numbers, by_name=True)
    for body in robot.payload:
        yield from _body_doubts(body, "payload", numbers)
    for sentence in unused_values(robot):
        field, problem = sentence.split(": ", 1)
        yield Doubt("", field, problem)


def _geometry_doubts(joint: Joint, where: str, numbers: Numbers, by_name: bool) -> Iterator[Doubt]:
    yield from _step_doubts(joint.before + joint.after, where, numbers, by_name)
    if joint.kind == "revolute":
        yield from _cell_doubt(joint.offset, True, where, joint.offset.name if by_name else "theta", numbers)
    if joint.kind == "prismatic":
        yield from _cell_doubt(joint.offset, False, where, joint.offset.name if by_name else "d", numbers)


def _step_doubts(steps: Steps, where: str, numbers: Numbers, by_name: bool) -> Iterator[Doubt]:
    for step in steps:
        field = step.amount.name if by_name else _FIELD_OF_STEP.get(step.kind, step.amount.name)
        yield from _cell_doubt(step.amount, step.kind[0] == "r", where, field, numbers)


def _cell_doubt(cell: Cell, turns: bool, where: str, field: str, numbers: Numbers) -> Iterator[Doubt]:
    number = numbers.plain(cell.parameter)
    told = None if number is None else angle_suspicion(number) if turns else length_suspicion(number)
    if told:
        yield Doubt(where, field, *told)


def _friction_doubts(joint: Joint, where: str, numbers: Numbers) -> Iterator[Doubt]:
    for field, cell in (("friction.viscous", joint.viscous), ("friction.coulomb", joint.coulomb)):
        value = numbers.value(cell.parameter)
        if value is not None and value < 0:
            yield Doubt(where, field, f"is negative: {value:g}", "this friction would push the joint along")


def _refuse_impossible_motor(joint: Joint, where: str, numbers: Numbers) -> None:
    _refuse_negative(joint.motor_inertia.parameter, where, "motor_inertia", numbers)
    for field in ("velocity_limit", "effort_limit"):
        bound: Parameter | None = getattr(joint, field)
        if bound is not None:
            _refuse_negative(bound, where, field, numbers)


def _refuse_negative(parameter: Parameter, where: str, field: str, numbers: Numbers) -> None:
    value = numbers.value(parameter)
    if value is not None and value < 0:
        raise RobotFileError(f"is negative: {value:g}", where=where, field=field, hint="expected zero or more")


def _refuse_impossible_limits(joint: Joint, where: str, numbers: Numbers) -> None:
    if joint.limits is None:
        return
    low, high = (numbers.value(bound) for bound in joint.limits)
    if low is not None and high is not None and low > high:
        raise RobotFileError(
            f"the lower limit {low:g} is above the upper limit {high:g} (SI)",
            where=where, field="limits", hint="expected [lowest, highest]",
        )  # fmt: skip


def _body_doubts(body: Body, where: str, numbers: Numbers) -> Iterator[Doubt]:
    """Mass, centre and tensor of one body."""
    _refuse_negative(body.mass.parameter, where, "mass", numbers)
    if body.centre_is == "com":
        for cell in body.centre:
            yield from _cell_doubt(cell, False, where, "com", numbers)
    six = [numbers.value(cell.parameter) for cell in body.inertia]
    field = "second_moment" if body.inertia_is == "second_moment" else "inertia"
    known = [value for value in six if value is not None]
    if len(known) == len(six):
        yield from _tensor_doubts(_tensor(known, body), where, field)


def _tensor(six: list[float], body: Body) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    xx, xy, xz, yy, yz, zz = six
    matrix = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return np.trace(matrix) * np.eye(3) - matrix if body.inertia_is == "second_moment" else matrix


def _tensor_doubts(
    tensor: np.ndarray[tuple[int, int], np.dtype[np.float64]], where: str, field: str
) -> Iterator[Doubt]:
    """Principal moments: none negative, and none above the sum of the other two."""
    low, middle, high = (float(moment) for moment in np.linalg.eigvalsh(tensor))
    shown = f"principal moments {low:.6g}, {middle:.6g}, {high:.6g} kg·m²"
    slack = _SLACK * max(abs(low), high)
    if low < -slack:
        raise RobotFileError(
            f"no body has this inertia: it is not positive, {shown}",
            where=where, field=field, hint="check signs and units; the entries are those of the tensor itself",
        )  # fmt: skip
    only_one = math.isclose(middle, 0, abs_tol=slack)  # a planar arm whose table gives Izz alone
    if low + middle < high - slack and not only_one:
        yield Doubt(
            where, field, f"breaks the triangle inequality: {shown}", "each may not pass the sum of the other two"
        )
