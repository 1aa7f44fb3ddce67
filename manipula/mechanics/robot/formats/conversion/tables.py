"""A robot as tables of text for people: geometry in the file's convention and units, dynamics, values of names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from manipula.errors import RobotFileError
from manipula.mechanics.robot.actuator import LETTERS
from manipula.mechanics.robot.description import Body, Cell, Joint, RobotDescription, Steps
from manipula.mechanics.robot.elements import ENTRIES, TwoPointElement
from manipula.mechanics.robot.formats.rows import Convention, row_from_joint
from manipula.mechanics.robot.formats.toml.build import QUANTITY_OF
from manipula.mechanics.robot.formats.toml.write import convention_of
from manipula.mechanics.robot.formats.units import text_in_units
from manipula.mechanics.robot.formats.variables import text_from_coordinate
from manipula.mechanics.robot.joints import KINDS
from manipula.mechanics.robot.loops import ClosedLoop
from manipula.mechanics.robot.topology import in_rows, tip_link
from manipula.mechanics.robot.values.parameter import ZERO, text_of
from manipula.mechanics.robot.values.terms import Quantity, Units
from manipula.messages import Message, in_a_row, join_messages
from manipula.support.text import html_table, text_table

SYMBOLIC = Message("symbolic")  # in place of a value
_SIGNS = {1: "", -1: "-"}
_CENTRES = {"com": Message("centre of mass (m)"), "first_moment": Message("first moments (kg·m)")}
_TENSORS = {
    "com": Message("about the centre of mass"),
    "origin": Message("about the link frame's origin"),
    "second_moment": Message("second moments about the origin"),
}


@dataclass(frozen=True, repr=False)
class TextTable:
    """A title, the columns' headings with units, and rows with as many cells."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def __str__(self) -> str:
        return f"{self.title}\n{text_table(self.columns, self.rows)}"

    def __repr__(self) -> str:
        return f"<table of {len(self.rows)} rows: {self.title}>"

    def _repr_html_(self) -> str:
        return html_table(self.columns, self.rows, self.title)

    def as_dict(self) -> dict[str, object]:
        return {"title": self.title, "columns": list(self.columns), "rows": list(map(list, self.rows))}


def tables_of(robot: RobotDescription) -> tuple[TextTable, ...]:
    """Geometry, dynamics, actuators, placements and values, those that say something."""
    every = (geometry_table(robot), dynamic_table(robot), motor_table(robot), frame_table(robot), value_table(robot))
    return tuple(table for table in every if table.rows)


def geometry_table(robot: RobotDescription) -> TextTable:
    """The Denavit–Hartenberg table, the joint variable standing where it moves; elementary steps for other robots.

    Where rows do not follow each other, a column says which joint a joint stands on.
    """
    table = _table_of_rows(robot)
    if in_rows(robot):
        return table
    names = ["base", *(joint.name for joint in robot.joints)]
    rows = tuple((*row[:3], names[on + 1], *row[3:]) for row, on in zip(table.rows, robot.parents, strict=True))
    return TextTable(table.title, (*table.columns[:3], "stands on", *table.columns[3:]), rows)


def _table_of_rows(robot: RobotDescription) -> TextTable:
    try:
        convention = convention_of(robot)
    except RobotFileError:
        return _step_table(robot)
    angle, length = robot.origin.angle, robot.origin.length
    index = "(i-1)" if convention == "modified" else ""
    fields = ("alpha", "a", "theta", "d") if convention == "modified" else ("theta", "d", "a", "alpha")
    heads = {"theta": "theta", "d": "d", "a": f"a{index}", "alpha": f"alpha{index}"}
    columns = tuple(f"{heads[f]} ({angle if QUANTITY_OF[f] == 'angle' else length})" for f in fields)
    rows = tuple(
        (*_labels(number, joint, robot), *_row_cells(joint, convention, fields, robot), _limits(joint, robot))
        for number, joint in _number_rows(robot)
    )
    title = Message("Denavit-Hartenberg parameters, {convention} convention", Message(convention))
    return TextTable(title, ("joint", "name", "type", *columns, "limits"), rows)


