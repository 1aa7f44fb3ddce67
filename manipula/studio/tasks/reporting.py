"""The report: one page that stands alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from manipula import api
from manipula.errors import ManipulaError
from manipula.studio.tasks.describing import file_name
from manipula.studio.tasks.emitting import put
from manipula.studio.tasks.given import Given, names_in, robot_in
from manipula.studio.tasks.looking import looks_in

Tell = Callable[[str], None]


def report(given: Given, tell: Tell) -> dict[str, Any]:
    """Panels named in `hidden` are left out, for whoever is to find them."""
    robot = robot_in(given)
    place = Path(given["outbox"]) / "report.html"
    looks = _looks(given) if given.get("path") else None
    api.report(robot, place, hidden=names_in(given, "hidden"), looks=looks, tell=tell)
    return {"url": put(Path(given["outbox"]), f"{file_name(robot.name)}.html", place.read_bytes())}


def _looks(given: Given) -> dict[str, Any] | None:
    """Of the file the page has opened; one that is spoilt since leaves the solids."""
    try:
        return looks_in(given)
    except ManipulaError:
        return None
