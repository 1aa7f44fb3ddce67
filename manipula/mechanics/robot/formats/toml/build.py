"""From the validated file to the frozen robot: units applied, conventions ended, every cell named by its joint."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction

from manipula.errors import InputError, RobotFileError
from manipula.mechanics.robot.actuator import Actuator, Spring, actuator_from
from manipula.mechanics.robot.coordinates import Coordinate
from manipula.mechanics.robot.description import (
    AXES,
    BASE,
    SIX,
    BaseMotion,
    Body,
    Cell,
    CentreKind,
    Frame,
    InertiaKind,
    Joint,
    Mounted,
    NamedPose,
    Origin,
    RobotDescription,
    Step,
    StepKind,
    Steps,
    centre_letter,
    tensor_letter,
)
from manipula.mechanics.robot.elements import LETTERS, TwoPointElement
from manipula.mechanics.robot.exact import inverse_of, without_zeros
from manipula.mechanics.robot.formats.rows import (
    FIELDS,
    NAMED,
    TURNS,
    Row,
    split_row,
    steps_from_placement,
    toward_axis,
)
from manipula.mechanics.robot.formats.source import joint_label
from manipula.mechanics.robot.formats.toml import schema
from manipula.mechanics.robot.formats.units import Entry, parameter_from_entry
from manipula.mechanics.robot.formats.variables import coordinate_from_text, named_pose
from manipula.mechanics.robot.joints import KINDS
from manipula.mechanics.robot.loops import ClosedLoop
from manipula.mechanics.robot.suffixes import Suffixes, endings_of_elements, row_names, suffixes
from manipula.mechanics.robot.values.parameter import ZERO, Num, Parameter
from manipula.mechanics.robot.values.terms import Quantity, Units
from manipula.messages import Message

STANDARD_GRAVITY = (ZERO, ZERO, Num(Fraction("-9.81")))
ROBOT_BASE, JOINT_BASE = "(base)", "'base'"  # on what a row stands, where a joint is called base
QUANTITY_OF: dict[str, Quantity] = {"theta": "angle", "d": "length", "a": "length", "alpha": "angle"}
Three = tuple[Cell, Cell, Cell]
Axis = schema.AxisTable | tuple[Parameter, Parameter, Parameter] | None


def robot_from_table(table: schema.RobotTable, origin: Origin) -> RobotDescription:
    """The robot a validated file describes."""
    _refuse_repeated_names(table)
    return _Builder(table).robot(origin)


def joint_names(table: schema.RobotTable) -> list[str]:
    """Every row's name, its own or an automatic one."""
    return row_names((joint.type, joint.name) for joint in table.joint)


def _refuse_repeated_names(table: schema.RobotTable) -> None:
    names = joint_names(table)
    for row, name in enumerate(names, 1):
        if names.index(name) != row - 1:
            raise RobotFileError(
                "joint {index} is called {name!r} too",
                names.index(name) + 1,
                name,
                where=joint_label(row, name),
                field="name",
                hint="every joint needs a name of its own",
            )
    if Counter(joint.type for joint in table.joint)["fixed"] == len(names):
        raise RobotFileError("no joint moves", field="joint.type", hint="a robot needs a joint that moves")


