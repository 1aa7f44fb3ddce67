"""The links as solids: each is the way its own steps go, in its own frame.

From its joint a link goes along the steps after it, then along those before every joint that stands on it. A shift is a
tube and a corner a ball, so that a and d of a table become elbows by themselves. The housing of a joint sits on the
link before and shows its axis: a drum with a ring about a turn, a sleeve with a rod through it along a slide.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from manipula.mechanics.drawing.shapes import Shape, ball, box, drum, frame_along, ring, tube
from manipula.mechanics.drawing.sizes import Sizes
from manipula.mechanics.drawing.skeleton import BASE, Array, Moves, Moving, Skeleton, inverse, step_matrix

FULL, KNOB, HOUSING = 0.86, 1.02, 1.18  # radii of tubes, of links without length, of drums, over the link's own
LONG = 2.5  # a drum over its radius
BAND = 0.15  # a ring over its drum
SLEEVE = (2.0, 2.8)  # a sliding joint's width and length over the drum's radius
ROD = 0.575  # half the width of a rod over the link's radius
SHORT = 1e-9  # over the arm's size: no length at all


class Way:
    """Points a link goes through, from its joint on."""

    def __init__(self, points: Sequence[Array]) -> None:
        self.points = list(points)

    @property
    def length(self) -> float:
        return sum(float(np.linalg.norm(b - a)) for a, b in self.pieces)

    @property
    def pieces(self) -> list[tuple[Array, Array]]:
        return list(pairwise(self.points))


def way_of(start: Array, moves: Moves, least: float) -> tuple[Way, Array]:
    """The corners along the steps, and the frame at their end."""
    here, points = start, [start[:3, 3]]
    for i, move in enumerate(moves):
        here = here @ step_matrix(move)
        bent = not _goes_on(moves, i)
        if move.kind[0] == "t" and bent and np.linalg.norm(here[:3, 3] - points[-1]) > least:
            points.append(here[:3, 3])
    return Way(points), here


def _goes_on(moves: Moves, i: int) -> bool:
    """Is the step one of several shifts that stand in no column: x, y, z of one placement, gone straight?"""
    beyond = moves[i + 1 : i + 2]
    return bool(beyond) and beyond[0].kind[0] == moves[i].kind[0] == "t" and not (beyond[0].column or moves[i].column)


class Solids:
    """Of all links; `ends` are the frames at which their ways end, by what stands there."""

    def __init__(self, skeleton: Skeleton, sizes: Sizes) -> None:
        self.skeleton, self.sizes, self.least = skeleton, sizes, SHORT * sizes.size

    def link(self, i: int) -> list[Shape]:
        """Of the link that joint i moves, BASE the base."""
        found: list[Shape] = []
        trunk = self.trunk(i)
        twigs = list(self.twigs(i))
        total = trunk.length + max((way.length for way, _ in twigs), default=0.0)
        for way, start in [(trunk, 0.0), *((way, trunk.length) for way, _ in twigs)]:
            found += self.tubes(way, i, start, total)
        if i != BASE:
            found += self.rod(i, trunk.points[0])
            found += [] if total > self.least else [ball(np.zeros(3), KNOB * self.sizes.radius(i), "link")]
        for (way, frame), joint in zip(twigs, self.skeleton.children(i)):
            found += self.housing(i, joint, way.points[-1], frame[:3, 2])
        return [shape for k, shape in enumerate(found) if shape not in found[:k]]

    def trunk(self, i: int) -> Way:
        """From the joint to the link's frame."""
        if i == BASE:
            return Way([np.zeros(3)])
        moves = self.skeleton.joints[i].after
        return way_of(inverse(moves), moves, self.least)[0]

    def twigs(self, i: int) -> Iterator[tuple[Way, Array]]:
        """From the link's frame to the joints on it, to the tool, to what ends."""
        ends = [stub.moves for stub in (*self.skeleton.stubs, self.skeleton.tool) if stub.on == i]
        for moves in (*(joint.before for joint in self.skeleton.children(i)), *ends):
            yield way_of(np.eye(4), moves, self.least)

    def tubes(self, way: Way, i: int, start: float, total: float) -> Iterator[Shape]:
        """Tapered, with a ball at every corner."""
        for k, (a, b) in enumerate(way.pieces):
            gone = start + float(np.linalg.norm(b - a))
            first, last = (FULL * self.sizes.radius(i, 0.8 * along / total) for along in (start, gone))
            yield from [ball(a, first, "link")] if k == 0 and i != BASE else []  # the base begins with its foot
            yield tube(a, b, (first, last), "link")
            yield ball(b, last, "link")
            start = gone

    def housing(self, i: int, joint: Moving, at: Array, axis: Array) -> Iterator[Shape]:
        """Of a joint on link i."""
        r = HOUSING * self.sizes.radius(i, 0.5)
        if joint.turn:
            yield drum(at, axis, r, LONG * r, "joint")
            yield ring(at, axis, 1.03 * r, BAND * LONG * r, "accent")
            return
        wide, long = SLEEVE[0] * r, SLEEVE[1] * r
        yield box(frame_along(axis, at), (wide, wide, long), "joint")
        yield box(frame_along(axis, at), (1.03 * wide, 1.03 * wide, BAND * long), "accent")

    def rod(self, i: int, at: Array) -> Iterator[Shape]:
        """What slides through the sleeve: as far back as the joint goes out, and out as far as it goes back."""
        joint, (low, high) = self.skeleton.joints[i], self.sizes.spans[i]
        if joint.turn:
            return
        r = self.sizes.radius(i)
        axis = inverse(joint.after)[:3, 2]
        back, out = -max(high, 0.0) - 3.0 * r, max(-low, 0.0) + r
        frame = frame_along(axis, at + 0.5 * (back + out) * axis)
        yield box(frame, (2 * ROD * r, 2 * ROD * r, out - back), "rod")
