"""How an arm stands and from where it is seen: its pedestal and tool, the eye, its reach, a pose to begin with."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from manipula.mechanics.drawing import solids as solid
from manipula.mechanics.drawing.skeleton import BASE, Array, Record, Skeleton, axes_of, matrix, poses_of

# From where an arm is looked at: which way is up, and where the eye is.

PARALLEL = 0.99  # the cosine of directions that count as the same
AZIMUTH, ELEVATION = -58.0, 20.0  # degrees: from the front and the right, from above
FLAT = (25.0, 12.0)  # of an arm that moves in one upright plane: away from the plane's normal, above the floor


def up_of(gravity: Array, known: bool) -> Array:
    """The axis of the world against gravity: z, unless it pulls mostly along another one, or up. A letter alone does
    not say whether it stands for a number below zero."""
    up, main = np.zeros(3), int(np.argmax(np.abs(gravity)))
    if abs(gravity[main]) < 1e-12 or (main == 2 and not known):
        main, gravity = 2, np.array([0.0, 0.0, -1.0])
    up[main] = -np.sign(gravity[main])
    return up


def towards(azimuth: float, elevation: float, up: Array) -> Array:
    """The direction so many degrees around `up` (from x towards y, where z is up) and above the floor."""
    main = int(np.argmax(np.abs(up)))
    e1 = np.eye(3)[(main + 1) % 3]
    a, e = np.radians(azimuth), np.radians(elevation)
    level = np.cos(a) * e1 + np.sin(a) * np.cross(up, e1)
    return np.asarray(np.cos(e) * level + np.sin(e) * up)


def eye_of(skeleton: Skeleton, up: Array) -> Array:
    """Where pictures are taken from: an arm in an upright plane is seen from before it."""
    normal = matrix(skeleton.base)[:3, 2]
    if not planar(skeleton) or abs(normal @ up) > 0.5:
        return towards(AZIMUTH, ELEVATION, up)
    e1 = towards(0.0, 0.0, up)
    around = np.degrees(np.arctan2(np.cross(up, e1) @ normal, e1 @ normal))
    return towards(float(around) + FLAT[0], FLAT[1], up)


def planar(skeleton: Skeleton) -> bool:
    """Do all joints turn about the base's z, or slide across it, whatever they do?"""
    turns: dict[int, Array] = {BASE: np.eye(3)}
    leans: list[tuple[float, float]] = []
    for i, joint in enumerate(skeleton.joints):
        here = turns[joint.parent] @ matrix(joint.before)[:3, :3]
        leans.append((joint.turn, abs(float(here[2, 2]))))
        turns[i] = here @ matrix(joint.after)[:3, :3]
    return any(turn for turn, _ in leans) and all(x > PARALLEL if turn else x < 0.1 for turn, x in leans)


# What an arm stands on and what it works with: a pedestal down to the floor, a flange with two fingers.

PLATE = (2.1, 0.5)  # radius and height of the foot over the base's radius
FLANGE_OUT = 1.9  # how far a flange is pushed out of a wrist that would hide it, over the link's radius


class Pedestal:
    """In the base frame; `foot` is the way down from its origin, `drop` how far the floor is."""

    def __init__(self, skeleton: Skeleton, sizes: solid.Sizes, solids: solid.Solids, up: Array) -> None:
        self.radius, self.way = sizes.radius(BASE), _first_way(solids)
        self.foot = _foot(skeleton, matrix(skeleton.base)[:3, :3].T @ up)
        axes = [matrix(joint.before)[:3, 2] for joint in skeleton.children(BASE)]
        self.upright = all(abs(axis @ self.foot) > PARALLEL for axis in axes)
        self.drop = 0.0 if self._rise() > self.radius else self._clearance()

    def _rise(self) -> float:
        """How far the base goes straight up to its first corner."""
        a, b = self.way.pieces[0] if self.way.pieces else (np.zeros(3), np.zeros(3))
        along = float(-self.foot @ (b - a))
        return along if along > PARALLEL * np.linalg.norm(b - a) else 0.0

    def _clearance(self) -> float:
        """A drum that stands upright fits above the plate; one that lies gets a column."""
        return self.radius * (solid.HOUSING * solid.LONG / 2 + PLATE[1] if self.upright else solid.HOUSING + 1.7)

    def shapes(self) -> list[solid.Shape]:
        r, floor = self.radius, self.drop * self.foot
        wide, high = PLATE[0] * r, PLATE[1] * r
        top = floor - high * self.foot
        tall = max(self._rise(), 0.0) if not self.drop else 0.0
        found = [solid.tube(floor, top, (wide, 0.93 * wide), "base")]
        if tall or not self.upright:
            found.append(solid.tube(top, -tall * self.foot, (1.35 * r, r), "link"))
        return found


