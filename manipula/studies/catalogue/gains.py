"""Gains of a law by rollouts: a loop of law, reference and arm, compiled once, with other gains in every row.

The arm may hold a load that the law does not know of. Results of a row: the rms error along the motion and the
time to settle behind it, the error at the end, the largest torque, and whether it stayed stable.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from manipula import api
from manipula.errors import InputError, UnknownNameError, UnsetError, some_of
from manipula.generation.results.system import System
from manipula.mechanics.robot.topology import with_frame
from manipula.messages import Message
from manipula.pages.page import section, table
from manipula.robot import Robot
from manipula.simulation import trajectory
from manipula.simulation.plant import Plant
from manipula.studies.cases.cases import Product, Sobol
from manipula.studies.cases.values import Case, Column, is_number
from manipula.studies.catalogue import entry
from manipula.studies.results.study_result import Study
from manipula.studies.work.job import batched, robot_from, text_from
from manipula.studies.work.worker import WrongWorker
from manipula.support.text import plain

# Rollouts of a study on the device that it names: the processor, or a GPU of the worker.
#
# A GPU fuses multiplications and additions where the processor does not, so its results may differ in their last
# digits. The device is therefore part of what a study is: all of it runs on one kind, and a folder goes on with it.

DEVICES = ("cpu", "cuda")
Array = NDArray[np.float64]


def refuse_device(device: object) -> str:
    if device not in DEVICES:
        raise UnknownNameError("device", str(device), DEVICES)
    return str(device)


def on_device(device: str, run: Callable[..., object], *given: object, **options: object) -> Any:
    """The run there. Who has no such device can compute no case of the study, so it ends and none of them fails."""
    if device == "cpu":
        return run(*given, **options)
    try:
        return run(*given, device=device, **options)
    except InputError as error:
        raise WrongWorker(f"{error}; device='cpu' runs on processors") from error


def here(values: object) -> Any:
    """In this process's memory."""
    return values.get() if hasattr(values, "get") else np.asarray(values)


def in_pairs(values: Any) -> Any:
    """(rows, steps, …) → (rows, …), summed along the steps in pairs, and pairs of those: an order, and so rounding,
    that depends neither on the device nor on how many rows there are."""
    while (steps := values.shape[1]) > 1:
        whole = values[:, : steps - steps % 2]
        left = values[:, steps - steps % 2 :]
        values = whole[:, ::2] + whole[:, 1::2]
        if left.shape[1]:
            values[:, -1:] += left
    return values[:, 0]


BEST = 10
ROOM = {"cpu": 2**26, "cuda": 2**31}  # bytes of what is recorded at a time
STEPS = 10**6  # of a rollout
OURS = ("robot", "law", "sample", "symbolic", "optimise", "tell")  # of the verb that makes a law, but no gain
FAR = 1e3  # rad or m: what is further off has run away


