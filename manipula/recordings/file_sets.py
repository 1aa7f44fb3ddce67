"""One recording over several files: positions here, currents there, joined by time or by the number of the row.

Heads say what a column is; where they do not (numbers alone, or names of joints), the file's own name does:
`positions.txt`, `motor_currents.csv`, `time.txt`. A file with one number a line holds the joints of a sample one after
the other where the other files say so. Files that all have times are brought to those of the positions, unless they are
the same; a file without times must have as many rows as the others.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError
from manipula.messages import Message
from manipula.recordings.sources import Array, Ask, Column, Source, column_from, source_of
from manipula.recordings.words import (
    FINE_TIMES,
    QUANTITIES,
    ROUGH_TIMES,
    Meaning,
    head_of,
    meaning_of,
    robots_name,
    unit_of,
    words_of,
)

Indexes = NDArray[np.intp]
HEADLESS = "column 0"  # the first head of a file without heads
UNEVEN = 0.5  # of the mean step: a column that rises in steps more even than this may be a clock
SAME = 0.02  # of a step: times that are no farther apart are the same
SLOWER = 200.0  # times as far apart: samples of one recording are not, those in milliseconds and seconds are
FEWER = 0.001  # of the rows: so many may be missing at a file's end


@dataclass(frozen=True, eq=False)
class FilePart:
    """A file of the set: its columns as arrays, (rows,) or (rows, k); `clock` is the one of times, if there is one."""

    path: Path
    columns: tuple[Column, ...]
    arrays: tuple[Array, ...]
    clock: int | None
    notes: tuple[str, ...]
    repairs: tuple[str, ...]

    @property
    def rows(self) -> int:
        return len(self.arrays[0])

    @property
    def quantities(self) -> set[str]:
        found = (_meaning(column) for column in self.columns)
        return {meaning.quantity for meaning in found if meaning is not None}

    @property
    def times(self) -> Array | None:
        """In seconds, where the head says the unit."""
        if self.clock is None:
            return None
        meaning = _meaning(self.columns[self.clock])
        unit = unit_of("t", meaning.unit) if meaning is not None and meaning.unit else None
        return np.asarray(self.arrays[self.clock], float) * (1.0 if unit is None else unit.factor)

    def at(self, rows: Indexes) -> FilePart:
        return replace(self, arrays=tuple(x[rows] for x in self.arrays))

    def with_note(self, note: str) -> FilePart:
        return replace(self, notes=(*self.notes, note))


def source_of_set(paths: Sequence[Path], ask: Ask) -> Source:
    """The columns of all files, as if they stood in one."""
    parts = [_part(path, source_of(path, ask), len(ask.joints)) for path in paths]
    parts = _a_file_a_joint(_one_number_a_line(parts, len(ask.joints)), ask.joints)
    main = _main(parts)
    others = [part for part in parts if part is not main]
    by_time = [part for part in others if not _same_rows(main, part)]
    by_row = [_by_row(main, part) for part in others if part not in by_time]
    fewest = min([main.rows, *(part.rows for part in by_row)])
    rows = np.arange(fewest)
    for part in by_time:
        rows = rows[_covered(main, part, rows)]
    kept = [part.at(rows) for part in (main, *by_row)] + [_at_times(part, main, rows) for part in by_time]
    columns = [
        column_from(column.head, array, column.unit, column.joints)
        for part in kept
        for k, (column, array) in enumerate(zip(part.columns, part.arrays))
        if part is kept[0] or k != part.clock
    ]
    label = " + ".join([str(paths[0]), *(path.name for path in paths[1:])])
    notes = [note for part in kept for note in part.notes]
    return Source(label, tuple(columns), tuple(notes), tuple(note for part in kept for note in part.repairs))


def _main(parts: Sequence[FilePart]) -> FilePart:
    """The file whose rows all others are brought to: the positions', if it has times, else the first that has."""
    clocks = [part for part in parts if part.clock is not None]
    return next((part for part in clocks if "q" in part.quantities), (clocks or list(parts))[0])


# what a file holds


def _meaning(column: Column) -> Meaning | None:
    head = head_of(column.head)
    return meaning_of(head.words, column.unit or head.unit)


