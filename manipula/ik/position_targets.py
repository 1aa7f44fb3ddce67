"""The door of the tasks that leave something free: what a caller calls a target, as poses with the rest at rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from manipula.errors import InputError
from manipula.ik.numeric.arrays import Bits, Floats, Kinematics
from manipula.ik.numeric.poses import checked_poses, rank_of, scale_jacobian
from manipula.ik.numeric.tolerances import PartialTolerance, SearchTolerance
from manipula.ik.solver import ROUNDED, position_text
from manipula.mechanics.robot.tree import Link, Tree, in_series
from manipula.mechanics.spatial.placement import HERE
from manipula.messages import Message, join_messages

FORMS = {
    "position": Message("three numbers x y z, or a 4×4 pose whose position counts"),
    "axis": Message("a 4×4 pose whose position and z axis count, or six numbers x y z and the direction of the z axis"),
}


def targets_from_value(
    task: str, value: ArrayLike, height: float | None = None, tolerance: float | None = None
) -> Floats:
    """(…, 4, 4), with nothing in it that does not count: see `mask_pose`. `height`: the z of an arm that keeps it."""
    try:
        array = np.asarray(value, dtype=float)
    except (ValueError, TypeError) as problem:
        raise InputError("target: expected {forms}, found {name}", FORMS[task], type(value).__name__) from problem
    if array.shape[-2:] == (4, 4):
        return mask_pose(task, checked_poses(np.ascontiguousarray(array), tolerance))
    if not np.isfinite(array).all():
        raise InputError("target: {array} is not a finite number", array[~np.isfinite(array)][0])
    if task == "position" and array.ndim and array.shape[-1] == 2:
        array = _with_height(array, height)
    if array.ndim and array.shape[-1] == {"position": 3, "axis": 6}[task]:
        return mask_pose(task, _poses(array))
    raise InputError("target: expected {forms}, found an array of shape {shape}", FORMS[task], array.shape)


def _with_height(flat: Floats, height: float | None) -> Floats:
    """(x, y) of an arm that moves in a plane z = c."""
    if height is None:
        raise InputError("target: two numbers x y are enough only for an arm that moves in a plane z = constant")
    return np.concatenate([flat, np.full((*flat.shape[:-1], 1), height)], axis=-1)


def _poses(rows: Floats) -> Floats:
    """From points, and directions where there are any."""
    T = np.zeros((*rows.shape[:-1], 4, 4))
    T[...] = np.eye(4)
    T[..., :3, 3] = rows[..., :3]
    if rows.shape[-1] > 3:
        length = np.linalg.norm(rows[..., 3:], axis=-1, keepdims=True)
        if not (length > 0).all():
            raise InputError("target: the direction of the z axis is 0 0 0")
        T[..., :3, 2] = rows[..., 3:] / length
    return T


def mask_pose(task: str, T: Floats) -> Floats:
    """What does not count is that of the identity ("position") or nothing ("axis": the x and y axes)."""
    kept = T.copy()
    if task == "position":
        kept[..., :3, :3] = np.eye(3)
    else:
        kept[..., :3, :2] = 0
    return kept


def complete_pose(T: Floats, roll: float = 0.0) -> Floats:
    """A whole pose from one with a z axis alone: some x axis, turned by `roll` about z."""
    z = T[..., :3, 2]
    # the axis further from z: their cross product then has length 0.7 at least
    other = np.where(np.abs(z[..., :1]) < 0.7, [1.0, 0, 0], [0, 1.0, 0])
    y = np.cross(z, other)
    y = y / np.linalg.norm(y, axis=-1, keepdims=True)
    x = np.cross(y, z)
    whole = T.copy()
    whole[..., :3, 0] = np.cos(roll) * x + np.sin(roll) * y
    whole[..., :3, 1] = np.cos(roll) * y - np.sin(roll) * x
    return whole


# Which joints a task needs: those that move what counts, as many as it has conditions; the others are held.
#
# A last turning joint whose axis passes through the tool's origin does not move the origin; nor does one about the
# tool's
# z axis move that axis. Of the joints that do move what counts, those nearest to the base are used, the others held.

TRIALS = 6  # random configurations that show what joints can do


@dataclass(frozen=True)
class Freedom:
    """`used` are solved for; `idle` do not matter to the task; `held` do, but there are more than it needs."""

    used: tuple[int, ...]
    idle: tuple[int, ...]
    held: tuple[int, ...]
    rank: int

    @property
    def free(self) -> tuple[int, ...]:
        return tuple(sorted((*self.idle, *self.held)))


def freedom(jacobian: Kinematics, turning: Bits, size: float) -> Freedom:
    """From what the task's own derivative shows at random configurations."""
    rng = np.random.default_rng(17)
    dof = len(turning)
    J = jacobian(rng.uniform(-2.5, 2.5, (TRIALS, dof)) * np.where(turning, 1.0, 0.3 * size))
    J = scale_jacobian(J, turning, size)
    rank = rank_of(J)
    moving = [k for k in range(dof) if np.abs(J[:, :, k]).max() > PartialTolerance.SLIGHT]
    # nearest to the base first: those carry the others, and the wrist stays as it is
    used = next((some for some in combinations(moving, rank) if rank_of(J[:, :, list(some)]) == rank), ())
    idle = tuple(k for k in range(dof) if k not in moving)
    return Freedom(tuple(used), idle, tuple(k for k in moving if k not in used), rank)


