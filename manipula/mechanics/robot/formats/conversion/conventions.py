"""One arm, another convention: standard and modified Denavit–Hartenberg tables, URDF.

Every conversion keeps the torques as functions of q and the pose of the tool. Between the two tables it only regroups:
what a standard row holds behind its joint, the next modified row holds before its own. Symbols stay symbols, and the
bodies are rewritten in the new link frames. A robot of any other shape needs numbers, and goes by common normals.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from manipula.errors import UnknownNameError
from manipula.mechanics.robot.actuator import Actuator
from manipula.mechanics.robot.bodies import move_body, needed_names
from manipula.mechanics.robot.description import BASE, Body, Cell, Frame, Joint, Mounted, RobotDescription, Step, Steps
from manipula.mechanics.robot.exact import gather_steps, inverse_of, total, without_zeros
from manipula.mechanics.robot.formats.entry_checks import told_apart
from manipula.mechanics.robot.formats.rows import (
    PLACEMENT,
    Convention,
    Row,
    placement_from_steps,
    row_from_joint,
    split_row,
)
from manipula.mechanics.robot.formats.urdf.links import ACTUATOR, links_from_robot
from manipula.mechanics.robot.formats.urdf.read import GRAVITY, robot_from_links
from manipula.mechanics.robot.joints import KINDS
from manipula.mechanics.robot.precise import placement, round_to_decimal, steps_from_placement, values_of
from manipula.mechanics.robot.reduce import Zone, take, take_last, zone_from_steps, zone_in_numbers
from manipula.mechanics.robot.suffixes import identifier_from_name, suffixes_of
from manipula.mechanics.robot.topology import refuse_branches, refuse_elements, refuse_loops, still_rows
from manipula.mechanics.robot.values.parameter import Name, names_of
from manipula.messages import Message

TARGETS = ("standard", "modified", "urdf")
_OF_A_ROW = re.compile(r"(a|alpha)([0-9]+|_\w+)?")
_FROM_A_ROW = re.compile(r"(base|tool)_(a|alpha)")


def convert(robot: RobotDescription, target: str) -> RobotDescription:
    """The robot in another convention: "standard", "modified" or "urdf"."""
    refuse_loops(robot, "convert")
    match target:
        case "standard":
            return to_standard(robot)
        case "modified":
            return to_modified(robot)
        case "urdf":
            refuse_elements(robot, "convert")  # frames of a URDF that no joint moves have no names of their own
            return to_urdf(robot)
    raise UnknownNameError("convention", target, TARGETS)


def to_standard(robot: RobotDescription) -> RobotDescription:
    """Rows Rz(theta) Tz(d) Tx(a) Rx(alpha)."""
    return _regroup_rows(robot, "standard")


def to_modified(robot: RobotDescription) -> RobotDescription:
    """Rows Rx(alpha) Tx(a) Rz(theta) Tz(d)."""
    return _regroup_rows(robot, "modified")


def to_urdf(robot: RobotDescription) -> RobotDescription:
    """Link frames on the joints, as URDF has them; what URDF cannot hold is kept from the robot."""
    read = robot_from_links(
        links_from_robot(robot), [], "urdf", GRAVITY, base=None, tip=None, exact=True, file="", locked=None
    )
    given = {joint.name: joint for joint in robot.joints}
    joints = tuple(
        replace(row, actuator=_with_drive(given[row.name].actuator, row.actuator)) if row.name in given else row
        for row in read.joints
    )
    origin = replace(robot.origin, convention="urdf")
    base = read.joints[0].name if robot.base else BASE  # a URDF has a link of the world before it
    rows = still_rows(robot)
    still = (replace(x, on=x.on or base) for x in robot.frames if x.on in rows)
    kept = replace(read, joints=joints, gravity=robot.gravity, origin=origin, named_poses=robot.named_poses)
    kept = replace(kept, frames=(*read.frames, *still))
    used = needed_names(kept, dict(robot.values))
    return told_apart(replace(kept, values=tuple(value for value in robot.values if value[0] in used)))


def _with_drive(given: Actuator[Cell], read: Actuator[Cell]) -> Actuator[Cell]:
    """The actuator that was given, with the numbers that a URDF holds as it holds them."""
    return given.with_entries({letters: read[letters] for letters in ACTUATOR})


@dataclass(frozen=True)
class _Split:
    """The chain cut at its axes: zone i stands before row i+1, the last one behind the last row."""

    robot: RobotDescription
    zones: tuple[Zone, ...]
    base: Steps
    tool: Steps
    in_numbers: bool


def _elements_on_frames(robot: RobotDescription) -> RobotDescription:
    """The ends of two-point elements that are frames of links, as frames of their own: the links' frames will move."""
    own, names = {frame.name for frame in robot.frames}, [joint.name for joint in robot.joints]
    ends = dict.fromkeys(name for element in robot.elements for name in element.joins if name not in own)
    called = {name: f"end on {name}" for name in ends if name in names}
    frames = tuple(Frame(new, name) for name, new in called.items())
    elements = tuple(
        replace(x, joins=(called.get(x.joins[0], x.joins[0]), called.get(x.joins[1], x.joins[1])))
        for x in robot.elements
    )
    return replace(robot, frames=(*robot.frames, *frames), elements=elements) if called else robot


