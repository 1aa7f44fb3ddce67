"""Robot → the text of a TOML robot file, in the file's own convention and units; reads back to the same robot."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Literal

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from manipula.errors import RobotFileError, caution
from manipula.mechanics.robot.actuator import Spring
from manipula.mechanics.robot.description import (
    AXES,
    BASE,
    SIX,
    Body,
    Cell,
    Joint,
    Mounted,
    NamedPose,
    RobotDescription,
    Steps,
    centre_letter,
    tensor_letter,
)
from manipula.mechanics.robot.elements import LETTERS, TwoPointElement
from manipula.mechanics.robot.exact import QUARTERS, is_zero
from manipula.mechanics.robot.formats.rows import (
    FIELDS,
    TURNS,
    Convention,
    in_order,
    names_in,
    placed_from_joint,
    placement_from_steps,
    row_from_joint,
    with_placement,
)
from manipula.mechanics.robot.formats.snap_to_exact import Structure, snap_robot
from manipula.mechanics.robot.formats.source import joint_label
from manipula.mechanics.robot.formats.toml import schema
from manipula.mechanics.robot.formats.toml.build import JOINT_BASE, QUANTITY_OF, ROBOT_BASE
from manipula.mechanics.robot.formats.units import bare_from_parameter, text_in_units
from manipula.mechanics.robot.formats.variables import Column, bracket_variables, moving_text, text_from_coordinate
from manipula.mechanics.robot.friction import FrictionLaw
from manipula.mechanics.robot.joints import KINDS
from manipula.mechanics.robot.precise import values_of
from manipula.mechanics.robot.suffixes import suffixes_of
from manipula.mechanics.robot.topology import base_body
from manipula.mechanics.robot.values.parameter import ZERO, Num, Parameter, names_of, text_of
from manipula.mechanics.robot.values.terms import Quantity, Units
from manipula.messages import Message
from manipula.support.text import is_decimal, quote_toml

_TURNS = ("roll", "pitch", "yaw")


def toml_from_robot(robot: RobotDescription) -> str:
    """The file. A robot whose rows are not Denavit–Hartenberg rows must be converted first."""
    return "\n".join(_Writer(robot).lines()) + "\n"


def convention_of(robot: RobotDescription) -> Convention:
    """The convention the robot's rows have, or an error that says which joint lacks it."""
    wanted: tuple[Convention, ...] = ("standard", "modified")
    first = sorted(wanted, key=lambda convention: convention != robot.origin.convention)
    for convention in first:
        if all(row_from_joint(joint, convention) for joint in robot.joints):
            return convention
    odd = (n for n, joint in enumerate(robot.joints, 1) if not row_from_joint(joint, first[0]))
    row = next(odd)
    raise RobotFileError(
        "is not a Denavit-Hartenberg row, so a table cannot hold it",
        where=joint_label(row, robot.joints[row - 1].name), hint="convert the robot to DH or save it as URDF",
    )  # fmt: skip


def _written_as(robot: RobotDescription) -> tuple[RobotDescription, Convention | Literal["urdf"]]:
    """Placements where the file had such, else a table wherever the rows are one, else placements again: rows that
    stand still can be written so, whatever their steps."""
    if robot.origin.convention == "urdf" and (placed := _as_placements(robot)) is not None:
        return placed, "urdf"
    try:
        return robot, convention_of(robot)
    except RobotFileError:
        if (placed := _as_placements(robot)) is not None:
            return placed, "urdf"
        raise