def freeze_joints(chain: Tree, values: Mapping[int, float]) -> Tree:
    """The arm with some joints at rest: their motions become part of what follows."""
    links: list[Link] = []
    carry = HERE
    for k, link in enumerate(chain.links):
        before = carry @ link.before
        if k in values:
            carry = before @ link.motion(values[k], chain.maths) @ link.after
        else:
            links.append(replace(link, before=before))
            carry = HERE
    return replace(chain, links=in_series(links), tool=carry @ chain.tool)


def middle(low: Floats, high: Floats) -> Floats:
    """Where joints stand that nobody has placed: in the middle of their limits, at 0 without any."""
    both = np.isfinite(low) & np.isfinite(high)
    centre = np.where(both, (np.where(both, low, 0) + np.where(both, high, 0)) / 2, 0.0)
    return np.clip(centre, low, high)


# What is said of a task that leaves joints free, and of a target that is out of reach.

AWAY = "{distance} mm away"
MOVED = {"position": "the tool's origin", "axis": "the tool's origin or its z axis"}


def note_text(task: str, freedom: Freedom, q: Floats, turning: Bits) -> str:
    """Which joints are free, why, and where they are; nothing where none is."""
    parts: list[str] = []
    if freedom.idle:
        one = len(freedom.idle) == 1
        said = (_joints(freedom.idle), Message(MOVED[task]), _places(freedom.idle, q, turning))
        parts.append(
            Message("{joints} does not move {moved}: free, at {places}", *said)
            if one
            else Message("{joints} do not move {moved}: free, at {places}", *said)
        )
    if freedom.held:
        parts.append(Message("redundant: {joints} held at {places}", _joints(freedom.held),
                             _places(freedom.held, q, turning)))  # fmt: skip
    return join_messages("; ", parts)


def _joints(joints: Sequence[int]) -> str:
    *most, last = [str(k + 1) for k in joints]
    return Message("joints {most} and {last}", ", ".join(most), last) if most else Message("joint {number}", last)


def _places(joints: Sequence[int], q: Floats, turning: Bits) -> str:
    return join_messages(", ", (position_text(float(q[k]), bool(turning[k])) for k in joints))


def away_text(task: str, target: Floats, at: Floats) -> str:
    """How far apart two targets are: mm, and degrees between the z axes."""
    distance = round(1000 * float(np.linalg.norm(target[:3, 3] - at[:3, 3])), ROUNDED)
    away = Message(AWAY, f"{distance:.4g}")
    if task == "position":
        return away
    cross = np.linalg.norm(np.cross(target[:3, 2], at[:3, 2]))
    return Message(
        "{away}, its z axis turned by {degrees:.4g}°",
        away,
        np.degrees(np.arctan2(cross, float(target[:3, 2] @ at[:3, 2]))),
    )


def reason_text(
    task: str, target: Floats, at: Floats, distance: float, plane: tuple[Floats, float] | None, rejected: str,
    free: bool,
) -> str:  # fmt: skip
    """Why the nearest is not the target itself. `rejected`: the limits that keep the arm from a solution there is;
    `free`: branches leave joints where they are, and the nearest moves them, too."""
    if distance <= SearchTolerance.REACHED:
        return (
            Message("reached when the free joints may move; where they are, {rejected}", rejected)
            if rejected
            else Message("reached")
        )
    away = away_text(task, target, at)
    if rejected:
        return Message("within reach, but {rejected}; the nearest inside the limits is {away_text}", rejected, away)
    off = 0.0 if plane is None else abs(float(plane[0] @ target[:3, 3]) - plane[1])
    if off > SearchTolerance.REACHED:
        return Message(
            "out of reach: the tool moves in a plane, {plane_text:.4g} mm from the target; the nearest "
            "point is {away_text}",
            1000 * off,
            away,
        )
    if free:
        away = Message("{away} when the free joints move, too", away)
    return Message(
        (
            "out of reach: the nearest point is {away_text}"
            if task == "position"
            else "out of reach: the nearest place is {away_text}"
        ),
        away,
    )
