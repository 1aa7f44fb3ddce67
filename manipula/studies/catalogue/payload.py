"""How much an arm can carry how fast: a motion with a load in the hand, at several speeds, against what motors give.

The motion is a quintic from rest to rest. At s times its speed positions are the same, velocities s and accelerations
s² times as large. The load's mass is an input of the compiled model, so that friction that grows with the load is
right, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from manipula import api
from manipula.errors import InputError, UnsetError, some_of
from manipula.mechanics.robot.default_values import Limits
from manipula.mechanics.robot.topology import with_frame
from manipula.messages import Message
from manipula.pages.charts import Chart, ChartLine
from manipula.pages.page import charts, section
from manipula.robot import Robot
from manipula.simulation import trajectory
from manipula.studies.cases.cases import Product
from manipula.studies.cases.values import Case
from manipula.studies.catalogue import entry
from manipula.studies.results.study_result import Study
from manipula.studies.work.job import robot_from, text_from

SAMPLES = 401  # of the motion
HELD = "held_mass"


@lru_cache(maxsize=8)
def _dynamics(text: str, com: tuple[float, ...]) -> Any:
    """Torques with the mass in the hand as their parameter."""
    model = api.generate(robot_from(text).with_payload(HELD, com=com), "inverse_dynamics")
    if missing := [name for name in model.inputs["p"] if name != HELD]:
        raise UnsetError(Message("inverse_dynamics needs a value for {some_of}", some_of(missing)), missing)
    return model.compile()


@lru_cache(maxsize=8)
def _motion(start: tuple[float, ...], goal: tuple[float, ...], duration: float) -> Any:
    return trajectory.quintic(start, goal, duration)(np.linspace(0, duration, SAMPLES))


def payload_case(case: Case, rng: object) -> Case:
    """One load at one speed."""
    q, qd, qdd = _motion(tuple(case["start"]), tuple(case["goal"]), case["duration"])
    s = case["speed"]
    tau = _dynamics(text_from(case["robot"]), tuple(case["com"]))(q, s * qd, s**2 * qdd, [case["mass"]])
    peaks = np.abs(tau).max(0)
    use = peaks / case["limits"]
    fast = np.abs(s * qd).max(0) / case["velocities"]
    return {
        "use": use.max(), "joint": int(use.argmax()) + 1, "speed_use": fast.max(), "torque": peaks,
        "fits": bool(use.max() <= 1 and fast.max() <= 1),
    }  # fmt: skip


FORM = (
    entry.StudySetting("start", "where the motion begins", "joints", begin=entry.start_of),
    entry.StudySetting("goal", "where the motion ends", "joints", begin=entry.goal_of),
    entry.StudySetting("duration", "of the motion at speed 1", "number", "s", 1.0),
    entry.StudySetting(
        "payloads", "loads in the hand", "levels", "kg", {"from": 0, "to": 5, "count": 11}, column="mass"
    ),
    entry.StudySetting(
        "speeds", "times the motion's", "levels", "1", {"from": 0.5, "to": 2, "count": 7}, column="speed"
    ),
    entry.StudySetting("com", "centre of mass of the load, in the tool's frame", "vector", "m", (0.0, 0.0, 0.0)),
    entry.StudySetting(
        "limits", "what the motors give; left empty, what the robot's file says", "efforts", begin=entry.efforts_of
    ),
)
COLUMNS = {
    "mass": entry.StudyColumn("kg", "in the hand"),
    "speed": entry.StudyColumn("1", "times the motion's"),
    "use": entry.StudyColumn("1", "largest torque, as a share of its limit"),
    "joint": entry.StudyColumn("number", "number of the joint that limits"),
    "speed_use": entry.StudyColumn("1", "largest velocity, as a share of its limit"),
    "torque": entry.StudyColumn("N·m or N", "largest of every joint"),
    "fits": entry.StudyColumn("", "1 where no limit is passed"),
}


def plan(
    robot: Robot,
    goal: object = None,
    start: object = None,
    duration: float = 1.0,
    payloads: object = None,
    speeds: object = None,
    com: Sequence[float] = (0.0, 0.0, 0.0),
    limits: object = None,
) -> entry.StudyPlan:
    """From `start` (default: all zero) to `goal` in `duration` at speed 1; `payloads` in kg and `speeds` as levels or
    {from, to, count}; `com`: of the load in the tool frame; `limits`: of the torques, where the robot has no value."""
    if goal is None:
        raise InputError("payload: goal: expected where the motion ends, one number a joint")
    ends = [
        entry.joints(robot, name, x)
        for name, x in (("start", [0.0] * robot.dof if start is None else start), ("goal", goal))
    ]
    entry.positive("duration", duration)
    levels = {
        "mass": payloads if payloads is not None else {"from": 0, "to": 5, "count": 11},
        "speed": speeds if speeds is not None else {"from": 0.5, "to": 2, "count": 7},
    }
    cases, place = Product(levels), _place(com)
    if cases.levels["mass"].min() < 0 or cases.levels["speed"].min() <= 0:
        raise InputError("payload: expected payloads of zero or more and speeds above zero")
    robot = with_frame(robot)  # whose hand is meant
    _dynamics(text_from(robot), place)
    shared = {"start": ends[0], "goal": ends[1], "duration": float(duration), "com": list(place)}
    return entry.StudyPlan(
        cases,
        {"robot": robot, **shared, "limits": _efforts(robot, limits), "velocities": Limits(robot).velocity.tolist()},
    )


def _place(com: object) -> tuple[float, ...]:
    if isinstance(com, str) or (found := entry.floats_from(com, 3)) is None:
        raise InputError("com: expected three numbers, m in the tool frame, found {com!r:.60}", com)
    return tuple(found)


def _efforts(robot: Robot, limits: object) -> list[float]:
    if limits is not None:
        return [entry.positive("limits", x) for x in entry.joints(robot, "limits", limits)]
    known = Limits(robot).effort
    if np.isinf(known).any():
        name = robot.joint_names[int(np.isinf(known).argmax())]
        raise InputError(
            "payload: joint {name!r} of {name2} has no effort_limit; limits= gives one a joint", name, robot.name
        )
    return list(known.tolist())


def largest(study: Study) -> tuple[list[float], list[float]]:
    """At every speed the largest payload that fits; NaN where none does."""
    speeds = np.unique(study.table["speed"])
    fits, mass = study.table["fits"] == 1, study.table["mass"]
    return speeds.tolist(), [
        float(np.max(mass[(study.table["speed"] == s) & fits], initial=-np.inf)) for s in speeds
    ]  # fmt: skip


def show(study: Study) -> list[str]:
    speeds, masses = largest(study)
    told = [float("nan") if np.isinf(x) else x for x in masses]
    line = Chart("largest payload that fits", "speed, times the motion's", "payload, kg", speeds, [ChartLine("", told)])
    picture = study.map("use", "mass", "speed").svg()
    return [section("Payload and speed", charts([line]), f'<div class="charts">{picture}</div>')]


LINE = "how much an arm carries how fast: torques against what the motors give"
READY = entry.Ready("payload", LINE, payload_case, plan, show, form=FORM, columns=COLUMNS)
