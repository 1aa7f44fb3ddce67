"""What a page is told when it opens: robots, models, languages, laws."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from manipula import api
from manipula.studio.tasks.deriving import FORMS
from manipula.studio.tasks.faults import heard
from manipula.studio.tasks.given import Given
from manipula.studio.tasks.moving import suggested

Tell = Callable[[str], None]


def start(given: Given, tell: Tell) -> dict[str, Any]:
    with heard():
        robots = [(name, api.load(name)) for name in api.robots()]
    models = api.models()
    return {
        "library": [{"name": name, "dof": robot.dof, "about": robot.origin.description} for name, robot in robots],
        "models": [{"name": name, "about": about} for name, about in models.items()],
        "methods": {name: api.methods(name) for name in models},
        "languages": api.languages(),
        "options": {name: api.language_options(name) for name in api.languages()},
        "laws": [{"name": name, "about": about, "settings": suggested(name)} for name, about in api.laws().items()],
        "forms": list(FORMS),
        "joint_types": api.joint_kinds(),
    }
