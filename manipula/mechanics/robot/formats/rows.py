"""The two Denavit–Hartenberg conventions and the placement tables, as elementary steps and back.

    standard row:  Rz(theta) Tz(d) Tx(a) Rx(alpha)          the joint moves theta or d, the first of the four
    modified row:  Rx(alpha) Tx(a) Rz(theta) Tz(d)          the joint moves theta or d, the last of the four
    placement:     Tx Ty Tz Rz(yaw) Ry(pitch) Rx(roll)      roll, pitch, yaw about fixed axes

Turn and shift along one axis commute, so the moving one of theta and d can stand outermost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from manipula.mechanics.robot.description import AXES, Cell, Joint, JointKind, Step, StepKind, Steps, cell_with_value
from manipula.mechanics.robot.exact import Along, gather_steps, inverse_of, quarter_steps
from manipula.mechanics.robot.joints import KINDS
from manipula.mechanics.robot.precise import MP, PRECISE, angle, placement
from manipula.mechanics.robot.precise import steps_from_placement as numeric_steps
from manipula.mechanics.robot.values.parameter import names_of

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
    offset = row[field] if field else cell_with_value(f"offset{suffix}")
    return _steps(before, row), offset, _steps(after, row)


def row_from_joint(joint: Joint, convention: Convention) -> Row | None:
    """The row that gives this joint, zeros filled in; None when the joint has not the convention's form."""
    cells = {field: cell_with_value(field) for field in FIELDS}
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
    return None if found is None else {field: cell_with_value(field) for field, _ in PLACEMENT} | found


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


# Rows that are placements, as a URDF has them: xyz and rpy of the frame at rest, the axis in it.
#
#     before = Txyz Rrpy · T(anchor) toward        after = (T(anchor) toward)⁻¹ · link
#
# `toward` are the turns that bring z onto the axis; the link's frame is the one at rest, moved with the joint, unless
# `link` places it further. `anchor` is a point of the axis, of which only other formats make use.

TURNS: dict[str, StepKind] = {"lean": "rz", "tilt": "ry", "roll": "rx"}  # in a file: about z, then y; or about x
NAMED = {"lean": "lean", "tilt": "tilt", "roll": "tilt"}  # the letters of their cells


def toward_axis(axis: tuple[Fraction, Fraction, Fraction], row: str) -> Steps:
    """Turns that bring z onto the axis, exact along x, y and z: an axis that points backwards is turned onto, too, so
    that offset and coordinate are counted about the axis as the file has it."""
    x, y, z = axis
    along: list[Along] = [(name, 1 if part > 0 else -1) for name, part in zip(AXES, axis) if part]
    if len(along) == 1:
        return quarter_steps(along[0], f"tilt{row}")
    px, py, pz = (PRECISE.number(part) for part in (x, y, z))
    if x == 0:
        return (Step("rx", Cell(f"tilt{row}", angle(MP.atan2(-py, pz)))),)
    tilt = Step("ry", Cell(f"tilt{row}", angle(MP.atan2(MP.sqrt(px**2 + py**2) if y else px, pz))))
    return (Step("rz", Cell(f"lean{row}", angle(MP.atan2(py, px)))), tilt) if y else (tilt,)


@dataclass(frozen=True)
class Placed:
    """A row as placements: cells x y z roll pitch yaw of the frame and of the link in it, and the way to the axis."""

    at: dict[str, Cell]
    anchor: dict[str, Cell]
    toward: Steps
    link: dict[str, Cell]


def with_placement(joint: Joint, end: str, values: Mapping[str, object]) -> Joint:
    """A row that stands still, of steps in any order, as one shift and one turn to twenty decimals; a row with a name
    that has no value stays."""
    way = joint.before + joint.after
    if joint.kind != "fixed" or placed_from_joint(joint) or any(name not in values for name in names_in(way)):
        return joint
    names: dict[StepKind, str] = {kind: f"{name}{end}" for name, kind in PLACEMENT}
    return replace(joint, before=numeric_steps(placement(way, values), names), after=())


def names_in(steps: Steps) -> list[str]:
    """The names that a way depends on, each once."""
    return list(dict.fromkeys(name for step in steps for name in names_of(step.amount.parameter)))


def placed_from_joint(joint: Joint) -> Placed | None:
    """The row as placements; None when it is not of that form."""
    for count in range(min(len(joint.before), len(joint.after)), -1, -1):
        split = len(joint.before) - count
        way = joint.before[split:]
        if joint.after[:count] == inverse_of(way):
            found = _row_from_steps(joint.before[:split], way, joint.after[count:])
            if found is not None:
                return found
    return None


def _row_from_steps(before: Steps, way: Steps, link: Steps) -> Placed | None:
    shifts = tuple(step for step in way if step.kind[0] == "t")
    toward = way[len(shifts) :]
    turns = tuple(step.kind for step in toward)
    if way[: len(shifts)] != shifts or turns not in ((), ("rx",), ("ry",), ("rz", "ry")):
        return None
    parts = [placement_from_steps(steps) for steps in (before, shifts, link)]
    if parts[0] is None or parts[1] is None or parts[2] is None:
        return None
    return Placed(parts[0], parts[1], toward, parts[2])


# A way across several joints that stand still, as the shift and the turn that a file has room for.


def in_order(steps: Steps) -> Steps:
    """A shift, then roll, pitch and yaw. Exact where steps that undo each other leave such a way; else a way of numbers
    alone is so to twenty decimals; one with letters stays as it is."""
    tidy = gather_steps(steps)
    lettered = any(True for step in steps for _ in names_of(step.amount.parameter))
    if lettered or placement_from_steps(tidy) is not None:
        return tidy
    names: dict[StepKind, str] = {kind: name for name, kind in PLACEMENT}
    return numeric_steps(placement(steps, {}), names)
