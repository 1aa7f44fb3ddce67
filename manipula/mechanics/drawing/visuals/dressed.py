"""A record whose links look as their file says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from manipula.errors import InputError, ManipulaError
from manipula.mechanics.drawing.posing import poses_of
from manipula.mechanics.drawing.shapes import Shape
from manipula.mechanics.drawing.skeleton import BASE, Array, Move, held_frames, matrix
from manipula.mechanics.drawing.visuals.places import located
from manipula.mechanics.drawing.visuals.triangles import MOST, plain_mesh, simplified
from manipula.mechanics.drawing.visuals.urdf import DrawnArm, Placed, visuals_of
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.formats.source import text_from_bytes
from manipula.mechanics.robot.stand_ins import with_stand_ins

COARSER = (1500, 600, 250, 100)  # faces of a mesh


def dressed_where_known(record: dict[str, Any], robot: RobotDescription) -> dict[str, Any]:
    """As its file says, if the robot came from a URDF that is still there and can still be read."""
    try:
        return dressed(record, looks_of(record, robot))
    except (ManipulaError, OSError):
        return record


def visual_file(robot: RobotDescription, within: Path | None = None) -> Path | None:
    """The URDF that says how the robot's links look: its own file, or the one its file names, below the same folder."""
    origin, path = robot.origin, Path(robot.origin.path or ".")
    if origin.format == "urdf":
        return path if path.is_file() else None
    return located(origin.visuals, path.parent, within) if origin.visuals else None


def looks_of(record: dict[str, Any], robot: RobotDescription, within: Path | None = None) -> dict[str, Any]:
    """How the URDF of `visual_file` draws the links, as plain data: `shapes` in the frame of the link that the joint
    of this name moves, "" the base; `paints`; `notes` on what could not be drawn. `within`: no file outside is read."""
    path = visual_file(robot, within)
    if path is None:
        raise InputError(
            "{name}: meshes are those of a URDF file, and this robot came from none that is there", robot.name
        )
    text = text_from_bytes(path.read_bytes(), str(path))
    arm = DrawnArm(
        [_placed(joint) for joint in record["joints"]], _at_zero(record), held_frames(with_stand_ins(robot)[0])
    )
    found = visuals_of(text, path.resolve().parent, arm, within)
    names = [joint.name for joint in arm.joints]
    shapes = {names[i] if i != BASE else "": own for i, own in found.shapes.items() if own}
    return {"shapes": shapes, "paints": found.paints, "notes": found.notes}


def dressed(record: dict[str, Any], looks: dict[str, Any]) -> dict[str, Any]:
    """The record with these looks; a link that has none keeps its solids."""
    names, shapes = ["", *(joint["name"] for joint in record["joints"])], looks["shapes"]
    links = [{**link, "shapes": shapes.get(name, link["shapes"])} for name, link in zip(names, record["links"])]
    tool = record["tool"]
    if names[tool["on"] + 1] in shapes:
        tool = {**tool, "shapes": [shape for shape in tool["shapes"] if shape["paint"] == "payload"]}
    paints = {**record["paints"], **looks["paints"]}
    return {**record, "links": links, "tool": tool, "paints": paints, "notes": looks["notes"]}


def lighter(looks: dict[str, Any], size: int) -> dict[str, Any]:
    """The same, coarser until it is a text of no more than `size` characters; with nothing where none is so small. What
    was done is told in its notes."""
    for most in (MOST, *COARSER):
        found = looks if most == MOST else {**looks, "shapes": _coarser(looks["shapes"], most)}
        if len(json.dumps(found["shapes"])) <= size:
            told = [] if most == MOST else ["meshes are drawn coarser here than they are in their files"]
            return {**found, "notes": [*looks["notes"], *told]}
    return {**looks, "shapes": {}, "notes": ["the meshes of the file are too many to be drawn here"]}


def _coarser(shapes: dict[str, list[Shape]], most: int) -> dict[str, list[Shape]]:
    return {name: [_few(shape, most) for shape in own] for name, own in shapes.items()}


def _few(shape: Shape, most: int) -> Shape:
    if shape["kind"] != "mesh":
        return shape
    mesh = simplified(plain_mesh(np.array(shape["vertices"]), np.array(shape["faces"])), most)
    return {**shape, "vertices": mesh.vertices.tolist(), "faces": mesh.faces.tolist()}


def _placed(joint: dict[str, Any]) -> Placed:
    moves = [Move(kind, amount) for kind, amount, _ in (*joint["before"], *joint["after"])]
    return Placed(joint["name"], joint["parent"], matrix(tuple(moves)))


def _at_zero(record: dict[str, Any]) -> tuple[str, Array]:
    """A joint that stands on the base, and its link's frame seen from the base where all joints are at zero."""
    i = next(i for i, joint in enumerate(record["joints"]) if joint["parent"] == BASE)
    base, *links = poses_of(record, np.zeros(record["dof"]))
    return record["joints"][i]["name"], np.linalg.inv(base) @ links[i]
