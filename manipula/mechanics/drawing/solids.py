"""The links as solids: each is the way its own steps go, in its own frame.

From its joint a link goes along the steps after it, then along those before every joint that stands on it. A shift is a
tube and a corner a ball, so that a and d of a table become elbows by themselves. The housing of a joint sits on the
link before and shows its axis: a drum with a ring about a turn, a sleeve with a rod through it along a slide.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import floor, log10, pi
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from manipula.errors import InputError
from manipula.mechanics.drawing.skeleton import BASE, Array, Moves, Moving, Skeleton, inverse, step_matrix

# How long and how thick: lengths come from the table, radii from them, so that a toy and a crane look alike.

NOWHERE = 1.0  # the size of an arm without any length
SMALLEST, LARGEST = 1e-30, 1e30  # metres
STROKE = 0.3  # of a sliding joint without limits, of all other lengths
ENDLESS = 40.0  # of all other lengths: a stroke beyond it is a file's word for no limit
THICK, FEW, CROWDED = 0.042, 0.04, 0.42  # the radius at the base over the size: more of few joints, less of many
THIN = 0.54  # the share of it that is lost on the way to the tip


@dataclass(frozen=True)
class Sizes:
    """`size` is the longest way from the base to a tip, all strokes out; `ranges` are of the coordinates, as a slider
    goes where the file has no limits; `spans` are of the joints' own displacements."""

    size: float
    ranges: tuple[tuple[float, float], ...]
    spans: tuple[tuple[float, float], ...]
    depth: tuple[int, ...]  # of every link, the base first: joints between it and the base
    ahead: tuple[int, ...]  # the most joints between it and a tip

    def radius(self, link: int, further: float = 0.0) -> float:
        """Of a link (BASE the base), or of a place so much of the way to the next."""
        depth, ahead = self.depth[link + 1], self.ahead[link + 1]
        most = max(1, *map(sum, zip(self.depth, self.ahead)))
        share = min((depth + further) / max(depth + ahead, 1), 1.0)
        return self.size * min(THICK + FEW / most, CROWDED / most) * (1.0 - THIN * share)


def sizes_of(skeleton: Skeleton, dof: int) -> Sizes:
    joints = skeleton.joints
    stroke = float(f"{STROKE * (_longest(skeleton, [0.0] * len(joints)) or NOWHERE):.2g}")
    ranges = _ranges(joints, dof, stroke)
    spans = tuple(_span(joint, ranges) for joint in joints)
    strokes = [abs(joint.slide) * max(map(abs, span)) for joint, span in zip(joints, spans)]
    depth, ahead = [0], [0] * (len(joints) + 1)
    for joint in joints:
        depth.append(depth[joint.parent + 1] + 1)
    for i in range(len(joints), 0, -1):
        parent = joints[i - 1].parent + 1
        ahead[parent] = max(ahead[parent], ahead[i] + 1)
    size = _longest(skeleton, strokes) or NOWHERE
    if not SMALLEST < size < LARGEST:
        raise InputError("an arm of {size:.3g} m cannot be drawn: lengths in metres are expected", size)
    return Sizes(size, ranges, spans, tuple(depth), tuple(ahead))


def length_of(moves: Moves) -> float:
    """Of all shifts, one after the other."""
    return sum(abs(move.amount) for move in moves if move.kind[0] == "t")


def _longest(skeleton: Skeleton, strokes: Sequence[float]) -> float:
    """The longest way from the base to a tip."""
    ways = {BASE: 0.0}
    for i, joint in enumerate(skeleton.joints):
        ways[i] = ways[joint.parent] + length_of(joint.before) + strokes[i] + length_of(joint.after)
    ends = [ways[stub.on] + length_of(stub.moves) for stub in (skeleton.tool, *skeleton.stubs)]
    return max([*ways.values(), *ends])


def _ranges(joints: Sequence[Moving], dof: int, stroke: float) -> tuple[tuple[float, float], ...]:
    """Limits; where there are none, or none that matter, ±180°, or a stroke."""
    found = [(-pi, pi)] * dof
    for joint in joints:
        if joint.own:
            found[joint.terms[0][0]] = _range(joint, stroke)
    return tuple(found)


def _range(joint: Moving, stroke: float) -> tuple[float, float]:
    free = (-pi, pi) if joint.turn else (0.0, stroke)
    if joint.limits is None:
        return free
    low, high = joint.limits
    far = 4 * pi if joint.turn else ENDLESS / STROKE * stroke
    return free if high - low > far + 1e-9 else joint.limits


def _span(joint: Moving, ranges: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """The least and the greatest displacement."""
    ends = [sorted((factor * low, factor * high)) for c, factor in joint.terms for low, high in [ranges[c]]]
    return joint.offset + sum(low for low, _ in ends), joint.offset + sum(high for _, high in ends)


# The solids a drawing is made of, as data: points, axes and sizes in the frame of the link they belong to.

Shape = dict[str, Any]
DIGITS = 9  # of sizes as they are drawn, below the largest of the same point


def tube(start: ArrayLike, end: ArrayLike, radii: tuple[float, float], paint: str) -> Shape:
    """A cylinder that may taper; its ends are flat."""
    return {"kind": "tube", "from": plain(start), "to": plain(end), "radii": plain(radii), "paint": paint}


def ball(at: ArrayLike, radius: float, paint: str) -> Shape:
    return {"kind": "ball", "at": plain(at), "radius": plain(radius), "paint": paint}


def drum(at: ArrayLike, axis: ArrayLike, radius: float, length: float, paint: str) -> Shape:
    """The housing of a joint: a cylinder with bevelled edges, its middle at `at`."""
    return _round("drum", at, axis, radius, length, paint)


def ring(at: ArrayLike, axis: ArrayLike, radius: float, length: float, paint: str) -> Shape:
    """A band about a drum or a box."""
    return _round("ring", at, axis, radius, length, paint)


def _round(kind: str, at: ArrayLike, axis: ArrayLike, radius: float, length: float, paint: str) -> Shape:
    sizes = {"radius": plain(radius), "length": plain(length), "paint": paint}
    return {"kind": kind, "at": plain(at), "axis": plain(axis), **sizes}


def box(frame: Array, size: tuple[float, float, float], paint: str) -> Shape:
    """Its middle at the origin of the frame, its edges along the axes."""
    return {"kind": "box", "frame": frame.tolist(), "size": plain(size), "paint": paint}


def frame_along(axis: Array, at: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
    """A frame there, its z along the axis, its x as near to the x (else the y) it had as can be."""
    z = unit(axis)
    start = np.eye(3)[0 if abs(z[0]) < 0.9 else 1]
    x = unit(start - (start @ z) * z)
    found = np.eye(4)
    found[:3, :3] = np.stack([x, np.cross(z, x), z], axis=1)
    found[:3, 3] = at
    return found


def unit(v: Array) -> Array:
    return v / np.linalg.norm(v)


def plain(values: ArrayLike, digits: int = DIGITS) -> Any:
    """As lists of floats, without dust beside the largest."""
    given = np.asarray(values, dtype=float)
    largest = float(np.abs(given).max(initial=0.0))
    return (np.round(given, digits - floor(log10(largest))) + 0.0).tolist() if largest else given.tolist()


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
    """Of all links; `ends` are the frames at which their ways end, by the joint or tool there."""

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
            found += self.joint_housing(i, joint, way.points[-1], frame[:3, 2])
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

    def joint_housing(self, i: int, joint: Moving, at: Array, axis: Array) -> Iterator[Shape]:
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
