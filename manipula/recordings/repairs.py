"""Rows that cannot be as they are: without numbers, out of order, twice at one time. Repaired and said, or refused."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError
from manipula.messages import Message

Array = NDArray[np.float64]
MOST_MISSING = 0.2  # of the rows
MOST_TWICE = 0.05
LONG = 8  # rows in order: the clock went on from there
NEEDED = ("q", "tau")
LARGEST = 1e100  # a larger number is a damaged one, and its square none any more


class Rows:
    """Times and arrays with a row for each, while they are repaired; `said` tells what was."""

    def __init__(self, place: str, t: Array, arrays: dict[str, Array]) -> None:
        self.place, self.t, self.arrays = place, t, arrays
        self.said: list[str] = []

    def repair(self) -> Rows:
        for step in (self._empty_quantities, self._drop_missing, self._order, self._twice):
            step()
        if len(self.t) < 2:
            raise InputError(
                "{place}: {count} sample with numbers in it; nothing can be told from one", self.place, len(self.t)
            )
        return self

    def _keep(self, rows: NDArray[np.intp] | NDArray[np.bool_]) -> None:
        self.t = self.t[rows]
        self.arrays = {name: value[rows] for name, value in self.arrays.items()}

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
        found = {"t": ~(np.abs(self.t) < LARGEST)} | {name: _rows_without(value) for name, value in self.arrays.items()}
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
        self._keep(~bad)
        self.said.append(
            Message(
                (
                    "{bad} rows without a number in {worst} left out"
                    if bad.sum() > 1
                    else "{bad} row without a number in {worst} left out"
                ),
                int(bad.sum()),
                worst,
            )
        )

    def _order(self) -> None:
        """Rows out of place are sorted. A clock that jumps back is another recording, and no order can be told."""
        back = np.flatnonzero(np.diff(self.t) < 0)
        if not len(back):
            return
        order = np.argsort(self.t, kind="stable")
        if self._restarts(back, order) or _length(self.arrays["q"][order]) > _length(self.arrays["q"]):
            k = int(back[0])
            raise InputError(
                "{place}: the clock jumps back from {t:.6g} to {t2:.6g} s at row {k}: these are several "
                "recordings; cut the file there",
                self.place,
                self.t[k],
                self.t[k + 1],
                k + 2,
            )
        self._keep(order)
        self.said.append(Message("rows were not in the order of time ({count} stood too late): sorted", len(back)))

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
            each = len(self.t) / len(firsts)
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
        self.t = self.t[firsts]
        self.said.append(
            Message(
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
        )


def _rows_without(value: Array) -> NDArray[np.bool_]:
    return np.asarray(~(np.abs(value) < LARGEST).all(axis=1))


def _length(q: Array) -> float:
    """Of the way through joint space."""
    return float(np.abs(np.diff(q, axis=0)).sum())
