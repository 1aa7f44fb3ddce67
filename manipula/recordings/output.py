"""Logs as files. `.csv` and `.parquet` hold one arm, `.npz` a batch, too; all are read back exactly.

A table has a column for every number, headed by its name and unit: `t [s]`, `q1 [rad]`, `qd1 [rad/s]`, `tau1 [N·m]`,
`q_ref1 [rad]`, `state.theta1`; joints are counted from one.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError, UnknownNameError
from manipula.pages.plots import COLOURS, blank, plainly
from manipula.recordings.words import MEASURED_NAMES, OWN, WANTED_NAMES, si_unit
from manipula.support.files import write_bytes

Array = NDArray[np.float64]


class Recorded(Protocol):
    """What is written: `Log`."""

    @property
    def t(self) -> Array: ...
    @property
    def q(self) -> Array: ...
    @property
    def state(self) -> Mapping[str, Array]: ...
    @property
    def state_units(self) -> Mapping[str, str]: ...
    @property
    def joints(self) -> tuple[str, ...]: ...
    @property
    def turns(self) -> tuple[bool, ...]: ...


def save_log(log: Recorded, path: str | Path) -> Path:
    """The ending says how; the old file stays whole until the new one is complete."""
    path = Path(path)
    write = WRITERS.get(path.suffix.lower())
    if write is None:
        raise UnknownNameError("ending of a log", path.suffix or str(path), WRITERS)
    return write_bytes(path, write(log))


def columns_of(log: Recorded) -> dict[str, Array]:
    """Every column of a table, by its head."""
    if log.q.ndim != 2:
        raise InputError("a table holds one arm, found a batch of {shape}; an .npz file holds it", log.q.shape[:-2])
    found = {"t [s]": log.t}
    for name in (*MEASURED_NAMES, *WANTED_NAMES):
        value = getattr(log, name)
        if value is not None:
            turns = log.turns or (True,) * value.shape[-1]
            found |= {f"{name}{i + 1} [{si_unit(name, turn)}]": value[:, i] for i, turn in enumerate(turns)}
    for name, value in log.state.items():
        # p0 and its first entry are p0.1, so that names with numbers are read back
        unit, dot = log.state_units.get(name, ""), "." if name[-1:].isdigit() else ""
        heads = (f"state.{name}{dot}{i + 1}" + (f" [{unit}]" if unit else "") for i in range(value.shape[-1]))
        found |= dict(zip(heads, value.T))
    return found


def _table(log: Recorded) -> bytes:
    columns = columns_of(log)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([map(repr, row) for row in np.stack(list(columns.values()), axis=1).tolist()])
    return text.getvalue().encode()


def _archive(log: Recorded) -> bytes:
    arrays = {name: getattr(log, name) for name in ("t", *MEASURED_NAMES, *WANTED_NAMES)}
    arrays = {name: value for name, value in arrays.items() if value is not None}
    arrays |= {f"state.{name}": value for name, value in log.state.items()}
    arrays |= {"joints": np.array(log.joints, dtype=str), "turns": np.array(log.turns, dtype=bool), OWN: np.array(1)}
    data = io.BytesIO()
    np.savez_compressed(data, **arrays)
    return data.getvalue()


def _parquet(log: Recorded) -> bytes:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise InputError(
            "a .parquet file needs pyarrow: pip install 'manipula[identify]'; .npz needs nothing"
        ) from None
    sink = io.BytesIO()
    parquet.write_table(pyarrow.table(columns_of(log)), sink)
    return sink.getvalue()


WRITERS: dict[str, Callable[[Recorded], bytes]] = {".csv": _table, ".npz": _archive, ".parquet": _parquet}


# A log as a figure of matplotlib: what each joint did, what was wanted, and where its motor was at its limit.

LABELS = {"q": "position", "qd": "speed", "qdd": "acceleration", "tau": "torque"}


class Shown(Protocol):
    """What is drawn: `Log`, of one arm."""

    @property
    def t(self) -> Array: ...
    @property
    def q(self) -> Array: ...
    @property
    def turns(self) -> tuple[bool, ...]: ...
    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def source(self) -> str: ...
    @property
    def saturated(self) -> NDArray[np.bool_]: ...


def figure_of(log: Shown, degrees: bool) -> Any:
    """A row for every quantity there is, a column a joint. It is not shown: a notebook does that."""
    if log.q.ndim != 2:
        raise InputError("log.plot draws one arm, found a batch of {shape}: see log.rows()", log.q.shape[:-2])
    rows = [name for name in MEASURED_NAMES if getattr(log, name) is not None]
    count = log.q.shape[1]
    figure = blank("log.plot", (max(2.7 * count, 5.0), 2.1 * len(rows) + 0.6))
    axes = figure.subplots(len(rows), count, sharex=True, squeeze=False)
    for places, name in zip(axes, rows):
        for j, place in enumerate(places):
            _draw(place, log, name, j, degrees)
            place.set_title(plainly(log.names[j]) if name == rows[0] else "", fontsize=10)
            place.set_xlabel("time [s]" if name == rows[-1] else "")
    figure.suptitle(plainly(log.source or "log"), fontsize=11)
    return figure


def _draw(place: Any, log: Shown, name: str, j: int, degrees: bool) -> None:
    turns = not log.turns or log.turns[j]
    unit, size = si_unit(name, turns), 1.0
    if degrees and turns and name != "tau":
        unit, size = unit.replace("rad", "deg"), 180 / np.pi
    values = size * getattr(log, name)[:, j]
    place.plot(log.t, values, linewidth=1.3, color=COLOURS[0])
    wanted = getattr(log, f"{name}_ref", None)
    if wanted is not None:
        place.plot(log.t, size * wanted[:, j], color="black", linestyle="--", linewidth=1)
    full = log.saturated[:, j]
    if name == "tau" and full.any():
        place.plot(log.t[full], values[full], ".", color=COLOURS[1], markersize=3)
    place.set_ylabel(f"{LABELS[name] if turns or name != 'tau' else 'force'} [{unit}]", fontsize=9)
    place.tick_params(labelsize=8)
    place.grid(alpha=0.3)
