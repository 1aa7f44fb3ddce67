"""The record of a drawing: everything that a picture of a robot needs, as plain data.

Lengths are metres, angles radians. `links` has the base first; `joints[i]` moves `links[i + 1]` and stands on
`links[parent + 1]`. A painter multiplies steps (`skeleton.poses_of`), and needs nothing else of the robot.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from manipula.mechanics.drawing.skeleton import (
    BASE,
    Array,
    Moves,
    Moving,
    Record,
    Skeleton,
    matrix,
    number_of,
    skeleton_of,
)
from manipula.mechanics.drawing.solids import Sizes, Solids, plain, sizes_of
from manipula.mechanics.drawing.view import Pedestal, eye_of, hand, load, reach_of, rest_of, up_of
from manipula.mechanics.robot.bind import bind
from manipula.mechanics.robot.default_values import with_stand_ins
from manipula.mechanics.robot.description import Body, Cell, RobotDescription, cells_in
from manipula.mechanics.robot.formats.variables import poses_of
from manipula.mechanics.robot.reduce import merge_fixed
from manipula.mechanics.robot.topology import frame_names
from manipula.mechanics.robot.values.parameter import floats_of, names_of, number
from manipula.mechanics.spatial.floats import FLOATS
from manipula.mechanics.spatial.inertia import RigidBody

# Which names of a robot have values of their own, and which its geometry asks for.


class Names:
    """Of a robot as it was given, and as it is drawn, every name with a value."""

    def __init__(self, given: RobotDescription, drawn: RobotDescription) -> None:
        self.own, self.values = floats_of(dict(given.values)), floats_of(dict(drawn.values))
        self._inside = {name: tuple(names_of(value)) for name, value in drawn.values}
        placements = [(drawn.base, drawn.tool, drawn.frames)]
        rows = [(joint.before, joint.offset, joint.after, joint.of_kind) for joint in drawn.joints]
        self.of_geometry = self._names_inside(
            name for cell in cells_in((*placements, *rows)) for name in names_of(cell.parameter)
        )

    def has_values(self, cells: Iterable[Cell]) -> bool:
        """Has all of this a value without a stand-in?"""
        return all(name in self.own for cell in cells for name in names_of(cell.parameter))

    def _names_inside(self, names: Iterable[str]) -> set[str]:
        """The names, and those in their values."""
        found, waiting = set[str](), list(names)
        while waiting:
            if (name := waiting.pop()) not in found:
                found.add(name)
                waiting.extend(self._inside.get(name, ()))
        return found


# The bodies of the links: mass, centre, and the uniform ellipsoid that has the same inertia.

Told = dict[str, Any]
UNKNOWN: Told = {"mass": None, "com": None, "ellipsoid": None}


def bodies_of(robot: RobotDescription, skeleton: Skeleton, names: Names) -> list[Told]:
    """Of the base and of every link, without the payload; a body that depends on a stand-in is not told."""
    tree = merge_fixed(bind(replace(robot, payload=()), FLOATS, {}))
    open_links = {
        skeleton.stands[row]
        for row, joint in enumerate(robot.joints)
        if not names.has_values(cells_in((joint.body, joint.carries)))
    }
    open_links |= set() if names.has_values(cells_in(robot.ground)) else {BASE}
    bodies = [tree.ground, *(link.inertia for link in tree.links)]
    return [UNKNOWN if i in open_links else ellipsoid_of_body(body) for i, body in enumerate(bodies, BASE)]


def ellipsoid_of_body(body: RigidBody) -> Told:
    """A body without mass has neither a centre nor an ellipsoid, one that could not be has no ellipsoid."""
    mass = float(np.asarray(body.m, dtype=float))
    if not mass > 0.0:
        return {"mass": mass, "com": None, "ellipsoid": None}
    com = np.array(body.s, dtype=float) / mass
    about = np.array(body.K, dtype=float) - mass * np.outer(com, com)
    return {"mass": mass, "com": com.tolist(), "ellipsoid": _ellipsoid(about, com, mass)}


def _ellipsoid(second: Array, com: Array, mass: float) -> Told | None:
    """Second moments ∫r rᵀ dm about the centre are m/5·radius² along the axes of a uniform ellipsoid."""
    values, axes = np.linalg.eigh(second)
    if not np.isfinite(values).all() or values.min() < -1e-9 * max(float(values.max()), 1e-300):
        return None
    frame = np.eye(4)
    frame[:3, :3] = axes * np.sign(np.linalg.det(axes))
    frame[:3, 3] = com
    return {"frame": frame.tolist(), "radii": np.sqrt(5.0 * np.clip(values, 0.0, None) / mass).tolist()}


def payload_of(robot: RobotDescription, number: Callable[[Cell], float]) -> Told | None:
    """All that is held in the tool's frame, as one point; None where nothing is."""
    if not robot.payload:
        return None
    held = [(number(body.mass), _centre(body, number)) for body in robot.payload]
    mass = sum(m for m, _ in held)
    at = sum((m * c for m, c in held), np.zeros(3)) / mass if mass else held[0][1]
    return {"at": at.tolist(), "mass": mass}


def _centre(body: Body, number: Callable[[Cell], float]) -> Array:
    centre, mass = np.array([number(cell) for cell in body.centre]), number(body.mass)
    return centre if body.centre_is == "com" or not mass else centre / mass


# The colours of a drawing by what they paint; amber on slate shows an axis to every eye, red and green do not meet.

PAINTS = {
    "link": "#e8e6e1",
    "joint": "#2f4858",
    "accent": "#e69f00",
    "rod": "#9aa5ab",
    "base": "#2f4858",
    "tool": "#9aa5ab",
    "payload": "#cc79a7",
}


