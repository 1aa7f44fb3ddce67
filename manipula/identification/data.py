"""`Data`: what estimators see of a robot's logs. `gather` makes it.

A log goes in stretches without gaps. Of each, positions are filtered and differenced, the columns are evaluated a
chunk at a time, filtered as the torque is, and summed into Gram matrices; rows are kept as often as the filter lets
through. Of the rows kept, `judge` holds all; `fit` leaves out those of a joint that may stick (|q̇| < 0.01 rad/s, or
1 mm/s of one that slides), those whose torque stands at its limit, and a period of the filter of positions at both
ends, where accelerations are guesses.

Columns that follow what the joints bear (friction by load, a tilted base, gains) need inertial parameters: those of the
robot's file where it has them all, else those of a first fit without these columns. `data.with_load(theta)` takes
others, for instance those of a fit, and gathers again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError, UnknownNameError
from manipula.identification.assembled import Columns
from manipula.identification.columns.column import Column
from manipula.identification.filters.motion import Flags, RecordedMotion
from manipula.identification.gram import Accumulator, Array, Grams
from manipula.mechanics.robot.description import RobotDescription

CHUNK = 2048  # samples
BLOCKS = 8


@dataclass(frozen=True, eq=False)
class Data:
    """`robot` has every welded body counted to its link: its `standard_parameters` are the inertial columns by name,
    and `known` is what it says of every column (NaN: nothing). Lists have an entry a stretch of the logs."""

    columns: tuple[Column, ...]
    fit: Grams
    judge: Grams
    source: Source
    load: Array | None = None
    notes: tuple[str, ...] = ()
    places: NDArray[np.intp] = field(default_factory=lambda: np.zeros(0, np.intp))  # among all columns of the source

    @property
    def robot(self) -> RobotDescription:
        return self.source.columns.robot

    @property
    def known(self) -> Array:
        return self.source.columns.known[self.places]

    @property
    def filter(self) -> tuple[str, ...]:
        """How every stretch was filtered, and why so."""
        return tuple(str(motion.smoother) for motion in self.source.motions)

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.columns]

    @property
    def times(self) -> list[Array]:
        """Of the rows kept."""
        return [motion.t[motion.kept] for motion in self.source.motions]

    @property
    def moving(self) -> list[Flags]:
        """(rows, n): where a joint moves for sure."""
        return [self.source.moving(motion)[motion.kept] for motion in self.source.motions]

    @property
    def torques(self) -> list[Array]:
        """(rows, n): filtered, as the columns are."""
        return [motion.smoother(motion.tau)[motion.kept] for motion in self.source.motions]

    def predicted(self, theta: Any) -> list[Array]:
        """(rows, n): the torque of these values, filtered."""
        whole = np.zeros(len(self.source.columns.columns))
        whole[self.places] = _vector(theta, len(self.columns))
        return [self.source.predicted(motion, whole, self.load) for motion in self.source.motions]

    def residuals(self, theta: Any) -> list[Array]:
        """(rows, n): recorded less predicted."""
        return [tau - found for tau, found in zip(self.torques, self.predicted(theta))]

    def subset(self, chosen: Any) -> Data:
        """The same data with some of the columns: names, or a flag for each."""
        places = _chosen(chosen, self.names)
        return replace(
            self, columns=tuple(self.columns[k] for k in places), fit=self.fit.subset(places),
            judge=self.judge.subset(places), places=self.places[places],
        )  # fmt: skip

    def with_load(self, theta: Any) -> Data:
        """What the joints bear by other values of these columns (or of the inertial ones alone), in their order."""
        size = len(self.source.columns.inertial.columns)
        given = np.asarray(theta, float)
        load = np.zeros(size)
        inertial = self.places < size
        wanted = (int(inertial.sum()), len(self.columns))
        if given.ndim != 1 or len(given) not in wanted or not np.isfinite(given).all():
            raise InputError(
                "with_load: expected {wanted} numbers, one a column, found shape {shape}", wanted[1], given.shape
            )
        load[self.places[inertial]] = given[inertial] if len(given) == wanted[1] else given
        fit, judge = self.source.grams(load, self.fit.blocks)
        return replace(self, fit=fit.subset(self.places), judge=judge.subset(self.places), load=load)


@dataclass(frozen=True, eq=False)
class Source:
    """The stretches and the columns: what Gram matrices are made from, and made again."""

    columns: Columns
    motions: tuple[RecordedMotion, ...]

    def moving(self, motion: RecordedMotion) -> Flags:
        found: Flags = np.abs(motion.qd) >= self.columns.slow
        return found

    def fitted(self, motion: RecordedMotion) -> Flags:
        """The rows that a fit may take."""
        inside = np.ones((len(motion), 1), bool)
        if ends := min(motion.smoother.ends, len(motion) // 4):
            inside[:ends] = inside[-ends:] = False
        free = inside if motion.saturated is None else inside & ~motion.saturated
        return self.moving(motion) & free

    def grams(self, load: Array | None, blocks: int) -> tuple[Grams, Grams]:
        """(fit, judge)"""
        columns = self.columns
        fit, judge = (Accumulator(blocks, columns.dof, len(columns.columns)) for _ in range(2))
        own = [columns.own(j) for j in range(columns.dof)]
        total = sum(len(motion.t[motion.kept]) for motion in self.motions)
        before = 0
        for motion in self.motions:
            fitted, tau = self.fitted(motion), motion.smoother(motion.tau)
            for rows, values in self.filtered(motion, load):
                place = before + rows // motion.smoother.step
                for block, part in _by_block(place * blocks // max(total, 1)):
                    for j, found in enumerate(values):
                        whole = np.column_stack([found[part], tau[rows[part], j]])
                        judge.add(block, j, own[j], whole)
                        fit.add(block, j, own[j], whole[fitted[rows[part], j]])
            before += len(motion.t[motion.kept])
        return fit.grams, judge.grams

    def filtered(self, motion: RecordedMotion, load: Array | None) -> Iterator[tuple[NDArray[np.intp], list[Array]]]:
        """Chunk by chunk the rows kept and, of every joint, its columns there. A chunk is filtered with as much around
        it as the filter remembers."""
        smoother = motion.smoother
        chunk, around = max(CHUNK, smoother.memory), smoother.memory
        for first in range(0, len(motion), chunk):
            low, high = max(0, first - around), min(len(motion), first + chunk + around)
            rows = np.arange(len(motion))[motion.kept]
            rows = rows[(rows >= first) & (rows < first + chunk)]
            values = self.columns.values(motion, slice(low, high), load)
            yield rows, [smoother(x)[rows - low] for x in values]

    def predicted(self, motion: RecordedMotion, theta: Array, load: Array | None) -> Array:
        found = np.zeros_like(motion.tau)
        own = [self.columns.own(j) for j in range(self.columns.dof)]
        for first in range(0, len(motion), CHUNK):
            rows = slice(first, min(first + CHUNK, len(motion)))
            for j, values in enumerate(self.columns.values(motion, rows, load)):
                found[rows, j] = values @ theta[own[j]]
        return motion.smoother(found)[motion.kept]


def _by_block(block: NDArray[np.intp]) -> Iterator[tuple[int, NDArray[np.intp]]]:
    for number in np.unique(block):
        yield int(number), np.flatnonzero(block == number)


def _vector(theta: Any, size: int) -> Array:
    found = np.asarray(theta, float)
    if found.shape != (size,):
        raise InputError("theta: expected {size} numbers, one a column, found shape {shape}", size, found.shape)
    return found


def _chosen(chosen: Any, names: Sequence[str]) -> NDArray[np.intp]:
    given = list(chosen)
    if given and all(isinstance(x, str) for x in given):
        for name in given:
            if name not in names:
                raise UnknownNameError("column", name, names)
        return np.array([names.index(name) for name in given], dtype=np.intp)
    flags = np.asarray(given)
    if flags.dtype != bool or flags.shape != (len(names),):
        raise InputError(
            "subset: expected names of columns, or {count} truth values, found {shape}", len(names), flags.shape
        )
    return np.flatnonzero(flags)