def _part(path: Path, source: Source, dof: int) -> FilePart:
    """With heads that say the quantity: the file's own, or with the word that its name has."""
    columns = _one_stamp(source.columns)
    meanings = [_meaning(column) for column in columns]
    said = {meaning.quantity for meaning in meanings if meaning is not None} - {"t"}
    if said:
        kept = tuple(column for column, meaning in zip(columns, meanings) if meaning is not None)
        clock = next((k for k, column in enumerate(kept) if _is_time(column)), None)
        return FilePart(path, kept, _arrays(kept), clock, source.notes, source.repairs)
    arrays = _arrays(columns)
    clock = next((k for k, meaning in enumerate(meanings) if meaning is not None), None)
    headless = bool(columns) and columns[0].head == HEADLESS
    name = _name(path)
    if headless and clock is None and _first_is_clock(arrays, dof, name):
        clock = 0
    if name is None and not (clock is not None and len(columns) == 1):
        raise InputError(
            "{path}: neither its heads nor its name say what it holds; name it after the quantity, such as "
            "positions.csv, velocities.csv, torques.csv, currents.csv or time.csv",
            path,
        )
    heads = [_head(k, column.head, headless, clock, name) for k, column in enumerate(columns)]
    unit = "" if name is None else name.unit
    renamed = tuple(
        replace(column, head=head, unit=column.unit or ("" if k == clock else unit))
        for k, (column, head) in enumerate(zip(columns, heads))
    )
    notes = tuple(note for note in source.notes if not headless)  # that it has no heads is no news
    return FilePart(path, renamed, arrays, clock, notes, source.repairs)


def _arrays(columns: Sequence[Column]) -> tuple[Array, ...]:
    return tuple(np.asarray(column.values()) for column in columns)


def _name(path: Path) -> Meaning | None:
    """What the name of a file says, a unit at its end too (`currents_mA`); that it has times beside positions is no
    contradiction."""
    words = words_of(path.stem)
    others = [word for word in words if word not in QUANTITIES["t"]]
    found = meaning_of(words, "") or meaning_of(others, "")
    unit = re.split(r"[\W_]", path.stem)[-1]
    if found is None or found.unit or unit_of(found.quantity.removesuffix("_ref"), unit) is None:
        return found
    return found._replace(unit=unit)


def _is_time(column: Column) -> bool:
    meaning = _meaning(column)
    return meaning is not None and meaning.quantity == "t"


def _one_stamp(columns: tuple[Column, ...]) -> tuple[Column, ...]:
    """Seconds and nanoseconds of one stamp as one column, of whole nanoseconds."""
    times = [k for k, column in enumerate(columns) if _is_time(column)]
    words = {k: set(head_of(columns[k].head).words) for k in times}
    rough = [k for k in times if words[k] & ROUGH_TIMES]
    fine = [k for k in times if words[k] & FINE_TIMES]
    if len(times) != 2 or len(rough) != 1 or len(fine) != 1 or rough == fine:
        return columns
    seconds, rest = (np.asarray(columns[k].values(), float) for k in (rough[0], fine[0]))
    if not (np.isfinite(seconds) & np.isfinite(rest)).all():
        return columns
    whole = seconds.astype(np.int64) * 10**9 + rest.astype(np.int64)
    stamp = column_from(columns[rough[0]].head, whole, "ns")
    return tuple(stamp if k == rough[0] else column for k, column in enumerate(columns) if k != fine[0])


def _first_is_clock(arrays: Sequence[Array], dof: int, name: Meaning | None) -> bool:
    """Is the first column of numbers without heads a time? It rises evenly, and is one more than there are joints."""
    if name is not None and name.quantity == "t":
        return True
    if len(arrays) < 2 or (dof and len(arrays) != dof + 1) or len(arrays[0]) < 3:
        return False
    steps = np.diff(arrays[0].astype(float))
    return bool((steps > 0).all() and steps.std() < UNEVEN * steps.mean())


def _head(k: int, head: str, headless: bool, clock: int | None, name: Meaning | None) -> str:
    """`position_1` for a column without a head, `elbow position` for one with a joint's name."""
    if k == clock:
        return "time" if headless else head
    assert name is not None
    if name.quantity == "t":
        return "time"
    said = f"{name.word}_ref" if name.quantity.endswith("_ref") else name.word
    number = k + 1 if clock is None or k < clock else k
    return f"{said}_{number}" if headless else f"{head} {said}"


