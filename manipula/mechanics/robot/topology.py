"""Which rows of a description stand on which: where a robot branches, its tips, its frames by name."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from manipula.errors import InputError, RobotFileError, UnknownNameError, caution
from manipula.mechanics.robot.coordinates import Coordinates
from manipula.mechanics.robot.description import BASE, AnyRobot, Body, Frame, Joint, Mounted, RobotDescription
from manipula.mechanics.robot.suffixes import suffixes_of
from manipula.mechanics.robot.values.parameter import ZERO
from manipula.messages import Message

TOOL = "tool"
SHOWN = 12  # frames in a sentence
MADE_FOR_LOOPS = Message(
    "inverse and forward dynamics, inertia matrix, coriolis, gravity, energy, Jacobians and regressors are"
)
MADE_FOR_MOVING_LOOPS = Message(
    "inverse and forward dynamics, inertia matrix, coriolis, gravity, momentum, energy, Jacobians and the regressor are"
)
LAWS_FOR_LOOPS = Message("the laws pid, pd_gravity and computed_torque are, and act at the motors")
_POSITIONS = Message("robot.close gives all positions from those of the motors, arm.pose and arm.jacobian the rest")
_IN_TIME = Message("mp.simulate takes the robot itself, with torques of its motors or a law")
INSTEAD = {"inverse_kinematics": _POSITIONS, "reach": _POSITIONS, "Plant": _IN_TIME, "arm": _IN_TIME}
_NUMBERED = re.compile(r"link_?([1-9][0-9]*)")
_LABELS: tuple[Callable[[Joint], str], ...] = (lambda joint: joint.name, lambda joint: joint.link)


def in_rows(robot: RobotDescription) -> bool:
    """Every joint stands on the row before, the tool on the last."""
    return robot.parents == tuple(range(-1, len(robot.joints) - 1)) and robot.tool_row == len(robot.joints) - 1


def moving_parents(robot: RobotDescription) -> list[int]:
    """Of every moving joint the moving one (counted among these) that it stands on, −1 the base."""
    stands, found = {-1: -1}, list[int]()
    for row, (joint, parent) in enumerate(zip(robot.joints, robot.parents)):
        stands[row] = stands[parent]
        if joint.kind != "fixed":
            found.append(stands[parent])
            stands[row] = len(found) - 1
    return found


def first_branch(robot: RobotDescription) -> str:
    """The first link, by its joint, on which several moving joints stand; "base", or "" where the arm is serial."""
    parents, names = moving_parents(robot), robot.coordinates.joints
    for i in range(-1, len(names)):
        if parents.count(i) > 1:
            return "base" if i < 0 else names[i]
    return ""


def serial_fault(robot: RobotDescription) -> str:
    """Why a robot is no serial arm with its tool on the last link; "" where it is one."""
    if at := first_branch(robot):
        return Message("it branches at {at!r}", at)
    stands = [joint.name for joint in robot.joints[: robot.tool_row + 1] if joint.kind != "fixed"]
    if len(stands) == len(robot.coordinates.joints):
        return ""
    return Message("its tool is on {stands!r}, not on its last link", (stands[-1] if stands else "base"))


def tips(robot: RobotDescription) -> list[str]:
    """The moving joints on which none stands."""
    parents = set(moving_parents(robot))
    return [name for i, name in enumerate(robot.coordinates.joints) if i not in parents]


def has_tool(robot: RobotDescription) -> bool:
    """Whether there is a frame at its end, where a file may call another one "tool"."""
    return bool(robot.tool) or robot.tool_on is not None or len(tips(robot)) == 1


def frame_names(robot: RobotDescription) -> list[str]:
    """The frames a robot has: its tool, those its file names; without them, its tips."""
    own = [TOOL] if has_tool(robot) else []
    return list(dict.fromkeys([*own, *(frame.name for frame in robot.frames)])) or tips(robot)


def still_rows(robot: RobotDescription) -> set[str]:
    """The base and the rows that no joint moves, by name."""
    names, still = [joint.name for joint in robot.joints], {BASE}
    for joint, on in zip(robot.joints, robot.parents):
        if joint.kind == "fixed" and (names[on] if on >= 0 else BASE) in still:
            still.add(joint.name)
    return still


def seen_at(robot: AnyRobot, name: str) -> AnyRobot:
    """The robot with this frame as its tool; a load stays where it is. A joint's name is the frame of its link."""
    if name == TOOL and has_tool(robot) and TOOL not in (frame.name for frame in robot.frames):
        _warn_of_link_called_tool(robot)
        return robot
    frame = frame_meant(robot, name)
    return replace(with_load_on_row(robot), tool=frame.at, tool_on=frame.on)


