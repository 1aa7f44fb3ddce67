"""`read_log`: from a file to a log. Columns are matched to joints, units applied, rows repaired, numbers doubted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError, UnknownNameError, caution
from manipula.mechanics.robot.description import RobotDescription
from manipula.messages import Message
from manipula.recordings.columns import Group, Joints, found_in, how_to_say
from manipula.recordings.file_sets import source_of_set
from manipula.recordings.log import Log, Understood
from manipula.recordings.matching import Matched, match_columns
from manipula.recordings.repairs import Rows, counter_size, unwrap_positions
from manipula.recordings.sources import Ask, Source, source_of
from manipula.recordings.words import (
    CENTURY,
    CURRENTS,
    MEASURED_NAMES,
    SINCE_1970,
    WANTED_NAMES,
    said_unit,
    si_unit,
    unit_since_1970,
    unknown_unit,
)

Array = NDArray[np.float64]
QUANTITIES = (*MEASURED_NAMES, *WANTED_NAMES)


def read_log(
    path: str | Path | Sequence[str | Path],
    robot: RobotDescription | None = None,
    columns: Mapping[str, object] | None = None,
    units: Mapping[str, object] | None = None,
    scale: Mapping[str, object] | None = None,
    rate: float | None = None,
    topic: str | None = None,
) -> Log:
    """The log, and a warning for everything that was repaired. Several paths are files of one recording."""
    names = robot.joint_names if robot is not None else ()
    paths = [Path(path)] if isinstance(path, str | Path) else [Path(one) for one in path]
    if not paths:
        raise InputError("read_log: no file was given; expected one or more")
    ask = Ask(topic, names)
    source = source_of(paths[0], ask) if len(paths) == 1 else source_of_set(paths, ask)
    if source.batch and source.batch["q"].ndim > 2:
        return _batch(source, robot)
    try:
        found = match_columns(source, Joints(robot.name if robot is not None else "", names), columns or {})
    except InputError:
        if robot is None or not robot.loops:
            raise
        # of a robot with loops the motors alone may have been recorded
        motors = Joints(robot.name, robot.motors)
        found = match_columns(source, motors, columns or {})
        alone = Reading(source, found, None, dict(units or {}), dict(scale or {})).log(rate)
        return replace(alone, joints=motors.names).checked(robot)
    log = Reading(source, found, robot, dict(units or {}), dict(scale or {})).log(rate)
    return log.checked(robot)


class Reading:
    """One file: its columns as matched, with the units somebody said."""

    def __init__(
        self,
        source: Source,
        found: Matched,
        robot: RobotDescription | None,
        units: dict[str, Any],
        scale: dict[str, Any],
    ) -> None:
        self.source, self.found, self.units, self.scale = source, found, units, scale
        self.count = len(found.groups["q"].places)
        self.notes = [*source.notes, *found.notes]
        self.stated: set[str] = {"t", *QUANTITIES} if source.own else set()
        self.turns = self._turns(robot)
        self.counters: dict[str, list[float]] = {}  # by joint, in its unit; 0 where positions are no counter's
        self.time_units = self._time_units()
        for name in (*units, *scale):
            if name == "tau" and name not in found.groups:
                raise InputError(
                    "{path}: no column of {name} was recognised; {found_in}; {how_to_say}",
                    source.path,
                    name,
                    found_in(source),
                    how_to_say(source, name),
                )
            if name not in ("t", *found.groups):
                raise UnknownNameError("quantity in the file", name, ("t", *found.groups))

    def _turns(self, robot: RobotDescription | None) -> tuple[bool, ...]:
        """Which joints turn: the robot's own word, or what the units of positions say."""
        if robot is not None:
            return robot.coordinates.turns
        if self.source.batch:
            return tuple(bool(turn) for turn in self.source.batch["turns"])
        words = self._words("q")
        return tuple(said_unit("q", word, self.source.path).turns is not False if word else True for word in words)

    def log(self, rate: float | None) -> Log:
        arrays = {name: self._values(name, group) for name, group in self.found.groups.items()}
        states = self._states()
        times = self._times(rate, len(arrays["q"]))
        rows = Rows(self.source.path, times, {**arrays, **states}, self.source.lines).repair()
        repairs = [*self.source.repairs, *rows.said, *self._unwrap(rows)]
        for said in repairs:
            caution("{place}: {text}", self.source.path, said)
        given: dict[str, Any] = {name: value for name, value in rows.arrays.items() if name in QUANTITIES}
        state = {name.removeprefix("state."): x for name, x in rows.arrays.items() if name not in QUANTITIES}
        joints = self.found.joints if len(self.found.joints) == self.count else ()
        return Log(
            t=rows.t, **given, state=state, joints=joints, notes=(*self.notes, *repairs), source=self.source.path,
            turns=self.turns, stated=tuple(sorted(self.stated)), understood=self._describe_columns(given, rate),
        )  # fmt: skip

    def _unwrap(self, rows: Rows) -> Iterator[str]:
        """Positions that were cut, put together in place; what was saved here is read back as it is."""
        for name in () if self.source.own else ("q", "q_ref"):
            if name in rows.arrays:
                yield from unwrap_positions(rows, name, self.turns, self.counters[name], self.found.joints)

    # numbers

    def _values(self, name: str, group: Group) -> Array:
        """(time, joints), SI; each array of the file is read once."""
        arrays = {place.column: self.source.columns[place.column].values() for place in group.places}
        read = [arrays[place.column] for place in group.places]
        values = np.stack(
            [x if x.ndim == 1 else x[:, place.inner] for x, place in zip(read, group.places)], axis=-1
        ).astype(float)
        factor = self._factors(name, group)
        self.counters[name] = [counter_size(column) * abs(x) for column, x in zip(values.T, factor)]
        return values if (factor == 1.0).all() else values * factor

    def _factors(self, name: str, group: Group) -> Array:
        words = self._words(name)
        known = name in self.scale
        scale = _each(self.source.path, "scale", name, self.scale.get(name, 1.0), self.count)
        if not known and group.word in CURRENTS and name not in self.units:
            if self.found.commanded:
                raise InputError(
                    "{path}: torques are recorded as currents ({heads}); say N·m per ampere: scale={{'tau': [...]}}, "
                    "or take those commanded; {how_to_say}",
                    self.source.path,
                    self._heads(group),
                    self.found.commanded,
                )
            raise InputError(
                "{path}: torques are recorded as currents ({heads}); say N·m per ampere: scale={{'tau': "
                "[...]}}, or leave them out: columns={{'tau': None}}",
                self.source.path,
                self._heads(group),
            )
        return np.array([self._factor(name, j, word, known) for j, word in enumerate(words)]) * scale

    def _factor(self, name: str, j: int, word: str, scaled: bool) -> float:
        if not word:
            return 1.0
        unit = said_unit(name, word, Message("{path}: units", self.source.path))
        if unit.turns is not None and unit.turns != self.turns[j]:
            joint = self.found.joints[j] if self.found.joints else Message("joint {name}", j + 1)
            raise InputError(
                (
                    ("{path}: units: {name}: {joints} turns, and {word!r} does not fit; found for it")
                    if self.turns[j]
                    else ("{path}: units: {name}: {joints} slides, and {word!r} does not fit; found for it")
                ),
                self.source.path,
                name,
                joint,
                word,
            )
        if unit.asked and not scaled:
            raise InputError(
                "{path}: {name} is recorded in {word!r}; say {si_unit} per {asked}: scale={{{name2!r}: [...]}}",
                self.source.path,
                name,
                word,
                si_unit(name, self.turns[j]),
                unit.asked,
                name,
            )
        return unit.factor

    def _words(self, name: str) -> list[str]:
        """The unit of each joint: as said, else as the head has it; empty where nothing says it."""
        heads = self.found.groups[name].units
        said = self.units.get(name)
        if said is None:
            if all(heads):
                self.stated.add(name)
            elif name not in self.scale:
                self._refuse_unknown(name)
            return list(heads)
        if isinstance(said, str):
            return self._units_for_joints(name, said)
        self.stated.add(name)
        return [str(word) for word in _option_list(self.source.path, "units", name, said, self.count)]

    def _refuse_unknown(self, name: str) -> None:
        """A unit that the head has and nobody knows is not taken for SI."""
        for head in (self.source.heads[place.column] for place in self.found.groups[name].places):
            if word := unknown_unit(head, self.found.joints):
                raise InputError(
                    "{path}: {head!r}: {word!r} is no unit of {name} that is known; say units={{{name2!r}: …}}, or "
                    "how many SI units one is: scale={{{name2!r}: …}}",
                    self.source.path,
                    head,
                    word,
                    name,
                    name,
                )

    def _units_for_joints(self, name: str, word: str) -> list[str]:
        """One unit for all: joints that slide are in SI where it is an angle's, and the other way round."""
        unit = said_unit(name, word, Message("{path}: units", self.source.path))
        turns = getattr(self, "turns", None) or (True if unit.turns is None else unit.turns,) * self.count
        fits = [unit.turns is None or unit.turns == turn for turn in turns]
        if not any(fits):
            raise InputError("{path}: units: {name}: {word!r} fits no joint", self.source.path, name, word)
        self.stated.add(name if all(fits) else f"{name} of {'angles' if unit.turns else 'lengths'}")
        if not all(fits):
            other = si_unit(name, not unit.turns)
            self.notes.append(
                Message("{name}: {word} does not fit every joint; the others are taken in {si_unit}", name, word, other)
            )
        return [word if fit else "" for fit in fits]

    # times

    def _times(self, rate: float | None, count: int) -> Array:
        if rate is not None:
            if not (np.isfinite(rate) and rate > 0):
                raise InputError("{path}: rate: expected samples a second, found {rate}", self.source.path, rate)
            self.stated.add("t")
            self.notes.append(Message("times are counted at {rate:g} Hz, as said", rate))
            return np.arange(count) / rate
        if not self.found.time:
            raise InputError(
                "{path}: no column of times among {heads}; say which, columns={{'t': …}}, or that samples are "
                "even, rate=…",
                self.source.path,
                ", ".join(map(repr, self.source.heads[:16])),
            )
        words = self.time_units
        if all(words):
            self.stated.add("t")
        scale = float(np.ravel(self.scale.get("t", 1.0))[0])
        total, first = np.zeros(1), self._first_second()
        for k, place in enumerate(self.found.time):
            word = words[min(k, len(words) - 1)]
            factor = said_unit("t", word, Message("{path}: units", self.source.path)).factor if word else 1.0
            values = self._count_from_first(self.source.columns[place.column].values()) - first
            total, first = total + values * (factor * scale), 0.0
        return total

    def _first_second(self) -> float:
        """Seconds since 1970 beside nanoseconds are counted from the first: a float has no place for both."""
        if len(self.found.time) < 2:
            return 0.0
        seconds = self.source.columns[self.found.time[0].column].values()
        if not len(seconds) or not SINCE_1970["ms"] / 1e3 <= seconds[0] <= CENTURY * SINCE_1970["ms"] / 1e3:
            return 0.0
        self.notes.append(Message("times are counted from the first, {values}", int(seconds[0])))
        return float(seconds[0])

    def _time_units(self) -> list[str]:
        """Of every column of times: as said, as its head has it, or as its size shows; "" where nothing does."""
        if "t" in self.units:
            return [str(self.units["t"] or "")]
        words = list(self.found.time_units)
        if words == [""] and "t" not in self.scale:
            values = self.source.columns[self.found.time[0].column].values()
            words = [unit_since_1970(float(values[0]), float(values[-1])) if len(values) else ""]
            if words[0]:
                self.notes.append(Message("times count {unit} since 1970", words[0]))
        return words

    def _count_from_first(self, values: NDArray[Any]) -> Array:
        """Whole numbers too long for a float are counted from the first: nanoseconds since 1970."""
        if values.dtype.kind in "iu" and len(values) and max(abs(int(values[0])), abs(int(values[-1]))) > 2**53:
            self.notes.append(Message("times are counted from the first, {values}", int(values[0])))
            return (values.astype(np.int64) - int(values[0])).astype(float)
        return values.astype(float)

    # what else there is

    def _states(self) -> dict[str, Array]:
        """What a law remembered: `state.theta1 …` of tables, `state.theta` of archives."""
        found: dict[str, list[Array]] = {}
        for column in self.source.columns if self.source.own else ():
            if column.head.startswith("state."):
                name = column.head
                if column.width == 1 and not self.source.batch:
                    name = column.head.partition(" [")[0].rstrip("0123456789").rstrip(".")
                value = np.asarray(column.values(), float)
                found.setdefault(name, []).append(value[:, None] if value.ndim == 1 else value)
        return {name: np.hstack(parts) for name, parts in found.items()}

    def _heads(self, group: Group) -> str:
        heads = list(dict.fromkeys(self.source.heads[place.column] for place in group.places))
        return heads[0] if len(heads) == 1 else f"{heads[0]} … {heads[-1]}"

    def _describe_columns(self, given: Mapping[str, object], rate: float | None) -> tuple[Understood, ...]:
        """Where everything is from, and in which units; a column of times is not read where they are counted."""
        heads = [self.source.heads[place.column] for place in self.found.time]
        counted = rate is not None or not heads
        times = "counted" if counted else " + ".join(heads)
        word = "s" if counted else " + ".join(filter(None, self.time_units)) or "s"
        rows = [Understood("t", times, word, "t" in self.stated)]
        for name in given:
            words = self._words(name)
            units = [word or si_unit(name, turn) for word, turn in zip(words, self.turns)]
            rows.append(
                Understood(
                    name, self._heads(self.found.groups[name]), ", ".join(dict.fromkeys(units)), name in self.stated
                )
            )
        return tuple(rows)


