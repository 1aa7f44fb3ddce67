"""A record whose links look as their file says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from manipula.errors import InputError, ManipulaError
from manipula.mechanics.drawing.posing import poses_of
from manipula.mechanics.drawing.skeleton import BASE, Array
from manipula.mechanics.drawing.visuals.urdf import visuals_of
from manipula.mechanics.robot.description import Robot
from manipula.mechanics.robot.formats.source import text_from_bytes


def dressed_where_known(record: dict[str, Any], robot: Robot) -> dict[str, Any]:
    """As its file says, if the robot came from a URDF that is still there and can still be read."""
    try:
        return dressed(record, robot)
    except ManipulaError:
        return record


def dressed(record: dict[str, Any], robot: Robot) -> dict[str, Any]:
    """The shapes of the URDF the robot came from; a link without any keeps its solids. `notes` tell what was not
    drawn."""
    path = Path(robot.origin.path or ".")
    if robot.origin.format != "urdf" or not path.is_file():
        raise InputError(f"{robot.name}: meshes are those of a URDF file, and this robot came from none that is there")
    text = text_from_bytes(path.read_bytes(), str(path))
    found = visuals_of(text, path.parent, [joint["name"] for joint in record["joints"]], _at_zero(record))
    links = [{**link, "shapes": found.shapes.get(i) or link["shapes"]} for i, link in enumerate(record["links"], BASE)]
    tool = record["tool"]
    if found.shapes.get(tool["on"]):
        tool = {**tool, "shapes": [shape for shape in tool["shapes"] if shape["paint"] == "payload"]}
    paints = {**record["paints"], **found.paints}
    return {**record, "links": links, "tool": tool, "paints": paints, "notes": found.notes}


def _at_zero(record: dict[str, Any]) -> tuple[str, Array]:
    """A joint that stands on the base, and its link's frame seen from the base where all joints are at zero."""
    i = next(i for i, joint in enumerate(record["joints"]) if joint["parent"] == BASE)
    base, *links = poses_of(record, np.zeros(record["dof"]))
    return record["joints"][i]["name"], np.linalg.inv(base) @ links[i]