def _as_placements(robot: RobotDescription) -> RobotDescription | None:
    """None where a row cannot be one. Of names that had to become numbers a warning is given."""
    still = [joint for joint in robot.joints if joint.kind == "fixed" and not placed_from_joint(joint)]
    amounts = [step.amount.parameter for joint in still for step in joint.before + joint.after]
    known = [amount for amount in amounts if all(name in dict(robot.values) for name in names_of(amount))]
    values = values_of(robot, Message("a robot file"), known)
    rows = tuple(with_placement(joint, end, values) for joint, end in zip(robot.joints, suffixes_of(robot).rows))
    if not all(map(placed_from_joint, rows)):
        return None
    for joint in still:
        if names := names_in(joint.before + joint.after):
            caution(
                "{name}: joint {name2!r} stands still: {names} are written as numbers there",
                robot.name,
                joint.name,
                ", ".join(names),
            )
    return replace(robot, joints=rows)


class _Writer:
    def __init__(self, robot: RobotDescription) -> None:
        self.robot, self.convention = _written_as(robot)
        kinds = {joint.body.inertia_is for joint in robot.joints if joint.body is not None}
        self.about = "origin" if "origin" in kinds and "com" not in kinds else "com"
        self.units = Units(robot.origin.angle, robot.origin.length)
        self.suffixes = suffixes_of(robot)
        self.values = {name for name, _ in robot.values}

    def lines(self) -> Iterator[str]:
        yield from self.head()
        if self.robot.values:
            yield from ("", "[values]")
            yield from (f"{name} = {self.entry(value, 'any')}" for name, value in self.robot.values)
        if self.robot.named_poses:
            yield from ("", "[poses]", *map(self.pose, self.robot.named_poses))
        on = () if self.robot.tool_on is None else (self.on(self.robot.tool_on),)
        yield from self.part("base", self.robot.base, self.base())
        yield from self.beside()
        yield from self.part("tool", self.robot.tool, on)
        for frame in self.robot.frames:
            named = (f"name = {quote_toml(frame.name)}", self.on(frame.on))
            yield from ("", "[[frame]]", *named, *(self.placement(frame.at, frame.name) if frame.at else ()))
        yield from self.loops()
        for element in self.robot.elements:
            yield from ("", "[[element]]", *self.element(element))
        for body, suffix in zip(self.robot.payload, self.suffixes.payload):
            yield from ("", "[[payload]]", *self.body(body, suffix, "com"))
        for index, joint in enumerate(self.robot.joints):
            yield from ("", "[[joint]]", *self.joint(index, joint))

    def loops(self) -> Iterator[str]:
        """What closes, and which joints are driven."""
        for loop in self.robot.loops:
            joins = ", ".join(map(quote_toml, loop.joins))
            named = (f"name = {quote_toml(loop.name)}", f"joins = [{joins}]", f"free = {quote_toml(loop.free)}")
            yield from ("", "[[loop]]", *named)
        if self.robot.loops:
            yield from ("", "[motors]", f"drive = [{', '.join(map(quote_toml, self.robot.motors))}]")

    def element(self, element: TwoPointElement[Cell]) -> Iterator[str]:
        yield f"name = {quote_toml(element.name)}"
        yield f"joins = [{', '.join(map(quote_toml, element.joins))}]"
        for key, cell in zip(LETTERS, element.values, strict=True):
            # an element of zeros keeps one of them: the file must say what it is
            needed = key == "stiffness" and all(other.value == ZERO for other in element.values)
            if cell.value != ZERO or needed:
                yield f"{key} = {self.entry(cell.parameter, 'length' if key == 'length' else 'si')}"

    def part(self, name: str, steps: Steps, held: Iterable[str]) -> Iterator[str]:
        """The base or the tool, where anything is to be said of it."""
        said = [*held, *(self.placement(steps, name) if steps else ())]
        yield from ("", f"[{name}]", *said) if said else ()

    def base(self) -> Iterator[str]:
        """The base's name and its own body."""
        own, name = base_body(self.robot), self.robot.origin.base_link
        yield from (f"link_name = {quote_toml(name)}",) if name else ()
        yield from (f'moving = "{self.robot.moving}"',) if self.robot.moving else ()
        if own is not None:
            said = list(self.body(own, self.suffixes.ground[0], self.about))
            yield from said or ["inertia = {}"]  # there is a body, of which nothing is known

    def beside(self) -> Iterator[str]:
        """The other bodies that stand still."""
        for mounted, suffix in zip(self.robot.ground, self.suffixes.ground):
            if mounted.body is not base_body(self.robot):
                yield from ("[[base.carries]]", *self.write_mounted(mounted, suffix))

    def write_mounted(self, mounted: Mounted, suffix: str) -> Iterator[str]:
        yield from (f"name = {quote_toml(mounted.name)}",) if mounted.name else ()
        yield from self.placement(mounted.at, "carries")
        yield from self.body(mounted.body, suffix, self.about)

    def pose(self, named: NamedPose) -> str:
        turns, at = {joint.name: joint.turns for joint in self.robot.joints}, dict(named[1])
        entries = (self.entry(at[x], "angle" if turns[x] else "length") for x in self.robot.joint_names)
        return f"{bare_key(named[0])} = [{', '.join(entries)}]"

    def on(self, row: str) -> str:
        return f"on = {self.row_name(row)}"

    def row_name(self, row: str) -> str:
        if "base" in (joint.name for joint in self.robot.joints) and row in (BASE, "base"):
            return quote_toml(JOINT_BASE if row else ROBOT_BASE)
        return quote_toml(row or "base")

    def head(self) -> Iterator[str]:
        robot, origin = self.robot, self.robot.origin
        yield "format = 1"
        yield f"name = {quote_toml(robot.name)}"
        yield f'convention = "{self.convention}"'
        yield f'angle = "{origin.angle}"'
        yield f'length = "{origin.length}"'
        yield f"gravity = {self.list_of(robot.gravity, 'si')}"
        yield f'inertia_about = "{self.about}"'
        if snap_robot(robot, Structure()) != robot:
            yield "exact = true"  # else the reader would make quarter turns of its angles
        texts = {"source": origin.source, "description": origin.description, "visuals": origin.visuals}
        for key, text in texts.items():
            if text:
                yield f"{key} = {quote_toml(text)}"
        if origin.notes:
            yield f"notes = [{', '.join(map(quote_toml, origin.notes))}]"

    def entry(self, parameter: Parameter, quantity: Quantity) -> str:
        """A bare number where that is exact, else an expression in quotes."""
        bare = bare_from_parameter(parameter, quantity, self.units)
        if bare is not None and is_decimal(bare):
            return text_of(Num(bare))
        return quote_toml(bracket_variables(text_in_units(parameter, quantity, self.units), self.values))

    def offset(self, index: int, parameter: Parameter, field: Column) -> str:
        """The same where the joint moves."""
        text = self.entry(parameter, QUANTITY_OF[field])
        moving = sum(joint.kind != "fixed" for joint in self.robot.joints[: index + 1])
        return quote_toml(moving_text(text[1:-1], field, (index + 1, moving), self.values)) if text[0] == '"' else text

    def list_of(self, cells: Iterable[Cell], quantity: Quantity) -> str:
        return f"[{', '.join(self.entry(cell.parameter, quantity) for cell in cells)}]"

    def placement(self, steps: Steps, part: str) -> Iterator[str]:
        cells = placement_from_steps(steps) or placement_from_steps(in_order(steps))
        if cells is None:
            raise RobotFileError(
                "its steps are not a shift followed by roll, pitch and yaw", field=part, hint="save it as URDF"
            )
        yield f"xyz = {self.list_of((cells[axis] for axis in AXES), 'length')}"
        yield f"rpy = {self.list_of((cells[turn] for turn in _TURNS), 'angle')}"

    def joint(self, index: int, joint: Joint) -> Iterator[str]:
        yield f"name = {quote_toml(joint.name)}"
        if joint.parent is not None:
            yield f"parent = {self.row_name(joint.parent)}"
        if joint.link:
            yield f"link_name = {quote_toml(joint.link)}"
        yield f'type = "{joint.kind}"'
        for entry, cell in joint.kind_items():
            yield f"{entry.key} = {self.entry(cell.parameter, entry.quantity)}"
        yield from (
            self.row(index, joint, self.convention) if self.convention != "urdf" else self.write_placement(index, joint)
        )
        yield from self.motor(joint)
        if joint.body is not None:
            yield from self.body(joint.body, self.suffixes.rows[index], self.about)
            if joint.kind == "fixed" and _says_nothing(joint.body) and joint.body.inertia_is != "second_moment":
                yield "inertia = {}"  # there is a body, of which nothing is known
        elif joint.kind != "fixed":
            yield from ("mass = 0", "com = [0, 0, 0]", _inline("inertia", dict.fromkeys(SIX, "0")))
        for mounted, suffix in zip(joint.carries, self.suffixes.carried[index]):
            yield from ("[[joint.carries]]", *self.write_mounted(mounted, suffix))

    def row(self, index: int, joint: Joint, convention: Convention) -> Iterator[str]:
        cells, moves = row_from_joint(joint, convention), KINDS[joint.kind].field
        assert cells is not None  # convention_of has tried every row
        for field in FIELDS:
            value, quantity = cells[field].parameter, QUANTITY_OF[field]
            text = self.entry(value, quantity) if field != moves or not moves else self.offset(index, value, moves)
            yield f"{field} = {text}"

    def write_placement(self, index: int, joint: Joint) -> Iterator[str]:
        """xyz, rpy, and of the rest what differs from the default."""
        found = placed_from_joint(joint)
        assert found is not None  # _written_as has tried every row
        yield f"xyz = {self.list_of((found.at[axis] for axis in AXES), 'length')}"
        for key, cells in (("rpy", [found.at[turn] for turn in _TURNS]), ("anchor", [found.anchor[x] for x in AXES])):
            if not all(is_zero(cell.value) for cell in cells):
                yield f"{key} = {self.list_of(cells, 'angle' if key == 'rpy' else 'length')}"
        yield from self.axis(found.toward)
        if not all(is_zero(cell.value) for cell in found.link.values()):
            shift, turn = [found.link[x] for x in AXES], [found.link[x] for x in _TURNS]
            yield _inline("link", {"xyz": self.list_of(shift, "length"), "rpy": self.list_of(turn, "angle")})
        if (field := KINDS[joint.kind].field) and not is_zero(joint.offset.value):
            yield f"{field} = {self.offset(index, joint.offset.parameter, field)}"

    def axis(self, toward: Steps) -> Iterator[str]:
        """The quarter turns as an axis; others as the turns themselves, that no digit be lost."""
        turns = [(step.kind, step.amount.value) for step in toward]
        along = next((along for along, turn in QUARTERS.items() if turns == [turn]), None)
        names = {kind: name for name, kind in TURNS.items()}
        if along:
            yield f"axis = [{', '.join(str(along[1] if axis == along[0] else 0) for axis in AXES)}]"
        elif toward:
            yield _inline("axis", {names[x.kind]: self.entry(x.amount.parameter, "angle") for x in toward})

    def motor(self, joint: Joint) -> Iterator[str]:
        motion: Quantity = "angle" if joint.turns else "length"
        rate: Quantity = "angle rate" if joint.turns else "length rate"
        if joint.direction == -1 and joint.kind != "fixed":
            yield "direction = -1"
        if joint.coordinate is not None:
            yield f"coordinate = {quote_toml(text_from_coordinate(joint.coordinate, motion, self.units))}"
        if joint.limits is not None:
            yield f"limits = [{', '.join(self.entry(bound, motion) for bound in joint.limits)}]"
        if joint.velocity_limit is not None:
            yield f"velocity_limit = {self.entry(joint.velocity_limit, rate)}"
        if joint.effort_limit is not None:
            yield f"effort_limit = {self.entry(joint.effort_limit, 'si')}"
        if joint.motor_inertia.value != ZERO:
            yield f"motor_inertia = {self.entry(joint.motor_inertia.parameter, 'si')}"
        laws = {law.key: text for law in joint.actuator.laws if (text := self.law(law))}
        if laws:
            yield _inline("friction", laws)
        for entry, cell in joint.actuator.drive():
            if cell is not None:
                yield f"{entry.key} = {self.entry(cell.parameter, 'si')}"
        if joint.springs and joint.kind != "fixed":  # a joint that was locked hangs on nothing
            yield f"springs = [{', '.join(map(self.spring, joint.springs))}]"

    def spring(self, spring: Spring[Parameter]) -> str:
        first, second = (self.entry(x, "length") for x in spring.radii)
        angle, length = self.entry(spring.angle, "angle"), self.entry(spring.length, "length")
        given = {"radii": f"[{first}, {second}]", "angle": angle, "length": length}
        return _table(given if spring.stroke is None else given | {"stroke": self.entry(spring.stroke, "length")})

    def law(self, law: FrictionLaw[Cell]) -> str:
        """A number, or a table of them; nothing of a law that every joint has where it is zero."""
        if law.always and all(cell.value == ZERO for cell in law.values):
            return ""
        given = {x.key: self.entry(cell.parameter, "si") for x, cell in zip(law.entries, law.values, strict=True)}
        return given[""] if "" in given else _table(given)

    def body(self, body: Body, suffix: str, about: str) -> Iterator[str]:
        """What is known; an unknown entry under its automatic name is left out."""
        if not _unknown(body.mass, f"m{suffix}"):
            yield f"mass = {self.entry(body.mass.parameter, 'mass')}"
        names = [f"{centre_letter(body.centre_is)}{axis}{suffix}" for axis in AXES]
        if body.centre_is != "com" or not all(map(_unknown, body.centre, names)):
            yield f"{body.centre_is} = {self.list_of(body.centre, 'length' if body.centre_is == 'com' else 'si')}"
        yield from self.tensor(body, suffix)
        if body.inertia_is not in (about, "second_moment"):
            yield f'inertia_about = "{body.inertia_is}"'

    def tensor(self, body: Body, suffix: str) -> Iterator[str]:
        second, letter = body.inertia_is == "second_moment", tensor_letter(body.inertia_is)
        given = {
            pair: self.entry(cell.parameter, "si")
            for pair, cell in zip(SIX, body.inertia)
            if not _unknown(cell, f"{letter}{pair}{suffix}")
        }
        if given or second:
            yield _inline("second_moment" if second else "inertia", given)