FORMAT = 1


def drawing_of(given: RobotDescription) -> Told:
    """The record; lengths and angles without a value get stand-ins, which the record lists."""
    robot, made = with_stand_ins(given)
    names = Names(given, robot)
    skeleton = skeleton_of(robot)
    sizes = sizes_of(skeleton, robot.dof)
    solids = Solids(skeleton, sizes)

    def number(cell: Cell) -> float:
        return number_of(cell.name, cell.parameter, names.values)

    up = up_of(np.array([number(cell) for cell in robot.gravity]), names.has_values(robot.gravity))
    pedestal = Pedestal(skeleton, sizes, solids, up)
    held = payload_of(robot, number)
    tool = {
        "on": skeleton.tool.on,
        "frame": matrix(skeleton.tool.moves).tolist(),
        "steps": _steps(skeleton.tool.moves),
        "shapes": [*hand(skeleton, sizes, solids), *([load(held, sizes.size)] if held else [])],
    }
    record: Told = {
        "format": FORMAT,
        "name": robot.name,
        "dof": robot.dof,
        "size": sizes.size,
        "up": up.tolist(),
        "eye": plain(eye_of(skeleton, up)),
        "base": matrix(skeleton.base).tolist(),
        "joints": [_joint(joint, sizes) for joint in skeleton.joints],
        "links": _links(robot, skeleton, solids, pedestal, names),
        "tool": tool,
        "payload": held,
        "frames": list(frame_names(robot)),
        "coordinates": list(robot.joint_names),
        "poses": {name: list(pose) for name, pose in poses_of(robot).items()},
        "paints": dict(PAINTS),
        "stand_ins": {name: value for name, value in made.items() if name in names.of_geometry},
    }
    record |= reach_of(record, pedestal)
    return record | {"rest": rest_of(record)}


def _joint(joint: Moving, sizes: Sizes) -> Told:
    c, scale = joint.terms[0] if len(joint.terms) == 1 else (-1, 0.0)
    return {
        "name": joint.name,
        "kind": joint.kind,
        "index": c,
        "scale": scale,
        "offset": joint.offset,
        "terms": [list(term) for term in joint.terms],
        "turn": joint.turn,
        "slide": joint.slide,
        "pitch": joint.slide if joint.turn else 0.0,
        "parent": joint.parent,
        "unit": "rad" if joint.turn else "m",
        "limits": None if joint.limits is None else list(joint.limits),
        "range": list(sizes.ranges[c]) if joint.own else None,
        "before": _steps(joint.before),
        "after": _steps(joint.after),
    }


def _steps(moves: Moves) -> list[list[object]]:
    return [list(move) for move in moves]


def _links(robot: RobotDescription, skeleton: Skeleton, solids: Solids, pedestal: Pedestal, names: Names) -> list[Told]:
    bodies = bodies_of(robot, skeleton, names)
    labels = ["base", *(joint.link for joint in skeleton.joints)]
    shapes = [pedestal.shapes() + solids.link(BASE), *(solids.link(i) for i in range(len(skeleton.joints)))]
    return [{"name": name, "shapes": made, **body} for name, made, body in zip(labels, shapes, bodies, strict=True)]


# How a drawing changes with its letters, for pages that have no Python: every number of a record over a letter.
#
# A record made of lengths is a sum of them: points along the steps, and sizes that are shares of the whole. So one
# slope for each number draws the arm for any value. It is tried at half and twice the stand-in; a letter for which it
# is not so (an angle, in which points turn) has no slopes.

Path = tuple[str | int, ...]
PARTS = ("size", "reach", "floor", "base", "joints", "links", "tool", "payload")
STEP = 0.25  # of the value, to both sides
ENDS = (0.5, 2.0)  # of the value: where a slope is tried; a link that nearly vanishes loses solids
NEAR = 0.01  # of the arm's size: what nobody sees
FAINT = 1e-9


def slopes_of(robot: RobotDescription, record: Record) -> dict[str, list[list[object]]]:
    """Letter → its changes, [path…, slope], for every letter of the geometry without a value of its own."""
    found = {name: _slopes(robot, record, name, value) for name, value in record["stand_ins"].items()}
    return {name: slopes for name, slopes in found.items() if slopes is not None}


def _slopes(robot: RobotDescription, record: Record, name: str, value: float) -> list[list[object]] | None:
    def at(share: float) -> dict[Path, float]:
        given = replace(robot, values=(*robot.values, (name, number(share * value))))
        return dict(_numbers(drawing_of(given)))

    here, low, high = dict(_numbers(record)), at(1 - STEP), at(1 + STEP)
    if not value or not here.keys() == low.keys() == high.keys():
        return None
    slopes = {path: (high[path] - low[path]) / (2 * STEP * value) for path in here}
    for share in ENDS:
        there, moved = at(share), (share - 1) * value
        if there.keys() != here.keys():
            return None
        off = (abs(here[path] + moved * slope - there[path]) for path, slope in slopes.items() if path[0] != "reach")
        if max(off) > NEAR * record["size"]:  # what can be reached is for the camera alone, and need not be exact
            return None
    return [[*path, round(slope, 9)] for path, slope in slopes.items() if abs(slope) > FAINT]


def _numbers(record: Record) -> Iterator[tuple[Path, float]]:
    for part in PARTS:
        yield from _inside((part,), record.get(part))


def _inside(path: Path, value: object) -> Iterator[tuple[Path, float]]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _inside((*path, str(key)), item)
    elif isinstance(value, list):
        for k, item in enumerate(value):
            yield from _inside((*path, k), item)
    elif isinstance(value, float | int) and not isinstance(value, bool):
        yield path, float(value)
