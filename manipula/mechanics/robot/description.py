"""The robot as data: frozen, exact, free of conventions.

A joint is (placement before, motion about or along z, placement after); its body's inertia is given in the frame
after. Standard Denavit–Hartenberg rows have nothing before, modified rows nothing after, URDF joints any.
Placements are kept as the elementary steps the file gave, so that every number remains one named, exact cell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cache
from typing import Any, Literal, TypeVar

from manipula.errors import RobotFileError, RowLabel
from manipula.mechanics.robot.actuator import Actuator, Spring, actuator_from
from manipula.mechanics.robot.coordinates import Coordinate, Coordinates, coordinates_from
from manipula.mechanics.robot.elements import TwoPointElement, element_fault
from manipula.mechanics.robot.joints import KINDS
from manipula.mechanics.robot.loops import ClosedLoop, loop_fault
from manipula.mechanics.robot.values.angles import MOST_TIMES, Multiples
from manipula.mechanics.robot.values.parameter import (
    ZERO,
    Name,
    Parameter,
    ParameterEntry,
    ParameterOp,
    names_of,
    text_of,
)
from manipula.mechanics.robot.values.terms import Angle, Length
from manipula.messages import Message

StepKind = Literal["rx", "ry", "rz", "tx", "ty", "tz"]
JointKind = str  # a key of `joints.KINDS`
CentreKind = Literal["com", "first_moment"]
InertiaKind = Literal["com", "origin", "second_moment"]
BASE = ""  # as a parent's name
AXES = ("x", "y", "z")
BaseMotion = Literal["", "free", "given"]  # of the base: fixed, solved for, an input
SIX = ("xx", "xy", "xz", "yy", "yz", "zz")


@dataclass(frozen=True)
class Cell:
    """One entry of the table: its automatic name (`a2`, `m_flange`) and what the file says; None is unknown."""

    name: str
    value: Parameter | None = None

    @property
    def parameter(self) -> Parameter:
        """The content of the cell; an unknown cell is the symbol of its own name."""
        return Name(self.name) if self.value is None else self.value


@dataclass(frozen=True)
class Step:
    """An elementary placement: turn about (`rx`) or shift along (`tx`) an axis."""

    kind: StepKind
    amount: Cell


Steps = tuple[Step, ...]


@dataclass(frozen=True)
class Body:
    """A rigid body in the frame it is attached to.

    `centre` is the centre of mass or the first moments; `inertia` (xx xy xz yy yz zz) is the tensor about the centre
    of mass or about the frame's origin, or the second moments ∫x², ∫xy, … about the origin.
    """

    mass: Cell
    centre: tuple[Cell, Cell, Cell]
    centre_is: CentreKind
    inertia: tuple[Cell, Cell, Cell, Cell, Cell, Cell]
    inertia_is: InertiaKind


@dataclass(frozen=True)
class Mounted:
    """A body held at a placement from a link's frame: a locked branch of a URDF, a fixed row welded to the link."""

    at: Steps
    body: Body
    name: str = ""


@dataclass(frozen=True)
class Joint:
    """One row. A revolute joint turns by offset + direction·q, a prismatic one shifts by it, a fixed one stays; all
    kinds stand in `joints`. `of_kind` holds what the kind has besides, in the order of its entries."""

    name: str
    kind: JointKind
    before: Steps
    offset: Cell
    direction: Literal[1, -1]
    after: Steps
    body: Body | None  # None: a frame without mass
    actuator: Actuator[Cell]
    limits: tuple[Parameter, Parameter] | None = None  # SI
    velocity_limit: Parameter | None = None
    effort_limit: Parameter | None = None
    carries: tuple[Mounted, ...] = ()
    parent: str | None = None  # the row it stands on, by name; BASE the base, None the row before
    coordinate: Coordinate | None = None  # None: one of its own
    of_kind: tuple[Cell, ...] = ()
    springs: tuple[Spring[Parameter], ...] = ()  # counterbalances: kept, and read where torques are identified
    link: str = field(default="", compare=False, repr=False)  # what the file calls its link, where it has a name

    @property
    def turns(self) -> bool:
        """Is its coordinate an angle?"""
        return KINDS[self.kind].turns

    def kind_items(self) -> list[tuple[ParameterEntry, Cell]]:
        """What its kind has besides, each with its name in a file: the pitch of a screw."""
        return list(zip(KINDS[self.kind].entries, self.of_kind, strict=True))

    @property
    def motor_inertia(self) -> Cell:
        return self.actuator.motor_inertia

    def cells(self) -> Iterator[Cell]:
        """Every cell of the row."""
        return cells_in(self)


