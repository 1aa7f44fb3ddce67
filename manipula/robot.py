"""`Robot`: a description with constructors and edits. Every edit returns a new robot.

What implements an edit names the description, so the class that has edits as methods stands above both."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from html import escape
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Literal, Protocol, SupportsFloat

from numpy.typing import NDArray

from manipula.errors import InputError, UnknownNameError, caution, near_name
from manipula.mechanics.robot import description, topology
from manipula.mechanics.robot.actuator import Actuator
from manipula.mechanics.robot.bind import free_parameters
from manipula.mechanics.robot.bodies import refuse_ambiguous, standard_parameters
from manipula.mechanics.robot.default_values import doubt_degrees
from manipula.mechanics.robot.description import AXES, Cell, Steps, cell_with_value
from manipula.mechanics.robot.formats import arguments
from manipula.mechanics.robot.formats.checks import warn_about_changes
from manipula.mechanics.robot.formats.conversion.tables import SYMBOLIC, tables_of, value_table
from manipula.mechanics.robot.formats.dh.read import robot_from_rows
from manipula.mechanics.robot.formats.entry_checks import refuse_bad_names, refuse_heavy, told_apart
from manipula.mechanics.robot.formats.registry import format_named, format_of_text, robot_from_source
from manipula.mechanics.robot.formats.snap_to_exact import (
    Structure,
    note_no_mass,
    structured_coordinate,
    structured_steps,
)
from manipula.mechanics.robot.formats.toml.screws import robot_from_screws
from manipula.mechanics.robot.formats.units import describe
from manipula.mechanics.robot.formats.variables import named_pose, poses_of
from manipula.mechanics.robot.locks import joint_meant, with_locks
from manipula.mechanics.robot.subject import digest_of
from manipula.mechanics.robot.suffixes import identifier_from_name
from manipula.mechanics.robot.values.parameter import Parameter, float_of, floats_of, names_of
from manipula.mechanics.robot.values.terms import Length
from manipula.messages import Message, join_messages
from manipula.support.text import html_table

if TYPE_CHECKING:
    from manipula.mechanics.models.closure.position import ClosedPosition

Number = SupportsFloat | str  # of NumPy and others too
Numbers = Sequence[Any] | NDArray[Any]
Drive = Actuator[Cell]
Part = Literal["friction", "motor_inertia", "payload", "tool", "base", "gravity"]


_BASES = {
    "free": Message(", on a base that moves freely"),
    "given": Message(", on a base whose motion is given"),
}


def arm_methods() -> dict[str, str]:
    """What is asked of an `Arm`, under its own names and those of other libraries, and how it is written."""
    from manipula.mechanics.models.catalogue import MODELS
    from manipula.mechanics.models.entry import ALSO_CALLED

    methods = {model: f"mp.Arm(robot).{model}" for model in [*MODELS, "plot", "view", "follow"]}
    return methods | {other: methods[model] for other, model in ALSO_CALLED.items()}


class Robot(description.RobotDescription):
    """An arm, serial or branching. Made by `load`, `Robot.from_dh` or `Robot.from_text`; changed by `with_…`."""

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """A model is a method of the robot's `Arm`; names of other libraries are met with ours."""
            meant = None
            if not name.startswith("_"):
                own = [known for known in dir(type(self)) if not known.startswith("_")]
                meant = near_name(name, own, arm_methods() | {"n": "dof", "links": "joints", "qlim": "joints"})
            hint = f"; did you mean {meant}?" if meant else ""
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}{hint}")

    @classmethod
    def of(cls, described: description.RobotDescription) -> Robot:
        """The robot of a description."""
        if isinstance(described, cls):
            return described
        return cls(**{item.name: getattr(described, item.name) for item in fields(described)})

    @classmethod
    def from_dh(
        cls, rows: Sequence[Any], convention: Literal["standard", "modified"] = "standard",
        angle: Literal["deg", "rad"] = "rad", length: Length = "m", name: str = "robot", *,
        columns: str | Sequence[str] | None = None, exact: bool = False,
    ) -> Robot:  # fmt: skip
        """From rows (theta, d, a, alpha) or (theta, d, a, alpha, "P"), or dicts with the keys of a robot file's joint.

        `columns` says another order, such as "alpha a d theta"; bare rows of the modified convention need it. A
        number is in the given units, as a number and as text: `"L1 + 20"`, `"90°"`, `"40 cm"` (see the robot file).
        Angles near a quarter turn are read as one, unless `exact`.

        >>> Robot.from_dh([("q1", 0, "l1", 0), ("q2", 0, "l2", 0)]).dof
        2
        """
        options: dict[str, Any] = {"angle": angle, "length": length, "name": name, "columns": columns, "exact": exact}
        return cls.of(robot_from_rows(rows, convention, **options))

    @classmethod
    def from_screws(
        cls, screws: object, home: object, joints: Sequence[str | Mapping[str, Any]] = (), *,
        frame: Literal["space", "body"] = "space", links: Sequence[Any] = (), angle: Literal["deg", "rad"] = "rad",
        length: Length = "m", name: str = "robot", exact: bool = False,
    ) -> Robot:  # fmt: skip
        """From screw axes (ω, v) at q = 0, a row of six for each joint, and the 4×4 home pose of the tool:
        T = e^{[S1]q1} … e^{[Sn]qn} M. `frame="body"`: axes seen from the tool.

        |ω| = 1 of a joint that turns, its pitch is ω·v; ω = 0 and |v| = 1 of one that slides. `joints` has names, or
        dicts with the keys of a robot file's joint: limits, mass, com, friction; masses are given in the world frame
        at q = 0, or in the frames whose home poses `links` has. Positions may be letters. See `mp.screws`.

        >>> arm = Robot.from_screws([[0, 0, 1, 0, 0, 0], [0, 0, 1, 0, "-l1", 0]],
        ...     [[1, 0, 0, "l1 + l2"], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
        >>> arm.kind
        'RR'
        """
        options: dict[str, Any] = {"frame": frame, "links": links, "angle": angle, "length": length, "name": name}
        return cls.of(robot_from_screws(screws, home, joints, exact=exact, **options))

    @classmethod
    def from_text(cls, text: str, format: str | None = None, **options: object) -> Robot:
        """From the text of a robot file, a pasted table, a URDF or a SYMORO .par file; `format` is seen in the text."""
        if not isinstance(text, str):
            raise InputError("found {text}, expected the text of a robot file", describe(text))
        form = format_of_text(text) if format is None else format_named(format)
        return cls.from_description(form.read(text, **options), options)

    @classmethod
    def from_description(cls, described: description.RobotDescription, options: Mapping[str, object]) -> Robot:
        """What a reader has made of a file; loops that rounding leaves open are closed, unless `exact`."""
        if not described.loops or options.get("exact"):
            return cls.of(described)
        from manipula.mechanics.models.closure.rounding import close_rounded_loops

        return cls.of(close_rounded_loops(described))

    # frames

    @property
    def frame_names(self) -> tuple[str, ...]:
        """The frames that may be requested by name: the tool, those of the file; without any, the tips."""
        return tuple(topology.frame_names(self))

    @property
    def digest(self) -> str:
        """Of all that models depend on, wherever the file lies: the head of every emitted file names it."""
        return digest_of(self)

    @property
    def link_names(self) -> tuple[str, ...]:
        """The links, row by row, by the names of the file; otherwise by those of their joints. The frame of
        each can be requested by name."""
        return tuple(topology.link_names(self))

    @property
    def base_link(self) -> str:
        """What the file calls the link that is the base; "" where it has no name."""
        return self.origin.base_link

    @property
    def tip_link(self) -> str:
        """The link whose frame is the tool, by the file's name; "" where the tool is placed elsewhere."""
        return topology.tip_link(self)

    def at(self, frame: str) -> Robot:
        """The robot with one of its frames as the tool, which poses, Jacobians, velocities, wrenches and inverse
        kinematics are about: one of `frame_names`, a link by its name, its joint's, or its number (link3), the first of
        these that there is. Loads stay where they are."""
        return topology.seen_at(self, frame)

    def road(self, frame: str = "") -> Robot:
        """The serial arm from the base to a frame; the joints beside it, and what they carry, are left out."""
        return topology.road_of(self.at(frame) if frame else topology.with_frame(self))

    def with_frame(
        self, name: str, on: str, xyz: Numbers = (0, 0, 0), rpy: Numbers = (0, 0, 0), *, exact: bool = False
    ) -> Robot:
        """One frame more, seen from the link that the joint `on` moves ("base": the base); see `with_tool`."""
        if name in (*self.frame_names, *self.link_names, *(joint.name for joint in self.joints)):
            raise InputError("{name} has a frame, a link or a joint called {name2!r} already", self.name, name)
        steps = arguments.given_steps(identifier_from_name(name) or "frame", xyz, rpy)
        structure = Structure(exact)

        def with_steps(there: Steps) -> Robot:
            frame = description.Frame(name, description.BASE if on == "base" else on, there)
            return replace(self, frames=(*self.frames, frame))

        edited = self._edit(with_steps(structured_steps(with_steps(steps), steps, name, structure)))
        structure.warn("")
        return edited

    def close(self, motors: object, near: object = None) -> ClosedPosition:
        """Positions of all joints of a robot with loops, its motors at `motors` (in the file's order, or by name).

        `near` says which assembly is meant: a pose by name, positions of all joints, or some by name; left out it is
        the pose called "closed", the first pose, or zero. The answer has `q`, a `status` and the `error` that is left,
        at most 1e-12 where the status is "closed"; models take it for q, and refuse one that is not closed.
        """
        from manipula.mechanics.models.closure.position import close_loops

        return close_loops(self, motors, near)

    # what it has

    @property
    def parameters(self) -> dict[str, float | None]:
        """Every named parameter and every number of the table, by name; None is symbolic."""
        values = floats_of(dict(self.values))
        return {name: self._value(parameter, values) for name, parameter in free_parameters(self, "all").items()}

    @property
    def poses(self) -> dict[str, tuple[float, ...]]:
        """Its poses by name, `robot.poses["home"]`: a coordinate for every joint, rad or m, as methods of `Arm` take
        them; these take the name, too."""
        return poses_of(self)

    def as_dict(self) -> dict[str, object]:
        """The robot as plain data: names, parameters with their values, its tables as text, where it comes from."""
        from manipula.mechanics.robot.formats.conversion.tables import tables_of

        origin, parameters = self.origin, self.parameters
        return {
            "name": self.name,
            "description": origin.description,
            "dof": self.dof,
            "kind": self.kind,
            "joints": list(self.joint_names),
            "base_link": self.base_link,
            "tip_link": self.tip_link,
            "convention": origin.convention,
            "angle": origin.angle,
            "length": origin.length,
            "parameters": parameters,
            "symbolic": [name for name, value in parameters.items() if value is None],
            "tables": [table.as_dict() for table in tables_of(self)],
            "notes": list(origin.notes),
            "source": " ".join(origin.source.split()),
        }

    @property
    def kind(self) -> str:
        """`RRPRRR`: one letter for each moving joint."""
        return "".join(joint.kind[0].upper() for joint in self.joints if joint.kind != "fixed")

    @property
    def freedoms(self) -> str:
        """`6 joints, RRPRRR`; joints that follow others are counted by themselves."""
        following = len(self.kind) - self.dof
        own = Message("1 joint") if self.dof == 1 else Message("{joints} joints", self.dof)
        one = following == 1
        more = Message(" and {following} that follows" if one else " and {following} that follow", following)
        kind = f", {self.kind[:40]}" if self.kind else ""
        base = _BASES[self.moving] if self.moving else ""
        return join_messages("", (own, more if following else "", kind, base))

    @property
    def base_parameters(self) -> dict[str, float | None]:
        """The identifiable parameters, by name; None is symbolic. `api.base_parameters` has their formulas."""
        from manipula.parameters.base import base_parameters_of

        return dict(base_parameters_of(self).by_name)

    @property
    def standard_parameters(self) -> dict[str, float | None]:
        """The parameters in which torques are linear, by name, in the order of the regressor's columns; None is
        symbolic. Of every link and of every body that rides on one Lxx … Lzz mx my mz m about the origin of the body's
        frame, of every joint Ia fv fc fo: torque = regressor · these."""
        refuse_ambiguous(self)
        values = floats_of(dict(self.values))
        return {name: self._value(parameter, values) for name, parameter in standard_parameters(self).items()}

    @staticmethod
    def _value(parameter: Parameter | None, values: Mapping[str, float]) -> float | None:
        if parameter is None or any(name not in values for name in names_of(parameter)):
            return None
        return float_of(parameter, values)

    def __str__(self) -> str:
        values = value_table(self)
        shown = [table for table in tables_of(self) if table != values]
        with_value = replace(values, rows=tuple(row for row in values.rows if row[1] != SYMBOLIC))
        symbols = ", ".join(free_parameters(self))
        told = [f"{self.name}: {self.freedoms}", *map(str, shown), *([str(with_value)] if with_value.rows else [])]
        return "\n\n".join([*told, *(["\n".join(wrap(f"Symbols, without a value: {symbols}", 80))] if symbols else [])])

    def __repr__(self) -> str:
        """Name, joints and the symbols that have no value, in a line."""
        free = list(free_parameters(self))
        more = f", … {len(free)} in all" if len(free) > 8 else ""
        symbols = f"; symbols {', '.join(free[:8])}{more}" if free else ""
        return f"<robot {self.name}: {self.freedoms}{symbols}>"

    def _repr_html_(self) -> str:
        symbols = ", ".join(free_parameters(self))
        tables = [table._repr_html_() for table in tables_of(self) if table != value_table(self)]
        values = [row for row in value_table(self).rows if row[1] != SYMBOLIC]
        tables += [html_table(("name", "value"), values, "Named parameters (SI)")] if values else []
        tables += [f"<p>symbolic: {escape(symbols)}</p>"] if symbols else []
        return f"<h4>{escape(self.name)}</h4>{self._picture()}" + "".join(tables)

    def _picture(self) -> str:
        """It at rest; nothing of a robot that cannot be drawn, whose tables are shown all the same."""
        from manipula.mechanics.drawing.record import drawing_of
        from manipula.mechanics.drawing.skeleton import axes_of, poses_of
        from manipula.pages.picture import Style, svg_of

        try:
            record = drawing_of(self)
        except InputError:
            return ""
        poses = poses_of(record, record["rest"])
        return svg_of(record, poses, axes_of(record, poses), Style(320.0, 280.0))

    # edits

    def with_parameters(self, **values: Number) -> Robot:
        """Other values: `robot.with_parameters(a2=0.43, m6=0.1)`. A name the file uses, or a cell of the table."""
        return self._edit(arguments.with_values(self, values))

    def with_standard_parameters(self, values: Mapping[str, Number | None] | Numbers) -> Robot:
        """The robot whose `standard_parameters` are these: all of them in their order, or some by name; None leaves one
        as it is. Nothing is asked of a mass or an inertia: a fit may give a body that could not be.

        >>> arm = Robot.from_dh([("q1", 0, 1, 0)]).with_standard_parameters({"m1": 0, "mx1": 0.2, "Lzz1": 0.1})
        >>> [arm.standard_parameters[name] for name in ("m1", "mx1", "Lzz1", "Lxx1")]
        [0.0, 0.2, 0.1, None]
        """
        robot = arguments.with_standard_values(self, values)
        refuse_bad_names(robot)
        return robot

    def with_payload(
        self, mass: Number, com: Numbers = (0, 0, 0), inertia: Mapping[str, Number] | Numbers | None = None, *,
        frame: str = "",
    ) -> Robot:  # fmt: skip
        """A body held in the tool frame, or in the frame named; `inertia` is about its centre of mass: a 3×3 array, six
        numbers xx xy xz yy yz zz, or a dict of those that are not zero."""
        if frame:
            there = topology.with_load_on_row(self.at(frame).with_payload(mass, com, inertia))
            return Robot.of(note_no_mass(replace(there, tool=self.tool, tool_on=self.tool_on)))
        return self._edit(arguments.with_load(self, mass, com, inertia))

    def with_tool(self, xyz: Numbers = (0, 0, 0), rpy: Numbers = (0, 0, 0), *, exact: bool = False) -> Robot:
        """The tool frame seen from the last link: xyz and rpy in metres and radians (a string may say "pi/2"), or a
        4×4 pose. Angles near a quarter turn are read as one, unless `exact`."""
        return self._place("tool", arguments.given_steps("tool", xyz, rpy), exact)

    def with_base(self, xyz: Numbers = (0, 0, 0), rpy: Numbers = (0, 0, 0), *, exact: bool = False) -> Robot:
        """The base frame seen from the world: xyz and rpy in metres and radians, or a 4×4 pose; see `with_tool`."""
        return self._place("base", arguments.given_steps("base", xyz, rpy), exact)

    def with_friction(self, friction: Mapping[str, Mapping[str, object]] | None = None, /, **joints: object) -> Robot:
        """Other friction of some joints, `robot.with_friction(elbow={"viscous": 1.5, "coulomb": 0.3})`: keys as in a
        robot file, SI; laws that are not given go. Joints whose names are no Python names are named in a dict.

        >>> arm = Robot.from_dh([("q1", 0, 1, 0)]).with_friction(joint1={"coulomb": 0.2})
        >>> arm.standard_parameters["fc1"]
        0.2
        """
        return self._edit(arguments.with_rubbing(self, {**arguments.by_name(friction, "friction"), **joints}))

    def with_motor_inertia(self, inertia: Mapping[str, Number] | None = None, /, **joints: Number) -> Robot:
        """Other motor inertia of some joints, as the joint feels it (kg·m², kg): `with_motor_inertia(elbow=0.2)`.

        >>> Robot.from_dh([("q1", 0, 1, 0)]).with_motor_inertia(joint1=0.2).standard_parameters["Ia1"]
        0.2
        """
        return self._edit(
            arguments.with_rotors(self, {**arguments.by_name(inertia, Message("motor inertia")), **joints})
        )

    def locked(self, joints: Mapping[str, Number] | None = None, /, **named: Number) -> Robot:
        """Some joints held still: `robot.locked(elbow=0.3)`, radians or metres, also `q3=` or `joint3=` for the third
        one; names that are no Python names in a dict. A value may be a letter, `elbow="beta"`.

        The joint becomes a fixed row of the same name, so its frame can still be requested, and what it moved rides on
        the link before. Joints that follow it stand where it puts them. What moves is numbered anew: with the third of
        six locked, q3 and m3 are those of the fourth before.

        >>> robot = Robot.from_dh([("q1", 0, "l1", 0), ("q2", 0, "l2", 0)]).locked(q2="pi/2")
        >>> robot.joint_names, robot.frame_names
        (('joint1',), ('tool',))
        """
        held: dict[str, Parameter] = {}
        for name, value in {**arguments.by_name(joints, "locked"), **named}.items():
            joint = joint_meant(self, name)
            if joint in held:
                raise InputError("{name}: joint {joint!r} is given two places to be locked at", self.name, joint)
            turns = next(row.turns for row in self.joints if row.name == joint)
            held[joint] = structured_coordinate(
                self, joint, arguments.parameter_from_python(value, name, "angle" if turns else "length")
            )
            doubt_degrees(self, joint, held[joint], "locked")
        if not held:
            return self
        robot = told_apart(with_locks(self, held))
        refuse_bad_names(robot)
        return Robot.of(note_no_mass(robot))

    def with_poses(self, poses: Mapping[str, Numbers] | None = None, /, **named: Numbers) -> Robot:
        """Some poses more by name, `with_poses(home=[0, 0.3])`, rad and m, within the limits of the joints.

        >>> Robot.from_dh([("q1", 0, 1, 0)]).with_poses(home=["pi/2"]).poses
        {'home': (1.5707963267948966,)}
        """
        made = dict(self.named_poses)
        for name, entries in {**arguments.by_name(poses, "poses"), **named}.items():
            made |= dict([named_pose(self, name, arguments.given_list(entries, f"poses.{name}"))])
            for joint, at in made[name]:
                doubt_degrees(self, joint, at, f"poses.{name}")
        return replace(self, named_poses=tuple(made.items()))

    def with_gravity(self, x: Number | Numbers, y: Number | None = None, z: Number | None = None) -> Robot:
        """The acceleration of gravity in the world frame, m/s², as three numbers or one list: (0, 0, −9.81) is down."""
        entries = arguments.given_three(x if y is None and z is None else (x, y, z), "gravity")
        gx, gy, gz = (Cell(f"g{axis}", value) for axis, value in zip(AXES, entries))
        return self._edit(replace(self, gravity=(gx, gy, gz)))

    def _place(self, part: Literal["base", "tool"], steps: Steps, exact: bool) -> Robot:
        def with_steps(there: Steps) -> Robot:
            return replace(self, tool=there) if part == "tool" else replace(self, base=there)

        structure = Structure(exact)
        robot = with_steps(structured_steps(with_steps(steps), steps, part, structure))
        notes = tuple(dict.fromkeys((*self.origin.notes, *structure.notes)))
        edited = self._edit(replace(robot, origin=replace(self.origin, notes=notes)))
        structure.warn("")
        return edited

    def _edit(self, robot: Robot) -> Robot:
        """The new robot, held to what a file is held to."""
        refuse_heavy(robot)
        refuse_bad_names(robot)
        topology.refuse_massless_base(robot)
        warn_about_changes(robot, self)
        return Robot.of(note_no_mass(robot))

    def without(self, *parts: Part) -> Robot:
        """The robot without its friction, motor_inertia, payload, tool, base or gravity."""
        robot = self
        for part in parts:
            if part not in list(_WITHOUT):
                raise UnknownNameError("part", part, _WITHOUT)
            robot = _WITHOUT[part](robot)
        return robot


