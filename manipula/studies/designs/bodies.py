"""A robot whose design is open: lengths and other entries as letters, beams as long as these, motors that ride on the
links, a load in the hand. All of it is written as a robot file could have it, so that one model serves every design.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from manipula.errors import InputError, ManipulaWarning
from manipula.mechanics.robot.description import Body, Cell, Frame, Joint, Mounted, Step, Steps, changed
from manipula.mechanics.robot.suffixes import suffixes_of
from manipula.mechanics.robot.values.parameter import Name, Parameter, ParameterOp, negated, text_of
from manipula.robot import Robot

HELD = ("held_mass", "held_x", "held_y", "held_z")  # the load in the hand
PLACED = "placed_here"  # the frame that a body is put into, gone afterwards


def motor_mass(joint: int) -> str:
    """The letter of the mass of a joint's motor; joints count from 1."""
    return f"motor_mass_{joint}"


def lettered(robot: Robot, names: Sequence[str]) -> Robot:
    """The robot with these parameters open: names of its file without their values, cells as names of their own."""
    written = {*robot.names(), *dict(robot.values)}
    cells = {name: name for name in names if name not in written}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ManipulaWarning)
        found = robot.with_parameters(**cells) if cells else robot
    return replace(found, values=tuple((name, value) for name, value in found.values if name not in names))


# bodies


def with_held(robot: Robot) -> Robot:
    """A load of any mass at any place in the hand."""
    return robot.with_payload(HELD[0], com=HELD[1:])


def with_motors(robot: Robot, masses: Mapping[int, float | str]) -> Robot:
    """The motor of a joint, by number from 1, as a point on the link before, where the joint is. On the base it loads
    nothing, and is left out."""
    for joint, mass in masses.items():
        row = _row(robot, joint)
        if not _stands_still(robot, row):
            on = robot.joints[robot.parents[row]].name
            robot = _carrying(robot, f"motor{joint}", on, robot.joints[row].before, mass, (0, 0, 0), None)
    return robot


def moved_motors(robot: Robot) -> list[int]:
    """The joints, from 1, whose motors are moved by others."""
    return [k for k in range(1, robot.dof + 1) if not _stands_still(robot, _row(robot, k))]


def _row(robot: Robot, joint: int) -> int:
    return [x.name for x in robot.joints].index(robot.joint_names[joint - 1])


def _stands_still(robot: Robot, row: int) -> bool:
    """Whether nothing moves what the row stands on."""
    at = robot.parents[row]
    while at >= 0:
        if robot.joints[at].kind != "fixed":
            return False
        at = robot.parents[at]
    return True


def with_beams(robot: Robot, beams: Mapping[str, float]) -> Robot:
    """A slender, even beam of so many kg/m along every entry that is one of these lengths."""
    for letter, density in beams.items():
        found = list(_along(robot, letter))
        if not found:
            raise InputError(
                "beam: {letter}: no row of {name} has this length as its a, d or a shift between its joints",
                letter,
                robot.name,
            )
        for row, at, axis, amount in found:
            if row >= 0 and not (robot.joints[row].kind == "fixed" and _stands_still(robot, row)):
                robot = _with_beam(robot, robot.joints[row].name, at, axis, amount, (letter, density))
    return robot


def _with_beam(robot: Robot, on: str, at: Steps, axis: int, amount: Parameter, beam: tuple[str, float]) -> Robot:
    """m = ρ·l in the middle, ρ·l³/12 about the axes across it."""
    letter, density = beam
    com = ["0", "0", "0"]
    com[axis] = f"({text_of(amount)})/2"
    across = {key: f"{density!r}*{letter}**3/12" for k, key in enumerate(("xx", "yy", "zz")) if k != axis}
    return _carrying(robot, f"beam_{letter}", on, at, f"{density!r}*{letter}", com, across)


def _along(robot: Robot, letter: str) -> Iterator[tuple[int, Steps, int, Parameter]]:
    """Row that carries it, where it begins (seen from the row's frame), axis, and how far it goes along it."""
    for row, joint in enumerate(robot.joints):
        for k in _shifts(joint.before, letter):
            step = joint.before[k]
            yield robot.parents[row], joint.before[:k], _axis(step), step.amount.parameter
        for k in _shifts(joint.after, letter):
            step = joint.after[k]
            yield row, _back(joint, k + 1), _axis(step), negated(step.amount.parameter)


def _shifts(steps: Steps, letter: str) -> list[int]:
    own = Name(letter)
    return [
        k for k, x in enumerate(steps) if x.kind[0] == "t" and x.amount.parameter in (own, ParameterOp("neg", (own,)))
    ]


def _axis(step: Step) -> int:
    return "xyz".index(step.kind[1])


def _back(joint: Joint, first: int) -> Steps:
    """From the frame after all steps back to where the first of these begins."""
    return tuple(
        Step(x.kind, Cell(f"{x.amount.name}_back", negated(x.amount.parameter))) for x in reversed(joint.after[first:])
    )


def _carrying(
    robot: Robot,
    label: str,
    on: str,
    at: Steps,
    mass: float | str,
    com: Sequence[float | str],
    inertia: Mapping[str, float | str] | None,
) -> Robot:
    """A body at some steps from a row's frame."""
    frame = Frame(PLACED, on, _shifts_first(at))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ManipulaWarning)
        held = replace(robot, frames=(*robot.frames, frame)).with_payload(mass, com=com, inertia=inertia, frame=PLACED)
    return _relabelled(replace(held, frames=robot.frames), on, label)


def _relabelled(robot: Robot, on: str, label: str) -> Robot:
    """The last body that a row carries under another name, its cells, too."""
    row = [joint.name for joint in robot.joints].index(on)
    *others, last = robot.joints[row].carries

    def carrying(mounted: Mounted) -> Robot:
        there = replace(robot.joints[row], carries=(*others, mounted))
        return replace(robot, joints=(*robot.joints[:row], there, *robot.joints[row + 1 :]))

    before = suffixes_of(robot).carried[row][-1]
    after = suffixes_of(carrying(replace(last, name=label))).carried[row][-1]
    body: Body = changed(last.body, lambda cell: Cell(cell.name.removesuffix(before) + after, cell.value))
    return carrying(Mounted(last.at, body, label))


def _shifts_first(steps: Steps) -> Steps:
    """A turn and a shift about one axis may change places; files have shifts before turns."""
    found = list(steps)
    for k in range(len(found)):
        while k and found[k].kind[0] == "t" and found[k - 1].kind == f"r{found[k].kind[1]}":
            found[k - 1 : k + 1] = found[k], found[k - 1]
            k -= 1
    return tuple(found)
