"""The arm in time: what a motion asks of it, and what a law makes of it."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from manipula import Event, Law, Log, Plant, Run, Sensors, api, trajectory
from manipula.arm import Arm
from manipula.errors import InputError, ManipulaError, UnknownNameError
from manipula.messages import Message
from manipula.robot import Robot
from manipula.studio.tasks import replies, requests
from manipula.studio.tasks.descriptions import file_name
from manipula.studio.tasks.models import store_file
from manipula.support.text import plain

SAMPLES = 401  # of a motion: a plot has no more points
SHOWN = 2001  # of a run
LONGEST = 600.0  # s
SEAM = 201  # poses of a straight line
MOST_POSES = 5000
MOST_STEPS = 2_000_000
BEGIN = {"kp": 100.0, "kd": 20.0, "ki": 50.0, "lam": 10.0, "gamma": 1.0}
FRICTIONS = ("stick", "smooth", "none")
MOTIONS = ("quintic", "trapezoid", "spline", "line")


def motion(given: requests.Given, tell: requests.Tell) -> replies.MotionAnswer:
    """Torques, energies, powers, the way of the tool, how well it can move: along a motion."""
    robot, made_up = requests.numeric_robot(given)
    reference = _reference(requests.part_in(given, "motion"), robot)
    t = np.linspace(0.0, reference.duration, SAMPLES)
    q, qd, qdd = reference(t)
    arm = Arm(robot)
    tell("inverse dynamics")
    tau = arm.inverse_dynamics(q, qd, qdd)
    tell("energy")
    kinetic, potential = (plain(np.ravel(x)) for x in arm.energy(q, qd))
    tell("pose")
    tool = np.asarray(arm.pose(q))[:, :3, 3]
    tell("manipulability")
    manipulability = None
    with suppress(ManipulaError):  # not of every arm
        manipulability = plain(np.ravel(arm.manipulability(q)))
    return {
        "t": plain(t), "q": plain(q), "qd": plain(qd), "qdd": plain(qdd), "tau": plain(tau), "power": plain(tau * qd),
        "tool": plain(tool), "energy": {"kinetic": kinetic, "potential": potential}, "manipulability": manipulability,
        "units": units_of(robot), "joints": list(robot.joint_names), "stand_ins": made_up,
    }  # fmt: skip


def seam(given: requests.Given, tell: requests.Tell) -> replies.SeamAnswer:
    """Poses followed as a whole: those of a table, or of the straight line between the ends of a motion."""
    robot, made_up = requests.numeric_robot(given)
    arm = Arm(robot)
    table = requests.text_in(given, "table")
    ends = requests.part_in(given, "motion")
    if table.strip():
        poses = api.poses_from_text(table)
    else:
        first, last = (arm.pose(requests.numbers_in(ends, key, robot.dof)) for key in ("from", "to"))
        poses = api.straight_poses(first, last, SEAM)
    if len(poses) > MOST_POSES:
        raise InputError("poses: {count} are too many here; at most {most}", len(poses), MOST_POSES)
    tell("inverse kinematics")
    found = arm.follow(
        poses, requests.numbers_in(given, "start", robot.dof) if given.get("start") is not None else "best",
        free=requests.text_in(given, "free", "", ("", "spin")) or None,
        max_step=requests.number_in(given, "max_step", 0.3, 1e-6, 3.14),
        cost=requests.text_in(given, "cost", "travel", ("travel", "margin")),
    )  # fmt: skip
    return {
        "text": str(found.lines()[0]), "poses": np.flatnonzero(found.reached).tolist(),
        "q": plain(found.q[found.reached]), "jumps": found.jumps, "csv": found.csv_text(),
        "reasons": [{"kind": x.kind, "first": x.first, "last": x.last, "text": x.text} for x in found.reasons],
        "joints": list(robot.joint_names), "units": units_of(robot), "stand_ins": made_up,
    }  # fmt: skip


def units_of(robot: Robot) -> replies.JointUnits:
    turns = robot.coordinates.turns
    return {"q": ["rad" if x else "m" for x in turns], "tau": ["N·m" if x else "N" for x in turns]}


def _reference(given: requests.Given, robot: Robot) -> trajectory.Trajectory:
    """From rest to rest; through points where there are some."""
    kind = requests.text_in(given, "kind", "quintic", MOTIONS)
    duration = requests.number_in(given, "duration", 2.0, 1e-3, LONGEST)
    if kind == "spline":
        return _through(given, robot, duration)
    start, goal = (requests.numbers_in(given, key, robot.dof) for key in ("from", "to"))
    if kind == "line":
        arm = Arm(robot)
        return trajectory.line(arm, start, arm.pose(goal), duration)
    return (trajectory.quintic if kind == "quintic" else trajectory.trapezoid)(start, goal, duration)


def _through(given: requests.Given, robot: Robot, duration: float) -> trajectory.Trajectory:
    points = given.get("points")
    if not isinstance(points, list) or not 2 <= len(points) <= 200:
        raise InputError("points: expected 2 to 200 lists of joint positions")
    rows = [requests.numbers_in({"points": row}, "points", robot.dof) for row in points]
    return trajectory.spline(rows, np.linspace(0.0, duration, len(rows)))


def simulate(given: requests.Given, tell: requests.Tell) -> replies.SimulateAnswer:
    """A run of the arm under a law, with what disturbs it."""
    robot, made_up = requests.numeric_robot(given)
    with requests.collect_warnings() as warned:
        run = _run(given, robot, tell)
    every = max(1, -(-len(run.t) // SHOWN))
    t, q, qd, tau = (plain(x[::every]) for x in (run.t, run.q, run.qd, run.tau))
    return {
        "t": t, "q": q, "qd": qd, "tau": tau, "ref": None if run.ref is None else plain(run.ref.q[::every]),
        "error": None if run.error is None else plain(run.error[::every]), "balance": float(np.max(run.balance)),
        "modes": [{"joint": run.joints[x.joint], "since": plain(x.since), "until": plain(x.until)} for x in run.modes],
        "whole": run.whole, "joints": list(run.joints), "units": units_of(robot), "warnings": warned,
        "stand_ins": made_up,
    }  # fmt: skip


def _run(given: requests.Given, robot: Robot, tell: requests.Tell) -> Run:
    step = requests.number_in(given, "step", 1e-3, 1e-6, 1.0)
    reference = _reference(requests.part_in(given, "reference"), robot) if given.get("reference") is not None else None
    until = requests.number_in(given, "until", reference.duration if reference else 2.0, step, LONGEST)
    if until / step > MOST_STEPS:
        raise InputError("step: {until:.3g} steps are too many here; at most {most_steps}", until / step, MOST_STEPS)
    payload = requests.number_in(given, "payload", 0.0, 0.0, 1e6)
    held = robot.with_payload(payload) if payload else robot
    name = requests.text_in(given, "law")
    friction: Any = requests.text_in(given, "friction", "stick", FRICTIONS)
    limited = name and any(joint.effort_limit is not None for joint in robot.joints)
    plant = Plant(held, friction, "limits" if limited else None)
    law = _law(given, name, robot, tell) if name else None
    begins = given.get("start") is not None or reference is None
    start = requests.numbers_in(given, "start", robot.dof) if begins else None
    return api.simulate(
        plant, law, reference if law is not None else None, start=start, until=until, step=step,
        method=requests.text_in(given, "method", "rk4"), sensors=_sensors(given, law), events=_pushes(given), tell=tell,
    )  # fmt: skip


def _law(given: requests.Given, name: str, robot: Robot, tell: requests.Tell) -> Law:
    if name not in api.laws():
        raise UnknownNameError("control law", name[:60], api.laws())
    gains = requests.part_in(given, "gains")
    known = {gain["name"]: gain for gain in suggest_gains(name)}
    settable = dict.fromkeys((*known, *api.law_options(name)))
    odd = [key for key in gains if key not in settable]
    if odd:
        raise UnknownNameError(Message("gain of {name}", name), str(odd[0])[:60], settable)
    settings: dict[str, Any] = {key: gain["value"] for key, gain in known.items() if gain["value"] is not None}
    settings |= {key: value for key, value in gains.items() if value is not None}
    sample = requests.number_in(given, "sample", 1e-3, 0.0, 1.0)
    return api.controller(robot, name, sample=sample or None, tell=tell, **settings)


def suggest_gains(law: str) -> list[replies.Gain]:
    """The gains of a law with a value to begin with: about two swings a second, critically damped."""
    begun = [gain | {"value": BEGIN.get(gain["name"], 10.0)} if gain["value"] is None else gain
             for gain in api.law_gains(law)]  # fmt: skip
    return list(plain(begun))  # what has no bound has no number


def _sensors(given: requests.Given, law: Law | None) -> Sensors | None:
    noise = requests.part_in(given, "noise")
    sigma = {key: requests.number_in(noise, key, 0.0, 0.0, 1.0) for key in ("q", "qd")}
    return Sensors(noise=sigma) if law is not None and any(sigma.values()) else None


def _pushes(given: requests.Given) -> list[Event]:
    push = requests.part_in(given, "push")
    if not push:
        return []
    begin, end = requests.number_in(push, "from", 0.0, 0.0, LONGEST), requests.number_in(push, "to", 0.0, 0.0, LONGEST)
    if end <= begin:
        raise InputError("push: it ends at {end:g} s, before it begins at {begin:g} s", end, begin)
    force = requests.numbers_in(push, "force", 3)
    return [Event(begin, wrench=[*force, 0.0, 0.0, 0.0]), Event(end, wrench=[0.0] * 6)]


# What a page needs when it opens: robots, models, languages, laws, formats, each as its registry has it.


def start(given: requests.Given, tell: requests.Tell) -> replies.Known:
    with requests.collect_warnings():
        robots = [(name, api.load(name)) for name in api.robots()]
    chapters = {name: group for group, names in api.model_groups().items() for name in names}
    models, formats = api.models(), {form.name: form for form in api.formats().values()}
    return {
        "library": [{"name": name, "dof": robot.dof, "about": robot.origin.description} for name, robot in robots],
        "models": [{"name": name, "about": about, "group": chapters[name]} for name, about in models.items()],
        "methods": {name: api.methods(name) for name in models},
        "languages": api.languages(),
        "options": {name: api.language_options(name) for name in api.languages()},
        "laws": [{"name": name, "about": about, "settings": suggest_gains(name)} for name, about in api.laws().items()],
        "joint_types": api.joint_kinds(),
        "formats": [
            {"name": x.name, "label": x.label or x.title, "endings": list(x.endings), "written": bool(x.writer),
             "visuals": x.visuals}
            for x in formats.values()
        ],
    }  # fmt: skip


# Recordings dropped on the page: what they tell of the robot.

METHODS = ("entropic", "wls", "ols", "irls", "ridge", "tls", "lmi", "log_cholesky", "iv", "output_error")
SAMPLE = "puma560"
POINTS = 600  # of a plot: more than its pixels show nothing


def identify(given: requests.Given, tell: requests.Tell) -> replies.IdentifyAnswer:
    """`logs` and `validate` are paths of uploads, which the server has looked up; `sample`: the recording of a PUMA 560
    that comes with the package, in place of them."""
    if given.get("sample") is True:
        robot, training, validation = api.load(SAMPLE), [f"sample:{SAMPLE}"], [f"sample:{SAMPLE}-check"]
    else:
        robot = requests.robot_in(given)
        training, validation = requests.paths_in(given, "logs"), requests.paths_in(given, "validate")
    if not training:
        raise InputError("logs: drop at least one recording")
    with requests.collect_warnings() as warned:
        logs, others = ([_log(path, robot, tell) for path in paths] for paths in (training, validation))
        method = requests.text_in(given, "method", "entropic", METHODS)
        found = api.identify(robot, logs, validate=others, method=method, tell=tell)
        tell("the report")
        outbox = requests.path_in(given, "outbox")
        found.report(outbox / "found.html")
        page = (outbox / "found.html").read_bytes()
        document = api.document(found.robot)
    names = ["training", *(Path(path).name for path in validation)]
    return {
        "text": str(found), "consistent": bool(found.consistent), "document": document,
        "parameters": [
            {"name": x.name, "value": plain(x.value), "sigma": plain(x.sigma), "prior": plain(x.prior), "unit": x.unit,
             "family": x.family}
            for x in found.parameters
        ],
        "errors": [
            {"log": name, "percent": plain(float(errors.whole)),
             "joints": [{"joint": x, "percent": plain(float(y))} for x, y in zip(robot.joint_names, errors.joints)]}
            for name, errors in zip(names, (found.train, *found.validation))
        ],
        "courses": [
            {"log": name, "joints": [_joint_course(course, j, robot) for j in range(robot.dof)]}
            for name, course in zip(names, found.courses)
        ],
        "warnings": [*found.warnings, *(x["message"] for x in warned)],
        "report": store_file(outbox, f"{file_name(robot.name)}_identified.html", page),
    }  # fmt: skip


def _log(path: str, robot: Robot, tell: requests.Tell) -> Log:
    tell(f"reading {Path(path).name}")
    return api.read_log(path, robot)


def _joint_course(course: Any, j: int, robot: Robot) -> replies.JointCourse:
    """Torques over time. Where there are more rows than points, of every few the one predicted worst: a peak of the
    residual is what one looks for."""
    rest = np.abs(course.residual[:, j])
    parts = np.array_split(np.arange(len(rest)), min(POINTS, len(rest)))
    rows = np.array([part[rest[part].argmax()] for part in parts])
    t, measured, predicted = (plain(x[rows]) for x in (course.clock, course.measured[:, j], course.predicted[:, j]))
    return {"joint": robot.joint_names[j], "unit": units_of(robot)["tau"][j], "t": t, "measured": measured,
            "predicted": predicted}  # fmt: skip