class HasRobot(Protocol):
    """The robot of what has one: an arm, a plant, what `identify` or `calibrate` found."""

    @property
    def robot(self) -> description.RobotDescription: ...


RobotLike = description.RobotDescription | str | Path | HasRobot


def as_robot(given: RobotLike) -> Robot:
    """The door of every verb and class that takes a robot: a robot, its library name or file, or a stand-in for it.

    What `identify` found may hold more than a robot can: `left_out` says so, and the caller is warned.
    """
    if isinstance(given, str | Path):
        return Robot.of(robot_from_source(given))
    held = given if isinstance(given, description.RobotDescription) else getattr(given, "robot", None)
    if not isinstance(held, description.RobotDescription):
        raise InputError(
            "found {given!r:.60}, expected the name of a library robot or a file, a robot, an arm, or what "
            "identify found",
            given,
        )
    if left_out := getattr(given, "left_out", ""):
        caution(left_out)
    return Robot.of(held)


def _change_actuators(change: Callable[[Drive], Drive]) -> Callable[[Robot], Robot]:
    """Every joint's actuator changed."""

    def edit(robot: Robot) -> Robot:
        return replace(robot, joints=tuple(replace(x, actuator=change(x.actuator)) for x in robot.joints))

    return edit


def _clear_cell(cell: Cell) -> Cell:
    return cell_with_value(cell.name)


_WITHOUT: dict[str, Callable[[Robot], Robot]] = {
    "friction": _change_actuators(lambda drive: drive.without_friction(_clear_cell)),
    "motor_inertia": _change_actuators(lambda drive: replace(drive, motor_inertia=_clear_cell(drive.motor_inertia))),
    "payload": lambda robot: replace(robot, payload=()),
    "tool": lambda robot: replace(robot, tool=()),
    "base": lambda robot: replace(robot, base=()),
    "gravity": lambda robot: robot.with_gravity(0, 0, 0),
}