def _row_cells(joint: Joint, convention: Convention, fields: tuple[str, ...], robot: RobotDescription) -> Iterator[str]:
    row = row_from_joint(joint, convention)
    assert row is not None  # the convention is that of every row
    for field in fields:
        moves = field == KINDS[joint.kind].field
        text = text_in_units(row[field].parameter, QUANTITY_OF[field], _units(robot))
        yield _variable(joint, robot, text) if moves else text


def _variable(joint: Joint, robot: RobotDescription, offset: str) -> str:
    """`q2`, `-q2`, `q2 + 90`; variables count the moving joints."""
    name = f"{_SIGNS[joint.direction]}{_coordinate(joint, robot)}"
    if offset == "0":
        return name
    return f"{name} - {offset[1:]}" if offset.startswith("-") and _simple(offset[1:]) else f"{name} + {offset}"


def _coordinate(joint: Joint, robot: RobotDescription) -> str:
    """`q2`; of a joint that follows others `elbow` or `(2*elbow + 0.1)`, in their names."""
    if joint.coordinate is not None:
        text = text_from_coordinate(joint.coordinate, "angle" if joint.turns else "length", _units(robot))
        return text if _simple(text) else f"({text})"
    return f"q{robot.joint_names.index(joint.name) + 1}"


def _simple(text: str) -> bool:
    return text.replace(".", "").replace("_", "").isalnum()


def _step_table(robot: RobotDescription) -> TextTable:
    rows = tuple(
        (*_labels(number, joint, robot), _steps(joint.before, robot), _motion(joint, robot), _steps(joint.after, robot),
         _limits(joint, robot))
        for number, joint in _number_rows(robot)
    )  # fmt: skip
    title = Message("Placements of the joints ({angle}, {length})", robot.origin.angle, robot.origin.length)
    return TextTable(title, ("joint", "name", "type", "before", "motion", "after", "limits"), rows)


def _motion(joint: Joint, robot: RobotDescription) -> str:
    kind = KINDS[joint.kind]
    if not kind.field:
        return ""
    offset = text_in_units(joint.offset.parameter, "angle" if kind.turns else "length", _units(robot))
    return f"{'Rz' if kind.turns else 'Tz'}({_variable(joint, robot, offset)})"


def _steps(steps: Steps, robot: RobotDescription) -> str:
    units = _units(robot)
    texts = ((step.kind, text_in_units(step.amount.parameter, _quantity(step.kind), units)) for step in steps)
    return " ".join(f"{kind.capitalize()}({text})" for kind, text in texts if text != "0")


def dynamic_table(robot: RobotDescription) -> TextTable:
    """Mass, centre and inertia of every body; SI."""
    bodies = list(_bodies(robot))
    kinds = {(body.centre_is, body.inertia_is) for _, _, body in bodies}
    mixed = len(kinds) > 1
    rows = tuple((number, name, *_body_cells(body, mixed)) for number, name, body in bodies)
    title = Message("Inertial parameters")
    if len(kinds) == 1:
        centre, inertia = kinds.pop()
        title = Message(
            "Inertial parameters: {centre}; inertia (kg·m²) {about}",
            _CENTRES[centre],
            _TENSORS[inertia],
        )
    columns = ("joint", "name", "mass (kg)", "x", "y", "z", "xx", "xy", "xz", "yy", "yz", "zz")
    return TextTable(title, (*columns, "given as") if mixed else columns, rows)


def _bodies(robot: RobotDescription) -> Iterator[tuple[str, str, Body]]:
    for mounted in robot.ground:
        yield "", mounted.name or Message("base"), mounted.body
    for number, joint in _number_rows(robot):
        if joint.body is not None:
            yield number, joint.name, joint.body
        for mounted in joint.carries:
            yield "", mounted.name or Message("{joint}: carried", joint.name), mounted.body
    for body in robot.payload:
        yield "", Message("payload"), body


def _body_cells(body: Body, mixed: bool) -> tuple[str, ...]:
    cells = tuple(_si(cell) for cell in (body.mass, *body.centre, *body.inertia))
    given_as = Message("{centre}; {inertia}", _CENTRES[body.centre_is], _TENSORS[body.inertia_is])
    return (*cells, given_as) if mixed else cells