def frame_meant(robot: RobotDescription, name: str) -> Frame:
    """One of its frames; else the frame of a link, by the link's own name, by its joint's, or by number: link3."""
    joints, links = ({_label(joint): joint.name for joint in robot.joints if _label(joint)} for _label in _LABELS)
    known = {link: Frame(link, joint) for link, joint in links.items()} | {x.name: x for x in robot.frames}
    if name in known and name in joints and (known[name].on, known[name].at) != (name, ()):
        other = next((link for link, joint in links.items() if joint == name), name)
        caution(
            "{name}: {name2!r} is taken for the link of that name, not for the one its joint moves, {other!r}",
            robot.name,
            name,
            other,
        )
    if name in known or name in joints:
        return known.get(name) or Frame(name, joints[name])
    if robot.moving and name in ("base", robot.origin.base_link):
        return Frame(name, BASE)
    number = _NUMBERED.fullmatch(str(name))
    if number is None or int(number[1]) > robot.dof or any(map(_NUMBERED.fullmatch, links)):
        raise UnknownNameError("frame", name, dict.fromkeys((*frame_names(robot), *links, *joints)))
    return Frame(name, robot.joint_names[int(number[1]) - 1])


def _warn_of_link_called_tool(robot: RobotDescription) -> None:
    """The file's own link of that name may be meant, where it is somewhere else."""
    for row, joint in enumerate(robot.joints):
        if joint.link == TOOL and (robot.tool or row != robot.tool_row):
            caution(
                "{name}: {tool!r} is taken for the frame at its end; its link of that name is found by its "
                "joint, {name2!r}",
                robot.name,
                TOOL,
                joint.name,
            )


def link_names(robot: RobotDescription) -> list[str]:
    """The links by the file's names; otherwise by those of their joints."""
    return [joint.link or joint.name for joint in robot.joints]


def frame_of(robot: RobotDescription) -> str:
    """The frame that is the tool, by its name; "" where it is the robot's own."""
    links = [Frame(joint.name, joint.name) for joint in robot.joints]
    return next((x.name for x in (*robot.frames, *links) if (x.on, x.at) == (robot.tool_on, robot.tool)), "")


def base_body(robot: RobotDescription) -> Body | None:
    """The body of the base itself: of those that stand still the first, where it has the base link's name."""
    own = next(iter(robot.ground), None)
    return own.body if own is not None and not own.at and own.name == robot.origin.base_link else None


def tip_link(robot: RobotDescription) -> str:
    """The link, or the frame, whose frame the tool is, by the file's name; "" without a name or without a tool."""
    if not has_tool(robot):
        return ""
    on = robot.joints[robot.tool_row].link if robot.tool_row >= 0 else robot.origin.base_link
    held = (x.name for x in robot.frames if (x.on, x.at) == (robot.joints[robot.tool_row].name, robot.tool))
    return next(held, "" if robot.tool else on)


def with_load_on_row(robot: AnyRobot) -> AnyRobot:
    """The payload as something the tool's row carries."""
    if not robot.payload or robot.tool_row < 0:
        return replace(robot, payload=())
    ends = (end.removeprefix("_") for end in suffixes_of(robot).payload)
    held = tuple(Mounted(robot.tool, body, end) for body, end in zip(robot.payload, ends))
    row = robot.tool_row
    joints = tuple(replace(x, carries=x.carries + held) if i == row else x for i, x in enumerate(robot.joints))
    return replace(robot, joints=joints, payload=())


def has_own_frame(robot: RobotDescription) -> bool:
    """Whether a frame is meant when none is named: the tool, or the only one there is."""
    return has_tool(robot) or len(frame_names(robot)) == 1


def with_frame(robot: AnyRobot) -> AnyRobot:
    """The robot with the frame meant when none is named: its tool, or the only one there is."""
    if has_tool(robot):
        return robot
    names = frame_names(robot)
    if not has_own_frame(robot):
        raise InputError(
            Message(
                "{name} branches at {branching!r}; say which frame is meant: {names} and {listed} more",
                robot.name,
                first_branch(robot),
                ", ".join(map(repr, names[:SHOWN])),
                len(names) - SHOWN,
            )
            if len(names) > SHOWN
            else Message(
                "{name} branches at {branching!r}; say which frame is meant: {names}",
                robot.name,
                first_branch(robot),
                ", ".join(map(repr, names[:SHOWN])),
            )
        )
    return seen_at(robot, names[0])


def shown_frame(robot: RobotDescription) -> str:
    """The frame that a picture has for a tool where several could be meant: that of its tool's row, else the last;
    "" where there is no choice."""
    names = frame_names(robot)
    if has_own_frame(robot):
        return ""
    on = robot.joints[robot.tool_row]
    own = [x.name for x in robot.frames if x.on == on.name]
    return own[-1] if own else on.name if on.name in names else names[-1]


def road_joints(robot: RobotDescription) -> list[str]:
    """The moving joints on the way from the base to the tool."""
    return [robot.joints[row].name for row in road_rows(robot) if robot.joints[row].kind != "fixed"]


