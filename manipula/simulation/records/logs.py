"""Logs: what was recorded of an arm, as files. `.csv` holds one arm, `.npz` a batch, too; both are read back exactly.

A table has a column for every number, headed by its name and unit: `t [s]`, `q1 [rad]`, `qd1 [rad/s]`, `tau1 [N·m]`,
`q_ref1 [rad]`, `state.theta1`; joints are counted from one.
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError, UnknownNameError
from manipula.mechanics.robot.description import Robot
from manipula.support.files import write_bytes, write_text
from manipula.support.plain import plain

Array = NDArray[np.float64]
ENDINGS = (".csv", ".npz")
MEASURED = ("q", "qd", "qdd", "tau")
WANTED = ("q_ref", "qd_ref", "qdd_ref")
COLUMN = re.compile(r"^(?P<name>[A-Za-z_][\w.]*?)(?P<number>\d+)?(?: \[[^\]]*\])?$")


@dataclass(frozen=True, eq=False)
class Log:
    """Arrays (…, time, n), SI and radians; what was not recorded is None. `state` is what a law remembered."""

    t: Array
    q: Array
    tau: Array | None = None
    qd: Array | None = None
    qdd: Array | None = None
    q_ref: Array | None = None
    qd_ref: Array | None = None
    qdd_ref: Array | None = None
    state: Mapping[str, Array] = field(default_factory=dict)
    joints: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        times = np.asarray(self.t)
        if times.ndim != 1 or not len(times) or not (np.diff(times) > 0).all():
            raise InputError(f"log: t: expected rising times, found shape {times.shape}")
        for name, value in {"q": self.q, "tau": self.tau, "qd": self.qd}.items():
            if value is not None and np.shape(value)[-2:-1] != times.shape:
                raise InputError(f"log: {name}: expected shape (…, {len(times)}, n), found {np.shape(value)}")

    def __repr__(self) -> str:
        kept = [name for name in (*MEASURED, *WANTED) if getattr(self, name) is not None]
        times = f"{self.t[0]:g} … {self.t[-1]:g} s in {len(self.t)} samples"
        return f"<log of {self.dof} joints: {times}; {', '.join([*kept, *self.state])}>"

    @property
    def dof(self) -> int:
        return int(self.q.shape[-1])

    def as_dict(self) -> dict[str, Any]:
        arrays = {name: getattr(self, name) for name in ("t", *MEASURED, *WANTED)}
        told: dict[str, Any] = plain({**arrays, "state": dict(self.state), "joints": list(self.joints)})
        return told


def save_log(log: Log, turns: Sequence[bool], path: str | Path) -> Path:
    """The ending says how; the old file stays whole until the new one is complete."""
    path = Path(path)
    if path.suffix not in ENDINGS:
        raise UnknownNameError("ending of a log", path.suffix or str(path), ENDINGS)
    return write_text(path, _table(log, turns)) if path.suffix == ".csv" else write_bytes(path, _archive(log))


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


# tables


def _units(name: str, turns: bool) -> str:
    length, effort = ("rad", "N·m") if turns else ("m", "N")
    rates = {"q": length, "qd": f"{length}/s", "qdd": f"{length}/s²", "tau": effort}
    return rates[name.removesuffix("_ref")]


def _table(log: Log, turns: Sequence[bool]) -> str:
    if log.q.ndim != 2:
        raise InputError(f"a table holds one arm, found a batch of {log.q.shape[:-2]}; an .npz file holds it")
    heads, columns = ["t [s]"], [log.t[:, None]]
    for name in (*MEASURED, *WANTED):
        value = getattr(log, name)
        if value is not None:
            heads += [f"{name}{i + 1} [{_units(name, turn)}]" for i, turn in enumerate(turns)]
            columns.append(value)
    for name, value in log.state.items():
        heads += [f"state.{name}{i + 1}" for i in range(value.shape[-1])]
        columns.append(value)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(heads)
    writer.writerows([map(repr, row) for row in np.hstack(columns).tolist()])
    return text.getvalue()


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


# archives


def _archive(log: Log) -> bytes:
    arrays = {name: getattr(log, name) for name in ("t", *MEASURED, *WANTED)}
    arrays = {name: value for name, value in arrays.items() if value is not None}
    arrays |= {f"state.{name}": value for name, value in log.state.items()}
    data = io.BytesIO()
    np.savez_compressed(data, joints=np.array(log.joints, dtype=str), **arrays)
    return data.getvalue()


def _from_archive(data: bytes, path: Path) -> Log:
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as found:
            arrays = {name: found[name] for name in found.files}
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise InputError(f"{path}: is no archive of arrays: {error}") from None
    joints = tuple(str(x) for x in arrays.pop("joints", ()))
    return _log({name: value if name != "t" else value[:, None] for name, value in arrays.items()}, joints, path)


def _log(arrays: dict[str, Array], joints: tuple[str, ...], path: Path) -> Log:
    missing = [name for name in ("t", "q") if name not in arrays]
    if missing:
        raise InputError(f"{path}: no column {' and no '.join(missing)}")
    state = {name.removeprefix("state."): x for name, x in arrays.items() if name.startswith("state.")}
    given = {name: x for name, x in arrays.items() if name in (*MEASURED, *WANTED)}
    return Log(t=arrays["t"][:, 0], state=state, joints=joints, **given)
