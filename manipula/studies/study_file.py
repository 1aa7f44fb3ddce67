"""Study files: a study written down as TOML, a ready one of a robot, or a function of one's own."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from manipula.api import from_text, load
from manipula.errors import InputError
from manipula.robot import Robot, RobotLike, as_robot
from manipula.studies.cases.cases import LatinHypercube, Sobol, cases_from
from manipula.studies.cases.values import Case
from manipula.studies.catalogue.registry import ready
from manipula.studies.catalogue.tune import Tuned, best
from manipula.studies.results.study_result import Study
from manipula.studies.study_run import study
from manipula.studies.work.job import text_from
from manipula.support.checked_toml import checked_toml, errors_about, output_paths
from manipula.support.text import block_text, key_text, toml_tables, value_text

# A ready study written down: the study file that, run anywhere, is this study of this robot.


def study_text(name: str, robot: Robot, settings: Mapping[str, object], seed: int = 0) -> str:
    """The file; the robot's own text is inside, so that nothing else is needed."""
    lines = [
        "# manipula study THIS_FILE.toml --results results.npz --report report.html",
        "format = 1",
        f"study = {value_text(name)}",
        f"seed = {value_text(seed)}",
        *(f"settings.{key_text(key)} = {value_text(value)}" for key, value in settings.items()),
        f"robot = {block_text(text_from(robot))}",
    ]
    return "\n".join(lines) + "\n"


# Ready studies as calls: `mp.studies.workspace("puma560", voxels=50, engine="local")`.
#
# Every one takes the settings of its plan, and what `mp.study` takes: engine, workers, seed, resume, results, tell.

OPTIONS = ("engine", "workers", "seed", "resume", "results", "tell")  # of `study`


def ready_study(
    name: str, robot: RobotLike, settings: Mapping[str, object], most: int | None = None, **options: Any
) -> Study:
    """A ready study by its name. More cases than `most` are refused before the first."""
    entry = ready(name)
    subject = as_robot(robot)
    plan = entry.make_plan(subject, settings)
    cases = cases_from(plan.cases)
    if most is not None and cases.count > most:
        raise InputError("the study {name} has {count} cases here; expected {most} or fewer", name, cases.count, most)
    found = study(entry.function, cases, shared=plan.shared, **options)
    units = {column: told.unit for column, told in entry.columns.items()} | dict(plan.units)
    title = f"{name} of {subject.name}"
    made = replace(found, title=title, shared=plan.shared, units=units)
    return replace(made, show=entry.show, told=entry.told, build=entry.build)


def _run(name: str, robot: RobotLike, words: Case) -> Study:
    options = {word: value for word, value in words.items() if word in OPTIONS}
    return ready_study(name, robot, {word: value for word, value in words.items() if word not in OPTIONS}, **options)


def workspace(robot: RobotLike, **words: object) -> Study:
    """The reachable workspace by voxel: `reach` (share of directions), `answers` (inside the limits, the most of any
    direction), `manipulability` (best), `torque` (worst that gravity asks for) and the `joint` that bears it; without
    masses the last two are left out.

    `voxels`: along the longest side, or along x, y, z; `directions` of the tool's z axis, the first straight down;
    `box`: [[x, x], [y, y], [z, z]], by default the box that contains the reach. Besides: what `mp.study` takes.
    """
    return _run("workspace", robot, words)


def tolerances(robot: RobotLike, **words: object) -> Study:
    """An arm built inexactly, `count` times: the worst error of the tool's `position` (m) and `angle` (rad) over some
    configurations, and of gravity's `torque`.

    Standard deviations: `length` (m) and `angle` (rad) of every entry of the table, `mass` (a share) and `com` (m) of
    every link. `q`: configurations; without them `poses` are drawn. Besides: what `mp.study` takes.
    """
    return _run("tolerances", robot, words)


