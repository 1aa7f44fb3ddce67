"""`Data`: what estimators see of a robot's logs. `gather` makes it.

A log goes in stretches without gaps. Of each, positions are filtered and differenced, the columns are evaluated a
chunk at a time, at as many samples as they need, filtered as the torque is, and summed into Gram matrices; rows are
kept as often as the filter lets through. Of the rows kept, `judge` holds all; `fit` leaves out those of a joint that
may stick (|q̇| < 0.01 rad/s, or 1 mm/s of one that slides), those whose torque stands at its limit, and a period of the
filter of positions at both ends, where accelerations are guesses.

Columns that follow what the joints bear (friction by load, a tilted base, gains) need inertial parameters: those of the
robot's file where it has them all, else those of a first fit without these columns. `data.with_load(theta)` takes
others, for instance those of a fit, and gathers again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError, UnknownNameError
from manipula.identification.base_motion import has_wrench
from manipula.identification.closed_motion import with_passive_joints
from manipula.identification.columns import Column
from manipula.identification.decimation import LONG_EDGES, SMALL, GridColumns, thin_flags, thin_log, windows
from manipula.identification.filters import Filter, Flags, RecordedMotion, Smoother, cutoff_for, motion_of
from manipula.identification.joint_model import JointModel
from manipula.identification.torque_columns import Columns
from manipula.mechanics.robot.description import RobotDescription
from manipula.recordings.log import Log, believed_limits
from manipula.support.progress import Tell, silent

# Gram matrices: all that least squares needs of a log, however long it is.
#
# Of every block b of the time and every joint j, over the block's rows,  G = Σ [Y_j τ_j]ᵀ [Y_j τ_j]:  the squares of
# any weighted, regularised or constrained fit, and of its error on any block, follow from them without the log.

Array = NDArray[np.float64]
Counts = NDArray[np.int64]
Indexes = NDArray[np.intp]
OnGrids = tuple[Indexes, GridColumns, GridColumns]  # rows kept, their columns without edges, the others


@dataclass(frozen=True, eq=False)
class Grams:
    """`gram` (blocks, n, p + 1, p + 1), the torque last; `rows` (blocks, n): how many samples stand behind each."""

    gram: Array
    rows: Counts

    @property
    def blocks(self) -> int:
        return len(self.gram)

    def subset(self, places: Indexes) -> Grams:
        """With these columns alone."""
        kept = np.append(places, self.gram.shape[-1] - 1)
        return Grams(self.gram[..., kept[:, None], kept], self.rows)

    def normal(self, weights: Array | None = None, blocks: Array | None = None) -> tuple[Array, Array, float]:
        """(A, b, c) of the weighted sum of squares θᵀAθ − 2bᵀθ + c; `weights` (n,) are 1/σ²."""
        gram = self.gram if blocks is None else self.gram[blocks]
        whole = np.einsum("bjxy,j->xy", gram, np.ones(gram.shape[1]) if weights is None else np.asarray(weights))
        return whole[:-1, :-1], whole[:-1, -1], float(whole[-1, -1])

    def squares(self, theta: Array) -> Array:
        """(blocks, n): Σ (τ − Yθ)² of every block and joint."""
        found: Array = np.einsum("x,bjxy,y->bj", vector := np.append(-np.asarray(theta, float), 1.0), self.gram, vector)
        return np.maximum(found, 0.0)

    def error(self, theta: Array) -> float:
        """100·‖τ − Yθ‖/‖τ‖ over all blocks and joints."""
        whole = float(self.gram[..., -1, -1].sum())
        return 100 * float(np.sqrt(self.squares(theta).sum() / whole)) if whole > 0 else np.nan


class Accumulator:
    """Sums rows into Gram matrices; memory is that of the result."""

    def __init__(self, blocks: int, own: Sequence[Indexes], columns: int) -> None:
        self._own, self._columns = own, columns
        self._sums = [np.zeros((blocks, len(x) + 1, len(x) + 1)) for x in own]
        self._rows = np.zeros((blocks, len(own)), dtype=np.int64)

    def add(self, block: int, joint: int, rows: Array) -> None:
        """Rows [Y τ] of a joint, Y being the columns that it feels."""
        total, few = self._sums[joint][block], max(1, SMALL // rows.shape[1] ** 2)
        for first in range(0, len(rows), few):
            part = rows[first : first + few]
            total += part.T @ part
        self._rows[block, joint] += len(rows)

    @property
    def grams(self) -> Grams:
        """Zeros where a joint does not feel a column."""
        blocks, size = len(self._rows), self._columns + 1
        gram = np.zeros((blocks, len(self._own), size, size))
        for j, (own, sums) in enumerate(zip(self._own, self._sums)):
            kept = np.append(own, size - 1)
            gram[:, j, kept[:, None], kept] = sums
        return Grams(gram, self._rows)


CHUNK = 2048  # samples
LONG = 1 << 17  # samples: a longer recording is thinned before anything else
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
    places: Indexes = field(default_factory=lambda: np.zeros(0, np.intp))  # among all columns of the source

    @property
    def robot(self) -> RobotDescription:
        return self.source.columns.robot

    @property
    def file_values(self) -> Array:
        return self.source.columns.file_values[self.places]

    @property
    def filter(self) -> tuple[str, ...]:
        """How every stretch was filtered, and why so."""
        return tuple(str(motion.smoother) for motion in self.source.motions)

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.columns]

    @property
    def rows(self) -> tuple[str, ...]:
        """What is recorded, by name: torques of joints, and the wrench on a base that moves."""
        return self.source.columns.rows

    @property
    def times(self) -> list[Array]:
        """Of the rows kept."""
        return [motion.t[motion.kept] for motion in self.source.motions]

    @property
    def rows_in_motion(self) -> list[Flags]:
        """(rows, n): where a joint moves for sure."""
        return [self.source.rows_in_motion(motion)[motion.kept] for motion in self.source.motions]

    @property
    def torques(self) -> list[Array]:
        """(rows, n): filtered, as the columns are."""
        return [motion.smoother(motion.tau)[motion.kept] for motion in self.source.motions]

    def predict(self, theta: object) -> list[Array]:
        """(rows, n): the torque of these values, filtered."""
        whole = np.zeros(len(self.source.columns.columns))
        whole[self.places] = _vector(theta, len(self.columns))
        return [self.source.predict(motion, whole, self.load) for motion in self.source.motions]

    def residuals(self, theta: object) -> list[Array]:
        """(rows, n): recorded less predicted."""
        return [tau - found for tau, found in zip(self.torques, self.predict(theta))]

    def subset(self, chosen: object) -> Data:
        """The same data with some of the columns: names, or a flag for each."""
        places = _column_indexes(chosen, self.names)
        return replace(
            self, columns=tuple(self.columns[k] for k in places), fit=self.fit.subset(places),
            judge=self.judge.subset(places), places=self.places[places],
        )  # fmt: skip

    def with_load(self, theta: object) -> Data:
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

    def rows_in_motion(self, motion: RecordedMotion) -> Flags:
        """Where a joint moves for sure; a base that moves sticks nowhere."""
        found: Flags = np.abs(motion.qd) >= self.columns.slow
        base = motion.tau.shape[1] - found.shape[1]
        return np.concatenate([found, np.ones((len(found), base), bool)], axis=1) & self.columns.motor_rows

    def rows_for_fit(self, motion: RecordedMotion) -> Flags:
        """The rows that a fit may take."""
        inside = np.ones((len(motion), 1), bool)
        if ends := min(motion.smoother.ends, len(motion) // 4):
            # a zero-phase filter knows nothing beyond the ends: what it says there is extrapolated
            inside[:ends] = inside[-ends:] = False
        free = inside if motion.saturated is None else inside & ~motion.saturated
        return self.rows_in_motion(motion) & free & ~self._dead(motion)

    def _dead(self, motion: RecordedMotion) -> Flags:
        """Joints whose recorded torque never changes, where that of others does: it says nothing of them."""
        spans = np.ptp(motion.tau, axis=0)
        return np.asarray((spans == 0) & (spans > 0).any() & (np.arange(len(spans)) < motion.qd.shape[1]))

    def grams(self, load: Array | None, blocks: int, tell: Tell = silent) -> tuple[Grams, Grams]:
        """(fit, judge)"""
        columns = self.columns
        own = [columns.own(j) for j in range(len(columns.rows))]
        fit, judge = (Accumulator(blocks, own, len(columns.columns)) for _ in range(2))
        total = sum(len(motion.t[motion.kept]) for motion in self.motions)
        before = 0
        for motion in self.motions:
            fitted, tau = self.rows_for_fit(motion), motion.smoother(motion.tau)
            for rows, values in self.filtered_chunks(motion, load):
                place = before + rows // motion.smoother.step
                tell(f"{len(columns.columns)} columns, {place.max(initial=0) / max(total, 1):.0%} of the samples")
                for block, part in _by_block(place * blocks // max(total, 1)):
                    for j, found in enumerate(values):
                        whole = np.column_stack([found[part], tau[rows[part], j]])
                        # all rows: a model must also predict where the arm rests or a motor is at its limit
                        judge.add(block, j, whole)
                        fit.add(block, j, whole[fitted[rows[part], j]])
            before += len(motion.t[motion.kept])
        return fit.grams, judge.grams

    def filtered_chunks(self, motion: RecordedMotion, load: Array | None) -> Iterator[tuple[Indexes, list[Array]]]:
        """Chunk by chunk the rows kept and, of every joint, its columns there."""
        if not motion.smoother.reads_fewer(len(motion)):
            yield from self._from_every_sample(motion, load)
            return
        for rows, smooth, edged in self._on_grids(motion, load):
            yield rows, self.columns.join(smooth.filter_values(), edged.filter_values())

    def _from_every_sample(self, motion: RecordedMotion, load: Array | None) -> Iterator[tuple[Indexes, list[Array]]]:
        """A chunk is filtered with as much around it as the filter remembers."""
        smoother = motion.smoother
        # a chunk no shorter than what is read around it: the overlap would cost more than the chunk
        chunk, around = max(CHUNK, smoother.memory), smoother.memory
        for first in range(0, len(motion), chunk):
            low, high = max(0, first - around), min(len(motion), first + chunk + around)
            rows = np.arange(len(motion))[motion.kept]
            rows = rows[(rows >= first) & (rows < first + chunk)]
            values = self.columns.values(motion, slice(low, high), load)
            yield rows, [smoother(x)[rows - low] for x in values]

    def _on_grids(self, motion: RecordedMotion, load: Array | None) -> Iterator[OnGrids]:
        """The columns on coarser grids: those without edges, and the others, which see what the joints bear between two
        samples of the former on a line."""
        columns, smoother, ends = self.columns, motion.smoother, np.array([0, len(motion) - 1])
        assert smoother.cutoff is not None
        smooth_ends, borne_ends = columns.smooth_values(motion, ends, load)
        edged_ends = columns.edged_values(motion, ends, borne_ends)
        given, strides = (len(motion), smoother.rate, smoother.cutoff, smoother.step), smoother.strides
        for (rows, coarse), (_, fine) in zip(windows(*given, strides.coarse), windows(*given, strides.fine)):
            smooth, borne = columns.smooth_values(motion, coarse.samples, load)
            edged = columns.edged_values(motion, fine.samples, None if borne is None else coarse.at(fine, borne))
            yield rows, GridColumns(coarse, smooth, smooth_ends), GridColumns(fine, edged, edged_ends)

    def predict(self, motion: RecordedMotion, theta: Array, load: Array | None) -> Array:
        """(rows kept, n): the torque of these values, filtered."""
        columns, own = self.columns, [self.columns.own(j) for j in range(len(self.columns.rows))]
        if motion.smoother.reads_fewer(len(motion)):
            first, second = ([theta[x[mask == kind]] for x, mask in zip(own, columns.smooth)] for kind in (True, False))
            parts = [x.torques(first) + y.torques(second) for _, x, y in self._on_grids(motion, load)]
            return np.concatenate(parts)
        found = np.zeros_like(motion.tau)
        for start in range(0, len(motion), CHUNK):
            rows = slice(start, min(start + CHUNK, len(motion)))
            for j, values in enumerate(columns.values(motion, rows, load)):
                found[rows, j] = values @ theta[own[j]]
        return motion.smoother(found)[motion.kept]


def _by_block(block: Indexes) -> Iterator[tuple[int, Indexes]]:
    for number in np.unique(block):
        yield int(number), np.flatnonzero(block == number)


def _vector(theta: object, size: int) -> Array:
    found = np.asarray(theta, float)
    if found.shape != (size,):
        raise InputError("theta: expected {size} numbers, one a column, found shape {shape}", size, found.shape)
    return found


def _column_indexes(chosen: Any, names: Sequence[str]) -> Indexes:
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


# `gather`: a robot, logs, a joint model and a filter become `Data`.

SHOWN = 1e-8  # eigenvalues of a scaled Gram matrix, in parts of the largest


def gather(
    robot: RobotDescription, logs: Log | Iterable[Log], model: JointModel | None = None, filter: Filter = "auto", *,
    blocks: int = BLOCKS, load: object = None, tell: Tell = silent, wrench: bool | None = None,
) -> Data:  # fmt: skip
    """`filter`: "auto", that or lower (`Below`), a cut-off in Hz, or None. `load`: of inertial columns, see `Data`.
    `wrench`: are there rows of the wrench on a base that moves? None: where all logs have it."""
    listed = [with_passive_joints(robot, log) for log in ([logs] if isinstance(logs, Log) else logs)]
    columns = Columns(robot, model or JointModel(), has_wrench(listed) if wrench is None else wrench)
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
    fit, judge = source.grams(known, blocks, tell)
    return Data(columns.columns, fit, judge, source, known, tuple(dict.fromkeys(notes)), places)


def _motions(columns: Columns, log: Log, filter: Filter) -> tuple[list[RecordedMotion], list[str]]:
    """The stretches of a log, filtered, and what was noticed of it."""
    columns.check(log)
    cut = cutoff_for(log.parts(), filter)
    parts = log.parts() if cut.frequency is None else log.parts_for(cut.frequency)
    factors, effort = columns.torque_factors, np.array(believed_limits(columns.robot, log.tau)[0])
    smoothers = [Smoother(part.rate, cut.frequency, cut.reason, cut.motion) for part in parts]
    motions = [_motion(columns, part, smoother, factors, effort) for part, smoother in zip(parts, smoothers)]
    return motions, [note for part in parts for note in part.notes]


def _motion(columns: Columns, part: Log, smoother: Smoother, factors: Array, effort: Array) -> RecordedMotion:
    assert part.tau is not None
    held = part.saturated | (np.abs(part.tau) >= effort)
    # hours of recording far above the cut-off: thinned first, since the filter would discard them anyway
    if len(part) > LONG and (stride := smoother.strides.coarse // LONG_EDGES) > 1:
        part, held = thin_log(part, stride), thin_flags(held, stride)
        smoother = replace(smoother, rate=smoother.rate / stride)
    radii = {r: float(r) * columns.pace for r in columns.radii()}
    found = columns.whole_motion(motion_of(part, np.asarray(part.tau) * factors, smoother, radii), part)
    held = np.concatenate([held, np.zeros((len(held), len(columns.rows) - held.shape[1]), bool)], axis=1)
    if held.any() and smoother.blur:  # as far around as the filter spreads it
        held = np.array([np.convolve(x, np.ones(smoother.blur), "same") > 0.5 for x in held.T]).T
    return replace(found, saturated=held)


def _load(source: Source, given: object, blocks: int) -> Array | None:
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
    if not columns.depends_on_load:
        return None
    known = columns.file_values[:size]
    return known if np.isfinite(known).all() else first_fit(source.grams(None, blocks)[0])[:size]


def first_fit(grams: Grams) -> Array:
    """Least squares, every column scaled to one, directions that the data do not show left at zero."""
    a, b, _ = grams.normal()
    scale = np.sqrt(np.maximum(np.diag(a), 0.0))
    scale[scale == 0] = 1.0
    values, vectors = np.linalg.eigh(a / np.outer(scale, scale))
    # columns are scaled to one first, so that the threshold means the same for masses and for friction
    shown = values > SHOWN * max(values[-1], 0.0)
    turned = vectors[:, shown].T @ (b / scale)
    found: Array = vectors[:, shown] @ (turned / values[shown]) / scale
    return found
