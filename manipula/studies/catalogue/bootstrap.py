"""How sure an identification is, without believing its own standard deviations: recordings are cut into windows,
windows are drawn with replacement, and each draw is identified like the whole.

Windows keep what neighbouring samples have to do with each other, which drawing samples would destroy (the moving-block
bootstrap: H. R. Künsch, "The jackknife and the bootstrap for general stationary observations", Annals of Statistics 17,
1989; here with blocks that do not overlap). The columns of the model are those that the whole recordings ask for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from manipula import api
from manipula.errors import InputError
from manipula.identification.joint_model import JointModel
from manipula.pages.page import section, table
from manipula.recordings.log import Log
from manipula.robot import Robot
from manipula.studies.cases.cases import Product
from manipula.studies.cases.values import Case
from manipula.studies.catalogue.entry import Ready, StudyColumn, StudyPlan, StudySetting, count_of
from manipula.studies.results.study_result import Study

_ODD = re.compile(r"[^\w.\-]+")
LONGEST = 70  # letters of a parameter's column
LEAST = 50  # samples of a window: below it filters see their own ends


def resample_case(case: Case, rng: np.random.Generator) -> Case:
    """One identification, of as many windows as there are, some of them several times."""
    picked = rng.integers(0, len(case["windows"]), len(case["windows"]))
    logs = [Log(**case["windows"][int(k)]) for k in np.sort(picked)]
    found = api.identify(case["robot"], logs, model=case["model"], method=case["method"], prior=case["prior"])
    return dict(zip(columns_of([row.name for row in found.base_parameters]), (x.value for x in found.base_parameters)))


def columns_of(names: Sequence[str]) -> list[str]:
    """Parameters as columns of a table: brackets, as in fs1[0.3], become a blank; no name twice."""
    found = list[str]()
    for name in names:
        plain = _ODD.sub(" ", name).strip()[:LONGEST]
        plain = plain if plain[:1].isalpha() or plain[:1] == "_" else f"p {plain}"
        again = sum(x == plain or x.startswith(f"{plain} no ") for x in found)
        found.append(f"{plain} no {again + 1}" if again else plain)
    return found


def windows_of(logs: Sequence[Log], count: int) -> list[Case]:
    """Every recording in so many pieces of equal length, whose times begin at zero."""
    found = []
    for log in logs:
        edges = np.linspace(0, len(log.t), count + 1).astype(int)
        if np.diff(edges).min() < LEAST:
            raise InputError(
                "windows: the {count} samples are {diff} in each of {count2}; expected {least} or more in each",
                len(log.t),
                np.diff(edges).min(),
                count,
                LEAST,
            )
        for start, stop in pairwise(edges):
            cut = {name: getattr(log, name) for name in ("q", "tau", "qd", "qdd") if getattr(log, name) is not None}
            found.append({"t": log.t[start:stop] - log.t[start], **{name: x[start:stop] for name, x in cut.items()}})
    return found


FORM = (
    StudySetting("logs", "recordings of time, position and torque", "logs"),
    StudySetting("count", "draws, each identified like the whole", "count", begin=20),
    StudySetting("windows", "pieces that every recording is cut into", "count", begin=10),
    StudySetting("model", "as identify takes it", "written"),
    StudySetting("method", "as identify takes it", "written"),
    StudySetting("prior", "as identify takes it", "written"),
)
COLUMNS = {"draw": StudyColumn("number", "number of the draw")}


def plan(
    robot: Robot,
    logs: object = None,
    count: int = 100,
    windows: int = 10,
    model: Any = "auto",
    method: str = "entropic",
    prior: str | None = "robot",
) -> StudyPlan:
    """`logs`: recordings or their files; `count` draws of `windows` from each; `model`, `method`, `prior`: as
    `mp.identify` takes them, a model also by its words."""
    held = [_log(robot, x) for x in _log_list(logs)]
    chosen = JointModel.from_words(model) if isinstance(model, str) and model != "auto" else model
    found = api.identify(robot, held, model=chosen, method=method, prior=prior)
    names = columns_of([row.name for row in found.base_parameters])
    fitted = {name: (row.value, row.sigma) for name, row in zip(names, found.base_parameters)}
    shared = {"robot": robot, "windows": windows_of(held, count_of("windows", windows, 10_000)), "model": found.model}
    words = {"method": method, "prior": prior, "fitted": fitted}
    return StudyPlan(Product({"draw": range(count_of("count", count))}), {**shared, **words})


def _log_list(logs: object) -> list[object]:
    if logs is None or (isinstance(logs, list | tuple) and not logs):
        raise InputError("bootstrap: logs: expected recordings, or their files")
    return list(logs) if isinstance(logs, list | tuple) else [logs]


def _log(robot: Robot, given: object) -> Log:
    if isinstance(given, Log):
        return given
    if not isinstance(given, str | Path):
        raise InputError("bootstrap: logs: expected recordings, or their files, found {given!r:.60}", given)
    return api.read_log(given, robot)


def show(study: Study) -> list[str]:
    heads = ("parameter", "whole recordings", "its ± sigma", "bootstrap ±", "5 %", "95 %")
    rows = []
    for name, (value, sigma) in study.shared["fitted"].items():
        draws = study.table[name][np.isfinite(study.table[name])] if name in study.table else np.empty(0)
        if len(draws) > 1:
            numbers = (value, np.nan if sigma is None else sigma, draws.std(ddof=1), *np.quantile(draws, [0.05, 0.95]))
            rows.append((name, *(f"{x:.4g}" for x in numbers)))
    return [section("Spread", table("base parameters, SI", heads, rows))]


LINE = "how sure an identification is: recordings drawn again, window by window"
READY = Ready("bootstrap", LINE, resample_case, plan, show, files=("logs",), form=FORM, columns=COLUMNS)
