"""One design: does it do what is asked, with which motors, and what does it cost?

The way through a task is, of those found, the one of the least work. Motors are chosen from the tip
to the base, since a motor rides on the link before its joint: it loads the joints before it, never its own.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from manipula.errors import ManipulaWarning
from manipula.ik.descent import Descent
from manipula.mechanics.robot.description import Cell, Joint
from manipula.mechanics.robot.values.parameter import Parameter, number
from manipula.robot import Robot
from manipula.studies.cases.values import Case
from manipula.studies.designs.drives import WHAT, Asked, Choice, Drive, choose_drive, uses_of
from manipula.studies.designs.subject import (
    HELD,
    Subject,
    Values,
    call_model,
    motor_mass,
    open_parameters,
    with_beams,
    with_motors,
)
from manipula.studies.designs.table_drives import FIGURES, figures_of_pairs
from manipula.studies.designs.tasks import Task, TaskMotion, answers_at, best_way, motion_through

Array = NDArray[np.float64]
NAN = float("nan")
FASTEST = 16.0  # times the requested motion
TOO_MUCH = 1e3  # times the share by which a drive would be overloaded
HALVINGS = 12  # of the logarithm of a speed: to one part in a thousand


class Wishes(NamedTuple):
    """`drives`: a catalogue; none: the limits of the robot's file. `choose`: mass or price, of pairs also power.
    `cycle`: whether the shortest time is looked for. `ratio`: the largest inertia ratio of a pair."""

    tasks: tuple[Task, ...]
    drives: tuple[Drive, ...]
    choose: str
    cycle: bool
    ratio: float = np.inf

    @property
    def has_pairs(self) -> bool:
        """Whether drives are pairs from tables."""
        return any(drive.pair is not None for drive in self.drives)


class Infeasible(Exception):
    """Why a design does not do; `by`: times a limit, or m."""

    def __init__(self, reason: str, by: float = NAN) -> None:
        super().__init__(reason)
        self.reason, self.by = reason, by


def evaluate_design(subject: Subject, wishes: Wishes, values: Values) -> Case:
    """The row of a design: what is known of it, as far as it does."""
    row = blank(subject, wishes)
    try:
        for figures in _figures(subject, wishes, values):
            row.update(figures)
    except Infeasible as found:
        return {**row, "feasible": False, "reason": found.reason, "by": found.by}
    return row


def blank(subject: Subject, wishes: Wishes) -> Case:
    """All columns in their order."""
    row: Case = {"feasible": True, "reason": "", "by": NAN, "length": NAN, "manipulability": NAN}
    if not subject.weighs:
        return row
    row |= {"mass": NAN, "energy": NAN, "use": NAN, "torque": np.full(subject.robot.dof, NAN)}
    if wishes.drives:
        row |= {"price": NAN, **{f"motor{k}": "" for k in range(1, subject.robot.dof + 1)}}
    if wishes.has_pairs:
        row |= {**{name: np.full(subject.robot.dof, NAN) for name in FIGURES}, "braking_energy": NAN}
    return {**row, "cycle_time": NAN} if wishes.cycle else row


def _figures(subject: Subject, wishes: Wishes, values: Values) -> Iterator[Case]:
    """Some at a time, so that what is known of a design that does not do is still told."""
    yield {"length": subject.length(values)}
    if subject.weighs and not wishes.drives:
        yield {"mass": subject.mass(values)}
    descent = subject.descent(values) if any(task.places for task in wishes.tasks) else None
    stops = [_stops(subject, wishes, values, (task, k), descent) for k, task in enumerate(wishes.tasks, 1)]
    yield {"manipulability": min(_manipulability(subject, values, task, x) for task, x in zip(wishes.tasks, stops))}
    if subject.weighs:
        yield from _choose_drives(subject, wishes, values, stops)


def _label(task: Task, number: int) -> str:
    return f"task {task.name or number}"


# ways


def _stops(subject: Subject, wishes: Wishes, values: Values, asked: tuple[Task, int], descent: Descent | None) -> Array:
    """(stops, joints) of the best way."""
    task, label, space = asked[0], _label(*asked), subject.space(values)
    if task.joints:
        stops = np.array(task.joints)
        outside = (stops < space.low - 1e-9) | (stops > space.high + 1e-9)
        if outside.any():
            at, joint = np.argwhere(outside)[0] + 1
            raise Infeasible(f"{label}, stop {at}: outside the limits of joint {joint}")
        return stops
    assert descent is not None  # refused with the settings
    found = answers_at(task.places, descent, space)
    if not len(found.rows[-1]):
        where = f", place {len(found.rows)}" if len(task.places) > 1 else ""
        raise Infeasible(f"{label}{where}: not reached", found.miss * descent.unit)
    return best_way(found.rows, space, lambda legs: _price(subject, wishes, values, task, legs))


def _price(subject: Subject, wishes: Wishes, values: Values, task: Task, legs: Array) -> Array:
    """What a leg costs: the work of the motors, or at rest squares of torques; where masses are not known, how far it
    goes. What asks for more than the strongest or the fastest drive has is taken only where nothing else is."""
    if not subject.weighs:
        return np.asarray(np.abs(np.diff(legs, axis=1)).sum((1, 2)))
    motion = motion_through(legs, task.duration / max(task.stops - 1, 1))
    tau = _torques(subject, values, task, motion, {})
    drives = _drives(subject, wishes, values)
    strongest = np.array([max(drive.torque for drive in own) for own in drives])
    fastest = np.array([max(drive.speed for drive in own) for own in drives])
    over = np.maximum(np.abs(tau) / strongest, np.abs(motion.qd) / fastest).max((1, 2))
    cost = (np.abs(tau * motion.qd) if motion.step else tau**2).sum((1, 2))
    return np.asarray(cost * (1 + TOO_MUCH * np.maximum(over - 1, 0)))


def _manipulability(subject: Subject, values: Values, task: Task, stops: Array) -> float:
    found = call_model(subject.manipulability_model, values, stops)
    whole = not task.places or all(place.part == "pose" for place in task.places)
    return float(np.min(found.w if whole else found.translation))


def _torques(subject: Subject, values: Values, task: Task, motion: TaskMotion, masses: Mapping[int, float]) -> Array:
    tau = call_model(subject.torque, _letters(subject, values, task, masses), motion.q, motion.qd, motion.qdd)
    if not np.isfinite(tau).all():
        raise Infeasible("its torques are no numbers")
    return np.asarray(tau)


def _letters(subject: Subject, values: Values, task: Task, masses: Mapping[int, float]) -> dict[str, float]:
    """The values of what is open: of the design, the load, the motors."""
    motors = {motor_mass(joint): masses.get(joint, 0.0) for joint in subject.loaded}
    return {**values, **dict(zip(HELD, (task.mass, *task.com))), **motors}


# drives


def _choose_drives(subject: Subject, wishes: Wishes, values: Values, stops: Sequence[Array]) -> Iterator[Case]:
    motions = [motion_through(x, task.duration) for x, task in zip(stops, wishes.tasks)]
    drives = _drives(subject, wishes, values)
    choices, masses = dict[int, Choice](), dict[int, float]()
    torques = [_torques(subject, values, task, x, masses) for task, x in zip(wishes.tasks, motions)]
    inertias = _load_inertias(subject, wishes, values, motions, masses)
    for joint in range(subject.robot.dof, 0, -1):
        asked = _joint_demand(torques, motions, joint, inertias)
        choice = choose_drive(drives[joint - 1], asked, wishes.choose, wishes.ratio)
        if choice.drive < 0:
            raise Infeasible(_infeasible_text(subject, joint, choice, bool(wishes.drives)), choice.worst)
        choices[joint], mass = choice, drives[joint - 1][choice.drive].mass
        if mass and joint in subject.loaded:
            masses[joint] = mass
            torques = [_torques(subject, values, task, x, masses) for task, x in zip(wishes.tasks, motions)]
            inertias = _load_inertias(subject, wishes, values, motions, masses)
    taken = [drives[k - 1][choices[k].drive] for k in range(1, subject.robot.dof + 1)]
    borne = [tau + np.array([x.inertia for x in taken]) * motion.qdd for tau, motion in zip(torques, motions)]
    yield {
        "mass": subject.mass(values) + sum(drive.mass for drive in taken),
        "energy": sum(_work(tau, motion) for tau, motion in zip(borne, motions)),
        "use": max(choice.worst for choice in choices.values()),
        "torque": np.max([np.abs(tau).max(0) for tau in borne], axis=0),
    }
    if wishes.drives:
        yield {"price": sum(drive.price for drive in taken)}
        yield {f"motor{k}": drive.label for k, drive in enumerate(taken, 1)}
    if wishes.has_pairs:
        demands = [_joint_demand(torques, motions, k, inertias).demands for k in range(1, subject.robot.dof + 1)]
        figures = figures_of_pairs([drive.pair for drive in taken if drive.pair is not None], demands)
        yield {"energy": figures.pop("work"), **figures}
    if wishes.cycle:
        yield {"cycle_time": _cycle_time(subject, wishes, values, motions, taken, masses)}


def _drives(subject: Subject, wishes: Wishes, values: Values) -> list[tuple[Drive, ...]]:
    """Joint by joint what may be chosen; without a catalogue the limits of the robot's file are what motors give."""
    limits = subject.limits(values)
    if not wishes.drives:
        return [(Drive("", effort, np.inf, speed),) for effort, speed in zip(limits.effort, limits.velocity)]
    return [
        tuple(drive for drive in wishes.drives if not drive.joints or joint in drive.joints)
        for joint in range(1, subject.robot.dof + 1)
    ]