@dataclass(frozen=True)
class Frame:
    """A frame by name, held at some steps from the frame of a row."""

    name: str
    on: str
    at: Steps = ()


@dataclass(frozen=True)
class Origin:
    """How the file was written; read only to save and to show tables, never by a model."""

    format: str = "python"  # or a name of `formats/registry`
    convention: Literal["standard", "modified", "urdf"] = "standard"
    angle: Angle = "rad"
    length: Length = "m"
    path: str = ""
    source: str = ""
    notes: tuple[str, ...] = ()
    description: str = ""
    base_link: str = ""  # what the file calls the link that is the base
    visuals: str = ""  # a URDF, seen from the file's folder, whose <visual> elements draw the links


NamedPose = tuple[str, tuple[tuple[str, Parameter], ...]]


@dataclass(frozen=True)
class RobotDescription:
    """Joints in an order with parents first; on a serial arm each stands on the row before.

    The tool is the frame that poses, Jacobians and wrenches are about, on the row `tool_on` (None: the last one);
    `frames` are others, by name. `payload` is held in the tool frame. `values` gives the named parameters that have
    one. `ground` are bodies that stand still, seen from the base frame: the base's own, and branches beside the rows.
    Where the base moves (`moving`), they move with it, its pose is an input, and `base` is where pictures show it.
    `loops` close chains of the tree; then `motors` names the joints that are driven. `elements` join two frames.
    """

    name: str
    joints: tuple[Joint, ...]
    gravity: tuple[Cell, Cell, Cell]
    base: Steps = ()
    tool: Steps = ()
    payload: tuple[Body, ...] = ()
    values: tuple[tuple[str, Parameter], ...] = ()
    origin: Origin = field(default_factory=Origin, compare=False)
    frames: tuple[Frame, ...] = ()
    tool_on: str | None = None
    named_poses: tuple[NamedPose, ...] = ()  # by name, the coordinate of every joint by its name
    ground: tuple[Mounted, ...] = ()
    loops: tuple[ClosedLoop, ...] = ()
    motors: tuple[str, ...] = ()  # of a robot with loops: the joints that are driven, in the file's order
    moving: BaseMotion = ""
    elements: tuple[TwoPointElement[Cell], ...] = ()  # springs, gas springs, dampers between two frames

    def __post_init__(self) -> None:
        """A parent that is no row before, and a multiple of an angle that no proof could follow, are met here."""
        _refuse_bad_parents(self)
        _refuse_bad_coordinates(self)
        _refuse_bad_loops(self)
        _refuse_great_multiples(self)

    @property
    def parents(self) -> tuple[int, ...]:
        """The row every joint stands on, −1 the base."""
        rows = {BASE: -1} | {joint.name: row for row, joint in enumerate(self.joints)}
        return tuple(row - 1 if x.parent is None else rows[x.parent] for row, x in enumerate(self.joints))

    @property
    def tool_row(self) -> int:
        """The row that holds the tool, −1 the base."""
        rows = {BASE: -1} | {joint.name: row for row, joint in enumerate(self.joints)}
        return len(self.joints) - 1 if self.tool_on is None else rows[self.tool_on]

    @property
    def dof(self) -> int:
        """How many coordinates it has: one a moving joint, those apart that follow others."""
        return len(self.joint_names)

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The joints that have a coordinate of their own, in the file's order."""
        return tuple(joint.name for joint in self.joints if joint.kind != "fixed" and joint.coordinate is None)

    @property
    def motor_coordinates(self) -> tuple[int, ...]:
        """The coordinates that have a motor, by their places: all of them, unless loops close."""
        names = self.joint_names
        return tuple(names.index(name) for name in self.motors) if self.loops else tuple(range(len(names)))

    @property
    def coordinates(self) -> Coordinates:
        """What moves, and which joints by what."""
        return coordinates_from((x.name, x.turns, x.coordinate) for x in self.joints if x.kind != "fixed")

    def cells(self) -> Iterator[Cell]:
        """Every cell, in the order of the file."""
        still = (self.base, self.joints, self.tool, self.payload, self.gravity, self.frames, self.ground)
        return cells_in((*still, self.elements))

    def names(self) -> tuple[str, ...]:
        """The names in use (each once, in order): the file's own and those of unknown cells."""
        return tuple(dict.fromkeys(name for cell in self.cells() for name in names_of(cell.parameter)))