def payload(robot: RobotLike, **words: object) -> Study:
    """A motion with a load in the hand, at several speeds: `use` of the torque limits, the `joint` that limits,
    `speed_use`, peak `torque`s, and whether it `fits`.

    `start`, `goal`, `duration`: a quintic; `payloads` (kg) and `speeds` (times the motion's): levels; `com` of the
    load; `limits` where the robot has no value. Besides: what `mp.study` takes.
    """
    return _run("payload", robot, words)


def gains(robot: RobotLike, **words: object) -> Study:
    """Simulated runs with many gains of a law: rms `error`, `error_end`, largest `torque`, `stable` or not.

    `law`, `gains={"kp": [50, 2000], "kd": [5, 200]}` (drawn evenly in their logarithms, `count`; or `levels` of each;
    one that is a number is held), `start`, `goal`, `duration`, `settle`, `payload` that the law does not know of,
    `sample`, other `settings` of the law; `device="cuda"` where workers have one. Besides: what `mp.study` takes.
    """
    return _run("gains", robot, words)


def tune(robot: RobotLike, **words: object) -> Tuned:
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


def bootstrap(robot: RobotLike, **words: object) -> Study:
    """An identification again and again, of windows drawn from its recordings: a column a base parameter.

    `logs`: recordings or files, `count` draws, `windows` of each recording; `model`, `method`, `prior` as `mp.identify`
    takes them. Besides: what `mp.study` takes.
    """
    return _run("bootstrap", robot, words)


def design(robot: RobotLike, **words: object) -> Study:
    """Designs of an arm for a set of tasks: `feasible` or the `reason` why not (and `by` how much), `length`,
    `manipulability` (worst), and where masses are known `mass`, `energy`, `use` of the motors, peak `torque`s, the
    `motor` of every joint, `price`, `cycle_time`. `found.front()` are those that no other beats, and
    `found.front().robot(0)` is the first of them.

    `vary={"l1": [0.3, 0.6]}`: ranges, SI, of which `count` designs are drawn by `sample`: "sobol", "latin", or
    "product" of levels; `tasks`: tables with `places` of the tool or `joints`, `duration`, `payload`; `motors`: a
    catalogue; `beam`: kg/m by length; `objectives`; `choose` the lightest motor ("mass") or the cheapest ("price").
    `motors` and `gears` may be tables (CSV), as `mp.choose_drives` reads them: then `choose` may be "power",
    `inertia_ratio` is a limit, and a row has the motors' speed, peak and rms torque, inertia ratio, the cubic mean
    torque of the gears and the energy that flows back.
    Besides: what `mp.study` takes.
    """
    return _run("design", robot, words)


DESIGN = "design"  # the study whose cases are robots
SAMPLES = {"latin": LatinHypercube, "sobol": Sobol}


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class SampleTable(_Table):
    """Cases drawn from ranges, in place of every combination."""

    kind: Literal["latin", "sobol"]
    count: Annotated[int, Field(ge=1)]
    seed: Annotated[int, Field(ge=0)] = 0


class OutputTable(_Table):
    """What is written, beside the study file."""

    results: Annotated[str, Field(pattern=r"\.(npz|csv|parquet)$")] | None = None
    report: Annotated[str, Field(pattern=r"\.html$")] | None = None
    designs: str | None = None


class StudyFile(_Table):
    """A study written down: `study` with its `settings`, or `function` with its `cases`."""

    format: Literal[1]
    study: str | None = None
    function: str | None = None
    robot: str | None = None
    seed: Annotated[int, Field(ge=0)] = 0
    settings: Case = {}
    cases: Case | list[Case] | str | None = None
    sample: SampleTable | None = None
    shared: Case = {}
    output: OutputTable = OutputTable()


def read_study(path: str | Path) -> StudyFile:
    """The file, checked."""
    path = Path(path)
    found = checked_toml(path, StudyFile, "study")
    _refuse_mixed(path, found)
    return found


