"""The tasks by name: what answers a keystroke, and what is a job. Their code is imported where they are done."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

Task = Callable[[Mapping[str, Any], Callable[..., None]], dict[str, Any]]
QUICK = {
    "start": "starting:start",
    "read": "describing:read",
    "draw": "describing:draw",
    "convert": "describing:convert",
    "export": "describing:export",
    "toml": "saving:toml",
}
JOBS = {
    "module": "deriving:module",
    "equations": "deriving:equations",
    "counts": "deriving:counts",
    "inverse": "deriving:inverse",
    "check": "deriving:check",
    "base": "deriving:base",
    "code": "emitting:code",
    "zip": "emitting:archive",
    "motion": "moving:motion",
    "simulate": "moving:simulate",
    "identify": "recording:identify",
    "report": "reporting:report",
    "looks": "looking:looks",
    "studies": "studying:studies",
    "study": "studying:study",
}


def task_named(name: str) -> Task:
    module, _, function = (QUICK | JOBS)[name].partition(":")
    found: Task = getattr(import_module(f"{__package__}.{module}"), function)
    return found
