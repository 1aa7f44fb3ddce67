"""Study files: a study written down as TOML, a ready one of a robot, or a function of one's own."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from manipula.api import from_text, load
from manipula.errors import InputError
from manipula.robot import Robot, RobotLike, as_robot
from manipula.studies.cases.samples import LatinHypercube, Sobol
from manipula.studies.ready.registry import ready
from manipula.studies.results.study_result import Study
from manipula.studies.running import ready_study
from manipula.studies.studying import study
from manipula.support.checked_toml import checked_toml, errors_about, output_paths
from manipula.support.toml_text import toml_tables

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
    settings: dict[str, Any] = {}
    cases: dict[str, Any] | list[dict[str, Any]] | str | None = None
    sample: SampleTable | None = None
    shared: dict[str, Any] = {}
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


def _beside(folder: Path, asked: StudyFile) -> dict[str, Any]:
    """The settings of a ready study, with files that lie beside the study's."""

    def placed(value: Any) -> Any:
        if isinstance(value, list):
            return [placed(x) for x in value]
        return str(folder / value) if isinstance(value, str) and os.path.exists(folder / value) else value

    files = ready(str(asked.study)).files
    return {name: placed(value) if name in files else value for name, value in asked.settings.items()}


def _cases(asked: StudyFile, folder: Path) -> Any:
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
