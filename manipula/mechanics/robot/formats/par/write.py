"""Robot → SYMORO `.par` text, symbols included.

Rows become modified Denavit–Hartenberg rows that turn forward; the tool, if there is one, a fixed row at the end with
the payload; carried bodies join their link. What the format cannot hold is said in a comment.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

from manipula.mechanics.robot.bodies import together
from manipula.mechanics.robot.description import SIX, Joint, Mounted, RobotDescription, Step, cell_with_value
from manipula.mechanics.robot.exact import (
    Formula,
    gather_steps,
    inverse_of,
    is_zero,
    parameter_of,
    placement_from_steps,
    with_values,
)
from manipula.mechanics.robot.formats.conversion.conventions import to_modified
from manipula.mechanics.robot.formats.par.read import ACTUATOR, AT_REST, DYNAMICS, GEOMETRY, WRENCH
from manipula.mechanics.robot.formats.rows import row_from_joint
from manipula.mechanics.robot.formats.source import refuse_kinds
from manipula.mechanics.robot.joints import KINDS
from manipula.mechanics.robot.precise import round_to_decimal, values_of
from manipula.mechanics.robot.reduce import take, zone_from_steps, zone_in_numbers
from manipula.mechanics.robot.suffixes import row_names
from manipula.mechanics.robot.values.parameter import ZERO, Deg, Parameter, text_of
from manipula.mechanics.spatial.inertia import RigidBody
from manipula.mechanics.spatial.vector import unrotate
from manipula.messages import Message

Column = dict[str, str]  # what one row has in each list
VARIABLES = {"theta": ("t", "th", "q"), "d": ("r", "q", "l")}
TURNED = (Step("rx", cell_with_value("", Deg(Fraction(180)))),)


def par_from_robot(robot: RobotDescription) -> str:
    """SYMORO text; names with a value are written as their value, the others stay names."""
    refuse_kinds(robot, "par", "SYMORO")
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
    others = {
        "joint limits": limited,
        "springs": any(joint.springs for joint in robot.joints),
        "poses": bool(robot.named_poses),
        "frames": bool(robot.frames),
        "bodies that stand still": bool(robot.ground),
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
        return "\n".join((*self.head(count), *self.body(columns), *self.tail(count), "(* End of definition *)\n"))

    def head(self, count: int) -> Iterator[str]:
        yield f"(* Robotname = '{self.robot.name.replace(chr(39), '')}' *)"
        for told in lost_from_robot(self.robot):
            yield f"(* not written, as this format has no place for it: {told.replace('*)', '* )')} *)"
        for joint in self.robot.joints:
            if joint.carries:
                yield f"(* joint {joint.name}: the bodies it carries are written as one with its link *)"
        yield from (f"NL = {count}", f"NJ = {count}", f"NF = {count}", "Type = 0", "is_mobile = 0", "")

    def body(self, columns: list[Column]) -> Iterator[str]:
        yield "(* Geometric parameters *)"
        yield from (_line(key, [column.get(key, "0") for column in columns]) for key in GEOMETRY)
        yield "\n(* Dynamic parameters and external forces *)"
        yield from (_line(key, [column.get(key, "0") for column in columns]) for key in (*DYNAMICS, *WRENCH))

    def tail(self, count: int) -> Iterator[str]:
        yield "\n(* Joint velocities and accelerations *)"
        yield from (_line(key, [f"{key}{row}" for row in range(1, count + 1)]) for key in ("QP", "QDP"))
        yield "\n(* Velocity and acceleration of the base *)"
        yield from (_line(key, ["0", "0", "0"]) for key in AT_REST)
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
        zone = zone_from_steps(steps) or zone_in_numbers(steps, self.tool_values())
        column = {"ant": str(number - 1), "sigma": "2", "mu": "0"}
        for part, names in ((zone.lead, "gamma b"), (zone.across, "alpha d"), (zone.trail, "theta r")):
            for step in part:
                column[names.split()[step.kind[0] == "t"]] = self.entry(step.amount.parameter)
        return [column | self.inertia(together(None, [Mounted((), body) for body in self.robot.payload]))]

    def tool_values(self) -> dict[str, Any]:
        return values_of(self.robot, Message("its tool"), (step.amount.parameter for step in self.robot.tool))

    def inertia(self, body: RigidBody) -> Column:
        entries = zip(SIX, (body.I[i][j] for i in range(3) for j in range(i, 3)))
        column = {pair.upper(): self.entry(part) for pair, part in entries}
        column |= {f"M{axis}": self.entry(part) for axis, part in zip("XYZ", body.s)}
        return column | {"M": self.entry(body.m)}

    def entry(self, value: Any) -> str:
        parameter: Parameter = value if not isinstance(value, Formula | int) else parameter_of(value)
        return _text(round_to_decimal(with_values(parameter, self.values).parameter))


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
