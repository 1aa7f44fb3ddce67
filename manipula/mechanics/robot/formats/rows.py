"""The two Denavit–Hartenberg conventions and the placement tables, as elementary steps and back.

    standard row:  Rz(theta) Tz(d) Tx(a) Rx(alpha)          the joint moves theta or d, the first of the four
    modified row:  Rx(alpha) Tx(a) Rz(theta) Tz(d)          the joint moves theta or d, the last of the four
    placement:     Tx Ty Tz Rz(yaw) Ry(pitch) Rx(roll)      roll, pitch, yaw about fixed axes

Turn and shift along one axis commute, so the moving one of theta and d can stand outermost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from manipula.mechanics.robot.description import Cell, Joint, JointKind, Step, StepKind, Steps, known
from manipula.mechanics.robot.joints import KINDS

Convention = Literal["standard", "modified"]
FIELDS = ("theta", "d", "a", "alpha")
STEP_OF: dict[str, StepKind] = {"theta": "rz", "d": "tz", "a": "tx", "alpha": "rx"}
PLACEMENT: tuple[tuple[str, StepKind], ...] = (
    ("x", "tx"), ("y", "ty"), ("z", "tz"), ("yaw", "rz"), ("pitch", "ry"), ("roll", "rx"),
)  # fmt: skip


@dataclass(frozen=True)
class Row:
    """The four cells of a Denavit–Hartenberg row."""

    theta: Cell
    d: Cell
    a: Cell
    alpha: Cell

    def __getitem__(self, field: str) -> Cell:
        return {"theta": self.theta, "d": self.d, "a": self.a, "alpha": self.alpha}[field]


def split_row(row: Row, kind: JointKind, convention: Convention, suffix: str) -> tuple[Steps, Cell, Steps]:
    """(before, offset, after) of a joint."""
    before, after = _shape(kind, convention)
    field = KINDS[kind].field
    offset = row[field] if field else known(f"offset{suffix}")
    return _steps(before, row), offset, _steps(after, row)


def row_from_joint(joint: Joint, convention: Convention) -> Row | None:
    """The row that gives this joint, zeros filled in; None when the joint has not the convention's form."""
    cells = {field: known(field) for field in FIELDS}
    if field := KINDS[joint.kind].field:
        cells[field] = joint.offset
    before, after = _shape(joint.kind, convention)
    if joint.kind == "fixed":
        parts = [(joint.before + joint.after, before + after)]
    else:
        parts = [(joint.before, before), (joint.after, after)]
    for steps, fields in parts:
        found = _fill(steps, [(field, STEP_OF[field]) for field in fields])
        if found is None:
            return None
        cells.update(found)
    return Row(**cells)


def steps_from_placement(cells: Mapping[str, Cell]) -> Steps:
    """The steps of a placement; `cells` has x y z roll pitch yaw."""
    return tuple(Step(kind, cells[field]) for field, kind in PLACEMENT)


def placement_from_steps(steps: Steps) -> dict[str, Cell] | None:
    """x y z roll pitch yaw of the steps, zeros filled in; None when they come in another order."""
    found = _fill(steps, PLACEMENT)
    return None if found is None else {field: known(field) for field, _ in PLACEMENT} | found


def _shape(kind: JointKind, convention: Convention) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Which fields stand before and after the motion."""
    match convention, KINDS[kind].field:
        case "standard", "theta":
            return (), ("d", "a", "alpha")
        case "standard", "d":
            return ("theta",), ("a", "alpha")
        case "standard", _:
            return (), ("theta", "d", "a", "alpha")
        case _, "theta":
            return ("alpha", "a", "d"), ()
        case _, "d":
            return ("alpha", "a", "theta"), ()
    return ("alpha", "a", "theta", "d"), ()


def _steps(fields: Sequence[str], row: Row) -> Steps:
    return tuple(Step(STEP_OF[field], row[field]) for field in fields)


def _fill(steps: Steps, pattern: Sequence[tuple[str, StepKind]]) -> dict[str, Cell] | None:
    """Matches the steps with the pattern in order; places of the pattern may stay empty."""
    found: dict[str, Cell] = {}
    rest = iter(pattern)
    for step in steps:
        field = next((name for name, kind in rest if kind == step.kind), None)
        if field is None:
            return None
        found[field] = step.amount
    return found