def _regroup_rows(robot: RobotDescription, convention: Convention) -> RobotDescription:
    refuse_branches(
        robot,
        Message("a Denavit-Hartenberg table is a serial arm"),
        Message("save it as TOML or URDF, which hold trees"),
    )
    if all(row_from_joint(joint, convention) for joint in robot.joints):
        return replace(robot, origin=replace(robot.origin, convention=convention))
    robot = _elements_on_frames(robot)
    # fixed rows of a table are rows of the other table too; those of a URDF only place frames
    split = _split(weld_fixed_rows(robot) if robot.origin.convention == "urdf" else robot, convention)
    rows = [_row(split, index, convention) for index in range(len(split.robot.joints))]
    regrouped = replace(
        split.robot,
        joints=tuple(rows),
        base=_placement(split.base, "base_{}", "base"),
        tool=_placement(split.tool, "tool_{}", "tool"),
        frames=_frames(split, convention),
        ground=_ground(split),
        origin=replace(robot.origin, convention=convention),
    )
    return told_apart(regrouped)


def _way_to_old_base(split: _Split) -> Steps:
    return inverse_of(split.base) + without_zeros(split.robot.base)


def _ground(split: _Split) -> tuple[Mounted, ...]:
    """The bodies that stand still, seen from the new base frame."""
    way, ends = _way_to_old_base(split), suffixes_of(split.robot).ground
    return tuple(replace(x, at=_placement(way + x.at, f"{{}}{end}")) for x, end in zip(split.robot.ground, ends))


def _split(robot: RobotDescription, convention: Convention) -> _Split:
    zones = [zone_from_steps(steps) for steps in _between(robot)]
    in_numbers = None in zones
    if in_numbers:
        robot = weld_fixed_rows(robot)
        amounts = (step.amount.parameter for steps in _between(robot) for step in steps)
        values = values_of(robot, Message("a Denavit–Hartenberg table of this robot"), amounts)
        zones = [zone_from_steps(steps) or zone_in_numbers(steps, values) for steps in _between(robot)]
    base, first = _first(robot, convention)
    last, tool = _last(robot, convention)
    return _Split(robot, (first, *(zone for zone in zones if zone), last), base, tool, in_numbers)


def _between(robot: RobotDescription) -> list[Steps]:
    return [behind.after + ahead.before for behind, ahead in zip(robot.joints, robot.joints[1:])]


def _first(robot: RobotDescription, convention: Convention) -> tuple[Steps, Zone]:
    """What the first row can hold of the way to its axis; the rest is the base's."""
    rest, trail = take_last(gather_steps(robot.joints[0].before), "z")
    if convention == "standard":
        return without_zeros(robot.base) + rest, Zone((), (), trail)
    rest, across = take_last(rest, "x")
    base = without_zeros(robot.base)
    if not across and not rest:
        base, across = _split_earlier_conversion(base[::-1])
        base, across = base[::-1], across[::-1]
    return base + rest, Zone((), across, trail)


def _last(robot: RobotDescription, convention: Convention) -> tuple[Zone, Steps]:
    """What the last row can hold of the way to the tool; the rest is the tool's."""
    lead, rest = take(gather_steps(robot.joints[-1].after), "z")
    if convention == "modified":
        return Zone(lead, (), ()), rest + without_zeros(robot.tool)
    across, rest = take(rest, "x")
    tool = without_zeros(robot.tool)
    if not across and not rest:
        tool, across = _split_earlier_conversion(tool)
    return Zone(lead, across, ()), rest + tool


def _split_earlier_conversion(steps: Steps) -> tuple[Steps, Steps]:
    """(the rest, what an earlier conversion had put here from a row): so that there and back is where it was."""
    across, _ = take(steps, "x")
    across = across[:2] if all(_FROM_A_ROW.fullmatch(step.amount.name) for step in across[:2]) else ()
    return steps[len(across) :], across


def _row(split: _Split, index: int, convention: Convention) -> Joint:
    """Row index+1 in its new form, its bodies in its new frame."""
    joint, behind, ahead = split.robot.joints[index], split.zones[index], split.zones[index + 1]
    across = ahead.across if convention == "standard" else behind.across
    field = KINDS[joint.kind].field
    turns = _amounts(behind.trail + ahead.lead, "rz") + ([joint.offset] if field == "theta" else [])
    shifts = _amounts(behind.trail + ahead.lead, "tz") + ([joint.offset] if field == "d" else [])
    ends = suffixes_of(split.robot)
    end = ends.rows[index]
    row = Row(
        _rename_cell(turns, f"theta{end}"),
        _rename_cell(shifts, f"d{end}"),
        _rename_cell(_amounts(across, "tx"), f"a{end}"),
        _rename_cell(_amounts(across, "rx"), f"alpha{end}"),
    )
    before, offset, after = split_row(row, joint.kind, convention, end)
    at = _way_to_old(split, index, convention)
    body = None if joint.body is None else move_body(joint.body, at)
    if body is not None and split.in_numbers:
        body = _evaluate_nameless(body)
    carries = tuple(
        replace(mounted, at=_placement(at + mounted.at, f"{{}}{suffix}"))
        for mounted, suffix in zip(joint.carries, ends.carried[index])
    )
    return replace(joint, before=before, offset=offset, after=after, body=body, carries=carries, link="")


