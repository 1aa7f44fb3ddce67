"""From the validated file to the frozen robot: units applied, conventions ended, every cell named by its row."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

from manipula.errors import RobotFileError
from manipula.mechanics.robot.description import (
    AXES,
    SIX,
    Body,
    Cell,
    CentreKind,
    InertiaKind,
    Joint,
    Mounted,
    Origin,
    Robot,
    Steps,
)
from manipula.mechanics.robot.formats.rows import FIELDS, Row, split_row, steps_from_placement
from manipula.mechanics.robot.formats.schema import (
    CarriedTable,
    Friction,
    JointTable,
    Massive,
    PlacementTable,
    RobotTable,
    Tensor,
)
from manipula.mechanics.robot.formats.source import joint_label
from manipula.mechanics.robot.formats.units import Entry, Quantity, Units, parameter_from_entry
from manipula.mechanics.robot.parameter import ZERO, Num, Parameter

STANDARD_GRAVITY = (ZERO, ZERO, Num(Fraction("-9.81")))
QUANTITY_OF: dict[str, Quantity] = {"theta": "angle", "d": "length", "a": "length", "alpha": "angle"}
Three = tuple[Cell, Cell, Cell]


def robot_from_table(table: RobotTable, origin: Origin) -> Robot:
    """The robot a validated file describes."""
    _refuse_repeated_names(table)
    return _Builder(table).robot(origin)


def joint_name(row: int, name: str | None) -> str:
    """Joints without a name are called by their row."""
    return name or f"joint{row}"


def _refuse_repeated_names(table: RobotTable) -> None:
    names = [joint_name(row, joint.name) for row, joint in enumerate(table.joint, 1)]
    for row, name in enumerate(names, 1):
        if names.index(name) != row - 1:
            raise RobotFileError(
                f"joint {names.index(name) + 1} is called {name!r} too",
                where=joint_label(row, name), field="name", hint="every joint needs a name of its own",
            )  # fmt: skip
    if Counter(joint.type for joint in table.joint)["fixed"] == len(names):
        raise RobotFileError("no joint moves", field="joint.type", hint="a robot needs a revolute or prismatic joint")


class _Builder:
    def __init__(self, table: RobotTable) -> None:
        self.table = table
        self.units = Units(table.angle, table.length)
        self.absent = None if table.inertia_default is None else ZERO

    def robot(self, origin: Origin) -> Robot:
        table = self.table
        return Robot(
            table.name,
            tuple(self.joint(row, joint) for row, joint in enumerate(table.joint, 1)),
            self.gravity(),
            self.placement(table.base, "base"),
            self.placement(table.tool, "tool"),
            tuple(self.body(body, _numbered("_load", k), "com") for k, body in enumerate(table.payload)),
            tuple((name, self.parameter(entry, "si")) for name, entry in table.values.items()),
            origin,
        )

    def parameter(self, entry: Entry, quantity: Quantity) -> Parameter:
        return parameter_from_entry(entry, quantity, self.units)

    def cell(self, name: str, entry: Entry | None, quantity: Quantity, absent: Parameter | None = ZERO) -> Cell:
        return Cell(name, absent if entry is None else self.parameter(entry, quantity))

    def gravity(self) -> Three:
        values = self.table.gravity or STANDARD_GRAVITY
        x, y, z = (self.cell(f"g{axis}", value, "si") for axis, value in zip(AXES, values))
        return x, y, z

    def placement(self, table: PlacementTable | CarriedTable | None, prefix: str) -> Steps:
        if table is None:
            return ()
        shift, turn = table.xyz or (None,) * 3, table.rpy or (None,) * 3
        cells = {axis: self.cell(f"{prefix}_{axis}", entry, "length") for axis, entry in zip(AXES, shift)}
        for way, entry in zip(("roll", "pitch", "yaw"), turn):
            cells[way] = self.cell(f"{prefix}_{way}", entry, "angle")
        return steps_from_placement(cells)

    def joint(self, row: int, table: JointTable) -> Joint:
        cells = {field: self.cell(f"{field}{row}", getattr(table, field), QUANTITY_OF[field]) for field in FIELDS}
        before, offset, after = split_row(Row(**cells), table.type, self.table.convention, row)
        about = table.inertia_about or self.table.inertia_about
        massless = table.type == "fixed" and not table.has_inertia
        friction = table.friction or Friction()
        return Joint(
            joint_name(row, table.name),
            table.type,
            before,
            offset,
            table.direction or 1,
            after,
            None if massless else self.body(table, str(row), about),
            self.cell(f"Ia{row}", table.motor_inertia, "si"),
            self.cell(f"fv{row}", friction.viscous, "si"),
            self.cell(f"fc{row}", friction.coulomb, "si"),
            self.cell(f"fo{row}", friction.offset, "si"),
            self.limits(table),
            self.bound(table.velocity_limit, _motion(table)),
            self.bound(table.effort_limit, "si"),
            tuple(self.mounted(carried, _numbered(f"branch{row}", k)) for k, carried in enumerate(table.carries)),
        )

    def limits(self, table: JointTable) -> tuple[Parameter, Parameter] | None:
        if table.limits is None:
            return None
        low, high = (self.parameter(entry, _motion(table)) for entry in table.limits)
        return low, high

    def bound(self, entry: Entry | None, quantity: Quantity) -> Parameter | None:
        return None if entry is None else self.parameter(entry, quantity)

    def mounted(self, table: CarriedTable, name: str) -> Mounted:
        return Mounted(self.placement(table, name), self.body(table, f"_{name}", self.table.inertia_about))

    def body(self, table: Massive, suffix: str, about: InertiaKind) -> Body:
        """The body of a link, a payload or a carried part; names end in `suffix`."""
        about = table.inertia_about or about
        kind: InertiaKind = about if table.second_moment is None else "second_moment"
        centre_is: CentreKind = "com" if table.first_moment is None else "first_moment"
        return Body(
            self.cell(f"m{suffix}", table.mass, "si", self.absent),
            self.centre(table, suffix),
            centre_is,
            self.tensor(table.inertia or table.second_moment or Tensor(), tensor_letter(kind), suffix),
            kind,
        )

    def centre(self, table: Massive, suffix: str) -> Three:
        entries = table.com or table.first_moment or (None,) * 3
        quantity: Quantity = "length" if table.first_moment is None else "si"
        letter = centre_letter("com" if table.first_moment is None else "first_moment")
        x, y, z = (
            self.cell(f"{letter}{axis}{suffix}", entry, quantity, self.absent) for axis, entry in zip(AXES, entries)
        )
        return x, y, z

    def tensor(self, table: Tensor, letter: str, suffix: str) -> tuple[Cell, Cell, Cell, Cell, Cell, Cell]:
        xx, xy, xz, yy, yz, zz = (
            self.cell(f"{letter}{pair}{suffix}", getattr(table, pair), "si", self.absent) for pair in SIX
        )
        return xx, xy, xz, yy, yz, zz


def centre_letter(kind: CentreKind) -> str:
    """rx3 is a centre of mass, mx3 a first moment."""
    return "r" if kind == "com" else "m"


def tensor_letter(kind: InertiaKind) -> str:
    """Ixx3 is a tensor entry, Kxx3 a second moment."""
    return "K" if kind == "second_moment" else "I"


def _numbered(name: str, index: int) -> str:
    return name if index == 0 else f"{name}_{index + 1}"


def _motion(table: JointTable) -> Quantity:
    return "angle" if table.type == "revolute" else "length"