AnyRobot = TypeVar("AnyRobot", bound=RobotDescription)


def cells_in(part: object) -> Iterator[Cell]:
    """Every cell of a part of the description, in order."""
    cells: list[Cell] = []  # one list: a chain of generators hands every cell through all its levels
    _collect_cells(part, cells)
    return iter(cells)


def _collect_cells(part: object, cells: list[Cell]) -> None:
    if isinstance(part, Cell):
        cells.append(part)
    elif isinstance(part, tuple):
        for item in part:
            _collect_cells(item, cells)
    else:
        kind: type = type(part)
        for name in _field_names(kind):
            _collect_cells(getattr(part, name), cells)


@cache
def _field_names(kind: type) -> tuple[str, ...]:
    """Of a dataclass; nothing of any other type."""
    return tuple(item.name for item in fields(kind)) if is_dataclass(kind) else ()


def with_cells(robot: AnyRobot, change: Callable[[Cell], Cell]) -> AnyRobot:
    """The robot with every cell changed."""
    parts = {item.name: getattr(robot, item.name) for item in fields(robot) if item.name not in ("values", "origin")}
    return replace(robot, **{name: map_cells(part, change) for name, part in parts.items()})


def map_cells(part: object, change: Callable[[Cell], Cell]) -> Any:
    """The same structure with every cell changed."""
    if isinstance(part, Cell):
        return change(part)
    if isinstance(part, tuple):
        return tuple(map_cells(item, change) for item in part)
    if is_dataclass(part) and not isinstance(part, type):
        inner = {item.name: map_cells(getattr(part, item.name), change) for item in fields(part)}
        return replace(part, **inner)
    return part


def cell_with_value(name: str, value: Parameter = ZERO) -> Cell:
    """A cell with a value, zero unless said."""
    return Cell(name, value)


def actuator_of(suffix: str, **given: Parameter) -> Actuator[Cell]:
    """The actuator of a row whose names end in `suffix`: Ia fv fc fo as given, zero unless said."""
    return actuator_from(lambda letters: Cell(f"{letters}{suffix}", given.get(letters, ZERO)))


def with_friction_values(joint: Joint, suffix: str, given: Mapping[str, Parameter]) -> Joint:
    """The joint with this friction, by the letters of its parameters, and no other."""
    actuator = joint.actuator.with_friction(lambda letters: Cell(f"{letters}{suffix}", given.get(letters, ZERO)), given)
    return replace(joint, actuator=actuator)


def centre_letter(kind: CentreKind) -> str:
    """rx3 is a centre of mass, mx3 a first moment."""
    return "r" if kind == "com" else "m"


def tensor_letter(kind: InertiaKind) -> str:
    """Ixx3 is a tensor entry about the centre of mass, Lxx3 one about the frame's origin, Kxx3 a second moment."""
    return {"com": "I", "origin": "L", "second_moment": "K"}[kind]


