"""Recordings dropped on the page: what they tell of the robot."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from manipula import api
from manipula.errors import InputError
from manipula.robot import Robot
from manipula.studio.tasks.describing import file_name
from manipula.studio.tasks.emitting import put
from manipula.studio.tasks.faults import heard
from manipula.studio.tasks.given import Given, robot_in, text_in
from manipula.studio.tasks.moving import units_of
from manipula.support.plain import plain

Tell = Callable[[str], None]
METHODS = ("entropic", "wls", "ols", "irls", "ridge", "tls", "lmi", "log_cholesky", "iv", "output_error")
POINTS = 600  # of a plot: more than its pixels show nothing


def identify(given: Given, tell: Tell) -> dict[str, Any]:
    """`logs` and `validate` are paths of uploads, which the server has looked up."""
    robot = robot_in(given)
    if not given["logs"]:
        raise InputError("logs: drop at least one recording")
    with heard() as warned:
        logs, others = ([_log(path, robot, tell) for path in given[key]] for key in ("logs", "validate"))
        method = text_in(given, "method", "entropic", METHODS)
        found = api.identify(robot, logs, validate=others, method=method, tell=tell)
        tell("the report")
        place = Path(given["outbox"]) / "found.html"
        found.report(place)
        report = put(Path(given["outbox"]), f"{file_name(robot.name)}_identified.html", place.read_bytes())
        document = api.document(found.robot)
    names = ["training", *(Path(path).name for path in given["validate"])]
    judged = [_errors(name, errors, robot) for name, errors in zip(names, (found.train, *found.validation))]
    parameters = [{key: plain(getattr(row, key)) for key in ("name", "value", "sigma", "prior", "unit", "family")}
                  for row in found.parameters]  # fmt: skip
    return {
        "text": str(found), "parameters": parameters, "errors": judged, "consistent": bool(found.consistent),
        "courses": [_course(name, course, robot) for name, course in zip(names, found.courses)],
        "warnings": [*found.warnings, *(x["message"] for x in warned)], "document": document, "report": report,
    }  # fmt: skip


def _log(path: str, robot: Robot, tell: Tell) -> Any:
    tell(f"reading {Path(path).name}")
    return api.read_log(path, robot)


def _errors(name: str, errors: Any, robot: Robot) -> dict[str, Any]:
    joints = [{"joint": joint, "percent": plain(float(x))} for joint, x in zip(robot.joint_names, errors.joints)]
    return {"log": name, "percent": plain(float(errors.whole)), "joints": joints}


def _course(name: str, course: Any, robot: Robot) -> dict[str, Any]:
    """Torques over time, joint by joint. Where there are more rows than points, of every few the one told worst: a peak
    of the residual is what one looks for."""
    joints = []
    for j, (joint, unit) in enumerate(zip(robot.joint_names, units_of(robot)["tau"])):
        rest = np.abs(course.residual[:, j])
        parts = np.array_split(np.arange(len(rest)), min(POINTS, len(rest)))
        rows = np.array([part[rest[part].argmax()] for part in parts])
        columns = {"t": course.clock, "measured": course.measured[:, j], "predicted": course.predicted[:, j]}
        joints.append({"joint": joint, "unit": unit, **{key: plain(x[rows]) for key, x in columns.items()}})
    return {"log": name, "joints": joints}
