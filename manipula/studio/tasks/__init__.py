"""What the workers do for the page: each task takes plain data and gives plain data."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from manipula.studio.tasks.replies import Reply
from manipula.studio.tasks.requests import Given, Tell

# The tasks by name: what answers a keystroke, and what is a job. Their code is imported where they are done.

Task = Callable[[Given, Tell], Reply]
QUICK = {
    "start": "motion:start",
    "read": "descriptions:read",
    "draw": "descriptions:draw",
    "convert": "descriptions:convert",
    "export": "descriptions:export",
    "toml": "descriptions:toml",
}
JOBS = {
    "module": "models:module",
    "equations": "models:equations",
    "counts": "models:counts",
    "inverse": "models:inverse",
    "derivation": "models:derivation",
    "check": "models:check",
    "base": "models:base",
    "code": "models:code",
    "zip": "models:archive",
    "motion": "motion:motion",
    "seam": "motion:seam",
    "simulate": "motion:simulate",
    "identify": "motion:identify",
    "report": "models:report",
    "looks": "models:looks",
    "studies": "studies:studies",
    "study": "studies:study",
}


def task_named(name: str) -> Task:
    module, _, function = (QUICK | JOBS)[name].partition(":")
    found: Task = getattr(import_module(f"{__package__}.{module}"), function)
    return found
