"""Robot → SYMORO `.par` text, symbols included.

Rows become modified Denavit–Hartenberg rows that turn forward; the tool, if there is one, a fixed row at the end with
the payload; carried bodies join their link. What the format cannot hold is said in a comment.

A row of the format has six places, so a link of a tree stands anywhere on another. Its frame is where its joint has
moved it; what the robot has behind the joint goes to the rows that stand on it and to its body. Every loop is two rows
more: the joint at which it is cut, behind all links, and the frame on the other side, behind all joints.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

from manipula.errors import RobotFileError
from manipula.mechanics.robot.bodies import together
from manipula.mechanics.robot.description import (
    AXES,
    BASE,
    SIX,
    Frame,
    Joint,
    Mounted,
    RobotDescription,
    Step,
    Steps,
    cell_with_value,
)
from manipula.mechanics.robot.exact import (
    Formula,
    gather_steps,
    inverse_of,
    is_zero,
    opposite,
    parameter_of,
    placement_from_steps,
    quarter_steps,
    with_values,
)
from manipula.mechanics.robot.formats.conversion.conventions import to_modified
from manipula.mechanics.robot.formats.par.entries import ACTUATOR, AT_REST, DYNAMICS, GEOMETRY, WRENCH
from manipula.mechanics.robot.formats.rows import row_from_joint
from manipula.mechanics.robot.formats.source import refuse_kinds
from manipula.mechanics.robot.joints import KINDS
from manipula.mechanics.robot.loops import ClosedLoop
from manipula.mechanics.robot.precise import round_to_decimal, values_of
from manipula.mechanics.robot.reduce import take, zone_from_steps, zone_in_numbers
from manipula.mechanics.robot.suffixes import row_names
from manipula.mechanics.robot.topology import in_rows
from manipula.mechanics.robot.values.parameter import ZERO, Deg, Num, Parameter, text_of
from manipula.mechanics.spatial.inertia import RigidBody
from manipula.mechanics.spatial.vector import unrotate
from manipula.messages import Message

Column = dict[str, str]  # what one row has in each list
VARIABLES = {"theta": ("t", "th", "q"), "d": ("r", "q", "l")}
TURNED = (Step("rx", cell_with_value("", Deg(Fraction(180)))),)


def par_from_robot(robot: RobotDescription) -> str:
    """SYMORO text; names with a value are written as their value, the others stay names."""
    refuse_kinds(robot, "par", "SYMORO")
    if not in_rows(robot) or robot.loops or robot.moving or robot.coordinates.followers:
        return _TreeWriter(robot).text()
    return _Writer(to_modified(_forward(to_modified(robot)))).text()


def lost_from_robot(robot: RobotDescription) -> list[str]:
    """What of an actuator the format has no place for, limits, springs, frames, poses and names."""
    lost = [
        f"{item.name} of joint {joint.name}"
        for joint in robot.joints
        for item in joint.actuator.items()
        if item.entry.letters not in ACTUATOR and not is_zero(item.value.value)
    ]
    limited = any(joint.limits or joint.velocity_limit or joint.effort_limit for joint in robot.joints)
    named = [joint.name for joint in robot.joints] != row_names((joint.kind, None) for joint in robot.joints)
    held = {name for loop in robot.loops for name in loop.joins}
    others = {
        "joint limits": limited,
        "springs": any(joint.springs for joint in robot.joints),
        "two-point elements": bool(robot.elements),
        "poses": bool(robot.named_poses),
        "frames": any(frame.name not in held for frame in robot.frames),
        "bodies that stand still": bool(robot.ground) and not robot.moving,
        "names of joints": named,
    }
    return lost + [what for what, there in others.items() if there]


def _forward(robot: RobotDescription) -> RobotDescription:
    """Joints that count backward, counted forward about the opposite axis: Z(−x) = Rx(π) Z(x) Rx(−π)."""
    return replace(robot, joints=tuple(map(_point_axis_forward, robot.joints)))


def _point_axis_forward(joint: Joint) -> Joint:
    if joint.direction == 1:
        return joint
    across, along = take(joint.before, "x")
    back = inverse_of(along)[::-1]  # a step along z is its opposite seen from the turned frame
    offset = inverse_of((Step("tz", joint.offset),))[0].amount
    return replace(
        joint, before=across + TURNED + back, offset=offset, direction=1, after=inverse_of(TURNED) + joint.after
    )


class _Writer:
    def __init__(self, robot: RobotDescription) -> None:
        self.robot = robot
        self.values = dict(robot.values)
        self.used = set(robot.names())

    def text(self) -> str:
        columns = [self.column(row, joint) for row, joint in enumerate(self.robot.joints, 1)]
        columns += self.tool_column(len(columns) + 1)
        count = len(columns)
        parts = (*self.head((count, count, count), "0"), *self.body(columns, columns), *self.tail(count))
        return "\n".join((*parts, "(* End of definition *)\n"))

    def head(self, counts: tuple[int, int, int], kind: str) -> Iterator[str]:
        yield f"(* Robotname = '{self.robot.name.replace(chr(39), '')}' *)"
        for told in lost_from_robot(self.robot):
            yield f"(* not written, as this format has no place for it: {told.replace('*)', '* )')} *)"
        for joint in self.robot.joints:
            if joint.carries:
                yield f"(* joint {joint.name}: the bodies it carries are written as one with its link *)"
        yield from (f"{key} = {count}" for key, count in zip(("NL", "NJ", "NF"), counts))
        yield from (f"Type = {kind}", *(["is_floating = 1"] if self.robot.moving == "free" else []))
        yield from (f"is_mobile = {int(self.robot.moving == 'given')}", "")

    def body(self, columns: list[Column], bodies: list[Column]) -> Iterator[str]:
        yield "(* Geometric parameters *)"
        yield from (_line(key, [column.get(key, "0") for column in columns]) for key in GEOMETRY)
        yield "\n(* Dynamic parameters and external forces *)"
        yield from (_line(key, [column.get(key, "0") for column in bodies]) for key in (*DYNAMICS, *WRENCH))

    def tail(self, count: int) -> Iterator[str]:
        yield "\n(* Joint velocities and accelerations *)"
        yield from (_line(key, [f"{key}{row}" for row in range(1, count + 1)]) for key in ("QP", "QDP"))
        yield "\n(* Velocity and acceleration of the base *)"
        motion = [f"{{}}{axis}" if self.robot.moving else "0" for axis in "xyz"]
        yield from (_line(key, [text.format(key) for text in motion]) for key in AT_REST)
        base = placement_from_steps(gather_steps(self.robot.base))
        x, y, z = (Formula(cell.parameter) for cell in self.robot.gravity)
        yield "\n(* Acceleration of gravity, in frame 0 *)"
        yield _line("G", [self.entry(part) for part in unrotate(base.R, (x, y, z))])
        yield "\n(* Frame 0 in the world *)"
        yield _line("Z", [self.entry(part) for row in base.rows() for part in row])

    def column(self, number: int, joint: Joint) -> Column:
        row = row_from_joint(joint, "modified")
        assert row is not None, "to_modified gives modified rows"
        column = {
            "ant": str(number - 1),
            "sigma": KINDS[joint.kind].formats["par"],
            "mu": "0" if joint.kind == "fixed" else "1",
            "alpha": self.entry(row.alpha.parameter),
            "d": self.entry(row.a.parameter),
            "theta": self.entry(row.theta.parameter),
            "r": self.entry(row.d.parameter),
            **{key: self.entry(joint.actuator[letters].parameter) for letters, key in ACTUATOR.items()},
        }
        if joint.kind != "fixed":
            field = KINDS[joint.kind].field
            moving = "theta" if field == "theta" else "r"
            constant = column[moving]
            column[moving] = self.variable(number, field) + ("" if constant == "0" else f"+({constant})")
        return column | self.inertia(together(joint.body, joint.carries))

    def variable(self, number: int, field: str) -> str:
        names = (f"{letter}{number}" for letter in VARIABLES[field])
        return next(name for name in names if name not in self.used)

    def tool_column(self, number: int) -> list[Column]:
        """A fixed row, whose six places hold any placement."""
        steps = gather_steps(self.robot.tool)
        if not steps and not self.robot.payload:
            return []
        column = {"ant": str(number - 1), "sigma": "2", "mu": "0"} | self.placement(steps, Message("its tool"))
        return [column | self.inertia(together(None, [Mounted((), body) for body in self.robot.payload]))]

    def placement(self, steps: Steps, what: str, more: Parameter = ZERO, turns: bool = True) -> Column:
        """The six places of a row; `more` is added to the last turn or shift."""
        zone = zone_from_steps(steps)
        if zone is None:
            zone = zone_in_numbers(steps, values_of(self.robot, what, (step.amount.parameter for step in steps)))
        places: dict[str, Parameter] = dict.fromkeys(("gamma", "b", "alpha", "d", "theta", "r"), ZERO)
        for part, names in ((zone.lead, "gamma b"), (zone.across, "alpha d"), (zone.trail, "theta r")):
            for step in part:
                places[names.split()[step.kind[0] == "t"]] = step.amount.parameter
        last = "theta" if turns else "r"
        places[last] = (Formula(places[last]) + Formula(more)).parameter
        return {key: self.entry(value) for key, value in places.items()}

    def inertia(self, body: RigidBody) -> Column:
        entries = zip(SIX, (body.I[i][j] for i in range(3) for j in range(i, 3)))
        column = {pair.upper(): self.entry(part) for pair, part in entries}
        column |= {f"M{axis}": self.entry(part) for axis, part in zip("XYZ", body.s)}
        return column | {"M": self.entry(body.m)}

    def entry(self, value: Any) -> str:
        parameter: Parameter = value if not isinstance(value, Formula | int) else parameter_of(value)
        return _text(round_to_decimal(with_values(parameter, self.values).parameter))


class _TreeWriter(_Writer):
    """A robot that branches, closes loops, moves its base, or has joints that follow others."""

    def __init__(self, robot: RobotDescription) -> None:
        super().__init__(robot)
        self.number = {BASE: 0} | {joint.name: row for row, joint in enumerate(robot.joints, 1)}
        self.behind: dict[str, Steps] = {BASE: ()}  # from a row's frame in the file to the one it has here
        self.own = {
            joint.name: self.variable(self.number[joint.name], KINDS[joint.kind].field)
            for joint in robot.joints if joint.kind != "fixed"
        }  # fmt: skip

    def text(self) -> str:
        links = [self.tree_column(joint, parent) for joint, parent in zip(self.robot.joints, self.robot.parents)]
        links += self.tool_row()
        cuts = [self.ends(loop) for loop in self.robot.loops]
        columns = [*links, *(first for first, _ in cuts), *(second for _, second in cuts)]
        counts = (len(links), len(links) + len(cuts), len(columns))
        kind = "2" if cuts else "0" if [x["ant"] for x in links] == [str(k) for k in range(len(links))] else "1"
        bodies = [self.inertia(together(None, self.robot.ground)), *links] if self.robot.moving else links
        parts = (*self.head(counts, kind), *self.body(columns, bodies), *self.tail(counts[1]))
        return "\n".join((*parts, "(* End of definition *)\n"))

    def tree_column(self, joint: Joint, parent: int) -> Column:
        on = self.robot.joints[parent].name if parent >= 0 else BASE
        before, offset, after = self.behind[on] + joint.before, joint.offset.parameter, joint.after
        if joint.kind == "fixed":
            before, after = before + after, ()
        elif joint.direction == -1:
            before, offset, after = before + TURNED, opposite(offset), inverse_of(TURNED) + after
        self.behind[joint.name] = after = gather_steps(after)
        what, turns = Message("joint {name!r}", joint.name), KINDS[joint.kind].field == "theta"
        fixed, follows = joint.kind == "fixed", joint.coordinate
        driven = not fixed and follows is None and (not self.robot.loops or joint.name in self.robot.motors)
        column = {"ant": str(self.number[on]), "sigma": KINDS[joint.kind].formats["par"], "mu": str(int(driven))}
        shift = ZERO if fixed else offset
        if follows is not None:
            constant = Formula(Num(follows.constant)) + Formula(Deg(follows.degrees))
            shift = (Formula(shift) + constant).parameter
        column |= self.placement(gather_steps(before), what, shift, turns or fixed)
        if not fixed:
            moving = "theta" if turns else "r"
            constant_text = column[moving]
            column[moving] = self.motion(joint) + ("" if constant_text == "0" else f"+({constant_text})")
            column |= {key: self.entry(joint.actuator[letters].parameter) for letters, key in ACTUATOR.items()}
        own = [Mounted(after, joint.body)] if joint.body else []
        return column | self.inertia(together(None, [*own, *(replace(x, at=after + x.at) for x in joint.carries)]))

    def motion(self, joint: Joint) -> str:
        """Its variable, or those that it follows; about an axis that is turned over where the joint counts backward."""
        if joint.coordinate is None:
            return self.own[joint.name]
        text = "".join(
            f"{'-' if k < 0 else '+'}{'' if abs(k) == 1 else f'{text_of(Num(abs(k)))}*'}{self.own[name]}"
            for name, k in joint.coordinate.terms
        )
        return text.removeprefix("+")

    def tool_row(self) -> list[Column]:
        """Where the tool is not the frame of the last row."""
        robot = self.robot
        on = robot.joints[robot.tool_row].name if robot.tool_row >= 0 else BASE
        steps = gather_steps(self.behind[on] + robot.tool)
        if not steps and not robot.payload and robot.tool_row == len(robot.joints) - 1:
            return []
        column = {"ant": str(self.number[on]), "sigma": "2", "mu": "0"} | self.placement(steps, Message("its tool"))
        return [column | self.inertia(together(None, [Mounted((), body) for body in robot.payload]))]

    def ends(self, loop: ClosedLoop) -> tuple[Column, Column]:
        """The cut joint, about z of its row, and the frame on the other side."""
        cut, frames = loop.cut, {frame.name: frame for frame in self.robot.frames}
        free = {0, 1, 2} - set(cut.turns if len(cut.lines) == 3 else cut.lines)
        if cut.pair is not None or len(free) > 1:
            raise RobotFileError(
                "is cut at a joint that {title} has no word for: {free!r}", "SYMORO", loop.free,
                where=Message("loop {name!r}", loop.name), hint="save it as TOML",
            )  # fmt: skip
        turn = quarter_steps((AXES[free.pop()], 1), "axis") if free else ()
        sigma = "2" if len(cut.lines) == len(cut.turns) else "0" if len(cut.lines) == 3 else "1"
        columns = []
        for name, kind in zip(loop.joins, (sigma, "2")):
            frame = frames.get(name, Frame(name, BASE if name == "base" else name))
            steps = gather_steps(self.behind[frame.on] + frame.at + turn)
            column = {"ant": str(self.number[frame.on]), "sigma": kind, "mu": "0"}
            columns.append(column | self.placement(steps, Message("loop {name!r}", loop.name)))
        first, second = columns
        if sigma != "2":
            moving, number = ("theta", "t") if sigma == "0" else ("r", "r"), self.robot.loops.index(loop) + 1
            variable = f"{moving[1]}{len(self.robot.joints) + len(self.tool_row()) + number}"
            first[moving[0]] = variable + ("" if first[moving[0]] == "0" else f"+({first[moving[0]]})")
        return first, second


def _text(parameter: Parameter) -> str:
    """Like a person writes it: pi/2, -3*pi/4."""
    match parameter:
        case Deg(value):
            turns = value / 180
            sign, top = "-" if turns < 0 else "", abs(turns.numerator)
            whole = f"{sign}{'' if top == 1 else f'{top}*'}pi" if top else "0"
            return whole if turns.denominator == 1 else f"{whole}/{turns.denominator}"
    return "0" if parameter == ZERO else text_of(parameter)


def _line(key: str, entries: list[str]) -> str:
    return f"{key} = {{{','.join(entries)}}}"