def _infeasible_text(subject: Subject, joint: int, choice: Choice, catalogue: bool) -> str:
    who = f"joint {joint} ({subject.robot.joint_names[joint - 1]})"
    if choice.criteria is not WHAT:
        return f"{who}: no motor and gear hold; the nearest fail by their {choice.what}"
    return f"{who}: no motor has the {choice.what}" if catalogue else f"{who}: {choice.what} over its limit"


def _joint_demand(
    torques: Sequence[Array], motions: Sequence[TaskMotion], joint: int, inertias: Sequence[Array]
) -> Asked:
    k = joint - 1
    return Asked(
        [x[:, k] for x in torques], [x.qdd[:, k] for x in motions], [x.qd[:, k] for x in motions],
        [x.step for x in motions], [float(x[k]) for x in inertias],
    )  # fmt: skip


def _load_inertias(
    subject: Subject, wishes: Wishes, values: Values, motions: Sequence[TaskMotion], masses: Mapping[int, float]
) -> list[Array]:
    """Task by task the largest inertia that each joint accelerates, all others at rest: zero where nobody asks."""
    if not wishes.has_pairs:
        return [np.zeros(subject.robot.dof)] * len(motions)
    pairs = zip(wishes.tasks, motions)
    found = (call_model(subject.inertia, _letters(subject, values, task, masses), x.q) for task, x in pairs)
    return [np.asarray(np.diagonal(M, axis1=-2, axis2=-1).max(0)) for M in found]


