"""What is said of a task that leaves joints free, and of a target that is out of reach."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from manipula.ik.messages import ROUNDED, position_text
from manipula.ik.numeric.arrays import Bits, Floats
from manipula.ik.numeric.tolerances import SearchTolerance
from manipula.ik.partial.freedom import Freedom
from manipula.messages import Message

AWAY = "{distance} mm away"
MOVED = {"position": "the tool's origin", "axis": "the tool's origin or its z axis"}


def note_text(task: str, freedom: Freedom, q: Floats, turning: Bits) -> str:
    """Which joints are free, why, and where they are; nothing where none is."""
    parts = []
    if freedom.idle:
        does = "does" if len(freedom.idle) == 1 else "do"
        free = f"free, {_places(freedom.idle, q, turning)}"
        parts.append(f"{_joints(freedom.idle)} {does} not move {MOVED[task]}: {free}")
    if freedom.held:
        parts.append(f"redundant: {_joints(freedom.held)} held {_places(freedom.held, q, turning)}")
    return "; ".join(parts)


def _joints(joints: Sequence[int]) -> str:
    names = [str(k + 1) for k in joints]
    return f"joint {names[0]}" if len(names) == 1 else f"joints {', '.join(names[:-1])} and {names[-1]}"


def _places(joints: Sequence[int], q: Floats, turning: Bits) -> str:
    return "at " + ", ".join(position_text(float(q[k]), bool(turning[k])) for k in joints)


def away_text(task: str, target: Floats, at: Floats) -> str:
    """How far apart two targets are: mm, and degrees between the z axes."""
    distance = round(1000 * float(np.linalg.norm(target[:3, 3] - at[:3, 3])), ROUNDED)
    away = AWAY.format(distance=f"{distance:.4g}")
    if task == "position":
        return away
    cross = np.linalg.norm(np.cross(target[:3, 2], at[:3, 2]))
    return Message(
        "{away}, its z axis turned by {degrees:.4g}°",
        away,
        np.degrees(np.arctan2(cross, float(target[:3, 2] @ at[:3, 2]))),
    )


def reason_text(
    task: str, target: Floats, at: Floats, distance: float, plane: tuple[Floats, float] | None, rejected: str
) -> str:
    """Why the nearest is not the target itself. `rejected`: the limits that keep the arm from a solution there is."""
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
    return Message(
        (
            "out of reach: the nearest point is {away_text}"
            if task == "position"
            else "out of reach: the nearest place is {away_text}"
        ),
        away,
    )
