"""`gather`: a robot, logs, a joint model and a filter become `Data`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from manipula.errors import InputError, UnknownNameError
from manipula.identification.assembled import Columns
from manipula.identification.data import BLOCKS, Data, Source
from manipula.identification.filters.cutoff import Filter, cutoff_for
from manipula.identification.filters.filtering import Smoother
from manipula.identification.filters.motion import RecordedMotion, motion_of
from manipula.identification.gram import Array, Grams
from manipula.identification.joint_model import JointModel
from manipula.mechanics.robot.description import RobotDescription
from manipula.messages import Message
from manipula.simulation.functions import Limits
from manipula.simulation.records.logs import Log

SHOWN = 1e-8  # eigenvalues of a scaled Gram matrix, in parts of the largest


def gather(
    robot: RobotDescription,
    logs: Log | Iterable[Log],
    model: JointModel | None = None,
    filter: Filter = "auto",
    *,
    blocks: int = BLOCKS,
    load: Any = None,
) -> Data:
    """`filter`: "auto", that or lower (`Below`), a cut-off in Hz, or None. `load` are values of the inertial columns,
    see `Data`."""
    columns = Columns(robot, model or JointModel())
    listed = [logs] if isinstance(logs, Log) else list(logs)
    if not listed:
        raise InputError("identify: no log was given; expected one or more")
    motions, notes = list[RecordedMotion](), list[str]()
    for log in listed:
        found, said = _motions(columns, log, filter)
        motions += found
        notes += said
    source = Source(columns, tuple(motions))
    places = np.arange(len(columns.columns))
    known = _load(source, load, blocks)
    fit, judge = source.grams(known, blocks)
    return Data(columns.columns, fit, judge, source, known, tuple(dict.fromkeys(notes)), places)


def _motions(columns: Columns, log: Log, filter: Filter) -> tuple[list[RecordedMotion], list[str]]:
    """The stretches of a log, filtered, and what was noticed of it."""
    _check(columns.robot, log)
    parts = log.parts()
    cut, factors, effort = cutoff_for(parts, filter), _factors(columns), Limits(columns.robot).effort
    effort = np.where(effort > 0, effort, np.inf)  # zero: the file's way to say nothing
    smoothers = [Smoother(part.rate, cut.frequency, cut.reason, cut.motion) for part in parts]
    motions = [_motion(columns, part, smoother, factors, effort) for part, smoother in zip(parts, smoothers)]
    return motions, [note for part in parts for note in part.notes]


def _motion(columns: Columns, part: Log, smoother: Smoother, factors: Array, effort: Array) -> RecordedMotion:
    assert part.tau is not None
    found = motion_of(part, part.tau * factors, smoother, {r: float(r) * columns.pace for r in columns.radii()})
    held = part.saturated | (np.abs(part.tau) >= effort)
    if held.any() and smoother.blur:  # as far around as the filter spreads it
        held = np.array([np.convolve(x, np.ones(smoother.blur), "same") > 0.5 for x in held.T]).T
    return replace(found, saturated=held)


def _check(robot: RobotDescription, log: Log) -> None:
    if log.tau is None:
        raise InputError("log: has no torques; an identification needs t, q and tau")
    for name, value in (("q", log.q), ("tau", log.tau)):
        if np.ndim(value) != 2 or np.shape(value)[1] != robot.dof:
            raise InputError(
                "log: {name}: expected shape (time, {dof}), a column a joint of {name2}, found {shape}",
                name,
                robot.dof,
                robot.name,
                np.shape(value),
            )
        if not np.isfinite(value).all():
            raise InputError("log: {name}: has entries that are no numbers; mp.read_log cuts such times out", name)


def _factors(columns: Columns) -> Array:
    """What recorded torques are multiplied by, where drive gains are known."""
    given, names = columns.model.gains, [joint.name for joint in columns.joints]
    found = np.ones(len(names))
    for name, factor in given.items() if isinstance(given, Mapping) else ():
        if name not in names:
            raise UnknownNameError(Message("joint of {name}", columns.robot.name), name, names)
        found[names.index(name)] = float(factor)
    return found


def _load(source: Source, given: Any, blocks: int) -> Array | None:
    """The inertial parameters behind columns that follow the load: given, the file's, or those of a first fit."""
    columns = source.columns
    size = len(columns.inertial.columns)
    if given is not None:
        load = np.asarray(given, float)
        if load.shape != (size,) or not np.isfinite(load).all():
            raise InputError(
                "load: expected {size} numbers, one an inertial column, found shape {shape}", size, load.shape
            )
        return load
    if not columns.loaded:
        return None
    known = columns.known[:size]
    return known if np.isfinite(known).all() else first_fit(source.grams(None, blocks)[0])[:size]


def first_fit(grams: Grams) -> Array:
    """Least squares, every column scaled to one, directions that the data do not show left at zero."""
    a, b, _ = grams.normal()
    scale = np.sqrt(np.maximum(np.diag(a), 0.0))
    scale[scale == 0] = 1.0
    values, vectors = np.linalg.eigh(a / np.outer(scale, scale))
    shown = values > SHOWN * max(values[-1], 0.0)
    turned = vectors[:, shown].T @ (b / scale)
    found: Array = vectors[:, shown] @ (turned / values[shown]) / scale
    return found