def _first_way(solids: solid.Solids) -> solid.Way:
    ways = [way for way, _ in solids.twigs(BASE)]
    return max(ways, key=lambda way: way.length) if ways else solid.Way([np.zeros(3)])


def _foot(skeleton: Skeleton, up: Array) -> Array:
    """Against the base's z; an arm that moves in one upright plane stands on the floor instead."""
    z = np.array([0.0, 0.0, 1.0])
    lies = abs(up[2]) < 0.5
    return -solid.unit(up) if lies and planar(skeleton) else -z


def hand(skeleton: Skeleton, sizes: solid.Sizes, solids: solid.Solids) -> list[solid.Shape]:
    """In the tool's frame. It points where the last link goes; of a link without length, along the tool's z."""
    on, frame = skeleton.tool.on, matrix(skeleton.tool.moves)
    r = 1.1 * sizes.radius(on, 0.8)
    points = [*(solids.trunk(on).points), *_tool_way(solids, skeleton).points[1:]]
    legs = [b - a for a, b in pairwise(points) if np.linalg.norm(b - a) > solids.least]
    length = sum(float(np.linalg.norm(leg)) for leg in legs)
    buried = length < 2.0 * r
    ahead = np.array([0.0, 0.0, 1.0]) if buried else solid.unit(frame[:3, :3].T @ legs[-1])
    far = FLANGE_OUT * sizes.radius(on, 0.5) if buried else 0.0
    found = [solid.tube(np.zeros(3), far * ahead, (0.8 * r, 0.75 * r), "link")] if buried else []
    found.append(solid.drum((far - 0.3 * r) * ahead, ahead, r, 0.6 * r, "joint"))
    found.append(solid.ring((far - 0.3 * r) * ahead, ahead, 1.02 * r, 0.15 * r, "accent"))
    grip = solid.frame_along(ahead)
    for side in (-1.0, 1.0):
        grip[:3, 3] = (far + 0.55 * r) * ahead + side * 0.55 * r * grip[:3, 0]
        found.append(solid.box(grip, (0.35 * r, 0.5 * r, 1.3 * r), "tool"))
    return found


def _tool_way(solids: solid.Solids, skeleton: Skeleton) -> solid.Way:
    *_, (way, _) = solids.twigs(skeleton.tool.on)
    return way


def load(held: Record, size: float) -> solid.Shape:
    """A payload as a ball whose volume grows with its mass, within what an arm can look well with."""
    grown = 0.02 * np.cbrt(max(held["mass"], 0.0))
    return solid.ball(held["at"], size * float(np.clip(grown, 0.012, 0.06)), "payload")


# A ball about all that an arm can reach, for cameras: framed by its pose, an arm would leave the picture at the first
# move. It comes from sample positions, the same for the same arm.

SAMPLES = 256
MARGIN = 1.04  # what samples miss, and half the thickness of a link


def reach_of(record: Record, pedestal: Pedestal) -> Record:
    """`reach`, and the height of the `floor` along `up`."""
    base, up = np.array(record["base"]), np.array(record["up"])
    foot = base[:3, :3] @ (pedestal.drop * pedestal.foot) + base[:3, 3]
    poses = poses_of(record, samples(record))
    points = np.concatenate([pose[..., :3, 3].reshape(-1, 3) for pose in (*poses, *axes_of(record, poses))])
    points = np.concatenate([points, foot[None]])
    centre = (points.min(axis=0) + points.max(axis=0)) / 2
    radius = MARGIN * float(np.linalg.norm(points - centre, axis=1).max()) + pedestal.radius
    stands = base[:3, :3] @ pedestal.foot @ up < -0.5
    floor = float(foot @ up) if stands else min(float(centre @ up) - radius, float(foot @ up))
    return {"reach": {"centre": solid.plain(centre), "radius": solid.plain(radius)}, "floor": solid.plain(floor)}


def samples(record: Record, count: int = SAMPLES) -> Array:
    """Positions (count, dof) that fill the ranges evenly: multiples of irrational numbers, modulo 1."""
    low, high = ranges(record).T
    x = 1.5  # the root of x^(d + 1) = x + 1, of which the golden ratio is the case d = 1
    for _ in range(64):
        x = (1.0 + x) ** (1.0 / (record["dof"] + 1.0))
    steps = x ** -np.arange(1.0, record["dof"] + 1.0)
    return np.asarray(low + (high - low) * ((0.5 + np.arange(count)[:, None] * steps) % 1.0))


def ranges(record: Record) -> Array:
    """(dof, 2): where every coordinate may go."""
    found = np.zeros((record["dof"], 2))
    for joint in record["joints"]:
        if joint["range"] is not None:
            found[joint["index"]] = joint["range"]
    return found


