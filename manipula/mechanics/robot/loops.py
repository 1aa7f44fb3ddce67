"""Loops: two frames of a robot that a joint holds together, cut open so that the rest is a tree.

A loop names its two frames and what the cut joint leaves free; the other motions of frame b seen from frame a are
blocked. With pose_a_b = (R, p) and the relative twist (v, ω) in the axes of a, taken at the origin of b:

| free           | the cut joint                 | blocked                                            |
|----------------|-------------------------------|----------------------------------------------------|
| "z"            | turns about z of both         | v, and ω across z                                  |
| "slide z"      | slides along z of a           | v across z, and ω                                  |
| "ball"         | turns about its point         | v                                                  |
| "universal xz" | turns about x of a and z of b | v, and ω along x_a × z_b                           |
| ""             | none: the frames are welded   | v and ω                                            |

Every axis may be x, y or z.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from manipula.messages import Message

AXES = "xyz"
WORDS = Message('"z", "slide z", "ball", "universal xz" or "" (welded); every axis may be x, y or z')
_FREE = re.compile(r"(?P<turn>[xyz])|slide (?P<slide>[xyz])|(?P<ball>ball)|universal (?P<pair>[xyz]{2})|")


class CutJoint(NamedTuple):
    """What a cut joint blocks, in the axes of its first frame."""

    lines: tuple[int, ...]  # of the linear velocity
    turns: tuple[int, ...]  # of the angular velocity
    pair: tuple[int, int] | None = None  # of a universal joint: its axis on the first frame and on the second

    @property
    def rows(self) -> int:
        """How many equations it gives."""
        return len(self.lines) + len(self.turns) + (self.pair is not None)


@dataclass(frozen=True)
class ClosedLoop:
    """Two frames by name that a joint holds together; `free` is what that joint leaves free."""

    name: str
    joins: tuple[str, str]
    free: str = "z"

    @property
    def cut(self) -> CutJoint:
        """What it blocks; `is_free_word` has seen the text."""
        found = _FREE.fullmatch(" ".join(self.free.split()))
        assert found is not None
        every = (0, 1, 2)
        if found["turn"]:
            return CutJoint(every, _without(AXES.index(found["turn"])))
        if found["slide"]:
            return CutJoint(_without(AXES.index(found["slide"])), every)
        if found["pair"]:
            first, second = map(AXES.index, found["pair"])
            return CutJoint(every, (), (first, second))
        return CutJoint(every, () if found["ball"] else every)


def is_free_word(text: str) -> bool:
    """Whether `free` is one of the words of the table; a universal joint needs two different axes."""
    found = _FREE.fullmatch(" ".join(text.split()))
    return found is not None and (not found["pair"] or found["pair"][0] != found["pair"][1])


def _without(axis: int) -> tuple[int, ...]:
    return tuple(k for k in range(3) if k != axis)


class LoopFault(NamedTuple):
    """What is wrong with the loops or the motors of a description: where, which field, the problem, what would be
    right."""

    where: str
    field: str
    problem: str
    hint: str


def loop_fault(
    loops: Sequence[ClosedLoop], motors: Sequence[str], frames: Iterable[tuple[str, str]], coordinates: Sequence[str]
) -> LoopFault | None:
    """The first fault of a description's loops and motors; `frames` are all frames with the rows that hold them."""
    on = dict(frames)
    for number, loop in enumerate(loops):
        where = Message("loop {name!r}", loop.name)
        if loop.name in [other.name for other in loops[:number]]:
            return LoopFault(where, "name", Message("the name is taken"), Message("every loop needs a name of its own"))
        odd = next((name for name in loop.joins if name not in on), None)
        if odd is not None:
            known = ", ".join(map(repr, on))
            return LoopFault(
                where, "joins", Message("the robot has no frame {odd!r}", odd), Message("name two of {known}", known)
            )
        if not is_free_word(loop.free):
            return LoopFault(where, "free", Message("found {text!r}", loop.free), Message("expected {words}", WORDS))
        if on[loop.joins[0]] == on[loop.joins[1]]:
            problem = Message("both frames are on {on!r}", on[loop.joins[0]] or "base")
            return LoopFault(where, "joins", problem, Message("name frames of two links"))
    return _motor_fault(loops, motors, coordinates)


def _motor_fault(loops: Sequence[ClosedLoop], motors: Sequence[str], coordinates: Sequence[str]) -> LoopFault | None:
    where, known = "motors", Message("name some of {joint_names}", ", ".join(coordinates))
    if motors and not loops:
        problem = Message("the robot has no loop, so every joint has its motor")
        return LoopFault(where, "drive", problem, Message("give it a [[loop]], or leave the motors out"))
    odd = next((name for name in motors if name not in coordinates), None)
    if odd is not None:
        return LoopFault(where, "drive", Message("{odd!r} has no coordinate of its own", odd), known)
    if len(set(motors)) < len(motors):
        twice = next(name for name in motors if list(motors).count(name) > 1)
        return LoopFault(where, "drive", Message("{twice!r} is named twice", twice), known)
    return None
