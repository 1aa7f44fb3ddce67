"""What cannot be as it is: rows without numbers, out of order, twice at one time, positions that jump by a turn.

Repaired and said, with the lines of the file where it has some, or refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import pi

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError
from manipula.messages import Message
from manipula.recordings.coarse_clock import times_between_ticks
from manipula.recordings.sampling import counted_times, gaps, roughness, t_words

Array = NDArray[np.float64]
MOST_MISSING = 0.2  # of the rows
MOST_TWICE = 0.05
FEW_EACH = 2.0  # rows for every time: stamps of too few digits repeat now and then, not all of them
SHOWN = 5  # lines that a sentence names
LONG = 8  # rows in order: the clock went on from there
SETBACK, PART = 10.0, 0.1  # steps, of the whole time: a clock set back by more is another recording's
NEEDED = ("q", "tau")
FEWEST, BRIDGED = 10, 3.0  # samples of a quantity that has rows of its own; of its steps: a gap is longer
LARGEST = 1e100  # a larger number is a damaged one, and its square none any more


class Rows:
    """Times and arrays with a row for each, while they are repaired; `said` lists the repairs. `lines` are those of the
    rows in the file, where it has some."""

    def __init__(self, place: str, t: Array, arrays: dict[str, Array], lines: NDArray[np.intp] | None = None) -> None:
        self.place, self.t, self.arrays, self.lines = place, t, arrays, lines
        self.said: list[str] = []

    def repair(self) -> Rows:
        for step in (self._own_rows, self._empty_quantities, self._drop_missing, self._order, self._twice):
            step()
        if len(self.t) < 2:
            raise InputError("{place}: {count} sample with numbers in it; one is not enough", self.place, len(self.t))
        return self

    def _keep(self, rows: NDArray[np.intp] | NDArray[np.bool_]) -> None:
        self.t = self.t[rows]
        self.arrays = {name: value[rows] for name, value in self.arrays.items()}
        self.lines = None if self.lines is None else self.lines[rows]

    def _say(self, sentence: str, rows: NDArray[np.intp]) -> None:
        """With the lines of the rows it is about; before they are changed."""
        self.said.append(sentence if self.lines is None else name_lines(sentence, self.lines[rows]))

    def _own_rows(self) -> None:
        """Topics that were put into one table by time have rows of their own: all are brought to the times of that
        column of positions or torques which has fewest. A stretch without samples is another thing."""
        there = {name: (np.abs(value) < LARGEST) & self._timed[:, None] for name, value in self.arrays.items()}
        counts = {name: found.sum(axis=0) for name, found in there.items() if name in NEEDED}
        main = min(counts, key=lambda name: int(counts[name].min()))
        rows = np.flatnonzero(there[main][:, int(counts[main].argmin())])
        sparse = FEWEST <= len(rows) < (1 - MOST_MISSING) * len(self.t)
        if not sparse or (np.diff(self.t) < 0).any() or not _is_regular(self.t[rows]):
            return
        self.said.append(
            Message("{count} of {count2} rows have a number in {main}: these are taken", len(rows), len(self.t), main)
        )
        for name, value in self.arrays.items():
            count = there[name].sum(axis=0)
            own = (there[name][rows].sum(axis=0) < (1 - MOST_MISSING) * len(rows)) & (count >= FEWEST)
            if own.any():
                brought = value.copy()
                for j in np.flatnonzero(own):
                    at = there[name][:, j]
                    brought[rows, j] = _between(self.t[at], value[at, j], self.t[rows])
                self.arrays[name] = brought
                self.said.append(Message("{name} has rows of its own: taken on lines between its samples", name))
        self._keep(rows)

    @property
    def _timed(self) -> NDArray[np.bool_]:
        return np.asarray(np.abs(self.t) < LARGEST)

    def _empty_quantities(self) -> None:
        """What is beside the point, and mostly missing, is left out as a whole."""
        for name, value in list(self.arrays.items()):
            missing = _rows_without(value).mean()
            if missing == 1.0 and name != "q":
                del self.arrays[name]
                self.said.append(Message("{name} has no numbers and is left out", name))
            elif missing > MOST_MISSING and name not in NEEDED:
                del self.arrays[name]
                self.said.append(
                    Message("{name} is missing in {missing:.0f} % of the rows and is left out", name, 100 * missing)
                )

    def _drop_missing(self) -> None:
        found = {"t": ~self._timed} | {name: _rows_without(value) for name, value in self.arrays.items()}
        bad = np.logical_or.reduce(list(found.values()))
        if not bad.any():
            return
        worst = max(found, key=lambda name: int(found[name].sum()))
        if bad.mean() > MOST_MISSING:
            raise InputError(
                "{place}: {many:.0f} % of the rows have no number somewhere, most of them in {worst}; at most "
                "{most_missing:.0f} % can be left out",
                self.place,
                100 * bad.mean(),
                worst,
                100 * MOST_MISSING,
            )
        self._say(
            Message(
                (
                    "{bad} rows without a number in {worst} left out"
                    if bad.sum() > 1
                    else "{bad} row without a number in {worst} left out"
                ),
                int(bad.sum()),
                worst,
            ),
            np.flatnonzero(bad),
        )
        self._keep(~bad)

    def _order(self) -> None:
        """Rows out of place are sorted. A clock that jumps back is another recording, and its order is unknown."""
        back = np.flatnonzero(np.diff(self.t) < 0)
        if not len(back):
            return
        order = np.argsort(self.t, kind="stable")
        if self._stamped_late(order):
            return
        if self._restarts(back, order) or _length(self.arrays["q"][order]) > _length(self.arrays["q"]):
            k = int(back[0])
            where = Message("row {k}", k + 2) if self.lines is None else Message("line {k}", int(self.lines[k + 1]))
            raise InputError(
                "{place}: the clock jumps back from {t:.6g} to {t2:.6g} s at {where}: these are several recordings; "
                "cut the file there",
                self.place,
                self.t[k],
                self.t[k + 1],
                where,
            )
        told = Message("rows were not in the order of time ({count} stood too late): sorted", len(back))
        self._say(told, back + 1)
        self._keep(order)

    def _stamped_late(self, order: NDArray[np.intp]) -> bool:
        """Stamps of a busy computer overtake each other by a few steps. Rows stay as they are where positions are
        smooth in their order: a row has the time that is next."""
        steps = np.diff(self.t)
        late, count = float(-steps.min()), int((steps < 0).sum())
        if late > min(SETBACK * float(np.median(np.abs(steps))), PART * float(np.ptp(self.t))):
            return False
        if _length(self.arrays["q"][order]) <= _length(self.arrays["q"]):
            return False
        told = Message(
            "the clock goes back by up to {t_words} ({count} times), positions do not: rows stay in their order",
            t_words(late), count,
        )  # fmt: skip
        self._say(told, np.flatnonzero(steps < 0) + 1)
        self.t = np.sort(self.t)
        return True

    def _restarts(self, back: NDArray[np.intp], order: NDArray[np.intp]) -> bool:
        """Do long stretches in order cover the same times? Sorted, rows come from one and the other by turns."""
        stretch = np.searchsorted(back, np.arange(len(self.t)), side="left")
        count = len(back) + 1
        turns = int((np.diff(stretch[order]) != 0).sum())
        return len(self.t) >= LONG * count and turns > 4 * count

    def _twice(self) -> None:
        """Equal rows are one, the few others of one time their mean."""
        same = np.diff(self.t) == 0
        if not same.any():
            return
        group = np.concatenate([[0], np.cumsum(~same)])
        firsts = np.flatnonzero(np.concatenate([[True], ~same]))
        table = np.hstack(list(self.arrays.values()))
        equal = (table == table[firsts][group]).all(axis=1)
        count, other = int(same.sum()), int((~equal).sum())
        if other > MOST_TWICE * len(self.t):
            each, q = len(self.t) / len(firsts), self.arrays["q"]
            within = times_between_ticks(self.t, q)
            counted = within if within is not None else counted_times(self.t) if each < FEW_EACH else None
            if counted is not None and roughness(counted, q) < roughness(self.t[firsts], q[firsts]):
                self.t = counted
                self.said.append(
                    Message(
                        "{count} times stand twice, with other numbers: samples are taken as even, {rate:.6g} Hz",
                        count,
                        1 / float(np.median(np.diff(counted))),
                    )
                )
                return
            raise InputError(
                "{place}: {count} times stand twice, with other numbers, {each:.3g} rows a time: they have too "
                "few digits, or are of several recordings; if the samples are even, say rate=…, in Hz",
                self.place,
                count,
                each,
            )
        alike = np.logical_and.reduceat(equal, firsts)[:, None]
        size = np.bincount(group)[:, None]
        self.arrays = {
            name: np.where(alike, value[firsts], np.add.reduceat(value, firsts) / size)
            for name, value in self.arrays.items()
        }
        told = Message(
            (
                (
                    "{count} times stand twice, with the same numbers"
                    if not other
                    else "{count} times stand twice, with other numbers, whose mean is taken"
                )
                if count > 1
                else (
                    "{count} time stands twice, with the same numbers"
                    if not other
                    else "{count} time stands twice, with other numbers, whose mean is taken"
                )
            ),
            count,
        )
        self._say(told, np.flatnonzero(same) + 1)
        self.t, self.lines = self.t[firsts], None if self.lines is None else self.lines[firsts]


def name_lines(sentence: str, lines: NDArray[np.intp]) -> str:
    """A sentence with the lines of the file that it is about: the first of them, where they are many."""
    shown = ", ".join(str(int(line)) for line in lines[:SHOWN]) + (", …" if len(lines) > SHOWN else "")
    return Message("{said}: line {lines}" if len(lines) == 1 else "{said}: lines {lines}", sentence, shown)


def _between(t: Array, values: Array, wanted: Array) -> Array:
    """Values at other times, on lines between samples; none in gaps and outside."""
    found, steps = np.interp(wanted, t, values, np.nan, np.nan), np.diff(t)
    place = np.clip(np.searchsorted(t, wanted, side="right") - 1, 0, len(steps) - 1)
    wide = (steps[place] > BRIDGED * np.median(steps)) & (t[place] < wanted) & (wanted < t[place + 1])
    return np.where(wide, np.nan, found)


def _is_regular(t: Array) -> bool:
    """Are most of the times no farther apart than a few steps?"""
    steps = np.diff(t)
    return bool(steps[steps <= BRIDGED * np.median(steps)].sum() >= (1 - MOST_MISSING) * steps.sum())


def _rows_without(value: Array) -> NDArray[np.bool_]:
    return np.asarray(~(np.abs(value) < LARGEST).all(axis=1))


def _length(q: Array) -> float:
    """Of the way through joint space."""
    return float(np.abs(np.diff(q, axis=0)).sum())


# Positions that were cut at a turn: a joint goes on at π and the file at −π.
#
# A step of a turn is no motion where, the turn taken off, it is like the steps beside it. Only steps without a gap in
# time are looked at: what a joint did in a gap nobody knows.

TURN = 2 * pi
LIKE = 3.0  # times the steps beside it
STILL = 0.05 / TURN  # of a turn: as much as a step may be where a joint hardly moves
LONGEST = 1.0 / TURN  # of a turn: where steps are longer, turns cannot be counted


def wrap_turns(t: Array, q: Array, turn: float = TURN) -> Array:
    """Of every step of one joint the turns it goes too far: −1, 0, 1."""
    if len(q) < 2:
        return np.zeros(0)
    steps = np.diff(q) / turn
    turns = np.where(np.abs(steps) > 0.5, np.sign(steps), 0.0)
    short = np.abs(steps - turns)
    beside = np.maximum(np.append(short[1:], 0.0), np.append(0.0, short[:-1]))
    sure = (short <= np.minimum(LIKE * beside + STILL, LONGEST)) & (beside <= LONGEST) & ~gaps(np.diff(t))
    return np.asarray(np.where(sure, turns, 0.0))


def unwrap_joint(t: Array, q: Array, turn: float = TURN) -> tuple[Array, int]:
    """One joint's positions put together, and at how many places."""
    turns = wrap_turns(t, q, turn)
    return q - turn * np.concatenate([[0.0], np.cumsum(turns)]), int(np.count_nonzero(turns))