def _unknown(cell: Cell, name: str) -> bool:
    return cell.value is None and cell.name == name


def _says_nothing(body: Body) -> bool:
    return all(cell.value is None for cell in (body.mass, *body.centre, *body.inertia))


def bare_key(name: str) -> str:
    """Bare where TOML allows it."""
    return name if name.isascii() and name.replace("_", "").replace("-", "").isalnum() else quote_toml(name)


def _inline(key: str, entries: Mapping[str, str]) -> str:
    return f"{key} = {_table(entries)}"


def _table(entries: Mapping[str, str]) -> str:
    return f"{{ {', '.join(f'{name} = {text}' for name, text in entries.items())} }}"


class _FileSchema(GenerateJsonSchema):
    """TOML has no null, so optional keys are simply not required; and one payload may stand without a list."""

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        plain = super().default_schema(schema)
        return {key: value for key, value in plain.items() if key != "default" or value not in (None, [])}


def schema_text() -> str:
    """The JSON Schema of the robot file."""
    published: dict[str, Any] = schema.RobotTable.model_json_schema(schema_generator=_FileSchema, mode="validation")
    many = published["properties"].pop("payload")
    published["properties"]["payload"] = {"anyOf": [many["items"], {k: v for k, v in many.items() if k != "title"}]}
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "manipula robot file"}
    del published["title"]
    return json.dumps(head | published, indent=2, ensure_ascii=False) + "\n"
