"""The kernel without a compiler: the tape line by line, each line one numpy operation over all configurations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from manipula.algebra.expr.evaluate import ARRAYS
from manipula.algebra.program import primitives
from manipula.algebra.run.batch import DType, Floats, RowsView, matrix_of_view
from manipula.algebra.run.repeated import Frames, Repeater
from manipula.algebra.tape import Line, Tape, kept_slots, layout_of, parameters_of, variables_of
from manipula.scalar import OPS

# Normal deviates of many rollouts in numpy: the words of `program.philox`, where there is no machine code.


def deviates(count: int, seed: int, rollouts: NDArray[np.int64], step: int) -> NDArray[np.float64]:
    """(count, *rollouts.shape): four a channel, channels from 0 on."""
    shape, channels = np.shape(rollouts), -(-count // primitives.EACH)
    normals = np.empty((channels, primitives.EACH, *shape))
    for channel in range(channels):
        c = [np.full(shape, x, np.uint64) for x in (step & primitives.LOW, step >> primitives.HALF, channel, 0)]
        c = _rounds(c, seed, np.asarray(rollouts).astype(np.uint64))
        for i, (u, v) in enumerate(((c[0], c[1]), (c[2], c[3]))):
            r = np.sqrt(-2.0 * np.log((u.astype(float) + 1.0) * primitives.LAST))
            angle = primitives.TWO_PI * (v.astype(float) * primitives.LAST)
            normals[channel, 2 * i : 2 * i + 2] = r * np.cos(angle), r * np.sin(angle)
    return normals.reshape(-1, *shape)[:count]


def _rounds(c: list[primitives.Words], seed: int, rollouts: primitives.Words) -> list[primitives.Words]:
    low, half = np.uint64(primitives.LOW), np.uint64(primitives.HALF)
    for turn in range(primitives.ROUNDS):
        first, second = c[0] * np.uint64(primitives.FIRST), c[2] * np.uint64(primitives.SECOND)
        # a key of 32 bits: the sum may carry, and must not
        a = np.uint64((seed + turn * primitives.GOLDEN) & primitives.LOW)
        b = (rollouts + np.uint64(turn * primitives.ROOT & primitives.LOW)) & low
        c = [(second >> half) ^ c[1] ^ a, second & low, (first >> half) ^ c[3] ^ b, first & low]
    return c


Slots = dict[int, Floats | np.float64 | np.float32]  # a number, or one a configuration


class NumpyKernel:
    """The same two functions as machine code would be, and the same meaning, line by line."""

    backend = "numpy"
    address = None
    address_of_one = None
    source_ir = ""
    lanes = 1

    def __init__(self, tape: Tape, dtype: DType) -> None:
        self.tape, self.dtype = tape, dtype
        self._kept = kept_slots(tape)
        single = dict(tape.single) if dtype == np.float32 else {}
        self._constants = {slot: dtype.type(single.get(slot, value)) for slot, value in tape.constants}
        self._dead = _dead_after(tape)

    def prepare(self, parameters: Floats) -> Floats:
        """The off-line part."""
        port = parameters_of(self.tape)
        values: Slots = dict(self._constants)
        values.update(zip(port.slots if port else (), parameters))
        _play(self.tape.offline, values, {})
        return np.array([values[slot] for slot in self._kept], dtype=self.dtype)

    def broken_condition(self, parameters: Floats) -> int:
        """The number of the first condition that is broken, counted from 1; 0 where all hold."""
        port = parameters_of(self.tape)
        values: Slots = dict(self._constants)
        values.update(zip(port.slots if port else (), parameters))
        _play((*self.tape.offline, *self.tape.guard), values, {})
        broken = (i for i, x in enumerate(self.tape.checks, 1) if values[x.magnitude] <= values[x.bound])
        return next(broken, 0)

    def run(self, views: Sequence[RowsView], kept: Floats, results: Sequence[Floats], rows: range) -> None:
        """The on-line part, for these configurations."""
        values: Slots = dict(self._constants)
        values.update(zip(self._kept, kept))
        for port, view in zip(variables_of(self.tape), views):
            values.update(zip(port.slots, matrix_of_view(view, rows.stop)[rows.start :].T))
        _play(self.tape.online, values, self._dead)
        for port, result in zip(self.tape.outputs, results):
            table = result.reshape(-1, len(port.slots))[rows.start : rows.stop]
            for position, slot in enumerate(port.slots):
                table[:, position] = values[slot]

    def prepare_rows(self, parameters: Floats) -> Floats:
        """The off-line part of many rows, (blocks, n, lanes) → (blocks, K, lanes)."""
        port = parameters_of(self.tape)
        values: Slots = dict(self._constants)
        values.update(zip(port.slots if port else (), np.moveaxis(parameters, 1, 0)))
        _play(self.tape.offline, values, {})
        return np.stack([np.broadcast_to(values[x], parameters[:, 0].shape) for x in self._kept], axis=1)

    def repeater(self, lanes: int) -> Repeater:
        """Step by step."""
        return self._repeat

    def _repeat(self, frames: Frames, blocks: range, steps: int, every: int, left: int, first: int) -> None:
        layout, part = layout_of(self.tape), slice(blocks.start, blocks.stop)
        states, record = frames.states[:, part], frames.record[part]
        drive, kept = (y if len(y) == 1 else y[part] for y in (frames.drive, frames.kept))
        for step in range(steps):
            # the two halves change roles, as in machine code
            x, after = states[step % 2], states[1 - step % 2]
            values: Slots = dict(self._constants)
            values.update(zip(self._kept, np.moveaxis(kept, 1, 0)))
            values.update(zip(layout.states, np.moveaxis(x, 1, 0)))
            values.update(zip(layout.drive, np.moveaxis(drive[:, step % drive.shape[1]], 1, 0)))
            noise = deviates(len(layout.noise), frames.noise.seed, frames.noise.rollouts[part], first + step)
            values.update(zip(layout.noise, noise.astype(self.dtype)))
            _play(self.tape.online, values, self._dead)
            sample, rest = divmod(step - left, every) if every else (-1, 0)
            if sample >= 0 and rest == 0:
                record[:, sample, : x.shape[1]] = x
                for position, slot in enumerate(layout.outputs, x.shape[1]):
                    record[:, sample, position] = values[slot]
            for position, slot in enumerate(layout.following):
                after[:, position] = values[slot]

    def vectorcall(self, owner: object, name: str, doc: str, result_type: type) -> None:
        """There is no thin call without machine code."""


def _play(lines: Iterable[Line], values: Slots, dead: dict[int, list[int]]) -> None:
    """Fill the slots of the lines; forget a line's slots when nothing reads them any more."""
    with np.errstate(all="ignore"):  # infinities and NaN are results here, as they are in machine code
        for line in lines:
            values[line.slot] = OPS[line.op].value(ARRAYS, *(values[arg] for arg in line.args))
            # one array a slot: a long tape over many rows would not fit into memory
            for slot in dead.get(line.slot, ()):
                del values[slot]


def _dead_after(tape: Tape) -> dict[int, list[int]]:
    """slot of a line → the on-line slots it is the last to read."""
    lines, live = tape.lines, {line.slot for line in tape.online}
    dead: dict[int, list[int]] = {}
    for slot, at in tape.last_use().items():
        if slot in live and at < len(lines):
            dead.setdefault(lines[at].slot, []).append(slot)
    return dead