def unwrap_positions(
    rows: Rows, name: str, turns: Sequence[bool], counters: Sequence[float], joints: Sequence[str]
) -> Iterator[str]:
    """Positions that were cut at a turn, or where a counter of this size begins anew, put together in place."""
    for j, (turn, counter) in enumerate(zip(turns, counters)):
        whose = joints[j] if joints else Message("joint {name}", j + 1)
        q = rows.arrays[name][:, j]
        whole, count = unwrap_joint(rows.t, q, counter) if counter else (q, 0)
        again = count
        if not again and turn:
            whole, count = unwrap_joint(rows.t, q)
        if not count:
            continue
        rows.arrays[name] = rows.arrays[name].copy()
        rows.arrays[name][:, j] = whole
        if again:
            yield Message(
                (
                    "{joints}: {name} jumps {count} times where its counter begins anew: put together"
                    if count > 1
                    else "{joints}: {name} jumps {count} time where its counter begins anew: put together"
                ),
                whose,
                name,
                count,
            )
        else:
            yield Message(
                (
                    "{joints}: {name} jumps by a turn {count} times: put together"
                    if count > 1
                    else "{joints}: {name} jumps by a turn {count} time: put together"
                ),
                whose,
                name,
                count,
            )


COUNTERS = [
    2.0**bits for bits in (8, 10, 12, 13, 14, 15, 16, 18, 20, 24, 32)
]  # of encoders and of the words they are in


def counter_size(values: NDArray[np.generic]) -> float:
    """Of a counter that all of these may be from, of which more than half is used: whole numbers from 0, or as far
    below as above; 0 of other positions."""
    known = values[np.abs(values) < LARGEST]
    if not len(known) or not (known == np.round(known)).all():
        return 0.0
    low, high = float(known.min()), float(known.max())
    return next(
        (x for x in COUNTERS if x / 2 < high - low < x and -x / 2 <= low and high < (x if low >= 0 else x / 2)), 0.0
    )
