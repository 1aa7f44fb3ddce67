"""The arm in time: what a motion asks of it, and what a law makes of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from manipula import Event, Plant, Sensors, api, trajectory
from manipula.arm import Arm
from manipula.errors import InputError, ManipulaError, UnknownNameError
from manipula.messages import Message
from manipula.robot import Robot
from manipula.studio.tasks.descriptions import file_name
from manipula.studio.tasks.models import FORMS, put
from manipula.studio.tasks.requests import (
    Given,
    collect_warnings,
    number_in,
    numbers_in,
    numeric_robot,
    part_in,
    robot_in,
    text_in,
)
from manipula.support.text import plain

Tell = Callable[[str], None]
SAMPLES = 401  # of a motion: a plot has no more points
SHOWN = 2001  # of a run
LONGEST = 600.0  # s
MOST_STEPS = 2_000_000
BEGIN = {"kp": 100.0, "kd": 20.0, "ki": 50.0, "lam": 10.0, "gamma": 1.0}
FRICTIONS = ("stick", "smooth", "none")
MOTIONS = ("quintic", "trapezoid", "spline", "line")


def motion(given: Given, tell: Tell) -> dict[str, Any]:
    """Torques, energies, powers, the way of the tool, how well it can move: along a motion."""
    robot, made_up = numeric_robot(given)
    reference = _reference(part_in(given, "motion"), robot)
    t = np.linspace(0.0, reference.duration, SAMPLES)
    q, qd, qdd = reference(t)
    arm = Arm(robot)
    tell("inverse dynamics")
    tau = arm.inverse_dynamics(q, qd, qdd)
    tell("energy")
    energy = arm.energy(q, qd)
    tell("pose")
    tool = np.asarray(arm.pose(q))[:, :3, 3]
    tell("manipulability")
    found = {
        "t": t, "q": q, "qd": qd, "qdd": qdd, "tau": tau, "power": tau * qd, "tool": tool,
        "energy": {"kinetic": np.ravel(energy[0]), "potential": np.ravel(energy[1])},
        "manipulability": _manipulability(arm, q),
    }  # fmt: skip
    told: dict[str, Any] = plain(found)
    return told | {"units": units_of(robot), "joints": list(robot.joint_names), "stand_ins": made_up}


def _manipulability(arm: Arm, q: Any) -> Any:
    try:
        return np.ravel(arm.manipulability(q))
    except ManipulaError:
        return None


def units_of(robot: Robot) -> dict[str, list[str]]:
    turns = robot.coordinates.turns
    return {"q": ["rad" if x else "m" for x in turns], "tau": ["N·m" if x else "N" for x in turns]}


def _reference(given: Given, robot: Robot) -> Any:
    """From rest to rest; through points where there are some."""
    kind, duration = text_in(given, "kind", "quintic", MOTIONS), number_in(given, "duration", 2.0, 1e-3, LONGEST)
    if kind == "spline":
        return _through(given, robot, duration)
    start, goal = (numbers_in(given, key, robot.dof) for key in ("from", "to"))
    if kind == "line":
        arm = Arm(robot)
        return trajectory.line(arm, start, arm.pose(goal), duration)
    return (trajectory.quintic if kind == "quintic" else trajectory.trapezoid)(start, goal, duration)


def _through(given: Given, robot: Robot, duration: float) -> Any:
    points = given.get("points")
    if not isinstance(points, list) or not 2 <= len(points) <= 200:
        raise InputError("points: expected 2 to 200 lists of joint positions")
    rows = [numbers_in({"points": row}, "points", robot.dof) for row in points]
    return trajectory.spline(rows, np.linspace(0.0, duration, len(rows)))


def simulate(given: Given, tell: Tell) -> dict[str, Any]:
    """A run of the arm under a law, with what disturbs it."""
    robot, made_up = numeric_robot(given)
    with collect_warnings() as warned:
        run = _run(given, robot, tell)
    every = max(1, -(-len(run.t) // SHOWN))
    kept = {"t": run.t, "q": run.q, "qd": run.qd, "tau": run.tau, "error": run.error}
    kept["ref"] = None if run.ref is None else run.ref.q
    modes = [
        {"joint": run.joints[rest.joint], "from": rest.since, "to": rest.until, "why": "rests"} for rest in run.modes
    ]
    told: dict[str, Any] = plain({key: None if x is None else x[::every] for key, x in kept.items()})
    whole = {"peaks": run.peaks(), "balance": float(np.max(run.balance)), "modes": modes, "whole": run.whole}
    told |= plain(whole)
    return told | {
        "joints": list(run.joints), "units": units_of(robot), "warnings": warned, "stand_ins": made_up,
    }  # fmt: skip


def _run(given: Given, robot: Robot, tell: Tell) -> Any:
    step = number_in(given, "step", 1e-3, 1e-6, 1.0)
    reference = _reference(part_in(given, "reference"), robot) if given.get("reference") is not None else None
    until = number_in(given, "until", reference.duration if reference else 2.0, step, LONGEST)
    if until / step > MOST_STEPS:
        raise InputError("step: {until:.3g} steps are too many here; at most {most_steps}", until / step, MOST_STEPS)
    payload = number_in(given, "payload", 0.0, 0.0, 1e6)
    held = robot.with_payload(payload) if payload else robot
    name = text_in(given, "law")
    friction: Any = text_in(given, "friction", "stick", FRICTIONS)
    limited = name and any(joint.effort_limit is not None for joint in robot.joints)
    plant = Plant(held, friction, "limits" if limited else None)
    law = _law(given, name, robot, tell) if name else None
    start = numbers_in(given, "start", robot.dof) if given.get("start") is not None or reference is None else None
    return api.simulate(
        plant, law, reference if law is not None else None, start=start, until=until, step=step,
        method=text_in(given, "method", "rk4"), sensors=_sensors(given, law), events=_pushes(given), tell=tell,
    )  # fmt: skip


def _law(given: Given, name: str, robot: Robot, tell: Tell) -> Any:
    if name not in api.laws():
        raise UnknownNameError("control law", name[:60], api.laws())
    gains = part_in(given, "gains")
    known = {gain["name"]: gain for gain in suggest_gains(name)}
    settable = dict.fromkeys((*known, *api.law_options(name)))
    odd = [key for key in gains if key not in settable]
    if odd:
        raise UnknownNameError(Message("gain of {name}", name), str(odd[0])[:60], settable)
    begun = {key: gain["value"] for key, gain in known.items() if gain["value"] is not None}
    settings = begun | {key: value for key, value in gains.items() if value is not None}
    sample = number_in(given, "sample", 1e-3, 0.0, 1.0)
    return api.controller(robot, name, sample=sample or None, tell=tell, **settings)


def suggest_gains(law: str) -> list[dict[str, Any]]:
    """The gains of a law with a value to begin with: about two swings a second, critically damped."""
    begun = [gain | {"value": BEGIN.get(gain["name"], 10.0)} if gain["value"] is None else gain
             for gain in api.law_gains(law)]  # fmt: skip
    return list(plain(begun))  # no number is told of what has no bound


def _sensors(given: Given, law: Any) -> Sensors | None:
    noise = part_in(given, "noise")
    sigma = {key: number_in(noise, key, 0.0, 0.0, 1.0) for key in ("q", "qd")}
    return Sensors(noise=sigma) if law is not None and any(sigma.values()) else None


def _pushes(given: Given) -> list[Event]:
    push = part_in(given, "push")
    if not push:
        return []
    begin, end = number_in(push, "from", 0.0, 0.0, LONGEST), number_in(push, "to", 0.0, 0.0, LONGEST)
    if end <= begin:
        raise InputError("push: it ends at {end:g} s, before it begins at {begin:g} s", end, begin)
    force = numbers_in(push, "force", 3)
    return [Event(begin, wrench=[*force, 0.0, 0.0, 0.0]), Event(end, wrench=[0.0] * 6)]


# What a page is told when it opens: robots, models, languages, laws.


def start(given: Given, tell: Tell) -> dict[str, Any]:
    with collect_warnings():
        robots = [(name, api.load(name)) for name in api.robots()]
    models = api.models()
    return {
        "library": [{"name": name, "dof": robot.dof, "about": robot.origin.description} for name, robot in robots],
        "models": [{"name": name, "about": about} for name, about in models.items()],
        "methods": {name: api.methods(name) for name in models},
        "languages": api.languages(),
        "options": {name: api.language_options(name) for name in api.languages()},
        "laws": [{"name": name, "about": about, "settings": suggest_gains(name)} for name, about in api.laws().items()],
        "forms": list(FORMS),
        "joint_types": api.joint_kinds(),
    }


# Recordings dropped on the page: what they tell of the robot.

METHODS = ("entropic", "wls", "ols", "irls", "ridge", "tls", "lmi", "log_cholesky", "iv", "output_error")
SAMPLE = "puma560"
POINTS = 600  # of a plot: more than its pixels show nothing


def identify(given: Given, tell: Tell) -> dict[str, Any]:
    """`logs` and `validate` are paths of uploads, which the server has looked up; `sample`: the recording of a PUMA 560
    that comes with the package, in place of them."""
    robot = api.load(SAMPLE) if given.get("sample") is True else robot_in(given)
    if given.get("sample") is True:
        given = {**given, "logs": [f"sample:{SAMPLE}"], "validate": [f"sample:{SAMPLE}-check"]}
    if not given["logs"]:
        raise InputError("logs: drop at least one recording")
    with collect_warnings() as warned:
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