def _each(path: str, option: str, name: str, given: object, count: int) -> Array:
    """One number for all joints, or one each."""
    try:
        values = np.asarray(given, float)
    except (TypeError, ValueError):
        raise InputError(
            "{path}: {option}: {name}: expected numbers, found {given!r:.60}", path, option, name, given
        ) from None
    if values.shape not in ((), (count,)) or not np.isfinite(values).all() or (values == 0).any():
        raise InputError(
            "{path}: {option}: {name}: expected {count} numbers other than zero, found {given!r:.60}",
            path,
            option,
            name,
            count,
            given,
        )
    return np.broadcast_to(values, (count,))


def _option_list(path: str, option: str, name: str, given: Sequence[object], count: int) -> list[object]:
    found = list(given)
    if len(found) != count:
        raise InputError(
            "{path}: {option}: {name}: expected {count} words, found {count2}", path, option, name, count, len(found)
        )
    return found


def _batch(source: Source, robot: RobotDescription | None) -> Log:
    """As `save` wrote it."""
    arrays = dict(source.batch)
    joints, turns = (tuple(arrays.pop(name).tolist()) for name in ("joints", "turns"))
    state = {name.removeprefix("state."): arrays.pop(name) for name in list(arrays) if name.startswith("state.")}
    given: dict[str, Any] = {name: x for name, x in arrays.items() if name in ("t", *QUANTITIES)}
    log = Log(**given, state=state, joints=joints, turns=turns, source=source.path, stated=("t", *QUANTITIES))
    if robot is not None and log.dof != robot.dof:
        raise InputError(
            "{path}: has {count} joints; {robot} has {count2}", source.path, log.dof, robot.name, robot.dof
        )
    return log