def _work(tau: Array, motion: TaskMotion) -> float:
    """∫ Σ|τ·q̇| dt: what the motors do, nothing of it won back. At the ends of a leg the speed is zero."""
    return float(np.abs(tau * motion.qd).sum() * motion.step)


# the shortest time


def _cycle_time(
    subject: Subject,
    wishes: Wishes,
    values: Values,
    motions: Sequence[TaskMotion],
    taken: Sequence[Drive],
    masses: Mapping[int, float],
) -> float:
    """Of all motions, each as much faster as its drives allow."""

    def holds(task: Task, motion: TaskMotion) -> bool:
        tau = [_torques(subject, values, task, motion, masses)]
        # the inertia ratio is that of the places: it held before
        still = [np.zeros(subject.robot.dof)]
        asked = (_joint_demand(tau, [motion], k, still) for k in range(1, subject.robot.dof + 1))
        return all((uses_of([drive], x) <= 1).all() for drive, x in zip(taken, asked))

    moving = [(task, motion) for task, motion in zip(wishes.tasks, motions) if motion.step]
    return sum(task.duration / _fastest(lambda s, t=task, m=motion: holds(t, m.faster(s))) for task, motion in moving)


def _fastest(holds: Callable[..., bool]) -> float:
    """The largest s that holds: 1 does. Without viscous friction |τ| is convex in s², so that what holds at two speeds
    holds between them; with it a speed that holds is found, which none above nearby does."""
    if holds(FASTEST):
        return FASTEST
    low, high = 1.0, FASTEST
    for _ in range(HALVINGS):
        middle = float(np.sqrt(low * high))
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


# A design as a robot of its own.


def robot_of_design(
    robot: Robot, values: Values, beams: Mapping[str, float], drives: Sequence[Drive], name: str
) -> Robot:
    """What varied has its value; beams ride on the links; motors, one a joint where there are any, are points on the
    link before, motor inertia, and limits of torque and speed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ManipulaWarning)
        found = with_beams(open_parameters(robot, list(values)), beams) if beams else robot
        found = found.with_parameters(**values)
        if drives:
            found = with_motors(found, {k: drive.mass for k, drive in enumerate(drives, 1) if drive.mass})
            inertias = {joint: drive.inertia for joint, drive in zip(robot.joint_names, drives)}
            found = found.without("motor_inertia").with_motor_inertia(inertias)
            own = dict(zip(robot.joint_names, drives))
            found = replace(found, joints=tuple(_with_drive(x, own) for x in found.joints))
    return replace(found, name=name)


def _with_drive(joint: Joint, drives: Mapping[str, Drive]) -> Joint:
    """Limits of torque and speed, and of a pair the gear, by which `mp.loads` says what the motor gives."""
    if joint.name not in drives:
        return joint
    drive = drives[joint.name]
    if drive.pair is not None:
        side = drive.pair.side
        cells = {"gear": side.ratio, "efficiency": side.efficiency}
        made = {key: Cell(f"{key}_{joint.name}", number(value)) for key, value in cells.items()}
        joint = replace(joint, actuator=joint.actuator.with_entries(made))
    return replace(joint, effort_limit=_finite(drive.torque), velocity_limit=_finite(drive.speed))


def _finite(value: float) -> Parameter | None:
    return number(value) if np.isfinite(value) else None
