"""The record of a drawing: everything that a picture of a robot needs, as plain data.

Lengths are metres, angles radians. `links` has the base first; `joints[i]` moves `links[i + 1]` and stands on
`links[parent + 1]`. Whoever draws multiplies steps (see `posing`), and needs nothing else of the robot.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from manipula.mechanics.drawing.ellipsoids import bodies_of, payload_of
from manipula.mechanics.drawing.ends import Pedestal, hand, load
from manipula.mechanics.drawing.looking import eye_of, up_of
from manipula.mechanics.drawing.names import Names
from manipula.mechanics.drawing.paints import PAINTS
from manipula.mechanics.drawing.reach import reach_of
from manipula.mechanics.drawing.resting import rest_of
from manipula.mechanics.drawing.shapes import plain
from manipula.mechanics.drawing.sizes import Sizes, sizes_of
from manipula.mechanics.drawing.skeleton import BASE, Moves, Moving, Skeleton, matrix, number_of, skeleton_of
from manipula.mechanics.drawing.solids import Solids
from manipula.mechanics.robot.branching import frame_names
from manipula.mechanics.robot.description import Cell, RobotDescription
from manipula.mechanics.robot.formats.poses import poses_of
from manipula.mechanics.robot.stand_ins import with_stand_ins

FORMAT = 1


def drawing_of(given: RobotDescription) -> dict[str, Any]:
    """The record; lengths and angles without a value get stand-ins, which are told."""
    robot, made = with_stand_ins(given)
    names = Names(given, robot)
    skeleton = skeleton_of(robot)
    sizes = sizes_of(skeleton, robot.dof)
    solids = Solids(skeleton, sizes)

    def number(cell: Cell) -> float:
        return number_of(cell.name, cell.parameter, names.values)

    up = up_of(np.array([number(cell) for cell in robot.gravity]), names.known(robot.gravity))
    pedestal = Pedestal(skeleton, sizes, solids, up)
    held = payload_of(robot, number)
    tool = {
        "on": skeleton.tool.on,
        "frame": matrix(skeleton.tool.moves).tolist(),
        "steps": _steps(skeleton.tool.moves),
        "shapes": [*hand(skeleton, sizes, solids), *([load(held, sizes.size)] if held else [])],
    }
    record: dict[str, Any] = {
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


def _joint(joint: Moving, sizes: Sizes) -> dict[str, Any]:
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


def _steps(moves: Moves) -> list[list[Any]]:
    return [list(move) for move in moves]


def _links(
    robot: RobotDescription, skeleton: Skeleton, solids: Solids, pedestal: Pedestal, names: Names
) -> list[dict[str, Any]]:
    bodies = bodies_of(robot, skeleton, names)
    labels = ["base", *(joint.link for joint in skeleton.joints)]
    shapes = [pedestal.shapes() + solids.link(BASE), *(solids.link(i) for i in range(len(skeleton.joints)))]
    return [{"name": name, "shapes": made, **body} for name, made, body in zip(labels, shapes, bodies, strict=True)]