def _way_to_old(split: _Split, index: int, convention: Convention) -> Steps:
    """From the new frame of a row's link to the old one."""
    ahead = split.zones[index + 1]
    frame = ahead.lead + (ahead.across if convention == "standard" else ())
    return gather_steps(inverse_of(frame) + split.robot.joints[index].after)


def _frames(split: _Split, convention: Convention) -> tuple[Frame, ...]:
    """The frames by name, each seen from the new frame of its row."""
    rows = {joint.name: index for index, joint in enumerate(split.robot.joints)}
    ways = {name: _way_to_old(split, index, convention) for name, index in rows.items()}
    ways[BASE] = _way_to_old_base(split)
    frames = split.robot.frames
    return tuple(
        replace(x, at=_placement(ways[x.on] + x.at, f"{identifier_from_name(x.name) or 'frame'}_{{}}")) for x in frames
    )


def _amounts(steps: Steps, kind: str) -> list[Cell]:
    return [step.amount for step in steps if step.kind == kind]


def _rename_cell(cells: Iterable[Cell], name: str) -> Cell:
    """One cell under the automatic name of its new row; an unknown keeps its own symbol."""
    cell = total(cells, name)
    return Cell(name, None if cell.parameter == Name(name) else cell.parameter)


def _evaluate_nameless(body: Body) -> Body:
    """Trees without a name become decimals: only numbers can come of them."""

    def settle(cell: Cell) -> Cell:
        return cell if cell.value is None else Cell(cell.name, round_to_decimal(cell.value))

    x, y, z = map(settle, body.centre)
    xx, xy, xz, yy, yz, zz = map(settle, body.inertia)
    return replace(body, centre=(x, y, z), inertia=(xx, xy, xz, yy, yz, zz))


def _placement(steps: Steps, name: str, mark: str = "") -> Steps:
    """A base, a tool or the place of a carried body, in the order xyz, rpy wherever numbers allow it.

    `name` has a place for x y z roll pitch yaw. Cells that a row held take such names too, for the row's own are those
    of its new entries; under `mark`, a and alpha can be known again (see `_split_earlier_conversion`).
    """
    steps = gather_steps(steps)
    if placement_from_steps(steps) or any(True for step in steps for _ in names_of(step.amount.parameter)):
        return tuple(_rename_steps(steps, name, mark))
    names = {kind: name.format(field) for field, kind in PLACEMENT}
    return steps_from_placement(placement(steps, {}), names)


def _rename_steps(steps: Steps, name: str, mark: str) -> Iterator[Step]:
    fields, seen = {kind: field for field, kind in PLACEMENT}, Counter[str]()
    for step in steps:
        seen[step.kind] += 1
        count = "" if seen[step.kind] == 1 else str(seen[step.kind])
        held = _OF_A_ROW.fullmatch(step.amount.name) if mark and not count else None
        own = f"{mark}_{held[1]}" if held else name.format(fields[step.kind] + count)
        kept = mark and _FROM_A_ROW.fullmatch(step.amount.name)
        yield step if kept else Step(step.kind, _rename_cell([step.amount], own))


def weld_fixed_rows(robot: RobotDescription) -> RobotDescription:
    """A serial arm without fixed rows: their placements join what follows, their bodies are carried by the link before,
    or stand still; so do frames on them."""
    joints, ground = list[Joint](), list(robot.ground)
    gap: Steps = ()
    stands: dict[str, tuple[str, Steps]] = {BASE: (BASE, ())}  # row → the row that moves it, and the way from there
    for joint in robot.joints:
        if joint.kind != "fixed":
            joints.append(replace(joint, before=gap + joint.before, parent=None))
            gap, stands[joint.name] = (), (joint.name, ())
            continue
        gap = gap + joint.before + joint.after
        stands[joint.name] = joints[-1].name if joints else BASE, gap
        own = () if joint.body is None else (Mounted(gap, joint.body, joint.name),)
        held = own + tuple(replace(mounted, at=gap + mounted.at) for mounted in joint.carries)
        if joints:
            joints[-1] = replace(joints[-1], carries=joints[-1].carries + held)
        else:
            ground += held
    frames = tuple(replace(x, on=stands[x.on][0], at=stands[x.on][1] + x.at) for x in robot.frames)
    tool, still = gap + robot.tool, tuple(ground)
    return replace(robot, joints=tuple(joints), tool=tool, tool_on=None, frames=frames, ground=still)