class Subject(NamedTuple):
    """The loop, the steps of a rollout, and where it starts."""

    loop: System
    steps: int
    start: Array
    dof: int

    def rows(self, device: str) -> int:
        """So many at a time that what is recorded of them fits."""
        each: int = 8 * self.steps * sum(prod(x.shape) for x in self.loop.function.outputs)
        return max(1, ROOM[device] // each)


def _subject(robot: Robot, law: str, settings: Case, motion: Sequence[object]) -> Subject:
    return _make_subject(text_from(robot), law, json.dumps(settings), json.dumps(motion))


@lru_cache(maxsize=4)
def _make_subject(text: str, law: str, settings: str, motion: str) -> Subject:
    """Once a process; lists and numbers travel as texts, which can be compared."""
    robot, (start, goal, duration, settle, payload, sample) = robot_from(text), json.loads(motion)
    made = api.controller(robot, law, sample=sample, **json.loads(settings))
    held = with_frame(robot).with_payload(payload) if payload else robot
    plant = Plant(held, friction="smooth", effort=None, stops=False)
    loop = api.closed_loop(plant, made, trajectory.quintic(start, goal, duration))
    missing = [name for port in loop.function.inputs if port.role == "parameter" for name in port.names]
    if missing:
        raise UnsetError(
            Message("{name}: {why} needs a value for {some_of}", robot.name, law, some_of(missing)), missing
        )
    return Subject(loop, round((duration + settle) / sample), np.array(start), robot.dof)


@batched
def rollout_cases(cases: Case, rngs: object) -> Case:
    """Many rows of gains at once, as many at a time as memory is meant for. A gain is a number a row, the same for
    all joints, or one for each."""
    gains = {name: np.asarray(cases[name], dtype=float) for name in cases["gains"]}
    subject = _subject(cases["robot"], cases["law"], cases["settings"], cases["motion"])
    count, some = len(next(iter(gains.values()))), subject.rows(cases["device"])
    parts = [
        _rollout(subject, {name: x[k : k + some] for name, x in gains.items()}, cases["device"])
        for k in range(0, count, some)
    ]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _rollout(subject: Subject, gains: dict[str, Array], device: str) -> dict[str, Column]:
    count, loop = len(next(iter(gains.values()))), subject.loop
    rows = {name: _by_entry(x, len(loop.settings[name])) for name, x in gains.items()}
    begin = np.repeat(subject.start[None], count, axis=0)
    with np.errstate(all="ignore"):
        run = on_device(device, loop.run, loop.start(q=begin, qd=np.zeros_like(begin)), subject.steps, p=rows)
        error = run.outputs.q_ref - run.states.q
        far, summed = abs(error).max((1, 2)), in_pairs(in_pairs(error**2))
        told = {
            "error": np.sqrt(here(summed) / (subject.steps * subject.dof)),
            "error_end": here(abs(error[:, -1]).max(-1)),
            "torque": here(abs(run.outputs.tau).max((1, 2))),
        }
    stable = np.nan_to_num(here(far), nan=np.inf) < FAR
    return {**{name: np.where(stable, x, np.nan) for name, x in told.items()}, "stable": stable}


def _by_entry(values: Array, size: int) -> Array:
    return values if values.ndim == 2 else np.repeat(values[:, None], size, axis=1)


# what a form begins with: two ends, or one value that is held
GAINS: dict[str, tuple[float, float | None]] = {
    "kp": (25.0, 400.0),
    "kd": (5.0, 80.0),
    "ki": (50.0, None),
    "lam": (2.5, 40.0),
    "gamma": (1.0, None),
    "gain": (2.5, 40.0),
    "layer": (0.1, None),
}


@cache
def laws() -> dict[str, list[entry.Range]]:
    """The laws that a form offers, with the gains that must be given: those that drive joints and are known above."""
    found = {}
    for law in api.laws():
        asked = [gain for gain in api.law_gains(law) if gain["value"] is None]
        drives = "limit" in api.law_options(law) and "task" not in api.law_options(law)
        if drives and all(gain["name"] in GAINS for gain in asked):
            found[law] = [entry.Range(gain["name"], gain["unit"], *GAINS[gain["name"]]) for gain in asked]
    return found


FORM = (
    entry.StudySetting("law", "the control law", "choice", begin="computed_torque", choices=lambda: tuple(laws())),
    entry.StudySetting(
        "gains", "from and to; a gain with nothing in its second field is held", "ranges", by="law", ranges=laws
    ),
    entry.StudySetting("levels", "of each gain, every combination of them, for a map", "count", begin=12),
    entry.StudySetting("count", "gains drawn where no levels are given", "count", begin=None),
    entry.StudySetting("start", "where the motion begins", "joints", begin=entry.start_of),
    entry.StudySetting("goal", "where the motion ends", "joints", begin=entry.goal_of),
    entry.StudySetting("duration", "of the motion", "number", "s", 1.0),
    entry.StudySetting("settle", "rest behind it", "number", "s", 0.5),
    entry.StudySetting("payload", "in the hand, which the law does not know of", "number", "kg", 0.0),
    entry.StudySetting("sample", "time of the law", "number", "s", 1e-3),
    entry.StudySetting("settings", "the law's others", "written"),
    entry.StudySetting("device", "cpu or cuda", "written"),
)
COLUMNS = {
    "error": entry.StudyColumn("rad or m", "rms along the motion and the rest behind it"),
    "error_end": entry.StudyColumn("rad or m", "largest at the end"),
    "torque": entry.StudyColumn("N·m or N", "largest of any joint"),
    "stable": entry.StudyColumn("", "1 where it stayed within 1000 rad or m"),
}


def plan(
    robot: Robot,
    law: str = "computed_torque",
    gains: object = None,
    goal: object = None,
    start: object = None,
    duration: float = 1.0,
    settle: float = 0.5,
    payload: float = 0.0,
    count: int = 256,
    levels: int | None = None,
    sample: float = 1e-3,
    settings: Mapping[str, object] | None = None,
    device: str = "cpu",
) -> entry.StudyPlan:
    """`gains`: {name: [low, high]}, the same for all joints, drawn evenly in their logarithms, `count` of them; with
    `levels` every combination of so many of each, for maps; one that is a number is held. A quintic from `start` to
    `goal`, then `settle` seconds of rest; `payload`: kg in the hand that the law does not know of; `settings`: other
    ones of the law; `device`: "cuda" where workers have one."""
    if not isinstance(gains, Mapping) or not gains:
        raise InputError("gains: expected ranges by name, such as kp = [50, 2000], found {gains!r:.60}", gains)
    if goal is None:
        raise InputError("gains: goal: expected where the motion ends, one number a joint")
    held = {name: entry.positive(f"gains: {name}", x) for name, x in gains.items() if is_number(x)}
    ranges = {name: {**_range(name, ends), "scale": "log"} for name, ends in gains.items() if name not in held}
    if not ranges:
        name, value = next(iter(gains.items()))
        raise InputError(
            "gains: {name}: expected a range [low, high], found {value!r:.60}; not all can be held", name, value
        )
    cases = Sobol(entry.count_of("count", count), ranges) if levels is None else Product(_levels(ranges, levels))
    first = [0.0] * robot.dof if start is None else entry.joints(robot, "start", start)
    numbers = [
        entry.positive("duration", duration),
        entry.not_negative("settle", settle),
        entry.not_negative("payload", payload),
    ]
    motion = [first, entry.joints(robot, "goal", goal), *numbers, entry.positive("sample", sample)]
    refuse_long(duration + settle, sample)
    fixed = {**_others(settings), **held, **{name: ends["from"] for name, ends in ranges.items()}}
    refuse_ours(law, fixed)
    _subject(robot, law, fixed, motion)  # a loop that cannot be made is refused now
    told = {"law": law, "gains": list(ranges), "settings": fixed, "motion": motion, "device": refuse_device(device)}
    units = {gain["name"]: gain["unit"] for gain in api.law_gains(law)}
    return entry.StudyPlan(cases, {"robot": robot, **told}, units)


def refuse_long(seconds: float, sample: float) -> None:
    if not 1 <= seconds / sample <= STEPS:
        raise InputError(
            "duration, settle, sample: {seconds:g} s are {told:.3g} steps of {sample:g} s; expected 1 to "
            "{steps:,} of them",
            seconds,
            seconds / sample,
            sample,
            STEPS,
        )


def refuse_ours(law: object, settings: Mapping[str, object]) -> None:
    """What the study says of a law itself."""
    if not isinstance(law, str):
        raise InputError("law: expected the name of a law, found {law!r:.60}", law)
    for name in settings:
        if name in OURS:
            raise InputError(
                "gains: {name} is no gain of {law}; it is a setting of the study, or not to be chosen", name, law
            )


def _others(settings: object) -> Case:
    """Numbers, words and lists of them."""
    if settings is not None and not (isinstance(settings, Mapping) and all(isinstance(x, str) for x in settings)):
        raise InputError("settings: expected values by name, such as limit = 100, found {settings!r:.60}", settings)
    try:
        found: Case = plain(dict(settings or {}))
    except TypeError:
        raise InputError(
            "settings: expected numbers, words or lists of them, found {settings!r:.60}", settings
        ) from None
    return found


def _range(name: str, ends: object) -> dict[str, float]:
    if isinstance(ends, Mapping):
        ends = [ends.get("from"), ends.get("to")]
    if not isinstance(ends, list | tuple) or len(ends) != 2:
        raise InputError("gains: {name}: expected a range [low, high], found {ends!r:.60}", name, ends)
    low, high = (entry.positive(f"gains: {name}", x) for x in ends)
    if low >= high:
        raise InputError("gains: {name}: the range is reversed or empty: from {low:g} to {high:g}", name, low, high)
    return {"from": low, "to": high}


def _levels(ranges: Mapping[str, Case], levels: object) -> dict[str, Array]:
    count = entry.count_of("levels", levels, 10_000)
    return {name: np.geomspace(ends["from"], ends["to"], max(count, 2)) for name, ends in ranges.items()}


def best(study: Study) -> list[Case]:
    """The rows of the smallest errors."""
    order = np.argsort(np.where(np.isnan(study.table["error"]), np.inf, study.table["error"]), kind="stable")
    return [study.rows[int(k)] for k in order[:BEST]]


def best_row(study: Study) -> Case:
    """The row of the smallest error, if one is stable."""
    first = best(study)[0]
    found = first if first.get("stable") else None
    return {"law": study.shared["law"], "best": found, "device": study.shared["device"]}


def show(study: Study) -> list[str]:
    heads = (*study.given, "error", "error_end", "torque")
    rows = [tuple(f"{row[name]:.5g}" for name in heads) for row in best(study)]
    parts = [section("Best", table("the smallest rms errors along the motion", heads, rows))]
    if len(study.given) == 2 and len(np.unique(study.table[study.given[0]])) ** 2 <= 4 * study.count:
        pictures = [study.map(name, *study.given).svg() for name in ("error", "torque", "stable")]
        parts.append(section("Maps", '<div class="charts">' + "\n".join(pictures) + "</div>"))
    return parts


LINE = "a law's gains by simulated runs: errors, torques, where it is stable"
READY = entry.Ready("gains", LINE, rollout_cases, plan, show, best_row, form=FORM, columns=COLUMNS)
