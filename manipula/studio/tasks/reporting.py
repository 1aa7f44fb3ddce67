"""The report: one page that stands alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from manipula import api
from manipula.studio.tasks.describing import file_name
from manipula.studio.tasks.emitting import put
from manipula.studio.tasks.given import Given, names_in, robot_in

Tell = Callable[[str], None]


def report(given: Given, tell: Tell) -> dict[str, Any]:
    """Panels named in `hidden` are left out, for whoever is to find them."""
    robot = robot_in(given)
    place = Path(given["outbox"]) / "report.html"
    api.report(robot, place, hidden=names_in(given, "hidden"), tell=tell)
    return {"url": put(Path(given["outbox"]), f"{file_name(robot.name)}.html", place.read_bytes())}
