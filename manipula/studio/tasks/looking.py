"""How the links of a robot in the user's folder look, by its URDF: read once, when the file is opened."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from manipula import api
from manipula.studio.tasks.emitting import put
from manipula.studio.tasks.faults import heard
from manipula.studio.tasks.given import Given

Tell = Callable[[str], None]


def looks(given: Given, tell: Tell) -> dict[str, Any]:
    """Shapes by joint, as a file that the page fetches; `notes` are sentences."""
    tell("reading the meshes")
    found = looks_in(given)
    text = json.dumps({key: found[key] for key in ("shapes", "paints")}, allow_nan=False)
    url = put(Path(given["outbox"]), "looks.json", text.encode()) if found["shapes"] else None
    return {"url": url, "notes": found["notes"]}


def looks_in(given: Given) -> dict[str, Any]:
    """Of the URDF that the server has looked up; nothing outside the user's folder is read."""
    path = Path(given["path"])
    with heard():
        robot = api.load(path)
    if robot.origin.format != "urdf" and not robot.origin.visuals:
        return {"shapes": {}, "paints": {}, "notes": []}
    return api.looks(robot, Path(given["root"]))
