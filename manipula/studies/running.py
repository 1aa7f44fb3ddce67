"""Ready studies as calls: `mp.studies.workspace("puma560", voxels=50, engine="local")`.

Every one takes the settings of its plan, and what `mp.study` takes: engine, workers, seed, resume, results, tell.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from manipula.errors import InputError
from manipula.robot import RobotLike, as_robot
from manipula.studies.cases.cases import cases_from
from manipula.studies.ready.registry import ready
from manipula.studies.ready.tune import Tuned, best
from manipula.studies.results.study_result import Study
from manipula.studies.studying import study

OPTIONS = ("engine", "workers", "seed", "resume", "results", "tell")  # of `study`


def ready_study(
    name: str, robot: RobotLike, settings: Mapping[str, Any], most: int | None = None, **options: Any
) -> Study:
    """A ready study by its name. More cases than `most` are refused before the first."""
    entry = ready(name)
    subject = as_robot(robot)
    plan = entry.planned(subject, settings)
    cases = cases_from(plan.cases)
    if most is not None and cases.count > most:
        raise InputError("the study {name} has {count} cases here; expected {most} or fewer", name, cases.count, most)
    found = study(entry.function, cases, shared=plan.shared, **options)
    units = {column: told.unit for column, told in entry.columns.items()} | dict(plan.units)
    title = f"{name} of {subject.name}"
    made = replace(found, title=title, shared=plan.shared, units=units)
    return replace(made, show=entry.show, told=entry.told, build=entry.build)


def _run(name: str, robot: RobotLike, words: Mapping[str, Any]) -> Study:
    options = {word: value for word, value in words.items() if word in OPTIONS}
    return ready_study(name, robot, {word: value for word, value in words.items() if word not in OPTIONS}, **options)


def workspace(robot: RobotLike, **words: Any) -> Study:
    """Where the tool gets to, by voxel: `reach` (share of directions), `answers` (inside the limits, the most of any
    direction), `manipulability` (best), `torque` (worst that gravity asks for) and the `joint` that bears it; without
    masses the last two are left out.

    `voxels`: along the longest side, or along x, y, z; `directions` of the tool's z axis, the first straight down;
    `box`: [[x, x], [y, y], [z, z]], by default what holds the reach. Besides: what `mp.study` takes.
    """
    return _run("workspace", robot, words)


def tolerances(robot: RobotLike, **words: Any) -> Study:
    """An arm built inexactly, `count` times: the worst error of the tool's `position` (m) and `angle` (rad) over some
    configurations, and of gravity's `torque`.

    Standard deviations: `length` (m) and `angle` (rad) of every entry of the table, `mass` (a share) and `com` (m) of
    every link. `q`: configurations; without them `poses` are drawn. Besides: what `mp.study` takes.
    """
    return _run("tolerances", robot, words)


def payload(robot: RobotLike, **words: Any) -> Study:
    """A motion with a load in the hand, at several speeds: `use` of the torque limits, the `joint` that limits,
    `speed_use`, peak `torque`s, and whether it `fits`.

    `start`, `goal`, `duration`: a quintic; `payloads` (kg) and `speeds` (times the motion's): levels; `com` of the
    load; `limits` where the robot has none. Besides: what `mp.study` takes.
    """
    return _run("payload", robot, words)


def gains(robot: RobotLike, **words: Any) -> Study:
    """Simulated runs with many gains of a law: rms `error`, `error_end`, largest `torque`, `stable` or not.

    `law`, `gains={"kp": [50, 2000], "kd": [5, 200]}` (drawn evenly in their logarithms, `count`; or `levels` of each;
    one that is a number is held), `start`, `goal`, `duration`, `settle`, `payload` that the law does not know of,
    `sample`, other `settings` of the law; `device="cuda"` where workers have one. Besides: what `mp.study` takes.
    """
    return _run("gains", robot, words)


def tune(robot: RobotLike, **words: Any) -> Tuned:
    """The gains with the smallest rms error along a motion, among those whose largest torque is at most `torque`.

    The settings of `gains`, and: `torque`, `by_joint` (every joint its own gains), `searches`, each of `generations` by
    `members`. What comes is the best search; `study` has them all. Besides: what `mp.study` takes.

    >>> from manipula import load
    >>> arm = load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=9.81)
    >>> ranges = {"kp": [50, 2000], "kd": [5, 200]}
    >>> found = tune(arm, gains=ranges, goal=[1, -0.5], payload=1, searches=2, generations=5, members=8)
    >>> found.error < 0.1, found.runs
    (True, 96)
    """
    return best(_run("tune", robot, words))


def bootstrap(robot: RobotLike, **words: Any) -> Study:
    """An identification again and again, of windows drawn from its recordings: a column a base parameter.

    `logs`: recordings or files, `count` draws, `windows` of each recording; `model`, `method`, `prior` as `mp.identify`
    takes them. Besides: what `mp.study` takes.
    """
    return _run("bootstrap", robot, words)


def design(robot: RobotLike, **words: Any) -> Study:
    """Designs of an arm for a set of tasks: `feasible` or the `reason` why not (and `by` how much), `length`,
    `manipulability` (worst), and where masses are known `mass`, `energy`, `use` of the motors, peak `torque`s, the
    `motor` of every joint, `price`, `cycle_time`. `found.front()` are those that no other beats, and
    `found.front().robot(0)` is the first of them.

    `vary={"l1": [0.3, 0.6]}`: ranges, SI, of which `count` designs are drawn by `sample`: "sobol", "latin", or
    "product" of levels; `tasks`: tables with `places` of the tool or `joints`, `duration`, `payload`; `motors`: a
    catalogue; `beam`: kg/m by length; `objectives`; `choose` the lightest motor ("mass") or the cheapest ("price").
    Besides: what `mp.study` takes.
    """
    return _run("design", robot, words)
