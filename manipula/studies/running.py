"""Ready studies as calls: `mp.studies.workspace("puma560", voxels=50, engine="local")`.

Every one takes the settings of its plan, and what `mp.study` takes: engine, workers, seed, resume, results, tell.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from manipula.api import load
from manipula.errors import InputError
from manipula.robot import Robot
from manipula.studies.ready.registry import ready
from manipula.studies.results.study_result import Study
from manipula.studies.studying import study

OPTIONS = ("engine", "workers", "seed", "resume", "results", "tell")  # of `study`


def ready_study(name: str, robot: Robot | str, settings: Mapping[str, Any], **options: Any) -> Study:
    """A ready study by its name."""
    entry = ready(name)
    if not isinstance(robot, Robot | str):
        raise InputError(f"robot: expected a robot or its name, found {robot!r:.60}")
    subject = load(robot) if isinstance(robot, str) else robot
    plan = entry.planned(subject, settings)
    found = study(entry.function, plan.cases, shared=plan.shared, **options)
    return replace(found, title=f"{name} of {subject.name}", show=entry.show)


def _run(name: str, robot: Robot | str, words: Mapping[str, Any]) -> Study:
    options = {word: value for word, value in words.items() if word in OPTIONS}
    return ready_study(name, robot, {word: value for word, value in words.items() if word not in OPTIONS}, **options)


def workspace(robot: Robot | str, **words: Any) -> Study:
    """Where the tool gets to, by voxel: `reach` (share of directions), `answers` (inside the limits, the most of any
    direction), `manipulability` (best), `torque` (worst that gravity asks for) and the `joint` that bears it; without
    masses the last two are left out.

    `voxels`: along the longest side, or along x, y, z; `directions` of the tool's z axis, the first straight down;
    `box`: [[x, x], [y, y], [z, z]], by default what holds the reach. Besides: what `mp.study` takes.
    """
    return _run("workspace", robot, words)