def _one_number_a_line(parts: list[FilePart], dof: int) -> list[FilePart]:
    """Files of one column that are so many times longer than the others hold so many joints a sample."""
    counts = [part.rows for part in parts if len(part.columns) > 1 or part.clock is not None]
    single = [part for part in parts if len(part.columns) == 1 and part.clock is None]
    count = min(counts, default=min((part.rows for part in single), default=0) // max(dof, 1))
    found = []
    for part in parts:
        joints = dof or (part.rows // count if count else 0)
        if part in single and joints > 1 and part.rows == joints * (part.rows // joints) and part.rows > count:
            (column,), (array,) = part.columns, part.arrays
            head = column.head.removesuffix("_1")
            part = replace(
                part, columns=(replace(column, head=head, width=joints),), arrays=(array.reshape(-1, joints),)
            )
            part = part.with_note(Message("{path}: {joints} numbers a sample, one a line", part.path.name, joints))
        found.append(part)
    return found


def _a_file_a_joint(parts: list[FilePart], joints: Sequence[str]) -> list[FilePart]:
    """Files with the same heads, `position, torque` in each, hold a joint each: that of the file's name, or of its
    number there, or of its place."""
    heads = [[x.head for k, x in enumerate(part.columns) if k != part.clock] for part in parts]
    same = len(parts) > 1 and all(row and sorted(row) == sorted(heads[0]) for row in heads)
    if not same or any(word.isdigit() for head in heads[0] for word in words_of(head)):
        return parts
    names = [robots_name(part.path.stem, joints) for part in parts]
    numbers = [[word for word in words_of(part.path.stem) if word.isdigit()][-1:] for part in parts]
    if not (set(names) <= set(joints) and len(set(names)) == len(parts)):
        counted = all(numbers) and len({row[0] for row in numbers}) == len(parts)
        names = [row[0] for row in numbers] if counted else [str(k) for k in range(1, len(parts) + 1)]
    found = []
    for part, name in zip(parts, names):
        columns = tuple(
            column if k == part.clock else replace(column, head=f"{name} {column.head}")
            for k, column in enumerate(part.columns)
        )
        said = Message("{path} is taken for joint {name}", part.path.name, name)
        found.append(replace(part, columns=columns).with_note(said))
    return found


# side by side


def _same_rows(main: FilePart, part: FilePart) -> bool:
    """Is the other file joined row by row: has one of them no times, or are they the same?"""
    ours, theirs = main.times, part.times
    if ours is None or theirs is None:
        return True
    if len(ours) != len(theirs) or len(ours) < 2:
        return False
    return bool(np.abs(ours - theirs).max() <= SAME * float(np.median(np.abs(np.diff(ours)))))


def _by_row(main: FilePart, part: FilePart) -> FilePart:
    if abs(part.rows - main.rows) > max(2, FEWER * main.rows):
        raise InputError(
            "{path}: has {count} rows, {other} has {count2}; without times in both, files of one recording must have "
            "equally many",
            part.path,
            part.rows,
            main.path.name,
            main.rows,
        )
    if part.rows == main.rows:
        return part.with_note(Message("{path} is joined by row", part.path.name))
    return part.with_note(
        Message(
            "{path} is joined by row; {count} rows at the end of the longer file are left out",
            part.path.name,
            abs(part.rows - main.rows),
        )
    )


def _covered(main: FilePart, part: FilePart, rows: Indexes) -> NDArray[np.bool_]:
    """Which of these rows of the main file are within the times of the other one."""
    assert main.times is not None and part.times is not None
    steps = [float(np.median(np.abs(np.diff(times)))) if len(times) > 1 else 0.0 for times in (part.times, main.times)]
    if min(steps) > 0 and max(steps) > SLOWER * min(steps):
        raise InputError(
            "{path}: its samples are {step:.3g} s apart, those of {other} {step2:.3g} s; is one of them in other "
            "units? Name the unit in its head, such as time_ms",
            part.path,
            steps[0],
            main.path.name,
            steps[1],
        )
    ours, first, last = main.times[rows], part.times.min(), part.times.max()
    inside = np.asarray((ours >= first) & (ours <= last))
    if inside.sum() < 2:
        raise InputError(
            "{path}: its times, {start:.6g} to {end:.6g} s, are not those of {other}, {start2:.6g} to {end2:.6g} s; "
            "expected files of one clock",
            part.path,
            first,
            last,
            main.path.name,
            main.times[0],
            main.times[-1],
        )
    return inside


def _at_times(part: FilePart, main: FilePart, rows: Indexes) -> FilePart:
    """A file at the times of rows of the main one, on lines between its samples."""
    assert main.times is not None and part.times is not None
    rising = np.flatnonzero(np.diff(np.maximum.accumulate(part.times), prepend=-np.inf) > 0)
    given, wanted = part.times[rising], main.times[rows]

    def interpolate(array: Array) -> Array:
        columns = array[rising].astype(float).reshape(len(rising), -1)
        found = np.stack([np.interp(wanted, given, column) for column in columns.T], axis=1)
        return found.reshape(len(wanted), *array.shape[1:])

    told = Message("{path} is joined by time, on lines between its samples", part.path.name)
    return replace(part, arrays=tuple(map(interpolate, part.arrays))).with_note(told)
