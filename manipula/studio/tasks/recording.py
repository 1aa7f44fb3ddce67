"""Recordings dropped on the page: what they tell of the robot."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from manipula import api
from manipula.errors import InputError
from manipula.robot import Robot
from manipula.studio.tasks.describing import file_name
from manipula.studio.tasks.emitting import put
from manipula.studio.tasks.faults import heard
from manipula.studio.tasks.given import Given, robot_in, text_in
from manipula.support.plain import plain

Tell = Callable[[str], None]
METHODS = ("entropic", "wls", "ols", "irls", "ridge", "tls", "lmi", "log_cholesky", "iv", "output_error")


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
        document = api.document(Robot.of(found.robot))
    names = [Path(path).name for path in given["validate"]]
    judged = [_errors("training", found.train, robot)]
    judged += [_errors(name, errors, robot) for name, errors in zip(names, found.validation)]
    parameters = [
        {"name": row.name, "value": plain(row.value), "sigma": plain(row.sigma), "unit": row.unit}
        for row in found.parameters
    ]
    return {
        "text": str(found), "parameters": parameters, "errors": judged, "consistent": bool(found.consistent),
        "warnings": [*found.warnings, *(x["message"] for x in warned)], "document": document, "report": report,
    }  # fmt: skip


def _log(path: str, robot: Robot, tell: Tell) -> Any:
    tell(f"reading {Path(path).name}")
    return api.read_log(path, robot)


def _errors(name: str, errors: Any, robot: Robot) -> dict[str, Any]:
    joints = [{"joint": joint, "percent": plain(float(x))} for joint, x in zip(robot.joint_names, errors.joints)]
    return {"log": name, "percent": plain(float(errors.whole)), "joints": joints}