def road_coordinates(robot: RobotDescription) -> Coordinates:
    """The robot's coordinates, with the joints on the way from the base to the tool."""
    return robot.coordinates.of(road_joints(robot))


def road_rows(robot: RobotDescription) -> list[int]:
    """The rows from the base to the tool."""
    way, row = list[int](), robot.tool_row
    while row >= 0:
        way.append(row)
        row = robot.parents[row]
    return way[::-1]


def road_of(robot: AnyRobot) -> AnyRobot:
    """The serial arm from the base to the tool. What is beside it is left out: it moves no frame of the road."""
    refuse_loops(robot, "inverse_kinematics")
    robot = replace(robot, elements=()) if robot.elements else robot  # forces move no frame
    if in_rows(robot) and not robot.coordinates.followers:
        return robot
    if not road_joints(robot):
        raise InputError("{name}: no joint moves its tool", robot.name)
    joints = tuple(replace(robot.joints[row], parent=None) for row in road_rows(robot))
    if odd := next((joint for joint in joints if joint.coordinate is not None), None):
        raise InputError(
            "{name}: joint {name2!r} on the road to the tool has no coordinate of its own; no closed form "
            "knows joints that move together, mp.Arm(robot).inverse_kinematics solves them numerically",
            robot.name,
            odd.name,
        )
    return replace(robot, joints=joints, tool_on=None, frames=())


def base_bodies(robot: RobotDescription) -> list[Body]:
    """The bodies that are rigid with the base: its own, those beside it, of fixed rows on it, and a load there."""
    still = still_rows(robot)
    rows = [joint for joint in robot.joints if joint.name in still]
    carried = [mounted.body for joint in rows for mounted in joint.carries]
    own = [joint.body for joint in rows if joint.body is not None]
    held = robot.payload if robot.tool_row < 0 or robot.joints[robot.tool_row].name in still else ()
    return [*(mounted.body for mounted in robot.ground), *own, *carried, *held]


def refuse_massless_base(robot: RobotDescription) -> None:
    """A base that moves freely and weighs nothing has no acceleration of its own; a mass that is unknown is a mass."""
    if robot.moving == "free" and all(body.mass.value == ZERO for body in base_bodies(robot)):
        raise RobotFileError(
            "it moves freely and has no mass, so forces on it have no acceleration to give",
            file=robot.origin.path, where=Message("base {name!r}", robot.origin.base_link or "base"), field="mass",
            hint='give it mass, com and inertia, or write moving = "given"',
        )  # fmt: skip


def refuse_moving(robot: RobotDescription, what: str) -> None:
    """For those who want a base that stands still."""
    if robot.moving:
        raise InputError(
            "{name}: its base moves, and {what} is made for a base that stands still; read it with a fixed base",
            robot.name,
            what,
        )


def refuse_loops(robot: RobotDescription, what: str, instead: str = "") -> None:
    """Of what a robot whose chains close does not have; `instead` says what it has."""
    if robot.loops:
        instead = instead or INSTEAD.get(what, MADE_FOR_LOOPS)
        raise InputError("{robot}: {name} is not made for robots with loops; {instead}", robot.name, what, instead)


def refuse_elements(robot: RobotDescription, what: str) -> None:
    """Of what a robot with springs or dampers between two frames does not have."""
    if robot.elements:
        raise InputError("{robot}: {name} is not made for robots with two-point elements", robot.name, what)


def refuse_moving_loops(robot: RobotDescription, what: str) -> None:
    """Of what a robot with loops does not have where its base moves."""
    if robot.moving and robot.loops:
        raise InputError(
            "{robot}: {name} is not made for loops on a base that moves; {instead}", robot.name, what,
            MADE_FOR_MOVING_LOOPS,
        )  # fmt: skip


def refuse_branches(robot: RobotDescription, what: str, hint: str) -> None:
    """Raises where rows do not follow each other, a joint follows others, or the base moves."""
    if robot.moving:
        told = Message("its base moves")
        raise RobotFileError("{place}: {text}", told, what, file=robot.origin.path, hint=hint)
    if follow := robot.coordinates.followers:
        told = Message("joint {odd_joints!r} has no coordinate of its own", follow[0])
        raise RobotFileError("{told}: {what} of free joints", told, what, file=robot.origin.path, hint=hint)
    if in_rows(robot):
        return
    names = ["base", *(joint.name for joint in robot.joints)]
    rows = zip(robot.joints, robot.parents, range(-1, len(robot.joints)))
    odd = next(((joint, parent) for joint, parent, before in rows if parent != before), None)
    told = Message("the tool is on {names!r}", names[robot.tool_row + 1])
    if odd is not None:
        told = Message("joint {name!r} stands on {names!r}, not on the row before", odd[0].name, names[odd[1] + 1])
    raise RobotFileError("{place}: {text}", told, what, file=robot.origin.path, hint=hint)