def study_from_text(text: str) -> StudyFile:
    """Of a text that `study_text` wrote."""
    return StudyFile.model_validate(toml_tables(text))


def _refuse_mixed(path: Path, found: StudyFile) -> None:
    if (found.study is None) == (found.function is None):
        raise InputError("{path}: expected study (a ready one) or function (your own), one of them", path)
    if found.output.designs is not None and found.study != DESIGN:
        raise InputError("{path}: designs: are written by the study {design} alone", path, DESIGN)
    if found.study is not None:
        odd = [key for key in ("cases", "sample", "shared") if getattr(found, key)]
        if odd:
            raise InputError(
                "{path}: {odd}: a ready study plans its own; its words stand under [settings]", path, odd[0]
            )
        if found.robot is None:
            raise InputError("{path}: robot: is missing", path)
    elif found.settings:
        raise InputError("{path}: settings: are a ready study's; what your function shares stands under [shared]", path)
    elif found.cases is None:
        raise InputError("{path}: cases: is missing", path)
    elif found.sample is not None and not isinstance(found.cases, dict):
        raise InputError("{path}: sample: draws from ranges by name; found cases of another kind", path)


def study_of_file(
    path: str | Path, robot: RobotLike | None = None, seed: int | None = None, force: bool = False, **options: Any
) -> tuple[Study, list[Path]]:
    """The study that a file describes, and the files that it asks for. `robot`: in place of the file's.

    A file that exists is replaced only with `force`.
    """
    path = Path(path)
    asked = read_study(path)
    files = output_paths(path, asked.output, force)
    with errors_about(path), _importable(path.parent):
        if robot is not None:
            subject: Robot | None = as_robot(robot)
        else:
            subject = None if asked.robot is None else robot_beside(path.parent, asked.robot)
        options = {"seed": asked.seed if seed is None else seed, **options}
        if asked.study is not None and subject is not None:
            found = ready_study(asked.study, subject, _beside(path.parent, asked), **options)
        else:
            shared = asked.shared if subject is None else {"robot": subject, **asked.shared}
            found = study(str(asked.function), _cases(asked, path.parent), shared=shared, **options)
    write: dict[str, Callable[[Path], Path]] = {"results": found.save, "report": found.report}
    written = [write[name](place) for name, place in files.items() if name in write]
    return found, [*written, *(found.front().save(files["designs"]) if "designs" in files else ())]


def robot_beside(folder: Path, name: str) -> Robot:
    """A library name, a file beside the study's, or the text of one: no name has several lines."""
    if "\n" in name:
        return from_text(name, Path("robot.toml"))
    return load(folder / name if os.path.isfile(folder / name) else name)


def _beside(folder: Path, asked: StudyFile) -> Case:
    """The settings of a ready study, with files that lie beside the study's."""

    def resolve_path(value: object) -> object:
        if isinstance(value, list):
            return [resolve_path(x) for x in value]
        return str(folder / value) if isinstance(value, str) and os.path.exists(folder / value) else value

    files = ready(str(asked.study)).files
    return {name: resolve_path(value) if name in files else value for name, value in asked.settings.items()}


def _cases(asked: StudyFile, folder: Path) -> object:
    if isinstance(asked.cases, str):
        return folder / asked.cases
    if asked.sample is None or not isinstance(asked.cases, dict):
        return asked.cases
    return SAMPLES[asked.sample.kind](asked.sample.count, asked.cases, asked.sample.seed)


@contextmanager
def _importable(folder: Path) -> Iterator[None]:
    """Modules beside the file can be named in it; processes that are started meanwhile find them, too."""
    place = str(folder.resolve())
    sys.path.insert(0, place)
    try:
        yield
    finally:
        with suppress(ValueError):  # a function may have taken it away
            sys.path.remove(place)


def schema_text() -> str:
    """The JSON Schema of the study file."""
    schema = StudyFile.model_json_schema(mode="validation")
    return json.dumps({"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}, indent=2) + "\n"