def unknown_body(suffix: str, about: InertiaKind = "com", centre: CentreKind = "com") -> Body:
    """A body of which nothing is known: symbols m3, rx3 …, Ixx3 … with that ending."""
    x, y, z = (Cell(f"{centre_letter(centre)}{axis}{suffix}") for axis in AXES)
    xx, xy, xz, yy, yz, zz = (Cell(f"{tensor_letter(about)}{pair}{suffix}") for pair in SIX)
    return Body(Cell(f"m{suffix}"), (x, y, z), centre, (xx, xy, xz, yy, yz, zz), about)


def _refuse_bad_coordinates(robot: RobotDescription) -> None:
    for row, joint in enumerate(robot.joints, 1):
        leads = () if joint.coordinate is None else joint.coordinate.leads
        odd = next((name for name in leads if name not in robot.joint_names), None)
        if odd is not None or (joint.coordinate is not None and (not leads or joint.kind == "fixed")):
            named = Message("a joint that moves must be named")
            raise RobotFileError(
                Message("{odd!r} has no coordinate of its own", odd) if odd else named,
                file=robot.origin.path, field="coordinate",
                where=RowLabel(Message("joint {name!r}", joint.name), row),
                hint=Message("name some of {joint_names}", ", ".join(robot.joint_names)),
            )  # fmt: skip


def _refuse_bad_loops(robot: RobotDescription) -> None:
    frames = [*((frame.name, frame.on) for frame in robot.frames), *((x.name, x.name) for x in robot.joints)]
    frames.append(("base", BASE))
    fault = loop_fault(robot.loops, robot.motors, frames, robot.joint_names) or element_fault(robot.elements, frames)
    if fault is not None:
        raise RobotFileError(
            fault.problem, file=robot.origin.path, where=fault.where, field=fault.field, hint=fault.hint
        )


def _refuse_great_multiples(robot: RobotDescription) -> None:
    multiples = Multiples(dict(robot.values))
    for name, entry, turns in _multiples_in(robot):
        times = multiples.of_angle(entry) if turns else multiples.inside(entry)
        if times > MOST_TIMES:
            text = text_of(entry)
            raise RobotFileError(
                Message("{text_of} is {times:.0f} times an angle, all names replaced by their values", text, times)
                if times < 10**15
                else Message("{text_of} is much too many times an angle, all names replaced by their values", text),
                file=robot.origin.path, where=robot.name, field=name,
                hint=Message("at most {most} times an angle can be proved", MOST_TIMES),
            )  # fmt: skip


def _multiples_in(robot: RobotDescription) -> Iterator[tuple[str, Parameter, bool]]:
    """Every entry that may hold a multiple, by name, and whether it is an angle itself."""
    still = (robot.base, robot.tool, *(x.at for x in robot.frames), *(x.at for x in robot.ground))
    rows = (steps for x in robot.joints for steps in (x.before, x.after, *(mounted.at for mounted in x.carries)))
    angles = [step.amount for steps in (*still, *rows) for step in steps if step.kind[0] == "r"]
    angles += [joint.offset for joint in robot.joints if joint.turns]
    yield from ((x.name, x.parameter, True) for x in angles if isinstance(x.parameter, ParameterOp | Name))
    entries = (*((cell.name, cell.value) for cell in robot.cells()), *robot.values)
    yield from ((name, value, False) for name, value in entries if isinstance(value, ParameterOp))


def _refuse_bad_parents(robot: RobotDescription) -> None:
    names = [joint.name for joint in robot.joints]
    for row, joint in enumerate(robot.joints):
        if joint.parent not in (None, BASE, *names[:row]):
            raise RobotFileError(
                "its parent {parent!r} stands behind it" if joint.parent in names
                else "its parent {parent!r} is no joint of the robot",
                joint.parent, file=robot.origin.path, field="parent",
                where=RowLabel(Message("joint {name!r}", joint.name), row + 1),
                hint='name a joint of a row before, or "base"',
            )  # fmt: skip
    for frame, on in (*((frame.name, frame.on) for frame in robot.frames), ("tool", robot.tool_on)):
        if on not in (None, BASE, *names):
            where = Message("frame {frame!r}", frame)
            raise RobotFileError("{on!r} is no joint of the robot", on, file=robot.origin.path, where=where, field="on")