def motor_table(robot: RobotDescription) -> TextTable:
    """Motor inertia and friction of the joints that have any; SI."""
    driven = [
        (number, joint.name, {item.entry.letters: item for item in joint.actuator.items()})
        for number, joint in _number_rows(robot)
        if any(cell.value != ZERO for cell in joint.actuator.parameters_by_letter().values())
    ]
    titles = {letters: item.title for _, _, items in driven for letters, item in items.items()}
    order = [letters for letters in LETTERS if letters in titles]
    rows = tuple(
        (number, name, *(_si(items[letters].value) if letters in items else "" for letters in order))
        for number, name, items in driven
    )
    return TextTable(Message("Motors and friction (SI)"), ("joint", "name", *map(titles.__getitem__, order)), rows)


def frame_table(robot: RobotDescription) -> TextTable:
    """Gravity, base, tool."""
    gravity = ", ".join(map(_si, robot.gravity))
    rows: list[tuple[str, str]] = [(Message("gravity (m/s²)"), f"[{gravity}]")]
    unit = f"{robot.origin.angle}, {robot.origin.length}"
    links = ((Message("base link"), robot.origin.base_link), (Message("tip link"), tip_link(robot)))
    rows += [(end, name) for end, name in links if name]
    placed = ((Message("base ({unit})", unit), robot.base), (Message("tool ({unit})", unit), robot.tool))
    rows += [(part, _steps(at, robot)) for part, at in placed if at]
    rows += [
        (
            Message("frame {name} ({unit})", frame.name, unit),
            Message("on {link}: {steps}", frame.on or Message("base"), _steps(frame.at, robot)),
        )
        for frame in robot.frames
    ]
    rows += [(Message("loop {name}", x.name), _loop(x)) for x in robot.loops]
    rows += [(Message("motors"), ", ".join(robot.motors))] if robot.loops else []
    rows += [(Message("element {name}", x.name), _element(x)) for x in robot.elements]
    return TextTable(Message("Surroundings"), ("what", "value"), tuple(rows))


_NOTHING = Message("nothing")


def _loop(loop: ClosedLoop) -> str:
    return Message("{joins}, free: {free}", in_a_row(loop.joins), loop.free or _NOTHING)


def _element(element: TwoPointElement[Cell]) -> str:
    given = zip(ENTRIES.items(), element.values, strict=True)
    said = [f"{key} {text_of(cell.parameter)} {entry.unit}" for (key, entry), cell in given if cell.value != ZERO]
    return Message("{joins}: {given}", in_a_row(element.joins), ", ".join(said) or _NOTHING)


def value_table(robot: RobotDescription) -> TextTable:
    """Every name in use and its value, `symbolic` without one."""
    values = dict(robot.values)
    names = dict.fromkeys((*robot.names(), *values))
    rows = tuple((name, text_of(values[name]) if name in values else SYMBOLIC) for name in names)
    return TextTable(Message("Named parameters (SI)"), ("name", "value"), rows)


def _labels(number: str, joint: Joint, robot: RobotDescription) -> tuple[str, str, str]:
    kind = Message(joint.kind)
    return number, joint.name, join_messages(" ", (kind, *own)) if (own := list(_of_kind(joint, robot))) else kind


def _of_kind(joint: Joint, robot: RobotDescription) -> Iterator[str]:
    for entry, cell in joint.kind_items():
        yield f"{entry.key} {text_in_units(cell.parameter, entry.quantity, _units(robot))}"


def _number_rows(robot: RobotDescription) -> Iterator[tuple[str, Joint]]:
    """The rows, those that move with the number their variable has."""
    for joint in robot.joints:
        free = joint.name in robot.joint_names
        yield str(robot.joint_names.index(joint.name) + 1) if free else "", joint


def _limits(joint: Joint, robot: RobotDescription) -> str:
    quantity: Quantity = "angle" if joint.turns else "length"
    bounds = [text_in_units(bound, quantity, _units(robot)) for bound in joint.limits or ()]
    return f"[{', '.join(bounds)}]" if bounds else ""


def _units(robot: RobotDescription) -> Units:
    return Units(robot.origin.angle, robot.origin.length)


def _quantity(step: str) -> Quantity:
    return "angle" if step[0] == "r" else "length"


def _si(cell: Cell) -> str:
    return text_of(cell.parameter)
