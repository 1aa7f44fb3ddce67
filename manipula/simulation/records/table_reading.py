"""Logs from files: what `save` wrote, or a table of the same form."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError, UnknownNameError
from manipula.mechanics.robot.description import Robot
from manipula.simulation.records.logs import Log
from manipula.simulation.records.writing import MEASURED, OWN, WANTED

Array = NDArray[np.float64]
ENDINGS = (".csv", ".npz")
COLUMN = re.compile(r"^(?P<name>[A-Za-z_][\w.]*?)(?P<number>\d+)?(?: \[[^\]]*\])?$")


def read_log(path: str | Path, robot: Robot | None = None) -> Log:
    """What `run.save` wrote, or a table of the same form. With a robot, its joints are counted."""
    path = Path(path)
    if path.suffix not in ENDINGS:
        raise UnknownNameError("ending of a log", path.suffix or str(path), ENDINGS)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    log = _from_table(data, path) if path.suffix == ".csv" else _from_archive(data, path)
    if robot is not None and log.dof != robot.dof:
        raise InputError(f"{path}: has {log.dof} joints; {robot.name} has {robot.dof}")
    return log


def _from_table(data: bytes, path: Path) -> Log:
    try:
        rows = [row for row in csv.reader(io.StringIO(data.decode("utf-8"))) if row]
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path}: is no table: {error}") from None
    if len(rows) < 2:
        raise InputError(f"{path}: expected a line of names and a line for every time, found {len(rows)} lines")
    names = [_column(head.strip(), place, path) for place, head in enumerate(rows[0], 1)]
    values = np.array([_numbers(row, len(names), line, path) for line, row in enumerate(rows[1:], 2)])
    groups: dict[str, list[int]] = {}
    for place, (name, number) in enumerate(names):
        group = groups.setdefault(name, [])
        if number != len(group) + 1 and name != "t":
            raise InputError(f"{path}: column {place + 1}: expected {name}{len(group) + 1}, found {name}{number}")
        group.append(place)
    return _log({name: values[:, places] for name, places in groups.items()}, (), path)


def _column(head: str, place: int, path: Path) -> tuple[str, int]:
    found = COLUMN.match(head)
    name = found["name"] if found else ""
    known = name == "t" or name in (*MEASURED, *WANTED) or name.startswith("state.")
    if found is None or not known or (name != "t" and not found["number"]):
        wanted = "t, q1 …, qd1 …, qdd1 …, tau1 …, q_ref1 …, state.NAME1 …"
        raise InputError(f"{path}: column {place}: found {head!r:.60}, expected one of {wanted}")
    return name, int(found["number"] or 1)


def _numbers(row: Sequence[str], count: int, line: int, path: Path) -> list[float]:
    if len(row) != count:
        raise InputError(f"{path}: line {line}: expected {count} numbers, found {len(row)}")
    try:
        return [float(cell) for cell in row]
    except ValueError as error:
        raise InputError(f"{path}: line {line}: {error}") from None


def _from_archive(data: bytes, path: Path) -> Log:
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as found:
            arrays = {name: found[name] for name in found.files}
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise InputError(f"{path}: is no archive of arrays: {error}") from None
    joints = tuple(str(x) for x in arrays.pop("joints", ()))
    arrays.pop("turns", None)
    arrays.pop(OWN, None)
    return _log({name: value if name != "t" else value[:, None] for name, value in arrays.items()}, joints, path)


def _log(arrays: dict[str, Array], joints: tuple[str, ...], path: Path) -> Log:
    missing = [name for name in ("t", "q") if name not in arrays]
    if missing:
        raise InputError(f"{path}: no column {' and no '.join(missing)}")
    state = {name.removeprefix("state."): x for name, x in arrays.items() if name.startswith("state.")}
    given: dict[str, Any] = {name: x for name, x in arrays.items() if name in (*MEASURED, *WANTED)}
    return Log(t=arrays["t"][:, 0], state=state, joints=joints, **given)
