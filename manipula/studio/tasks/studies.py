"""Studies: what a form asks for, and what came of many cases of this arm."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from time import monotonic

import numpy as np

from manipula.errors import InputError
from manipula.robot import Robot
from manipula.studies.catalogue.entry import (
    Ready,
    StudyColumn,
    StudySetting,
    cells_of,
    initial_cells,
    setting_meant,
    settings_from,
)
from manipula.studies.catalogue.registry import READY, ready
from manipula.studies.results.study_result import Study
from manipula.studies.study_file import ready_study, robot_beside, study_from_text, study_text
from manipula.studies.study_run import Progress
from manipula.studio.tasks import replies, requests
from manipula.studio.tasks.descriptions import file_name
from manipula.studio.tasks.models import store_file
from manipula.support.text import plain

OFTEN = 0.2  # seconds between two lines of progress
MOST = 2_000_000  # cases; what is larger is for a shell, or a cluster
ROWS = 200_000  # of a .csv; the .npz has them all
CURVES, POINTS, REASONS = 24, 600, 20
_STYLE = re.compile(r' style="[^"<>]*"')


def studies(given: requests.Given, tell: requests.Tell) -> replies.StudiesAnswer:
    """Every ready study with its settings, as a form of this arm begins."""
    robot, _ = requests.numeric_robot(given)
    with requests.collect_warnings():
        return {"studies": [_describe_study(entry, robot) for entry in READY.values()]}


def _describe_study(entry: Ready, robot: Robot) -> replies.StudyForm:
    fields = [x for setting in entry.form if (x := _field(setting, robot)) is not None]
    typed = {x["name"] for x in fields}
    written = [name for name in entry.settings if name not in typed]
    return {"name": entry.name, "about": entry.line, "fields": fields, "written": written}


def _field(setting: StudySetting, robot: Robot) -> replies.StudyField | None:
    """None of what a study file alone can say."""
    if setting.kind == "written":
        return None
    return {
        "name": setting.name, "about": setting.about, "kind": setting.kind, "unit": setting.unit,
        "cells": [{"label": x.label, "unit": x.unit} for x in cells_of(setting, robot)],
        "value": plain(initial_cells(setting, robot)), "choices": list(setting.choices()), "by": setting.by,
        "ranges": plain(dict(setting.ranges())),
    }  # fmt: skip


def study(given: requests.Given, tell: requests.Tell) -> replies.StudyAnswer:
    """The study, run; `logs` are paths of uploads, which the server has looked up."""
    robot, made_up = requests.numeric_robot(given)
    entry = ready(requests.text_in(given, "study", "workspace"))
    tell("planning")
    with requests.collect_warnings() as warned:
        try:
            text, found = _run(entry, robot, given, tell)
        except InputError as error:
            told = getattr(error, "in_page", str(error))
            field = setting_meant(entry.form, told) or ("seed" if told.startswith("seed:") else "")
            raise requests.FieldError(told, field) from error
        tell("writing")
        files = _files(found, requests.path_in(given, "outbox"), f"{file_name(robot.name)}_{entry.name}", text)
        heads, rows = found.summary()
        about = {name: entry.columns.get(name, StudyColumn("", "")).about for name in found.table}
        return {
            "study": entry.name, "title": found.title, "count": found.count, "failed": len(found.why),
            "computed": found.computed, "heads": list(heads), "rows": [list(row) for row in rows],
            "columns": [{"name": x, "unit": found.unit(x), "about": said} for x, said in about.items()],
            "parts": _parts(found), "curves": _curves(found, [row[0] for row in rows if row[1]]),
            "failures": _failures(found), "files": files, "warnings": warned, "stand_ins": made_up,
        }  # fmt: skip


def _run(entry: Ready, robot: Robot, given: requests.Given, tell: requests.Tell) -> tuple[str, Study]:
    """As the file says that is handed out: its text is read again, so that both are one study."""
    settings = settings_from(entry.form, requests.part_in(given, "settings"))
    paths = requests.paths_in(given, "logs")
    logs = {"logs": paths} if paths else {}
    named = {"logs": _recording_names(requests.names_in(given, "recordings"), paths)} if paths else {}
    seed = requests.number_in(given, "seed", 0, 0, 2**53)
    if seed != int(seed):
        raise InputError("seed: expected a whole number of zero or more, found {seed:g}", seed)
    text = study_text(entry.name, robot, settings | named, int(seed))
    asked = study_from_text(text)
    with requests.collect_warnings():  # oddities of the robot were reported when it was drawn
        subject = robot_beside(Path(), str(asked.robot))
    found = ready_study(
        entry.name, subject, asked.settings | logs, most=MOST, seed=asked.seed,
        engine="local" if requests.flag_in(given, "cores", False) else "serial", tell=_throttle(tell),
        resume=requests.path_in(given, "outbox") / "studies" / sha256(f"{text}{logs}".encode()).hexdigest()[:32],
    )  # fmt: skip
    found.place.temporary = (
        True  # the folder is the studio's own and goes with it: a page to take home names no file there
    )
    return text, found


def _recording_names(called: list[str], paths: list[str]) -> list[str]:
    """The recordings as they are called on the disk of their owner."""
    return (
        [re.split(r"[/\\]", name)[-1] for name in called]
        if len(called) == len(paths)
        else [Path(x).name for x in paths]
    )


def _throttle(tell: requests.Tell) -> Callable[[Progress], None]:
    """Not every case; the last always."""
    seen = [0.0]

    def report_progress(progress: Progress) -> None:
        if monotonic() - seen[0] > OFTEN or progress.done == progress.count:
            seen[0] = monotonic()
            rate, left = plain(progress.rate), plain(progress.seconds_left)
            done, count, failed = progress.done, progress.count, progress.failed
            tell(str(progress), {"done": done, "count": count, "failed": failed, "rate": rate, "left": left})

    return report_progress


def _files(found: Study, outbox: Path, name: str, text: str) -> replies.StudyFiles:
    """The study file, all rows, the page: to be taken away."""
    page = found.report(found.path.with_suffix(".html")).read_bytes()
    kept: replies.StudyFiles = {
        "toml": store_file(outbox, f"{name}.toml", text.encode()),
        "npz": store_file(outbox, f"{name}.npz", found.path.read_bytes()),
        "html": store_file(outbox, f"{name}.html", page),
    }
    if found.count <= ROWS:
        kept["csv"] = store_file(outbox, f"{name}.csv", found.save(found.path.with_suffix(".csv")).read_bytes())
    return kept


def _parts(found: Study) -> list[str]:
    """The pieces of the study's own page. Styles inside are for pages without a sheet: the studio's has one, and its
    policy refuses others. No text has a bare quote, so that nothing else is touched."""
    if len(found.why) == found.count:
        return []
    return [_STYLE.sub("", part) for part in found.show(found)]


def _curves(found: Study, names: list[str]) -> list[replies.Curve]:
    """How results are distributed: the share of cases at or below a value, each value once; those that do vary."""
    curves: list[replies.Curve] = []
    for name in names[:CURVES]:
        known = found.table[name].astype(float)
        values, counts = np.unique(known[np.isfinite(known)], return_counts=True)
        some = np.unique(np.linspace(0, len(values) - 1, min(len(values), POINTS)).astype(int))
        share = np.cumsum(counts)[some] / counts.sum()
        if len(values) > 1:
            curves.append({"name": name, "x": values[some].tolist(), "share": share.tolist()})
    return curves


def _failures(found: Study) -> list[replies.CaseFailure]:
    first = {why: case for case, why in reversed(found.why.items())}
    listed = Counter(found.why.values()).most_common(REASONS)
    return [{"why": why, "cases": cases, "first": first[why]} for why, cases in listed]
