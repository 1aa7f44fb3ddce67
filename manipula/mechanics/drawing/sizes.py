"""How long and how thick: lengths come from the table, radii from them, so that a toy and a crane look alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import pi

from manipula.errors import InputError
from manipula.mechanics.drawing.skeleton import BASE, Moves, Moving, Skeleton

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
