"""Loops that miss each other by the rounding of a file: the second frame of a cut is moved to where it meets the first.

A linkage in a plane closes only if its pins are parallel and its bars lie in one plane. A file of a drawing program has
ten digits of every length, and angles that are read as quarter turns: then the frames stay 1e-8 m apart across the
plane wherever the joints are, and no position closes the loop. Where Newton's method leaves such a gap, the frame is
moved by it; positions elsewhere must then close, or nothing is moved. Derived here.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import numpy as np

from manipula.errors import InputError, caution, some_of
from manipula.mechanics.models.closure.assembly import Array, NumericLinkage, starts_of
from manipula.mechanics.models.closure.constraint import seen_from_first
from manipula.mechanics.models.closure.position import is_geometry
from manipula.mechanics.robot.bind import Binding, free_parameters
from manipula.mechanics.robot.description import BASE, AnyRobot, Cell, Frame, RobotDescription, Step, StepKind, Steps
from manipula.mechanics.robot.loops import CutJoint
from manipula.mechanics.robot.reduce import merge_fixed
from manipula.mechanics.robot.suffixes import identifier_from_name
from manipula.mechanics.robot.topology import frame_meant
from manipula.mechanics.robot.values.parameter import number
from manipula.mechanics.spatial.floats import FLOATS

ROUNDED = 1e-6  # of a mechanism's size, and rad: what rounding leaves open
STARTS = 8
SHIFTS: tuple[StepKind, ...] = ("tx", "ty", "tz")
TURNS: tuple[StepKind, ...] = ("rx", "ry", "rz")


def close_rounded_loops(robot: AnyRobot) -> AnyRobot:
    """The robot, its cuts moved by what rounding leaves open, with a warning; one whose loops close, or are far from
    it, is left as it is."""
    if not robot.loops or any(is_geometry(robot, name) for name in free_parameters(robot)):
        return robot
    linkage = _linkage(robot)
    starts = starts_of(robot)
    nearest, gap = np.zeros(linkage.n), np.inf
    for start in islice(linkage.starts(starts, STARTS, np.random.default_rng(0), 0.25), STARTS):
        q = linkage.newton(start, range(linkage.n))
        if linkage.is_closed(q):
            return robot
        if linkage.gap(q) < gap:
            nearest, gap = q, linkage.gap(q)
    if not gap <= ROUNDED * max(linkage.size, 1.0):
        return robot
    moved = _moved(robot, linkage, nearest)
    try:
        _linkage(moved).closed_positions([nearest], near=0.1)
    except InputError:
        return robot
    caution(
        "{robot}: its loops ({names}) stay {gap:.2g} m or rad apart, as rounded numbers leave them: their second "
        "frames are moved by that; exact=True keeps them",
        robot.name, some_of([loop.name for loop in robot.loops]), gap,
    )  # fmt: skip
    return moved


def _linkage(robot: RobotDescription) -> NumericLinkage:
    numbers = dict.fromkeys(free_parameters(robot), 0.0)
    return NumericLinkage(robot.name, merge_fixed(Binding(robot).over(FLOATS, numbers)), robot.motor_coordinates)


def _moved(robot: AnyRobot, linkage: NumericLinkage, q: Array) -> AnyRobot:
    """Every second frame where its loop closes at q."""
    frames, loops = {frame.name: frame for frame in robot.frames}, list(robot.loops)
    joints = linkage.of.spread([float(x) for x in q])
    for k, (loop, cut) in enumerate(zip(robot.loops, linkage.tree.cuts, strict=True)):
        pose = seen_from_first(linkage.tree, cut, joints).pose
        R, p = np.array(pose.R, dtype=float), np.array(pose.p, dtype=float)
        turn, shift = _wanted(cut.joint, R, p)
        name = loop.joins[1]
        old = frames.get(name) or (Frame(BASE, BASE) if name == BASE else frame_meant(robot, name))
        if name not in frames:
            name = f"{loop.name}_end"
            loops[k] = replace(loop, joins=(loop.joins[0], name))
        frames[name] = Frame(name, old.on, old.at + _steps(name, R.T @ (shift - p), R.T @ turn))
    return replace(robot, frames=tuple(frames.values()), loops=tuple(loops))


def _wanted(joint: CutJoint, R: Array, p: Array) -> tuple[Array, Array]:
    """The second frame seen from the first where the cut holds them together: its axes, its origin."""
    shift = np.array([0.0 if k in joint.lines else p[k] for k in range(3)])
    if len(joint.turns) == 3:
        return np.eye(3), shift
    if len(joint.turns) == 2:
        a = ({0, 1, 2} - set(joint.turns)).pop()
        b, c = (a + 1) % 3, (a + 2) % 3
        angle = np.arctan2(R[c, b] - R[b, c], R[b, b] + R[c, c])
        turned = np.eye(3)
        turned[np.ix_([b, c], [b, c])] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
        return turned, shift
    return R, shift


def _steps(name: str, shift: Array, turn: Array) -> Steps:
    """A shift and a small turn."""
    end = identifier_from_name(name)
    angles = (turn[2, 1] - turn[1, 2]) / 2, (turn[0, 2] - turn[2, 0]) / 2, (turn[1, 0] - turn[0, 1]) / 2
    amounts = [*zip(SHIFTS, shift), *zip(TURNS, angles)]
    return tuple(Step(kind, Cell(f"{kind}_{end}_moved", number(float(x)))) for kind, x in amounts if abs(x) > 0)