# A pose to begin with: bent, above the floor, seen well. Zero is the end of a table, not of a person's patience: many
# arms stand straight up there, or through themselves.
#
# Of some hundred positions well inside the ranges the one with the best marks is taken, then better ones near
# it, the same for the same arm.

COUNT = 384
NEARER = (0.4, 0.15)  # of the first spread
CALM = 1.9  # rad or, of strokes, their whole: how far from the middle a joint stands at most
INSIDE = (0.12, 0.88)  # of a range
OUT = 0.42  # of the arm's size: how far the tool is to stand from the foot
ELBOWS = 24
PREFERRED = ("home", "ready", "rest")


def rest_of(record: Record) -> list[float]:
    """A pose of the file by its usual name, else the best of the samples."""
    named = next((record["poses"][name] for name in PREFERRED if name in record["poses"]), None)
    return list(named) if named else list(solid.plain(_best(record)))


def _best(record: Record) -> Array:
    """Of positions all over the ranges, then of some about the best so far, nearer and nearer."""
    low, high = ranges(record).T
    q = _calm(samples(record, COUNT), low, high)
    best = q[int(np.argmax(_marks(record, q, low, high)))]
    ends = _calm(np.stack([low, high]), low, high)
    for reach in NEARER:
        spread = reach * (q[: COUNT // 2] - q[: COUNT // 2].mean(axis=0))
        near = np.clip(np.concatenate([best[None], best + spread]), *ends)
        best = near[int(np.argmax(_marks(record, near, low, high)))]
    return np.asarray(best)


def _marks(record: Record, q: Array, low: Array, high: Array) -> Array:
    poses = poses_of(record, q)
    points = np.stack([at[..., :3, 3] for at in (*axes_of(record, poses), poses[-1])], axis=1) / record["size"]
    marks = _heights(points, record) + _extent(points, record) + _apart(points) + _hand(poses[-1], record)
    return np.asarray(marks - _strain(q, low, high))


def _calm(q: Array, low: Array, high: Array) -> Array:
    """Towards the middle of the ranges, and of a turn; whose first joint turns around may look anywhere."""
    share = INSIDE[0] + (INSIDE[1] - INSIDE[0]) * (q - low) / np.maximum(high - low, 1e-300)
    middle, half = (low + high) / 2, np.minimum((high - low) / 2, np.where(_around(low, high), 1.3 * np.pi, CALM))
    return np.asarray(middle + (2 * share - 1) * half)


def _around(low: Array, high: Array) -> NDArray[np.bool_]:
    """The first coordinate, if it has a whole turn."""
    return np.asarray((np.arange(len(low)) == 0) & (high - low > 1.9 * np.pi))


def _heights(points: Array, record: Record) -> Array:
    """Nothing goes through the floor, elbows are up, the tool is not."""
    height = points @ np.array(record["up"]) - record["floor"] / record["size"]
    low = np.maximum(0.1 - height[:, 1:].min(axis=1, initial=1.0), 0.0)
    return np.asarray(1.2 * height[:, :-1].max(axis=1) - 0.9 * height[:, -1] - 12.0 * low)


def _extent(points: Array, record: Record) -> Array:
    """The tool out to a side, seen from where pictures are taken, the arm bent."""
    up = np.array(record["up"])
    way = points[:, -1] - points[:, 0]
    level = way - (way @ up)[:, None] * up
    right = np.cross(up, record["eye"])
    return np.asarray(0.6 * (level @ right) - 2.0 * np.abs(np.linalg.norm(level, axis=1) - OUT))


def _apart(points: Array) -> Array:
    """Elbows keep away from what is not beside them; of very many, some."""
    points = points[:, :: 1 + points.shape[1] // ELBOWS]
    gaps = np.linalg.norm(points[:, :, None] - points[:, None], axis=-1)
    i, j = np.triu_indices(points.shape[1], 2)
    far = np.sort(gaps[:, i, j], axis=1)
    return np.asarray(1.5 * np.minimum(far, 0.25).mean(axis=1)) if far.shape[1] else np.zeros(len(points))


def _hand(tool: Array, record: Record) -> Array:
    """It looks down or ahead."""
    return np.asarray(-0.15 * (tool[..., :3, 2] @ np.array(record["up"])))


def _strain(q: Array, low: Array, high: Array) -> Array:
    """How far the joints are from the middle of their ranges, of a half turn at most."""
    half = np.minimum((high - low) / 2, np.pi)
    away = np.abs(q - (low + high) / 2) / np.maximum(half, 1e-300)
    return np.asarray(0.5 * (np.where(_around(low, high), 0.0, away) ** 2).mean(axis=1))