class _Builder:
    def __init__(self, table: schema.RobotTable) -> None:
        self.table = table
        self.units = Units(table.angle, table.length)
        self.absent = None if table.inertia_default is None else ZERO
        self.names = joint_names(table)
        carried = ([carried.name or "" for carried in joint.carries] for joint in table.joint)
        kinds = ("fixed" if joint.coordinate else joint.type for joint in table.joint)
        self.suffixes = suffixes(
            zip(kinds, self.names, carried), len(table.payload), map(_name, _bodies_of_base(table.base))
        )

    def robot(self, origin: Origin) -> RobotDescription:
        table = self.table
        robot = RobotDescription(
            table.name,
            tuple(self.joint(index, joint) for index, joint in enumerate(table.joint)),
            self.gravity(),
            self.placement(table.base, "base_{}"),
            self.placement(table.tool, "tool_{}"),
            tuple(self.body(body, suffix, "com") for body, suffix in zip(table.payload, self.suffixes.payload)),
            tuple(table.values.items()),
            origin,
            self.frames(),
            None if table.tool is None else self.row(table.tool.on, "tool", "on"),
            ground=tuple(map(self.base_body, _bodies_of_base(table.base), self.suffixes.ground)),
            loops=tuple(ClosedLoop(loop.name, loop.joins, loop.free) for loop in table.loop),
            motors=self.motors(),
            moving=_base_motion(table.base),
            elements=tuple(map(self.element, table.element, endings_of_elements(x.name for x in table.element))),
        )
        return replace(robot, named_poses=tuple(self.poses(robot)))

    def element(self, table: schema.ElementTable, suffix: str) -> TwoPointElement[Cell]:
        given = {key: self.cell(f"{letter}{suffix}", getattr(table, key)) for key, letter in LETTERS.items()}
        return TwoPointElement(table.name, table.joins, **given)

    def motors(self) -> tuple[str, ...]:
        """Those named, or all joints that are not passive."""
        passive = [name for row, name in zip(self.table.joint, self.names) if row.passive]
        if self.table.motors is not None:
            drive, order = self.table.motors.drive, {name: row for row, name in enumerate(self.names)}
            if both := next((name for name in passive if name in drive), None):
                raise RobotFileError(
                    "{name!r} is driven and passive", both, where="motors", field="drive", hint="write one of the two"
                )
            return tuple(sorted(drive, key=lambda name: order.get(name, len(order))))
        moving = [
            name for row, name in zip(self.table.joint, self.names) if row.type != "fixed" and row.coordinate is None
        ]
        return tuple(name for name in moving if name not in passive) if self.table.loop or passive else ()

    def poses(self, robot: RobotDescription) -> Iterator[NamedPose]:
        """A bare number is an angle or a length, as its joint turns or slides; a list of another size is refused."""
        motions = [_motion(row) for row, name in zip(self.table.joint, self.names) if name in robot.joint_names]
        for name, given in self.table.poses.items():
            entries = self.pose_entries(robot, name, given) if isinstance(given, dict) else given
            kinds: Iterator[Quantity] = itertools.chain(motions, itertools.repeat("si"))
            at = [self.motion(x, kind, "", f"poses.{name}[{k}]") for k, (x, kind) in enumerate(zip(entries, kinds), 1)]
            yield named_pose(robot, name, at)

    def pose_entries(self, robot: RobotDescription, name: str, given: Mapping[str, Entry]) -> list[Entry]:
        """A pose by the names of joints; those absent are at 0."""
        if odd := next((joint for joint in given if joint not in robot.joint_names), None):
            raise RobotFileError(
                "{odd!r} has no coordinate of its own", odd, field=f"poses.{name}",
                hint=Message("name some of {joint_names}", ", ".join(robot.joint_names)),
            )  # fmt: skip
        return [given.get(joint, Fraction(0)) for joint in robot.joint_names]

    def frames(self) -> tuple[Frame, ...]:
        """Their cells are named after them, each after its own."""
        endings = Suffixes()
        found: list[Frame] = []
        for table in self.table.frame:
            where = Message("frame {frame!r}", table.name)
            if table.name in (*self.bare_names(), *(frame.name for frame in found)):
                raise RobotFileError(
                    "the name is taken",
                    where=where,
                    field="name",
                    hint=Message("every frame needs a name of its own, that of no joint"),
                )
            ending = endings.word(table.name, "frame").removeprefix("_")
            on = self.row(table.on, where, "on")
            found.append(Frame(table.name, on or BASE, self.placement(table, f"{ending}_{{}}")))
        return tuple(found)

    def bare_names(self) -> list[str]:
        """What frames are called without a name of their own: the base and links by their joints, where the file does
        not name the links."""
        rows = zip(self.table.joint, self.names)
        base = () if self.table.base is not None and self.table.base.link_name else ("base",)
        return [*base, *(name for row, name in rows if not row.link_name)]

    def row(self, name: str | None, where: str, field: str) -> str | None:
        """A joint by name; "base" is the base. Where a joint has that name, too, each has a spelling of its own."""
        if name in (ROBOT_BASE, JOINT_BASE) and "base" in self.names:
            return BASE if name == ROBOT_BASE else "base"
        if name != "base":
            return name
        if name in self.names:
            raise RobotFileError(
                "a joint is called 'base'",
                where=where,
                field=field,
                hint=Message("write {robot} for the robot's base, {joint} for the joint", ROBOT_BASE, JOINT_BASE),
            )
        return BASE

    def motion(self, entry: Entry, quantity: Quantity, where: str, field: str) -> Parameter:
        """An entry that is an angle or a length, as its joint turns or slides."""
        try:
            return parameter_from_entry(entry, quantity, self.units)
        except RobotFileError as error:
            raise RobotFileError(error.problem, where=where, field=field, hint=error.hint) from None

    def cell(self, name: str, value: Parameter | None, absent: Parameter | None = ZERO) -> Cell:
        return Cell(name, absent if value is None else value)

    def gravity(self) -> Three:
        values = self.table.gravity or STANDARD_GRAVITY
        x, y, z = (self.cell(f"g{axis}", value) for axis, value in zip(AXES, values))
        return x, y, z

    def placement(self, table: schema.PlacementTable | schema.CarriedTable | None, name: str) -> Steps:
        """`name` has a place for x y z roll pitch yaw."""
        if table is None or (
            isinstance(table, schema.BaseTable | schema.ToolTable | schema.FrameTable)
            and table.xyz is table.rpy is None
        ):
            return ()
        shift, turn = table.xyz or (None,) * 3, table.rpy or (None,) * 3
        cells = {axis: self.cell(name.format(axis), entry) for axis, entry in zip(AXES, shift)}
        for way, entry in zip(("roll", "pitch", "yaw"), turn):
            cells[way] = self.cell(name.format(way), entry)
        return steps_from_placement(cells)

    def joint(self, index: int, table: schema.JointTable) -> Joint:
        end, where = self.suffixes.rows[index], joint_label(index + 1, self.names[index])
        before, offset, after = self.geometry(table, end, where)
        about = table.inertia_about or self.table.inertia_about
        massless = table.type == "fixed" and not table.has_inertia
        return Joint(
            name=self.names[index],
            kind=table.type,
            before=before,
            offset=offset,
            direction=table.direction or 1,
            after=after,
            body=None if massless else self.body(table, end, about),
            actuator=self.actuator(table, end),
            limits=self.limits(table, where),
            velocity_limit=self.velocity_limit(table, where),
            effort_limit=table.effort_limit,
            carries=tuple(map(self.mounted_body, table.carries, self.suffixes.carried[index])),
            parent=self.row(table.parent, where, "parent"),
            of_kind=tuple(
                self.cell(f"{entry.letters}{end}", getattr(table, entry.key)) for entry in KINDS[table.type].entries
            ),
            coordinate=self.coordinate(table, where),
            springs=tuple(map(self.spring, table.springs)),
            link=table.link_name or "",
        )

    def geometry(self, table: schema.JointTable, end: str, where: str) -> tuple[Steps, Cell, Steps]:
        """(before, offset, after) of a table's row, or of placements."""
        convention = self.table.convention
        if not table.is_placement and convention != "urdf":
            cells = {field: self.cell(f"{field}{end}", getattr(table, field)) for field in FIELDS}
            return split_row(Row(**cells), table.type, convention, end)
        if not table.is_placement:
            raise RobotFileError("is missing", where=where, field="xyz", hint='the convention is "urdf"')
        field = KINDS[table.type].field
        offset = self.cell(f"offset{end}", getattr(table, field) if field else None)
        shift = (self.cell(f"a{x}{end}", entry) for x, entry in zip(AXES, table.anchor or (None,) * 3))
        kinds: tuple[StepKind, ...] = ("tx", "ty", "tz")
        way = (*without_zeros(tuple(map(Step, kinds, shift))), *self.toward(table.axis, end, where))
        link = without_zeros(self.placement(table.link, f"link_{{}}{end}"))
        at = without_zeros(self.placement(schema.PlacementTable(xyz=table.xyz, rpy=table.rpy), f"{{}}{end}"))
        return (*at, *way), offset, (*inverse_of(way), *link)

    def toward(self, axis: Axis, end: str, where: str) -> Steps:
        if isinstance(axis, schema.AxisTable):
            given = {name: getattr(axis, name) for name in TURNS if getattr(axis, name) is not None}
            if list(given) not in (["lean", "tilt"], ["tilt"], ["roll"]):
                raise RobotFileError(
                    "found {text}",
                    ", ".join(given) or Message("nothing"),
                    where=where,
                    field="axis",
                    hint=Message("expected lean and tilt, tilt alone, or roll alone"),
                )
            cells = {name: self.cell(f"{NAMED[name]}{end}", entry) for name, entry in given.items()}
            return tuple(Step(TURNS[name], cell) for name, cell in cells.items())
        if axis is None:
            return ()
        x, y, z = (entry.value if isinstance(entry, Num) else None for entry in axis)
        if x is None or y is None or z is None or x == y == z == 0:
            raise RobotFileError(
                "is no direction", where=where, field="axis", hint="expected three numbers, not all zero"
            )
        return toward_axis((x, y, z), end)

    def coordinate(self, table: schema.JointTable, where: str) -> Coordinate | None:
        try:
            text = table.coordinate
            return None if text is None else coordinate_from_text(text, _motion(table), self.units)
        except InputError as error:
            problem, own = (error.problem, error.hint) if isinstance(error, RobotFileError) else (str(error), "")
            hint = own or Message('such as "2*elbow + pi/2"')
            raise RobotFileError(problem, where=where, field="coordinate", hint=hint) from error

    def actuator(self, table: schema.JointTable, end: str) -> Actuator[Cell]:
        given = schema.entries_of(table)

        def cell(letters: str) -> Cell:
            return self.cell(f"{letters}{end}", given.get(letters))

        return actuator_from(cell, given)

    def limits(self, table: schema.JointTable, where: str) -> tuple[Parameter, Parameter] | None:
        if table.limits is None:
            return None
        low, high = (self.motion(x, _motion(table), where, f"limits[{k}]") for k, x in enumerate(table.limits, 1))
        return low, high

    def velocity_limit(self, table: schema.JointTable, where: str) -> Parameter | None:
        rate: Quantity = "angle rate" if KINDS[table.type].turns else "length rate"
        entry = table.velocity_limit
        return None if entry is None else self.motion(entry, rate, where, "velocity_limit")

    def spring(self, table: schema.SpringTable) -> Spring[Parameter]:
        return Spring(table.radii, table.angle, table.length, table.stroke)

    def mounted_body(self, table: schema.CarriedTable, suffix: str) -> Mounted:
        body = self.body(table, suffix, self.table.inertia_about)
        return Mounted(self.placement(table, f"{{}}{suffix}"), body, table.name or "")

    def base_body(self, table: schema.BaseTable | schema.CarriedTable, suffix: str) -> Mounted:
        """The base's own body, or one that stands beside it."""
        if isinstance(table, schema.CarriedTable):
            return self.mounted_body(table, suffix)
        return Mounted((), self.body(table, suffix, self.table.inertia_about), _name(table))

    def body(self, table: schema.Massive, suffix: str, about: InertiaKind) -> Body:
        """The body of a link, a payload or a carried part; names end in `suffix`."""
        about = table.inertia_about or about
        kind: InertiaKind = about if table.second_moment is None else "second_moment"
        centre_is: CentreKind = "com" if table.first_moment is None else "first_moment"
        return Body(
            self.cell(f"m{suffix}", table.mass, self.absent),
            self.centre(table, suffix),
            centre_is,
            self.tensor(table.inertia or table.second_moment or schema.Tensor(), tensor_letter(kind), suffix),
            kind,
        )

    def centre(self, table: schema.Massive, suffix: str) -> Three:
        entries = table.com or table.first_moment or (None,) * 3
        letter = centre_letter("com" if table.first_moment is None else "first_moment")
        x, y, z = (self.cell(f"{letter}{axis}{suffix}", entry, self.absent) for axis, entry in zip(AXES, entries))
        return x, y, z

    def tensor(self, table: schema.Tensor, letter: str, suffix: str) -> tuple[Cell, Cell, Cell, Cell, Cell, Cell]:
        xx, xy, xz, yy, yz, zz = (
            self.cell(f"{letter}{pair}{suffix}", getattr(table, pair), self.absent) for pair in SIX
        )
        return xx, xy, xz, yy, yz, zz


def _bodies_of_base(base: schema.BaseTable | None) -> list[schema.BaseTable | schema.CarriedTable]:
    """The bodies of the base: its own, where the file says anything of it or it moves, and those it carries."""
    return [] if base is None else [*([base] if base.has_inertia or _base_motion(base) else []), *base.carries]


def _base_motion(base: schema.BaseTable | None) -> BaseMotion:
    """Of a planar base the rows have it."""
    motions: dict[str | None, BaseMotion] = {"free": "free", "given": "given"}
    return motions.get(None if base is None else base.moving, "")


def _name(table: schema.BaseTable | schema.CarriedTable) -> str:
    return (table.link_name if isinstance(table, schema.BaseTable) else table.name) or ""


def _motion(table: schema.JointTable) -> Quantity:
    return "angle" if KINDS[table.type].turns else "length"
